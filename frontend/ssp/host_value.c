/* Counted objects: strings, tuples, wrappers, and freeing them all. Lists are in host_list_value.c. */
#include "frontend/ssp/host_value.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_internal.h"
#include "utils/base/text.h"

static void list_free(struct list *l)
{
	if (l->storage == STORAGE_VALUE)
		for (int64_t i = 0; i < l->count; i++)
			value_release(l->values[i]);
	if (l->storage != STORAGE_RANGE)
		free(l->items);
	free(l);
}

static void tuple_free(struct tuple *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		value_release(t->items[i]);
	free(t);
}

static void wrapper_free(struct wrapper *w)
{
	value_release(w->item);
	free(w);
}

void object_free(enum value_kind kind, struct object *o)
{
	switch (kind) {
	case VALUE_UNIT:
	case VALUE_INT:
	case VALUE_F64:
	case VALUE_BOOL:
	case VALUE_NONE:
	case VALUE_FUNCTION:
	case VALUE_LAMBDA: return; /* not counted */
	case VALUE_STRING: free(o); return;
	case VALUE_LIST: list_free((struct list *)o); return;
	case VALUE_TUPLE: tuple_free((struct tuple *)o); return;
	case VALUE_SOME:
	case VALUE_OK:
	case VALUE_ERROR: wrapper_free((struct wrapper *)o); return;
	case VALUE_DEVBUF: devbuf_free((struct devbuf *)o); return;
	}
}

static struct value string_value(struct string *s)
{
	return (struct value){.kind = VALUE_STRING, .string = s};
}

struct value string_new(const char *bytes, size_t length)
{
	struct string *s = memory_alloc(sizeof *s + length + 1);
	atomic_init(&s->object.references, 1);
	s->length = s->capacity = length;
	if (length)
		memcpy(s->bytes, bytes, length);
	s->bytes[length] = '\0';
	return string_value(s);
}

struct value string_from_text(struct text *t)
{
	struct value v = string_new(t->data, t->length);
	text_free(t);
	return v;
}

struct value string_append(struct value left, const struct string *right)
{
	struct string *s = left.string;
	size_t length = s->length + right->length;
	if (length > s->capacity || !object_is_unique(&s->object)) {
		size_t capacity = length + (length > 32 ? length / 2 : 16);
		struct string *grown = memory_alloc(sizeof *grown + capacity + 1);
		atomic_init(&grown->object.references, 1);
		grown->capacity = capacity;
		memcpy(grown->bytes, s->bytes, s->length);
		memcpy(grown->bytes + s->length, right->bytes, right->length);
		value_release(left);
		s = grown;
	} else {
		memcpy(s->bytes + s->length, right->bytes, right->length);
	}
	s->length = length;
	s->bytes[length] = '\0';
	return string_value(s);
}

struct value tuple_new(uint32_t count)
{
	struct tuple *t = memory_alloc(sizeof *t + count * sizeof *t->items);
	atomic_init(&t->object.references, 1);
	t->count = count;
	for (uint32_t i = 0; i < count; i++)
		t->items[i] = value_unit();
	return (struct value){.kind = VALUE_TUPLE, .tuple = t};
}

struct value wrapper_new(enum value_kind kind, struct value item)
{
	struct wrapper *w = memory_alloc(sizeof *w);
	atomic_init(&w->object.references, 1);
	w->item = item;
	return (struct value){.kind = kind, .wrapper = w};
}
