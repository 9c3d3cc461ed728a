/* Variants of a kernel (spec/sspur.md 3.4): the functions that an artifact has of it. */
#ifndef SSPUR_IR_IR_VARIANT_H
#define SSPUR_IR_IR_VARIANT_H

#include "ir/ir.h"
#include "utils/base/text.h"

enum kernel_variant {
	KERNEL_CHECKED, /* flags, or traps */
	KERNEL_PROVED,  /* `NAME__proved`: without checks, status and mask, for threads in which nothing can go wrong */
	KERNEL_NARROW,  /* `NAME__narrow`: the same, and it computes 64-bit values in 32 bits */
};
#define KERNEL_PROVED_SUFFIX "__proved"
#define KERNEL_NARROW_SUFFIX "__narrow"

/* Whether the kernel, one of a module as it comes from a front end, has the variant. It has none but KERNEL_CHECKED
 * where no launch can be proved (an atomic sum of floats), threads leave their group early (a return inside control),
 * or the variant's name is another kernel's; and not KERNEL_NARROW where 64 bits are taken as they are (bitcast).
 * Kernels that record their failures have KERNEL_PROVED alone, and only in native code: their artifacts for devices are
 * as docs/abi.md says. */
bool ir_variant_exists(const struct ir_kernel *k, enum kernel_variant variant);
/* Appends the name of the kernel that is the variant. */
void ir_variant_name(const struct ir_kernel *k, enum kernel_variant variant, struct text *out);

#endif
