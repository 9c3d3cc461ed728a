/* Keeps compilers from knowing that what is compared is zero. */
#ifndef SSPUR_LOWER_LOWER_ZEROS_H
#define SSPUR_LOWER_LOWER_ZEROS_H

#include "ir/ir.h"

/* True if changed. */
bool lower_zeros(struct ir_module *m);

#endif
