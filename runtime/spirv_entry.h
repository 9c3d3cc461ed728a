/* SPIR-V modules, cut down to one entry point: some drivers, and the validation layer, look at all of a module when
 * they compile one kernel of it. */
#ifndef SSPUR_RUNTIME_SPIRV_ENTRY_H
#define SSPUR_RUNTIME_SPIRV_ENTRY_H

#include <stdbool.h>

#include "utils/base/text.h"

/* Whether it has the header of a module and whole instructions. */
bool spirv_is_whole(const struct text *code);
/* Calls `see` with each capability (SpvCapability) the module declares, until that is false; the same. */
bool spirv_capabilities(const struct text *code, bool (*see)(void *context, uint32_t capability), void *context);
bool spirv_has_entry(const struct text *code, const char *name);
/* Appends the module without other entry points, and without the functions, buffers and workgroup variables that are
 * theirs alone.
 * `code` is whole, and has the entry point. */
void spirv_entry_alone(const struct text *code, const char *name, struct text *out);

#endif
