#include "ir/math.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/math_functions.h"

static value one_of(machine *m)
{
	return math_constant(m, IR_TYPE_f32, 0x3f800000);
}

static value apply(machine *m, enum ir_math math, value x, value y)
{
	switch (math) {
	case IR_MATH_sin:
	case IR_MATH_cos:
	case IR_MATH_tan: return math_circular(m, math, x);
	case IR_MATH_asin:
	case IR_MATH_acos: return math_arc_sine(m, math, x);
	case IR_MATH_atan: return math_arc_tangent(m, x, one_of(m));
	case IR_MATH_atan2: return math_arc_tangent(m, x, y);
	case IR_MATH_exp: return math_exponential(m, x);
	case IR_MATH_log: return math_logarithm(m, x);
	case IR_MATH_pow: return math_power(m, x, y);
	case IR_MATH_fmod:
	case IR_MATH_COUNT: break;
	}
	assert(!"a function without a loop");
	return x;
}

/* ---- fmod ---- */

/* Exact, so that C's has the same bits. */
static uint64_t remainder_of(const struct ir_type *type, uint64_t x, uint64_t y)
{
	uint64_t bits = 0;
	if (type->kind == IR_TYPE_f32) {
		uint32_t low[2] = {(uint32_t)x, (uint32_t)y};
		float a, b, result;
		memcpy(&a, &low[0], sizeof a);
		memcpy(&b, &low[1], sizeof b);
		result = fmodf(a, b);
		memcpy(&bits, &result, sizeof result);
		return isnan(result) ? MATH_NAN : bits & UINT32_MAX;
	}
	double a, b, result;
	memcpy(&a, &x, sizeof a);
	memcpy(&b, &y, sizeof b);
	result = fmod(a, b);
	memcpy(&bits, &result, sizeof bits);
	return isnan(result) ? UINT64_C(0x7ff8000000000000) : bits;
}

/* The layout of a float type; a remainder below 2^(fraction + 1) may be shifted by `step` in 64 bits. */
struct layout {
	enum ir_type_kind bits; /* unsigned, of the type's width */
	unsigned fraction, step;
	uint64_t field; /* the greatest exponent field */
};

static value absolute(machine *m, const struct layout *f, value x)
{
	uint64_t sign = UINT64_C(1) << (ir_type_bits(x.type) - 1);
	value bits = math_u64(m, math_convert(m, IR_OP_bitcast, f->bits, x));
	return math_with(m, IR_OP_band, bits, sign - 1);
}

static value field_of(machine *m, const struct layout *f, value bits)
{
	value field = math_with(m, IR_OP_ishr, bits, f->fraction);
	value subnormal = math_with(m, IR_OP_eq, field, 0);
	return math_select(m, subnormal, math_constant(m, IR_TYPE_u64, 1), field);
}

static value magnitude_of(machine *m, const struct layout *f, value bits)
{
	value fraction = math_with(m, IR_OP_band, bits, (UINT64_C(1) << f->fraction) - 1);
	value subnormal = math_with(m, IR_OP_eq, math_with(m, IR_OP_ishr, bits, f->fraction), 0);
	return math_select(m, subnormal, fraction, math_with(m, IR_OP_bor, fraction, UINT64_C(1) << f->fraction));
}

static value of_node(struct ir_instruction *i)
{
	return (value){.type = i->type, .node = i};
}

static struct ir_local *new_local(struct ir_kernel *k, const char *name, enum ir_type_kind type)
{
	char unique[48];
	snprintf(unique, sizeof unique, "fmod_%s.%u", name, k->local_count);
	return ir_add_local(k, unique, &ir_types[type]);
}

/* rest = magnitude_of(x) * 2^(field_of(x) - field_of(y)) modulo magnitude_of(y), some bits a round. */
static value long_division(machine *m, const struct layout *f, value rest, value count, value divisor)
{
	struct ir_kernel *k = m->builder->kernel;
	struct ir_local *rest_local = new_local(k, "rest", IR_TYPE_u64),
	                *count_local = new_local(k, "count", IR_TYPE_u64);
	ir_build_set(m->builder, rest_local, math_binary(m, IR_OP_irem, rest, divisor).node);
	ir_build_set(m->builder, count_local, count.node);
	struct ir_instruction *loop = ir_build_loop(m->builder);
	struct ir_builder inside = ir_builder_enter(m->builder, loop, 0);
	machine body = {&inside};
	value left = of_node(ir_build_get(&inside, count_local));
	struct ir_instruction *leave = ir_build_if(&inside, math_with(&body, IR_OP_eq, left, 0).node);
	struct ir_builder leaving = ir_builder_enter(&inside, leave, 0);
	ir_build_break(&leaving, loop);
	value step = math_constant(&body, IR_TYPE_u64, f->step);
	step = math_select(&body, math_binary(&body, IR_OP_lt, left, step), left, step);
	value raised = math_binary(&body, IR_OP_ishl, of_node(ir_build_get(&inside, rest_local)), step);
	ir_build_set(&inside, rest_local, math_binary(&body, IR_OP_irem, raised, divisor).node);
	ir_build_set(&inside, count_local, math_binary(&body, IR_OP_isub, left, step).node);
	return of_node(ir_build_get(m->builder, rest_local));
}

/* The bits of rest * 2^(field - 1) units of the least subnormal. */
static value put_together(machine *m, const struct layout *f, value rest, value field)
{
	/* Moves the first bit up to that of normal numbers, bit by bit of the distance, as far as the field allows. */
	for (unsigned step = 32; step > 0; step /= 2) {
		if (step > f->fraction)
			continue;
		value room = math_with(m, IR_OP_eq, math_with(m, IR_OP_ishr, rest, f->fraction + 1 - step), 0);
		value low = math_with(m, IR_OP_gt, field, step);
		value moves = math_binary(m, IR_OP_band, room, low);
		rest = math_select(m, moves, math_with(m, IR_OP_ishl, rest, step), rest);
		field = math_select(m, moves, math_with(m, IR_OP_isub, field, step), field);
	}
	value normal = math_with(m, IR_OP_ge, rest, UINT64_C(1) << f->fraction);
	value fraction = math_with(m, IR_OP_band, rest, (UINT64_C(1) << f->fraction) - 1);
	value whole = math_binary(m, IR_OP_bor, fraction, math_with(m, IR_OP_ishl, field, f->fraction));
	value subnormal = math_binary(m, IR_OP_ishl, rest, math_with(m, IR_OP_isub, field, 1));
	return math_select(m, normal, whole, subnormal);
}

static value expand_remainder(machine *m, value x, value y)
{
	static const struct layout single = {IR_TYPE_u32, 23, 40, 255}, wide = {IR_TYPE_u64, 52, 11, 2047};
	const struct layout *f = x.type->kind == IR_TYPE_f32 ? &single : &wide;
	value ax = absolute(m, f, x), ay = absolute(m, f, y),
	      infinity = math_constant(m, IR_TYPE_u64, f->field << f->fraction);
	value less = math_binary(m, IR_OP_lt, ax, ay);
	value field = field_of(m, f, ay);
	value count = math_binary(m, IR_OP_isub, field_of(m, f, ax), field);
	value sound =
	    math_binary(m, IR_OP_band, math_binary(m, IR_OP_lt, ax, infinity), math_binary(m, IR_OP_le, ay, infinity));
	sound = math_binary(m, IR_OP_band, sound, math_with(m, IR_OP_ne, ay, 0));
	value divides = math_binary(m, IR_OP_band, sound, math_unary(m, IR_OP_bnot, less));
	count = math_select(m, divides, count, math_constant(m, IR_TYPE_u64, 0));
	value rest = long_division(m, f, magnitude_of(m, f, ax), count, magnitude_of(m, f, ay));
	value bits = math_convert(m, IR_OP_convert, f->bits, put_together(m, f, rest, field));
	value result = math_convert(m, IR_OP_bitcast, x.type->kind, bits);
	uint64_t sign = UINT64_C(1) << (ir_type_bits(x.type) - 1);
	value x_bits = math_convert(m, IR_OP_bitcast, f->bits, x);
	value negative = math_with(m, IR_OP_ne, math_with(m, IR_OP_band, x_bits, sign), 0);
	result = math_select(m, negative, math_unary(m, IR_OP_fneg, result), result);
	result = math_select(m, less, x, result);
	uint64_t none = f->field << f->fraction | UINT64_C(1) << (f->fraction - 1);
	return math_select(m, sound, result, math_constant(m, x.type->kind, none));
}

/* ---- Both ---- */

/* f64: the C library's, as native code has it. */
static uint64_t library_of(enum ir_math math, uint64_t x, uint64_t y)
{
	double a, b, result = 0;
	memcpy(&a, &x, sizeof a);
	memcpy(&b, &y, sizeof b);
	switch (math) {
	case IR_MATH_sin: result = sin(a); break;
	case IR_MATH_cos: result = cos(a); break;
	case IR_MATH_tan: result = tan(a); break;
	case IR_MATH_asin: result = asin(a); break;
	case IR_MATH_acos: result = acos(a); break;
	case IR_MATH_atan: result = atan(a); break;
	case IR_MATH_atan2: result = atan2(a, b); break;
	case IR_MATH_exp: result = exp(a); break;
	case IR_MATH_log: result = log(a); break;
	case IR_MATH_pow: result = pow(a, b); break;
	case IR_MATH_fmod: result = fmod(a, b); break;
	case IR_MATH_COUNT: break;
	}
	memcpy(&x, &result, sizeof x);
	return x;
}

uint64_t ir_math_evaluate(enum ir_math math, const struct ir_type *type, uint64_t x, uint64_t y)
{
	machine m = {NULL};
	if (math == IR_MATH_fmod)
		return remainder_of(type, x, y);
	if (type->kind == IR_TYPE_f64)
		return library_of(math, x, y);
	return apply(&m, math, (value){.type = type, .bits = x}, (value){.type = type, .bits = y}).bits;
}

struct ir_instruction *ir_math_expand(struct ir_builder *b, enum ir_math math, struct ir_instruction *x,
                                      struct ir_instruction *y)
{
	machine m = {b};
	if (math == IR_MATH_fmod)
		return expand_remainder(&m, of_node(x), of_node(y)).node;
	return apply(&m, math, of_node(x), y ? of_node(y) : (value){0}).node;
}
