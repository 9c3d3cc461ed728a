/* Random operands, most of them where rounding, range and signs are at their limits. */
#include <math.h>
#include <string.h>

#include "utils/dev/exactness/exactness.h"

uint64_t exactness_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

struct format {
	int fraction, exponents; /* bits of each */
};

static const struct format single_format = {23, 8}, double_format = {52, 11};

static uint64_t below(uint64_t *state, uint64_t n)
{
	return exactness_random(state) % n;
}

static uint64_t mask(int bits)
{
	return (UINT64_C(1) << bits) - 1;
}

/* Few digits, all ones, or any. */
static uint64_t random_fraction(const struct format *f, uint64_t *state)
{
	uint64_t any = exactness_random(state) & mask(f->fraction);
	switch (below(state, 4)) {
	case 0: return any & ~mask((int)below(state, (uint64_t)f->fraction + 1));
	case 1: return (any | mask((int)below(state, (uint64_t)f->fraction + 1))) & mask(f->fraction);
	case 2: return (uint64_t)(f->fraction ? below(state, 8) : 0);
	}
	return any;
}

static uint64_t random_exponent(const struct format *f, uint64_t *state)
{
	uint64_t limit = UINT64_C(1) << f->exponents, bias = limit / 2 - 1;
	switch (below(state, 5)) {
	case 0: return below(state, 4);
	case 1: return limit - 1 - below(state, 4);
	case 2: return bias - 4 + below(state, 8);
	case 3: return bias - 64 + below(state, 128);
	}
	return below(state, limit);
}

static uint64_t random_float(const struct format *f, uint64_t *state)
{
	int width = f->fraction + f->exponents + 1;
	uint64_t sign = (exactness_random(state) & 1) << (width - 1);
	switch (below(state, 8)) {
	case 0: return exactness_random(state) >> (64 - width);
	case 1: return sign | (below(state, 64) << f->fraction) | random_fraction(f, state);
	case 2: return sign;                                              /* zero */
	case 3: return sign | (random_exponent(f, state) << f->fraction); /* a power of two, or infinity */
	}
	return sign | random_exponent(f, state) << f->fraction | random_fraction(f, state);
}

/* A neighbour, a few last digits away. */
static uint64_t near(uint64_t bits, const struct format *f, uint64_t *state)
{
	uint64_t sign = UINT64_C(1) << (f->fraction + f->exponents), moved = (bits & (sign - 1)) + below(state, 7);
	moved = moved < 3 ? 0 : moved - 3;
	return (bits & sign) | (moved < sign ? moved : sign - 1);
}

static double as_double(bool single, uint64_t bits)
{
	double wide;
	float narrow;
	uint32_t low = (uint32_t)bits;
	memcpy(&wide, &bits, sizeof wide);
	memcpy(&narrow, &low, sizeof narrow);
	return single ? (double)narrow : wide;
}

static uint64_t as_bits(bool single, double v)
{
	float narrow = (float)v;
	uint32_t low;
	uint64_t bits;
	memcpy(&low, &narrow, sizeof low);
	memcpy(&bits, &v, sizeof bits);
	return single ? low : bits;
}

/* The other operand, so that the result is near a limit: a middle between two floats, the least normal, zero. */
static void relate(const struct exactness_operation *o, const struct format *f, uint64_t *state, uint64_t *operands)
{
	bool single = o->from == IR_TYPE_f32;
	uint64_t sign = UINT64_C(1) << (f->fraction + f->exponents), limit = UINT64_C(1) << f->exponents;
	uint64_t bias = limit / 2 - 1, exponent = operands[0] >> f->fraction & (limit - 1), wanted = 0;
	switch (below(state, 4)) {
	case 0: operands[1] = near(operands[0] ^ (below(state, 2) ? sign : 0), f, state); return;
	case 1: /* a result near the least normal */
		if (o->op == IR_OP_fmul)
			wanted = bias - exponent + below(state, 30);
		else if (o->op == IR_OP_fdiv)
			wanted = exponent + bias - below(state, 30);
		else
			wanted = exponent - 15 + below(state, 30);
		operands[1] = (operands[1] & ~((limit - 1) << f->fraction)) | (wanted & (limit - 1)) << f->fraction;
		return;
	case 2: /* operand 0 near a product, so that the quotient is near a middle */
		if (o->op == IR_OP_fdiv) {
			uint64_t middle = (bias - 20 + below(state, 40)) << f->fraction | random_fraction(f, state);
			operands[0] = near(as_bits(single, as_double(single, middle) * as_double(single, operands[1]) *
			                                       (1 + ldexp(1, -f->fraction - 1))),
			                   f, state);
		}
		return;
	}
}

static void near_square(const struct format *f, bool single, uint64_t *state, uint64_t *operand)
{
	uint64_t bias = (UINT64_C(1) << (f->exponents - 1)) - 1;
	double root = as_double(single, (bias - 60 + below(state, 120)) << f->fraction | random_fraction(f, state));
	root += below(state, 2) ? root * ldexp(1, -f->fraction - 1) : 0;
	*operand = near(as_bits(single, root * root), f, state);
}

void exactness_operands(const struct exactness_operation *o, uint64_t *state, uint64_t *operands)
{
	const struct ir_type *type = &ir_types[o->from];
	if (!ir_type_is_float(type)) {
		uint64_t any = exactness_random(state) >> below(state, 64);
		any = below(state, 4) ? any : (UINT64_C(1) << below(state, 64)) + below(state, 5) - 2;
		operands[0] = ir_canonical_bits(type, below(state, 2) ? any : 0 - any);
		return;
	}
	const struct format *f = o->from == IR_TYPE_f32 ? &single_format : &double_format;
	for (int n = 0; n < o->arity; n++)
		operands[n] = random_float(f, state);
	if (o->arity == 2 && below(state, 2))
		relate(o, f, state, operands);
	if (o->op == IR_OP_fsqrt && below(state, 2))
		near_square(f, o->from == IR_TYPE_f32, state, operands);
	if (o->op == IR_OP_convert && below(state, 2)) { /* F64 near the middles and limits of F32 */
		uint64_t narrow = random_float(&single_format, state);
		uint64_t middle = as_bits(false, as_double(true, narrow) * (1 + ldexp(1, -24)));
		if (o->from == IR_TYPE_f64)
			operands[0] = near(middle, f, state);
	}
}
