/* Control of lanes: masks of those that are active. Wherever code runs, at least one is; where the last one goes, code
 * goes on at l->skip. Lanes end by a return or, under IR_POLICY_RECORD, a failure, and leave loops by jumps: what they
 * were in forgets them, and each control looks again at its end which lanes are left. */
#include "lower/llvm/lowering_vector.h"

static void lower_region(struct lowering *l, const struct ir_region *region)
{
	lowering_vector_range(l, region->first, NULL);
}

static LLVMTypeRef mask_type(const struct lowering *l)
{
	return lowering_vector_of(l, lowering_int(l, 1));
}

static LLVMValueRef load_mask(struct lowering *l, LLVMValueRef mask)
{
	return LLVMBuildLoad2(l->builder, mask_type(l), mask, "");
}

/* ---- Lanes that leave ---- */

void lowering_vector_open(struct lowering *l, LLVMBasicBlockRef skip)
{
	l->live = l->shapes->ends ? lowering_alloca(l, mask_type(l), "live") : NULL;
	if (l->live)
		LLVMBuildStore(l->builder, lowering_vector_mask(l), l->live);
	l->vector_loops = NULL;
	l->skip = skip;
}

LLVMValueRef lowering_vector_left(struct lowering *l)
{
	return l->live ? load_mask(l, l->live) : NULL;
}

static void take(struct lowering *l, LLVMValueRef mask, LLVMValueRef lanes)
{
	LLVMValueRef left = LLVMBuildAnd(l->builder, load_mask(l, mask), LLVMBuildNot(l->builder, lanes, ""), "");
	LLVMBuildStore(l->builder, left, mask);
}

void lowering_vector_end(struct lowering *l, LLVMValueRef lanes)
{
	take(l, l->live, lanes);
	for (const struct vector_loop *loop = l->vector_loops; loop; loop = loop->outer) {
		take(l, loop->going, lanes);
		take(l, loop->round, lanes);
	}
}

/* The active lanes leave their loop, or its round. */
static void jump(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef lanes = lowering_vector_mask(l);
	for (const struct vector_loop *loop = l->vector_loops;; loop = loop->outer) {
		take(l, loop->round, lanes);
		if (loop->control != i->target || i->op == IR_OP_break)
			take(l, loop->going, lanes);
		if (loop->control == i->target)
			break;
	}
	LLVMBuildBr(l->builder, l->skip);
}

static LLVMValueRef still_active(struct lowering *l, LLVMValueRef before)
{
	LLVMValueRef mask = l->vector_loops ? l->vector_loops->round : l->live;
	return mask ? lowering_vector_both(l, before, load_mask(l, mask)) : before;
}

/* Of the lanes that were active before, those that still are; code goes on at `none` if there are none. */
static void look_again(struct lowering *l, LLVMValueRef before, LLVMBasicBlockRef none)
{
	l->active = still_active(l, before);
	if (!l->active)
		return;
	LLVMBasicBlockRef some = lowering_block(l, "some_left");
	LLVMBuildCondBr(l->builder, lowering_vector_any(l, l->active), some, none);
	lowering_enter(l, some);
}

/* ---- Branches ---- */

/* The region, for the active lanes, if there are any; goes on in block `after`. */
static void lower_side(struct lowering *l, const struct ir_region *region, LLVMBasicBlockRef after)
{
	LLVMValueRef active = l->active;
	LLVMBasicBlockRef skip = l->skip;
	l->skip = after;
	lower_region(l, region);
	lowering_jump(l, after);
	l->skip = skip;
	l->active = active;
}

/* For those of the lanes that `within` has; for none, it is passed by. */
static void lower_masked_side(struct lowering *l, const struct ir_region *region, LLVMValueRef within)
{
	LLVMValueRef outer = l->active;
	LLVMBasicBlockRef side = lowering_block(l, "then"), after = lowering_block(l, "after");
	l->active = lowering_vector_both(l, outer, within);
	LLVMBuildCondBr(l->builder, lowering_vector_any(l, l->active), side, after);
	lowering_enter(l, side);
	lower_side(l, region, after);
	lowering_enter(l, after);
	l->active = outer;
}

enum { SMALL = 40 };

static bool count_small(void *context, struct ir_instruction *i)
{
	unsigned *count = context;
	bool heavy = i->op == IR_OP_for || i->op == IR_OP_loop || (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC);
	return !heavy && ++*count <= SMALL;
}

static bool is_row(enum vector_shape shape)
{
	return shape == VECTOR_AFFINE || shape == VECTOR_WRAPPING;
}

/* One that is often true for all lanes or for none: of their numbers. Its side is worth having twice. */
static bool is_bound(const struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_instruction *c = i->operands[0];
	unsigned count = 0;
	if (!lowering_certain(l) || l->active || i->regions[1].first || ir_op_infos[c->op].result != IR_RESULT_BOOL ||
	    ir_op_infos[c->op].arity != 2 || c->op == IR_OP_eq)
		return false;
	enum vector_shape x = lowering_vector_shape(l, c->operands[0]), y = lowering_vector_shape(l, c->operands[1]);
	return (is_row(x) || is_row(y)) && x != VECTOR_VARYING && y != VECTOR_VARYING &&
	       ir_visit(&i->regions[0], count_small, &count);
}

static void lower_bound(struct lowering *l, const struct ir_instruction *i, LLVMValueRef condition)
{
	LLVMBasicBlockRef whole = lowering_block(l, "all"), part = lowering_block(l, "some");
	LLVMBasicBlockRef after = lowering_block(l, "end");
	LLVMBuildCondBr(l->builder, lowering_vector_all(l, condition), whole, part);
	lowering_enter(l, whole);
	lower_side(l, &i->regions[0], after);
	lowering_enter(l, part);
	lower_masked_side(l, &i->regions[0], condition);
	LLVMBuildBr(l->builder, after);
	lowering_enter(l, after);
}

static void lower_if(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef condition = l->values[i->operands[0]->id];
	if (is_bound(l, i)) {
		lower_bound(l, i, condition);
		return;
	}
	if (lowering_vector_shape(l, i->operands[0]) != VECTOR_UNIFORM) {
		lower_masked_side(l, &i->regions[0], condition);
		if (i->regions[1].first)
			lower_masked_side(l, &i->regions[1], LLVMBuildNot(l->builder, condition, ""));
		return;
	}
	LLVMBasicBlockRef then = lowering_block(l, "if"), otherwise = lowering_block(l, "else");
	LLVMBasicBlockRef after = lowering_block(l, "end");
	LLVMBuildCondBr(l->builder, condition, then, otherwise);
	for (unsigned n = 0; n < 2; n++) {
		lowering_enter(l, n ? otherwise : then);
		lower_side(l, &i->regions[n], after);
	}
	lowering_enter(l, after);
}

/* ---- Loops whose lanes go through it together ---- */

struct rounds {
	struct lowering *l;
	const struct ir_instruction *loop;
	LLVMValueRef end; /* a lane; NULL: all lanes that are active take part in every round */
};

static void lower_round(void *context, const struct ir_region *region)
{
	const struct rounds *r = context;
	struct lowering *l = r->l;
	LLVMValueRef outer = l->active, within = outer;
	LLVMBasicBlockRef skip = l->skip;
	bool leaves = l->shapes->leaves[r->loop->id];
	if (r->end) {
		LLVMIntPredicate less = ir_type_is_signed(r->loop->type) ? LLVMIntSLT : LLVMIntULT;
		LLVMValueRef counter = lowering_vector_splat(l, l->values[r->loop->id]);
		within = lowering_vector_both(l, outer, LLVMBuildICmp(l->builder, less, counter, r->end, ""));
	}
	l->active = within;
	l->skip = l->loops->next;
	if (leaves)
		look_again(l, within, r->end ? l->loops->next : l->loops->leave);
	lower_region(l, region);
	l->skip = skip;
	l->active = outer;
}

static LLVMValueRef reduce(struct lowering *l, const struct ir_type *t, bool most, LLVMValueRef v)
{
	bool s = ir_type_is_signed(t);
	const char *name = most ? s ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax"
	                   : s  ? "llvm.vector.reduce.smin"
	                        : "llvm.vector.reduce.umin";
	return lowering_intrinsic(l, name, LLVMTypeOf(v), &v, 1);
}

/* The rounds that all lanes take part in come first, without masks; then those of any lane. */
static void lower_for(struct lowering *l, const struct ir_instruction *i)
{
	struct rounds r = {.l = l, .loop = i};
	LLVMValueRef first = l->values[i->operands[0]->id];
	if (lowering_vector_shape(l, i->operands[1]) == VECTOR_UNIFORM) {
		lowering_for_rounds(l, i, first, l->values[i->operands[1]->id], lower_round, &r);
		return;
	}
	LLVMIntPredicate less = ir_type_is_signed(i->type) ? LLVMIntSLT : LLVMIntULT;
	LLVMValueRef end = lowering_vector_value(l, i->operands[1]);
	if (l->active) {
		end = LLVMBuildSelect(l->builder, l->active, end, lowering_vector_splat(l, first), "");
	} else {
		LLVMValueRef least = reduce(l, i->type, false, end);
		lowering_for_rounds(l, i, first, least, lower_round, &r);
		LLVMValueRef later = LLVMBuildICmp(l->builder, less, first, least, "");
		first = LLVMBuildSelect(l->builder, later, least, first, "");
	}
	r.end = end;
	lowering_for_rounds(l, i, first, reduce(l, i->type, true, end), lower_round, &r);
}

/* ---- Loops that lanes leave one by one ---- */

/* The counter, a scalar while all lanes start at one value; NULL: a `loop`. */
static LLVMValueRef open_counter(struct lowering *l, const struct ir_instruction *i, LLVMValueRef first,
                                 LLVMBasicBlockRef before)
{
	if (i->op == IR_OP_loop)
		return NULL;
	LLVMValueRef counter = LLVMBuildPhi(l->builder, LLVMTypeOf(first), "");
	LLVMAddIncoming(counter, &first, &before, 1);
	l->values[i->id] = counter;
	return counter;
}

static void step_counter(struct lowering *l, LLVMValueRef counter)
{
	if (!counter)
		return;
	LLVMValueRef one = lowering_bits(l, LLVMTypeOf(counter), 1);
	LLVMValueRef next = LLVMBuildAdd(l->builder, counter, one, "");
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->builder);
	LLVMAddIncoming(counter, &next, &from, 1);
}

/* Lanes that start a round. */
static LLVMValueRef starting(struct lowering *l, const struct ir_instruction *i, const struct vector_loop *loop)
{
	LLVMValueRef lanes = load_mask(l, loop->going);
	if (i->op == IR_OP_loop)
		return lanes;
	LLVMIntPredicate less = ir_type_is_signed(i->type) ? LLVMIntSLT : LLVMIntULT;
	LLVMValueRef counter = lowering_vector_value(l, i), end = lowering_vector_value(l, i->operands[1]);
	return LLVMBuildAnd(l->builder, lanes, LLVMBuildICmp(l->builder, less, counter, end, ""), "");
}

static void lower_divergent(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef outer = l->active, first = NULL;
	LLVMBasicBlockRef skip = l->skip;
	struct vector_loop loop = {.control = i, .outer = l->vector_loops};
	loop.going = lowering_alloca(l, mask_type(l), "going");
	loop.round = lowering_alloca(l, mask_type(l), "round");
	LLVMBuildStore(l->builder, lowering_vector_mask(l), loop.going);
	if (i->op == IR_OP_for)
		first = lowering_vector_shape(l, i) == VECTOR_UNIFORM ? l->values[i->operands[0]->id]
		                                                      : lowering_vector_value(l, i->operands[0]);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), head = lowering_block(l, "rounds");
	LLVMBasicBlockRef body = lowering_block(l, "body"), next = lowering_block(l, "next");
	LLVMBasicBlockRef leave = lowering_block(l, "leave");
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef counter = open_counter(l, i, first, before);
	l->active = starting(l, i, &loop);
	LLVMBuildStore(l->builder, l->active, loop.going);
	LLVMBuildStore(l->builder, l->active, loop.round);
	LLVMBuildCondBr(l->builder, lowering_vector_any(l, l->active), body, leave);
	lowering_enter(l, body);
	l->vector_loops = &loop;
	lower_side(l, &i->regions[0], next);
	l->vector_loops = loop.outer;
	lowering_enter(l, next);
	step_counter(l, counter);
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, leave);
	l->skip = skip;
	l->active = outer;
}

/* ---- All ---- */

static void lower(struct lowering *l, const struct ir_instruction *i)
{
	struct rounds r = {.l = l, .loop = i};
	if (i->op == IR_OP_if)
		lower_if(l, i);
	else if (l->shapes->divergent[i->id])
		lower_divergent(l, i);
	else if (i->op == IR_OP_for)
		lower_for(l, i);
	else
		lowering_loop_rounds(l, i, lower_round, &r);
}

void lowering_vector_control(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef before = l->active;
	switch ((int)i->op) {
	case IR_OP_return:
		lowering_vector_end(l, lowering_vector_mask(l));
		LLVMBuildBr(l->builder, l->skip);
		return;
	case IR_OP_break:
	case IR_OP_continue:
		if (l->shapes->divergent[i->target->id])
			jump(l, i);
		else
			lowering_instruction(l, i);
		return;
	}
	lower(l, i);
	if (l->shapes->leaves[i->id])
		look_again(l, before, l->skip);
}
