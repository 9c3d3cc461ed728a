/* Runs the `sequential` functions of the module's native object, which need have no others. */
#include "runtime/device_seq.h"

#include <stdlib.h>

#include "runtime/host_memory.h"
#include "runtime/native_program.h"

static void seq_describe(struct device *d, struct text *out)
{
	(void)d;
	text_add(out, "native code, one thread, in order (f64, subnormals, exact division and root)");
}

static bool seq_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                       struct kernel_trap *trap)
{
	(void)d;
	struct native_call call;
	native_call_open(&call, p, launch);
	void *workspace = native_call_workspace(&call);
	uint64_t failed = native_call_run(&call, call.first, call.last, trap, workspace);
	if (launch->failed)
		*launch->failed = failed;
	free(workspace);
	native_call_close(&call);
	return failed == 0;
}

const struct device_functions device_seq_functions = {
    .describe = seq_describe,
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_host = host_buffer_address,
    .program_load = native_program_load_ordered,
    .program_free = native_program_free,
    .launch = seq_launch,
};
