/* Operators: of numbers, bools, and of structs that declare them. */
#include <string.h>

#include "frontend/cone/cone_check.h"

const char *cone_operator_text(enum cone_operator op)
{
	static const char *const TEXTS[] = {"+",  "-", "*",  "/", "%",  "<<", ">>", "&",   "^",   "|",  "==",
	                                    "!=", "<", "<=", ">", ">=", "-",  "~",  "not", "and", "or", "is"};
	return TEXTS[op];
}

static struct cone_node *mismatch(struct cone_frame *f, struct cone_node *n, enum cone_operator op,
                                  const struct cone_type *left, const struct cone_type *right)
{
	struct cone_checker *c = f->checker;
	const char *code = left->kind == CONE_TYPE_BOOL || right->kind == CONE_TYPE_BOOL   ? "1238"
	                   : left->kind == CONE_TYPE_CHAR || right->kind == CONE_TYPE_CHAR ? "1334"
	                                                                                   : "1013";
	cone_blame(n, code, "%s of %s and %s", cone_operator_text(op), cone_type_text(c, left),
	           cone_type_text(c, right));
	return cone_failed(f, n);
}

/* What of both sides fits the operator; void: nothing. */
static bool takes(enum cone_operator op, const struct cone_type *t)
{
	switch (op) {
	case CONE_ADD:
	case CONE_SUBTRACT:
	case CONE_MULTIPLY:
	case CONE_DIVIDE:
	case CONE_REMAINDER:
	case CONE_NEGATE: return cone_type_is_number(t);
	case CONE_SHIFT_LEFT:
	case CONE_SHIFT_RIGHT: return t->kind == CONE_TYPE_INTEGER;
	case CONE_BITS_AND:
	case CONE_BITS_XOR:
	case CONE_BITS_OR:
	case CONE_COMPLEMENT: return t->kind == CONE_TYPE_INTEGER || t->kind == CONE_TYPE_BOOL;
	case CONE_EQUAL:
	case CONE_NOT_EQUAL: return cone_type_is_number(t) || t->kind == CONE_TYPE_BOOL || t->kind == CONE_TYPE_CHAR;
	case CONE_LESS:
	case CONE_LESS_EQUAL:
	case CONE_GREATER:
	case CONE_GREATER_EQUAL: return cone_type_is_number(t) || t->kind == CONE_TYPE_CHAR;
	case CONE_NOT:
	case CONE_AND:
	case CONE_OR:
	case CONE_MATCHES: return false;
	}
	return false;
}

/* An enum without payloads compares by its tag. */
static struct cone_node *tag_of(struct cone_frame *f, struct cone_node *n)
{
	if (n->type->kind != CONE_TYPE_ENUM || !cone_complete(f->checker, n->type) || n->type->field_count != 1)
		return n;
	struct cone_node *tag = cone_make(f, CONE_MEMBER, n, &cone_u32);
	tag->left = n;
	tag->name = "tag";
	return tag;
}

static struct cone_node *as_type(struct cone_frame *f, struct cone_node *n, struct cone_type *type)
{
	struct cone_node *as = cone_make(f, CONE_AS, n, type);
	as->left = n;
	return as;
}

/* p + n and p - n lead to p[n] and p[-n]; comparisons and the distance of two are of their addresses. */
static struct cone_node *apply_to_pointers(struct cone_frame *f, struct cone_node *n, enum cone_operator op,
                                           struct cone_node *left, struct cone_node *right)
{
	struct cone_types *types = &f->checker->types;
	bool steps = (op == CONE_ADD || op == CONE_SUBTRACT) && left->type->kind == CONE_TYPE_POINTER &&
	             right->type->kind == CONE_TYPE_INTEGER;
	bool compares = op >= CONE_EQUAL && op <= CONE_GREATER_EQUAL;
	if (steps) {
		struct cone_node *count = cone_convert(f, right, types->usize);
		if (op == CONE_SUBTRACT) {
			struct cone_node *back = cone_make(f, CONE_UNARY, n, types->usize);
			back->op = CONE_NEGATE;
			back->left = count;
			count = back;
		}
		return as_type(f, cone_borrow(f, cone_step_pointer(f, n, left, count), true), left->type);
	}
	if (left->type != right->type || !(compares || op == CONE_SUBTRACT))
		return mismatch(f, n, op, left->type, right->type);
	cone_gpu_refuse_call(f, n, "a GPU has no addresses");
	left = as_type(f, left, types->usize);
	right = as_type(f, right, types->usize);
	struct cone_node *result = cone_make_binary(f, n, op, left, right);
	if (compares)
		return result;
	return cone_convert(f, result, types->isize);
}

struct cone_node *cone_apply(struct cone_frame *f, struct cone_node *n, enum cone_operator op, struct cone_node *left,
                             struct cone_node *right)
{
	if (left->type->kind == CONE_TYPE_ERROR || right->type->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	left = cone_dereference(f, left);
	right = cone_dereference(f, right);
	if (left->type == right->type && (op == CONE_EQUAL || op == CONE_NOT_EQUAL)) {
		left = tag_of(f, left);
		right = tag_of(f, right);
	}
	struct cone_type *t = left->type;
	if (t->kind == CONE_TYPE_POINTER || right->type->kind == CONE_TYPE_POINTER)
		return apply_to_pointers(f, n, op, left, right);
	if (t->kind == CONE_TYPE_NEVER || right->type->kind == CONE_TYPE_NEVER)
		t = t->kind == CONE_TYPE_NEVER ? right->type : t;
	else if (t != right->type && cone_type_is_number(t) && cone_type_is_number(right->type)) {
		if (cone_converts(f->checker, right->type, t))
			right = cone_convert(f, right, t);
		else if (cone_converts(f->checker, t, right->type))
			left = cone_convert(f, left, t = right->type);
		else
			return mismatch(f, n, op, left->type, right->type);
	} else if (t != right->type) {
		return mismatch(f, n, op, t, right->type);
	}
	if (!takes(op, t))
		return mismatch(f, n, op, left->type, right->type);
	struct cone_node *typed = cone_make_binary(f, n, op, left, right);
	if (op < CONE_EQUAL || op > CONE_GREATER_EQUAL)
		typed->type = t;
	return typed;
}

/* A method of the operator's name; `!=` may be the opposite of `==`. */
static struct cone_node *overloaded(struct cone_frame *f, struct cone_node *n, struct cone_node *left)
{
	struct cone_node *call = cone_call_method(f, n, left, cone_operator_text(n->op), &n->right, 1, NULL);
	if (call || n->op != CONE_NOT_EQUAL)
		return call;
	call = cone_call_method(f, n, left, "==", &n->right, 1, NULL);
	if (!call || call->type != &cone_bool)
		return call;
	struct cone_node *not = cone_make(f, CONE_LOGIC, n, &cone_bool);
	not ->op = CONE_NOT;
	not ->left = call;
	return not ;
}

struct cone_node *cone_check_binary(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	bool compares = n->op >= CONE_EQUAL && n->op <= CONE_GREATER_EQUAL;
	struct cone_type *wanted = compares || (expected && !cone_type_is_number(expected)) ? NULL : expected;
	struct cone_node *left = NULL, *right = NULL;
	if (cone_is_untyped(n->left) && !cone_is_untyped(n->right)) {
		right = cone_dereference(f, cone_check_expression(f, n->right, wanted));
		left = cone_check_expression(f, n->left, cone_type_is_number(right->type) ? right->type : wanted);
	} else {
		left = cone_check_expression(f, n->left, wanted);
	}
	if (left->type->kind == CONE_TYPE_ERROR || (right && right->type->kind == CONE_TYPE_ERROR))
		return cone_failed(f, n);
	struct cone_type *own = left->type;
	while (own->kind == CONE_TYPE_REFERENCE || own->kind == CONE_TYPE_OWNER)
		own = own->element;
	if ((own->kind == CONE_TYPE_STRUCT || own->kind == CONE_TYPE_ENUM) && !right) {
		struct cone_node *call = overloaded(f, n, cone_dereference(f, left));
		if (call)
			return call;
	}
	if (!right)
		right = cone_check_expression(f, n->right, own);
	return cone_apply(f, n, n->op, left, right);
}

struct cone_node *cone_check_unary(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *left = cone_dereference(f, cone_check_expression(f, n->left, expected));
	if (left->type->kind == CONE_TYPE_ERROR)
		return left;
	if (left->type->kind == CONE_TYPE_STRUCT) {
		struct cone_node *call = cone_call_method(f, n, left, cone_operator_text(n->op), NULL, 0, NULL);
		if (call)
			return call;
	}
	if (!takes(n->op, left->type)) {
		cone_blame(n,
		           left->type == &cone_bool   ? "1238"
		           : left->type == &cone_char ? "1334"
		                                      : "1013",
		           "%s of %s", cone_operator_text(n->op), cone_type_text(f->checker, left->type));
		return cone_failed(f, n);
	}
	struct cone_node *typed = cone_make(f, CONE_UNARY, n, left->type);
	typed->op = n->op;
	typed->left = left;
	if (left->type == &cone_bool) {
		typed->kind = CONE_LOGIC;
		typed->op = CONE_NOT;
	}
	return typed;
}

struct cone_node *cone_check_logic(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *typed = cone_make(f, CONE_LOGIC, n, &cone_bool);
	typed->op = n->op;
	typed->left = cone_check_condition(f, n->left);
	typed->right = n->op == CONE_NOT ? NULL : cone_check_condition(f, n->right);
	if (typed->left->type->kind == CONE_TYPE_ERROR || (typed->right && typed->right->type->kind == CONE_TYPE_ERROR))
		return cone_failed(f, n);
	return typed;
}

/* ---- as ---- */

/* 0: not of a size that is compared here. */
static uint32_t bits_of(const struct cone_type *t)
{
	if (t->kind == CONE_TYPE_INTEGER || t->kind == CONE_TYPE_FLOAT || t->kind == CONE_TYPE_CHAR)
		return t->bits;
	return t->kind == CONE_TYPE_BOOL ? 8 : 0;
}

static bool is_address(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_POINTER;
}

/* Of numbers, structs and arrays of them: bytes, and to what places are multiples of. False: something else is in it.
 */
static bool layout_of(struct cone_checker *c, struct cone_type *t, uint64_t *size, uint64_t *align)
{
	uint64_t part = 0, most = 1;
	if (cone_type_is_number(t)) {
		*size = *align = t->bits / 8;
		return true;
	}
	if (t->kind == CONE_TYPE_ARRAY) {
		if (!layout_of(c, t->element, &part, align))
			return false;
		*size = part * t->count;
		return true;
	}
	if (t->kind != CONE_TYPE_STRUCT || !cone_complete(c, t) || !t->field_count || cone_type_atomic_of(t))
		return false;
	*size = 0;
	for (uint32_t i = 0; i < t->field_count; i++) {
		if (!layout_of(c, t->fields[i].type, &part, align))
			return false;
		most = *align > most ? *align : most;
		*size = (*size + *align - 1) / *align * *align + part;
	}
	*align = most;
	*size = (*size + most - 1) / most * most;
	return true;
}

static bool are_alike(struct cone_checker *c, struct cone_type *from, struct cone_type *to)
{
	uint64_t size, other, align;
	bool is_made = from->kind == CONE_TYPE_STRUCT || from->kind == CONE_TYPE_ARRAY;
	return is_made && layout_of(c, from, &size, &align) && layout_of(c, to, &other, &align) && size == other;
}

struct cone_node *cone_check_as_type(struct cone_frame *f, struct cone_node *n)
{
	struct cone_type *to = cone_resolve(f->checker, &f->scope, n->type_syntax);
	if (to->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	if (n->into) {
		cone_blame(n, "1224", "into converts nothing: %s.from(x) does", cone_type_text(f->checker, to));
		return cone_failed(f, n);
	}
	struct cone_node *left = cone_check_expression(f, n->left, cone_is_untyped(n->left) ? to : NULL);
	if (left->type->kind == CONE_TYPE_ERROR)
		return left;
	struct cone_type *from = left->type;
	bool sizes_differ =
	    from->kind == CONE_TYPE_INTEGER && to->kind == CONE_TYPE_INTEGER && from->is_size != to->is_size;
	if (from == to)
		return left;
	if (sizes_differ) {
		cone_blame(n, "1257", "%s is as wide as each target's addresses: %s.from(x) converts it",
		           cone_type_text(f->checker, from->is_size ? from : to), cone_type_text(f->checker, to));
		return cone_failed(f, n);
	}
	bool addresses = (is_address(from) && is_address(to)) ||
	                 (from->kind == CONE_TYPE_SLICE && to->kind == CONE_TYPE_POINTER) ||
	                 (is_address(from) && to->is_size) || (from->is_size && is_address(to));
	bool numbers =
	    bits_of(from) && bits_of(from) == bits_of(to) && (cone_type_is_number(from) || cone_type_is_number(to));
	if (!addresses && !numbers && !are_alike(f->checker, from, to) && !are_alike(f->checker, to, from)) {
		cone_blame(n, "1066", "%s as %s: not the same size", cone_type_text(f->checker, from),
		           cone_type_text(f->checker, to));
		return cone_failed(f, n);
	}
	if (addresses && !f->scope.module->is_core && (to->is_size || from->is_size))
		cone_gpu_refuse(f, n, "1400", "a GPU has no addresses");
	struct cone_node *typed = cone_make(f, CONE_AS, n, to);
	typed->left = left;
	return typed;
}
