/* What a bare artifact has to tell of its kernels: what its reflection file (NAME.json, docs/abi.md) says. */
#ifndef SSPUR_RUNTIME_ARTIFACT_REFLECTION_H
#define SSPUR_RUNTIME_ARTIFACT_REFLECTION_H

#include "runtime/device.h"

/* Facts of a kernel that its signature does not say. */
struct artifact_kernel {
	bool grouped; /* runs in whole groups */
	bool float64; /* computes in F64 */
	uint64_t shared_size;
};

/* What the artifact is, by its first bytes, or of a text by words in it; false: nothing that is known. */
bool artifact_recognize(const void *bytes, size_t size, enum artifact_kind *kind);
/* "PTX"; as the target of `sspur build` is called, "ptx". */
const char *artifact_kind_text(enum artifact_kind kind);
const char *artifact_kind_target(enum artifact_kind kind);

/* The kernels with their parameters, groups and axes, and no bodies. *facts is one a kernel, for free(). NULL with one
 * line in *error: the file is no reflection, or not of an artifact of this kind, or its kernels cannot be launched by
 * this version. Nothing in it is trusted but what it says of the artifact. */
struct ir_module *artifact_reflection_read(const void *json, size_t size, enum artifact_kind kind,
                                           struct artifact_kernel **facts, struct text *error);

#endif
