/* Reading and analysing a program for a command, with its errors told the same way everywhere. */
#ifndef SSPUR_TOOLS_INPUT_H
#define SSPUR_TOOLS_INPUT_H

#include "frontend/ssp/ast.h"
#include "utils/base/file_roles.h"
#include "utils/tools/command.h"

/* A file being worked on. */
struct input {
	struct source source;
	struct diagnostics diagnostics;
	struct program *program;
};

enum input_depth {
	INPUT_PARSE,       /* the syntax tree only */
	INPUT_ANALYZE,     /* checked, kernels built */
	INPUT_ALLOW_RACES, /* the same, but races are no errors */
};

/* Reads `path` to the depth asked for. STATUS_USAGE when it cannot be read (said on stderr),
 * STATUS_FAILED when it has errors. input_close it in every case. */
enum status input_open(struct input *in, const char *path, enum input_depth depth);
/* Prints its diagnostics, warnings included, on stderr. */
void input_report(struct input *in);
void input_close(struct input *in);

/* The files of a command before it writes any (file_roles_check): STATUS_USAGE after saying what is wrong. Frees them.
 */
enum status command_check_files(struct file_roles *files, const char *hint);

/* `sspur: TEXT` on stderr, then STATUS_USAGE. */
enum status command_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and `hint: HINT` on the next line. */
enum status command_error_hint(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
