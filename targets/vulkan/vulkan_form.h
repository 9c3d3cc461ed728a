/* What an interface of the Vulkan form is: differences between languages are data. */
#ifndef SSPUR_TARGETS_VULKAN_FORM_H
#define SSPUR_TARGETS_VULKAN_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct ir_module;

/* Every buffer (and by-value struct) is a binding of set 0, in parameter order from 0. What follows: */
struct vulkan_form {
	uint32_t version; /* of SPIR-V, as its header has it: 0x00010300 */
	bool settings;    /* a buffer with scalars, lengths, extents and first group; else lengths are OpArrayLength's,
	                     the grid is whole groups from group 0, and there are no scalars */
	bool mask;        /* a buffer with the failed threads' bits, after the status record */
	bool float_modes; /* execution modes of SPV_KHR_float_controls are declared */
	bool own_functions;   /* the functions of floats, signs and quotients are the device's, and integers' total
	                         divisions are written here; else passes have made them of other operations */
	bool restricts;       /* buffers do not overlap: Restrict */
	bool dotted_names;    /* a buffer is named KERNEL.PARAMETER, the status record KERNEL.errors */
	bool files;           /* source files are listed: OpSourceExtension "cone.file ID NAME" */
	bool ordered_atomics; /* an atomic has its order itself; else there are fences around it */
	bool relaxed_atomics; /* no atomic has an order, and there are no fences */
	uint32_t failure_semantics; /* of the atomic that counts failures, a SpvMemorySemanticsMask */
	uint32_t storage_scope;     /* of storage barriers, a SpvScope */
	uint32_t private_class;     /* of a thread's own memories, a SpvStorageClass: Function or Private */
	uint32_t hazards; /* of the device (ir/hazard.h): subnormals that may be flushed are not asked to be kept */
};

/* The one that the module's kernels have. */
struct vulkan_form vulkan_form_of(const struct ir_module *m, uint32_t version, uint32_t hazards);

#endif
