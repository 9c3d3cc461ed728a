/* Two lanes of the first group that meet on an element: the accesses are evaluated for every lane, as far as they are
 * made of lanes and literals alone. */
#include "ir/phase.h"

#include "ir/ir_fold.h"

#define MAX_ELEMENTS (1u << 15)
#define BUDGET 500 /* operations for one value */

struct evaluation {
	const struct ir_kernel *kernel;
	int64_t id[3];
	int64_t *rounds; /* by id of a for: the value of its variable */
	unsigned budget;
};

static bool evaluate(struct evaluation *e, const struct ir_instruction *i, uint64_t *value);

static bool evaluate_choice(struct evaluation *e, const struct ir_choice *choice, uint64_t *value)
{
	uint64_t condition;
	if (!evaluate(e, choice->condition, &condition))
		return false;
	const struct ir_instruction *side = condition ? choice->then : choice->other;
	*value = condition;
	return !side || evaluate(e, side, value);
}

static bool evaluate_operation(struct evaluation *e, const struct ir_instruction *i, uint64_t *value)
{
	uint64_t operands[IR_MAX_OPERANDS] = {0};
	unsigned arity = ir_op_infos[i->op].arity;
	if (!arity || !(ir_op_infos[i->op].flags & (IR_FLAG_PURE | IR_FLAG_TRAP)))
		return false;
	for (unsigned n = 0; n < arity; n++)
		if (!evaluate(e, i->operands[n], &operands[n]))
			return false;
	const struct ir_type *type = i->operands[i->op == IR_OP_select]->type;
	return ir_evaluate_op(i->op, type, i->type, operands, value) == TRAP_NONE;
}

static bool evaluate(struct evaluation *e, const struct ir_instruction *i, uint64_t *value)
{
	struct ir_choice choice;
	if (!e->budget)
		return false;
	e->budget--;
	switch ((int)i->op) {
	case IR_OP_const: *value = i->bits; return true;
	case IR_OP_group_size: *value = e->kernel->group[i->axis]; return true;
	case IR_OP_group_id: *value = 0; return true;
	case IR_OP_global_id:
	case IR_OP_local_id: *value = (uint64_t)e->id[i->axis]; return true;
	case IR_OP_for: *value = (uint64_t)e->rounds[i->id]; return true;
	case IR_OP_get: return ir_choice_of(i, &choice) && evaluate_choice(e, &choice, value);
	}
	return evaluate_operation(e, i, value);
}

static bool in_then(const struct ir_instruction *i, const struct ir_instruction *test)
{
	while (i->previous)
		i = i->previous;
	return test->regions[0].first == i;
}

/* Whether the thread surely gets to i, in the first round of each loop around; in the second of `later`. */
static bool reaches(struct evaluation *e, const struct ir_instruction *i, const struct ir_instruction *later)
{
	const struct ir_instruction *control = i->parent;
	uint64_t first, end;
	if (!control)
		return true;
	if (!reaches(e, control, later))
		return false;
	e->budget = BUDGET;
	if (control->op == IR_OP_if)
		return evaluate(e, control->operands[0], &first) && (first != 0) == in_then(i, control);
	if (control->op != IR_OP_for || !evaluate(e, control->operands[0], &first) ||
	    !evaluate(e, control->operands[1], &end) || (int64_t)first >= (int64_t)end ||
	    (int64_t)end - 1 - (control == later) < (int64_t)first)
		return false;
	e->rounds[control->id] = (int64_t)first + (control == later);
	return true;
}

/* The element that a lane's access makes; -1: unknown, or none. */
static int64_t element_of(struct evaluation *e, const struct ir_instruction *access, const struct ir_instruction *later,
                          uint64_t lane)
{
	uint64_t element = 0;
	const struct ir_type *type = access->base->type;
	uint64_t count = type->kind == IR_TYPE_array ? type->count : 1;
	for (unsigned axis = 0; axis < 3; axis++) {
		uint32_t threads = e->kernel->group[axis];
		e->id[axis] = (int64_t)(lane % threads);
		lane /= threads;
	}
	if (!reaches(e, access, later))
		return -1;
	e->budget = BUDGET;
	if (access->path_count && access->path[0].index && !evaluate(e, access->path[0].index, &element))
		return -1;
	return element < count && element < MAX_ELEMENTS ? (int64_t)element : -1;
}

/* Barriers are where they surely part the phases: in loops that surely run. */
static bool is_certain(void *context, struct ir_instruction *i)
{
	struct evaluation *e = context;
	if (i->op == IR_OP_break || i->op == IR_OP_continue || i->op == IR_OP_return)
		return false;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_BARRIER))
		return true;
	for (const struct ir_instruction *c = i->parent; c; c = c->parent)
		if (c->op != IR_OP_for)
			return false;
	return reaches(e, i, NULL);
}

void phase_find_example(const struct phase_accesses *all, struct ir_race *race)
{
	const struct ir_kernel *k = all->race->kernel;
	struct arena *arena = all->race->arena;
	struct evaluation e = {.kernel = k, .rounds = ARENA_ARRAY(arena, int64_t, k->next_id)};
	if (!ir_visit(&k->body, is_certain, &e))
		return;
	uint64_t lanes = (uint64_t)k->group[0] * k->group[1] * k->group[2], best = MAX_ELEMENTS;
	uint64_t *makers = ARENA_ARRAY(arena, uint64_t, 2 * MAX_ELEMENTS); /* by element: 1 + the first two lanes */
	for (uint64_t lane = 0; lane < lanes; lane++) {
		int64_t element = element_of(&e, race->first, NULL, lane);
		if (element >= 0 && !makers[2 * element + 1])
			makers[2 * element + (makers[2 * element] != 0)] = lane + 1;
	}
	for (uint64_t lane = 0; lane < lanes; lane++) {
		int64_t element = element_of(&e, race->second, race->around, lane);
		if (element < 0 || (uint64_t)element >= best)
			continue;
		uint64_t first = makers[2 * element], second = makers[2 * element + 1];
		uint64_t other = first == lane + 1 ? second : first;
		if (!other)
			continue;
		best = (uint64_t)element;
		race->has_example = true;
		race->threads[0] = other - 1;
		race->threads[1] = lane;
		race->element = element;
	}
}
