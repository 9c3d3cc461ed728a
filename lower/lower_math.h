/* Rewrites math, math2, idiv and irem as other operations: by ir/math.h, and by idiv_trap and irem_trap that never
 * trap. Needs nothing. Leaves none of the four. */
#ifndef SSPUR_LOWER_LOWER_MATH_H
#define SSPUR_LOWER_LOWER_MATH_H

#include "ir/ir.h"

bool lower_math(struct ir_module *m);

#endif
