/* Atomics of lanes, whose order does not matter and whose results nobody uses (atomic_order.h). Where all lanes are at
 * one place, their values are combined first; else the lanes go one after another. */
#include "lower/llvm/atomic_order.h"
#include "lower/llvm/lowering.h"

/* Combines the lanes' values with what is the operation's between any two; a difference is that of the sum. */
static const char *reduction_of(enum ir_op op, const struct ir_type *t)
{
	bool s = ir_type_is_signed(t);
	switch ((int)op) {
	case IR_OP_atomic_min: return s ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
	case IR_OP_atomic_max: return s ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
	case IR_OP_atomic_and: return "llvm.vector.reduce.and";
	case IR_OP_atomic_or: return "llvm.vector.reduce.or";
	case IR_OP_atomic_xor: return "llvm.vector.reduce.xor";
	}
	return "llvm.vector.reduce.add";
}

static bool is_at_one_place(const struct lowering *l, const struct ir_instruction *i)
{
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index && l->shapes->values[i->path[n].index->id] != VECTOR_UNIFORM)
			return false;
	return true;
}

static void at_one_place(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef v = lowering_vector_value(l, i->operands[0]);
	LLVMValueRef none = lowering_bits(l, LLVMTypeOf(v), atomic_order_identity(i->op, i->type));
	if (l->active)
		v = LLVMBuildSelect(l->builder, l->active, v, none, "");
	LLVMValueRef one = lowering_intrinsic(l, reduction_of(i->op, i->type), LLVMTypeOf(v), &v, 1);
	lowering_atomic_at(l, i, lowering_address(l, i, lowering_memory_type(l, i->type)), one);
}

/* A lane's element of a vector that is kept in memory. */
struct kept {
	LLVMValueRef address;
	LLVMTypeRef element;
};

static struct kept keep(struct lowering *l, LLVMValueRef vector)
{
	struct kept k = {lowering_alloca(l, LLVMTypeOf(vector), "lanes"), LLVMGetElementType(LLVMTypeOf(vector))};
	LLVMBuildStore(l->builder, vector, k.address);
	return k;
}

static LLVMValueRef kept_element(struct lowering *l, struct kept k, LLVMValueRef lane)
{
	LLVMValueRef first = LLVMBuildBitCast(l->builder, k.address, LLVMPointerType(k.element, 0), "");
	return LLVMBuildLoad2(l->builder, k.element, LLVMBuildInBoundsGEP2(l->builder, k.element, first, &lane, 1, ""),
	                      "");
}

static void one_lane(struct lowering *l, const struct ir_instruction *i, struct kept offsets, struct kept values,
                     LLVMValueRef lane)
{
	LLVMTypeRef type = LLVMPointerType(lowering_memory_type(l, i->type), 0);
	LLVMValueRef offset = kept_element(l, offsets, lane);
	LLVMValueRef address =
	    LLVMBuildGEP2(l->builder, lowering_int(l, 8), lowering_base_address(l, i->base), &offset, 1, "");
	address = LLVMBuildBitCast(l->builder, address, type, "");
	LLVMValueRef v = values.address ? kept_element(l, values, lane) : l->values[i->operands[0]->id];
	lowering_atomic_at(l, i, address, v);
}

static void each_lane(struct lowering *l, const struct ir_instruction *i, struct kept offsets, struct kept values)
{
	LLVMBuilderRef b = l->builder;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
	LLVMBasicBlockRef each = lowering_block(l, "atomic"), after = lowering_block(l, "atomics");
	LLVMBuildBr(b, each);
	lowering_enter(l, each);
	LLVMValueRef lane = LLVMBuildPhi(b, lowering_int(l, 64), "lane");
	one_lane(l, i, offsets, values, lane);
	LLVMValueRef next = LLVMBuildNUWAdd(b, lane, lowering_i64(l, 1), "");
	LLVMAddIncoming(lane, (LLVMValueRef[]){lowering_i64(l, 0), next},
	                (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(b)}, 2);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, lowering_i64(l, l->width), ""), each, after);
	lowering_enter(l, after);
}

/* By the bits of the active ones, of which there is one at least. */
static void each_active(struct lowering *l, const struct ir_instruction *i, struct kept offsets, struct kept values)
{
	LLVMBuilderRef b = l->builder;
	LLVMTypeRef word = lowering_int(l, l->width);
	LLVMValueRef all = LLVMBuildBitCast(b, l->active, word, "");
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
	LLVMBasicBlockRef each = lowering_block(l, "atomic"), after = lowering_block(l, "atomics");
	LLVMBuildBr(b, each);
	lowering_enter(l, each);
	LLVMValueRef bits = LLVMBuildPhi(b, word, "bits");
	LLVMValueRef arguments[] = {bits, LLVMConstInt(lowering_int(l, 1), 1, false)};
	LLVMValueRef lane = lowering_intrinsic(l, "llvm.cttz", word, arguments, 2);
	LLVMTypeRef i64 = lowering_int(l, 64);
	lane = l->width > 64   ? LLVMBuildTrunc(b, lane, i64, "")
	       : l->width < 64 ? LLVMBuildZExt(b, lane, i64, "")
	                       : lane;
	one_lane(l, i, offsets, values, lane);
	LLVMValueRef less = LLVMBuildSub(b, bits, LLVMConstInt(word, 1, false), "");
	LLVMValueRef rest = LLVMBuildAnd(b, bits, less, "");
	LLVMAddIncoming(bits, (LLVMValueRef[]){all, rest}, (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(b)}, 2);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, rest, LLVMConstNull(word), ""), each, after);
	lowering_enter(l, after);
}

void lowering_vector_atomic(struct lowering *l, const struct ir_instruction *i)
{
	if (is_at_one_place(l, i)) {
		at_one_place(l, i);
		return;
	}
	struct kept values = {0}, offsets = keep(l, lowering_vector_offsets(l, i));
	if (l->shapes->values[i->operands[0]->id] != VECTOR_UNIFORM)
		values = keep(l, lowering_vector_value(l, i->operands[0]));
	if (l->active)
		each_active(l, i, offsets, values);
	else
		each_lane(l, i, offsets, values);
}
