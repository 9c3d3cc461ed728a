/* Compiled kernels on disk: one file an entry, named by the hash of its key, safe under parallel processes
 * (a temporary file and a rename). A cache that cannot be used is never an error. */
#ifndef SSPUR_TOOLS_OBJECT_CACHE_H
#define SSPUR_TOOLS_OBJECT_CACHE_H

#include <stdbool.h>

#include "ir/ir.h"
#include "utils/base/text.h"

/* Everything the artifact depends on: the module's text, the target, with words after its name for other than its usual
 * code, the compiler module's identity, and for native code this processor's features. False when the compiler module
 * cannot be found. */
bool object_cache_key(const struct ir_module *module, const char *target, struct text *key);
/* Appends the entry's bytes. False when there is none, when it is damaged, was written for another key with the same
 * hash, or is not a private file of this user. */
bool object_cache_read(const struct text *key, struct text *bytes);
/* Keeps an entry; does nothing when it cannot (read-only, full, no home). */
void object_cache_write(const struct text *key, const struct text *bytes);

/* The bytes of an entry's file, appended to *entry, and what they hold, appended to *bytes; false: they are not whole,
 * or of another key. */
void object_cache_encode(const struct text *key, const struct text *bytes, struct text *entry);
bool object_cache_decode(const void *entry, size_t size, const struct text *key, struct text *bytes);

#endif
