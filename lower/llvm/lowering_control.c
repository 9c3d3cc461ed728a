/* Regions and control: plain branches; LLVM's passes turn the allocas of locals into values. */
#include <assert.h>
#include <string.h>

#include "lower/llvm/lowering.h"

static LLVMTypeRef local_type(const struct lowering *l, const struct ir_local *local)
{
	return lowering_type(l, local->type);
}

/* Loops of a thread that has failed stop. */
static LLVMValueRef and_good(struct lowering *l, const struct ir_instruction *loop, LLVMValueRef condition)
{
	LLVMValueRef good = lowering_goes_on(l, loop);
	if (!good)
		return condition;
	return condition ? LLVMBuildAnd(l->builder, condition, good, "") : good;
}

static void mark_loop(struct lowering *l, LLVMValueRef branch, const char *what)
{
	static const char kind[] = "llvm.loop";
	LLVMMetadataRef word = LLVMMDStringInContext2(l->context, what, strlen(what));
	LLVMMetadataRef self = LLVMTemporaryMDNode(l->context, NULL, 0);
	LLVMMetadataRef parts[] = {self, LLVMMDNodeInContext2(l->context, &word, 1)};
	LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, parts, 2);
	LLVMMetadataReplaceAllUsesWith(self, node);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, kind, strlen(kind)),
	                LLVMMetadataAsValue(l->context, node));
}

void lowering_keep_loop(struct lowering *l, LLVMValueRef branch)
{
	mark_loop(l, branch, "llvm.loop.unroll.disable");
}

enum { UNROLLED_ROUNDS = 32, UNROLLED_INSTRUCTIONS = 48, JOINT_ROUNDS = 16, JOINT_INSTRUCTIONS = 64 };

/* Neither control nor a barrier; *context counts down. */
static bool is_straight(void *context, struct ir_instruction *i)
{
	unsigned *left = context;
	return !(ir_op_infos[i->op].flags & (IR_FLAG_CONTROL | IR_FLAG_END | IR_FLAG_BARRIER)) && (*left)-- > 0;
}

static bool is_few(void *context, struct ir_instruction *i)
{
	unsigned *left = context;
	(void)i;
	return (*left)-- > 0;
}

/* Rounds that the lanes of a group do together: how many lanes have something to do in each is then known. */
static bool is_joint(const struct lowering *l, const struct ir_instruction *i, uint64_t rounds)
{
	unsigned left = JOINT_INSTRUCTIONS;
	return l->width && rounds <= JOINT_ROUNDS && ir_visit(&i->regions[0], is_few, &left) &&
	       !ir_has_barrier(&i->regions[0]);
}

/* A short loop of a number of rounds that is known, where a machine has use for all of them at once. LLVM's own limit
 * is below that of a tile's product. */
static bool is_unrolled(const struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_instruction *first = i->operands[0], *end = i->operands[1];
	unsigned left = UNROLLED_INSTRUCTIONS;
	if (!lowering_certain(l) || first->op != IR_OP_const || end->op != IR_OP_const)
		return false;
	uint64_t rounds = end->bits - first->bits;
	if (!l->machine->unrolls)
		return is_joint(l, i, rounds);
	return rounds <= UNROLLED_ROUNDS && ir_visit(&i->regions[0], is_straight, &left);
}

static void lower_if(struct lowering *l, const struct ir_instruction *i)
{
	LLVMBasicBlockRef then = lowering_block(l, "if"), after = lowering_block(l, "end");
	LLVMBasicBlockRef otherwise = i->regions[1].first ? lowering_block(l, "else") : after;
	LLVMBuildCondBr(l->builder, lowering_operand(l, i, 0), then, otherwise);
	lowering_enter(l, then);
	lowering_region(l, &i->regions[0]);
	lowering_jump(l, after);
	if (otherwise != after) {
		lowering_enter(l, otherwise);
		lowering_region(l, &i->regions[1]);
		lowering_jump(l, after);
	}
	lowering_enter(l, after);
}

struct rounds {
	void (*lower)(void *context, const struct ir_region *region);
	void *context;
};

static void lower_round(void *context, const struct ir_region *region)
{
	lowering_region(context, region);
}

static void lower_body(struct lowering *l, const struct ir_instruction *i, struct rounds rounds, LLVMBasicBlockRef next,
                       LLVMBasicBlockRef leave)
{
	struct lowering_loop loop = {.control = i, .next = next, .leave = leave, .outer = l->loops};
	l->loops = &loop;
	rounds.lower(rounds.context, &i->regions[0]);
	l->loops = loop.outer;
	lowering_jump(l, next);
}

void lowering_for_rounds(struct lowering *l, const struct ir_instruction *i, LLVMValueRef first, LLVMValueRef end,
                         void (*lower)(void *context, const struct ir_region *region), void *context)
{
	LLVMTypeRef type = lowering_type(l, i->type);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef head = lowering_block(l, "for"), body = lowering_block(l, "body");
	LLVMBasicBlockRef next = lowering_block(l, "next"), leave = lowering_block(l, "leave");
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef v = LLVMBuildPhi(l->builder, type, "");
	LLVMValueRef more = LLVMBuildICmp(l->builder, ir_type_is_signed(i->type) ? LLVMIntSLT : LLVMIntULT, v, end, "");
	LLVMBuildCondBr(l->builder, and_good(l, i, more), body, leave);
	lowering_enter(l, body);
	l->values[i->id] = v;
	lower_body(l, i, (struct rounds){lower, context}, next, leave);
	lowering_enter(l, next);
	LLVMValueRef one = LLVMConstInt(type, 1, false);
	/* v < end held, so v + 1 stays in the type. */
	LLVMValueRef after = ir_type_is_signed(i->type) ? LLVMBuildNSWAdd(l->builder, v, one, "")
	                                                : LLVMBuildNUWAdd(l->builder, v, one, "");
	LLVMAddIncoming(v, (LLVMValueRef[]){first, after}, (LLVMBasicBlockRef[]){before, next}, 2);
	LLVMValueRef branch = LLVMBuildBr(l->builder, head);
	if (is_unrolled(l, i))
		mark_loop(l, branch, "llvm.loop.unroll.full");
	lowering_enter(l, leave);
}

void lowering_loop_rounds(struct lowering *l, const struct ir_instruction *i,
                          void (*lower)(void *context, const struct ir_region *region), void *context)
{
	LLVMBasicBlockRef head = lowering_block(l, "loop"), leave = lowering_block(l, "leave");
	LLVMBasicBlockRef next = lowering_block(l, "next");
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef good = and_good(l, i, NULL);
	if (good) {
		LLVMBasicBlockRef body = lowering_block(l, "body");
		LLVMBuildCondBr(l->builder, good, body, leave);
		lowering_enter(l, body);
	}
	lower_body(l, i, (struct rounds){lower, context}, next, leave);
	lowering_enter(l, next);
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, leave);
}

static const struct lowering_loop *loop_of(const struct lowering *l, const struct ir_instruction *target)
{
	const struct lowering_loop *loop = l->loops;
	while (loop->control != target)
		loop = loop->outer;
	return loop;
}

static void lower_return(struct lowering *l)
{
	if (l->together)
		lowering_absent(l, LLVMConstNull(lowering_int(l, 1)));
	else
		LLVMBuildBr(l->builder, l->thread_end);
}

static LLVMValueRef lower_select(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef x = lowering_operand(l, i, 1), y = lowering_operand(l, i, 2);
	return LLVMBuildSelect(l->builder, lowering_operand(l, i, 0), x, y, "");
}

void lowering_instruction(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef *result = &l->values[i->id];
	lowering_locate(l, i->place);
	switch (i->op) {
	case IR_OP_const:
	case IR_OP_parameter:
	case IR_OP_length:
	case IR_OP_global_id:
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_group_size:
	case IR_OP_grid_size: *result = lowering_given(l, i); return;
	case IR_OP_iadd:
	case IR_OP_isub:
	case IR_OP_imul:
	case IR_OP_ineg:
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap:
	case IR_OP_imul_trap:
	case IR_OP_ineg_trap:
	case IR_OP_iabs_trap:
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap:
	case IR_OP_band:
	case IR_OP_bor:
	case IR_OP_bxor:
	case IR_OP_bnot:
	case IR_OP_ishl:
	case IR_OP_ishr: *result = lowering_integer(l, i); return;
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv:
	case IR_OP_fneg:
	case IR_OP_fabs:
	case IR_OP_fsqrt:
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround: *result = lowering_float(l, i); return;
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge: *result = lowering_compare(l, i); return;
	case IR_OP_select: *result = lower_select(l, i); return;
	case IR_OP_convert:
	case IR_OP_convert_saturate:
	case IR_OP_bitcast: *result = lowering_convert(l, i); return;
	case IR_OP_convert_trap: *result = lowering_convert_trap(l, i); return;
	case IR_OP_idiv:
	case IR_OP_irem: break; /* lower_math has gone before */
	case IR_OP_math:
	case IR_OP_math2: *result = lowering_library(l, i); return;
	case IR_OP_check_index:
	case IR_OP_check_range:
	case IR_OP_check: lowering_check(l, i); return;
	case IR_OP_load: *result = lowering_load(l, i); return;
	case IR_OP_atomic_load:
	case IR_OP_atomic_store:
	case IR_OP_atomic_swap:
	case IR_OP_atomic_add:
	case IR_OP_atomic_sub:
	case IR_OP_atomic_min:
	case IR_OP_atomic_max:
	case IR_OP_atomic_and:
	case IR_OP_atomic_or:
	case IR_OP_atomic_xor:
	case IR_OP_atomic_cas: lowering_atomic(l, i); return;
	case IR_OP_get:
		*result = LLVMBuildLoad2(l->builder, local_type(l, i->local), l->locals[i->local->index], "");
		return;
	case IR_OP_set: LLVMBuildStore(l->builder, lowering_operand(l, i, 0), l->locals[i->local->index]); return;
	case IR_OP_if: lower_if(l, i); return;
	case IR_OP_for:
		lowering_for_rounds(l, i, lowering_operand(l, i, 0), lowering_operand(l, i, 1), lower_round, l);
		return;
	case IR_OP_loop: lowering_loop_rounds(l, i, lower_round, l); return;
	case IR_OP_break: LLVMBuildBr(l->builder, loop_of(l, i->target)->leave); return;
	case IR_OP_continue: LLVMBuildBr(l->builder, loop_of(l, i->target)->next); return;
	case IR_OP_return: lower_return(l); return;
	case IR_OP_barrier:
		l->barrier_place = i->place;
		l->machine->barrier(l, i->barrier);
		return;
	case IR_OP_cut: return;
	case IR_OP_store: /* lowering_region's */
	case IR_OP_yield: /* in expressions only */
	case IR_OP_COUNT: break;
	}
	assert(!"not an operation of a body");
}

void lowering_range(struct lowering *l, const struct ir_instruction *first, const struct ir_instruction *end)
{
	for (const struct ir_instruction *i = first; i != end; i = i->next) {
		/* Stores that follow one another share one test of `bad`. */
		if (i->op == IR_OP_store)
			i = lowering_stores(l, i);
		else
			lowering_instruction(l, i);
	}
}

void lowering_region(struct lowering *l, const struct ir_region *region)
{
	lowering_range(l, region->first, NULL);
}
