/* Atomics. Threads of the sequential mode run one after another, so theirs are plain; a device's are relaxed
 * atomics with a fence before a release and after an acquire. Invocations are on the CPU, where Cone's everyday forms
 * are SeqCst, which is an order of the IR like the others (spec/cone.md part 2): all but relaxed ones are. */
#include <assert.h>

#include "lower/llvm/lowering.h"

static LLVMValueRef less(struct lowering *l, const struct ir_type *t, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildICmp(l->builder, ir_type_is_signed(t) ? LLVMIntSLT : LLVMIntULT, x, y, "");
}

/* What the operation leaves where `old` was. */
static LLVMValueRef combine(struct lowering *l, const struct ir_instruction *i, const struct ir_type *t,
                            LLVMValueRef old, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = l->builder;
	switch ((int)i->op) {
	case IR_OP_atomic_swap: return x;
	case IR_OP_atomic_add: return ir_type_is_float(t) ? LLVMBuildFAdd(b, old, x, "") : LLVMBuildAdd(b, old, x, "");
	case IR_OP_atomic_sub: return LLVMBuildSub(b, old, x, "");
	case IR_OP_atomic_min: return LLVMBuildSelect(b, less(l, t, x, old), x, old, "");
	case IR_OP_atomic_max: return LLVMBuildSelect(b, less(l, t, old, x), x, old, "");
	case IR_OP_atomic_and: return LLVMBuildAnd(b, old, x, "");
	case IR_OP_atomic_or: return LLVMBuildOr(b, old, x, "");
	case IR_OP_atomic_xor: return LLVMBuildXor(b, old, x, "");
	case IR_OP_atomic_cas: return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, old, x, ""), y, old, "");
	}
	assert(!"not an atomic update");
	return old;
}

static LLVMAtomicRMWBinOp operation_of(enum ir_op op, bool is_signed)
{
	switch ((int)op) {
	case IR_OP_atomic_swap: return LLVMAtomicRMWBinOpXchg;
	case IR_OP_atomic_add: return LLVMAtomicRMWBinOpAdd;
	case IR_OP_atomic_sub: return LLVMAtomicRMWBinOpSub;
	case IR_OP_atomic_min: return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
	case IR_OP_atomic_max: return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
	case IR_OP_atomic_and: return LLVMAtomicRMWBinOpAnd;
	case IR_OP_atomic_or: return LLVMAtomicRMWBinOpOr;
	}
	assert(op == IR_OP_atomic_xor);
	return LLVMAtomicRMWBinOpXor;
}

static LLVMAtomicOrdering ordering(const struct lowering *l, const struct ir_instruction *i)
{
	bool strong = l->machine->mode == MACHINE_INVOCATION && i->order != IR_ORDER_RELAXED;
	return strong ? LLVMAtomicOrderingSequentiallyConsistent : LLVMAtomicOrderingMonotonic;
}

static LLVMValueRef load_there(struct lowering *l, const struct ir_instruction *i, LLVMTypeRef type,
                               LLVMValueRef address, uint32_t align)
{
	LLVMValueRef v = LLVMBuildLoad2(l->builder, type, address, "");
	LLVMSetOrdering(v, ordering(l, i));
	LLVMSetAlignment(v, align);
	return v;
}

static LLVMValueRef exchange_if(struct lowering *l, const struct ir_instruction *i, LLVMValueRef address,
                                LLVMValueRef expected, LLVMValueRef desired)
{
	LLVMValueRef pair =
	    LLVMBuildAtomicCmpXchg(l->builder, address, expected, desired, ordering(l, i), ordering(l, i), false);
	return LLVMBuildExtractValue(l->builder, pair, 0, "");
}

/* Sums of floats depend on the order, but for some that are exact. */
bool lowering_may_be_inexact(const struct lowering *l, const struct ir_instruction *i)
{
	return l->machine->mode == MACHINE_THREAD && l->kernel->policy == IR_POLICY_STOP && i->op == IR_OP_atomic_add &&
	       ir_type_is_float(i->type);
}

/* An integer below 2^24 in magnitude (spec/sspur.md 1.6). */
static LLVMValueRef is_small_integer(struct lowering *l, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMValueRef magnitude = lowering_intrinsic(l, "llvm.fabs", type, &v, 1);
	LLVMValueRef whole = lowering_intrinsic(l, "llvm.floor", type, &v, 1);
	return LLVMBuildAnd(l->builder,
	                    LLVMBuildFCmp(l->builder, LLVMRealOLT, magnitude, LLVMConstReal(type, 0x1p24), ""),
	                    LLVMBuildFCmp(l->builder, LLVMRealOEQ, whole, v, ""), "");
}

/* Only non-negative addends: then no order goes through a sum that is not exact. */
static void require_exact(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef old,
                          LLVMValueRef sum)
{
	LLVMBuilderRef b = l->builder;
	LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	LLVMValueRef operands = LLVMBuildAnd(b, is_small_integer(l, x), is_small_integer(l, old), "");
	LLVMValueRef exact = LLVMBuildAnd(b, LLVMBuildAnd(b, positive, operands, ""), is_small_integer(l, sum), "");
	lowering_require(l, i, TRAP_INEXACT, exact, NULL, NULL);
}

/* No device's own float atomics keep subnormals everywhere: an exchange loop does, with one rounding. */
static LLVMValueRef float_add(struct lowering *l, const struct ir_instruction *i, const struct ir_type *t,
                              LLVMValueRef address, LLVMValueRef x)
{
	LLVMTypeRef bits = lowering_int(l, ir_type_bits(t)), type = lowering_type(l, t);
	LLVMValueRef start = load_there(l, i, bits, address, t->align);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef loop = lowering_block(l, "exchange"), after = lowering_block(l, "exchanged");
	LLVMBuildBr(l->builder, loop);
	lowering_enter(l, loop);
	LLVMValueRef old = LLVMBuildPhi(l->builder, bits, "");
	LLVMValueRef old_value = LLVMBuildBitCast(l->builder, old, type, "");
	LLVMValueRef sum = LLVMBuildFAdd(l->builder, old_value, x, "");
	LLVMValueRef seen = exchange_if(l, i, address, old, LLVMBuildBitCast(l->builder, sum, bits, ""));
	LLVMAddIncoming(old, (LLVMValueRef[]){start, seen}, (LLVMBasicBlockRef[]){before, loop}, 2);
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, seen, old, ""), after, loop);
	lowering_enter(l, after);
	if (lowering_may_be_inexact(l, i))
		require_exact(l, i, x, old_value, sum);
	return old_value;
}

static LLVMValueRef device_update(struct lowering *l, const struct ir_instruction *i, const struct ir_type *t,
                                  LLVMValueRef address, LLVMValueRef x, LLVMValueRef y)
{
	if (i->op == IR_OP_atomic_cas)
		return exchange_if(l, i, address, x, y);
	if (ir_type_is_float(t))
		return float_add(l, i, t, address, x);
	LLVMAtomicRMWBinOp op = operation_of(i->op, ir_type_is_signed(t));
	return LLVMBuildAtomicRMW(l->builder, op, address, x, ordering(l, i), false);
}

/* One atomic with its fences; the value before, or NULL for a store. */
static LLVMValueRef on_device(struct lowering *l, const struct ir_instruction *i, const struct ir_type *t,
                              LLVMValueRef address, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef old = NULL;
	bool fences = l->machine->fence != NULL;
	if (fences && (i->order == IR_ORDER_RELEASE || i->order == IR_ORDER_ACQ_REL))
		l->machine->fence(l, i->scope);
	if (i->op == IR_OP_atomic_store) {
		LLVMValueRef v = LLVMBuildStore(l->builder, x, address);
		LLVMSetOrdering(v, ordering(l, i));
		LLVMSetAlignment(v, t->align);
	} else if (i->op == IR_OP_atomic_load) {
		old = load_there(l, i, lowering_int(l, t->size * 8), address, t->align);
		old = LLVMBuildBitCast(l->builder, old, lowering_memory_type(l, t), "");
	} else {
		old = device_update(l, i, t, address, x, y);
	}
	if (fences && (i->order == IR_ORDER_ACQUIRE || i->order == IR_ORDER_ACQ_REL))
		l->machine->fence(l, i->scope);
	return old;
}

static LLVMValueRef in_order(struct lowering *l, const struct ir_instruction *i, const struct ir_type *t,
                             LLVMValueRef address, LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef type = lowering_memory_type(l, t);
	LLVMValueRef old = NULL, left = x;
	if (i->op != IR_OP_atomic_store) {
		old = LLVMBuildLoad2(l->builder, type, address, "");
		LLVMSetAlignment(old, t->align);
	}
	if (i->op == IR_OP_atomic_load)
		return old;
	if (old)
		left = combine(l, i, t, old, x, y);
	LLVMSetAlignment(LLVMBuildStore(l->builder, left, address), t->align);
	return old;
}

/* A value from a branch that a bad thread does not take; there it is 0. */
static LLVMValueRef join(struct lowering *l, LLVMValueRef v, LLVMBasicBlockRef before, LLVMBasicBlockRef after)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->builder);
	lowering_end_if(l, after);
	if (!v)
		return NULL;
	LLVMValueRef phi = LLVMBuildPhi(l->builder, LLVMTypeOf(v), "");
	LLVMValueRef none = LLVMConstNull(LLVMTypeOf(v));
	LLVMAddIncoming(phi, (LLVMValueRef[]){v, none}, (LLVMBasicBlockRef[]){from, before}, 2);
	return phi;
}

static bool is_in_order(const struct lowering *l, const struct ir_instruction *i)
{
	return l->machine->mode == MACHINE_SEQUENTIAL && !(l->parallel && i->base->kind == IR_MEMORY_BUFFER);
}

const struct ir_type *lowering_atomic_type(const struct ir_instruction *i)
{
	return i->op == IR_OP_atomic_store ? i->operands[0]->type : i->type;
}

LLVMValueRef lowering_atomic_at(struct lowering *l, const struct ir_instruction *i, LLVMValueRef address,
                                LLVMValueRef x, LLVMValueRef y)
{
	const struct ir_type *t = lowering_atomic_type(i);
	return is_in_order(l, i) ? in_order(l, i, t, address, x, y) : device_update(l, i, t, address, x, y);
}

void lowering_atomic(struct lowering *l, const struct ir_instruction *i)
{
	bool sequential = is_in_order(l, i);
	const struct ir_type *t = lowering_atomic_type(i);
	/* Float adds go by the exchange of integers. */
	LLVMTypeRef pointed = sequential ? lowering_memory_type(l, t) : lowering_int(l, t->size * 8);
	LLVMValueRef good = lowering_good(l);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef after = good ? lowering_begin_if(l, good) : NULL;
	l->known_good = good != NULL;
	LLVMValueRef address = lowering_address(l, i, pointed);
	LLVMValueRef x = i->operands[0] ? lowering_operand(l, i, 0) : NULL;
	LLVMValueRef y = i->operands[1] ? lowering_operand(l, i, 1) : NULL;
	LLVMValueRef old = sequential ? in_order(l, i, t, address, x, y) : on_device(l, i, t, address, x, y);
	l->known_good = false;
	if (after)
		old = join(l, old, before, after);
	if (i->op != IR_OP_atomic_store)
		l->values[i->id] = old;
}
