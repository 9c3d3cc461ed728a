/* The passes lower_exact and lower_hazards on a simulated device: what they make runs on arithmetic that has the hazards.
 * Quotients and roots are off by up to 3 in the last place (F64 roots 4096), F32 quotients by large divisors are zero, and
 * subnormals are kept or become zero, of either sign, as chance has it. Where no flag was raised the result must be exact; where the
 * rule of spec/sspur.md 3.4 raises none there must be none, and where no quotient or root is corrected there must be
 * one where it does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_fold.h"
#include "lower/float_bounds.h"
#include "lower/lower_exact.h"
#include "lower/lower_hazards.h"
#include "utils/base/arena.h"
#include "utils/dev/exactness/exactness.h"

struct machine {
	uint32_t hazards;
	uint64_t random;
	uint64_t *values; /* by instruction */
	uint64_t *locals;
	const uint64_t *operands;
	uint64_t result;
	bool flagged;
};

static bool flushes(const struct machine *m, const struct ir_type *t)
{
	return m->hazards & (t->kind == IR_TYPE_f64   ? IR_HAZARD_FLUSH_F64
	                     : t->kind == IR_TYPE_f32 ? IR_HAZARD_FLUSH_F32
	                                              : 0);
}

static uint64_t flush(struct machine *m, const struct ir_type *t, uint64_t bits)
{
	if (!flushes(m, t))
		return bits;
	const struct float_format *f = float_format_of(t);
	uint64_t magnitude = bits & (f->sign - 1), chance = exactness_random(&m->random);
	if (magnitude == 0 || magnitude >> (f->digits - 1) != 0 || chance % 4 == 0)
		return bits;
	return chance % 4 == 1 ? 0 : bits & f->sign;
}

static bool is_off(const struct machine *m, enum ir_op op, const struct ir_type *t)
{
	bool single = t->kind == IR_TYPE_f32;
	if (op == IR_OP_fdiv)
		return m->hazards & (single ? IR_HAZARD_DIVIDE_F32 : IR_HAZARD_DIVIDE_F64);
	return op == IR_OP_fsqrt && (m->hazards & (single ? IR_HAZARD_ROOT_F32 : IR_HAZARD_ROOT_F64));
}

/* By up to `most` in the last place. */
static uint64_t perturb(struct machine *m, const struct ir_type *t, uint64_t bits, uint64_t most)
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

static void compute(struct machine *m, const struct ir_instruction *i)
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
		result = perturb(m, type, result, wide_root ? 4096 : 3);
		if (i->op == IR_OP_fdiv && type->kind == IR_TYPE_f32 && (operands[1] & 0x7fffffff) > 0x7e800000 &&
		    (operands[0] & 0x7fffffff) < 0x7f800000 && (operands[1] & 0x7fffffff) < 0x7f800000)
			result = 0;
	}
	m->values[i->id] = moves(i->op) ? result : flush(m, i->type, result);
}

static void run(struct machine *m, const struct ir_region *region)
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

static bool has_f64(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->type->kind != IR_TYPE_f64;
}

struct hazard_set {
	const char *name;
	uint32_t hazards;
};

enum {
	FLUSH = IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64,
	OFF_F32 = IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32,
	OFF_F64 = IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F64,
};

static const struct hazard_set sets[] = {
    {"flush", FLUSH},
    {"flush-f32", IR_HAZARD_FLUSH_F32},
    {"flush-f64", IR_HAZARD_FLUSH_F64},
    {"inexact-f32", OFF_F32},
    {"inexact-f32-flush", OFF_F32 | FLUSH},
    {"inexact-f32-no-f64", OFF_F32 | IR_HAZARD_NO_F64},
    {"inexact-f32-no-f64-flush", OFF_F32 | IR_HAZARD_NO_F64 | IR_HAZARD_FLUSH_F32},
    {"inexact", OFF_F32 | OFF_F64},
    {"inexact-flush", OFF_F32 | OFF_F64 | FLUSH},
    {"inexact-flush-f32", OFF_F32 | OFF_F64 | IR_HAZARD_FLUSH_F32},
    {"inexact-flush-f64", OFF_F32 | OFF_F64 | IR_HAZARD_FLUSH_F64},
};

static bool is_difference(const struct exactness_operation *o, const struct machine *m, bool corrected)
{
	bool rule = exactness_flagged(o, m->hazards, m->operands);
	if (m->flagged ? !rule : rule && !corrected)
		return true;
	return !m->flagged && !exactness_same(o, m->result, exactness_expected(o, m->operands));
}

/* One line of the report. */
static bool try_set(const struct exactness_operation *o, const struct hazard_set *set, uint64_t tries, uint64_t seed)
{
	struct ir_module *module = exactness_kernel(o);
	const struct ir_kernel *k = module->kernels[0];
	bool corrected = lower_exact(module, set->hazards), flags = lower_hazards(module, set->hazards);
	struct exactness_count count = {0};
	uint64_t operands[2] = {0}, first[2] = {0};
	struct machine m = {.hazards = set->hazards, .operands = operands, .random = seed * 2 + 1};
	if ((set->hazards & IR_HAZARD_NO_F64) && o->from == IR_TYPE_f32 && o->to == IR_TYPE_f32)
		count.differences += !ir_visit(&k->body, has_f64, NULL);
	if (!corrected && !flags) {
		ir_module_free(module);
		return true;
	}
	m.values = memory_zeroed(k->next_id, sizeof *m.values);
	m.locals = memory_zeroed(k->local_count + 1, sizeof *m.locals);
	for (; count.tried < tries; count.tried++) {
		exactness_operands(o, &seed, operands);
		m.flagged = false;
		run(&m, &k->body);
		count.flagged += m.flagged;
		if (!is_difference(o, &m, corrected))
			continue;
		if (count.differences++ == 0)
			memcpy(first, operands, sizeof first);
	}
	exactness_report(o, set->name, &count, first);
	free(m.values);
	free(m.locals);
	ir_module_free(module);
	return count.differences == 0;
}

bool exactness_passes(const char *only, uint64_t tries, uint64_t seed)
{
	bool good = true;
	for (const struct exactness_operation *o = exactness_operations; o->name; o++)
		for (size_t n = 0; n < sizeof sets / sizeof *sets; n++)
			if (!only || strcmp(only, o->name) == 0)
				good &= try_set(o, &sets[n], tries, seed);
	return good;
}
