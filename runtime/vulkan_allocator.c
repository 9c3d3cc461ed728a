/* A pool is a block and its stretches, in use or free, in order; neighbours that are free are one stretch. */
#include "runtime/vulkan_allocator.h"

#include <stdlib.h>

#include "utils/base/arena.h"

enum {
	POOL_SIZE = 64 << 20,
	LARGE_SIZE = 16 << 20, /* from here on a block of its own */
	ALIGNMENT_LEAST = 64,
};

struct stretch {
	struct stretch *next;
	uint64_t offset, size;
	bool used;
};

struct vulkan_pool {
	struct vulkan_pool *next, **link;
	struct vulkan_block block;
	struct stretch *stretches;
	uint64_t free_most; /* no free stretch is larger */
};

/* ---- Blocks ---- */

#define HOST_COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define UNIFIED (HOST_COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)

/* -1: none. */
static int find_type(const struct vulkan_gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags flags)
{
	for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++)
		if ((allowed >> i & 1) && (gpu->memory.memoryTypes[i].propertyFlags & flags) == flags)
			return (int)i;
	return -1;
}

/* The host reads and writes a discrete GPU's memory too slowly, even where it can. */
static bool is_unified(const struct vulkan_gpu *gpu)
{
	VkPhysicalDeviceType type = gpu->properties.deviceType;
	return vulkan_is_software(type) || type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

static int choose_type(const struct vulkan_gpu *gpu, enum vulkan_memory_use use, uint32_t allowed)
{
	VkMemoryPropertyFlags wanted[3] = {0};
	int count = 0;
	switch (use) {
	case VULKAN_MEMORY_BUFFERS:
		if (is_unified(gpu))
			wanted[count++] = UNIFIED;
		wanted[count++] = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
		wanted[count++] = 0;
		break;
	case VULKAN_MEMORY_STAGING:
		wanted[count++] = HOST_COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
		wanted[count++] = HOST_COHERENT;
		break;
	case VULKAN_MEMORY_SETTINGS:
		wanted[count++] = HOST_COHERENT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
		wanted[count++] = HOST_COHERENT;
		break;
	}
	int type = -1;
	for (int i = 0; type < 0 && i < count; i++)
		type = find_type(gpu, allowed, wanted[i]);
	return type;
}

static bool is_mapped(const struct vulkan_gpu *gpu, enum vulkan_memory_use use, uint32_t type)
{
	VkMemoryPropertyFlags flags = gpu->memory.memoryTypes[type].propertyFlags;
	return use != VULKAN_MEMORY_BUFFERS || (is_unified(gpu) && (flags & UNIFIED) == UNIFIED);
}

static bool allocate(struct vulkan_block *b, const struct vulkan_gpu *gpu, enum vulkan_memory_use use)
{
	VkMemoryRequirements needs;
	gpu->vk->vkGetBufferMemoryRequirements(gpu->device, b->buffer, &needs);
	int type = choose_type(gpu, use, needs.memoryTypeBits);
	if (type < 0)
		return false;
	uint32_t heap = gpu->memory.memoryTypes[type].heapIndex;
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
	                             .allocationSize = needs.size,
	                             .memoryTypeIndex = (uint32_t)type};
	/* Larger than the heap is not even to be tried (VUID-vkAllocateMemory-pAllocateInfo-01713). */
	if (needs.size > gpu->memory.memoryHeaps[heap].size ||
	    gpu->vk->vkAllocateMemory(gpu->device, &info, NULL, &b->memory) != VK_SUCCESS) {
		b->memory = VK_NULL_HANDLE;
		return false;
	}
	void *host = NULL;
	if (gpu->vk->vkBindBufferMemory(gpu->device, b->buffer, b->memory, 0) != VK_SUCCESS ||
	    (is_mapped(gpu, use, (uint32_t)type) &&
	     gpu->vk->vkMapMemory(gpu->device, b->memory, 0, VK_WHOLE_SIZE, 0, &host) != VK_SUCCESS))
		return false;
	b->host = host;
	return true;
}

bool vulkan_block_make(struct vulkan_block *b, const struct vulkan_gpu *gpu, enum vulkan_memory_use use, uint64_t size)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
	                           .size = size,
	                           .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
	                                    VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	                           .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
	*b = (struct vulkan_block){.size = size};
	uint64_t most = 0; /* drivers may fail on what could never be, or worse */
	for (uint32_t i = 0; i < gpu->memory.memoryHeapCount; i++)
		if (gpu->memory.memoryHeaps[i].size > most)
			most = gpu->memory.memoryHeaps[i].size;
	if (size > most || gpu->vk->vkCreateBuffer(gpu->device, &info, NULL, &b->buffer) != VK_SUCCESS) {
		*b = (struct vulkan_block){0};
		return false;
	}
	if (allocate(b, gpu, use))
		return true;
	vulkan_block_free(b, gpu);
	return false;
}

void vulkan_block_free(struct vulkan_block *b, const struct vulkan_gpu *gpu)
{
	if (b->buffer)
		gpu->vk->vkDestroyBuffer(gpu->device, b->buffer, NULL);
	if (b->memory)
		gpu->vk->vkFreeMemory(gpu->device, b->memory, NULL);
	*b = (struct vulkan_block){0};
}

/* ---- Pools ---- */

static struct vulkan_pool *pool_new(struct vulkan_allocator *m, uint64_t size)
{
	struct vulkan_block block;
	if (!vulkan_block_make(&block, m->gpu, VULKAN_MEMORY_BUFFERS, size))
		return NULL;
	struct vulkan_pool *p = memory_zeroed(1, sizeof *p);
	p->block = block;
	p->free_most = size;
	p->stretches = memory_zeroed(1, sizeof *p->stretches);
	p->stretches->size = size;
	p->next = m->pools;
	p->link = &m->pools;
	if (p->next)
		p->next->link = &p->next;
	m->pools = p;
	return p;
}

static void pool_free(struct vulkan_allocator *m, struct vulkan_pool *p)
{
	vulkan_block_free(&p->block, m->gpu);
	while (p->stretches) {
		struct stretch *next = p->stretches->next;
		free(p->stretches);
		p->stretches = next;
	}
	*p->link = p->next;
	if (p->next)
		p->next->link = p->link;
	free(p);
}

static bool take_from(struct vulkan_pool *p, uint64_t size, struct vulkan_region *region)
{
	uint64_t most = 0;
	if (p->free_most < size)
		return false;
	for (struct stretch *s = p->stretches; s; s = s->next) {
		if (s->used || s->size < size) {
			if (!s->used && s->size > most)
				most = s->size;
			continue;
		}
		if (s->size > size) {
			struct stretch *rest = memory_zeroed(1, sizeof *rest);
			*rest = (struct stretch){.next = s->next, .offset = s->offset + size, .size = s->size - size};
			s->next = rest;
			s->size = size;
		}
		s->used = true;
		*region = (struct vulkan_region){.buffer = p->block.buffer,
		                                 .offset = s->offset,
		                                 .size = size,
		                                 .host = p->block.host ? p->block.host + s->offset : NULL,
		                                 .pool = p};
		return true;
	}
	p->free_most = most;
	return false;
}

static uint64_t alignment_of(const struct vulkan_gpu *gpu)
{
	uint64_t alignment = gpu->properties.limits.minStorageBufferOffsetAlignment;
	return alignment > ALIGNMENT_LEAST ? alignment : ALIGNMENT_LEAST;
}

bool vulkan_allocator_take(struct vulkan_allocator *m, uint64_t size, struct vulkan_region *region)
{
	uint64_t alignment = alignment_of(m->gpu);
	if (size > UINT64_MAX - alignment)
		return false;
	uint64_t taken = (size + alignment - 1) / alignment * alignment;
	bool good = false;
	if (taken < LARGE_SIZE)
		for (struct vulkan_pool *p = m->pools; p && !good; p = p->next)
			good = p->block.size == POOL_SIZE && take_from(p, taken, region);
	if (!good) {
		struct vulkan_pool *p = taken < LARGE_SIZE ? pool_new(m, POOL_SIZE) : NULL;
		if (!p)
			p = pool_new(m, taken);
		good = p && take_from(p, taken, region);
	}
	region->size = size;
	return good;
}

static bool is_empty(const struct vulkan_pool *p)
{
	return !p->stretches->used && !p->stretches->next;
}

/* One pool that is empty is kept. */
static bool has_spare(const struct vulkan_allocator *m, const struct vulkan_pool *p)
{
	for (const struct vulkan_pool *other = m->pools; other; other = other->next)
		if (other != p && other->block.size == POOL_SIZE && is_empty(other))
			return true;
	return false;
}

void vulkan_allocator_give(struct vulkan_allocator *m, const struct vulkan_region *region)
{
	struct vulkan_pool *p = region->pool;
	struct stretch *before = NULL, *s = p->stretches;
	for (; s->offset != region->offset; s = s->next)
		before = s;
	s->used = false;
	if (s->next && !s->next->used) {
		struct stretch *next = s->next;
		s->size += next->size;
		s->next = next->next;
		free(next);
	}
	if (before && !before->used) {
		before->size += s->size;
		before->next = s->next;
		free(s);
		s = before;
	}
	if (s->size > p->free_most)
		p->free_most = s->size;
	if (is_empty(p) && (p->block.size != POOL_SIZE || has_spare(m, p)))
		pool_free(m, p);
}

void vulkan_allocator_free(struct vulkan_allocator *m)
{
	while (m->pools)
		pool_free(m, m->pools);
}
