/* What depends on the way taken: a local that is declared without a value has one before it is read, and an imm takes
 * one only once (spec/cone.md 1.6, 1.4); what moves, an Atomic or a So, is not moved out of what it is reached through,
 * and not used after it was moved (part 2). */
#include <string.h>

#include "frontend/cone/cone_check.h"

enum { HAS = 1, LACKS = 2 }; /* ways to here on which it has a value, or has none; 0: there is no way */

enum use { USE_VALUE, USE_PLACE, USE_DROPPED };

struct flow_loop {
	struct flow_loop *outer;
	const struct cone_node *node;
	uint8_t *broken; /* of all breaks */
	uint8_t *again;  /* of all ways to another round */
};

struct flow {
	struct cone_checker *checker;
	const struct cone_variable **tracked;
	uint32_t count, capacity;
	uint32_t *places; /* by the variable's index: its place in `tracked`, from 1 */
	uint8_t *state;   /* one for each that is tracked */
	struct flow_loop *loop;
	uint32_t trials; /* walks through loops, in each other, of which nothing is reported */
};

static bool is_moving(const struct cone_type *t)
{
	return cone_type_atomic_of(t) != NULL || cone_is_sole_owner(t);
}

static bool moves(struct flow *f, struct cone_type *t)
{
	switch (t->kind) {
	case CONE_TYPE_OWNER:
	case CONE_TYPE_ARRAY:
	case CONE_TYPE_STRUCT:
	case CONE_TYPE_ENUM:
	case CONE_TYPE_CLOSURE:
	case CONE_TYPE_TUPLE: return cone_type_holds(f->checker, t, is_moving);
	case CONE_TYPE_VOID:
	case CONE_TYPE_NEVER:
	case CONE_TYPE_BOOL:
	case CONE_TYPE_CHAR:
	case CONE_TYPE_INTEGER:
	case CONE_TYPE_FLOAT:
	case CONE_TYPE_REFERENCE:
	case CONE_TYPE_SLICE:
	case CONE_TYPE_POINTER:
	case CONE_TYPE_FUNCTION:
	case CONE_TYPE_VIRTUAL:
	case CONE_TYPE_MODULE:
	case CONE_TYPE_TYPE:
	case CONE_TYPE_ERROR: return false;
	}
	return false;
}

/* ---- States ---- */

static uint8_t *copy_state(struct flow *f)
{
	uint8_t *copy = ARENA_ARRAY(f->checker->arena, uint8_t, f->count);
	memcpy(copy, f->state, f->count);
	return copy;
}

static void join(struct flow *f, uint8_t *to, const uint8_t *other)
{
	for (uint32_t i = 0; i < f->count; i++)
		to[i] |= other[i];
}

static void end_way(struct flow *f)
{
	memset(f->state, 0, f->count);
}

static uint8_t *state_of(struct flow *f, const struct cone_node *n)
{
	if (n->kind != CONE_NAME || !n->variable)
		return NULL;
	uint32_t place = f->places[n->variable->index];
	return place && f->tracked[place - 1] == n->variable ? &f->state[place - 1] : NULL;
}

/* ---- Uses ---- */

static void walk(struct flow *f, struct cone_node *n, enum use use);

static void read_variable(struct flow *f, struct cone_node *n)
{
	uint8_t *state = state_of(f, n);
	if (!state || !(*state & LACKS) || f->trials)
		return;
	if (n->variable->is_late)
		cone_blame(n, "1140", "%s may have no value here: it was declared without one", n->variable->name);
	else
		cone_blame(n, "1034", "%s was moved from here, so it is no more", n->variable->name);
	*state = 0; /* said once */
}

static bool is_owned(const struct cone_node *n)
{
	return n->kind == CONE_DEREFERENCE && n->left->type->kind == CONE_TYPE_OWNER;
}

/* What is no more when a part of it has moved: what one So has moves with that. */
static const struct cone_node *whole_of(const struct cone_node *n)
{
	while (n->kind == CONE_MEMBER || (is_owned(n) && cone_is_sole_owner(n->left->type)))
		n = n->left;
	return n;
}

/* A place whose value goes elsewhere. */
static void move_from(struct flow *f, struct cone_node *n)
{
	const struct cone_node *from = whole_of(n);
	if (!moves(f, n->type))
		return;
	uint8_t *state = state_of(f, from);
	if (state)
		*state = LACKS;
	else if (!f->trials && cone_is_place(from) && (from->kind != CONE_NAME || from->global))
		cone_blame(n, "1034", "%s moves, and cannot be moved out of what it is reached through",
		           cone_type_text(f->checker, n->type));
}

static void walk_place(struct flow *f, struct cone_node *n, enum use use)
{
	if (n->kind == CONE_NAME)
		read_variable(f, n);
	else if (n->kind == CONE_DEREFERENCE)
		walk(f, n->left, is_owned(n) ? USE_PLACE : USE_VALUE);
	else
		walk(f, n->left, USE_PLACE);
	for (uint32_t i = 0; i < n->part_count; i++)
		walk(f, n->parts[i], USE_VALUE);
	if (use == USE_VALUE && cone_is_place(n))
		move_from(f, n);
}

static void walk_assigned(struct flow *f, struct cone_node *place)
{
	uint8_t *state = state_of(f, place);
	if (!state) {
		walk(f, place, USE_PLACE);
		return;
	}
	if ((*state & HAS) && !place->variable->mutable && !f->trials)
		cone_blame(place, "1017", "this may not be changed: %s is imm, and has a value already",
		           place->variable->name);
	*state = *state ? HAS : 0;
}

static void walk_assign(struct flow *f, struct cone_node *n)
{
	walk(f, n->right, USE_VALUE);
	if (n->compound) {
		walk(f, n->left, USE_PLACE);
	} else if (n->left->kind == CONE_TUPLE) {
		for (uint32_t i = 0; i < n->left->part_count; i++)
			walk_assigned(f, n->left->parts[i]);
	} else {
		walk_assigned(f, n->left);
	}
}

static void walk_local(struct flow *f, struct cone_node *n)
{
	walk(f, n->left, USE_VALUE);
	for (uint32_t i = 0; i < n->declared_count; i++) {
		uint32_t place = f->places[n->declared[i]->index];
		if (place && f->state[place - 1])
			f->state[place - 1] = n->left ? HAS : LACKS;
	}
}

/* ---- Ways ---- */

static void walk_if(struct flow *f, struct cone_node *n, enum use use)
{
	walk(f, n->condition, USE_VALUE);
	uint8_t *before = copy_state(f);
	walk(f, n->left, use);
	uint8_t *then = copy_state(f);
	memcpy(f->state, before, f->count);
	walk(f, n->right, use);
	join(f, f->state, then);
}

static void walk_logic(struct flow *f, struct cone_node *n)
{
	walk(f, n->left, USE_VALUE);
	if (!n->right)
		return;
	uint8_t *without = copy_state(f);
	walk(f, n->right, USE_VALUE);
	join(f, f->state, without);
}

/* Those of before a loop to which a round gives a value are so at its start too. */
static void note_changes(struct flow *f, struct cone_node *n)
{
	if (!n)
		return;
	struct cone_node *children[] = {n->condition, n->left, n->step, n->right, n->other};
	for (size_t i = 0; i < sizeof children / sizeof *children; i++)
		note_changes(f, children[i]);
	for (uint32_t i = 0; i < n->part_count; i++)
		note_changes(f, n->parts[i]);
	if (n->kind != CONE_ASSIGN || n->compound)
		return;
	bool are_many = n->left->kind == CONE_TUPLE;
	for (uint32_t i = 0; i < (are_many ? n->left->part_count : 1); i++) {
		uint8_t *state = state_of(f, are_many ? n->left->parts[i] : n->left);
		if (state)
			*state |= *state ? HAS : 0;
	}
}

/* The same of those that it moves and gives nothing again, by a walk through the first round. There a loop in the loop
 * needs none: what it moves from round to round is reported when it is walked through itself. */
static void note_moves(struct flow *f, struct flow_loop *loop, const struct cone_node *n, struct cone_node *body)
{
	bool any = false;
	for (uint32_t i = 0; i < f->count; i++)
		any |= moves(f, f->tracked[i]->type);
	if (!any || f->trials)
		return;
	uint8_t *before = copy_state(f);
	f->trials++;
	walk(f, n->condition, USE_VALUE);
	f->loop = loop;
	walk(f, body, USE_DROPPED);
	f->loop = loop->outer;
	f->trials--;
	for (uint32_t i = 0; i < f->count; i++)
		if (before[i] && moves(f, f->tracked[i]->type))
			before[i] |= (f->state[i] | loop->again[i]) & LACKS;
	memcpy(f->state, before, f->count);
	memset(loop->broken, 0, f->count);
}

static void walk_loop(struct flow *f, struct cone_node *n)
{
	struct flow_loop loop = {.outer = f->loop, .node = n};
	loop.broken = ARENA_ARRAY(f->checker->arena, uint8_t, f->count);
	loop.again = ARENA_ARRAY(f->checker->arena, uint8_t, f->count);
	bool is_each = n->kind == CONE_EACH;
	struct cone_node *body = is_each ? n->right : n->left, *otherwise = is_each ? n->other : n->right;
	if (is_each) {
		walk(f, n->left, USE_VALUE);
		walk(f, n->step, USE_VALUE);
	}
	note_changes(f, body);
	note_moves(f, &loop, n, body);
	walk(f, n->condition, USE_VALUE);
	uint8_t *left = copy_state(f);
	f->loop = &loop;
	walk(f, body, USE_DROPPED);
	f->loop = loop.outer;
	memcpy(f->state, left, f->count);
	if (!is_each && !n->condition)
		end_way(f);
	walk(f, otherwise, USE_VALUE);
	join(f, f->state, loop.broken);
}

static void walk_jump(struct flow *f, struct cone_node *n)
{
	walk(f, n->left, USE_VALUE);
	for (uint32_t i = 0; i < n->part_count; i++)
		walk(f, n->parts[i], USE_VALUE);
	struct flow_loop *loop = f->loop;
	while (loop && loop->node != n->target)
		loop = loop->outer;
	if (n->kind != CONE_RETURN && loop)
		join(f, n->kind == CONE_BREAK ? loop->broken : loop->again, f->state);
	end_way(f);
}

static void walk_block(struct flow *f, struct cone_node *n, enum use use)
{
	bool has_value = n->type && n->type != &cone_void && n->type->kind != CONE_TYPE_NEVER;
	for (uint32_t i = 0; i < n->part_count; i++)
		walk(f, n->parts[i], has_value && i + 1 == n->part_count ? use : USE_DROPPED);
}

static void walk(struct flow *f, struct cone_node *n, enum use use)
{
	if (!n)
		return;
	switch ((int)n->kind) {
	case CONE_NAME:
	case CONE_MEMBER:
	case CONE_INDEX:
	case CONE_DEREFERENCE: walk_place(f, n, use); return;
	case CONE_BORROW: walk(f, n->left, USE_PLACE); return;
	case CONE_ASSIGN: walk_assign(f, n); return;
	case CONE_LOCAL: walk_local(f, n); return;
	case CONE_IF: walk_if(f, n, use); return;
	case CONE_LOGIC: walk_logic(f, n); return;
	case CONE_WHILE:
	case CONE_EACH: walk_loop(f, n); return;
	case CONE_BREAK:
	case CONE_CONTINUE:
	case CONE_RETURN: walk_jump(f, n); return;
	case CONE_BLOCK: walk_block(f, n, use); return;
	case CONE_INCREMENT: walk(f, n->left, USE_PLACE); return;
	}
	walk(f, n->left, USE_VALUE);
	walk(f, n->right, USE_VALUE);
	for (uint32_t i = 0; i < n->part_count; i++)
		walk(f, n->parts[i], USE_VALUE);
	if (n->type && n->type->kind == CONE_TYPE_NEVER)
		end_way(f);
}

/* ---- All ---- */

static void track(struct flow *f, const struct cone_variable *v)
{
	bool has_parts = v->type && (v->type->kind == CONE_TYPE_ARRAY || v->type->kind == CONE_TYPE_STRUCT);
	bool is_filled = v->mutable && has_parts; /* part by part, as it may be */
	if (!v->type || ((!v->is_late || is_filled) && !moves(f, v->type)))
		return;
	*(const struct cone_variable **)ARENA_PUSH(f->checker->arena, f->tracked, f->count, f->capacity) = v;
	f->places[v->index] = f->count;
}

static void find_tracked(struct flow *f, const struct cone_node *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; n->kind == CONE_LOCAL && i < n->declared_count; i++)
		track(f, n->declared[i]);
	const struct cone_node *children[] = {n->condition, n->left, n->step, n->right, n->other};
	for (size_t i = 0; i < sizeof children / sizeof *children; i++)
		find_tracked(f, children[i]);
	for (uint32_t i = 0; i < n->part_count; i++)
		find_tracked(f, n->parts[i]);
}

void cone_check_flow(struct cone_checker *c, struct cone_instance *instance)
{
	struct flow f = {.checker = c};
	if (!instance->body || !instance->body->type || instance->is_broken)
		return;
	f.places = ARENA_ARRAY(c->arena, uint32_t, instance->variable_count);
	for (uint32_t i = 0; i < instance->parameter_count; i++)
		track(&f, instance->parameters[i]);
	find_tracked(&f, instance->body);
	f.state = ARENA_ARRAY(c->arena, uint8_t, f.count);
	memset(f.state, HAS, f.count);
	walk(&f, instance->body, USE_VALUE);
}
