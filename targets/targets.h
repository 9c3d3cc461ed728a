/* Targets: kernel IR to artifact bytes. One row a target; the compiler module exports one function. */
#ifndef SSPUR_TARGETS_TARGETS_H
#define SSPUR_TARGETS_TARGETS_H

#include <stdbool.h>

#include "ir/ir.h"
#include "utils/base/text.h"

struct target_options {
	int optimize;      /* 0: no LLVM passes; 2: the default */
	const char *cpu;   /* native: NULL is the host's; nvptx: NULL is sm_70 */
	bool status;       /* thread mode: keep checks and the status record (always true in this version) */
	uint32_t hazards;  /* of the device (ir/hazard.h) */
	bool checked_only; /* no variants (ir/ir_variant.h): no launch is proved */
	bool ordered_only; /* native: `sequential` functions alone, no lanes and no variants */
};

struct target {
	const char *name;      /* "native" "ptx" "spirv" "llvm" "kir"; "twin": native code of Cone */
	const char *extension; /* ".o" ".ptx" ".spv" ".ll" ".kir" */
	bool is_text;
	/* Appends the artifact's bytes; false with one line in *error. Never aborts on a module that verifies. */
	bool (*emit)(const struct ir_module *module, const struct target_options *options, struct text *out,
	             struct text *error);
};

extern const struct target targets[]; /* ends with a NULL name */
const struct target *target_find(const char *name);

/* What `sspur build` wrote, for the reflection file; ends with a NULL target. */
struct artifact_file {
	const char *target; /* "ptx" */
	const char *file;   /* name without folders: "saxpy.ptx" */
	/* Why it does not have a kernel, one each; NULL: it has it. NULL: it has all. */
	char *const *left_out;
};

/* The compiler module's only exported symbols (libsspur_compiler.so, opened when something must be compiled). */
#define SSPUR_EXPORT __attribute__((visibility("default")))
SSPUR_EXPORT bool sspur_compiler_emit(const char *target, const struct ir_module *module,
                                      const struct target_options *options, struct text *out, struct text *error);
/* `LLVM 15.0.6, SPIRV-LLVM-Translator 15.0` */
SSPUR_EXPORT const char *sspur_compiler_version(void);
/* SPIR-V (OpenCL form) back to LLVM bitcode for OpenCL devices without IL; false with *error. */
SSPUR_EXPORT bool sspur_compiler_spirv_to_bitcode(const void *spirv, size_t size, struct text *out, struct text *error);

/* The reflection file (NAME.json) and the C header (NAME.h) of a module (docs/abi.md). `files` ends with a
 * NULL target. */
SSPUR_EXPORT void sspur_compiler_describe(const struct ir_module *module, const struct artifact_file *files,
                                          struct text *json, struct text *header);

#endif
