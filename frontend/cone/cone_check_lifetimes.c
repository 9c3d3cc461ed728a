/* References do not outlive what they lead to: none to a variable leaves the block that ends it, in a value or by being
 * written elsewhere, and what a function gives or keeps comes from parameters whose lifetimes say so.
 *
 * A function is gone through once per instance, following what the references in its values may lead to. Loops make
 * that go round until nothing is new; then it is gone through once more, reporting. Calls take over what was found of
 * the function called, so that lifetimes that are not written do not make anything worse. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* Functions in functions, in one round of loops; over it, what is given may come from anything given to the call. */
enum { CALL_DEPTH = 60, ROUNDS = 64, PARAMETER_LIMIT = CONE_LIFETIME_PARAMETERS };

/* Where references in a value may lead: to variables of blocks as deep as `depth`, 0 being outside of the function, and
 * to what came in by parameters: bit 2i is what parameter i leads to, bit 2i + 1 what references behind that lead to.
 */
struct led {
	uint64_t from;
	uint32_t depth;
};

/* A value: its own references, and those that are reached through them. */
struct held {
	struct led outer, inner;
};

/* What is known of a function after it was gone through; while it is, what was found so far, for calls of itself. */
struct effect {
	struct held result;
	uint64_t *stored; /* by parameter: what references behind it may lead to after the call, besides */
};

struct life_loop {
	struct life_loop *outer;
	const struct cone_node *node;
	uint32_t depth;
	struct held value; /* of its breaks */
	struct held *left; /* the variables at its breaks */
};

struct life {
	struct cone_checker *checker;
	struct cone_instance *instance;
	struct effect *effect;
	struct arena scratch;
	uint32_t *depths;       /* of variables, by index: their blocks */
	uint32_t *places;       /* by index: among those that hold references, from 1; 0: none of them */
	struct held *variables; /* what these hold here */
	uint32_t count;
	struct table starts; /* by loop: what variables hold at its start */
	struct life_loop *loop;
	uint32_t depth;
	bool is_new; /* something was found that was not known in the round before */
	bool reports, has_fault;
};

static struct effect *effect_of(struct cone_checker *c, struct cone_instance *instance);
static struct held walk(struct life *f, struct cone_node *n);

/* ---- What values hold ---- */

static bool is_followed(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_SLICE || t->kind == CONE_TYPE_VIRTUAL;
}

static bool type_holds(struct cone_checker *c, struct cone_type *t)
{
	static char yes, no;
	void *known = table_get_n(&c->followed, (const char *)&t, sizeof t);
	if (!known) {
		known = cone_type_holds(c, t, is_followed) ? &yes : &no;
		table_set_n(&c->followed, (const char *)&t, sizeof t, known);
	}
	return known == &yes;
}

/* References in it lead to what holds references. */
static bool type_leads_on(struct cone_checker *c, struct cone_type *t)
{
	if (t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_SLICE)
		return type_holds(c, t->element);
	if (t->kind == CONE_TYPE_ARRAY)
		return type_leads_on(c, t->element);
	for (uint32_t i = 0; type_holds(c, t) && i < t->field_count; i++)
		if (type_leads_on(c, t->fields[i].type))
			return true;
	return false;
}

static bool holds_references(struct life *f, const struct cone_node *n)
{
	return n->type && type_holds(f->checker, n->type);
}

static struct led either(struct led a, struct led b)
{
	return (struct led){.from = a.from | b.from, .depth = a.depth > b.depth ? a.depth : b.depth};
}

static struct held join(struct held a, struct held b)
{
	return (struct held){.outer = either(a.outer, b.outer), .inner = either(a.inner, b.inner)};
}

static bool are_equal(const struct held *a, const struct held *b)
{
	return a->outer.from == b->outer.from && a->outer.depth == b->outer.depth && a->inner.from == b->inner.from &&
	       a->inner.depth == b->inner.depth;
}

/* What is reached through the references of a value. */
static struct held behind(struct held h)
{
	return (struct held){.outer = h.inner, .inner = h.inner};
}

static struct led all_of(struct held h)
{
	return either(h.outer, h.inner);
}

static struct held *copy_variables(struct life *f)
{
	struct held *copy = ARENA_ARRAY(&f->scratch, struct held, f->count);
	if (f->count)
		memcpy(copy, f->variables, f->count * sizeof *copy);
	return copy;
}

static void join_variables(struct life *f, const struct held *other)
{
	for (uint32_t i = 0; i < f->count; i++)
		f->variables[i] = join(f->variables[i], other[i]);
}

/* NULL: it holds no references. */
static struct held *held_by(struct life *f, const struct cone_variable *v)
{
	return v && f->places[v->index] ? &f->variables[f->places[v->index] - 1] : NULL;
}

/* ---- Reports ---- */

static void report(struct life *f, const struct cone_node *n, const char *text)
{
	if (f->reports && !f->has_fault)
		cone_blame(n, "1013", "%s", text);
	f->has_fault |= f->reports;
}

static void check_given(struct life *f, const struct cone_node *n, struct held value)
{
	struct led all = all_of(value);
	if (all.depth > 0)
		report(f, n, "a reference is given back to what ends with the function");
	if (!cone_lifetimes_allow_result(f->instance, all.from))
		report(f, n, "what is given back does not have the lifetime of the result");
}

/* References behind parameter `bit / 2` become what `value` holds. */
static void check_kept(struct life *f, const struct cone_node *n, uint32_t bit, struct led value)
{
	if (!cone_lifetimes_allow_kept(f->instance, bit, value.from))
		report(f, n, "what is kept does not have the lifetime of what it is kept in");
}

/* ---- Places ---- */

/* What a borrow of a place leads to, and what the place holds. */
struct spot {
	struct led at;
	struct held holds;
};

static struct spot spot_of(struct life *f, struct cone_node *n)
{
	struct spot spot = {0};
	bool is_global = n->global || (n->kind == CONE_NAME && !n->variable);
	for (uint32_t i = 0; i < n->part_count && n->kind == CONE_INDEX; i++)
		walk(f, n->parts[i]);
	if (is_global)
		return spot;
	if (n->kind == CONE_NAME) {
		const struct held *held = held_by(f, n->variable);
		spot.at.depth = f->depths[n->variable->index];
		spot.holds = held ? *held : spot.holds;
		return spot;
	}
	if (n->kind == CONE_DEREFERENCE && n->left->type->kind == CONE_TYPE_OWNER) {
		if (cone_is_place(n->left)) {
			spot = spot_of(f, n->left); /* it lives as long as its owner */
		} else {
			spot.holds = walk(f, n->left);
			spot.at.depth = f->depth;
		}
		if (n->type->kind == CONE_TYPE_VIRTUAL)
			spot.holds = (struct held){.outer = spot.at};
		return spot;
	}
	if (n->kind == CONE_DEREFERENCE || (n->kind == CONE_INDEX && n->left->type->kind == CONE_TYPE_SLICE)) {
		spot.holds = walk(f, n->left); /* of a pointer: nothing is known */
		spot.at = spot.holds.outer;
		spot.holds = behind(spot.holds);
		return spot;
	}
	if (n->kind == CONE_MEMBER || n->kind == CONE_INDEX)
		return spot_of(f, n->left);
	spot.at.depth = 1; /* a nameless local, which ends with the function */
	spot.holds = walk(f, n);
	return spot;
}

/* The local that a place is a part of; NULL: it is reached through a reference, or is no local. */
static const struct cone_variable *root_of(const struct cone_node *n)
{
	while (n->kind == CONE_MEMBER || (n->kind == CONE_INDEX && n->left->type->kind == CONE_TYPE_ARRAY))
		n = n->left;
	return n->kind == CONE_NAME ? n->variable : NULL;
}

static void write_place(struct life *f, struct cone_node *place, struct held value)
{
	const struct cone_variable *root = root_of(place);
	struct led at = spot_of(f, place).at;
	struct held *held = held_by(f, root);
	if (all_of(value).depth > at.depth)
		report(f, place, "what this is set to ends before this does");
	if (held)
		*held = place->kind == CONE_NAME ? value : join(*held, value);
	for (uint32_t bit = 0; bit < 2 * PARAMETER_LIMIT; bit++)
		if (!root && (at.from >> bit & 1)) {
			uint64_t *stored = &f->effect->stored[bit / 2];
			f->is_new |= (*stored | all_of(value).from) != *stored;
			*stored |= all_of(value).from;
			check_kept(f, place, bit, all_of(value));
		}
}

static void walk_assign(struct life *f, struct cone_node *n)
{
	struct held value = walk(f, n->right);
	bool are_many = n->left->kind == CONE_TUPLE;
	for (uint32_t i = 0; i < (are_many ? n->left->part_count : 1); i++) {
		struct cone_node *place = are_many ? n->left->parts[i] : n->left;
		if (holds_references(f, place) && !n->compound)
			write_place(f, place, value);
		else
			walk(f, place);
	}
}

/* ---- Calls ---- */

static struct led through(uint64_t from, const struct held *arguments, uint32_t count)
{
	struct led led = {0};
	for (uint32_t bit = 0; bit < 2 * PARAMETER_LIMIT; bit++)
		if ((from >> bit & 1) && bit / 2 < count)
			led = either(led, bit % 2 ? arguments[bit / 2].inner : arguments[bit / 2].outer);
	return led;
}

static void keep_in_argument(struct life *f, struct cone_node *n, uint32_t place, struct held at, struct led kept)
{
	struct cone_node *argument = n->parts[place];
	if (kept.depth > at.outer.depth)
		report(f, n, "what this call keeps ends before what it is kept in");
	struct held *held = argument->kind == CONE_BORROW ? held_by(f, root_of(argument->left)) : NULL;
	if (held)
		*held = join(*held, (struct held){.outer = kept, .inner = kept});
	for (uint32_t bit = 0; bit < 2 * PARAMETER_LIMIT; bit++)
		if (at.outer.from >> bit & 1) {
			uint64_t *stored = &f->effect->stored[bit / 2];
			f->is_new |= (*stored | kept.from) != *stored;
			*stored |= kept.from;
			check_kept(f, n, bit, kept);
		}
}

static struct held walk_call(struct life *f, struct cone_node *n)
{
	struct held *arguments = ARENA_ARRAY(&f->scratch, struct held, n->part_count), all = {0};
	for (uint32_t i = 0; i < n->part_count; i++) {
		arguments[i] = walk(f, n->parts[i]);
		all = join(all, arguments[i]);
	}
	struct effect *effect = n->instance ? effect_of(f->checker, n->instance) : NULL;
	bool gives = holds_references(f, n);
	if (!effect)
		return gives ? all : (struct held){0};
	for (uint32_t i = 0; i < n->part_count && i < PARAMETER_LIMIT; i++)
		if (effect->stored[i])
			keep_in_argument(f, n, i, arguments[i], through(effect->stored[i], arguments, n->part_count));
	if (!gives)
		return (struct held){0};
	return (struct held){.outer = through(effect->result.outer.from, arguments, n->part_count),
	                     .inner = through(effect->result.inner.from, arguments, n->part_count)};
}

/* ---- Statements ---- */

static bool ends_elsewhere(const struct cone_node *n)
{
	return n && n->type && n->type->kind == CONE_TYPE_NEVER;
}

static struct held walk_if(struct life *f, struct cone_node *n)
{
	walk(f, n->condition);
	struct held *before = copy_variables(f);
	struct held value = walk(f, n->left);
	struct held *then = copy_variables(f);
	if (f->count)
		memcpy(f->variables, before, f->count * sizeof *before);
	value = join(value, walk(f, n->right));
	if (ends_elsewhere(n->right))
		memcpy(f->variables, then, f->count * sizeof *then);
	else if (!ends_elsewhere(n->left))
		join_variables(f, then);
	return value;
}

/* What variables hold at a loop's start: joined with what its rounds leave in them, until that is nothing new. */
static void start_round(struct life *f, const struct cone_node *n)
{
	const struct held *known = table_get_n(&f->starts, (const char *)&n, sizeof n);
	if (known)
		join_variables(f, known);
}

static void end_round(struct life *f, const struct cone_node *n)
{
	const struct held *known = table_get_n(&f->starts, (const char *)&n, sizeof n), nothing = {0};
	bool is_new = false;
	if (known)
		join_variables(f, known);
	for (uint32_t i = 0; i < f->count; i++)
		is_new = is_new || !are_equal(&f->variables[i], known ? &known[i] : &nothing);
	if (is_new)
		table_set_n(&f->starts, (const char *)&n, sizeof n, copy_variables(f));
	f->is_new = f->is_new || is_new;
}

static struct held walk_loop(struct life *f, struct cone_node *n)
{
	bool is_each = n->kind == CONE_EACH;
	struct life_loop loop = {.outer = f->loop, .node = n, .depth = f->depth};
	if (is_each) {
		walk(f, n->left);
		walk(f, n->step);
		f->depths[n->declared[0]->index] = f->depth + 1;
	}
	start_round(f, n);
	walk(f, n->condition);
	loop.left = copy_variables(f);
	f->loop = &loop;
	walk(f, is_each ? n->right : n->left);
	f->loop = loop.outer;
	end_round(f, n);
	join_variables(f, loop.left);
	return join(loop.value, walk(f, is_each ? n->other : n->right));
}

static struct held walk_jump(struct life *f, struct cone_node *n)
{
	struct held value = walk(f, n->left);
	struct life_loop *loop = f->loop;
	while (loop && loop->node != n->target)
		loop = loop->outer;
	if (loop && all_of(value).depth > loop->depth)
		report(f, n, "a reference leaves the loop that ends what it leads to");
	if (loop && n->kind == CONE_BREAK)
		loop->value = join(loop->value, value);
	for (uint32_t i = 0; loop && i < f->count; i++)
		loop->left[i] = join(loop->left[i], f->variables[i]);
	return (struct held){0};
}

static void give(struct life *f, const struct cone_node *n, struct held value)
{
	struct held known = join(f->effect->result, value);
	f->is_new |= !are_equal(&known, &f->effect->result);
	f->effect->result = known;
	check_given(f, n, value);
}

static struct held walk_block(struct life *f, struct cone_node *n)
{
	struct held value = {0};
	f->depth++;
	for (uint32_t i = 0; i < n->part_count; i++)
		value = walk(f, n->parts[i]);
	f->depth--;
	if (!n->part_count || !holds_references(f, n))
		return (struct held){0};
	if (f->depth && all_of(value).depth > f->depth)
		report(f, n->parts[n->part_count - 1], "a reference leaves the block that ends what it leads to");
	return value;
}

static void walk_local(struct life *f, struct cone_node *n)
{
	struct held value = walk(f, n->left);
	for (uint32_t i = 0; i < n->declared_count; i++) {
		const struct cone_variable *v = n->declared[i];
		f->depths[v->index] = f->depth;
		struct held *held = held_by(f, v);
		if (held)
			*held = value;
	}
}

/* ---- Expressions ---- */

static struct held walk_borrow(struct life *f, struct cone_node *n)
{
	struct spot spot = spot_of(f, n->left);
	struct held value = {.outer = spot.at};
	if (holds_references(f, n->left))
		value.inner = all_of(spot.holds);
	return value;
}

static struct held walk_others(struct life *f, struct cone_node *n)
{
	struct held value = join(walk(f, n->left), walk(f, n->right));
	/* A closure made a reference to code has refusals of its own, and a function lives as long as the program. */
	if (n->kind == CONE_CONVERT && n->left->type->element && n->left->type->element->kind == CONE_TYPE_CLOSURE)
		return (struct held){0};
	for (uint32_t i = 0; i < n->part_count; i++)
		value = join(value, walk(f, n->parts[i]));
	return holds_references(f, n) ? value : (struct held){0};
}

static struct held walk_kind(struct life *f, struct cone_node *n)
{
	switch ((int)n->kind) {
	case CONE_NAME:
	case CONE_MEMBER:
	case CONE_INDEX:
	case CONE_DEREFERENCE: return spot_of(f, n).holds;
	case CONE_BORROW: return walk_borrow(f, n);
	case CONE_CALL: return walk_call(f, n);
	case CONE_IF: return walk_if(f, n);
	case CONE_BLOCK: return walk_block(f, n);
	case CONE_WHILE:
	case CONE_EACH: return walk_loop(f, n);
	case CONE_BREAK:
	case CONE_CONTINUE: return walk_jump(f, n);
	case CONE_LOCAL: walk_local(f, n); return (struct held){0};
	case CONE_ASSIGN: walk_assign(f, n); return (struct held){0};
	case CONE_RETURN:
		if (n->part_count)
			give(f, n, walk(f, n->parts[0]));
		return (struct held){0};
	}
	return walk_others(f, n);
}

static struct held walk(struct life *f, struct cone_node *n)
{
	if (!n)
		return (struct held){0};
	struct held value = walk_kind(f, n);
	return holds_references(f, n) ? value : (struct held){0};
}

/* ---- Functions ---- */

static void count_variable(struct life *f, const struct cone_variable *v)
{
	if (v->type && type_holds(f->checker, v->type))
		f->places[v->index] = ++f->count;
}

static void count_variables(struct life *f, const struct cone_node *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; n->kind == CONE_LOCAL && i < n->declared_count; i++)
		count_variable(f, n->declared[i]);
	const struct cone_node *children[] = {n->condition, n->left, n->step, n->right, n->other};
	for (size_t i = 0; i < sizeof children / sizeof *children; i++)
		count_variables(f, children[i]);
	for (uint32_t i = 0; i < n->part_count; i++)
		count_variables(f, n->parts[i]);
}

static void begin(struct life *f)
{
	const struct cone_instance *instance = f->instance;
	if (f->count)
		memset(f->variables, 0, f->count * sizeof *f->variables);
	for (uint32_t i = 0; i < instance->parameter_count && i < PARAMETER_LIMIT; i++) {
		const struct cone_variable *v = instance->parameters[i];
		struct held *held = held_by(f, v);
		f->depths[v->index] = 1;
		if (held)
			held->outer.from = UINT64_C(1) << (2 * i);
		if (held && type_leads_on(f->checker, v->type))
			held->inner.from = UINT64_C(2) << (2 * i);
	}
}

static void go_through(struct life *f)
{
	begin(f);
	struct held value = walk(f, f->instance->body);
	if (f->instance->result != &cone_void && value.outer.depth + value.inner.depth + all_of(value).from)
		give(f,
		     f->instance->body->part_count ? f->instance->body->parts[f->instance->body->part_count - 1]
		                                   : f->instance->body,
		     value);
}

static struct effect *effect_of(struct cone_checker *c, struct cone_instance *instance)
{
	struct effect *effect = table_get_n(&c->effects, (const char *)&instance, sizeof instance);
	if (effect || !instance->body || !instance->body->type || instance->is_broken ||
	    instance->parameter_count > PARAMETER_LIMIT || c->effect_depth > CALL_DEPTH)
		return effect;
	effect = ARENA_NEW(c->arena, struct effect);
	effect->stored = ARENA_ARRAY(c->arena, uint64_t, PARAMETER_LIMIT);
	table_set_n(&c->effects, (const char *)&instance, sizeof instance, effect);
	struct life f = {.checker = c, .instance = instance, .effect = effect};
	f.starts.arena = &f.scratch;
	f.depths = ARENA_ARRAY(&f.scratch, uint32_t, instance->variable_count);
	f.places = ARENA_ARRAY(&f.scratch, uint32_t, instance->variable_count);
	for (uint32_t i = 0; i < instance->parameter_count; i++)
		count_variable(&f, instance->parameters[i]);
	count_variables(&f, instance->body);
	f.variables = ARENA_ARRAY(&f.scratch, struct held, f.count);
	c->effect_depth++;
	for (int round = 0; round < ROUNDS && (round == 0 || f.is_new); round++) {
		f.is_new = false;
		go_through(&f);
	}
	f.reports = true;
	go_through(&f);
	c->effect_depth--;
	arena_free(&f.scratch);
	return effect;
}

void cone_check_lifetimes(struct cone_checker *c, struct cone_instance *instance)
{
	effect_of(c, instance);
}
