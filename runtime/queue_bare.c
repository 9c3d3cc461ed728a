#include "runtime/queue_bare.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

struct queue_bare {
	struct queue_module code;
	uint32_t (*words)[QUEUE_BARE_WORDS]; /* a record a kernel, of its finished launches */
	struct kernel_trap *traps;           /* the same, of an exact device, which knows more */
	struct device_buffer *status; /* a record a launch, zero when none is unfinished; NULL on an exact device */
	uint32_t stride;              /* bytes from one to the next */
	uint32_t kernels[QUEUE_LAUNCHES_MOST]; /* index of the kernel of each unfinished launch, in order */
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
	if (!b->code.program) {
		text_add(error, text_string(&b->code.load_error));
		return false;
	}
	b->words = memory_zeroed((size_t)b->code.module->kernel_count + 1, sizeof *b->words);
	b->traps = memory_zeroed((size_t)b->code.module->kernel_count + 1, sizeof *b->traps);
	return q->exact_only || make_status(q, b, error);
}

struct queue_bare *queue_bare_new(struct queue *q, const struct ir_module *module,
                                  const struct artifact_provider *provider, struct text *error)
{
	struct queue_bare *b = memory_zeroed(1, sizeof *b);
	b->code = (struct queue_module){.module = module, .provider = provider};
	pthread_mutex_lock(&q->lock);
	bool good = open(q, b, error);
	if (!good)
		release(q, b);
	pthread_mutex_unlock(&q->lock);
	return good ? b : NULL;
}

/* ---- Waiting ---- */

/* Threads that failed add up; the rest is that of the first launch with any. */
static void add_record(uint32_t *words, const uint32_t *record)
{
	uint32_t failed = words[0] + record[0] < words[0] ? UINT32_MAX : words[0] + record[0];
	if (!words[0])
		memcpy(words, record, QUEUE_BARE_WORDS * sizeof *words);
	words[0] = failed;
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
		if (record[0])
			add_record(b->words[b->kernels[i]], record);
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

static uint32_t kernel_index(const struct queue_bare *b, const struct ir_kernel *k)
{
	uint32_t i = 0;
	while (b->code.module->kernels[i] != k)
		i++;
	return i;
}

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
static void run_exact(struct queue *q, struct queue_bare *b, struct device_launch *launch)
{
	struct kernel_trap trap;
	uint64_t failed = 0;
	uint32_t kernel = kernel_index(b, launch->kernel);
	launch->failed = &failed;
	if (q->device->functions->launch(q->device, b->code.program, launch, &trap))
		return;
	if (launch->kernel->policy != IR_POLICY_RECORD)
		failed = 1;
	if (!b->words[kernel][0])
		b->traps[kernel] = trap;
	uint64_t y = launch->kernel->axes == 1 ? trap.thread[0] >> 32 : trap.thread[1];
	const uint32_t record[QUEUE_BARE_WORDS] = {failed < UINT32_MAX ? (uint32_t)failed : UINT32_MAX,
	                                           trap.kind,
	                                           trap.file ? trap.file : 1,
	                                           trap.line,
	                                           (uint32_t)trap.thread[0],
	                                           (uint32_t)y,
	                                           (uint32_t)trap.thread[2],
	                                           (uint32_t)trap.value};
	add_record(b->words[kernel], record);
}

static enum queue_bare_result submit(struct queue *q, struct queue_bare *b, const struct queue_launch *l,
                                     const struct device_launch *launch, struct text *error)
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
	b->kernels[b->unfinished++] = kernel_index(b, launch->kernel);
	if (!q->device->functions->flush(q->device, error)) {
		queue_break(q, text_string(error));
		return QUEUE_BARE_LOST;
	}
	return b->unfinished < QUEUE_LAUNCHES_MOST || finish(q, b, error) ? QUEUE_BARE_DONE : QUEUE_BARE_LOST;
}

static enum queue_bare_result run(struct queue *q, struct queue_bare *b, const struct queue_launch *l,
                                  struct text *error)
{
	const struct ir_kernel *k = l->kernel->kernel;
	struct queue_kernel facts = *l->kernel;
	facts.module = &b->code;
	struct queued_launch queued = {.kernel = &facts, .arguments = (struct queue_argument *)l->arguments};
	memcpy(queued.extents, l->extents, sizeof queued.extents);
	queue_why_cpu(q, &queued, error);
	if (error->length)
		return q->broken ? QUEUE_BARE_LOST : QUEUE_BARE_REFUSED;
	struct device_argument *arguments = memory_zeroed((size_t)k->parameter_count + 1, sizeof *arguments);
	struct device_launch launch = {.kernel = k, .arguments = arguments};
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
		run_exact(q, b, &launch);
	else
		result = submit(q, b, l, &launch, error);
	if (result == QUEUE_BARE_DONE)
		queue_trace(q, &queued, q->device->name, "");
	free(arguments);
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

bool queue_bare_status(struct queue *q, struct queue_bare *b, const struct ir_kernel *k,
                       uint32_t words[QUEUE_BARE_WORDS], struct kernel_trap *trap, struct text *error)
{
	uint32_t kernel = kernel_index(b, k), *record = b->words[kernel];
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
