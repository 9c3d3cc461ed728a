/* Copies to and from a part of a buffer. */
#ifndef SSPUR_RUNTIME_QUEUE_RANGES_H
#define SSPUR_RUNTIME_QUEUE_RANGES_H

#include "runtime/queue.h"

/* Bytes [offset, offset + size) of the buffer, all within it; otherwise as queue_buffer_write and queue_buffer_read.
 * Where the contents are not in host memory they are brought there, and back when the device needs them. */
bool queue_range_write(struct queue *q, struct queue_buffer *b, uint64_t offset, const void *bytes, uint64_t size);
bool queue_range_read(struct queue *q, struct queue_buffer *b, uint64_t offset, void *bytes, uint64_t size);

#endif
