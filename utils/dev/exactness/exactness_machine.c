#include "utils/dev/exactness/exactness_machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/ir_fold.h"
#include "lower/float_bounds.h"
#include "utils/base/arena.h"
#include "utils/dev/exactness/exactness.h"

static bool flushes(const struct exactness_machine *m, const struct ir_type *t)
{
	return m->hazards & (t->kind == IR_TYPE_f64   ? IR_HAZARD_FLUSH_F64
	                     : t->kind == IR_TYPE_f32 ? IR_HAZARD_FLUSH_F32
	                                              : 0);
}

static uint64_t flush(struct exactness_machine *m, const struct ir_type *t, uint64_t bits)
{
	if (!flushes(m, t))
		return bits;
	const struct float_format *f = float_format_of(t);
	uint64_t magnitude = bits & (f->sign - 1), chance = exactness_random(&m->random);
	if (magnitude == 0 || magnitude >> (f->digits - 1) != 0 || chance % 4 == 0)
		return bits;
	return chance % 4 == 1 ? 0 : bits & f->sign;
}

static bool is_off(const struct exactness_machine *m, enum ir_op op, const struct ir_type *t)
{
	bool single = t->kind == IR_TYPE_f32;
	if (op == IR_OP_fdiv)
		return m->hazards & (single ? IR_HAZARD_DIVIDE_F32 : IR_HAZARD_DIVIDE_F64);
	return op == IR_OP_fsqrt && (m->hazards & (single ? IR_HAZARD_ROOT_F32 : IR_HAZARD_ROOT_F64));
}

/* By up to `most` in the last place. */
static uint64_t perturb(struct exactness_machine *m, const struct ir_type *t, uint64_t bits, uint64_t most)
{
	const struct float_format *f = float_format_of(t);
	uint64_t magnitude = bits & (f->sign - 1), moved = magnitude + exactness_random(&m->random) % (2 * most + 1);
	if (magnitude == 0 || magnitude >= f->infinity)
		return bits;
	moved = moved < most ? 0 : moved - most;
	return (bits & f->sign) | (moved < f->infinity ? moved : f->infinity);
}

/* Operations that move values, and so keep them. */
static bool moves(enum ir_op op)
{
	return op == IR_OP_select || op == IR_OP_bitcast;
}

static void compute(struct exactness_machine *m, const struct ir_instruction *i)
{
	uint64_t operands[IR_MAX_OPERANDS] = {0}, result;
	const struct ir_type *type = i->operands[i->op == IR_OP_select ? 1 : 0]->type;
	for (int n = 0; n < ir_op_infos[i->op].arity; n++) {
		operands[n] = m->values[i->operands[n]->id];
		if (!moves(i->op))
			operands[n] = flush(m, i->operands[n]->type, operands[n]);
	}
	enum trap_kind trap = ir_evaluate_op(i->op, type, i->type, operands, &result);
	if (i->op == IR_OP_check) {
		m->flagged |= trap != TRAP_NONE;
		return;
	}
	if (trap != TRAP_NONE) {
		fprintf(stderr, "exactness: the passes made code that traps\n");
		abort();
	}
	if (is_off(m, i->op, type)) {
		bool wide_root = i->op == IR_OP_fsqrt && type->kind == IR_TYPE_f64;
		result = perturb(m, type, result, wide_root ? 16 : 3);
		if (i->op == IR_OP_fdiv && type->kind == IR_TYPE_f32 && (operands[1] & 0x7fffffff) > 0x7e800000 &&
		    (operands[0] & 0x7fffffff) < 0x7f800000 && (operands[1] & 0x7fffffff) < 0x7f800000)
			result = 0;
	}
	m->values[i->id] = moves(i->op) ? result : flush(m, i->type, result);
}

static void run(struct exactness_machine *m, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next)
		switch ((int)i->op) {
		case IR_OP_const: m->values[i->id] = i->bits; break;
		case IR_OP_global_id: m->values[i->id] = 0; break;
		case IR_OP_load: m->values[i->id] = m->operands[i->base->parameter]; break;
		case IR_OP_store: m->result = m->values[i->operands[0]->id]; break;
		case IR_OP_get: m->values[i->id] = m->locals[i->local->index]; break;
		case IR_OP_set: m->locals[i->local->index] = m->values[i->operands[0]->id]; break;
		case IR_OP_return: return;
		case IR_OP_for:
			for (uint64_t n = m->values[i->operands[0]->id]; n < m->values[i->operands[1]->id]; n++) {
				m->values[i->id] = n;
				run(m, &i->regions[0]);
			}
			break;
		default: compute(m, i);
		}
}

void exactness_machine_open(struct exactness_machine *m, const struct ir_kernel *k, uint32_t hazards, uint64_t random)
{
	*m = (struct exactness_machine){.hazards = hazards, .random = random};
	m->values = memory_zeroed(k->next_id, sizeof *m->values);
	m->locals = memory_zeroed(k->local_count + 1, sizeof *m->locals);
}

void exactness_machine_close(struct exactness_machine *m)
{
	free(m->values);
	free(m->locals);
}

void exactness_machine_run(struct exactness_machine *m, const struct ir_kernel *k)
{
	m->flagged = false;
	run(m, &k->body);
}
