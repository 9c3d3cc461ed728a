/* Group-uniform values: one pass in text order, since a value comes after what it is made of. */
#include "ir/group_uniform.h"

#include "ir/ir_analysis.h"

static int join(int a, int b)
{
	if (a == GROUP_VARYING || b == GROUP_VARYING)
		return GROUP_VARYING;
	return a > b ? a : b;
}

static int level_of(const struct group_uniform *u, const struct ir_instruction *i)
{
	unsigned flags = ir_op_infos[i->op].flags;
	struct ir_choice choice;
	int level = 0;
	if (ir_choice_of(i, &choice)) {
		level = u->levels[choice.condition->id];
		if (choice.then)
			level = join(level, u->levels[choice.then->id]);
		return choice.other ? join(level, u->levels[choice.other->id]) : level;
	}
	if (i->op == IR_OP_group_id)
		return 0;
	if (i->op != IR_OP_for && (!(flags & (IR_FLAG_PURE | IR_FLAG_TRAP)) || (flags & IR_FLAG_THREAD)))
		return GROUP_VARYING;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		level = join(level, u->levels[i->operands[n]->id]);
	if (i->op == IR_OP_for && level != GROUP_VARYING)
		return u->holds_barrier[i->id] ? u->depths[i->id] : GROUP_VARYING;
	return level;
}

static bool visit_barrier(void *context, struct ir_instruction *i)
{
	struct group_uniform *u = context;
	if (ir_op_infos[i->op].flags & IR_FLAG_BARRIER)
		for (i = i->parent; i && !u->holds_barrier[i->id]; i = i->parent)
			u->holds_barrier[i->id] = true;
	return true;
}

static bool visit_value(void *context, struct ir_instruction *i)
{
	struct group_uniform *u = context;
	if ((i->op == IR_OP_for || i->op == IR_OP_loop) && u->holds_barrier[i->id]) {
		const struct ir_instruction *outer = i->parent;
		while (outer && !u->depths[outer->id])
			outer = outer->parent;
		u->depths[i->id] = 1 + (outer ? u->depths[outer->id] : 0);
	}
	u->levels[i->id] = level_of(u, i);
	return true;
}

struct group_uniform group_uniform_find(const struct ir_kernel *k, struct arena *arena)
{
	struct group_uniform u = {
	    .levels = ARENA_ARRAY(arena, int, k->next_id),
	    .depths = ARENA_ARRAY(arena, int, k->next_id),
	    .holds_barrier = ARENA_ARRAY(arena, bool, k->next_id),
	};
	ir_visit(&k->body, visit_barrier, &u);
	ir_visit_kernel(k, visit_value, &u);
	return u;
}
