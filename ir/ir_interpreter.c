/* The IR interpreter: a walk over the regions, one thread after another. Arithmetic is ir_evaluate_op's. */
#include "ir/ir_interpreter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_fold.h"
#include "ir/ir_interpreter_frame.h"

/* How a region was left. */
enum outcome {
	OUTCOME_END, /* fell off its end */
	OUTCOME_BREAK,
	OUTCOME_CONTINUE,
	OUTCOME_RETURN,
	OUTCOME_YIELD,
	OUTCOME_TRAP,
	OUTCOME_BUDGET, /* out of steps */
};

static enum outcome run_region(struct interpreter_frame *frame, const struct ir_region *region);

bool interpreter_trap(struct interpreter_frame *frame, const struct ir_instruction *i, enum trap_kind kind,
                      int64_t value, int64_t limit)
{
	frame->trap = (struct kernel_trap){
	    .kind = kind, .line = i->place.line, .column = i->place.column, .value = value, .limit = limit};
	memcpy(frame->trap.thread, frame->global_id, sizeof frame->trap.thread);
	return false;
}

static bool spend_step(struct interpreter_frame *frame)
{
	if (!frame->counted)
		return true;
	if (!frame->steps)
		return false;
	frame->steps--;
	return true;
}

static uint64_t operand(const struct interpreter_frame *frame, const struct ir_instruction *i, unsigned n)
{
	return frame->values[i->operands[n]->id];
}

/* a < b for values of an integer type in 64-bit form. */
static bool less(const struct ir_type *type, uint64_t a, uint64_t b)
{
	return ir_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

/* ---- Values and checks ---- */

static uint64_t index_value(const struct interpreter_frame *frame, uint64_t value)
{
	return frame->kernel->index == IR_TYPE_u32 ? (uint32_t)value : value;
}

static uint64_t length_of(const struct interpreter_frame *frame, const struct ir_memory *base)
{
	uint64_t count = base->kind == IR_MEMORY_BUFFER ? frame->arguments[base->parameter].length : base->type->count;
	return index_value(frame, count);
}

static bool evaluate(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	uint64_t operands[IR_MAX_OPERANDS] = {0};
	unsigned arity = ir_op_infos[i->op].arity;
	for (unsigned n = 0; n < arity; n++)
		operands[n] = operand(frame, i, n);
	const struct ir_type *type = i->operands[i->op == IR_OP_select]->type;
	enum trap_kind trap = ir_evaluate_op(i->op, type, i->type, operands, &frame->values[i->id]);
	return trap == TRAP_NONE || interpreter_trap(frame, i, trap, 0, 0);
}

static bool check_index(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	const struct ir_type *type = i->operands[0]->type;
	uint64_t index = operand(frame, i, 0), length = operand(frame, i, 1);
	if (!less(type, index, 0) && less(type, index, length))
		return true;
	return interpreter_trap(frame, i, TRAP_INDEX, (int64_t)index, (int64_t)length);
}

static bool check_range(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	const struct ir_type *type = i->operands[0]->type;
	uint64_t first = operand(frame, i, 0), end = operand(frame, i, 1), length = operand(frame, i, 2);
	if (!less(type, first, 0) && !less(type, end, first) && !less(type, length, end))
		return true;
	return interpreter_trap(frame, i, TRAP_RANGE, (int64_t)end, 0);
}

/* ---- Control ---- */

/* Whether a region's outcome goes on with the next round of `loop`; else *left is how the loop ends. */
static bool next_round(const struct interpreter_frame *frame, const struct ir_instruction *loop, enum outcome body,
                       enum outcome *left)
{
	bool ours = frame->target == loop;
	*left = body == OUTCOME_BREAK && ours ? OUTCOME_END : body;
	return body == OUTCOME_END || (body == OUTCOME_CONTINUE && ours);
}

static enum outcome run_for(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	enum outcome left;
	uint64_t end = operand(frame, i, 1);
	/* value < end holds before each increment, so it cannot leave the type. */
	for (uint64_t value = operand(frame, i, 0); less(i->type, value, end); value++) {
		if (!spend_step(frame))
			return OUTCOME_BUDGET;
		frame->values[i->id] = value;
		if (!next_round(frame, i, run_region(frame, &i->regions[0]), &left))
			return left;
	}
	return OUTCOME_END;
}

static enum outcome run_loop(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	enum outcome left;
	do
		if (!spend_step(frame))
			return OUTCOME_BUDGET;
	while (next_round(frame, i, run_region(frame, &i->regions[0]), &left));
	return left;
}

static enum outcome jump(struct interpreter_frame *frame, const struct ir_instruction *i, enum outcome outcome)
{
	frame->target = i->target;
	return outcome;
}

static enum outcome done(bool ok)
{
	return ok ? OUTCOME_END : OUTCOME_TRAP;
}

static enum outcome run_instruction(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	uint64_t *result = &frame->values[i->id];
	switch (i->op) {
	case IR_OP_const: *result = i->bits; return OUTCOME_END;
	case IR_OP_parameter: *result = frame->arguments[i->parameter].bits; return OUTCOME_END;
	case IR_OP_length: *result = length_of(frame, i->base); return OUTCOME_END;
	case IR_OP_global_id: *result = index_value(frame, frame->global_id[i->axis]); return OUTCOME_END;
	case IR_OP_local_id: *result = index_value(frame, frame->local_id[i->axis]); return OUTCOME_END;
	case IR_OP_group_id: *result = index_value(frame, frame->group_id[i->axis]); return OUTCOME_END;
	case IR_OP_group_size: *result = frame->kernel->group[i->axis]; return OUTCOME_END;
	case IR_OP_grid_size: *result = index_value(frame, frame->extents[i->axis]); return OUTCOME_END;
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
	case IR_OP_ishr:
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv:
	case IR_OP_fneg:
	case IR_OP_fabs:
	case IR_OP_fsqrt:
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround:
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge:
	case IR_OP_select:
	case IR_OP_convert:
	case IR_OP_convert_trap:
	case IR_OP_bitcast: return done(evaluate(frame, i));
	case IR_OP_check_index: return done(check_index(frame, i));
	case IR_OP_check_range: return done(check_range(frame, i));
	case IR_OP_check: return done(operand(frame, i, 0) || interpreter_trap(frame, i, i->trap, 0, 0));
	case IR_OP_load:
	case IR_OP_store:
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
	case IR_OP_atomic_cas: return done(interpreter_access(frame, i));
	case IR_OP_get: *result = frame->locals[i->local->index]; return OUTCOME_END;
	case IR_OP_set: frame->locals[i->local->index] = operand(frame, i, 0); return OUTCOME_END;
	case IR_OP_barrier:
	case IR_OP_cut: return OUTCOME_END;
	case IR_OP_if: return run_region(frame, &i->regions[!operand(frame, i, 0)]);
	case IR_OP_for: return run_for(frame, i);
	case IR_OP_loop: return run_loop(frame, i);
	case IR_OP_break: return jump(frame, i, OUTCOME_BREAK);
	case IR_OP_continue: return jump(frame, i, OUTCOME_CONTINUE);
	case IR_OP_return: return OUTCOME_RETURN;
	case IR_OP_yield: frame->yielded = operand(frame, i, 0); return OUTCOME_YIELD;
	case IR_OP_COUNT: break;
	}
	assert(!"not an operation");
	return OUTCOME_END;
}

static enum outcome run_region(struct interpreter_frame *frame, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		if (!spend_step(frame))
			return OUTCOME_BUDGET;
		enum outcome outcome = run_instruction(frame, i);
		if (outcome != OUTCOME_END)
			return outcome;
	}
	return OUTCOME_END;
}

/* ---- Runs ---- */

static void frame_open(struct interpreter_frame *frame, const struct ir_kernel *k, const struct ir_argument *arguments)
{
	*frame = (struct interpreter_frame){.kernel = k, .arguments = arguments};
	frame->values = memory_zeroed((size_t)k->next_id + 1, sizeof *frame->values);
	frame->locals = memory_zeroed((size_t)k->local_count + 1, sizeof *frame->locals);
	frame->privates = memory_zeroed((size_t)k->memory_count + 1, sizeof *frame->privates);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		const struct ir_memory *memory = k->memories[n];
		if (memory->kind == IR_MEMORY_PRIVATE || memory->kind == IR_MEMORY_SHARED)
			frame->privates[frame->private_count++] =
			    (struct interpreter_private){memory, memory_zeroed((size_t)memory->type->size + 1, 1)};
	}
}

static void frame_close(struct interpreter_frame *frame)
{
	for (uint32_t n = 0; n < frame->private_count; n++)
		free(frame->privates[n].bytes);
	free(frame->privates);
	free(frame->locals);
	free(frame->values);
}

static void start_thread(struct interpreter_frame *frame, uint64_t linear)
{
	const uint64_t *extents = frame->extents;
	frame->global_id[0] = linear % extents[0];
	frame->global_id[1] = linear / extents[0] % extents[1];
	frame->global_id[2] = linear / extents[0] / extents[1];
	for (unsigned axis = 0; axis < 3; axis++) {
		frame->local_id[axis] = frame->global_id[axis] % frame->kernel->group[axis];
		frame->group_id[axis] = frame->global_id[axis] / frame->kernel->group[axis];
	}
	for (uint32_t n = 0; n < frame->private_count; n++) {
		const struct ir_memory *memory = frame->privates[n].memory;
		if (memory->init)
			memcpy(frame->privates[n].bytes, memory->init, memory->type->size);
		else
			memset(frame->privates[n].bytes, 0, memory->type->size);
	}
}

bool ir_evaluate_expression(const struct ir_kernel *k, const struct ir_expression *e,
                            const struct ir_argument *arguments, uint64_t *result, struct kernel_trap *trap)
{
	struct interpreter_frame frame;
	frame_open(&frame, k, arguments);
	enum outcome outcome = run_region(&frame, &e->region);
	assert(outcome == OUTCOME_YIELD || outcome == OUTCOME_TRAP);
	if (outcome == OUTCOME_YIELD)
		*result = frame.yielded;
	else if (trap)
		*trap = frame.trap;
	frame_close(&frame);
	return outcome == OUTCOME_YIELD;
}

bool ir_run(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3], uint64_t first,
            uint64_t last, bool (*failed)(void *context, const struct kernel_trap *trap), void *context,
            struct kernel_trap *trap, uint64_t *steps)
{
	if (first >= last)
		return true;
	struct interpreter_frame frame;
	frame_open(&frame, k, arguments);
	memcpy(frame.extents, extents, sizeof frame.extents);
	frame.counted = steps != NULL;
	frame.steps = steps ? *steps : 0;
	bool whole = true;
	for (uint64_t linear = first; linear < last && whole; linear++) {
		start_thread(&frame, linear);
		switch (run_region(&frame, &k->body)) {
		case OUTCOME_END:
		case OUTCOME_RETURN: break;
		case OUTCOME_TRAP: whole = failed && failed(context, &frame.trap); break;
		case OUTCOME_BUDGET:
			frame.trap = (struct kernel_trap){.kind = TRAP_NONE};
			whole = false;
			break;
		case OUTCOME_BREAK:
		case OUTCOME_CONTINUE:
		case OUTCOME_YIELD: assert(!"no loop or expression around the body"); break;
		}
	}
	if (!whole && trap)
		*trap = frame.trap;
	if (steps)
		*steps = frame.steps;
	frame_close(&frame);
	return whole;
}
