/* The parser of the text form: instructions and regions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_parse.h"
#include "ir/ir_words.h"
#include "utils/base/plain_locale.h"

/* ---- Values ---- */

/* The instruction of a label; &p->unknown where its line was refused; NULL when there is none. */
static struct ir_instruction *parse_value(struct ir_parser *p)
{
	struct ir_token token = p->token;
	if (token.kind != IR_TOKEN_VALUE) {
		ir_parse_fail(p, "E_KIR_SYNTAX", token.span, "expected a value: `%%` and its name");
		return NULL;
	}
	ir_parse_next(p);
	struct ir_instruction *value = table_get(&p->values, token.text);
	if (!value)
		ir_parse_fail(p, "E_KIR_NAME", token.span, "no value %%%s was defined before", token.text);
	return value;
}

static bool define_label(struct ir_parser *p, const struct ir_token *label, struct ir_instruction *i)
{
	struct ir_instruction *known = table_get(&p->values, label->text);
	if (known && known != &p->unknown)
		return ir_parse_fail(p, "E_KIR_NAME", label->span, "two values have the name %%%s", label->text);
	table_set(&p->values, label->text, i);
	return true;
}

/* Words of an enum, in its order. */
static bool parse_word_of(struct ir_parser *p, const char *const *words, unsigned count, const char *what,
                          unsigned *which)
{
	for (*which = 0; *which < count; (*which)++)
		if (ir_parse_is_word(p, words[*which])) {
			ir_parse_next(p);
			return true;
		}
	return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected %s", what);
}

/* ---- Constants ---- */

static bool fail_const(struct ir_parser *p, struct span span, const struct ir_type *type)
{
	return ir_parse_fail(p, "E_KIR_TYPE", span, "not a constant of type %s",
	                     ir_type_is_scalar(type) ? ir_type_kind_name(type->kind) : "array or struct");
}

/* `bits 0x1f` and, of floats, `nan 0x7fc00000`: the 64-bit form itself. */
static bool parse_bits(struct ir_parser *p, const struct ir_type *type, uint64_t *bits)
{
	bool nan = ir_parse_is_word(p, "nan");
	struct span span = p->token.span;
	ir_parse_next(p);
	if (!ir_parse_u64(p, "the bits as a number", bits))
		return false;
	if (!nan)
		return true;
	uint64_t infinity = type->kind == IR_TYPE_f32 ? 0x7f800000 : 0x7ff0000000000000;
	uint64_t sign = type->kind == IR_TYPE_f32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	return (ir_type_is_float(type) && ir_canonical_bits(type, *bits) == *bits && (*bits & ~sign) > infinity) ||
	       fail_const(p, span, type);
}

static bool integer_bits(const char *text, const struct ir_type *type, uint64_t *bits)
{
	bool negative;
	uint64_t magnitude;
	if (!ir_parse_digits(text, &negative, &magnitude))
		return false;
	uint64_t value = negative ? 0 - magnitude : magnitude;
	*bits = ir_canonical_bits(type, value);
	/* It fits when neither the low bits nor the sign change. */
	bool below_zero = ir_type_is_signed(type) && (int64_t)*bits < 0;
	return *bits == value && below_zero == (negative && magnitude != 0);
}

/* Digits, a point, an exponent: what plain_read_f64 takes, less its other forms. */
static bool is_decimal(const char *text)
{
	size_t n = strspn(text, "-");
	size_t digits = strspn(text + n, "0123456789");
	n += digits;
	if (text[n] == '.')
		n += 1 + strspn(text + n + 1, "0123456789");
	if (text[n] == 'e' || text[n] == 'E') {
		n++;
		n += text[n] == '+' || text[n] == '-';
		if (!strspn(text + n, "0123456789"))
			return false;
		n += strspn(text + n, "0123456789");
	}
	return digits && !text[n];
}

static bool float_bits(const char *text, const struct ir_type *type, uint64_t *bits)
{
	bool infinite = strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
	if (!infinite && !is_decimal(text))
		return false;
	if (type->kind == IR_TYPE_f32) {
		float value = plain_read_f32(text, NULL);
		uint32_t low;
		memcpy(&low, &value, sizeof low);
		*bits = low;
		return infinite || !isinf(value);
	}
	double value = plain_read_f64(text, NULL);
	memcpy(bits, &value, sizeof *bits);
	return infinite || !isinf(value);
}

static bool parse_const(struct ir_parser *p, const struct ir_type *type, uint64_t *bits)
{
	struct ir_token token = p->token;
	*bits = 0;
	if (ir_parse_is_word(p, "bits") || ir_parse_is_word(p, "nan"))
		return parse_bits(p, type, bits);
	if (token.kind != IR_TOKEN_NUMBER && token.kind != IR_TOKEN_WORD)
		return ir_parse_fail(p, "E_KIR_SYNTAX", token.span, "expected a constant");
	ir_parse_next(p);
	bool sound = false;
	if (type->kind == IR_TYPE_bool) {
		*bits = strcmp(token.text, "true") == 0;
		sound = *bits || strcmp(token.text, "false") == 0;
	} else if (ir_type_is_integer(type)) {
		sound = integer_bits(token.text, type, bits);
	} else if (ir_type_is_float(type)) {
		sound = float_bits(token.text, type, bits);
	}
	return sound || fail_const(p, token.span, type);
}

/* ---- Places ---- */

static struct ir_memory *parse_base(struct ir_parser *p)
{
	struct span span = p->token.span;
	const char *name = ir_parse_name(p, "the name of a buffer, value, private, table or shared memory");
	struct ir_memory *base = name ? table_get(&p->memories, name) : NULL;
	if (name && !base)
		ir_parse_fail(p, "E_KIR_NAME", span, "no memory of this name was declared");
	return base;
}

/* The field's number; past all fields where the place is not in a struct, for the verifier. */
static bool parse_field(struct ir_parser *p, const struct ir_type *type, uint32_t *field)
{
	struct span span = p->token.span;
	const char *name = ir_parse_name(p, "the name of a field");
	*field = UINT32_MAX;
	if (!name || !type || type->kind != IR_TYPE_struct)
		return name != NULL;
	for (uint32_t n = 0; n < type->count; n++)
		if (strcmp(type->fields[n].name, name) == 0) {
			*field = n;
			return true;
		}
	return ir_parse_fail(p, "E_KIR_NAME", span, "the struct has no field of this name");
}

struct place_text {
	struct ir_memory *base;
	struct ir_step *path;
	uint32_t count, capacity;
	bool unknown; /* an index is a value whose line was refused */
};

static bool parse_memory_place(struct ir_parser *p, struct place_text *place)
{
	place->base = parse_base(p);
	if (!place->base)
		return false;
	/* The type so far; NULL for a buffer before its index, and once the path has left the types. */
	const struct ir_type *type = ir_place_type(place->base, NULL, 0);
	while (ir_parse_is_mark(p, '[') || ir_parse_is_mark(p, '.')) {
		bool is_index = ir_parse_is_mark(p, '[');
		struct ir_step step = {0};
		ir_parse_next(p);
		if (is_index) {
			step.index = parse_value(p);
			if (!step.index || !ir_parse_mark(p, ']'))
				return false;
			place->unknown |= step.index == &p->unknown;
			bool first = place->count == 0 && place->base->kind == IR_MEMORY_BUFFER;
			type = first ? place->base->type : type && type->kind == IR_TYPE_array ? type->element : NULL;
		} else {
			if (!parse_field(p, type, &step.field))
				return false;
			type = type && type->kind == IR_TYPE_struct ? type->fields[step.field].type : NULL;
		}
		*ARENA_PUSH(&p->scratch, place->path, place->count, place->capacity) = step;
	}
	return true;
}

/* ---- Instructions ---- */

/* What an instruction's text says before it is built. */
struct instruction_text {
	enum ir_op op;
	struct ir_instruction *operands[IR_MAX_OPERANDS];
	struct ir_instruction *target;
	const struct ir_type *type;
	uint64_t bits;
	unsigned word; /* axis, trap kind, barrier kind or function */
	unsigned scope, order;
	bool relaxed_unequal;
	const char *message;
	uint32_t parameter;
	struct ir_local *local;
	struct ir_memory *base;
	struct place_text place;
	bool unknown; /* an operand is a value whose line was refused */
};

static bool parse_operands(struct ir_parser *p, struct instruction_text *t, bool after_comma)
{
	for (int n = 0; n < ir_op_infos[t->op].arity; n++) {
		if ((n || after_comma) && !ir_parse_mark(p, ','))
			return false;
		t->operands[n] = parse_value(p);
		if (!t->operands[n])
			return false;
		t->unknown |= t->operands[n] == &p->unknown;
	}
	return true;
}

static bool parse_axis(struct ir_parser *p, unsigned *axis)
{
	const char *words[] = {ir_axis_word(0), ir_axis_word(1), ir_axis_word(2)};
	return parse_word_of(p, words, 3, "an axis: `x`, `y` or `z`", axis);
}

static bool parse_trap(struct ir_parser *p, unsigned *trap)
{
	const char *words[TRAP_INEXACT + 1];
	for (unsigned n = 0; n <= TRAP_INEXACT; n++)
		words[n] = ir_trap_word((enum trap_kind)n);
	return parse_word_of(p, words, TRAP_INEXACT + 1, "a kind of trap", trap);
}

static bool parse_message(struct ir_parser *p, const char **message)
{
	if (p->token.kind != IR_TOKEN_STRING)
		return true;
	*message = arena_string(&p->module->arena, p->token.text);
	ir_parse_next(p);
	return true;
}

static bool parse_barrier(struct ir_parser *p, unsigned *barrier)
{
	const char *words[] = {ir_barrier_word(IR_BARRIER_WORKGROUP), ir_barrier_word(IR_BARRIER_STORAGE)};
	return parse_word_of(p, words, 2, "a kind of barrier: `workgroup` or `storage`", barrier);
}

static bool parse_math(struct ir_parser *p, unsigned *math)
{
	const char *words[IR_MATH_COUNT];
	for (unsigned n = 0; n < IR_MATH_COUNT; n++)
		words[n] = ir_math_word((enum ir_math)n);
	return parse_word_of(p, words, IR_MATH_COUNT, "a function", math);
}

static bool parse_scope_and_order(struct ir_parser *p, struct instruction_text *t)
{
	const char *scopes[] = {ir_scope_word(IR_SCOPE_DEVICE), ir_scope_word(IR_SCOPE_WORKGROUP)};
	const char *orders[] = {ir_order_word(IR_ORDER_RELAXED),
	                        ir_order_word(IR_ORDER_ACQUIRE),
	                        ir_order_word(IR_ORDER_RELEASE),
	                        ir_order_word(IR_ORDER_ACQ_REL),
	                        "acquire_or_relaxed",
	                        "acq_rel_or_relaxed"};
	static const enum ir_order or_relaxed[] = {IR_ORDER_ACQUIRE, IR_ORDER_ACQ_REL};
	if (!parse_word_of(p, scopes, 2, "a scope: `device` or `workgroup`", &t->scope) ||
	    !parse_word_of(p, orders, t->op == IR_OP_atomic_cas ? 6 : 4,
	                   "an order: `relaxed`, `acquire`, `release` or `acq_rel`", &t->order))
		return false;
	t->relaxed_unequal = t->order > IR_ORDER_ACQ_REL;
	if (t->relaxed_unequal)
		t->order = or_relaxed[t->order - IR_ORDER_ACQ_REL - 1];
	return true;
}

static bool parse_parameter_name(struct ir_parser *p, uint32_t *parameter)
{
	struct span span = p->token.span;
	const char *name = ir_parse_name(p, "the name of a parameter");
	uintptr_t number = name ? (uintptr_t)table_get(&p->parameters, name) : 0;
	*parameter = (uint32_t)number - 1;
	return number || (name && ir_parse_fail(p, "E_KIR_NAME", span, "no parameter of this name was declared"));
}

static bool parse_local_name(struct ir_parser *p, struct ir_local **local)
{
	struct span span = p->token.span;
	const char *name = ir_parse_name(p, "the name of a local");
	*local = name ? table_get(&p->locals, name) : NULL;
	return *local || (name && ir_parse_fail(p, "E_KIR_NAME", span, "no local of this name was declared"));
}

static bool parse_target(struct ir_parser *p, struct instruction_text *t)
{
	t->target = parse_value(p);
	t->unknown |= t->target == &p->unknown;
	return t->target != NULL;
}

/* What follows an operation's word; the mirror of the printer's print_details. */
static bool parse_details(struct ir_parser *p, struct instruction_text *t)
{
	const struct ir_op_info *info = &ir_op_infos[t->op];
	if (t->op == IR_OP_const)
		return (t->type = ir_parse_type(p)) && parse_const(p, t->type, &t->bits);
	if (t->op == IR_OP_parameter)
		return parse_parameter_name(p, &t->parameter);
	if (t->op == IR_OP_length)
		return (t->base = parse_base(p)) != NULL;
	if (t->op >= IR_OP_global_id && t->op <= IR_OP_grid_size)
		return parse_axis(p, &t->word);
	if (t->op == IR_OP_get || t->op == IR_OP_set)
		return parse_local_name(p, &t->local) && parse_operands(p, t, true);
	if (info->flags & IR_FLAG_MATH)
		return parse_math(p, &t->word) && parse_operands(p, t, false);
	if (t->op == IR_OP_check)
		return parse_trap(p, &t->word) && parse_message(p, &t->message) && parse_operands(p, t, false);
	if (t->op == IR_OP_barrier)
		return parse_barrier(p, &t->word);
	if (t->op == IR_OP_break || t->op == IR_OP_continue)
		return parse_target(p, t);
	if (info->result == IR_RESULT_TYPED)
		return (t->type = ir_parse_type(p)) && parse_operands(p, t, false);
	if (info->flags & IR_FLAG_PLACED) {
		bool sound = (!(info->flags & IR_FLAG_ATOMIC) || parse_scope_and_order(p, t)) &&
		             parse_memory_place(p, &t->place) && parse_operands(p, t, true);
		t->unknown |= t->place.unknown;
		return sound;
	}
	return parse_operands(p, t, false);
}

static struct ir_instruction *build_placed(struct ir_builder *b, const struct instruction_text *t)
{
	const struct place_text *place = &t->place;
	if (t->op == IR_OP_load)
		return ir_build_load(b, place->base, place->path, place->count);
	if (t->op == IR_OP_store)
		return ir_build_store(b, place->base, place->path, place->count, t->operands[0]);
	struct ir_instruction *i = ir_build_atomic(b, t->op, place->base, place->path, place->count, t->operands[0],
	                                           t->operands[1], (enum ir_scope)t->scope, (enum ir_order)t->order);
	i->relaxed_unequal = t->relaxed_unequal;
	return i;
}

static struct ir_instruction *build(struct ir_builder *b, const struct instruction_text *t)
{
	const struct ir_op_info *info = &ir_op_infos[t->op];
	struct ir_instruction *const *operands = t->operands;
	if (info->flags & IR_FLAG_PLACED)
		return build_placed(b, t);
	if (t->op == IR_OP_const)
		return ir_build_const(b, t->type, t->bits);
	if (t->op == IR_OP_parameter)
		return ir_build_parameter(b, t->parameter);
	if (t->op == IR_OP_length)
		return ir_build_length(b, t->base);
	if (t->op >= IR_OP_global_id && t->op <= IR_OP_grid_size)
		return ir_build_id(b, t->op, (uint8_t)t->word);
	if (t->op == IR_OP_get)
		return ir_build_get(b, t->local);
	if (t->op == IR_OP_set)
		return ir_build_set(b, t->local, operands[0]);
	if (t->op == IR_OP_check) {
		struct ir_instruction *check = ir_build_check(b, operands[0], (enum trap_kind)t->word);
		check->message = t->message;
		return check;
	}
	if (t->op == IR_OP_check_index)
		return ir_build_check_index(b, operands[0], operands[1]);
	if (t->op == IR_OP_check_range)
		return ir_build_check_range(b, operands[0], operands[1], operands[2]);
	if (info->flags & IR_FLAG_MATH)
		return ir_build_math(b, (enum ir_math)t->word, operands[0], operands[1]);
	if (t->op == IR_OP_barrier)
		return ir_build_barrier(b, (enum ir_barrier)t->word);
	if (t->op == IR_OP_cut)
		return ir_build_cut(b);
	if (t->op == IR_OP_break)
		return ir_build_break(b, t->target);
	if (t->op == IR_OP_continue)
		return ir_build_continue(b, t->target);
	if (t->op == IR_OP_return)
		return ir_build_return(b);
	if (t->op == IR_OP_yield)
		return ir_build_yield(b, operands[0]);
	if (t->op == IR_OP_select)
		return ir_build_select(b, operands[0], operands[1], operands[2]);
	if (info->result == IR_RESULT_TYPED)
		return ir_build_convert(b, t->op, t->type, operands[0]);
	return info->arity == 1 ? ir_build_unary(b, t->op, operands[0])
	                        : ir_build_binary(b, t->op, operands[0], operands[1]);
}

static void record_span(struct ir_parser *p, uint32_t start, uint32_t end)
{
	*ARENA_PUSH(&p->scratch, p->spans, p->span_count, p->span_capacity) = (struct span){start, end};
}

/* ---- Control ---- */

static bool parse_braced(struct ir_parser *p, struct ir_instruction *i, unsigned n, unsigned depth)
{
	struct span span = p->token.span;
	if (!ir_parse_mark(p, '{'))
		return false;
	if (depth >= IR_MAX_NESTING) {
		p->lexer.errors = IR_PARSE_ERRORS - 1; /* nothing after it can be made sense of */
		return ir_parse_fail(p, "E_KIR_SYNTAX", span, "control is nested too deep");
	}
	ir_parse_region(p, &i->regions[n], i, depth + 1);
	return ir_parse_mark(p, '}');
}

/* After the word of `if`, `for` or `loop`, which is at `start`. */
static bool parse_control(struct ir_parser *p, struct ir_builder *b, enum ir_op op, struct span start, unsigned depth)
{
	struct instruction_text t = {.op = op};
	struct ir_token label = p->token;
	if (op != IR_OP_if) {
		if (label.kind != IR_TOKEN_VALUE)
			return ir_parse_fail(p, "E_KIR_SYNTAX", label.span,
			                     "expected the name of the %s: `%%` and a word", ir_op_infos[op].name);
		ir_parse_next(p);
		if (op == IR_OP_for && !ir_parse_mark(p, '='))
			return false;
	}
	uint32_t end = label.span.end;
	if (!parse_operands(p, &t, false) || t.unknown)
		return false;
	struct ir_instruction *i = op == IR_OP_if    ? ir_build_if(b, t.operands[0])
	                           : op == IR_OP_for ? ir_build_for(b, t.operands[0], t.operands[1])
	                                             : ir_build_loop(b);
	record_span(p, start.start, end);
	ir_parse_place(p, &i->place);
	if ((op != IR_OP_if && !define_label(p, &label, i)) || !parse_braced(p, i, 0, depth))
		return false;
	if (op != IR_OP_if || !ir_parse_is_word(p, "else"))
		return true;
	ir_parse_next(p);
	return parse_braced(p, i, 1, depth);
}

/* ---- Regions ---- */

static bool parse_op(struct ir_parser *p, enum ir_op *op)
{
	struct ir_token token = p->token;
	if (token.kind != IR_TOKEN_WORD)
		return ir_parse_fail(p, "E_KIR_SYNTAX", token.span, "expected an operation");
	for (*op = 0; *op < IR_OP_COUNT; (*op)++)
		if (strcmp(ir_op_infos[*op].name, token.text) == 0) {
			ir_parse_next(p);
			return true;
		}
	return ir_parse_fail(p, "E_KIR_NAME", token.span, "there is no operation of this name");
}

static bool parse_simple(struct ir_parser *p, struct ir_builder *b, enum ir_op op, const struct ir_token *label,
                         struct span span)
{
	const struct ir_op_info *info = &ir_op_infos[op];
	struct instruction_text t = {.op = op};
	if (!label && info->result != IR_RESULT_VOID)
		return ir_parse_fail(p, "E_KIR_SYNTAX", span, "%s has a result: write `%%name = %s`", info->name,
		                     info->name);
	if (label && info->result == IR_RESULT_VOID)
		return ir_parse_fail(p, "E_KIR_SYNTAX", span, "%s has no result to name", info->name);
	if (!parse_details(p, &t) || t.unknown)
		return false;
	struct ir_instruction *i = build(b, &t);
	record_span(p, label ? label->span.start : span.start, span.end);
	ir_parse_place(p, &i->place);
	return !label || define_label(p, label, i);
}

static bool parse_line(struct ir_parser *p, struct ir_builder *b, unsigned depth)
{
	struct ir_token label = p->token;
	bool has_label = label.kind == IR_TOKEN_VALUE;
	if (has_label)
		ir_parse_next(p);
	struct span span = p->token.span;
	enum ir_op op = IR_OP_COUNT;
	bool sound = !has_label || ir_parse_mark(p, '=');
	if (sound) {
		span = p->token.span;
		sound = parse_op(p, &op);
	}
	if (sound && (ir_op_infos[op].flags & IR_FLAG_CONTROL))
		sound = has_label
		            ? ir_parse_fail(p, "E_KIR_SYNTAX", span, "%s has no result to name", ir_op_infos[op].name)
		            : parse_control(p, b, op, span, depth);
	else if (sound)
		sound = parse_simple(p, b, op, has_label ? &label : NULL, span);
	if (sound && !p->token.starts_line && !ir_parse_is_mark(p, '}'))
		sound = ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected the end of the line");
	if (!sound && has_label && !table_get(&p->values, label.text))
		table_set(&p->values, label.text, &p->unknown);
	return sound;
}

void ir_parse_region(struct ir_parser *p, struct ir_region *region, struct ir_instruction *parent, unsigned depth)
{
	struct ir_builder b = {.kernel = p->kernel, .region = region, .parent = parent};
	while (!ir_parse_is_mark(p, '}') && p->token.kind != IR_TOKEN_END) {
		uint32_t start = p->token.span.start;
		if (!parse_line(p, &b, depth))
			ir_parse_skip_line(p, start);
	}
}
