/* Correctly rounded quotients and square roots of floats by integer arithmetic alone. */
#ifndef SSPUR_LOWER_EXACT_INTEGER_H
#define SSPUR_LOWER_EXACT_INTEGER_H

#include "ir/hazard.h"
#include "ir/ir.h"

/* Each appends to the builder's region, and answers the bits of the result: a u32 for f32, a u64 for f64.
 * Operands that are subnormal and may be flushed (FLUSH_F32, FLUSH_F64 in `hazards`) give any result: they are
 * flagged. */
struct ir_instruction *exact_quotient(struct ir_builder *b, struct ir_instruction *x, struct ir_instruction *y,
                                      uint32_t hazards);
struct ir_instruction *exact_root(struct ir_builder *b, struct ir_instruction *x, uint32_t hazards);

#endif
