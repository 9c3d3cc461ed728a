/* Atomics of lanes. Where all lanes are at one place, their values are combined first, if nobody uses the results or
 * those are sums up to the lane; else the lanes go one after another, in order. Which kernels that is right for,
 * atomic_order.h says. */
#include "lower/llvm/atomic_order.h"
#include "lower/llvm/lowering_vector.h"

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

static bool is_sum(const struct ir_instruction *i)
{
	return i->op == IR_OP_atomic_add || i->op == IR_OP_atomic_sub;
}

static bool is_combined(const struct lowering *l, const struct ir_instruction *i)
{
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index && lowering_vector_shape(l, i->path[n].index) != VECTOR_UNIFORM)
			return false;
	return atomic_order_commutes(i) && (is_sum(i) || !atomic_order_is_used(l->kernel, i));
}

/* ---- At one place ---- */

/* Of each lane, the sum of the lanes before it. */
static LLVMValueRef sums_before(struct lowering *l, LLVMValueRef v)
{
	LLVMValueRef none = LLVMConstNull(LLVMTypeOf(v));
	for (unsigned step = 1; step <= l->width; step *= 2) {
		/* Lanes are moved up, at last by one, so that none counts itself. */
		unsigned by = step == l->width ? 1 : step;
		LLVMValueRef *from = ARENA_ARRAY(l->arena, LLVMValueRef, l->width);
		for (unsigned n = 0; n < l->width; n++)
			from[n] = lowering_i32(l, l->width + n - by);
		LLVMValueRef moved = LLVMBuildShuffleVector(l->builder, none, v, LLVMConstVector(from, l->width), "");
		v = step == l->width ? moved : LLVMBuildAdd(l->builder, v, moved, "");
	}
	return v;
}

static void at_one_place(struct lowering *l, const struct ir_instruction *i)
{
	LLVMBuilderRef b = l->builder;
	LLVMValueRef v = lowering_vector_value(l, i->operands[0]);
	LLVMValueRef none = lowering_bits(l, LLVMTypeOf(v), atomic_order_identity(i->op, i->type));
	if (l->active)
		v = LLVMBuildSelect(b, l->active, v, none, "");
	LLVMValueRef one = lowering_intrinsic(l, reduction_of(i->op, i->type), LLVMTypeOf(v), &v, 1);
	LLVMValueRef address = lowering_address(l, i, lowering_memory_type(l, i->type));
	LLVMValueRef old = lowering_atomic_at(l, i, address, one, NULL);
	if (!atomic_order_is_used(l->kernel, i))
		return;
	LLVMValueRef all = lowering_vector_splat(l, old), before = sums_before(l, v);
	l->values[i->id] =
	    i->op == IR_OP_atomic_add ? LLVMBuildAdd(b, all, before, "") : LLVMBuildSub(b, all, before, "");
}

/* ---- One lane after another ---- */

/* A vector that is kept in memory. */
struct kept {
	LLVMValueRef address; /* NULL: there is none */
	LLVMTypeRef vector, element;
};

static struct kept keep(struct lowering *l, LLVMTypeRef element)
{
	struct kept k = {.vector = lowering_vector_of(l, element), .element = element};
	k.address = lowering_alloca(l, k.vector, "lanes");
	return k;
}

static struct kept keep_value(struct lowering *l, LLVMValueRef vector)
{
	struct kept k = keep(l, LLVMGetElementType(LLVMTypeOf(vector)));
	LLVMBuildStore(l->builder, vector, k.address);
	return k;
}

static LLVMValueRef kept_element(struct lowering *l, struct kept k, LLVMValueRef lane)
{
	LLVMValueRef first = LLVMBuildBitCast(l->builder, k.address, LLVMPointerType(k.element, 0), "");
	return LLVMBuildInBoundsGEP2(l->builder, k.element, first, &lane, 1, "");
}

static LLVMValueRef load_kept(struct lowering *l, struct kept k, LLVMValueRef lane)
{
	return LLVMBuildLoad2(l->builder, k.element, kept_element(l, k, lane), "");
}

struct by_lanes {
	const struct ir_instruction *i;
	struct kept offsets, operands[2], results;
};

static struct kept keep_operand(struct lowering *l, const struct ir_instruction *operand)
{
	if (!operand || lowering_vector_shape(l, operand) == VECTOR_UNIFORM)
		return (struct kept){0};
	return keep_value(l, lowering_vector_value(l, operand));
}

static LLVMValueRef operand(struct lowering *l, const struct by_lanes *a, unsigned n, LLVMValueRef lane)
{
	if (a->operands[n].address)
		return load_kept(l, a->operands[n], lane);
	return a->i->operands[n] ? l->values[a->i->operands[n]->id] : NULL;
}

static void one_lane(struct lowering *l, const struct by_lanes *a, LLVMValueRef lane)
{
	LLVMTypeRef type = LLVMPointerType(lowering_memory_type(l, lowering_atomic_type(a->i)), 0);
	LLVMValueRef offset = load_kept(l, a->offsets, lane);
	LLVMValueRef base = LLVMBuildBitCast(l->builder, lowering_base_address(l, a->i->base),
	                                     LLVMPointerType(lowering_int(l, 8), 0), "");
	LLVMValueRef address = LLVMBuildGEP2(l->builder, lowering_int(l, 8), base, &offset, 1, "");
	address = LLVMBuildBitCast(l->builder, address, type, "");
	LLVMValueRef old = lowering_atomic_at(l, a->i, address, operand(l, a, 0, lane), operand(l, a, 1, lane));
	if (a->results.address)
		LLVMBuildStore(l->builder, old, kept_element(l, a->results, lane));
}

static void each_lane(struct lowering *l, const struct by_lanes *a)
{
	LLVMBuilderRef b = l->builder;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
	LLVMBasicBlockRef each = lowering_block(l, "atomic"), after = lowering_block(l, "atomics");
	LLVMBuildBr(b, each);
	lowering_enter(l, each);
	LLVMValueRef lane = LLVMBuildPhi(b, lowering_int(l, 64), "lane");
	one_lane(l, a, lane);
	LLVMValueRef next = LLVMBuildNUWAdd(b, lane, lowering_i64(l, 1), "");
	LLVMAddIncoming(lane, (LLVMValueRef[]){lowering_i64(l, 0), next},
	                (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(b)}, 2);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, lowering_i64(l, l->width), ""), each, after);
	lowering_enter(l, after);
}

/* By the bits of the active ones, of which there is one at least. */
static void each_active(struct lowering *l, const struct by_lanes *a)
{
	LLVMBuilderRef b = l->builder;
	LLVMTypeRef word = lowering_int(l, l->width);
	LLVMValueRef all = LLVMBuildBitCast(b, l->active, word, "");
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
	LLVMBasicBlockRef each = lowering_block(l, "atomic"), after = lowering_block(l, "atomics");
	LLVMBuildBr(b, each);
	lowering_enter(l, each);
	LLVMValueRef bits = LLVMBuildPhi(b, word, "bits");
	one_lane(l, a, lowering_vector_first(l, bits));
	LLVMValueRef less = LLVMBuildSub(b, bits, LLVMConstInt(word, 1, false), "");
	LLVMValueRef rest = LLVMBuildAnd(b, bits, less, "");
	LLVMAddIncoming(bits, (LLVMValueRef[]){all, rest}, (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(b)}, 2);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, rest, LLVMConstNull(word), ""), each, after);
	lowering_enter(l, after);
}

void lowering_vector_atomic(struct lowering *l, const struct ir_instruction *i)
{
	if (is_combined(l, i)) {
		at_one_place(l, i);
		return;
	}
	struct by_lanes a = {.i = i, .offsets = keep_value(l, lowering_vector_offsets(l, i))};
	for (unsigned n = 0; n < 2; n++)
		a.operands[n] = keep_operand(l, i->operands[n]);
	if (atomic_order_is_used(l->kernel, i)) {
		a.results = keep(l, lowering_memory_type(l, i->type));
		LLVMBuildStore(l->builder, LLVMConstNull(a.results.vector), a.results.address);
	}
	if (l->active)
		each_active(l, &a);
	else
		each_lane(l, &a);
	if (a.results.address)
		l->values[i->id] = LLVMBuildLoad2(l->builder, a.results.vector, a.results.address, "");
}
