/* What the reflection file and the header say of the Vulkan form (docs/abi.md, Vulkan form). */
#ifndef SSPUR_TARGETS_VULKAN_DESCRIBE_H
#define SSPUR_TARGETS_VULKAN_DESCRIBE_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* A member of the file's object: SPIR-V's version, and the features that the device must have for the artifact. */
void vulkan_describe_module(const struct ir_module *m, struct text *json);
/* A member of a kernel's object: bindings and settings. */
void vulkan_describe_kernel(const struct ir_kernel *k, struct text *json);
/* Of the header: the settings as a struct, and the numbers of the bindings. `c_type` and `member` spell types and
 * names. */
void vulkan_describe_header(const struct ir_kernel *k, const char *(*c_type)(const char *type),
                            const char *(*member)(const char *name, struct arena *arena), struct text *out);

#endif
