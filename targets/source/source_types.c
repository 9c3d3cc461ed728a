/* Types, constants and initializers. Both languages lay structs out as the kernel IR does, by natural alignment. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/source/source_writer.h"
#include "utils/base/plain_locale.h"

const char *source_type_name(const struct ir_type *t)
{
	switch (t->kind) {
	case IR_TYPE_void: return "void";
	case IR_TYPE_bool: return "bool";
	case IR_TYPE_i8: return "char";
	case IR_TYPE_u8: return "uchar";
	case IR_TYPE_i16: return "short";
	case IR_TYPE_u16: return "ushort";
	case IR_TYPE_i32: return "int";
	case IR_TYPE_u32: return "uint";
	case IR_TYPE_i64: return "long";
	case IR_TYPE_u64: return "ulong";
	case IR_TYPE_f32: return "float";
	case IR_TYPE_f64: return "double";
	case IR_TYPE_array:
	case IR_TYPE_struct: break;
	}
	assert(!"values are scalars");
	return "";
}

const char *source_unsigned_name(const struct ir_type *t)
{
	switch (ir_type_bits(t)) {
	case 8: return "uchar";
	case 16: return "ushort";
	case 32: return "uint";
	}
	return "ulong";
}

void source_cast_bits(const struct source_dialect *dialect, const char *type, struct text *out)
{
	const char *at = strchr(dialect->cast_bits, '%');
	text_add_n(out, dialect->cast_bits, (size_t)(at - dialect->cast_bits));
	text_add(out, type);
	text_add(out, at + 2);
}

/* ---- Constants ---- */

static double float_of(const struct ir_type *t, uint64_t bits)
{
	float f;
	double d;
	uint32_t low = (uint32_t)bits;
	memcpy(&f, &low, sizeof f);
	memcpy(&d, &bits, sizeof d);
	return t->kind == IR_TYPE_f32 ? f : d;
}

/* The shortest form that is exact: decimal where few digits give the very number, else hexadecimal. */
static void finite_literal(const struct ir_type *t, double v, struct text *out)
{
	char decimal[64];
	plain_print(decimal, sizeof decimal, PLAIN_GENERAL, 9, v);
	bool exact = plain_read_f64(decimal, NULL) == v && (fabs(v) < 1e9 && (v == 0 || fabs(v) >= 1e-4));
	if (!exact)
		plain_print(decimal, sizeof decimal, PLAIN_HEXADECIMAL, -1, v);
	text_add(out, decimal);
	if (exact && !strpbrk(decimal, ".e"))
		text_add(out, ".0");
	if (t->kind == IR_TYPE_f32)
		text_add_char(out, 'f');
}

static void special_literal(const struct source_dialect *dialect, const struct ir_type *t, uint64_t bits,
                            struct text *out)
{
	source_cast_bits(dialect, source_type_name(t), out);
	if (t->kind == IR_TYPE_f32)
		text_add_format(out, "(0x%08xu)", (uint32_t)bits);
	else
		text_add_format(out, "(0x%016" PRIx64 "ul)", bits);
}

static void integer_literal(const struct ir_type *t, uint64_t bits, struct text *out)
{
	const char *suffix = t->kind == IR_TYPE_i64   ? "l"
	                     : t->kind == IR_TYPE_u64 ? "ul"
	                     : t->kind == IR_TYPE_u32 ? "u"
	                                              : "";
	int64_t v = (int64_t)bits;
	if (!ir_type_is_signed(t))
		text_add_format(out, "%" PRIu64 "%s", bits, suffix);
	else if (v == INT64_MIN || (v == INT32_MIN && t->kind == IR_TYPE_i32)) /* no literal of the type is as large */
		text_add_format(out, "(%" PRId64 "%s - 1)", v + 1, suffix);
	else
		text_add_format(out, v < 0 ? "(%" PRId64 "%s)" : "%" PRId64 "%s", v, suffix);
}

void source_literal(const struct source_dialect *dialect, const struct ir_type *t, uint64_t bits, struct text *out)
{
	if (t->kind == IR_TYPE_bool) {
		text_add(out, bits ? "true" : "false");
	} else if (!ir_type_is_float(t)) {
		integer_literal(t, bits, out);
	} else if (!isfinite(float_of(t, bits))) {
		special_literal(dialect, t, bits, out);
	} else {
		bool minus = signbit(float_of(t, bits));
		text_add(out, minus ? "(" : "");
		finite_literal(t, float_of(t, bits), out);
		text_add(out, minus ? ")" : "");
	}
}

/* ---- Declarations ---- */

static const char *struct_name(struct source_writer *w, const struct ir_type *t)
{
	const char *name = table_get(w->structs, t->name);
	if (!name) {
		name = source_new_name(w, w->module_names, t->name);
		table_set(w->structs, t->name, (void *)name);
	}
	return name;
}

const char *source_declare(struct source_writer *w, const struct ir_type *t, const char *name)
{
	for (; t->kind == IR_TYPE_array; t = t->element)
		name = arena_format(w->arena, "%s[%" PRIu64 "]", name, t->count);
	if (t->kind == IR_TYPE_struct)
		return arena_format(w->arena, "struct %s %s", struct_name(w, t), name);
	return arena_format(w->arena, "%s %s", t->kind == IR_TYPE_bool ? "int" : source_type_name(t), name);
}

const char *source_field_name(struct source_writer *w, const char *name)
{
	struct table none = {.arena = w->arena};
	return source_new_name(w, &none, name);
}

static void mark_used(const struct ir_type *t, struct table *used)
{
	for (; t->kind == IR_TYPE_array; t = t->element)
		;
	if (t->kind != IR_TYPE_struct || table_get(used, t->name))
		return;
	table_set(used, t->name, (void *)t);
	for (uint64_t n = 0; n < t->count; n++)
		mark_used(t->fields[n].type, used);
}

static void print_struct(struct source_writer *w, const struct ir_type *t, struct text *out)
{
	bool float64 = ir_type_holds_f64(t);
	text_add_format(out, "\n%sstruct %s {\n", float64 ? w->dialect->float64_if : "", struct_name(w, t));
	for (uint64_t n = 0; n < t->count; n++)
		text_add_format(out, "\t%s;\n",
		                source_declare(w, t->fields[n].type, source_field_name(w, t->fields[n].name)));
	text_add(out, float64 ? "};\n#endif\n" : "};\n");
}

/* The module's types are in the order in which they were made, so that what one is made of comes before it. */
void source_structs(struct source_writer *w, struct text *out)
{
	struct table used = {.arena = w->arena};
	for (uint32_t n = 0; n < w->module->kernel_count; n++)
		for (uint32_t m = 0; m < w->module->kernels[n]->memory_count; m++)
			mark_used(w->module->kernels[n]->memories[m]->type, &used);
	for (uint32_t n = 0; n < w->module->type_count; n++) {
		const struct ir_type *t = w->module->types[n];
		if (t->kind == IR_TYPE_struct && table_get(&used, t->name))
			print_struct(w, t, out);
	}
}

/* ---- Initializers ---- */

static uint64_t bits_at(const struct ir_type *t, const uint8_t *bytes)
{
	uint64_t bits = 0;
	for (uint32_t b = t->size; b-- > 0;)
		bits = bits << 8 | bytes[b];
	if (t->kind == IR_TYPE_bool)
		return bits != 0;
	return ir_canonical_bits(t, bits);
}

static void scalar_initializer(struct source_writer *w, const struct ir_type *t, const uint8_t *bytes, struct text *out)
{
	uint64_t bits = bits_at(t, bytes);
	if (t->kind == IR_TYPE_bool)
		text_add(out, bits ? "1" : "0");
	else
		source_literal(w->dialect, t, bits, out);
}

bool source_is_constant(const struct ir_type *t, const uint8_t *bytes)
{
	if (ir_type_is_scalar(t))
		return !bytes || !ir_type_is_float(t) || isfinite(float_of(t, bits_at(t, bytes)));
	bool is_array = t->kind == IR_TYPE_array;
	for (uint64_t n = 0; bytes && n < t->count; n++)
		if (is_array ? !source_is_constant(t->element, bytes + n * t->element->size)
		             : !source_is_constant(t->fields[n].type, bytes + t->fields[n].offset))
			return false;
	return true;
}

static bool all_zero(const uint8_t *bytes, uint32_t size)
{
	for (uint32_t n = 0; bytes && n < size; n++)
		if (bytes[n])
			return false;
	return true;
}

void source_initializer(struct source_writer *w, const struct ir_type *t, const uint8_t *bytes, struct text *out)
{
	bool is_array = t->kind == IR_TYPE_array;
	static const uint8_t zeros[8];
	if (!is_array && t->kind != IR_TYPE_struct) {
		scalar_initializer(w, t, bytes ? bytes : zeros, out);
		return;
	}
	if (all_zero(bytes, t->size)) {
		text_add(out, w->dialect->zero);
		return;
	}
	text_add_char(out, '{');
	for (uint64_t n = 0; n < t->count; n++) {
		const struct ir_type *part = is_array ? t->element : t->fields[n].type;
		uint64_t offset = is_array ? n * t->element->size : t->fields[n].offset;
		text_add(out, n ? ", " : "");
		source_initializer(w, part, bytes + offset, out);
	}
	text_add_char(out, '}');
}
