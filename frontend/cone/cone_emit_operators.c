#include "frontend/cone/cone_emit.h"
#include "ir/ir_fold.h"

bool cone_emit_known(value v, uint64_t bits)
{
	return v->op == IR_OP_const && v->bits == bits;
}

value cone_emit_constant(struct cone_emitter *e, const struct ir_type *type, uint64_t bits)
{
	return ir_build_const(&e->builder, type, ir_canonical_bits(type, bits));
}

/* NULL: not all operands are constants. */
static value folded(struct cone_emitter *e, enum ir_op op, const struct ir_type *to, value x, value y)
{
	uint64_t operands[2] = {x->bits, y ? y->bits : 0}, result;
	if (x->op != IR_OP_const || (y && y->op != IR_OP_const))
		return NULL;
	ir_evaluate_op(op, x->type, to, operands, &result);
	return cone_emit_constant(e, to, result);
}

value cone_emit_unary(struct cone_emitter *e, enum ir_op op, value x)
{
	value known = folded(e, op, x->type, x, NULL);
	return known ? known : ir_build_unary(&e->builder, op, x);
}

value cone_emit_binary(struct cone_emitter *e, enum ir_op op, value x, value y)
{
	const struct ir_type *to = ir_op_infos[op].result == IR_RESULT_BOOL ? &ir_types[IR_TYPE_bool] : x->type;
	value known = folded(e, op, to, x, y);
	return known ? known : ir_build_binary(&e->builder, op, x, y);
}

value cone_emit_with(struct cone_emitter *e, enum ir_op op, value x, uint64_t bits)
{
	return cone_emit_binary(e, op, x, cone_emit_constant(e, x->type, bits));
}

value cone_emit_convert(struct cone_emitter *e, enum ir_op op, const struct ir_type *to, value x)
{
	if (x->type == to)
		return x;
	value known = folded(e, op, to, x, NULL);
	return known ? known : ir_build_convert(&e->builder, op, to, x);
}

value cone_emit_select(struct cone_emitter *e, value condition, value x, value y)
{
	if (condition->op == IR_OP_const)
		return condition->bits ? x : y;
	return ir_build_select(&e->builder, condition, x, y);
}

/* ---- Operators ---- */

value cone_emit_operator(struct cone_emitter *e, enum cone_operator op, value x, value y)
{
	bool is_float = ir_type_is_float(x->type);
	switch (op) {
	case CONE_ADD: return cone_emit_binary(e, is_float ? IR_OP_fadd : IR_OP_iadd, x, y);
	case CONE_SUBTRACT: return cone_emit_binary(e, is_float ? IR_OP_fsub : IR_OP_isub, x, y);
	case CONE_MULTIPLY: return cone_emit_binary(e, is_float ? IR_OP_fmul : IR_OP_imul, x, y);
	case CONE_DIVIDE: return cone_emit_binary(e, is_float ? IR_OP_fdiv : IR_OP_idiv, x, y);
	case CONE_REMAINDER:
		return is_float ? ir_build_math(&e->builder, IR_MATH_fmod, x, y)
		                : cone_emit_binary(e, IR_OP_irem, x, y);
	case CONE_SHIFT_LEFT: return cone_emit_binary(e, IR_OP_ishl, x, y);
	case CONE_SHIFT_RIGHT: return cone_emit_binary(e, IR_OP_ishr, x, y);
	case CONE_BITS_AND: return cone_emit_binary(e, IR_OP_band, x, y);
	case CONE_BITS_XOR: return cone_emit_binary(e, IR_OP_bxor, x, y);
	case CONE_BITS_OR: return cone_emit_binary(e, IR_OP_bor, x, y);
	case CONE_EQUAL: return cone_emit_binary(e, IR_OP_eq, x, y);
	case CONE_NOT_EQUAL: return cone_emit_binary(e, IR_OP_ne, x, y);
	case CONE_LESS: return cone_emit_binary(e, IR_OP_lt, x, y);
	case CONE_LESS_EQUAL: return cone_emit_binary(e, IR_OP_le, x, y);
	case CONE_GREATER: return cone_emit_binary(e, IR_OP_gt, x, y);
	case CONE_GREATER_EQUAL: return cone_emit_binary(e, IR_OP_ge, x, y);
	case CONE_AND: return cone_emit_binary(e, IR_OP_band, x, y);
	case CONE_OR: return cone_emit_binary(e, IR_OP_bor, x, y);
	case CONE_NEGATE: return cone_emit_unary(e, is_float ? IR_OP_fneg : IR_OP_ineg, x);
	case CONE_COMPLEMENT:
	case CONE_NOT: return cone_emit_unary(e, IR_OP_bnot, x);
	case CONE_MATCHES: break;
	}
	return x;
}

/* ---- Conversions (spec/cone.md 1.8) ---- */

value cone_emit_number(struct cone_emitter *e, const struct cone_type *to, value x)
{
	const struct ir_type *type = cone_emit_scalar(to);
	if (x->type == type)
		return x;
	if (type->kind == IR_TYPE_bool)
		return cone_emit_with(e, IR_OP_ne, x, 0);
	if (x->type->kind == IR_TYPE_bool) {
		uint64_t one = ir_type_is_float(type) ? ir_float_power(type, 0) : 1;
		return cone_emit_select(e, x, cone_emit_constant(e, type, one), cone_emit_constant(e, type, 0));
	}
	bool saturates = ir_type_is_float(x->type) && !ir_type_is_float(type);
	return cone_emit_convert(e, saturates ? IR_OP_convert_saturate : IR_OP_convert, type, x);
}
