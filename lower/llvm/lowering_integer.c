/* Integer arithmetic: wrapping, trapping, bits and shifts. Where a thread goes on after a failure its
 * divisors are replaced, so that no instruction here can fault. */
#include <assert.h>

#include "lower/llvm/lowering.h"

LLVMValueRef lowering_extend(struct lowering *l, const struct ir_type *t, LLVMValueRef v, LLVMTypeRef to)
{
	return ir_type_is_signed(t) ? LLVMBuildSExt(l->builder, v, to, "") : LLVMBuildZExt(l->builder, v, to, "");
}

static LLVMValueRef compare(struct lowering *l, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildICmp(l->builder, predicate, x, y, "");
}

static LLVMValueRef negative(struct lowering *l, LLVMValueRef x)
{
	return compare(l, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)));
}

static LLVMValueRef both(struct lowering *l, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildAnd(l->builder, x, y, "");
}

static LLVMValueRef wrap(struct lowering *l, enum ir_op op, LLVMValueRef x, LLVMValueRef y)
{
	switch ((int)op) {
	case IR_OP_iadd_trap:
	case IR_OP_iadd: return LLVMBuildAdd(l->builder, x, y, "");
	case IR_OP_isub_trap:
	case IR_OP_isub: return LLVMBuildSub(l->builder, x, y, "");
	}
	return LLVMBuildMul(l->builder, x, y, "");
}

/* ---- Sum, difference, product, or trap ---- */

/* Computed in a type that holds every result of the narrow one. */
static LLVMValueRef in_wider_type(struct lowering *l, const struct ir_instruction *i, unsigned bits, LLVMValueRef x,
                                  LLVMValueRef y, LLVMValueRef *sound)
{
	LLVMTypeRef wide = lowering_value_int(l, bits);
	LLVMValueRef exact = wrap(l, i->op, lowering_extend(l, i->type, x, wide), lowering_extend(l, i->type, y, wide));
	LLVMValueRef result = LLVMBuildTrunc(l->builder, exact, lowering_type(l, i->type), "");
	*sound = compare(l, LLVMIntEQ, lowering_extend(l, i->type, result, wide), exact);
	return result;
}

static LLVMValueRef by_intrinsic(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y,
                                 LLVMValueRef *sound)
{
	bool s = ir_type_is_signed(i->type);
	const char *name = i->op == IR_OP_iadd_trap   ? s ? "llvm.sadd.with.overflow" : "llvm.uadd.with.overflow"
	                   : i->op == IR_OP_isub_trap ? s ? "llvm.ssub.with.overflow" : "llvm.usub.with.overflow"
	                   : s                        ? "llvm.smul.with.overflow"
	                                              : "llvm.umul.with.overflow";
	LLVMValueRef pair = lowering_intrinsic(l, name, lowering_type(l, i->type), (LLVMValueRef[]){x, y}, 2);
	*sound = LLVMBuildNot(l->builder, LLVMBuildExtractValue(l->builder, pair, 1, ""), "");
	return LLVMBuildExtractValue(l->builder, pair, 0, "");
}

static LLVMValueRef multiply_by_halves(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x,
                                       LLVMValueRef y, LLVMValueRef *sound)
{
	LLVMValueRef low = LLVMBuildMul(l->builder, x, y, "");
	if (ir_type_is_signed(i->type)) {
		LLVMValueRef high = l->machine->multiply_high(l, MACHINE_HIGH_SIGNED, x, y);
		*sound = compare(l, LLVMIntEQ, high, LLVMBuildAShr(l->builder, low, lowering_i64(l, 63), ""));
	} else {
		LLVMValueRef high = l->machine->multiply_high(l, MACHINE_HIGH_UNSIGNED, x, y);
		*sound = compare(l, LLVMIntEQ, high, lowering_i64(l, 0));
	}
	return low;
}

/* 64 bits where the machine has no overflow intrinsics: from the operands' and the result's signs. */
static LLVMValueRef by_signs(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y,
                             LLVMValueRef *sound)
{
	if (i->op == IR_OP_imul_trap)
		return multiply_by_halves(l, i, x, y, sound);
	LLVMValueRef r = wrap(l, i->op, x, y);
	bool add = i->op == IR_OP_iadd_trap;
	if (!ir_type_is_signed(i->type)) {
		*sound = add ? compare(l, LLVMIntUGE, r, x) : compare(l, LLVMIntUGE, x, y);
		return r;
	}
	LLVMValueRef changed = LLVMBuildXor(l->builder, r, x, "");
	LLVMValueRef other = LLVMBuildXor(l->builder, add ? r : x, y, "");
	*sound = LLVMBuildNot(l->builder, negative(l, both(l, changed, other)), "");
	return r;
}

static LLVMValueRef add_proved(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y)
{
	bool s = ir_type_is_signed(i->type);
	LLVMBuilderRef b = l->builder;
	switch ((int)i->op) {
	case IR_OP_iadd_trap: return s ? LLVMBuildNSWAdd(b, x, y, "") : LLVMBuildNUWAdd(b, x, y, "");
	case IR_OP_isub_trap: return s ? LLVMBuildNSWSub(b, x, y, "") : LLVMBuildNUWSub(b, x, y, "");
	}
	return s ? LLVMBuildNSWMul(b, x, y, "") : LLVMBuildNUWMul(b, x, y, "");
}

static LLVMValueRef add_trap(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y)
{
	unsigned bits = ir_type_bits(i->type);
	if (lowering_proved(l, i))
		return add_proved(l, i, x, y);
	LLVMValueRef sound;
	LLVMValueRef result = bits < 32                         ? in_wider_type(l, i, 32, x, y, &sound)
	                      : l->machine->overflow_intrinsics ? by_intrinsic(l, i, x, y, &sound)
	                      : bits == 32                      ? in_wider_type(l, i, 64, x, y, &sound)
	                                                        : by_signs(l, i, x, y, &sound);
	lowering_require(l, i, TRAP_OVERFLOW, sound, NULL, NULL);
	return result;
}

static LLVMValueRef least(const struct lowering *l, const struct ir_type *t)
{
	return lowering_bits(l, lowering_type(l, t), UINT64_C(1) << (ir_type_bits(t) - 1));
}

static LLVMValueRef negate_trap(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x)
{
	LLVMValueRef sound = ir_type_is_signed(i->type) ? compare(l, LLVMIntNE, x, least(l, i->type))
	                                                : compare(l, LLVMIntEQ, x, LLVMConstNull(LLVMTypeOf(x)));
	if (!lowering_proved(l, i))
		lowering_require(l, i, TRAP_OVERFLOW, sound, NULL, NULL);
	return LLVMBuildNeg(l->builder, x, "");
}

static LLVMValueRef magnitude_trap(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x)
{
	bool certain = lowering_certain(l);
	if (!certain)
		lowering_require(l, i, TRAP_OVERFLOW, compare(l, LLVMIntNE, x, least(l, i->type)), NULL, NULL);
	LLVMValueRef below = certain ? LLVMBuildNSWNeg(l->builder, x, "") : LLVMBuildNeg(l->builder, x, "");
	return LLVMBuildSelect(l->builder, negative(l, x), below, x, "");
}

static LLVMValueRef divide(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y)
{
	bool s = ir_type_is_signed(i->type);
	if (i->op == IR_OP_idiv_trap)
		return s ? LLVMBuildSDiv(l->builder, x, y, "") : LLVMBuildUDiv(l->builder, x, y, "");
	return s ? LLVMBuildSRem(l->builder, x, y, "") : LLVMBuildURem(l->builder, x, y, "");
}

/* The divisor is replaced by whether it is one, not by whether the thread is bad: threads that agree on the operands
 * agree on the result (lowering_shared.c). */
static LLVMValueRef divide_trap(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y)
{
	if (lowering_certain(l))
		return divide(l, i, x, y);
	bool s = ir_type_is_signed(i->type);
	LLVMValueRef sound = compare(l, LLVMIntNE, y, LLVMConstNull(LLVMTypeOf(y)));
	lowering_require(l, i, TRAP_DIVISION, sound, NULL, NULL);
	if (s) {
		LLVMValueRef below = compare(l, LLVMIntEQ, x, least(l, i->type));
		LLVMValueRef minus_one = compare(l, LLVMIntEQ, y, LLVMConstAllOnes(LLVMTypeOf(y)));
		LLVMValueRef fits = LLVMBuildNot(l->builder, both(l, below, minus_one), "");
		lowering_require(l, i, TRAP_OVERFLOW, fits, NULL, NULL);
		sound = both(l, sound, fits);
	}
	if (l->machine->mode == MACHINE_THREAD || l->vectors)
		y = LLVMBuildSelect(l->builder, sound, y, lowering_bits(l, LLVMTypeOf(y), 1), "");
	return divide(l, i, x, y);
}

/* ---- Shifts ---- */

static LLVMValueRef shift(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef count)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	LLVMValueRef zero = LLVMConstNull(type);
	LLVMValueRef last = lowering_bits(l, type, ir_type_bits(i->type) - 1);
	LLVMValueRef within = compare(l, LLVMIntULE, count, last);
	/* No machine leaves a shift by the width or more defined: the count stays below it in any case. */
	if (i->op == IR_OP_ishr && ir_type_is_signed(i->type))
		return LLVMBuildAShr(l->builder, x, LLVMBuildSelect(l->builder, within, count, last, ""), "");
	LLVMValueRef small = LLVMBuildAnd(l->builder, count, last, "");
	LLVMValueRef shifted =
	    i->op == IR_OP_ishl ? LLVMBuildShl(l->builder, x, small, "") : LLVMBuildLShr(l->builder, x, small, "");
	return LLVMBuildSelect(l->builder, within, shifted, zero, "");
}

LLVMValueRef lowering_integer(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef x = lowering_operand(l, i, 0);
	LLVMValueRef y = ir_op_infos[i->op].arity > 1 ? lowering_operand(l, i, 1) : NULL;
	switch ((int)i->op) {
	case IR_OP_iadd:
	case IR_OP_isub:
	case IR_OP_imul: return wrap(l, i->op, x, y);
	case IR_OP_ineg: return LLVMBuildNeg(l->builder, x, "");
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap:
	case IR_OP_imul_trap: return add_trap(l, i, x, y);
	case IR_OP_ineg_trap: return negate_trap(l, i, x);
	case IR_OP_iabs_trap: return magnitude_trap(l, i, x);
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap: return divide_trap(l, i, x, y);
	case IR_OP_band: return both(l, x, y);
	case IR_OP_bor: return LLVMBuildOr(l->builder, x, y, "");
	case IR_OP_bxor: return LLVMBuildXor(l->builder, x, y, "");
	case IR_OP_bnot: return LLVMBuildNot(l->builder, x, "");
	case IR_OP_ishl:
	case IR_OP_ishr: return shift(l, i, x, y);
	}
	assert(!"not an integer operation");
	return NULL;
}

LLVMValueRef lowering_convert_trap(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	LLVMValueRef v = lowering_operand(l, i, 0);
	LLVMTypeRef narrow = lowering_type(l, i->type);
	bool widens = ir_type_bits(i->type) > ir_type_bits(from);
	LLVMValueRef result = widens ? lowering_extend(l, from, v, narrow) : LLVMBuildTrunc(l->builder, v, narrow, "");
	LLVMValueRef sound = NULL;
	if (!widens) {
		LLVMValueRef back = lowering_extend(l, i->type, result, LLVMTypeOf(v));
		sound = compare(l, LLVMIntEQ, back, v);
	}
	/* The bits may agree while the two types read them differently. */
	bool signs = ir_type_is_signed(from) != ir_type_is_signed(i->type);
	if (signs && !(widens && ir_type_is_signed(i->type))) {
		LLVMValueRef sign = negative(l, ir_type_is_signed(from) ? v : result);
		LLVMValueRef positive = LLVMBuildNot(l->builder, sign, "");
		sound = sound ? both(l, sound, positive) : positive;
	}
	if (sound && !lowering_proved(l, i))
		lowering_require(l, i, TRAP_OVERFLOW, sound, NULL, NULL);
	return result;
}
