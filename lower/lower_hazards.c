/* Rewrites: nothing. Adds `check inexact` (spec/sspur.md 3.4, Hazards) where a value of a float type that may be
 * flushed enters a kernel as a subnormal, and after each sum, difference, product and quotient that may come out
 *           subnormal. So every float that a thread without a flag computes with is zero, normal, infinite or NaN, and
 *           no operation on it is flushed.
 * Needs:    a verified module; commit-safe kernels with their stores last (lower_commit); quotients and roots that the
 *           device does not round correctly already replaced (lower_exact).
 * Leaves:   `pre` and grid expressions, which the host evaluates; what float_bounds_of shows to be large enough.
 * Drops:    variants for launches in which nothing can go wrong, if here something can. */
#include "lower/lower_hazards.h"

#include "lower/float_bounds.h"

struct inserter {
	struct ir_kernel *kernel;
	uint32_t hazards;
	struct ir_region added; /* what goes before or after the instruction in hand */
	struct ir_builder builder;
	bool changed;
};

typedef struct ir_instruction *value;

static value binary(struct inserter *s, enum ir_op op, value x, value y)
{
	return ir_build_binary(&s->builder, op, x, y);
}

static value constant(struct inserter *s, const struct ir_type *type, uint64_t bits)
{
	return ir_build_const(&s->builder, type, bits);
}

/* All comparisons are of bits: a device that flushes takes a subnormal for zero when it compares floats. */
static value magnitude(struct inserter *s, value v)
{
	const struct float_format *f = float_format_of(v->type);
	value bits = ir_build_convert(&s->builder, IR_OP_bitcast, f->bits, v);
	return binary(s, IR_OP_band, bits, constant(s, f->bits, f->sign - 1));
}

static value is(struct inserter *s, enum ir_op compare, value bits, uint64_t with)
{
	return binary(s, compare, bits, constant(s, bits->type, with));
}

/* The bits of 2^exponent. */
static uint64_t power_bits(const struct float_format *f, int exponent)
{
	return (uint64_t)(exponent - f->least + 1) << (f->digits - 1);
}

static void require(struct inserter *s, value condition)
{
	ir_build_check(&s->builder, condition, TRAP_INEXACT);
}

/* ---- What comes in ---- */

static void require_not_subnormal(struct inserter *s, value v)
{
	const struct float_format *f = float_format_of(v->type);
	value bits = magnitude(s, v);
	value normal = is(s, IR_OP_ge, bits, power_bits(f, f->least));
	require(s, binary(s, IR_OP_bor, normal, is(s, IR_OP_eq, bits, 0)));
}

/* A memory that only ever holds what a kernel stored, which was looked at, or zero. */
static bool holds_no_subnormal(const struct ir_memory *base)
{
	switch (base->kind) {
	case IR_MEMORY_PRIVATE: return !base->init;
	case IR_MEMORY_SHARED: return base->zeroed;
	case IR_MEMORY_BUFFER:
	case IR_MEMORY_VALUE:
	case IR_MEMORY_TABLE: break;
	}
	return false;
}

static void check_constant(struct inserter *s, value c)
{
	const struct float_format *f = float_format_of(c->type);
	uint64_t bits = c->bits & ~f->sign;
	if (bits != 0 && bits < power_bits(f, f->least))
		require(s, constant(s, &ir_types[IR_TYPE_bool], 0));
}

/* From F64: by the operand, which may have been flushed in the result. */
static void check_conversion(struct inserter *s, value i)
{
	value x = i->operands[0];
	const struct float_format *from = ir_type_is_float(x->type) ? float_format_of(x->type) : NULL;
	int least = float_format_of(i->type)->least;
	if (!from || float_bounds_of(x, s->hazards).low >= least)
		return;
	value bits = magnitude(s, x);
	value normal = is(s, IR_OP_ge, bits, power_bits(from, least));
	require(s, binary(s, IR_OP_bor, normal, is(s, IR_OP_eq, bits, 0)));
}

/* ---- What is computed ---- */

static bool is_nonzero_constant(value v)
{
	return v->op == IR_OP_const && (v->bits & ~float_format_of(v->type)->sign) != 0;
}

/* An exact sum of floats is a multiple of the last digits of both; where it is much smaller than they are it is zero
 * only if they cancel. */
static bool sum_is_large(struct inserter *s, value x, value y, int least)
{
	int digits = float_format_of(x->type)->digits;
	int low_x = float_bounds_of(x, s->hazards).low, low_y = float_bounds_of(y, s->hazards).low;
	bool large_x = low_x - (digits - 1) >= least, large_y = low_y - (digits - 1) >= least;
	/* A constant that is far from zero: any y that is not near it leaves a sum far from zero. */
	return (large_x && large_y) || (is_nonzero_constant(x) && low_x - digits >= least) ||
	       (is_nonzero_constant(y) && low_y - digits >= least);
}

static bool is_large(struct inserter *s, enum ir_op op, value x, value y, int least)
{
	struct float_bounds bx = float_bounds_of(x, s->hazards), by = float_bounds_of(y, s->hazards);
	if (op == IR_OP_fmul)
		return bx.low + by.low >= least;
	if (op == IR_OP_fdiv)
		return bx.low - by.high >= least;
	return sum_is_large(s, x, y, least);
}

/* Whether the operands force an exact zero; NULL: never. */
static value zero_forced(struct inserter *s, enum ir_op op, value x, value y)
{
	if (op == IR_OP_fadd || op == IR_OP_fsub) { /* equal magnitudes that do not cancel give twice as much */
		value bits = magnitude(s, x);
		return binary(s, IR_OP_eq, bits, magnitude(s, y));
	}
	const struct float_format *f = float_format_of(x->type);
	value left = is_nonzero_constant(x) ? NULL : is(s, IR_OP_eq, magnitude(s, x), 0);
	uint64_t other = op == IR_OP_fmul ? 0 : f->infinity;
	if (y->op == IR_OP_const && (y->bits & ~f->sign) != other)
		return left;
	value right = is(s, IR_OP_eq, magnitude(s, y), other);
	return left ? binary(s, IR_OP_bor, left, right) : right;
}

static void check_arithmetic(struct inserter *s, enum ir_op op, value x, value y, value result)
{
	const struct float_format *f = float_format_of(x->type);
	if (is_large(s, op, x, y, f->least + 1))
		return;
	if (!result)
		result = binary(s, op, x, y);
	value large = is(s, IR_OP_ge, magnitude(s, result), power_bits(f, f->least + 1));
	value zero = zero_forced(s, op, x, y);
	require(s, zero ? binary(s, IR_OP_bor, large, zero) : large);
}

/* ---- The walk ---- */

static bool may_be_flushed(const struct inserter *s, const struct ir_type *type)
{
	return (type->kind == IR_TYPE_f32 && (s->hazards & IR_HAZARD_FLUSH_F32)) ||
	       (type->kind == IR_TYPE_f64 && (s->hazards & IR_HAZARD_FLUSH_F64));
}

static void check_result(struct inserter *s, value i)
{
	switch ((int)i->op) {
	case IR_OP_const: check_constant(s, i); return;
	case IR_OP_load:
	case IR_OP_atomic_load:
		if (!holds_no_subnormal(i->base))
			require_not_subnormal(s, i);
		return;
	case IR_OP_parameter: require_not_subnormal(s, i); return;
	case IR_OP_bitcast:
		if (!ir_type_is_float(i->operands[0]->type))
			require_not_subnormal(s, i);
		return;
	case IR_OP_convert: check_conversion(s, i); return;
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv: check_arithmetic(s, i->op, i->operands[0], i->operands[1], i); return;
	case IR_OP_atomic_add: /* what was there before, and what is there now */
		require_not_subnormal(s, i);
		check_arithmetic(s, IR_OP_fadd, i, i->operands[0], NULL);
		return;
	}
}

static void walk(struct inserter *s, struct ir_region *region)
{
	for (struct ir_instruction *i = region->first, *next; i; i = next) {
		next = i->next;
		if (may_be_flushed(s, i->type)) {
			s->added = (struct ir_region){0};
			s->builder = (struct ir_builder){s->kernel, &s->added, i->parent, i->place};
			check_result(s, i);
		}
		for (struct ir_instruction *a = s->added.first; a; a = s->added.first) {
			ir_unlink(&s->added, a);
			ir_insert(region, next, a);
			s->changed = true;
		}
		for (int n = 0; n < 2; n++)
			walk(s, &i->regions[n]);
	}
}

/* True if changed. */
static bool lower_kernel(struct ir_kernel *k, uint32_t hazards)
{
	struct inserter s = {.kernel = k, .hazards = hazards};
	walk(&s, &k->body);
	if (s.changed)
		ir_kernel_number(k);
	return s.changed;
}

bool lower_hazards(struct ir_module *m, uint32_t hazards)
{
	bool changed = false;
	uint32_t kept = 0;
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		struct ir_kernel *k = m->kernels[n];
		bool added = lower_kernel(k, hazards);
		changed |= added;
		if (!added || k->policy != IR_POLICY_PROVED)
			m->kernels[kept++] = k;
	}
	m->kernel_count = kept;
	return changed;
}
