/* A module's code on Metal, and the pipelines of its kernels, each made when it is first launched. Called within a
 * pool. */
#ifndef SSPUR_RUNTIME_METAL_PROGRAM_H
#define SSPUR_RUNTIME_METAL_PROGRAM_H

#include "runtime/bundle.h"
#include "runtime/metal_runtime.h"

/* What Metal does not promise: Apple's GPUs flush subnormals, and have no F64. Without fast math, division and root are
 * correctly rounded (Metal Shading Language, Numerical Compliance). */
#define METAL_HAZARDS BUNDLE_METAL_HAZARDS

struct metal_gpu {
	const struct metal_runtime *m;
	struct metal_object *device;
	struct metal_size group_limits;
};

struct metal_kernel {
	struct metal_object *functions[KERNEL_VARIANTS]; /* NULL: the code has no such function */
	struct metal_object *pipelines[KERNEL_VARIANTS];
	struct text failures[KERNEL_VARIANTS]; /* why there is no pipeline; empty: it was not asked for */
	uint32_t slices;                       /* buffers 0, 1, ...; then settings, status, mask */
};

struct metal_program {
	const struct metal_gpu *gpu;
	const struct ir_module *source;
	struct metal_kernel *kernels; /* in the order of source's */
};

/* False with *error; then there is nothing to free. */
bool metal_program_load(struct metal_program *p, const struct metal_gpu *gpu, const struct ir_module *source,
                        const struct artifact_provider *provider, struct text *error);
void metal_program_free(struct metal_program *p);
struct metal_kernel *metal_program_kernel(const struct metal_program *p, const struct ir_kernel *k);
/* Makes the pipeline of this variant where it is not made. False with *error. */
bool metal_kernel_prepare(struct metal_kernel *made, const struct metal_program *p, const struct ir_kernel *k,
                          enum kernel_variant variant, struct text *error);

#endif
