/* Rewrites: quotients and square roots of floats that the device may not round correctly (spec/sspur.md 3.4, Hazards),
 *           F32 ones through F64 where that is exact, others by integer arithmetic (lower/exact_integer.h).
 * Needs:    a verified module; variants made before (they would narrow the integers of this pass).
 * Leaves:   `pre` and grid expressions, which the host evaluates.
 * Drops:    nothing.
 *
 * Why F32 through F64 is exact. Let the quotient of two F32 with significands of 24 bits be q, and m the middle between
 * two neighbours of F32 normal at q, of 25 bits. q is not m, and differs from it by at least 2^-49 of q: the integers
 * x * 2^k and m * y differ by 1 or more, and m * y is below 2^49 of those units. An F64 quotient off by less than 8
 * units in its last place (2^-52 each) is on the same side of every such m as q, and rounds to the same F32. In the
 * subnormal range q may be m, and then only the exact F64 quotient will do.
 *
 * A root r of an F32 is never a middle m either. The integers x * 2^k and m^2 differ by 1 or more, and
 * m^2 is below 2^50, so r and m differ by 2^-51 of r at least, 4 units of 2^-53. One step of Heron's method on an F64
 * root s that is right to 2^-26 leaves an error below 2^-52 of r: the square's rounding (2^-53 of x, which gives
 * 2^-54 of r; the difference x - s * s is then exact), the step's own (2^-53), and 2^-53 of the estimate's. */
#include "lower/lower_exact.h"

#include "lower/exact_integer.h"

typedef struct ir_instruction *value;

/* ---- Through F64 ---- */

static value to_f64(struct ir_builder *b, value v)
{
	return ir_build_convert(b, IR_OP_convert, &ir_types[IR_TYPE_f64], v);
}

/* The F64 that rounds to the quotient. */
static value wide_quotient(struct ir_builder *b, value x, value y)
{
	x = to_f64(b, x);
	return ir_build_binary(b, IR_OP_fdiv, x, to_f64(b, y));
}

static value f64_constant(struct ir_builder *b, uint64_t bits)
{
	return ir_build_const(b, &ir_types[IR_TYPE_f64], bits);
}

/* The F64 that rounds to the root: s + (x - s * s) * (0.5 / s), or s where it is zero, infinite or NaN. */
static value wide_root(struct ir_builder *b, value v)
{
	value x = to_f64(b, v), s = ir_build_unary(b, IR_OP_fsqrt, x);
	value rest = ir_build_binary(b, IR_OP_fsub, x, ir_build_binary(b, IR_OP_fmul, s, s));
	value scale = ir_build_binary(b, IR_OP_fdiv, f64_constant(b, UINT64_C(0x3fe0000000000000)), s);
	value step = ir_build_binary(b, IR_OP_fmul, rest, scale);
	value is_above = ir_build_binary(b, IR_OP_gt, s, f64_constant(b, 0));
	value is_below = ir_build_binary(b, IR_OP_lt, s, f64_constant(b, UINT64_C(0x7ff0000000000000)));
	value is_ordinary = ir_build_binary(b, IR_OP_band, is_above, is_below);
	return ir_build_select(b, is_ordinary, ir_build_binary(b, IR_OP_fadd, s, step), s);
}

/* ---- The choice ---- */

static bool is_hazard(const struct ir_instruction *i, uint32_t hazards)
{
	bool single = i->type->kind == IR_TYPE_f32;
	if (i->op == IR_OP_fdiv)
		return hazards & (single ? IR_HAZARD_DIVIDE_F32 : IR_HAZARD_DIVIDE_F64);
	return i->op == IR_OP_fsqrt && (hazards & (single ? IR_HAZARD_ROOT_F32 : IR_HAZARD_ROOT_F64));
}

/* Subnormal quotients need an exact F64 quotient, unless they are flagged anyway (lower_hazards). */
static bool goes_through_f64(const struct ir_instruction *i, uint32_t hazards)
{
	if (i->type->kind != IR_TYPE_f32 || (hazards & IR_HAZARD_NO_F64))
		return false;
	return i->op == IR_OP_fsqrt || !(hazards & IR_HAZARD_DIVIDE_F64) || (hazards & IR_HAZARD_FLUSH_F32);
}

/* Makes the instruction the last step of its own correction, so that its uses stay. */
static void replace(struct ir_kernel *k, struct ir_region *region, struct ir_instruction *i, uint32_t hazards)
{
	struct ir_region added = {0};
	struct ir_builder b = {k, &added, i->parent, i->place};
	bool root = i->op == IR_OP_fsqrt, wide = goes_through_f64(i, hazards);
	value x = i->operands[0], y = i->operands[1];
	if (wide)
		x = root ? wide_root(&b, x) : wide_quotient(&b, x, y);
	else
		x = root ? exact_root(&b, x, hazards) : exact_quotient(&b, x, y, hazards);
	for (struct ir_instruction *a = added.first; a; a = added.first) {
		ir_unlink(&added, a);
		ir_insert(region, i, a);
	}
	i->op = wide ? IR_OP_convert : IR_OP_bitcast;
	i->operands[0] = x;
	i->operands[1] = NULL;
}

static bool walk(struct ir_kernel *k, struct ir_region *region, uint32_t hazards)
{
	bool changed = false;
	for (struct ir_instruction *i = region->first; i; i = i->next) {
		if (is_hazard(i, hazards)) {
			replace(k, region, i, hazards);
			changed = true;
		}
		for (int n = 0; n < 2; n++)
			changed |= walk(k, &i->regions[n], hazards);
	}
	return changed;
}

bool lower_exact(struct ir_module *m, uint32_t hazards)
{
	bool changed = false;
	for (uint32_t n = 0; n < m->kernel_count; n++)
		if (walk(m->kernels[n], &m->kernels[n]->body, hazards)) {
			ir_kernel_number(m->kernels[n]);
			changed = true;
		}
	return changed;
}
