#include "ir/math_machine.h"

#include "ir/ir_fold.h"

value math_constant(machine *m, enum ir_type_kind type, uint64_t bits)
{
	const struct ir_type *t = &ir_types[type];
	bits = ir_canonical_bits(t, bits);
	return (value){t, bits, m->builder ? ir_build_const(m->builder, t, bits) : NULL};
}

static value computed(enum ir_op op, const struct ir_type *type, const struct ir_type *to, const uint64_t *operands)
{
	value result = {.type = to};
	ir_evaluate_op(op, type, to, operands, &result.bits);
	return result;
}

value math_unary(machine *m, enum ir_op op, value x)
{
	if (m->builder)
		return (value){.type = x.type, .node = ir_build_unary(m->builder, op, x.node)};
	return computed(op, x.type, x.type, (const uint64_t[]){x.bits});
}

value math_binary(machine *m, enum ir_op op, value x, value y)
{
	const struct ir_type *to = ir_op_infos[op].result == IR_RESULT_BOOL ? &ir_types[IR_TYPE_bool] : x.type;
	if (m->builder)
		return (value){.type = to, .node = ir_build_binary(m->builder, op, x.node, y.node)};
	return computed(op, x.type, to, (const uint64_t[]){x.bits, y.bits});
}

value math_convert(machine *m, enum ir_op op, enum ir_type_kind kind, value x)
{
	const struct ir_type *to = &ir_types[kind];
	if (x.type == to)
		return x;
	if (m->builder)
		return (value){.type = to, .node = ir_build_convert(m->builder, op, to, x.node)};
	return computed(op, x.type, to, (const uint64_t[]){x.bits});
}

value math_select(machine *m, value condition, value x, value y)
{
	if (m->builder)
		return (value){.type = x.type, .node = ir_build_select(m->builder, condition.node, x.node, y.node)};
	return condition.bits ? x : y;
}

value math_with(machine *m, enum ir_op op, value x, uint64_t bits)
{
	return math_binary(m, op, x, math_constant(m, x.type->kind, bits));
}

value math_u64(machine *m, value x)
{
	return math_convert(m, IR_OP_convert, IR_TYPE_u64, x);
}

value math_i64(machine *m, value x)
{
	return math_convert(m, IR_OP_convert, IR_TYPE_i64, x);
}

value math_multiply_high(machine *m, value x, value y)
{
	uint64_t low = UINT32_MAX;
	value x0 = math_with(m, IR_OP_band, x, low), x1 = math_with(m, IR_OP_ishr, x, 32);
	value y0 = math_with(m, IR_OP_band, y, low), y1 = math_with(m, IR_OP_ishr, y, 32);
	value lowest = math_with(m, IR_OP_ishr, math_binary(m, IR_OP_imul, x0, y0), 32);
	value middle = math_binary(m, IR_OP_iadd, math_binary(m, IR_OP_imul, x1, y0), lowest);
	value other =
	    math_binary(m, IR_OP_iadd, math_binary(m, IR_OP_imul, x0, y1), math_with(m, IR_OP_band, middle, low));
	value high =
	    math_binary(m, IR_OP_iadd, math_binary(m, IR_OP_imul, x1, y1), math_with(m, IR_OP_ishr, middle, 32));
	return math_binary(m, IR_OP_iadd, high, math_with(m, IR_OP_ishr, other, 32));
}

value math_polynomial(machine *m, value z, const int64_t *coefficients, unsigned count)
{
	value at = math_i64(m, z);
	value sum = math_constant(m, IR_TYPE_i64, (uint64_t)coefficients[count - 1]);
	for (unsigned n = count - 1; n-- > 0;) {
		sum = math_with(m, IR_OP_iadd, math_binary(m, IR_OP_imul, sum, at), UINT64_C(1) << 31);
		sum = math_with(m, IR_OP_iadd, math_with(m, IR_OP_ishr, sum, 32), (uint64_t)coefficients[n]);
	}
	return sum;
}

/* 2^exponent for exponents of normal numbers. */
static value power(machine *m, value exponent)
{
	value biased = math_with(m, IR_OP_iadd, exponent, 127);
	return math_convert(m, IR_OP_bitcast, IR_TYPE_f32, math_with(m, IR_OP_ishl, biased, 23));
}

value math_pack(machine *m, value negative, value magnitude, value exponent)
{
	value least = math_constant(m, IR_TYPE_i32, (uint64_t)-230), most = math_constant(m, IR_TYPE_i32, 230);
	exponent = math_select(m, math_binary(m, IR_OP_lt, exponent, least), least, exponent);
	exponent = math_select(m, math_binary(m, IR_OP_gt, exponent, most), most, exponent);
	value half = math_with(m, IR_OP_ishr, exponent, 1);
	value x = math_convert(m, IR_OP_convert, IR_TYPE_f32, magnitude);
	x = math_binary(m, IR_OP_fmul, x, power(m, half));
	x = math_binary(m, IR_OP_fmul, x, power(m, math_binary(m, IR_OP_isub, exponent, half)));
	return math_select(m, negative, math_unary(m, IR_OP_fneg, x), x);
}

struct math_parts math_take_apart(machine *m, value x)
{
	struct math_parts p;
	value bits = math_convert(m, IR_OP_bitcast, IR_TYPE_u32, x);
	p.negative = math_with(m, IR_OP_ne, math_with(m, IR_OP_ishr, bits, 31), 0);
	p.bits = math_with(m, IR_OP_band, bits, 0x7fffffff);
	value field = math_with(m, IR_OP_ishr, p.bits, 23);
	value subnormal = math_with(m, IR_OP_eq, field, 0);
	value fraction = math_with(m, IR_OP_band, p.bits, 0x7fffff);
	p.magnitude = math_select(m, subnormal, fraction, math_with(m, IR_OP_bor, fraction, 0x800000));
	field = math_select(m, subnormal, math_constant(m, IR_TYPE_u32, 1), field);
	p.exponent = math_with(m, IR_OP_isub, math_convert(m, IR_OP_convert, IR_TYPE_i32, field), 150);
	/* The exponent of the magnitude as a float says how far its first bit is below bit 23. */
	value as_float = math_convert(m, IR_OP_convert, IR_TYPE_f32, p.magnitude);
	value top = math_with(m, IR_OP_ishr, math_convert(m, IR_OP_bitcast, IR_TYPE_u32, as_float), 23);
	value below = math_binary(m, IR_OP_isub, math_constant(m, IR_TYPE_u32, 150), top);
	p.whole = math_binary(m, IR_OP_ishl, p.magnitude, below);
	p.scale = math_binary(m, IR_OP_isub, p.exponent, math_convert(m, IR_OP_convert, IR_TYPE_i32, below));
	return p;
}
