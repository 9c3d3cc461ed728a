/* Which passes a module goes through before it is lowered. */
#ifndef SSPUR_LOWER_PIPELINE_H
#define SSPUR_LOWER_PIPELINE_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* For machines that run one thread a call (PTX, SPIR-V): a changed copy of the module, to be freed with
 * ir_module_free, with variants of its kernels where they are asked for. `hazards` of the device (ir/hazard.h). NULL
 * with one line in *error if the module does not verify. */
struct ir_module *pipeline_thread(const struct ir_module *m, uint32_t hazards, bool variants, struct text *error);
/* The same where compilers that follow may mistake zeros and lose signs (lower_zeros, lower_negations): Vulkan's writer
 * hides them itself. */
struct ir_module *pipeline_thread_hidden(const struct ir_module *m, uint32_t hazards, bool variants,
                                         struct text *error);
/* For machines that have the functions themselves: nothing is changed, and there are no variants. */
struct ir_module *pipeline_copy(const struct ir_module *m, struct text *error);
/* For native code, as pipeline_thread. */
struct ir_module *pipeline_native(const struct ir_module *m, bool variants, struct text *error);
/* For a C function a thread (MACHINE_INVOCATION): without variants. */
struct ir_module *pipeline_invocation(const struct ir_module *m, struct text *error);

#endif
