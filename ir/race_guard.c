/* Guards `if lid == c`: what a condition that holds says of the thread (spec/sspur.md 1.4). */
#include "ir/race.h"

/* Conditions may be locals that are set under other conditions: `lid == c and ok` becomes
 *   set t, lid == c   if lid == c { set t, ok }   if get t { ... } */
#define MAX_DEPTH 6
/* Locals looked up an access: giving up loses a guard, never soundness. */
#define MAX_SEARCHES 64

struct guard_list {
	struct ir_linear *items;
	uint32_t count;
	const struct set_search *searches; /* of locals, that this list is made for */
	bool assumed;                      /* a local of them was true before: what holds then holds here */
};

static void add_guard(struct guard_list *list, const struct ir_linear *guard)
{
	for (uint32_t n = 0; n < list->count; n++)
		if (ir_linear_equal(&list->items[n], guard))
			return;
	if (list->count < RACE_MAX_GUARDS)
		list->items[list->count++] = *guard;
}

static void add_condition(const struct race_context *c, const struct ir_instruction *condition, struct guard_list *list,
                          unsigned depth);

/* lhs == rhs is lid == c when the difference is lid - c or c - lid. */
static void add_equality(const struct race_context *c, const struct ir_instruction *equality, struct guard_list *list)
{
	struct ir_linear difference = linear_subtract(linear_context_form(c->forms, equality->operands[0]),
	                                              linear_context_form(c->forms, equality->operands[1]), c->arena);
	struct ir_linear factor, rest;
	if (!linear_split(&difference, IR_OP_local_id, 0, &factor, &rest, c->arena) || !linear_is_constant(&factor))
		return;
	if (factor.constant == 1)
		rest = linear_scale(&rest, -1, c->arena);
	else if (factor.constant != -1)
		return;
	if (ir_linear_uniform(&rest))
		add_guard(list, &rest);
}

/* Conditions of the `if`s whose then-branch holds i. */
static void add_enclosing(const struct race_context *c, const struct ir_instruction *i, struct guard_list *list,
                          unsigned depth)
{
	for (; i->parent; i = i->parent) {
		if (i->parent->op != IR_OP_if)
			continue;
		const struct ir_instruction *first = i;
		while (first->previous)
			first = first->previous;
		if (i->parent->regions[0].first == first)
			add_condition(c, i->parent->operands[0], list, depth);
	}
}

struct set_search {
	const struct set_search *outer;
	const struct race_context *race;
	const struct ir_local *local;
	unsigned depth;
	bool any; /* a set was seen that may be true by itself */
	struct guard_list common;
};

static bool visit_set(void *context, struct ir_instruction *i)
{
	struct set_search *search = context;
	if (i->op != IR_OP_set || i->local != search->local)
		return true;
	if (i->operands[0]->op == IR_OP_const && !i->operands[0]->bits)
		return true;
	struct ir_linear items[RACE_MAX_GUARDS];
	struct guard_list here = {.items = items, .searches = search};
	add_enclosing(search->race, i, &here, search->depth);
	add_condition(search->race, i->operands[0], &here, search->depth);
	if (here.assumed)
		return true;
	if (!search->any)
		for (uint32_t n = 0; n < here.count; n++)
			add_guard(&search->common, &here.items[n]);
	uint32_t kept = 0;
	for (uint32_t n = 0; n < search->common.count; n++)
		for (uint32_t m = 0; m < here.count; m++)
			if (ir_linear_equal(&search->common.items[n], &here.items[m])) {
				search->common.items[kept++] = search->common.items[n];
				break;
			}
	search->common.count = kept;
	search->any = true;
	return kept > 0;
}

/* The local is true only after a set that made it so, and what held of the thread's lid then holds for good:
 * lid and a uniform c never change. So what all sets that may be true have in common holds, in any order. A set
 * that needs the local to have been true before (`a and b and c` sets one local again and again) adds nothing
 * new: by induction over the sets that ran. */
static void add_local(const struct race_context *c, const struct ir_local *local, struct guard_list *list,
                      unsigned depth)
{
	for (const struct set_search *outer = list->searches; outer; outer = outer->outer)
		list->assumed |= outer->local == local;
	if (list->assumed || !*c->searches)
		return;
	--*c->searches;
	struct ir_linear items[RACE_MAX_GUARDS];
	struct set_search search = {
	    .outer = list->searches, .race = c, .local = local, .depth = depth, .common = {.items = items}};
	ir_visit(&c->kernel->body, visit_set, &search);
	for (uint32_t n = 0; n < search.common.count; n++)
		add_guard(list, &search.common.items[n]);
	/* True only where a local of the outer searches was. */
	list->assumed |= !search.any && list->searches;
}

static void add_condition(const struct race_context *c, const struct ir_instruction *condition, struct guard_list *list,
                          unsigned depth)
{
	if (!depth)
		return;
	switch ((int)condition->op) {
	case IR_OP_eq: add_equality(c, condition, list); return;
	case IR_OP_band:
		add_condition(c, condition->operands[0], list, depth - 1);
		add_condition(c, condition->operands[1], list, depth - 1);
		return;
	case IR_OP_select: /* c and x */
		if (condition->operands[2]->op == IR_OP_const && !condition->operands[2]->bits) {
			add_condition(c, condition->operands[0], list, depth - 1);
			add_condition(c, condition->operands[1], list, depth - 1);
		}
		return;
	case IR_OP_get: add_local(c, condition->local, list, depth - 1); return;
	}
}

uint32_t race_guards(const struct race_context *c, const struct ir_instruction *i, struct ir_linear *out)
{
	struct guard_list list = {.items = out};
	*c->searches = MAX_SEARCHES;
	add_enclosing(c, i, &list, MAX_DEPTH);
	return list.count;
}
