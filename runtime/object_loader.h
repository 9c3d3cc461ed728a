/* Loads a relocatable ELF object (the `native` target's output) into this process, so that cached and
 * bundled native code runs without LLVM and without a linker. x86-64 only. */
#ifndef SSPUR_RUNTIME_OBJECT_LOADER_H
#define SSPUR_RUNTIME_OBJECT_LOADER_H

#include <stddef.h>

#include "utils/base/text.h"

struct native_object;

/* Checks and copies the object, applies its relocations, and makes its code executable (never writable at
 * the same time). Undefined symbols may only be the C library functions that generated code needs (rounding,
 * memory). Returns NULL with one line in *error for anything unexpected: truncated or foreign objects, unknown
 * relocations, out of memory. */
struct native_object *native_object_load(const void *bytes, size_t size, struct text *error);
/* Address of a defined global symbol; NULL when absent. */
void *native_object_symbol(const struct native_object *object, const char *name);
void native_object_free(struct native_object *object);

#endif
