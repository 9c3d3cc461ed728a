#include "frontend/ssp/check.h"

/* Tasks: spec/sspur.md 2.4. Each argument of `par` has a frame of its own. */

enum { TASK_EFFECTS = EFFECT_DEV | EFFECT_TIME | EFFECT_DIV };

static void report_effects(struct checker *c, const struct effect_scope *scope)
{
	for (uint32_t effect = 1; effect <= EFFECT_PROC; effect <<= 1) {
		if (!(scope->performed & effect & ~(uint32_t)TASK_EFFECTS))
			continue;
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_PAR_EFFECT", check_effect_place(scope, effect),
		                   "a task of `par` cannot perform `%s`", check_effect_list(c, effect));
		diagnostic_hint(c->diagnostics, d,
		                "a task may perform dev, div and time; give a value and do the rest after `par`");
	}
}

static struct type *check_task(struct checker *c, struct node *n)
{
	struct check_frame frame;
	struct type *result = check_fresh(c);
	check_frame_open(c, &frame, FRAME_TASK, result);
	struct binding *mark = check_scope_open(c);
	check_value(c, n);
	check_expect(c, n, result);
	check_scope_close(c, mark);
	check_frame_close(c);
	n->frame_slots = frame.slots;
	report_effects(c, &frame.effects);
	frame.effects.performed &= TASK_EFFECTS;
	check_perform_scope(c, &frame.effects);
	return result;
}

struct type *check_par(struct checker *c, struct node *n)
{
	const struct builtin_info *info = &builtin_infos[BUILTIN_par];
	struct type **items = ARENA_ARRAY(&c->scratch, struct type *, n->part_count);
	for (uint32_t i = 0; i < n->part_count; i++)
		items[i] = check_task(c, n->parts[i]);
	if (!check_arity(c, n->at, info->name, n->part_count, info->minimum, info->maximum))
		return &type_error;
	return check_type_of_items(c, n->span, TYPE_TUPLE, n->part_count, items);
}
