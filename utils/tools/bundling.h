/* Bundles made from a module (runtime/bundle.h has the file). */
#ifndef SSPUR_TOOLS_BUNDLING_H
#define SSPUR_TOOLS_BUNDLING_H

#include "utils/tools/compiler.h"

/* Appends the bundle of the module, with code for every device; false with one line in *error. */
bool bundle_make(const struct compiler *compiler, const struct ir_module *module, struct text *out, struct text *error);

#endif
