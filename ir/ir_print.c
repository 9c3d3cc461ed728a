/* The printer of the text form. It also prints modules that do not verify, as far as their links go. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_text.h"
#include "ir/ir_words.h"
#include "utils/base/plain_locale.h"

/* Instructions are printed with the numbers that ir_kernel_number would give them. */
struct printer {
	struct text *out;
	const struct ir_kernel *kernel;
	uint32_t *numbers; /* by id */
	uint32_t next;
};

/* ---- Names and types ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters and digits, then any number of a point and digits: `x`, `x.1`. */
static bool is_word(const char *s)
{
	if (!is_letter(*s))
		return false;
	while (is_letter(*s) || is_digit(*s))
		s++;
	while (*s == '.' && is_digit(s[1]))
		for (s++; is_digit(*s);)
			s++;
	return *s == 0;
}

static void print_string(struct text *out, const char *s)
{
	size_t n = strlen(s);
	text_add_char(out, '"');
	for (size_t i = 0, size; i < n; i += size) {
		int32_t c = utf8_decode(s + i, n - i, &size);
		if (c == '"' || c == '\\')
			text_add_format(out, "\\%c", (char)c);
		else if (c == '\n')
			text_add(out, "\\n");
		else if (c < 0x20 || c == 0x7f)
			text_add_format(out, "\\x%02x", (unsigned char)s[i]);
		else
			text_add_n(out, s + i, size);
	}
	text_add_char(out, '"');
}

void ir_print_name(struct text *out, const char *name)
{
	if (is_word(name))
		text_add(out, name);
	else
		print_string(out, name);
}

/* A struct that is named like a scalar type is quoted. */
static void print_struct_name(struct text *out, const char *name)
{
	for (int kind = 0; kind < IR_TYPE_array; kind++)
		if (strcmp(name, ir_type_kind_name((enum ir_type_kind)kind)) == 0) {
			print_string(out, name);
			return;
		}
	ir_print_name(out, name);
}

void ir_print_type(struct text *out, const struct ir_type *t)
{
	if (t->kind == IR_TYPE_array) {
		text_add_format(out, "[%llu x ", (unsigned long long)t->count);
		ir_print_type(out, t->element);
		text_add_char(out, ']');
	} else if (t->kind == IR_TYPE_struct) {
		print_struct_name(out, t->name);
	} else {
		text_add(out, ir_type_kind_name(t->kind));
	}
}

static void print_place(struct text *out, struct place place)
{
	if (place.line || place.column || place.file)
		text_add_format(out, " !%u:%u", place.line, place.column);
	if (place.file)
		text_add_format(out, "@%u", place.file);
}

/* ---- Constants ---- */

/* Fewest digits that read back, with a point or an exponent. */
static void print_decimal(struct text *out, double value, bool single)
{
	char digits[40];
	for (int precision = 1; precision <= 17; precision++) {
		plain_print(digits, sizeof digits, PLAIN_GENERAL, precision, value);
		if (single ? plain_read_f32(digits, NULL) == (float)value : plain_read_f64(digits, NULL) == value)
			break;
	}
	text_add(out, digits);
	if (!strpbrk(digits, ".e"))
		text_add(out, ".0");
}

static void print_float(struct text *out, const struct ir_type *t, uint64_t bits)
{
	double value;
	if (t->kind == IR_TYPE_f32) {
		uint32_t low = (uint32_t)bits;
		float f;
		memcpy(&f, &low, sizeof f);
		value = (double)f;
	} else {
		memcpy(&value, &bits, sizeof value);
	}
	if (isnan(value))
		text_add_format(out, "nan 0x%llx", (unsigned long long)bits);
	else if (isinf(value))
		text_add(out, value < 0 ? "-inf" : "inf");
	else
		print_decimal(out, value, t->kind == IR_TYPE_f32);
}

static void print_const(struct text *out, const struct ir_type *t, uint64_t bits)
{
	ir_print_type(out, t);
	text_add_char(out, ' ');
	if (!ir_type_is_scalar(t) || bits != ir_canonical_bits(t, bits))
		text_add_format(out, "bits 0x%llx", (unsigned long long)bits);
	else if (t->kind == IR_TYPE_bool)
		text_add(out, bits ? "true" : "false");
	else if (ir_type_is_float(t))
		print_float(out, t, bits);
	else if (ir_type_is_signed(t))
		text_add_int(out, (int64_t)bits);
	else
		text_add_format(out, "%llu", (unsigned long long)bits);
}

/* ---- Instructions ---- */

static void print_value(struct printer *p, const struct ir_instruction *i)
{
	if (i && i->id < p->kernel->next_id)
		text_add_format(p->out, "%%%u", p->numbers[i->id]);
	else
		text_add(p->out, "%none");
}

static void print_memory_place(struct printer *p, const struct ir_instruction *i)
{
	const struct ir_type *t = i->base->type;
	bool in_buffer = i->base->kind == IR_MEMORY_BUFFER;
	ir_print_name(p->out, i->base->name);
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (step->index) {
			text_add_char(p->out, '[');
			print_value(p, step->index);
			text_add_char(p->out, ']');
			if (!in_buffer)
				t = t && t->kind == IR_TYPE_array ? t->element : NULL;
		} else {
			const struct ir_field *field = NULL;
			if (t && !in_buffer && t->kind == IR_TYPE_struct && step->field < t->count)
				field = &t->fields[step->field];
			text_add_char(p->out, '.');
			ir_print_name(p->out, field ? field->name : "none");
			t = field ? field->type : NULL;
		}
		in_buffer = false;
	}
}

static void print_operands(struct printer *p, const struct ir_instruction *i, const char *separator)
{
	for (int n = 0; n < ir_op_infos[i->op].arity; n++) {
		text_add(p->out, separator);
		print_value(p, i->operands[n]);
		separator = ", ";
	}
}

/* What stands between an operation's word and its place in the source. */
static void print_details(struct printer *p, const struct ir_instruction *i)
{
	struct text *out = p->out;
	const struct ir_op_info *info = &ir_op_infos[i->op];
	const char *separator = " ";
	if (i->op == IR_OP_const) {
		text_add_char(out, ' ');
		print_const(out, i->type, i->bits);
	} else if (i->op == IR_OP_parameter) {
		text_add_char(out, ' ');
		ir_print_name(out, i->parameter < p->kernel->parameter_count ? p->kernel->parameters[i->parameter].name
		                                                             : "none");
	} else if (i->op == IR_OP_length) {
		text_add_char(out, ' ');
		ir_print_name(out, i->base->name);
	} else if (i->op >= IR_OP_global_id && i->op <= IR_OP_grid_size) {
		text_add_format(out, " %s", ir_axis_word(i->axis));
	} else if (i->op == IR_OP_get || i->op == IR_OP_set) {
		text_add_char(out, ' ');
		ir_print_name(out, i->local->name);
		separator = ", ";
	} else if (info->flags & IR_FLAG_MATH) {
		text_add_format(out, " %s", ir_math_word(i->math));
	} else if (i->op == IR_OP_check) {
		text_add_format(out, " %s", ir_trap_word(i->trap));
		if (i->message) {
			text_add_char(out, ' ');
			print_string(out, i->message);
		}
	} else if (i->op == IR_OP_barrier) {
		text_add_format(out, " %s", ir_barrier_word(i->barrier));
	} else if (i->op == IR_OP_break || i->op == IR_OP_continue) {
		text_add_char(out, ' ');
		print_value(p, i->target);
	} else if (info->result == IR_RESULT_TYPED) {
		text_add_char(out, ' ');
		ir_print_type(out, i->type);
	} else if (info->flags & IR_FLAG_PLACED) {
		if (info->flags & IR_FLAG_ATOMIC)
			text_add_format(out, " %s %s%s", ir_scope_word(i->scope), ir_order_word(i->order),
			                i->relaxed_unequal ? "_or_relaxed" : "");
		text_add_char(out, ' ');
		print_memory_place(p, i);
		separator = ", ";
	}
	print_operands(p, i, separator);
}

static void print_region(struct printer *p, const struct ir_region *region, int depth);

static void print_control(struct printer *p, const struct ir_instruction *i, int depth)
{
	text_add(p->out, ir_op_infos[i->op].name);
	if (i->op != IR_OP_if) {
		text_add_char(p->out, ' ');
		print_value(p, i);
		if (i->op == IR_OP_for)
			text_add(p->out, " =");
	}
	print_operands(p, i, " ");
	print_place(p->out, i->place);
	text_add(p->out, " {\n");
	print_region(p, &i->regions[0], depth + 1);
	if (i->op == IR_OP_if && i->regions[1].first) {
		text_add_repeat(p->out, ' ', (size_t)depth * 2);
		text_add(p->out, "} else {\n");
		print_region(p, &i->regions[1], depth + 1);
	}
	text_add_repeat(p->out, ' ', (size_t)depth * 2);
	text_add(p->out, "}\n");
}

static void print_region(struct printer *p, const struct ir_region *region, int depth)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		const struct ir_op_info *info = &ir_op_infos[i->op];
		text_add_repeat(p->out, ' ', (size_t)depth * 2);
		if (i->id < p->kernel->next_id)
			p->numbers[i->id] = p->next;
		p->next++;
		if (info->flags & IR_FLAG_CONTROL) {
			print_control(p, i, depth);
			continue;
		}
		if (info->result != IR_RESULT_VOID) {
			print_value(p, i);
			text_add(p->out, " = ");
		}
		text_add(p->out, info->name);
		print_details(p, i);
		print_place(p->out, i->place);
		text_add_char(p->out, '\n');
	}
}

/* ---- Kernels ---- */

static void print_parameters(struct text *out, const struct ir_kernel *k)
{
	text_add_char(out, '(');
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_parameter *parameter = &k->parameters[n];
		if (n)
			text_add(out, ", ");
		ir_print_name(out, parameter->name);
		text_add(out, ": ");
		if (parameter->kind == IR_PARAMETER_BUFFER) {
			text_add(out, parameter->memory->writable ? "&mut [" : "&[");
			ir_print_type(out, parameter->type);
			text_add_char(out, ']');
		} else {
			ir_print_type(out, parameter->type);
		}
		print_place(out, parameter->place);
	}
	text_add_char(out, ')');
}

static void print_header(struct text *out, const struct ir_kernel *k)
{
	if (k->file || k->place.line || k->place.column) {
		text_add(out, "  source");
		if (k->file) {
			text_add_char(out, ' ');
			print_string(out, k->file);
		}
		if (k->place.line || k->place.column)
			text_add_format(out, " %u:%u", k->place.line, k->place.column);
		text_add_char(out, '\n');
	}
	text_add_format(out, "  policy %s\n", ir_policy_word(k->policy));
	text_add_format(out, "  index %s\n", ir_type_kind_name(k->index));
	text_add_format(out, "  group %u", k->group[0]);
	for (int axis = 1; axis < k->axes && axis < 3; axis++)
		text_add_format(out, ", %u", k->group[axis]);
	text_add_char(out, '\n');
}

static void print_memories(struct text *out, const struct ir_kernel *k)
{
	for (uint32_t n = 0; n < k->memory_count; n++) {
		const struct ir_memory *memory = k->memories[n];
		if (memory->kind == IR_MEMORY_BUFFER || memory->kind == IR_MEMORY_VALUE)
			continue;
		text_add(out, memory->kind == IR_MEMORY_TABLE    ? "  table "
		              : memory->kind == IR_MEMORY_SHARED ? "  shared "
		              : memory->global                   ? "  global "
		                                                 : "  private ");
		ir_print_name(out, memory->name);
		text_add(out, ": ");
		ir_print_type(out, memory->type);
		if (memory->zeroed)
			text_add(out, " zeroed");
		if (memory->init) {
			text_add(out, " = bytes \"");
			for (uint32_t i = 0; i < memory->type->size; i++)
				text_add_format(out, "%02x", memory->init[i]);
			text_add_char(out, '"');
		}
		text_add_char(out, '\n');
	}
	for (uint32_t n = 0; n < k->local_count; n++) {
		text_add(out, "  local ");
		ir_print_name(out, k->locals[n]->name);
		text_add(out, ": ");
		ir_print_type(out, k->locals[n]->type);
		text_add_char(out, '\n');
	}
}

static void print_expression(struct printer *p, const char *heading, const struct ir_expression *e)
{
	text_add_format(p->out, "  %s", heading);
	if (e->text) {
		text_add_char(p->out, ' ');
		print_string(p->out, e->text);
	}
	if (e->place.line || e->place.column)
		text_add_format(p->out, " %u:%u", e->place.line, e->place.column);
	text_add(p->out, " {\n");
	print_region(p, &e->region, 2);
	text_add(p->out, "  }\n");
}

void ir_print_kernel(struct text *out, const struct ir_kernel *k)
{
	struct printer p = {.out = out, .kernel = k, .numbers = memory_zeroed(k->next_id, sizeof(uint32_t))};
	text_add(out, "kernel @");
	ir_print_name(out, k->name);
	print_parameters(out, k);
	text_add_char(out, '\n');
	print_header(out, k);
	print_memories(out, k);
	for (uint32_t n = 0; n < k->pre_count; n++)
		print_expression(&p, "pre", &k->pre[n]);
	for (uint32_t axis = 0; axis < 3; axis++) {
		char heading[] = {'g', 'r', 'i', 'd', ' ', ir_axis_word(axis)[0], 0};
		if (k->grid[axis].region.first || k->grid[axis].text)
			print_expression(&p, heading, &k->grid[axis]);
	}
	text_add(out, "{\n");
	print_region(&p, &k->body, 1);
	text_add(out, "}\n");
	free(p.numbers);
}

static bool print_struct(struct text *out, const struct ir_type *t)
{
	if (t->kind != IR_TYPE_struct)
		return false;
	text_add(out, "struct ");
	print_struct_name(out, t->name);
	for (uint64_t n = 0; n < t->count; n++) {
		text_add(out, n ? ", " : " { ");
		ir_print_name(out, t->fields[n].name);
		text_add(out, ": ");
		ir_print_type(out, t->fields[n].type);
	}
	text_add(out, " }\n");
	return true;
}

void ir_print(struct text *out, const struct ir_module *m)
{
	bool any = m->file_count != 0;
	for (uint32_t n = 0; n < m->file_count; n++) {
		text_add_format(out, "file %u ", m->files[n].id);
		print_string(out, m->files[n].name);
		text_add_char(out, '\n');
	}
	for (uint32_t n = 0; n < m->type_count; n++)
		any |= print_struct(out, m->types[n]);
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		if (any)
			text_add_char(out, '\n');
		ir_print_kernel(out, m->kernels[n]);
		any = true;
	}
}
