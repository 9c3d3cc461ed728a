/* What a Vulkan device is told to do, in order. Commands are recorded into a batch; batches are submitted one after
 * another, each with a fence, and their objects are used again when they are done. */
#ifndef SSPUR_RUNTIME_VULKAN_COMMANDS_H
#define SSPUR_RUNTIME_VULKAN_COMMANDS_H

#include "runtime/vulkan_allocator.h"

enum {
	VULKAN_BATCHES = 8, /* submitted and not done, at most, with the one that is recorded */
	VULKAN_SETS = 64,   /* descriptor sets of a batch, and of their bindings */
	VULKAN_BINDINGS = 16 * VULKAN_SETS,
	VULKAN_CHUNK_SIZE = 4 << 20,     /* bytes of staging a copy takes at once, at most */
	VULKAN_SETTINGS_SIZE = 32 << 10, /* of a launch's settings, at most */
};

/* Host-visible memory, taken in order and free again when the batch that used it is done. */
struct vulkan_ring {
	struct vulkan_block block; /* made when first used */
	uint64_t head, tail;       /* bytes taken and freed, from the start */
};

enum vulkan_ring_use {
	VULKAN_RING_SETTINGS,
	VULKAN_RING_STAGING,
	VULKAN_RING_COUNT,
};

struct vulkan_batch {
	VkCommandBuffer commands;
	VkFence fence;
	VkDescriptorPool sets;
	uint32_t set_count, binding_count;
	uint64_t ring_ends[VULKAN_RING_COUNT];
};

struct vulkan_commands {
	const struct vulkan_gpu *gpu;
	VkCommandPool pool;
	struct vulkan_batch batches[VULKAN_BATCHES];
	struct vulkan_ring rings[VULKAN_RING_COUNT];
	uint64_t current; /* the batch that is or will be recorded, from 1; it uses place current % VULKAN_BATCHES */
	uint64_t done;    /* this batch and all before it are */
	bool recording;
	uint64_t epoch;      /* barriers so far, from 1 */
	struct text failure; /* the first; then nothing more is recorded */
};

/* When a buffer was used last, in epochs. Zeroed: never. */
struct vulkan_uses {
	uint64_t read, written, shared;
};

enum vulkan_use {
	VULKAN_READS,
	VULKAN_WRITES,
	VULKAN_SHARES, /* writes what no other command that shares it touches: records and masks */
};

/* False with *error; then vulkan_commands_free is to be called all the same. */
bool vulkan_commands_make(struct vulkan_commands *c, const struct vulkan_gpu *gpu, struct text *error);
/* Nothing is in flight. */
void vulkan_commands_free(struct vulkan_commands *c);

/* Where to record the next command; NULL: the device failed. */
VkCommandBuffer vulkan_commands_begin(struct vulkan_commands *c);
/* Makes sure that the batch being recorded has another set to give, of so many bindings, VULKAN_BINDINGS at most. */
bool vulkan_commands_reserve_set(struct vulkan_commands *c, uint32_t bindings);
/* After that, and vulkan_commands_begin. NULL: the device failed. */
VkDescriptorSet vulkan_commands_set(struct vulkan_commands *c, VkDescriptorSetLayout layout, uint32_t bindings);
/* Bytes of a ring for the next command, at *offset of its block. May submit what is recorded. NULL: the device failed,
 * or there is no such memory. */
char *vulkan_commands_space(struct vulkan_commands *c, enum vulkan_ring_use use, uint64_t size, uint64_t *offset);
/* Notes that the next command uses a buffer; true: it must not overlap what was recorded before
 * (vulkan_commands_barrier first). */
bool vulkan_commands_conflict(const struct vulkan_commands *c, const struct vulkan_uses *uses, enum vulkan_use use);
void vulkan_commands_note(const struct vulkan_commands *c, struct vulkan_uses *uses, enum vulkan_use use);
/* What is recorded from here on sees what came before. */
void vulkan_commands_barrier(struct vulkan_commands *c);

/* Gives the device what is recorded. Then `current` - 1 is its number. */
bool vulkan_commands_submit(struct vulkan_commands *c);
bool vulkan_commands_wait(struct vulkan_commands *c, uint64_t batch);
/* Submits, and waits for everything. */
bool vulkan_commands_drain(struct vulkan_commands *c);
/* Nothing is recorded or in flight. */
bool vulkan_commands_idle(const struct vulkan_commands *c);

#endif
