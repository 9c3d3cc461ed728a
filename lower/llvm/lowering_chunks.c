/* NAME__lanes of a proved kernel: nothing fails, threads run in no order. Kernels with loops and those of groups go by
 * lanes: a row's threads by as many as hide the latency of sums, and what is left of it by fewer with a mask; a group's
 * by as many as its rows divide into. Kernels without go one thread after another, which LLVM makes vectors of; they
 * are of use where atomics on buffers would keep the checked kernel on one thread of the host. */
#include <string.h>

#include "ir/ir_variant.h"
#include "lower/llvm/atomic_order.h"
#include "lower/llvm/lowering_lockstep.h"

enum {
	LEAST_LANES = 4,
	ROW_LANES_MOST = 128,
	SUM_VECTORS = 8,             /* of locals that vary, in registers, while a row's threads run */
	MAX_WIDE_INSTRUCTIONS = 150, /* of a kernel whose body is there once more, for more lanes */
};

/* ---- How many lanes ---- */

/* machine->lanes are two vectors of 32 bits. */
static unsigned row_lanes(const struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	uint32_t bytes = 0, lanes = l->machine->lanes;
	for (uint32_t n = 0; n < k->local_count; n++)
		if (l->shapes->varying_locals[n])
			bytes += k->locals[n]->type->size;
	if (k->next_id > MAX_WIDE_INSTRUCTIONS || l->checked || l->shapes->ends)
		return lanes;
	while (lanes < ROW_LANES_MOST && lanes * 2 * bytes <= l->machine->lanes * 2 * SUM_VECTORS)
		lanes *= 2;
	return lanes;
}

unsigned lowering_lane_count(const struct lowering *l)
{
	unsigned lanes = l->machine->lanes;
	while (ir_is_grouped(l->kernel) && l->kernel->group[0] % lanes != 0)
		lanes /= 2;
	return lanes >= LEAST_LANES ? lanes : 0;
}

/* ---- Rows ---- */

static LLVMValueRef phi(struct lowering *l, const char *name, LLVMValueRef first, LLVMBasicBlockRef from)
{
	LLVMValueRef v = LLVMBuildPhi(l->builder, lowering_int(l, 64), name);
	LLVMAddIncoming(v, &first, &from, 1);
	return v;
}

/* All lanes from x on; jumps back to `head`. */
static void run_chunk(struct lowering *l, LLVMValueRef x, LLVMBasicBlockRef head)
{
	l->global_id[0] = x;
	lowering_vector_body(l);
	LLVMValueRef next = LLVMBuildNSWAdd(l->builder, x, lowering_i64(l, l->width), "");
	LLVMBasicBlockRef last = LLVMGetInsertBlock(l->builder);
	LLVMAddIncoming(x, &next, &last, 1);
	LLVMBuildBr(l->builder, head);
}

/* The lanes that are before `left`, which is not 0. */
static LLVMValueRef lanes_before(struct lowering *l, LLVMValueRef left)
{
	LLVMTypeRef i32 = lowering_int(l, 32);
	LLVMValueRef width = lowering_i64(l, l->width);
	LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntUGT, left, width, "");
	LLVMValueRef count = LLVMBuildTrunc(l->builder, LLVMBuildSelect(l->builder, more, width, left, ""), i32, "");
	return LLVMBuildICmp(l->builder, LLVMIntULT, lowering_vector_numbers(l, i32), lowering_vector_splat(l, count),
	                     "");
}

void lowering_row_chunks(struct lowering *l, LLVMValueRef first, LLVMValueRef end, LLVMBasicBlockRef done)
{
	LLVMBuilderRef b = l->builder;
	unsigned lanes = l->width;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b), head = lowering_block(l, "row_head");
	LLVMBasicBlockRef full = lowering_block(l, "lanes"), rest = lowering_block(l, "row_rest");
	LLVMBasicBlockRef some = lowering_block(l, "some_lanes");
	LLVMBuildBr(b, head);
	lowering_enter(l, head);
	LLVMValueRef x = phi(l, "x", first, before);
	l->width = row_lanes(l);
	LLVMValueRef left = LLVMBuildNSWSub(b, end, x, "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGE, left, lowering_i64(l, l->width), ""), full, rest);
	lowering_enter(l, full);
	run_chunk(l, x, head);
	lowering_enter(l, rest);
	LLVMValueRef y = phi(l, "x", x, head);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, y, end, ""), some, done);
	lowering_enter(l, some);
	l->width = lanes;
	l->active = lanes_before(l, LLVMBuildNSWSub(b, end, y, ""));
	run_chunk(l, y, rest);
	l->active = NULL;
}

/* ---- The kernel ---- */

static bool updates_buffers(const struct ir_kernel *k)
{
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_BUFFER && atomic_order_updates(k, k->memories[n]))
			return true;
	return false;
}

/* What 32 bits would be faster for: vectors of 64-bit integers, and their quotients. */
struct wide_query {
	const struct vector_shapes *shapes; /* NULL: no lanes */
};

static bool is_not_wide(void *context, struct ir_instruction *i)
{
	const struct wide_query *q = context;
	if (!ir_type_is_integer(i->type) || ir_type_bits(i->type) < 64)
		return true;
	bool varying = q->shapes && q->shapes->values[i->id] == VECTOR_VARYING;
	return !varying && i->op != IR_OP_idiv_trap && i->op != IR_OP_irem_trap;
}

/* The narrow variant, where the other one is as fast. */
static bool is_needless(struct lowering *l)
{
	struct text name = {0};
	const char *suffix = strrchr(l->kernel->name, '_');
	if (!suffix || strcmp(suffix - 1, KERNEL_NARROW_SUFFIX) != 0)
		return false;
	text_add_format(&name, "%.*s" KERNEL_PROVED_SUFFIX, (int)(suffix - 1 - l->kernel->name), l->kernel->name);
	const struct ir_kernel *proved = ir_module_find(l->kernel->module, text_string(&name));
	text_free(&name);
	if (!proved)
		return false;
	struct wide_query q = {vector_shapes_find(proved, l->arena)};
	return ir_visit(&proved->body, is_not_wide, &q);
}

/* False: there is no use in one. */
static bool choose_lanes(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	l->shapes = l->machine->lanes ? vector_shapes_find(k, l->arena) : NULL;
	if (l->shapes)
		l->width = lowering_lane_count(l);
	if (l->width)
		return true;
	return !ir_is_grouped(k) && updates_buffers(k) && atomic_order_is_free(k, l->arena);
}

void lowering_chunks(struct lowering *l)
{
	if (is_needless(l) || !choose_lanes(l))
		return;
	struct lowering_threads threads = lowering_add_threads(l), parallel;
	bool atomics = updates_buffers(l->kernel);
	if (atomics) {
		l->parallel = true;
		parallel = lowering_add_threads(l);
	}
	lowering_entry(l, &threads, atomics ? &parallel : NULL);
}
