/* Floats taken apart into integers. All integers are u64, and exponents i32, for both formats. A significand of p
 * digits is in [2^(p-1), 2^p); the result is computed to p + 1 digits, the last of which is the rounding digit, and
 * what remains beyond them is only compared with zero. The device's own result on the significands, which are far from
 * the ends of the float's range, gives most of the digits; the exact remainder says what is missing. */
#include "lower/exact_integer.h"

#include "lower/float_bounds.h"

typedef struct ir_instruction *value;

struct exact {
	struct ir_builder *b;
	const struct float_format *format;
	bool flushes; /* subnormal operands are flagged */
};

struct unpacked {
	value magnitude; /* the bits without the sign */
	value significand;
	value exponent; /* biased, below 1 for a subnormal */
};

/* Exponents of 64 bits make NVIDIA's Vulkan compiler (driver 580) fail: where one is the same in all threads, behind a
 * loop that threads left at different rounds, only the first thread got the shift of round_and_pack right. */
static const struct ir_type *const u64 = &ir_types[IR_TYPE_u64], *const i32 = &ir_types[IR_TYPE_i32];

static value number(struct exact *e, const struct ir_type *type, int64_t n)
{
	return ir_build_int(e->b, type, n);
}

static value binary(struct exact *e, enum ir_op op, value x, value y)
{
	return ir_build_binary(e->b, op, x, y);
}

/* With an integer of x's type. */
static value with(struct exact *e, enum ir_op op, value x, uint64_t n)
{
	return binary(e, op, x, number(e, x->type, (int64_t)n));
}

static value choose(struct exact *e, value condition, value x, value y)
{
	return ir_build_select(e->b, condition, x, y);
}

static value convert(struct exact *e, const struct ir_type *to, value x)
{
	return x->type == to ? x : ir_build_convert(e->b, IR_OP_convert, to, x);
}

static value both(struct exact *e, value x, value y)
{
	return binary(e, IR_OP_band, x, y);
}

static value either(struct exact *e, value x, value y)
{
	return binary(e, IR_OP_bor, x, y);
}

/* 1 or 0 */
static value as_digit(struct exact *e, value condition)
{
	value one = number(e, u64, 1);
	return choose(e, condition, one, number(e, u64, 0));
}

/* ---- Taking apart ---- */

static value bits_of(struct exact *e, value x)
{
	return convert(e, u64, ir_build_convert(e->b, IR_OP_bitcast, e->format->bits, x));
}

/* Shifts a subnormal's first digit into place. A significand of zero stays zero. */
static void normalize(struct exact *e, struct unpacked *u)
{
	int digits = e->format->digits;
	for (int shift = 32; shift; shift /= 2) {
		if (shift >= digits)
			continue;
		value is_small = with(e, IR_OP_lt, u->significand, UINT64_C(1) << (digits - shift));
		value shifted = with(e, IR_OP_ishl, u->significand, (uint64_t)shift);
		value lowered = with(e, IR_OP_isub, u->exponent, (uint64_t)shift);
		u->significand = choose(e, is_small, shifted, u->significand);
		u->exponent = choose(e, is_small, lowered, u->exponent);
	}
}

static struct unpacked unpack(struct exact *e, value bits)
{
	const struct float_format *f = e->format;
	int fraction = f->digits - 1;
	uint64_t hidden = UINT64_C(1) << fraction;
	struct unpacked u = {.magnitude = with(e, IR_OP_band, bits, f->sign - 1)};
	value low = with(e, IR_OP_band, bits, hidden - 1);
	u.exponent = convert(e, i32, with(e, IR_OP_ishr, u.magnitude, (uint64_t)fraction));
	u.significand = with(e, IR_OP_bor, low, hidden);
	if (!e->flushes) {
		value is_small = with(e, IR_OP_eq, u.exponent, 0);
		u.significand = choose(e, is_small, low, u.significand);
		u.exponent = choose(e, is_small, number(e, i32, 1), u.exponent);
		normalize(e, &u);
	}
	return u;
}

/* ---- Putting together ---- */

/* Rounds to nearest even: `quotient` has p + 1 digits, `exponent` is biased, `rest` says that more is behind. The carry
 * of rounding up goes on into the exponent, as the bits of floats are in their order. */
static value round_and_pack(struct exact *e, value quotient, value exponent, value rest)
{
	const struct float_format *f = e->format;
	int fraction = f->digits - 1;
	uint64_t greatest = f->infinity >> fraction;
	/* A subnormal result keeps fewer digits: all that are shifted out count as the rest. */
	value is_small = with(e, IR_OP_lt, exponent, 1);
	value none = number(e, i32, 0), limit = number(e, i32, f->digits + 2);
	value shift = binary(e, IR_OP_isub, number(e, i32, 1), exponent);
	shift = choose(e, is_small, shift, none);
	shift = convert(e, u64, choose(e, binary(e, IR_OP_lt, shift, limit), shift, limit));
	value kept = binary(e, IR_OP_ishr, quotient, shift);
	rest = either(e, rest, binary(e, IR_OP_ne, binary(e, IR_OP_ishl, kept, shift), quotient));
	/* The significand's first digit adds 1 to the exponent. */
	value most = number(e, i32, (int64_t)greatest);
	value top = choose(e, binary(e, IR_OP_lt, exponent, most), exponent, most);
	top = choose(e, is_small, none, with(e, IR_OP_isub, top, 1));
	top = with(e, IR_OP_ishl, convert(e, u64, top), (uint64_t)fraction);
	value is_odd = with(e, IR_OP_ne, with(e, IR_OP_band, kept, 2), 0);
	value is_half = with(e, IR_OP_ne, with(e, IR_OP_band, kept, 1), 0);
	value up = both(e, is_half, either(e, rest, is_odd));
	value bits = binary(e, IR_OP_iadd, top, with(e, IR_OP_ishr, kept, 1));
	bits = binary(e, IR_OP_iadd, bits, as_digit(e, up));
	most = number(e, u64, (int64_t)f->infinity);
	return choose(e, binary(e, IR_OP_lt, bits, most), bits, most);
}

static value choose_bits(struct exact *e, value condition, uint64_t bits, value other)
{
	return choose(e, condition, number(e, u64, (int64_t)bits), other);
}

/* ---- Estimates ---- */

/* By how many units of the last of p + 1 digits, which are halves of a unit in the last place of a float, the device's
 * own quotients and roots may be off: far more than any API allows (Vulkan: 2.5 such places for a quotient, 5 for a
 * root). A power of two. */
enum { MARGIN = 64 };

/* Exact: the significand has trailing zeros beyond the digits of a float. */
static value to_float(struct exact *e, value significand)
{
	return ir_build_convert(e->b, IR_OP_convert, e->format->type, significand);
}

/* p + 1 digits of what should be in [2^exponent, 2^(exponent + 1)), less the margin. */
static value digits_below(struct exact *e, value estimate, int exponent)
{
	const struct float_format *f = e->format;
	int fraction = f->digits - 1;
	uint64_t hidden = UINT64_C(1) << fraction, least = (uint64_t)(exponent - f->least + 1) << fraction;
	value bits = bits_of(e, estimate);
	value first = number(e, u64, (int64_t)least), last = number(e, u64, (int64_t)(least + hidden - 1));
	bits = choose(e, binary(e, IR_OP_lt, bits, first), first, bits);
	bits = choose(e, binary(e, IR_OP_gt, bits, last), last, bits);
	bits = with(e, IR_OP_bor, with(e, IR_OP_band, bits, hidden - 1), hidden);
	return with(e, IR_OP_isub, with(e, IR_OP_ishl, bits, 1), MARGIN);
}

/* Adds `step` to the digits where the remainder has room for what that costs. */
static void advance(struct exact *e, value *digits, value *remainder, value cost, uint64_t step)
{
	value fits = binary(e, IR_OP_ge, *remainder, cost);
	value less = binary(e, IR_OP_isub, *remainder, cost), more = with(e, IR_OP_iadd, *digits, step);
	*remainder = choose(e, fits, less, *remainder);
	*digits = choose(e, fits, more, *digits);
}

/* ---- Quotients ---- */

/* `x` and `y` are significands, y <= x < 2y: the quotient's p + 1 digits q are the greatest with x * 2^p - q * y >= 0.
 * That remainder is taken modulo 2^64; it is less than 2 * MARGIN * y, so nothing is lost. */
static value divide(struct exact *e, value x, value y, value *rest)
{
	value left = to_float(e, x);
	value estimate = binary(e, IR_OP_fdiv, left, to_float(e, y));
	value quotient = digits_below(e, estimate, 0);
	value dividend = with(e, IR_OP_ishl, x, (uint64_t)e->format->digits);
	value remainder = binary(e, IR_OP_isub, dividend, binary(e, IR_OP_imul, quotient, y));
	int places = __builtin_ctz(MARGIN);
	for (int n = places; n >= 0; n--)
		advance(e, &quotient, &remainder, with(e, IR_OP_ishl, y, (uint64_t)n), UINT64_C(1) << n);
	*rest = with(e, IR_OP_ne, remainder, 0);
	return quotient;
}

/* Zero by zero and infinity by infinity are NaN, and so is anything with NaN. */
static value special_quotients(struct exact *e, value x, value y, value bits)
{
	const struct float_format *f = e->format;
	value x_zero = with(e, IR_OP_eq, x, 0), y_zero = with(e, IR_OP_eq, y, 0);
	value x_infinite = with(e, IR_OP_eq, x, f->infinity), y_infinite = with(e, IR_OP_eq, y, f->infinity);
	bits = choose_bits(e, either(e, x_zero, y_infinite), 0, bits);
	bits = choose_bits(e, either(e, x_infinite, y_zero), f->infinity, bits);
	value nan = both(e, x_zero, y_zero);
	nan = either(e, nan, both(e, x_infinite, y_infinite));
	nan = either(e, nan, with(e, IR_OP_gt, x, f->infinity));
	nan = either(e, nan, with(e, IR_OP_gt, y, f->infinity));
	return choose_bits(e, nan, f->nan, bits);
}

static struct exact exact_of(struct ir_builder *b, const struct ir_type *type, uint32_t hazards)
{
	bool flushes = hazards & (type->kind == IR_TYPE_f64 ? IR_HAZARD_FLUSH_F64 : IR_HAZARD_FLUSH_F32);
	return (struct exact){b, float_format_of(type), flushes};
}

struct ir_instruction *exact_quotient(struct ir_builder *b, struct ir_instruction *x, struct ir_instruction *y,
                                      uint32_t hazards)
{
	struct exact exact = exact_of(b, x->type, hazards), *e = &exact;
	const struct float_format *f = e->format;
	value x_bits = bits_of(e, x), y_bits = bits_of(e, y);
	value sign = with(e, IR_OP_band, binary(e, IR_OP_bxor, x_bits, y_bits), f->sign);
	struct unpacked u = unpack(e, x_bits), v = unpack(e, y_bits);
	uint64_t hidden = UINT64_C(1) << (f->digits - 1);
	if (!e->flushes) { /* zero, whose quotients are special */
		u.significand = choose_bits(e, with(e, IR_OP_eq, u.magnitude, 0), hidden, u.significand);
		v.significand = choose_bits(e, with(e, IR_OP_eq, v.magnitude, 0), hidden, v.significand);
	}
	value is_less = binary(e, IR_OP_lt, u.significand, v.significand);
	u.significand = binary(e, IR_OP_ishl, u.significand, as_digit(e, is_less));
	value exponent = with(e, IR_OP_iadd, binary(e, IR_OP_isub, u.exponent, v.exponent), (uint64_t)(1 - f->least));
	exponent = binary(e, IR_OP_isub, exponent, convert(e, i32, as_digit(e, is_less)));
	value rest, quotient = divide(e, u.significand, v.significand, &rest);
	value bits = round_and_pack(e, quotient, exponent, rest);
	bits = special_quotients(e, u.magnitude, v.magnitude, bits);
	return convert(e, f->bits, either(e, bits, sign));
}

/* ---- Roots ---- */

/* `x` is a significand of p digits, or twice one: the root's p + 1 digits r are the greatest with
 * x * 2^(p + 1) - r * r >= 0. That remainder is taken modulo 2^64; it is less than 2 * r * (2 * MARGIN + 1), so nothing
 * is lost. */
static value take_root(struct exact *e, value x, value *rest)
{
	uint64_t fraction = (uint64_t)e->format->digits - 1, odd = fraction & 1;
	value estimate = ir_build_unary(e->b, IR_OP_fsqrt, to_float(e, with(e, IR_OP_ishl, x, odd)));
	value root = digits_below(e, estimate, (int)(fraction + odd) / 2);
	value radicand = with(e, IR_OP_ishl, x, fraction + 2);
	value remainder = binary(e, IR_OP_isub, radicand, binary(e, IR_OP_imul, root, root));
	int places = __builtin_ctz(MARGIN);
	for (int n = places; n >= 0; n--) { /* (r + d)^2 = r^2 + 2 * r * d + d^2 */
		value cost = with(e, IR_OP_iadd, with(e, IR_OP_ishl, root, (uint64_t)n + 1), UINT64_C(1) << 2 * n);
		advance(e, &root, &remainder, cost, UINT64_C(1) << n);
	}
	*rest = with(e, IR_OP_ne, remainder, 0);
	return root;
}

/* The root of zero is zero of its sign, of NaN and of what is negative NaN, of infinity infinity. */
static value special_roots(struct exact *e, value x, value magnitude, value bits)
{
	const struct float_format *f = e->format;
	bits = choose_bits(e, with(e, IR_OP_eq, x, f->infinity), f->infinity, bits);
	bits =
	    choose_bits(e, with(e, IR_OP_gt, x, f->infinity), f->nan, bits); /* with the sign: all that is negative */
	return choose(e, with(e, IR_OP_eq, magnitude, 0), x, bits);
}

struct ir_instruction *exact_root(struct ir_builder *b, struct ir_instruction *x, uint32_t hazards)
{
	struct exact exact = exact_of(b, x->type, hazards), *e = &exact;
	const struct float_format *f = e->format;
	uint64_t bias = (uint64_t)(1 - f->least);
	value bits = bits_of(e, x);
	struct unpacked u = unpack(e, bits);
	/* The bias is odd: an odd exponent is an even biased one, and gives a digit to the significand. */
	value exponent = with(e, IR_OP_isub, u.exponent, bias);
	value odd = with(e, IR_OP_band, exponent, 1);
	value significand = binary(e, IR_OP_ishl, u.significand, convert(e, u64, odd));
	exponent = with(e, IR_OP_iadd, with(e, IR_OP_ishr, exponent, 1), bias);
	value rest, root = take_root(e, significand, &rest);
	value result = special_roots(e, bits, u.magnitude, round_and_pack(e, root, exponent, rest));
	return convert(e, f->bits, result);
}
