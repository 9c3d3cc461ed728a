/* Constants: what is known when compiling, in 64-bit form (ir/ir.h). Here overflow, division by zero and shifts past
 * the width are refused (spec/cone.md 1.9). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- Scalars ---- */

uint64_t cone_wrap_bits(const struct cone_type *t, uint64_t bits)
{
	if (t->kind != CONE_TYPE_INTEGER || t->bits == 64)
		return bits;
	uint64_t low = bits & ((UINT64_C(1) << t->bits) - 1);
	return t->is_signed && low >> (t->bits - 1) ? low | ~((UINT64_C(1) << t->bits) - 1) : low;
}

static double to_double(const struct cone_type *t, uint64_t bits)
{
	if (t->bits == 32) {
		float value;
		uint32_t low = (uint32_t)bits;
		memcpy(&value, &low, sizeof value);
		return value;
	}
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t of_double(const struct cone_type *t, double value)
{
	uint64_t bits = 0;
	if (t->bits == 32) {
		float narrow = (float)value;
		memcpy(&bits, &narrow, sizeof narrow);
	} else {
		memcpy(&bits, &value, sizeof value);
	}
	return bits;
}

/* One rounding, straight to the type. */
static uint64_t float_of_integer(const struct cone_type *from, const struct cone_type *to, uint64_t bits)
{
	if (to->bits == 64)
		return of_double(to, from->is_signed ? (double)(int64_t)bits : (double)bits);
	float value = from->is_signed ? (float)(int64_t)bits : (float)bits;
	return of_double(to, value);
}

static uint64_t integer_of_float(const struct cone_type *to, double value, bool *is_out)
{
	double limit = ldexp(1.0, (int)to->bits - (to->is_signed ? 1 : 0)), low = to->is_signed ? -limit : 0.0;
	double whole = trunc(value);
	if (!(whole >= low && whole < limit)) {
		*is_out = true;
		return 0;
	}
	return to->is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

uint64_t cone_convert_bits(struct cone_type *from, struct cone_type *to, uint64_t bits, bool *is_out)
{
	bool is_float = from->kind == CONE_TYPE_FLOAT;
	if (to->kind == CONE_TYPE_BOOL)
		return is_float ? to_double(from, bits) != 0.0 : bits != 0;
	if (to->kind == CONE_TYPE_FLOAT)
		return is_float ? of_double(to, to_double(from, bits)) : float_of_integer(from, to, bits);
	if (is_float)
		return integer_of_float(to, to_double(from, bits), is_out);
	return to->kind == CONE_TYPE_CHAR ? (uint32_t)bits : cone_wrap_bits(to, bits);
}

/* ---- Operations ---- */

static bool is_scalar(const struct cone_type *t)
{
	return cone_type_is_number(t) || t->kind == CONE_TYPE_BOOL || t->kind == CONE_TYPE_CHAR;
}

static bool overflows(const struct cone_type *t, enum cone_operator op, uint64_t a, uint64_t b, uint64_t *result)
{
	bool out = false;
	if (t->is_signed) {
		int64_t value = 0;
		if (op == CONE_ADD)
			out = __builtin_add_overflow((int64_t)a, (int64_t)b, &value);
		else if (op == CONE_SUBTRACT)
			out = __builtin_sub_overflow((int64_t)a, (int64_t)b, &value);
		else
			out = __builtin_mul_overflow((int64_t)a, (int64_t)b, &value);
		*result = (uint64_t)value;
	} else if (op == CONE_ADD) {
		out = __builtin_add_overflow(a, b, result);
	} else if (op == CONE_SUBTRACT) {
		out = __builtin_sub_overflow(a, b, result);
	} else {
		out = __builtin_mul_overflow(a, b, result);
	}
	uint64_t wrapped = cone_wrap_bits(t, *result);
	out = out || wrapped != *result;
	*result = wrapped;
	return out;
}

static bool divide(struct cone_node *n, enum cone_operator op, uint64_t a, uint64_t b, uint64_t *result)
{
	const struct cone_type *t = n->type;
	if (b == 0) {
		cone_blame(n, "1230", "division by zero in a constant");
		return false;
	}
	if (t->is_signed && (int64_t)b == -1) {
		if (a == (uint64_t)INT64_MIN || cone_wrap_bits(t, 0 - a) != 0 - a) {
			cone_blame(n, "1229", "the constant does not fit its type %s",
			           "(the least number divided by -1)");
			return false;
		}
		*result = op == CONE_DIVIDE ? 0 - a : 0;
	} else if (t->is_signed) {
		*result = (uint64_t)(op == CONE_DIVIDE ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
	} else {
		*result = op == CONE_DIVIDE ? a / b : a % b;
	}
	return true;
}

static bool shift(struct cone_node *n, enum cone_operator op, uint64_t a, uint64_t b, uint64_t *result)
{
	const struct cone_type *t = n->type;
	if (b >= t->bits) {
		cone_blame(n, "1231", "a shift by %lld of a number of %u bits in a constant", (long long)b, t->bits);
		return false;
	}
	if (op == CONE_SHIFT_LEFT)
		*result = cone_wrap_bits(t, a << b);
	else
		*result = t->is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
	return true;
}

static bool compare_holds(enum cone_operator op, bool is_less, bool is_equal, bool is_ordered)
{
	switch (op) {
	case CONE_EQUAL: return is_equal;
	case CONE_NOT_EQUAL: return !is_equal;
	case CONE_LESS: return is_less;
	case CONE_LESS_EQUAL: return is_less || is_equal;
	case CONE_GREATER: return is_ordered && !is_less && !is_equal;
	case CONE_GREATER_EQUAL: return is_ordered && !is_less;
	case CONE_ADD:
	case CONE_SUBTRACT:
	case CONE_MULTIPLY:
	case CONE_DIVIDE:
	case CONE_REMAINDER:
	case CONE_SHIFT_LEFT:
	case CONE_SHIFT_RIGHT:
	case CONE_BITS_AND:
	case CONE_BITS_XOR:
	case CONE_BITS_OR:
	case CONE_NEGATE:
	case CONE_COMPLEMENT:
	case CONE_NOT:
	case CONE_AND:
	case CONE_OR:
	case CONE_MATCHES: return false;
	}
	return false;
}

static bool compare(const struct cone_type *t, enum cone_operator op, uint64_t a, uint64_t b)
{
	if (t->kind == CONE_TYPE_FLOAT) {
		double x = to_double(t, a), y = to_double(t, b);
		return compare_holds(op, x < y, x == y, !isnan(x) && !isnan(y));
	}
	return compare_holds(op, t->is_signed ? (int64_t)a < (int64_t)b : a < b, a == b, true);
}

/* In the type itself: one rounding an operation. */
static uint64_t float_operation(const struct cone_type *t, enum cone_operator op, double x, double y)
{
	if (op == CONE_REMAINDER)
		return of_double(t, fmod(x, y));
	if (t->bits == 32) {
		float a = (float)x, b = (float)y;
		return of_double(t, op == CONE_ADD        ? a + b
		                    : op == CONE_SUBTRACT ? a - b
		                    : op == CONE_MULTIPLY ? a * b
		                                          : a / b);
	}
	return of_double(t, op == CONE_ADD ? x + y : op == CONE_SUBTRACT ? x - y : op == CONE_MULTIPLY ? x * y : x / y);
}

static bool binary(struct cone_node *n, uint64_t a, uint64_t b, uint64_t *result)
{
	const struct cone_type *t = n->left->type;
	enum cone_operator op = n->op;
	if (op >= CONE_EQUAL && op <= CONE_GREATER_EQUAL) {
		*result = compare(t, op, a, b);
		return true;
	}
	if (t->kind == CONE_TYPE_FLOAT) {
		*result = float_operation(t, op, to_double(t, a), to_double(t, b));
		return true;
	}
	if (op == CONE_BITS_AND || op == CONE_BITS_XOR || op == CONE_BITS_OR) {
		*result = op == CONE_BITS_AND ? (a & b) : op == CONE_BITS_XOR ? (a ^ b) : (a | b);
		return true;
	}
	if (op == CONE_DIVIDE || op == CONE_REMAINDER)
		return divide(n, op, a, b, result);
	if (op == CONE_SHIFT_LEFT || op == CONE_SHIFT_RIGHT)
		return shift(n, op, a, b, result);
	if (overflows(t, op, a, b, result)) {
		cone_blame(n, "1229", "the constant does not fit its type");
		return false;
	}
	return true;
}

static bool unary(struct cone_node *n, uint64_t a, uint64_t *result)
{
	const struct cone_type *t = n->type;
	if (n->op == CONE_COMPLEMENT) {
		*result = cone_wrap_bits(t, ~a);
	} else if (t->kind == CONE_TYPE_FLOAT) {
		*result = a ^ (UINT64_C(1) << (t->bits - 1));
	} else if (overflows(t, CONE_SUBTRACT, 0, a, result) && t->is_signed) {
		cone_blame(n, "1229", "the constant does not fit its type");
		return false;
	}
	return true;
}

static bool convert(struct cone_node *n, uint64_t a, uint64_t *result)
{
	bool is_out = false;
	*result = cone_convert_bits(n->left->type, n->type, a, &is_out);
	if (is_out)
		cone_blame(n, "1229", "the constant does not fit its type");
	return !is_out;
}

static bool is_not_constant(struct cone_frame *f, struct cone_node *n)
{
	if (n->type->kind != CONE_TYPE_ERROR)
		cone_not_constant(f, n);
	return false;
}

static bool evaluate_logic(struct cone_frame *f, struct cone_node *n, uint64_t *bits)
{
	uint64_t right;
	if (!cone_evaluate(f, n->left, bits))
		return false;
	if (n->op == CONE_NOT) {
		*bits = !*bits;
		return true;
	}
	if ((n->op == CONE_AND) == !*bits)
		return true;
	if (!cone_evaluate(f, n->right, &right))
		return false;
	*bits = right;
	return true;
}

/* Element `index` of a constant array; NULL: it has fewer. */
static struct cone_node *element_of(struct cone_node *array, uint64_t index)
{
	if (array->kind == CONE_NEW_ARRAY && array->fills)
		return index < array->type->count ? array->parts[0] : NULL;
	for (uint32_t i = 0; i < array->part_count; i++) {
		bool is_many = array->parts[i]->kind == CONE_OF;
		uint64_t count = is_many ? array->parts[i]->left->constant : 1;
		if (index < count)
			return is_many ? array->parts[i]->right : array->parts[i];
		index -= count;
	}
	return NULL;
}

/* What a[1] or s.f is, of constants; NULL after reporting. */
static struct cone_node *part_of(struct cone_frame *f, struct cone_node *n)
{
	uint64_t index;
	struct cone_node *whole = n->left->type->kind == CONE_TYPE_ARRAY || n->left->type->kind == CONE_TYPE_STRUCT
	                              ? cone_constant_tree(f, n->left)
	                              : NULL,
	                 *part = NULL;
	if (!whole)
		return is_not_constant(f, n) ? n : NULL;
	if (n->kind == CONE_MEMBER && whole->kind == CONE_NEW && n->field < whole->part_count)
		part = whole->parts[n->field];
	if (n->kind == CONE_INDEX && whole->kind != CONE_NEW) {
		if (!cone_evaluate(f, n->parts[0], &index))
			return NULL;
		part = element_of(whole, index);
		if (!part) {
			cone_blame(n, "1045", "element %llu of %s", (unsigned long long)index,
			           cone_type_text(f->checker, whole->type));
			return NULL;
		}
	}
	return part || is_not_constant(f, n) ? part : NULL;
}

static bool is_part(const struct cone_node *n)
{
	return (n->kind == CONE_INDEX && n->part_count == 1 && n->parts[0]->kind != CONE_RANGE) ||
	       (n->kind == CONE_MEMBER && n->left);
}

bool cone_evaluate(struct cone_frame *f, struct cone_node *n, uint64_t *bits)
{
	uint64_t a, b;
	if (is_part(n)) {
		n = part_of(f, n);
		return n && cone_evaluate(f, n, bits);
	}
	if (n->kind == CONE_CONSTANT) {
		*bits = n->constant;
		return true;
	}
	if (n->kind == CONE_NAME && n->global && !n->global->mutable) {
		struct cone_node *value = cone_value_of_declaration(f->checker, n->global);
		return value && value->kind == CONE_CONSTANT ? cone_evaluate(f, value, bits) : is_not_constant(f, n);
	}
	if (!is_scalar(n->type))
		return is_not_constant(f, n);
	if (n->kind == CONE_LOGIC)
		return evaluate_logic(f, n, bits);
	if (n->kind == CONE_BINARY && is_scalar(n->left->type))
		return cone_evaluate(f, n->left, &a) && cone_evaluate(f, n->right, &b) && binary(n, a, b, bits);
	if (n->kind == CONE_UNARY)
		return cone_evaluate(f, n->left, &a) && unary(n, a, bits);
	if (n->kind == CONE_CONVERT && is_scalar(n->left->type))
		return cone_evaluate(f, n->left, &a) && convert(n, a, bits);
	if (n->kind == CONE_AS && is_scalar(n->left->type)) {
		if (!cone_evaluate(f, n->left, &a))
			return false;
		*bits = cone_wrap_bits(n->type, n->type->bits == 32 ? (uint32_t)a : a);
		return true;
	}
	if (n->kind == CONE_INTRINSIC && n->intrinsic == CONE_INTRINSIC_is_debug_build) {
		*bits = f->checker->program->is_debug;
		return true;
	}
	return is_not_constant(f, n);
}

/* ---- Trees ---- */

struct cone_node *cone_constant_tree(struct cone_frame *f, struct cone_node *n)
{
	uint64_t bits;
	if (n->kind == CONE_STRING)
		return n;
	if (n->type->kind == CONE_TYPE_ERROR)
		return NULL;
	if (is_part(n) && !is_scalar(n->type))
		return part_of(f, n);
	if (is_scalar(n->type))
		return cone_evaluate(f, n, &bits) ? cone_make_constant(f, n, n->type, bits) : NULL;
	if (n->kind == CONE_NAME && n->global && !n->global->mutable)
		return cone_value_of_declaration(f->checker, n->global);
	if (n->kind == CONE_CONVERT || n->kind == CONE_BORROW) {
		/* A reference to a constant: &[1u32, 2u32], &table. */
		if (n->kind == CONE_CONVERT || !(n->left->kind == CONE_NAME && n->left->global))
			n->left = cone_constant_tree(f, n->left);
		return n->left ? n : NULL;
	}
	if (n->kind == CONE_CALL && cone_type_atomic_of(n->type) && n->part_count == 1)
		n->kind = CONE_NEW; /* Atomic[T].of(v) */
	if (n->kind != CONE_LIST && n->kind != CONE_NEW && n->kind != CONE_NEW_ARRAY) {
		cone_not_constant(f, n);
		return NULL;
	}
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct cone_node **part =
		    n->parts[i] && n->parts[i]->kind == CONE_OF ? &n->parts[i]->right : &n->parts[i];
		if (!*part)
			continue;
		*part = cone_constant_tree(f, *part);
		if (!*part)
			return NULL;
	}
	return n;
}

/* ---- Declarations ---- */

/* Constants of constants. */
#define CONSTANT_DEPTH 200

/* Mark a declaration whose value is being found, or is wrong and reported. */
static struct cone_node evaluating = {.kind = CONE_ERROR}, wrong = {.kind = CONE_ERROR};

static struct cone_node *find_value(struct cone_checker *c, struct cone_declaration *d)
{
	struct cone_frame frame = {.checker = c, .scope = {.module = d->module, .file = d->file}};
	struct cone_node *value = cone_copy(c->arena, d->value), *typed;
	if (d->type_syntax) {
		struct cone_type *type = cone_resolve(c, &frame.scope, d->type_syntax);
		if (type->kind == CONE_TYPE_ERROR || !cone_complete(c, type))
			return NULL;
		typed = cone_check_as(&frame, value, type);
	} else {
		typed = cone_check_expression(&frame, value, NULL);
	}
	return typed->type->kind == CONE_TYPE_ERROR ? NULL : cone_constant_tree(&frame, typed);
}

struct cone_node *cone_value_of_declaration(struct cone_checker *c, struct cone_declaration *d)
{
	if (!d->value)
		return NULL;
	char key[32];
	int length = snprintf(key, sizeof key, "%p", (void *)d);
	struct cone_node *known = table_get_n(&c->constants, key, (size_t)length);
	if (known == &evaluating)
		cone_report(d->file, d->name_span, "1019", "the value of %s is made of itself", d->name);
	if (known)
		return known == &evaluating || known == &wrong ? NULL : known;
	if (c->constant_depth > CONSTANT_DEPTH) {
		cone_report(d->file, d->name_span, "1019", "the value of %s is made of too many others", d->name);
		return NULL;
	}
	table_set_n(&c->constants, key, (size_t)length, &evaluating);
	c->constant_depth++;
	struct cone_node *value = find_value(c, d);
	c->constant_depth--;
	table_set_n(&c->constants, key, (size_t)length, value ? value : &wrong);
	return value;
}

struct cone_type *cone_type_of_global(struct cone_checker *c, struct cone_declaration *d)
{
	struct cone_scope scope = {.module = d->module, .file = d->file};
	if (d->type_syntax) {
		struct cone_type *type = cone_resolve(c, &scope, d->type_syntax);
		return type->kind == CONE_TYPE_ERROR || cone_complete(c, type) ? type : &cone_error;
	}
	struct cone_node *value = cone_value_of_declaration(c, d);
	return value ? value->type : &cone_error;
}

bool cone_constant_integer(struct cone_checker *c, struct cone_scope *scope, struct cone_node *n, uint64_t *value,
                           struct cone_type *expected)
{
	struct cone_frame frame = {.checker = c, .scope = *scope};
	struct cone_node *typed = cone_check_expression(&frame, cone_copy(c->arena, n), expected);
	if (typed->type->kind == CONE_TYPE_ERROR)
		return false;
	if (typed->type->kind != CONE_TYPE_INTEGER) {
		cone_blame(n, "1013", "a number is wanted here, not %s", cone_type_text(c, typed->type));
		return false;
	}
	if (!cone_evaluate(&frame, typed, value))
		return false;
	if (typed->type->is_signed && (int64_t)*value < 0) {
		cone_blame(n, "1158", "a number that is not negative is wanted here");
		return false;
	}
	return true;
}
