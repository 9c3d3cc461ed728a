/* What an interface of the Vulkan form is: differences between languages are data. */
#ifndef SSPUR_TARGETS_VULKAN_FORM_H
#define SSPUR_TARGETS_VULKAN_FORM_H

#include <stdbool.h>
#include <stdint.h>

/* Every buffer (and by-value struct) is a binding of set 0, in parameter order from 0. What follows: */
struct vulkan_form {
	uint32_t version; /* of SPIR-V, as its header has it: 0x00010300 */
	bool settings;    /* a buffer with scalars, lengths, extents and first group; else lengths are OpArrayLength's,
	                     the grid is whole groups from group 0, and there are no scalars */
	bool mask;        /* a buffer with the failed threads' bits, after the status record */
	bool float_modes; /* execution modes of SPV_KHR_float_controls are declared */
	uint32_t hazards; /* of the device (ir/hazard.h): subnormals that may be flushed are not asked to be kept */
};

#endif
