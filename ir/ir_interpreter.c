/* The IR interpreter: a walk over the regions, one thread after another. Arithmetic is ir_evaluate_op's. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_fold.h"
#include "ir/ir_interpreter_frame.h"
#include "ir/math.h"

static enum outcome run_region(struct interpreter_frame *frame, const struct ir_region *region);

bool interpreter_trap(struct interpreter_frame *frame, const struct ir_instruction *i, enum trap_kind kind,
                      int64_t value, int64_t limit)
{
	frame->trap = (struct kernel_trap){.kind = kind,
	                                   .line = i->place.line,
	                                   .column = i->place.column,
	                                   .file = i->place.file,
	                                   .value = value,
	                                   .limit = limit};
	memcpy(frame->trap.thread, frame->global_id, sizeof frame->trap.thread);
	return false;
}

bool interpreter_spend(struct interpreter_frame *frame)
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

bool interpreter_less(const struct ir_type *type, uint64_t a, uint64_t b)
{
	return ir_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

/* ---- Values and checks ---- */

static uint64_t index_value(const struct interpreter_frame *frame, uint64_t value)
{
	return ir_canonical_bits(&ir_types[frame->kernel->index], value);
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
	if (frame->subnormals)
		interpreter_note_subnormals(frame, i);
	return trap == TRAP_NONE || interpreter_trap(frame, i, trap, 0, 0);
}

static bool check_index(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	const struct ir_type *type = i->operands[0]->type;
	uint64_t index = operand(frame, i, 0), length = operand(frame, i, 1);
	if (!interpreter_less(type, index, 0) && interpreter_less(type, index, length))
		return true;
	return interpreter_trap(frame, i, TRAP_INDEX, (int64_t)index, (int64_t)length);
}

static bool check_range(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	const struct ir_type *type = i->operands[0]->type;
	uint64_t first = operand(frame, i, 0), end = operand(frame, i, 1), length = operand(frame, i, 2);
	if (!interpreter_less(type, first, 0) && !interpreter_less(type, end, first) &&
	    !interpreter_less(type, length, end))
		return true;
	return interpreter_trap(frame, i, TRAP_RANGE, (int64_t)end, 0);
}

/* ---- Control ---- */

bool interpreter_next_round(const struct interpreter_frame *frame, const struct ir_instruction *loop, enum outcome body,
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
	for (uint64_t value = operand(frame, i, 0); interpreter_less(i->type, value, end); value++) {
		if (!interpreter_spend(frame))
			return OUTCOME_BUDGET;
		frame->values[i->id] = value;
		if (!interpreter_next_round(frame, i, run_region(frame, &i->regions[0]), &left))
			return left;
	}
	return OUTCOME_END;
}

static enum outcome run_loop(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	enum outcome left;
	do
		if (!interpreter_spend(frame))
			return OUTCOME_BUDGET;
	while (interpreter_next_round(frame, i, run_region(frame, &i->regions[0]), &left));
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
	case IR_OP_idiv:
	case IR_OP_irem:
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
	case IR_OP_convert_saturate:
	case IR_OP_bitcast: return done(evaluate(frame, i));
	case IR_OP_math:
	case IR_OP_math2:
		*result =
		    ir_math_evaluate(i->math, i->type, operand(frame, i, 0), i->operands[1] ? operand(frame, i, 1) : 0);
		if (frame->subnormals)
			interpreter_note_subnormals(frame, i);
		return OUTCOME_END;
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

enum outcome interpreter_run(struct interpreter_frame *frame, const struct ir_instruction *first,
                             const struct ir_instruction *end)
{
	for (const struct ir_instruction *i = first; i != end; i = i->next) {
		if (!interpreter_spend(frame))
			return OUTCOME_BUDGET;
		enum outcome outcome = run_instruction(frame, i);
		if (outcome != OUTCOME_END)
			return outcome;
	}
	return OUTCOME_END;
}

static enum outcome run_region(struct interpreter_frame *frame, const struct ir_region *region)
{
	return interpreter_run(frame, region->first, NULL);
}

/* ---- Runs ---- */

static void add_own(struct interpreter_frame *frame, const struct ir_memory *memory, size_t copies)
{
	size_t size = memory->type->size;
	frame->own[frame->own_count++] = (struct interpreter_own){memory, memory_zeroed(copies * size + 1, 1)};
}

static void frame_open(struct interpreter_frame *frame, const struct ir_kernel *k, const struct ir_argument *arguments,
                       uint32_t lanes)
{
	*frame = (struct interpreter_frame){.kernel = k, .arguments = arguments, .lanes = lanes};
	frame->all_values = memory_zeroed((size_t)k->next_id * lanes + 1, sizeof *frame->values);
	frame->all_locals = memory_zeroed((size_t)k->local_count * lanes + 1, sizeof *frame->locals);
	frame->own = memory_zeroed((size_t)k->memory_count + 1, sizeof *frame->own);
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_PRIVATE)
			add_own(frame, k->memories[n], lanes);
		else if (k->memories[n]->kind == IR_MEMORY_SHARED)
			add_own(frame, k->memories[n], 1);
	frame->values = frame->all_values;
	frame->locals = frame->all_locals;
}

static void frame_close(struct interpreter_frame *frame)
{
	for (uint32_t n = 0; n < frame->own_count; n++)
		free(frame->own[n].bytes);
	free(frame->own);
	free(frame->all_locals);
	free(frame->all_values);
}

void interpreter_enter(struct interpreter_frame *frame, uint32_t lane, const uint64_t global_id[3])
{
	const struct ir_kernel *k = frame->kernel;
	frame->lane = lane;
	frame->values = frame->all_values + (size_t)lane * k->next_id;
	frame->locals = frame->all_locals + (size_t)lane * k->local_count;
	for (unsigned axis = 0; axis < 3; axis++) {
		frame->global_id[axis] = global_id[axis];
		frame->local_id[axis] = global_id[axis] % k->group[axis];
		frame->group_id[axis] = global_id[axis] / k->group[axis];
	}
}

bool interpreter_goes_on(struct interpreter_frame *frame)
{
	return frame->failed && frame->failed(frame->context, &frame->trap);
}

static enum outcome run_threads(struct interpreter_frame *frame, uint64_t first, uint64_t last)
{
	const uint64_t *extents = frame->extents;
	for (uint64_t linear = first; linear < last; linear++) {
		uint64_t id[3] = {linear % extents[0], linear / extents[0] % extents[1],
		                  linear / extents[0] / extents[1]};
		interpreter_enter(frame, 0, id);
		interpreter_start_privates(frame);
		enum outcome outcome = run_region(frame, &frame->kernel->body);
		assert(outcome != OUTCOME_BREAK && outcome != OUTCOME_CONTINUE && outcome != OUTCOME_YIELD);
		if (outcome == OUTCOME_BUDGET || (outcome == OUTCOME_TRAP && !interpreter_goes_on(frame)))
			return outcome;
	}
	return OUTCOME_END;
}

bool ir_evaluate_expression(const struct ir_kernel *k, const struct ir_expression *e,
                            const struct ir_argument *arguments, uint64_t *result, struct kernel_trap *trap)
{
	struct interpreter_frame frame;
	frame_open(&frame, k, arguments, 1);
	enum outcome outcome = run_region(&frame, &e->region);
	assert(outcome == OUTCOME_YIELD || outcome == OUTCOME_TRAP);
	if (outcome == OUTCOME_YIELD)
		*result = frame.yielded;
	else if (trap)
		*trap = frame.trap;
	frame_close(&frame);
	return outcome == OUTCOME_YIELD;
}

static bool run_all(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3],
                    uint64_t first, uint64_t last, bool (*failed)(void *context, const struct kernel_trap *trap),
                    void *context, struct kernel_trap *trap, uint64_t *steps, const struct ir_looks *looks,
                    struct ir_barrier_wait *wait)
{
	if (first >= last)
		return true;
	bool grouped = ir_is_grouped(k);
	struct interpreter_frame frame;
	frame_open(&frame, k, arguments, grouped ? k->group[0] * k->group[1] * k->group[2] : 1);
	memcpy(frame.extents, extents, sizeof frame.extents);
	frame.failed = failed;
	frame.context = context;
	frame.counted = steps != NULL;
	frame.steps = steps ? *steps : 0;
	frame.races = looks->races ? race_tracker_new(looks->races) : NULL;
	frame.subnormals = looks->subnormals;
	frame.wait = wait;
	enum outcome outcome = (grouped ? interpreter_run_groups : run_threads)(&frame, first, last);
	if (outcome == OUTCOME_BUDGET)
		frame.trap = (struct kernel_trap){.kind = TRAP_NONE};
	if (outcome != OUTCOME_END && trap)
		*trap = frame.trap;
	if (steps)
		*steps = frame.steps;
	race_tracker_free(frame.races);
	frame_close(&frame);
	return outcome == OUTCOME_END;
}

bool ir_run_checked(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3],
                    uint64_t first, uint64_t last, bool (*failed)(void *context, const struct kernel_trap *trap),
                    void *context, struct kernel_trap *trap, uint64_t *steps, const struct ir_looks *looks)
{
	return run_all(k, arguments, extents, first, last, failed, context, trap, steps,
	               looks ? looks : &(struct ir_looks){0}, NULL);
}

static bool go_on(void *context, const struct kernel_trap *trap)
{
	(void)context, (void)trap;
	return true;
}

bool ir_find_wait(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3],
                  uint64_t *steps, struct ir_barrier_wait *wait)
{
	*wait = (struct ir_barrier_wait){0};
	uint64_t last = extents[0] * extents[1] * extents[2];
	run_all(k, arguments, extents, 0, last, go_on, NULL, NULL, steps, &(struct ir_looks){0}, wait);
	return wait->barrier || *steps;
}

bool ir_run(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3], uint64_t first,
            uint64_t last, bool (*failed)(void *context, const struct kernel_trap *trap), void *context,
            struct kernel_trap *trap, uint64_t *steps)
{
	return ir_run_checked(k, arguments, extents, first, last, failed, context, trap, steps, NULL);
}
