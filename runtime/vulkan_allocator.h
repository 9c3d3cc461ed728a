/* Memory of a Vulkan device. Devices allow few allocations (4,096 in places), so small buffers share blocks; large ones
 * have one of their own. */
#ifndef SSPUR_RUNTIME_VULKAN_ALLOCATOR_H
#define SSPUR_RUNTIME_VULKAN_ALLOCATOR_H

#include "runtime/vulkan_gpu.h"

enum vulkan_memory_use {
	VULKAN_MEMORY_BUFFERS,  /* kernels work on it: the device's own; where that is the host's too, the host sees it
	                         */
	VULKAN_MEMORY_STAGING,  /* copies pass through it: the host reads and writes it fast */
	VULKAN_MEMORY_SETTINGS, /* the host writes and the device reads it */
};

/* One allocation, with one buffer of all of it. Zeroed: none. */
struct vulkan_block {
	VkDeviceMemory memory;
	VkBuffer buffer;
	uint64_t size;
	char *host; /* NULL: the host does not see it */
};

struct vulkan_pool;

/* A part of a block. Zeroed: no bytes. */
struct vulkan_region {
	VkBuffer buffer;
	uint64_t offset, size;
	char *host; /* of its first byte */
	struct vulkan_pool *pool;
};

struct vulkan_allocator {
	const struct vulkan_gpu *gpu;
	struct vulkan_pool *pools;
};

/* False: no memory of this use. */
bool vulkan_block_make(struct vulkan_block *b, const struct vulkan_gpu *gpu, enum vulkan_memory_use use, uint64_t size);
void vulkan_block_free(struct vulkan_block *b, const struct vulkan_gpu *gpu);

/* `size` is above 0. Contents undefined. False: out of memory. */
bool vulkan_allocator_take(struct vulkan_allocator *m, uint64_t size, struct vulkan_region *region);
/* Nothing on the device uses it any more. */
void vulkan_allocator_give(struct vulkan_allocator *m, const struct vulkan_region *region);
void vulkan_allocator_free(struct vulkan_allocator *m);

#endif
