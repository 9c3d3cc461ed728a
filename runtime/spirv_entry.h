/* SPIR-V modules, cut down to one entry point: some drivers, and the validation layer, look at all of a module when
 * they compile one kernel of it, and have memory for every id below its bound. */
#ifndef SSPUR_RUNTIME_SPIRV_ENTRY_H
#define SSPUR_RUNTIME_SPIRV_ENTRY_H

#include <stdbool.h>

#include "utils/base/text.h"

/* Whether it has the header of a module and whole instructions. */
bool spirv_is_whole(const struct text *code);
/* Calls `see` with each capability (SpvCapability) the module declares, until that is false; the same. */
bool spirv_capabilities(const struct text *code, bool (*see)(void *context, uint32_t capability), void *context);

/* Where things are in a module, so that each cut takes the time of what it keeps. */
struct spirv_index;

/* `code` is whole, and outlives the index. */
struct spirv_index *spirv_index_new(const struct text *code);
/* NULL is allowed. */
void spirv_index_free(struct spirv_index *index);
bool spirv_has_entry(const struct spirv_index *index, const char *name);
/* Appends the module with this entry point alone, and of its functions, variables, constants and types what that one
 * uses, with ids from 1 on (section 2.4: any order of the rest is kept). Where an operation among these is not known
 * here (spirv_operands.h), ids stay, and more may be kept. The module has the entry point. */
void spirv_entry_alone(struct spirv_index *index, const char *name, struct text *out);

#endif
