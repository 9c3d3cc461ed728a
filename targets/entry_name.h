/* Names of entry points in artifacts. */
#ifndef SSPUR_TARGETS_ENTRY_NAME_H
#define SSPUR_TARGETS_ENTRY_NAME_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* Appends the name that kernel k has in the artifact of a target ("ptx", ...). A name that the target reserves, or that
 * another kernel's new name would take, gets trailing `_`; native code has a suffix of its own.
 * True if it is not the kernel's name. */
bool entry_name(const char *target, const struct ir_kernel *k, struct text *out);
/* Whether the target gives the name a meaning of its own: for OpenCL C and Metal also where it is no entry point's. */
bool entry_name_reserved(const char *target, const char *name);

#endif
