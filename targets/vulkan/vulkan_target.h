/* SPIR-V, Vulkan form: written straight from the kernel IR. */
#ifndef SSPUR_TARGETS_VULKAN_TARGET_H
#define SSPUR_TARGETS_VULKAN_TARGET_H

#include "targets/targets.h"

/* options->cpu: "spirv1.3" to "spirv1.6"; NULL: the usual one of the module's form (vulkan_form.c). */
bool vulkan_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                 struct text *error);

#endif
