/* Rewrites: negations and magnitudes of integers: a zero that no compiler knows is added to them. NVIDIA's ptxas 13.0,
 *           and the compiler of its driver 580, make one instruction of max(a, max(b, -c)) for sm_90 (VIMNMX3), which
 *           cannot negate, and lose the sign: they take max(a, max(b, c)). A sum is no sign that they could lose.
 * Needs:    a verified module, on which no pass runs after this one that computes constants.
 * Leaves:   `pre` and grid expressions, which the host evaluates.
 * Drops:    nothing. */
#include "lower/lower_negations.h"

#include "lower/hidden_zero.h"

static bool is_constant(const struct ir_instruction *v, uint64_t bits)
{
	return v->op == IR_OP_const && v->bits == bits;
}

bool lower_is_negation(const struct ir_instruction *i)
{
	if (!ir_type_is_integer(i->type))
		return false;
	uint64_t ones = ir_canonical_bits(i->type, UINT64_MAX);
	switch ((int)i->op) {
	case IR_OP_ineg:
	case IR_OP_ineg_trap:
	case IR_OP_iabs_trap: return true;
	case IR_OP_isub:
	case IR_OP_isub_trap: return is_constant(i->operands[0], 0);
	case IR_OP_imul:
	case IR_OP_imul_trap: return is_constant(i->operands[0], ones) || is_constant(i->operands[1], ones);
	}
	return false;
}

static bool hide(struct ir_kernel *k, struct ir_region *region)
{
	bool changed = false;
	for (struct ir_instruction *i = region->first, *next; i; i = next) {
		next = i->next;
		for (int n = 0; n < 2; n++)
			changed |= hide(k, &i->regions[n]);
		if (!lower_is_negation(i))
			continue;
		struct ir_region added = {0};
		struct ir_builder b = {k, &added, i->parent, i->place};
		struct ir_instruction *sum = ir_build_binary(&b, IR_OP_iadd, i, hidden_zero(&b, i->type));
		ir_replace_uses(k, i, sum);
		sum->operands[0] = i;
		for (struct ir_instruction *a = added.first; a; a = added.first) {
			ir_unlink(&added, a);
			ir_insert(region, next, a);
		}
		changed = true;
	}
	return changed;
}

bool lower_negations(struct ir_module *m)
{
	bool any = false;
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		bool changed = hide(m->kernels[n], &m->kernels[n]->body);
		if (changed)
			ir_kernel_number(m->kernels[n]);
		any |= changed;
	}
	return any;
}
