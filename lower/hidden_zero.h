/* A zero that no compiler knows. */
#ifndef SSPUR_LOWER_HIDDEN_ZERO_H
#define SSPUR_LOWER_HIDDEN_ZERO_H

#include "ir/ir.h"

/* Of an integer or float type. Made where it is used, so that it is kept over no barrier. */
struct ir_instruction *hidden_zero(struct ir_builder *b, const struct ir_type *type);

#endif
