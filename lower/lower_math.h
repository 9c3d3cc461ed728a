/* Functions and divisions that never trap, as operations that every machine has. */
#ifndef SSPUR_LOWER_LOWER_MATH_H
#define SSPUR_LOWER_LOWER_MATH_H

#include "ir/ir.h"

/* No math, math2, idiv and irem is left. True if changed. */
bool lower_math(struct ir_module *m);

#endif
