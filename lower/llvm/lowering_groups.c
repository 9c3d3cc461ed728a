/* The groups of a grouped kernel in the sequential mode: by rows of groups, x fastest; those whose first thread is in
 * the range that is asked for. A full group's code knows how many lanes it has; groups at the grid's edge have a copy
 * of their own. */
#include "lower/llvm/lowering_lockstep.h"
#include "lower/llvm/lowering_vector.h"

enum { MAX_INSTRUCTIONS = 4000 }; /* of a kernel whose code is there twice */

static LLVMValueRef least(struct lowering *l, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, x, y, ""), x, y, "");
}

static LLVMValueRef group_size(const struct lockstep *g, unsigned axis)
{
	return lowering_i64(g->l, g->l->kernel->group[axis]);
}

/* How many groups of an axis have their first thread before thread `end`. */
static LLVMValueRef groups_before(struct lockstep *g, unsigned axis, LLVMValueRef end)
{
	LLVMBuilderRef b = g->l->builder;
	LLVMValueRef size = group_size(g, axis), rest = LLVMBuildURem(b, end, size, "");
	LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, rest, lowering_i64(g->l, 0), "");
	return LLVMBuildAdd(b, LLVMBuildUDiv(b, end, size, ""), LLVMBuildZExt(b, some, lowering_int(g->l, 64), ""), "");
}

/* ---- One group ---- */

static void count_lanes(struct lockstep *g, bool full)
{
	g->full = full;
	for (unsigned axis = 0; axis < 3; axis++) {
		LLVMValueRef size = group_size(g, axis);
		LLVMValueRef left = LLVMBuildSub(g->l->builder, g->l->extents[axis], g->first[axis], "");
		g->count[axis] = full || g->l->kernel->group[axis] == 1 ? size : least(g->l, left, size);
	}
}

static LLVMValueRef is_full(struct lockstep *g)
{
	LLVMBuilderRef b = g->l->builder;
	LLVMValueRef full = NULL;
	for (unsigned axis = 0; axis < 3; axis++) {
		if (g->l->kernel->group[axis] == 1)
			continue;
		LLVMValueRef left = LLVMBuildSub(b, g->l->extents[axis], g->first[axis], "");
		LLVMValueRef here = LLVMBuildICmp(b, LLVMIntUGE, left, group_size(g, axis), "");
		full = full ? LLVMBuildAnd(b, full, here, "") : here;
	}
	return full;
}

/* Both copies go on in one block. */
static void either_group(struct lockstep *g)
{
	struct lowering *l = g->l;
	if (lowering_certain(l)) {
		count_lanes(g, true); /* spec/sspur.md 1.5: threads are a multiple of the group's */
		lockstep_group(g);
		return;
	}
	LLVMValueRef full = l->kernel->next_id > MAX_INSTRUCTIONS ? NULL : is_full(g);
	if (!full) {
		count_lanes(g, g->lanes == 1);
		lockstep_group(g);
		return;
	}
	LLVMBasicBlockRef whole = lowering_block(l, "full_group"), part = lowering_block(l, "part_group");
	LLVMBasicBlockRef done = lowering_block(l, "group_done");
	LLVMBuildCondBr(l->builder, full, whole, part);
	lowering_enter(l, whole);
	count_lanes(g, true);
	lockstep_group(g);
	LLVMBuildBr(l->builder, done);
	lowering_enter(l, part);
	count_lanes(g, false);
	lockstep_group(g);
	LLVMBuildBr(l->builder, done);
	lowering_enter(l, done);
}

/* ---- Rows of groups ---- */

/* Groups [begin, end) of the row whose y and z are set; goes on in block `done`. */
static void groups_of_row(struct lockstep *g, LLVMValueRef begin, LLVMValueRef end, LLVMBasicBlockRef done)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef head = lowering_block(l, "groups"), group = lowering_block(l, "group");
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef n = LLVMBuildPhi(l->builder, lowering_int(l, 64), "group");
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, n, end, ""), group, done);
	lowering_enter(l, group);
	g->group_id[0] = n;
	g->first[0] = LLVMBuildNSWMul(l->builder, n, group_size(g, 0), "");
	either_group(g);
	LLVMValueRef next = LLVMBuildNSWAdd(l->builder, n, lowering_i64(l, 1), "");
	LLVMAddIncoming(n, (LLVMValueRef[]){begin, next}, (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(l->builder)},
	                2);
	LLVMBuildBr(l->builder, head);
}

static void line(struct lockstep *g, LLVMValueRef first, LLVMValueRef last, LLVMBasicBlockRef done)
{
	LLVMValueRef end = groups_before(g, 0, least(g->l, last, g->l->extents[0]));
	groups_of_row(g, groups_before(g, 0, first), end, done);
}

/* The row of groups to begin with: no later than that of thread `first`. */
static LLVMValueRef first_row(struct lockstep *g, LLVMValueRef first, LLVMValueRef rows_of_layer)
{
	const LLVMValueRef *extents = g->l->extents;
	LLVMBuilderRef b = g->l->builder;
	LLVMValueRef y = LLVMBuildUDiv(b, first, extents[0], "");
	if (g->l->kernel->axes == 2)
		return LLVMBuildUDiv(b, y, group_size(g, 1), "");
	LLVMValueRef z = LLVMBuildUDiv(b, y, extents[1], "");
	return LLVMBuildMul(b, LLVMBuildUDiv(b, z, group_size(g, 2), ""), rows_of_layer, "");
}

static void set_row(struct lockstep *g, LLVMValueRef row, LLVMValueRef rows_of_layer)
{
	LLVMBuilderRef b = g->l->builder;
	g->group_id[1] = LLVMBuildURem(b, row, rows_of_layer, "");
	g->group_id[2] = LLVMBuildUDiv(b, row, rows_of_layer, "");
	for (unsigned axis = 1; axis < 3; axis++)
		g->first[axis] = LLVMBuildNSWMul(b, g->group_id[axis], group_size(g, axis), "");
}

/* A plane's or a space's rows of groups, until one begins at or after thread `last`. */
static void rows(struct lockstep *g, LLVMValueRef first, LLVMValueRef last, LLVMBasicBlockRef done)
{
	struct lowering *l = g->l;
	LLVMBuilderRef b = l->builder;
	LLVMTypeRef i64 = lowering_int(l, 64);
	LLVMValueRef width = l->extents[0], zero = lowering_i64(l, 0);
	LLVMValueRef rows_of_layer = groups_before(g, 1, l->extents[1]);
	LLVMValueRef count = LLVMBuildMul(b, rows_of_layer, groups_before(g, 2, l->extents[2]), "");
	LLVMValueRef start = first_row(g, first, rows_of_layer);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b), head = lowering_block(l, "rows"),
	                  some = lowering_block(l, "row");
	LLVMBasicBlockRef wanted = lowering_block(l, "row_groups"), next_row = lowering_block(l, "row_done");
	LLVMBuildBr(b, head);
	lowering_enter(l, head);
	LLVMValueRef row = LLVMBuildPhi(b, i64, "row");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, row, count, ""), some, done);
	lowering_enter(l, some);
	set_row(g, row, rows_of_layer);
	LLVMValueRef line_number = LLVMBuildAdd(b, LLVMBuildMul(b, g->first[2], l->extents[1], ""), g->first[1], "");
	LLVMValueRef thread = LLVMBuildMul(b, line_number, width, "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, thread, last, ""), wanted, done);
	lowering_enter(l, wanted);
	LLVMValueRef later = LLVMBuildICmp(b, LLVMIntULT, thread, first, "");
	LLVMValueRef from = LLVMBuildSelect(b, later, LLVMBuildSub(b, first, thread, ""), zero, "");
	LLVMValueRef begin = groups_before(g, 0, least(l, from, width));
	LLVMValueRef end = groups_before(g, 0, least(l, LLVMBuildSub(b, last, thread, ""), width));
	groups_of_row(g, begin, end, next_row);
	lowering_enter(l, next_row);
	LLVMValueRef next = LLVMBuildAdd(b, row, lowering_i64(l, 1), "");
	LLVMAddIncoming(row, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){before, next_row}, 2);
	LLVMBuildBr(b, head);
}

/* ---- The function ---- */

static LLVMValueRef result(const struct lockstep *g)
{
	if (g->l->record)
		return lowering_record_count(g->l);
	return g->failed ? LLVMBuildLoad2(g->l->builder, lowering_int(g->l, 32), g->failed, "") : lowering_i32(g->l, 0);
}

void lockstep_threads(struct lockstep *g, LLVMValueRef first, LLVMValueRef last, LLVMValueRef trap)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef some = lowering_block(l, "some"), done = lowering_block(l, "done");
	bool stops = l->kernel->policy == IR_POLICY_STOP;
	g->trap = trap;
	for (unsigned axis = 1; axis < 3; axis++)
		g->first[axis] = g->group_id[axis] = lowering_i64(l, 0);
	if (!stops && l->checked && !l->width) {
		g->failed = lowering_alloca(l, lowering_int(l, 32), "failed");
		LLVMBuildStore(l->builder, lowering_i32(l, 0), g->failed);
	}
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, first, last, ""), some, done);
	lowering_enter(l, some);
	if (l->width)
		lowering_vector_locals(l);
	if (!g->failed)
		lowering_fail_open(l);
	if (l->kernel->axes == 1)
		line(g, first, last, done);
	else
		rows(g, first, last, done);
	if (!g->failed && lowering_fail_close(l)) {
		lowering_fail_fill(l, trap);
		LLVMBuildRet(l->builder, lowering_i32(l, 1));
	}
	lowering_enter(l, done);
	LLVMBuildRet(l->builder, result(g));
}
