/* Operators and methods of kernels as IR (spec/sspur.md 1.2, 1.3). */
#include <assert.h>

#include "frontend/ssp/kernel_check.h"
#include "frontend/ssp/kernel_emit.h"

static enum ir_op arithmetic_op(enum operator_kind kind, bool real)
{
	switch (kind) {
	case OPERATOR_ADD: return real ? IR_OP_fadd : IR_OP_iadd_trap;
	case OPERATOR_SUBTRACT: return real ? IR_OP_fsub : IR_OP_isub_trap;
	case OPERATOR_MULTIPLY: return real ? IR_OP_fmul : IR_OP_imul_trap;
	case OPERATOR_DIVIDE: return real ? IR_OP_fdiv : IR_OP_idiv_trap;
	case OPERATOR_REMAINDER: return IR_OP_irem_trap;
	case OPERATOR_EQUAL: return IR_OP_eq;
	case OPERATOR_NOT_EQUAL: return IR_OP_ne;
	case OPERATOR_LESS: return IR_OP_lt;
	case OPERATOR_LESS_EQUAL: return IR_OP_le;
	case OPERATOR_GREATER: return IR_OP_gt;
	case OPERATOR_GREATER_EQUAL: return IR_OP_ge;
	case OPERATOR_OR: return IR_OP_bor;
	case OPERATOR_AND: return IR_OP_band;
	case OPERATOR_NOT:
	case OPERATOR_POWER:
	case OPERATOR_NEGATE: break;
	}
	assert(!"a kernel has no such binary operator");
	return IR_OP_COUNT;
}

struct ir_instruction *kernel_emit_binary(struct kernel_emitter *e, const struct node *n, struct ir_instruction *x,
                                          struct ir_instruction *y)
{
	return ir_build_binary(&e->builder, arithmetic_op(n->operator_kind, ir_type_is_float(x->type)), x, y);
}

struct ir_instruction *kernel_emit_unary(struct kernel_emitter *e, const struct node *n, struct ir_instruction *x)
{
	if (n->operator_kind == OPERATOR_NOT)
		return ir_build_unary(&e->builder, IR_OP_bnot, x);
	return ir_build_unary(&e->builder, ir_type_is_float(x->type) ? IR_OP_fneg : IR_OP_ineg_trap, x);
}

/* Every value of `from` is one of `to`. */
static bool always_fits(const struct ir_type *from, const struct ir_type *to)
{
	return from == to || to->kind == IR_TYPE_i64;
}

static struct ir_instruction *emit_conversion(struct kernel_emitter *e, struct ir_instruction *x,
                                              const struct ir_type *to)
{
	if (x->type == to)
		return x;
	bool traps = ir_type_is_integer(to) && !always_fits(x->type, to);
	return ir_build_convert(&e->builder, traps ? IR_OP_convert_trap : IR_OP_convert, to, x);
}

/* a.min(b) is `if a < b then a else b`, a.max(b) is `if a > b then a else b`. */
static struct ir_instruction *emit_choice(struct kernel_emitter *e, enum ir_op compare, struct ir_instruction *x,
                                          struct ir_instruction *y)
{
	return ir_build_select(&e->builder, ir_build_binary(&e->builder, compare, x, y), x, y);
}

/* On the value as a 64-bit pattern; counts outside 0..63 are unsigned counts of 64 and more, which give 0. */
static struct ir_instruction *emit_shift(struct kernel_emitter *e, enum ir_op op, struct ir_instruction *x,
                                         struct ir_instruction *y)
{
	const struct ir_type *i64 = &ir_types[IR_TYPE_i64], *u64 = &ir_types[IR_TYPE_u64];
	struct ir_builder *b = &e->builder;
	const struct ir_type *type = x->type;
	x = emit_conversion(e, x, i64);
	y = emit_conversion(e, y, i64);
	if (op == IR_OP_ishl)
		return emit_conversion(e, ir_build_binary(b, op, x, y), type);
	x = ir_build_convert(b, IR_OP_convert, u64, x);
	y = ir_build_convert(b, IR_OP_convert, u64, y);
	x = ir_build_binary(b, op, x, y);
	if (type->kind == IR_TYPE_u32) /* no larger than it was, so it fits */
		return ir_build_convert(b, IR_OP_convert, type, x);
	return emit_conversion(e, ir_build_convert(b, IR_OP_convert, i64, x), type);
}

struct ir_instruction *kernel_emit_method(struct kernel_emitter *e, const struct node *n, struct ir_instruction *x,
                                          struct ir_instruction *y)
{
	struct ir_builder *b = &e->builder;
	switch ((enum kernel_method)n->builtin) {
	case KERNEL_METHOD_to_int:
	case KERNEL_METHOD_to_i32:
	case KERNEL_METHOD_to_u32:
	case KERNEL_METHOD_to_f32:
	case KERNEL_METHOD_to_f64: return emit_conversion(e, x, kernel_ir_type(n->type));
	case KERNEL_METHOD_sqrt: return ir_build_unary(b, IR_OP_fsqrt, x);
	case KERNEL_METHOD_floor: return ir_build_unary(b, IR_OP_ffloor, x);
	case KERNEL_METHOD_ceil: return ir_build_unary(b, IR_OP_fceil, x);
	case KERNEL_METHOD_round: return ir_build_unary(b, IR_OP_fround, x);
	case KERNEL_METHOD_abs: return ir_build_unary(b, ir_type_is_float(x->type) ? IR_OP_fabs : IR_OP_iabs_trap, x);
	case KERNEL_METHOD_min: return emit_choice(e, IR_OP_lt, x, y);
	case KERNEL_METHOD_max: return emit_choice(e, IR_OP_gt, x, y);
	case KERNEL_METHOD_shl: return emit_shift(e, IR_OP_ishl, x, y);
	case KERNEL_METHOD_shr: return emit_shift(e, IR_OP_ishr, x, y);
	/* Of two sign- or zero-extended patterns the result is one too: it fits the type. */
	case KERNEL_METHOD_band: return ir_build_binary(b, IR_OP_band, x, y);
	case KERNEL_METHOD_bor: return ir_build_binary(b, IR_OP_bor, x, y);
	case KERNEL_METHOD_bxor: return ir_build_binary(b, IR_OP_bxor, x, y);
	case KERNEL_METHOD_len:
	case KERNEL_METHOD_atomic_add:
	case KERNEL_METHOD_atomic_min:
	case KERNEL_METHOD_atomic_max:
	case KERNEL_METHOD_atomic_cas:
	case KERNEL_METHOD_COUNT:
	case KERNEL_METHOD_axis:
	case KERNEL_METHOD_helper: break;
	}
	assert(!"a kernel's number has no such method");
	return x;
}

/* ---- What may be computed though it was not chosen ---- */

static bool method_is_cheap(const struct node *n)
{
	const struct type *t = n->left->type; /* of a number */
	switch ((enum kernel_method)n->builtin) {
	case KERNEL_METHOD_to_int:
	case KERNEL_METHOD_to_f32:
	case KERNEL_METHOD_to_f64: return true;
	case KERNEL_METHOD_to_i32:
	case KERNEL_METHOD_to_u32: return t == n->type;
	case KERNEL_METHOD_floor:
	case KERNEL_METHOD_ceil:
	case KERNEL_METHOD_round: return true;
	case KERNEL_METHOD_abs: return kernel_is_float(t);
	case KERNEL_METHOD_min:
	case KERNEL_METHOD_max: return true;
	case KERNEL_METHOD_shl: return t == &type_int;
	case KERNEL_METHOD_shr: return t != &type_i32;
	case KERNEL_METHOD_band:
	case KERNEL_METHOD_bor:
	case KERNEL_METHOD_bxor: return true;
	case KERNEL_METHOD_len:
	case KERNEL_METHOD_axis: return true;
	case KERNEL_METHOD_sqrt:
	case KERNEL_METHOD_atomic_add:
	case KERNEL_METHOD_atomic_min:
	case KERNEL_METHOD_atomic_max:
	case KERNEL_METHOD_atomic_cas:
	case KERNEL_METHOD_COUNT:
	case KERNEL_METHOD_helper: return false;
	}
	return false;
}

static bool operator_is_cheap(const struct node *n)
{
	switch (n->operator_kind) {
	case OPERATOR_ADD:
	case OPERATOR_SUBTRACT:
	case OPERATOR_MULTIPLY:
	case OPERATOR_NEGATE: return kernel_is_float(n->type);
	case OPERATOR_DIVIDE:
	case OPERATOR_REMAINDER:
	case OPERATOR_POWER: return false;
	case OPERATOR_OR:
	case OPERATOR_AND:
	case OPERATOR_NOT:
	case OPERATOR_EQUAL:
	case OPERATOR_NOT_EQUAL:
	case OPERATOR_LESS:
	case OPERATOR_LESS_EQUAL:
	case OPERATOR_GREATER:
	case OPERATOR_GREATER_EQUAL: return true;
	}
	return false;
}

/* Nodes that a cheap expression has at most. */
#define CHEAP_NODES 12

static bool is_cheap(const struct node *n, unsigned *budget)
{
	if ((*budget)-- == 0) {
		*budget = 0;
		return false;
	}
	switch (n->kind) {
	case NODE_INT:
	case NODE_FLOAT:
	case NODE_BOOL:
	case NODE_NAME: return true;
	case NODE_BINARY: return operator_is_cheap(n) && is_cheap(n->left, budget) && is_cheap(n->right, budget);
	case NODE_UNARY: return operator_is_cheap(n) && is_cheap(n->left, budget);
	case NODE_METHOD:
		if (n->builtin == KERNEL_METHOD_len || n->builtin == KERNEL_METHOD_axis)
			return true;
		return method_is_cheap(n) && is_cheap(n->left, budget) &&
		       (n->part_count == 0 || is_cheap(n->parts[0], budget));
	case NODE_IF: return is_cheap(n->condition, budget) && is_cheap(n->left, budget) && is_cheap(n->right, budget);
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_UNIT:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_RANGE:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM:
	case NODE_CALL:
	case NODE_LAMBDA:
	case NODE_BORROW:
	case NODE_BLOCK:
	case NODE_SHARED:
	case NODE_LET:
	case NODE_ASSIGN:
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_RETURN:
	case NODE_ERROR: return false;
	}
	return false;
}

bool kernel_is_cheap(const struct node *n)
{
	unsigned budget = CHEAP_NODES;
	return is_cheap(n, &budget);
}
