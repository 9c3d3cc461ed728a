/* Shared arrays, barriers and atomics of kernels (spec/sspur.md 1.5, 1.6). */
#include <string.h>

#include "frontend/ssp/kernel_check.h"

/* ---- The size of a shared array: literals and group_size ---- */

struct size {
	struct kernel_checker *checker;
	const struct node *fault; /* the part that is not constant, or has no value */
	const char *reason;
	bool reported, not_constant;
};

static bool fail(struct size *s, const struct node *n, const char *reason)
{
	s->fault = n;
	s->reason = reason;
	return false;
}

static bool fail_constant(struct size *s, const struct node *n)
{
	s->not_constant = true;
	return fail(s, n, "is built from literals and `group_size` alone");
}

static bool size_literal(struct size *s, const struct node *n, int64_t *value)
{
	if (n->number > INT64_MAX)
		return fail(s, n, "does not fit Int");
	*value = n->negative ? -(int64_t)n->number : (int64_t)n->number;
	return true;
}

/* group_size, group_size.x */
static bool size_group(struct size *s, const struct node *n, const char *name, const char *axis, int64_t *value)
{
	const struct kernel_intrinsic *intrinsic = kernel_find_intrinsic(name);
	if (!intrinsic || intrinsic->op != IR_OP_group_size)
		return fail_constant(s, n);
	s->reported = !kernel_allow_intrinsic(s->checker, n, intrinsic, axis);
	if (s->reported)
		return fail(s, n, NULL);
	*value = kernel_group(s->checker->definition, *axis == 'y');
	return true;
}

static bool size_operator(struct size *s, const struct node *n, int64_t x, int64_t y, int64_t *value)
{
	bool overflows = false;
	switch (n->operator_kind) {
	case OPERATOR_ADD: overflows = __builtin_add_overflow(x, y, value); break;
	case OPERATOR_SUBTRACT: overflows = __builtin_sub_overflow(x, y, value); break;
	case OPERATOR_MULTIPLY: overflows = __builtin_mul_overflow(x, y, value); break;
	case OPERATOR_DIVIDE:
	case OPERATOR_REMAINDER:
		if (y == 0)
			return fail(s, n, "divides by zero");
		overflows = x == INT64_MIN && y == -1;
		if (!overflows)
			*value = n->operator_kind == OPERATOR_DIVIDE ? x / y : x % y;
		break;
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT:
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL:
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL:
	case OPERATOR_POWER:
	case OPERATOR_NEGATE: return fail_constant(s, n);
	}
	return overflows ? fail(s, n, "does not fit Int") : true;
}

static bool size_value(struct size *s, const struct node *n, int64_t *value)
{
	int64_t x, y;
	switch (n->kind) {
	case NODE_INT: return size_literal(s, n, value);
	case NODE_NAME: return size_group(s, n, n->name, "", value);
	case NODE_BINARY:
		return size_value(s, n->left, &x) && size_value(s, n->right, &y) && size_operator(s, n, x, y, value);
	case NODE_UNARY:
		if (n->operator_kind != OPERATOR_NEGATE)
			return fail_constant(s, n);
		return size_value(s, n->left, &x) &&
		       (!__builtin_sub_overflow((int64_t)0, x, value) || fail(s, n, "does not fit Int"));
	case NODE_METHOD:
		if (n->left->kind == NODE_NAME && !n->has_arguments)
			return size_group(s, n, n->left->name, n->name, value);
		if (n->part_count == 1 && (strcmp(n->name, "min") == 0 || strcmp(n->name, "max") == 0)) {
			if (!size_value(s, n->left, &x) || !size_value(s, n->parts[0], &y))
				return false;
			*value = (x < y) == (n->name[1] == 'i') ? x : y;
			return true;
		}
		return fail_constant(s, n);
	case NODE_FLOAT:
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_UNIT:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_RANGE:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM:
	case NODE_CALL:
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
	case NODE_ERROR: return fail_constant(s, n);
	}
	return false;
}

/* ---- Shared arrays ---- */

/* NULL after reporting. */
static struct type *shared_element(struct kernel_checker *c, const struct node *n)
{
	static struct type *const types[] = {&type_int, &type_i32, &type_u32, &type_f32, &type_f64};
	const struct type_syntax *t = n->type_syntax;
	for (size_t i = 0; t && t->name && !t->borrow && t->count == 0 && i < sizeof types / sizeof *types; i++)
		if (strcmp(t->name, kernel_type_name(types[i])) == 0)
			return types[i];
	kernel_hint(c,
	            kernel_report(c, "E_KERNEL_SHARED", t ? t->span : n->span,
	                          "a shared array cannot have elements of this type"),
	            "its elements are `Int`, `I32`, `U32`, `F32` or `F64`");
	return NULL;
}

/* False after reporting; else the elements. */
static bool shared_count(struct kernel_checker *c, const struct node *n, uint64_t *count)
{
	struct size s = {.checker = c};
	int64_t value = 0;
	if (!n->left || n->left->kind == NODE_ERROR) {
		c->definition->has_faults = true;
		return false;
	}
	if (!size_value(&s, n->left, &value)) {
		struct diagnostic *d = NULL;
		if (!s.reported)
			d = kernel_report(c, "E_KERNEL_SHARED", s.fault->span, "the size of a shared array %s",
			                  s.reason);
		if (d && s.not_constant)
			kernel_hint(c, d, "write the largest size that may be needed, as a number");
		return false;
	}
	if (value < 1) {
		kernel_report(c, "E_KERNEL_SHARED", n->left->span, "a shared array has 1 element or more, not %lld",
		              (long long)value);
		return false;
	}
	*count = (uint64_t)value;
	return true;
}

static void add_shared_bytes(struct kernel_checker *c, const struct node *n, const struct type *element, uint64_t count)
{
	uint64_t size = element == &type_int || element == &type_f64 ? 8 : 4, bytes;
	bool fitted = c->shared_bytes <= IR_MAX_SHARED_BYTES;
	if (__builtin_mul_overflow(count, size, &bytes) ||
	    __builtin_add_overflow(c->shared_bytes, bytes, &c->shared_bytes))
		c->shared_bytes = UINT64_MAX;
	if (!fitted || c->shared_bytes <= IR_MAX_SHARED_BYTES)
		return;
	uint64_t left = (IR_MAX_SHARED_BYTES - (c->shared_bytes == UINT64_MAX ? 0 : c->shared_bytes - bytes)) / size;
	struct diagnostic *d =
	    kernel_report(c, "E_KERNEL_SHARED", n->span,
	                  "the shared arrays of a kernel have not more than %u bytes in all", IR_MAX_SHARED_BYTES);
	if (c->shared_bytes != UINT64_MAX)
		kernel_hint(c, d, "there is room for %llu elements here", (unsigned long long)left);
}

void kernel_report_shared(struct kernel_checker *c, const struct node *n)
{
	if (c->helper)
		kernel_report(c, "E_KERNEL", n->span, "a helper cannot have shared arrays");
	else
		kernel_hint(c,
		            kernel_report(
		                c, "E_KERNEL_SHARED", n->span,
		                "a shared array is declared at the top of a kernel's body, outside of `if` and `for`"),
		            "write `name = shared[T](n)` as a statement there");
}

void kernel_check_shared(struct kernel_checker *c, struct node *let)
{
	struct node *n = let->left;
	struct type *t = &type_error;
	bool top = !c->helper && let == c->top_statement && let->name_count == 1;
	if (!top) {
		kernel_report_shared(c, n);
	} else if (let->mutable) {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_SHARED", let->span, "a shared array is declared without `var`"),
		            "its elements can be stored to all the same");
	}
	struct type *element = c->helper ? NULL : shared_element(c, n);
	uint64_t count = 0;
	if (element) {
		t = type_new(&c->program->arena, TYPE_LIST, 1, element);
		if (shared_count(c, n, &count))
			add_shared_bytes(c, n, element, count);
	}
	n->type = t;
	n->number = count;
	for (uint32_t i = 0; i < let->name_count; i++)
		kernel_declare(c, &let->names[i], t, true);
}

/* ---- Barriers ---- */

bool kernel_is_barrier(const struct kernel_checker *c, const struct node *n)
{
	return n->kind == NODE_CALL && n->left->kind == NODE_NAME && strcmp(n->left->name, "barrier") == 0 &&
	       !kernel_find_variable(c, n->left);
}

void kernel_check_barrier(struct kernel_checker *c, struct node *n)
{
	kernel_infer_arguments(c, n);
	n->type = &type_unit;
	if (n->part_count > 0)
		kernel_report(c, "E_ARITY", n->span, "`barrier` takes no arguments");
	if (c->helper)
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->span, "a helper cannot hold `barrier()`"),
		            "write it in the kernel, before or after the call");
	else if (c->expressions > 0)
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->span, "`barrier()` cannot be inside an expression"),
		            "write it in a statement before this one");
	c->barrier_count++;
}

/* ---- Atomics ---- */

bool kernel_is_atomic(const struct node *n)
{
	int method = n->kind == NODE_METHOD ? kernel_find_method(n->name) : -1;
	return method >= KERNEL_METHOD_atomic_add && method <= KERNEL_METHOD_atomic_cas;
}

static void check_atomic_element(struct kernel_checker *c, const struct node *n, const struct type *element)
{
	if (element == &type_i32 || element == &type_u32 ||
	    (element == &type_f32 && n->builtin == KERNEL_METHOD_atomic_add))
		return;
	bool add = n->builtin == KERNEL_METHOD_atomic_add;
	kernel_hint(c,
	            kernel_report(c, "E_KERNEL_TYPE", n->at, "`%s` takes elements of %s, not %s", n->name,
	                          add ? "I32, U32 or F32" : "I32 or U32", kernel_type_name(element)),
	            "declare `%s` with elements of %s", n->left->name, add && kernel_is_float(element) ? "F32" : "I32");
}

void kernel_check_atomic(struct kernel_checker *c, struct node *n)
{
	struct variable *v = kernel_find_variable(c, n->left);
	n->type = &type_unit;
	if (!v || v->type->kind != TYPE_LIST) {
		kernel_infer(c, n); /* reports it */
		return;
	}
	n->builtin = kernel_find_method(n->name);
	n->left->variable = v;
	n->left->type = v->type;
	struct type *element = v->type->items[0];
	if (!v->mutable)
		kernel_hint(c, kernel_report(c, "E_KERNEL_WRITE", n->left->span, "`%s` is read-only", v->name),
		            "declare the parameter as `%s: &mut [%s]`", v->name, kernel_type_name(element));
	if (!kernel_is_shared(c, v))
		c->written[v->slot] = true;
	check_atomic_element(c, n, element);
	uint32_t takes = n->builtin == KERNEL_METHOD_atomic_cas ? 3 : 2;
	if (n->part_count != takes) {
		kernel_infer_arguments(c, n);
		kernel_report(c, "E_ARITY", n->at, "`%s` takes %u arguments, not %u: %s", n->name, takes, n->part_count,
		              takes == 3 ? "an index, the value expected and the new one" : "an index and a value");
		return;
	}
	kernel_require(c, n->parts[0], &type_int, "an index");
	for (uint32_t i = 1; i < takes; i++)
		kernel_require(c, n->parts[i], element, arena_format(&c->scratch, "a value of `%s`", n->name));
}
