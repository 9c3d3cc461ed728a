#include "runtime/cuda_staging.h"

#include <string.h>

enum {
	CHUNK_SIZE = 4 << 20,
	LARGE_SIZE = 1 << 20, /* the driver stages smaller copies itself, as fast */
};

static bool make(struct cuda_staging *s, const struct cuda_driver *cu)
{
	s->is_made = true;
	for (int i = 0; i < 2 && !s->is_missing; i++)
		s->is_missing = cu->cuMemHostAlloc(&s->chunks[i], CHUNK_SIZE, 0) ||
		                cu->cuEventCreate(&s->events[i], CUDA_EVENT_DISABLE_TIMING);
	return !s->is_missing;
}

static bool is_staged(struct cuda_staging *s, const struct cuda_driver *cu, size_t size)
{
	return size >= LARGE_SIZE && !s->is_missing && (s->is_made || make(s, cu));
}

static size_t chunk_size(size_t size, size_t offset)
{
	return size - offset < CHUNK_SIZE ? size - offset : CHUNK_SIZE;
}

bool cuda_staging_write(struct cuda_staging *s, const struct cuda_driver *cu, struct cuda_stream *stream,
                        cuda_address to, const void *from, size_t size)
{
	if (!is_staged(s, cu, size)) /* has taken the bytes when it returns: they are not page-locked */
		return !cu->cuMemcpyHtoDAsync(to, from, size, stream);
	for (size_t offset = 0, n = 0; offset < size; offset += CHUNK_SIZE, n++) {
		if (cu->cuEventSynchronize(s->events[n % 2]))
			return false;
		memcpy(s->chunks[n % 2], (const char *)from + offset, chunk_size(size, offset));
		if (cu->cuMemcpyHtoDAsync(to + offset, s->chunks[n % 2], chunk_size(size, offset), stream) ||
		    cu->cuEventRecord(s->events[n % 2], stream))
			return false;
	}
	return true;
}

/* While the processor empties chunk n, the device fills chunk n + 1. */
bool cuda_staging_read(struct cuda_staging *s, const struct cuda_driver *cu, struct cuda_stream *stream, void *to,
                       cuda_address from, size_t size)
{
	if (!is_staged(s, cu, size))
		return !cu->cuMemcpyDtoHAsync(to, from, size, stream) && !cu->cuStreamSynchronize(stream);
	for (size_t offset = 0, n = 0; offset < size + CHUNK_SIZE; offset += CHUNK_SIZE, n++) {
		if (offset < size &&
		    (cu->cuMemcpyDtoHAsync(s->chunks[n % 2], from + offset, chunk_size(size, offset), stream) ||
		     cu->cuEventRecord(s->events[n % 2], stream)))
			return false;
		if (n == 0)
			continue;
		if (cu->cuEventSynchronize(s->events[(n - 1) % 2]))
			return false;
		size_t filled = offset - CHUNK_SIZE;
		memcpy((char *)to + filled, s->chunks[(n - 1) % 2], chunk_size(size, filled));
	}
	return true;
}

void cuda_staging_free(struct cuda_staging *s, const struct cuda_driver *cu)
{
	for (int i = 0; i < 2; i++) {
		if (s->chunks[i])
			cu->cuMemFreeHost(s->chunks[i]);
		if (s->events[i])
			cu->cuEventDestroy(s->events[i]);
	}
	*s = (struct cuda_staging){0};
}
