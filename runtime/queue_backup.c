/* Backups (spec 3.4): what a buffer held before the first launch of a batch that writes it. A copy made in order on the
 * device always may be one; a copy on the host only where no unchecked launch of an earlier batch writes the buffer. */
#include <stdlib.h>
#include <string.h>

#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

const struct queue_backup *queue_backup_find(const struct queue *q, const struct queue_buffer *b, uint64_t batch)
{
	for (uint32_t i = 0; i < q->backup_count; i++)
		if (q->backups[i].buffer == b && q->backups[i].batch == batch)
			return &q->backups[i];
	return NULL;
}

static void add(struct queue *q, struct queue_backup backup)
{
	if (q->backup_count == q->backup_capacity) {
		q->backup_capacity = q->backup_capacity ? q->backup_capacity * 2 : 16;
		q->backups = memory_resize(q->backups, q->backup_capacity * sizeof *q->backups);
	}
	backup.buffer->references++;
	backup.buffer->backup_batch = backup.batch;
	q->backups[q->backup_count++] = backup;
}

/* ---- Copies on the device ---- */

static struct device_buffer *copy_take(struct queue *q, uint64_t size)
{
	for (uint32_t i = 0; i < q->spare_count; i++)
		if (q->spares[i].size == size) {
			struct device_buffer *copy = q->spares[i].copy;
			q->spares[i] = q->spares[--q->spare_count];
			return copy;
		}
	return queue_device_memory(q, size);
}

static void copy_release(struct queue *q, struct device_buffer *copy, uint64_t size)
{
	struct device *d = q->device;
	if (q->spare_count == QUEUE_SPARES_MOST) {
		d->functions->buffer_free(d, q->spares[0].copy);
		memmove(q->spares, q->spares + 1, (QUEUE_SPARES_MOST - 1) * sizeof *q->spares);
		q->spare_count--;
	}
	q->spares[q->spare_count++] = (struct queue_spare){.copy = copy, .size = size};
}

void queue_spares_free(struct queue *q)
{
	for (uint32_t i = 0; i < q->spare_count; i++)
		q->device->functions->buffer_free(q->device, q->spares[i].copy);
	q->spare_count = 0;
}

static bool copy_on_device(struct queue *q, struct queue_buffer *b)
{
	struct device_buffer *copy = copy_take(q, b->size);
	if (!copy)
		return false;
	bool good = !b->size || q->device->functions->buffer_copy(q->device, copy, b->device, b->size);
	if (good)
		add(q, (struct queue_backup){.buffer = b, .batch = q->batch, .copy = copy});
	else
		copy_release(q, copy, b->size);
	return good;
}

/* ---- Copies on the host ---- */

static bool copy_on_host(struct queue *q, struct queue_buffer *b)
{
	void *bytes = b->size < SIZE_MAX / 2 ? malloc(b->size ? b->size : 1) : NULL;
	bool good = bytes && (!b->size || q->device->functions->buffer_read(q->device, b->device, bytes, b->size));
	if (good)
		add(q, (struct queue_backup){.buffer = b, .batch = q->batch, .bytes = bytes});
	else
		free(bytes);
	return good;
}

static bool earlier_batch_writes(const struct queue *q, const struct queue_buffer *b)
{
	for (uint32_t i = 0; i < q->count && q->launches[i].batch < q->batch; i++)
		if (launch_writes_buffer(&q->launches[i], b))
			return true;
	return false;
}

/* ---- What a launch needs ---- */

static bool needs_backup(const struct queue *q, const struct queued_launch *l, uint32_t i)
{
	return launch_writes(l, i) && l->arguments[i].buffer->backup_batch != q->batch;
}

enum backup_result queue_backup_launch(struct queue *q, const struct queued_launch *l)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++) {
		struct queue_buffer *b = l->arguments[i].buffer;
		if (!needs_backup(q, l, i))
			continue;
		if (q->device->functions->buffer_copy) {
			if (!copy_on_device(q, b))
				return BACKUP_NO_MEMORY;
		} else if (!earlier_batch_writes(q, b) && !copy_on_host(q, b)) {
			return BACKUP_NO_MEMORY;
		}
	}
	return BACKUP_DONE;
}

enum backup_result queue_backup_on_host(struct queue *q, const struct queued_launch *l)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++)
		if (needs_backup(q, l, i) && !copy_on_host(q, l->arguments[i].buffer))
			return BACKUP_NO_MEMORY;
	return BACKUP_DONE;
}

bool queue_backup_restore(struct queue *q, const struct queue_backup *backup, bool *lost)
{
	struct queue_buffer *b = backup->buffer;
	struct device_buffer *mirror = queue_mirror_space(q, b);
	if (!mirror)
		return false;
	void *to = q->exact->functions->buffer_host(mirror);
	if (b->size && backup->bytes) {
		memcpy(to, backup->bytes, b->size);
	} else if (b->size && !q->device->functions->buffer_read(q->device, backup->copy, to, b->size)) {
		*lost = true;
		return false;
	}
	b->mirror_valid = true;
	queue_mirror_changed(b);
	return true;
}

void queue_backups_drop(struct queue *q)
{
	for (uint32_t i = 0; i < q->backup_count; i++) {
		struct queue_backup *backup = &q->backups[i];
		if (backup->copy)
			copy_release(q, backup->copy, backup->buffer->size);
		free(backup->bytes);
		queue_buffer_drop(q, backup->buffer);
	}
	q->backup_count = 0;
}
