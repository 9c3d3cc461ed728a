/* Ids of threads and groups, from the built-in variables that hold them. */
#include "ir/hazard.h"
#include "lower/segments.h"
#include "targets/vulkan/vulkan_writer.h"

/* ---- Variables ---- */

/* The value of a built-in variable, which all entry points share. `axes`: it is three words, or one. */
static uint32_t builtin(struct vulkan_writer *w, SpvBuiltIn which, const char *name, bool axes)
{
	struct vulkan_module *m = w->module;
	uint32_t type = axes ? vulkan_vector(m, 3) : vulkan_int(m, 32), *variable = &m->builtins[which];
	if (!*variable) {
		*variable = vulkan_variable(m, SpvStorageClassInput, type, name);
		VULKAN_DECORATE(m, *variable, SpvDecorationBuiltIn, which);
	}
	words_add(&w->globals, *variable);
	return VULKAN_RESULT(w, SpvOpLoad, type, *variable);
}

static uint32_t axis_of(struct vulkan_writer *w, uint32_t vector, unsigned axis)
{
	uint32_t id = VULKAN_RESULT(w, SpvOpCompositeExtract, vulkan_int(w->module, 32), vector, axis);
	return vulkan_resize(w, &ir_types[IR_TYPE_u32], w->index_bits, id);
}

static void by_axis(struct vulkan_writer *w, SpvBuiltIn which, const char *name, uint32_t ids[3])
{
	uint32_t vector = builtin(w, which, name, true);
	for (unsigned axis = 0; axis < w->kernel->axes; axis++)
		ids[axis] = axis_of(w, vector, axis);
}

/* ---- With settings: a launch may be a part of the grid ---- */

static void ids_of_part(struct vulkan_writer *w)
{
	uint32_t type = vulkan_index_type(w), groups[3];
	by_axis(w, SpvBuiltInLocalInvocationId, "local_id", w->local_id);
	by_axis(w, SpvBuiltInWorkgroupId, "group_id", groups);
	for (unsigned axis = 0; axis < w->kernel->axes; axis++) {
		uint32_t size = vulkan_index_constant(w, w->kernel->group[axis]);
		w->extents[axis] = vulkan_index_setting(w, w->interface.extents[axis]);
		w->group_id[axis] = VULKAN_RESULT(w, SpvOpIAdd, type, groups[axis],
		                                  vulkan_index_setting(w, w->interface.first_group[axis]));
		uint32_t first = VULKAN_RESULT(w, SpvOpIMul, type, w->group_id[axis], size);
		w->global_id[axis] = VULKAN_RESULT(w, SpvOpIAdd, type, first, w->local_id[axis]);
	}
}

/* ---- Without: whole groups, as the built-in variables have them ---- */

/* groups * size, the sum rounded up, by size: how front ends spell the number of groups. -1: it is none. */
static int group_count_axis(const struct vulkan_writer *w, const struct ir_instruction *i)
{
	if (i->op != IR_OP_idiv || i->operands[1]->op != IR_OP_const || i->operands[0]->op != IR_OP_iadd)
		return -1;
	const struct ir_instruction *threads = i->operands[0]->operands[0], *more = i->operands[0]->operands[1];
	if (threads->op != IR_OP_grid_size || more->op != IR_OP_const)
		return -1;
	uint64_t size = w->kernel->group[threads->axis];
	return i->operands[1]->bits == size && more->bits == size - 1 ? threads->axis : -1;
}

/* The local id on an axis, times the product of the sizes before. */
static bool is_local_term(const struct vulkan_writer *w, const struct ir_instruction *i, unsigned axis)
{
	uint64_t stride = 1;
	for (unsigned before = 0; before < axis; before++)
		stride *= w->kernel->group[before];
	if (i->op == IR_OP_local_id)
		return i->axis == axis && stride == 1;
	return i->op == IR_OP_imul && i->operands[0]->op == IR_OP_local_id && i->operands[0]->axis == axis &&
	       i->operands[1]->op == IR_OP_const && i->operands[1]->bits == stride;
}

/* The sum of all terms, of which those of an axis of one thread may be left out. */
static bool is_local_index(const struct vulkan_writer *w, const struct ir_instruction *i)
{
	unsigned axis = 3;
	if (i->op != IR_OP_iadd)
		return false;
	while (axis-- > 1) {
		if (i->op == IR_OP_iadd && is_local_term(w, i->operands[1], axis))
			i = i->operands[0];
		else if (w->kernel->group[axis] > 1)
			return false;
	}
	return is_local_term(w, i, 0);
}

uint32_t vulkan_builtin_value(struct vulkan_writer *w, const struct ir_instruction *i)
{
	if (w->module->form->settings)
		return 0;
	int axis = group_count_axis(w, i);
	return axis >= 0 ? w->group_count[axis] : is_local_index(w, i) ? w->local_index : 0;
}

struct ids_used {
	const struct vulkan_writer *writer;
	SpvBuiltIn hidden; /* what vulkan_hidden_zero is made of */
	bool used[SpvBuiltInLocalInvocationIndex + 1];
};

static bool note_id(void *context, struct ir_instruction *i)
{
	struct ids_used *u = context;
	u->used[SpvBuiltInGlobalInvocationId] |= i->op == IR_OP_global_id;
	u->used[SpvBuiltInLocalInvocationId] |= i->op == IR_OP_local_id;
	u->used[SpvBuiltInWorkgroupId] |= i->op == IR_OP_group_id;
	u->used[SpvBuiltInNumWorkgroups] |= i->op == IR_OP_grid_size;
	u->used[SpvBuiltInLocalInvocationIndex] |= is_local_index(u->writer, i);
	u->used[u->hidden] |= vulkan_hides(u->writer->module->form, i);
	return true;
}

static void ids_of_groups(struct vulkan_writer *w)
{
	bool software = w->module->form->hazards & IR_HAZARD_ROUNDS;
	struct ids_used u = {.writer = w,
	                     .hidden = software ? SpvBuiltInLocalInvocationIndex : SpvBuiltInNumWorkgroups};
	u.used[SpvBuiltInNumWorkgroups] = vulkan_rounds_needed(w->module->form, w->kernel);
	ir_visit(&w->kernel->body, note_id, &u);
	for (uint32_t n = 0; n < w->kernel->memory_count; n++)
		u.used[SpvBuiltInLocalInvocationId] |= w->kernel->memories[n]->zeroed;
	if (u.used[SpvBuiltInGlobalInvocationId] || w->status)
		by_axis(w, SpvBuiltInGlobalInvocationId, "global_id", w->global_id);
	if (u.used[SpvBuiltInLocalInvocationId])
		by_axis(w, SpvBuiltInLocalInvocationId, "local_id", w->local_id);
	if (u.used[SpvBuiltInWorkgroupId])
		by_axis(w, SpvBuiltInWorkgroupId, "group_id", w->group_id);
	if (u.used[SpvBuiltInLocalInvocationIndex])
		w->local_index = builtin(w, SpvBuiltInLocalInvocationIndex, "local_index", false);
	if (!u.used[SpvBuiltInNumWorkgroups])
		return;
	by_axis(w, SpvBuiltInNumWorkgroups, "group_count", w->group_count);
	for (unsigned axis = 0; axis < w->kernel->axes; axis++) {
		uint32_t size = w->kernel->group[axis], count = w->group_count[axis];
		w->extents[axis] = size == 1 ? count
		                             : VULKAN_RESULT(w, SpvOpIMul, vulkan_index_type(w), count,
		                                             vulkan_index_constant(w, size));
	}
}

/* ---- Both ---- */

void vulkan_ids_start(struct vulkan_writer *w)
{
	uint32_t zero = vulkan_index_constant(w, 0);
	for (unsigned axis = 0; axis < 3; axis++) {
		w->global_id[axis] = w->local_id[axis] = w->group_id[axis] = zero;
		w->extents[axis] = vulkan_index_constant(w, 1);
	}
	if (w->module->form->settings)
		ids_of_part(w);
	else
		ids_of_groups(w);
}
