/* Targets `opencl` and `metal`: kernels as readable source text, with the semantics of the `thread` mode of lower/llvm.
 */
#ifndef SSPUR_TARGETS_SOURCE_SOURCE_TARGET_H
#define SSPUR_TARGETS_SOURCE_SOURCE_TARGET_H

#include "targets/targets.h"

bool opencl_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                 struct text *error);
/* A kernel with F64 is refused: Metal has none. */
bool metal_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                struct text *error);

#endif
