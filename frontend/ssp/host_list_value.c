/* Lists as stored: compact numbers, values, and ranges that are never built. */
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_value.h"
#include "utils/base/arena.h"

enum list_storage storage_of(struct type *element)
{
	switch (type_resolve(element)->kind) {
	case TYPE_INT:
	case TYPE_I32:
	case TYPE_U32: return STORAGE_INT;
	case TYPE_F64:
	case TYPE_F32: return STORAGE_F64;
	case TYPE_BOOL: return STORAGE_BOOL;
	case TYPE_STR:
	case TYPE_UNIT:
	case TYPE_LIST:
	case TYPE_TUPLE:
	case TYPE_OPT:
	case TYPE_RES:
	case TYPE_DEVBUF:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE:
	case TYPE_ERROR: break;
	}
	return STORAGE_VALUE;
}

static size_t item_size(enum list_storage storage)
{
	switch (storage) {
	case STORAGE_INT: return sizeof(int64_t);
	case STORAGE_F64: return sizeof(double);
	case STORAGE_BOOL: return sizeof(bool);
	case STORAGE_VALUE: return sizeof(struct value);
	case STORAGE_RANGE: break;
	}
	return 0;
}

/* More elements than can be addressed ask for more memory than there is. */
static void *items_resize(void *items, enum list_storage storage, int64_t capacity)
{
	size_t bytes;
	if (__builtin_mul_overflow((uint64_t)capacity, item_size(storage), &bytes))
		bytes = SIZE_MAX / 2;
	return memory_resize(items, bytes);
}

static struct list *list_header(enum list_storage storage, int64_t count)
{
	struct list *l = memory_zeroed(1, sizeof *l);
	atomic_init(&l->object.references, 1);
	l->storage = storage;
	l->count = count;
	return l;
}

struct value list_new(enum list_storage storage, int64_t capacity)
{
	struct list *l = list_header(storage, 0);
	if (capacity > 0)
		l->items = items_resize(NULL, storage, capacity);
	l->capacity = capacity;
	return (struct value){.kind = VALUE_LIST, .list = l};
}

struct value list_range(int64_t start, int64_t step, int64_t count)
{
	struct list *l = list_header(STORAGE_RANGE, count);
	l->start = start;
	l->step = step;
	return (struct value){.kind = VALUE_LIST, .list = l};
}

/* The product wraps for a step that count 1 never takes. */
static int64_t range_item(const struct list *l, int64_t i)
{
	return (int64_t)((uint64_t)l->start + (uint64_t)i * (uint64_t)l->step);
}

struct value list_item(const struct list *l, int64_t i)
{
	switch (l->storage) {
	case STORAGE_INT: return value_int(l->integers[i]);
	case STORAGE_F64: return value_f64(l->reals[i]);
	case STORAGE_BOOL: return value_bool(l->truths[i]);
	case STORAGE_RANGE: return value_int(range_item(l, i));
	case STORAGE_VALUE: break;
	}
	value_retain(l->values[i]);
	return l->values[i];
}

static void store(struct list *l, int64_t i, struct value v)
{
	switch (l->storage) {
	case STORAGE_INT: l->integers[i] = v.integer; return;
	case STORAGE_F64: l->reals[i] = v.real; return;
	case STORAGE_BOOL: l->truths[i] = v.truth; return;
	case STORAGE_VALUE: l->values[i] = v; return;
	case STORAGE_RANGE: return; /* never changed in place */
	}
}

static void reserve(struct list *l, int64_t extra)
{
	int64_t needed;
	if (__builtin_add_overflow(l->count, extra, &needed))
		needed = INT64_MAX;
	if (needed <= l->capacity)
		return;
	int64_t capacity = l->capacity > INT64_MAX / 2 ? INT64_MAX : l->capacity * 2;
	l->capacity = needed > capacity ? (needed < 4 ? 4 : needed) : capacity;
	l->items = items_resize(l->items, l->storage, l->capacity);
}

void list_push(struct list *l, struct value v)
{
	if (l->count == l->capacity)
		reserve(l, 1);
	store(l, l->count++, v);
}

void list_set(struct list *l, int64_t i, struct value v)
{
	if (l->storage == STORAGE_VALUE)
		value_release(l->values[i]);
	store(l, i, v);
}

void list_append(struct list *l, const struct list *from, int64_t first, int64_t last)
{
	int64_t count = last - first;
	if (count <= 0)
		return;
	reserve(l, count);
	if (from->storage != STORAGE_RANGE) {
		size_t size = item_size(l->storage);
		memcpy((char *)l->items + (size_t)l->count * size, (const char *)from->items + (size_t)first * size,
		       (size_t)count * size);
	} else {
		for (int64_t i = 0; i < count; i++)
			l->integers[l->count + i] = range_item(from, first + i);
	}
	if (from->storage == STORAGE_VALUE)
		for (int64_t i = first; i < last; i++)
			value_retain(from->values[i]);
	l->count += count;
}

struct list *list_own(struct value *v, int64_t extra)
{
	struct list *l = v->list;
	if (l->storage != STORAGE_RANGE && object_is_unique(&l->object)) {
		reserve(l, extra);
		return l;
	}
	struct value copy = list_new(l->storage == STORAGE_RANGE ? STORAGE_INT : l->storage, l->count + extra);
	list_append(copy.list, l, 0, l->count);
	value_release(*v);
	*v = copy;
	return copy.list;
}
