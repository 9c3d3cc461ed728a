/* Status records and thread masks. A clean launch leaves its record and its mask zero, so both are used again as they
 * are: the records are read once a synchronization, and only what a flag has written is zeroed. */
#include <stdlib.h>
#include <string.h>

#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

enum { RECORD_SIZE = STATUS_WORDS * 4, MASK_LEAST = 4096 };
/* Bytes of masks on the device in all. A launch that gets none reruns whole. */
#define MASKS_SIZE_MOST ((uint64_t)64 << 20)

/* Bytes from a record to the next. */
static uint64_t record_stride(const struct queue *q)
{
	const struct device_functions *f = q->device->functions;
	const struct device_capabilities *c = f->capabilities ? f->capabilities(q->device) : NULL;
	return c && c->record_stride ? c->record_stride : RECORD_SIZE;
}

/* False: the device failed, or there are no zeroes to be had. */
static bool zero(struct queue *q, struct device_buffer *b, uint64_t size)
{
	void *zeroes = calloc(1, size);
	if (!zeroes)
		return false;
	bool good = q->device->functions->buffer_write(q->device, b, zeroes, size);
	free(zeroes);
	if (!good)
		queue_break(q, "status records could not be written");
	return good;
}

bool queue_flags_open(struct queue *q)
{
	if (q->status)
		return true;
	uint64_t size = QUEUE_LAUNCHES_MOST * record_stride(q);
	struct device_buffer *status = queue_device_memory(q, size);
	if (!status)
		return false;
	if (zero(q, status, size)) {
		q->status = status;
		return true;
	}
	q->device->functions->buffer_free(q->device, status);
	return false;
}

static void mask_free(struct queue *q, struct queue_mask *m)
{
	if (m->buffer)
		q->device->functions->buffer_free(q->device, m->buffer);
	q->mask_bytes -= m->size;
	*m = (struct queue_mask){.buffer = NULL};
}

void queue_flags_free(struct queue *q)
{
	if (q->status)
		q->device->functions->buffer_free(q->device, q->status);
	for (uint32_t i = 0; i < q->mask_count; i++)
		mask_free(q, &q->masks[i]);
}

void queue_masks_trim(struct queue *q)
{
	for (uint32_t i = 0; i < q->mask_count; i++)
		if (!q->masks[i].used)
			mask_free(q, &q->masks[i]);
}

/* A free mask that is large enough but not by much, else a free place for one. NULL: none. */
static struct queue_mask *find_mask(struct queue *q, uint64_t size)
{
	struct queue_mask *place = NULL;
	while (q->mask_first < q->mask_count && q->masks[q->mask_first].used)
		q->mask_first++;
	for (uint32_t i = q->mask_first; i < q->mask_count; i++) {
		struct queue_mask *m = &q->masks[i];
		if (m->used)
			continue;
		if (m->size >= size && m->size / 4 <= size)
			return m;
		if (!place || !m->buffer)
			place = m;
	}
	if ((!place || place->buffer) && q->mask_count < QUEUE_MASKS_MOST)
		place = &q->masks[q->mask_count++];
	return place;
}

int32_t queue_mask_take(struct queue *q, uint64_t threads)
{
	uint64_t size = MASK_LEAST;
	while (size / 4 < threads / 32 + 1)
		size *= 2;
	struct queue_mask *m = find_mask(q, size);
	if (!m)
		return -1;
	if (m->size < size || m->size / 4 > size) {
		mask_free(q, m);
		if (q->mask_bytes + size > MASKS_SIZE_MOST)
			queue_masks_trim(q);
		if (q->mask_bytes + size > MASKS_SIZE_MOST)
			return -1;
		m->buffer = q->device->functions->buffer_new(q->device, size);
		if (!m->buffer)
			return -1;
		m->size = size;
		q->mask_bytes += size;
	}
	if (!m->clear && !zero(q, m->buffer, m->size))
		return -1;
	m->used = m->clear = true;
	return (int32_t)(m - q->masks);
}

uint32_t *queue_mask_read(struct queue *q, const struct queued_launch *l)
{
	uint64_t size = (launch_threads(l) + 31) / 32 * 4;
	struct queue_mask *m = &q->masks[l->mask];
	uint32_t *words = memory_alloc(size);
	if (q->device->functions->buffer_read(q->device, m->buffer, words, size))
		return words;
	free(words);
	return NULL;
}

uint32_t *queue_status_read(struct queue *q)
{
	uint64_t stride = record_stride(q), size = q->count * stride;
	uint32_t *words = memory_alloc(size);
	if (!q->device->functions->buffer_read(q->device, q->status, words, size)) {
		free(words);
		return NULL;
	}
	bool dirty = false;
	for (uint32_t i = 0; i < q->count; i++) {
		memmove(words + i * STATUS_WORDS, (char *)words + i * stride, RECORD_SIZE); /* one after another */
		if (!words[i * STATUS_WORDS])
			continue;
		dirty = true;
		if (q->launches[i].mask >= 0)
			q->masks[q->launches[i].mask].clear = false;
	}
	if (dirty)
		zero(q, q->status, size);
	return words;
}
