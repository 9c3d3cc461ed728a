/* Constants, parameters, ids, and the small pieces that every other file builds with. */
#include <assert.h>
#include <string.h>

#include "lower/llvm/lowering.h"

LLVMValueRef lowering_i32(const struct lowering *l, uint32_t v)
{
	return LLVMConstInt(lowering_int(l, 32), v, false);
}

LLVMValueRef lowering_i64(const struct lowering *l, uint64_t v)
{
	return LLVMConstInt(lowering_int(l, 64), v, false);
}

LLVMValueRef lowering_operand(struct lowering *l, const struct ir_instruction *i, unsigned n)
{
	if (l->vectors)
		return lowering_vector_value(l, i->operands[n]);
	return l->values[i->operands[n]->id];
}

LLVMValueRef lowering_bits(const struct lowering *l, LLVMTypeRef type, uint64_t bits)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMConstInt(type, bits, false);
	LLVMValueRef *all = ARENA_ARRAY(l->arena, LLVMValueRef, l->width);
	for (unsigned n = 0; n < l->width; n++)
		all[n] = LLVMConstInt(LLVMGetElementType(type), bits, false);
	return LLVMConstVector(all, l->width);
}

LLVMValueRef lowering_alloca(struct lowering *l, LLVMTypeRef type, const char *name)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder);
	LLVMValueRef first = LLVMGetFirstInstruction(l->entry);
	if (first)
		LLVMPositionBuilderBefore(l->builder, first);
	else
		lowering_enter(l, l->entry);
	LLVMValueRef address = LLVMBuildAlloca(l->builder, type, name);
	lowering_enter(l, here);
	return address;
}

LLVMBasicBlockRef lowering_block(struct lowering *l, const char *name)
{
	return LLVMAppendBasicBlockInContext(l->context, l->function, name);
}

void lowering_enter(struct lowering *l, LLVMBasicBlockRef block)
{
	LLVMPositionBuilderAtEnd(l->builder, block);
}

void lowering_jump(struct lowering *l, LLVMBasicBlockRef to)
{
	if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->builder)))
		LLVMBuildBr(l->builder, to);
}

LLVMBasicBlockRef lowering_begin_if(struct lowering *l, LLVMValueRef condition)
{
	LLVMBasicBlockRef then = lowering_block(l, "then"), after = lowering_block(l, "after");
	LLVMBuildCondBr(l->builder, condition, then, after);
	lowering_enter(l, then);
	return after;
}

void lowering_end_if(struct lowering *l, LLVMBasicBlockRef after)
{
	lowering_jump(l, after);
	lowering_enter(l, after);
}

LLVMValueRef lowering_intrinsic(struct lowering *l, const char *name, LLVMTypeRef t, LLVMValueRef *arguments,
                                unsigned count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	assert(id && "an intrinsic that every LLVM since 15 has");
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, &t, t ? 1 : 0);
	LLVMTypeRef type = LLVMIntrinsicGetType(l->context, id, &t, t ? 1 : 0);
	return LLVMBuildCall2(l->builder, type, function, arguments, count, "");
}

LLVMValueRef lowering_external(struct lowering *l, const char *name, unsigned convention, LLVMTypeRef type,
                               LLVMValueRef *arguments, unsigned count)
{
	LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
	if (!function) {
		unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
		function = LLVMAddFunction(l->module, name, type);
		LLVMSetFunctionCallConv(function, convention);
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		                        LLVMCreateEnumAttribute(l->context, nounwind, 0));
	}
	LLVMValueRef call = LLVMBuildCall2(l->builder, type, function, arguments, count, "");
	LLVMSetInstructionCallConv(call, convention);
	return call;
}

static LLVMValueRef constant(struct lowering *l, const struct ir_instruction *i)
{
	LLVMTypeRef type = lowering_type(l, i->type);
	if (!ir_type_is_float(i->type))
		return LLVMConstInt(type, i->bits, false);
	/* By bits, so that a NaN keeps its own. */
	LLVMValueRef bits = LLVMConstInt(lowering_int(l, ir_type_bits(i->type)), i->bits, false);
	return LLVMConstBitCast(bits, type);
}

LLVMValueRef lowering_index(struct lowering *l, LLVMValueRef v)
{
	bool narrow = ir_type_bits(&ir_types[l->kernel->index]) < 64 && LLVMTypeOf(v) == lowering_int(l, 64);
	return narrow ? LLVMBuildTrunc(l->builder, v, lowering_int(l, 32), "") : v;
}

LLVMValueRef lowering_length(struct lowering *l, const struct ir_memory *base)
{
	return base->kind == IR_MEMORY_BUFFER ? l->arguments[base->parameter].length
	                                      : lowering_i64(l, base->type->count);
}

LLVMValueRef lowering_given(struct lowering *l, const struct ir_instruction *i)
{
	switch ((int)i->op) {
	case IR_OP_const: return constant(l, i);
	case IR_OP_parameter: return l->arguments[i->parameter].value;
	case IR_OP_length: return lowering_index(l, lowering_length(l, i->base));
	case IR_OP_global_id: return lowering_index(l, l->global_id[i->axis]);
	case IR_OP_local_id: return lowering_index(l, l->local_id[i->axis]);
	case IR_OP_group_id: return lowering_index(l, l->group_id[i->axis]);
	case IR_OP_group_size: return lowering_index(l, lowering_i64(l, l->kernel->group[i->axis]));
	case IR_OP_grid_size: return lowering_index(l, l->extents[i->axis]);
	}
	assert(!"not a given value");
	return NULL;
}
