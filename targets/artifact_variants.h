/* Which functions of a kernel an artifact has, besides the one that checks (ir/ir_variant.h). */
#ifndef SSPUR_TARGETS_ARTIFACT_VARIANTS_H
#define SSPUR_TARGETS_ARTIFACT_VARIANTS_H

#include "ir/ir_variant.h"
#include "targets/targets.h"

struct artifact_variants;

/* Of the module in each of these files; to be freed. */
struct artifact_variants *artifact_variants_find(const struct ir_module *m, const struct artifact_file *files);
void artifact_variants_free(struct artifact_variants *v);
/* Appends the entry point's name in files[file]. False: the file has no such function, or is for a CPU, which takes
 * variants by names of its own (docs/abi.md). */
bool artifact_variant_name(const struct artifact_variants *v, unsigned file, const struct ir_kernel *k,
                           enum kernel_variant variant, struct text *out);

#endif
