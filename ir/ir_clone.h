/* Copies of kernels. */
#ifndef SSPUR_IR_IR_CLONE_H
#define SSPUR_IR_IR_CLONE_H

#include "ir/ir.h"

/* Appends a copy of kernel k to its module, under a name that no kernel has. Instructions keep their ids. The copy has
 * no `pre` and no grid expressions: they are those of the kernel that is launched in its name. */
struct ir_kernel *ir_clone(const struct ir_kernel *k, const char *name);

#endif
