/* Dead code: what a kernel computes and nobody uses. */
#ifndef SSPUR_IR_IR_DEAD_H
#define SSPUR_IR_IR_DEAD_H

#include "ir/ir.h"

/* Removes unused pure operations, loads and gets, sets of locals that are never read, those locals, and ifs and
 * fors with nothing in them; true if changed. */
bool ir_remove_dead(struct ir_kernel *k);

#endif
