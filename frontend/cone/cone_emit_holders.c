/* What references that can be set again lead to, on the ways that come together. */
#include "frontend/cone/cone_emit.h"

struct cone_snapshot cone_holders_take(struct cone_emitter *e)
{
	struct cone_snapshot s = {.count = e->holder_count};
	s.states = ARENA_ARRAY(&e->arena, shape, s.count);
	s.counts = ARENA_ARRAY(&e->arena, uint32_t, s.count);
	for (uint32_t n = 0; n < s.count; n++) {
		s.states[n] = *e->holders[n];
		s.counts[n] = e->holders[n]->choices ? e->holders[n]->choices->count : 0;
	}
	return s;
}

void cone_holders_put_back(struct cone_emitter *e, const struct cone_snapshot *s)
{
	for (uint32_t n = 0; n < s->count; n++)
		if (!e->holders[n]->sticky)
			*e->holders[n] = s->states[n];
}

bool cone_holders_differ(const shape *a, const shape *b)
{
	return a->target && b->target && !cone_shape_same(a->target, b->target);
}

/* After two ways, of which the other ended with `s`. One that was not set on one way is as on the other. */
void cone_holders_join(struct cone_emitter *e, const struct cone_snapshot *s)
{
	for (uint32_t n = 0; n < s->count; n++) {
		shape *h = e->holders[n];
		const shape *other = &s->states[n];
		if (h->sticky)
			continue;
		h->chosen |= other->chosen || cone_holders_differ(h, other);
		if (!h->target)
			h->target = other->target;
	}
}

/* Nothing leads elsewhere than before: at the end of a round, for the next, and where a result is given again. */
void cone_holders_check_same(struct cone_emitter *e, const struct cone_snapshot *before, const struct cone_node *node,
                             const char *text)
{
	for (uint32_t n = 0; n < before->count && !e->program->machine.chooses; n++)
		if (cone_holders_differ(&before->states[n], e->holders[n])) {
			cone_emit_refuse(e, node, "1253", "%s", text);
			e->holders[n]->chosen = true;
		}
}

void cone_emit_begin_exits(struct cone_emitter *e, struct cone_exits *x)
{
	*x = (struct cone_exits){.before = cone_holders_take(e)};
	x->differ = ARENA_ARRAY(&e->arena, bool, x->before.count);
}

void cone_emit_note_exit(struct cone_emitter *e, struct cone_exits *x)
{
	if (e->dead)
		return;
	if (!x->any) {
		x->any = true;
		x->first = cone_holders_take(e);
		return;
	}
	for (uint32_t n = 0; n < x->before.count; n++) {
		shape *first = &x->first.states[n], *h = e->holders[n];
		x->differ[n] |= h->chosen || cone_holders_differ(h, first);
		if (!first->target)
			first->target = h->target;
	}
}

void cone_emit_end_exits(struct cone_emitter *e, struct cone_exits *x, bool reaches_end)
{
	for (uint32_t n = 0; x->any && n < x->before.count; n++) {
		shape *h = e->holders[n];
		const shape *first = &x->first.states[n];
		if (h->sticky)
			continue;
		if (!reaches_end)
			*h = *first;
		h->chosen |= x->differ[n] || first->chosen || cone_holders_differ(h, first);
		if (!h->target)
			h->target = first->target;
	}
}

/* ---- Two ways ---- */

void cone_emit_begin_branch(struct cone_emitter *e, struct cone_branch *b, value condition)
{
	b->control = ir_build_if(&e->builder, condition);
	b->before = cone_holders_take(e);
	b->outer = cone_emit_enter(e, b->control, 0);
}

void cone_emit_other_branch(struct cone_emitter *e, struct cone_branch *b)
{
	b->first_goes_on = !e->dead || b->outer.dead;
	cone_emit_leave(e, &b->outer);
	b->then = cone_holders_take(e);
	cone_holders_put_back(e, &b->before);
	b->outer = cone_emit_enter(e, b->control, 1);
}

void cone_emit_end_branch(struct cone_emitter *e, struct cone_branch *b)
{
	bool second_goes_on = !e->dead || b->outer.dead;
	cone_emit_leave(e, &b->outer);
	if (b->first_goes_on && second_goes_on)
		cone_holders_join(e, &b->then);
	else if (b->first_goes_on)
		cone_holders_put_back(e, &b->then);
	else if (!second_goes_on)
		cone_emit_end(e);
}
