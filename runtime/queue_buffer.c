/* Where a buffer's contents are: on the device, in a mirror that the exact device can use, or in both. They move when
 * the other side needs them. */
#include <stdlib.h>

#include "runtime/host_memory.h"
#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

struct device_buffer *queue_device_memory(struct queue *q, uint64_t size)
{
	struct device *d = q->device;
	struct device_buffer *b = d->functions->buffer_new(d, size);
	if (b)
		return b;
	queue_spares_free(q);
	queue_masks_trim(q);
	return d->functions->buffer_new(d, size);
}

/* With the contents undefined, wherever they are. */
static bool make_memory(struct queue *q, struct queue_buffer *b)
{
	if (q->broken) {
		b->mirror_valid = queue_mirror_space(q, b) != NULL;
		return b->mirror_valid;
	}
	b->device = queue_device_memory(q, b->size);
	if (!b->device) {
		queue_drain(q);
		if (q->broken)
			return make_memory(q, b);
		b->device = queue_device_memory(q, b->size);
	}
	b->device_valid = b->device != NULL;
	if (!b->device || q->exact_only || !q->device->functions->buffer_host)
		return b->device_valid;
	void *address = q->device->functions->buffer_host(b->device);
	if (address) {
		b->mirror = host_buffer_borrow(address);
		b->mirror_valid = b->shared = true;
	}
	return true;
}

struct queue_buffer *queue_buffer_new(struct queue *q, uint64_t size)
{
	struct queue_buffer *b = memory_zeroed(1, sizeof *b);
	b->size = size;
	b->references = 1;
	pthread_mutex_lock(&q->lock);
	bool good = make_memory(q, b);
	pthread_mutex_unlock(&q->lock);
	if (good)
		return b;
	free(b);
	return NULL;
}

static void free_mirror(struct queue *q, struct queue_buffer *b)
{
	if (b->shared)
		host_buffer_free(NULL, b->mirror);
	else if (b->mirror)
		q->exact->functions->buffer_free(q->exact, b->mirror);
	b->mirror = NULL;
	b->mirror_valid = false;
}

void queue_buffer_drop(struct queue *q, struct queue_buffer *b)
{
	if (--b->references)
		return;
	free_mirror(q, b);
	if (b->device)
		q->device->functions->buffer_free(q->device, b->device);
	free(b);
}

void queue_buffer_release(struct queue *q, struct queue_buffer *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&q->lock);
	queue_buffer_drop(q, b);
	pthread_mutex_unlock(&q->lock);
}

struct device_buffer *queue_mirror_space(struct queue *q, struct queue_buffer *b)
{
	if (q->exact_only)
		return b->device;
	queue_exact_open(q);
	if (!b->mirror)
		b->mirror = q->exact->functions->buffer_new(q->exact, b->size);
	return b->mirror;
}

/* Memory that is shared has what was written only when the device is at rest. */
static void finish_writes(struct queue *q)
{
	struct text error = {0};
	if (q->writing && !q->device->functions->finish(q->device, &error))
		queue_break(q, text_string(&error));
	q->writing = false;
	text_free(&error);
}

struct device_buffer *queue_mirror(struct queue *q, struct queue_buffer *b, bool *lost)
{
	if (q->exact_only)
		return b->device;
	if (b->shared)
		finish_writes(q);
	if (b->mirror_valid)
		return b->mirror;
	struct device_buffer *mirror = queue_mirror_space(q, b);
	if (!mirror)
		return NULL;
	void *bytes = q->exact->functions->buffer_host(mirror);
	if (b->size && !q->device->functions->buffer_read(q->device, b->device, bytes, b->size)) {
		*lost = true;
		return NULL;
	}
	b->mirror_valid = true;
	return mirror;
}

void queue_mirror_changed(struct queue_buffer *b)
{
	if (b->mirror && !b->shared)
		b->device_valid = false;
}

bool queue_to_device(struct queue *q, struct queue_buffer *b)
{
	struct device *d = q->device;
	if (!b->device)
		return false;
	if (b->device_valid)
		return true;
	void *bytes = q->exact->functions->buffer_host(b->mirror);
	if (b->size && !d->functions->buffer_write(d, b->device, bytes, b->size)) {
		queue_break(q, "a buffer could not be written");
		return false;
	}
	b->device_valid = q->writing = true;
	return true;
}

void queue_device_changed(struct queue *q, struct queue_buffer *b)
{
	b->device_valid = true;
	if (!b->shared)
		free_mirror(q, b);
}

/* Only the owner has it: no queued launch does. */
static void settle(struct queue *q, struct queue_buffer *b)
{
	if (b->references > 1)
		queue_drain(q);
}

static bool write_mirror(struct queue *q, struct queue_buffer *b, const void *bytes, uint64_t size)
{
	bool lost = false;
	struct device_buffer *mirror = size == b->size ? queue_mirror_space(q, b) : queue_mirror(q, b, &lost);
	if (!mirror)
		return false;
	q->exact->functions->buffer_write(q->exact, mirror, bytes, size);
	b->mirror_valid = true;
	queue_mirror_changed(b);
	return true;
}

bool queue_buffer_write(struct queue *q, struct queue_buffer *b, const void *bytes, uint64_t size)
{
	if (!size)
		return true;
	struct device *d = q->device;
	pthread_mutex_lock(&q->lock);
	settle(q, b);
	bool good = !q->broken && b->device && (size == b->size || queue_to_device(q, b));
	if (good && d->functions->buffer_write(d, b->device, bytes, size)) {
		queue_device_changed(q, b);
		q->writing = true;
	} else {
		if (good)
			queue_break(q, "a buffer could not be written");
		good = write_mirror(q, b, bytes, size);
	}
	pthread_mutex_unlock(&q->lock);
	return good;
}

bool queue_buffer_read(struct queue *q, struct queue_buffer *b, void *bytes, uint64_t size)
{
	if (!size)
		return true;
	pthread_mutex_lock(&q->lock);
	settle(q, b);
	bool good;
	if (b->mirror_valid)
		good = q->exact_only || b->shared ? q->device->functions->buffer_read(q->device, b->device, bytes, size)
		                                  : q->exact->functions->buffer_read(q->exact, b->mirror, bytes, size);
	else
		good = q->device->functions->buffer_read(q->device, b->device, bytes, size);
	pthread_mutex_unlock(&q->lock);
	return good;
}
