/* Runs proof programs: one pass over the steps, each done once at most. */
#include "ir/proof.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ir/proof_program.h"

/* What is to be taken back. */
struct undo {
	struct ir_interval old;
	uint32_t slot;
};

struct run {
	const struct ir_proof_program *program;
	struct ir_interval *slots;
	struct undo *trail;
	uint32_t *marks; /* by open scope: of the trail */
	uint32_t trail_count, depth;
	struct ir_proof *proof;
	struct ir_interval *intervals; /* by instruction id, or NULL */
};

/* ---- Slots ---- */

static void put(struct run *r, uint32_t slot, const struct ir_interval *value)
{
	if (r->depth)
		r->trail[r->trail_count++] = (struct undo){r->slots[slot], slot};
	r->slots[slot] = *value;
}

static void open_scope(struct run *r)
{
	r->marks[r->depth++] = r->trail_count;
}

static void close_scope(struct run *r)
{
	uint32_t mark = r->marks[--r->depth];
	while (r->trail_count > mark) {
		const struct undo *undo = &r->trail[--r->trail_count];
		r->slots[undo->slot] = undo->old;
	}
}

static bool fits_narrow(const struct ir_type *type, const struct ir_interval *value)
{
	if (type->kind == IR_TYPE_i64)
		return value->low >= INT32_MIN && value->high <= INT32_MAX;
	return type->kind != IR_TYPE_u64 || value->high <= UINT32_MAX;
}

/* A value of an instruction, where it can have been narrowed before: an equal value was. */
static void put_value(struct run *r, const struct proof_step *step, const struct ir_interval *value)
{
	struct ir_interval both = ir_interval_meet(value, &r->slots[step->result]);
	if (ir_interval_empty(&both)) /* no thread gets here */
		both = *value;
	put(r, step->result, &both);
	if (!step->instruction)
		return;
	r->proof->narrow &= fits_narrow(step->to, &both);
	if (r->intervals)
		r->intervals[step->instruction->id] = both;
}

static void fail(struct run *r, const struct proof_step *step)
{
	if (!step->instruction)
		return;
	if (!r->proof->unproved++)
		r->proof->first_unproved = step->instruction;
}

/* ---- Values ---- */

/* What 64 bits do and 32 do not, though operands and result fit. */
static bool is_narrow_operation(const struct proof_step *step, const struct ir_interval operands[2])
{
	if (step->type->size != 8)
		return true;
	switch ((int)step->op) {
	case IR_OP_irem_trap:
		return !ir_type_is_signed(step->type) || operands[0].low > INT32_MIN || operands[1].low > -1 ||
		       operands[1].high < -1;
	case IR_OP_ishl:
	case IR_OP_ishr: return operands[1].low >= 0 && operands[1].high < 32;
	case IR_OP_bitcast: return false;
	}
	return true;
}

static void evaluate_operation(struct run *r, const struct proof_step *step)
{
	struct ir_interval operands[2] = {r->slots[step->a]}, result;
	if (ir_op_infos[step->op].arity > 1)
		operands[1] = r->slots[step->b];
	if (!ir_interval_evaluate(step->op, step->type, step->to, operands, &result))
		fail(r, step);
	if (step->instruction)
		r->proof->narrow &= is_narrow_operation(step, operands);
	put_value(r, step, &result);
}

/* A side of a select, knowing that its condition is so. False: it never is. */
static bool chosen_side(const struct run *r, const struct proof_step *step, bool truth, struct ir_interval *side)
{
	uint32_t slot = truth ? step->b : step->c;
	*side = r->slots[slot];
	if (truth ? !r->slots[step->a].high : r->slots[step->a].low)
		return false;
	if (step->op == IR_OP_COUNT)
		return true;
	struct ir_interval left = r->slots[step->left], right = r->slots[step->right];
	enum ir_op op = truth ? (enum ir_op)step->op : ir_comparison_negated(step->op);
	if (!ir_interval_assume(op, &left, &right))
		return false;
	if (slot == step->left)
		*side = left;
	else if (slot == step->right)
		*side = right;
	return true;
}

static void evaluate_select(struct run *r, const struct proof_step *step)
{
	struct ir_interval then, other, all = ir_interval_types[step->to->kind];
	bool has_then = chosen_side(r, step, true, &then), has_other = chosen_side(r, step, false, &other);
	if (has_then && has_other)
		all = ir_interval_hull(&then, &other);
	else if (has_then || has_other)
		all = has_then ? then : other;
	put_value(r, step, &all);
}

static void evaluate_get(struct run *r, const struct proof_step *step)
{
	const struct ir_interval *local = &r->slots[step->a];
	put_value(r, step, ir_interval_empty(local) ? &ir_interval_types[step->to->kind] : local);
}

/* ---- Facts and checks ---- */

/* False: the comparison cannot hold. */
static bool assume(struct run *r, enum ir_op op, uint32_t a, uint32_t b)
{
	struct ir_interval x = r->slots[a], y = r->slots[b];
	if (!ir_interval_assume(op, &x, &y))
		return false;
	put(r, a, &x);
	put(r, b, &y);
	return true;
}

static void trace_back(struct run *r, const struct proof_step *step)
{
	struct ir_interval operands[2] = {r->slots[step->a], r->slots[step->b]};
	ir_interval_trace_back(step->op, step->type, step->to, &r->slots[step->result], operands);
	put(r, step->a, &operands[0]);
	if (ir_op_infos[step->op].arity > 1)
		put(r, step->b, &operands[1]);
}

static void assume_truth(struct run *r, uint32_t slot, bool truth)
{
	struct ir_interval one = ir_interval_one(truth);
	if (ir_interval_within(&one, &r->slots[slot]))
		put(r, slot, &one);
}

static void check_index(struct run *r, const struct proof_step *step)
{
	struct ir_interval index = r->slots[step->a], count = r->slots[step->b];
	if (index.low >= 0 && index.high < count.low)
		return;
	fail(r, step);
	if (index.low < 0)
		index.low = 0;
	/* What comes after is only for threads whose index was good. */
	if (!ir_interval_empty(&index) && ir_interval_assume(IR_OP_lt, &index, &count))
		put(r, step->a, &index);
}

static void check_range(struct run *r, const struct proof_step *step)
{
	const struct ir_interval *first = &r->slots[step->a], *end = &r->slots[step->b], *count = &r->slots[step->c];
	if (first->low >= 0 && first->high <= end->low && end->high <= count->low)
		return;
	fail(r, step);
	if (first->low < 0 && first->high >= 0) {
		struct ir_interval positive = {0, first->high};
		put(r, step->a, &positive);
	}
}

static void check(struct run *r, const struct proof_step *step)
{
	if (!r->slots[step->a].low)
		fail(r, step);
}

/* ---- Scopes ---- */

/* False: there is no round. */
static bool enter_for(struct run *r, const struct proof_step *step)
{
	struct ir_interval values = {r->slots[step->a].low, r->slots[step->b].high - 1};
	if (ir_interval_empty(&values))
		return false;
	open_scope(r);
	put_value(r, step, &values);
	return true;
}

static bool enter_branch(struct run *r, const struct proof_step *step)
{
	struct ir_interval one = ir_interval_one(step->truth);
	if (!ir_interval_within(&one, &r->slots[step->a]))
		return false;
	open_scope(r);
	return true;
}

/* ---- Steps ---- */

/* Does a step; answers whether to go on with the next, not at its jump. */
static bool run_step(struct run *r, const struct proof_step *step)
{
	struct ir_interval *result = &r->slots[step->result];
	switch ((enum proof_step_kind)step->kind) {
	case PROOF_EVALUATE: evaluate_operation(r, step); return true;
	case PROOF_SELECT: evaluate_select(r, step); return true;
	case PROOF_UNKNOWN: put_value(r, step, &ir_interval_types[step->to->kind]); return true;
	case PROOF_GET: evaluate_get(r, step); return true;
	case PROOF_COPY: *result = r->slots[step->a]; return true;
	case PROOF_JOIN: *result = ir_interval_hull(result, &r->slots[step->a]); return true;
	case PROOF_EMPTY: *result = (struct ir_interval){1, 0}; return true;
	case PROOF_FORGET: *result = ir_interval_types[step->to->kind]; return true;
	case PROOF_SCOPE: return enter_branch(r, step);
	case PROOF_FOR: return enter_for(r, step);
	case PROOF_LOOP: open_scope(r); return true;
	case PROOF_END: close_scope(r); return true;
	case PROOF_ASSUME: return assume(r, step->op, step->a, step->b) || !step->jump;
	case PROOF_TRUTH: assume_truth(r, step->a, step->truth); return true;
	case PROOF_TRACE_BACK: trace_back(r, step); return true;
	case PROOF_CHECK_INDEX: check_index(r, step); return true;
	case PROOF_CHECK_RANGE: check_range(r, step); return true;
	case PROOF_CHECK: check(r, step); return true;
	case PROOF_FAIL: fail(r, step); return true;
	case PROOF_WIDE: r->proof->narrow = false; return true;
	}
	return true;
}

/* ---- What the launch gives ---- */

struct launch {
	const struct ir_argument *arguments;
	const uint64_t *extents, *first, *last; /* first < last <= extents on each axis */
};

static struct ir_interval given(const struct ir_proof_program *p, const struct proof_given *g, const struct launch *l)
{
	uint64_t group = p->kernel->group[g->axis], first = l->first[g->axis], last = l->last[g->axis] - 1;
	switch ((int)g->op) {
	case IR_OP_parameter: {
		uint64_t bits = l->arguments[g->parameter].bits;
		return ir_interval_one(ir_type_is_signed(g->type) ? (ir_wide)(int64_t)bits : (ir_wide)bits);
	}
	case IR_OP_length: return ir_interval_one((ir_wide)l->arguments[g->parameter].length);
	case IR_OP_global_id: return (struct ir_interval){(ir_wide)first, (ir_wide)last};
	case IR_OP_group_id: return (struct ir_interval){(ir_wide)(first / group), (ir_wide)(last / group)};
	case IR_OP_local_id:
		if (first / group == last / group)
			return (struct ir_interval){(ir_wide)(first % group), (ir_wide)(last % group)};
		return (struct ir_interval){0, (ir_wide)(group - 1)};
	}
	assert(g->op == IR_OP_grid_size);
	return ir_interval_one((ir_wide)l->extents[g->axis]);
}

/* A count that its type does not hold wraps, and may be anything. */
static void set_givens(struct run *r, const struct launch *l)
{
	const struct ir_proof_program *p = r->program;
	for (uint32_t n = 0; n < p->given_count; n++) {
		const struct proof_given *g = &p->givens[n];
		struct ir_interval value = given(p, g, l);
		if (ir_interval_within(&value, &ir_interval_types[g->type->kind]))
			r->slots[g->slot] = value;
		r->proof->narrow &= fits_narrow(g->type, &r->slots[g->slot]);
	}
}

static void note_givens(struct run *r)
{
	for (uint32_t id = 0; id < r->program->kernel->next_id; id++) {
		uint32_t slot = r->program->slot_of[id];
		r->intervals[id] = slot == UINT32_MAX ? (struct ir_interval){1, 0} : r->slots[slot];
	}
}

/* ---- Proofs ---- */

static void run_program(struct run *r, const struct launch *launch)
{
	const struct ir_proof_program *p = r->program;
	if (p->slot_count)
		memcpy(r->slots, p->slots, p->slot_count * sizeof *r->slots);
	set_givens(r, launch);
	if (r->intervals)
		note_givens(r);
	for (const struct proof_step *step = p->steps, *end = step + p->step_count; step < end;)
		step = run_step(r, step) ? step + 1 : p->steps + step->jump;
	assert(!r->depth);
}

static size_t workspace_size(const struct ir_proof_program *p)
{
	return p->slot_count * sizeof(struct ir_interval) + p->writes * sizeof(struct undo) +
	       ((size_t)p->depth + 1) * sizeof(uint32_t);
}

/* One workspace stays with the program: a launch should not allocate. */
static void run_in_workspace(struct run *r, const struct launch *launch)
{
	struct ir_proof_program *p = (struct ir_proof_program *)r->program;
	void *workspace = __atomic_exchange_n(&p->workspace, NULL, __ATOMIC_ACQUIRE);
	if (!workspace)
		workspace = memory_alloc(workspace_size(p));
	r->slots = workspace;
	r->trail = (struct undo *)(r->slots + p->slot_count);
	r->marks = (uint32_t *)(r->trail + p->writes);
	run_program(r, launch);
	free(__atomic_exchange_n(&p->workspace, workspace, __ATOMIC_RELEASE));
}

static bool is_part(const uint64_t extents[3], const uint64_t first[3], const uint64_t last[3])
{
	for (unsigned axis = 0; axis < 3; axis++)
		if (first[axis] >= last[axis] || last[axis] > extents[axis])
			return false;
	return true;
}

void ir_proof_evaluate_part(const struct ir_proof_program *program, const struct ir_argument *arguments,
                            const uint64_t extents[3], const uint64_t first[3], const uint64_t last[3],
                            struct ir_proof *proof, struct ir_interval *intervals)
{
	*proof = (struct ir_proof){.proved = true, .narrow = true};
	for (uint32_t id = 0; intervals && id < program->kernel->next_id; id++)
		intervals[id] = (struct ir_interval){1, 0};
	if (!is_part(extents, first, last))
		return;
	if (program->hopeless) {
		proof->proved = proof->narrow = false;
		return;
	}
	struct run run = {.program = program, .proof = proof, .intervals = intervals};
	run_in_workspace(&run, &(struct launch){arguments, extents, first, last});
	proof->proved = !proof->unproved;
}

void ir_proof_evaluate(const struct ir_proof_program *program, const struct ir_argument *arguments,
                       const uint64_t extents[3], struct ir_proof *proof)
{
	static const uint64_t zero[3] = {0};
	ir_proof_evaluate_part(program, arguments, extents, zero, extents, proof, NULL);
}

/* ---- Ranges ---- */

/* Units are rows of the last axis, or of grouped kernels rows of groups. */
struct search {
	const struct ir_proof_program *program;
	const struct ir_argument *arguments;
	const uint64_t *extents;
	unsigned axis;
	uint64_t size; /* of a unit on the axis */
};

static uint64_t unit_start(const struct search *s, uint64_t unit)
{
	return unit > s->extents[s->axis] / s->size ? s->extents[s->axis] : unit * s->size;
}

static bool proved_units(const struct search *s, uint64_t begin, uint64_t end)
{
	struct ir_proof proof;
	uint64_t first[3] = {0}, last[3];
	memcpy(last, s->extents, sizeof last);
	first[s->axis] = unit_start(s, begin);
	last[s->axis] = unit_start(s, end);
	ir_proof_evaluate_part(s->program, s->arguments, s->extents, first, last, &proof, NULL);
	return proof.proved;
}

/* The largest proved range around one unit, if that alone is proved. */
static bool grow(const struct search *s, uint64_t seed, uint64_t units, uint64_t *begin, uint64_t *end)
{
	if (!proved_units(s, seed, seed + 1))
		return false;
	uint64_t low = 0, high = seed, good = seed + 1, bad = units + 1;
	while (bad - good > 1) {
		uint64_t middle = good + (bad - good) / 2;
		*(proved_units(s, seed, middle) ? &good : &bad) = middle;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (proved_units(s, middle, good))
			high = middle;
		else
			low = middle + 1;
	}
	*begin = high;
	*end = good;
	return true;
}

bool ir_proof_range(const struct ir_proof_program *program, const struct ir_argument *arguments,
                    const uint64_t extents[3], uint64_t *first, uint64_t *last)
{
	const struct ir_kernel *k = program->kernel;
	struct search s = {program, arguments, extents, k->axes - 1u, 1};
	*first = *last = 0;
	if (program->grouped)
		s.size = k->group[s.axis];
	uint64_t count = extents[s.axis], units = count / s.size + (count % s.size != 0), plane = 1, begin, end;
	for (unsigned axis = 0; axis < 3; axis++) {
		if (!extents[axis] || (axis > s.axis && extents[axis] > 1))
			return false;
		plane *= axis < s.axis ? extents[axis] : 1;
	}
	if (program->hopeless)
		return false;
	/* From the middle to both ends, by halves. */
	uint64_t distance = units / 2;
	bool found = grow(&s, distance, units, &begin, &end);
	while (!found && distance) {
		distance /= 2;
		found = grow(&s, distance, units, &begin, &end) || grow(&s, units - 1 - distance, units, &begin, &end);
	}
	if (!found)
		return false;
	*first = unit_start(&s, begin) * plane;
	*last = unit_start(&s, end) * plane;
	return true;
}

/* ---- Why not ---- */

static const char *trap_name(enum trap_kind kind)
{
	switch (kind) {
	case TRAP_NONE: break;
	case TRAP_INDEX: return "index";
	case TRAP_RANGE: return "range";
	case TRAP_PANIC: return "check";
	case TRAP_ALLOCATION: return "allocation";
	case TRAP_OVERFLOW: return "overflow";
	case TRAP_DIVISION: return "division";
	case TRAP_CONVERSION: return "conversion";
	case TRAP_INEXACT: return "exactness";
	}
	return "operation";
}

static const char *fault_name(const struct ir_instruction *i)
{
	switch ((int)i->op) {
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap: return trap_name(TRAP_DIVISION);
	case IR_OP_check: return trap_name(i->trap);
	case IR_OP_check_range: return trap_name(TRAP_RANGE);
	case IR_OP_atomic_add: return i->operands[0]->type->kind == IR_TYPE_f32 ? "F32 atomic_add" : "index";
	}
	return trap_name(ir_op_infos[i->op].flags & IR_FLAG_PLACED || i->op == IR_OP_check_index ? TRAP_INDEX
	                                                                                         : TRAP_OVERFLOW);
}

void ir_proof_explain(struct text *out, const struct ir_proof *proof)
{
	const struct ir_instruction *i = proof->first_unproved;
	if (proof->proved) {
		text_add(out, proof->narrow ? "proved" : "proved, in 64 bits");
		return;
	}
	if (!i) {
		text_add(out, "too long to prove");
		return;
	}
	text_add_format(out, "%s at %u:%u", fault_name(i), i->place.line, i->place.column);
	if (proof->unproved > 1)
		text_add_format(out, " and %" PRIu32 " more", proof->unproved - 1);
	text_add(out, " not proved");
}
