/* Floats, comparisons and conversions. No fast-math flag and no contraction anywhere: each operation rounds
 * once (spec/sspur.md 1.3). */
#include <assert.h>

#include "ir/ir_words.h"
#include "lower/llvm/lowering.h"

/* A constant of the shape of `type`, a scalar or a vector of them. */
static LLVMValueRef float_of_bits(struct lowering *l, const struct ir_type *t, LLVMTypeRef type, uint64_t bits)
{
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMTypeRef ints = lowering_int(l, ir_type_bits(t));
	return LLVMConstBitCast(lowering_bits(l, vector ? LLVMVectorType(ints, l->width) : ints, bits), type);
}

LLVMValueRef lowering_float(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef x = lowering_operand(l, i, 0);
	LLVMTypeRef type = LLVMTypeOf(x);
	switch ((int)i->op) {
	case IR_OP_fadd: return LLVMBuildFAdd(l->builder, x, lowering_operand(l, i, 1), "");
	case IR_OP_fsub: return LLVMBuildFSub(l->builder, x, lowering_operand(l, i, 1), "");
	case IR_OP_fmul: return LLVMBuildFMul(l->builder, x, lowering_operand(l, i, 1), "");
	case IR_OP_fdiv: return LLVMBuildFDiv(l->builder, x, lowering_operand(l, i, 1), "");
	case IR_OP_fneg: return LLVMBuildFNeg(l->builder, x, "");
	case IR_OP_fabs: return lowering_intrinsic(l, "llvm.fabs", type, &x, 1);
	case IR_OP_fsqrt: return lowering_intrinsic(l, "llvm.sqrt", type, &x, 1);
	case IR_OP_ffloor: return lowering_intrinsic(l, "llvm.floor", type, &x, 1);
	case IR_OP_fceil: return lowering_intrinsic(l, "llvm.ceil", type, &x, 1);
	case IR_OP_fround: return lowering_intrinsic(l, "llvm.round", type, &x, 1);
	}
	assert(!"not a float operation");
	return NULL;
}

LLVMValueRef lowering_library(struct lowering *l, const struct ir_instruction *i)
{
	const char *name = ir_math_word(i->math);
	LLVMTypeRef type = lowering_type(l, i->type), types[] = {type, type};
	unsigned count = (unsigned)ir_op_infos[i->op].arity;
	LLVMTypeRef function_type = LLVMFunctionType(type, types, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(l->module, name), operands[2];
	if (!function)
		function = LLVMAddFunction(l->module, name, function_type);
	for (unsigned n = 0; n < count; n++)
		operands[n] = lowering_operand(l, i, n);
	return LLVMBuildCall2(l->builder, function_type, function, operands, count, "");
}

struct predicates {
	LLVMRealPredicate real;
	LLVMIntPredicate is_signed, is_unsigned;
};

static struct predicates predicates_of(enum ir_op op)
{
	switch ((int)op) {
	case IR_OP_eq: return (struct predicates){LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ};
	case IR_OP_ne: return (struct predicates){LLVMRealUNE, LLVMIntNE, LLVMIntNE};
	case IR_OP_lt: return (struct predicates){LLVMRealOLT, LLVMIntSLT, LLVMIntULT};
	case IR_OP_le: return (struct predicates){LLVMRealOLE, LLVMIntSLE, LLVMIntULE};
	case IR_OP_gt: return (struct predicates){LLVMRealOGT, LLVMIntSGT, LLVMIntUGT};
	}
	assert(op == IR_OP_ge);
	return (struct predicates){LLVMRealOGE, LLVMIntSGE, LLVMIntUGE};
}

LLVMValueRef lowering_compare(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *type = i->operands[0]->type;
	struct predicates p = predicates_of(i->op);
	LLVMValueRef x = lowering_operand(l, i, 0), y = lowering_operand(l, i, 1);
	if (ir_type_is_float(type))
		return LLVMBuildFCmp(l->builder, p.real, x, y, "");
	return LLVMBuildICmp(l->builder, ir_type_is_signed(type) ? p.is_signed : p.is_unsigned, x, y, "");
}

static LLVMValueRef to_float(struct lowering *l, const struct ir_type *from, const struct ir_type *to, LLVMValueRef v)
{
	LLVMTypeRef type = lowering_type(l, to);
	if (from == to)
		return v;
	if (ir_type_is_float(from))
		return to->kind == IR_TYPE_f64 ? LLVMBuildFPExt(l->builder, v, type, "")
		                               : LLVMBuildFPTrunc(l->builder, v, type, "");
	return ir_type_is_signed(from) ? LLVMBuildSIToFP(l->builder, v, type, "")
	                               : LLVMBuildUIToFP(l->builder, v, type, "");
}

/* By comparisons: what the target's own conversion does out of range never matters. */
static LLVMValueRef saturated(struct lowering *l, const struct ir_type *from, const struct ir_type *to, LLVMValueRef v,
                              LLVMTypeRef type)
{
	uint64_t high_bits, low_bits, greatest, least;
	ir_saturation(from, to, &high_bits, &low_bits, &greatest, &least);
	LLVMValueRef high = float_of_bits(l, from, LLVMTypeOf(v), high_bits);
	LLVMValueRef low = float_of_bits(l, from, LLVMTypeOf(v), low_bits);
	LLVMValueRef below = LLVMBuildFCmp(l->builder, LLVMRealOLT, v, high, "");
	LLVMValueRef above = LLVMBuildFCmp(l->builder, LLVMRealOGT, v, low, "");
	LLVMValueRef within = LLVMBuildAnd(l->builder, below, above, "");
	LLVMValueRef safe = LLVMBuildSelect(l->builder, within, v, LLVMConstNull(LLVMTypeOf(v)), "");
	LLVMValueRef whole = ir_type_is_signed(to) ? LLVMBuildFPToSI(l->builder, safe, type, "")
	                                           : LLVMBuildFPToUI(l->builder, safe, type, "");
	LLVMValueRef too_high = LLVMBuildFCmp(l->builder, LLVMRealOGE, v, high, "");
	LLVMValueRef too_low = LLVMBuildFCmp(l->builder, LLVMRealOLE, v, low, "");
	whole = LLVMBuildSelect(l->builder, too_low, lowering_bits(l, type, least), whole, "");
	return LLVMBuildSelect(l->builder, too_high, lowering_bits(l, type, greatest), whole, "");
}

LLVMValueRef lowering_convert(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	LLVMValueRef v = lowering_operand(l, i, 0);
	LLVMTypeRef type = lowering_type(l, i->type);
	if (i->op == IR_OP_bitcast)
		return LLVMBuildBitCast(l->builder, v, type, "");
	if (i->op == IR_OP_convert_saturate)
		return saturated(l, from, i->type, v, type);
	if (ir_type_is_float(i->type))
		return to_float(l, from, i->type, v);
	uint32_t bits = ir_type_bits(i->type), from_bits = ir_type_bits(from);
	if (bits < from_bits)
		return LLVMBuildTrunc(l->builder, v, type, "");
	return bits > from_bits ? lowering_extend(l, from, v, type) : v;
}
