/* Linear forms in the words of the source. */
#include "ir/ir_analysis.h"

/* Opaque atoms nest: what is deeper is left out. */
#define MAX_DEPTH 6

static void print_value(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, unsigned depth);

const char *ir_kernel_word(const struct ir_kernel *k, const char *sspur, const char *cone)
{
	return k->policy == IR_POLICY_RECORD && k->axes == 3 ? cone : sspur;
}

/* `cone`: as the Invocation has it. */
static void print_id(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, const char *name,
                     const char *cone)
{
	if (k->policy == IR_POLICY_RECORD && k->axes == 3 && cone) {
		text_add_format(out, "%s[%u]", cone, i->axis);
		return;
	}
	text_add(out, name);
	if (k->axes > 1)
		text_add_format(out, ".%c", "xyz"[i->axis]);
}

static void print_infix(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, const char *sign,
                        unsigned depth)
{
	text_add_char(out, '(');
	print_value(out, k, i->operands[0], depth);
	text_add_format(out, " %s ", sign);
	print_value(out, k, i->operands[1], depth);
	text_add_char(out, ')');
}

/* x.name or x.name(y) */
static void print_method(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, const char *name,
                         unsigned depth)
{
	print_value(out, k, i->operands[0], depth);
	text_add_format(out, ".%s", name);
	if (ir_op_infos[i->op].arity < 2)
		return;
	text_add_char(out, '(');
	print_value(out, k, i->operands[1], depth);
	text_add_char(out, ')');
}

static void print_conversion(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i,
                             unsigned depth)
{
	/* A u64 is the pattern of an Int, for a shift. */
	if (ir_type_bits(i->type) == 64 && ir_type_bits(i->operands[0]->type) == 64)
		print_value(out, k, i->operands[0], depth);
	else if (i->type->kind == IR_TYPE_i64)
		print_method(out, k, i, "to_int", depth);
	else
		print_method(out, k, i, i->type->kind == IR_TYPE_u32 ? "to_u32" : "to_i32", depth);
}

static void print_if(struct text *out, const struct ir_kernel *k, const struct ir_instruction *condition,
                     const struct ir_instruction *then, const struct ir_instruction *other, unsigned depth)
{
	text_add(out, "(if ");
	print_value(out, k, condition, depth);
	text_add(out, " then ");
	print_value(out, k, then, depth);
	text_add(out, " else ");
	print_value(out, k, other, depth);
	text_add_char(out, ')');
}

static void print_select(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, unsigned depth)
{
	const struct ir_instruction *c = i->operands[0];
	if ((c->op == IR_OP_lt || c->op == IR_OP_gt) && c->operands[0] == i->operands[1] &&
	    c->operands[1] == i->operands[2]) {
		print_method(out, k, c, c->op == IR_OP_lt ? "min" : "max", depth);
		return;
	}
	print_if(out, k, c, i->operands[1], i->operands[2], depth);
}

static void print_get(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, unsigned depth)
{
	struct ir_choice choice;
	if (!ir_choice_of(i, &choice)) {
		text_add(out, i->local->name);
		return;
	}
	if (!choice.then || !choice.other) {
		text_add_char(out, '(');
		print_value(out, k, choice.condition, depth);
		text_add(out, choice.then ? " and " : " or ");
		print_value(out, k, choice.then ? choice.then : choice.other, depth);
		text_add_char(out, ')');
		return;
	}
	print_if(out, k, choice.condition, choice.then, choice.other, depth);
}

static void print_call(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, unsigned depth)
{
	unsigned arity = ir_op_infos[i->op].arity;
	text_add_format(out, "%s(", ir_op_infos[i->op].name);
	for (unsigned n = 0; n < arity; n++) {
		text_add(out, n ? ", " : "");
		print_value(out, k, i->operands[n], depth);
	}
	text_add_char(out, ')');
}

static void print_const(struct text *out, const struct ir_instruction *i)
{
	if (i->type->kind == IR_TYPE_bool)
		text_add(out, i->bits ? "true" : "false");
	else if (ir_type_is_float(i->type))
		text_add_format(out, "%s 0x%llx", ir_type_kind_name(i->type->kind), (unsigned long long)i->bits);
	else if (ir_type_is_signed(i->type))
		text_add_int(out, (int64_t)i->bits);
	else
		text_add_format(out, "%llu", (unsigned long long)i->bits);
}

static void print_value(struct text *out, const struct ir_kernel *k, const struct ir_instruction *i, unsigned depth)
{
	if (depth == MAX_DEPTH) {
		text_add(out, "...");
		return;
	}
	depth++;
	switch ((int)i->op) {
	case IR_OP_const: print_const(out, i); return;
	case IR_OP_parameter: text_add(out, k->parameters[i->parameter].name); return;
	case IR_OP_length: text_add_format(out, "%s.len", i->base->name); return;
	case IR_OP_global_id: print_id(out, k, i, "gid", "globalId"); return;
	case IR_OP_local_id: print_id(out, k, i, "lid", "localId"); return;
	case IR_OP_group_id: print_id(out, k, i, "group_id", "groupId"); return;
	case IR_OP_group_size: print_id(out, k, i, "group_size", NULL); return;
	case IR_OP_grid_size: print_id(out, k, i, "grid_size", NULL); return;
	case IR_OP_iadd:
	case IR_OP_iadd_trap: print_infix(out, k, i, "+", depth); return;
	case IR_OP_isub:
	case IR_OP_isub_trap: print_infix(out, k, i, "-", depth); return;
	case IR_OP_imul:
	case IR_OP_imul_trap: print_infix(out, k, i, "*", depth); return;
	case IR_OP_idiv:
	case IR_OP_idiv_trap: print_infix(out, k, i, "/", depth); return;
	case IR_OP_irem:
	case IR_OP_irem_trap: print_infix(out, k, i, "%", depth); return;
	case IR_OP_get: print_get(out, k, i, depth); return;
	case IR_OP_load: text_add_format(out, "%s[...]", i->base->name); return;
	case IR_OP_for: text_add(out, "(loop variable)"); return;
	case IR_OP_eq: print_infix(out, k, i, "==", depth); return;
	case IR_OP_ne: print_infix(out, k, i, "!=", depth); return;
	case IR_OP_lt: print_infix(out, k, i, "<", depth); return;
	case IR_OP_le: print_infix(out, k, i, "<=", depth); return;
	case IR_OP_gt: print_infix(out, k, i, ">", depth); return;
	case IR_OP_ge: print_infix(out, k, i, ">=", depth); return;
	case IR_OP_iabs_trap: print_method(out, k, i, "abs", depth); return;
	case IR_OP_ishl: print_method(out, k, i, "shl", depth); return;
	case IR_OP_ishr: print_method(out, k, i, "shr", depth); return;
	case IR_OP_band: print_method(out, k, i, "band", depth); return;
	case IR_OP_bor: print_method(out, k, i, "bor", depth); return;
	case IR_OP_bxor: print_method(out, k, i, "bxor", depth); return;
	case IR_OP_select: print_select(out, k, i, depth); return;
	case IR_OP_convert:
	case IR_OP_convert_trap:
		if (ir_type_is_integer(i->type) && ir_type_is_integer(i->operands[0]->type)) {
			print_conversion(out, k, i, depth);
			return;
		}
		break;
	}
	print_call(out, k, i, depth);
}

void ir_value_print(struct text *out, const struct ir_kernel *k, const struct ir_instruction *value)
{
	print_value(out, k, value, 0);
}

static void print_term(struct text *out, const struct ir_kernel *k, const struct ir_term *term)
{
	/* `-` is printed as the sign; INT64_MIN has no magnitude of its type. */
	uint64_t magnitude = term->coefficient < 0 ? 0 - (uint64_t)term->coefficient : (uint64_t)term->coefficient;
	for (uint32_t n = 0; n < term->atom_count; n++) {
		text_add(out, n ? " * " : "");
		print_value(out, k, term->atoms[n], 0);
	}
	if (magnitude != 1)
		text_add_format(out, " * %llu", (unsigned long long)magnitude);
}

static void print_sign(struct text *out, bool first, bool negative)
{
	if (first)
		text_add(out, negative ? "-" : "");
	else
		text_add(out, negative ? " - " : " + ");
}

/* Threads and groups come first, then lanes, then their offsets, whatever the order of the instructions. */
static int rank(const struct ir_term *term)
{
	int least = 2;
	for (uint32_t n = 0; n < term->atom_count; n++) {
		enum ir_op op = term->atoms[n]->op;
		if (op == IR_OP_global_id || op == IR_OP_group_id)
			least = 0;
		else if (op == IR_OP_local_id && least > 1)
			least = 1;
	}
	return least;
}

void ir_linear_print(struct text *out, const struct ir_kernel *k, const struct ir_linear *a)
{
	if (!a->known) {
		text_add(out, "unknown");
		return;
	}
	bool first = true;
	for (int order = 0; order < 3; order++) {
		for (uint32_t n = 0; n < a->term_count; n++) {
			if (rank(&a->terms[n]) != order)
				continue;
			print_sign(out, first, a->terms[n].coefficient < 0);
			print_term(out, k, &a->terms[n]);
			first = false;
		}
	}
	if (a->constant || first) {
		print_sign(out, first, a->constant < 0);
		text_add_format(
		    out, "%llu",
		    (unsigned long long)(a->constant < 0 ? 0 - (uint64_t)a->constant : (uint64_t)a->constant));
	}
}
