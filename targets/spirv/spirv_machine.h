/* OpenCL's SPIR-V as the lowering sees it. */
#ifndef SSPUR_TARGETS_SPIRV_SPIRV_MACHINE_H
#define SSPUR_TARGETS_SPIRV_SPIRV_MACHINE_H

#include "lower/llvm/machine.h"

extern const struct machine spirv_machine;
/* Metadata of the whole module: the OpenCL version that its builtins belong to. */
void spirv_mark_module(LLVMModuleRef module);
/* Replaces `freeze`, which SPIR-V lacks, by its operand: an undefined value is one of its own there anyway. */
void spirv_remove_freezes(LLVMModuleRef module);
/* SPIR-V wants every block after its dominator: reverse postorder. Blocks that are never reached go last. */
void spirv_order_blocks(LLVMModuleRef module);

#endif
