/* Devices copy from a buffer's first byte on. So a part is copied in the mirror, which the exact device could use too:
 * a row of parts costs one whole copy each way. */
#include "runtime/queue_ranges.h"

#include <string.h>

#include "runtime/queue_internal.h"

/* The contents in host memory, for good or to be read; NULL: the device cannot be read, or there is no memory. */
static uint8_t *contents(struct queue *q, struct queue_buffer *b)
{
	bool lost = false;
	if (b->references > 1)
		queue_drain(q);
	struct device_buffer *mirror = queue_mirror(q, b, &lost);
	if (!mirror)
		return NULL;
	const struct device *d = q->exact_only ? q->device : q->exact;
	return b->shared ? q->device->functions->buffer_host(b->device) : d->functions->buffer_host(mirror);
}

bool queue_range_write(struct queue *q, struct queue_buffer *b, uint64_t offset, const void *bytes, uint64_t size)
{
	if (offset == 0)
		return queue_buffer_write(q, b, bytes, size);
	if (!size)
		return true;
	pthread_mutex_lock(&q->lock);
	uint8_t *to = contents(q, b);
	if (to) {
		memcpy(to + offset, bytes, size);
		queue_mirror_changed(b);
	}
	pthread_mutex_unlock(&q->lock);
	return to != NULL;
}

bool queue_range_read(struct queue *q, struct queue_buffer *b, uint64_t offset, void *bytes, uint64_t size)
{
	if (offset == 0)
		return queue_buffer_read(q, b, bytes, size);
	if (!size)
		return true;
	pthread_mutex_lock(&q->lock);
	const uint8_t *from = contents(q, b);
	if (from)
		memcpy(bytes, from + offset, size);
	pthread_mutex_unlock(&q->lock);
	return from != NULL;
}
