/* Target `twin`: Cone's kernels as C functions of an Invocation, an object of this machine (docs/abi.md, Native objects
 * of Cone). */
#ifndef SSPUR_TARGETS_NATIVE_TWIN_TARGET_H
#define SSPUR_TARGETS_NATIVE_TWIN_TARGET_H

#include "targets/targets.h"

bool twin_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
               struct text *error);
/* The object's C header; appends to what NAME.h has of other artifacts. */
void twin_describe_header(const struct ir_module *module, struct text *out);

#endif
