/* Target `ptx`: PTX 6.0 for sm_70 and later, one .entry a kernel (design, Device ABI). */
#ifndef SSPUR_TARGETS_NVPTX_PTX_TARGET_H
#define SSPUR_TARGETS_NVPTX_PTX_TARGET_H

#include "targets/targets.h"

bool ptx_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
              struct text *error);

#endif
