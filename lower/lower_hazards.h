/* Flags where a device may flush subnormals. */
#ifndef SSPUR_LOWER_LOWER_HAZARDS_H
#define SSPUR_LOWER_LOWER_HAZARDS_H

#include "ir/hazard.h"
#include "ir/ir.h"

/* `hazards`: a set of enum ir_hazard, of which FLUSH_F32 and FLUSH_F64 count here. True if changed. */
bool lower_hazards(struct ir_module *m, uint32_t hazards);

#endif
