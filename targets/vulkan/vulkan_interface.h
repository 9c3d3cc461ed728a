/* Bindings and settings of a kernel in the Vulkan form (docs/abi.md, Vulkan form). */
#ifndef SSPUR_TARGETS_VULKAN_INTERFACE_H
#define SSPUR_TARGETS_VULKAN_INTERFACE_H

#include "ir/ir.h"

/* One value of the settings buffer. */
struct vulkan_setting {
	const char *name; /* "a", "x_length", "n", "first_group", "has_mask"; arena */
	const char *type; /* "f32", "bool" (as 32 bits), "u64", "u32" */
	uint32_t size, offset;
};

struct vulkan_interface {
	uint32_t *bindings;              /* by parameter; scalars have none: UINT32_MAX */
	uint32_t settings, status, mask; /* bindings, or UINT32_MAX: status and mask where the kernel is proved,
	                                    settings and mask where it takes buffers alone */
	struct vulkan_setting *values;
	uint32_t value_count;
	uint32_t size;                                 /* of the settings, a multiple of 8 */
	uint32_t *offsets;                             /* by parameter: of the scalar, or of the slice's length */
	uint32_t extents[3], first_group[3], has_mask; /* offsets; has_mask UINT32_MAX where proved */
};

struct vulkan_interface vulkan_interface_make(const struct ir_kernel *k, struct arena *arena);

#endif
