/* The check at a synchronization, and the restore rule of spec 3.4: a flagged launch reruns its flagged threads where
 * nothing later depends on them; else the state before a batch is restored and everything from there on reruns. */
#include <stdlib.h>

#include "runtime/queue_internal.h"

/* ---- Flagged threads alone ---- */

/* Commit-safe, and no later unchecked launch reads or writes a buffer it writes, or writes a buffer it reads. */
static bool can_rerun_threads(const struct queue *q, uint32_t index)
{
	const struct queued_launch *l = &q->launches[index];
	if (!l->kernel->commit_safe || l->mask < 0)
		return false;
	for (uint32_t j = index + 1; j < q->count; j++)
		for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++) {
			const struct queue_buffer *b = l->arguments[i].buffer;
			if (b && (launch_writes(l, i) ? launch_uses(&q->launches[j], b)
			                              : launch_writes_buffer(&q->launches[j], b)))
				return false;
		}
	return true;
}

static bool flagged(const uint32_t *mask, uint64_t thread)
{
	return mask[thread / 32] >> (thread % 32) & 1;
}

/* In order, neighbours at once. False: the device failed. */
static bool rerun_threads(struct queue *q, const struct queued_launch *l)
{
	uint64_t threads = launch_threads(l), rerun = 0;
	uint32_t *mask = queue_mask_read(q, l);
	if (!mask)
		return false;
	for (uint64_t first = 0; first < threads;) {
		if (!mask[first / 32] && first % 32 == 0) {
			first += 32;
			continue;
		}
		uint64_t last = first;
		while (last < threads && flagged(mask, last))
			last++;
		if (last > first)
			queue_run_on_cpu(q, l, first, last);
		rerun += last - first;
		first = last > first ? last : first + 1;
	}
	free(mask);
	struct text why = {0};
	text_add_format(&why, "%llu of %llu threads", (unsigned long long)rerun, (unsigned long long)threads);
	queue_trace(q, l, "cpu rerun", text_string(&why));
	text_free(&why);
	return true;
}

/* ---- Everything from a batch on ---- */

static uint32_t first_of_batch(const struct queue *q, uint64_t batch)
{
	uint32_t i = 0;
	while (i < q->count && q->launches[i].batch < batch)
		i++;
	return i;
}

/* Whether launch `index` is the first from `first` on that writes b. */
static bool is_first_writer(const struct queue *q, uint32_t first, uint32_t index, const struct queue_buffer *b)
{
	for (uint32_t i = first; i < index; i++)
		if (launch_writes_buffer(&q->launches[i], b))
			return false;
	return true;
}

/* Calls back for every buffer that a launch from `first` on writes, with the backup that the first to write it has. */
static bool each_backup(struct queue *q, uint32_t first,
                        bool (*found)(struct queue *, const struct queue_backup *, bool *), bool *lost)
{
	for (uint32_t j = first; j < q->count; j++) {
		const struct queued_launch *l = &q->launches[j];
		for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++) {
			struct queue_buffer *b = l->arguments[i].buffer;
			if (!launch_writes(l, i) || !is_first_writer(q, first, j, b))
				continue;
			const struct queue_backup *backup = queue_backup_find(q, b, l->batch);
			if (!backup || !found(q, backup, lost))
				return false;
		}
	}
	return true;
}

static bool nothing(struct queue *q, const struct queue_backup *backup, bool *lost)
{
	(void)q, (void)backup, (void)lost;
	return true;
}

/* No memory, or the device cannot be read: a trap for every task, at its first launch from `first` on. */
static void fail_from(struct queue *q, uint32_t first, bool lost)
{
	for (uint32_t i = first; i < q->count; i++) {
		const struct queued_launch *l = &q->launches[i];
		if (l->task->pending.kind != QUEUE_TRAP_NONE)
			continue;
		l->task->pending = (struct queue_trap){.kind = lost ? QUEUE_TRAP_FAILED : QUEUE_TRAP_MEMORY,
		                                       .kernel = l->kernel->kernel,
		                                       .origin = l->origin};
		for (uint32_t p = 0; p < l->kernel->kernel->parameter_count; p++)
			if (l->arguments[p].buffer)
				l->task->pending.size += l->arguments[p].buffer->size;
	}
}

static void rerun_from(struct queue *q, uint32_t first, const char *why)
{
	for (uint32_t i = first; i < q->count; i++) {
		const struct queued_launch *l = &q->launches[i];
		if (l->task->pending.kind != QUEUE_TRAP_NONE)
			continue;
		queue_trace(q, l, "cpu rerun", why);
		queue_run_on_cpu(q, l, 0, 0);
	}
}

/* From the latest batch, at or before the launch's, whose state can be restored. */
static void restore_and_rerun(struct queue *q, uint32_t index, const char *why)
{
	uint64_t batch = q->launches[index].batch;
	bool lost = false;
	/* The first batch has every backup: no unchecked launch is before it. */
	while (batch > q->launches[0].batch && !each_backup(q, first_of_batch(q, batch), nothing, &lost))
		batch--;
	uint32_t first = first_of_batch(q, batch);
	if (each_backup(q, first, queue_backup_restore, &lost))
		rerun_from(q, first, why);
	else
		fail_from(q, first, lost);
}

/* ---- Checking ---- */

static const char *const kinds[] = {
    [TRAP_INDEX] = "index",           [TRAP_RANGE] = "range",
    [TRAP_PANIC] = "panic",           [TRAP_ALLOCATION] = "memory",
    [TRAP_OVERFLOW] = "overflow",     [TRAP_DIVISION] = "division",
    [TRAP_CONVERSION] = "conversion", [TRAP_INEXACT] = "cannot be exact",
};

static const char *why_flagged(const uint32_t *record)
{
	uint32_t kind = record[1];
	return kind < sizeof kinds / sizeof *kinds && kinds[kind] ? kinds[kind] : "flagged";
}

/* Where everything was proved there is nothing to read. */
static bool can_be_flagged(const struct queue *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (q->launches[i].variant == KERNEL_CHECKED)
			return true;
	return false;
}

void queue_check(struct queue *q)
{
	if (!can_be_flagged(q))
		return;
	uint32_t *status = queue_status_read(q);
	bool good = status != NULL;
	for (uint32_t i = 0; good && i < q->count; i++) {
		const uint32_t *record = status + i * STATUS_WORDS;
		if (!record[0] || q->launches[i].task->pending.kind != QUEUE_TRAP_NONE)
			continue;
		if (can_rerun_threads(q, i)) {
			good = rerun_threads(q, &q->launches[i]);
		} else {
			restore_and_rerun(q, i, why_flagged(record));
			break;
		}
	}
	free(status);
	if (good)
		return;
	queue_break(q, "its memory could not be read");
	queue_recover(q);
}

/* ---- A device that failed ---- */

/* Reads everything that the launches use, while it can be. */
static bool rescue(struct queue *q)
{
	bool lost = false;
	for (uint32_t j = 0; j < q->count; j++)
		for (uint32_t i = 0; i < q->launches[j].kernel->kernel->parameter_count; i++) {
			struct queue_buffer *b = q->launches[j].arguments[i].buffer;
			if (b && !queue_mirror(q, b, &lost)) {
				fail_from(q, 0, lost);
				return false;
			}
		}
	return true;
}

void queue_recover(struct queue *q)
{
	bool lost = false;
	for (uint32_t i = 0; i < q->mask_count; i++)
		q->masks[i].clear = q->masks[i].clear && !q->masks[i].used;
	if (!rescue(q))
		return;
	if (each_backup(q, 0, queue_backup_restore, &lost))
		rerun_from(q, 0, text_string(&q->failure));
	else if (q->count == 1 && q->launches[0].kernel->repeatable && !q->backup_count)
		rerun_from(q, 0, text_string(&q->failure));
	else
		/* Without a backup nobody can tell which threads have run. */
		fail_from(q, 0, q->count == 1 || lost);
}
