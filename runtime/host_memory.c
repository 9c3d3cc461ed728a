/* Host-memory buffers, aligned for any vector; contents undefined until written, as on any device. */
#include "runtime/host_memory.h"

#include <stdlib.h>
#include <string.h>

#include "utils/base/arena.h"

enum { BUFFER_ALIGNMENT = 64 };

struct device_buffer {
	void *bytes;
	bool borrowed;
};

struct device_buffer *host_buffer_new(struct device *d, uint64_t size)
{
	(void)d;
	if (size > (uint64_t)PTRDIFF_MAX - BUFFER_ALIGNMENT)
		return NULL;
	struct device_buffer *b = malloc(sizeof *b);
	if (!b)
		return NULL;
	b->borrowed = false;
	if (posix_memalign(&b->bytes, BUFFER_ALIGNMENT, size ? size : 1) != 0) {
		free(b);
		return NULL;
	}
	return b;
}

void host_buffer_free(struct device *d, struct device_buffer *b)
{
	(void)d;
	if (!b)
		return;
	if (!b->borrowed)
		free(b->bytes);
	free(b);
}

bool host_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	(void)d;
	if (size)
		memcpy(b->bytes, bytes, size);
	return true;
}

bool host_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	(void)d;
	if (size)
		memcpy(bytes, b->bytes, size);
	return true;
}

void *host_buffer_address(struct device_buffer *b)
{
	return b->bytes;
}

struct device_buffer *host_buffer_borrow(void *bytes)
{
	struct device_buffer *b = memory_alloc(sizeof *b);
	*b = (struct device_buffer){.bytes = bytes, .borrowed = true};
	return b;
}
