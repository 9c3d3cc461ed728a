/* Steps, slots, scopes and numbers of values of proof programs. */
#include "ir/proof_maker.h"

#include <string.h>

/* Longer programs are not worth their time at every launch. */
#define MAX_STEPS 8192

/* ---- Steps and slots ---- */

struct proof_step *proof_maker_add_step(struct maker *m, enum proof_step_kind kind)
{
	struct ir_proof_program *p = m->program;
	struct proof_step *step = ARENA_PUSH(&p->arena, p->steps, p->step_count, p->step_capacity);
	*step = (struct proof_step){.kind = (uint8_t)kind};
	p->hopeless |= p->step_count > MAX_STEPS;
	return step;
}

static uint32_t new_slot(struct maker *m, const struct ir_interval *start)
{
	struct ir_proof_program *p = m->program;
	uint32_t slot = p->slot_count;
	*ARENA_PUSH(&p->arena, p->slots, p->slot_count, p->slot_capacity) = *start;
	if (slot == m->capacity) {
		uint32_t more = slot ? 2 * slot : 64;
		m->definitions = arena_grow(&m->scratch, m->definitions, slot, more, sizeof *m->definitions);
		m->stamps = arena_grow(&m->scratch, m->stamps, slot, more, sizeof *m->stamps);
		m->visited = arena_grow(&m->scratch, m->visited, slot, more, sizeof *m->visited);
		m->capacity = more;
	}
	return slot;
}

uint32_t proof_maker_new_typed_slot(struct maker *m, const struct ir_type *type)
{
	return new_slot(m, &ir_interval_types[type->kind]);
}

bool proof_maker_is_counted(const struct ir_type *type)
{
	return ir_type_is_integer(type) || type->kind == IR_TYPE_bool;
}

void proof_maker_stamp(struct maker *m, uint32_t slot)
{
	if (m->trail_count == m->trail_capacity) {
		uint32_t more = m->trail_capacity ? 2 * m->trail_capacity : 64;
		m->trail = arena_grow(&m->scratch, m->trail, m->trail_capacity, more, sizeof *m->trail);
		m->trail_capacity = more;
	}
	m->trail[m->trail_count].slot = slot;
	m->trail[m->trail_count++].stamp = m->stamps[slot];
	m->stamps[slot] = ++m->clock;
}

void proof_maker_stamp_narrowed(struct maker *m, uint32_t slot)
{
	if (m->definitions[slot].exact)
		return;
	proof_maker_stamp(m, slot);
	m->narrowed = m->clock;
}

struct scope proof_maker_open_scope(struct maker *m)
{
	struct scope scope = {m->program->step_count - 1, m->trail_count, m->narrowed};
	if (++m->depth > m->program->depth)
		m->program->depth = m->depth;
	return scope;
}

/* Steps of the scope that may leave it early go on after its end. */
void proof_maker_close_scope(struct maker *m, const struct scope *scope)
{
	proof_maker_add_step(m, PROOF_END);
	for (uint32_t n = scope->start; n < m->program->step_count; n++) {
		struct proof_step *step = &m->program->steps[n];
		if (n == scope->start || (step->kind == PROOF_ASSUME && step->jump == scope->start))
			step->jump = m->program->step_count - (n != scope->start);
	}
	while (m->trail_count > scope->trail) {
		m->trail_count--;
		m->stamps[m->trail[m->trail_count].slot] = m->trail[m->trail_count].stamp;
	}
	m->narrowed = scope->narrowed;
	m->depth--;
	memset(m->checked, 0, sizeof m->checked);
}

/* ---- Numbers of values ---- */

/* The slot of the values with this key; *fresh when it is a new one. */
uint32_t proof_maker_number(struct maker *m, const struct value_key *key, const struct ir_interval *start, bool *fresh)
{
	uintptr_t found = (uintptr_t)table_get_n(&m->numbers, (const char *)key, sizeof *key);
	*fresh = !found;
	if (found)
		return (uint32_t)(found - 1);
	uint32_t slot = new_slot(m, start);
	table_set_n(&m->numbers, (const char *)key, sizeof *key, (void *)((uintptr_t)slot + 1));
	return slot;
}

struct value_key proof_maker_key_of(const struct maker *m, const struct ir_instruction *i)
{
	struct value_key key;
	memset(&key, 0, sizeof key); /* compared by bytes: it has no padding */
	key.op = i->op;
	key.axis = i->axis;
	key.parameter = i->parameter;
	key.type = i->type;
	key.base = i->base;
	key.bits = i->bits;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		key.operands[n] = m->slots[i->operands[n]->id];
	return key;
}

uint32_t proof_maker_constant_slot(struct maker *m, const struct ir_type *type, ir_wide value)
{
	struct ir_instruction constant = {.op = IR_OP_const, .type = type, .bits = (uint64_t)value};
	struct value_key key = proof_maker_key_of(m, &constant);
	struct ir_interval one = ir_interval_one(value);
	bool fresh;
	uint32_t slot = proof_maker_number(m, &key, &one, &fresh);
	m->definitions[slot].exact = true;
	return slot;
}

uint32_t proof_maker_const_value(struct maker *m, const struct ir_instruction *i)
{
	return proof_maker_constant_slot(m, i->type,
	                                 ir_type_is_signed(i->type) ? (ir_wide)(int64_t)i->bits : (ir_wide)i->bits);
}

uint32_t proof_maker_given_value(struct maker *m, const struct ir_instruction *i)
{
	struct ir_proof_program *p = m->program;
	const struct ir_type *type = i->type;
	if (i->op == IR_OP_group_size)
		return proof_maker_constant_slot(m, type, m->kernel->group[i->axis]);
	if (i->op == IR_OP_length && i->base->kind != IR_MEMORY_BUFFER)
		return proof_maker_constant_slot(m, type, (ir_wide)i->base->type->count);
	struct value_key key = proof_maker_key_of(m, i);
	bool fresh;
	uint32_t slot = proof_maker_number(m, &key, &ir_interval_types[type->kind], &fresh);
	if (fresh) {
		m->definitions[slot].exact = !(ir_op_infos[i->op].flags & IR_FLAG_THREAD);
		uint32_t parameter = i->op == IR_OP_length ? i->base->parameter : i->parameter;
		*ARENA_PUSH(&p->arena, p->givens, p->given_count, p->given_capacity) =
		    (struct proof_given){i->op, i->axis, parameter, slot, type};
	}
	return slot;
}

/* ---- Computing values again ---- */

/* The comparison of integers that a select's condition is, if it is one. */
static void add_comparison(struct maker *m, struct proof_step *step, uint32_t condition)
{
	const struct definition *d = &m->definitions[condition];
	if (!d->instruction || d->instruction->op < IR_OP_eq || d->instruction->op > IR_OP_ge ||
	    !ir_type_is_integer(d->instruction->operands[0]->type))
		return;
	step->op = (uint8_t)d->instruction->op;
	step->left = d->operands[0];
	step->right = d->operands[1];
}

struct proof_step *proof_maker_add_evaluation(struct maker *m, uint32_t slot)
{
	const struct definition d = m->definitions[slot];
	const struct ir_instruction *i = d.instruction;
	bool select = i->op == IR_OP_select;
	struct proof_step *step = proof_maker_add_step(m, select ? PROOF_SELECT : PROOF_EVALUATE);
	step->op = select ? IR_OP_COUNT : (uint8_t)i->op;
	step->type = i->operands[select]->type;
	step->to = i->type;
	step->result = slot;
	step->a = d.operands[0];
	step->b = d.operands[1];
	step->c = d.operands[2];
	if (select)
		add_comparison(m, step, step->a);
	proof_maker_stamp(m, slot);
	return step;
}

/* Computes a value again whose operands were narrowed since. */
static void refresh(struct maker *m, uint32_t slot, unsigned depth)
{
	const struct definition d = m->definitions[slot];
	if (!d.instruction || !depth || m->narrowed <= m->stamps[slot] || m->visited[slot] == m->narrowed)
		return;
	m->visited[slot] = m->narrowed;
	bool stale = false;
	for (unsigned n = 0; n < ir_op_infos[d.instruction->op].arity; n++) {
		refresh(m, d.operands[n], depth - 1);
		stale |= m->stamps[d.operands[n]] > m->stamps[slot];
	}
	if (stale)
		proof_maker_add_evaluation(m, slot);
}

uint32_t proof_maker_operand(struct maker *m, const struct ir_instruction *value)
{
	uint32_t slot = m->slots[value->id];
	if (slot != NO_SLOT)
		refresh(m, slot, MAX_DEPTH);
	return slot;
}
