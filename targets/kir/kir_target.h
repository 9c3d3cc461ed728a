/* Target `kir`: the kernel IR as text. */
#ifndef SSPUR_TARGETS_KIR_KIR_TARGET_H
#define SSPUR_TARGETS_KIR_KIR_TARGET_H

#include "targets/targets.h"

bool kir_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
              struct text *error);

#endif
