/* The functions of enum ir_math. Each is one sequence of integer and float operations of the IR, the same wherever it
 * runs: the interpreter evaluates it, lower_math writes it out. So the bits are the same on every target. All but fmod
 * are within 1 ulp of the true value, and none needs f64. A NaN result is the quiet one without sign. */
#ifndef SSPUR_IR_MATH_H
#define SSPUR_IR_MATH_H

#include "ir/ir.h"

/* x, y and the result in 64-bit form; y is not read by functions of one operand. */
uint64_t ir_math_evaluate(enum ir_math math, const struct ir_type *type, uint64_t x, uint64_t y);
/* The operations that make the result; y NULL for functions of one operand. */
struct ir_instruction *ir_math_expand(struct ir_builder *b, enum ir_math math, struct ir_instruction *x,
                                      struct ir_instruction *y);

#endif
