/* Operations on a device, without the queue: what it computes and flags, chunk by chunk, against this machine. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/device.h"
#include "utils/base/arena.h"
#include "utils/dev/exactness/exactness.h"
#include "utils/tools/compiler.h"

enum { CHUNK = 1 << 24, MASK_BYTES = CHUNK / 8, RECORD_BYTES = 256, MAX_WORKERS = 64 };

struct session {
	struct device *device;
	const struct device_functions *f;
	const struct exactness_operation *operation;
	bool all; /* operand 0 is the number of the try */
	const struct exactness_options *options;
	struct artifact_provider compiler;
	/* One chunk. */
	uint64_t first, count;
	uint8_t *inputs[2], *output;
	uint32_t *mask;
	struct device_buffer *input_buffers[2], *output_buffer, *mask_buffer, *status_buffer;
	bool has_flags;
	struct exactness_count total;
	uint64_t first_operands[2]; /* of the first difference */
};

/* ---- Workers ---- */

struct worker {
	struct session *s;
	void (*run)(struct worker *w);
	uint64_t begin, end; /* in the chunk */
	struct exactness_count count;
	uint64_t first_operands[2];
};

static void *start_worker(void *context)
{
	struct worker *w = context;
	w->run(w);
	return NULL;
}

/* On every processor; adds up the counts. */
static void in_parallel(struct session *s, void (*run)(struct worker *w))
{
	struct worker workers[MAX_WORKERS];
	pthread_t threads[MAX_WORKERS];
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	int count = online < 1 ? 1 : online > MAX_WORKERS ? MAX_WORKERS : (int)online;
	/* Whole words of the mask. */
	uint64_t share = (s->count / (uint64_t)count + 32) / 32 * 32, begin = 0;
	for (int n = 0; n < count; n++) {
		uint64_t end = n + 1 == count || begin + share > s->count ? s->count : begin + share;
		workers[n] = (struct worker){.s = s, .run = run, .begin = begin, .end = end};
		begin = end;
		if (pthread_create(&threads[n], NULL, start_worker, &workers[n]) != 0) {
			fprintf(stderr, "exactness: no more threads\n");
			exit(2);
		}
	}
	for (int n = 0; n < count; n++) {
		pthread_join(threads[n], NULL);
		if (s->total.differences == 0 && workers[n].count.differences)
			memcpy(s->first_operands, workers[n].first_operands, sizeof s->first_operands);
		s->total.differences += workers[n].count.differences;
		s->total.flagged += workers[n].count.flagged;
	}
}

/* Of 4 or 8 bytes: of constant size, as this is what most of the time goes into. */
static uint64_t load(const struct ir_type *t, const uint8_t *array, uint64_t n)
{
	uint32_t narrow;
	uint64_t wide;
	if (t->size == sizeof narrow) {
		memcpy(&narrow, array + n * sizeof narrow, sizeof narrow);
		return t->kind == IR_TYPE_i32 ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
	}
	memcpy(&wide, array + n * sizeof wide, sizeof wide);
	return wide;
}

static void store(const struct ir_type *t, uint8_t *array, uint64_t n, uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	if (t->size == sizeof narrow)
		memcpy(array + n * sizeof narrow, &narrow, sizeof narrow);
	else
		memcpy(array + n * sizeof bits, &bits, sizeof bits);
}

static void make_inputs(struct worker *w)
{
	struct session *s = w->s;
	const struct exactness_operation *o = s->operation;
	for (uint64_t n = w->begin; n < w->end; n++) {
		uint64_t operands[2] = {s->first + n, 0},
		         state = s->options->seed + (s->first + n) * UINT64_C(0xd1342543de82ef95);
		if (!s->all)
			exactness_operands(o, &state, operands);
		for (int i = 0; i < o->arity; i++)
			store(&ir_types[o->from], s->inputs[i], n, operands[i]);
	}
}

static void compare(struct worker *w)
{
	struct session *s = w->s;
	const struct exactness_operation *o = s->operation;
	for (uint64_t n = w->begin; n < w->end; n++) {
		uint64_t operands[2] = {0};
		for (int i = 0; i < o->arity; i++)
			operands[i] = load(&ir_types[o->from], s->inputs[i], n);
		bool flagged = s->mask[n / 32] >> n % 32 & 1, good;
		if (flagged)
			good = exactness_flagged(o, IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64, operands);
		else
			good = exactness_same(o, load(&ir_types[o->to], s->output, n), exactness_expected(o, operands));
		w->count.flagged += flagged;
		if (!good && w->count.differences++ == 0)
			memcpy(w->first_operands, operands, sizeof operands);
	}
}

/* ---- Launches ---- */

static bool fail(struct session *s, const char *what, struct text *error)
{
	printf("%s %s, %s, failed: %s%s%s\n", s->operation->name, ir_type_kind_name(s->operation->from),
	       s->device->name, what, error->length ? ": " : "", text_string(error));
	fflush(stdout);
	text_free(error);
	return false;
}

static bool get_artifact(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
                         struct text *bytes, struct text *error)
{
	const struct session *s = context;
	return s->compiler.get(s->compiler.context, module, kind,
	                       s->options->has_hazards ? s->options->hazards : hazards, bytes, error);
}

static bool write_chunk(struct session *s)
{
	uint32_t size = ir_types[s->operation->from].size;
	uint8_t record[RECORD_BYTES] = {0};
	bool good = true;
	for (int i = 0; i < s->operation->arity; i++)
		good &= s->f->buffer_write(s->device, s->input_buffers[i], s->inputs[i], s->count * size);
	memset(s->mask, 0, MASK_BYTES);
	if (s->has_flags)
		good = good && s->f->buffer_write(s->device, s->mask_buffer, s->mask, MASK_BYTES) &&
		       s->f->buffer_write(s->device, s->status_buffer, record, RECORD_BYTES);
	return good;
}

static bool launch(struct session *s, struct device_program *program, const struct ir_kernel *k, struct text *error)
{
	struct device_argument arguments[3] = {{0}};
	int parameters = 0;
	for (; parameters < s->operation->arity; parameters++)
		arguments[parameters] =
		    (struct device_argument){.buffer = s->input_buffers[parameters], .length = s->count};
	arguments[parameters] = (struct device_argument){.buffer = s->output_buffer, .length = s->count};
	struct device_launch l = {.kernel = k, .arguments = arguments, .extents = {s->count, 1, 1}};
	struct device_flags flags = {.status = s->status_buffer, .record = 0, .mask = s->mask_buffer};
	struct kernel_trap trap;
	if (s->has_flags)
		return s->f->submit(s->device, program, &l, &flags, error) && s->f->flush(s->device, error) &&
		       s->f->finish(s->device, error);
	if (s->f->launch(s->device, program, &l, &trap))
		return true;
	trap_text(error, &trap);
	return false;
}

/* What failed is in the mask and, as a number, in the record. */
static bool read_chunk(struct session *s)
{
	uint32_t record[RECORD_BYTES / 4] = {0}, flagged = 0;
	bool good =
	    s->f->buffer_read(s->device, s->output_buffer, s->output, s->count * ir_types[s->operation->to].size);
	if (!s->has_flags)
		return good;
	good = good && s->f->buffer_read(s->device, s->mask_buffer, s->mask, MASK_BYTES) &&
	       s->f->buffer_read(s->device, s->status_buffer, record, RECORD_BYTES);
	for (uint64_t n = 0; n < MASK_BYTES / 4; n++)
		flagged += (uint32_t)__builtin_popcount(s->mask[n]);
	s->total.differences += record[0] != flagged || (flagged && record[1] != TRAP_INEXACT);
	return good;
}

static bool try_operation(struct session *s, uint64_t tries)
{
	struct ir_module *module = exactness_kernel(s->operation);
	struct artifact_provider provider = {.context = s, .get = get_artifact};
	struct text error = {0};
	struct device_program *program = s->f->program_load(s->device, module, &provider, &error);
	bool good = program || fail(s, "no code", &error);
	s->total = (struct exactness_count){0};
	for (s->first = 0; good && s->first < tries; s->first += s->count) {
		s->count = tries - s->first < CHUNK ? tries - s->first : CHUNK;
		in_parallel(s, make_inputs);
		good = write_chunk(s) || fail(s, "a buffer was not written", &error);
		good = good && (launch(s, program, module->kernels[0], &error) || fail(s, "launch", &error));
		good = good && (read_chunk(s) || fail(s, "a buffer was not read", &error));
		if (good)
			in_parallel(s, compare);
		s->total.tried += s->count;
	}
	if (good)
		exactness_report(s->operation, s->device->name, &s->total, s->first_operands);
	if (program)
		s->f->program_free(s->device, program);
	ir_module_free(module);
	text_free(&error);
	return good && s->total.differences == 0;
}

/* ---- The device ---- */

static bool buffers_new(struct session *s)
{
	struct device_buffer **buffers[] = {&s->input_buffers[0], &s->input_buffers[1], &s->output_buffer,
	                                    &s->mask_buffer, &s->status_buffer};
	const uint64_t sizes[] = {CHUNK * UINT64_C(8), CHUNK * UINT64_C(8), CHUNK * UINT64_C(8), MASK_BYTES,
	                          RECORD_BYTES};
	bool good = true;
	for (int n = 0; n < 5; n++)
		good &= (*buffers[n] = s->f->buffer_new(s->device, sizes[n])) != NULL;
	for (int n = 0; n < 2; n++)
		s->inputs[n] = memory_alloc(CHUNK * UINT64_C(8));
	s->output = memory_alloc(CHUNK * UINT64_C(8));
	s->mask = memory_alloc(MASK_BYTES);
	return good;
}

static void buffers_free(struct session *s)
{
	struct device_buffer *buffers[] = {s->input_buffers[0], s->input_buffers[1], s->output_buffer, s->mask_buffer,
	                                   s->status_buffer};
	for (int n = 0; n < 5; n++)
		if (buffers[n])
			s->f->buffer_free(s->device, buffers[n]);
	free(s->inputs[0]);
	free(s->inputs[1]);
	free(s->output);
	free(s->mask);
}

static bool has(const struct device_capabilities *c, const struct exactness_operation *o)
{
	return !c || c->float64 || (o->from != IR_TYPE_f64 && o->to != IR_TYPE_f64);
}

static bool try_operations(struct session *s)
{
	const struct device_capabilities *c = s->f->capabilities ? s->f->capabilities(s->device) : NULL;
	const char *only = s->options->operation;
	bool good = true;
	for (const struct exactness_operation *o = exactness_operations; o->name; o++) {
		if ((only && strcmp(only, o->name) != 0) || !has(c, o))
			continue;
		s->operation = o;
		s->all = s->options->all && o->arity == 1 && ir_type_bits(&ir_types[o->from]) == 32;
		good &= try_operation(s, s->all ? UINT64_C(1) << 32 : s->options->tries);
	}
	return good;
}

bool exactness_device(const struct exactness_options *options)
{
	struct text error = {0};
	struct session s = {
	    .options = options, .device = device_find(options->device), .compiler = artifact_provider_make(false)};
	bool good = s.device != NULL;
	s.f = good ? s.device->functions : NULL;
	if (!good)
		text_add(&error, "there is no such device");
	else if (s.f->open)
		good = s.f->open(s.device, &error);
	if (!good) {
		fprintf(stderr, "exactness: %s: %s\n", options->device, text_string(&error));
		text_free(&error);
		return false;
	}
	s.has_flags = s.f->submit != NULL;
	good = buffers_new(&s);
	if (good)
		good = try_operations(&s);
	else
		fprintf(stderr, "exactness: %s: out of memory\n", options->device);
	buffers_free(&s);
	if (s.f->close)
		s.f->close(s.device);
	return good;
}
