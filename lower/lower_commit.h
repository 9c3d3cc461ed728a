/* Stores of commit-safe kernels go last. */
#ifndef SSPUR_LOWER_LOWER_COMMIT_H
#define SSPUR_LOWER_LOWER_COMMIT_H

#include "ir/ir.h"

/* True if changed. */
bool lower_commit(struct ir_module *m);

#endif
