#include <stdlib.h>

#include "runtime/api.h"
#include "runtime/queue_ranges.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

sspur_error sspur_buffer_new(sspur_context *c, uint64_t size, sspur_buffer **buffer)
{
	FLOAT_ENVIRONMENT;
	if (buffer)
		*buffer = NULL;
	if (!c || !buffer)
		return api_fail(c, SSPUR_ERROR_ARGUMENT, "sspur_buffer_new: a null pointer");
	if (api_is_left_behind(c))
		return SSPUR_ERROR_LOST;
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
	FLOAT_ENVIRONMENT;
	if (!b || api_is_left_behind(b->context))
		return;
	holding_remove(&b->holding);
	queue_buffer_release(b->context->queue, b->buffer);
	free(b);
}

uint64_t sspur_buffer_size(const sspur_buffer *b)
{
	return b ? b->size : 0;
}

static sspur_error check_copy(sspur_buffer *b, uint64_t offset, const void *bytes, uint64_t size, const char *function)
{
	if (!b || (!bytes && size))
		return api_fail(b ? b->context : NULL, SSPUR_ERROR_ARGUMENT, "%s: a null pointer", function);
	if (api_is_left_behind(b->context))
		return SSPUR_ERROR_LOST;
	if (offset <= b->size && size <= b->size - offset)
		return SSPUR_OK;
	struct text from = {0};
	if (offset)
		text_add_format(&from, " from byte %llu on", (unsigned long long)offset);
	api_fail(b->context, SSPUR_ERROR_ARGUMENT, "%s: %llu bytes%s, and the buffer has %llu", function,
	         (unsigned long long)size, text_string(&from), (unsigned long long)b->size);
	text_free(&from);
	return SSPUR_ERROR_ARGUMENT;
}

static sspur_error lost(sspur_context *c)
{
	return api_fail(c, SSPUR_ERROR_LOST, "dev: the GPU failed while running %s", queue_failed_kernel(c->queue));
}

static sspur_error tell(sspur_buffer *b, enum queue_range_result result)
{
	switch (result) {
	case QUEUE_RANGE_DONE: return SSPUR_OK;
	case QUEUE_RANGE_LOST: return lost(b->context);
	case QUEUE_RANGE_NO_MEMORY: break;
	}
	return api_fail(b->context, SSPUR_ERROR_MEMORY, "dev: out of device memory (%llu bytes)",
	                (unsigned long long)b->size);
}

static sspur_error write_range(sspur_buffer *b, uint64_t offset, const void *bytes, uint64_t size, const char *function)
{
	sspur_error status = check_copy(b, offset, bytes, size, function);
	if (status == SSPUR_OK)
		status = tell(b, queue_range_write(b->context->queue, b->buffer, offset, bytes, size));
	return status;
}

static sspur_error read_range(sspur_buffer *b, uint64_t offset, void *bytes, uint64_t size, const char *function)
{
	sspur_error status = check_copy(b, offset, bytes, size, function);
	if (status == SSPUR_OK)
		status = sspur_synchronize(b->context);
	if (status == SSPUR_OK)
		status = tell(b, queue_range_read(b->context->queue, b->buffer, offset, bytes, size));
	return status;
}

sspur_error sspur_buffer_write(sspur_buffer *b, const void *bytes, uint64_t size)
{
	FLOAT_ENVIRONMENT;
	return write_range(b, 0, bytes, size, "sspur_buffer_write");
}

sspur_error sspur_buffer_read(sspur_buffer *b, void *bytes, uint64_t size)
{
	FLOAT_ENVIRONMENT;
	return read_range(b, 0, bytes, size, "sspur_buffer_read");
}

sspur_error sspur_buffer_write_at(sspur_buffer *b, uint64_t offset, const void *bytes, uint64_t size)
{
	FLOAT_ENVIRONMENT;
	return write_range(b, offset, bytes, size, "sspur_buffer_write_at");
}

sspur_error sspur_buffer_read_at(sspur_buffer *b, uint64_t offset, void *bytes, uint64_t size)
{
	FLOAT_ENVIRONMENT;
	return read_range(b, offset, bytes, size, "sspur_buffer_read_at");
}
