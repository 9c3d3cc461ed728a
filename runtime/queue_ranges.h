/* Copies to and from a part of a buffer. */
#ifndef SSPUR_RUNTIME_QUEUE_RANGES_H
#define SSPUR_RUNTIME_QUEUE_RANGES_H

#include "runtime/queue.h"

enum queue_range_result {
	QUEUE_RANGE_DONE,
	QUEUE_RANGE_LOST,      /* as queue_buffer_write and queue_buffer_read are false */
	QUEUE_RANGE_NO_MEMORY, /* the host has none for the contents; nothing has changed */
};

/* Bytes [offset, offset + size) of the buffer, all within it; otherwise as queue_buffer_write and queue_buffer_read.
 * Where the contents are not in host memory they are brought there, and back when the device needs them. */
enum queue_range_result queue_range_write(struct queue *q, struct queue_buffer *b, uint64_t offset, const void *bytes,
                                          uint64_t size);
enum queue_range_result queue_range_read(struct queue *q, struct queue_buffer *b, uint64_t offset, void *bytes,
                                         uint64_t size);

#endif
