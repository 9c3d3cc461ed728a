/* A limit that every target has: a thread's own memory is on its stack. */
#ifndef SSPUR_LOWER_PRIVATE_MEMORY_H
#define SSPUR_LOWER_PRIVATE_MEMORY_H

#include "ir/ir.h"
#include "utils/base/text.h"

enum { PRIVATE_MEMORY_LIMIT = 256 << 10 }; /* bytes of a kernel's private memories, in all */

/* False with one line in *error: it has more. */
bool private_memory_fits(const struct ir_kernel *k, struct text *error);

#endif
