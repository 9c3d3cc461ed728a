/* Rewrites: operations on constants, and identities that hold for every value, to their results.
 * Needs: a kernel that verifies. Leaves: control flow but loops without rounds, operations that trap (under
 * IR_POLICY_PROVED those that always would become a constant), floats that are not constant.
 * Drops: the instructions whose result is known otherwise, and checks that cannot fail. */
#include "ir/ir_fold.h"

#include <stdlib.h>

struct folder {
	struct ir_instruction **replacements; /* by id: what stands for the instruction; NULL: itself */
	bool changed;
	bool proved; /* IR_POLICY_PROVED */
};

static bool is_const(const struct ir_instruction *i)
{
	return i->op == IR_OP_const;
}

static bool is_constant_of(const struct ir_instruction *i, int64_t value)
{
	return is_const(i) && ir_type_is_integer(i->type) && i->bits == ir_canonical_bits(i->type, (uint64_t)value);
}

static bool is_false(const struct ir_instruction *i)
{
	return is_const(i) && !ir_type_is_float(i->type) && i->bits == 0;
}

/* All bits set; of a truth value: true. */
static bool is_all_ones(const struct ir_instruction *i)
{
	return is_const(i) && !ir_type_is_float(i->type) && i->bits == ir_canonical_bits(i->type, ~UINT64_C(0));
}

static void make_const(struct ir_instruction *i, uint64_t bits)
{
	i->op = IR_OP_const;
	i->bits = bits;
	for (int n = 0; n < IR_MAX_OPERANDS; n++)
		i->operands[n] = NULL;
}

/* Decided by its operands' values alone. */
static bool is_computed(const struct ir_instruction *i)
{
	const struct ir_op_info *info = &ir_op_infos[i->op];
	return (info->flags & (IR_FLAG_PURE | IR_FLAG_TRAP)) && !(info->flags & IR_FLAG_MATH) && info->arity > 0;
}

static bool evaluate(const struct ir_instruction *i, uint64_t *bits)
{
	uint64_t operands[IR_MAX_OPERANDS] = {0};
	int arity = ir_op_infos[i->op].arity;
	for (int n = 0; n < arity; n++) {
		if (!is_const(i->operands[n]))
			return false;
		operands[n] = i->operands[n]->bits;
	}
	const struct ir_type *type = i->operands[i->op == IR_OP_select ? 1 : 0]->type;
	return ir_evaluate_op(i->op, type, i->type, operands, bits) == TRAP_NONE;
}

/* The operand that is the result whatever the others are; NULL when there is none. */
static struct ir_instruction *same_as(const struct ir_instruction *i)
{
	struct ir_instruction *x = i->operands[0], *y = i->operands[1];
	switch ((unsigned)i->op) {
	case IR_OP_iadd:
	case IR_OP_iadd_trap: return is_false(y) ? x : is_false(x) ? y : NULL;
	case IR_OP_isub:
	case IR_OP_isub_trap:
	case IR_OP_ishl:
	case IR_OP_ishr: return is_false(y) ? x : NULL;
	case IR_OP_imul:
	case IR_OP_imul_trap: return is_constant_of(y, 1) ? x : is_constant_of(x, 1) ? y : NULL;
	case IR_OP_idiv_trap: return is_constant_of(y, 1) ? x : NULL;
	case IR_OP_band: return is_all_ones(y) || x == y ? x : is_all_ones(x) ? y : NULL;
	case IR_OP_bor: return is_false(y) || x == y ? x : is_false(x) ? y : NULL;
	case IR_OP_bxor: return is_false(y) ? x : is_false(x) ? y : NULL;
	case IR_OP_bnot:
	case IR_OP_ineg: return x->op == i->op ? x->operands[0] : NULL;
	case IR_OP_convert:
	case IR_OP_convert_trap:
	case IR_OP_bitcast: return x->type == i->type ? x : NULL;
	case IR_OP_select:
		if (is_const(x))
			return i->operands[x->bits ? 1 : 2];
		return y == i->operands[2] ? y : NULL;
	}
	return NULL;
}

/* A constant result whatever the other operand is; never of floats, for whose NaN `x == x` is false. */
static bool is_known(const struct ir_instruction *i, uint64_t *bits)
{
	const struct ir_instruction *x = i->operands[0], *y = i->operands[1];
	bool same = x == y && !ir_type_is_float(x->type);
	*bits = 0;
	switch ((unsigned)i->op) {
	case IR_OP_isub:
	case IR_OP_isub_trap:
	case IR_OP_bxor:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_gt: return same;
	case IR_OP_eq:
	case IR_OP_le:
	case IR_OP_ge: *bits = 1; return same;
	case IR_OP_imul:
	case IR_OP_imul_trap:
	case IR_OP_band: return is_false(x) || is_false(y);
	case IR_OP_bor: *bits = ir_canonical_bits(i->type, ~UINT64_C(0)); return is_all_ones(x) || is_all_ones(y);
	case IR_OP_irem_trap: return is_constant_of(y, 1);
	}
	return false;
}

/* Whatever the operands that are not constant are. */
static bool always_fails(const struct ir_instruction *i)
{
	uint64_t operands[IR_MAX_OPERANDS] = {0}, bits;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_TRAP))
		return false;
	if ((i->op == IR_OP_idiv_trap || i->op == IR_OP_irem_trap) && is_false(i->operands[1]))
		return true;
	for (int n = 0; n < ir_op_infos[i->op].arity; n++) {
		if (!is_const(i->operands[n]))
			return false;
		operands[n] = i->operands[n]->bits;
	}
	return ir_evaluate_op(i->op, i->operands[0]->type, i->type, operands, &bits) != TRAP_NONE;
}

/* Under IR_POLICY_PROVED no thread comes to it, so that any result does. */
static bool is_never_reached(const struct folder *f, const struct ir_instruction *i, uint64_t *bits)
{
	*bits = 0;
	return f->proved && always_fails(i);
}

static struct ir_instruction *resolve(const struct folder *f, struct ir_instruction *value)
{
	return value && f->replacements[value->id] ? f->replacements[value->id] : value;
}

/* A `for` that has no rounds, by its constants. */
static bool is_empty_loop(const struct ir_instruction *i)
{
	const struct ir_instruction *first = i->operands[0], *end = i->operands[1];
	if (i->op != IR_OP_for || !is_const(first) || !is_const(end))
		return false;
	return ir_type_is_signed(i->type) ? (int64_t)first->bits >= (int64_t)end->bits : first->bits >= end->bits;
}

static void fold_region(struct folder *f, struct ir_region *region);

static void fold_instruction(struct folder *f, struct ir_region *region, struct ir_instruction *i)
{
	for (int n = 0; n < IR_MAX_OPERANDS; n++)
		i->operands[n] = resolve(f, i->operands[n]);
	for (uint32_t n = 0; n < i->path_count; n++)
		i->path[n].index = resolve(f, i->path[n].index);
	if (is_empty_loop(i)) {
		ir_unlink(region, i);
		f->changed = true;
		return;
	}
	for (int n = 0; n < 2; n++)
		fold_region(f, &i->regions[n]);
	if (!is_computed(i))
		return;
	uint64_t bits;
	struct ir_instruction *same;
	if (evaluate(i, &bits) || is_known(i, &bits) || is_never_reached(f, i, &bits)) {
		if (i->type->kind == IR_TYPE_void)
			ir_unlink(region, i);
		else
			make_const(i, bits);
		f->changed = true;
	} else if ((same = same_as(i))) {
		f->replacements[i->id] = same;
		ir_unlink(region, i);
		f->changed = true;
	}
}

static void fold_region(struct folder *f, struct ir_region *region)
{
	for (struct ir_instruction *i = region->first, *next; i; i = next) {
		next = i->next;
		fold_instruction(f, region, i);
	}
}

bool ir_fold(struct ir_kernel *k)
{
	struct folder f = {.replacements = memory_zeroed(k->next_id, sizeof *f.replacements),
	                   .proved = k->policy == IR_POLICY_PROVED};
	for (uint32_t n = 0; n < k->pre_count; n++)
		fold_region(&f, &k->pre[n].region);
	for (int axis = 0; axis < 3; axis++)
		fold_region(&f, &k->grid[axis].region);
	fold_region(&f, &k->body);
	free(f.replacements);
	return f.changed;
}
