#include "targets/vulkan/vulkan_interface.h"

#include <string.h>

#include "ir/ir_analysis.h"

#define NONE UINT32_MAX

/* Its offset. */
static uint32_t add(struct vulkan_interface *i, const char *name, const char *type, uint32_t size)
{
	i->size = (i->size + size - 1) / size * size;
	i->values[i->value_count++] = (struct vulkan_setting){name, type, size, i->size};
	i->size += size;
	return i->size - size;
}

/* A name of ours that no parameter has. */
static const char *free_name(const struct ir_kernel *k, const char *name, struct arena *arena)
{
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (strcmp(k->parameters[i].name, name) == 0)
			return free_name(k, arena_format(arena, "%s_", name), arena);
	return name;
}

static void add_parameter(struct vulkan_interface *i, const struct ir_kernel *k, uint32_t n, uint32_t *bindings,
                          struct arena *arena)
{
	const struct ir_parameter *p = &k->parameters[n];
	i->bindings[n] = i->offsets[n] = NONE;
	switch (p->kind) {
	case IR_PARAMETER_SCALAR:
		i->offsets[n] = add(i, p->name, ir_type_kind_name(p->type->kind), p->type->size);
		return;
	case IR_PARAMETER_BUFFER:
		i->bindings[n] = (*bindings)++;
		i->offsets[n] = add(i, free_name(k, arena_format(arena, "%s_length", p->name), arena), "u64", 8);
		return;
	case IR_PARAMETER_VALUE: i->bindings[n] = (*bindings)++; return;
	}
}

struct vulkan_interface vulkan_interface_make(const struct ir_kernel *k, struct arena *arena)
{
	static const char *const extents[3][3] = {{"n"}, {"w", "h"}, {"w", "h", "d"}};
	static const char *const groups[3][3] = {
	    {"first_group"}, {"first_group_x", "first_group_y"}, {"first_group_x", "first_group_y", "first_group_z"}};
	struct vulkan_interface i = {.settings = NONE, .status = NONE, .mask = NONE, .has_mask = NONE};
	uint32_t bindings = 0;
	i.values = ARENA_ARRAY(arena, struct vulkan_setting, k->parameter_count + 8);
	i.bindings = ARENA_ARRAY(arena, uint32_t, k->parameter_count);
	i.offsets = ARENA_ARRAY(arena, uint32_t, k->parameter_count);
	for (uint32_t n = 0; n < k->parameter_count; n++)
		add_parameter(&i, k, n, &bindings, arena);
	if (ir_takes_buffers_alone(k->module)) {
		i.status = bindings;
		i.value_count = i.size = 0;
		return i;
	}
	for (uint8_t axis = 0; axis < k->axes; axis++)
		i.extents[axis] = add(&i, free_name(k, extents[k->axes - 1][axis], arena), "u64", 8);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		i.first_group[axis] = add(&i, free_name(k, groups[k->axes - 1][axis], arena), "u64", 8);
	i.settings = bindings++;
	if (k->policy != IR_POLICY_PROVED) {
		i.has_mask = add(&i, free_name(k, "has_mask", arena), "u32", 4);
		i.status = bindings++;
		i.mask = bindings++;
	}
	i.size = (i.size + 7) / 8 * 8;
	return i;
}
