/* Types of Cone, interned. */
#include "frontend/cone/cone_types.h"

#include <string.h>

struct cone_type cone_void = {.kind = CONE_TYPE_VOID};
struct cone_type cone_never = {.kind = CONE_TYPE_NEVER};
struct cone_type cone_bool = {.kind = CONE_TYPE_BOOL, .bits = 1};
struct cone_type cone_char = {.kind = CONE_TYPE_CHAR, .bits = 32};
struct cone_type cone_error = {.kind = CONE_TYPE_ERROR};
struct cone_type cone_i8 = {.kind = CONE_TYPE_INTEGER, .bits = 8, .is_signed = true};
struct cone_type cone_i16 = {.kind = CONE_TYPE_INTEGER, .bits = 16, .is_signed = true};
struct cone_type cone_i32 = {.kind = CONE_TYPE_INTEGER, .bits = 32, .is_signed = true};
struct cone_type cone_i64 = {.kind = CONE_TYPE_INTEGER, .bits = 64, .is_signed = true};
struct cone_type cone_u8 = {.kind = CONE_TYPE_INTEGER, .bits = 8};
struct cone_type cone_u16 = {.kind = CONE_TYPE_INTEGER, .bits = 16};
struct cone_type cone_u32 = {.kind = CONE_TYPE_INTEGER, .bits = 32};
struct cone_type cone_u64 = {.kind = CONE_TYPE_INTEGER, .bits = 64};
struct cone_type cone_f32 = {.kind = CONE_TYPE_FLOAT, .bits = 32};
struct cone_type cone_f64 = {.kind = CONE_TYPE_FLOAT, .bits = 64};

/* As wide as addresses are. */
static struct cone_type usize_32 = {.kind = CONE_TYPE_INTEGER, .bits = 32, .is_size = true};
static struct cone_type usize_64 = {.kind = CONE_TYPE_INTEGER, .bits = 64, .is_size = true};
static struct cone_type isize_32 = {.kind = CONE_TYPE_INTEGER, .bits = 32, .is_signed = true, .is_size = true};
static struct cone_type isize_64 = {.kind = CONE_TYPE_INTEGER, .bits = 64, .is_signed = true, .is_size = true};

static const struct {
	const char *name;
	struct cone_type *type;
} SCALARS[] = {
    {"bool", &cone_bool}, {"char", &cone_char}, {"i8", &cone_i8},   {"i16", &cone_i16},
    {"i32", &cone_i32},   {"i64", &cone_i64},   {"u8", &cone_u8},   {"u16", &cone_u16},
    {"u32", &cone_u32},   {"u64", &cone_u64},   {"f32", &cone_f32}, {"f64", &cone_f64},
};

void cone_types_init(struct cone_types *t, struct arena *arena, uint32_t address_bits)
{
	*t = (struct cone_types){.arena = arena};
	t->usize = address_bits == 64 ? &usize_64 : &usize_32;
	t->isize = address_bits == 64 ? &isize_64 : &isize_32;
}

struct cone_type *cone_type_of_name(const struct cone_types *t, const char *name)
{
	if (strcmp(name, "usize") == 0)
		return t->usize;
	if (strcmp(name, "isize") == 0)
		return t->isize;
	for (size_t i = 0; i < sizeof SCALARS / sizeof *SCALARS; i++)
		if (strcmp(SCALARS[i].name, name) == 0)
			return SCALARS[i].type;
	return NULL;
}

/* What makes a type the same as another. */
struct identity {
	enum cone_type_kind kind;
	uint32_t mutable;
	struct cone_type *element;
	uint64_t count;
	struct cone_declaration *declaration;
};

static struct cone_type *intern(struct cone_types *t, const struct identity *identity, struct cone_type **arguments,
                                uint32_t count, bool *is_new)
{
	struct text key = {0};
	text_add_format(&key, "%d %d %p %llx %p", (int)identity->kind, (int)identity->mutable,
	                (void *)identity->element, (unsigned long long)identity->count, (void *)identity->declaration);
	for (uint32_t i = 0; i < count; i++)
		text_add_format(&key, " %p", (void *)arguments[i]);
	t->table.arena = t->arena;
	struct cone_type *type = table_get_n(&t->table, key.data, key.length);
	*is_new = !type;
	if (!type) {
		type = ARENA_NEW(t->arena, struct cone_type);
		type->kind = identity->kind;
		type->mutable = identity->mutable;
		type->element = identity->element;
		type->count = identity->count;
		type->declaration = identity->declaration;
		type->depth = identity->element ? identity->element->depth + 1 : 0;
		type->arguments = ARENA_ARRAY(t->arena, struct cone_type *, count);
		for (uint32_t i = 0; i < count; i++) {
			type->arguments[i] = arguments[i];
			type->depth = arguments[i]->depth >= type->depth ? arguments[i]->depth + 1 : type->depth;
		}
		type->argument_count = count;
		table_set_n(&t->table, key.data, key.length, type);
	}
	text_free(&key);
	return type;
}

static struct cone_type *of_element(struct cone_types *t, enum cone_type_kind kind, struct cone_type *element,
                                    uint64_t count, bool mutable)
{
	bool is_new;
	struct identity identity = {.kind = kind, .mutable = mutable, .element = element, .count = count};
	return intern(t, &identity, NULL, 0, &is_new);
}

struct cone_type *cone_type_array(struct cone_types *t, struct cone_type *element, uint64_t count)
{
	return of_element(t, CONE_TYPE_ARRAY, element, count, false);
}

struct cone_type *cone_type_reference(struct cone_types *t, struct cone_type *element, bool mutable)
{
	return of_element(t, CONE_TYPE_REFERENCE, element, 0, mutable);
}

struct cone_type *cone_type_slice(struct cone_types *t, struct cone_type *element, bool mutable)
{
	return of_element(t, CONE_TYPE_SLICE, element, 0, mutable);
}

struct cone_type *cone_type_pointer(struct cone_types *t, struct cone_type *element)
{
	return of_element(t, CONE_TYPE_POINTER, element, 0, false);
}

struct cone_type *cone_type_owner(struct cone_types *t, struct cone_type *element, uint64_t owner, bool mutable)
{
	return of_element(t, CONE_TYPE_OWNER, element, owner, mutable);
}

struct cone_type *cone_type_virtual(struct cone_types *t, struct cone_declaration *trait)
{
	bool is_new;
	struct identity identity = {.kind = CONE_TYPE_VIRTUAL, .declaration = trait};
	return intern(t, &identity, NULL, 0, &is_new);
}

struct cone_type *cone_type_tuple(struct cone_types *t, struct cone_type **items, uint32_t count)
{
	bool is_new;
	struct identity identity = {.kind = CONE_TYPE_TUPLE};
	struct cone_type *type = intern(t, &identity, items, count, &is_new);
	if (is_new) {
		type->fields = ARENA_ARRAY(t->arena, struct cone_type_field, count);
		type->field_count = count;
		for (uint32_t i = 0; i < count; i++)
			type->fields[i] = (struct cone_type_field){.name = "", .type = items[i], .is_public = true};
	}
	return type;
}

struct cone_type *cone_type_function(struct cone_types *t, struct cone_type **parameters, uint32_t count,
                                     struct cone_type *result)
{
	bool is_new;
	struct identity identity = {.kind = CONE_TYPE_FUNCTION, .element = result};
	return intern(t, &identity, parameters, count, &is_new);
}

struct cone_type *cone_type_value(struct cone_types *t, struct cone_type *of, uint64_t value)
{
	bool is_new;
	struct identity identity = {.kind = CONE_TYPE_INTEGER, .mutable = true, .element = of, .count = value};
	struct cone_type *type = intern(t, &identity, NULL, 0, &is_new);
	type->bits = of->bits;
	type->is_signed = of->is_signed;
	type->is_size = of->is_size;
	return type;
}

bool cone_type_is_value(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_INTEGER && t->element;
}

struct cone_type *cone_type_nominal(struct cone_types *t, enum cone_type_kind kind, struct cone_declaration *d,
                                    struct cone_type **arguments, uint32_t count, bool *is_new)
{
	struct identity identity = {.kind = kind, .declaration = d};
	return intern(t, &identity, arguments, count, is_new);
}

struct cone_type *cone_type_closure(struct cone_types *t)
{
	struct cone_type *type = ARENA_NEW(t->arena, struct cone_type);
	type->kind = CONE_TYPE_CLOSURE;
	return type;
}

bool cone_type_is_number(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_INTEGER || t->kind == CONE_TYPE_FLOAT;
}

bool cone_type_is_reference(const struct cone_type *t)
{
	switch (t->kind) {
	case CONE_TYPE_REFERENCE:
	case CONE_TYPE_SLICE:
	case CONE_TYPE_POINTER:
	case CONE_TYPE_FUNCTION:
	case CONE_TYPE_OWNER:
	case CONE_TYPE_VIRTUAL: return true;
	case CONE_TYPE_VOID:
	case CONE_TYPE_NEVER:
	case CONE_TYPE_BOOL:
	case CONE_TYPE_CHAR:
	case CONE_TYPE_INTEGER:
	case CONE_TYPE_FLOAT:
	case CONE_TYPE_ARRAY:
	case CONE_TYPE_STRUCT:
	case CONE_TYPE_ENUM:
	case CONE_TYPE_CLOSURE:
	case CONE_TYPE_TUPLE:
	case CONE_TYPE_MODULE:
	case CONE_TYPE_TYPE:
	case CONE_TYPE_ERROR: return false;
	}
	return false;
}

static void print_arguments(const struct cone_type *t, struct text *out)
{
	for (uint32_t i = 0; i < t->argument_count; i++) {
		text_add(out, i ? ", " : "[");
		cone_type_print(t->arguments[i], out);
	}
	text_add(out, t->argument_count ? "]" : "");
}

static void print_function(const struct cone_type *t, struct text *out)
{
	text_add(out, "fn(");
	for (uint32_t i = 0; i < t->argument_count; i++) {
		text_add(out, i ? ", " : "");
		cone_type_print(t->arguments[i], out);
	}
	text_add(out, ")");
	if (t->element->kind != CONE_TYPE_VOID) {
		text_add(out, " ");
		cone_type_print(t->element, out);
	}
}

static void print_tuple(const struct cone_type *t, struct text *out)
{
	text_add(out, "(");
	for (uint32_t i = 0; i < t->field_count; i++) {
		text_add(out, i ? ", " : "");
		cone_type_print(t->fields[i].type, out);
	}
	text_add(out, ")");
}

static void print_array(const struct cone_type *t, struct text *out)
{
	text_add(out, "Array[");
	cone_type_print(t->element, out);
	text_add_format(out, ", %llu]", (unsigned long long)t->count);
}

static void print_number(const struct cone_type *t, struct text *out)
{
	if (cone_type_is_value(t))
		text_add_format(out, t->is_signed ? "%lld" : "%llu", (long long)t->count);
	else if (t->is_size)
		text_add(out, t->is_signed ? "isize" : "usize");
	else
		text_add_format(out, "%c%u", t->kind == CONE_TYPE_FLOAT ? 'f' : t->is_signed ? 'i' : 'u', t->bits);
}

static void print_owner(const struct cone_type *t, struct text *out)
{
	static const char *const NAMES[] = {"So", "Rc", "Arc", "Weak"};
	uint64_t owner = t->count & ~(uint64_t)CONE_OWNER_LOCKED;
	const char *permission = t->count & CONE_OWNER_LOCKED ? "a lock, "
	                         : owner == CONE_OWNER_SO     ? (t->mutable ? "" : "imm, ")
	                         : t->mutable                 ? "mut, "
	                                                      : "";
	text_add_format(out, "%s[%s", NAMES[owner], permission);
	cone_type_print(t->element, out);
	text_add(out, "]");
}

void cone_type_print(const struct cone_type *t, struct text *out)
{
	switch (t->kind) {
	case CONE_TYPE_VOID: text_add(out, "nothing"); break;
	case CONE_TYPE_NEVER: text_add(out, "Never"); break;
	case CONE_TYPE_BOOL: text_add(out, "bool"); break;
	case CONE_TYPE_CHAR: text_add(out, "char"); break;
	case CONE_TYPE_INTEGER:
	case CONE_TYPE_FLOAT: print_number(t, out); break;
	case CONE_TYPE_ARRAY: print_array(t, out); break;
	case CONE_TYPE_STRUCT:
	case CONE_TYPE_ENUM:
		text_add(out, t->declaration->name);
		print_arguments(t, out);
		break;
	case CONE_TYPE_REFERENCE:
		text_add(out, t->mutable ? "&mut " : "&");
		cone_type_print(t->element, out);
		break;
	case CONE_TYPE_SLICE:
		text_add(out, t->mutable ? "&mut Array[" : "&Array[");
		cone_type_print(t->element, out);
		text_add(out, "]");
		break;
	case CONE_TYPE_POINTER:
		text_add(out, "*");
		cone_type_print(t->element, out);
		break;
	case CONE_TYPE_FUNCTION: print_function(t, out); break;
	case CONE_TYPE_CLOSURE: text_add(out, "closure"); break;
	case CONE_TYPE_TUPLE: print_tuple(t, out); break;
	case CONE_TYPE_OWNER: print_owner(t, out); break;
	case CONE_TYPE_VIRTUAL: text_add_format(out, "&<%s", t->declaration ? t->declaration->name : "?"); break;
	case CONE_TYPE_MODULE: text_add(out, "module"); break;
	case CONE_TYPE_TYPE:
		text_add(out, "type ");
		cone_type_print(t->element, out);
		break;
	case CONE_TYPE_ERROR: text_add(out, "?"); break;
	}
}

/* A struct of core of the name. */
static bool is_of_core(const struct cone_type *t, const char *name)
{
	return t->kind == CONE_TYPE_STRUCT && t->declaration->module && t->declaration->module->is_core &&
	       strcmp(t->declaration->name, name) == 0;
}

bool cone_type_is_invocation(const struct cone_type *t)
{
	return is_of_core(t, "Invocation");
}

struct cone_type *cone_type_atomic_of(const struct cone_type *t)
{
	return is_of_core(t, "Atomic") ? t->arguments[0] : NULL;
}
