#include "runtime/vulkan_commands.h"

#include <string.h>

enum {
	SETTINGS_RING_SIZE = 1 << 20,
	STAGING_RING_SIZE = 4 * VULKAN_CHUNK_SIZE,
	RING_ALIGNMENT = 256, /* the most that minStorageBufferOffsetAlignment may be */
};

static bool has_failed(struct vulkan_commands *c, VkResult result, const char *call)
{
	struct text why = {0};
	if (vulkan_failed(result, call, &why) && !c->failure.length)
		text_add(&c->failure, text_string(&why));
	text_free(&why);
	return c->failure.length != 0;
}

/* ---- Making ---- */

static bool make_batch(struct vulkan_batch *b, const struct vulkan_gpu *gpu, VkCommandPool pool, struct text *error)
{
	VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
	                                        .commandPool = pool,
	                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
	                                        .commandBufferCount = 1};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VULKAN_BINDINGS};
	VkDescriptorPoolCreateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
	                                   .maxSets = VULKAN_SETS,
	                                   .poolSizeCount = 1,
	                                   .pPoolSizes = &size};
	return !vulkan_failed(gpu->vk->vkAllocateCommandBuffers(gpu->device, &commands, &b->commands),
	                      "vkAllocateCommandBuffers", error) &&
	       !vulkan_failed(gpu->vk->vkCreateFence(gpu->device, &fence, NULL, &b->fence), "vkCreateFence", error) &&
	       !vulkan_failed(gpu->vk->vkCreateDescriptorPool(gpu->device, &sets, NULL, &b->sets),
	                      "vkCreateDescriptorPool", error);
}

bool vulkan_commands_make(struct vulkan_commands *c, const struct vulkan_gpu *gpu, struct text *error)
{
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
	                                .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT |
	                                         VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
	                                .queueFamilyIndex = gpu->family};
	*c = (struct vulkan_commands){.gpu = gpu, .current = 1, .epoch = 1};
	if (vulkan_failed(gpu->vk->vkCreateCommandPool(gpu->device, &info, NULL, &c->pool), "vkCreateCommandPool",
	                  error))
		return false;
	for (int i = 0; i < VULKAN_BATCHES; i++)
		if (!make_batch(&c->batches[i], gpu, c->pool, error))
			return false;
	return true;
}

void vulkan_commands_free(struct vulkan_commands *c)
{
	const struct vulkan_gpu *gpu = c->gpu;
	for (int i = 0; i < VULKAN_BATCHES; i++) {
		gpu->vk->vkDestroyFence(gpu->device, c->batches[i].fence, NULL);
		gpu->vk->vkDestroyDescriptorPool(gpu->device, c->batches[i].sets, NULL);
	}
	gpu->vk->vkDestroyCommandPool(gpu->device, c->pool, NULL);
	for (int i = 0; i < VULKAN_RING_COUNT; i++)
		vulkan_block_free(&c->rings[i].block, gpu);
	text_free(&c->failure);
}

/* ---- Batches ---- */

static struct vulkan_batch *current(struct vulkan_commands *c)
{
	return &c->batches[c->current % VULKAN_BATCHES];
}

VkCommandBuffer vulkan_commands_begin(struct vulkan_commands *c)
{
	const struct vulkan_gpu *gpu = c->gpu;
	struct vulkan_batch *b = current(c);
	if (c->recording)
		return b->commands;
	if (c->failure.length || (c->current > VULKAN_BATCHES && !vulkan_commands_wait(c, c->current - VULKAN_BATCHES)))
		return NULL;
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
	                                 .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	if (has_failed(c, gpu->vk->vkResetDescriptorPool(gpu->device, b->sets, 0), "vkResetDescriptorPool") ||
	    has_failed(c, gpu->vk->vkBeginCommandBuffer(b->commands, &info), "vkBeginCommandBuffer"))
		return NULL;
	b->set_count = b->binding_count = 0;
	c->recording = true;
	return b->commands;
}

/* Fences say nothing of the host's caches: a barrier does (Vulkan, Host Write Ordering Guarantees, and its opposite).
 */
static void show_host(struct vulkan_commands *c)
{
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
	                           .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
	                           .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT};
	c->gpu->vk->vkCmdPipelineBarrier(current(c)->commands,
	                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
	                                 VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

bool vulkan_commands_submit(struct vulkan_commands *c)
{
	const struct vulkan_gpu *gpu = c->gpu;
	struct vulkan_batch *b = current(c);
	if (!c->recording)
		return !c->failure.length;
	show_host(c);
	VkSubmitInfo info = {
	    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &b->commands};
	c->recording = false;
	if (has_failed(c, gpu->vk->vkEndCommandBuffer(b->commands), "vkEndCommandBuffer") ||
	    has_failed(c, gpu->vk->vkQueueSubmit(gpu->queue, 1, &info, b->fence), "vkQueueSubmit"))
		return false;
	for (int i = 0; i < VULKAN_RING_COUNT; i++)
		b->ring_ends[i] = c->rings[i].head;
	c->current++;
	return true;
}

bool vulkan_commands_wait(struct vulkan_commands *c, uint64_t batch)
{
	const struct vulkan_gpu *gpu = c->gpu;
	while (c->done < batch) {
		struct vulkan_batch *b = &c->batches[(c->done + 1) % VULKAN_BATCHES];
		if (has_failed(c, gpu->vk->vkWaitForFences(gpu->device, 1, &b->fence, VK_TRUE, UINT64_MAX),
		               "vkWaitForFences") ||
		    has_failed(c, gpu->vk->vkResetFences(gpu->device, 1, &b->fence), "vkResetFences"))
			return false;
		for (int i = 0; i < VULKAN_RING_COUNT; i++)
			c->rings[i].tail = b->ring_ends[i];
		c->done++;
	}
	return true;
}

bool vulkan_commands_drain(struct vulkan_commands *c)
{
	return vulkan_commands_submit(c) && vulkan_commands_wait(c, c->current - 1) && !c->failure.length;
}

bool vulkan_commands_idle(const struct vulkan_commands *c)
{
	return !c->recording && c->done + 1 == c->current;
}

/* ---- Descriptor sets and rings ---- */

bool vulkan_commands_reserve_set(struct vulkan_commands *c, uint32_t bindings)
{
	const struct vulkan_batch *b = current(c);
	return !c->recording || (b->set_count < VULKAN_SETS && b->binding_count + bindings <= VULKAN_BINDINGS) ||
	       vulkan_commands_submit(c);
}

VkDescriptorSet vulkan_commands_set(struct vulkan_commands *c, VkDescriptorSetLayout layout, uint32_t bindings)
{
	struct vulkan_batch *b = current(c);
	VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
	                                    .descriptorPool = b->sets,
	                                    .descriptorSetCount = 1,
	                                    .pSetLayouts = &layout};
	VkDescriptorSet set = VK_NULL_HANDLE;
	b->set_count++;
	b->binding_count += bindings;
	has_failed(c, c->gpu->vk->vkAllocateDescriptorSets(c->gpu->device, &info, &set), "vkAllocateDescriptorSets");
	return set;
}

/* Skips what is left at the end where that is too little. False: no room now. */
static bool take(struct vulkan_ring *r, uint64_t size, uint64_t *offset)
{
	uint64_t head = (r->head + RING_ALIGNMENT - 1) / RING_ALIGNMENT * RING_ALIGNMENT;
	if (head % r->block.size + size > r->block.size)
		head += r->block.size - head % r->block.size;
	if (head + size - r->tail > r->block.size)
		return false;
	*offset = head % r->block.size;
	r->head = head + size;
	return true;
}

static bool make_ring(struct vulkan_commands *c, enum vulkan_ring_use use)
{
	static const uint64_t sizes[] = {SETTINGS_RING_SIZE, STAGING_RING_SIZE};
	static const enum vulkan_memory_use memory[] = {VULKAN_MEMORY_SETTINGS, VULKAN_MEMORY_STAGING};
	return c->rings[use].block.host || vulkan_block_make(&c->rings[use].block, c->gpu, memory[use], sizes[use]);
}

char *vulkan_commands_space(struct vulkan_commands *c, enum vulkan_ring_use use, uint64_t size, uint64_t *offset)
{
	struct vulkan_ring *r = &c->rings[use];
	if (!make_ring(c, use))
		return NULL;
	while (!take(r, size, offset)) {
		if (vulkan_commands_idle(c))
			r->tail = r->head;
		else if (!vulkan_commands_submit(c) || !vulkan_commands_wait(c, c->done + 1))
			return NULL;
	}
	return r->block.host + *offset;
}

/* ---- Order ---- */

bool vulkan_commands_conflict(const struct vulkan_commands *c, const struct vulkan_uses *uses, enum vulkan_use use)
{
	bool read = uses->read == c->epoch, written = uses->written == c->epoch, shared = uses->shared == c->epoch;
	switch (use) {
	case VULKAN_READS: return written || shared;
	case VULKAN_WRITES: return read || written || shared;
	case VULKAN_SHARES: return read || written;
	}
	return true;
}

void vulkan_commands_note(const struct vulkan_commands *c, struct vulkan_uses *uses, enum vulkan_use use)
{
	switch (use) {
	case VULKAN_READS: uses->read = c->epoch; return;
	case VULKAN_WRITES: uses->written = c->epoch; return;
	case VULKAN_SHARES: uses->shared = c->epoch; return;
	}
}

void vulkan_commands_barrier(struct vulkan_commands *c)
{
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
	                           .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
	                           .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
	                                            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
	VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
	c->gpu->vk->vkCmdPipelineBarrier(current(c)->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
	c->epoch++;
}
