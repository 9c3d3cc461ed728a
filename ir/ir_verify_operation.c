/* The verifier's rules of one operation: those of its row in the table, then its own. Each rule is a
 * function that answers its sentence, or NULL where it holds. */
#include "ir/ir_verify_rules.h"

/* ---- Visibility ---- */

static bool is_visible(const struct ir_verifier *v, const struct ir_instruction *value)
{
	return value->id < v->kernel->next_id && v->visible[value->id] == value && value->type->kind != IR_TYPE_void;
}

static const char *rule_uses(const struct ir_verifier *v, const struct ir_instruction *i)
{
	bool visible = true;
	for (int n = 0; n < ir_op_infos[i->op].arity; n++)
		visible &= is_visible(v, i->operands[n]);
	for (uint32_t n = 0; n < i->path_count; n++)
		visible &= !i->path[n].index || is_visible(v, i->path[n].index);
	return visible ? NULL : "an operand is a value defined before, in the same region or one around it";
}

/* ---- The table's classes ---- */

static bool in_class(const struct ir_verifier *v, enum ir_operand_class class, const struct ir_type *t, int n)
{
	switch (class) {
	case IR_OPERANDS_NONE: return true;
	case IR_OPERANDS_ANY: return ir_type_is_scalar(t);
	case IR_OPERANDS_INT: return ir_type_is_integer(t);
	case IR_OPERANDS_SIGNED: return ir_type_is_signed(t);
	case IR_OPERANDS_FLOAT: return ir_type_is_float(t);
	case IR_OPERANDS_BOOL: return t->kind == IR_TYPE_bool;
	case IR_OPERANDS_NUMBER: return ir_type_is_integer(t) || ir_type_is_float(t);
	case IR_OPERANDS_BITS: return ir_type_is_integer(t) || t->kind == IR_TYPE_bool;
	case IR_OPERANDS_COND: return n ? ir_type_is_scalar(t) : t->kind == IR_TYPE_bool;
	case IR_OPERANDS_INDEX: return t->kind == v->kernel->index;
	}
	return false;
}

static const char *class_sentence(enum ir_operand_class class)
{
	switch (class) {
	case IR_OPERANDS_NONE: return "there are no operands";
	case IR_OPERANDS_ANY: return "operands are scalars";
	case IR_OPERANDS_INT: return "operands are integers";
	case IR_OPERANDS_SIGNED: return "operands are signed integers";
	case IR_OPERANDS_FLOAT: return "operands are floats";
	case IR_OPERANDS_BOOL: return "operands are bools";
	case IR_OPERANDS_NUMBER: return "operands are integers or floats";
	case IR_OPERANDS_BITS: return "operands are integers or bools";
	case IR_OPERANDS_COND: return "the first operand is a bool, the others are scalars";
	case IR_OPERANDS_INDEX: return "operands have the kernel's index type";
	}
	return "";
}

static const char *rule_operands(const struct ir_verifier *v, const struct ir_instruction *i)
{
	const struct ir_op_info *info = &ir_op_infos[i->op];
	for (int n = 0; n < info->arity; n++)
		if (!in_class(v, info->operands, i->operands[n]->type, n))
			return class_sentence(info->operands);
	int first = info->operands == IR_OPERANDS_COND ? 1 : 0;
	for (int n = first + 1; n < info->arity; n++)
		if (i->operands[n]->type != i->operands[first]->type)
			return "operands have one type";
	return NULL;
}

static const struct ir_type *row_result(const struct ir_verifier *v, const struct ir_instruction *i)
{
	switch (ir_op_infos[i->op].result) {
	case IR_RESULT_SAME: return i->operands[0]->type;
	case IR_RESULT_BOOL: return &ir_types[IR_TYPE_bool];
	case IR_RESULT_SECOND: return i->operands[1]->type;
	case IR_RESULT_TYPED:
		return i->op == IR_OP_parameter ? v->kernel->parameters[i->parameter].type
		       : i->op == IR_OP_get     ? i->local->type
		                                : i->type;
	case IR_RESULT_INDEX: return &ir_types[v->kernel->index];
	case IR_RESULT_PLACE: return ir_place_type(i->base, i->path, i->path_count);
	case IR_RESULT_VOID: return &ir_types[IR_TYPE_void];
	}
	return NULL;
}

static const char *rule_result(const struct ir_verifier *v, const struct ir_instruction *i)
{
	if (i->type != row_result(v, i))
		return "the result has the type that the operation's row says";
	if (ir_op_infos[i->op].result != IR_RESULT_VOID && !ir_type_is_scalar(i->type))
		return "the result is a scalar";
	return NULL;
}

/* ---- Values ---- */

static const char *rule_const(const struct ir_instruction *i)
{
	return i->bits == ir_canonical_bits(i->type, i->bits) ? NULL : "the bits are in the type's 64-bit form";
}

static const char *rule_convert(const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type, *to = i->type;
	if (i->op == IR_OP_bitcast) {
		if (to->kind == IR_TYPE_bool || ir_type_bits(from) != ir_type_bits(to))
			return "bitcast is between numbers of one width";
	} else if (i->op == IR_OP_convert_trap) {
		if (!ir_type_is_integer(to))
			return "convert_trap is from integer to integer";
	} else if (i->op == IR_OP_convert_saturate) {
		if (!ir_type_is_integer(to))
			return "convert_saturate is from float to integer";
	} else if (!ir_type_is_float(to) && !(ir_type_is_integer(from) && ir_type_is_integer(to))) {
		return "convert is from integer to integer or from anything to float";
	}
	return NULL;
}

/* Kernels of 64-bit indexes are the CPU's own (ir.h), which has the C library. */
static bool is_of_cpu(const struct ir_verifier *v)
{
	return v->kernel->index == IR_TYPE_u64;
}

static const char *rule_math(const struct ir_verifier *v, const struct ir_instruction *i)
{
	static const int arities[] = {
#define MATH(name, arity, description) arity,
#include "ir/math.def"
#undef MATH
	};
	if (i->math >= IR_MATH_COUNT || arities[i->math] != ir_op_infos[i->op].arity)
		return "the function has as many operands as the operation";
	if (i->type->kind != IR_TYPE_f32 && i->math != IR_MATH_fmod && !is_of_cpu(v))
		return "the function is of f32";
	return NULL;
}

static const char *rule_length(const struct ir_instruction *i)
{
	return i->base->kind == IR_MEMORY_BUFFER || i->base->type->kind == IR_TYPE_array
	           ? NULL
	           : "only a buffer or an array has a length";
}

/* ---- Places ---- */

static const char *rule_place(const struct ir_verifier *v, const struct ir_instruction *i)
{
	const struct ir_type *t = ir_place_type(i->base, i->path, i->path_count);
	if (!t || !ir_type_is_scalar(t))
		return "the place's path leads from its base to a scalar";
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index && i->path[n].index->type->kind != v->kernel->index)
			return "a place's indices have the kernel's index type";
	if (ir_op_infos[i->op].flags & IR_FLAG_WRITE && !i->base->writable)
		return "only a writable memory is written";
	for (int n = 0; n < ir_op_infos[i->op].arity; n++)
		if (i->operands[n]->type != t)
			return "the value has the type at the place";
	return NULL;
}

static const char *rule_atomic(const struct ir_verifier *v, const struct ir_instruction *i)
{
	const struct ir_type *t = ir_place_type(i->base, i->path, i->path_count);
	bool global = i->base->kind == IR_MEMORY_PRIVATE && i->base->global && is_of_cpu(v);
	if (!global && i->base->kind != IR_MEMORY_BUFFER && i->base->kind != IR_MEMORY_SHARED)
		return "an atomic works on a buffer or a shared memory";
	if (i->base->kind == IR_MEMORY_SHARED && i->scope != IR_SCOPE_WORKGROUP)
		return "an atomic on a shared memory has the scope of its workgroup";
	if (global && ir_type_is_integer(t))
		return NULL;
	if (t->kind != IR_TYPE_i32 && t->kind != IR_TYPE_u32 && !(t->kind == IR_TYPE_f32 && i->op == IR_OP_atomic_add))
		return "an atomic works on i32 or u32, atomic_add also on f32";
	if (i->op == IR_OP_atomic_load && i->order != IR_ORDER_RELAXED && i->order != IR_ORDER_ACQUIRE)
		return "atomic_load is relaxed or acquire";
	if (i->op == IR_OP_atomic_store && i->order != IR_ORDER_RELAXED && i->order != IR_ORDER_RELEASE)
		return "atomic_store is relaxed or release";
	return NULL;
}

/* ---- Control ---- */

static bool encloses(const struct ir_instruction *target, const struct ir_instruction *i)
{
	const struct ir_instruction *around = i->parent;
	while (around && around != target)
		around = around->parent;
	return around != NULL;
}

static const char *rule_end(const struct ir_verifier *v, const struct ir_instruction *i)
{
	if (i->next)
		return "nothing follows what ends a region";
	if ((i->op == IR_OP_break || i->op == IR_OP_continue) &&
	    (!i->target || !encloses(i->target, i) || (i->target->op != IR_OP_for && i->target->op != IR_OP_loop)))
		return "the target is a for or loop around it";
	if (i->op == IR_OP_yield && (!v->expression || i->parent))
		return "yield ends an expression and is nowhere else";
	return NULL;
}

static bool allowed_in_expression(const struct ir_instruction *i)
{
	const struct ir_op_info *info = &ir_op_infos[i->op];
	if (i->op == IR_OP_get || i->op == IR_OP_set || i->op == IR_OP_if || i->op == IR_OP_yield)
		return true;
	if (i->op == IR_OP_length && i->base->kind == IR_MEMORY_SHARED)
		return false;
	return (info->flags & (IR_FLAG_PURE | IR_FLAG_TRAP)) && !(info->flags & IR_FLAG_THREAD) &&
	       info->result != IR_RESULT_VOID && i->op != IR_OP_grid_size;
}

/* ---- All ---- */

static const char *rule_own(const struct ir_verifier *v, const struct ir_instruction *i)
{
	uint16_t flags = ir_op_infos[i->op].flags;
	if (v->expression && !allowed_in_expression(i))
		return "an expression is of constants, parameters, lengths, group sizes, arithmetic, locals and if";
	if (i->op >= IR_OP_global_id && i->op <= IR_OP_grid_size && i->axis >= v->kernel->axes)
		return "the axis is one of the kernel's";
	if (i->op == IR_OP_const)
		return rule_const(i);
	if (i->op == IR_OP_length)
		return rule_length(i);
	if (i->op == IR_OP_convert || i->op == IR_OP_convert_trap || i->op == IR_OP_convert_saturate ||
	    i->op == IR_OP_bitcast)
		return rule_convert(i);
	if (flags & IR_FLAG_MATH)
		return rule_math(v, i);
	if (i->op == IR_OP_check && (i->trap <= TRAP_NONE || i->trap > TRAP_INEXACT))
		return "a check has a kind of trap";
	if (i->op == IR_OP_set && i->operands[0]->type != i->local->type)
		return "the value has the local's type";
	if (flags & IR_FLAG_ATOMIC)
		return rule_atomic(v, i);
	if (flags & IR_FLAG_END)
		return rule_end(v, i);
	return NULL;
}

void ir_verify_operation(struct ir_verifier *v, const struct ir_instruction *i)
{
	const char *sentence = rule_uses(v, i);
	if (!sentence)
		sentence = rule_operands(v, i);
	if (!sentence && ir_op_infos[i->op].flags & IR_FLAG_PLACED)
		sentence = rule_place(v, i);
	if (!sentence)
		sentence = rule_result(v, i);
	if (!sentence)
		sentence = rule_own(v, i);
	if (sentence)
		ir_verify_fault(v, i, sentence);
}
