/* par: every argument is a task on a thread of its own (spec 2.4). */
#include <stdlib.h>

#include "frontend/ssp/host_internal.h"

/* Starts or, where there can be no more threads, runs tasks [0, count). A task that ran here and trapped makes
 * the later ones needless: what they do cannot be seen. Returns how many were begun; started[i] says which have
 * a thread. */
static uint32_t begin_jobs(struct task *t, struct job *jobs, bool *started, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		started[i] = job_start(&jobs[i], t->level + 1);
		if (started[i])
			continue;
		job_run_here(&jobs[i], t);
		if (!jobs[i].good)
			return i + 1;
	}
	return count;
}

/* The results as a tuple on the stack, or the leftmost trap. */
static bool gather(struct task *t, struct job *jobs, uint32_t count)
{
	bool good = true;
	push(t, tuple_new(count));
	struct value *items = t->top[-1].tuple->items;
	for (uint32_t i = 0; i < count; i++) {
		struct job *j = &jobs[i];
		if (j->good)
			items[i] = j->result;
		else if (good)
			host_trap_move(&t->trap, &j->task.trap);
		else
			host_trap_free(&j->task.trap);
		good = good && j->good;
	}
	t->unwind = UNWIND_TRAP;
	return good;
}

bool builtin_par(struct task *t, const struct node *n, struct value *a)
{
	(void)a;
	uint32_t count = argument_count(n);
	if (!task_room(t, n, count))
		return false;
	size_t half = t->stack_size / 2;
	size_t stack_size = half > STACK_TASK ? STACK_TASK : half < STACK_LEAST ? STACK_LEAST : half;
	struct job *jobs = memory_zeroed(count, sizeof *jobs);
	bool *started = memory_zeroed(count, sizeof *started);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *body = argument(n, i);
		jobs[i] = (struct job){.host = t->host,
		                       .body = body,
		                       .slots = body->frame_slots,
		                       .parent = t->frame,
		                       .stack_size = stack_size};
	}
	uint32_t begun = begin_jobs(t, jobs, started, count);
	output_flush();
	for (uint32_t i = 0; i < begun; i++)
		if (started[i])
			job_join(&jobs[i]);
	bool good = gather(t, jobs, begun);
	free(jobs);
	free(started);
	return good;
}
