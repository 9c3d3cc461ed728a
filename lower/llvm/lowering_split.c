/* Range split of the sequential mode. An index or a sum that is `x + r`, where x is the thread's first id and r
 * the same for a whole row, stays in range exactly for one interval of x. In the intersection of all
 * intervals those checks cannot fail, so the body is copied without them: LLVM can vectorize that loop,
 * while the threads before and after it keep every check. An interval that holds for a check inside an `if`
 * is only narrower than it need be.
 *
 * Bounds are computed in 128 bits, where nothing below overflows. */
#include <stdint.h>

#include "ir/linear.h"
#include "lower/llvm/lowering.h"

enum { MAX_SINGLE_TERMS = 16, MAX_INSTRUCTIONS = 4000 };
#define MAX_COEFFICIENT (INT64_C(1) << 32)

struct split {
	struct lowering *l;
	struct linear_context *forms;
	bool *proved;
	bool any;
	LLVMTypeRef wide;
	LLVMValueRef first;       /* of the row, wide */
	LLVMValueRef middle, end; /* wide: the interval so far */
};

static LLVMValueRef number(const struct split *s, int64_t v)
{
	return LLVMConstInt(s->wide, (uint64_t)v, true);
}

/* ---- Which forms ---- */

static bool is_row_atom(const struct ir_instruction *atom)
{
	if (atom->type->kind != IR_TYPE_i64)
		return false;
	return atom->op == IR_OP_parameter || atom->op == IR_OP_length || atom->op == IR_OP_grid_size ||
	       atom->op == IR_OP_group_size || (atom->op == IR_OP_global_id && atom->axis > 0);
}

static bool is_x(const struct ir_term *term)
{
	return term->atom_count == 1 && term->atoms[0]->op == IR_OP_global_id && term->atoms[0]->axis == 0 &&
	       term->coefficient == 1;
}

/* Small enough for 128 bits: one product of two atoms, and single atoms with coefficients below 2^32. */
static bool fits(const struct ir_linear *form)
{
	unsigned products = 0, singles = 0;
	for (uint32_t n = 0; form->known && n < form->term_count; n++) {
		const struct ir_term *term = &form->terms[n];
		if (is_x(term))
			continue;
		for (uint32_t a = 0; a < term->atom_count; a++)
			if (!is_row_atom(term->atoms[a]))
				return false;
		bool unit = term->coefficient == 1 || term->coefficient == -1;
		if (term->atom_count == 2 && unit)
			products++;
		else if (term->atom_count == 1 && term->coefficient < MAX_COEFFICIENT &&
		         term->coefficient > -MAX_COEFFICIENT)
			singles++;
		else
			return false;
	}
	return form->known && form->term_count > 0 && products <= 1 && singles <= MAX_SINGLE_TERMS;
}

/* ---- Their values ---- */

static LLVMValueRef atom_value(const struct split *s, const struct ir_instruction *atom)
{
	LLVMBuilderRef b = s->l->builder;
	/* A slice's length fits i64, so that all atoms are signed alike. */
	return LLVMBuildSExt(b, lowering_given(s->l, atom), s->wide, "");
}

/* The form without its x term. */
static LLVMValueRef row_part(const struct split *s, const struct ir_linear *form, bool *has_x)
{
	LLVMBuilderRef b = s->l->builder;
	LLVMValueRef sum = number(s, form->constant);
	*has_x = false;
	for (uint32_t n = 0; n < form->term_count; n++) {
		const struct ir_term *term = &form->terms[n];
		if (is_x(term)) {
			*has_x = true;
			continue;
		}
		LLVMValueRef product = number(s, term->coefficient);
		for (uint32_t a = 0; a < term->atom_count; a++)
			product = LLVMBuildMul(b, product, atom_value(s, term->atoms[a]), "");
		sum = LLVMBuildAdd(b, sum, product, "");
	}
	return sum;
}

static LLVMValueRef least(const struct split *s, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = s->l->builder;
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, x, y, ""), x, y, "");
}

static LLVMValueRef most(const struct split *s, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = s->l->builder;
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, x, y, ""), x, y, "");
}

/* Keeps the x for which low <= form < high. */
static void narrow(struct split *s, const struct ir_linear *form, LLVMValueRef low, LLVMValueRef high)
{
	LLVMBuilderRef b = s->l->builder;
	bool has_x;
	LLVMValueRef row = row_part(s, form, &has_x);
	if (has_x) {
		s->middle = most(s, s->middle, LLVMBuildSub(b, low, row, ""));
		s->end = least(s, s->end, LLVMBuildSub(b, high, row, ""));
		return;
	}
	LLVMValueRef within = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntSLE, low, row, ""),
	                                   LLVMBuildICmp(b, LLVMIntSLT, row, high, ""), "");
	s->end = LLVMBuildSelect(b, within, s->end, s->first, "");
}

static bool visit(void *context, struct ir_instruction *i)
{
	struct split *s = context;
	const struct ir_instruction *value = i->op == IR_OP_check_index ? i->operands[0] : i;
	bool sum = i->op == IR_OP_iadd_trap || i->op == IR_OP_isub_trap || i->op == IR_OP_imul_trap ||
	           i->op == IR_OP_ineg_trap;
	if (!sum && (i->op != IR_OP_check_index || i->operands[1]->op != IR_OP_length))
		return true;
	if (value->type->kind != IR_TYPE_i64)
		return true;
	const struct ir_linear *form = linear_context_form(s->forms, value);
	if (!fits(form))
		return true;
	LLVMValueRef low = sum ? number(s, INT64_MIN) : number(s, 0);
	LLVMValueRef high =
	    sum ? LLVMBuildAdd(s->l->builder, number(s, INT64_MAX), number(s, 1), "") : atom_value(s, i->operands[1]);
	narrow(s, form, low, high);
	s->proved[i->id] = s->any = true;
	return true;
}

bool lowering_split(struct lowering *l, LLVMValueRef first, LLVMValueRef last, LLVMValueRef *middle,
                    LLVMValueRef *middle_end, const bool **proved)
{
	const struct ir_kernel *k = l->kernel;
	LLVMBuilderRef b = l->builder;
	if (!l->checked || k->next_id > MAX_INSTRUCTIONS)
		return false;
	struct split s = {.l = l, .forms = linear_context_new(k, l->arena), .wide = lowering_int(l, 128)};
	s.proved = ARENA_ARRAY(l->arena, bool, k->next_id);
	s.first = s.middle = LLVMBuildSExt(b, first, s.wide, "");
	s.end = LLVMBuildSExt(b, last, s.wide, "");
	ir_visit(&k->body, visit, &s);
	if (!s.any)
		return false;
	LLVMTypeRef i64 = lowering_int(l, 64);
	LLVMValueRef empty = LLVMBuildICmp(b, LLVMIntSGE, s.middle, s.end, "");
	*middle = LLVMBuildSelect(b, empty, last, LLVMBuildTrunc(b, s.middle, i64, ""), "");
	*middle_end = LLVMBuildSelect(b, empty, last, LLVMBuildTrunc(b, s.end, i64, ""), "");
	*proved = s.proved;
	return true;
}
