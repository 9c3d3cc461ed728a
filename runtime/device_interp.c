/* Runs a launch's threads one after another through the IR interpreter, on buffers in host memory. */
#include "runtime/device_interp.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/ir_race_log.h"
#include "utils/base/debug_words.h"
#include "runtime/host_memory.h"
#include "utils/base/arena.h"

static struct ir_race_log *watched; /* under the launch lock, as every launch */

void device_interp_watch_races(struct ir_race_log *log)
{
	watched = log;
}

static void interp_describe(struct device *d, struct text *out)
{
	(void)d;
	text_add(out, "the IR interpreter, the reference (f64, subnormals, exact division and root)");
}

/* There is nothing to load: the launch names its kernel. */
static struct device_program *interp_program_load(struct device *d, const struct ir_module *module,
                                                  const struct artifact_provider *provider, struct text *error)
{
	(void)d, (void)provider, (void)error;
	return (struct device_program *)(uintptr_t)module;
}

static void interp_program_free(struct device *d, struct device_program *p)
{
	(void)d, (void)p;
}

/* The failures of a kernel that records them. */
struct failures {
	uint64_t count;
	struct kernel_trap *first;
};

static bool record_failure(void *context, const struct kernel_trap *trap)
{
	struct failures *f = context;
	if (!f->count++)
		*f->first = *trap;
	return true;
}

/* All threads. False: some have failed, the first of them with *trap. */
static bool run_recording(const struct device_launch *launch, const struct ir_argument *arguments, uint64_t last,
                          struct kernel_trap *trap, const struct ir_looks *looks)
{
	struct failures failures = {.first = trap};
	struct kernel_trap unused;
	ir_run_checked(launch->kernel, arguments, launch->extents, launch->first, last, record_failure, &failures,
	               &unused, NULL, looks);
	if (launch->failed)
		*launch->failed = failures.count;
	return !failures.count;
}

static bool interp_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                          struct kernel_trap *trap)
{
	(void)d, (void)p;
	const struct ir_kernel *k = launch->kernel;
	struct ir_argument *arguments = memory_zeroed(k->parameter_count + 1, sizeof *arguments);
	for (uint32_t i = 0; i < k->parameter_count; i++) {
		const struct device_argument *a = &launch->arguments[i];
		arguments[i].bits = a->bits;
		arguments[i].length = a->length;
		if (a->buffer)
			arguments[i].data = host_buffer_address(a->buffer);
	}
	uint64_t last = launch->last;
	if (!last)
		last = launch->extents[0] * launch->extents[1] * launch->extents[2];
	bool subnormals = false;
	struct ir_looks looks = {.races = watched, .subnormals = debug_words_have("subnormals") ? &subnormals : NULL};
	bool good = k->policy == IR_POLICY_RECORD ? run_recording(launch, arguments, last, trap, &looks)
	                                          : ir_run_checked(k, arguments, launch->extents, launch->first, last,
	                                                           NULL, NULL, trap, NULL, &looks);
	if (subnormals)
		fprintf(stderr, "interp: %s: subnormals\n", k->name);
	free(arguments);
	return good;
}

const struct device_functions device_interp_functions = {
    .describe = interp_describe,
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_host = host_buffer_address,
    .program_load = interp_program_load,
    .program_free = interp_program_free,
    .launch = interp_launch,
};
