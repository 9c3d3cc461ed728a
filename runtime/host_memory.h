/* Buffers of devices that compute in the host's memory. */
#ifndef SSPUR_RUNTIME_HOST_MEMORY_H
#define SSPUR_RUNTIME_HOST_MEMORY_H

#include "runtime/device.h"

/* The memory group of struct device_functions. */
struct device_buffer *host_buffer_new(struct device *d, uint64_t size);
void host_buffer_free(struct device *d, struct device_buffer *b);
bool host_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size);
bool host_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size);
void *host_buffer_address(struct device_buffer *b);

/* A buffer over memory that stays the caller's, freed with host_buffer_free. */
struct device_buffer *host_buffer_borrow(void *bytes);

#endif
