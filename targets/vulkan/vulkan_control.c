/* Regions and structured control. A jump reaches the innermost loop around it directly; one that goes further out
 * leaves its aim in `leaving` and breaks out loop by loop. All ways end at one return. */
#include <assert.h>

#include "targets/vulkan/vulkan_writer.h"

/* ---- Where jumps go: values of `leaving` ---- */

enum { LEAVES_NOT = 0, LEAVES_THREAD = 1 };

static uint32_t aim_of(const struct vulkan_writer *w, const struct ir_instruction *target, enum ir_op op)
{
	return vulkan_u32(w->module, 2 + target->id * 2 + (op == IR_OP_continue));
}

static void set_leaving(struct vulkan_writer *w, uint32_t aim)
{
	uint32_t none = vulkan_u32(w->module, LEAVES_NOT);
	if (!w->leaving)
		w->leaving = vulkan_local(w, vulkan_int(w->module, 32), none, "leaving");
	VULKAN_DO(w, SpvOpStore, w->leaving, aim);
}

/* To the merge block of a loop around, which is the innermost. */
static void leave_loop(struct vulkan_writer *w)
{
	w->loops->left = true;
	vulkan_rounds_leave(w);
	vulkan_jump(w, w->loops->leave);
}

static void jump_out(struct vulkan_writer *w, const struct ir_instruction *i)
{
	struct vulkan_loop *loop = w->loops;
	if (i->target == loop->control) {
		if (i->op == IR_OP_break)
			leave_loop(w);
		else
			vulkan_jump(w, loop->next);
		return;
	}
	for (; loop->outer->control != i->target; loop = loop->outer)
		loop->goes_further = true;
	loop->breaks_outer |= i->op == IR_OP_break;
	loop->continues_outer |= i->op == IR_OP_continue;
	set_leaving(w, aim_of(w, i->target, i->op));
	leave_loop(w);
}

static void end_thread(struct vulkan_writer *w)
{
	if (w->together) {
		vulkan_absent(w, vulkan_truth(w->module, false));
		return;
	}
	if (!w->loops) {
		vulkan_jump(w, w->thread_end);
		return;
	}
	for (struct vulkan_loop *loop = w->loops; loop; loop = loop->outer)
		loop->goes_further = true;
	set_leaving(w, vulkan_u32(w->module, LEAVES_THREAD));
	leave_loop(w);
}

/* After a loop that is left toward a break or continue of the one around: goes on there. */
static void take_aim(struct vulkan_writer *w, enum ir_op op)
{
	uint32_t aim = aim_of(w, w->loops->control, op);
	uint32_t leaving = vulkan_load_variable(w, vulkan_int(w->module, 32), w->leaving);
	uint32_t after = vulkan_begin_if(w, vulkan_test(w, SpvOpIEqual, leaving, aim));
	VULKAN_DO(w, SpvOpStore, w->leaving, vulkan_u32(w->module, LEAVES_NOT));
	if (op == IR_OP_break)
		leave_loop(w);
	else
		vulkan_jump(w, w->loops->next);
	vulkan_end_if(w, after);
}

/* Behind a loop's merge block: what left it for elsewhere goes on. */
static void pass_on(struct vulkan_writer *w, const struct vulkan_loop *loop)
{
	struct vulkan_loop *outer = w->loops;
	if (loop->breaks_outer)
		take_aim(w, IR_OP_break);
	if (loop->continues_outer)
		take_aim(w, IR_OP_continue);
	if (!loop->goes_further)
		return;
	uint32_t leaving = vulkan_load_variable(w, vulkan_int(w->module, 32), w->leaving);
	uint32_t none = vulkan_u32(w->module, LEAVES_NOT);
	uint32_t after = vulkan_begin_if(w, vulkan_test(w, SpvOpINotEqual, leaving, none));
	if (outer)
		leave_loop(w);
	else
		vulkan_jump(w, w->thread_end);
	vulkan_end_if(w, after);
}

/* ---- Control ---- */

/* Nothing gets here: what would follow is left out. */
static void end_unreachable(struct vulkan_writer *w)
{
	vulkan_write(w->module, &w->code, SpvOpUnreachable, NULL, 0);
	w->ended = true;
}

static void write_if(struct vulkan_writer *w, const struct ir_instruction *i)
{
	struct vulkan_module *m = w->module;
	uint32_t then = vulkan_id(m), after = vulkan_id(m), otherwise = i->regions[1].first ? vulkan_id(m) : after;
	VULKAN_DO(w, SpvOpSelectionMerge, after, SpvSelectionControlMaskNone);
	VULKAN_DO(w, SpvOpBranchConditional, vulkan_operand(w, i, 0), then, otherwise);
	vulkan_label(w, then);
	vulkan_region(w, &i->regions[0]);
	bool reached = !w->ended || otherwise == after;
	vulkan_jump(w, after);
	if (otherwise != after) {
		vulkan_label(w, otherwise);
		vulkan_region(w, &i->regions[1]);
		reached |= !w->ended;
		vulkan_jump(w, after);
	}
	vulkan_label(w, after);
	if (!reached)
		end_unreachable(w);
}

/* Loops of a thread that has failed stop. */
static uint32_t and_good(struct vulkan_writer *w, const struct ir_instruction *loop, uint32_t condition)
{
	uint32_t good = vulkan_goes_on(w, loop);
	return good && condition ? vulkan_both(w, condition, good) : good ? good : condition;
}

/* From the loop's header, whose condition (0: none) is made, to behind its merge block. In the continue target `after`
 * is made of `v`, by one more, for the header's phi; 0: there is none. */
static void write_rounds(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t head, uint32_t condition,
                         uint32_t next, uint32_t v, uint32_t after)
{
	struct vulkan_module *m = w->module;
	struct vulkan_loop loop = {.control = i, .next = next, .leave = vulkan_id(m), .outer = w->loops};
	uint32_t body = vulkan_id(m), end = w->rounds ? vulkan_id(m) : loop.leave;
	VULKAN_DO(w, SpvOpLoopMerge, loop.leave, next, SpvLoopControlMaskNone);
	if (condition)
		VULKAN_DO(w, SpvOpBranchConditional, condition, body, end);
	else
		VULKAN_DO(w, SpvOpBranch, body);
	loop.left = condition != 0;
	if (condition && end != loop.leave) {
		vulkan_label(w, end);
		vulkan_rounds_leave(w);
		vulkan_jump(w, loop.leave);
	}
	vulkan_label(w, body);
	w->loops = &loop;
	vulkan_region(w, &i->regions[0]);
	w->loops = loop.outer;
	vulkan_jump(w, next);
	vulkan_label(w, next);
	if (after)
		VULKAN_DO(w, SpvOpIAdd, vulkan_value_type(m, i->type), after, v, vulkan_constant(m, i->type, 1));
	vulkan_jump(w, head);
	vulkan_label(w, loop.leave);
	if (!loop.left) {
		end_unreachable(w);
		return;
	}
	if (!w->loops)
		vulkan_rounds_check(w, i);
	pass_on(w, &loop);
}

static void write_for(struct vulkan_writer *w, const struct ir_instruction *i)
{
	struct vulkan_module *m = w->module;
	uint32_t end = vulkan_compared(w, i, 1);
	uint32_t before = w->block, head = vulkan_id(m), next = vulkan_id(m), v = vulkan_id(m), after = vulkan_id(m);
	vulkan_rounds_enter(w);
	vulkan_jump(w, head);
	vulkan_label(w, head);
	VULKAN_DO(w, SpvOpPhi, vulkan_value_type(m, i->type), v, vulkan_operand(w, i, 0), before, after, next);
	w->values[i->id] = v;
	uint32_t more = vulkan_test(w, ir_type_is_signed(i->type) ? SpvOpSLessThan : SpvOpULessThan, v, end);
	write_rounds(w, i, head, and_good(w, i, more), next, v, after);
}

static void write_loop(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t head = vulkan_id(w->module);
	vulkan_rounds_enter(w);
	vulkan_jump(w, head);
	vulkan_label(w, head);
	write_rounds(w, i, head, and_good(w, i, 0), vulkan_id(w->module), 0, 0);
}

/* ---- Instructions ---- */

void vulkan_instruction(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t *result = &w->values[i->id];
	switch (i->op) {
	case IR_OP_const:
	case IR_OP_parameter:
	case IR_OP_length:
	case IR_OP_global_id:
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_group_size:
	case IR_OP_grid_size: *result = vulkan_given(w, i); return;
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
	case IR_OP_idiv:
	case IR_OP_irem:
	case IR_OP_band:
	case IR_OP_bor:
	case IR_OP_bxor:
	case IR_OP_bnot:
	case IR_OP_ishl:
	case IR_OP_ishr: *result = vulkan_integer(w, i); return;
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv:
	case IR_OP_fneg:
	case IR_OP_fabs:
	case IR_OP_fsqrt:
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround: *result = vulkan_float_operation(w, i); return;
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge: *result = vulkan_compare(w, i); return;
	case IR_OP_select:
		*result = vulkan_select(w, vulkan_value_type(w->module, i->type), vulkan_operand(w, i, 0),
		                        vulkan_operand(w, i, 1), vulkan_operand(w, i, 2));
		return;
	case IR_OP_convert:
	case IR_OP_convert_saturate:
	case IR_OP_bitcast: *result = vulkan_convert(w, i); return;
	case IR_OP_convert_trap: *result = vulkan_convert_trap(w, i); return;
	case IR_OP_math:
	case IR_OP_math2: *result = vulkan_function(w, i); return;
	case IR_OP_check_index:
	case IR_OP_check_range:
	case IR_OP_check: vulkan_check(w, i); return;
	case IR_OP_load: *result = vulkan_load(w, i); return;
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
	case IR_OP_atomic_cas: vulkan_atomic(w, i); return;
	case IR_OP_get:
		*result = vulkan_load_variable(w, vulkan_value_type(w->module, i->type), w->locals[i->local->index]);
		return;
	case IR_OP_set: VULKAN_DO(w, SpvOpStore, w->locals[i->local->index], vulkan_operand(w, i, 0)); return;
	case IR_OP_if: write_if(w, i); return;
	case IR_OP_for: write_for(w, i); return;
	case IR_OP_loop: write_loop(w, i); return;
	case IR_OP_break:
	case IR_OP_continue: jump_out(w, i); return;
	case IR_OP_return: end_thread(w); return;
	case IR_OP_barrier: vulkan_barrier(w, i->barrier); return;
	case IR_OP_cut: return;
	case IR_OP_store: /* vulkan_region's */
	case IR_OP_yield: /* in expressions only */
	case IR_OP_COUNT: break;
	}
	assert(!"not an operation of a body");
}

void vulkan_region(struct vulkan_writer *w, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i && !w->ended; i = i->next) {
		/* Stores that follow one another share one test of `bad`. */
		if (i->op == IR_OP_store)
			i = vulkan_stores(w, i);
		else
			vulkan_instruction(w, i);
	}
}
