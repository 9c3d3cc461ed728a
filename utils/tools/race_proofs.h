/* `check --prove`: which memories of kernels are proved free of races. */
#ifndef SSPUR_TOOLS_RACE_PROOFS_H
#define SSPUR_TOOLS_RACE_PROOFS_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* A line for each kernel of the module, and one for each of its buffers and shared arrays: `  out: proved: ...`,
 * `  out: not proved: FILE:LINE:COLUMN: REASON`. `path`: the file's, where the module lists none. */
void race_proofs_print(const struct ir_module *m, const char *path, struct text *out);
/* The same as JSON objects, separated by commas (docs/cli.md); after others if *out is not empty. */
void race_proofs_print_json(const struct ir_module *m, const char *path, struct text *out);

#endif
