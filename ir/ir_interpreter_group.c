/* Grouped kernels in the interpreter: one group after another, its lanes in lockstep from cut to cut (ir.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_interpreter_frame.h"

struct lane {
	uint64_t global_id[3];
	bool live;  /* in the grid, has not returned, has not trapped */
	bool ended; /* in the grid, and no longer live */
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
	g->lanes[lane].ended = true;
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

/* ---- Lanes that wait for others for ever ---- */

static void note_wait(struct group_run *g, const struct ir_instruction *barrier, uint32_t waiting, uint32_t left)
{
	struct ir_barrier_wait *wait = g->frame->wait;
	if (!barrier)
		return;
	wait->barrier = barrier;
	memcpy(wait->waiting, g->lanes[waiting].global_id, sizeof wait->waiting);
	memcpy(wait->left, g->lanes[left].global_id, sizeof wait->left);
}

static uint32_t first_live(const struct group_run *g)
{
	uint32_t lane = 0;
	while (!g->lanes[lane].live)
		lane++;
	return lane;
}

static void look_for_ended(struct group_run *g, const struct ir_instruction *barrier)
{
	uint32_t lane = 0;
	while (lane < g->frame->lanes && !g->lanes[lane].ended)
		lane++;
	if (lane < g->frame->lanes)
		note_wait(g, barrier, first_live(g), lane);
}

struct barrier_search {
	const struct ir_instruction *found;
};

static bool is_no_barrier(void *context, struct ir_instruction *i)
{
	struct barrier_search *search = context;
	if (i->op == IR_OP_barrier)
		search->found = i;
	return !search->found;
}

static const struct ir_instruction *first_barrier(const struct ir_region *region)
{
	struct barrier_search search = {0};
	ir_visit(region, is_no_barrier, &search);
	return search.found;
}

/* Of the loops around, which jumps in the control leave: the barrier that comes in the next round. */
static const struct ir_instruction *barrier_around(const struct ir_instruction *control)
{
	const struct ir_instruction *barrier = NULL;
	for (control = control->parent; control && !barrier; control = control->parent)
		barrier = first_barrier(&control->regions[0]);
	return barrier;
}

static uint64_t operand_of(const struct group_run *g, uint32_t lane, const struct ir_instruction *i, unsigned n)
{
	return g->frame->all_values[(size_t)lane * g->frame->kernel->next_id + i->operands[n]->id];
}

static uint64_t rounds_of(const struct group_run *g, uint32_t lane, const struct ir_instruction *i)
{
	uint64_t first = operand_of(g, lane, i, 0), end = operand_of(g, lane, i, 1);
	return interpreter_less(i->type, first, end) ? end - first : 0;
}

/* Two lanes go different ways at a lockstep `if`, or do not go through a lockstep `for` as often. */
static void note_ways(struct group_run *g, const struct ir_instruction *i, uint32_t a, uint32_t b)
{
	if (i->op == IR_OP_for) {
		bool more = rounds_of(g, a, i) > rounds_of(g, b, i);
		note_wait(g, first_barrier(&i->regions[0]), more ? a : b, more ? b : a);
		return;
	}
	bool goes = operand_of(g, a, i, 0);
	const struct ir_region *way = &i->regions[!goes], *other = &i->regions[goes];
	if (first_barrier(way))
		note_wait(g, first_barrier(way), a, b);
	else if (first_barrier(other))
		note_wait(g, first_barrier(other), b, a);
	else if (way->first) /* it jumps */
		note_wait(g, barrier_around(i), b, a);
	else
		note_wait(g, barrier_around(i), a, b);
}

static void look_for_ways(struct group_run *g, const struct ir_instruction *i)
{
	uint32_t first = first_live(g);
	for (uint32_t lane = first + 1; lane < g->frame->lanes; lane++)
		for (unsigned n = 0; g->lanes[lane].live && n < ir_op_infos[i->op].arity; n++)
			if (operand_of(g, lane, i, n) != operand_of(g, first, i, n)) {
				note_ways(g, i, first, lane);
				return;
			}
}

static void look_for_wait(struct group_run *g, const struct ir_instruction *i)
{
	if (i->op == IR_OP_barrier)
		look_for_ended(g, i);
	else if (i->op == IR_OP_if || i->op == IR_OP_for)
		look_for_ways(g, i);
}

/* ---- Lockstep control ---- */

static uint64_t *value_of(const struct group_run *g, uint32_t lane, const struct ir_instruction *i)
{
	return &g->frame->all_values[(size_t)lane * g->frame->kernel->next_id + i->id];
}

/* An operand of lockstep control: the first live lane's. */
static uint64_t joint_operand(const struct group_run *g, const struct ir_instruction *i, unsigned n)
{
	return operand_of(g, first_live(g), i, n);
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
	if (g->frame->wait && !g->frame->wait->barrier)
		look_for_wait(g, i);
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
		lane->ended = false;
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
		if (g->frame->wait && g->frame->wait->barrier)
			return OUTCOME_RETURN;
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
