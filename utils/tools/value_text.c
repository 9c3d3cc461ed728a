/* Values of kernel IR types as text. */
#include "utils/base/plain_locale.h"
#include "utils/tools/value_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct ir_type *value_text_plain(const struct ir_type *type)
{
	bool atomic = type->kind == IR_TYPE_struct && type->count == 1 && strncmp(type->name, "Atomic[", 7) == 0;
	return atomic && ir_type_is_scalar(type->fields[0].type) ? type->fields[0].type : type;
}

/* ---- In ---- */

static bool fail(struct text *error, const char *text, const struct ir_type *type, const char *what)
{
	text_add_format(error, "`%s` is %s ", text, what);
	value_text_type(error, type);
	return false;
}

static bool read_bool(const char *text, uint64_t *bits)
{
	*bits = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
	return *bits || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

/* Digits and nothing else. */
static bool read_magnitude(const char *text, uint64_t *magnitude, bool *fits)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = text + (hexadecimal ? 2 : 0);
	size_t length = strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
	if (!length || digits[length])
		return false;
	errno = 0;
	*magnitude = strtoull(digits, NULL, hexadecimal ? 16 : 10);
	*fits = errno != ERANGE;
	return true;
}

static bool read_integer(const char *text, const struct ir_type *type, uint64_t *bits, struct text *error)
{
	bool minus = text[0] == '-', fits;
	uint64_t magnitude, most = UINT64_MAX >> (64 - type->size * 8);
	if (!read_magnitude(text + minus, &magnitude, &fits))
		return fail(error, text, type, "no number of type");
	if (ir_type_is_signed(type))
		most = most / 2 + minus;
	else if (minus)
		most = 0;
	if (!fits || magnitude > most)
		return fail(error, text, type, "out of the range of");
	*bits = minus ? 0 - magnitude : magnitude;
	return true;
}

static bool read_float(const char *text, const struct ir_type *type, uint64_t *bits, struct text *error)
{
	const char *unsigned_text = text + (text[0] == '-');
	bool named = strcmp(unsigned_text, "inf") == 0 || strcmp(unsigned_text, "nan") == 0;
	const char *end;
	if (!named && (!strpbrk(unsigned_text, "0123456789") || text[strspn(text, "0123456789.eE+-")]))
		return fail(error, text, type, "no number of type");
	double f64 = plain_read_f64(text, &end);
	float f32 = plain_read_f32(text, &end);
	if (*end)
		return fail(error, text, type, "no number of type");
	*bits = 0;
	if (type->kind == IR_TYPE_f32)
		memcpy(bits, &f32, sizeof f32);
	else
		memcpy(bits, &f64, sizeof f64);
	if (!named && isinf(type->kind == IR_TYPE_f32 ? (double)f32 : f64))
		return fail(error, text, type, "out of the range of");
	return true;
}

bool value_text_read(const char *text, const struct ir_type *type, uint64_t *bits, struct text *error)
{
	if (type->kind == IR_TYPE_bool)
		return read_bool(text, bits) || fail(error, text, type, "no value of type");
	return ir_type_is_float(type) ? read_float(text, type, bits, error) : read_integer(text, type, bits, error);
}

/* ---- Out ---- */

static void print_scalar(struct text *out, const struct ir_type *type, const uint8_t *bytes)
{
	uint64_t bits = 0;
	memcpy(&bits, bytes, type->size);
	bits = ir_canonical_bits(type, bits);
	if (type->kind == IR_TYPE_f32) {
		float v;
		memcpy(&v, &bits, sizeof v);
		text_add_f32(out, v);
	} else if (type->kind == IR_TYPE_f64) {
		double v;
		memcpy(&v, &bits, sizeof v);
		text_add_f64(out, v);
	} else if (type->kind == IR_TYPE_bool) {
		text_add(out, bits ? "true" : "false");
	} else if (ir_type_is_signed(type)) {
		text_add_int(out, (int64_t)bits);
	} else {
		text_add_format(out, "%llu", (unsigned long long)bits);
	}
}

void value_text_print(struct text *out, const struct ir_type *type, const uint8_t *bytes)
{
	type = value_text_plain(type);
	if (ir_type_is_scalar(type)) {
		print_scalar(out, type, bytes);
		return;
	}
	bool array = type->kind == IR_TYPE_array;
	text_add_char(out, array ? '[' : '{');
	for (uint64_t i = 0; i < type->count; i++) {
		if (i)
			text_add(out, ", ");
		if (!array)
			text_add_format(out, "%s: ", type->fields[i].name);
		value_text_print(out, array ? type->element : type->fields[i].type,
		                 bytes + (array ? i * type->element->size : type->fields[i].offset));
	}
	text_add_char(out, array ? ']' : '}');
}

void value_text_type(struct text *out, const struct ir_type *type)
{
	type = value_text_plain(type);
	if (type->kind == IR_TYPE_array) {
		text_add(out, "Array[");
		value_text_type(out, type->element);
		text_add_format(out, ", %llu]", (unsigned long long)type->count);
	} else {
		text_add(out, type->kind == IR_TYPE_struct ? type->name : ir_type_kind_name(type->kind));
	}
}

const struct ir_type *value_text_one_type(const struct ir_type *type)
{
	if (type->kind == IR_TYPE_array)
		return value_text_one_type(type->element);
	if (type->kind != IR_TYPE_struct)
		return type;
	const struct ir_type *one = value_text_one_type(type->fields[0].type);
	uint64_t size = 0;
	for (uint64_t i = 0; i < type->count; i++) {
		if (value_text_one_type(type->fields[i].type) != one)
			return NULL;
		size += type->fields[i].type->size;
	}
	return size == type->size ? one : NULL;
}

bool value_text_holds_bool(const struct ir_type *type)
{
	if (type->kind == IR_TYPE_array)
		return value_text_holds_bool(type->element);
	bool holds = type->kind == IR_TYPE_bool;
	for (uint64_t i = 0; type->kind == IR_TYPE_struct && i < type->count; i++)
		holds = holds || value_text_holds_bool(type->fields[i].type);
	return holds;
}
