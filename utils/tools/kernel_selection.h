/* Which kernels of a module a target takes: those that it does not are left out of its artifact. */
#ifndef SSPUR_TOOLS_KERNEL_SELECTION_H
#define SSPUR_TOOLS_KERNEL_SELECTION_H

#include "utils/tools/compiler.h"

struct program;
struct cone_program;

/* Appends the artifact of the kernels that the target takes; why[n], which the caller frees, is set for each other, the
 * n-th of the module. False with one line in *error where it takes none, or what it refuses is not a kernel; `why` is
 * then as it was. `why` NULL: all kernels or none. */
bool kernel_selection_emit(const struct compiler *compiler, const char *target, const struct ir_module *module,
                           const struct target_options *options, char **why, struct text *out, struct text *error);
/* A warning on standard error for each kernel that the target's artifact does not have. The program is SSPUR's or
 * Cone's; the other is NULL. */
void kernel_selection_warn(const struct program *program, const struct cone_program *cone, const char *target,
                           const struct ir_module *module, char *const *why);

#endif
