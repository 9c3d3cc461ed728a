/* Methods and calls in kernel expressions (spec/sspur.md 1.2). */
#include <string.h>

#include "frontend/ssp/kernel_check.h"
#include "utils/base/spelling.h"

/* What a method takes and gives. */
enum method_kind {
	METHOD_CONVERT,
	METHOD_FLOAT,
	METHOD_ABS,
	METHOD_CHOOSE,
	METHOD_SHIFT,
	METHOD_BITS,
	METHOD_LENGTH,
	METHOD_ATOMIC
};

static const struct {
	const char *name;
	enum method_kind kind;
	struct type *to; /* CONVERT */
} methods[KERNEL_METHOD_COUNT] = {
    [KERNEL_METHOD_to_int] = {"to_int", METHOD_CONVERT, &type_int},
    [KERNEL_METHOD_to_i32] = {"to_i32", METHOD_CONVERT, &type_i32},
    [KERNEL_METHOD_to_u32] = {"to_u32", METHOD_CONVERT, &type_u32},
    [KERNEL_METHOD_to_f32] = {"to_f32", METHOD_CONVERT, &type_f32},
    [KERNEL_METHOD_to_f64] = {"to_f64", METHOD_CONVERT, &type_f64},
    [KERNEL_METHOD_sqrt] = {"sqrt", METHOD_FLOAT, NULL},
    [KERNEL_METHOD_floor] = {"floor", METHOD_FLOAT, NULL},
    [KERNEL_METHOD_ceil] = {"ceil", METHOD_FLOAT, NULL},
    [KERNEL_METHOD_round] = {"round", METHOD_FLOAT, NULL},
    [KERNEL_METHOD_abs] = {"abs", METHOD_ABS, NULL},
    [KERNEL_METHOD_min] = {"min", METHOD_CHOOSE, NULL},
    [KERNEL_METHOD_max] = {"max", METHOD_CHOOSE, NULL},
    [KERNEL_METHOD_shl] = {"shl", METHOD_SHIFT, NULL},
    [KERNEL_METHOD_shr] = {"shr", METHOD_SHIFT, NULL},
    [KERNEL_METHOD_band] = {"band", METHOD_BITS, NULL},
    [KERNEL_METHOD_bor] = {"bor", METHOD_BITS, NULL},
    [KERNEL_METHOD_bxor] = {"bxor", METHOD_BITS, NULL},
    [KERNEL_METHOD_len] = {"len", METHOD_LENGTH, NULL},
    [KERNEL_METHOD_atomic_add] = {"atomic_add", METHOD_ATOMIC, NULL},
    [KERNEL_METHOD_atomic_min] = {"atomic_min", METHOD_ATOMIC, NULL},
    [KERNEL_METHOD_atomic_max] = {"atomic_max", METHOD_ATOMIC, NULL},
    [KERNEL_METHOD_atomic_cas] = {"atomic_cas", METHOD_ATOMIC, NULL},
};

int kernel_find_method(const char *name)
{
	for (int i = 0; i < KERNEL_METHOD_COUNT; i++)
		if (strcmp(methods[i].name, name) == 0)
			return i;
	return -1;
}

static bool is_axis(const char *name)
{
	return (name[0] == 'x' || name[0] == 'y' || name[0] == 'z') && name[1] == '\0';
}

void kernel_infer_arguments(struct kernel_checker *c, struct node *n)
{
	for (uint32_t i = 0; i < n->part_count; i++)
		kernel_infer(c, n->parts[i]);
}

static struct type *report_unknown_method(struct kernel_checker *c, const struct node *n)
{
	struct diagnostic *item = kernel_report(c, "E_KERNEL", n->at, "unknown method `%s` in a kernel", n->name);
	const char *candidates[KERNEL_METHOD_COUNT];
	for (uint32_t i = 0; i < KERNEL_METHOD_COUNT; i++)
		candidates[i] = methods[i].name;
	const char *nearest = spelling_nearest(n->name, strlen(n->name), candidates, KERNEL_METHOD_COUNT);
	if (nearest)
		kernel_hint(c, item, "did you mean `%s`?", nearest);
	return &type_error;
}

/* ---- slice.name, gid.x ---- */

static bool is_slice(const struct variable *v)
{
	return v && v->type->kind == TYPE_LIST;
}

bool kernel_is_name_method(const struct kernel_checker *c, const struct node *n)
{
	if (n->kind != NODE_METHOD || n->left->kind != NODE_NAME)
		return false;
	struct variable *v = kernel_find_variable(c, n->left);
	return is_slice(v) || (v && v->type == &type_error) ||
	       (!v && !n->has_arguments && is_axis(n->name) && kernel_find_intrinsic(n->left->name));
}

static struct type *infer_dotted_intrinsic(struct kernel_checker *c, struct node *n)
{
	n->builtin = KERNEL_METHOD_axis;
	bool allowed = kernel_allow_intrinsic(c, n, kernel_find_intrinsic(n->left->name), n->name);
	return allowed ? &type_int : &type_error;
}

static struct type *report_atomic_value(struct kernel_checker *c, const struct node *n)
{
	kernel_hint(c, kernel_report(c, "E_KERNEL", n->at, "`%s` is a statement: it gives no value", n->name),
	            "write it on a line of its own");
	return &type_error;
}

struct type *kernel_infer_name_method(struct kernel_checker *c, struct node *n)
{
	struct variable *v = kernel_find_variable(c, n->left);
	if (!v)
		return infer_dotted_intrinsic(c, n);
	n->left->variable = v;
	n->left->type = v->type;
	n->builtin = kernel_find_method(n->name);
	if (n->builtin == KERNEL_METHOD_len) {
		if (n->part_count > 0)
			kernel_report(c, "E_ARITY", n->at, "`len` takes no arguments");
		return v->type == &type_error ? &type_error : &type_int;
	}
	kernel_infer_arguments(c, n);
	if (kernel_is_atomic(n) && is_slice(v))
		return report_atomic_value(c, n);
	if (is_slice(v))
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL", n->at, "a %s has no method `%s` in a kernel",
		                          kernel_slice_noun(c, v), n->name),
		            "read an element, `%s[i]`, or the length, `%s.len`", v->name, v->name);
	return &type_error;
}

/* ---- Methods of numbers ---- */

static struct type *wrong_receiver(struct kernel_checker *c, const struct node *n, const char *takes)
{
	struct diagnostic *d = kernel_report(c, "E_KERNEL_TYPE", n->at, "`%s` takes %s, not %s", n->name, takes,
	                                     kernel_type_name(n->left->type));
	if (n->left->kind == NODE_INT && methods[n->builtin].kind == METHOD_FLOAT)
		kernel_hint(c, d, "write `%llu.0`", (unsigned long long)n->left->number);
	else if (methods[n->builtin].kind == METHOD_FLOAT)
		kernel_conversion_hint(c, d, n->left, c->float_default);
	return &type_error;
}

static struct type *infer_conversion(struct kernel_checker *c, struct node *n)
{
	struct type *from = kernel_settle(c, n->left, NULL), *to = methods[n->builtin].to;
	if (from->kind == TYPE_BOOL) {
		kernel_hint(c, kernel_report(c, "E_KERNEL_TYPE", n->at, "a Bool cannot be converted to a number"),
		            "write `if c then 1 else 0`");
		return &type_error;
	}
	if (kernel_is_float(from) && kernel_is_integer(to)) {
		kernel_report(c, "E_KERNEL", n->at,
		              "conversions from float to integer are not available in a kernel yet");
		return &type_error;
	}
	return to;
}

static struct type *infer_float_method(struct kernel_checker *c, struct node *n)
{
	if (n->left->type == &kernel_literal_float)
		return n->left->type;
	struct type *t = kernel_settle(c, n->left, NULL);
	return kernel_is_float(t) ? t : wrong_receiver(c, n, "F32 or F64");
}

static struct type *infer_absolute(struct kernel_checker *c, struct node *n)
{
	struct type *t = n->left->type;
	if (t->kind == TYPE_BOOL || t->kind == TYPE_U32)
		return wrong_receiver(c, n, "F32, F64, Int or I32");
	return t;
}

/* min, max; band, bor, bxor, whose operands are integers. */
static struct type *infer_pair(struct kernel_checker *c, struct node *n)
{
	struct node *left = n->left, *right = n->parts[0];
	struct type *t = kernel_common_type(c, left, right);
	if (!t) {
		struct diagnostic *d =
		    kernel_report(c, "E_KERNEL_TYPE", n->at, "`%s` takes two operands of one type, these are %s and %s",
		                  n->name, kernel_type_name(left->type), kernel_type_name(right->type));
		kernel_mixed_hint(c, d, left, right);
		return &type_error;
	}
	if (t == &type_error)
		return t;
	if (methods[n->builtin].kind == METHOD_CHOOSE)
		return t->kind == TYPE_BOOL ? wrong_receiver(c, n, "numbers") : t;
	if (t == &kernel_literal_float)
		t = kernel_settle(c, left, NULL);
	if (t->kind == TYPE_BOOL || kernel_is_float(t))
		return wrong_receiver(c, n, "integers");
	return t == &kernel_literal_number ? &kernel_literal_integer : t;
}

/* The count is Int, or of the receiver's type. */
static struct type *infer_shift(struct kernel_checker *c, struct node *n)
{
	struct node *value = n->left, *count = n->parts[0];
	if (kernel_is_literal(count->type))
		kernel_settle(c, count, &type_int);
	if (kernel_is_literal(value->type) && kernel_is_integer(count->type) && count->type != &type_int)
		kernel_settle(c, value, count->type);
	struct type *t = value->type == &kernel_literal_float ? kernel_settle(c, value, NULL) : value->type;
	if (t == &type_error || count->type == &type_error)
		return &type_error;
	if (t->kind == TYPE_BOOL || kernel_is_float(t))
		return wrong_receiver(c, n, "integers");
	if (count->type != &type_int && count->type != t) {
		struct diagnostic *d = kernel_report(
		    c, "E_KERNEL_TYPE", count->span, "a shift count must be Int%s%s, this is %s",
		    t == &type_i32 || t == &type_u32 ? " or " : "",
		    t == &type_i32 || t == &type_u32 ? kernel_type_name(t) : "", kernel_type_name(count->type));
		kernel_conversion_hint(c, d, count, &type_int);
		return &type_error;
	}
	return t == &kernel_literal_number ? &kernel_literal_integer : t;
}

static uint32_t argument_count(enum method_kind kind)
{
	return kind == METHOD_CHOOSE || kind == METHOD_SHIFT || kind == METHOD_BITS;
}

struct type *kernel_infer_method(struct kernel_checker *c, struct node *n)
{
	n->builtin = kernel_find_method(n->name);
	struct definition *d = n->builtin < 0 ? kernel_find_definition(c->program, n->name) : NULL;
	if (d && d->kind == DEFINITION_FUNCTION)
		return kernel_infer_helper_call(c, n, d);
	kernel_infer_arguments(c, n);
	if (n->left->type == &type_error)
		return &type_error;
	if (n->builtin < 0)
		return report_unknown_method(c, n);
	if (kernel_is_atomic(n)) {
		kernel_report(c, "E_KERNEL", n->at, "only a `&mut` slice or a shared array has `%s`", n->name);
		return &type_error;
	}
	uint32_t takes = argument_count(methods[n->builtin].kind);
	if (n->part_count != takes) {
		kernel_report(c, "E_ARITY", n->at, "`%s` takes %s, not %u", n->name,
		              takes ? "1 argument" : "no arguments", n->part_count);
		return &type_error;
	}
	switch (methods[n->builtin].kind) {
	case METHOD_CONVERT: return infer_conversion(c, n);
	case METHOD_FLOAT: return infer_float_method(c, n);
	case METHOD_ABS: return infer_absolute(c, n);
	case METHOD_CHOOSE:
	case METHOD_BITS: return infer_pair(c, n);
	case METHOD_SHIFT: return infer_shift(c, n);
	case METHOD_LENGTH:
		kernel_report(c, "E_KERNEL", n->at, "only a slice or a shared array has `len`");
		return &type_error;
	case METHOD_ATOMIC: break;
	}
	return &type_error;
}

/* ---- Calls ---- */

static void report_call(struct kernel_checker *c, const struct node *n, const struct definition *kernel)
{
	const char *name = n->left->name;
	if (kernel) {
		kernel_report(c, "E_KERNEL", n->span, "a kernel cannot launch the kernel `%s`", name);
		return;
	}
	if (kernel_report_larger(c, n->left))
		return;
	struct diagnostic *item = kernel_report(c, "E_KERNEL", n->span, "a kernel cannot call `%s`", name);
	int method = kernel_find_method(name);
	if (method >= 0 && argument_count(methods[method].kind) > 0)
		kernel_hint(c, item, "write it as a method: `a.%s(b)`", name);
	else if (method >= 0)
		kernel_hint(c, item, "write it as a method: `x.%s`", name);
}

struct type *kernel_infer_call(struct kernel_checker *c, struct node *n)
{
	const char *name = n->left->kind == NODE_NAME ? n->left->name : NULL;
	struct variable *v = kernel_find_variable(c, n->left);
	struct definition *d = name && !v ? kernel_find_definition(c->program, name) : NULL;
	if (kernel_is_barrier(c, n)) {
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->span, "`barrier()` is a statement: it gives no value"),
		            "write it on a line of its own");
		return &type_error;
	}
	if (d && d->kind == DEFINITION_FUNCTION && !kernel_find_intrinsic(name))
		return kernel_infer_helper_call(c, n, d);
	kernel_infer_arguments(c, n);
	if (!name) {
		if (kernel_infer(c, n->left) != &type_error)
			kernel_report(c, "E_KERNEL", n->span, "only functions can be called");
	} else if (v || kernel_find_intrinsic(name)) {
		if (!v || v->type != &type_error)
			kernel_report(c, "E_KERNEL", n->span, "`%s` is not a function", name);
	} else {
		report_call(c, n, d);
	}
	return &type_error;
}
