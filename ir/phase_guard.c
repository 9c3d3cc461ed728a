/* Guards of accesses to shared memory (spec/sspur.md 1.5): `if lid < u`, `if lid == c`, and what is made of them. */
#include "ir/phase.h"

/* Conditions looked at for one `if`; they may share parts. */
#define MAX_CONDITIONS 64

static void add(struct ir_linear *list, uint32_t *count, const struct ir_linear *form)
{
	if (!form->known || *count == PHASE_MAX_BOUNDS)
		return;
	for (uint32_t n = 0; n < *count; n++)
		if (ir_linear_equal(&list[n], form))
			return;
	list[(*count)++] = *form;
}

static struct ir_linear plus(const struct phase_accesses *all, const struct ir_linear *form, int64_t constant)
{
	struct ir_linear one = linear_constant(constant);
	return linear_add(form, &one, all->race->arena);
}

/* The stride in lane numbers of the axis whose rows are whole ranges of lanes: the last with more than one thread. */
static unsigned last_axis(const struct ir_kernel *k)
{
	unsigned axis = k->axes - 1;
	while (axis > 0 && k->group[axis] == 1)
		axis--;
	return axis;
}

static bool is_multiple(const int64_t *strides, const int64_t *of, int64_t factor)
{
	for (unsigned axis = 0; axis < 3; axis++)
		if (strides[axis] != of[axis] * factor)
			return false;
	return true;
}

/* strides * lid == factor * lid.axis */
static bool is_axis(const int64_t *strides, unsigned axis, int64_t factor)
{
	int64_t one[3] = {0};
	one[axis] = 1;
	return is_multiple(strides, one, factor);
}

/* `positive` > 0 holds: lane > -rest, or lane < rest. */
static void add_comparison(const struct phase_accesses *all, struct phase_guards *guards,
                           const struct ir_linear *positive)
{
	const struct ir_kernel *k = all->race->kernel;
	struct arena *arena = all->race->arena;
	int64_t strides[3], lane[3];
	struct ir_linear rest;
	if (!phase_split(all, positive, strides, &rest))
		return;
	phase_lane_strides(k, lane);
	unsigned axis = last_axis(k);
	for (int sign = -1; sign <= 1; sign += 2) {
		int64_t rows = is_multiple(strides, lane, sign) ? 1 : is_axis(strides, axis, sign) ? lane[axis] : 0;
		if (!rows)
			continue;
		struct ir_linear bound = linear_scale(&rest, -sign, arena);
		if (sign > 0)
			bound = plus(all, &bound, 1);
		bound = linear_scale(&bound, rows, arena);
		if (sign > 0)
			add(guards->lows, &guards->low_count, &bound);
		else
			add(guards->highs, &guards->high_count, &bound);
	}
}

static void add_lane(const struct phase_accesses *all, struct phase_guards *guards, const struct ir_linear *lane)
{
	struct ir_linear after = plus(all, lane, 1);
	add(guards->lanes, &guards->lane_count, lane);
	add(guards->lows, &guards->low_count, lane);
	add(guards->highs, &guards->high_count, &after);
}

/* All of lid.x, lid.y, ... known is one lane. */
static void join_axes(const struct phase_accesses *all, struct phase_guards *guards)
{
	const struct ir_kernel *k = all->race->kernel;
	struct ir_linear lane = linear_constant(0);
	int64_t strides[3];
	phase_lane_strides(k, strides);
	for (unsigned axis = 0; axis < k->axes; axis++) {
		if (k->group[axis] == 1)
			continue;
		struct ir_linear part = linear_scale(&guards->axes[axis], strides[axis], all->race->arena);
		lane = linear_add(&lane, &part, all->race->arena);
	}
	if (lane.known)
		add_lane(all, guards, &lane);
}

static void add_equality(const struct phase_accesses *all, struct phase_guards *guards,
                         const struct ir_linear *difference)
{
	const struct ir_kernel *k = all->race->kernel;
	struct arena *arena = all->race->arena;
	int64_t strides[3], lane[3];
	struct ir_linear rest;
	if (!phase_split(all, difference, strides, &rest))
		return;
	phase_lane_strides(k, lane);
	for (int sign = -1; sign <= 1; sign += 2) {
		struct ir_linear value = linear_scale(&rest, -sign, arena);
		if (is_multiple(strides, lane, sign))
			add_lane(all, guards, &value);
		for (unsigned axis = 0; axis < k->axes; axis++) {
			if (k->group[axis] == 1 || !is_axis(strides, axis, sign))
				continue;
			guards->axes[axis] = value;
			join_axes(all, guards);
			if (axis != last_axis(k))
				continue;
			struct ir_linear low = linear_scale(&value, lane[axis], arena),
			                 high = plus(all, &low, lane[axis]);
			add(guards->lows, &guards->low_count, &low);
			add(guards->highs, &guards->high_count, &high);
		}
	}
}

static void add_condition(const struct phase_accesses *all, struct phase_guards *guards,
                          const struct ir_instruction *condition, unsigned *budget);

/* A choice that is false unless two conditions hold. */
static void add_both(const struct phase_accesses *all, struct phase_guards *guards, const struct ir_instruction *x,
                     const struct ir_instruction *y, const struct ir_instruction *other, unsigned *budget)
{
	if (other && (other->op != IR_OP_const || other->bits))
		return;
	add_condition(all, guards, x, budget);
	add_condition(all, guards, y, budget);
}

static void add_condition(const struct phase_accesses *all, struct phase_guards *guards,
                          const struct ir_instruction *condition, unsigned *budget)
{
	const struct linear_context *forms = all->race->forms;
	struct arena *arena = all->race->arena;
	if (!*budget)
		return;
	--*budget;
	const struct ir_instruction *x = condition->operands[0], *y = condition->operands[1];
	struct ir_linear more = {0};
	struct ir_choice choice;
	switch ((int)condition->op) {
	case IR_OP_lt:
	case IR_OP_le:
		more = linear_subtract(linear_context_form(forms, y), linear_context_form(forms, x), arena);
		break;
	case IR_OP_gt:
	case IR_OP_ge:
	case IR_OP_eq:
		more = linear_subtract(linear_context_form(forms, x), linear_context_form(forms, y), arena);
		break;
	case IR_OP_band: add_both(all, guards, x, y, NULL, budget); return;
	case IR_OP_select: add_both(all, guards, x, y, condition->operands[2], budget); return;
	case IR_OP_get:
		if (ir_choice_of(condition, &choice) && choice.then)
			add_both(all, guards, choice.condition, choice.then, choice.other, budget);
		return;
	}
	if (!more.known)
		return;
	if (condition->op == IR_OP_le || condition->op == IR_OP_ge)
		more = plus(all, &more, 1);
	if (condition->op == IR_OP_eq)
		add_equality(all, guards, &more);
	else
		add_comparison(all, guards, &more);
}

void phase_add_guard(const struct phase_accesses *all, struct phase_guards *guards,
                     const struct ir_instruction *condition)
{
	unsigned budget = MAX_CONDITIONS;
	add_condition(all, guards, condition, &budget);
}
