/* DevBufs, and lists in the device's layout (spec 3.1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_internal.h"
#include "runtime/queue.h"

bool in_range(enum ir_type_kind kind, int64_t v)
{
	if (kind == IR_TYPE_i32)
		return v >= INT32_MIN && v <= INT32_MAX;
	return kind != IR_TYPE_u32 || (v >= 0 && v <= UINT32_MAX);
}

const char *element_name(enum ir_type_kind kind)
{
	return kind == IR_TYPE_i32 ? "I32" : kind == IR_TYPE_u32 ? "U32" : "Int";
}

int64_t elements_from_list(enum ir_type_kind kind, const struct list *l, void *bytes)
{
	if (kind == IR_TYPE_f32) {
		for (int64_t i = 0; i < l->count; i++)
			((float *)bytes)[i] = (float)l->reals[i];
	} else if (l->storage != STORAGE_RANGE && ir_types[kind].size == 8) {
		if (l->count)
			memcpy(bytes, l->items, (size_t)l->count * 8);
	} else {
		for (int64_t i = 0; i < l->count; i++) {
			int64_t v = list_item(l, i).integer;
			if (!in_range(kind, v))
				return i;
			if (kind == IR_TYPE_i64)
				((int64_t *)bytes)[i] = v;
			else
				((uint32_t *)bytes)[i] = (uint32_t)v;
		}
	}
	return -1;
}

struct value elements_to_list(enum ir_type_kind kind, const void *bytes, int64_t count)
{
	bool real = kind == IR_TYPE_f32 || kind == IR_TYPE_f64;
	struct value v = list_new(real ? STORAGE_F64 : STORAGE_INT, count);
	struct list *l = v.list;
	l->count = count;
	for (int64_t i = 0; i < count; i++) {
		if (kind == IR_TYPE_f32)
			l->reals[i] = ((const float *)bytes)[i];
		else if (kind == IR_TYPE_f64)
			l->reals[i] = ((const double *)bytes)[i];
		else if (kind == IR_TYPE_i32)
			l->integers[i] = ((const int32_t *)bytes)[i];
		else if (kind == IR_TYPE_u32)
			l->integers[i] = ((const uint32_t *)bytes)[i];
		else
			l->integers[i] = ((const int64_t *)bytes)[i];
		if (real && isnan(l->reals[i]))
			l->reals[i] = NAN;
	}
	return v;
}

bool trap_out_of_memory(struct task *t, const struct node *n, uint64_t size)
{
	return trap_raise(t, n, "dev: out of device memory (%llu bytes)", (unsigned long long)size);
}

void *elements_alloc(struct task *t, const struct node *n, enum ir_type_kind kind, int64_t count, uint64_t *size)
{
	if (__builtin_mul_overflow((uint64_t)count, ir_types[kind].size, size))
		*size = UINT64_MAX;
	void *bytes = *size < SIZE_MAX / 2 ? malloc(*size ? *size : 1) : NULL;
	if (!bytes)
		trap_out_of_memory(t, n, *size);
	return bytes;
}

static bool trap_failed(struct task *t, const struct node *n)
{
	return trap_raise(t, n, "dev: the GPU failed while running %s", queue_failed_kernel(t->host->queue));
}

struct queue_buffer *buffer_make(struct task *t, const struct node *n, const void *bytes, uint64_t size)
{
	struct queue *q = t->host->queue;
	struct queue_buffer *b = queue_buffer_new(q, size);
	if (!b) {
		trap_out_of_memory(t, n, size);
	} else if (!queue_buffer_write(q, b, bytes, size)) {
		queue_buffer_release(q, b);
		b = NULL;
		trap_failed(t, n);
	}
	return b;
}

bool buffer_read(struct task *t, const struct node *n, struct queue_buffer *b, void *bytes, uint64_t size)
{
	return queue_buffer_read(t->host->queue, b, bytes, size) || trap_failed(t, n);
}

void devbuf_free(struct devbuf *b)
{
	queue_buffer_release(b->host->queue, b->buffer);
	free(b);
}

/* dev_i32(list) and the like. */
static bool make_devbuf(struct task *t, const struct node *n, struct value *a, enum ir_type_kind kind, const char *name)
{
	const struct list *l = a->list;
	uint64_t size;
	void *bytes = elements_alloc(t, n, kind, l->count, &size);
	if (!bytes)
		return false;
	int64_t bad = elements_from_list(kind, l, bytes);
	struct queue_buffer *buffer = NULL;
	if (bad >= 0)
		trap_raise(t, n, "dev: element %lld of %s is out of range for %s (value = %lld)", (long long)bad, name,
		           element_name(kind), (long long)list_item(l, bad).integer);
	else
		buffer = buffer_make(t, n, bytes, size);
	free(bytes);
	if (!buffer)
		return false;
	struct devbuf *b = memory_alloc(sizeof *b);
	*b = (struct devbuf){.host = t->host, .buffer = buffer, .element = kind, .count = l->count};
	atomic_init(&b->object.references, 1);
	return give(t, a, (struct value){.kind = VALUE_DEVBUF, .devbuf = b});
}

bool builtin_dev_f32(struct task *t, const struct node *n, struct value *a)
{
	return make_devbuf(t, n, a, IR_TYPE_f32, "dev_f32");
}

bool builtin_dev_f64(struct task *t, const struct node *n, struct value *a)
{
	return make_devbuf(t, n, a, IR_TYPE_f64, "dev_f64");
}

bool builtin_dev_i32(struct task *t, const struct node *n, struct value *a)
{
	return make_devbuf(t, n, a, IR_TYPE_i32, "dev_i32");
}

bool builtin_dev_u32(struct task *t, const struct node *n, struct value *a)
{
	return make_devbuf(t, n, a, IR_TYPE_u32, "dev_u32");
}

bool builtin_dev_int(struct task *t, const struct node *n, struct value *a)
{
	return make_devbuf(t, n, a, IR_TYPE_i64, "dev_int");
}

bool builtin_devbuf_len(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_int(a->devbuf->count));
}

bool builtin_devbuf_to_list(struct task *t, const struct node *n, struct value *a)
{
	if (!device_synchronize(t))
		return false;
	const struct devbuf *b = a->devbuf;
	uint64_t size;
	void *bytes = elements_alloc(t, n, b->element, b->count, &size);
	if (!bytes)
		return false;
	if (!buffer_read(t, n, b->buffer, bytes, size)) {
		free(bytes);
		return false;
	}
	struct value list = elements_to_list(b->element, bytes, b->count);
	free(bytes);
	return give(t, a, list);
}

bool builtin_gpu_sync(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return device_synchronize(t) && give(t, a, value_unit());
}
