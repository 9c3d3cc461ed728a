/* A dispatch is one launch of a queue of its own, of the kernel as it is: its status record says what failed. */
#include "runtime/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_analysis.h"
#include "ir/ir_interpreter.h"
#include "runtime/failure_text.h"
#include "runtime/queue_bare.h"
#include "utils/base/arena.h"

/* Instructions that the searches for a limit and for a barrier may take. */
enum { LIMIT_STEPS = 50 * 1000 * 1000, WAIT_STEPS = 100 * 1000 * 1000 };

/* A dispatch on one device. */
struct run {
	const struct dispatch *dispatch;
	struct queue *queue;
	struct queue_bare *code;
	struct queue_argument *arguments; /* a parameter each */
	uint8_t **results;                /* a parameter each; NULL: not writable */
};

static uint64_t size_of(const struct dispatch *d, uint32_t i)
{
	const struct ir_parameter *p = &d->kernel->parameters[i];
	switch (p->kind) {
	case IR_PARAMETER_SCALAR: return 0;
	case IR_PARAMETER_BUFFER: return d->arguments[i].length * p->type->size;
	case IR_PARAMETER_VALUE: return p->type->size;
	}
	return 0;
}

static bool is_written(const struct dispatch *d, uint32_t i)
{
	const struct ir_parameter *p = &d->kernel->parameters[i];
	return p->kind == IR_PARAMETER_BUFFER && p->memory->writable;
}

static bool make_buffers(struct run *r, struct text *error)
{
	const struct dispatch *d = r->dispatch;
	for (uint32_t i = 0; i < d->kernel->parameter_count; i++) {
		struct queue_argument *a = &r->arguments[i];
		*a = (struct queue_argument){.bits = d->arguments[i].bits, .length = d->arguments[i].length};
		if (d->kernel->parameters[i].kind == IR_PARAMETER_SCALAR)
			continue;
		uint64_t size = size_of(d, i);
		a->buffer = queue_buffer_new(r->queue, size);
		if (!a->buffer || !queue_buffer_write(r->queue, a->buffer, d->arguments[i].bytes, size)) {
			text_add_format(error, "no memory for %s (%llu bytes)", d->kernel->parameters[i].name,
			                (unsigned long long)size);
			return false;
		}
	}
	return true;
}

static bool launch(struct run *r, struct dispatch_failures *failures, struct text *error)
{
	const struct ir_kernel *k = r->dispatch->kernel;
	struct queue_kernel facts = queue_kernel_of(k);
	struct queue_task task = {0};
	struct queue_launch launch = {.kernel = &facts, .arguments = r->arguments};
	memcpy(launch.extents, r->dispatch->extents, sizeof launch.extents);
	bool good = queue_bare_launch(r->queue, &task, r->code, &launch, error) == QUEUE_BARE_DONE &&
	            queue_bare_status(r->queue, r->code, k, failures->words, &failures->first, error);
	failures->stuck = queue_bare_stuck(r->queue, r->code);
	queue_kernel_free(&facts);
	return good;
}

static bool read_results(struct run *r, struct text *error)
{
	const struct dispatch *d = r->dispatch;
	for (uint32_t i = 0; i < d->kernel->parameter_count; i++) {
		if (!is_written(d, i))
			continue;
		r->results[i] = memory_alloc(size_of(d, i) + 1);
		if (!queue_buffer_read(r->queue, r->arguments[i].buffer, r->results[i], size_of(d, i))) {
			text_add(error, "its memory cannot be read");
			return false;
		}
	}
	return true;
}

static void close_run(struct run *r)
{
	uint32_t count = r->dispatch->kernel->parameter_count;
	if (r->code)
		queue_bare_free(r->queue, r->code);
	for (uint32_t i = 0; i < count; i++) {
		queue_buffer_release(r->queue, r->arguments[i].buffer);
		free(r->results[i]);
	}
	queue_free(r->queue);
	free(r->arguments);
	free(r->results);
}

static bool run_on(struct run *r, const struct dispatch *d, struct device *device, struct dispatch_failures *failures,
                   struct text *error)
{
	const struct queue_options options = {.device = device, .provider = d->provider, .trace = d->trace};
	uint32_t count = d->kernel->parameter_count;
	*r = (struct run){.dispatch = d,
	                  .queue = queue_new(&options),
	                  .arguments = memory_zeroed((size_t)count + 1, sizeof *r->arguments),
	                  .results = memory_zeroed((size_t)count + 1, sizeof *r->results)};
	*failures = (struct dispatch_failures){0};
	r->code = queue_bare_new(r->queue, d->kernel->module, d->provider, error);
	return r->code && make_buffers(r, error) && launch(r, failures, error) && read_results(r, error);
}

/* ---- The failed thread ---- */

struct limit_search {
	const struct kernel_trap *recorded;
	struct kernel_trap found;
};

static bool is_not_recorded(void *context, const struct kernel_trap *trap)
{
	struct limit_search *s = context;
	const struct kernel_trap *r = s->recorded;
	bool same = memcmp(trap->thread, r->thread, sizeof trap->thread) == 0 && trap->kind == r->kind &&
	            trap->line == r->line && (uint32_t)trap->value == (uint32_t)r->value;
	if (same)
		s->found = *trap;
	return !same;
}

static void free_arguments(const struct dispatch *d, struct ir_argument *arguments)
{
	for (uint32_t i = 0; i < d->kernel->parameter_count; i++)
		if (is_written(d, i))
			free(arguments[i].data);
	free(arguments);
}

static struct ir_argument *copy_arguments(const struct dispatch *d)
{
	struct ir_argument *arguments = memory_zeroed((size_t)d->kernel->parameter_count + 1, sizeof *arguments);
	for (uint32_t i = 0; i < d->kernel->parameter_count; i++) {
		const struct dispatch_argument *a = &d->arguments[i];
		arguments[i] = (struct ir_argument){.bits = a->bits, .data = a->bytes, .length = a->length};
		if (!is_written(d, i))
			continue;
		arguments[i].data = memory_alloc(size_of(d, i) + 1);
		memcpy(arguments[i].data, a->bytes, size_of(d, i));
	}
	return arguments;
}

/* Runs the thread, or its group, on the data as it was; if it fails as it did, all is known. */
static void find_limit(const struct dispatch *d, struct kernel_trap *trap)
{
	const struct ir_kernel *k = d->kernel;
	struct limit_search search = {.recorded = trap};
	uint64_t first = 0, steps = LIMIT_STEPS;
	for (unsigned axis = 3; axis-- > 0;) {
		uint64_t id = trap->thread[axis];
		if (id >= d->extents[axis])
			return;
		first = first * d->extents[axis] + (ir_is_grouped(k) ? id / k->group[axis] * k->group[axis] : id);
	}
	struct ir_argument *arguments = copy_arguments(d);
	struct kernel_trap ended;
	ir_run(k, arguments, d->extents, first, first + 1, is_not_recorded, &search, &ended, &steps);
	free_arguments(d, arguments);
	if (search.found.kind != TRAP_NONE)
		*trap = search.found;
}

static void find_wait(const struct dispatch *d, bool failed, struct barrier_wait *found)
{
	struct ir_barrier_wait wait;
	uint64_t steps = WAIT_STEPS;
	if (!ir_may_wait(d->kernel, failed))
		return;
	struct ir_argument *arguments = copy_arguments(d);
	ir_find_wait(d->kernel, arguments, d->extents, &steps, &wait);
	free_arguments(d, arguments);
	if (!wait.barrier)
		return;
	*found = (struct barrier_wait){.line = wait.barrier->place.line, .file = wait.barrier->place.file};
	memcpy(found->waiting, wait.waiting, sizeof wait.waiting);
	memcpy(found->left, wait.left, sizeof wait.left);
}

/* What the record says, and what can be found besides. */
static void describe(const struct dispatch *d, struct dispatch_failures *f)
{
	const uint32_t *words = f->words;
	if (!words[0] || f->first.kind != TRAP_NONE)
		return;
	f->first = failure_of_record(d->kernel, words);
	if (words[1] == TRAP_INDEX)
		find_limit(d, &f->first);
}

/* ---- All of it ---- */

static void finish(const struct run *r, struct dispatch_failures *failures)
{
	const struct dispatch *d = r->dispatch;
	describe(d, failures);
	if (!failures->stuck.line && failures->words[0])
		find_wait(d, true, &failures->stuck);
	for (uint32_t i = 0; i < d->kernel->parameter_count; i++)
		if (r->results[i])
			memcpy(d->arguments[i].bytes, r->results[i], size_of(d, i));
}

/* Neither device has anything to open. */
static bool run_on_processor(const struct dispatch *d, struct dispatch_failures *failures, struct text *error)
{
	static const char *const names[] = {"seq", "interp"};
	bool good = false;
	for (size_t i = 0; i < sizeof names / sizeof *names && !good; i++) {
		struct run r;
		text_clear(error);
		good = run_on(&r, d, device_find(names[i]), failures, error);
		if (good)
			finish(&r, failures);
		close_run(&r);
	}
	return good;
}

static bool run(const struct dispatch *d, struct device *device, struct dispatch_failures *failures, struct text *error)
{
	struct run r;
	bool good = run_on(&r, d, device, failures, error);
	if (good && queue_bare_was_inexact(device, d->kernel, failures->words)) {
		text_add(error, "threads failed that the device may not compute exactly");
		good = false;
	}
	if (good)
		finish(&r, failures);
	close_run(&r);
	return good;
}

/* A device may not come back from a workgroup that waits for ever: it is not given one. */
bool dispatch_run(const struct dispatch *d, struct device *device, struct dispatch_failures *failures,
                  struct text *error)
{
	struct barrier_wait stuck = {0};
	bool exact = device->functions->launch != NULL;
	find_wait(d, false, &stuck);
	if (stuck.line && !exact)
		text_add(error, "a workgroup waits for ever");
	bool good = !error->length && run(d, device, failures, error);
	if (!good && !exact) {
		if (d->trace)
			fprintf(stderr, "gpu %s: cpu rerun (%s)\n", d->kernel->name, text_string(error));
		good = run_on_processor(d, failures, error);
	}
	if (good && stuck.line && !failures->stuck.line)
		failures->stuck = stuck;
	return good;
}
