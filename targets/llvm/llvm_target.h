/* Target `llvm`: the native target's module as LLVM IR text. */
#ifndef SSPUR_TARGETS_LLVM_LLVM_TARGET_H
#define SSPUR_TARGETS_LLVM_LLVM_TARGET_H

#include "targets/targets.h"

bool llvm_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
               struct text *error);

#endif
