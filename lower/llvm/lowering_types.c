/* IR types as LLVM types. */
#include <assert.h>

#include "lower/llvm/lowering.h"

LLVMTypeRef lowering_int(const struct lowering *l, unsigned bits)
{
	return LLVMIntTypeInContext(l->context, bits);
}

static LLVMTypeRef in_lanes(const struct lowering *l, LLVMTypeRef type)
{
	return l->vectors ? LLVMVectorType(type, l->width) : type;
}

LLVMTypeRef lowering_value_int(const struct lowering *l, unsigned bits)
{
	return in_lanes(l, lowering_int(l, bits));
}

LLVMTypeRef lowering_type(const struct lowering *l, const struct ir_type *t)
{
	switch (t->kind) {
	case IR_TYPE_void: return LLVMVoidTypeInContext(l->context);
	case IR_TYPE_bool:
	case IR_TYPE_i8:
	case IR_TYPE_u8:
	case IR_TYPE_i16:
	case IR_TYPE_u16:
	case IR_TYPE_i32:
	case IR_TYPE_u32:
	case IR_TYPE_i64:
	case IR_TYPE_u64: return lowering_value_int(l, ir_type_bits(t));
	case IR_TYPE_f32: return in_lanes(l, LLVMFloatTypeInContext(l->context));
	case IR_TYPE_f64: return in_lanes(l, LLVMDoubleTypeInContext(l->context));
	case IR_TYPE_array:
	case IR_TYPE_struct: break;
	}
	assert(!"values are scalars");
	return NULL;
}

LLVMTypeRef lowering_memory_type(const struct lowering *l, const struct ir_type *t)
{
	if (t->kind == IR_TYPE_bool)
		return lowering_int(l, 32);
	if (ir_type_is_scalar(t))
		return lowering_type(l, t);
	return LLVMArrayType(lowering_int(l, 8), t->size);
}

LLVMValueRef lowering_from_memory(struct lowering *l, const struct ir_type *t, LLVMValueRef v)
{
	return t->kind == IR_TYPE_bool ? LLVMBuildICmp(l->builder, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

LLVMValueRef lowering_to_memory(struct lowering *l, const struct ir_type *t, LLVMValueRef v)
{
	return t->kind == IR_TYPE_bool ? LLVMBuildZExt(l->builder, v, lowering_value_int(l, 32), "") : v;
}
