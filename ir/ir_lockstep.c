/* Grouped kernels, and which control their lanes go through together (ir.h). */
#include "ir/ir.h"

static bool is_no_barrier(void *context, struct ir_instruction *i)
{
	(void)context;
	return !(ir_op_infos[i->op].flags & IR_FLAG_BARRIER);
}

bool ir_has_barrier(const struct ir_region *region)
{
	return !ir_visit(region, is_no_barrier, NULL);
}

static bool has_easy_barriers(void *context, struct ir_instruction *i)
{
	const struct ir_kernel *k = context;
	bool narrow = k->group[0] == 1 && k->group[1] * k->group[2] > 1;
	return (i->op != IR_OP_if && !narrow) || !ir_holds_barrier(i);
}

/* Whether a loop without barriers that is no `for` comes after the end of a loop with one; ended: one has ended. */
static bool loops_again(const struct ir_region *region, bool *ended)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		bool is_loop = i->op == IR_OP_for || i->op == IR_OP_loop, holds = is_loop && ir_holds_barrier(i);
		if (*ended && i->op == IR_OP_loop && !holds)
			return true;
		if (loops_again(&i->regions[0], ended) || loops_again(&i->regions[1], ended))
			return true;
		*ended |= holds;
	}
	return false;
}

bool ir_has_uneasy_barrier(const struct ir_kernel *k)
{
	bool ended = false;
	return loops_again(&k->body, &ended) || !ir_visit(&k->body, has_easy_barriers, (void *)k);
}

bool ir_is_grouped(const struct ir_kernel *k)
{
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_SHARED)
			return true;
	return ir_has_barrier(&k->body);
}

bool ir_holds_barrier(const struct ir_instruction *control)
{
	return ir_has_barrier(&control->regions[0]) || ir_has_barrier(&control->regions[1]);
}

struct lockstep {
	struct arena *arena;
	bool *found;                   /* by id */
	struct ir_instruction **jumps; /* breaks and continues */
	uint32_t jump_count, jump_capacity;
};

/* All control around an instruction. What is around control that was found before was found with it. */
static bool find_around(struct lockstep *l, const struct ir_instruction *i)
{
	bool any = false;
	for (const struct ir_instruction *control = i->parent; control && !l->found[control->id];
	     control = control->parent)
		any = l->found[control->id] = true;
	return any;
}

static bool visit(void *context, struct ir_instruction *i)
{
	struct lockstep *l = context;
	if (ir_op_infos[i->op].flags & IR_FLAG_BARRIER)
		find_around(l, i);
	if (i->op == IR_OP_break || i->op == IR_OP_continue)
		*ARENA_PUSH(l->arena, l->jumps, l->jump_count, l->jump_capacity) = i;
	return true;
}

bool *ir_find_lockstep(const struct ir_kernel *k, struct arena *arena)
{
	struct lockstep l = {.arena = arena, .found = ARENA_ARRAY(arena, bool, k->next_id)};
	ir_visit(&k->body, visit, &l);
	/* A loop that a jump out of another makes lockstep may itself be left by jumps. */
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t n = 0; n < l.jump_count; n++)
			if (l.found[l.jumps[n]->target->id])
				changed |= find_around(&l, l.jumps[n]);
	}
	return l.found;
}
