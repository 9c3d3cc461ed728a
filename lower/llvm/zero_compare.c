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
static LLVMValueRef replacement(LLVMBuilderRef b, LLVMRealPredicate p, LLVMValueRef x)
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

static void replace(LLVMBuilderRef b, LLVMValueRef compare)
{
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

void zero_compare_replace(LLVMModuleRef module)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMGetInstructionOpcode(i) == LLVMFCmp)
					replace(b, i);
			}
	LLVMDisposeBuilder(b);
}
