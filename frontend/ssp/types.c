#include <assert.h>
#include <stdarg.h>

#include "frontend/ssp/ast.h"
#include "frontend/ssp/builtins.h"
#include "utils/base/text.h"

struct type type_int = {.kind = TYPE_INT};
struct type type_f64 = {.kind = TYPE_F64};
struct type type_bool = {.kind = TYPE_BOOL};
struct type type_str = {.kind = TYPE_STR};
struct type type_unit = {.kind = TYPE_UNIT};
struct type type_i32 = {.kind = TYPE_I32};
struct type type_u32 = {.kind = TYPE_U32};
struct type type_f32 = {.kind = TYPE_F32};
struct type type_error = {.kind = TYPE_ERROR};

const struct builtin_info builtin_infos[BUILTIN_COUNT] = {
#define METHOD(id, name, receiver, minimum, maximum) {#name, RECEIVER_##receiver, minimum, maximum, 0},
#define GLOBAL(id, name, minimum, maximum, effects) {#name, RECEIVER_NONE, minimum, maximum, effects},
#include "frontend/ssp/builtins.def"
#undef METHOD
#undef GLOBAL
};

struct type *type_new(struct arena *a, enum type_kind kind, uint32_t count, ...)
{
	struct type *t = ARENA_NEW(a, struct type);
	t->kind = kind;
	t->count = count;
	t->items = count ? ARENA_ARRAY(a, struct type *, count) : NULL;
	va_list items;
	va_start(items, count);
	for (uint32_t i = 0; i < count; i++)
		t->items[i] = va_arg(items, struct type *);
	va_end(items);
	return t;
}

/* Only a variable is followed: on other kinds the checker uses `bound` as a mark (check_infer.c). */
struct type *type_resolve(struct type *t)
{
	while (t->kind == TYPE_VARIABLE && t->bound)
		t = t->bound;
	return t;
}

bool type_equal(const struct type *a, const struct type *b)
{
	a = type_resolve((struct type *)a);
	b = type_resolve((struct type *)b);
	if (a == b)
		return true;
	if (a->kind != b->kind || a->count != b->count || a->kind == TYPE_VARIABLE)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (!type_equal(a->items[i], b->items[i]))
			return false;
	}
	return true;
}

/* Longer types are cut in messages. */
enum { PRINTED_BYTES = 200 };

static void print_items(const struct type *t, uint32_t first, uint32_t end, struct text *out, size_t limit);

static void print_constructor(const char *name, const struct type *t, struct text *out, size_t limit)
{
	text_add(out, name);
	text_add_char(out, '[');
	print_items(t, 0, t->count, out, limit);
	text_add_char(out, ']');
}

static void print_parenthesized(const struct type *t, uint32_t count, struct text *out, size_t limit)
{
	text_add_char(out, '(');
	print_items(t, 0, count, out, limit);
	text_add_char(out, ')');
}

static void print_at(const struct type *t, struct text *out, size_t limit)
{
	t = type_resolve((struct type *)t);
	if (out->length > limit) {
		text_add(out, "...");
		return;
	}
	switch (t->kind) {
	case TYPE_INT: text_add(out, "Int"); break;
	case TYPE_F64: text_add(out, "F64"); break;
	case TYPE_BOOL: text_add(out, "Bool"); break;
	case TYPE_STR: text_add(out, "Str"); break;
	case TYPE_UNIT: text_add(out, "Unit"); break;
	case TYPE_I32: text_add(out, "I32"); break;
	case TYPE_U32: text_add(out, "U32"); break;
	case TYPE_F32: text_add(out, "F32"); break;
	case TYPE_LIST: print_constructor("List", t, out, limit); break;
	case TYPE_OPT: print_constructor("Opt", t, out, limit); break;
	case TYPE_RES: print_constructor("Res", t, out, limit); break;
	case TYPE_DEVBUF: print_constructor("DevBuf", t, out, limit); break;
	case TYPE_TUPLE: print_parenthesized(t, t->count, out, limit); break;
	case TYPE_FUNCTION:
		assert(t->count >= 1);
		print_parenthesized(t, t->count - 1, out, limit);
		text_add(out, " => ");
		print_at(t->items[t->count - 1], out, limit);
		break;
	case TYPE_VARIABLE:
	case TYPE_ERROR: text_add_char(out, '_'); break;
	}
}

static void print_items(const struct type *t, uint32_t first, uint32_t end, struct text *out, size_t limit)
{
	for (uint32_t i = first; i < end; i++) {
		if (i > first)
			text_add(out, ", ");
		print_at(t->items[i], out, limit);
		if (out->length > limit)
			return;
	}
}

void type_print(const struct type *t, struct text *out)
{
	print_at(t, out, out->length + PRINTED_BYTES);
}
