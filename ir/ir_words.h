/* The words of the text form that the operation table does not hold. */
#ifndef SSPUR_IR_IR_WORDS_H
#define SSPUR_IR_IR_WORDS_H

#include "ir/ir.h"

const char *ir_trap_word(enum trap_kind kind); /* "index" */
const char *ir_scope_word(enum ir_scope scope);
const char *ir_order_word(enum ir_order order);
const char *ir_barrier_word(enum ir_barrier barrier);
const char *ir_policy_word(enum ir_policy policy);
const char *ir_math_word(enum ir_math math); /* "sin" */
const char *ir_axis_word(uint32_t axis);     /* "x", "y", "z" */

#endif
