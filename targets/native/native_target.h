/* Targets `native` (an object of this machine, see targets/native_abi.h) and `llvm` (its LLVM IR as text). */
#ifndef SSPUR_TARGETS_NATIVE_NATIVE_TARGET_H
#define SSPUR_TARGETS_NATIVE_NATIVE_TARGET_H

#include "lower/llvm/compilation.h"
#include "targets/targets.h"

bool native_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                 struct text *error);
/* Fills the compilation's module with the optimized code of all kernels. */
bool native_build(struct compilation *c, const struct ir_module *module, const struct target_options *options);
/* Of this machine's processor, or the one that the options name. */
bool native_set_target(struct compilation *c, const struct target_options *options, LLVMCodeGenOptLevel level);

#endif
