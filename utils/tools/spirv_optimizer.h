/* `spirv-opt -O` over what the device vulkan is given: for developers, who compare with it. */
#ifndef SSPUR_TOOLS_SPIRV_OPTIMIZER_H
#define SSPUR_TOOLS_SPIRV_OPTIMIZER_H

#include <stdbool.h>

#include "utils/base/text.h"

/* Whether the environment asks for it: SSPUR_SPIRV_OPT=1. */
bool spirv_optimizer_asked(void);
/* Replaces the module. false with *error set where the tool is not found, or refuses it. */
bool spirv_optimizer_run(struct text *module, struct text *error);

#endif
