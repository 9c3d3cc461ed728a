/* Modules on OpenCL: SPIR-V where the device takes it, else the same as LLVM bitcode (cl_khr_spir), else OpenCL C,
 * which every device takes. SSPUR_OPENCL = il, bitcode or source asks for one of them. */
#ifndef SSPUR_RUNTIME_OPENCL_MODULE_H
#define SSPUR_RUNTIME_OPENCL_MODULE_H

#include "runtime/device.h"
#include "runtime/opencl_driver.h"

enum opencl_form { OPENCL_FORM_IL, OPENCL_FORM_BITCODE, OPENCL_FORM_SOURCE, OPENCL_FORM_COUNT };

/* What a device loads. */
struct opencl_target {
	struct opencl_context *context;
	struct opencl_device *device;
	bool takes[OPENCL_FORM_COUNT];
	bool exact_f32;   /* offers correctly rounded division and root, and is asked for them */
	bool float64;     /* kernels with F64 can be there */
	uint32_t hazards; /* ir/hazard.h */
};

struct opencl_module {
	struct opencl_program *program;
	enum opencl_form form;
	const struct ir_module *source;
	/* KERNEL_VARIANTS each, in the order of source's kernels; NULL: not there, or the driver could not take its
	 * name
	 */
	struct opencl_kernel **kernels;
};

/* Asks the device what it takes; false with why in *error when it does not take what SSPUR_OPENCL asks for. */
bool opencl_target_make(struct opencl_target *t, const struct opencl_driver *cl, struct text *error);
/* The forms that it takes, the one that it is given first: `SPIR-V or OpenCL C`. */
void opencl_target_forms(const struct opencl_target *t, struct text *out);
/* False with *error; then there is nothing to free. */
bool opencl_module_load(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                        const struct ir_module *source, const struct artifact_provider *provider, struct text *error);
void opencl_module_free(struct opencl_module *m, const struct opencl_driver *cl);

#endif
