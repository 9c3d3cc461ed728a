/* The exact value of one operation: the arithmetic of the reference semantics. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "ir/ir_fold.h"

/* Holds every sum and difference of two 64-bit integers, and every product that fits one. */
__extension__ typedef __int128 wide;

static wide widen(const struct ir_type *t, uint64_t bits)
{
	return ir_type_is_signed(t) ? (wide)(int64_t)bits : (wide)bits;
}

static enum trap_kind narrow(const struct ir_type *t, wide value, uint64_t *result)
{
	*result = ir_canonical_bits(t, (uint64_t)value);
	return widen(t, *result) == value ? TRAP_NONE : TRAP_OVERFLOW;
}

static float as_f32(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;
	memcpy(&value, &low, sizeof value);
	return value;
}

static double as_f64(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t f32_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t f64_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t shift_left(const struct ir_type *t, uint64_t x, uint64_t count)
{
	uint32_t width = ir_type_bits(t);
	/* A negative signed count is a large unsigned one: its 64-bit form is past the width too. */
	return count >= width ? 0 : ir_canonical_bits(t, x << count);
}

static uint64_t shift_right(const struct ir_type *t, uint64_t x, uint64_t count)
{
	uint32_t width = ir_type_bits(t);
	if (!ir_type_is_signed(t))
		return count >= width ? 0 : x >> count;
	/* The 64-bit form is sign-extended: its shift is the narrow one's. */
	uint64_t sign = (int64_t)x < 0 ? ~UINT64_C(0) : 0;
	if (count >= width)
		return sign;
	return count ? x >> count | sign << (64 - count) : x;
}

static enum trap_kind divide(enum ir_op op, const struct ir_type *t, const uint64_t *operands, uint64_t *result)
{
	wide x = widen(t, operands[0]), y = widen(t, operands[1]);
	if (y == 0)
		return TRAP_DIVISION;
	enum trap_kind trap = narrow(t, x / y, result);
	if (op == IR_OP_irem_trap && trap == TRAP_NONE)
		trap = narrow(t, x % y, result);
	return trap;
}

static uint64_t divide_wrapping(enum ir_op op, const struct ir_type *t, const uint64_t *operands)
{
	wide x = widen(t, operands[0]), y = widen(t, operands[1]);
	if (y == 0)
		return op == IR_OP_idiv ? 0 : operands[0];
	return ir_canonical_bits(t, (uint64_t)(op == IR_OP_idiv ? x / y : x % y));
}

static enum trap_kind multiply(const struct ir_type *t, const uint64_t *operands, uint64_t *result)
{
	wide product;
	if (__builtin_mul_overflow(widen(t, operands[0]), widen(t, operands[1]), &product))
		return TRAP_OVERFLOW;
	return narrow(t, product, result);
}

static uint64_t float_unary(enum ir_op op, const struct ir_type *t, uint64_t x)
{
	bool single = t->kind == IR_TYPE_f32;
	uint64_t sign = single ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	if (op == IR_OP_fneg)
		return x ^ sign;
	if (op == IR_OP_fabs)
		return x & ~sign;
	if (op == IR_OP_fsqrt)
		return single ? f32_bits(sqrtf(as_f32(x))) : f64_bits(sqrt(as_f64(x)));
	if (op == IR_OP_ffloor)
		return single ? f32_bits(floorf(as_f32(x))) : f64_bits(floor(as_f64(x)));
	if (op == IR_OP_fceil)
		return single ? f32_bits(ceilf(as_f32(x))) : f64_bits(ceil(as_f64(x)));
	assert(op == IR_OP_fround);
	return single ? f32_bits(roundf(as_f32(x))) : f64_bits(round(as_f64(x)));
}

static uint64_t float_binary(enum ir_op op, const struct ir_type *t, const uint64_t *operands)
{
	if (t->kind == IR_TYPE_f32) {
		float x = as_f32(operands[0]), y = as_f32(operands[1]);
		return f32_bits(op == IR_OP_fadd ? x + y : op == IR_OP_fsub ? x - y : op == IR_OP_fmul ? x * y : x / y);
	}
	double x = as_f64(operands[0]), y = as_f64(operands[1]);
	return f64_bits(op == IR_OP_fadd ? x + y : op == IR_OP_fsub ? x - y : op == IR_OP_fmul ? x * y : x / y);
}

/* eq, ne, lt, le, gt, ge of two C values of one type. */
#define COMPARE(op, x, y)                                                                                              \
	((op) == IR_OP_eq   ? (x) == (y)                                                                               \
	 : (op) == IR_OP_ne ? (x) != (y)                                                                               \
	 : (op) == IR_OP_lt ? (x) < (y)                                                                                \
	 : (op) == IR_OP_le ? (x) <= (y)                                                                               \
	 : (op) == IR_OP_gt ? (x) > (y)                                                                                \
	                    : (x) >= (y))

static uint64_t compare(enum ir_op op, const struct ir_type *t, const uint64_t *operands)
{
	if (ir_type_is_float(t)) {
		/* Exact in double, for f32 too. */
		double x = t->kind == IR_TYPE_f32 ? (double)as_f32(operands[0]) : as_f64(operands[0]);
		double y = t->kind == IR_TYPE_f32 ? (double)as_f32(operands[1]) : as_f64(operands[1]);
		return COMPARE(op, x, y);
	}
	if (ir_type_is_signed(t))
		return COMPARE(op, (int64_t)operands[0], (int64_t)operands[1]);
	return COMPARE(op, operands[0], operands[1]);
}

static uint64_t convert(const struct ir_type *from, const struct ir_type *to, uint64_t x)
{
	if (!ir_type_is_float(to))
		return ir_canonical_bits(to, x);
	bool single = to->kind == IR_TYPE_f32;
	if (from == to)
		return x;
	if (from->kind == IR_TYPE_f32)
		return f64_bits((double)as_f32(x));
	if (from->kind == IR_TYPE_f64)
		return f32_bits((float)as_f64(x));
	if (ir_type_is_signed(from))
		return single ? f32_bits((float)(int64_t)x) : f64_bits((double)(int64_t)x);
	return single ? f32_bits((float)x) : f64_bits((double)x);
}

static uint64_t saturate(const struct ir_type *from, const struct ir_type *to, uint64_t bits)
{
	uint64_t high, low, greatest, least;
	ir_saturation(from, to, &high, &low, &greatest, &least);
	if (compare(IR_OP_ge, from, (const uint64_t[]){bits, high}))
		return greatest;
	if (compare(IR_OP_le, from, (const uint64_t[]){bits, low}))
		return least;
	double x = from->kind == IR_TYPE_f32 ? (double)as_f32(bits) : as_f64(bits);
	return isnan(x) ? 0 : ir_type_is_signed(to) ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static enum trap_kind trap_unless(bool sound, enum trap_kind trap, uint64_t *result)
{
	*result = 0;
	return sound ? TRAP_NONE : trap;
}

enum trap_kind ir_evaluate_op(enum ir_op op, const struct ir_type *type, const struct ir_type *to,
                              const uint64_t *operands, uint64_t *result)
{
	*result = 0;
	switch (op) {
	case IR_OP_iadd: *result = ir_canonical_bits(type, operands[0] + operands[1]); return TRAP_NONE;
	case IR_OP_isub: *result = ir_canonical_bits(type, operands[0] - operands[1]); return TRAP_NONE;
	case IR_OP_imul: *result = ir_canonical_bits(type, operands[0] * operands[1]); return TRAP_NONE;
	case IR_OP_ineg: *result = ir_canonical_bits(type, 0 - operands[0]); return TRAP_NONE;
	case IR_OP_iadd_trap: return narrow(type, widen(type, operands[0]) + widen(type, operands[1]), result);
	case IR_OP_isub_trap: return narrow(type, widen(type, operands[0]) - widen(type, operands[1]), result);
	case IR_OP_imul_trap: return multiply(type, operands, result);
	case IR_OP_ineg_trap: return narrow(type, -widen(type, operands[0]), result);
	case IR_OP_iabs_trap: {
		wide x = widen(type, operands[0]);
		return narrow(type, x < 0 ? -x : x, result);
	}
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap: return divide(op, type, operands, result);
	case IR_OP_idiv:
	case IR_OP_irem: *result = divide_wrapping(op, type, operands); return TRAP_NONE;
	case IR_OP_band: *result = operands[0] & operands[1]; return TRAP_NONE;
	case IR_OP_bor: *result = operands[0] | operands[1]; return TRAP_NONE;
	case IR_OP_bxor: *result = operands[0] ^ operands[1]; return TRAP_NONE;
	case IR_OP_bnot: *result = ir_canonical_bits(type, ~operands[0]); return TRAP_NONE;
	case IR_OP_ishl: *result = shift_left(type, operands[0], operands[1]); return TRAP_NONE;
	case IR_OP_ishr: *result = shift_right(type, operands[0], operands[1]); return TRAP_NONE;
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv: *result = float_binary(op, type, operands); return TRAP_NONE;
	case IR_OP_fneg:
	case IR_OP_fabs:
	case IR_OP_fsqrt:
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround: *result = float_unary(op, type, operands[0]); return TRAP_NONE;
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge: *result = compare(op, type, operands); return TRAP_NONE;
	case IR_OP_select: *result = operands[operands[0] ? 1 : 2]; return TRAP_NONE;
	case IR_OP_convert: *result = convert(type, to, operands[0]); return TRAP_NONE;
	case IR_OP_convert_trap: return narrow(to, widen(type, operands[0]), result);
	case IR_OP_convert_saturate: *result = saturate(type, to, operands[0]); return TRAP_NONE;
	case IR_OP_bitcast: *result = ir_canonical_bits(to, operands[0]); return TRAP_NONE;
	case IR_OP_check_index:
		return trap_unless(widen(type, operands[0]) >= 0 && compare(IR_OP_lt, type, operands), TRAP_INDEX,
		                   result);
	case IR_OP_check_range:
		return trap_unless(widen(type, operands[0]) >= 0 && compare(IR_OP_le, type, operands) &&
		                       compare(IR_OP_le, type, operands + 1),
		                   TRAP_RANGE, result);
	case IR_OP_check: return trap_unless(operands[0] != 0, TRAP_PANIC, result);
	case IR_OP_const:
	case IR_OP_parameter:
	case IR_OP_length:
	case IR_OP_global_id:
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_group_size:
	case IR_OP_grid_size:
	case IR_OP_math:
	case IR_OP_math2:
	case IR_OP_load:
	case IR_OP_store:
	case IR_OP_atomic_load:
	case IR_OP_atomic_store:
	case IR_OP_atomic_swap:
	case IR_OP_atomic_add:
	case IR_OP_atomic_sub:
	case IR_OP_atomic_min:
	case IR_OP_atomic_max:
	case IR_OP_atomic_and:
	case IR_OP_atomic_or:
	case IR_OP_atomic_xor:
	case IR_OP_atomic_cas:
	case IR_OP_get:
	case IR_OP_set:
	case IR_OP_barrier:
	case IR_OP_cut:
	case IR_OP_if:
	case IR_OP_for:
	case IR_OP_loop:
	case IR_OP_break:
	case IR_OP_continue:
	case IR_OP_return:
	case IR_OP_yield:
	case IR_OP_COUNT: break;
	}
	assert(!"an operation that operands alone do not decide");
	return TRAP_NONE;
}
