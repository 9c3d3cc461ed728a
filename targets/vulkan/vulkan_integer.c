/* Integer arithmetic: wrapping, trapping, bits and shifts. All integers are of unsigned types; the operation says how
 * they are read. Divisors of a thread that goes on after a failure are replaced, so that nothing here is undefined. */
#include <assert.h>

#include "targets/vulkan/vulkan_writer.h"

static uint32_t result(struct vulkan_writer *w, SpvOp op, uint32_t bits, uint32_t x, uint32_t y)
{
	return VULKAN_RESULT(w, op, vulkan_int(w->module, bits), x, y);
}

static uint32_t constant(struct vulkan_writer *w, uint32_t bits, uint64_t value)
{
	return vulkan_constant_int(w->module, bits, value);
}

static uint32_t negative(struct vulkan_writer *w, uint32_t bits, uint32_t x)
{
	return vulkan_test(w, SpvOpSLessThan, x, constant(w, bits, 0));
}

/* Of OpSNegate of a quotient of unsigned numbers by a constant, spirv-opt 2023.1 makes one by the constant's negative.
 */
static uint32_t negate(struct vulkan_writer *w, uint32_t bits, uint32_t x)
{
	return result(w, SpvOpISub, bits, constant(w, bits, 0), x);
}

static SpvOp wrapping(enum ir_op op)
{
	switch ((int)op) {
	case IR_OP_iadd_trap:
	case IR_OP_iadd: return SpvOpIAdd;
	case IR_OP_isub_trap:
	case IR_OP_isub: return SpvOpISub;
	}
	return SpvOpIMul;
}

/* ---- Sum, difference, product, or trap ---- */

/* Computed in 32 bits, which hold every result of a narrower type. */
static uint32_t in_words(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y,
                         uint32_t *sound)
{
	uint32_t exact =
	    result(w, wrapping(i->op), 32, vulkan_resize(w, i->type, 32, x), vulkan_resize(w, i->type, 32, y));
	uint32_t narrow = vulkan_resize(w, &ir_types[IR_TYPE_u32], ir_type_bits(i->type), exact);
	*sound = vulkan_test(w, SpvOpIEqual, vulkan_resize(w, i->type, 32, narrow), exact);
	return narrow;
}

/* From the operands' and the result's signs. */
static uint32_t by_signs(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y,
                         uint32_t *sound)
{
	uint32_t bits = ir_type_bits(i->type), r = result(w, wrapping(i->op), bits, x, y);
	bool add = i->op == IR_OP_iadd_trap;
	if (!ir_type_is_signed(i->type)) {
		*sound =
		    add ? vulkan_test(w, SpvOpUGreaterThanEqual, r, x) : vulkan_test(w, SpvOpUGreaterThanEqual, x, y);
		return r;
	}
	uint32_t changed = result(w, SpvOpBitwiseXor, bits, r, x);
	uint32_t other = result(w, SpvOpBitwiseXor, bits, add ? r : x, y);
	*sound = vulkan_not(w, negative(w, bits, result(w, SpvOpBitwiseAnd, bits, changed, other)));
	return r;
}

/* Both halves of the 64-bit product of two words. */
static void multiply_extended(struct vulkan_writer *w, SpvOp op, uint32_t x, uint32_t y, uint32_t *low, uint32_t *high)
{
	uint32_t word = vulkan_int(w->module, 32), pair = VULKAN_TYPE(w->module, SpvOpTypeStruct, word, word);
	uint32_t both = VULKAN_RESULT(w, op, pair, x, y);
	*low = VULKAN_RESULT(w, SpvOpCompositeExtract, word, both, 0);
	*high = VULKAN_RESULT(w, SpvOpCompositeExtract, word, both, 1);
}

/* Of unsigned types below 32 bits. One factor is moved to the top of its word, so that the upper half of the product is
 * what does not fit. A comparison of the exact product makes NVIDIA's compiler (driver 580) fail. */
static uint32_t multiply_narrow(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y,
                                uint32_t *sound)
{
	uint32_t bits = ir_type_bits(i->type), low, high;
	uint32_t top =
	    result(w, SpvOpShiftLeftLogical, 32, vulkan_resize(w, i->type, 32, x), vulkan_u32(w->module, 32 - bits));
	multiply_extended(w, SpvOpUMulExtended, top, vulkan_resize(w, i->type, 32, y), &low, &high);
	*sound = vulkan_test(w, SpvOpIEqual, high, vulkan_u32(w->module, 0));
	return result(w, SpvOpIMul, bits, x, y);
}

static uint32_t multiply_words(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y,
                               uint32_t *sound)
{
	struct vulkan_module *m = w->module;
	bool s = ir_type_is_signed(i->type);
	uint32_t low, high;
	multiply_extended(w, s ? SpvOpSMulExtended : SpvOpUMulExtended, x, y, &low, &high);
	uint32_t expected = s ? result(w, SpvOpShiftRightArithmetic, 32, low, vulkan_u32(m, 31)) : vulkan_u32(m, 0);
	*sound = vulkan_test(w, SpvOpIEqual, high, expected);
	return low;
}

/* Whether the product of two unsigned 64-bit numbers fits 64 bits: with x = xh * 2^32 + xl, at most one of xh and yh is
 * not 0, and what is to be added to the upper half of xl * yl fits 32 bits. */
static uint32_t product_fits(struct vulkan_writer *w, uint32_t x, uint32_t y)
{
	uint32_t half = vulkan_u32(w->module, 32), low = constant(w, 64, UINT32_MAX), zero = constant(w, 64, 0);
	uint32_t xh = result(w, SpvOpShiftRightLogical, 64, x, half), xl = result(w, SpvOpBitwiseAnd, 64, x, low);
	uint32_t yh = result(w, SpvOpShiftRightLogical, 64, y, half), yl = result(w, SpvOpBitwiseAnd, 64, y, low);
	uint32_t middle = result(w, SpvOpIAdd, 64, result(w, SpvOpIMul, 64, xh, yl), result(w, SpvOpIMul, 64, xl, yh));
	uint32_t carried = result(w, SpvOpShiftRightLogical, 64, result(w, SpvOpIMul, 64, xl, yl), half);
	uint32_t upper = result(w, SpvOpIAdd, 64, middle, carried);
	uint32_t one_small = vulkan_test(w, SpvOpLogicalOr, vulkan_test(w, SpvOpIEqual, xh, zero),
	                                 vulkan_test(w, SpvOpIEqual, yh, zero));
	return vulkan_both(w, one_small, vulkan_test(w, SpvOpULessThanEqual, upper, low));
}

static uint32_t magnitude(struct vulkan_writer *w, uint32_t bits, uint32_t x)
{
	return vulkan_select(w, vulkan_int(w->module, bits), negative(w, bits, x), negate(w, bits, x), x);
}

static uint32_t multiply_long(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y,
                              uint32_t *sound)
{
	uint32_t product = result(w, SpvOpIMul, 64, x, y);
	if (!ir_type_is_signed(i->type)) {
		*sound = product_fits(w, x, y);
		return product;
	}
	/* The magnitudes' product is at most 2^63 where the signs differ, else less. */
	uint32_t mx = magnitude(w, 64, x), my = magnitude(w, 64, y), size = result(w, SpvOpIMul, 64, mx, my);
	uint32_t below = negative(w, 64, result(w, SpvOpBitwiseXor, 64, x, y)), type = vulkan_int(w->module, 64);
	uint32_t most = vulkan_select(w, type, below, constant(w, 64, UINT64_C(1) << 63), constant(w, 64, INT64_MAX));
	*sound = vulkan_both(w, product_fits(w, mx, my), vulkan_test(w, SpvOpULessThanEqual, size, most));
	return product;
}

static uint32_t add_trap(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y)
{
	uint32_t bits = ir_type_bits(i->type), sound;
	if (w->kernel->policy == IR_POLICY_PROVED)
		return result(w, wrapping(i->op), bits, x, y);
	bool narrow_product = bits < 32 && i->op == IR_OP_imul_trap && !ir_type_is_signed(i->type);
	uint32_t r = narrow_product             ? multiply_narrow(w, i, x, y, &sound)
	             : bits < 32                ? in_words(w, i, x, y, &sound)
	             : i->op != IR_OP_imul_trap ? by_signs(w, i, x, y, &sound)
	             : bits == 32               ? multiply_words(w, i, x, y, &sound)
	                                        : multiply_long(w, i, x, y, &sound);
	vulkan_require(w, i, TRAP_OVERFLOW, sound, 0);
	return r;
}

static uint32_t least(struct vulkan_writer *w, const struct ir_type *t)
{
	return constant(w, ir_type_bits(t), UINT64_C(1) << (ir_type_bits(t) - 1));
}

static uint32_t negate_trap(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x)
{
	uint32_t bits = ir_type_bits(i->type);
	uint32_t sound = ir_type_is_signed(i->type) ? vulkan_test(w, SpvOpINotEqual, x, least(w, i->type))
	                                            : vulkan_test(w, SpvOpIEqual, x, constant(w, bits, 0));
	vulkan_require(w, i, TRAP_OVERFLOW, sound, 0);
	return negate(w, bits, x);
}

static uint32_t magnitude_trap(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x)
{
	vulkan_require(w, i, TRAP_OVERFLOW, vulkan_test(w, SpvOpINotEqual, x, least(w, i->type)), 0);
	return magnitude(w, ir_type_bits(i->type), x);
}

/* The divisor is replaced by whether it is one, not by whether the thread is bad: threads that agree on the operands
 * agree on the result (vulkan_shared.c). Vulkan leaves OpSRem of a negative operand undefined, so a remainder is what
 * the quotient leaves. */
static uint32_t divide_trap(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y)
{
	bool s = ir_type_is_signed(i->type);
	uint32_t bits = ir_type_bits(i->type);
	uint32_t sound = vulkan_test(w, SpvOpINotEqual, y, constant(w, bits, 0));
	vulkan_require(w, i, TRAP_DIVISION, sound, 0);
	if (s) {
		uint32_t below = vulkan_test(w, SpvOpIEqual, x, least(w, i->type));
		uint32_t minus_one = vulkan_test(w, SpvOpIEqual, y, constant(w, bits, UINT64_MAX));
		uint32_t fits = vulkan_not(w, vulkan_both(w, below, minus_one));
		vulkan_require(w, i, TRAP_OVERFLOW, fits, 0);
		sound = vulkan_both(w, sound, fits);
	}
	y = vulkan_select(w, vulkan_int(w->module, bits), sound, y, constant(w, bits, 1));
	uint32_t quotient = result(w, s ? SpvOpSDiv : SpvOpUDiv, bits, x, y);
	if (i->op == IR_OP_idiv_trap)
		return quotient;
	return result(w, SpvOpISub, bits, x, result(w, SpvOpIMul, bits, quotient, y));
}

/* Whatever the divisor (ir.def): 0 and -1 are replaced by 1, for which the quotient is known or taken back. */
static uint32_t divide(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t y)
{
	const struct ir_instruction *by = i->operands[1];
	bool s = ir_type_is_signed(i->type), quotient = i->op == IR_OP_idiv;
	bool usual = by->op == IR_OP_const && by->bits && !(s && by->bits == UINT64_MAX);
	uint32_t bits = ir_type_bits(i->type), type = vulkan_int(w->module, bits), divisor = y;
	uint32_t zero = constant(w, bits, 0), is_zero = 0, minus = 0;
	if (!usual) {
		uint32_t replaced = is_zero = vulkan_test(w, SpvOpIEqual, y, zero);
		if (s) {
			minus = vulkan_test(w, SpvOpIEqual, y, constant(w, bits, UINT64_MAX));
			replaced = vulkan_test(w, SpvOpLogicalOr, is_zero, minus);
		}
		divisor = vulkan_select(w, type, replaced, constant(w, bits, 1), y);
	}
	uint32_t r = result(w, s ? SpvOpSDiv : SpvOpUDiv, bits, x, divisor);
	if (!quotient)
		r = result(w, SpvOpISub, bits, x, result(w, SpvOpIMul, bits, r, divisor));
	else if (minus)
		r = vulkan_select(w, type, minus, negate(w, bits, x), r);
	return usual ? r : vulkan_select(w, type, is_zero, quotient ? zero : x, r);
}

/* ---- Bits and shifts ---- */

static uint32_t shift(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t count)
{
	uint32_t bits = ir_type_bits(i->type), type = vulkan_int(w->module, bits), last = constant(w, bits, bits - 1);
	uint32_t within = vulkan_test(w, SpvOpULessThanEqual, count, last);
	/* A shift by the width or more is undefined: the count stays below it in any case. */
	if (i->op == IR_OP_ishr && ir_type_is_signed(i->type))
		return result(w, SpvOpShiftRightArithmetic, bits, x, vulkan_select(w, type, within, count, last));
	uint32_t small = result(w, SpvOpBitwiseAnd, bits, count, last);
	SpvOp op = i->op == IR_OP_ishl ? SpvOpShiftLeftLogical : SpvOpShiftRightLogical;
	return vulkan_select(w, type, within, result(w, op, bits, x, small), constant(w, bits, 0));
}

/* Operations on bits, and what they are on truth values. */
static uint32_t bitwise(struct vulkan_writer *w, const struct ir_instruction *i, SpvOp bits, SpvOp truths)
{
	uint32_t x = vulkan_operand(w, i, 0);
	SpvOp op = i->type->kind == IR_TYPE_bool ? truths : bits;
	uint32_t type = vulkan_value_type(w->module, i->type);
	if (i->op == IR_OP_bnot)
		return VULKAN_RESULT(w, op, type, x);
	return VULKAN_RESULT(w, op, type, x, vulkan_operand(w, i, 1));
}

static uint32_t operation(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t x = vulkan_operand(w, i, 0), bits = ir_type_bits(i->type);
	uint32_t y = ir_op_infos[i->op].arity > 1 ? vulkan_operand(w, i, 1) : 0;
	switch ((int)i->op) {
	case IR_OP_iadd:
	case IR_OP_isub:
	case IR_OP_imul: return result(w, wrapping(i->op), bits, x, y);
	case IR_OP_ineg: return negate(w, bits, x);
	case IR_OP_idiv:
	case IR_OP_irem: return divide(w, i, x, y);
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap:
	case IR_OP_imul_trap: return add_trap(w, i, x, y);
	case IR_OP_ineg_trap: return negate_trap(w, i, x);
	case IR_OP_iabs_trap: return magnitude_trap(w, i, x);
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap: return divide_trap(w, i, x, y);
	case IR_OP_band: return bitwise(w, i, SpvOpBitwiseAnd, SpvOpLogicalAnd);
	case IR_OP_bor: return bitwise(w, i, SpvOpBitwiseOr, SpvOpLogicalOr);
	case IR_OP_bxor: return bitwise(w, i, SpvOpBitwiseXor, SpvOpLogicalNotEqual);
	case IR_OP_bnot: return bitwise(w, i, SpvOpNot, SpvOpLogicalNot);
	case IR_OP_ishl:
	case IR_OP_ishr: return shift(w, i, x, y);
	}
	assert(!"not an integer operation");
	return 0;
}

uint32_t vulkan_convert_trap(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	uint32_t v = vulkan_operand(w, i, 0), bits = ir_type_bits(i->type), from_bits = ir_type_bits(from), sound = 0;
	uint32_t r = vulkan_resize(w, from, bits, v);
	if (bits <= from_bits)
		sound = vulkan_test(w, SpvOpIEqual, vulkan_resize(w, i->type, from_bits, r), v);
	/* The bits may agree while the two types read them differently. */
	bool signs = ir_type_is_signed(from) != ir_type_is_signed(i->type);
	if (signs && !(bits > from_bits && ir_type_is_signed(i->type))) {
		uint32_t sign = ir_type_is_signed(from) ? negative(w, from_bits, v) : negative(w, bits, r);
		uint32_t positive = vulkan_not(w, sign);
		sound = sound ? vulkan_both(w, sound, positive) : positive;
	}
	if (sound)
		vulkan_require(w, i, TRAP_OVERFLOW, sound, 0);
	return r;
}

uint32_t vulkan_integer(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t known = vulkan_builtin_value(w, i);
	if (known)
		return known;
	uint32_t r = operation(w, i);
	return vulkan_hides_integer(i) ? vulkan_with_hidden_zero(w, ir_type_bits(i->type), r) : r;
}
