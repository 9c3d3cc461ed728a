/* The sequential mode: NAME__sequential (lowering_entry.c) calls an internal function that walks the rows of the grid;
 * a row's threads are a loop, with a second, check-free copy of the body for the part of the row where checks cannot
 * fail, or, where the body is long, with a call of a function that has it. Grouped kernels go group by group instead
 * (lowering_groups.c), in the workspace whose size NAME__workspace says.
 *
 * NAME__lanes is made alike: its rows go by lanes (lowering_vector.c) where enough threads are left. */
#include "lower/llvm/lowering_lockstep.h"
#include "lower/llvm/lowering_vector.h"

/* ---- Rows ---- */

static LLVMValueRef least(struct lowering *l, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, x, y, ""), x, y, "");
}

static LLVMValueRef most(struct lowering *l, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntUGT, x, y, ""), x, y, "");
}

static LLVMValueRef phi_i64(struct lowering *l, const char *name)
{
	return LLVMBuildPhi(l->builder, lowering_int(l, 64), name);
}

static void flow(LLVMValueRef phi, LLVMValueRef v, LLVMBasicBlockRef from)
{
	LLVMAddIncoming(phi, &v, &from, 1);
}

static void set_id(struct lowering *l, unsigned axis, LLVMValueRef id)
{
	LLVMValueRef size = lowering_i64(l, l->kernel->group[axis]);
	l->global_id[axis] = id;
	l->local_id[axis] = LLVMBuildURem(l->builder, id, size, "");
	l->group_id[axis] = LLVMBuildUDiv(l->builder, id, size, "");
}

/* One thread's body from here; the builder is left where the thread has ended. */
static void thread_body(struct lowering *l, LLVMValueRef x)
{
	l->thread_end = lowering_block(l, "thread_end");
	set_id(l, 0, x);
	lowering_private_start(l);
	lowering_region(l, &l->kernel->body);
	lowering_jump(l, l->thread_end);
	lowering_enter(l, l->thread_end);
}

/* ---- Long bodies ---- */

/* Each check of a body leaves the loop over threads, and LLVM's passes over loops ask of each such exit how often it is
 * reached, going through the checks before it: time that grows with the square of their number, and more with literals,
 * which it takes for bounds. So from so many checks on a thread is a function of its own, without a loop around them.
 */
enum { CHECKS_MOST = 200 };

static bool count_check(void *context, struct ir_instruction *i)
{
	unsigned *count = context;
	*count += (ir_op_infos[i->op].flags & IR_FLAG_TRAP) != 0;
	return *count <= CHECKS_MOST;
}

static bool is_long(const struct lowering *l)
{
	unsigned count = 0;
	return !ir_visit(&l->kernel->body, count_check, &count);
}

/* Runs the thread at `x`; leaves this function with 1 if it failed. */
static void call_one(struct lowering *l, LLVMValueRef x)
{
	unsigned count = LLVMCountParams(l->one), bound = count - 3;
	LLVMValueRef *arguments = ARENA_ARRAY(l->arena, LLVMValueRef, count);
	for (unsigned n = 0; n < bound; n++)
		arguments[n] = LLVMGetParam(l->function, n);
	arguments[bound] = x;
	arguments[bound + 1] = l->row ? l->row : lowering_i64(l, 0);
	arguments[bound + 2] = LLVMGetParam(l->function, bound + 2); /* the trap, as in this function */
	LLVMTypeRef type = LLVMGlobalGetValueType(l->one);
	LLVMValueRef failed = LLVMBuildCall2(l->builder, type, l->one, arguments, count, "");
	LLVMValueRef sound = LLVMBuildICmp(l->builder, LLVMIntEQ, failed, lowering_i32(l, 0), "");
	LLVMBasicBlockRef next = lowering_block(l, "sound"), leave = lowering_block(l, "failed");
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, sound, next, leave));
	lowering_enter(l, leave);
	LLVMBuildRet(l->builder, lowering_i32(l, 1));
	lowering_enter(l, next);
}

static void thread_at(struct lowering *l, LLVMValueRef x)
{
	if (l->one)
		call_one(l, x);
	else
		thread_body(l, x);
}

/* ---- Rows of threads ---- */

static LLVMValueRef increment(struct lowering *l, LLVMValueRef v)
{
	return LLVMBuildNSWAdd(l->builder, v, lowering_i64(l, 1), "");
}

/* Threads [first, end), not empty, without the checks of `proved`; jumps to `after`. *last: the block it jumps from. */
static void proved_threads(struct lowering *l, const bool *proved, LLVMValueRef first, LLVMValueRef end,
                           LLVMBasicBlockRef after, LLVMBasicBlockRef *last)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), thread = lowering_block(l, "proved_thread");
	LLVMBuildBr(l->builder, thread);
	lowering_enter(l, thread);
	LLVMValueRef x = phi_i64(l, "x");
	flow(x, first, before);
	l->proved = proved;
	thread_body(l, x);
	l->proved = NULL;
	LLVMValueRef next = increment(l, x);
	*last = LLVMGetInsertBlock(l->builder);
	flow(x, next, *last);
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntSLT, next, end, ""), thread, after);
}

/* Threads [first, end) of the row; goes on in block `done`. */
static void row_threads(struct lowering *l, LLVMValueRef first, LLVMValueRef end, LLVMBasicBlockRef done)
{
	LLVMValueRef middle, middle_end;
	const bool *proved;
	bool split = !l->one && lowering_split(l, first, end, &middle, &middle_end, &proved);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef head = lowering_block(l, "row_head"), thread = lowering_block(l, "thread"), last;
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef x = phi_i64(l, "x");
	flow(x, first, before);
	LLVMBasicBlockRef inside = split ? lowering_block(l, "inside") : thread;
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntSLT, x, end, ""), inside, done);
	if (split) {
		LLVMBasicBlockRef proved_part = lowering_block(l, "proved");
		lowering_enter(l, inside);
		LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, x, middle, ""), proved_part, thread);
		lowering_enter(l, proved_part);
		proved_threads(l, proved, middle, middle_end, head, &last);
		flow(x, middle_end, last);
	}
	lowering_enter(l, thread);
	thread_at(l, x);
	LLVMValueRef next = increment(l, x);
	flow(x, next, LLVMGetInsertBlock(l->builder));
	LLVMBuildBr(l->builder, head);
}

/* Threads x ... stop - 1 at once. Goes on at `head`, whose phis are x and `slow`: threads before it go one by one. */
static void lanes_at(struct lowering *l, LLVMValueRef x, LLVMValueRef slow, LLVMValueRef stop, LLVMBasicBlockRef head)
{
	l->retry = lowering_block(l, "retry");
	l->global_id[0] = x;
	lowering_vector_body(l);
	LLVMBasicBlockRef good = LLVMGetInsertBlock(l->builder), retry = l->retry;
	l->retry = NULL;
	LLVMBuildBr(l->builder, head);
	flow(x, stop, good);
	flow(slow, stop, good);
	lowering_enter(l, retry);
	LLVMBuildBr(l->builder, head);
	flow(x, x, retry);
	flow(slow, stop, retry);
}

/* Threads [first, end) of the row, by lanes where as many are left; goes on in block `done`. */
static void row_lanes(struct lowering *l, LLVMValueRef first, LLVMValueRef end, LLVMBasicBlockRef done)
{
	LLVMBuilderRef b = l->builder;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b), head = lowering_block(l, "row_head");
	LLVMBasicBlockRef inside = lowering_block(l, "inside"), lanes = lowering_block(l, "lanes");
	LLVMBasicBlockRef thread = lowering_block(l, "thread");
	LLVMBuildBr(b, head);
	lowering_enter(l, head);
	LLVMValueRef x = phi_i64(l, "x"), slow = phi_i64(l, "slow");
	flow(x, first, before);
	flow(slow, first, before);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, x, end, ""), inside, done);
	lowering_enter(l, inside);
	LLVMValueRef left = LLVMBuildNSWSub(b, end, x, "");
	LLVMValueRef enough = LLVMBuildICmp(b, LLVMIntSGE, left, lowering_i64(l, l->width), "");
	LLVMValueRef fast = LLVMBuildICmp(b, LLVMIntSGE, x, slow, "");
	LLVMBuildCondBr(b, LLVMBuildAnd(b, enough, fast, ""), lanes, thread);
	lowering_enter(l, lanes);
	lanes_at(l, x, slow, LLVMBuildNSWAdd(b, x, lowering_i64(l, l->width), ""), head);
	lowering_enter(l, thread);
	thread_at(l, x);
	LLVMBasicBlockRef last = LLVMGetInsertBlock(b);
	flow(x, increment(l, x), last);
	flow(slow, slow, last);
	LLVMBuildBr(b, head);
}

typedef void row_function(struct lowering *l, LLVMValueRef first, LLVMValueRef end, LLVMBasicBlockRef done);

static row_function *row_of(const struct lowering *l)
{
	return l->width == 0 ? row_threads : l->kernel->policy == IR_POLICY_STOP ? row_lanes : lowering_row_chunks;
}

/* ids of y and z for row r. */
static void row_ids(struct lowering *l, LLVMValueRef row)
{
	LLVMValueRef zero = lowering_i64(l, 0);
	l->row = row;
	l->global_id[1] = l->global_id[2] = l->local_id[1] = l->local_id[2] = l->group_id[1] = l->group_id[2] = zero;
	if (l->kernel->axes == 2)
		set_id(l, 1, row);
	if (l->kernel->axes == 3) {
		set_id(l, 1, LLVMBuildURem(l->builder, row, l->extents[1], ""));
		set_id(l, 2, LLVMBuildUDiv(l->builder, row, l->extents[1], ""));
	}
}

/* All rows that hold threads [first, last), which are not none. */
static void rows(struct lowering *l, LLVMValueRef first, LLVMValueRef last, LLVMBasicBlockRef done)
{
	LLVMValueRef width = l->extents[0];
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef row_block = lowering_block(l, "row"), next_block = lowering_block(l, "row_done");
	LLVMValueRef first_row = LLVMBuildUDiv(l->builder, first, width, "");
	LLVMBuildBr(l->builder, row_block);
	lowering_enter(l, row_block);
	LLVMValueRef row = phi_i64(l, "row");
	flow(row, first_row, before);
	LLVMValueRef start = LLVMBuildMul(l->builder, row, width, "");
	LLVMValueRef from = LLVMBuildSub(l->builder, most(l, first, start), start, "");
	LLVMValueRef to = least(l, LLVMBuildSub(l->builder, last, start, ""), width);
	row_ids(l, row);
	row_of(l)(l, from, to, next_block);
	lowering_enter(l, next_block);
	LLVMValueRef next = increment(l, row);
	LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntULT, LLVMBuildMul(l->builder, next, width, ""), last, "");
	flow(row, next, next_block);
	LLVMBuildCondBr(l->builder, more, row_block, done);
}

static void threads_body(struct lowering *l, LLVMValueRef first, LLVMValueRef last, LLVMValueRef trap)
{
	LLVMBasicBlockRef some = lowering_block(l, "some"), done = lowering_block(l, "done");
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, first, last, ""), some, done);
	lowering_enter(l, some);
	lowering_fail_open(l);
	if (l->kernel->axes == 1) {
		row_ids(l, NULL);
		row_of(l)(l, first, last, done);
	} else {
		rows(l, first, last, done);
	}
	if (lowering_fail_close(l)) {
		lowering_fail_fill(l, trap);
		LLVMBuildRet(l->builder, lowering_i32(l, 1));
	}
	lowering_enter(l, done);
	LLVMBuildRet(l->builder, l->record ? lowering_record_count(l) : lowering_i32(l, 0));
}

/* `noalias` of the parameters is worth more. */
static void forbid_inlining(struct lowering *l, LLVMValueRef threads)
{
	unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
	LLVMAddAttributeAtIndex(threads, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, noinline, 0));
}

struct lowering_threads lowering_add_threads(struct lowering *l)
{
	struct lockstep *g = ir_is_grouped(l->kernel) ? lockstep_new(l) : NULL;
	unsigned parts = g ? lockstep_parameters(g) : 0;
	LLVMTypeRef *types = ARENA_ARRAY(l->arena, LLVMTypeRef, l->kernel->parameter_count * 2 + 8 + parts);
	unsigned count = lowering_signature(l, types);
	types[count++] = lowering_int(l, 64);
	types[count++] = lowering_int(l, 64);
	types[count++] = LLVMPointerType(lowering_int(l, 8), 0);
	for (unsigned n = 0; n < parts; n++)
		types[count++] = lockstep_parameter_type(g);
	LLVMTypeRef type = LLVMFunctionType(lowering_int(l, 32), types, count, false);
	LLVMValueRef threads = LLVMAddFunction(l->module, "threads", type);
	LLVMSetLinkage(threads, LLVMInternalLinkage);
	lowering_start(l, threads);
	forbid_inlining(l, threads);
	lowering_forbid_calls(l, threads);
	unsigned bound = lowering_bind(l);
	LLVMValueRef first = LLVMGetParam(threads, bound), last = LLVMGetParam(threads, bound + 1);
	LLVMValueRef trap = LLVMGetParam(threads, bound + 2);
	l->workspace = g != NULL;
	lowering_storage(l);
	lowering_record_open(l, trap);
	if (g) {
		lockstep_bind(g, bound + 3);
		lockstep_threads(g, first, last, trap);
	} else {
		threads_body(l, first, last, trap);
	}
	return (struct lowering_threads){threads, type, types, g};
}

/* `thread`(parameters, x, row, trap): 0, or 1 with the trap. */
static LLVMValueRef add_one(struct lowering *l)
{
	LLVMTypeRef *types = ARENA_ARRAY(l->arena, LLVMTypeRef, l->kernel->parameter_count * 2 + 8);
	unsigned count = lowering_signature(l, types);
	types[count++] = lowering_int(l, 64);
	types[count++] = lowering_int(l, 64);
	types[count++] = LLVMPointerType(lowering_int(l, 8), 0);
	LLVMTypeRef type = LLVMFunctionType(lowering_int(l, 32), types, count, false);
	LLVMValueRef one = LLVMAddFunction(l->module, "thread", type);
	LLVMSetLinkage(one, LLVMInternalLinkage);
	lowering_start(l, one);
	forbid_inlining(l, one);
	lowering_forbid_calls(l, one);
	unsigned bound = lowering_bind(l);
	lowering_storage(l);
	lowering_fail_open(l);
	row_ids(l, LLVMGetParam(one, bound + 1));
	thread_body(l, LLVMGetParam(one, bound));
	LLVMBuildRet(l->builder, lowering_i32(l, 0));
	if (lowering_fail_close(l)) {
		lowering_fail_fill(l, LLVMGetParam(one, bound + 2));
		LLVMBuildRet(l->builder, lowering_i32(l, 1));
	}
	return one;
}

static void add_functions(struct lowering *l)
{
	struct lowering_threads threads = lowering_add_threads(l);
	lowering_entry(l, &threads, NULL);
}

void lowering_sequential(struct lowering *l)
{
	if (lowering_certain(l)) {
		lowering_chunks(l);
		return;
	}
	if (!ir_is_grouped(l->kernel) && is_long(l))
		l->one = add_one(l);
	add_functions(l);
	if (!l->machine->lanes)
		return;
	l->shapes = vector_shapes_find(l->kernel, l->arena);
	if (!l->shapes)
		return;
	l->width = lowering_lane_count(l);
	if (l->width)
		add_functions(l);
}
