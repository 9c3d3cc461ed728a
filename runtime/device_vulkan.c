/* Commands are recorded in order, with a barrier only where one depends on another. */
#include "runtime/device_vulkan.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_analysis.h"
#include "runtime/capabilities.h"
#include "runtime/holding.h"
#include "runtime/launch_values.h"
#include "runtime/vulkan_commands.h"
#include "runtime/vulkan_program.h"
#include "utils/base/arena.h"

enum { RECORD_SIZE = 32, DUMMY_SIZE = 256 };

struct device_buffer {
	struct holding holding;
	struct vulkan_region region; /* no bytes: its buffer is NULL */
	struct vulkan_uses uses;
};

struct device_program {
	struct holding holding;
	struct vulkan_program program;
};

struct vulkan_state {
	struct vulkan_gpu gpu;
	struct vulkan_allocator memory;
	struct vulkan_commands commands;
	struct vulkan_region dummy; /* bound where there is nothing to bind */
	struct holding *buffers, *programs;
	struct holding *retired; /* buffers that are free once the device is at rest */
	struct launch_values values;
	VkDescriptorBufferInfo *bindings; /* of a launch */
	uint32_t binding_capacity;
	uint8_t settings[VULKAN_SETTINGS_SIZE];
};

/* ---- Device ---- */

static uint32_t vulkan_count(struct text *error)
{
	VkPhysicalDevice device;
	const struct vulkan_driver *vk = vulkan_driver_open(error);
	return vk ? vulkan_find_device(vk, 0, &device, error) : 0;
}

static void free_state(struct vulkan_state *s)
{
	if (s->commands.gpu)
		vulkan_commands_free(&s->commands);
	vulkan_allocator_free(&s->memory);
	vulkan_gpu_close(&s->gpu);
	launch_values_free(&s->values);
	free(s->bindings);
	free(s);
}

static bool vulkan_open(struct device *d, struct text *error)
{
	struct vulkan_state *s = memory_zeroed(1, sizeof *s);
	s->memory.gpu = &s->gpu;
	bool good = vulkan_gpu_open(&s->gpu, d->number, error) && vulkan_commands_make(&s->commands, &s->gpu, error);
	if (good && !vulkan_allocator_take(&s->memory, DUMMY_SIZE, &s->dummy)) {
		text_add(error, "it has no memory to give");
		good = false;
	}
	if (good)
		d->state = s;
	else
		free_state(s);
	return good;
}

static void vulkan_describe(struct device *d, struct text *out)
{
	struct vulkan_state *s = d->state;
	const VkPhysicalDeviceProperties *p = &s->gpu.properties;
	text_add_format(out, "%s%s, %s, Vulkan %u.%u.%u, ", p->deviceName,
	                vulkan_is_software(p->deviceType) ? " (software)" : "", s->gpu.driver,
	                VK_API_VERSION_MAJOR(p->apiVersion), VK_API_VERSION_MINOR(p->apiVersion),
	                VK_API_VERSION_PATCH(p->apiVersion));
	capabilities_print(&s->gpu.capabilities, out);
}

static const struct device_capabilities *vulkan_capabilities(struct device *d)
{
	struct vulkan_state *s = d->state;
	return &s->gpu.capabilities;
}

/* ---- Memory ---- */

static void free_retired(struct vulkan_state *s)
{
	while (s->retired) {
		struct device_buffer *b = (struct device_buffer *)s->retired;
		vulkan_allocator_give(&s->memory, &b->region);
		holding_remove(&b->holding);
		free(b);
	}
}

/* Waits for everything. */
static bool rest(struct vulkan_state *s)
{
	bool good = vulkan_commands_drain(&s->commands);
	if (good)
		free_retired(s);
	return good;
}

static struct device_buffer *vulkan_buffer_new(struct device *d, uint64_t size)
{
	struct vulkan_state *s = d->state;
	struct vulkan_region region = {0};
	if (size && !vulkan_allocator_take(&s->memory, size, &region) &&
	    !(s->retired && rest(s) && vulkan_allocator_take(&s->memory, size, &region)))
		return NULL;
	struct device_buffer *b = memory_zeroed(1, sizeof *b);
	b->region = region;
	holding_add(&s->buffers, &b->holding);
	return b;
}

static void vulkan_buffer_free(struct device *d, struct device_buffer *b)
{
	struct vulkan_state *s = d->state;
	if (!b)
		return;
	holding_remove(&b->holding);
	if (b->region.buffer && !vulkan_commands_idle(&s->commands)) {
		holding_add(&s->retired, &b->holding);
		return;
	}
	if (b->region.buffer)
		vulkan_allocator_give(&s->memory, &b->region);
	free(b);
}

static void *vulkan_buffer_host(struct device_buffer *b)
{
	return b->region.host;
}

/* Records a copy that is ordered with what uses the buffer; the other side is staging, or a buffer too. */
static bool record_copy(struct vulkan_state *s, VkBuffer to, uint64_t to_offset, VkBuffer from, uint64_t from_offset,
                        uint64_t size, bool barrier)
{
	VkCommandBuffer commands = vulkan_commands_begin(&s->commands);
	if (!commands)
		return false;
	VkBufferCopy copy = {.srcOffset = from_offset, .dstOffset = to_offset, .size = size};
	if (barrier)
		vulkan_commands_barrier(&s->commands);
	s->gpu.vk->vkCmdCopyBuffer(commands, from, to, 1, &copy);
	return true;
}

static uint64_t chunk_of(uint64_t size, uint64_t offset)
{
	return size - offset < VULKAN_CHUNK_SIZE ? size - offset : VULKAN_CHUNK_SIZE;
}

static bool write_staged(struct vulkan_state *s, struct device_buffer *b, const void *bytes, uint64_t size)
{
	struct vulkan_commands *c = &s->commands;
	bool barrier = vulkan_commands_conflict(c, &b->uses, VULKAN_WRITES);
	for (uint64_t offset = 0; offset < size; offset += VULKAN_CHUNK_SIZE) {
		uint64_t chunk = chunk_of(size, offset), place;
		char *staging = vulkan_commands_space(c, VULKAN_RING_STAGING, chunk, &place);
		if (!staging)
			return false;
		memcpy(staging, (const char *)bytes + offset, chunk);
		if (!record_copy(s, b->region.buffer, b->region.offset + offset,
		                 c->rings[VULKAN_RING_STAGING].block.buffer, place, chunk, barrier && !offset) ||
		    (chunk < size && !vulkan_commands_submit(c))) /* the device copies this one, the host the next */
			return false;
	}
	vulkan_commands_note(c, &b->uses, VULKAN_WRITES);
	return true;
}

static bool vulkan_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	struct vulkan_state *s = d->state;
	if (!size)
		return true;
	if (s->commands.failure.length)
		return false;
	if (!b->region.host || !vulkan_commands_idle(&s->commands))
		return write_staged(s, b, bytes, size);
	memcpy(b->region.host, bytes, size);
	return true;
}

/* While the host empties chunk n, the device fills chunk n + 1: the ring has room for four. */
static bool read_staged(struct vulkan_state *s, struct device_buffer *b, char *bytes, uint64_t size)
{
	struct vulkan_commands *c = &s->commands;
	bool barrier = vulkan_commands_conflict(c, &b->uses, VULKAN_READS);
	const char *filled = NULL;
	uint64_t batch = 0, place;
	for (uint64_t offset = 0; offset < size; offset += VULKAN_CHUNK_SIZE) {
		const char *staging = vulkan_commands_space(c, VULKAN_RING_STAGING, chunk_of(size, offset), &place);
		if (!staging ||
		    !record_copy(s, c->rings[VULKAN_RING_STAGING].block.buffer, place, b->region.buffer,
		                 b->region.offset + offset, chunk_of(size, offset), barrier && !offset) ||
		    !vulkan_commands_submit(c))
			return false;
		if (filled && !vulkan_commands_wait(c, batch))
			return false;
		if (filled)
			memcpy(bytes + offset - VULKAN_CHUNK_SIZE, filled, VULKAN_CHUNK_SIZE);
		filled = staging;
		batch = c->current - 1;
	}
	uint64_t last = (size - 1) / VULKAN_CHUNK_SIZE * VULKAN_CHUNK_SIZE;
	if (!vulkan_commands_wait(c, batch))
		return false;
	memcpy(bytes + last, filled, size - last);
	free_retired(s);
	return true;
}

static bool vulkan_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	struct vulkan_state *s = d->state;
	if (!size)
		return true;
	if (s->commands.failure.length)
		return false;
	if (!b->region.host)
		return read_staged(s, b, bytes, size);
	if (!rest(s))
		return false;
	memcpy(bytes, b->region.host, size);
	return true;
}

static bool vulkan_buffer_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	struct vulkan_state *s = d->state;
	struct vulkan_commands *c = &s->commands;
	bool barrier = vulkan_commands_conflict(c, &to->uses, VULKAN_WRITES) ||
	               vulkan_commands_conflict(c, &from->uses, VULKAN_READS);
	if (size && !record_copy(s, to->region.buffer, to->region.offset, from->region.buffer, from->region.offset,
	                         size, barrier))
		return false;
	vulkan_commands_note(c, &to->uses, VULKAN_WRITES);
	vulkan_commands_note(c, &from->uses, VULKAN_READS);
	return true;
}

/* ---- Programs ---- */

static struct device_program *vulkan_load(struct device *d, const struct ir_module *module,
                                          const struct artifact_provider *provider, struct text *error)
{
	struct vulkan_state *s = d->state;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	if (!vulkan_program_load(&p->program, &s->gpu, module, provider, error)) {
		free(p);
		return NULL;
	}
	holding_add(&s->programs, &p->holding);
	return p;
}

static void vulkan_unload(struct device *d, struct device_program *p)
{
	struct vulkan_state *s = d->state;
	if (!p)
		return;
	if (!vulkan_commands_drain(&s->commands)) /* failed: there is no other way to wait */
		s->gpu.vk->vkDeviceWaitIdle(s->gpu.device);
	vulkan_program_free(&p->program);
	holding_remove(&p->holding);
	free(p);
}

static uint32_t vulkan_variants(const struct device_program *p, const struct ir_kernel *k)
{
	return vulkan_program_kernel(&p->program, k)->variants & ~(UINT32_C(1) << KERNEL_CHECKED);
}

/* ---- Launches ---- */

/* A launch that is being recorded. */
struct vulkan_launch {
	const struct device_launch *launch;
	const struct vulkan_kernel *kernel;
	VkPipeline pipeline;
	bool settings;          /* the kernel has them, and a mask (docs/abi.md) */
	uint32_t settings_size; /* bytes, in state->settings */
	uint32_t settings_binding;
	uint32_t first_group[3]; /* where they are in the settings */
	bool barrier;            /* before its first part */
};

static void put_setting(struct vulkan_state *s, struct vulkan_launch *l, uint64_t bits, uint32_t size)
{
	l->settings_size = (l->settings_size + size - 1) / size * size;
	memcpy(s->settings + l->settings_size, &bits, size);
	l->settings_size += size;
}

static void bind(struct vulkan_state *s, uint32_t binding, const struct vulkan_region *region, uint64_t offset,
                 uint64_t size)
{
	s->bindings[binding] = region && size ? (VkDescriptorBufferInfo){region->buffer, region->offset + offset, size}
	                                      : (VkDescriptorBufferInfo){s->dummy.buffer, s->dummy.offset, DUMMY_SIZE};
}

static bool use_buffer(struct vulkan_state *s, struct device_buffer *b, enum vulkan_use use)
{
	return b && vulkan_commands_conflict(&s->commands, &b->uses, use);
}

/* False with *error: the argument is larger than the device can bind. */
static bool bind_slice(struct vulkan_state *s, struct vulkan_launch *l, uint32_t parameter, uint32_t binding,
                       struct text *error)
{
	const struct ir_parameter *p = &l->launch->kernel->parameters[parameter];
	const struct device_argument *a = &l->launch->arguments[parameter];
	uint64_t most = s->gpu.properties.limits.maxStorageBufferRange, size = a->buffer->region.size;
	if (p->kind == IR_PARAMETER_BUFFER && a->length < size / p->type->size)
		size = a->length * p->type->size;
	if (size > most) {
		text_add_format(error, "%s has %llu bytes, the device takes %llu (maxStorageBufferRange)", p->name,
		                (unsigned long long)size, (unsigned long long)most);
		return false;
	}
	bind(s, binding, &a->buffer->region, 0, size);
	l->barrier |= use_buffer(s, a->buffer, p->memory->writable ? VULKAN_WRITES : VULKAN_READS);
	return true;
}

static bool bind_slices(struct vulkan_state *s, struct vulkan_launch *l, struct text *error)
{
	for (uint32_t i = 0; i < l->launch->kernel->parameter_count; i++)
		if (l->launch->kernel->parameters[i].kind != IR_PARAMETER_SCALAR &&
		    !bind_slice(s, l, i, l->settings_binding++, error))
			return false;
	return true;
}

/* Without settings nothing tells a part's place in the grid, nor that a slice has no elements: a buffer has some. */
static bool goes_at_once(const struct vulkan_state *s, const struct vulkan_launch *l, struct text *error)
{
	const struct ir_kernel *k = l->launch->kernel;
	for (unsigned axis = 0; axis < 3; axis++) {
		uint64_t groups = l->launch->extents[axis] / k->group[axis],
		         most = s->gpu.capabilities.groups_limit[axis];
		if (groups * k->group[axis] != l->launch->extents[axis])
			text_add(error, "the grid is not whole groups");
		else if (groups > most)
			text_add_format(error, "%llu groups on an axis, the device takes %llu",
			                (unsigned long long)groups, (unsigned long long)most);
		else
			continue;
		return false;
	}
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (k->parameters[i].kind == IR_PARAMETER_BUFFER && !l->launch->arguments[i].length) {
			text_add_format(error, "%s has no elements", k->parameters[i].name);
			return false;
		}
	return true;
}

/* What is not in buffers, as docs/abi.md orders it for Vulkan. */
static void write_settings(struct vulkan_state *s, struct vulkan_launch *l, const struct device_flags *flags)
{
	launch_values_make(&s->values, l->launch, flags);
	for (uint32_t i = 0; i < s->values.count; i++) {
		const struct launch_value *v = &s->values.items[i];
		switch (v->kind) {
		case LAUNCH_BITS: put_setting(s, l, v->bits, v->size); break;
		case LAUNCH_FIRST_GROUP:
			put_setting(s, l, 0, v->size);
			l->first_group[v->axis] = l->settings_size - v->size;
			break;
		case LAUNCH_BUFFER:
		case LAUNCH_STATUS:
		case LAUNCH_MASK: break;
		}
	}
	bool masked = l->launch->variant == KERNEL_CHECKED && flags->mask;
	put_setting(s, l, masked, sizeof(uint32_t));
}

static void bind_flags(struct vulkan_state *s, struct vulkan_launch *l, const struct device_flags *flags)
{
	bool checked = l->launch->variant == KERNEL_CHECKED;
	struct device_buffer *status = checked ? flags->status : NULL, *mask = checked ? flags->mask : NULL;
	uint64_t record = checked ? flags->record * s->gpu.capabilities.record_stride : 0;
	bind(s, l->settings_binding + l->settings, status ? &status->region : NULL, record, RECORD_SIZE);
	if (l->settings)
		bind(s, l->settings_binding + 2, mask ? &mask->region : NULL, 0, mask ? mask->region.size : 0);
	l->barrier |= use_buffer(s, status, VULKAN_SHARES) || use_buffer(s, mask, VULKAN_SHARES);
}

static void write_set(struct vulkan_state *s, const struct vulkan_launch *l, VkDescriptorSet set)
{
	VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
	                              .dstSet = set,
	                              .descriptorCount = l->kernel->bindings, /* goes on to the next bindings */
	                              .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
	                              .pBufferInfo = s->bindings};
	s->gpu.vk->vkUpdateDescriptorSets(s->gpu.device, 1, &write, 0, NULL);
}

static bool record_part(struct vulkan_state *s, struct vulkan_launch *l, const struct launch_part *part)
{
	const struct vulkan_driver *vk = s->gpu.vk;
	struct vulkan_commands *c = &s->commands;
	char *settings = NULL;
	uint64_t offset = 0;
	for (int axis = 0; l->settings && axis < l->launch->kernel->axes; axis++)
		memcpy(s->settings + l->first_group[axis], &part->first[axis], sizeof part->first[axis]);
	bool good = vulkan_commands_reserve_set(c, l->kernel->bindings);
	if (good && l->settings)
		good = (settings = vulkan_commands_space(c, VULKAN_RING_SETTINGS, l->settings_size, &offset)) != NULL;
	VkCommandBuffer commands = good ? vulkan_commands_begin(c) : NULL;
	VkDescriptorSet set =
	    commands ? vulkan_commands_set(c, l->kernel->set_layout, l->kernel->bindings) : VK_NULL_HANDLE;
	if (!set)
		return false;
	if (settings) {
		memcpy(settings, s->settings, l->settings_size);
		s->bindings[l->settings_binding] =
		    (VkDescriptorBufferInfo){c->rings[VULKAN_RING_SETTINGS].block.buffer, offset, l->settings_size};
	}
	write_set(s, l, set);
	if (l->barrier)
		vulkan_commands_barrier(c);
	l->barrier = false;
	vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, l->pipeline);
	vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, l->kernel->layout, 0, 1, &set, 0, NULL);
	vk->vkCmdDispatch(commands, (uint32_t)part->groups[0], (uint32_t)part->groups[1], (uint32_t)part->groups[2]);
	return true;
}

static void note_uses(struct vulkan_state *s, const struct vulkan_launch *l, const struct device_flags *flags)
{
	const struct ir_kernel *k = l->launch->kernel;
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (k->parameters[i].kind != IR_PARAMETER_SCALAR)
			vulkan_commands_note(&s->commands, &l->launch->arguments[i].buffer->uses,
			                     k->parameters[i].memory->writable ? VULKAN_WRITES : VULKAN_READS);
	if (l->launch->variant != KERNEL_CHECKED)
		return;
	vulkan_commands_note(&s->commands, &flags->status->uses, VULKAN_SHARES);
	if (flags->mask)
		vulkan_commands_note(&s->commands, &flags->mask->uses, VULKAN_SHARES);
}

/* Everything of the launch but its parts. */
static bool prepare(struct vulkan_state *s, struct device_program *p, struct vulkan_launch *l,
                    const struct device_flags *flags, struct text *error)
{
	const struct ir_kernel *k = l->launch->kernel;
	struct vulkan_kernel *kernel = vulkan_program_kernel(&p->program, k);
	if (!vulkan_kernel_prepare(kernel, &p->program, k, l->launch->variant, error))
		return false;
	l->kernel = kernel;
	l->pipeline = kernel->pipelines[l->launch->variant];
	if ((uint64_t)k->parameter_count * 8 + 128 > VULKAN_SETTINGS_SIZE) {
		text_add(error, "it has too many parameters");
		return false;
	}
	if (s->binding_capacity < kernel->bindings) {
		s->binding_capacity = kernel->bindings;
		s->bindings = memory_resize(s->bindings, kernel->bindings * sizeof *s->bindings);
	}
	l->settings = !p->program.buffers_alone;
	if (!bind_slices(s, l, error) || (!l->settings && !goes_at_once(s, l, error)))
		return false;
	if (l->settings)
		write_settings(s, l, flags);
	bind_flags(s, l, flags);
	return true;
}

static bool vulkan_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                          const struct device_flags *flags, struct text *error)
{
	struct vulkan_state *s = d->state;
	struct vulkan_launch l = {.launch = launch};
	struct launch_part part = {0};
	bool begun = false, good = prepare(s, p, &l, flags, error);
	while (good && launch_part_next(&part, launch, s->gpu.capabilities.groups_limit)) {
		good = record_part(s, &l, &part);
		begun = begun || good;
		if (!good && !begun)
			text_add(error, s->commands.failure.length ? text_string(&s->commands.failure)
			                                           : "there is no memory for its settings");
	}
	if (begun)
		note_uses(s, &l, flags);
	return begun; /* what failed later is told by vulkan_finish */
}

/* `good`, or why not. */
static bool tell(const struct vulkan_state *s, bool good, struct text *error)
{
	if (!good)
		text_add(error, text_string(&s->commands.failure));
	return good;
}

static bool vulkan_flush(struct device *d, struct text *error)
{
	struct vulkan_state *s = d->state;
	return tell(s, vulkan_commands_submit(&s->commands), error);
}

static bool vulkan_finish(struct device *d, struct text *error)
{
	struct vulkan_state *s = d->state;
	return tell(s, rest(s), error);
}

static void vulkan_close(struct device *d)
{
	struct vulkan_state *s = d->state;
	if (!rest(s)) {
		s->gpu.vk->vkDeviceWaitIdle(s->gpu.device);
		free_retired(s);
	}
	while (s->programs)
		vulkan_unload(d, (struct device_program *)s->programs);
	while (s->buffers) {
		struct device_buffer *b = (struct device_buffer *)s->buffers;
		holding_remove(&b->holding);
		free(b); /* its memory goes with all memory */
	}
	free_state(s);
	d->state = NULL;
}

const struct device_functions device_vulkan_functions = {
    .count = vulkan_count,
    .open = vulkan_open,
    .close = vulkan_close,
    .describe = vulkan_describe,
    .buffer_new = vulkan_buffer_new,
    .buffer_free = vulkan_buffer_free,
    .buffer_write = vulkan_buffer_write,
    .buffer_read = vulkan_buffer_read,
    .buffer_host = vulkan_buffer_host,
    .buffer_copy = vulkan_buffer_copy,
    .program_load = vulkan_load,
    .program_free = vulkan_unload,
    .variants = vulkan_variants,
    .submit = vulkan_submit,
    .flush = vulkan_flush,
    .finish = vulkan_finish,
    .capabilities = vulkan_capabilities,
};
