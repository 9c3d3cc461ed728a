/* A module's SPIR-V on Vulkan, and the pipelines of its kernels, each made when it is first launched. */
#ifndef SSPUR_RUNTIME_VULKAN_PROGRAM_H
#define SSPUR_RUNTIME_VULKAN_PROGRAM_H

#include "runtime/device.h"
#include "runtime/spirv_entry.h"
#include "runtime/vulkan_gpu.h"

struct vulkan_kernel {
	uint32_t bindings; /* of docs/abi.md: slices, settings, status, mask; Cone's: buffers, status */
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout; /* NULL: nothing is made yet */
	VkPipeline pipelines[KERNEL_VARIANTS];
	struct text failures[KERNEL_VARIANTS]; /* why there is none; empty: it was not asked for */
	uint32_t variants;                     /* as device_functions.variants gives them */
};

struct vulkan_program {
	const struct vulkan_gpu *gpu;
	const struct ir_module *source;
	bool buffers_alone; /* ir_takes_buffers_alone(source) */
	struct text code;
	struct spirv_index *index;     /* of the code; each cut writes in it */
	struct vulkan_kernel *kernels; /* in the order of source's */
};

/* False with *error: there is no code, or the device lacks what it needs; then there is nothing to free. */
bool vulkan_program_load(struct vulkan_program *p, const struct vulkan_gpu *gpu, const struct ir_module *source,
                         const struct artifact_provider *provider, struct text *error);
/* None of its pipelines is in use. */
void vulkan_program_free(struct vulkan_program *p);
struct vulkan_kernel *vulkan_program_kernel(const struct vulkan_program *p, const struct ir_kernel *k);
/* Makes the pipeline of this variant where it is not made, and the layouts. False with *error. */
bool vulkan_kernel_prepare(struct vulkan_kernel *made, const struct vulkan_program *p, const struct ir_kernel *k,
                           enum kernel_variant variant, struct text *error);

#endif
