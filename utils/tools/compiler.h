/* The compiler module (LLVM and the targets), opened only when something must be compiled. */
#ifndef SSPUR_TOOLS_COMPILER_H
#define SSPUR_TOOLS_COMPILER_H

#include "runtime/device.h"
#include "targets/targets.h"

struct compiler {
	/* See targets/targets.h. */
	bool (*emit)(const char *target, const struct ir_module *module, const struct target_options *options,
	             struct text *out, struct text *error);
	void (*describe)(const struct ir_module *module, const struct artifact_file *files, struct text *json,
	                 struct text *header);
	const char *(*version)(void);
	bool (*spirv_to_bitcode)(const void *spirv, size_t size, struct text *out, struct text *error);
};

/* Opens libsspur_compiler.so, from the executable's folder or ../lib/sspur beside it; once, any thread. NULL with one
 * line in *error when it is not there or does not load. */
const struct compiler *compiler_open(struct text *error);
/* Path of the module's file; NULL when there is none. The caller frees. */
char *compiler_path(void);

/* Artifacts for devices: from the object cache, else compiled and cached. `use_cache` false: always compiled. */
struct artifact_provider artifact_provider_make(bool use_cache);

#endif
