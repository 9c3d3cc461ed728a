/* The simulated devices (model_device.h). */
#include "test/runtime/queue/model_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/proof.h"
#include "runtime/host_memory.h"
#include "utils/base/arena.h"

struct model_kernel model_kernels[MODEL_KERNELS];

static _Noreturn void broken_contract(const char *what)
{
	printf("the queue broke the device's contract: %s\n", what);
	fflush(stdout);
	abort();
}

uint64_t model_mix(uint64_t a, uint64_t b)
{
	uint64_t z = a * 0x9e3779b97f4a7c15u + b;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 29);
}

uint64_t model_draw(uint64_t *state)
{
	return model_mix(*state += 0x9e3779b97f4a7c15u, 1);
}

static bool one_in(struct model *m, uint32_t n)
{
	return n && model_draw(&m->state) % n == 0;
}

/* ---- Kernels ---- */

/* What can be proved of it: that `thread + shift` is below the length of its first buffer. */
static void body_make(struct ir_kernel *kernel, bool wide)
{
	struct ir_builder b = {.kernel = kernel, .region = &kernel->body};
	struct ir_instruction *id = ir_build_id(&b, IR_OP_global_id, 0);
	struct ir_instruction *index = ir_build_binary(&b, IR_OP_iadd_trap, id, ir_build_parameter(&b, 1));
	if (wide)
		ir_build_parameter(&b, 0);
	ir_build_check_index(&b, index, ir_build_length(&b, kernel->parameters[2].memory));
	ir_kernel_number(kernel);
}

static void kernel_make(struct ir_module *m, struct model_kernel *k, uint32_t number, uint32_t buffers,
                        uint32_t writable)
{
	char name[16];
	snprintf(name, sizeof name, "k%u", number);
	struct ir_kernel *kernel = ir_kernel_new(m, name);
	ir_add_scalar(kernel, "seed", &ir_types[IR_TYPE_i64]);
	ir_add_scalar(kernel, "shift", &ir_types[IR_TYPE_i64]);
	k->buffers = buffers;
	for (uint32_t i = 0; i < buffers; i++) {
		char buffer[4] = {'b', (char)('0' + i)};
		k->writable[i] = writable >> i & 1;
		ir_add_buffer(kernel, buffer, &ir_types[IR_TYPE_i64], k->writable[i]);
	}
	k->wide = number % 3 == 0;
	k->variants = number % 4 << KERNEL_PROVED;
	body_make(kernel, k->wide);
	k->facts = (struct queue_kernel){.kernel = kernel,
	                                 .proof = ir_proof_program_new(kernel),
	                                 .commit_safe = number % 6 < 4,
	                                 .repeatable = number % 2,
	                                 .float64 = number % 6 == 3 && buffers == 2};
}

void model_kernels_make(struct ir_module *m)
{
	uint32_t count = 0;
	for (uint32_t variant = 0; variant < 6; variant++)
		for (uint32_t buffers = 0; buffers <= MODEL_BUFFERS_MOST; buffers++)
			for (uint32_t writable = buffers == 1; writable < (uint32_t)1 << buffers; writable++) {
				/* Those that write nothing are rare. */
				if (count < MODEL_KERNELS && buffers > 0) {
					kernel_make(m, &model_kernels[count], count, buffers, writable);
					count++;
				}
			}
	while (count < MODEL_KERNELS) {
		kernel_make(m, &model_kernels[count], count, 2, 1 + count % 3);
		count++;
	}
}

void model_kernels_free(void)
{
	for (uint32_t i = 0; i < MODEL_KERNELS; i++)
		queue_kernel_free(&model_kernels[i].facts);
}

/* NULL: not one of them. */
static const struct model_kernel *kernel_of(const struct ir_kernel *k)
{
	for (uint32_t i = 0; i < MODEL_KERNELS; i++)
		if (model_kernels[i].facts.kernel == k)
			return &model_kernels[i];
	return NULL;
}

/* Reads anywhere of what is read only, of the rest at its own index. Traps depend on what was read, so what is wrong
 * shows. */
bool model_thread(const struct model_kernel *k, uint64_t seed, uint64_t shift, uint64_t thread, uint64_t *const *data)
{
	uint64_t h = model_mix(seed, thread);
	for (uint32_t i = 0; i < k->buffers; i++)
		if (!k->writable[i])
			h = model_mix(h, data[i][h % MODEL_LENGTH]);
		else if (!k->facts.repeatable)
			h = model_mix(h, data[i][thread]);
	bool trap = thread + shift >= MODEL_LENGTH && model_mix(h, 7) % 200 == 0;
	for (uint32_t i = 0; i < k->buffers; i++)
		if (k->writable[i] && model_mix(h, i) % 4 && !(trap && (k->facts.commit_safe || model_mix(h, i) % 2)))
			data[i][thread] = model_mix(h, i + 100);
	return !trap;
}

/* ---- What was proved ---- */

static uint32_t variants(const struct device_program *p, const struct ir_kernel *k)
{
	(void)p;
	return kernel_of(k) ? kernel_of(k)->variants : 0;
}

/* By the definition of the kernels, not by a proof. */
static void check_promise(const struct model_kernel *k, const struct device_launch *launch)
{
	uint64_t seed = launch->arguments[0].bits, shift = launch->arguments[1].bits;
	if (launch->variant == KERNEL_CHECKED)
		return;
	if (!(k->variants >> launch->variant & 1))
		broken_contract("a variant that is not there");
	if (launch->proved_first >= launch->proved_last || launch->proved_last > launch->extents[0])
		broken_contract("threads that are not there are proved");
	if (shift >= MODEL_LENGTH || launch->proved_last - 1 + shift >= MODEL_LENGTH)
		broken_contract("a thread that may trap is proved");
	if (launch->variant == KERNEL_NARROW && k->wide && seed > INT32_MAX)
		broken_contract("32 bits are not enough");
}

/* ---- The exact device ---- */

static struct device_program *load(struct device *d, const struct ir_module *module,
                                   const struct artifact_provider *provider, struct text *error)
{
	(void)provider, (void)error;
	return module ? (struct device_program *)(uintptr_t)module : (struct device_program *)d;
}

static void unload(struct device *d, struct device_program *p)
{
	(void)d, (void)p;
}

static bool exact_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                         struct kernel_trap *trap)
{
	(void)p;
	const struct model *m = d->state;
	const struct model_kernel *k = kernel_of(launch->kernel);
	if (!k)
		return true; /* not the model's: it does nothing */
	if (launch->variant != KERNEL_CHECKED && !m->is_exact)
		broken_contract("a rerun without checks");
	check_promise(k, launch);
	uint64_t *data[MODEL_BUFFERS_MOST] = {0};
	for (uint32_t i = 0; i < k->buffers; i++)
		data[i] = host_buffer_address(launch->arguments[i + 2].buffer);
	uint64_t last = launch->last ? launch->last : launch->extents[0];
	if (!k->facts.commit_safe && (launch->first || launch->last))
		broken_contract("a launch that is not commit-safe ran in part");
	for (uint64_t t = launch->first; t < last; t++)
		if (!model_thread(k, launch->arguments[0].bits, launch->arguments[1].bits, t, data)) {
			*trap = (struct kernel_trap){.kind = TRAP_OVERFLOW, .thread = {t}};
			return false;
		}
	return true;
}

static const struct device_functions exact_functions = {
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_host = host_buffer_address,
    .program_load = load,
    .program_free = unload,
    .variants = variants,
    .launch = exact_launch,
};

/* ---- The device that flags: what it was told, in order ---- */

enum operation_kind { OPERATION_WRITE, OPERATION_COPY, OPERATION_LAUNCH };

struct operation {
	enum operation_kind kind;
	struct device_buffer *to, *from;
	void *bytes;
	uint64_t size;
	const struct model_kernel *kernel;
	uint64_t seed, shift, threads;
	struct device_buffer *buffers[MODEL_BUFFERS_MOST];
	uint32_t *record, *mask; /* record NULL: the launch is proved */
};

static void flag(const struct operation *o, uint64_t thread)
{
	o->record[0]++;
	o->record[1] = TRAP_INEXACT;
	if (o->mask)
		o->mask[thread / 32] |= (uint32_t)1 << (thread % 32);
}

static void run_launch(struct model *m, const struct operation *o)
{
	const struct model_kernel *k = o->kernel;
	uint64_t *data[MODEL_BUFFERS_MOST] = {0};
	for (uint32_t i = 0; i < k->buffers; i++)
		data[i] = host_buffer_address(o->buffers[i]);
	for (uint64_t t = 0; !o->record && t < o->threads; t++)
		if (!model_thread(k, o->seed, o->shift, t, data))
			broken_contract("a thread that traps is proved");
	if (!o->record)
		return;
	for (uint32_t i = 0; i < 8; i++)
		if (o->record[i])
			broken_contract("a record that is not zero");
	if (o->mask && o->mask[0])
		broken_contract("a mask that is not zero");
	bool flags = one_in(m, m->flags);
	for (uint64_t t = 0; t < o->threads; t++)
		if ((flags && one_in(m, 3)) || !model_thread(k, o->seed, o->shift, t, data))
			flag(o, t);
	/* A flagged launch that is not commit-safe may leave anything. */
	for (uint32_t i = 0; o->record[0] && !k->facts.commit_safe && i < k->buffers; i++)
		if (k->writable[i])
			data[i][model_draw(&m->state) % MODEL_LENGTH] = model_draw(&m->state);
}

static void run_first(struct model *m)
{
	struct operation o = m->operations[0];
	memmove(m->operations, m->operations + 1, --m->count * sizeof o);
	switch (o.kind) {
	case OPERATION_WRITE: host_buffer_write(NULL, o.to, o.bytes, o.size); break;
	case OPERATION_COPY: host_buffer_write(NULL, o.to, host_buffer_address(o.from), o.size); break;
	case OPERATION_LAUNCH:
		if (!m->broken)
			run_launch(m, &o);
		break;
	}
	free(o.bytes);
}

static void run_all(struct model *m)
{
	while (m->count)
		run_first(m);
}

static void add(struct model *m, struct operation o)
{
	if (m->count == m->capacity) {
		m->capacity = m->capacity ? m->capacity * 2 : 64;
		m->operations = memory_resize(m->operations, m->capacity * sizeof o);
	}
	m->operations[m->count++] = o;
	while (m->count && one_in(m, 3))
		run_first(m);
}

static struct device_buffer *model_new(struct device *d, uint64_t size)
{
	struct model *m = d->state;
	return one_in(m, m->refusals) ? NULL : host_buffer_new(d, size);
}

static void model_free(struct device *d, struct device_buffer *b)
{
	run_all(d->state);
	host_buffer_free(d, b);
}

static bool model_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	struct model *m = d->state;
	if (m->broken && m->loses)
		return false;
	struct operation o = {.kind = OPERATION_WRITE, .to = b, .bytes = memory_alloc(size), .size = size};
	memcpy(o.bytes, bytes, size);
	add(m, o);
	return true;
}

static bool model_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	struct model *m = d->state;
	run_all(m);
	if (b == m->status && !m->checked)
		broken_contract("records are read and none can be written");
	if (b == m->status)
		m->checked = 0;
	return !(m->broken && m->loses) && host_buffer_read(d, b, bytes, size);
}

static bool model_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	struct model *m = d->state;
	if ((m->broken && m->loses) || one_in(m, m->refusals))
		return false;
	add(m, (struct operation){.kind = OPERATION_COPY, .to = to, .from = from, .size = size});
	return true;
}

static bool model_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                         const struct device_flags *flags, struct text *error)
{
	(void)p;
	struct model *m = d->state;
	if (one_in(m, m->refusals)) {
		text_add(error, "refused");
		return false;
	}
	if (!kernel_of(launch->kernel))
		broken_contract("a launch that the device cannot run");
	struct operation o = {.kind = OPERATION_LAUNCH,
	                      .kernel = kernel_of(launch->kernel),
	                      .seed = launch->arguments[0].bits,
	                      .shift = launch->arguments[1].bits,
	                      .threads = launch->extents[0]};
	check_promise(o.kernel, launch);
	for (uint32_t i = 0; i < o.kernel->buffers; i++)
		o.buffers[i] = launch->arguments[i + 2].buffer;
	m->status = flags->status;
	if (launch->variant == KERNEL_CHECKED) {
		o.record = (uint32_t *)host_buffer_address(flags->status) + flags->record * 8;
		m->checked++;
	} else if (launch->proved_first || launch->proved_last < o.threads) {
		broken_contract("a launch is proved in part");
	}
	if (flags->mask)
		o.mask = host_buffer_address(flags->mask);
	bool may_mask = o.kernel->facts.commit_safe && o.record;
	if (flags->record >= QUEUE_LAUNCHES_MOST || (o.mask && !may_mask) || o.kernel->facts.float64)
		broken_contract("a launch that the device cannot run");
	m->unfinished++;
	add(m, o);
	if (!m->broken && one_in(m, m->breaks)) {
		m->broken = true;
		m->lone = m->unfinished == 1;
	}
	return true;
}

static bool model_flush(struct device *d, struct text *error)
{
	(void)d, (void)error;
	return true;
}

static bool model_finish(struct device *d, struct text *error)
{
	struct model *m = d->state;
	run_all(m);
	m->unfinished = 0;
	if (m->broken)
		text_add(error, "broken");
	return !m->broken;
}

static const struct device_capabilities *model_capabilities(struct device *d)
{
	static const struct device_capabilities capabilities = {
	    .subnormals_f64 = true, .group_limit = 256, .shared_limit = 32768};
	(void)d;
	return &capabilities;
}

#define MODEL_FUNCTIONS                                                                                                \
	.buffer_new = model_new, .buffer_free = model_free, .buffer_write = model_write, .buffer_read = model_read,    \
	.program_load = load, .program_free = unload, .variants = variants, .submit = model_submit,                    \
	.flush = model_flush, .finish = model_finish, .capabilities = model_capabilities

static const struct device_functions shapes[MODEL_SHAPES] = {
    [MODEL_COPIES] = {MODEL_FUNCTIONS, .buffer_copy = model_copy},
    [MODEL_NO_COPIES] = {MODEL_FUNCTIONS},
    [MODEL_SHARED_MEMORY] = {MODEL_FUNCTIONS, .buffer_copy = model_copy, .buffer_host = host_buffer_address},
};

void model_open(struct model *m, uint64_t seed, enum model_shape shape)
{
	*m = (struct model){.state = seed};
	m->device = (struct device){.name = "model", .functions = &shapes[shape], .state = m};
	m->exact = (struct device){.name = "exact", .functions = &exact_functions, .state = m};
}

void model_close(struct model *m)
{
	run_all(m);
	free(m->operations);
}
