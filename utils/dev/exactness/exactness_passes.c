/* The passes lower_exact and lower_hazards on a simulated device. Where no flag was raised the result must be exact;
 * where the rule of spec/sspur.md 3.4 raises none there must be none, and where no quotient or root is corrected there
 * must be one where it does. */
#include <string.h>

#include "lower/lower_exact.h"
#include "lower/lower_hazards.h"
#include "utils/dev/exactness/exactness.h"
#include "utils/dev/exactness/exactness_machine.h"

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

static bool is_difference(const struct exactness_operation *o, const struct exactness_machine *m, bool corrected)
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
	struct exactness_machine m;
	if ((set->hazards & IR_HAZARD_NO_F64) && o->from == IR_TYPE_f32 && o->to == IR_TYPE_f32)
		count.differences += !ir_visit(&k->body, has_f64, NULL);
	if (!corrected && !flags) {
		ir_module_free(module);
		return true;
	}
	exactness_machine_open(&m, k, set->hazards, seed);
	m.operands = operands;
	for (; count.tried < tries; count.tried++) {
		exactness_operands(o, &seed, operands);
		exactness_machine_run(&m, k);
		count.flagged += m.flagged;
		if (!is_difference(o, &m, corrected))
			continue;
		if (count.differences++ == 0)
			memcpy(first, operands, sizeof first);
	}
	exactness_report(o, set->name, &count, first);
	exactness_machine_close(&m);
	ir_module_free(module);
	return count.differences == 0;
}

bool exactness_passes(const struct exactness_options *options)
{
	const char *only = options->operation;
	bool good = true;
	for (const struct exactness_operation *o = exactness_operations; o->name; o++)
		for (size_t n = 0; n < sizeof sets / sizeof *sets; n++)
			if (!only || strcmp(only, o->name) == 0)
				good &= try_set(o, &sets[n], options->tries, options->seed);
	for (size_t n = 0; n < sizeof sets / sizeof *sets; n++)
		if (!only)
			good &= exactness_programs(sets[n].name, sets[n].hazards, options->tries, options->seed);
	return good;
}
