/* Tasks: main, tests and the arguments of `par`, each with its stacks. */
#include <sys/mman.h>

#include "frontend/ssp/host_internal.h"
#include "utils/base/float_environment.h"

/* C stack kept free at every call, for what happens between two calls: nested expressions, printing,
 * the device. */
#define STACK_RESERVE ((size_t)4 << 20)
/* C stack kept free below the deepest expression. */
#define STACK_END ((size_t)1 << 20)
/* The same of the value stack. */
#define VALUES_RESERVE 65536
/* Bytes of value stack for a byte of C stack. */
#define VALUES_SHARE 4
/* Threads alive at once, and tasks inside tasks that have threads. Other tasks run on the thread that meets them,
 * and so do all below those: recursion through `par` ends like any other. */
#define THREADS_MOST 64
#define LEVELS_MOST 5

bool task_room(struct task *t, const struct node *n, uint64_t slots)
{
	uint64_t free_values = (uint64_t)(t->end - t->top);
	if ((const char *)__builtin_frame_address(0) < t->stack_limit || free_values < slots + VALUES_RESERVE)
		return trap_raise(t, n, "stack overflow");
	return true;
}

/* The body in a frame of its own. */
static bool evaluate_task(struct job *j)
{
	struct task *t = &j->task;
	struct frame frame = {.slots = t->top, .parent = j->parent};
	for (uint32_t i = 0; i < j->slots; i++)
		push(t, value_unit());
	t->frame = &frame;
	bool good = evaluate_body(t, j->body);
	t->frame = NULL;
	return good;
}

/* The end of a task is a synchronization point, and an earlier pending trap wins over any other (spec 3.3). */
static void run(struct job *j)
{
	struct task *t = &j->task;
	t->witness = j->witness;
	bool good;
	if (j->definition)
		good = call_function(t, j->definition, t->bottom, NULL);
	else
		good = task_room(t, j->body, j->slots) && evaluate_task(j);
	if (!good && t->unwind == UNWIND_RETURN) {
		push(t, t->returned);
		good = true;
	}
	j->good = device_synchronize(t) && good;
	j->result = j->good ? pop(t) : value_unit();
	cut(t, t->bottom);
}

static size_t values_size(const struct job *j)
{
	return j->stack_size / VALUES_SHARE;
}

static void *thread_body(void *context)
{
	float_environment_enter();
	struct job *j = context;
	const char *bottom = (const char *)__builtin_frame_address(0) - j->stack_size;
	j->task.stack_limit = bottom + STACK_RESERVE;
	j->task.stack_end = bottom + STACK_END;
	run(j);
	return NULL;
}

static bool start_thread(struct job *j)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes))
		return false;
	bool good = pthread_attr_setstacksize(&attributes, j->stack_size) == 0 &&
	            pthread_create(&j->thread, &attributes, thread_body, j) == 0;
	pthread_attr_destroy(&attributes);
	return good;
}

bool job_start(struct job *j, uint32_t level)
{
	if (level > LEVELS_MOST)
		return false;
	if (atomic_fetch_add(&j->host->threads, 1) >= THREADS_MOST) {
		atomic_fetch_sub(&j->host->threads, 1);
		return false;
	}
	struct value *values =
	    mmap(NULL, values_size(j), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (values != MAP_FAILED) {
		j->task = (struct task){.host = j->host, .bottom = values, .top = values, .level = level};
		j->task.stack_size = j->stack_size;
		j->task.end = values + values_size(j) / sizeof *values;
		if (start_thread(j))
			return true;
		munmap(values, values_size(j));
	}
	atomic_fetch_sub(&j->host->threads, 1);
	return false;
}

void job_join(struct job *j)
{
	pthread_join(j->thread, NULL);
	munmap(j->task.bottom, values_size(j));
	atomic_fetch_sub(&j->host->threads, 1);
}

void job_run_here(struct job *j, struct task *caller)
{
	j->task = (struct task){.host = j->host,
	                        .bottom = caller->top,
	                        .top = caller->top,
	                        .end = caller->end,
	                        .stack_size = caller->stack_size,
	                        .level = LEVELS_MOST,
	                        .stack_limit = caller->stack_limit,
	                        .stack_end = caller->stack_end};
	run(j);
}
