/* Number types of kernel expressions: literals take the type expected (spec/sspur.md 1.3). */
#include <float.h>
#include <math.h>

#include "frontend/ssp/kernel_check.h"

struct type kernel_literal_number = {.kind = TYPE_VARIABLE};
struct type kernel_literal_integer = {.kind = TYPE_VARIABLE};
struct type kernel_literal_float = {.kind = TYPE_VARIABLE};

bool kernel_is_literal(const struct type *t)
{
	return t == &kernel_literal_number || t == &kernel_literal_integer || t == &kernel_literal_float;
}

bool kernel_is_integer(const struct type *t)
{
	return t->kind == TYPE_INT || t->kind == TYPE_I32 || t->kind == TYPE_U32;
}

bool kernel_is_float(const struct type *t)
{
	return t->kind == TYPE_F32 || t->kind == TYPE_F64;
}

const char *kernel_type_name(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INT: return "Int";
	case TYPE_F64: return "F64";
	case TYPE_BOOL: return "Bool";
	case TYPE_I32: return "I32";
	case TYPE_U32: return "U32";
	case TYPE_F32: return "F32";
	case TYPE_LIST: return "a slice";
	case TYPE_UNIT: return "no value";
	case TYPE_STR:
	case TYPE_TUPLE:
	case TYPE_OPT:
	case TYPE_RES:
	case TYPE_DEVBUF:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE:
	case TYPE_ERROR: return "?";
	}
	return "?";
}

static const char *minus(const struct node *n)
{
	return n->negative ? "-" : "";
}

/* Whether an F32 of 24 or an F64 of 53 bits of precision holds the magnitude. */
static bool float_holds(uint64_t magnitude, unsigned precision)
{
	return magnitude == 0 || 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) <= (int)precision;
}

static void fit_integer(struct kernel_checker *c, const struct node *n, const struct type *t)
{
	unsigned long long magnitude = n->number;
	uint64_t most = t == &type_int ? INT64_MAX : t == &type_i32 ? INT32_MAX : UINT32_MAX;
	if (kernel_is_float(t)) {
		if (!float_holds(n->number, t == &type_f32 ? FLT_MANT_DIG : DBL_MANT_DIG))
			kernel_hint(c,
			            kernel_report(c, "E_KERNEL_TYPE", n->span,
			                          "%s%llu is not exactly representable as %s", minus(n), magnitude,
			                          kernel_type_name(t)),
			            "write `%s%llu.0` for the nearest %s", minus(n), magnitude, kernel_type_name(t));
		return;
	}
	uint64_t least = t == &type_u32 ? 0 : most + 1; /* magnitude of the least value */
	if (n->number > (n->negative ? least : most))
		kernel_report(c, "E_KERNEL_TYPE", n->span, "%s%llu is out of range for %s", minus(n), magnitude,
		              kernel_type_name(t));
}

static bool has_nonzero_digit(const struct node *n)
{
	for (size_t i = 0; i < n->length && n->string[i] != 'e' && n->string[i] != 'E'; i++)
		if (n->string[i] >= '1' && n->string[i] <= '9')
			return true;
	return false;
}

static void fit_float(struct kernel_checker *c, const struct node *n, const struct type *t)
{
	double v = t == &type_f32 ? (double)(float)n->real : n->real;
	const char *fault = NULL;
	if (isinf(v))
		fault = "is too large for";
	else if (v == 0 && has_nonzero_digit(n))
		fault = "is too small for";
	else if (t == &type_f32 && v != 0 && fabs(v) < FLT_MIN)
		fault = "is subnormal as";
	if (fault)
		kernel_report(c, "E_KERNEL_TYPE", n->span, "this literal %s %s", fault, kernel_type_name(t));
}

/* Gives type t to a literal expression and all in it that is one. Left operands in a loop: chains are long. */
static void adopt(struct kernel_checker *c, struct node *n, struct type *t)
{
	while (n && kernel_is_literal(n->type)) {
		n->type = t;
		struct node *right = NULL;
		switch (n->kind) {
		case NODE_INT: fit_integer(c, n, t); return;
		case NODE_FLOAT: fit_float(c, n, t); return;
		case NODE_BINARY:
			right = n->right;
			n = n->left;
			break;
		case NODE_UNARY: n = n->left; break;
		case NODE_METHOD:
			right = n->part_count > 0 ? n->parts[0] : NULL;
			n = n->left;
			break;
		case NODE_IF:
			right = n->left;
			n = n->right;
			break;
		case NODE_BLOCK: n = n->parts[n->part_count - 1]; break;
		case NODE_BOOL:
		case NODE_STRING:
		case NODE_TEXT:
		case NODE_UNIT:
		case NODE_NAME:
		case NODE_PLACEHOLDER:
		case NODE_LIST:
		case NODE_TUPLE:
		case NODE_RANGE:
		case NODE_INDEX:
		case NODE_TUPLE_ITEM:
		case NODE_CALL:
		case NODE_LAMBDA:
		case NODE_BORROW:
		case NODE_SHARED:
		case NODE_LET:
		case NODE_ASSIGN:
		case NODE_FOR:
		case NODE_WHILE:
		case NODE_RETURN:
		case NODE_ERROR: return;
		}
		if (right)
			adopt(c, right, t);
	}
}

struct type *kernel_settle(struct kernel_checker *c, struct node *n, struct type *expected)
{
	if (!kernel_is_literal(n->type))
		return n->type;
	bool integer = expected && kernel_is_integer(expected), real = expected && kernel_is_float(expected);
	struct type *t;
	if (n->type == &kernel_literal_number)
		t = integer || real ? expected : &type_int;
	else if (n->type == &kernel_literal_integer)
		t = integer ? expected : &type_int;
	else
		t = real ? expected : c->float_default;
	adopt(c, n, t);
	return t;
}

struct type *kernel_common_type(struct kernel_checker *c, struct node *left, struct node *right)
{
	struct type *a = left->type, *b = right->type;
	if (a == &type_error || b == &type_error)
		return &type_error;
	if (kernel_is_literal(a) && kernel_is_literal(b)) {
		if (a == b || b == &kernel_literal_number)
			return a;
		if (a == &kernel_literal_number)
			return b;
		kernel_settle(c, left, NULL);
		kernel_settle(c, right, NULL);
	} else if (kernel_is_literal(a)) {
		kernel_settle(c, left, b);
	} else {
		kernel_settle(c, right, a);
	}
	return type_equal(left->type, right->type) ? left->type : NULL;
}

/* ---- Hints that name the conversion ---- */

#define LONGEST_QUOTED 60

static const char *conversion_name(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INT: return "to_int";
	case TYPE_I32: return "to_i32";
	case TYPE_U32: return "to_u32";
	case TYPE_F32: return "to_f32";
	case TYPE_F64: return "to_f64";
	case TYPE_BOOL:
	case TYPE_STR:
	case TYPE_UNIT:
	case TYPE_LIST:
	case TYPE_TUPLE:
	case TYPE_OPT:
	case TYPE_RES:
	case TYPE_DEVBUF:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE:
	case TYPE_ERROR: return NULL;
	}
	return NULL;
}

static bool converts(const struct type *from, const struct type *to)
{
	return conversion_name(from) && conversion_name(to) && !(kernel_is_float(from) && !kernel_is_float(to));
}

/* The source text of n, in parentheses where a method call needs them; NULL if it is long. */
static const char *quoted(struct kernel_checker *c, const struct node *n)
{
	size_t length = n->span.end - n->span.start;
	const char *bytes = c->program->source->bytes + n->span.start;
	if (length > LONGEST_QUOTED)
		return NULL;
	for (size_t i = 0; i < length; i++)
		if (bytes[i] == '\n')
			return NULL;
	bool open = n->kind == NODE_BINARY || n->kind == NODE_UNARY || n->kind == NODE_IF;
	return arena_format(&c->scratch, open && bytes[0] != '(' ? "(%.*s)" : "%.*s", (int)length, bytes);
}

bool kernel_conversion_hint(struct kernel_checker *c, struct diagnostic *item, const struct node *n,
                            const struct type *to)
{
	if (!converts(n->type, to))
		return false;
	const char *text = quoted(c, n);
	if (text)
		kernel_hint(c, item, "convert it: `%s.%s`", text, conversion_name(to));
	else
		kernel_hint(c, item, "convert it with `.%s`", conversion_name(to));
	return true;
}

/* The operand of the lower rank is the one to convert. */
static int rank(const struct type *t)
{
	return kernel_is_float(t) ? (t == &type_f64 ? 3 : 2) : t == &type_int ? 1 : 0;
}

void kernel_mixed_hint(struct kernel_checker *c, struct diagnostic *item, const struct node *left,
                       const struct node *right)
{
	const struct node *lower = rank(left->type) <= rank(right->type) ? left : right;
	const struct node *higher = lower == left ? right : left;
	if (rank(left->type) == rank(right->type) && conversion_name(left->type) && conversion_name(right->type))
		kernel_hint(c, item, "convert both with `.to_int`, or one of them to the other's type");
	else
		kernel_conversion_hint(c, item, lower, higher->type);
}
