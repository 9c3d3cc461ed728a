/* Methods of Int and F64, and the numeric globals (spec 2.5). */
#include <math.h>

#include "frontend/ssp/host_internal.h"

static bool give_int(struct task *t, struct value *a, int64_t v)
{
	return give(t, a, value_int(v));
}

static bool give_f64(struct task *t, struct value *a, double v)
{
	return give(t, a, value_f64(v));
}

/* a.min(b) is `if a < b then a else b`, a.max(b) is `if a > b then a else b` (spec 1.2), of any ordered type. */
static bool give_chosen(struct task *t, struct value *a, bool first)
{
	struct value v = first ? a[0] : a[1];
	value_retain(v);
	return give(t, a, v);
}

static bool give_min(struct task *t, struct value *a)
{
	return give_chosen(t, a, value_compare(a[0], a[1]) < 0);
}

static bool give_max(struct task *t, struct value *a)
{
	return give_chosen(t, a, value_compare(a[0], a[1]) > 0);
}

bool builtin_min(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_min(t, a);
}

bool builtin_max(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_max(t, a);
}

bool builtin_int_min(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_min(t, a);
}

bool builtin_int_max(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_max(t, a);
}

bool builtin_f64_min(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_min(t, a);
}

bool builtin_f64_max(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_max(t, a);
}

/* clamp(x, low, high) is min(max(x, low), high). */
bool builtin_clamp(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct value v = value_compare(a[0], a[1]) > 0 ? a[0] : a[1];
	v = value_compare(v, a[2]) < 0 ? v : a[2];
	value_retain(v);
	return give(t, a, v);
}

/* ---- Int ---- */

bool builtin_int_abs(struct task *t, const struct node *n, struct value *a)
{
	if (a->integer == INT64_MIN)
		return trap_overflow(t, n);
	return give_int(t, a, a->integer < 0 ? -a->integer : a->integer);
}

bool builtin_int_to_f64(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_f64(t, a, (double)a->integer);
}

bool builtin_int_band(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_int(t, a, a[0].integer & a[1].integer);
}

bool builtin_int_bor(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_int(t, a, a[0].integer | a[1].integer);
}

bool builtin_int_bxor(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_int(t, a, a[0].integer ^ a[1].integer);
}

static bool is_shift(int64_t count)
{
	return count >= 0 && count <= 63;
}

bool builtin_int_shl(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_int(t, a, is_shift(a[1].integer) ? (int64_t)((uint64_t)a[0].integer << a[1].integer) : 0);
}

bool builtin_int_shr(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_int(t, a, is_shift(a[1].integer) ? (int64_t)((uint64_t)a[0].integer >> a[1].integer) : 0);
}

/* ---- F64 ---- */

#define F64_FUNCTION(name, expression)                                                                                 \
	bool builtin_f64_##name(struct task *t, const struct node *n, struct value *a)                                 \
	{                                                                                                              \
		(void)n;                                                                                               \
		return give_f64(t, a, expression);                                                                     \
	}

F64_FUNCTION(abs, fabs(a->real))
F64_FUNCTION(sqrt, sqrt(a->real))
F64_FUNCTION(pow, pow(a[0].real, a[1].real))
F64_FUNCTION(exp, exp(a->real))
F64_FUNCTION(ln, log(a->real))
F64_FUNCTION(log2, log2(a->real))
F64_FUNCTION(log10, log10(a->real))
F64_FUNCTION(sin, sin(a->real))
F64_FUNCTION(cos, cos(a->real))
F64_FUNCTION(tan, tan(a->real))
F64_FUNCTION(asin, asin(a->real))
F64_FUNCTION(acos, acos(a->real))
F64_FUNCTION(atan, atan(a->real))
F64_FUNCTION(atan2, atan2(a[0].real, a[1].real))
F64_FUNCTION(hypot, hypot(a[0].real, a[1].real))

bool builtin_f64_is_nan(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_bool(isnan(a->real)));
}

bool builtin_f64_is_finite(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_bool(isfinite(a->real)));
}

/* A whole number as Int. 2^63 is the first above. */
static bool give_whole(struct task *t, const struct node *n, struct value *a, double v)
{
	if (!(v >= -0x1p63 && v < 0x1p63))
		return trap_raise(t, n, "float out of range for Int");
	return give_int(t, a, (int64_t)v);
}

bool builtin_f64_floor(struct task *t, const struct node *n, struct value *a)
{
	return give_whole(t, n, a, floor(a->real));
}

bool builtin_f64_ceil(struct task *t, const struct node *n, struct value *a)
{
	return give_whole(t, n, a, ceil(a->real));
}

bool builtin_f64_round(struct task *t, const struct node *n, struct value *a)
{
	return give_whole(t, n, a, round(a->real));
}

bool builtin_f64_trunc(struct task *t, const struct node *n, struct value *a)
{
	return give_whole(t, n, a, trunc(a->real));
}

bool builtin_pi(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_f64(t, a, M_PI);
}

bool builtin_inf(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_f64(t, a, INFINITY);
}

bool builtin_nan(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_f64(t, a, NAN);
}
