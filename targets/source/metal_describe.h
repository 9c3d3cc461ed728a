/* What the reflection file and the header say of the Metal form (docs/abi.md, Metal form). */
#ifndef SSPUR_TARGETS_SOURCE_METAL_DESCRIBE_H
#define SSPUR_TARGETS_SOURCE_METAL_DESCRIBE_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* A member of a kernel's object: buffers and settings. */
void metal_describe_kernel(const struct ir_kernel *k, struct text *json);
/* Of the header: the settings as a struct, unless the header has it for Vulkan, where it is the same; and the indices
 * of the buffers. `c_type` and `member` spell types and names. */
void metal_describe_header(const struct ir_kernel *k, bool has_settings, const char *(*c_type)(const char *type),
                           const char *(*member)(const char *name, struct arena *arena), struct text *out);

#endif
