#include "runtime/queue_bare.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir_analysis.h"
#include "runtime/failure_text.h"
#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

struct queue_bare {
	struct queue_module code;
	uint32_t (*words)[QUEUE_BARE_WORDS]; /* a record a kernel, of its finished launches */
	struct kernel_trap *traps;           /* the same, of an exact device, which knows more */
	struct device_buffer *status; /* a record a launch, zero when none is unfinished; NULL on an exact device */
	uint32_t stride;              /* bytes from one to the next */
	struct barrier_wait stuck;    /* line 0: no launch has shown one */
	bool noted;                   /* see queue_bare_noted */
	uint64_t *first_failed;       /* a kernel each: see queue_bare_first_failed */
	bool falls_back;              /* to the exact device */
	uint32_t kernels[QUEUE_LAUNCHES_MOST]; /* index of the kernel of each unfinished launch, in order */
	uint64_t numbers[QUEUE_LAUNCHES_MOST]; /* of those launches */
	uint32_t unfinished;
	struct queue_buffer **buffers; /* that these have */
	uint32_t buffer_count, buffer_capacity;
};

/* ---- Loading ---- */

/* False: the device failed. */
static bool zero_status(struct queue *q, struct queue_bare *b, uint32_t count)
{
	void *zeroes = memory_zeroed(count, b->stride);
	bool good = q->device->functions->buffer_write(q->device, b->status, zeroes, (uint64_t)count * b->stride);
	q->writing = true;
	free(zeroes);
	return good;
}

static bool make_status(struct queue *q, struct queue_bare *b, struct text *error)
{
	const struct device_functions *f = q->device->functions;
	const struct device_capabilities *c = f->capabilities ? f->capabilities(q->device) : NULL;
	b->stride = c && c->record_stride ? c->record_stride : QUEUE_BARE_WORDS * 4;
	b->status = queue_device_memory(q, (uint64_t)QUEUE_LAUNCHES_MOST * b->stride);
	bool good = b->status && zero_status(q, b, QUEUE_LAUNCHES_MOST);
	if (!good)
		text_add(error, b->status ? "status records could not be written" : "no memory for status records");
	return good;
}

static void release(struct queue *q, struct queue_bare *b)
{
	if (b->status)
		q->device->functions->buffer_free(q->device, b->status);
	queue_module_unload(q, &b->code);
	free(b->words);
	free(b->traps);
	free(b->first_failed);
	free(b->buffers);
	free(b);
}

static bool open(struct queue *q, struct queue_bare *b, struct text *error)
{
	if (q->broken) {
		text_add(error, text_string(&q->failure));
		return false;
	}
	if (!queue_module_load(q, &b->code, error))
		return false;
	if (!b->code.program && !b->falls_back) {
		text_add(error, text_string(&b->code.load_error));
		return false;
	}
	b->words = memory_zeroed((size_t)b->code.module->kernel_count + 1, sizeof *b->words);
	b->traps = memory_zeroed((size_t)b->code.module->kernel_count + 1, sizeof *b->traps);
	b->first_failed = memory_zeroed((size_t)b->code.module->kernel_count + 1, sizeof *b->first_failed);
	return q->exact_only || !b->code.program || make_status(q, b, error);
}

static struct queue_bare *make(struct queue *q, const struct ir_module *module,
                               const struct artifact_provider *provider, bool falls_back, struct text *error)
{
	struct queue_bare *b = memory_zeroed(1, sizeof *b);
	b->code = (struct queue_module){.module = module, .provider = provider};
	b->falls_back = falls_back;
	pthread_mutex_lock(&q->lock);
	bool good = open(q, b, error);
	if (!good)
		release(q, b);
	pthread_mutex_unlock(&q->lock);
	return good ? b : NULL;
}

struct queue_bare *queue_bare_new(struct queue *q, const struct ir_module *module,
                                  const struct artifact_provider *provider, struct text *error)
{
	return make(q, module, provider, false, error);
}

struct queue_bare *queue_bare_new_recording(struct queue *q, const struct ir_module *module,
                                            const struct artifact_provider *provider, struct text *error)
{
	return make(q, module, provider, true, error);
}

/* ---- Waiting ---- */

/* Code for a device that ends loops says in bit 31 of the count that some threads were cut short, whichever is
 * described (targets/vulkan/vulkan_rounds.c). One that failed inside a loop may have for that, so that none is
 * believed. */
static void settle_rounds(const struct queue *q, uint32_t record[QUEUE_BARE_WORDS])
{
	const struct device_functions *f = q->device->functions;
	const struct device_capabilities *c = f->capabilities ? f->capabilities(q->device) : NULL;
	if (!c || !c->ends_loops || !(record[0] >> 31))
		return;
	record[0] &= INT32_MAX;
	record[1] = TRAP_INEXACT;
	record[7] = 0;
}

void queue_bare_add_record(uint32_t words[QUEUE_BARE_WORDS], const uint32_t record[QUEUE_BARE_WORDS])
{
	uint32_t failed = words[0] + record[0] < words[0] ? UINT32_MAX : words[0] + record[0];
	if (!words[0])
		memcpy(words, record, QUEUE_BARE_WORDS * sizeof *words);
	words[0] = failed;
}

/* `trap` NULL: nothing more is known. */
static void note_record(struct queue_bare *b, uint32_t kernel, uint64_t number, const uint32_t *record,
                        const struct kernel_trap *trap)
{
	if (!record[0])
		return;
	b->noted = true;
	if (!b->words[kernel][0]) {
		b->first_failed[kernel] = number;
		b->traps[kernel] = trap ? *trap : (struct kernel_trap){0};
	}
	queue_bare_add_record(b->words[kernel], record);
}

/* False: the device failed. */
static bool read_status(struct queue *q, struct queue_bare *b)
{
	uint64_t size = (uint64_t)b->unfinished * b->stride;
	uint8_t *bytes = memory_alloc(size);
	bool good = q->device->functions->buffer_read(q->device, b->status, bytes, size), dirty = false;
	for (uint32_t i = 0; good && i < b->unfinished; i++) {
		uint32_t record[QUEUE_BARE_WORDS];
		memcpy(record, bytes + (size_t)i * b->stride, sizeof record);
		settle_rounds(q, record);
		note_record(b, b->kernels[i], b->numbers[i], record, NULL);
		dirty |= record[0] != 0;
	}
	free(bytes);
	return good && (!dirty || zero_status(q, b, b->unfinished));
}

static bool finish(struct queue *q, struct queue_bare *b, struct text *error)
{
	struct text why = {0};
	bool any = b->unfinished;
	if (any && !q->broken && !q->device->functions->finish(q->device, &why))
		queue_break(q, text_string(&why));
	text_free(&why);
	if (any && !q->broken && !read_status(q, b))
		queue_break(q, "status records could not be read");
	if (any && q->broken)
		text_add(error, text_string(&q->failure));
	b->unfinished = 0;
	while (b->buffer_count)
		queue_buffer_drop(q, b->buffers[--b->buffer_count]);
	return !any || !q->broken;
}

bool queue_bare_finish(struct queue *q, struct queue_bare *b, struct text *error)
{
	pthread_mutex_lock(&q->lock);
	bool good = finish(q, b, error);
	pthread_mutex_unlock(&q->lock);
	return good;
}

void queue_bare_free(struct queue *q, struct queue_bare *b)
{
	struct text ignored = {0};
	if (!b)
		return;
	pthread_mutex_lock(&q->lock);
	finish(q, b, &ignored);
	release(q, b);
	pthread_mutex_unlock(&q->lock);
	text_free(&ignored);
}

/* ---- Launching ---- */

static void keep_buffer(struct queue_bare *b, struct queue_buffer *buffer)
{
	if (b->buffer_count == b->buffer_capacity) {
		b->buffer_capacity = b->buffer_capacity ? b->buffer_capacity * 2 : 16;
		b->buffers = memory_resize(b->buffers, b->buffer_capacity * sizeof *b->buffers);
	}
	buffer->references++;
	b->buffers[b->buffer_count++] = buffer;
}

/* Where the kernel stops at the first trap (IR_POLICY_STOP), one thread has failed. */
static void run_exact(struct queue_bare *b, struct device *d, struct device_program *program,
                      struct device_launch *launch, uint64_t number)
{
	struct kernel_trap trap = {0};
	struct barrier_wait stuck = {0};
	uint64_t failed = 0;
	launch->failed = &failed;
	launch->stuck = &stuck;
	if (d->functions->launch(d, program, launch, &trap))
		return;
	if (!b->stuck.line)
		b->stuck = stuck;
	if (launch->kernel->policy != IR_POLICY_RECORD)
		failed = 1;
	uint32_t record[QUEUE_BARE_WORDS];
	failure_to_record(launch->kernel, &trap, failed, record);
	note_record(b, ir_module_index(b->code.module, launch->kernel), number, record, &trap);
}

/* On the exact device, from mirrors, after all launches before it. */
static enum queue_bare_result run_on_cpu(struct queue *q, struct queue_bare *b, const struct queued_launch *l,
                                         const char *why, uint64_t number, struct text *error)
{
	const struct ir_kernel *k = l->kernel->kernel;
	if (!finish(q, b, error))
		return QUEUE_BARE_LOST;
	queue_module_load_exact(q, &b->code);
	queue_arguments_reserve(q, k->parameter_count);
	struct queue_trap trap;
	if (!queue_gather_mirrors(q, l, q->device_arguments, &trap)) {
		text_add(error, trap.kind == QUEUE_TRAP_MEMORY ? "out of memory" : "the device cannot be read");
		return trap.kind == QUEUE_TRAP_MEMORY ? QUEUE_BARE_REFUSED : QUEUE_BARE_LOST;
	}
	queue_trace(q, l, "cpu", why);
	struct device_launch launch = {.kernel = k, .arguments = q->device_arguments};
	memcpy(launch.extents, l->extents, sizeof launch.extents);
	run_exact(b, b->code.exact, b->code.exact_program, &launch, number);
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (launch_writes(l, i))
			queue_mirror_changed(l->arguments[i].buffer);
	return QUEUE_BARE_DONE;
}

static enum queue_bare_result submit(struct queue *q, struct queue_bare *b, const struct queued_launch *l,
                                     const struct device_launch *launch, uint64_t number, struct text *error)
{
	struct device_flags flags = {.status = b->status, .record = b->unfinished};
	if (!q->device->functions->submit(q->device, b->code.program, launch, &flags, error))
		return QUEUE_BARE_REFUSED;
	for (uint32_t i = 0; i < launch->kernel->parameter_count; i++) {
		struct queue_buffer *buffer = l->arguments[i].buffer;
		if (!buffer)
			continue;
		keep_buffer(b, buffer);
		if (launch->kernel->parameters[i].memory->writable)
			queue_device_changed(q, buffer);
	}
	q->writing = true;
	b->numbers[b->unfinished] = number;
	b->kernels[b->unfinished++] = ir_module_index(b->code.module, launch->kernel);
	if (!q->device->functions->flush(q->device, error)) {
		queue_break(q, text_string(error));
		return QUEUE_BARE_LOST;
	}
	return b->unfinished < QUEUE_LAUNCHES_MOST || finish(q, b, error) ? QUEUE_BARE_DONE : QUEUE_BARE_LOST;
}

/* Only an exact device has code without checks of such kernels. */
static void trace(struct queue *q, const struct queued_launch *l)
{
	struct text why = {0};
	if (q->options.trace && q->exact_only)
		queue_explain(q, l, &why);
	queue_trace(q, l, q->device->name, text_string(&why));
	text_free(&why);
}

/* On the queue's own device. */
static enum queue_bare_result run_on_device(struct queue *q, struct queue_bare *b, const struct queued_launch *l,
                                            uint64_t number, struct text *error)
{
	const struct ir_kernel *k = l->kernel->kernel;
	struct device_argument *arguments = memory_zeroed((size_t)k->parameter_count + 1, sizeof *arguments);
	struct queued_launch proved = *l;
	if (q->exact_only)
		queue_prove(q, &proved);
	struct device_launch launch = {.kernel = k,
	                               .arguments = arguments,
	                               .variant = proved.variant,
	                               .proved_first = proved.proved_first,
	                               .proved_last = proved.proved_last};
	memcpy(launch.extents, l->extents, sizeof launch.extents);
	enum queue_bare_result result = QUEUE_BARE_DONE;
	for (uint32_t i = 0; i < k->parameter_count && result == QUEUE_BARE_DONE; i++) {
		const struct queue_argument *a = &l->arguments[i];
		if (a->buffer && !q->exact_only && !queue_to_device(q, a->buffer))
			result = QUEUE_BARE_LOST;
		arguments[i] = (struct device_argument){
		    .bits = a->bits, .buffer = a->buffer ? a->buffer->device : NULL, .length = a->length};
	}
	if (result == QUEUE_BARE_LOST)
		text_add(error, text_string(&q->failure));
	else if (q->exact_only)
		run_exact(b, q->device, b->code.program, &launch, number);
	else
		result = submit(q, b, l, &launch, number, error);
	if (result == QUEUE_BARE_DONE)
		trace(q, &proved);
	free(arguments);
	return result;
}

/* ---- What the device may not compute exactly ---- */

/* NULL: the device computes all exactly. */
static const struct device_capabilities *inexact_device(const struct device *device)
{
	const struct device_functions *f = device->functions;
	return f->launch || !f->capabilities ? NULL : f->capabilities((struct device *)device);
}

static bool has_inexact_floats(const struct device_capabilities *c, const struct ir_kernel *k)
{
	bool exact = (c->own_floats && ir_takes_buffers_alone(k->module)) ||
	             (c->subnormals_f32 && c->subnormals_f64 && c->exact_f32 && c->exact_f64);
	return !exact && ir_has_floats(k);
}

/* Whether the kernel has floats and the device may flush or round them otherwise, or it has loops and the device may
 * end them early. */
static bool may_be_inexact(const struct device *device, const struct ir_kernel *k)
{
	const struct device_capabilities *c = inexact_device(device);
	return c && (has_inexact_floats(c, k) || (c->ends_loops && ir_has_rounds(k)));
}

/* Code for a device that ends loops says itself where it did (settle_rounds). */
bool queue_bare_was_inexact(const struct device *device, const struct ir_kernel *k,
                            const uint32_t record[QUEUE_BARE_WORDS])
{
	const struct device_capabilities *c = inexact_device(device);
	return record[0] && c && (record[1] == TRAP_INEXACT || has_inexact_floats(c, k));
}

/* What the buffers that a launch writes hold, an argument each. False: they cannot be had; nothing is kept. */
static bool keep_contents(struct queue *q, const struct queued_launch *l, uint8_t **kept)
{
	queue_exact_open(q); /* mirrors may be the device's own memory, so that nothing has asked for it yet */
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++) {
		bool lost = false;
		if (!launch_writes(l, i))
			continue;
		struct queue_buffer *buffer = l->arguments[i].buffer;
		struct device_buffer *mirror = queue_mirror(q, buffer, &lost);
		if (!mirror)
			return false;
		kept[i] = memory_alloc(buffer->size + 1);
		memcpy(kept[i], q->exact->functions->buffer_host(mirror), buffer->size);
	}
	return true;
}

static void restore_contents(struct queue *q, const struct queued_launch *l, uint8_t **kept)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++) {
		if (!kept[i])
			continue;
		struct queue_buffer *buffer = l->arguments[i].buffer;
		struct device_buffer *mirror = queue_mirror_space(q, buffer);
		memcpy(q->exact->functions->buffer_host(mirror), kept[i], buffer->size);
		buffer->mirror_valid = true;
		queue_mirror_changed(buffer);
	}
}

/* Waits for the launch. Where threads failed, perhaps for the device's inexactness alone, it runs again on the
 * processor, on the data as it was: the record describes one of them. */
static enum queue_bare_result run_and_see(struct queue *q, struct queue_bare *b, const struct queued_launch *l,
                                          uint64_t number, struct text *error)
{
	uint32_t count = l->kernel->kernel->parameter_count,
	         kernel = ir_module_index(b->code.module, l->kernel->kernel);
	uint8_t **kept = memory_zeroed((size_t)count + 1, sizeof *kept);
	enum queue_bare_result result = QUEUE_BARE_LOST;
	bool ready = finish(q, b, error) && keep_contents(q, l, kept);
	uint32_t before[QUEUE_BARE_WORDS];
	uint64_t first_failed = b->first_failed[kernel];
	struct kernel_trap trap = b->traps[kernel];
	memcpy(before, b->words[kernel], sizeof before);
	memset(b->words[kernel], 0, sizeof before);
	if (ready)
		result = run_on_device(q, b, l, number, error);
	else if (!error->length)
		text_add(error, "the device cannot be read");
	if (result == QUEUE_BARE_DONE && !finish(q, b, error))
		result = QUEUE_BARE_LOST;
	uint32_t record[QUEUE_BARE_WORDS];
	memcpy(record, b->words[kernel], sizeof record);
	memcpy(b->words[kernel], before, sizeof before);
	if (before[0]) {
		b->first_failed[kernel] = first_failed;
		b->traps[kernel] = trap;
	}
	if (result == QUEUE_BARE_DONE && queue_bare_was_inexact(q->device, l->kernel->kernel, record)) {
		restore_contents(q, l, kept);
		result = run_on_cpu(q, b, l, "threads failed that the device may not compute exactly", number, error);
	} else if (record[0])
		queue_bare_add_record(b->words[kernel], record);
	for (uint32_t i = 0; i < count; i++)
		free(kept[i]);
	free(kept);
	return result;
}

static enum queue_bare_result run(struct queue *q, struct queue_bare *b, const struct queue_launch *l,
                                  struct text *error)
{
	struct queue_kernel facts = *l->kernel;
	facts.module = &b->code;
	struct queued_launch queued = {.kernel = &facts, .arguments = (struct queue_argument *)l->arguments};
	memcpy(queued.extents, l->extents, sizeof queued.extents);
	uint64_t number = ++q->bare_launches;
	enum queue_bare_result result = QUEUE_BARE_REFUSED;
	queue_why_cpu(q, &queued, error);
	if (!error->length)
		result = (b->falls_back && may_be_inexact(q->device, facts.kernel)
		              ? run_and_see
		              : run_on_device)(q, b, &queued, number, error);
	if (q->broken)
		return QUEUE_BARE_LOST;
	if (result != QUEUE_BARE_REFUSED || !b->falls_back)
		return result;
	struct text why = {0};
	text_add(&why, text_string(error));
	text_clear(error);
	result = run_on_cpu(q, b, &queued, text_string(&why), number, error);
	text_free(&why);
	return result;
}

enum queue_bare_result queue_bare_launch(struct queue *q, struct queue_task *task, struct queue_bare *b,
                                         const struct queue_launch *launch, struct text *error)
{
	pthread_mutex_lock(&q->lock);
	queue_drain(q);
	bool goes = task->pending.kind == QUEUE_TRAP_NONE;
	enum queue_bare_result result = goes ? run(q, b, launch, error) : QUEUE_BARE_DONE;
	pthread_mutex_unlock(&q->lock);
	return result;
}

/* ---- Status ---- */

struct barrier_wait queue_bare_stuck(struct queue *q, struct queue_bare *b)
{
	pthread_mutex_lock(&q->lock);
	struct barrier_wait stuck = b->stuck;
	b->stuck = (struct barrier_wait){0};
	pthread_mutex_unlock(&q->lock);
	return stuck;
}

bool queue_bare_noted(struct queue *q, struct queue_bare *b)
{
	pthread_mutex_lock(&q->lock);
	bool noted = b->noted;
	b->noted = false;
	pthread_mutex_unlock(&q->lock);
	return noted;
}

uint64_t queue_bare_first_failed(struct queue *q, const struct queue_bare *b, const struct ir_kernel *k)
{
	uint32_t kernel = ir_module_index(b->code.module, k);
	pthread_mutex_lock(&q->lock);
	uint64_t number = b->words[kernel][0] ? b->first_failed[kernel] : 0;
	pthread_mutex_unlock(&q->lock);
	return number;
}

bool queue_bare_status(struct queue *q, struct queue_bare *b, const struct ir_kernel *k,
                       uint32_t words[QUEUE_BARE_WORDS], struct kernel_trap *trap, struct text *error)
{
	uint32_t kernel = ir_module_index(b->code.module, k), *record = b->words[kernel];
	pthread_mutex_lock(&q->lock);
	bool good = finish(q, b, error);
	memcpy(words, record, QUEUE_BARE_WORDS * sizeof *words);
	memset(record, 0, QUEUE_BARE_WORDS * sizeof *record);
	if (trap)
		*trap = b->traps[kernel];
	b->traps[kernel] = (struct kernel_trap){0};
	pthread_mutex_unlock(&q->lock);
	return good;
}
