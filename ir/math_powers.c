/* exp, log and pow, in fixed point: one rounding to f32, at the end. */
#include "ir/math_functions.h"

/* 2^f; atanh(u) / u by u^2; and (atanh(u) / u - 1) / u^2. Near-best polynomials. */
static const int64_t power_of_two[] = {1073741824, 744261126, 257941089, 59598342, 10322487, 1441968, 153573, 23239};
static const int64_t logarithm[] = {1073741824, 357913941, 214748337, 153395675, 119045963, 105287291};
static const int64_t logarithm_rest[] = {357913941, 214748365, 153391665, 119308106, 97388439, 89252573};

enum { POWERS = 8, LOGARITHMS = 6 };

static value zero_of(machine *m)
{
	return math_constant(m, IR_TYPE_f32, 0);
}

static value infinity_of(machine *m)
{
	return math_constant(m, IR_TYPE_f32, 0x7f800000);
}

/* ---- Powers of two ---- */

/* 2^exponent, an i64 in units of 2^-40 and below 2^8 in magnitude. */
static value power_of(machine *m, value negative, value exponent)
{
	value whole = math_convert(m, IR_OP_convert, IR_TYPE_i32, math_with(m, IR_OP_ishr, exponent, 40));
	value part = math_with(m, IR_OP_band, exponent, (UINT64_C(1) << 40) - 1);
	value fraction = math_u64(m, math_with(m, IR_OP_ishr, part, 8));
	value magnitude = math_u64(m, math_polynomial(m, fraction, power_of_two, POWERS));
	return math_pack(m, negative, magnitude, math_with(m, IR_OP_isub, whole, 30));
}

value math_exponential(machine *m, value x)
{
	struct math_parts parts = math_take_apart(m, x);
	value product =
	    math_with(m, IR_OP_imul, math_u64(m, parts.magnitude), UINT64_C(0xb8aa3b295c)); /* log2(e) 2^39 */
	value down = math_u64(m, math_with(m, IR_OP_isub, math_unary(m, IR_OP_ineg, parts.exponent), 1));
	value exponent = math_i64(m, math_binary(m, IR_OP_ishr, product, down));
	exponent = math_select(m, parts.negative, math_unary(m, IR_OP_ineg, exponent), exponent);
	value result = power_of(m, math_constant(m, IR_TYPE_bool, 0), exponent);
	/* From 128 on either way; then NaN. */
	value beyond = math_select(m, parts.negative, zero_of(m), infinity_of(m));
	result = math_select(m, math_with(m, IR_OP_ge, parts.bits, 0x43000000), beyond, result);
	value sound = math_with(m, IR_OP_le, parts.bits, 0x7f800000);
	return math_select(m, sound, result, math_constant(m, IR_TYPE_f32, MATH_NAN));
}

/* ---- Logarithms ---- */

/* |x| = t 2^exponent, t from sqrt(1/2) to sqrt(2); u = |t - 1| / (t + 1) = ratio * 2^(first - 62). */
struct near_one {
	value exponent; /* i32 */
	value below;    /* t < 1 */
	value ratio;    /* u64 below 2^39 */
	value first;    /* i32 */
};

static struct near_one bring_near_one(machine *m, const struct math_parts *x)
{
	struct near_one n;
	value large = math_with(m, IR_OP_gt, x->whole, 0xb504f3);
	value one =
	    math_select(m, large, math_constant(m, IR_TYPE_u32, 1 << 24), math_constant(m, IR_TYPE_u32, 1 << 23));
	n.exponent = math_with(m, IR_OP_iadd, x->scale, 23);
	n.exponent = math_select(m, large, math_with(m, IR_OP_iadd, n.exponent, 1), n.exponent);
	n.below = large; /* all others are 1 or above */
	value difference = math_binary(m, IR_OP_isub, x->whole, one);
	difference = math_select(m, large, math_unary(m, IR_OP_ineg, difference), difference);
	value as_float = math_convert(m, IR_OP_convert, IR_TYPE_f32, difference);
	value field = math_with(m, IR_OP_ishr, math_convert(m, IR_OP_bitcast, IR_TYPE_i32, as_float), 23);
	n.first = math_with(m, IR_OP_isub, field, 127);
	value up = math_u64(m, math_binary(m, IR_OP_isub, math_constant(m, IR_TYPE_i32, 62), n.first));
	value raised = math_binary(m, IR_OP_ishl, math_u64(m, difference), up);
	n.ratio = math_binary(m, IR_OP_idiv, raised, math_u64(m, math_binary(m, IR_OP_iadd, x->whole, one)));
	return n;
}

value math_logarithm(machine *m, value x)
{
	struct math_parts parts = math_take_apart(m, x);
	struct near_one n = bring_near_one(m, &parts);
	value down = math_u64(m, math_binary(m, IR_OP_isub, math_constant(m, IR_TYPE_i32, 30), n.first));
	value ratio = math_binary(m, IR_OP_ishr, n.ratio, down); /* in units of 2^-32 */
	value square = math_with(m, IR_OP_ishr, math_binary(m, IR_OP_imul, ratio, ratio), 32);
	value factor = math_u64(m, math_polynomial(m, square, logarithm, LOGARITHMS));
	/* log(t) = part * 2^(first - 85). */
	value part = math_multiply_high(m, math_with(m, IR_OP_ishl, n.ratio, 25), math_with(m, IR_OP_ishl, factor, 33));
	value alone = math_with(m, IR_OP_eq, n.exponent, 0);
	/* In units of 2^-55. */
	value sum = math_with(m, IR_OP_imul, math_i64(m, n.exponent), UINT64_C(0x58b90bfbe8e7bd));
	value fixed = math_i64(m, math_binary(m, IR_OP_ishr, part, down));
	sum = math_binary(m, IR_OP_iadd, sum, math_select(m, n.below, math_unary(m, IR_OP_ineg, fixed), fixed));
	value negative = math_with(m, IR_OP_lt, sum, 0);
	value magnitude = math_u64(m, math_select(m, negative, math_unary(m, IR_OP_ineg, sum), sum));
	value small = math_pack(m, n.below, part, math_with(m, IR_OP_isub, n.first, 85));
	value other = math_pack(m, negative, magnitude, math_constant(m, IR_TYPE_i32, (uint64_t)-55));
	value result = math_select(m, alone, small, other);
	result = math_select(m, math_with(m, IR_OP_eq, parts.bits, 0x7f800000), infinity_of(m), result);
	value positive = math_binary(m, IR_OP_band, math_unary(m, IR_OP_bnot, parts.negative),
	                             math_with(m, IR_OP_le, parts.bits, 0x7f800000));
	result = math_select(m, positive, result, math_constant(m, IR_TYPE_f32, MATH_NAN));
	return math_select(m, math_with(m, IR_OP_eq, parts.bits, 0), math_constant(m, IR_TYPE_f32, 0xff800000), result);
}

/* ---- pow ---- */

/* log2(|x|) = magnitude * 2^exponent, to 34 bits or more. */
struct log2 {
	value negative, magnitude, exponent;
};

static struct log2 log2_of(machine *m, const struct math_parts *x)
{
	struct log2 l;
	struct near_one n = bring_near_one(m, x);
	value up = math_u64(m, math_with(m, IR_OP_iadd, n.first, 2));
	value ratio = math_binary(m, IR_OP_ishl, n.ratio, up); /* in units of 2^-64; 0 where the ratio is */
	value square = math_multiply_high(m, ratio, ratio);
	value rest = math_u64(m, math_polynomial(m, math_with(m, IR_OP_ishr, square, 32), logarithm_rest, LOGARITHMS));
	rest = math_multiply_high(m, square, math_with(m, IR_OP_ishl, rest, 33));
	value factor = math_with(m, IR_OP_iadd, rest, UINT64_C(1) << 63); /* in units of 2^-63 */
	value part = math_multiply_high(m, ratio, factor);
	/* 2 / ln 2, a quarter of it: then in units of 2^-61. */
	part = math_multiply_high(m, part, math_constant(m, IR_TYPE_u64, 0xb8aa3b295c17f0bc));
	value alone = math_with(m, IR_OP_eq, n.exponent, 0);
	value sum = math_with(m, IR_OP_ishl, math_i64(m, n.exponent), 54);
	value fixed = math_i64(m, math_with(m, IR_OP_ishr, part, 7));
	sum = math_binary(m, IR_OP_iadd, sum, math_select(m, n.below, math_unary(m, IR_OP_ineg, fixed), fixed));
	value negative = math_with(m, IR_OP_lt, sum, 0);
	sum = math_u64(m, math_select(m, negative, math_unary(m, IR_OP_ineg, sum), sum));
	l.negative = math_select(m, alone, n.below, negative);
	l.magnitude = math_select(m, alone, part, sum);
	l.exponent = math_select(m, alone, math_constant(m, IR_TYPE_i32, (uint64_t)-61),
	                         math_constant(m, IR_TYPE_i32, (uint64_t)-54));
	return l;
}

/* |x|^y for finite operands, |x| not 0; negative: its sign. */
static value finite_power(machine *m, const struct math_parts *x, const struct math_parts *y, value negative)
{
	struct log2 l = log2_of(m, x);
	value product = math_multiply_high(m, l.magnitude, math_with(m, IR_OP_ishl, math_u64(m, y->magnitude), 40));
	value scale = math_with(m, IR_OP_iadd, math_binary(m, IR_OP_iadd, y->exponent, l.exponent), 24);
	value as_float =
	    math_convert(m, IR_OP_bitcast, IR_TYPE_i32, math_convert(m, IR_OP_convert, IR_TYPE_f32, product));
	value first = math_with(m, IR_OP_isub, math_with(m, IR_OP_ishr, as_float, 23), 127);
	value beyond = math_with(m, IR_OP_gt, math_binary(m, IR_OP_iadd, first, scale), 7);
	value up = math_with(m, IR_OP_iadd, scale, 40), is_up = math_with(m, IR_OP_ge, up, 0);
	value raised = math_binary(m, IR_OP_ishl, product, math_u64(m, up));
	value lowered = math_binary(m, IR_OP_ishr, product, math_u64(m, math_unary(m, IR_OP_ineg, up)));
	value exponent = math_i64(m, math_select(m, is_up, raised, lowered));
	value below = math_binary(m, IR_OP_bxor, l.negative, y->negative);
	exponent = math_select(m, beyond, math_constant(m, IR_TYPE_i64, UINT64_C(160) << 40), exponent);
	return power_of(m, negative, math_select(m, below, math_unary(m, IR_OP_ineg, exponent), exponent));
}

/* Whether a finite y is an integer, and an odd one. */
static void parity(machine *m, const struct math_parts *y, value *integer, value *odd)
{
	value large = math_with(m, IR_OP_ge, y->exponent, 1),
	      small = math_with(m, IR_OP_lt, y->exponent, (uint64_t)-23);
	value zero = math_with(m, IR_OP_eq, y->bits, 0);
	value down = math_convert(m, IR_OP_convert, IR_TYPE_u32, math_unary(m, IR_OP_ineg, y->exponent));
	value units = math_binary(m, IR_OP_ishr, y->magnitude, down);
	value back = math_binary(m, IR_OP_ishl, units, down);
	value exact = math_binary(m, IR_OP_bor, large, math_binary(m, IR_OP_eq, back, y->magnitude));
	value unit = math_with(m, IR_OP_ne, math_with(m, IR_OP_band, units, 1), 0);
	*integer = math_binary(m, IR_OP_bor, zero, math_binary(m, IR_OP_band, exact, math_unary(m, IR_OP_bnot, small)));
	*odd = math_binary(m, IR_OP_band, math_binary(m, IR_OP_band, *integer, unit), math_unary(m, IR_OP_bnot, large));
}

/* C99 annex F 9.4.4. */
value math_power(machine *m, value x, value y)
{
	struct math_parts px = math_take_apart(m, x), py = math_take_apart(m, y);
	value integer, odd, inverse = py.negative;
	parity(m, &py, &integer, &odd);
	value negative = math_binary(m, IR_OP_band, px.negative, odd);
	value result = finite_power(m, &px, &py, negative);
	value x_zero = math_with(m, IR_OP_eq, px.bits, 0), x_infinite = math_with(m, IR_OP_eq, px.bits, 0x7f800000);
	value ends = math_binary(m, IR_OP_bor, x_zero, x_infinite);
	value grows = math_binary(m, IR_OP_bxor, x_infinite, inverse);
	value end = math_select(m, grows, infinity_of(m), zero_of(m));
	result = math_select(m, ends, math_select(m, negative, math_unary(m, IR_OP_fneg, end), end), result);
	/* A negative number to a fraction. */
	value wrong =
	    math_binary(m, IR_OP_band, math_binary(m, IR_OP_band, px.negative, math_unary(m, IR_OP_bnot, integer)),
	                math_unary(m, IR_OP_bnot, ends));
	value none = math_constant(m, IR_TYPE_f32, MATH_NAN), one = math_constant(m, IR_TYPE_f32, 0x3f800000);
	result = math_select(m, wrong, none, result);
	/* An infinite y. */
	value above = math_binary(m, IR_OP_bxor, math_with(m, IR_OP_gt, px.bits, 0x3f800000), inverse);
	value limit = math_select(m, above, infinity_of(m), zero_of(m));
	limit = math_select(m, math_with(m, IR_OP_eq, px.bits, 0x3f800000), one, limit);
	result = math_select(m, math_with(m, IR_OP_eq, py.bits, 0x7f800000), limit, result);
	value sound = math_binary(m, IR_OP_band, math_with(m, IR_OP_le, px.bits, 0x7f800000),
	                          math_with(m, IR_OP_le, py.bits, 0x7f800000));
	result = math_select(m, sound, result, none);
	value is_one =
	    math_binary(m, IR_OP_bor, math_with(m, IR_OP_eq, x, 0x3f800000), math_with(m, IR_OP_eq, py.bits, 0));
	return math_select(m, is_one, one, result);
}
