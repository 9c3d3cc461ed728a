/* Linear forms. One pass in text order gives every value its form, and numbers values so that two of
 * equal number are equal in every thread and moment where both exist. */
#include "ir/linear.h"

#include <assert.h>
#include <string.h>

#include "ir/interval.h"
#include "utils/base/table.h"

/* Products of sums can double with every operation: larger forms are unknown. */
#define MAX_TERMS 32
#define MAX_ATOMS 8
/* Instructions looked at to see whether opaque atoms are uniform. */
#define UNIFORM_BUDGET 4096

struct linear_context {
	const struct ir_kernel *kernel;
	struct arena *arena;
	struct ir_linear *forms;                       /* by id */
	const struct ir_instruction **representatives; /* by id: the first instruction of equal value */
	struct table numbers;                          /* key of a value -> its representative */
	enum linear_wrapping wrapping;
	struct ir_interval *ranges; /* by id, LINEAR_BOUNDED: what an integer can be */
};

static const struct ir_linear unknown = {0};

/* ---- Arithmetic on forms ---- */

static int compare_products(const struct ir_term *a, const struct ir_term *b)
{
	if (a->atom_count != b->atom_count)
		return a->atom_count < b->atom_count ? -1 : 1;
	for (uint32_t n = 0; n < a->atom_count; n++)
		if (a->atoms[n] != b->atoms[n])
			return a->atoms[n]->id < b->atoms[n]->id ? -1 : 1;
	return 0;
}

struct ir_linear linear_constant(int64_t value)
{
	return (struct ir_linear){.known = true, .constant = value};
}

static struct ir_linear atom_form(const struct ir_instruction *atom, struct arena *arena)
{
	struct ir_linear form = {.known = true, .term_count = 1, .terms = ARENA_NEW(arena, struct ir_term)};
	form.terms[0] = (struct ir_term){1, 1, ARENA_ARRAY(arena, const struct ir_instruction *, 1)};
	form.terms[0].atoms[0] = atom;
	return form;
}

/* a + factor * b, by merging the sorted terms. */
static struct ir_linear add_scaled(const struct ir_linear *a, const struct ir_linear *b, int64_t factor,
                                   struct arena *arena)
{
	int64_t scaled;
	struct ir_linear sum = {.known = a->known && b->known};
	if (!sum.known || __builtin_mul_overflow(b->constant, factor, &scaled) ||
	    __builtin_add_overflow(a->constant, scaled, &sum.constant))
		return unknown;
	sum.terms = ARENA_ARRAY(arena, struct ir_term, a->term_count + b->term_count);
	for (uint32_t x = 0, y = 0; x < a->term_count || y < b->term_count;) {
		int order = x == a->term_count   ? 1
		            : y == b->term_count ? -1
		                                 : compare_products(&a->terms[x], &b->terms[y]);
		struct ir_term term = order > 0 ? b->terms[y] : a->terms[x];
		if (order >= 0 && __builtin_mul_overflow(b->terms[y++].coefficient, factor, &scaled))
			return unknown;
		if (order > 0)
			term.coefficient = scaled;
		else if (order == 0 && __builtin_add_overflow(term.coefficient, scaled, &term.coefficient))
			return unknown;
		x += order <= 0;
		if (term.coefficient)
			sum.terms[sum.term_count++] = term;
	}
	return sum.term_count > MAX_TERMS ? unknown : sum;
}

struct ir_linear linear_add(const struct ir_linear *a, const struct ir_linear *b, struct arena *arena)
{
	return add_scaled(a, b, 1, arena);
}

struct ir_linear linear_subtract(const struct ir_linear *a, const struct ir_linear *b, struct arena *arena)
{
	return add_scaled(a, b, -1, arena);
}

struct ir_linear linear_scale(const struct ir_linear *a, int64_t factor, struct arena *arena)
{
	const struct ir_linear zero = linear_constant(0);
	return add_scaled(&zero, a, factor, arena);
}

/* One term times one term; false when it is too large. */
static bool multiply_terms(const struct ir_term *a, const struct ir_term *b, struct ir_term *product,
                           struct arena *arena)
{
	uint32_t count = a->atom_count + b->atom_count;
	if (count > MAX_ATOMS || __builtin_mul_overflow(a->coefficient, b->coefficient, &product->coefficient))
		return false;
	product->atom_count = count;
	product->atoms = ARENA_ARRAY(arena, const struct ir_instruction *, count);
	for (uint32_t x = 0, y = 0; x + y < count;) {
		bool take_b = x == a->atom_count || (y < b->atom_count && b->atoms[y]->id < a->atoms[x]->id);
		product->atoms[x + y] = take_b ? b->atoms[y] : a->atoms[x];
		take_b ? y++ : x++;
	}
	return true;
}

static struct ir_linear multiply(const struct ir_linear *a, const struct ir_linear *b, struct arena *arena)
{
	if (!a->known || !b->known)
		return unknown;
	/* (ca + ta) * (cb + tb) = (cb * a) + (ca * tb) + ta * tb */
	struct ir_linear without_constant = *b;
	without_constant.constant = 0;
	struct ir_linear product = linear_scale(a, b->constant, arena);
	product = add_scaled(&product, &without_constant, a->constant, arena);
	for (uint32_t x = 0; x < a->term_count; x++) {
		for (uint32_t y = 0; y < b->term_count && product.known; y++) {
			struct ir_term term;
			if (!multiply_terms(&a->terms[x], &b->terms[y], &term, arena))
				return unknown;
			struct ir_linear one = {.known = true, .term_count = 1, .terms = &term};
			product = linear_add(&product, &one, arena);
		}
	}
	return product;
}

bool linear_split(const struct ir_linear *a, enum ir_op op, unsigned axis, struct ir_linear *coefficient,
                  struct ir_linear *rest, struct arena *arena)
{
	*coefficient = linear_constant(0);
	*rest = *a;
	if (!a->known)
		return false;
	rest->term_count = 0;
	rest->terms = ARENA_ARRAY(arena, struct ir_term, a->term_count);
	for (uint32_t n = 0; n < a->term_count; n++) {
		const struct ir_term *term = &a->terms[n];
		struct ir_term others = {term->coefficient, 0,
		                         ARENA_ARRAY(arena, const struct ir_instruction *, term->atom_count)};
		for (uint32_t m = 0; m < term->atom_count; m++)
			if (term->atoms[m]->op != op || term->atoms[m]->axis != axis)
				others.atoms[others.atom_count++] = term->atoms[m];
		if (others.atom_count == term->atom_count) {
			rest->terms[rest->term_count++] = others;
			continue;
		}
		if (others.atom_count + 1 != term->atom_count)
			return false;
		struct ir_linear one = {.known = true, .term_count = 1, .terms = &others};
		if (!others.atom_count)
			one = linear_constant(term->coefficient);
		*coefficient = linear_add(coefficient, &one, arena);
		if (!coefficient->known)
			return false;
	}
	return true;
}

/* ---- Numbering ---- */

/* The first value with this key. */
static const struct ir_instruction *intern(struct linear_context *c, const struct text *key,
                                           const struct ir_instruction *i)
{
	const struct ir_instruction *first = table_get_n(&c->numbers, key->data, key->length);
	if (first)
		return first;
	table_set_n(&c->numbers, key->data, key->length, (void *)i);
	return i;
}

static void key_add(struct text *key, const void *field, size_t size)
{
	text_add_n(key, field, size);
}

/* Equal for two instructions that do the same to equal operands. */
static const struct ir_instruction *number_operation(struct linear_context *c, const struct ir_instruction *i)
{
	struct text key = {0};
	text_add_char(&key, 'o');
	key_add(&key, &i->op, sizeof i->op);
	key_add(&key, &i->type, sizeof i->type);
	key_add(&key, &i->bits, sizeof i->bits);
	key_add(&key, &i->parameter, sizeof i->parameter);
	key_add(&key, &i->axis, sizeof i->axis);
	key_add(&key, &i->base, sizeof i->base);
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++) {
		key_add(&key, &i->operands[n]->type, sizeof i->operands[n]->type);
		key_add(&key, &c->representatives[i->operands[n]->id], sizeof *c->representatives);
	}
	const struct ir_instruction *first = intern(c, &key, i);
	text_free(&key);
	return first;
}

/* Equal for two choices between equal values; what is not a choice is a value of its own. */
static const struct ir_instruction *number_get(struct linear_context *c, const struct ir_instruction *i)
{
	struct ir_choice choice;
	if (!ir_choice_of(i, &choice))
		return i;
	const struct ir_instruction *parts[] = {choice.condition, choice.then, choice.other};
	struct text key = {0};
	text_add_char(&key, 'c');
	key_add(&key, &i->type, sizeof i->type);
	for (unsigned n = 0; n < 3; n++) {
		const struct ir_instruction *part = parts[n] ? c->representatives[parts[n]->id] : NULL;
		key_add(&key, &part, sizeof part);
	}
	const struct ir_instruction *first = intern(c, &key, i);
	text_free(&key);
	return first;
}

static const struct ir_instruction *number_form(struct linear_context *c, const struct ir_linear *form,
                                                const struct ir_instruction *i)
{
	struct text key = {0};
	text_add_char(&key, 'l');
	/* Two values that are equal modulo different powers of two are not equal. */
	if (c->wrapping == LINEAR_MODULAR)
		key_add(&key, &i->type, sizeof i->type);
	key_add(&key, &form->constant, sizeof form->constant);
	for (uint32_t n = 0; n < form->term_count; n++) {
		key_add(&key, &form->terms[n].coefficient, sizeof form->terms[n].coefficient);
		key_add(&key, &form->terms[n].atom_count, sizeof form->terms[n].atom_count);
		for (uint32_t m = 0; m < form->terms[n].atom_count; m++)
			key_add(&key, &form->terms[n].atoms[m], sizeof form->terms[n].atoms[m]);
	}
	const struct ir_instruction *first = intern(c, &key, i);
	text_free(&key);
	return first;
}

/* ---- Forms of instructions ---- */

/* Whether every value of `from` is one of `to`. */
static bool type_holds(const struct ir_type *to, const struct ir_type *from)
{
	if (!ir_type_is_integer(to) || !ir_type_is_integer(from))
		return false;
	if (ir_type_is_signed(to) == ir_type_is_signed(from))
		return ir_type_bits(to) >= ir_type_bits(from);
	return ir_type_is_signed(to) && ir_type_bits(to) > ir_type_bits(from);
}

/* Whether the value depends on nothing but its operands. */
static bool is_function(const struct ir_instruction *i)
{
	return ir_op_infos[i->op].flags & (IR_FLAG_PURE | IR_FLAG_TRAP);
}

static const struct ir_instruction *number_value(struct linear_context *c, const struct ir_instruction *i)
{
	return is_function(i) ? number_operation(c, i) : number_get(c, i);
}

/* The operation that traps where this one wraps; IR_OP_const: this one does not wrap. */
static enum ir_op trapping_twin(enum ir_op op)
{
	switch ((int)op) {
	case IR_OP_iadd: return IR_OP_iadd_trap;
	case IR_OP_isub: return IR_OP_isub_trap;
	case IR_OP_imul: return IR_OP_imul_trap;
	case IR_OP_ineg: return IR_OP_ineg_trap;
	case IR_OP_convert: return IR_OP_convert_trap;
	}
	return IR_OP_const;
}

/* The instruction's operation, or the exact one that it can be taken for. */
static enum ir_op exact_op(const struct linear_context *c, const struct ir_instruction *i)
{
	enum ir_op twin = trapping_twin(i->op);
	const struct ir_type *type = i->operands[0] ? i->operands[0]->type : i->type;
	if (twin == IR_OP_const || c->wrapping == LINEAR_OPAQUE || !ir_type_is_integer(type))
		return i->op;
	/* Keeping low bits is exact in the modulus of the narrower type; extending is in none. */
	if (c->wrapping == LINEAR_MODULAR)
		return twin == IR_OP_convert_trap && ir_type_bits(i->type) > ir_type_bits(type) ? i->op : twin;
	struct ir_interval operands[2] = {c->ranges[i->operands[0]->id]}, result;
	if (i->operands[1])
		operands[1] = c->ranges[i->operands[1]->id];
	return ir_interval_evaluate(twin, type, i->type, operands, &result) ? twin : i->op;
}

/* Whether the form of a converted value is that of the operand. */
static bool keeps_form(const struct linear_context *c, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type;
	return c->wrapping == LINEAR_MODULAR ? ir_type_is_integer(from) && ir_type_bits(i->type) <= ir_type_bits(from)
	                                     : type_holds(i->type, from);
}

static struct ir_linear form_of(struct linear_context *c, const struct ir_instruction *i)
{
	struct arena *arena = c->arena;
	const struct ir_linear *a = i->operands[0] ? &c->forms[i->operands[0]->id] : &unknown;
	const struct ir_linear *b = i->operands[1] ? &c->forms[i->operands[1]->id] : &unknown;
	if (!ir_type_is_integer(i->type))
		return unknown;
	switch ((int)exact_op(c, i)) {
	case IR_OP_const:
		/* The one integer that the form cannot hold is a u64 past i64. */
		return i->type->kind == IR_TYPE_u64 && i->bits > INT64_MAX ? unknown
		                                                           : linear_constant((int64_t)i->bits);
	case IR_OP_group_size: return linear_constant(c->kernel->group[i->axis]);
	/* These trap unless they are exact (spec/sspur.md 1.4). */
	case IR_OP_iadd_trap: return linear_add(a, b, arena);
	case IR_OP_isub_trap: return linear_subtract(a, b, arena);
	case IR_OP_imul_trap: return multiply(a, b, arena);
	case IR_OP_ineg_trap: return linear_scale(a, -1, arena);
	case IR_OP_convert_trap:
		if (c->wrapping != LINEAR_MODULAR || keeps_form(c, i))
			return *a;
		break;
	case IR_OP_convert:
		if (keeps_form(c, i))
			return *a;
		break;
	}
	return atom_form(number_value(c, i), arena);
}

/* In every thread and round. Of locals and memory nothing is known, nor of ids of groups. */
static struct ir_interval range_of(const struct linear_context *c, const struct ir_instruction *i)
{
	struct ir_interval range = ir_interval_types[i->type->kind], operands[2] = {0};
	for (unsigned n = 0; n < 2 && i->operands[n]; n++)
		operands[n] = c->ranges[i->operands[n]->id];
	switch ((int)i->op) {
	case IR_OP_const:
		return ir_interval_one(ir_type_is_signed(i->type) ? (ir_wide)(int64_t)i->bits : (ir_wide)i->bits);
	case IR_OP_group_size: return ir_interval_one(c->kernel->group[i->axis]);
	case IR_OP_local_id: return (struct ir_interval){0, (ir_wide)c->kernel->group[i->axis] - 1};
	case IR_OP_for:
		/* It has a value only where the interval is not empty. */
		return operands[0].low < operands[1].high ? (struct ir_interval){operands[0].low, operands[1].high - 1}
		                                          : range;
	case IR_OP_select: return ir_interval_hull(&operands[1], &c->ranges[i->operands[2]->id]);
	}
	if (!is_function(i) || !i->operands[0])
		return range;
	ir_interval_evaluate(i->op, i->operands[0]->type, i->type, operands, &range);
	return range;
}

static bool is_countable(const struct ir_type *type)
{
	return ir_type_is_integer(type) || type->kind == IR_TYPE_bool;
}

static bool visit(void *context, struct ir_instruction *i)
{
	struct linear_context *c = context;
	if (i->type->kind == IR_TYPE_void)
		return true;
	if (c->wrapping == LINEAR_BOUNDED && is_countable(i->type))
		c->ranges[i->id] = range_of(c, i);
	c->forms[i->id] = form_of(c, i);
	if (c->forms[i->id].known)
		c->representatives[i->id] = number_form(c, &c->forms[i->id], i);
	else
		c->representatives[i->id] = number_value(c, i);
	return true;
}

struct linear_context *linear_context_new_wrapping(const struct ir_kernel *k, struct arena *arena,
                                                   enum linear_wrapping wrapping)
{
	struct linear_context *c = ARENA_NEW(arena, struct linear_context);
	c->wrapping = wrapping;
	if (wrapping == LINEAR_BOUNDED)
		c->ranges = ARENA_ARRAY(arena, struct ir_interval, k->next_id);
	c->kernel = k;
	c->arena = arena;
	c->numbers.arena = arena;
	c->forms = ARENA_ARRAY(arena, struct ir_linear, k->next_id);
	c->representatives = ARENA_ARRAY(arena, const struct ir_instruction *, k->next_id);
	for (uint32_t n = 0; n < k->pre_count; n++)
		ir_visit(&k->pre[n].region, visit, c);
	for (unsigned axis = 0; axis < 3; axis++)
		ir_visit(&k->grid[axis].region, visit, c);
	ir_visit(&k->body, visit, c);
	return c;
}

struct linear_context *linear_context_new(const struct ir_kernel *k, struct arena *arena)
{
	return linear_context_new_wrapping(k, arena, LINEAR_OPAQUE);
}

const struct ir_linear *linear_context_form(const struct linear_context *c, const struct ir_instruction *value)
{
	return &c->forms[value->id];
}

/* ---- Questions about forms ---- */

bool ir_linear_equal(const struct ir_linear *a, const struct ir_linear *b)
{
	if (!a->known || !b->known || a->constant != b->constant || a->term_count != b->term_count)
		return false;
	for (uint32_t n = 0; n < a->term_count; n++)
		if (a->terms[n].coefficient != b->terms[n].coefficient || compare_products(&a->terms[n], &b->terms[n]))
			return false;
	return true;
}

static bool value_uniform(const struct ir_instruction *i, unsigned *budget)
{
	struct ir_choice choice;
	if (!*budget)
		return false;
	--*budget;
	if (ir_choice_of(i, &choice))
		return value_uniform(choice.condition, budget) &&
		       (!choice.then || value_uniform(choice.then, budget)) &&
		       (!choice.other || value_uniform(choice.other, budget));
	if (!is_function(i) || (ir_op_infos[i->op].flags & IR_FLAG_THREAD))
		return false;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!value_uniform(i->operands[n], budget))
			return false;
	return true;
}

bool ir_linear_uniform(const struct ir_linear *a)
{
	unsigned budget = UNIFORM_BUDGET;
	for (uint32_t n = 0; n < a->term_count; n++)
		for (uint32_t m = 0; m < a->terms[n].atom_count; m++)
			if (!value_uniform(a->terms[n].atoms[m], &budget))
				return false;
	return a->known;
}
