/* Modules on OpenCL: SPIR-V where the device takes it, else the same as LLVM bitcode (cl_khr_spir). */
#ifndef SSPUR_RUNTIME_OPENCL_MODULE_H
#define SSPUR_RUNTIME_OPENCL_MODULE_H

#include "runtime/device.h"
#include "runtime/opencl_driver.h"

/* What a device loads. */
struct opencl_target {
	struct opencl_context *context;
	struct opencl_device *device;
	bool takes_spirv, takes_bitcode;
	bool exact_f32; /* offers correctly rounded division and root, and is asked for them */
};

struct opencl_module {
	struct opencl_program *program;
	const struct ir_module *source;
	/* KERNEL_VARIANTS each, in the order of source's kernels; NULL: not there, or the driver could not take its
	 * name
	 */
	struct opencl_kernel **kernels;
};

/* Asks the device what it takes; false with why in *error when it takes neither form. */
bool opencl_target_make(struct opencl_target *t, const struct opencl_driver *cl, struct text *error);
/* False with *error; then there is nothing to free. */
bool opencl_module_load(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                        const struct ir_module *source, const struct artifact_provider *provider, struct text *error);
void opencl_module_free(struct opencl_module *m, const struct opencl_driver *cl);

#endif
