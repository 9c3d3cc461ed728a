/* The targets of `sspur build`, and which of them are asked for. */
#ifndef SSPUR_TOOLS_BUILD_TARGETS_H
#define SSPUR_TOOLS_BUILD_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "utils/tools/command.h"

enum { BUILD_TARGET_LIMIT = 11 };

/* What the driver must know of a target; the compiler module makes the bytes. */
struct build_target {
	const char *name, *extension;
	bool prints; /* to standard output when there is no -o */
};

struct build_targets {
	const struct build_target *rows[BUILD_TARGET_LIMIT];
	size_t count;
	const char *spirv; /* of the target vulkan: its version, "spirv1.6"; NULL: the usual one */
};

/* Adds the targets of --target's list; says on standard error which is unknown. */
enum status build_targets_read(struct build_targets *targets, const char *list);
/* Adds the form of SPIR-V that --triple names; says on standard error that it is unknown. */
enum status build_targets_read_triple(struct build_targets *targets, const char *triple);
bool build_targets_have(const struct build_targets *targets, const char *name);
/* Of the i-th target's file: both forms of SPIR-V have one extension. */
const char *build_targets_extension(const struct build_targets *targets, size_t i);

#endif
