/* Rewrites every `fcmp` of order with one zero, scalar or vector. */
#include "lower/llvm/zero_compare.h"

#include <stdbool.h>
#include <stdlib.h>

#include "utils/base/arena.h"

static bool is_zero_scalar(LLVMValueRef v)
{
	LLVMBool lost;
	return LLVMIsAConstantFP(v) && LLVMConstRealGetDouble(v, &lost) == 0.0;
}

static bool is_zero(LLVMValueRef v)
{
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
		return is_zero_scalar(v);
	if (LLVMIsAConstantAggregateZero(v))
		return true;
	if (!LLVMIsAConstantDataVector(v))
		return false;
	for (unsigned n = 0; n < LLVMGetVectorSize(LLVMTypeOf(v)); n++)
		if (!is_zero_scalar(LLVMGetAggregateElement(v, n)))
			return false;
	return true;
}

/* The least subnormal of the (element) type, with a sign; as many as the type has. */
static LLVMValueRef least_subnormal(LLVMTypeRef type, bool negative)
{
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMTypeRef scalar = is_vector ? LLVMGetElementType(type) : type;
	unsigned width = LLVMGetTypeKind(scalar) == LLVMDoubleTypeKind ? 64 : 32;
	LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetTypeContext(type), width);
	unsigned long long pattern = 1 | (negative ? 1ull << (width - 1) : 0);
	LLVMValueRef one = LLVMConstBitCast(LLVMConstInt(bits, pattern, false), scalar);
	if (!is_vector)
		return one;
	unsigned count = LLVMGetVectorSize(type);
	LLVMValueRef *all = memory_alloc(count * sizeof(LLVMValueRef));
	for (unsigned n = 0; n < count; n++)
		all[n] = one;
	LLVMValueRef vector = LLVMConstVector(all, count);
	free(all);
	return vector;
}

/* `x p 0` as a comparison with d or -d. */
static LLVMValueRef by_subnormal(LLVMBuilderRef b, LLVMRealPredicate p, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	switch ((int)p) { /* of LLVM's, those that our comparisons use */
	case LLVMRealOGT: return LLVMBuildFCmp(b, LLVMRealOGE, x, least_subnormal(type, false), "");
	case LLVMRealOGE: return LLVMBuildFCmp(b, LLVMRealOGT, x, least_subnormal(type, true), "");
	case LLVMRealOLT: return LLVMBuildFCmp(b, LLVMRealOLE, x, least_subnormal(type, true), "");
	case LLVMRealOLE: return LLVMBuildFCmp(b, LLVMRealOLT, x, least_subnormal(type, false), "");
	}
	return NULL;
}

/* The same of a scalar's bits: those of the numbers above zero are 1 to those of infinity, in order. */
static LLVMValueRef by_bits(LLVMBuilderRef b, LLVMRealPredicate p, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	bool wide = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
	LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetTypeContext(type), wide ? 64 : 32);
	unsigned long long sign = wide ? 1ull << 63 : 1ull << 31, infinity = wide ? 0x7ffull << 52 : 0xffull << 23;
	LLVMValueRef one = LLVMConstInt(bits, 1, false), v = LLVMBuildBitCast(b, x, bits, "");
	bool below = p == LLVMRealOLT || p == LLVMRealOLE;
	if (!below && p != LLVMRealOGT && p != LLVMRealOGE)
		return NULL;
	LLVMValueRef turned = below ? LLVMBuildXor(b, v, LLVMConstInt(bits, sign, false), "") : v;
	LLVMValueRef beyond =
	    LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, turned, one, ""), LLVMConstInt(bits, infinity, false), "");
	if (p == LLVMRealOGT || p == LLVMRealOLT)
		return beyond;
	LLVMValueRef doubled = LLVMBuildShl(b, v, one, "");
	return LLVMBuildOr(b, beyond, LLVMBuildICmp(b, LLVMIntEQ, doubled, LLVMConstInt(bits, 0, false), ""), "");
}

static LLVMRealPredicate mirrored(LLVMRealPredicate p)
{
	switch ((int)p) {
	case LLVMRealOGT: return LLVMRealOLT;
	case LLVMRealOGE: return LLVMRealOLE;
	case LLVMRealOLT: return LLVMRealOGT;
	case LLVMRealOLE: return LLVMRealOGE;
	}
	return p;
}

static void replace(LLVMBuilderRef b, LLVMValueRef compare, bool bits)
{
	LLVMValueRef (*replacement)(LLVMBuilderRef, LLVMRealPredicate, LLVMValueRef) = bits ? by_bits : by_subnormal;
	LLVMValueRef x = LLVMGetOperand(compare, 0), y = LLVMGetOperand(compare, 1);
	LLVMRealPredicate p = LLVMGetFCmpPredicate(compare);
	if (is_zero(x) == is_zero(y))
		return;
	LLVMPositionBuilderBefore(b, compare);
	LLVMValueRef made = is_zero(y) ? replacement(b, p, x) : replacement(b, mirrored(p), y);
	if (!made)
		return;
	LLVMReplaceAllUsesWith(compare, made);
	LLVMInstructionEraseFromParent(compare);
}

void zero_compare_replace(LLVMModuleRef module, bool bits)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMGetInstructionOpcode(i) == LLVMFCmp)
					replace(b, i, bits);
			}
	LLVMDisposeBuilder(b);
}
