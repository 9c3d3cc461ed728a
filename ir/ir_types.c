/* Types: the scalars, interned arrays and structs, and the type at a place. */
#include <string.h>

#include "ir/ir.h"

#define SCALAR(type_kind, bytes) [type_kind] = {.kind = type_kind, .size = bytes, .align = bytes}

const struct ir_type ir_types[IR_TYPE_array] = {
    [IR_TYPE_void] = {.kind = IR_TYPE_void, .size = 0, .align = 1},
    SCALAR(IR_TYPE_bool, 4),
    SCALAR(IR_TYPE_i8, 1),
    SCALAR(IR_TYPE_u8, 1),
    SCALAR(IR_TYPE_i16, 2),
    SCALAR(IR_TYPE_u16, 2),
    SCALAR(IR_TYPE_i32, 4),
    SCALAR(IR_TYPE_u32, 4),
    SCALAR(IR_TYPE_i64, 8),
    SCALAR(IR_TYPE_u64, 8),
    SCALAR(IR_TYPE_f32, 4),
    SCALAR(IR_TYPE_f64, 8),
};

const char *ir_type_kind_name(enum ir_type_kind kind)
{
	switch (kind) {
	case IR_TYPE_void: return "void";
	case IR_TYPE_bool: return "bool";
	case IR_TYPE_i8: return "i8";
	case IR_TYPE_u8: return "u8";
	case IR_TYPE_i16: return "i16";
	case IR_TYPE_u16: return "u16";
	case IR_TYPE_i32: return "i32";
	case IR_TYPE_u32: return "u32";
	case IR_TYPE_i64: return "i64";
	case IR_TYPE_u64: return "u64";
	case IR_TYPE_f32: return "f32";
	case IR_TYPE_f64: return "f64";
	case IR_TYPE_array: return "array";
	case IR_TYPE_struct: return "struct";
	}
	return "unknown";
}

bool ir_type_is_integer(const struct ir_type *t)
{
	return t->kind >= IR_TYPE_i8 && t->kind <= IR_TYPE_u64;
}

bool ir_type_is_signed(const struct ir_type *t)
{
	return t->kind == IR_TYPE_i8 || t->kind == IR_TYPE_i16 || t->kind == IR_TYPE_i32 || t->kind == IR_TYPE_i64;
}

bool ir_type_is_float(const struct ir_type *t)
{
	return t->kind == IR_TYPE_f32 || t->kind == IR_TYPE_f64;
}

bool ir_type_is_scalar(const struct ir_type *t)
{
	return t->kind >= IR_TYPE_bool && t->kind <= IR_TYPE_f64;
}

uint32_t ir_type_bits(const struct ir_type *t)
{
	return t->kind == IR_TYPE_bool ? 1 : ir_type_is_scalar(t) ? t->size * 8 : 0;
}

uint64_t ir_canonical_bits(const struct ir_type *t, uint64_t bits)
{
	uint32_t width = ir_type_bits(t);
	if (width == 64)
		return bits;
	uint64_t sign = UINT64_C(1) << (width - 1);
	bits &= 2 * sign - 1;
	return ir_type_is_signed(t) ? (bits ^ sign) - sign : bits;
}

/* Arrays are found by element and count, structs by name. An array's key ends in a NUL byte, as no name does. */
struct array_key {
	const struct ir_type *element;
	uint64_t count;
	uint64_t kind;
};

static const struct ir_type *add_type(struct ir_module *m, const struct ir_type *made, const void *key, size_t key_size)
{
	struct ir_type *t = ARENA_NEW(&m->arena, struct ir_type);
	*t = *made;
	*ARENA_PUSH(&m->arena, m->types, m->type_count, m->type_capacity) = t;
	m->type_table.arena = &m->arena;
	table_set_n(&m->type_table, key, key_size, t);
	return t;
}

const struct ir_type *ir_type_array(struct ir_module *m, const struct ir_type *element, uint64_t count)
{
	uint64_t size;
	if (element->kind == IR_TYPE_void || count == 0 || element->depth >= IR_MAX_TYPE_DEPTH ||
	    __builtin_mul_overflow(count, (uint64_t)element->size, &size) || size > IR_MAX_TYPE_SIZE)
		return NULL;
	struct array_key key = {element, count, IR_TYPE_array};
	const struct ir_type *known = table_get_n(&m->type_table, (const char *)&key, sizeof key);
	if (known)
		return known;
	return add_type(m,
	                &(struct ir_type){.kind = IR_TYPE_array,
	                                  .size = (uint32_t)size,
	                                  .align = element->align,
	                                  .depth = element->depth + 1,
	                                  .element = element,
	                                  .count = count},
	                &key, sizeof key);
}

const struct ir_type *ir_type_find_struct(const struct ir_module *m, const char *name)
{
	return table_get(&m->type_table, name);
}

static bool same_fields(const struct ir_type *t, const struct ir_field *fields, uint32_t count)
{
	if (t->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (t->fields[i].type != fields[i].type || strcmp(t->fields[i].name, fields[i].name) != 0)
			return false;
	return true;
}

static bool has_field(const struct ir_field *fields, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(fields[i].name, name) == 0)
			return true;
	return false;
}

const struct ir_type *ir_type_struct(struct ir_module *m, const char *name, const struct ir_field *fields,
                                     uint32_t count)
{
	const struct ir_type *taken = ir_type_find_struct(m, name);
	if (taken)
		return same_fields(taken, fields, count) ? taken : NULL;
	if (count == 0 || count > IR_MAX_FIELDS)
		return NULL;
	struct ir_type made = {.kind = IR_TYPE_struct, .align = 1, .count = count};
	struct ir_field *laid_out = ARENA_ARRAY(&m->arena, struct ir_field, count);
	uint64_t end = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct ir_type *type = fields[i].type;
		if (type->kind == IR_TYPE_void || type->depth >= IR_MAX_TYPE_DEPTH ||
		    has_field(laid_out, i, fields[i].name))
			return NULL;
		uint64_t offset = (end + type->align - 1) / type->align * type->align;
		end = offset + type->size;
		if (end > IR_MAX_TYPE_SIZE)
			return NULL;
		laid_out[i] = (struct ir_field){arena_string(&m->arena, fields[i].name), type, (uint32_t)offset};
		if (made.align < type->align)
			made.align = type->align;
		if (made.depth <= type->depth)
			made.depth = type->depth + 1;
	}
	uint64_t size = (end + made.align - 1) / made.align * made.align;
	if (size > IR_MAX_TYPE_SIZE)
		return NULL;
	made.size = (uint32_t)size;
	made.name = arena_string(&m->arena, name);
	made.fields = laid_out;
	return add_type(m, &made, name, strlen(name));
}

const struct ir_type *ir_place_type(const struct ir_memory *base, const struct ir_step *path, uint32_t path_count)
{
	const struct ir_type *t = base->type;
	uint32_t first = 0;
	if (base->kind == IR_MEMORY_BUFFER) {
		if (path_count == 0 || !path[0].index)
			return NULL;
		first = 1;
	}
	for (uint32_t i = first; i < path_count; i++) {
		if (path[i].index) {
			if (t->kind != IR_TYPE_array)
				return NULL;
			t = t->element;
		} else {
			if (t->kind != IR_TYPE_struct || path[i].field >= t->count)
				return NULL;
			t = t->fields[path[i].field].type;
		}
	}
	return t;
}

uint64_t ir_float_power(const struct ir_type *t, int exponent)
{
	return t->kind == IR_TYPE_f32 ? (uint64_t)(127 + exponent) << 23 : (uint64_t)(1023 + exponent) << 52;
}

void ir_saturation(const struct ir_type *from, const struct ir_type *to, uint64_t *high, uint64_t *low,
                   uint64_t *greatest, uint64_t *least)
{
	uint32_t width = ir_type_bits(to);
	uint64_t sign = from->kind == IR_TYPE_f32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	bool is_signed = ir_type_is_signed(to);
	*high = ir_float_power(from, (int)(is_signed ? width - 1 : width));
	*low = is_signed ? *high | sign : 0;
	*greatest = UINT64_MAX >> (is_signed ? 65 - width : 64 - width);
	*least = is_signed ? ir_canonical_bits(to, *greatest + 1) : 0;
}

unsigned ir_failure_line_bits(const struct ir_kernel *k)
{
	return k->module->file_count ? 18 : 32 - IR_FAILURE_KIND_BITS;
}

uint32_t ir_failure_code(const struct ir_kernel *k, struct place place, enum trap_kind kind)
{
	unsigned bits = ir_failure_line_bits(k), at = IR_FAILURE_KIND_BITS + bits;
	uint32_t limit = (1u << bits) - 1, line = place.line > limit ? limit : place.line;
	uint32_t file = at < 32 && place.file >> (32 - at) == 0 ? place.file : 0;
	return (file ? file << at : 0) | line << IR_FAILURE_KIND_BITS | kind;
}
