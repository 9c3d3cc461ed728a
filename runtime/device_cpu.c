/* Runs parts of a launch on the threads of a pool. Threads of a launch do not see what others write (spec/sspur.md
 * 1.4), but for atomics, so each part may run in vectors, by the kernel's `lanes` function where it has one, else in
 * order by its `sequential` function; only kernels with atomics on buffers stay on one thread of the host. The
 * first trap of the launch is that of the first part that traps: all parts before it have run to their ends.
 * Threads that were proved run the variant's `lanes` function, which never traps and leaves atomics as they are in any
 * order; those before them run first, those after them last. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "runtime/device_cpu.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "ir/ir.h"
#include "runtime/host_memory.h"
#include "runtime/native_program.h"
#include "runtime/thread_pool.h"
#include "utils/base/arena.h"

struct cpu_state {
	uint32_t threads, cores;
	struct thread_pool *pool; /* started at the first launch that is worth it */
};

/* ---- Device ---- */

static uint32_t count_cores(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	int count = CPU_COUNT(&set);
	return count < 1 ? 1 : (uint32_t)count;
}

static bool cpu_open(struct device *d, struct text *error)
{
	const char *given = getenv("SSPUR_THREADS");
	uint32_t threads = count_cores();
	if (given && *given) {
		char *end;
		unsigned long count = strtoul(given, &end, 10);
		if (*given < '0' || *given > '9' || *end || count < 1 || count > THREAD_POOL_MOST) {
			text_add_format(error, "SSPUR_THREADS: `%s` is not a number from 1 to %d", given,
			                THREAD_POOL_MOST);
			return false;
		}
		threads = (uint32_t)count;
	}
	struct cpu_state *cpu = memory_zeroed(1, sizeof *cpu);
	cpu->threads = threads;
	cpu->cores = count_cores();
	d->state = cpu;
	return true;
}

static void cpu_close(struct device *d)
{
	struct cpu_state *cpu = d->state;
	thread_pool_free(cpu->pool);
	free(cpu);
	d->state = NULL;
}

static void cpu_describe(struct device *d, struct text *out)
{
	const struct cpu_state *cpu = d->state;
	text_add_format(out, "native code, %u thread%s (f64, subnormals, exact division and root)", cpu->threads,
	                cpu->threads == 1 ? "" : "s");
}

/* ---- Parts of a launch ---- */

enum { CACHE_LINE = 64 };

struct launch {
	struct native_call call;
	bool stops; /* the first trap ends the launch */
	uint64_t part;
	alignas(CACHE_LINE) _Atomic uint64_t next; /* all threads write it: nothing that they only read is beside it */
	char rest[CACHE_LINE - sizeof(uint64_t)];
	pthread_mutex_t lock;       /* of what follows */
	_Atomic uint64_t failed_at; /* first thread of the first part that failed; UINT64_MAX: none has */
	uint64_t failed;            /* threads */
	double each;                /* nanoseconds of a thread, in the fastest part */
	struct kernel_trap *trap;
};

static void run_part(struct launch *l, uint64_t first, uint64_t last, void *workspace)
{
	struct kernel_trap trap;
	uint64_t failed = native_call_run(&l->call, first, last, &trap, workspace);
	if (!failed)
		return;
	pthread_mutex_lock(&l->lock);
	l->failed += failed;
	if (first < l->failed_at) {
		l->failed_at = first;
		*l->trap = trap;
	}
	pthread_mutex_unlock(&l->lock);
}

static bool has_ended(const struct launch *l, uint64_t first)
{
	return first >= l->call.last || (l->stops && first > l->failed_at);
}

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_parts(void *context)
{
	struct launch *l = context;
	void *workspace = native_call_workspace(&l->call);
	double best = INFINITY, start = now_ns();
	for (;;) {
		uint64_t first = atomic_fetch_add(&l->next, l->part);
		if (has_ended(l, first))
			break;
		uint64_t last = l->call.last - first < l->part ? l->call.last : first + l->part;
		run_part(l, first, last, workspace);
		double end = now_ns(), each = (end - start) / (double)(last - first);
		best = each < best ? each : best;
		start = end;
	}
	free(workspace);
	pthread_mutex_lock(&l->lock);
	l->each = best < l->each ? best : l->each;
	pthread_mutex_unlock(&l->lock);
}

/* ---- How many threads of the host a launch is worth ---- */

enum {
	MEASURED_NS = 10 * 1000,        /* a shorter time says nothing */
	SHARED_NS = 100 * 1000,         /* what is left takes so long on one thread: then it is shared */
	SHARED_AT_ONCE_NS = 200 * 1000, /* as long as a launch before took: it is shared from the start */
	PART_NS = 20 * 1000,            /* at least, of a part */
	PARTS_A_THREAD = 8,
	PAGE_THREADS = 1024, /* large parts are multiples of it: two do not write to one page */
	FIRST_PART_MOST = 256,
};

/* What is known of the function: nanoseconds of a thread. 0: nothing. */
static double remembered(const struct launch *l)
{
	return (double)atomic_load_explicit(l->call.function.time, memory_order_relaxed) / 1e3;
}

static void remember(struct launch *l, double each)
{
	if (each < INFINITY)
		atomic_store_explicit(l->call.function.time, (uint64_t)(each * 1e3), memory_order_relaxed);
}

/* Runs the launch's start on this thread, and all of it if that is short; else answers the time of one thread. */
static double run_start(struct launch *l)
{
	uint64_t first = l->call.first, next = first, last = l->call.last;
	uint64_t part = l->call.function.together * ((last - first) / 4096 / l->call.function.together + 1);
	void *workspace = native_call_workspace(&l->call);
	double start = now_ns(), each = 0;
	if (part > FIRST_PART_MOST)
		part = FIRST_PART_MOST;
	while (!has_ended(l, next)) {
		uint64_t end = last - next < part ? last : next + part;
		run_part(l, next, end, workspace);
		next = end;
		part *= 2;
		double time = now_ns() - start;
		each = time / (double)(next - first);
		if (time > MEASURED_NS && each * (double)(last - next) > SHARED_NS)
			break;
	}
	free(workspace);
	l->next = next;
	if (each * (double)(next - first) > MEASURED_NS)
		remember(l, each);
	return each;
}

static void run_shared(struct cpu_state *cpu, struct launch *l, double each)
{
	if (!cpu->pool)
		cpu->pool = thread_pool_new(cpu->threads, cpu->threads <= cpu->cores);
	uint32_t threads = thread_pool_count(cpu->pool);
	uint64_t count = l->call.last - l->next, even = count / (PARTS_A_THREAD * (uint64_t)threads) + 1;
	double least = PART_NS / each;
	l->part = least > (double)even ? (uint64_t)least : even;
	uint64_t together = l->part < PAGE_THREADS ? l->call.function.together : PAGE_THREADS;
	l->part = (l->part + together - 1) / together * together;
	l->each = INFINITY;
	thread_pool_run(cpu->pool, run_parts, l);
	remember(l, l->each);
}

/* Threads [first, last) by one function. False: the launch has ended. */
static bool run_threads(struct cpu_state *cpu, struct launch *l, const struct native_function *function, bool shared,
                        uint64_t first, uint64_t last)
{
	if (first >= last)
		return true;
	l->call.function = *function;
	l->call.first = first;
	l->next = first;
	l->call.last = last;
	l->part = last - first;
	if (shared && cpu->threads > 1) {
		double each = remembered(l);
		if (each * (double)(last - first) < SHARED_AT_ONCE_NS)
			each = run_start(l);
		if (!has_ended(l, l->next))
			run_shared(cpu, l, each);
	} else {
		run_parts(l);
	}
	return !l->stops || l->failed_at == UINT64_MAX;
}

static uint64_t within(uint64_t thread, uint64_t first, uint64_t last)
{
	return thread < first ? first : thread > last ? last : thread;
}

/* Vectors of 32-bit indices may have one before and one after they wrap (lower/llvm/lowering_vector.c): no buffer has
 * both. */
static bool is_too_long(const struct device_launch *launch)
{
	for (uint32_t i = 0; i < launch->kernel->parameter_count; i++)
		if (launch->kernel->parameters[i].kind == IR_PARAMETER_BUFFER &&
		    launch->arguments[i].length > UINT32_MAX - NATIVE_LANES_MOST)
			return launch->kernel->index == IR_TYPE_u32;
	return false;
}

/* What checks the launch's threads. A bare artifact's kernels are not known to have no atomics. */
static const struct native_function *checked_function(const struct native_kernel *k, const struct device_launch *launch)
{
	const struct native_function *lanes = &k->lanes[KERNEL_CHECKED];
	return lanes->run && launch->kernel->body.first && !is_too_long(launch) ? lanes : &k->in_order;
}

static bool cpu_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                       struct kernel_trap *trap)
{
	struct cpu_state *cpu = d->state;
	const struct native_kernel *k = native_program_kernel(p, launch->kernel);
	const struct native_function *checked = checked_function(k, launch);
	const struct native_function *proved = &k->lanes[launch->variant];
	struct launch l = {.stops = launch->kernel->policy == IR_POLICY_STOP, .failed_at = UINT64_MAX, .trap = trap};
	native_call_open(&l.call, p, launch);
	pthread_mutex_init(&l.lock, NULL);
	uint64_t first = l.call.first, last = l.call.last, from = last, to = last;
	if (launch->variant != KERNEL_CHECKED && !is_too_long(launch)) {
		from = within(launch->proved_first, first, last);
		to = within(launch->proved_last, from, last);
	}
	if (run_threads(cpu, &l, checked, !k->ordered, first, from) && run_threads(cpu, &l, proved, true, from, to))
		run_threads(cpu, &l, checked, !k->ordered, to, last);
	if (launch->failed)
		*launch->failed = l.failed;
	pthread_mutex_destroy(&l.lock);
	native_call_close(&l.call);
	return l.failed_at == UINT64_MAX;
}

const struct device_functions device_cpu_functions = {
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_host = host_buffer_address,
    .program_load = native_program_load,
    .program_free = native_program_free,
    .variants = native_program_variants,
    .launch = cpu_launch,
};
