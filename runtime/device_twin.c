/* Groups run one after another, x fastest (spec/cone.md part 5). */
#include "runtime/device_twin.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/barrier_wait.h"
#include "runtime/host_memory.h"
#include "runtime/twin_fibers.h"
#include "runtime/twin_program.h"
#include "utils/base/arena.h"

static void twin_describe(struct device *d, struct text *out)
{
	(void)d;
	text_add(
	    out,
	    "native code of Cone's kernels alone, one thread, in order (f64, subnormals, exact division and root)");
}

/* ---- One launch ---- */

struct launch {
	const struct twin_kernel *kernel;
	const struct device_launch *device;
	const uint64_t *arguments; /* as twin_program_call takes them */
	struct twin_invocation invocation;
	uint64_t failed;
	struct kernel_trap *first;
	struct barrier_wait waits[TWIN_GROUP_MOST]; /* file and line of the barrier where each waits */
	uint32_t here;                              /* of the group: the invocation that runs */
};

/* Under the launch lock, as every launch; a fiber is on the thread that launched. */
static _Thread_local struct launch *running;

/* In the order of the grid, x fastest, in which the reference runs what has no barrier. */
static bool is_before(const uint32_t id[3], const uint64_t other[3])
{
	unsigned axis = 2;
	while (axis > 0 && id[axis] == other[axis])
		axis--;
	return id[axis] < other[axis];
}

/* Keeps the first: with barriers, the first to come. */
static void note_failure(const struct twin_check *check, uint64_t value, uint64_t limit,
                         const struct twin_invocation *invocation)
{
	const uint32_t *id = invocation->global_id;
	if (running->failed++ && (running->kernel->fibers || !is_before(id, running->first->thread)))
		return;
	*running->first = (struct kernel_trap){
	    .kind = check->kind,
	    .line = check->line,
	    .column = check->column,
	    .file = check->file,
	    .thread = {id[0], id[1], id[2]},
	    .value = (int64_t)value,
	    .limit = (int64_t)limit,
	};
}

/* The invocation `n` of the group that runs now. */
static struct twin_invocation invocation_of(const struct launch *l, uint32_t n)
{
	const uint32_t *size = l->device->kernel->group;
	struct twin_invocation i = l->invocation;
	uint32_t rest = n;
	for (unsigned axis = 0; axis < 3; axis++) {
		i.local_id[axis] = rest % size[axis];
		i.global_id[axis] = i.group_id[axis] * size[axis] + i.local_id[axis];
		rest /= size[axis];
	}
	i.local_index = n;
	return i;
}

static void run_one(void *context, uint32_t n)
{
	struct launch *l = context;
	struct twin_invocation i = invocation_of(l, n);
	l->here = n;
	twin_program_call(l->kernel, &i, l->arguments);
}

/* The hook of all barriers, of both kinds. */
static void meet(void *context, uint32_t kind)
{
	(void)kind;
	struct launch *l = context;
	uint32_t here = l->here;
	l->waits[here].line = twin_program_barrier()->line;
	l->waits[here].file = twin_program_barrier()->file;
	twin_fibers_meet(l->kernel->fibers);
	l->here = here;
}

static void global_id(const struct launch *l, uint32_t n, uint64_t id[3])
{
	struct twin_invocation i = invocation_of(l, n);
	for (unsigned axis = 0; axis < 3; axis++)
		id[axis] = i.global_id[axis];
}

/* They would wait for ever. As everywhere here they go on without those that left. */
static void note_stuck(void *context, uint32_t waits, uint32_t ended)
{
	struct launch *l = context;
	struct barrier_wait *stuck = l->device->stuck;
	if (stuck->line)
		return;
	*stuck = l->waits[waits];
	global_id(l, waits, stuck->waiting);
	global_id(l, ended, stuck->left);
}

static void run_group(struct launch *l)
{
	const uint32_t *size = l->device->kernel->group;
	if (l->kernel->fibers) {
		twin_fibers_run(l->kernel->fibers, run_one, note_stuck, l);
		return;
	}
	for (uint32_t n = 0; n < size[0] * size[1] * size[2]; n++)
		run_one(l, n);
}

static void run_groups(struct launch *l)
{
	const struct ir_kernel *k = l->device->kernel;
	uint64_t groups[3];
	for (unsigned axis = 0; axis < 3; axis++)
		groups[axis] = (l->device->extents[axis] + k->group[axis] - 1) / k->group[axis];
	for (unsigned axis = 0; axis < 3; axis++)
		l->invocation.group_count[axis] = (uint32_t)groups[axis];
	uint32_t *id = l->invocation.group_id;
	for (uint64_t z = 0; z < groups[2]; z++)
		for (uint64_t y = 0; y < groups[1]; y++)
			for (uint64_t x = 0; x < groups[0]; x++) {
				id[0] = (uint32_t)x, id[1] = (uint32_t)y, id[2] = (uint32_t)z;
				run_group(l);
			}
}

/* An address, and for a slice its length, each. */
static uint64_t *arguments_of(const struct device_launch *launch)
{
	const struct ir_kernel *k = launch->kernel;
	uint64_t *all = memory_zeroed(TWIN_WORDS, sizeof *all), *next = all;
	for (uint32_t i = 0; i < k->parameter_count; i++) {
		const struct device_argument *a = &launch->arguments[i];
		*next++ = a->buffer ? (uint64_t)(uintptr_t)host_buffer_address(a->buffer) : a->bits;
		if (k->parameters[i].kind == IR_PARAMETER_BUFFER)
			*next++ = a->length;
	}
	return all;
}

static bool twin_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                        struct kernel_trap *trap)
{
	(void)d;
	struct barrier_wait unasked = {0};
	struct device_launch asked = *launch;
	asked.stuck = launch->stuck ? launch->stuck : &unasked;
	uint64_t *arguments = arguments_of(launch);
	struct launch *l = memory_zeroed(1, sizeof *l);
	l->kernel = twin_program_kernel(p, launch->kernel);
	l->device = &asked;
	l->arguments = arguments;
	l->first = trap;
	struct twin_barrier *barrier = twin_program_barrier(), before = *barrier;
	*barrier = (struct twin_barrier){.hook = l->kernel->fibers ? meet : NULL, .context = l};
	running = l;
	run_groups(l);
	running = NULL;
	*barrier = before;
	uint64_t failed = l->failed;
	if (launch->failed)
		*launch->failed = failed;
	free(arguments);
	free(l);
	return !failed && !asked.stuck->line;
}

static struct device_program *twin_load(struct device *d, const struct ir_module *module,
                                        const struct artifact_provider *provider, struct text *error)
{
	(void)d;
	return twin_program_load(module, provider, note_failure, error);
}

static void twin_free(struct device *d, struct device_program *p)
{
	(void)d;
	twin_program_free(p);
}

const struct device_functions device_twin_functions = {
    .describe = twin_describe,
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_host = host_buffer_address,
    .program_load = twin_load,
    .program_free = twin_free,
    .launch = twin_launch,
};
