#include <assert.h>
#include <math.h>
#include <string.h>

#include "frontend/ssp/check.h"

struct type *check_set_type(struct checker *c, struct node *n, struct type *t)
{
	n->type = t;
	*ARENA_PUSH(&c->scratch, c->nodes, c->node_count, c->node_capacity) = n;
	return t;
}

struct node *check_value_node(struct node *n)
{
	while (n->kind == NODE_BLOCK && n->part_count > 0)
		n = n->parts[n->part_count - 1];
	return n;
}

const char *check_source_text(struct checker *c, struct span span)
{
	enum { LONGEST = 60 };
	const char *bytes = c->p->source->bytes + span.start;
	size_t length = span.end - span.start;
	if (length == 0 || length > LONGEST || memchr(bytes, '\n', length))
		return NULL;
	return arena_string_n(&c->scratch, bytes, length);
}

/* ---- Values ---- */

/* Function types exist in lambdas only (spec 2.3): a function is called, passed to a method, or named by a plain
 * local, and nothing else. So it never leaves the frame that it was made in. */
struct type *check_as_value(struct checker *c, struct node *n)
{
	struct type *t = type_resolve(n->type);
	if (t->kind != TYPE_FUNCTION)
		return t;
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_UNSUPPORTED", n->span, "a function as a value is not supported here");
	diagnostic_hint(c->diagnostics, d, "call it, pass it to a method, or name it: `f = x => ...`");
	return n->type = &type_error;
}

struct type *check_value(struct checker *c, struct node *n)
{
	check_expression(c, n);
	return check_as_value(c, n);
}

/* ---- Literals ---- */

static struct type *check_int(struct checker *c, struct node *n)
{
	if (n->number > (uint64_t)INT64_MAX + n->negative)
		diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->span, "%s%llu is out of range for Int",
		               n->negative ? "-" : "", (unsigned long long)n->number);
	return &type_int;
}

static struct type *check_float(struct checker *c, struct node *n)
{
	if (isinf(n->real))
		diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->span, "the literal is out of range for F64");
	return &type_f64;
}

static struct type *check_string(struct checker *c, struct node *n)
{
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (n->parts[i]->kind == NODE_TEXT)
			check_set_type(c, n->parts[i], &type_str);
		else
			check_value(c, n->parts[i]);
	}
	return &type_str;
}

static struct type *check_list(struct checker *c, struct node *n)
{
	if (n->part_count == 0)
		return check_type(c, n->span, TYPE_LIST, 1, check_fresh_origin(c, n->span, NULL));
	struct type *element = check_value(c, n->parts[0]);
	for (uint32_t i = 1; i < n->part_count; i++) {
		check_value(c, n->parts[i]);
		check_expect(c, n->parts[i], element);
	}
	return check_type(c, n->span, TYPE_LIST, 1, element);
}

static struct type *check_tuple(struct checker *c, struct node *n)
{
	struct type **items = ARENA_ARRAY(&c->scratch, struct type *, n->part_count);
	for (uint32_t i = 0; i < n->part_count; i++)
		items[i] = check_value(c, n->parts[i]);
	return check_type_of_items(c, n->span, TYPE_TUPLE, n->part_count, items);
}

/* ---- Operators ---- */

static const char *const operator_names[] = {
    [OPERATOR_OR] = "or",         [OPERATOR_AND] = "and",      [OPERATOR_NOT] = "not",
    [OPERATOR_EQUAL] = "==",      [OPERATOR_NOT_EQUAL] = "!=", [OPERATOR_LESS] = "<",
    [OPERATOR_LESS_EQUAL] = "<=", [OPERATOR_GREATER] = ">",    [OPERATOR_GREATER_EQUAL] = ">=",
    [OPERATOR_ADD] = "+",         [OPERATOR_SUBTRACT] = "-",   [OPERATOR_MULTIPLY] = "*",
    [OPERATOR_DIVIDE] = "/",      [OPERATOR_REMAINDER] = "%",  [OPERATOR_POWER] = "**",
    [OPERATOR_NEGATE] = "-",
};

static enum type_class operand_class(enum operator_kind k)
{
	switch (k) {
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT: return CLASS_ANY;
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL: return CLASS_EQUAL;
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL: return CLASS_ORDERED;
	case OPERATOR_ADD: return CLASS_ADD;
	case OPERATOR_SUBTRACT:
	case OPERATOR_MULTIPLY:
	case OPERATOR_DIVIDE:
	case OPERATOR_POWER:
	case OPERATOR_NEGATE: return CLASS_NUMBER;
	case OPERATOR_REMAINDER: return CLASS_INT;
	}
	return CLASS_ANY;
}

static bool gives_bool(enum type_class class)
{
	return class == CLASS_EQUAL || class == CLASS_ORDERED;
}

static bool are_kinds(const struct type *a, const struct type *b, enum type_kind x, enum type_kind y)
{
	return (a->kind == x && b->kind == y) || (a->kind == y && b->kind == x);
}

static void report_operands(struct checker *c, struct node *n, const char *operator_text)
{
	struct type *left = type_resolve(n->left->type), *right = type_resolve(n->right->type);
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->at, "%s needs two of one type, not %s and %s",
	                   operator_text, check_type_text(c, left), check_type_text(c, right));
	bool numbers = are_kinds(left, right, TYPE_INT, TYPE_F64);
	struct node *integer = left->kind == TYPE_INT ? n->left : n->right;
	if (numbers && integer->kind == NODE_INT)
		diagnostic_hint(c->diagnostics, d, "write `%s%llu.0`", integer->negative ? "-" : "",
		                (unsigned long long)integer->number);
	else if (numbers)
		diagnostic_hint(c->diagnostics, d, "convert the Int with `.to_f64`");
	else if (n->operator_kind == OPERATOR_ADD && (left->kind == TYPE_STR || right->kind == TYPE_STR))
		diagnostic_hint(c->diagnostics, d, "convert the %s with `.str`",
		                check_type_text(c, left->kind == TYPE_STR ? right : left));
	check_poison(left);
	check_poison(right);
}

/* A type without the operator is E_OPERATOR; two types that each have it, E_TYPE_MISMATCH. */
static struct type *check_operands(struct checker *c, struct node *n, enum type_class class)
{
	const char *subject = arena_format(&c->scratch, "`%s`", operator_names[n->operator_kind]);
	if (!check_require(c, class, n->left->type, n->at, "E_OPERATOR", subject) ||
	    !check_require(c, class, n->right->type, n->at, "E_OPERATOR", subject))
		return &type_error;
	if (check_unify(c, n->left->type, n->right->type))
		return n->left->type;
	report_operands(c, n, subject);
	return &type_error;
}

/* The left operand is checked. */
static struct type *check_binary(struct checker *c, struct node *n)
{
	enum type_class class = operand_class(n->operator_kind);
	check_as_value(c, n->left);
	check_value(c, n->right);
	if (class == CLASS_ANY) {
		check_expect(c, n->left, &type_bool);
		check_expect(c, n->right, &type_bool);
		return &type_bool;
	}
	struct type *operands = check_operands(c, n, class);
	return gives_bool(class) ? &type_bool : operands;
}

static struct type *check_unary(struct checker *c, struct node *n)
{
	struct type *t = check_value(c, n->left);
	if (n->operator_kind == OPERATOR_NOT) {
		check_expect(c, n->left, &type_bool);
		return &type_bool;
	}
	return check_require(c, CLASS_NUMBER, t, n->at, "E_OPERATOR", "unary `-`") ? t : &type_error;
}

static struct type *check_range(struct checker *c, struct node *n)
{
	struct node *ends[] = {n->left, n->right};
	for (int i = 0; i < 2; i++) {
		check_value(c, ends[i]);
		check_expect(c, ends[i], &type_int);
	}
	return check_type(c, n->span, TYPE_LIST, 1, &type_int);
}

/* ---- Items ---- */

/* The list is checked. */
static struct type *check_index(struct checker *c, struct node *n)
{
	struct type *list = check_as_value(c, n->left);
	check_value(c, n->right);
	check_expect(c, n->right, &type_int);
	if (list->kind == TYPE_ERROR)
		return list;
	if (list->kind == TYPE_VARIABLE && check_unify(c, list, check_type(c, n->span, TYPE_LIST, 1, check_fresh(c))))
		list = type_resolve(list);
	if (list->kind == TYPE_LIST)
		return list->items[0];
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_OPERATOR", n->at, "indexing is not defined for %s",
	                                      check_type_text(c, list));
	if (list->kind == TYPE_DEVBUF)
		diagnostic_hint(c->diagnostics, d, "read the buffer with `.to_list` first");
	else if (list->kind == TYPE_TUPLE && n->right->kind == NODE_INT)
		diagnostic_hint(c->diagnostics, d, "write `.%llu`", (unsigned long long)n->right->number);
	return &type_error;
}

/* The tuple is checked. */
static struct type *check_tuple_item(struct checker *c, struct node *n)
{
	struct type *tuple = check_as_value(c, n->left);
	if (tuple->kind == TYPE_TUPLE && n->number < tuple->count)
		return tuple->items[n->number];
	if (tuple->kind == TYPE_TUPLE)
		diagnostic_add(c->diagnostics, "E_TUPLE_INDEX", n->at, "%s has no item %llu, only 0 to %u",
		               check_type_text(c, tuple), (unsigned long long)n->number, tuple->count - 1);
	else if (tuple->kind == TYPE_VARIABLE)
		diagnostic_add(c->diagnostics, "E_INFER", n->left->span,
		               "the type of this must be known before `.%llu`", (unsigned long long)n->number);
	else if (tuple->kind != TYPE_ERROR)
		diagnostic_add(c->diagnostics, "E_TUPLE_INDEX", n->at, "%s is not a tuple", check_type_text(c, tuple));
	check_poison(tuple);
	return &type_error;
}

/* ---- Things that are elsewhere ---- */

static struct type *check_borrow(struct checker *c, struct node *n)
{
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->span,
	                                      "`&` makes an argument of a kernel, not a value");
	const char *text = check_source_text(c, n->left->span);
	if (text)
		diagnostic_hint(c->diagnostics, d, "write `%s`", text);
	check_value(c, n->left);
	return &type_error;
}

/* Spec 1.7: shared arrays in a helper are E_KERNEL. */
static struct type *check_shared(struct checker *c, struct node *n)
{
	diagnostic_add(c->diagnostics, "E_KERNEL", n->span, "shared arrays exist in the body of a kernel only");
	return &type_error;
}

/* ---- Dispatch ---- */

/* Chains of these go down `left` for as long as a program likes: they are walked without recursion. */
static bool is_spine(const struct node *n)
{
	switch (n->kind) {
	case NODE_BINARY:
	case NODE_METHOD:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM: return true;
	case NODE_CALL: return n->left->kind != NODE_NAME;
	case NODE_INT:
	case NODE_FLOAT:
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_UNIT:
	case NODE_NAME:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_UNARY:
	case NODE_RANGE:
	case NODE_LAMBDA:
	case NODE_IF:
	case NODE_BORROW:
	case NODE_BLOCK:
	case NODE_SHARED:
	case NODE_LET:
	case NODE_ASSIGN:
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_RETURN:
	case NODE_ERROR: return false;
	}
	return false;
}

/* One link of a chain, its left side checked. */
static struct type *check_link(struct checker *c, struct node *n)
{
	if (n->kind == NODE_BINARY)
		return check_binary(c, n);
	if (n->kind == NODE_METHOD)
		return check_method(c, n);
	if (n->kind == NODE_INDEX)
		return check_index(c, n);
	if (n->kind == NODE_TUPLE_ITEM)
		return check_tuple_item(c, n);
	assert(n->kind == NODE_CALL);
	return check_call_value(c, n);
}

static struct type *check_leaf(struct checker *c, struct node *n)
{
	switch (n->kind) {
	case NODE_INT: return check_int(c, n);
	case NODE_FLOAT: return check_float(c, n);
	case NODE_BOOL: return &type_bool;
	case NODE_STRING: return check_string(c, n);
	case NODE_TEXT: return &type_str;
	case NODE_UNIT: return &type_unit;
	case NODE_NAME:
	case NODE_PLACEHOLDER: return check_name(c, n);
	case NODE_LIST: return check_list(c, n);
	case NODE_TUPLE: return check_tuple(c, n);
	case NODE_UNARY: return check_unary(c, n);
	case NODE_RANGE: return check_range(c, n);
	case NODE_LAMBDA: return check_lambda(c, n, NULL);
	case NODE_IF: return check_if(c, n, false);
	case NODE_BORROW: return check_borrow(c, n);
	case NODE_BLOCK: return check_block(c, n);
	case NODE_SHARED: return check_shared(c, n);
	case NODE_LET: return check_let(c, n);
	case NODE_ASSIGN: return check_assign(c, n);
	case NODE_FOR: return check_for(c, n);
	case NODE_WHILE: return check_while(c, n);
	case NODE_RETURN: return check_return(c, n);
	case NODE_CALL: return check_call_name(c, n);
	case NODE_ERROR: c->unread = true; return &type_error;
	case NODE_BINARY:
	case NODE_METHOD:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM: return check_link(c, n);
	}
	return &type_error;
}

/* A statement with a fault may have swallowed the value that should follow it. */
static bool is_cut_short(const struct node *n)
{
	bool statement = n->kind == NODE_LET || n->kind == NODE_ASSIGN || n->kind == NODE_FOR || n->kind == NODE_WHILE;
	return statement && ((n->left && n->left->kind == NODE_ERROR) || (n->right && n->right->kind == NODE_ERROR));
}

struct type *check_expression(struct checker *c, struct node *n)
{
	if (n == c->checked)
		return n->type;
	uint32_t base = c->spine_count;
	for (; is_spine(n); n = n->left)
		*ARENA_PUSH(&c->scratch, c->spine, c->spine_count, c->spine_capacity) = n;
	struct type *t = check_leaf(c, n);
	if (is_cut_short(n))
		t = &type_error;
	check_set_type(c, n, t);
	while (c->spine_count > base) {
		struct node *link = c->spine[--c->spine_count];
		t = check_set_type(c, link, check_link(c, link));
	}
	return t;
}
