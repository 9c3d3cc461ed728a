/* Modules that are built in, as Cone source: core, its mem, and libc. */
#ifndef SSPUR_FRONTEND_CONE_CONE_CORE_H
#define SSPUR_FRONTEND_CONE_CONE_CORE_H

#include <stddef.h>

struct cone_builtin {
	const char *name; /* "core", "mem", "libc" */
	const char *file; /* as diagnostics and the file list name it: "core.cone" */
	const unsigned char *bytes;
	size_t length;
};

extern const struct cone_builtin cone_builtins[]; /* ends with a NULL name; made by the build, see CMakeLists.txt */
/* NULL: not built in. */
const struct cone_builtin *cone_builtin_named(const char *name);

#endif
