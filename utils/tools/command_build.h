/* Making artifacts of a module in a folder: for packages. */
#ifndef SSPUR_TOOLS_COMMAND_BUILD_H
#define SSPUR_TOOLS_COMMAND_BUILD_H

#include <stddef.h>

#include "utils/base/file_roles.h"
#include "utils/tools/command.h"

struct cone_program;
struct ir_module;
struct build;

/* The Vulkan form that `triple` names (NULL: spirv1.6-unknown-vulkan1.3), and the targets of `list` (NULL: none).
 * `strict`: kernels that a target does not take are errors. NULL after saying what is wrong on standard error. */
struct build *command_build_open(const char *triple, const char *list, bool strict);
/* Whether `native` is among them, which for Cone is made of the program as the CPU twin has it (cone_machine_twin). */
bool command_build_has_native(const struct build *b);
/* Makes all in memory of the program, which outlives the build, `native` of `twin` (NULL: of the same). The files will
 * be FOLDER/NAME.spv for Vulkan, FOLDER/NAME.opencl.spv for `spirv`, FOLDER/NAME.EXTENSION for the others. */
enum status command_build_make(struct build *b, const struct cone_program *program, const struct ir_module *twin,
                               const char *folder, const char *name);
/* Adds all that will be written. */
void command_build_add_files(const struct build *b, struct file_roles *files);
/* Writes them, NAME.h and NAME.json; each whole or not at all. */
enum status command_build_write(struct build *b);
/* The .spv, the first file of a package, once more: in this folder, which is made. */
bool command_build_copy(const struct build *b, const char *folder, struct text *error);
/* Of the i-th file, Vulkan's first; NULL: there are no more. */
const char *command_build_path(const struct build *b, size_t i);
void command_build_close(struct build *b);

#endif
