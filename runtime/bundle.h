/* Bundles (.sspk): what the runtime loads without the compiler. One file of parts: the kernels as IR text, of which the
 * runtime evaluates `pre` and `@grid`, their reflection, and artifacts for devices (docs/api.md has the format). */
#ifndef SSPUR_RUNTIME_BUNDLE_H
#define SSPUR_RUNTIME_BUNDLE_H

#include "ir/hazard.h"
#include "runtime/device.h"

/* What Vulkan does not promise of any device, and what it need not promise. */
#define BUNDLE_VULKAN_ROUNDING                                                                                         \
	((uint32_t)(IR_HAZARD_DIVIDE_F32 | IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F32 | IR_HAZARD_ROOT_F64))
#define BUNDLE_VULKAN_FLUSHING ((uint32_t)(IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64))

/* What OpenCL devices may not promise. */
#define BUNDLE_OPENCL_HAZARDS                                                                                          \
	((uint32_t)(IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64 | IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32 |            \
	            IR_HAZARD_NO_F64))

/* What Metal's devices do not promise. */
#define BUNDLE_METAL_HAZARDS ((uint32_t)(IR_HAZARD_FLUSH_F32 | IR_HAZARD_NO_F64))

/* Their numbers in a file. */
enum bundle_part {
	BUNDLE_KIR,        /* kernel IR as text; always there */
	BUNDLE_REFLECTION, /* NAME.json; always there */
	BUNDLE_NATIVE,     /* relocatable object */
	BUNDLE_PTX,
	BUNDLE_SPIRV,            /* OpenCL form */
	BUNDLE_SPIR_BITCODE,     /* the same as LLVM bitcode */
	BUNDLE_VULKAN,           /* Vulkan form, for devices with hazards of both sets above */
	BUNDLE_VULKAN_KEEPS,     /* for devices that keep subnormals: hazards of the first set */
	BUNDLE_VULKAN_ROUNDS,    /* for software devices: hazards of both sets, and IR_HAZARD_ROUNDS */
	BUNDLE_OPENCL_C,         /* for devices without hazards */
	BUNDLE_OPENCL_C_INEXACT, /* for devices with any of BUNDLE_OPENCL_HAZARDS */
	BUNDLE_METAL,            /* source, for devices with BUNDLE_METAL_HAZARDS: the kernels without F64 */
	BUNDLE_METALLIB,         /* the same, compiled; where there was a Metal toolchain */
	BUNDLE_PART_COUNT,
};

/* Bytes of the parts, borrowed; data NULL: the part is not there. A part that is there may be empty. */
struct bundle {
	struct {
		const void *data;
		uint64_t size;
	} parts[BUNDLE_PART_COUNT];
};

void bundle_write(const struct bundle *b, struct text *out);
/* The parts of the file, within `bytes`. False with one line in *error for anything that bundle_write does not write:
 * cut, damaged, longer, of another version, or no bundle. Reads nothing past `size`. */
bool bundle_read(const void *bytes, size_t size, struct bundle *b, struct text *error);
/* Serves the parts of a bundle to devices: `bundle` outlives it. */
struct artifact_provider bundle_provider(const struct bundle *b);

#endif
