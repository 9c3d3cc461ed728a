/* Keeps NVIDIA's compilers from taking -x and x for one another. */
#ifndef SSPUR_LOWER_LOWER_NEGATIONS_H
#define SSPUR_LOWER_LOWER_NEGATIONS_H

#include "ir/ir.h"

/* Of an integer: -x in any form that compilers make one of, or a magnitude. */
bool lower_is_negation(const struct ir_instruction *i);
/* True if changed. */
bool lower_negations(struct ir_module *m);

#endif
