/* Operators of the host language: Int traps as kernels do (spec 1.3), F64 compares by the total order. */
#include <math.h>

#include "frontend/ssp/host_internal.h"

/* base ** exponent; false: it overflows. */
static bool power(int64_t base, int64_t exponent, int64_t *result)
{
	*result = 1;
	for (;;) {
		if ((exponent & 1) && __builtin_mul_overflow(*result, base, result))
			return false;
		exponent >>= 1;
		if (exponent == 0)
			return true;
		if (__builtin_mul_overflow(base, base, &base))
			return false;
	}
}

static bool power_int(struct task *t, const struct node *n, int64_t x, int64_t y, int64_t *result)
{
	if (y < 0)
		return trap_raise(t, n, "negative exponent");
	return power(x, y, result) || trap_overflow(t, n);
}

static bool divide_int(struct task *t, const struct node *n, int64_t x, int64_t y, int64_t *result)
{
	if (y == 0)
		return trap_raise(t, n, "division by zero");
	if (x == INT64_MIN && y == -1)
		return trap_overflow(t, n);
	*result = n->operator_kind == OPERATOR_DIVIDE ? x / y : x % y;
	return true;
}

static bool arithmetic_int(struct task *t, const struct node *n, struct value *a)
{
	int64_t x = a[0].integer, y = a[1].integer;
	bool good = true;
	switch (n->operator_kind) {
	case OPERATOR_ADD: good = !__builtin_add_overflow(x, y, &a->integer) || trap_overflow(t, n); break;
	case OPERATOR_SUBTRACT: good = !__builtin_sub_overflow(x, y, &a->integer) || trap_overflow(t, n); break;
	case OPERATOR_MULTIPLY: good = !__builtin_mul_overflow(x, y, &a->integer) || trap_overflow(t, n); break;
	case OPERATOR_DIVIDE:
	case OPERATOR_REMAINDER: good = divide_int(t, n, x, y, &a->integer); break;
	case OPERATOR_POWER: good = power_int(t, n, x, y, &a->integer); break;
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT:
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL:
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL:
	case OPERATOR_NEGATE: break;
	}
	t->top = a + 1;
	return good;
}

static bool arithmetic_f64(struct task *t, const struct node *n, struct value *a)
{
	double x = a[0].real, y = a[1].real;
	switch (n->operator_kind) {
	case OPERATOR_ADD: a->real = x + y; break;
	case OPERATOR_SUBTRACT: a->real = x - y; break;
	case OPERATOR_MULTIPLY: a->real = x * y; break;
	case OPERATOR_DIVIDE: a->real = x / y; break;
	case OPERATOR_REMAINDER: a->real = fmod(x, y); break;
	case OPERATOR_POWER: a->real = pow(x, y); break;
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT:
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL:
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL:
	case OPERATOR_NEGATE: break;
	}
	t->top = a + 1;
	return true;
}

static bool append(struct task *t, struct value *a)
{
	if (a->kind == VALUE_STRING)
		*a = string_append(*a, a[1].string);
	else
		list_append(list_own(a, a[1].list->count), a[1].list, 0, a[1].list->count);
	cut(t, a + 1);
	return true;
}

static bool holds(enum operator_kind kind, int order)
{
	switch (kind) {
	case OPERATOR_EQUAL: return order == 0;
	case OPERATOR_NOT_EQUAL: return order != 0;
	case OPERATOR_LESS: return order < 0;
	case OPERATOR_LESS_EQUAL: return order <= 0;
	case OPERATOR_GREATER: return order > 0;
	case OPERATOR_GREATER_EQUAL: return order >= 0;
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT:
	case OPERATOR_ADD:
	case OPERATOR_SUBTRACT:
	case OPERATOR_MULTIPLY:
	case OPERATOR_DIVIDE:
	case OPERATOR_REMAINDER:
	case OPERATOR_POWER:
	case OPERATOR_NEGATE: break;
	}
	return false;
}

static bool compare(struct task *t, const struct node *n, struct value *a)
{
	enum operator_kind kind = n->operator_kind;
	if (a->kind == VALUE_INT) {
		t->top = a + 1;
		*a = value_bool(holds(kind, (a[0].integer > a[1].integer) - (a[0].integer < a[1].integer)));
		return true;
	}
	if (kind == OPERATOR_EQUAL || kind == OPERATOR_NOT_EQUAL)
		return give(t, a, value_bool(value_equal(a[0], a[1]) == (kind == OPERATOR_EQUAL)));
	return give(t, a, value_bool(holds(kind, value_compare(a[0], a[1]))));
}

bool binary_operation(struct task *t, const struct node *n, struct value *a)
{
	switch (n->operator_kind) {
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL:
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL: return compare(t, n, a);
	case OPERATOR_ADD:
	case OPERATOR_SUBTRACT:
	case OPERATOR_MULTIPLY:
	case OPERATOR_DIVIDE:
	case OPERATOR_REMAINDER:
	case OPERATOR_POWER:
		if (a->kind == VALUE_INT)
			return arithmetic_int(t, n, a);
		return a->kind == VALUE_F64 ? arithmetic_f64(t, n, a) : append(t, a);
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT:
	case OPERATOR_NEGATE: break; /* not strict, or not binary */
	}
	return true;
}

bool unary_operation(struct task *t, const struct node *n, struct value *a)
{
	if (n->operator_kind == OPERATOR_NOT)
		a->truth = !a->truth;
	else if (a->kind == VALUE_F64)
		a->real = -a->real;
	else if (__builtin_sub_overflow(0, a->integer, &a->integer))
		return trap_overflow(t, n);
	return true;
}
