/* Makes proof programs: one walk over the kernel in text order, its value numbers, scopes and facts. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_analysis.h"
#include "ir/proof_maker.h"

/* Longer kernels are not worth the time at every launch. */
#define MAX_INSTRUCTIONS 8192

/* ---- Facts ---- */

static bool is_traced(enum ir_op op)
{
	switch ((int)op) {
	case IR_OP_iadd:
	case IR_OP_iadd_trap:
	case IR_OP_isub:
	case IR_OP_isub_trap:
	case IR_OP_imul_trap:
	case IR_OP_ineg_trap:
	case IR_OP_convert:
	case IR_OP_convert_trap: return true;
	}
	return false;
}

/* What was just said of the slot says something of what it is computed from. */
static void trace_back(struct maker *m, uint32_t slot, unsigned depth)
{
	const struct definition d = m->definitions[slot];
	if (!d.instruction || !depth)
		return;
	if (!is_traced(d.instruction->op))
		return;
	bool two = ir_op_infos[d.instruction->op].arity == 2;
	struct proof_step *step = proof_maker_add_step(m, PROOF_TRACE_BACK);
	step->op = (uint8_t)d.instruction->op;
	step->type = d.instruction->operands[0]->type;
	step->to = d.instruction->type;
	step->result = slot;
	step->a = d.operands[0];
	step->b = two ? d.operands[1] : d.operands[0];
	for (unsigned n = 0; n < (two ? 2 : 1); n++) {
		proof_maker_stamp_narrowed(m, d.operands[n]);
		trace_back(m, d.operands[n], depth - 1);
	}
}

static void assume_comparison(struct maker *m, enum ir_op op, uint32_t a, uint32_t b, uint32_t jump)
{
	struct proof_step *step = proof_maker_add_step(m, PROOF_ASSUME);
	step->op = (uint8_t)op;
	step->a = a;
	step->b = b;
	step->jump = jump;
	proof_maker_stamp_narrowed(m, a);
	proof_maker_stamp_narrowed(m, b);
	trace_back(m, a, MAX_DEPTH);
	trace_back(m, b, MAX_DEPTH);
}

static bool is_constant(const struct ir_instruction *i, uint64_t bits)
{
	return i && i->op == IR_OP_const && i->bits == bits;
}

static void assume(struct maker *m, const struct ir_instruction *condition, bool truth, uint32_t jump, unsigned depth);

/* `condition ? then : other` is `truth`; NULL for the condition itself. */
static void assume_choice(struct maker *m, const struct ir_choice *c, bool truth, uint32_t jump, unsigned depth)
{
	bool then_never = c->then ? is_constant(c->then, !truth) : !truth;
	bool other_never = c->other ? is_constant(c->other, !truth) : truth;
	if (then_never == other_never)
		return;
	assume(m, c->condition, other_never, jump, depth);
	const struct ir_instruction *taken = other_never ? c->then : c->other;
	if (taken)
		assume(m, taken, truth, jump, depth);
}

/* The condition has this value for every thread from here on; else it goes on at `jump`. */
static void assume(struct maker *m, const struct ir_instruction *condition, bool truth, uint32_t jump, unsigned depth)
{
	struct ir_choice choice;
	uint32_t slot = m->slots[condition->id];
	if (!depth || slot == NO_SLOT || condition->op == IR_OP_const)
		return;
	struct proof_step *step = proof_maker_add_step(m, PROOF_TRUTH);
	step->a = slot;
	step->truth = truth;
	proof_maker_stamp(m, slot);
	switch ((int)condition->op) {
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge:
		if (ir_type_is_integer(condition->operands[0]->type))
			assume_comparison(m, truth ? condition->op : ir_comparison_negated(condition->op),
			                  m->slots[condition->operands[0]->id], m->slots[condition->operands[1]->id],
			                  jump);
		return;
	case IR_OP_band:
	case IR_OP_bor:
		if (truth == (condition->op == IR_OP_band)) {
			assume(m, condition->operands[0], truth, jump, depth - 1);
			assume(m, condition->operands[1], truth, jump, depth - 1);
		}
		return;
	case IR_OP_bnot: assume(m, condition->operands[0], !truth, jump, depth - 1); return;
	case IR_OP_select:
		choice = (struct ir_choice){condition->operands[0], condition->operands[1], condition->operands[2]};
		assume_choice(m, &choice, truth, jump, depth - 1);
		return;
	case IR_OP_get:
		if (ir_choice_of(condition, &choice))
			assume_choice(m, &choice, truth, jump, depth - 1);
		return;
	}
}

/* ---- Instructions ---- */

static void add_value(struct maker *m, enum proof_step_kind kind, const struct ir_instruction *i, uint32_t from)
{
	m->slots[i->id] = NO_SLOT;
	if (!proof_maker_is_counted(i->type))
		return;
	struct proof_step *step = proof_maker_add_step(m, kind);
	step->instruction = i;
	step->to = i->type;
	step->a = from;
	m->slots[i->id] = step->result = proof_maker_new_typed_slot(m, i->type);
	proof_maker_stamp(m, step->result);
}

static void add_operation(struct maker *m, const struct ir_instruction *i)
{
	unsigned arity = ir_op_infos[i->op].arity;
	if (!proof_maker_is_counted(i->type)) {
		m->slots[i->id] = NO_SLOT;
		return;
	}
	struct definition definition = {.instruction = i, .operands = {NO_SLOT, NO_SLOT, NO_SLOT}};
	for (unsigned n = 0; n < arity; n++) {
		definition.operands[n] = proof_maker_operand(m, i->operands[n]);
		if (definition.operands[n] == NO_SLOT) { /* a comparison of floats, the bits of one */
			add_value(m, PROOF_UNKNOWN, i, 0);
			return;
		}
	}
	struct value_key key = proof_maker_key_of(m, i);
	bool fresh;
	uint32_t slot = proof_maker_number(m, &key, &ir_interval_types[i->type->kind], &fresh);
	if (fresh)
		m->definitions[slot] = definition;
	m->slots[i->id] = slot;
	proof_maker_add_evaluation(m, slot)->instruction = i;
}

static void add_check(struct maker *m, enum proof_step_kind kind, const struct ir_instruction *i)
{
	uint32_t slots[IR_MAX_OPERANDS] = {0};
	unsigned arity = ir_op_infos[i->op].arity;
	for (unsigned n = 0; n < arity; n++)
		slots[n] = proof_maker_operand(m, i->operands[n]);
	struct proof_step *step = proof_maker_add_step(m, kind);
	step->instruction = i;
	step->a = slots[0];
	step->b = slots[1];
	step->c = slots[2];
	if (kind == PROOF_CHECK) {
		assume(m, i->operands[0], true, 0, MAX_DEPTH);
		return;
	}
	for (unsigned n = 0; n < arity; n++)
		proof_maker_stamp_narrowed(m, slots[n]);
	trace_back(m, slots[0], MAX_DEPTH);
	if (kind != PROOF_CHECK_INDEX)
		return;
	unsigned next = m->checked_next++ % MAX_CHECKED;
	m->checked[next].index = slots[0] + 1;
	m->checked[next].count = slots[1];
}

static bool is_checked(const struct maker *m, uint32_t index, uint32_t count)
{
	for (unsigned n = 0; n < MAX_CHECKED; n++)
		if (m->checked[n].index == index + 1 && m->checked[n].count == count)
			return true;
	return false;
}

/* An index that leaves its memory is a trap in the interpreter, and worse elsewhere. */
static void add_place(struct maker *m, const struct ir_instruction *i)
{
	const struct ir_type *type = i->base->type, *index_type = &ir_types[m->kernel->index];
	bool elements = i->base->kind == IR_MEMORY_BUFFER;
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *path = &i->path[n];
		if (!path->index) {
			type = type->fields[path->field].type;
			continue;
		}
		struct ir_instruction length = {
		    .op = IR_OP_length, .type = index_type, .base = (struct ir_memory *)i->base};
		uint32_t count = elements ? proof_maker_given_value(m, &length)
		                          : proof_maker_constant_slot(m, index_type, (ir_wide)type->count);
		uint32_t index = proof_maker_operand(m, path->index);
		if (!is_checked(m, index, count)) {
			struct proof_step *step = proof_maker_add_step(m, PROOF_CHECK_INDEX);
			step->instruction = i;
			step->a = index;
			step->b = count;
		}
		if (!elements)
			type = type->element;
		elements = false;
	}
}

static void add_access(struct maker *m, const struct ir_instruction *i)
{
	add_place(m, i);
	if (i->op == IR_OP_atomic_add && i->operands[0]->type->kind == IR_TYPE_f32)
		proof_maker_add_step(m, PROOF_FAIL)->instruction = i;
	add_value(m, PROOF_UNKNOWN, i, 0);
}

static void add_set(struct maker *m, const struct ir_instruction *i)
{
	uint32_t local = m->locals[i->local->index];
	if (local == NO_SLOT)
		return;
	uint32_t from = proof_maker_operand(m, i->operands[0]);
	struct proof_step *step = proof_maker_add_step(m, PROOF_COPY);
	step->a = from;
	step->result = local;
}

/* ---- Control ---- */

static bool add_region(struct maker *m, const struct ir_region *region);

/* The integer locals that are set anywhere below. */
struct local_list {
	struct maker *maker;
	uint32_t *items;
	uint32_t count, capacity;
};

static bool note_set(void *context, struct ir_instruction *i)
{
	struct local_list *list = context;
	struct maker *m = list->maker;
	if (i->op != IR_OP_set || m->locals[i->local->index] == NO_SLOT || m->noted[i->local->index])
		return true;
	m->noted[i->local->index] = true;
	*ARENA_PUSH(&m->scratch, list->items, list->count, list->capacity) = i->local->index;
	return true;
}

static struct local_list locals_set(struct maker *m, const struct ir_instruction *control)
{
	struct local_list list = {.maker = m};
	ir_visit(&control->regions[0], note_set, &list);
	ir_visit(&control->regions[1], note_set, &list);
	for (uint32_t n = 0; n < list.count; n++)
		m->noted[list.items[n]] = false;
	return list;
}

static void add_copy(struct maker *m, enum proof_step_kind kind, uint32_t from, uint32_t to)
{
	struct proof_step *step = proof_maker_add_step(m, kind);
	step->a = from;
	step->result = to;
}

/* One branch, if its condition can be `truth`; what it leaves in the locals joins what is in `after`. */
static bool add_branch(struct maker *m, const struct ir_instruction *i, bool truth, const struct local_list *set,
                       const uint32_t *after)
{
	struct proof_step *step = proof_maker_add_step(m, PROOF_SCOPE);
	step->a = m->slots[i->operands[0]->id];
	step->truth = truth;
	struct scope scope = proof_maker_open_scope(m);
	assume(m, i->operands[0], truth, scope.start, MAX_DEPTH);
	bool through = add_region(m, &i->regions[!truth]);
	for (uint32_t n = 0; n < set->count && through; n++)
		add_copy(m, PROOF_JOIN, m->locals[set->items[n]], after[n]);
	proof_maker_close_scope(m, &scope);
	return through;
}

static void add_if(struct maker *m, const struct ir_instruction *i)
{
	proof_maker_operand(m, i->operands[0]);
	struct local_list set = locals_set(m, i);
	uint32_t *before = ARENA_ARRAY(&m->scratch, uint32_t, set.count),
	         *after = ARENA_ARRAY(&m->scratch, uint32_t, set.count);
	for (uint32_t n = 0; n < set.count; n++) {
		const struct ir_type *type = m->kernel->locals[set.items[n]]->type;
		before[n] = proof_maker_new_typed_slot(m, type);
		after[n] = proof_maker_new_typed_slot(m, type);
		add_copy(m, PROOF_COPY, m->locals[set.items[n]], before[n]);
		add_copy(m, PROOF_EMPTY, 0, after[n]);
	}
	bool then_through = add_branch(m, i, true, &set, after);
	for (uint32_t n = 0; n < set.count; n++)
		add_copy(m, PROOF_COPY, before[n], m->locals[set.items[n]]);
	bool else_through = true;
	if (set.count || i->regions[1].first)
		else_through = add_branch(m, i, false, &set, after);
	for (uint32_t n = 0; n < set.count; n++)
		add_copy(m, PROOF_COPY, after[n], m->locals[set.items[n]]);
	if (then_through != else_through)
		assume(m, i->operands[0], then_through, 0, MAX_DEPTH);
}

static void forget(struct maker *m, const struct local_list *set)
{
	for (uint32_t n = 0; n < set->count; n++) {
		struct proof_step *step = proof_maker_add_step(m, PROOF_FORGET);
		step->result = m->locals[set->items[n]];
		step->to = m->kernel->locals[set->items[n]]->type;
	}
}

/* A round of a loop stands for all of them: nothing is known of what any of them sets. */
static void add_loop(struct maker *m, const struct ir_instruction *i)
{
	struct local_list set = locals_set(m, i);
	bool counted = i->op == IR_OP_for;
	uint32_t first = counted ? proof_maker_operand(m, i->operands[0]) : 0,
	         end = counted ? proof_maker_operand(m, i->operands[1]) : 0;
	forget(m, &set);
	struct proof_step *step = proof_maker_add_step(m, counted ? PROOF_FOR : PROOF_LOOP);
	step->instruction = i;
	step->a = first;
	step->b = end;
	if (counted) {
		m->slots[i->id] = step->result = proof_maker_new_typed_slot(m, i->type);
		step->to = i->type;
	}
	struct scope scope = proof_maker_open_scope(m);
	if (counted) {
		proof_maker_stamp(m, m->slots[i->id]);
		assume_comparison(m, IR_OP_lt, first, end, scope.start);
	}
	add_region(m, &i->regions[0]);
	proof_maker_close_scope(m, &scope);
	forget(m, &set);
}

static void add_instruction(struct maker *m, const struct ir_instruction *i)
{
	m->slots[i->id] = NO_SLOT;
	switch (i->op) {
	case IR_OP_const:
		if (proof_maker_is_counted(i->type))
			m->slots[i->id] = m->program->slot_of[i->id] = proof_maker_const_value(m, i);
		if (ir_type_is_integer(i->type) && i->type->size == 8 &&
		    (i->type->kind == IR_TYPE_u64 ? i->bits > UINT32_MAX : (int64_t)i->bits != (int32_t)i->bits))
			proof_maker_add_step(m, PROOF_WIDE);
		return;
	case IR_OP_parameter:
	case IR_OP_length:
	case IR_OP_global_id:
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_group_size:
	case IR_OP_grid_size:
		if (proof_maker_is_counted(i->type))
			m->slots[i->id] = m->program->slot_of[i->id] = proof_maker_given_value(m, i);
		return;
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
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge:
	case IR_OP_select:
	case IR_OP_convert:
	case IR_OP_convert_trap:
	case IR_OP_bitcast: add_operation(m, i); return;
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
	case IR_OP_math:
	case IR_OP_math2: return;
	case IR_OP_convert_saturate: add_value(m, PROOF_UNKNOWN, i, 0); return;
	case IR_OP_check_index: add_check(m, PROOF_CHECK_INDEX, i); return;
	case IR_OP_check_range: add_check(m, PROOF_CHECK_RANGE, i); return;
	case IR_OP_check: add_check(m, PROOF_CHECK, i); return;
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
	case IR_OP_atomic_cas: add_access(m, i); return;
	case IR_OP_get: add_value(m, PROOF_GET, i, m->locals[i->local->index]); return;
	case IR_OP_set: add_set(m, i); return;
	case IR_OP_if: add_if(m, i); return;
	case IR_OP_for:
	case IR_OP_loop: add_loop(m, i); return;
	case IR_OP_barrier:
	case IR_OP_cut:
	case IR_OP_break:
	case IR_OP_continue:
	case IR_OP_return:
	case IR_OP_yield: return;
	case IR_OP_COUNT: return;
	}
}

/* Whether control comes out at the region's end. */
static bool add_region(struct maker *m, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i && !m->program->hopeless; i = i->next)
		add_instruction(m, i);
	return !region->last || !(ir_op_infos[region->last->op].flags & IR_FLAG_END);
}

/* ---- Programs ---- */

static void list_parameters(struct ir_proof_program *p)
{
	const struct ir_kernel *k = p->kernel;
	p->integers = ARENA_ARRAY(&p->arena, uint32_t, k->parameter_count);
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_parameter *parameter = &k->parameters[n];
		if (parameter->kind == IR_PARAMETER_BUFFER ||
		    (parameter->kind == IR_PARAMETER_SCALAR && proof_maker_is_counted(parameter->type)))
			p->integers[p->integer_count++] = n;
	}
}

/* How many slots a step writes in its scope, at most. */
static uint32_t writes_of(enum proof_step_kind kind)
{
	switch (kind) {
	case PROOF_EVALUATE:
	case PROOF_SELECT:
	case PROOF_UNKNOWN:
	case PROOF_GET:
	case PROOF_FOR:
	case PROOF_TRUTH:
	case PROOF_CHECK: return 1;
	case PROOF_ASSUME:
	case PROOF_TRACE_BACK:
	case PROOF_CHECK_INDEX: return 2;
	case PROOF_CHECK_RANGE: return 3;
	case PROOF_COPY:
	case PROOF_JOIN:
	case PROOF_EMPTY:
	case PROOF_FORGET:
	case PROOF_SCOPE:
	case PROOF_LOOP:
	case PROOF_END:
	case PROOF_FAIL:
	case PROOF_WIDE: break;
	}
	return 0;
}

static void make(struct ir_proof_program *p)
{
	const struct ir_kernel *k = p->kernel;
	struct maker m = {.program = p, .kernel = k};
	struct ir_divergence *divergences;
	m.numbers.arena = &m.scratch;
	m.slots = ARENA_ARRAY(&m.scratch, uint32_t, k->next_id);
	m.locals = ARENA_ARRAY(&m.scratch, uint32_t, k->local_count);
	m.noted = ARENA_ARRAY(&m.scratch, bool, k->local_count);
	p->slot_of = ARENA_ARRAY(&p->arena, uint32_t, k->next_id);
	memset(p->slot_of, 0xff, k->next_id * sizeof *p->slot_of);
	memset(m.slots, 0xff, k->next_id * sizeof *m.slots);
	for (uint32_t n = 0; n < k->local_count; n++)
		m.locals[n] = proof_maker_is_counted(k->locals[n]->type)
		                  ? proof_maker_new_typed_slot(&m, k->locals[n]->type)
		                  : NO_SLOT;
	/* Where lanes of one group may disagree, a lane can take a branch that its own values do not ask for. */
	p->hopeless = p->grouped && ir_find_divergent_barriers(k, &m.scratch, &divergences) > 0;
	add_region(&m, &k->body);
	for (uint32_t n = 0; n < p->step_count; n++)
		p->writes += writes_of((enum proof_step_kind)p->steps[n].kind);
	arena_free(&m.scratch);
}

struct ir_proof_program *ir_proof_program_new(const struct ir_kernel *k)
{
	static uint64_t programs;
	struct ir_proof_program *p = memory_zeroed(1, sizeof *p);
	p->kernel = k;
	p->number = __atomic_add_fetch(&programs, 1, __ATOMIC_RELAXED);
	p->grouped = ir_is_grouped(k);
	list_parameters(p);
	p->hopeless = k->next_id > MAX_INSTRUCTIONS;
	if (!p->hopeless)
		make(p);
	return p;
}

void ir_proof_program_free(struct ir_proof_program *program)
{
	if (!program)
		return;
	arena_free(&program->arena);
	free(program->workspace);
	free(program);
}
