/* Whether threads of a kernel may run in another order, several at once, though they share memory by atomics. */
#ifndef SSPUR_LOWER_LLVM_ATOMIC_ORDER_H
#define SSPUR_LOWER_LLVM_ATOMIC_ORDER_H

#include "ir/ir.h"

/* Every memory that is updated by atomics is by one relaxed operation of integers that commutes, whose results are not
 * used; and a buffer is accessed in no other way. */
bool atomic_order_is_free(const struct ir_kernel *k, struct arena *arena);
/* Whether threads that run several at once, but each of their atomics for one thread after another in order, leave what
 * threads in order do. A memory is as above, but for the order of its operations; or one atomic alone is on it, at most
 * once a thread (or a thread's part between two barriers). */
bool atomic_order_is_kept(const struct ir_kernel *k, struct arena *arena);
/* Whether the atomic's order does not matter to what is left in memory. */
bool atomic_order_commutes(const struct ir_instruction *i);
/* Whether anything uses its result. */
bool atomic_order_is_used(const struct ir_kernel *k, const struct ir_instruction *i);
/* Whether an atomic of the kernel is on the memory. */
bool atomic_order_updates(const struct ir_kernel *k, const struct ir_memory *m);
/* The value that leaves a memory as it is, by its bits. */
uint64_t atomic_order_identity(enum ir_op op, const struct ir_type *t);

#endif
