/* Kernels that are launched where nothing can go wrong. */
#ifndef SSPUR_LOWER_LOWER_VARIANTS_H
#define SSPUR_LOWER_LOWER_VARIANTS_H

#include "ir/ir.h"

/* Adds `NAME__proved` and `NAME__narrow` after each kernel that stops at the first trap and has them (ir/ir_variant.h).
 * True if changed. */
bool lower_variants(struct ir_module *m);
/* The same for kernels that record their failures. */
bool lower_variants_recorded(struct ir_module *m);

#endif
