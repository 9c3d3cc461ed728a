/* `check --prove`: which memories of kernels are proved free of races. */
#ifndef SSPUR_TOOLS_RACE_PROOFS_H
#define SSPUR_TOOLS_RACE_PROOFS_H

#include "frontend/cone/cone_ast.h"
#include "ir/ir.h"
#include "utils/base/text.h"

/* A line for each kernel of the module, and one for each of its buffers and shared arrays: `  out: proved: ...`,
 * `  out: not proved: FILE:LINE:COLUMN: REASON`. Kernels' files are as diagnostics call them: those of the program, or,
 * where that is NULL, `path`; the FILE of a reason is without folders where the module lists files. */
void race_proofs_print(const struct ir_module *m, const struct cone_program *program, const char *path,
                       struct text *out);
/* The same as JSON objects, separated by commas (docs/cli.md), each FILE with its folders; after others if *out is not
 * empty. */
void race_proofs_print_json(const struct ir_module *m, const struct cone_program *program, const char *path,
                            struct text *out);

#endif
