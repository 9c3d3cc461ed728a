/* sin, cos, tan and their inverses, in fixed point: one rounding to f32, at the end. */
#include "ir/math_functions.h"

/* sin(a) / a, cos(a), atan(a) / a and asin(a) / a by a^2: near-best polynomials, within 2^-42 before the coefficients
 * were rounded. */
static const int64_t sine[] = {1073741824, -178956971, 8947849, -213044, 2959, -27};
static const int64_t cosine[] = {1073741824, -536870912, 44739243, -1491307, 26628, -292};
static const int64_t arc_tangent[] = {1073741824, -357913941, 214748354, -153391371, 119299597,
                                      -97564055,  82282740,   -70182222, 58607400,   -45445711,
                                      30505662,   -16355764,  6374136,   -1574823,   183030};
static const int64_t arc_sine[] = {1073741824, 178956971, 80530631, 47935193, 32614958,
                                   24129802,   17687468,  20012946, -3066983, 34299605};

enum { SINES = 6, ARC_TANGENTS = 15, ARC_SINES = 10 };
static const uint64_t half_pi_63 = 0xc90fdaa22168c235, half_pi_61 = 0x3243f6a8885a308d, pi_61 = 0x6487ed5110b4611a;

/* ---- Reduction ---- */

/* |x| = (quadrant + r) * pi / 2, r from -1/2 to 1/2. */
struct reduced {
	value quadrant; /* u64, 0 to 3 */
	value negative; /* r < 0 */
	value sine;     /* of |r| pi / 2: u64 in units of 2^-62 */
	value cosine;   /* the same */
};

/* Four words of 2 / pi from bit `at` (u32) on, of which the first 64 bits are 0. */
static void window(machine *m, value at, value words[4])
{
	static const uint32_t two_over_pi[] = {0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
	                                       0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0};
	value all[10];
	for (unsigned n = 0; n < 10; n++)
		all[n] = math_constant(m, IR_TYPE_u64, two_over_pi[n]);
	unsigned count = 10;
	for (unsigned step = 4; step > 0; step /= 2) {
		value moved = math_with(m, IR_OP_ne, math_with(m, IR_OP_band, at, 32 * step), 0);
		count -= step == 4 ? 3 : step;
		for (unsigned n = 0; n < count; n++)
			all[n] = n + step < 10 ? math_select(m, moved, all[n + step], all[n]) : all[n];
	}
	for (unsigned n = 0; n < 4; n++)
		words[n] = all[n];
}

/* (high << 32 | low) << by, less its low 32 bits and what is above 64. */
static value shifted(machine *m, value high, value low, value by)
{
	value both = math_binary(m, IR_OP_bor, math_with(m, IR_OP_ishl, high, 32), low);
	return math_with(m, IR_OP_ishr, math_binary(m, IR_OP_ishl, both, by), 32);
}

/* x * 2 / pi modulo 4, in units of 2^-62: the bits of 2 / pi above those that count are multiples of 4 / magnitude. */
static value turns(machine *m, const struct math_parts *x)
{
	value zero = math_constant(m, IR_TYPE_i32, 0), words[4];
	value at = math_with(m, IR_OP_iadd, x->exponent, 62);
	at = math_select(m, math_binary(m, IR_OP_lt, at, zero), zero, at);
	at = math_convert(m, IR_OP_convert, IR_TYPE_u32, at);
	window(m, at, words);
	value by = math_u64(m, math_with(m, IR_OP_band, at, 31)), magnitude = math_u64(m, x->magnitude);
	value high = math_binary(m, IR_OP_imul, magnitude, shifted(m, words[0], words[1], by));
	value middle = math_binary(m, IR_OP_imul, magnitude, shifted(m, words[1], words[2], by));
	value low = math_binary(m, IR_OP_imul, magnitude, shifted(m, words[2], words[3], by));
	value sum = math_binary(m, IR_OP_iadd, math_with(m, IR_OP_ishl, high, 32), middle);
	return math_binary(m, IR_OP_iadd, sum, math_with(m, IR_OP_ishr, low, 32));
}

static struct reduced reduce(machine *m, const struct math_parts *x)
{
	struct reduced r;
	value p = turns(m, x);
	r.quadrant = math_with(m, IR_OP_ishr, math_with(m, IR_OP_iadd, p, UINT64_C(1) << 61), 62);
	value rest = math_binary(m, IR_OP_isub, p, math_with(m, IR_OP_ishl, r.quadrant, 62));
	r.negative = math_with(m, IR_OP_ne, math_with(m, IR_OP_ishr, rest, 63), 0);
	rest = math_select(m, r.negative, math_unary(m, IR_OP_ineg, rest), rest);
	/* In units of 2^-63; its square in units of 2^-32. */
	value angle =
	    math_multiply_high(m, math_with(m, IR_OP_ishl, rest, 2), math_constant(m, IR_TYPE_u64, half_pi_63));
	value short_angle = math_with(m, IR_OP_ishr, angle, 31);
	value square = math_with(m, IR_OP_ishr, math_binary(m, IR_OP_imul, short_angle, short_angle), 32);
	value ratio = math_u64(m, math_polynomial(m, square, sine, SINES));
	r.sine = math_multiply_high(m, angle, math_with(m, IR_OP_ishl, ratio, 33));
	r.cosine = math_with(m, IR_OP_ishl, math_u64(m, math_polynomial(m, square, cosine, SINES)), 32);
	return r;
}

static value is_odd(machine *m, value quadrant)
{
	return math_with(m, IR_OP_ne, math_with(m, IR_OP_band, quadrant, 1), 0);
}

/* The sine of (quadrant + r) pi / 2. */
static value sine_of(machine *m, const struct reduced *r, value quadrant, value negative)
{
	value odd = is_odd(m, quadrant);
	value below = math_with(m, IR_OP_ne, math_with(m, IR_OP_band, quadrant, 2), 0);
	value flipped = math_binary(m, IR_OP_band, r->negative, math_unary(m, IR_OP_bnot, odd));
	value sign = math_binary(m, IR_OP_bxor, negative, math_binary(m, IR_OP_bxor, below, flipped));
	return math_pack(m, sign, math_select(m, odd, r->cosine, r->sine),
	                 math_constant(m, IR_TYPE_i32, (uint64_t)-62));
}

/* The bit of the first 1, from 0; rounding may make it one more. A negative number for 0. */
static value first_bit(machine *m, value x)
{
	value bits = math_convert(m, IR_OP_bitcast, IR_TYPE_i32, math_convert(m, IR_OP_convert, IR_TYPE_f32, x));
	return math_with(m, IR_OP_isub, math_with(m, IR_OP_ishr, bits, 23), 127);
}

/* x << (62 - first): its first 1 is at bit 62, or 61 where `first` is one more. */
static value raised(machine *m, value x, value first)
{
	value by = math_binary(m, IR_OP_isub, math_constant(m, IR_TYPE_i32, 62), first);
	return math_binary(m, IR_OP_ishl, x, math_u64(m, by));
}

static value tangent_of(machine *m, const struct reduced *r, value negative)
{
	value odd = is_odd(m, r->quadrant);
	value above = math_select(m, odd, r->cosine, r->sine), under = math_select(m, odd, r->sine, r->cosine);
	value above_bit = first_bit(m, above), under_bit = first_bit(m, under);
	value divisor = math_with(m, IR_OP_ishr, raised(m, under, under_bit), 31);
	value quotient = math_binary(m, IR_OP_idiv, raised(m, above, above_bit), divisor);
	value exponent = math_with(m, IR_OP_isub, math_binary(m, IR_OP_isub, above_bit, under_bit), 31);
	value sign = math_binary(m, IR_OP_bxor, negative, math_binary(m, IR_OP_bxor, odd, r->negative));
	return math_pack(m, sign, quotient, exponent);
}

/* The first terms of the series, for |x| < 2^-12. */
static value of_small(machine *m, enum ir_math function, value x)
{
	value square = math_binary(m, IR_OP_fmul, x, x);
	if (function == IR_MATH_cos)
		return math_binary(m, IR_OP_fsub, math_constant(m, IR_TYPE_f32, 0x3f800000),
		                   math_with(m, IR_OP_fmul, square, 0x3f000000));
	uint64_t third = 0x3eaaaaab, sixth = 0xbe2aaaab;
	value part = math_with(m, IR_OP_fmul, square, function == IR_MATH_tan ? third : sixth);
	value sum = math_binary(m, IR_OP_fadd, x, math_binary(m, IR_OP_fmul, x, part));
	return math_select(m, math_with(m, IR_OP_eq, x, 0), x, sum); /* keeps the sign of 0 */
}

value math_circular(machine *m, enum ir_math function, value x)
{
	struct math_parts parts = math_take_apart(m, x);
	struct reduced r = reduce(m, &parts);
	value result;
	if (function == IR_MATH_sin)
		result = sine_of(m, &r, r.quadrant, parts.negative);
	else if (function == IR_MATH_cos)
		result = sine_of(m, &r, math_with(m, IR_OP_iadd, r.quadrant, 1), math_constant(m, IR_TYPE_bool, 0));
	else
		result = tangent_of(m, &r, parts.negative);
	value small = math_with(m, IR_OP_lt, parts.bits, 0x39800000),
	      finite = math_with(m, IR_OP_lt, parts.bits, 0x7f800000);
	result = math_select(m, small, of_small(m, function, x), result);
	return math_select(m, finite, result, math_constant(m, IR_TYPE_f32, MATH_NAN));
}

/* ---- Arc tangents ---- */

/* The scale of an infinite x is beyond that of all others. */
static value scale_of(machine *m, const struct math_parts *x)
{
	value infinite = math_with(m, IR_OP_ge, x->bits, 0x7f800000);
	return math_select(m, infinite, math_with(m, IR_OP_iadd, x->scale, 1000), x->scale);
}

value math_arc_tangent(machine *m, value y, value x)
{
	struct math_parts py = math_take_apart(m, y), px = math_take_apart(m, x);
	value steep = math_binary(m, IR_OP_gt, py.bits, px.bits);
	value above = math_u64(m, math_select(m, steep, px.whole, py.whole));
	value under = math_u64(m, math_select(m, steep, py.whole, px.whole));
	value difference = math_binary(m, IR_OP_isub, scale_of(m, &py), scale_of(m, &px));
	difference = math_select(m, steep, math_unary(m, IR_OP_ineg, difference), difference);
	/* ratio * 2^(difference - 33) is the tangent, at most 1; then in units of 2^-31. */
	value ratio = math_binary(m, IR_OP_idiv, math_with(m, IR_OP_ishl, above, 33), under);
	value down = math_binary(m, IR_OP_isub, math_constant(m, IR_TYPE_i32, 2), difference);
	value wide_down = math_u64(m, down), tangent = math_binary(m, IR_OP_ishr, ratio, wide_down);
	value square = math_with(m, IR_OP_ishr, math_binary(m, IR_OP_imul, tangent, tangent), 30);
	value factor = math_u64(m, math_polynomial(m, square, arc_tangent, ARC_TANGENTS));
	value angle = math_binary(m, IR_OP_imul, ratio, factor); /* times 2^(difference - 63) */
	value exponent = math_with(m, IR_OP_isub, difference, 63);
	value fixed = math_binary(m, IR_OP_ishr, angle, wide_down); /* in units of 2^-61 */
	value quarter = math_constant(m, IR_TYPE_u64, half_pi_61), half = math_constant(m, IR_TYPE_u64, pi_61);
	value turned = math_select(m, steep, math_binary(m, IR_OP_isub, quarter, fixed), fixed);
	turned = math_select(m, px.negative, math_binary(m, IR_OP_isub, half, turned), turned);
	value is_turned = math_binary(m, IR_OP_bor, steep, px.negative);
	value magnitude = math_select(m, is_turned, turned, angle);
	exponent = math_select(m, is_turned, math_constant(m, IR_TYPE_i32, (uint64_t)-61), exponent);
	value result = math_pack(m, py.negative, magnitude, exponent);
	value sound = math_binary(m, IR_OP_band, math_with(m, IR_OP_le, py.bits, 0x7f800000),
	                          math_with(m, IR_OP_le, px.bits, 0x7f800000));
	return math_select(m, sound, result, math_constant(m, IR_TYPE_f32, MATH_NAN));
}

/* ---- Arc sine and cosine ---- */

struct angle {
	value magnitude, exponent; /* magnitude * 2^exponent */
	value fixed;               /* the same in units of 2^-61 */
};

/* asin(|x|) for |x| <= 1/2. */
static struct angle small_arc_sine(machine *m, const struct math_parts *x)
{
	struct angle a;
	/* scale + 23 is that of the first bit, at most -1. */
	value whole = math_u64(m, x->whole);
	value down = math_u64(m, math_with(m, IR_OP_isub, math_unary(m, IR_OP_ineg, x->scale), 23));
	value short_x = math_binary(m, IR_OP_ishr, math_with(m, IR_OP_ishl, whole, 8), down); /* units of 2^-31 */
	value square = math_with(m, IR_OP_ishr, math_binary(m, IR_OP_imul, short_x, short_x), 30);
	value factor = math_u64(m, math_polynomial(m, square, arc_sine, ARC_SINES));
	a.magnitude = math_binary(m, IR_OP_imul, whole, factor);
	a.exponent = math_with(m, IR_OP_isub, x->scale, 30);
	a.fixed = math_binary(m, IR_OP_ishr, math_with(m, IR_OP_ishl, a.magnitude, 8), down);
	return a;
}

/* 2 asin(sqrt((1 - |x|) / 2)) for |x| from 1/2 to 1. */
static struct angle large_arc_sine(machine *m, const struct math_parts *x)
{
	struct angle a;
	/* 1 - |x| in units of 2^-24; half of it has the root s, first by fsqrt, in units of 2^-36. */
	value one = math_with(m, IR_OP_eq, x->bits, 0x3f800000);
	value part = math_select(m, one, math_constant(m, IR_TYPE_u32, 1 << 24), x->whole);
	value rest = math_binary(m, IR_OP_isub, math_constant(m, IR_TYPE_u32, 1 << 24), part);
	value square = math_with(m, IR_OP_fmul, math_convert(m, IR_OP_convert, IR_TYPE_f32, rest), 0x33000000);
	value root = math_with(m, IR_OP_fmul, math_unary(m, IR_OP_fsqrt, square), 0x51800000);
	root = math_convert(m, IR_OP_convert_saturate, IR_TYPE_i64, root);
	/* One step of Newton's makes 2^-51 of it. */
	rest = math_u64(m, rest);
	value error = math_binary(m, IR_OP_isub, math_i64(m, math_with(m, IR_OP_ishl, rest, 47)),
	                          math_binary(m, IR_OP_imul, root, root));
	value step = math_binary(m, IR_OP_idiv, math_with(m, IR_OP_ishl, error, 14), root);
	root = math_u64(m, math_binary(m, IR_OP_iadd, math_with(m, IR_OP_ishl, root, 15), step));
	value factor = math_u64(m, math_polynomial(m, math_with(m, IR_OP_ishl, rest, 7), arc_sine, ARC_SINES));
	a.magnitude = math_multiply_high(m, math_with(m, IR_OP_ishl, root, 13), math_with(m, IR_OP_ishl, factor, 33));
	a.exponent = math_constant(m, IR_TYPE_i32, (uint64_t)-62);
	a.fixed = math_with(m, IR_OP_ishr, a.magnitude, 1);
	return a;
}

value math_arc_sine(machine *m, enum ir_math function, value x)
{
	struct math_parts parts = math_take_apart(m, x);
	struct angle small = small_arc_sine(m, &parts), large = large_arc_sine(m, &parts);
	value quarter = math_constant(m, IR_TYPE_u64, half_pi_61), half = math_constant(m, IR_TYPE_u64, pi_61);
	value fixed = math_constant(m, IR_TYPE_i32, (uint64_t)-61),
	      is_small = math_with(m, IR_OP_le, parts.bits, 0x3f000000);
	value negative = parts.negative, magnitude, exponent;
	if (function == IR_MATH_asin) {
		magnitude = math_select(m, is_small, small.magnitude, math_binary(m, IR_OP_isub, quarter, large.fixed));
		exponent = math_select(m, is_small, small.exponent, fixed);
	} else {
		value near = math_select(m, negative, math_binary(m, IR_OP_iadd, quarter, small.fixed),
		                         math_binary(m, IR_OP_isub, quarter, small.fixed));
		value far = math_select(m, negative, math_binary(m, IR_OP_isub, half, large.fixed), large.magnitude);
		magnitude = math_select(m, is_small, near, far);
		exponent = math_select(m, math_binary(m, IR_OP_bor, is_small, negative), fixed, large.exponent);
		negative = math_constant(m, IR_TYPE_bool, 0);
	}
	value result = math_pack(m, negative, magnitude, exponent);
	value sound = math_with(m, IR_OP_le, parts.bits, 0x3f800000);
	return math_select(m, sound, result, math_constant(m, IR_TYPE_f32, MATH_NAN));
}
