/* Grouped kernels in the interpreter: one group after another, its lanes in lockstep from cut to cut (ir.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_interpreter_frame.h"

struct lane {
	uint64_t global_id[3];
	bool live; /* in the grid, has not returned, has not trapped */
};

struct group_run {
	struct interpreter_frame *frame;
	const bool *lockstep; /* by id */
	struct lane *lanes;   /* frame->lanes of them */
	uint32_t live;        /* how many */
	bool parts_buffers;   /* there are storage barriers */
};

static enum outcome run_together(struct group_run *g, const struct ir_region *region);

/* ---- From cut to cut ---- */

static void end_lane(struct group_run *g, uint32_t lane)
{
	g->lanes[lane].live = false;
	g->live--;
}

/* Whether the lanes do the instruction together. */
static bool is_joint(const struct group_run *g, const struct ir_instruction *i)
{
	return g->lockstep[i->id] || i->op == IR_OP_barrier || i->op == IR_OP_cut || i->op == IR_OP_break ||
	       i->op == IR_OP_continue;
}

static const struct ir_instruction *segment_end(const struct group_run *g, const struct ir_instruction *i)
{
	while (i && !is_joint(g, i))
		i = i->next;
	return i;
}

static enum outcome run_segment(struct group_run *g, const struct ir_instruction *first,
                                const struct ir_instruction *end)
{
	for (uint32_t lane = 0; lane < g->frame->lanes; lane++) {
		if (!g->lanes[lane].live)
			continue;
		interpreter_enter(g->frame, lane, g->lanes[lane].global_id);
		enum outcome outcome = interpreter_run(g->frame, first, end);
		assert(outcome != OUTCOME_BREAK && outcome != OUTCOME_CONTINUE && outcome != OUTCOME_YIELD);
		if (outcome == OUTCOME_BUDGET || (outcome == OUTCOME_TRAP && !interpreter_goes_on(g->frame)))
			return outcome;
		if (outcome != OUTCOME_END)
			end_lane(g, lane);
	}
	return g->live ? OUTCOME_END : OUTCOME_RETURN;
}

/* ---- Lockstep control ---- */

static uint64_t *value_of(const struct group_run *g, uint32_t lane, const struct ir_instruction *i)
{
	return &g->frame->all_values[(size_t)lane * g->frame->kernel->next_id + i->id];
}

/* An operand of lockstep control: the first live lane's. */
static uint64_t joint_operand(const struct group_run *g, const struct ir_instruction *i, unsigned n)
{
	uint32_t lane = 0;
	while (!g->lanes[lane].live)
		lane++;
	return *value_of(g, lane, i->operands[n]);
}

static enum outcome run_joint_for(struct group_run *g, const struct ir_instruction *i)
{
	enum outcome left;
	uint64_t end = joint_operand(g, i, 1);
	for (uint64_t value = joint_operand(g, i, 0); interpreter_less(i->type, value, end); value++) {
		if (!interpreter_spend(g->frame))
			return OUTCOME_BUDGET;
		for (uint32_t lane = 0; lane < g->frame->lanes; lane++)
			*value_of(g, lane, i) = value;
		if (!interpreter_next_round(g->frame, i, run_together(g, &i->regions[0]), &left))
			return left;
	}
	return OUTCOME_END;
}

static enum outcome run_joint_loop(struct group_run *g, const struct ir_instruction *i)
{
	enum outcome left;
	do
		if (!interpreter_spend(g->frame))
			return OUTCOME_BUDGET;
	while (interpreter_next_round(g->frame, i, run_together(g, &i->regions[0]), &left));
	return left;
}

static enum outcome run_joint(struct group_run *g, const struct ir_instruction *i)
{
	if (!interpreter_spend(g->frame))
		return OUTCOME_BUDGET;
	switch ((int)i->op) {
	case IR_OP_if: return run_together(g, &i->regions[!joint_operand(g, i, 0)]);
	case IR_OP_for: return run_joint_for(g, i);
	case IR_OP_loop: return run_joint_loop(g, i);
	case IR_OP_break: g->frame->target = i->target; return OUTCOME_BREAK;
	case IR_OP_continue: g->frame->target = i->target; return OUTCOME_CONTINUE;
	case IR_OP_barrier: (*(i->barrier == IR_BARRIER_STORAGE ? &g->frame->storage_phase : &g->frame->phase))++;
	}
	return OUTCOME_END;
}

/* A region that all live lanes, one at least, have come to. OUTCOME_RETURN: none is left. */
static enum outcome run_together(struct group_run *g, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first, *next; i; i = next) {
		bool joint = is_joint(g, i);
		next = joint ? i->next : segment_end(g, i);
		enum outcome outcome = joint ? run_joint(g, i) : run_segment(g, i, next);
		if (outcome != OUTCOME_END)
			return outcome;
	}
	return OUTCOME_END;
}

/* ---- Groups ---- */

static void start_group(struct group_run *g, const uint64_t origin[3])
{
	const uint32_t *size = g->frame->kernel->group;
	g->live = 0;
	for (uint32_t n = 0; n < g->frame->lanes; n++) {
		struct lane *lane = &g->lanes[n];
		uint32_t local[3] = {n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
		lane->live = true;
		for (unsigned axis = 0; axis < 3; axis++) {
			lane->global_id[axis] = origin[axis] + local[axis];
			lane->live &= lane->global_id[axis] < g->frame->extents[axis];
		}
		g->live += lane->live;
		interpreter_enter(g->frame, n, lane->global_id);
		interpreter_start_privates(g->frame);
	}
	interpreter_start_shared(g->frame);
	g->frame->group++;
	g->frame->phase++;
	g->frame->storage_phase += g->parts_buffers;
}

/* The groups of one row, from the one that begins with `origin`. */
static enum outcome run_row(struct group_run *g, uint64_t origin[3], uint64_t count)
{
	uint64_t step = g->frame->kernel->group[0];
	for (uint64_t n = 0; n < count; n++, origin[0] += step) {
		start_group(g, origin);
		enum outcome outcome = run_together(g, &g->frame->kernel->body);
		if (outcome != OUTCOME_END && outcome != OUTCOME_RETURN)
			return outcome;
	}
	return OUTCOME_END;
}

/* How many groups of a row have their first thread before thread `end` of the row. */
static uint64_t groups_before(const struct interpreter_frame *frame, uint64_t end)
{
	uint64_t width = end < frame->extents[0] ? end : frame->extents[0], step = frame->kernel->group[0];
	return width / step + (width % step != 0);
}

static enum outcome run_all(struct group_run *g, uint64_t first, uint64_t last)
{
	const struct interpreter_frame *frame = g->frame;
	const uint64_t *extents = frame->extents;
	const uint32_t *size = frame->kernel->group;
	uint64_t begin[3] = {0};
	for (begin[2] = 0; begin[2] < extents[2]; begin[2] += size[2])
		for (begin[1] = 0; begin[1] < extents[1]; begin[1] += size[1]) {
			uint64_t row = (begin[2] * extents[1] + begin[1]) * extents[0];
			if (row >= last)
				return OUTCOME_END;
			uint64_t skipped = row < first ? groups_before(frame, first - row) : 0;
			uint64_t end = groups_before(frame, last - row);
			uint64_t origin[3] = {skipped * size[0], begin[1], begin[2]};
			enum outcome outcome = run_row(g, origin, end - skipped);
			if (outcome != OUTCOME_END)
				return outcome;
		}
	return OUTCOME_END;
}

static bool is_no_storage_barrier(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_barrier || i->barrier != IR_BARRIER_STORAGE;
}

enum outcome interpreter_run_groups(struct interpreter_frame *frame, uint64_t first, uint64_t last)
{
	struct arena scratch = {0};
	struct group_run g = {.frame = frame};
	g.lockstep = ir_find_lockstep(frame->kernel, &scratch);
	g.lanes = ARENA_ARRAY(&scratch, struct lane, frame->lanes);
	g.parts_buffers = !ir_visit(&frame->kernel->body, is_no_storage_barrier, NULL);
	enum outcome outcome = run_all(&g, first, last);
	arena_free(&scratch);
	return outcome;
}
