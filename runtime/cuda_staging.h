/* Large copies between the host and a CUDA device, through two chunks of page-locked memory: the processor fills or
 * empties one while the device works on the other. */
#ifndef SSPUR_RUNTIME_CUDA_STAGING_H
#define SSPUR_RUNTIME_CUDA_STAGING_H

#include "runtime/cuda_driver.h"

/* Zero-initialise; the chunks are made at the first large copy. */
struct cuda_staging {
	struct cuda_event *events[2]; /* when the device was done with the chunk */
	void *chunks[2];
	bool is_made, is_missing; /* missing: there was no page-locked memory */
};

/* In order on `stream`, with its context current. False when the driver fails. `from` may change after the call. */
bool cuda_staging_write(struct cuda_staging *s, const struct cuda_driver *cu, struct cuda_stream *stream,
                        cuda_address to, const void *from, size_t size);
/* Waits for what is in the stream. */
bool cuda_staging_read(struct cuda_staging *s, const struct cuda_driver *cu, struct cuda_stream *stream, void *to,
                       cuda_address from, size_t size);
void cuda_staging_free(struct cuda_staging *s, const struct cuda_driver *cu);

#endif
