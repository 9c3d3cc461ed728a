/* Before a segment runs: which of the lanes have something to do, and whether a check can fail for any of them.
 *
 * An integer of a lane is interval + factor * x, where the interval, a lowest and a highest value, comes from what is
 * the same for the group, from the other axes' ids and from the bounds of loops. An index or a sum that stays in range
 * at the ends does so for all lanes. Intervals are computed in 128 bits, where nothing below overflows as long as all
 * that is required holds. */
#include <string.h>

#include "lower/llvm/lowering_lockstep.h"

enum { MAX_SEGMENT = 400 }; /* instructions of a segment whose code is there twice */
#define MAX_FACTOR (INT64_C(1) << 32)

/* ---- Lanes that have something to do ---- */

/* Whether a value is at hand, the same for all lanes, before the segment begins. One that only its own segment uses is
 * not: its lanes may each have computed it. */
static bool is_outside(const struct lockstep *g, const struct segment *segment, const struct ir_instruction *value)
{
	if (segments_given(value))
		return value->op != IR_OP_local_id && value->op != IR_OP_global_id;
	if (segments_joint_variable(&g->segments, value))
		return true;
	return g->segments.values[value->id] == CARRIED_ONCE &&
	       g->segments.of[value->id] != g->segments.of[segment->first->id];
}

static LLVMValueRef outside_value(struct lockstep *g, const struct ir_instruction *value)
{
	struct lowering *l = g->l;
	if (segments_given(value))
		return lowering_given(l, value);
	lanes_bring(g, value);
	return l->values[value->id];
}

static bool is_x(const struct ir_instruction *i)
{
	return i->op == IR_OP_local_id && i->axis == 0;
}

/* The `if` that is all a segment does: `if lid < n`. What else it computes, nobody sees. */
static const struct ir_instruction *only_if(const struct lockstep *g, const struct segment *segment)
{
	const struct ir_instruction *i = segment->first;
	for (; i != segment->end && i->op != IR_OP_if; i = i->next)
		if (!(ir_op_infos[i->op].flags & IR_FLAG_PURE) || g->segments.values[i->id] == CARRIED_ONCE ||
		    g->segments.values[i->id] == CARRIED_LANES)
			return NULL;
	return i != segment->end && i->next == segment->end && !i->regions[1].first ? i : NULL;
}

static enum ir_op mirrored(enum ir_op op)
{
	switch ((int)op) {
	case IR_OP_lt: return IR_OP_gt;
	case IR_OP_le: return IR_OP_ge;
	case IR_OP_gt: return IR_OP_lt;
	case IR_OP_ge: return IR_OP_le;
	}
	return op;
}

static LLVMValueRef choose(struct lockstep *g, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y,
                           LLVMValueRef then, LLVMValueRef other)
{
	LLVMBuilderRef b = g->l->builder;
	return LLVMBuildSelect(b, LLVMBuildICmp(b, predicate, x, y, ""), then, other, "");
}

/* The lanes x with `x op bound`; bound is i64. */
static void narrow(struct lockstep *g, struct lane_range *range, enum ir_op op, LLVMValueRef bound)
{
	LLVMValueRef zero = lowering_i64(g->l, 0), one = lowering_i64(g->l, 1), count = range->end;
	/* Within the lanes, and one after it. */
	LLVMValueRef from = choose(g, LLVMIntSGT, bound, zero, bound, zero);
	from = choose(g, LLVMIntSLT, from, count, from, count);
	LLVMValueRef after = LLVMBuildAdd(g->l->builder, choose(g, LLVMIntSLT, bound, count, bound, count), one, "");
	after = choose(g, LLVMIntSGT, after, zero, after, zero);
	after = choose(g, LLVMIntSLT, after, count, after, count);
	switch ((int)op) {
	case IR_OP_lt: range->end = from; break;
	case IR_OP_le: range->end = after; break;
	case IR_OP_gt: range->first = after; break;
	case IR_OP_ge: range->first = from; break;
	case IR_OP_eq:
		range->first = from;
		range->end = after;
		break;
	}
}

struct lane_range lanes_range(struct lockstep *g, const struct segment *segment)
{
	struct lowering *l = g->l;
	struct lane_range range = {.first = lowering_i64(l, 0), .end = g->count[0]};
	const struct ir_instruction *only = only_if(g, segment);
	const struct ir_instruction *c = only ? only->operands[0] : NULL;
	if (!c || l->kernel->group[0] == 1 || g->segments.of[c->id] != g->segments.of[segment->first->id])
		return range;
	if (c->op != IR_OP_lt && c->op != IR_OP_le && c->op != IR_OP_gt && c->op != IR_OP_ge && c->op != IR_OP_eq)
		return range;
	bool left = is_x(c->operands[0]);
	const struct ir_instruction *bound = c->operands[left];
	if (!is_x(c->operands[!left]) || !is_outside(g, segment, bound))
		return range;
	LLVMValueRef v = outside_value(g, bound);
	if (ir_type_bits(bound->type) < 64)
		v = lowering_extend(l, bound->type, v, lowering_int(l, 64));
	narrow(g, &range, left ? c->op : mirrored(c->op), v);
	range.condition = c;
	return range;
}

/* ---- Intervals ---- */

struct interval {
	LLVMValueRef low, high; /* NULL: nothing is known; the same: one value */
	int64_t factor;
};

struct proof {
	struct lockstep *g;
	const struct segment *segment;
	LLVMTypeRef wide;
	LLVMValueRef first, last;   /* x of the first and the last lane, wide */
	struct interval *intervals; /* by id */
	bool *seen, *proved;        /* by id */
	bool any;                   /* of *proved */
	LLVMValueRef holds;         /* i1 */
};

static LLVMValueRef number(const struct proof *p, int64_t v)
{
	return LLVMConstInt(p->wide, (uint64_t)v, true);
}

static struct interval exactly(const struct proof *p, LLVMValueRef v)
{
	LLVMValueRef wide = LLVMBuildSExt(p->g->l->builder, v, p->wide, "");
	return (struct interval){wide, wide, 0};
}

static bool is_single(const struct interval *s)
{
	return s->low == s->high;
}

/* A sum (sign 1) or difference (-1). */
static struct interval sum_of(const struct proof *p, struct interval a, struct interval b, int sign)
{
	LLVMBuilderRef builder = p->g->l->builder;
	struct interval s = {.factor = a.factor + sign * b.factor};
	if (!a.low || !b.low || s.factor > MAX_FACTOR || s.factor < -MAX_FACTOR)
		return (struct interval){0};
	s.low = sign > 0 ? LLVMBuildAdd(builder, a.low, b.low, "") : LLVMBuildSub(builder, a.low, b.high, "");
	s.high = s.low;
	if (!is_single(&a) || !is_single(&b))
		s.high =
		    sign > 0 ? LLVMBuildAdd(builder, a.high, b.high, "") : LLVMBuildSub(builder, a.high, b.low, "");
	return s;
}

static LLVMValueRef extreme(const struct proof *p, LLVMIntPredicate better, LLVMValueRef v[4])
{
	for (unsigned n = 1; n < 4; n++)
		v[0] = choose(p->g, better, v[n], v[0], v[n], v[0]);
	return v[0];
}

/* Of two that do not depend on x. */
static struct interval product_of_intervals(const struct proof *p, const struct interval *a, const struct interval *b)
{
	LLVMBuilderRef builder = p->g->l->builder;
	LLVMValueRef one = LLVMBuildMul(builder, a->low, b->low, "");
	if (is_single(a) && is_single(b))
		return (struct interval){one, one, 0};
	LLVMValueRef all[4] = {one, LLVMBuildMul(builder, a->low, b->high, ""),
	                       LLVMBuildMul(builder, a->high, b->low, ""), LLVMBuildMul(builder, a->high, b->high, "")};
	LLVMValueRef again[4];
	memcpy(again, all, sizeof again);
	return (struct interval){extreme(p, LLVMIntSLT, all), extreme(p, LLVMIntSGT, again), 0};
}

static struct interval scaled(const struct proof *p, const struct interval *a, int64_t c)
{
	LLVMBuilderRef builder = p->g->l->builder;
	if (c > MAX_FACTOR || c < -MAX_FACTOR || a->factor > MAX_FACTOR / 1024 || a->factor < -MAX_FACTOR / 1024)
		return (struct interval){0};
	struct interval s = {.factor = a->factor * c};
	if (s.factor > MAX_FACTOR || s.factor < -MAX_FACTOR)
		return (struct interval){0};
	s.low = s.high = LLVMBuildMul(builder, c < 0 ? a->high : a->low, number(p, c), "");
	if (!is_single(a))
		s.high = LLVMBuildMul(builder, c < 0 ? a->low : a->high, number(p, c), "");
	return s;
}

static struct interval product_of(const struct proof *p, const struct ir_instruction *i, struct interval a,
                                  struct interval b)
{
	if (!a.low || !b.low)
		return (struct interval){0};
	if (!a.factor && !b.factor)
		return product_of_intervals(p, &a, &b);
	if (i->operands[1]->op == IR_OP_const)
		return scaled(p, &a, (int64_t)i->operands[1]->bits);
	if (i->operands[0]->op == IR_OP_const)
		return scaled(p, &b, (int64_t)i->operands[0]->bits);
	return (struct interval){0};
}

static struct interval interval_of(struct proof *p, const struct ir_instruction *i);

/* The variable of a loop; where the loop has no round, no matter what. */
static struct interval rounds_of(struct proof *p, const struct ir_instruction *i)
{
	struct interval first = interval_of(p, i->operands[0]), end = interval_of(p, i->operands[1]);
	if (!first.low || !end.low || first.factor || end.factor)
		return (struct interval){0};
	return (struct interval){first.low, LLVMBuildSub(p->g->l->builder, end.high, number(p, 1), ""), 0};
}

static struct interval id_of(const struct proof *p, const struct ir_instruction *i)
{
	struct lowering *l = p->g->l;
	struct interval s = exactly(p, i->op == IR_OP_local_id ? lowering_i64(l, 0) : p->g->first[i->axis]);
	s.factor = i->axis == 0;
	if (i->axis && l->kernel->group[i->axis] > 1)
		s.high = LLVMBuildAdd(l->builder, s.low, number(p, (int64_t)l->kernel->group[i->axis] - 1), "");
	return s;
}

static struct interval make_interval(struct proof *p, const struct ir_instruction *i)
{
	if (i->type->kind != IR_TYPE_i64)
		return (struct interval){0};
	if (i->op == IR_OP_local_id || i->op == IR_OP_global_id)
		return id_of(p, i);
	if (is_outside(p->g, p->segment, i))
		return exactly(p, outside_value(p->g, i));
	switch ((int)i->op) {
	case IR_OP_iadd_trap: return sum_of(p, interval_of(p, i->operands[0]), interval_of(p, i->operands[1]), 1);
	case IR_OP_isub_trap: return sum_of(p, interval_of(p, i->operands[0]), interval_of(p, i->operands[1]), -1);
	case IR_OP_imul_trap: return product_of(p, i, interval_of(p, i->operands[0]), interval_of(p, i->operands[1]));
	case IR_OP_for: return rounds_of(p, i);
	case IR_OP_band:
		if (i->operands[1]->op == IR_OP_const && (int64_t)i->operands[1]->bits >= 0)
			return (struct interval){number(p, 0), number(p, (int64_t)i->operands[1]->bits), 0};
		break;
	}
	return (struct interval){0};
}

/* ---- Proofs ---- */

static LLVMValueRef along(const struct proof *p, LLVMValueRef v, int64_t factor, bool lowest)
{
	LLVMBuilderRef b = p->g->l->builder;
	LLVMValueRef x = (factor > 0) == lowest ? p->first : p->last;
	return factor ? LLVMBuildAdd(b, v, LLVMBuildMul(b, x, number(p, factor), ""), "") : v;
}

/* low <= the instruction's value < high */
static void require(struct proof *p, const struct interval *s, LLVMValueRef low, LLVMValueRef high)
{
	LLVMBuilderRef b = p->g->l->builder;
	LLVMValueRef above = LLVMBuildICmp(b, LLVMIntSGE, along(p, s->low, s->factor, true), low, "");
	LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, along(p, s->high, s->factor, false), high, "");
	p->holds = LLVMBuildAnd(b, p->holds, LLVMBuildAnd(b, above, below, ""), "");
}

static bool is_sum(const struct ir_instruction *i)
{
	return i->op == IR_OP_iadd_trap || i->op == IR_OP_isub_trap || i->op == IR_OP_imul_trap;
}

/* Sums of other segments too: a lane that has ended may not have come to them. */
static struct interval interval_of(struct proof *p, const struct ir_instruction *i)
{
	struct interval *s = &p->intervals[i->id];
	if (p->seen[i->id])
		return *s;
	p->seen[i->id] = true;
	*s = make_interval(p, i);
	if (s->low && is_sum(i))
		require(p, s, number(p, INT64_MIN),
		        LLVMBuildAdd(p->g->l->builder, number(p, INT64_MAX), number(p, 1), ""));
	return *s;
}

static bool visit(void *context, struct ir_instruction *i)
{
	struct proof *p = context;
	if (is_sum(i))
		p->any |= p->proved[i->id] = interval_of(p, i).low != NULL;
	if (i->op != IR_OP_check_index)
		return true;
	struct interval s = interval_of(p, i->operands[0]), end = interval_of(p, i->operands[1]);
	if (!s.low || !end.low || end.factor)
		return true;
	require(p, &s, number(p, 0), end.low);
	p->any = p->proved[i->id] = true;
	return true;
}

static bool count(void *context, struct ir_instruction *i)
{
	unsigned *n = context;
	(void)i;
	return ++*n <= MAX_SEGMENT;
}

LLVMValueRef lanes_prove(struct lockstep *g, const struct segment *segment, const struct lane_range *range,
                         const bool **proved)
{
	struct lowering *l = g->l;
	unsigned instructions = 0;
	if (!g->full || l->kernel->group[0] == 1 || !segment_visit(segment, count, &instructions))
		return NULL;
	struct proof p = {.g = g, .segment = segment, .wide = lowering_int(l, 128)};
	p.intervals = ARENA_ARRAY(l->arena, struct interval, l->kernel->next_id);
	p.seen = ARENA_ARRAY(l->arena, bool, l->kernel->next_id);
	p.proved = ARENA_ARRAY(l->arena, bool, l->kernel->next_id);
	p.holds = LLVMConstInt(lowering_int(l, 1), 1, false);
	p.first = LLVMBuildSExt(l->builder, range->first, p.wide, "");
	LLVMValueRef last = LLVMBuildSub(l->builder, range->end, lowering_i64(l, 1), "");
	p.last = LLVMBuildSExt(l->builder, last, p.wide, "");
	segment_visit(segment, visit, &p);
	*proved = p.proved;
	return p.any ? p.holds : NULL;
}
