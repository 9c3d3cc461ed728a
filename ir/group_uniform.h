/* Values that are the same for all threads of a group, by the list of spec/sspur.md 1.5: literals, scalar
 * parameters, lengths, group ids and sizes, the grid's size, variables of loops that hold a barrier and have such
 * bounds, and operations of those. (uniformity.c proves more, through locals and loads.) */
#ifndef SSPUR_IR_GROUP_UNIFORM_H
#define SSPUR_IR_GROUP_UNIFORM_H

#include "ir/ir.h"

#define GROUP_VARYING (-1)

struct group_uniform {
	/* By id. Of a value: GROUP_VARYING, or how deep the innermost loop with a barrier stands whose variable it is
	 * made of; 0: of none, so it never changes. */
	int *levels;
	/* By id. Of a for or loop that holds a barrier: how many such loops it is in, itself included; else 0. */
	int *depths;
	bool *holds_barrier; /* by id, of control */
};

struct group_uniform group_uniform_find(const struct ir_kernel *k, struct arena *arena);

#endif
