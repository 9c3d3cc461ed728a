/* Values of choices. Front ends compute `if c then x else y` and `a and b`, where a side may trap, through a local:
 *   if c { ...  set t, x } else { ...  set t, y }   get t
 *   set t, a   if a { ...  set t, b }   get t
 * Such a `get` is a function of values, as a select is. */
#include "ir/ir_analysis.h"

static const struct ir_instruction *last_set(const struct ir_region *region, const struct ir_local *local)
{
	const struct ir_instruction *last = region->last;
	return last && last->op == IR_OP_set && last->local == local ? last->operands[0] : NULL;
}

/* Whether the local holds `value` where `before` is done. */
static bool holds(const struct ir_instruction *before, const struct ir_local *local, const struct ir_instruction *value)
{
	if (!before || before->local != local)
		return false;
	return before->op == IR_OP_set ? before->operands[0] == value : before->op == IR_OP_get && before == value;
}

bool ir_choice_of(const struct ir_instruction *get, struct ir_choice *choice)
{
	if (get->op != IR_OP_get || !get->previous || get->previous->op != IR_OP_if)
		return false;
	const struct ir_instruction *test = get->previous;
	choice->condition = test->operands[0];
	choice->then = last_set(&test->regions[0], get->local);
	choice->other = last_set(&test->regions[1], get->local);
	if (choice->then && choice->other)
		return true;
	if (!choice->then && !choice->other)
		return false;
	return !test->regions[choice->then ? 1 : 0].first && holds(test->previous, get->local, choice->condition);
}
