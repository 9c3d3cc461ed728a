/* Files of kernels alone: .cone and .kir. */
#ifndef SSPUR_TOOLS_KERNEL_INPUT_H
#define SSPUR_TOOLS_KERNEL_INPUT_H

#include "frontend/cone/cone_ast.h"
#include "utils/base/file_roles.h"
#include "utils/tools/command.h"

/* The file and its kernels, of one language or the other. */
struct kernel_input {
	struct cone_program *cone; /* NULL: kernel IR, or the file could not be read */
	struct source source;      /* of kernel IR */
	struct diagnostics diagnostics;
	struct ir_module *kir;
	struct ir_module *module; /* of either; NULL: there were errors */
};

/* Reads and checks a file of which options_are_of_dispatch; Cone's for the CPU twin (spec/cone.md part 8), or for
 * other devices. STATUS_USAGE when it cannot be read (said on stderr),
 * STATUS_FAILED when it has errors. kernel_input_close it in every case. */
enum status kernel_input_open(struct kernel_input *k, const char *path, const struct options *o, bool twin);
/* Prints its diagnostics, warnings included, on stderr. */
void kernel_input_report(struct kernel_input *k);
void kernel_input_close(struct kernel_input *k);
/* Adds the files that it was read from. */
void cone_program_add_files(const struct cone_program *p, struct file_roles *files);
void kernel_input_add_files(const struct kernel_input *k, struct file_roles *files);

#endif
