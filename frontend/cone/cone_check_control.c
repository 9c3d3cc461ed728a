/* Control: if, match, is, loops, and their values. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- Variants ---- */

/* The variant of the value's enum that a pattern names; false after reporting. */
static bool variant_named(struct cone_frame *f, struct cone_node *at, const struct cone_type *t, const char *name,
                          uint32_t *variant, uint32_t *field)
{
	const struct cone_declaration *d = t->declaration;
	*field = 0;
	for (uint32_t i = 0; t->kind == CONE_TYPE_ENUM && i < d->field_count; i++) {
		*field += d->fields[i].type_syntax ? 1 : 0;
		if (strcmp(d->fields[i].name, name) != 0)
			continue;
		*variant = i;
		*field = d->fields[i].type_syntax ? *field : 0;
		return true;
	}
	cone_blame(at, "1024", "%s has no variant %s", cone_type_text(f->checker, t), name);
	return false;
}

static struct cone_node *member_of(struct cone_frame *f, struct cone_node *value, uint32_t field)
{
	struct cone_node *member = cone_make(f, CONE_MEMBER, value, value->type->fields[field].type);
	member->left = value;
	member->name = value->type->fields[field].name;
	member->field = field;
	return member;
}

static struct cone_node *is_variant(struct cone_frame *f, struct cone_node *value, uint32_t variant)
{
	return cone_make_binary(f, value, CONE_EQUAL, member_of(f, value, 0),
	                        cone_make_constant(f, value, &cone_u32, variant));
}

/* The last name of a pattern: Some, MemOrder.Relaxed, None[T]. */
static const char *pattern_name(const struct cone_type_syntax *s)
{
	return s->form == CONE_FORM_NAME ? s->path[s->path_count - 1] : "";
}

struct cone_node *cone_check_is(struct cone_frame *f, struct cone_node *n)
{
	uint32_t variant, field;
	struct cone_node *value = cone_dereference(f, cone_check_expression(f, n->left, NULL)), *pattern = n->right;
	while (pattern->kind == CONE_INDEX)
		pattern = pattern->left;
	if (value->type->kind == CONE_TYPE_ERROR || !cone_complete(f->checker, value->type))
		return cone_failed(f, n);
	const char *name = pattern->kind == CONE_NAME || pattern->kind == CONE_MEMBER ? pattern->name : "";
	if (!variant_named(f, n, value->type, name, &variant, &field))
		return cone_failed(f, n);
	return is_variant(f, value, variant);
}

/* ---- if ---- */

/* Both arms as values of one type; false: they do not agree. */
static bool agree(struct cone_frame *f, struct cone_node *n, struct cone_node **left, struct cone_node **right,
                  struct cone_type **type)
{
	struct cone_type *a = (*left)->type, *b = (*right)->type;
	*type = a;
	if (a->kind == CONE_TYPE_ERROR || b->kind == CONE_TYPE_ERROR) {
		*type = &cone_error;
	} else if (a->kind == CONE_TYPE_NEVER) {
		*type = b;
	} else if (b->kind == CONE_TYPE_NEVER || a == b) {
		*type = a;
	} else if (a == &cone_void || b == &cone_void) {
		*type = &cone_void;
	} else if (cone_converts(f->checker, b, a)) {
		*right = cone_coerce(f, *right, a);
	} else if (cone_converts(f->checker, a, b)) {
		*left = cone_coerce(f, *left, b);
		*type = b;
	} else {
		cone_blame(n, "1028", "the arms differ: %s and %s", cone_type_text(f->checker, a),
		           cone_type_text(f->checker, b));
		return false;
	}
	return true;
}

static struct cone_node *finish_if(struct cone_frame *f, struct cone_node *n, struct cone_node *condition,
                                   struct cone_node *left, struct cone_node *right, struct cone_type *expected)
{
	struct cone_node *node = cone_make(f, CONE_IF, n, &cone_void);
	bool wants_value = expected && expected != &cone_void && expected->kind != CONE_TYPE_NEVER;
	if (wants_value && !right && left->type->kind != CONE_TYPE_NEVER) {
		cone_blame(n, "1028", "as a value this needs an else");
		return cone_failed(f, n);
	}
	if (right && expected == &cone_void) {
		node->type = left->type->kind == CONE_TYPE_NEVER && right->type->kind == CONE_TYPE_NEVER ? &cone_never
		                                                                                         : &cone_void;
	} else if (right && !agree(f, n, &left, &right, &node->type)) {
		return cone_failed(f, n);
	}
	if (wants_value && right && node->type == &cone_void) {
		cone_blame(n, "1028", "as a value this needs a value in every arm");
		return cone_failed(f, n);
	}
	node->condition = condition;
	node->left = left;
	node->right = right;
	return node->type->kind == CONE_TYPE_ERROR || condition->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n)
	                                                                                       : node;
}

/* if imm c V = e { ... } is { imm value = e; if value is V { imm c = payload; ... } } */
static struct cone_node *check_bound_if(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	uint32_t variant, field, visible = f->local_count;
	struct cone_node *use, *value = cone_dereference(f, cone_check_expression(f, n->condition, NULL));
	if (value->type->kind == CONE_TYPE_ERROR || !cone_complete(f->checker, value->type) ||
	    !variant_named(f, n, value->type, pattern_name(n->type_syntax), &variant, &field))
		return cone_failed(f, n);
	struct cone_node *local = cone_make_local(f, "", value, &use), *bind = NULL, *payload;
	if (field) {
		bind = cone_make_local(f, n->declared[0]->name, member_of(f, use, field), &payload);
		bind->declared[0]->mutable = n->declared[0]->mutable;
	}
	struct cone_node *left = cone_check_block(f, n->left, expected);
	left = cone_make_block(f, n->left, left->type, bind, left, NULL);
	f->local_count = visible;
	struct cone_node *right = n->right ? cone_check_expression(f, n->right, expected) : NULL;
	struct cone_node *choice = finish_if(f, n, is_variant(f, use, variant), left, right, expected);
	return choice->type->kind == CONE_TYPE_ERROR ? choice
	                                             : cone_make_block(f, n, choice->type, local, choice, NULL);
}

struct cone_node *cone_check_if(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	if (n->binds)
		return check_bound_if(f, n, expected);
	struct cone_node *condition = cone_check_condition(f, n->condition);
	struct cone_node *left = cone_check_block(f, n->left, expected);
	struct cone_node *right = n->right ? cone_check_expression(f, n->right, expected) : NULL;
	return finish_if(f, n, condition, left, right, expected);
}

/* ---- match ---- */

/* They become an `if` in an `if`. */
#define MOST_CASES 500

struct match {
	struct cone_node *n, *use;
	struct cone_type *expected;
	uint64_t seen; /* variants */
	bool saw[2];   /* of a bool */
};

static struct cone_node *check_case(struct cone_frame *f, struct match *m, uint32_t i);

static bool is_whole(const struct match *m)
{
	const struct cone_type *t = m->use->type;
	uint32_t variants = t->kind == CONE_TYPE_ENUM ? t->declaration->field_count : 64;
	return (variants < 64 && m->seen == (UINT64_C(1) << variants) - 1) || (m->saw[0] && m->saw[1]);
}

/* The cases from i on that are left over: an `if` chain. NULL: none. */
static struct cone_node *check_rest(struct cone_frame *f, struct match *m, uint32_t i)
{
	if (i < m->n->part_count)
		return check_case(f, m, i);
	if (m->expected == &cone_void || is_whole(m))
		return NULL;
	cone_blame(m->n, "1028", "as a value this match needs an else: not every value has a case");
	return cone_failed(f, m->n);
}

static void note_value(struct match *m, const struct cone_node *value)
{
	if (value->kind == CONE_NEW && value->type->kind == CONE_TYPE_ENUM && value->parts[0] &&
	    value->parts[0]->constant < 64)
		m->seen |= UINT64_C(1) << value->parts[0]->constant;
	if (value->kind == CONE_CONSTANT && value->type == &cone_bool)
		m->saw[value->constant & 1] = true;
}

static struct cone_node *check_case(struct cone_frame *f, struct match *m, uint32_t i)
{
	struct cone_node *n = m->n->parts[i], *condition, *bind = NULL, *payload;
	uint32_t variant, field, visible = f->local_count;
	if (n->kind != CONE_CASE)
		return cone_failed(f, n);
	if (n->op == CONE_EQUAL && !n->left)
		return cone_check_block(f, n->right, m->expected);
	if (n->op == CONE_EQUAL) {
		struct cone_node *value = cone_check_expression(f, n->left, m->use->type);
		note_value(m, value);
		condition = cone_apply(f, n, CONE_EQUAL, m->use, value);
	} else {
		if (!variant_named(f, n, m->use->type, pattern_name(n->type_syntax), &variant, &field))
			return cone_failed(f, n);
		m->seen |= variant < 64 ? UINT64_C(1) << variant : 0;
		condition = is_variant(f, m->use, variant);
		if (n->binds && field) {
			bind = cone_make_local(f, n->declared[0]->name, member_of(f, m->use, field), &payload);
			bind->declared[0]->mutable = n->declared[0]->mutable;
		}
	}
	struct cone_node *left = cone_check_block(f, n->right, m->expected);
	left = cone_make_block(f, n->right, left->type, bind, left, NULL);
	f->local_count = visible;
	struct cone_node *right = check_rest(f, m, i + 1);
	if (!right && is_whole(m)) /* every value has a case: the last one needs no condition */
		return condition->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n) : left;
	return finish_if(f, n, condition, left, right, m->expected);
}

struct cone_node *cone_check_match(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	uint32_t visible = f->local_count;
	struct cone_node *value = cone_dereference(f, cone_check_expression(f, n->left, NULL));
	if (value->type->kind == CONE_TYPE_ERROR || value->type == &cone_void ||
	    !cone_complete(f->checker, value->type))
		return cone_failed(f, n);
	if (n->part_count > MOST_CASES) {
		cone_blame(n, "1002", "a match has at most %d cases here", MOST_CASES);
		return cone_failed(f, n);
	}
	struct match m = {.n = n, .expected = expected};
	struct cone_node *local = cone_make_local(f, "", value, &m.use);
	struct cone_node *chain = n->part_count ? check_case(f, &m, 0) : NULL;
	f->local_count = visible;
	if (chain && chain->type->kind == CONE_TYPE_ERROR)
		return chain;
	return cone_make_block(f, n, chain ? chain->type : &cone_void, local, chain, NULL);
}

/* ---- Loops ---- */

/* The type of a loop's value: with else, that of its breaks and its else. */
static struct cone_node *finish_loop(struct cone_frame *f, struct cone_node *n, struct cone_loop *loop,
                                     struct cone_node *node, struct cone_node **otherwise, struct cone_node *written)
{
	f->loop = loop->outer;
	struct cone_type *expected = loop->expected ? loop->expected : loop->type;
	if (written)
		*otherwise = cone_check_block(f, written, expected);
	if (loop->type && !written && node->condition) {
		cone_blame(n, "1028", "as a value this loop needs an else");
		return cone_failed(f, n);
	}
	bool is_endless = node->kind == CONE_WHILE && !node->condition;
	if (is_endless)
		node->type = !loop->is_broken ? &cone_never : loop->type ? loop->type : &cone_void;
	else if (written && expected != &cone_void)
		node->type = loop->type ? loop->type : (*otherwise)->type;
	if (written && loop->type) {
		*otherwise = cone_coerce(f, *otherwise, loop->type);
		if ((*otherwise)->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
	}
	return node;
}

struct cone_node *cone_check_while(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *node = cone_make(f, CONE_WHILE, n, &cone_void);
	struct cone_loop loop = {.outer = f->loop, .node = node, .expected = expected};
	node->label = n->label;
	node->condition = n->condition ? cone_check_condition(f, n->condition) : NULL;
	f->loop = &loop;
	node->left = cone_check_block(f, n->left, &cone_void);
	if (node->condition && node->condition->type->kind == CONE_TYPE_ERROR) {
		f->loop = loop.outer;
		return cone_failed(f, n);
	}
	return finish_loop(f, n, &loop, node, &node->right, n->right);
}

/* Hides the body behind `if c`. */
static struct cone_node *loop_body(struct cone_frame *f, struct cone_node *n, struct cone_node *before)
{
	struct cone_node *condition = n->condition ? cone_check_condition(f, n->condition) : NULL;
	struct cone_node *body = cone_check_block(f, n->right, &cone_void);
	if (condition) {
		struct cone_node *choice = cone_make(f, CONE_IF, n, &cone_void);
		choice->condition = condition;
		choice->left = body;
		body = condition->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n) : choice;
	}
	return before || body->kind != CONE_BLOCK ? cone_make_block(f, n, &cone_void, before, body, NULL) : body;
}

static bool check_bounds(struct cone_frame *f, struct cone_node *n, struct cone_node *node)
{
	struct cone_node *range = n->left, *left, *right;
	if (cone_is_untyped(range->left) && !cone_is_untyped(range->right)) {
		right = cone_dereference(f, cone_check_expression(f, range->right, NULL));
		left = cone_dereference(f, cone_check_expression(f, range->left, right->type));
	} else {
		left = cone_dereference(f, cone_check_expression(f, range->left, NULL));
		right = cone_dereference(f, cone_check_expression(f, range->right, left->type));
	}
	if (left->type->kind == CONE_TYPE_ERROR || right->type->kind == CONE_TYPE_ERROR)
		return false;
	node->left = cone_apply(f, range, range->op, left, right);
	if (node->left->type->kind == CONE_TYPE_ERROR)
		return false;
	struct cone_type *t = node->left->left->type;
	if (!cone_type_is_number(t)) {
		cone_blame(range, "1013", "a range is of numbers, not %s", cone_type_text(f->checker, t));
		return false;
	}
	if (!n->step)
		return true;
	node->step = cone_check_as(f, n->step, t);
	return node->step->type->kind != CONE_TYPE_ERROR;
}

static struct cone_node *check_range_loop(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *node = cone_make(f, CONE_EACH, n, &cone_void);
	struct cone_loop loop = {.outer = f->loop, .node = node, .expected = expected};
	uint32_t visible = f->local_count;
	node->label = n->label;
	bool is_range = n->left->kind == CONE_BINARY && n->left->op >= CONE_LESS && n->left->op <= CONE_GREATER_EQUAL;
	if (!is_range || n->declared_count != 1) {
		cone_blame(n, "1013", "one variable goes through a range: lo < hi");
		return cone_failed(f, n);
	}
	bool good = check_bounds(f, n, node);
	node->declared = n->declared;
	node->declared_count = 1;
	n->declared[0]->mutable = false;
	n->declared[0]->type = good ? node->left->left->type : &cone_error;
	cone_add_local(f, n->declared[0]);
	f->loop = &loop;
	node->right = loop_body(f, n, NULL);
	f->local_count = visible;
	if (!good) {
		f->loop = loop.outer;
		return cone_failed(f, n);
	}
	return finish_loop(f, n, &loop, node, &node->other, n->other);
}

/* What is gone through: an array or slice, x.indexed(), x.mutItems(). */
struct items {
	struct cone_node *written;
	bool indexed, mutable;
};

static struct items items_of(struct cone_node *n)
{
	struct items items = {.written = n};
	if (n->kind != CONE_CALL || n->part_count || n->left->kind != CONE_MEMBER)
		return items;
	items.indexed = strcmp(n->left->name, "indexed") == 0;
	items.mutable = strcmp(n->left->name, "mutItems") == 0;
	if (items.indexed || items.mutable)
		items.written = n->left->left;
	return items;
}

/* A hidden local: the slice or borrow that is gone through. */
static struct cone_node *hold_items(struct cone_frame *f, struct cone_node *n, struct items *items,
                                    struct cone_node **use)
{
	struct cone_node *value = cone_check_expression(f, items->written, NULL);
	if (value->type->kind == CONE_TYPE_ERROR)
		return NULL;
	value = cone_dereference(f, value);
	if (value->type->kind != CONE_TYPE_ARRAY && value->type->kind != CONE_TYPE_SLICE) {
		cone_blame(n, "1013", "%s has no elements to go through", cone_type_text(f->checker, value->type));
		return NULL;
	}
	if (items->mutable &&
	    (value->type->kind == CONE_TYPE_SLICE ? !value->type->mutable : !cone_require_mutable(f, value, "1034"))) {
		if (value->type->kind == CONE_TYPE_SLICE)
			cone_blame(n, "1034", "%s is not changed through", cone_type_text(f->checker, value->type));
		return NULL;
	}
	if (value->type->kind == CONE_TYPE_ARRAY)
		value = cone_borrow(f, value, items->mutable);
	struct cone_node *local = cone_make_local(f, "", value, use);
	*use = cone_dereference(f, *use);
	return local;
}

static struct cone_node *element_at(struct cone_frame *f, struct cone_node *n, struct cone_node *items,
                                    struct cone_node *index, bool mutable)
{
	struct cone_node *element = cone_make(f, CONE_INDEX, n, items->type->element);
	element->left = items;
	element->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 1);
	element->parts[0] = index;
	element->part_count = 1;
	return cone_borrow(f, element, mutable);
}

/* { imm s = items; each i in 0 < s.len { imm x = &s[i]; ... } } */
static struct cone_node *check_items_loop(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct items items = items_of(n->left);
	struct cone_node *node = cone_make(f, CONE_EACH, n, &cone_void), *use, *x;
	uint32_t visible = f->local_count, wanted = items.indexed ? 2 : 1;
	if (n->declared_count != wanted || n->step) {
		cone_blame(n, "1013", n->step ? "only a range has a step" : "%u variables are wanted here", wanted);
		return cone_failed(f, n);
	}
	struct cone_node *local = hold_items(f, n, &items, &use);
	if (!local) {
		f->local_count = visible;
		return cone_failed(f, n);
	}
	struct cone_variable *i = ARENA_NEW(f->checker->arena, struct cone_variable);
	*i = (struct cone_variable){
	    .name = items.indexed ? n->declared[0]->name : "", .span = n->span, .type = f->checker->types.usize};
	cone_add_local(f, i);
	struct cone_node *index = cone_make(f, CONE_NAME, n, f->checker->types.usize);
	index->name = i->name;
	index->variable = i;
	node->declared = ARENA_ARRAY(f->checker->arena, struct cone_variable *, 1);
	node->declared[0] = i;
	node->declared_count = 1;
	node->label = n->label;
	node->left = cone_make_binary(f, n, CONE_LESS, cone_make_constant(f, n, f->checker->types.usize, 0),
	                              cone_member(f, n, use, "len", true));
	struct cone_loop loop = {.outer = f->loop, .node = node, .expected = expected};
	f->loop = &loop;
	struct cone_node *bind =
	    cone_make_local(f, n->declared[wanted - 1]->name, element_at(f, n, use, index, items.mutable), &x);
	node->right = loop_body(f, n, bind);
	f->local_count = visible;
	node = finish_loop(f, n, &loop, node, &node->other, n->other);
	return node->type->kind == CONE_TYPE_ERROR ? node : cone_make_block(f, n, node->type, local, node, NULL);
}

struct cone_node *cone_check_each(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	if (n->left->kind == CONE_BINARY && n->left->op >= CONE_LESS && n->left->op <= CONE_GREATER_EQUAL)
		return check_range_loop(f, n, expected);
	return check_items_loop(f, n, expected);
}
