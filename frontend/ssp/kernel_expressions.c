/* Names, operators, indices and `if` of kernel expressions (spec/sspur.md 1.2, 1.3). */
#include <string.h>

#include "frontend/ssp/kernel_check.h"

static const char *operator_text(enum operator_kind kind)
{
	switch (kind) {
	case OPERATOR_OR: return "or";
	case OPERATOR_AND: return "and";
	case OPERATOR_NOT: return "not";
	case OPERATOR_EQUAL: return "==";
	case OPERATOR_NOT_EQUAL: return "!=";
	case OPERATOR_LESS: return "<";
	case OPERATOR_LESS_EQUAL: return "<=";
	case OPERATOR_GREATER: return ">";
	case OPERATOR_GREATER_EQUAL: return ">=";
	case OPERATOR_ADD: return "+";
	case OPERATOR_SUBTRACT: return "-";
	case OPERATOR_MULTIPLY: return "*";
	case OPERATOR_DIVIDE: return "/";
	case OPERATOR_REMAINDER: return "%";
	case OPERATOR_POWER: return "**";
	case OPERATOR_NEGATE: return "-";
	}
	return "";
}

void kernel_expect(struct kernel_checker *c, struct node *n, struct type *expected, const char *what)
{
	struct type *t = kernel_settle(c, n, expected);
	if (t == &type_error || expected == &type_error || type_equal(t, expected))
		return;
	struct diagnostic *d = kernel_report(c, "E_KERNEL_TYPE", n->span, "%s must be %s, this is %s", what,
	                                     kernel_type_name(expected), kernel_type_name(t));
	kernel_conversion_hint(c, d, n, expected);
}

void kernel_require(struct kernel_checker *c, struct node *n, struct type *expected, const char *what)
{
	kernel_infer(c, n);
	kernel_expect(c, n, expected, what);
}

/* ---- Names and indices ---- */

static struct type *infer_unknown_name(struct kernel_checker *c, const struct node *n)
{
	struct definition *d = kernel_find_definition(c->program, n->name);
	if (d) {
		kernel_report(c, "E_KERNEL", n->span, "the %s `%s` is not a value in a kernel",
		              d->kind == DEFINITION_KERNEL ? "kernel" : "function", n->name);
		return &type_error;
	}
	if (kernel_report_larger(c, n))
		return &type_error;
	struct diagnostic *item = kernel_report(c, "E_KERNEL", n->span, "unknown name `%s`", n->name);
	const char *nearest = kernel_nearest_name(c, n->name);
	if (strcmp(n->name, "barrier") == 0)
		kernel_hint(c, item, "write `barrier()`");
	else if (nearest)
		kernel_hint(c, item, "did you mean `%s`?", nearest);
	return &type_error;
}

static const char *part_name(const struct kernel_checker *c)
{
	return c->part == KERNEL_PRE ? "`pre`" : "`@grid`";
}

static const char *other_form(struct kernel_checker *c, const char *name)
{
	return arena_format(&c->scratch, c->definition->grid_axes == 2 ? "`%s.x` or `%s.y`" : "`%s`", name, name);
}

bool kernel_allow_intrinsic(struct kernel_checker *c, const struct node *n, const struct kernel_intrinsic *intrinsic,
                            const char *axis)
{
	const char *name = intrinsic->name, *dot = *axis ? "." : "";
	uint32_t axes = c->definition->grid_axes;
	struct diagnostic *d = NULL;
	if (c->helper) {
		d = kernel_report(c, "E_KERNEL", n->span,
		                  "a helper does not know `%s%s%s`: it sees its parameters alone", name, dot, axis);
		kernel_hint(c, d, "pass it as an argument");
	} else if (c->part != KERNEL_BODY && intrinsic->op != IR_OP_group_size) {
		d = kernel_report(c, "E_KERNEL", n->span, "`%s%s%s` is not defined in %s", name, dot, axis,
		                  part_name(c));
		kernel_hint(c, d, "scalar parameters, lengths, literals and %s are", other_form(c, "group_size"));
	} else if (axes == 1 && *axis) {
		d = kernel_report(c, "E_KERNEL", n->span, "`%s.%s` is for kernels with a 2D grid", name, axis);
		kernel_hint(c, d, "in a 1D kernel write `%s`", name);
	} else if (axes == 2 && (!*axis || *axis == 'z')) {
		d = *axis ? kernel_report(c, "E_KERNEL", n->span, "a 2D grid has no `%s.%s`", name, axis)
		          : kernel_report(c, "E_KERNEL", n->span, "`%s` alone is for kernels with a 1D grid", name);
		kernel_hint(c, d, "write %s", other_form(c, name));
	}
	return !d && (axes == 1 || axes == 2); /* another grid was reported */
}

static struct type *infer_name(struct kernel_checker *c, struct node *n)
{
	struct variable *v = kernel_find_variable(c, n);
	if (v && v->type->kind == TYPE_LIST) {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL", n->span, "the %s `%s` cannot be used as a whole",
		                          kernel_slice_noun(c, v), n->name),
		            c->part == KERNEL_BODY ? "read an element, `%s[i]`, or the length, `%s.len`"
		                                   : "here only the length can be used: `%.0s%s.len`",
		            n->name, n->name);
		return &type_error;
	}
	if (v) {
		n->variable = v;
		return v->type;
	}
	const struct kernel_intrinsic *intrinsic = kernel_find_intrinsic(n->name);
	if (!intrinsic)
		return infer_unknown_name(c, n);
	return kernel_allow_intrinsic(c, n, intrinsic, "") ? &type_int : &type_error;
}

struct variable *kernel_infer_index(struct kernel_checker *c, struct node *n)
{
	struct variable *v = kernel_find_variable(c, n->left);
	bool slice = v && v->type->kind == TYPE_LIST;
	if (slice) {
		n->left->variable = v;
		n->left->type = v->type;
	} else if (kernel_infer(c, n->left) != &type_error) {
		struct type *t = kernel_settle(c, n->left, NULL);
		kernel_report(c, "E_KERNEL_TYPE", n->left->span,
		              "only a slice or a shared array can be indexed, this is %s", kernel_type_name(t));
	}
	kernel_require(c, n->right, &type_int, "an index");
	return slice ? v : NULL;
}

static struct type *infer_index(struct kernel_checker *c, struct node *n)
{
	struct variable *v = kernel_infer_index(c, n);
	if (v && c->part != KERNEL_BODY) {
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->span, "a slice cannot be read in %s", part_name(c)),
		            "it is evaluated before the launch, over scalar parameters and lengths");
		return &type_error;
	}
	return v ? v->type->items[0] : &type_error;
}

/* ---- Operators ---- */

static struct type *mixed(struct kernel_checker *c, const struct node *n)
{
	struct diagnostic *d = kernel_report(
	    c, "E_KERNEL_TYPE", n->at, "the operands of `%s` have different types, %s and %s",
	    operator_text(n->operator_kind), kernel_type_name(n->left->type), kernel_type_name(n->right->type));
	kernel_mixed_hint(c, d, n->left, n->right);
	return &type_error;
}

static struct type *infer_arithmetic(struct kernel_checker *c, struct node *n)
{
	struct type *t = kernel_common_type(c, n->left, n->right);
	if (!t)
		return mixed(c, n);
	if (t->kind == TYPE_BOOL) {
		kernel_report(c, "E_KERNEL_TYPE", n->at, "`%s` takes numbers, not Bool",
		              operator_text(n->operator_kind));
		return &type_error;
	}
	if (n->operator_kind != OPERATOR_REMAINDER)
		return t;
	if (t == &kernel_literal_number)
		return &kernel_literal_integer;
	if (t == &kernel_literal_float || kernel_is_float(t)) {
		kernel_report(c, "E_KERNEL", n->at, "`%%` takes integers in a kernel, not floats");
		return &type_error;
	}
	return t;
}

static struct type *infer_comparison(struct kernel_checker *c, struct node *n)
{
	struct type *t = kernel_common_type(c, n->left, n->right);
	if (!t)
		return mixed(c, n);
	if (kernel_is_literal(t)) {
		/* Both sides take one default: an Int beside a float literal becomes a float. */
		struct type *one = t == &kernel_literal_float ? c->float_default : &type_int;
		kernel_settle(c, n->left, one);
		kernel_settle(c, n->right, one);
	}
	if (t->kind == TYPE_BOOL && n->operator_kind != OPERATOR_EQUAL && n->operator_kind != OPERATOR_NOT_EQUAL) {
		kernel_report(c, "E_KERNEL_TYPE", n->at, "Bool has only `==` and `!=`, not `%s`",
		              operator_text(n->operator_kind));
		return &type_error;
	}
	return t == &type_error ? t : &type_bool;
}

/* An operand of and, or, not that has been inferred. */
static bool is_truth(struct kernel_checker *c, const struct node *n, struct node *operand)
{
	struct type *t = kernel_settle(c, operand, NULL);
	if (t == &type_error || t == &type_bool)
		return t == &type_bool;
	kernel_report(c, "E_KERNEL_TYPE", operand->span, "`%s` takes Bool, this is %s", operator_text(n->operator_kind),
	              kernel_type_name(t));
	return false;
}

static struct type *infer_binary(struct kernel_checker *c, struct node *n)
{
	/* What is right of and, or runs under a condition. */
	bool guarded = n->operator_kind == OPERATOR_OR || n->operator_kind == OPERATOR_AND;
	if (guarded && !kernel_nest(c, n))
		return &type_error;
	kernel_infer(c, n->right);
	c->nesting -= guarded;
	switch (n->operator_kind) {
	case OPERATOR_OR:
	case OPERATOR_AND: {
		bool left = is_truth(c, n, n->left), right = is_truth(c, n, n->right);
		return left && right ? &type_bool : &type_error;
	}
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL:
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL: return infer_comparison(c, n);
	case OPERATOR_ADD:
	case OPERATOR_SUBTRACT:
	case OPERATOR_MULTIPLY:
	case OPERATOR_DIVIDE:
	case OPERATOR_REMAINDER: return infer_arithmetic(c, n);
	case OPERATOR_POWER:
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->at, "`**` is not available in a kernel"),
		            "multiply, or shift with `1.shl(n)`");
		return &type_error;
	case OPERATOR_NOT:
	case OPERATOR_NEGATE: return &type_error; /* unary */
	}
	return &type_error;
}

static struct type *infer_unary(struct kernel_checker *c, struct node *n)
{
	if (n->operator_kind == OPERATOR_NOT)
		return is_truth(c, n, n->left) ? &type_bool : &type_error;
	if (n->left->type->kind != TYPE_BOOL)
		return n->left->type;
	kernel_report(c, "E_KERNEL_TYPE", n->at, "`-` takes a number, not Bool");
	return &type_error;
}

/* ---- if and blocks as values ---- */

bool kernel_nest(struct kernel_checker *c, const struct node *n)
{
	if (c->nesting == KERNEL_MAX_NESTING) {
		c->definition->has_faults = true;
		if (!c->too_deep)
			kernel_report(c, "E_KERNEL", n->at, "`if` and `for` nest more than %d deep",
			              KERNEL_MAX_NESTING);
		c->too_deep = true;
		return false;
	}
	if (++c->nesting > c->deepest)
		c->deepest = c->nesting;
	return true;
}

static struct type *infer_branches(struct kernel_checker *c, struct node *n)
{
	kernel_require(c, n->condition, &type_bool, "the condition of `if`");
	uint32_t open = c->hidden_count;
	struct type *then = kernel_infer(c, n->left);
	kernel_close_scope(c, open);
	if (!n->right) {
		if (then != &type_error)
			kernel_hint(c,
			            kernel_report(c, "E_KERNEL_TYPE", n->span, "an `if` without `else` has no value"),
			            "add `else` and the other value");
		return &type_error;
	}
	kernel_infer(c, n->right);
	kernel_close_scope(c, open);
	struct type *t = kernel_common_type(c, n->left, n->right);
	if (t)
		return t;
	struct diagnostic *d =
	    kernel_report(c, "E_KERNEL_TYPE", n->right->span, "the branches of `if` have different types, %s and %s",
	                  kernel_type_name(n->left->type), kernel_type_name(n->right->type));
	kernel_mixed_hint(c, d, n->left, n->right);
	return &type_error;
}

static struct type *infer_if(struct kernel_checker *c, struct node *n)
{
	if (!kernel_nest(c, n))
		return &type_error;
	struct type *t = infer_branches(c, n);
	c->nesting--;
	return t;
}

static bool is_statement(enum node_kind kind)
{
	return kind == NODE_LET || kind == NODE_ASSIGN || kind == NODE_FOR || kind == NODE_WHILE || kind == NODE_RETURN;
}

static struct type *infer_block(struct kernel_checker *c, struct node *n)
{
	uint32_t open = c->hidden_count;
	c->expressions++;
	for (uint32_t i = 0; i + 1 < n->part_count; i++)
		kernel_check_statement(c, n->parts[i]);
	struct node *last = n->part_count > 0 ? n->parts[n->part_count - 1] : NULL;
	struct type *t = &type_error;
	if (last && !is_statement(last->kind)) {
		t = kernel_infer(c, last);
	} else {
		if (last)
			kernel_check_statement(c, last);
		kernel_report(c, "E_KERNEL_TYPE", last ? last->span : n->span, "this block has no value");
	}
	kernel_close_scope(c, open);
	c->expressions--;
	return t;
}

/* ---- Everything ---- */

static struct type *unavailable(struct kernel_checker *c, const struct node *n, const char *what)
{
	kernel_report(c, "E_KERNEL", n->span, "%s not available in a kernel", what);
	return &type_error;
}

static struct type *infer_leaf(struct kernel_checker *c, struct node *n)
{
	switch (n->kind) {
	case NODE_INT: return &kernel_literal_number;
	case NODE_FLOAT: return &kernel_literal_float;
	case NODE_BOOL: return &type_bool;
	case NODE_NAME: return infer_name(c, n);
	case NODE_INDEX: return infer_index(c, n);
	case NODE_IF: return infer_if(c, n);
	case NODE_BLOCK: return infer_block(c, n);
	case NODE_METHOD: return kernel_infer_name_method(c, n);
	case NODE_CALL: return kernel_infer_call(c, n);
	case NODE_SHARED: kernel_report_shared(c, n); return &type_error;
	case NODE_STRING:
	case NODE_TEXT: return unavailable(c, n, "strings are");
	case NODE_UNIT: return unavailable(c, n, "`()` is");
	case NODE_PLACEHOLDER:
	case NODE_LAMBDA: return unavailable(c, n, "lambdas are");
	case NODE_LIST: return unavailable(c, n, "lists are");
	case NODE_TUPLE:
	case NODE_TUPLE_ITEM: return unavailable(c, n, "tuples are");
	case NODE_RANGE: return unavailable(c, n, "ranges as values are");
	case NODE_BORROW: return unavailable(c, n, "borrows are");
	case NODE_LET:
	case NODE_ASSIGN:
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_RETURN:
		kernel_check_statement(c, n);
		kernel_report(c, "E_KERNEL_TYPE", n->span, "a statement has no value");
		return &type_error;
	case NODE_ERROR: c->definition->has_faults = true; return &type_error;
	case NODE_BINARY:
	case NODE_UNARY: break; /* not leaves */
	}
	return &type_error;
}

static bool has_left_operand(const struct kernel_checker *c, const struct node *n)
{
	return n->kind == NODE_BINARY || n->kind == NODE_UNARY ||
	       (n->kind == NODE_METHOD && !kernel_is_name_method(c, n));
}

/* Chains like a + b + c + ... lean left and may be very long: down in one loop, up in another. */
struct type *kernel_infer(struct kernel_checker *c, struct node *n)
{
	size_t count = 0;
	for (struct node *m = n; has_left_operand(c, m); m = m->left)
		count++;
	struct node **chain = ARENA_ARRAY(&c->scratch, struct node *, count);
	struct node *m = n;
	for (size_t i = count; i > 0; m = m->left)
		chain[--i] = m;
	c->size += count + 1;
	m->type = infer_leaf(c, m);
	for (size_t i = 0; i < count; i++) {
		m = chain[i];
		m->type = m->kind == NODE_BINARY  ? infer_binary(c, m)
		          : m->kind == NODE_UNARY ? infer_unary(c, m)
		                                  : kernel_infer_method(c, m);
	}
	return n->type;
}
