/* Bounds of floats. A walk down the operands, to a depth that keeps it cheap: what is deeper can be any value. */
#include "lower/float_bounds.h"

#include <assert.h>

enum { MAX_DEPTH = 6 };

static const struct float_format formats[] = {
    {&ir_types[IR_TYPE_f32], &ir_types[IR_TYPE_u32], -126, 128, 24, UINT64_C(1) << 31, UINT64_C(0x7f800000),
     UINT64_C(0x7fc00000)},
    {&ir_types[IR_TYPE_f64], &ir_types[IR_TYPE_u64], -1022, 1024, 53, UINT64_C(1) << 63, UINT64_C(0x7ff0000000000000),
     UINT64_C(0x7ff8000000000000)},
};

const struct float_format *float_format_of(const struct ir_type *type)
{
	assert(ir_type_is_float(type));
	return &formats[type->kind == IR_TYPE_f64];
}

static struct float_bounds any_value(const struct ir_type *type, uint32_t hazards)
{
	const struct float_format *f = float_format_of(type);
	bool flushes = hazards & (type->kind == IR_TYPE_f64 ? IR_HAZARD_FLUSH_F64 : IR_HAZARD_FLUSH_F32);
	return (struct float_bounds){f->least - (flushes ? 0 : f->digits - 1), f->limit};
}

static struct float_bounds of_constant(const struct float_format *f, uint64_t bits, struct float_bounds any)
{
	int exponent = (int)((bits & ~f->sign) >> (f->digits - 1));
	if (exponent == 0 || (bits & f->infinity) == f->infinity)
		return any;
	exponent += f->least - 1;
	bool is_power = (bits & ((UINT64_C(1) << (f->digits - 1)) - 1)) == 0;
	return (struct float_bounds){exponent, exponent + !is_power};
}

static int least_of(int x, int y)
{
	return x < y ? x : y;
}

static int greatest_of(int x, int y)
{
	return x > y ? x : y;
}

static struct float_bounds bounds(const struct ir_instruction *value, uint32_t hazards, int depth);

static struct float_bounds operand_bounds(const struct ir_instruction *i, int n, uint32_t hazards, int depth)
{
	return bounds(i->operands[n], hazards, depth + 1);
}

static struct float_bounds of_conversion(const struct ir_instruction *i, uint32_t hazards, int depth)
{
	const struct ir_type *from = i->operands[0]->type;
	if (!ir_type_is_float(from))
		return (struct float_bounds){0, (int)ir_type_bits(from) + 1};
	struct float_bounds x = operand_bounds(i, 0, hazards, depth);
	x.high++; /* by rounding */
	return x;
}

static struct float_bounds of_binary(const struct ir_instruction *i, uint32_t hazards, int depth)
{
	struct float_bounds x = operand_bounds(i, 0, hazards, depth), y = operand_bounds(i, 1, hazards, depth);
	int digits = float_format_of(i->type)->digits;
	switch ((int)i->op) {
	case IR_OP_fadd:
	case IR_OP_fsub: /* a multiple of the last digit of the smaller one */
		return (struct float_bounds){least_of(x.low, y.low) - (digits - 1), greatest_of(x.high, y.high) + 2};
	case IR_OP_fmul: return (struct float_bounds){x.low + y.low, x.high + y.high + 1};
	case IR_OP_fdiv: return (struct float_bounds){x.low - y.high, x.high - y.low + 1};
	}
	assert(!"not arithmetic of two operands");
	return x;
}

static struct float_bounds of_select(const struct ir_instruction *i, uint32_t hazards, int depth)
{
	struct float_bounds x = operand_bounds(i, 1, hazards, depth), y = operand_bounds(i, 2, hazards, depth);
	return (struct float_bounds){least_of(x.low, y.low), greatest_of(x.high, y.high)};
}

/* floor(x / 2) */
static int half(int x)
{
	return (x - (x & 1)) / 2;
}

/* Within what the type can hold; a result below its normal values may be rounded to any. */
static struct float_bounds clamp(struct float_bounds b, struct float_bounds any, const struct float_format *f)
{
	b.low = b.low < f->least ? any.low : b.low;
	b.high = b.high > any.high ? any.high : b.high;
	return b;
}

static struct float_bounds bounds(const struct ir_instruction *i, uint32_t hazards, int depth)
{
	const struct float_format *f = float_format_of(i->type);
	struct float_bounds any = any_value(i->type, hazards), x;
	if (depth > MAX_DEPTH)
		return any;
	switch ((int)i->op) {
	case IR_OP_const: return of_constant(f, i->bits, any);
	case IR_OP_fneg:
	case IR_OP_fabs: return operand_bounds(i, 0, hazards, depth);
	case IR_OP_fsqrt:
		x = operand_bounds(i, 0, hazards, depth);
		return (struct float_bounds){half(x.low), half(x.high) + 2};
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround:
		x = operand_bounds(i, 0, hazards, depth);
		return clamp((struct float_bounds){greatest_of(x.low, 0), greatest_of(x.high, 0) + 1}, any, f);
	case IR_OP_select: return of_select(i, hazards, depth);
	case IR_OP_convert: return clamp(of_conversion(i, hazards, depth), any, f);
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv: return clamp(of_binary(i, hazards, depth), any, f);
	}
	return any;
}

struct float_bounds float_bounds_of(const struct ir_instruction *value, uint32_t hazards)
{
	return bounds(value, hazards, 0);
}
