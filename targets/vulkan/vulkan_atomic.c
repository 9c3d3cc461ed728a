/* Atomics: with their order, or relaxed, with a fence before a release and after an acquire. */
#include <assert.h>

#include "targets/vulkan/vulkan_writer.h"

static SpvOp operation_of(enum ir_op op, bool is_signed)
{
	switch ((int)op) {
	case IR_OP_atomic_swap: return SpvOpAtomicExchange;
	case IR_OP_atomic_add: return SpvOpAtomicIAdd;
	case IR_OP_atomic_sub: return SpvOpAtomicISub;
	case IR_OP_atomic_min: return is_signed ? SpvOpAtomicSMin : SpvOpAtomicUMin;
	case IR_OP_atomic_max: return is_signed ? SpvOpAtomicSMax : SpvOpAtomicUMax;
	case IR_OP_atomic_and: return SpvOpAtomicAnd;
	case IR_OP_atomic_or: return SpvOpAtomicOr;
	}
	assert(op == IR_OP_atomic_xor);
	return SpvOpAtomicXor;
}

/* Where an atomic acts, with which other threads, and in which order: where it writes, and where a comparison finds
 * another value. */
struct target {
	uint32_t address, scope, order, unequal;
};

/* Of the memory it acts on, which relaxed ones do not name. */
static uint32_t semantics_of(struct vulkan_writer *w, const struct ir_instruction *i, enum ir_order order)
{
	static const uint32_t orders[] = {SpvMemorySemanticsMaskNone, SpvMemorySemanticsAcquireMask,
	                                  SpvMemorySemanticsReleaseMask, SpvMemorySemanticsAcquireReleaseMask};
	uint32_t memory = i->base->kind == IR_MEMORY_SHARED ? SpvMemorySemanticsWorkgroupMemoryMask
	                                                    : SpvMemorySemanticsUniformMemoryMask;
	const struct vulkan_form *form = w->module->form;
	bool relaxed = order == IR_ORDER_RELAXED || !form->ordered_atomics || form->relaxed_atomics;
	return vulkan_u32(w->module, relaxed ? SpvMemorySemanticsMaskNone : orders[order] | memory);
}

static struct target target_of(struct vulkan_writer *w, const struct ir_instruction *i, const struct ir_type *t)
{
	bool group = i->scope == IR_SCOPE_WORKGROUP || i->base->kind == IR_MEMORY_SHARED;
	bool acquires = (i->order == IR_ORDER_ACQUIRE || i->order == IR_ORDER_ACQ_REL) && !i->relaxed_unequal;
	return (struct target){
	    .address = vulkan_address(w, i, t),
	    .scope = vulkan_u32(w->module, group ? SpvScopeWorkgroup : SpvScopeDevice),
	    .order = semantics_of(w, i, i->order),
	    .unequal = semantics_of(w, i, acquires ? IR_ORDER_ACQUIRE : IR_ORDER_RELAXED),
	};
}

static uint32_t exchange_if(struct vulkan_writer *w, struct target at, uint32_t expected, uint32_t desired)
{
	return VULKAN_RESULT(w, SpvOpAtomicCompareExchange, vulkan_int(w->module, 32), at.address, at.scope, at.order,
	                     at.unequal, desired, expected);
}

/* ---- Sums of floats ---- */

/* They depend on the order, but for some that are exact. */
bool vulkan_may_be_inexact(const struct ir_kernel *k, const struct ir_instruction *i)
{
	return k->policy == IR_POLICY_STOP && i->op == IR_OP_atomic_add && ir_type_is_float(i->type);
}

/* An integer below 2^24 in magnitude (spec/sspur.md 1.6). */
static uint32_t is_small_integer(struct vulkan_writer *w, uint32_t v)
{
	uint32_t type = vulkan_float(w->module, 32),
	         limit = vulkan_constant(w->module, &ir_types[IR_TYPE_f32], 0x4b800000);
	uint32_t magnitude = vulkan_glsl(w, GLSLstd450FAbs, type, v);
	uint32_t whole = vulkan_glsl(w, GLSLstd450Floor, type, v);
	return vulkan_both(w, vulkan_test(w, SpvOpFOrdLessThan, magnitude, limit),
	                   vulkan_test(w, SpvOpFOrdEqual, whole, v));
}

/* Only non-negative addends: then no order goes through a sum that is not exact. */
static void require_exact(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t x, uint32_t old,
                          uint32_t sum)
{
	uint32_t zero = vulkan_constant(w->module, &ir_types[IR_TYPE_f32], 0);
	uint32_t exact = vulkan_test(w, SpvOpFOrdGreaterThanEqual, x, zero);
	exact = vulkan_both(w, exact, vulkan_both(w, is_small_integer(w, x), is_small_integer(w, old)));
	vulkan_require(w, i, TRAP_INEXACT, vulkan_both(w, exact, is_small_integer(w, sum)), 0);
}

/* An exchange loop: with one rounding, whatever the device's own float atomics do. Its memory is of integers. */
static uint32_t float_add(struct vulkan_writer *w, const struct ir_instruction *i, struct target at, uint32_t x)
{
	struct vulkan_module *m = w->module;
	uint32_t word = vulkan_int(m, 32), type = vulkan_float(m, 32);
	uint32_t start = VULKAN_RESULT(w, SpvOpAtomicLoad, word, at.address, at.scope, at.order);
	uint32_t before = w->block, head = vulkan_id(m), next = vulkan_id(m), after = vulkan_id(m);
	uint32_t end = w->rounds ? vulkan_id(m) : after;
	vulkan_rounds_enter(w);
	uint32_t old = vulkan_id(m), seen = vulkan_id(m);
	vulkan_jump(w, head);
	vulkan_label(w, head);
	VULKAN_DO(w, SpvOpPhi, word, old, start, before, seen, next);
	uint32_t old_value = VULKAN_RESULT(w, SpvOpBitcast, type, old);
	uint32_t sum = VULKAN_RESULT(w, SpvOpFAdd, type, old_value, x);
	uint32_t desired = VULKAN_RESULT(w, SpvOpBitcast, word, sum);
	VULKAN_DO(w, SpvOpAtomicCompareExchange, word, seen, at.address, at.scope, at.order, at.unequal, desired, old);
	uint32_t done = vulkan_test(w, SpvOpIEqual, seen, old);
	VULKAN_DO(w, SpvOpLoopMerge, after, next, SpvLoopControlMaskNone);
	VULKAN_DO(w, SpvOpBranchConditional, done, end, next);
	if (end != after) {
		vulkan_label(w, end);
		vulkan_rounds_leave(w);
		vulkan_jump(w, after);
	}
	vulkan_label(w, next);
	vulkan_jump(w, head);
	vulkan_label(w, after);
	if (!w->loops)
		vulkan_rounds_check(w, i);
	if (vulkan_may_be_inexact(w->kernel, i))
		require_exact(w, i, x, old_value, sum);
	return old_value;
}

/* ---- All ---- */

/* The value before; 0 for a store. */
static uint32_t update(struct vulkan_writer *w, const struct ir_instruction *i, const struct ir_type *t)
{
	uint32_t x = i->operands[0] ? vulkan_operand(w, i, 0) : 0, word = vulkan_int(w->module, 32);
	struct target at = target_of(w, i, t);
	switch ((int)i->op) {
	case IR_OP_atomic_store: VULKAN_DO(w, SpvOpAtomicStore, at.address, at.scope, at.order, x); return 0;
	case IR_OP_atomic_load: return VULKAN_RESULT(w, SpvOpAtomicLoad, word, at.address, at.scope, at.order);
	case IR_OP_atomic_cas: return exchange_if(w, at, x, vulkan_operand(w, i, 1));
	}
	if (ir_type_is_float(t))
		return float_add(w, i, at, x);
	return VULKAN_RESULT(w, operation_of(i->op, ir_type_is_signed(t)), word, at.address, at.scope, at.order, x);
}

void vulkan_atomic(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *t = i->op == IR_OP_atomic_store ? i->operands[0]->type : i->type;
	uint32_t good = vulkan_good(w), before = w->block, after = good ? vulkan_begin_if(w, good) : 0;
	bool fences = !w->module->form->ordered_atomics && !w->module->form->relaxed_atomics;
	w->known_good = good != 0;
	if (fences && (i->order == IR_ORDER_RELEASE || i->order == IR_ORDER_ACQ_REL))
		vulkan_fence(w, i->scope);
	uint32_t old = update(w, i, t);
	if (fences && (i->order == IR_ORDER_ACQUIRE || i->order == IR_ORDER_ACQ_REL))
		vulkan_fence(w, i->scope);
	w->known_good = false;
	if (after) {
		uint32_t from = w->block;
		vulkan_end_if(w, after);
		/* A bad thread does not take the branch: there the value is 0. */
		uint32_t type = vulkan_value_type(w->module, t);
		if (old)
			old = VULKAN_RESULT(w, SpvOpPhi, type, old, from, vulkan_constant(w->module, t, 0), before);
	}
	w->values[i->id] = old;
}
