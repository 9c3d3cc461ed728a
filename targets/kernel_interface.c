/* Parameters to launch arguments (design, Device ABI): source order, extents, first group, status, mask. */
#include "targets/kernel_interface.h"

#include <string.h>

#include "ir/ir_analysis.h"

static void add(struct kernel_interface *i, const char *name, const char *type, uint32_t size,
                const struct ir_parameter *p)
{
	i->size = (i->size + size - 1) / size * size;
	i->arguments[i->count++] = (struct interface_argument){name, type, size, i->size, p};
	i->size += size;
}

static void add_parameter(struct kernel_interface *i, const struct ir_parameter *p, struct arena *arena)
{
	switch (p->kind) {
	case IR_PARAMETER_SCALAR: add(i, p->name, ir_type_kind_name(p->type->kind), p->type->size, p); return;
	case IR_PARAMETER_BUFFER:
		add(i, p->name, "address", 8, p);
		add(i, arena_format(arena, "%s_length", p->name), "u64", 8, p);
		return;
	case IR_PARAMETER_VALUE: add(i, p->name, "address", 8, p); return;
	}
}

/* A name of ours that no parameter has. */
static const char *free_name(const struct ir_kernel *k, const char *name, struct arena *arena)
{
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (strcmp(k->parameters[i].name, name) == 0)
			return free_name(k, arena_format(arena, "%s_", name), arena);
	return name;
}

struct kernel_interface kernel_interface_make(const struct ir_kernel *k, struct arena *arena)
{
	static const char *const extents[3][3] = {{"n"}, {"w", "h"}, {"w", "h", "d"}};
	static const char *const groups[3][3] = {
	    {"first_group"}, {"first_group_x", "first_group_y"}, {"first_group_x", "first_group_y", "first_group_z"}};
	struct kernel_interface i = {.arguments =
	                                 ARENA_ARRAY(arena, struct interface_argument, k->parameter_count * 2 + 8)};
	for (uint32_t p = 0; p < k->parameter_count; p++)
		add_parameter(&i, &k->parameters[p], arena);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		add(&i, free_name(k, extents[k->axes - 1][axis], arena), "u64", 8, NULL);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		add(&i, free_name(k, groups[k->axes - 1][axis], arena), "u64", 8, NULL);
	add(&i, free_name(k, "status", arena), "address", 8, NULL);
	add(&i, free_name(k, "mask", arena), "address", 8, NULL);
	i.uses_f64 = ir_uses_f64(k);
	i.grouped = ir_is_grouped(k);
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_SHARED)
			i.shared_bytes += k->memories[n]->type->size;
	return i;
}
