#include <stdlib.h>

#include "runtime/api.h"
#include "utils/base/arena.h"

sspur_error sspur_buffer_new(sspur_context *c, uint64_t size, sspur_buffer **buffer)
{
	if (buffer)
		*buffer = NULL;
	if (!c || !buffer)
		return api_fail(c, SSPUR_ERROR_ARGUMENT, "sspur_buffer_new: a null pointer");
	struct queue_buffer *inner = queue_buffer_new(c->queue, size);
	if (!inner)
		return api_fail(c, SSPUR_ERROR_MEMORY, "dev: out of device memory (%llu bytes)",
		                (unsigned long long)size);
	sspur_buffer *b = memory_zeroed(1, sizeof *b);
	b->context = c;
	b->buffer = inner;
	b->size = size;
	holding_add(&c->buffers, &b->holding);
	*buffer = b;
	return SSPUR_OK;
}

void sspur_buffer_free(sspur_buffer *b)
{
	if (!b)
		return;
	holding_remove(&b->holding);
	queue_buffer_release(b->context->queue, b->buffer);
	free(b);
}

uint64_t sspur_buffer_size(const sspur_buffer *b)
{
	return b ? b->size : 0;
}

static sspur_error check_copy(sspur_buffer *b, const void *bytes, uint64_t size, const char *function)
{
	if (!b || (!bytes && size))
		return api_fail(b ? b->context : NULL, SSPUR_ERROR_ARGUMENT, "%s: a null pointer", function);
	if (size <= b->size)
		return SSPUR_OK;
	return api_fail(b->context, SSPUR_ERROR_ARGUMENT, "%s: %llu bytes, and the buffer has %llu", function,
	                (unsigned long long)size, (unsigned long long)b->size);
}

static sspur_error lost(sspur_context *c)
{
	return api_fail(c, SSPUR_ERROR_LOST, "dev: the GPU failed while running %s", queue_failed_kernel(c->queue));
}

sspur_error sspur_buffer_write(sspur_buffer *b, const void *bytes, uint64_t size)
{
	sspur_error status = check_copy(b, bytes, size, "sspur_buffer_write");
	if (status == SSPUR_OK && !queue_buffer_write(b->context->queue, b->buffer, bytes, size))
		status = lost(b->context);
	return status;
}

sspur_error sspur_buffer_read(sspur_buffer *b, void *bytes, uint64_t size)
{
	sspur_error status = check_copy(b, bytes, size, "sspur_buffer_read");
	if (status == SSPUR_OK)
		status = sspur_synchronize(b->context);
	if (status == SSPUR_OK && !queue_buffer_read(b->context->queue, b->buffer, bytes, size))
		status = lost(b->context);
	return status;
}
