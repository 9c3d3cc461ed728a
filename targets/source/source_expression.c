/* Values as expressions. What an expression computes has the value of the IR's type, whatever C promotes it to: results
 * of arithmetic on narrow types are cast, sums that may wrap are made in unsigned types. */
#include <assert.h>

#include "targets/source/source_writer.h"

bool source_is_given(const struct ir_instruction *i)
{
	return ir_op_infos[i->op].arity == 0 && (ir_op_infos[i->op].flags & IR_FLAG_PURE);
}

/* ---- Pieces ---- */

static const char *operand(struct source_writer *w, const struct ir_instruction *i, unsigned n)
{
	return source_value(w, i->operands[n]);
}

/* In parentheses unless it is whole. */
static const char *grouped(struct source_writer *w, bool whole, const char *text)
{
	return whole ? text : arena_format(w->arena, "(%s)", text);
}

static const char *infix(struct source_writer *w, const struct ir_instruction *i, const char *operator, bool whole)
{
	return grouped(w, whole, arena_format(w->arena, "%s %s %s", operand(w, i, 0), operator, operand(w, i, 1)));
}

static bool is_narrow(const struct ir_type *t)
{
	return ir_type_bits(t) < 32;
}

/* The unsigned type in which sums of t wrap. */
static const char *wrapping_type(const struct ir_type *t)
{
	return ir_type_bits(t) == 64 ? "ulong" : "uint";
}

static const char *cast(struct source_writer *w, const char *type, const char *operand_text)
{
	return arena_format(w->arena, "(%s)%s", type, operand_text);
}

/* An operand as a value of its wrapping type; literals and values of the type need no cast. */
static const char *wrapping_operand(struct source_writer *w, const struct ir_instruction *v)
{
	const char *type = wrapping_type(v->type);
	bool same = !ir_type_is_signed(v->type) && !is_narrow(v->type);
	return same ? source_value(w, v) : cast(w, type, source_value(w, v));
}

/* ---- Integers ---- */

static const char *wrapping(struct source_writer *w, const struct ir_instruction *i, const char *operator, bool whole)
{
	const char *x = wrapping_operand(w, i->operands[0]), *y = wrapping_operand(w, i->operands[1]);
	if (!ir_type_is_signed(i->type) && !is_narrow(i->type))
		return grouped(w, whole, arena_format(w->arena, "%s %s %s", x, operator, y));
	return arena_format(w->arena, "(%s)(%s %s %s)", source_type_name(i->type), x, operator, y);
}

/* Nothing overflows in a kernel that is proved: sums need no unsigned types. */
static const char *sum(struct source_writer *w, const struct ir_instruction *i, const char *operator, bool whole)
{
	bool trap = ir_op_infos[i->op].flags & IR_FLAG_TRAP;
	if (trap && source_proved(w) && !is_narrow(i->type))
		return infix(w, i, operator, whole);
	return wrapping(w, i, operator, whole);
}

static const char *negation(struct source_writer *w, const struct ir_instruction *i)
{
	return arena_format(w->arena, "(%s)(0 - %s)", source_type_name(i->type), wrapping_operand(w, i->operands[0]));
}

static const char *magnitude(struct source_writer *w, const struct ir_instruction *i)
{
	const char *x = operand(w, i, 0);
	return arena_format(w->arena, "(%s < 0 ? %s : %s)", x, negation(w, i), x);
}

static const char *quotient(struct source_writer *w, const struct ir_instruction *i, const char *operator)
{
	const char *x = operand(w, i, 0), *y = operand(w, i, 1);
	const struct ir_instruction *divisor = i->operands[1];
	bool known = divisor->op == IR_OP_const && divisor->bits && divisor->bits != UINT64_MAX;
	if (!source_proved(w) && !known)
		y = arena_format(w->arena, "%s(%s, %s)",
		                 source_helper(w, SOURCE_HELPER_DIVISOR, i->type, SOURCE_SPACE_GLOBAL), x, y);
	return arena_format(w->arena, is_narrow(i->type) ? "(%s)(%s %s %s)" : "%.0s(%s %s %s)",
	                    source_type_name(i->type), x, operator, y);
}

static const char *shift(struct source_writer *w, const struct ir_instruction *i, bool whole)
{
	const struct ir_instruction *count = i->operands[1];
	bool left = i->op == IR_OP_ishl;
	const char *x = operand(w, i, 0);
	if (count->op != IR_OP_const || count->bits >= ir_type_bits(i->type))
		return arena_format(
		    w->arena, "%s(%s, %s)",
		    source_helper(w, left ? SOURCE_HELPER_SHL : SOURCE_HELPER_SHR, i->type, SOURCE_SPACE_GLOBAL), x,
		    operand(w, i, 1));
	unsigned by = (unsigned)count->bits;
	if (!left)
		return is_narrow(i->type) ? arena_format(w->arena, "(%s)(%s >> %u)", source_type_name(i->type), x, by)
		                          : grouped(w, whole, arena_format(w->arena, "%s >> %u", x, by));
	const char *bits = wrapping_operand(w, i->operands[0]);
	if (!ir_type_is_signed(i->type) && !is_narrow(i->type))
		return grouped(w, whole, arena_format(w->arena, "%s << %u", bits, by));
	return arena_format(w->arena, "(%s)(%s << %u)", source_type_name(i->type), bits, by);
}

static const char *bitwise(struct source_writer *w, const struct ir_instruction *i, const char *operator,
                           const char * of_truths, bool whole)
{
	if (i->type->kind == IR_TYPE_bool)
		return infix(w, i, of_truths, whole);
	if (is_narrow(i->type))
		return arena_format(w->arena, "(%s)(%s %s %s)", source_type_name(i->type), operand(w, i, 0), operator,
		                    operand(w, i, 1));
	return infix(w, i, operator, whole);
}

static const char *complement(struct source_writer *w, const struct ir_instruction *i)
{
	const char *x = operand(w, i, 0);
	if (i->type->kind == IR_TYPE_bool)
		return arena_format(w->arena, "!%s", x);
	return is_narrow(i->type) ? arena_format(w->arena, "(%s)~%s", source_type_name(i->type), x)
	                          : arena_format(w->arena, "~%s", x);
}

/* ---- Comparisons and choices ---- */

static const char *choice(struct source_writer *w, const struct ir_instruction *i, bool whole)
{
	return grouped(w, whole,
	               arena_format(w->arena, "%s ? %s : %s", operand(w, i, 0), operand(w, i, 1), operand(w, i, 2)));
}

/* ---- Conversions ---- */

static const char *reinterpreted(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	if (!ir_type_is_float(i->type) && !ir_type_is_float(from))
		return cast(w, source_type_name(i->type), operand(w, i, 0));
	struct text name = {0};
	source_cast_bits(w->dialect, source_type_name(i->type), &name);
	const char *made = arena_format(w->arena, "%s(%s)", text_string(&name), source_whole(w, i->operands[0]));
	text_free(&name);
	return made;
}

static const char *converted(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	if (i->type == from)
		return operand(w, i, 0);
	if (i->type->kind == IR_TYPE_bool)
		return arena_format(w->arena, "((%s & 1) != 0)", operand(w, i, 0));
	return cast(w, source_type_name(i->type), operand(w, i, 0));
}

static const char *literal(struct source_writer *w, const struct ir_type *t, uint64_t bits)
{
	struct text out = {0};
	source_literal(w->dialect, t, bits, &out);
	const char *kept = arena_string(w->arena, text_string(&out));
	text_free(&out);
	return kept;
}

/* By comparisons: C leaves conversions out of range undefined. */
static const char *saturated(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	uint64_t high_bits, low_bits, greatest_bits, least_bits;
	ir_saturation(from, i->type, &high_bits, &low_bits, &greatest_bits, &least_bits);
	const char *high = literal(w, from, high_bits), *low = literal(w, from, low_bits);
	return arena_format(w->arena, "(%s >= %s ? %s : %s <= %s ? %s : %s == %s ? (%s)%s : %s)", operand(w, i, 0),
	                    high, literal(w, i->type, greatest_bits), operand(w, i, 0), low,
	                    literal(w, i->type, least_bits), operand(w, i, 0), operand(w, i, 0),
	                    source_type_name(i->type), operand(w, i, 0), literal(w, i->type, 0));
}

static const char *call(struct source_writer *w, const struct ir_instruction *i, const char *function)
{
	return arena_format(w->arena, "%s(%s)", function, source_whole(w, i->operands[0]));
}

/* ---- What is given ---- */

/* 64-bit variables as values of the index type. */
static const char *as_index(struct source_writer *w, const char *variable)
{
	return cast(w, source_type_name(&ir_types[w->kernel->index]), variable);
}

static const char *id(struct source_writer *w, const char *variable)
{
	return source_holds_ids(w) ? variable : as_index(w, variable);
}

static const char *length(struct source_writer *w, const struct ir_instruction *i)
{
	if (i->base->kind == IR_MEMORY_BUFFER)
		return as_index(w, w->lengths[i->base->parameter]);
	return literal(w, &ir_types[w->kernel->index],
	               ir_canonical_bits(&ir_types[w->kernel->index], i->base->type->count));
}

static const char *given(struct source_writer *w, const struct ir_instruction *i)
{
	bool used = i->axis < w->kernel->axes;
	const struct ir_type *index = &ir_types[w->kernel->index];
	switch ((int)i->op) {
	case IR_OP_const: return literal(w, i->type, i->bits);
	case IR_OP_parameter:
		return i->type->kind == IR_TYPE_bool ? arena_format(w->arena, "(%s != 0)", w->parameters[i->parameter])
		                                     : w->parameters[i->parameter];
	case IR_OP_length: return length(w, i);
	case IR_OP_global_id: return used ? id(w, w->global_id[i->axis]) : literal(w, index, 0);
	case IR_OP_local_id: return used ? id(w, w->local_id[i->axis]) : literal(w, index, 0);
	case IR_OP_group_id: return used ? id(w, w->group_id[i->axis]) : literal(w, index, 0);
	case IR_OP_group_size: return literal(w, index, w->kernel->group[i->axis]);
	case IR_OP_grid_size: return used ? as_index(w, w->extents[i->axis]) : literal(w, index, 1);
	}
	assert(!"not a given value");
	return "";
}

/* ---- All ---- */

const char *source_compute(struct source_writer *w, const struct ir_instruction *i, bool whole)
{
	switch (i->op) {
	case IR_OP_const:
	case IR_OP_parameter:
	case IR_OP_length:
	case IR_OP_global_id:
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_group_size:
	case IR_OP_grid_size: return given(w, i);
	case IR_OP_iadd:
	case IR_OP_iadd_trap: return sum(w, i, "+", whole);
	case IR_OP_isub:
	case IR_OP_isub_trap: return sum(w, i, "-", whole);
	case IR_OP_imul:
	case IR_OP_imul_trap: return sum(w, i, "*", whole);
	case IR_OP_ineg:
	case IR_OP_ineg_trap: return negation(w, i);
	case IR_OP_iabs_trap: return magnitude(w, i);
	case IR_OP_idiv_trap: return quotient(w, i, "/");
	case IR_OP_irem_trap: return quotient(w, i, "%");
	case IR_OP_band: return bitwise(w, i, "&", "&&", whole);
	case IR_OP_bor: return bitwise(w, i, "|", "||", whole);
	case IR_OP_bxor: return bitwise(w, i, "^", "!=", whole);
	case IR_OP_bnot: return complement(w, i);
	case IR_OP_ishl:
	case IR_OP_ishr: return shift(w, i, whole);
	case IR_OP_fadd: return infix(w, i, "+", whole);
	case IR_OP_fsub: return infix(w, i, "-", whole);
	case IR_OP_fmul: return infix(w, i, "*", whole);
	case IR_OP_fdiv: return infix(w, i, "/", whole);
	case IR_OP_fneg: return grouped(w, whole, arena_format(w->arena, "-%s", operand(w, i, 0)));
	case IR_OP_fabs: return call(w, i, w->dialect->fabs);
	case IR_OP_fsqrt: return call(w, i, w->dialect->sqrt);
	case IR_OP_ffloor: return call(w, i, w->dialect->floor);
	case IR_OP_fceil: return call(w, i, w->dialect->ceil);
	case IR_OP_fround: return call(w, i, w->dialect->round);
	case IR_OP_eq: return infix(w, i, "==", whole);
	case IR_OP_ne: return infix(w, i, "!=", whole);
	case IR_OP_lt: return infix(w, i, "<", whole);
	case IR_OP_le: return infix(w, i, "<=", whole);
	case IR_OP_gt: return infix(w, i, ">", whole);
	case IR_OP_ge: return infix(w, i, ">=", whole);
	case IR_OP_select: return choice(w, i, whole);
	case IR_OP_convert:
	case IR_OP_convert_trap: return converted(w, i);
	case IR_OP_convert_saturate: return saturated(w, i);
	case IR_OP_bitcast: return reinterpreted(w, i);
	case IR_OP_load: return source_load(w, i, whole);
	case IR_OP_get: return w->locals[i->local->index];
	case IR_OP_idiv:
	case IR_OP_irem:
	case IR_OP_math:
	case IR_OP_math2: /* lower_math has gone before */
	case IR_OP_check_index:
	case IR_OP_check_range:
	case IR_OP_check:
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
	case IR_OP_atomic_cas:
	case IR_OP_set:
	case IR_OP_barrier:
	case IR_OP_cut:
	case IR_OP_if:
	case IR_OP_for:
	case IR_OP_loop:
	case IR_OP_break:
	case IR_OP_continue:
	case IR_OP_return:
	case IR_OP_yield:
	case IR_OP_COUNT: break;
	}
	assert(!"not an expression");
	return "";
}

static const char *text_of(struct source_writer *w, const struct ir_instruction *v, bool whole)
{
	return w->values[v->id] ? w->values[v->id] : source_compute(w, v, whole);
}

const char *source_value(struct source_writer *w, const struct ir_instruction *v)
{
	return text_of(w, v, false);
}

const char *source_whole(struct source_writer *w, const struct ir_instruction *v)
{
	return text_of(w, v, true);
}
