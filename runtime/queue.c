/* Launching, submitting, waiting. Batches are backups' units alone: the first launch after a synchronization is held
 * back, as it needs no backup if it stays alone (spec 3.4); from the second on launches are submitted as they come. */
#include "runtime/queue.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/profile.h"
#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

struct queue *queue_new(const struct queue_options *options)
{
	struct queue *q = memory_zeroed(1, sizeof *q);
	q->options = *options;
	q->device = profile_device(options->device, NULL);
	q->exact_only = options->device->functions->launch != NULL;
	q->main = (struct queue_module){.module = options->module, .provider = options->provider};
	q->batch = 1;
	queue_proofs_open(q);
	pthread_mutex_init(&q->lock, NULL);
	return q;
}

void queue_free(struct queue *q)
{
	queue_spares_free(q);
	queue_flags_free(q);
	queue_module_unload(q, &q->main);
	if (q->exact != q->device)
		profile_device_free(q->exact);
	profile_device_free(q->device);
	profile_device_free(q->interpreter);
	free(q->backups);
	ir_proof_cache_free(q->proofs);
	free(q->device_arguments);
	free(q->proof_arguments);
	for (uint32_t i = 0; i < q->spare_argument_count; i++)
		free(q->spare_arguments[i]);
	text_free(&q->failure);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* ---- One launch ---- */

void queue_arguments_reserve(struct queue *q, uint32_t count)
{
	if (q->argument_capacity >= count)
		return;
	q->argument_capacity = count;
	q->device_arguments = memory_resize(q->device_arguments, count * sizeof *q->device_arguments);
	q->proof_arguments = memory_resize(q->proof_arguments, count * sizeof *q->proof_arguments);
}

static struct queue_argument *arguments_take(struct queue *q, uint32_t count)
{
	if (count <= QUEUE_ARGUMENTS_USUAL && q->spare_argument_count)
		return q->spare_arguments[--q->spare_argument_count];
	uint32_t room = count > QUEUE_ARGUMENTS_USUAL ? count : QUEUE_ARGUMENTS_USUAL;
	return memory_alloc(room * sizeof(struct queue_argument));
}

static void arguments_give(struct queue *q, struct queue_argument *arguments, uint32_t count)
{
	if (count <= QUEUE_ARGUMENTS_USUAL && q->spare_argument_count < QUEUE_LAUNCHES_MOST)
		q->spare_arguments[q->spare_argument_count++] = arguments;
	else
		free(arguments);
}

static struct queued_launch keep(struct queue *q, struct queue_task *task, const struct queue_launch *launch)
{
	uint32_t count = launch->kernel->kernel->parameter_count;
	struct queued_launch l = {.kernel = launch->kernel, .origin = launch->origin, .task = task, .mask = -1};
	memcpy(l.extents, launch->extents, sizeof l.extents);
	l.arguments = arguments_take(q, count);
	if (count)
		memcpy(l.arguments, launch->arguments, count * sizeof *l.arguments);
	for (uint32_t i = 0; i < count; i++)
		if (l.arguments[i].buffer)
			l.arguments[i].buffer->references++;
	task->unchecked++;
	return l;
}

static void release(struct queue *q, struct queued_launch *l)
{
	uint32_t count = l->kernel->kernel->parameter_count;
	for (uint32_t i = 0; i < count; i++)
		if (l->arguments[i].buffer)
			queue_buffer_drop(q, l->arguments[i].buffer);
	arguments_give(q, l->arguments, count);
	l->task->unchecked--;
}

/* What is traced of a launch that runs on the queue's own device. */
static void trace_device(struct queue *q, const struct queued_launch *l)
{
	struct text why = {0};
	if (q->options.trace) {
		queue_explain(q, l, &why);
		queue_trace(q, l, q->device->name, text_string(&why));
	}
	text_free(&why);
}

/* Runs a launch that is in no list, after all before it. */
static void run_here(struct queue *q, struct queued_launch *l, const char *why)
{
	queue_drain(q);
	if (l->task->pending.kind == QUEUE_TRAP_NONE) {
		if (q->exact_only)
			trace_device(q, l);
		else
			queue_trace(q, l, "cpu", why);
		queue_run_on_cpu(q, l, 0, 0);
	}
	release(q, l);
}

static bool contents_on_device(struct queue *q, const struct queued_launch *l)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++)
		if (l->arguments[i].buffer && !queue_to_device(q, l->arguments[i].buffer))
			return false;
	return true;
}

static bool device_submit(struct queue *q, const struct queued_launch *l, struct text *error)
{
	uint32_t count = l->kernel->kernel->parameter_count;
	queue_arguments_reserve(q, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct queue_argument *a = &l->arguments[i];
		q->device_arguments[i] = (struct device_argument){
		    .bits = a->bits, .buffer = a->buffer ? a->buffer->device : NULL, .length = a->length};
	}
	struct device_launch launch = {.kernel = l->kernel->kernel,
	                               .arguments = q->device_arguments,
	                               .variant = l->variant,
	                               .proved_first = l->proved_first,
	                               .proved_last = l->proved_last};
	memcpy(launch.extents, l->extents, sizeof launch.extents);
	struct device_flags flags = {.status = q->status, .record = q->count};
	if (l->mask >= 0)
		flags.mask = q->masks[l->mask].buffer;
	return q->device->functions->submit(q->device, queue_module_of(q, l)->program, &launch, &flags, error);
}

/* After 1, 2, 4, ... launches of a batch: the device starts early, and is seldom told to. */
static void flush_sometimes(struct queue *q)
{
	struct text error = {0};
	if ((q->batch_count & (q->batch_count - 1)) == 0 && q->device->functions->flush &&
	    !q->device->functions->flush(q->device, &error))
		queue_break(q, text_string(&error));
	text_free(&error);
}

/* Backups are made. */
static void start(struct queue *q, struct queued_launch *l)
{
	struct text error = {0};
	if (!queue_flags_open(q)) {
		run_here(q, l, "no memory for status records");
		return;
	}
	if (!device_submit(q, l, &error)) {
		run_here(q, l, text_string(&error));
		text_free(&error);
		return;
	}
	text_free(&error);
	trace_device(q, l);
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++)
		if (launch_writes(l, i))
			queue_device_changed(q, l->arguments[i].buffer);
	l->batch = q->batch;
	q->launches[q->count++] = *l;
	q->batch_count++;
	flush_sometimes(q);
	if (q->batch_count == QUEUE_BATCH_MOST) {
		q->batch++;
		q->batch_count = 0;
	}
}

static void take_mask(struct queue *q, struct queued_launch *l)
{
	if (l->kernel->commit_safe && l->variant == KERNEL_CHECKED && l->mask < 0)
		l->mask = queue_mask_take(q, launch_threads(l));
}

/* A backup that finds no memory waits for the queue to drain (spec 3.3); then a copy on the host will do. */
static void submit(struct queue *q, struct queued_launch *l)
{
	if (q->count == QUEUE_LAUNCHES_MOST)
		queue_drain(q);
	bool ready = contents_on_device(q, l) && queue_backup_launch(q, l) == BACKUP_DONE;
	if (!ready) {
		queue_drain(q);
		ready = !q->broken && contents_on_device(q, l) && queue_backup_on_host(q, l) == BACKUP_DONE;
	}
	if (!ready || q->broken || l->task->pending.kind != QUEUE_TRAP_NONE) {
		run_here(q, l, q->broken ? text_string(&q->failure) : "no memory for a backup");
	} else {
		take_mask(q, l);
		start(q, l);
	}
}

/* The only unchecked launch: a commit-safe one needs no backup, nothing can come to depend on it (spec 3.4). One that
 * is checked needs its mask for that. */
static void submit_alone(struct queue *q, struct queued_launch *l)
{
	bool ready = contents_on_device(q, l);
	if (ready)
		take_mask(q, l);
	if (ready && l->kernel->commit_safe && (l->variant != KERNEL_CHECKED || l->mask >= 0))
		start(q, l);
	else
		submit(q, l);
}

static void submit_held(struct queue *q, bool alone)
{
	if (!q->is_held)
		return;
	struct queued_launch l = q->held;
	q->is_held = false;
	(alone ? submit_alone : submit)(q, &l);
}

static void place(struct queue *q, struct queue_task *task, const struct queue_launch *launch)
{
	struct queued_launch l = keep(q, task, launch);
	struct text why = {0};
	queue_why_cpu(q, &l, &why);
	if (!why.length)
		queue_prove(q, &l);
	if (q->exact_only || why.length) {
		run_here(q, &l, text_string(&why));
		text_free(&why);
		return;
	}
	submit_held(q, false);
	if (task->pending.kind != QUEUE_TRAP_NONE) {
		release(q, &l);
	} else if (q->count == 0) {
		q->held = l;
		q->is_held = true;
	} else {
		submit(q, &l);
	}
}

bool queue_launch(struct queue *q, struct queue_task *task, const struct queue_launch *launch)
{
	pthread_mutex_lock(&q->lock);
	if (task->pending.kind == QUEUE_TRAP_NONE)
		place(q, task, launch);
	bool full = ++task->queued >= QUEUE_LAUNCHES_MOST;
	pthread_mutex_unlock(&q->lock);
	return full;
}

/* ---- Waiting ---- */

void queue_break(struct queue *q, const char *error)
{
	if (!q->broken)
		text_add_format(&q->failure, "the device failed: %s", error);
	q->broken = true;
	if (!q->failed_kernel && q->count)
		q->failed_kernel = q->launches[0].kernel->kernel->name;
}

static void wait_and_check(struct queue *q)
{
	struct text error = {0};
	if (!q->device->functions->finish(q->device, &error))
		queue_break(q, text_string(&error));
	q->writing = false;
	text_free(&error);
	if (q->broken)
		queue_recover(q);
	else
		queue_check(q);
	uint32_t count = q->count;
	q->count = 0;
	for (uint32_t i = 0; i < count; i++)
		release(q, &q->launches[i]);
}

void queue_drain(struct queue *q)
{
	submit_held(q, true);
	if (q->count)
		wait_and_check(q);
	for (uint32_t i = 0; i < q->mask_count; i++)
		q->masks[i].used = false;
	q->mask_first = 0;
	queue_backups_drop(q);
	q->batch++;
	q->batch_count = 0;
}

bool queue_synchronize(struct queue *q, struct queue_task *task, struct queue_trap *trap)
{
	pthread_mutex_lock(&q->lock);
	if (task->unchecked)
		queue_drain(q);
	task->queued = 0;
	*trap = task->pending;
	task->pending = (struct queue_trap){.kind = QUEUE_TRAP_NONE};
	pthread_mutex_unlock(&q->lock);
	return trap->kind == QUEUE_TRAP_NONE;
}

const char *queue_failed_kernel(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	const char *name = q->failed_kernel;
	pthread_mutex_unlock(&q->lock);
	return name ? name : "nothing";
}
