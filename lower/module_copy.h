/* A copy of a module that passes may change. */
#ifndef SSPUR_LOWER_MODULE_COPY_H
#define SSPUR_LOWER_MODULE_COPY_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* By the text form, whose round trip is exact. NULL with one line in *error. Free with ir_module_free. */
struct ir_module *module_copy(const struct ir_module *m, struct text *error);

#endif
