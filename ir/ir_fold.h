/* Constant evaluation of pure operations: one function serves the folder, the interpreter and tests. */
#ifndef SSPUR_IR_IR_FOLD_H
#define SSPUR_IR_IR_FOLD_H

#include "ir/ir.h"

/* Evaluates one operation without regions or memory on values in 64-bit form. `type` is the
 * operands' type (operand 1's for select, the source's for conversions), `to` the result's type.
 * Returns TRAP_NONE with *result set, or the trap (TRAP_PANIC for a failed `check`, whose kind is on its
 * instruction). Not for what is given, memory, locals and control. Exact semantics of both languages. */
enum trap_kind ir_evaluate_op(enum ir_op op, const struct ir_type *type, const struct ir_type *to,
                              const uint64_t *operands, uint64_t *result);
/* Folds constants in a kernel (never one that would trap, nor control flow); true if changed. */
bool ir_fold(struct ir_kernel *k);

#endif
