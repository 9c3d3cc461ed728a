/* Target `spirv`: SPIR-V 1.1 for OpenCL, one entry point a kernel (design, Device ABI). */
#ifndef SSPUR_TARGETS_SPIRV_SPIRV_TARGET_H
#define SSPUR_TARGETS_SPIRV_SPIRV_TARGET_H

#include "targets/targets.h"

bool spirv_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                struct text *error);
/* Target `bitcode`: the same as LLVM bitcode (spir64-unknown-unknown), which OpenCL devices with cl_khr_spir take. */
bool bitcode_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                  struct text *error);

#endif
