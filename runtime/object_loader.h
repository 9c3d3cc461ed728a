/* Loads a relocatable ELF object (the `native` target's output) into this process, so that cached and
 * bundled native code runs without LLVM and without a linker. x86-64 only. */
#ifndef SSPUR_RUNTIME_OBJECT_LOADER_H
#define SSPUR_RUNTIME_OBJECT_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/text.h"

struct native_object;

/* Checks and copies the object, applies its relocations, and makes its code executable (never writable at
 * the same time). Undefined symbols may only be the C library functions that generated code needs (rounding,
 * memory). Returns NULL with one line in *error for anything unexpected: truncated or foreign objects, unknown
 * relocations, out of memory. */
struct native_object *native_object_load(const void *bytes, size_t size, struct text *error);
/* What an object's undefined symbols are, besides those functions, and its weak ones, whatever it has for them. */
struct native_import {
	const char *name;
	uint64_t address;     /* or what native_thread_offset says */
	bool is_thread_local; /* reached by an offset from each thread's own address */
};
struct native_object *native_object_link(const void *bytes, size_t size, const struct native_import *imports,
                                         size_t import_count, struct text *error);
/* Of a thread-local variable with the model `initial-exec`: the same in all threads. */
uint64_t native_thread_offset(const void *variable);
/* Address of a defined global symbol; NULL when absent. */
void *native_object_symbol(const struct native_object *object, const char *name);
void native_object_free(struct native_object *object);

#endif
