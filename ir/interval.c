/* Intervals of integer values. Every rule gives a superset of what ir_evaluate_op can give. */
#include "ir/interval.h"

#include <assert.h>

#define SIGNED(bits)                                                                                                   \
	{                                                                                                              \
		-((ir_wide)1 << (bits - 1)), ((ir_wide)1 << (bits - 1)) - 1                                            \
	}
#define UNSIGNED(bits)                                                                                                 \
	{                                                                                                              \
		0, ((ir_wide)1 << bits) - 1                                                                            \
	}

const struct ir_interval ir_interval_types[IR_TYPE_array] = {
    [IR_TYPE_bool] = UNSIGNED(1), [IR_TYPE_i8] = SIGNED(8),     [IR_TYPE_u8] = UNSIGNED(8),
    [IR_TYPE_i16] = SIGNED(16),   [IR_TYPE_u16] = UNSIGNED(16), [IR_TYPE_i32] = SIGNED(32),
    [IR_TYPE_u32] = UNSIGNED(32), [IR_TYPE_i64] = SIGNED(64),   [IR_TYPE_u64] = UNSIGNED(64),
};

static const ir_wide wide_most = (ir_wide)(~(unsigned __int128)0 >> 1);

static ir_wide least(ir_wide a, ir_wide b)
{
	return a < b ? a : b;
}

static ir_wide most(ir_wide a, ir_wide b)
{
	return a > b ? a : b;
}

struct ir_interval ir_interval_hull(const struct ir_interval *a, const struct ir_interval *b)
{
	if (ir_interval_empty(a))
		return *b;
	if (ir_interval_empty(b))
		return *a;
	return (struct ir_interval){least(a->low, b->low), most(a->high, b->high)};
}

struct ir_interval ir_interval_meet(const struct ir_interval *a, const struct ir_interval *b)
{
	return (struct ir_interval){most(a->low, b->low), least(a->high, b->high)};
}

/* ---- Arithmetic ---- */

static struct ir_interval negated(const struct ir_interval *a)
{
	return (struct ir_interval){-a->high, -a->low};
}

static struct ir_interval sum(const struct ir_interval *a, const struct ir_interval *b)
{
	return (struct ir_interval){a->low + b->low, a->high + b->high};
}

static struct ir_interval difference(const struct ir_interval *a, const struct ir_interval *b)
{
	return (struct ir_interval){a->low - b->high, a->high - b->low};
}

/* Only products of two large u64 do not fit, and those are positive. */
static ir_wide multiply(ir_wide a, ir_wide b)
{
	ir_wide exact;
	return __builtin_mul_overflow(a, b, &exact) ? wide_most : exact;
}

static struct ir_interval product(const struct ir_interval *a, const struct ir_interval *b)
{
	if (a->low >= 0 && b->low >= 0)
		return (struct ir_interval){multiply(a->low, b->low), multiply(a->high, b->high)};
	ir_wide p = multiply(a->low, b->low), q = multiply(a->low, b->high);
	ir_wide r = multiply(a->high, b->low), s = multiply(a->high, b->high);
	return (struct ir_interval){least(least(p, q), least(r, s)), most(most(p, q), most(r, s))};
}

static struct ir_interval magnitude(const struct ir_interval *a)
{
	if (a->low >= 0)
		return *a;
	if (a->high <= 0)
		return negated(a);
	return (struct ir_interval){0, most(-a->low, a->high)};
}

static bool holds_value(const struct ir_interval *a, ir_wide value)
{
	return a->low <= value && value <= a->high;
}

/* Division toward zero in 64 bits where it can be: dividing 128 bits is a slow call. */
static ir_wide divide(ir_wide a, ir_wide b)
{
	if (a >= 0 && b > 0 && a <= INT64_MAX && b <= INT64_MAX)
		return (ir_wide)((uint64_t)a / (uint64_t)b);
	return a / b;
}

/* By divisors of one sign: the quotient is monotone in each operand there. */
static struct ir_interval quotient_by(const struct ir_interval *a, ir_wide low, ir_wide high)
{
	if (a->low >= 0 && low > 0)
		return (struct ir_interval){divide(a->low, high), divide(a->high, low)};
	ir_wide p = divide(a->low, low), q = divide(a->low, high);
	ir_wide r = divide(a->high, low), s = divide(a->high, high);
	return (struct ir_interval){least(least(p, q), least(r, s)), most(most(p, q), most(r, s))};
}

/* By the divisors that are not zero; empty when there are none. */
static struct ir_interval quotient(const struct ir_interval *a, const struct ir_interval *b)
{
	struct ir_interval all = {1, 0};
	if (b->low < 0) {
		struct ir_interval part = quotient_by(a, b->low, least(b->high, -1));
		all = ir_interval_hull(&all, &part);
	}
	if (b->high > 0) {
		struct ir_interval part = quotient_by(a, most(b->low, 1), b->high);
		all = ir_interval_hull(&all, &part);
	}
	return all;
}

/* The remainder has the dividend's sign, is no larger than it, and smaller than the divisor. */
static struct ir_interval remainder_of(const struct ir_interval *a, const struct ir_interval *b)
{
	if (b->low == b->high && b->low > 0 && a->low >= 0) {
		ir_wide low = divide(a->low, b->low);
		if (low == divide(a->high, b->low))
			return (struct ir_interval){a->low - low * b->low, a->high - low * b->low};
	}
	ir_wide largest = most(-b->low, b->high) - 1;
	if (largest < 0)
		return (struct ir_interval){1, 0};
	return (struct ir_interval){a->low >= 0 ? 0 : most(a->low, -largest),
	                            a->high <= 0 ? 0 : least(a->high, largest)};
}

/* ---- Bits ---- */

/* The least 2^n - 1 that is not below a value >= 0. */
static ir_wide ones_over(ir_wide value)
{
	ir_wide ones = 0;
	if (value > 0)
		ones = (ir_wide)(UINT64_MAX >> __builtin_clzll((uint64_t)value));
	return ones;
}

static struct ir_interval bits_of(enum ir_op op, const struct ir_interval *a, const struct ir_interval *b)
{
	if (op == IR_OP_band && (a->low >= 0 || b->low >= 0)) {
		ir_wide high = a->low >= 0 && b->low >= 0 ? least(a->high, b->high) : a->low >= 0 ? a->high : b->high;
		return (struct ir_interval){0, high};
	}
	if (a->low >= 0 && b->low >= 0)
		return (struct ir_interval){op == IR_OP_bor ? most(a->low, b->low) : 0,
		                            ones_over(most(a->high, b->high))};
	/* Both are numbers of so many bits and a sign, so the result is too. */
	ir_wide ones = ones_over(most(most(-1 - a->low, a->high), most(-1 - b->low, b->high)));
	return (struct ir_interval){-1 - ones, ones};
}

/* The part of a shift's counts that is below the width; empty when there is none. A negative one is large. */
static struct ir_interval small_counts(const struct ir_interval *count, ir_wide width)
{
	return (struct ir_interval){most(count->low, 0), least(count->high, width - 1)};
}

static bool has_large_count(const struct ir_interval *count, ir_wide width)
{
	return count->low < 0 || count->high >= width;
}

static struct ir_interval shifted_left(const struct ir_interval *a, const struct ir_interval *count, ir_wide width)
{
	struct ir_interval all = {1, 0}, zero = {0, 0}, small = small_counts(count, width);
	if (!ir_interval_empty(&small)) {
		struct ir_interval factors = {(ir_wide)1 << small.low, (ir_wide)1 << small.high};
		all = product(a, &factors);
	}
	return has_large_count(count, width) ? ir_interval_hull(&all, &zero) : all;
}

/* From the width on a shift gives 0 or all sign bits, as one by 64 places does in 128 bits. */
static struct ir_interval shifted_right(const struct ir_interval *a, const struct ir_interval *count, ir_wide width)
{
	struct ir_interval small = small_counts(count, width);
	ir_wide first = ir_interval_empty(&small) ? 64 : small.low;
	ir_wide last = has_large_count(count, width) ? 64 : small.high;
	return (struct ir_interval){least(a->low >> first, a->low >> last), most(a->high >> first, a->high >> last)};
}

static struct ir_interval compared(enum ir_op op, const struct ir_interval *a, const struct ir_interval *b)
{
	struct ir_interval x = *a, y = *b;
	if (!ir_interval_assume(op, &x, &y))
		return ir_interval_one(0);
	x = *a;
	y = *b;
	return ir_interval_assume(ir_comparison_negated(op), &x, &y) ? ir_interval_types[IR_TYPE_bool]
	                                                             : ir_interval_one(1);
}

/* ---- Operations ---- */

/* An exact result that wraps unless it fits. */
static bool wrapping(const struct ir_type *type, struct ir_interval exact, struct ir_interval *result)
{
	const struct ir_interval *all = &ir_interval_types[type->kind];
	*result = ir_interval_within(&exact, all) ? exact : *all;
	return true;
}

/* An exact result that traps unless it fits; `sound` says that nothing else traps. */
static bool trapping(const struct ir_type *type, bool sound, struct ir_interval exact, struct ir_interval *result)
{
	const struct ir_interval *all = &ir_interval_types[type->kind];
	if (!ir_interval_empty(&exact) && ir_interval_within(&exact, all)) {
		*result = exact;
		return sound;
	}
	*result = ir_interval_meet(&exact, all);
	if (ir_interval_empty(result))
		*result = *all;
	return false;
}

static bool divide_soundly(const struct ir_type *type, const struct ir_interval operands[2])
{
	return !holds_value(&operands[1], 0) &&
	       (!ir_type_is_signed(type) || operands[0].low > ir_interval_types[type->kind].low ||
	        !holds_value(&operands[1], -1));
}

static struct ir_interval complement(const struct ir_type *type, const struct ir_interval *a)
{
	ir_wide ones = ir_type_is_signed(type) ? -1 : ir_interval_types[type->kind].high;
	return (struct ir_interval){ones - a->high, ones - a->low};
}

static bool countable(const struct ir_type *type)
{
	return ir_type_is_integer(type) || type->kind == IR_TYPE_bool;
}

bool ir_interval_evaluate(enum ir_op op, const struct ir_type *type, const struct ir_type *to,
                          const struct ir_interval operands[2], struct ir_interval *result)
{
	const struct ir_interval *a = &operands[0], *b = &operands[1];
	if (!countable(type) || !countable(to)) {
		*result = ir_interval_types[to->kind];
		return true;
	}
	switch ((int)op) {
	case IR_OP_iadd: return wrapping(to, sum(a, b), result);
	case IR_OP_isub: return wrapping(to, difference(a, b), result);
	case IR_OP_imul: return wrapping(to, product(a, b), result);
	case IR_OP_ineg: return wrapping(to, negated(a), result);
	case IR_OP_iadd_trap: return trapping(to, true, sum(a, b), result);
	case IR_OP_isub_trap: return trapping(to, true, difference(a, b), result);
	case IR_OP_imul_trap: return trapping(to, true, product(a, b), result);
	case IR_OP_ineg_trap: return trapping(to, true, negated(a), result);
	case IR_OP_iabs_trap: return trapping(to, true, magnitude(a), result);
	case IR_OP_idiv_trap: return trapping(to, divide_soundly(type, operands), quotient(a, b), result);
	case IR_OP_irem_trap: return trapping(to, divide_soundly(type, operands), remainder_of(a, b), result);
	case IR_OP_idiv:
	case IR_OP_irem: *result = ir_interval_types[to->kind]; return true;
	case IR_OP_band:
	case IR_OP_bor:
	case IR_OP_bxor: return wrapping(to, bits_of(op, a, b), result);
	case IR_OP_bnot: return wrapping(to, complement(type, a), result);
	case IR_OP_ishl: return wrapping(to, shifted_left(a, b, ir_type_bits(type)), result);
	case IR_OP_ishr: return wrapping(to, shifted_right(a, b, ir_type_bits(type)), result);
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge: *result = compared(op, a, b); return true;
	case IR_OP_convert:
	case IR_OP_bitcast: return wrapping(to, *a, result);
	case IR_OP_convert_trap: return trapping(to, true, *a, result);
	}
	assert(!"an operation that operands alone do not decide");
	return false;
}

/* ---- What is known of operands ---- */

enum ir_op ir_comparison_negated(enum ir_op comparison)
{
	switch ((int)comparison) {
	case IR_OP_eq: return IR_OP_ne;
	case IR_OP_ne: return IR_OP_eq;
	case IR_OP_lt: return IR_OP_ge;
	case IR_OP_le: return IR_OP_gt;
	case IR_OP_gt: return IR_OP_le;
	}
	assert(comparison == IR_OP_ge);
	return IR_OP_lt;
}

/* Cuts the one value off an end. */
static void exclude(struct ir_interval *a, const struct ir_interval *other)
{
	if (other->low != other->high)
		return;
	a->low += a->low == other->low;
	a->high -= a->high == other->low;
}

/* x + gap <= y */
static void order(struct ir_interval *x, struct ir_interval *y, ir_wide gap)
{
	x->high = least(x->high, y->high - gap);
	y->low = most(y->low, x->low + gap);
}

bool ir_interval_assume(enum ir_op comparison, struct ir_interval *a, struct ir_interval *b)
{
	struct ir_interval x = *a, y = *b;
	switch ((int)comparison) {
	case IR_OP_eq: x = y = ir_interval_meet(a, b); break;
	case IR_OP_ne:
		exclude(&x, b);
		exclude(&y, a);
		break;
	case IR_OP_lt: order(&x, &y, 1); break;
	case IR_OP_le: order(&x, &y, 0); break;
	case IR_OP_gt: order(&y, &x, 1); break;
	case IR_OP_ge: order(&y, &x, 0); break;
	}
	if (ir_interval_empty(&x) || ir_interval_empty(&y))
		return false;
	*a = x;
	*b = y;
	return true;
}

static void narrow(struct ir_interval *a, struct ir_interval by)
{
	struct ir_interval both = ir_interval_meet(a, &by);
	if (!ir_interval_empty(&both))
		*a = both;
}

/* a * b lies in `result`: by a positive b, a is no more than the largest result by the least b, and no less than
 * the least by the largest, both where they are not negative. */
static void narrow_factor(const struct ir_interval *result, const struct ir_interval *b, struct ir_interval *a)
{
	if (b->low <= 0)
		return;
	struct ir_interval by = *a;
	if (result->high >= 0)
		by.high = divide(result->high, b->low);
	if (result->low > 0)
		by.low = divide(result->low - 1, b->high) + 1;
	narrow(a, by);
}

void ir_interval_trace_back(enum ir_op op, const struct ir_type *type, const struct ir_type *to,
                            const struct ir_interval *result, struct ir_interval operands[2])
{
	struct ir_interval *a = &operands[0], *b = &operands[1], exact;
	switch ((int)op) {
	case IR_OP_iadd:
		exact = sum(a, b);
		if (!ir_interval_within(&exact, &ir_interval_types[to->kind]))
			return;
		/* fallthrough */
	case IR_OP_iadd_trap:
		narrow(a, difference(result, b));
		narrow(b, difference(result, a));
		return;
	case IR_OP_isub:
		exact = difference(a, b);
		if (!ir_interval_within(&exact, &ir_interval_types[to->kind]))
			return;
		/* fallthrough */
	case IR_OP_isub_trap:
		narrow(a, sum(result, b));
		narrow(b, difference(a, result));
		return;
	case IR_OP_imul_trap:
		narrow_factor(result, b, a);
		narrow_factor(result, a, b);
		return;
	case IR_OP_ineg_trap: narrow(a, negated(result)); return;
	case IR_OP_convert:
		if (!countable(type) || !ir_interval_within(a, &ir_interval_types[to->kind]))
			return;
		/* fallthrough */
	case IR_OP_convert_trap: narrow(a, *result); return;
	}
}
