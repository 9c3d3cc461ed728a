/* Quotients and square roots that a device does not round correctly, computed so that they are. */
#ifndef SSPUR_LOWER_LOWER_EXACT_H
#define SSPUR_LOWER_LOWER_EXACT_H

#include "ir/hazard.h"
#include "ir/ir.h"

/* `hazards`: a set of enum ir_hazard. True if changed. */
bool lower_exact(struct ir_module *m, uint32_t hazards);

#endif
