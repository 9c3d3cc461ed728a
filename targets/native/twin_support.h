/* What an object of the target twin has besides its kernels, so that it links with the C library alone: the barrier
 * hook, and what a failed check does. All of it is weak: a program has one of each, whichever object it is from. */
#ifndef SSPUR_TARGETS_NATIVE_TWIN_SUPPORT_H
#define SSPUR_TARGETS_NATIVE_TWIN_SUPPORT_H

#include "lower/llvm/machine.h"

/* cone_barrier, cone_setBarrierHook, cone_clearBarrierHook and cone_failed, before any kernel. */
void twin_support_add(LLVMModuleRef module);
/* As struct machine has them. */
void twin_support_failed(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef value,
                         LLVMValueRef limit);
void twin_support_barrier(struct lowering *l, enum ir_barrier kind);

#endif
