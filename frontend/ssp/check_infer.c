#include <stdarg.h>

#include "frontend/ssp/check.h"

/* Types are kept small, so that no program makes the checker run long or deep: a tuple of a tuple twice, again and
 * again, has a size exponential in the source. Larger ones are E_UNSUPPORTED. */
enum { TYPE_SIZE_LIMIT = 10000, TYPE_DEPTH_LIMIT = 250, UNIFY_DEPTH_LIMIT = 400, UNIFY_STEP_LIMIT = 200000 };

struct type *check_fresh(struct checker *c)
{
	return type_new(&c->p->arena, TYPE_VARIABLE, 0);
}

struct type *check_fresh_origin(struct checker *c, struct span span, const char *name)
{
	struct type *t = check_fresh(c);
	*ARENA_PUSH(&c->scratch, c->origins, c->origin_count, c->origin_capacity) = (struct origin){t, span, name};
	return t;
}

static bool is_small(struct type *t, uint32_t depth, uint32_t *size)
{
	t = type_resolve(t);
	if (depth > TYPE_DEPTH_LIMIT || ++*size > TYPE_SIZE_LIMIT)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		if (!is_small(t->items[i], depth + 1, size))
			return false;
	}
	return true;
}

static bool is_too_large(struct type *t)
{
	uint32_t size = 0;
	return !is_small(t, 0, &size);
}

static struct type *require_small(struct checker *c, struct span span, struct type *t)
{
	if (!is_too_large(t))
		return t;
	if (!c->too_large_reported)
		diagnostic_add(c->diagnostics, "E_UNSUPPORTED", span, "the type of this is too large");
	c->too_large_reported = true;
	return &type_error;
}

struct type *check_type_of_items(struct checker *c, struct span span, enum type_kind kind, uint32_t count,
                                 struct type **items)
{
	struct type *t = type_new(&c->p->arena, kind, 0);
	t->count = count;
	t->items = ARENA_ARRAY(&c->p->arena, struct type *, count);
	for (uint32_t i = 0; i < count; i++)
		t->items[i] = items[i];
	return require_small(c, span, t);
}

struct type *check_type(struct checker *c, struct span span, enum type_kind kind, uint32_t count, ...)
{
	struct type *items[2] = {NULL, NULL};
	va_list list;
	va_start(list, count);
	for (uint32_t i = 0; i < count && i < 2; i++)
		items[i] = va_arg(list, struct type *);
	va_end(list);
	return check_type_of_items(c, span, kind, count, items);
}

void check_poison(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_VARIABLE) {
		t->bound = &type_error;
		return;
	}
	if (t->count == 0 || is_too_large(t))
		return;
	for (uint32_t i = 0; i < t->count; i++)
		check_poison(t->items[i]);
}

static bool occurs(const struct type *variable, struct type *t)
{
	t = type_resolve(t);
	if (t == variable)
		return true;
	for (uint32_t i = 0; i < t->count; i++) {
		if (occurs(variable, t->items[i]))
			return true;
	}
	return false;
}

/* Functions are no values that a list or a branch could hold, so no variable becomes one. */
static bool bind(struct type *variable, struct type *t)
{
	if (t->kind == TYPE_FUNCTION || is_too_large(t) || occurs(variable, t))
		return false;
	variable->bound = t;
	return true;
}

static bool unify_at(struct type *a, struct type *b, uint32_t depth, uint32_t *steps)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b)
		return true;
	if (a->kind == TYPE_ERROR || b->kind == TYPE_ERROR) {
		check_poison(a);
		check_poison(b);
		return true;
	}
	if (a->kind == TYPE_VARIABLE)
		return bind(a, b);
	if (b->kind == TYPE_VARIABLE)
		return bind(b, a);
	if (a->kind != b->kind || a->count != b->count || depth > UNIFY_DEPTH_LIMIT || ++*steps > UNIFY_STEP_LIMIT)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (!unify_at(a->items[i], b->items[i], depth + 1, steps))
			return false;
	}
	return true;
}

bool check_unify(struct checker *c, struct type *a, struct type *b)
{
	(void)c;
	uint32_t steps = 0;
	return unify_at(a, b, 0, &steps);
}

/* ---- Messages ---- */

const char *check_type_text(struct checker *c, const struct type *t)
{
	struct text text = {0};
	type_print(t, &text);
	const char *copy = arena_string(&c->scratch, text_string(&text));
	text_free(&text);
	return copy;
}

static bool is_list_of(const struct type *t, enum type_kind item)
{
	return t->kind == TYPE_LIST && type_resolve(t->items[0])->kind == item;
}

static const char *builtin_for_buffer(enum type_kind element)
{
	return element == TYPE_F32   ? "dev_f32"
	       : element == TYPE_F64 ? "dev_f64"
	       : element == TYPE_I32 ? "dev_i32"
	       : element == TYPE_U32 ? "dev_u32"
	                             : "dev_int";
}

static void mismatch_hint(struct checker *c, struct diagnostic *d, const struct node *n, struct type *expected,
                          struct type *found)
{
	struct diagnostics *all = c->diagnostics;
	enum type_kind want = expected->kind, have = found->kind;
	if (want == TYPE_F64 && have == TYPE_INT && n->kind == NODE_INT)
		diagnostic_hint(all, d, "write `%s%llu.0`", n->negative ? "-" : "", (unsigned long long)n->number);
	else if (want == TYPE_F64 && have == TYPE_INT)
		diagnostic_hint(all, d, "convert it with `.to_f64`");
	else if (want == TYPE_INT && have == TYPE_F64)
		diagnostic_hint(all, d, "convert it with `.round`, `.floor`, `.ceil` or `.trunc`");
	else if (is_list_of(expected, TYPE_F64) && is_list_of(found, TYPE_INT))
		diagnostic_hint(all, d, "convert it with `.map(x => x.to_f64)`");
	else if (want == TYPE_STR && have != TYPE_UNIT)
		diagnostic_hint(all, d, "convert it with `.str`");
	else if (want == TYPE_LIST && have == TYPE_DEVBUF)
		diagnostic_hint(all, d, "read it with `.to_list`");
	else if (want == TYPE_DEVBUF && have == TYPE_LIST)
		diagnostic_hint(all, d, "make a buffer with `%s(...)`",
		                builtin_for_buffer(type_resolve(expected->items[0])->kind));
	else if ((have == TYPE_OPT || have == TYPE_RES) && type_equal(found->items[0], expected))
		diagnostic_hint(all, d, "take the value with `.or(...)` or `.get`");
}

struct diagnostic *check_mismatch(struct checker *c, struct node *n, struct type *expected, struct type *found)
{
	struct node *blamed = check_value_node(n);
	expected = type_resolve(expected);
	found = type_resolve(found);
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", blamed->span, "expected %s, found %s",
	                                      check_type_text(c, expected), check_type_text(c, found));
	mismatch_hint(c, d, blamed, expected, found);
	check_poison(expected);
	check_poison(found);
	return d;
}

bool check_expect(struct checker *c, struct node *n, struct type *expected)
{
	if (check_unify(c, expected, n->type))
		return true;
	check_mismatch(c, n, expected, n->type);
	return false;
}

/* ---- Classes ---- */

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

static enum answer class_holds(enum type_class class, struct type *t);

static enum answer class_holds_inside(enum type_class class, const struct type *t)
{
	enum answer all = ANSWER_YES;
	for (uint32_t i = 0; i < t->count; i++) {
		enum answer one = class_holds(class, t->items[i]);
		if (one == ANSWER_NO)
			return ANSWER_NO;
		if (one == ANSWER_UNKNOWN)
			all = ANSWER_UNKNOWN;
	}
	return all;
}

static enum answer class_holds(enum type_class class, struct type *t)
{
	t = type_resolve(t);
	enum type_kind k = t->kind;
	if (k == TYPE_ERROR)
		return ANSWER_YES;
	if (k == TYPE_VARIABLE)
		return class == CLASS_ANY ? ANSWER_YES : ANSWER_UNKNOWN;
	switch (class) {
	case CLASS_ANY: return ANSWER_YES;
	case CLASS_ADD:
		return k == TYPE_INT || k == TYPE_F64 || k == TYPE_STR || k == TYPE_LIST ? ANSWER_YES : ANSWER_NO;
	case CLASS_NUMBER: return k == TYPE_INT || k == TYPE_F64 ? ANSWER_YES : ANSWER_NO;
	case CLASS_INT: return k == TYPE_INT ? ANSWER_YES : ANSWER_NO;
	case CLASS_TEXT: return k == TYPE_STR ? ANSWER_YES : ANSWER_NO;
	case CLASS_EQUAL: return k == TYPE_DEVBUF || k == TYPE_FUNCTION ? ANSWER_NO : class_holds_inside(class, t);
	case CLASS_SHAREABLE:
		if (k == TYPE_FUNCTION)
			return ANSWER_YES; /* what a lambda captures is looked at apart */
		return k == TYPE_DEVBUF ? ANSWER_NO : class_holds_inside(class, t);
	case CLASS_ORDERED:
		if (k == TYPE_LIST || k == TYPE_TUPLE)
			return class_holds_inside(class, t);
		return k == TYPE_INT || k == TYPE_F64 || k == TYPE_STR ? ANSWER_YES : ANSWER_NO;
	}
	return ANSWER_NO;
}

static void report_class(struct checker *c, const struct pending *p)
{
	struct diagnostic *d;
	if (p->class == CLASS_SHAREABLE) {
		d = diagnostic_add(c->diagnostics, p->code, p->span,
		                   "a task of `par` cannot use %s from outside it: it holds a DevBuf", p->subject);
		diagnostic_hint(c->diagnostics, d,
		                "make the buffer inside the task, or read it with `.to_list` before");
	} else {
		d = diagnostic_add(c->diagnostics, p->code, p->span, "%s is not defined for %s", p->subject,
		                   check_type_text(c, p->type));
	}
	check_poison(p->type);
}

static enum answer pending_holds(const struct pending *p)
{
	struct type *t = type_resolve(p->type);
	if (is_too_large(t))
		return ANSWER_YES; /* check_close reports it */
	return class_holds(p->class, p->of_items ? t->items[0] : t);
}

static bool require(struct checker *c, struct pending p)
{
	enum answer answer = pending_holds(&p);
	if (answer == ANSWER_NO)
		report_class(c, &p);
	else if (answer == ANSWER_UNKNOWN)
		*ARENA_PUSH(&c->scratch, c->pendings, c->pending_count, c->pending_capacity) = p;
	return answer != ANSWER_NO;
}

bool check_require(struct checker *c, enum type_class class, struct type *t, struct span span, const char *code,
                   const char *subject)
{
	return require(c, (struct pending){class, t, false, span, code, subject});
}

void check_require_items(struct checker *c, enum type_class class, struct type *list, struct span span,
                         const char *code, const char *subject)
{
	require(c, (struct pending){class, list, true, span, code, subject});
}

/* ---- The end of a definition ---- */

static bool has_free(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_VARIABLE)
		return true;
	for (uint32_t i = 0; i < t->count; i++) {
		if (has_free(t->items[i]))
			return true;
	}
	return false;
}

static void report_origin(struct checker *c, const struct origin *o)
{
	if (is_too_large(o->type) || !has_free(o->type))
		return;
	struct diagnostic *d;
	if (o->name) {
		d = diagnostic_add(c->diagnostics, "E_INFER", o->span, "the type of `%s` is not known", o->name);
		diagnostic_hint(c->diagnostics, d,
		                "use it where only one type fits, or pass the lambda to a method directly");
	} else {
		d = diagnostic_add(c->diagnostics, "E_INFER", o->span, "the element type of this list is not known");
		diagnostic_hint(c->diagnostics, d, "write an element, or use the list where its type is known");
	}
	check_poison(o->type);
}

/* The same type without bound variables, in place. A type that was done is marked by pointing to itself. What is
 * still free belongs to a value that never exists (of `return`): Unit. */
static struct type *close_items(struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_VARIABLE)
		return t->bound = &type_unit;
	if (t->count == 0 || t->bound == t)
		return t;
	t->bound = t;
	for (uint32_t i = 0; i < t->count; i++)
		t->items[i] = close_items(t->items[i]);
	return t;
}

static struct type *close_type(struct checker *c, struct span span, struct type *t)
{
	t = type_resolve(t);
	return t->bound == t ? t : close_items(require_small(c, span, t));
}

void check_close(struct checker *c)
{
	for (uint32_t i = 0; i < c->pending_count; i++) {
		struct pending *p = &c->pendings[i];
		if (pending_holds(p) == ANSWER_NO)
			report_class(c, p);
	}
	for (uint32_t i = 0; i < c->origin_count; i++)
		report_origin(c, &c->origins[i]);
	for (uint32_t i = 0; i < c->node_count; i++)
		c->nodes[i]->type = close_type(c, c->nodes[i]->span, c->nodes[i]->type);
	for (uint32_t i = 0; i < c->variable_count; i++)
		c->variables[i]->type = close_type(c, c->variables[i]->span, c->variables[i]->type);
	c->pending_count = c->origin_count = c->node_count = c->variable_count = 0;
}
