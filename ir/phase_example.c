/* Two lanes of the first group that meet on an element: the accesses are evaluated for every lane, as far as they are
 * made of lanes and literals alone. */
#include "ir/phase.h"

#include "ir/ir_fold.h"

#define MAX_DEPTH 1000

struct evaluation {
	const struct ir_kernel *kernel;
	struct phase_examples *shared;
	int64_t id[3];
	unsigned depth; /* of values in values */
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

static bool evaluate_value(struct evaluation *e, const struct ir_instruction *i, uint64_t *value)
{
	struct ir_choice choice;
	switch ((int)i->op) {
	case IR_OP_const: *value = i->bits; return true;
	case IR_OP_group_size: *value = e->kernel->group[i->axis]; return true;
	case IR_OP_group_id: *value = 0; return true;
	case IR_OP_global_id:
	case IR_OP_local_id: *value = (uint64_t)e->id[i->axis]; return true;
	case IR_OP_for: *value = (uint64_t)e->shared->rounds[i->id]; return true;
	case IR_OP_get: return ir_choice_of(i, &choice) && evaluate_choice(e, &choice, value);
	}
	return evaluate_operation(e, i, value);
}

static bool evaluate(struct evaluation *e, const struct ir_instruction *i, uint64_t *value)
{
	if (!e->shared->steps || e->depth == MAX_DEPTH)
		return false;
	e->shared->steps--;
	e->depth++;
	bool known = evaluate_value(e, i, value);
	e->depth--;
	return known;
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
	if (control->op == IR_OP_if)
		return evaluate(e, control->operands[0], &first) && (first != 0) == in_then(i, control);
	if (control->op != IR_OP_for || !evaluate(e, control->operands[0], &first) ||
	    !evaluate(e, control->operands[1], &end) || (int64_t)first >= (int64_t)end ||
	    (int64_t)end - 1 - (control == later) < (int64_t)first)
		return false;
	e->shared->rounds[control->id] = (int64_t)first + (control == later);
	return true;
}

/* At most IR_MAX_SHARED_BYTES. */
static uint64_t element_count(const struct ir_memory *memory)
{
	return memory->type->kind == IR_TYPE_array ? memory->type->count : 1;
}

/* The element that a lane's access makes; -1: unknown, or none. */
static int64_t element_of(struct evaluation *e, const struct ir_instruction *access, const struct ir_instruction *later,
                          uint64_t lane)
{
	uint64_t element = 0;
	for (unsigned axis = 0; axis < 3; axis++) {
		uint32_t threads = e->kernel->group[axis];
		e->id[axis] = (int64_t)(lane % threads);
		lane /= threads;
	}
	if (!reaches(e, access, later))
		return -1;
	if (access->path_count && access->path[0].index && !evaluate(e, access->path[0].index, &element))
		return -1;
	return element < element_count(access->base) ? (int64_t)element : -1;
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

static bool may_exist(struct evaluation *e)
{
	struct phase_examples *shared = e->shared;
	if (!shared->known)
		shared->none = !ir_visit(&e->kernel->body, is_certain, e);
	shared->known = true;
	return !shared->none;
}

void phase_find_example(const struct phase_accesses *all, struct ir_race *race)
{
	const struct ir_kernel *k = all->race->kernel;
	struct evaluation e = {.kernel = k, .shared = all->examples};
	if (!may_exist(&e))
		return;
	uint64_t lanes = (uint64_t)k->group[0] * k->group[1] * k->group[2], count = element_count(race->memory),
	         best = count;
	uint64_t *makers = ARENA_ARRAY(all->race->arena, uint64_t, 2 * count); /* by element: 1 + the first two lanes */
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
