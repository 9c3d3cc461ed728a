/* Rewrites: math and math2 as the operations that define them (ir/math.h); idiv and irem, which never trap, as
 *           idiv_trap and irem_trap of a divisor that is neither 0 nor -1.
 * Needs:    a verified module.
 * Leaves:   `pre` and grid expressions, which the host evaluates; divisions that trap.
 * Drops:    nothing. */
#include "lower/lower_math.h"

#include "ir/math.h"

/* A divisor of 0 becomes 1, and so does one of -1, whose results are known without dividing. */
static struct ir_instruction *divided(struct ir_builder *b, const struct ir_instruction *i)
{
	struct ir_instruction *x = i->operands[0], *y = i->operands[1];
	bool quotient = i->op == IR_OP_idiv;
	enum ir_op op = quotient ? IR_OP_idiv_trap : IR_OP_irem_trap;
	struct ir_instruction *zero = ir_build_int(b, i->type, 0), *one = ir_build_int(b, i->type, 1);
	if (y->op == IR_OP_const && y->bits != 0 && (!ir_type_is_signed(i->type) || y->bits != UINT64_MAX))
		return ir_build_binary(b, op, x, y);
	struct ir_instruction *is_zero = ir_build_binary(b, IR_OP_eq, y, zero), *divisor, *minus = NULL;
	divisor = ir_build_select(b, is_zero, one, y);
	if (ir_type_is_signed(i->type)) {
		minus = ir_build_binary(b, IR_OP_eq, y, ir_build_int(b, i->type, -1));
		divisor = ir_build_select(b, minus, one, divisor);
	}
	struct ir_instruction *result = ir_build_binary(b, op, x, divisor);
	if (minus && quotient)
		result = ir_build_select(b, minus, ir_build_unary(b, IR_OP_ineg, x), result);
	return ir_build_select(b, is_zero, quotient ? zero : x, result);
}

/* `region` is moved to before i, whose uses become those of `result`. */
static void replace(struct ir_kernel *k, struct ir_region *into, struct ir_instruction *i, struct ir_region *region,
                    struct ir_instruction *result)
{
	while (region->first) {
		struct ir_instruction *added = region->first;
		ir_unlink(region, added);
		ir_insert(into, i, added);
	}
	ir_replace_uses(k, i, result);
	ir_unlink(into, i);
}

static bool is_total_division(const struct ir_instruction *i)
{
	return i->op == IR_OP_idiv || i->op == IR_OP_irem;
}

/* Of f64 the C library's function is called (lower/llvm), but for the one that is exact. */
static bool is_library(const struct ir_instruction *i)
{
	return i->type->kind == IR_TYPE_f64 && i->math != IR_MATH_fmod;
}

static bool walk(struct ir_kernel *k, struct ir_region *region, bool functions)
{
	bool changed = false;
	for (struct ir_instruction *i = region->first, *next; i; i = next) {
		next = i->next;
		for (unsigned n = 0; n < 2; n++)
			changed |= walk(k, &i->regions[n], functions);
		bool function = (ir_op_infos[i->op].flags & IR_FLAG_MATH) && !is_library(i);
		if (functions ? !function : !is_total_division(i))
			continue;
		struct ir_region added = {0};
		struct ir_builder b = {k, &added, i->parent, i->place};
		struct ir_instruction *result =
		    function ? ir_math_expand(&b, i->math, i->operands[0], i->operands[1]) : divided(&b, i);
		replace(k, region, i, &added, result);
		changed = true;
	}
	return changed;
}

bool lower_math(struct ir_module *m)
{
	bool changed = false;
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		struct ir_kernel *k = m->kernels[n];
		/* The functions first: they divide. */
		changed |= walk(k, &k->body, true);
		changed |= walk(k, &k->body, false);
	}
	return changed;
}
