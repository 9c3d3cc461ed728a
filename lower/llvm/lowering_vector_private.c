/* Private memories of lanes: every scalar is a vector, a lane's in each element, as long as the chunk of lanes is at
 * hand (lowering_vector.c, spread). */
#include "lower/llvm/lowering_vector.h"

static uint64_t bits_at(const struct ir_memory *m, uint32_t offset, uint32_t size)
{
	uint64_t bits = 0;
	for (uint32_t b = size; b-- > 0;)
		bits = bits << 8 | m->init[offset + b];
	return bits;
}

static LLVMValueRef vector_at(struct lowering *l, LLVMValueRef base, LLVMTypeRef type, uint64_t offset)
{
	LLVMValueRef at = lowering_i64(l, offset);
	LLVMValueRef bytes = LLVMBuildBitCast(l->builder, base, LLVMPointerType(lowering_int(l, 8), 0), "");
	LLVMValueRef place = LLVMBuildInBoundsGEP2(l->builder, lowering_int(l, 8), bytes, &at, 1, "");
	return LLVMBuildBitCast(l->builder, place, LLVMPointerType(type, 0), "");
}

static void start_scalar(struct lowering *l, const struct ir_memory *m, LLVMValueRef base, uint32_t offset,
                         uint32_t size)
{
	LLVMTypeRef type = lowering_vector_of(l, lowering_int(l, size * 8));
	LLVMValueRef v = lowering_bits(l, type, m->init ? bits_at(m, offset, size) : 0);
	LLVMValueRef to = vector_at(l, base, type, (uint64_t)offset * l->width);
	LLVMSetAlignment(LLVMBuildStore(l->builder, v, to), size);
}

static void start(struct lowering *l, const struct ir_memory *m, LLVMValueRef base, const struct ir_type *t,
                  uint32_t offset)
{
	switch (t->kind) {
	case IR_TYPE_array:
		for (uint64_t n = 0; n < t->count; n++)
			start(l, m, base, t->element, offset + (uint32_t)(n * t->element->size));
		return;
	case IR_TYPE_struct:
		for (uint64_t n = 0; n < t->count; n++)
			start(l, m, base, t->fields[n].type, offset + t->fields[n].offset);
		return;
	case IR_TYPE_void:
	case IR_TYPE_bool:
	case IR_TYPE_i8:
	case IR_TYPE_u8:
	case IR_TYPE_i16:
	case IR_TYPE_u16:
	case IR_TYPE_i32:
	case IR_TYPE_u32:
	case IR_TYPE_i64:
	case IR_TYPE_u64:
	case IR_TYPE_f32:
	case IR_TYPE_f64: start_scalar(l, m, base, offset, t->size); return;
	}
}

void lowering_vector_private_start(struct lowering *l)
{
	for (uint32_t n = 0; n < l->kernel->memory_count; n++)
		if (l->kernel->memories[n]->kind == IR_MEMORY_PRIVATE)
			start(l, l->kernel->memories[n], l->memories[n], l->kernel->memories[n]->type, 0);
}

enum { ALIGN = 64 };

void lowering_vector_privates(struct lowering *l)
{
	for (uint32_t n = 0; n < l->kernel->memory_count; n++) {
		const struct ir_memory *m = l->kernel->memories[n];
		if (m->kind != IR_MEMORY_PRIVATE)
			continue;
		LLVMTypeRef type = LLVMArrayType(lowering_int(l, 8), (unsigned)m->type->size * l->width);
		l->memories[n] = lowering_alloca(l, type, m->name);
		LLVMSetAlignment(l->memories[n], ALIGN);
	}
	lowering_vector_private_start(l);
}
