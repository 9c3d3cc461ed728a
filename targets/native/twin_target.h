/* Target `twin`: Cone's kernels as C functions of an Invocation, an object of this machine (docs/abi.md, Native objects
 * of Cone). */
#ifndef SSPUR_TARGETS_NATIVE_TWIN_TARGET_H
#define SSPUR_TARGETS_NATIVE_TWIN_TARGET_H

#include "targets/targets.h"

bool twin_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
               struct text *error);
/* What other parts of NAME.h spell alike. */
struct twin_words {
	const char *(*c_type)(const char *type);
	const char *(*member_name)(const char *name, struct arena *arena);
};
/* The object's part of NAME.h; `sizes`: also those of groups, which no other part has. */
void twin_describe_header(const struct ir_module *module, const struct twin_words *words, bool sizes, struct text *out);

#endif
