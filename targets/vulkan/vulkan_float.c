/* Floats, comparisons and conversions. */
#include <assert.h>

#include "targets/vulkan/vulkan_writer.h"

/* ---- Signs, by bits: exact for subnormals and NaN whatever the device does to them ---- */

/* The word that holds the sign. */
static uint32_t sign_word(struct vulkan_writer *w, uint32_t bits, uint32_t x)
{
	uint32_t word = vulkan_int(w->module, 32);
	if (bits == 32)
		return VULKAN_RESULT(w, SpvOpBitcast, word, x);
	uint32_t halves = VULKAN_RESULT(w, SpvOpBitcast, vulkan_vector(w->module, 2), x);
	return VULKAN_RESULT(w, SpvOpCompositeExtract, word, halves, 1);
}

/* x with another such word. */
static uint32_t with_sign_word(struct vulkan_writer *w, uint32_t bits, uint32_t x, uint32_t word)
{
	uint32_t type = vulkan_float(w->module, bits);
	if (bits == 32)
		return VULKAN_RESULT(w, SpvOpBitcast, type, word);
	uint32_t vector = vulkan_vector(w->module, 2), halves = VULKAN_RESULT(w, SpvOpBitcast, vector, x);
	return VULKAN_RESULT(w, SpvOpBitcast, type, VULKAN_RESULT(w, SpvOpCompositeInsert, vector, word, halves, 1));
}

static uint32_t change_sign(struct vulkan_writer *w, uint32_t bits, uint32_t x, SpvOp op, uint32_t mask)
{
	uint32_t word = vulkan_word(w, op, sign_word(w, bits, x), vulkan_u32(w->module, mask));
	return with_sign_word(w, bits, x, word);
}

static uint32_t magnitude(struct vulkan_writer *w, uint32_t bits, uint32_t x)
{
	return change_sign(w, bits, x, SpvOpBitwiseAnd, 0x7fffffff);
}

/* ---- Rounding ---- */

/* GLSL.std.450 leaves the direction of Round at halves open: toward zero, then one away where at least half is lost. */
static uint32_t round_away(struct vulkan_writer *w, const struct ir_type *t, uint32_t x)
{
	uint32_t bits = ir_type_bits(t), type = vulkan_float(w->module, bits);
	uint32_t half = vulkan_constant(w->module, t, bits == 32 ? 0x3f000000 : UINT64_C(0x3fe0000000000000));
	uint32_t one = vulkan_constant(w->module, t, bits == 32 ? 0x3f800000 : UINT64_C(0x3ff0000000000000));
	uint32_t whole = vulkan_glsl(w, GLSLstd450Trunc, type, x);
	uint32_t rest = magnitude(w, bits, VULKAN_RESULT(w, SpvOpFSub, type, x, whole));
	uint32_t sign =
	    vulkan_word(w, SpvOpBitwiseAnd, sign_word(w, bits, x), vulkan_u32(w->module, UINT32_C(1) << 31));
	uint32_t one_word = vulkan_u32(w->module, bits == 32 ? 0x3f800000 : 0x3ff00000);
	uint32_t away = with_sign_word(w, bits, one, vulkan_word(w, SpvOpBitwiseOr, sign, one_word));
	uint32_t further = VULKAN_RESULT(w, SpvOpFAdd, type, whole, away);
	return vulkan_select(w, type, vulkan_test(w, SpvOpFOrdGreaterThanEqual, rest, half), further, whole);
}

/* Signs are the device's business where functions are. */
static uint32_t sign_operation(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x)
{
	uint32_t bits = ir_type_bits(i->type), type = vulkan_float(w->module, bits);
	bool negate = i->op == IR_OP_fneg;
	if (!w->module->form->own_functions)
		return negate ? change_sign(w, bits, x, SpvOpBitwiseXor, UINT32_C(1) << 31) : magnitude(w, bits, x);
	return negate ? VULKAN_RESULT(w, SpvOpFNegate, type, x) : vulkan_glsl(w, GLSLstd450FAbs, type, x);
}

uint32_t vulkan_float_operation(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t x = vulkan_operand(w, i, 0), bits = ir_type_bits(i->type), type = vulkan_float(w->module, bits);
	switch ((int)i->op) {
	case IR_OP_fadd: return VULKAN_RESULT(w, SpvOpFAdd, type, x, vulkan_operand(w, i, 1));
	case IR_OP_fsub: return VULKAN_RESULT(w, SpvOpFSub, type, x, vulkan_operand(w, i, 1));
	case IR_OP_fmul: return VULKAN_RESULT(w, SpvOpFMul, type, x, vulkan_operand(w, i, 1));
	case IR_OP_fdiv: return VULKAN_RESULT(w, SpvOpFDiv, type, x, vulkan_operand(w, i, 1));
	case IR_OP_fneg:
	case IR_OP_fabs: return sign_operation(w, i, x);
	case IR_OP_fsqrt: return vulkan_glsl(w, GLSLstd450Sqrt, type, x);
	case IR_OP_ffloor: return vulkan_glsl(w, GLSLstd450Floor, type, x);
	case IR_OP_fceil: return vulkan_glsl(w, GLSLstd450Ceil, type, x);
	case IR_OP_fround: return round_away(w, i->type, x);
	}
	assert(!"not a float operation");
	return 0;
}

/* ---- Functions ---- */

uint32_t vulkan_function(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t type = vulkan_value_type(w->module, i->type), x = vulkan_operand(w, i, 0);
	uint32_t y = ir_op_infos[i->op].arity > 1 ? vulkan_operand(w, i, 1) : 0;
	switch (i->math) {
	case IR_MATH_sin: return vulkan_glsl(w, GLSLstd450Sin, type, x);
	case IR_MATH_cos: return vulkan_glsl(w, GLSLstd450Cos, type, x);
	case IR_MATH_tan: return vulkan_glsl(w, GLSLstd450Tan, type, x);
	case IR_MATH_asin: return vulkan_glsl(w, GLSLstd450Asin, type, x);
	case IR_MATH_acos: return vulkan_glsl(w, GLSLstd450Acos, type, x);
	case IR_MATH_atan: return vulkan_glsl(w, GLSLstd450Atan, type, x);
	case IR_MATH_exp: return vulkan_glsl(w, GLSLstd450Exp, type, x);
	case IR_MATH_log: return vulkan_glsl(w, GLSLstd450Log, type, x);
	case IR_MATH_atan2: return vulkan_glsl2(w, GLSLstd450Atan2, type, x, y);
	case IR_MATH_pow: return vulkan_glsl2(w, GLSLstd450Pow, type, x, y);
	case IR_MATH_fmod: return VULKAN_RESULT(w, SpvOpFRem, type, x, y);
	case IR_MATH_COUNT: break;
	}
	assert(!"not a function");
	return 0;
}

/* ---- Comparisons ---- */

/* NaN is only `ne`. */
static const struct predicate {
	enum ir_op op;
	SpvOp real, is_signed, is_unsigned, truth;
} predicates[] = {
    {IR_OP_eq, SpvOpFOrdEqual, SpvOpIEqual, SpvOpIEqual, SpvOpLogicalEqual},
    {IR_OP_ne, SpvOpFUnordNotEqual, SpvOpINotEqual, SpvOpINotEqual, SpvOpLogicalNotEqual},
    {IR_OP_lt, SpvOpFOrdLessThan, SpvOpSLessThan, SpvOpULessThan, SpvOpNop},
    {IR_OP_le, SpvOpFOrdLessThanEqual, SpvOpSLessThanEqual, SpvOpULessThanEqual, SpvOpNop},
    {IR_OP_gt, SpvOpFOrdGreaterThan, SpvOpSGreaterThan, SpvOpUGreaterThan, SpvOpNop},
    {IR_OP_ge, SpvOpFOrdGreaterThanEqual, SpvOpSGreaterThanEqual, SpvOpUGreaterThanEqual, SpvOpNop},
};

uint32_t vulkan_compare(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *t = i->operands[0]->type;
	const struct predicate *p = predicates;
	while (p->op != i->op)
		p++;
	SpvOp op = ir_type_is_float(t)       ? p->real
	           : t->kind == IR_TYPE_bool ? p->truth
	           : ir_type_is_signed(t)    ? p->is_signed
	                                     : p->is_unsigned;
	return vulkan_test(w, op, vulkan_compared(w, i, 0), vulkan_compared(w, i, 1));
}

/* ---- Conversions ---- */

static uint32_t from_truth(struct vulkan_writer *w, const struct ir_type *to, uint32_t v)
{
	uint64_t one = to->kind == IR_TYPE_f32   ? 0x3f800000
	               : to->kind == IR_TYPE_f64 ? UINT64_C(0x3ff0000000000000)
	                                         : 1;
	if (to->kind == IR_TYPE_bool)
		return v;
	return vulkan_select(w, vulkan_value_type(w->module, to), v, vulkan_constant(w->module, to, one),
	                     vulkan_constant(w->module, to, 0));
}

static uint32_t to_truth(struct vulkan_writer *w, const struct ir_type *from, uint32_t v)
{
	uint32_t low = VULKAN_RESULT(w, SpvOpBitwiseAnd, vulkan_value_type(w->module, from), v,
	                             vulkan_constant(w->module, from, 1));
	return vulkan_test(w, SpvOpINotEqual, low, vulkan_constant(w->module, from, 0));
}

/* Integers are of unsigned types, but a folder may ask the type, not the operation, how to read one that it converts
 * from or to a float (spirv-opt 2023.1): a type for these alone. */
static uint32_t signed_type(struct vulkan_writer *w, const struct ir_type *t)
{
	return VULKAN_TYPE(w->module, SpvOpTypeInt, ir_type_bits(t), 1);
}

static uint32_t to_float(struct vulkan_writer *w, const struct ir_type *from, uint32_t type, uint32_t v)
{
	if (!ir_type_is_signed(from))
		return VULKAN_RESULT(w, SpvOpConvertUToF, type, v);
	return VULKAN_RESULT(w, SpvOpConvertSToF, type, VULKAN_RESULT(w, SpvOpBitcast, signed_type(w, from), v));
}

static uint32_t to_integer(struct vulkan_writer *w, const struct ir_type *to, uint32_t v)
{
	uint32_t type = vulkan_value_type(w->module, to);
	if (!ir_type_is_signed(to))
		return VULKAN_RESULT(w, SpvOpConvertFToU, type, v);
	return VULKAN_RESULT(w, SpvOpBitcast, type, VULKAN_RESULT(w, SpvOpConvertFToS, signed_type(w, to), v));
}

/* By comparisons: OpConvertFToS out of range is undefined. */
static uint32_t saturated(struct vulkan_writer *w, const struct ir_type *from, const struct ir_type *to, uint32_t v)
{
	uint64_t high_bits, low_bits, greatest, least;
	ir_saturation(from, to, &high_bits, &low_bits, &greatest, &least);
	uint32_t high = vulkan_constant(w->module, from, high_bits), low = vulkan_constant(w->module, from, low_bits);
	uint32_t type = vulkan_value_type(w->module, to), float_type = vulkan_value_type(w->module, from);
	uint32_t below = vulkan_test(w, SpvOpFOrdLessThan, v, high);
	uint32_t safe = vulkan_select(w, float_type, below, v, vulkan_constant(w->module, from, 0));
	uint32_t above = vulkan_test(w, SpvOpFOrdGreaterThan, safe, low);
	safe = vulkan_select(w, float_type, above, safe, vulkan_constant(w->module, from, 0));
	uint32_t whole = to_integer(w, to, safe);
	whole = vulkan_select(w, type, vulkan_test(w, SpvOpFOrdLessThanEqual, v, low),
	                      vulkan_constant(w->module, to, least), whole);
	return vulkan_select(w, type, vulkan_test(w, SpvOpFOrdGreaterThanEqual, v, high),
	                     vulkan_constant(w->module, to, greatest), whole);
}

/* By a sum: an exclusive or with the zero that the integer may have already would give back what it was before. */
static uint32_t hidden_integer(struct vulkan_writer *w, const struct ir_type *t, uint32_t v)
{
	uint32_t bits = ir_type_bits(t), zero = vulkan_resize(w, &ir_types[IR_TYPE_u32], bits, vulkan_hidden_zero(w));
	return VULKAN_RESULT(w, SpvOpIAdd, vulkan_int(w->module, bits), v, zero);
}

uint32_t vulkan_convert(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type, *to = i->type;
	uint32_t v = vulkan_operand(w, i, 0);
	if (w->halves[i->id] == HALVES_STORED) /* the store widens it */
		return v;
	if (w->halves[i->operands[0]->id] == HALVES_LOW)
		from = &ir_types[IR_TYPE_u32];
	uint32_t type = vulkan_value_type(w->module, to);
	if (type == vulkan_value_type(w->module, from))
		return v;
	if (i->op == IR_OP_bitcast)
		return VULKAN_RESULT(w, SpvOpBitcast, type, v);
	if (from->kind == IR_TYPE_bool)
		return from_truth(w, to, v);
	if (to->kind == IR_TYPE_bool)
		return to_truth(w, from, v);
	if (i->op == IR_OP_convert_saturate)
		return saturated(w, from, to, v);
	if (!ir_type_is_float(to))
		v = vulkan_resize(w, from, ir_type_bits(to), v);
	if (vulkan_hides_integer(i))
		v = vulkan_with_hidden_zero(w, 64, v);
	if (!ir_type_is_float(to))
		return v;
	if (ir_type_is_float(from))
		return VULKAN_RESULT(w, SpvOpFConvert, type, v);
	if (vulkan_hides_float(w->module->form, i))
		v = hidden_integer(w, from, v);
	return to_float(w, from, type, v);
}
