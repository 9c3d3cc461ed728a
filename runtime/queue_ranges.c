/* Devices copy from a buffer's first byte on. So a part is copied in the mirror, which the exact device could use too:
 * a row of parts costs one whole copy each way. */
#include "runtime/queue_ranges.h"

#include <string.h>

#include "runtime/queue_internal.h"

/* The contents in host memory. */
static enum queue_range_result find_contents(struct queue *q, struct queue_buffer *b, uint8_t **contents)
{
	bool lost = false;
	if (b->references > 1)
		queue_drain(q);
	struct device_buffer *mirror = queue_mirror(q, b, &lost);
	if (!mirror)
		return lost ? QUEUE_RANGE_LOST : QUEUE_RANGE_NO_MEMORY;
	bool own = q->exact_only || b->shared;
	const struct device *d = own ? q->device : q->exact;
	*contents = d->functions->buffer_host(own ? b->device : mirror);
	return QUEUE_RANGE_DONE;
}

enum queue_range_result queue_range_write(struct queue *q, struct queue_buffer *b, uint64_t offset, const void *bytes,
                                          uint64_t size)
{
	if (!offset || !size)
		return queue_buffer_write(q, b, bytes, size) ? QUEUE_RANGE_DONE : QUEUE_RANGE_LOST;
	uint8_t *to;
	pthread_mutex_lock(&q->lock);
	enum queue_range_result result = find_contents(q, b, &to);
	if (result == QUEUE_RANGE_DONE) {
		memcpy(to + offset, bytes, size);
		queue_mirror_changed(b);
	}
	pthread_mutex_unlock(&q->lock);
	return result;
}

enum queue_range_result queue_range_read(struct queue *q, struct queue_buffer *b, uint64_t offset, void *bytes,
                                         uint64_t size)
{
	if (!offset || !size)
		return queue_buffer_read(q, b, bytes, size) ? QUEUE_RANGE_DONE : QUEUE_RANGE_LOST;
	uint8_t *from;
	pthread_mutex_lock(&q->lock);
	enum queue_range_result result = find_contents(q, b, &from);
	if (result == QUEUE_RANGE_DONE)
		memcpy(bytes, from + offset, size);
	pthread_mutex_unlock(&q->lock);
	return result;
}
