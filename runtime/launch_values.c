#include "runtime/launch_values.h"

#include <stdlib.h>

#include "ir/ir.h"
#include "targets/entry_name.h"
#include "utils/base/arena.h"

static void add(struct launch_values *v, struct launch_value value)
{
	v->items[v->count++] = value;
}

static void add_bits(struct launch_values *v, uint32_t size, uint64_t bits)
{
	add(v, (struct launch_value){.kind = LAUNCH_BITS, .size = size, .bits = bits});
}

static void add_buffer(struct launch_values *v, enum launch_value_kind kind, struct device_buffer *buffer)
{
	add(v, (struct launch_value){.kind = kind, .size = 8, .buffer = buffer});
}

static void add_parameter(struct launch_values *v, const struct ir_parameter *p, const struct device_argument *a)
{
	switch (p->kind) {
	case IR_PARAMETER_SCALAR: add_bits(v, p->type->size, a->bits); return;
	case IR_PARAMETER_BUFFER:
		add_buffer(v, LAUNCH_BUFFER, a->buffer);
		add_bits(v, 8, a->length);
		return;
	case IR_PARAMETER_VALUE: add_buffer(v, LAUNCH_BUFFER, a->buffer); return;
	}
}

void launch_values_make(struct launch_values *v, const struct device_launch *launch, const struct device_flags *flags)
{
	const struct ir_kernel *k = launch->kernel;
	uint32_t most = k->parameter_count * 2 + 8;
	if (v->capacity < most) {
		v->items = memory_resize(v->items, most * sizeof *v->items);
		v->capacity = most;
	}
	v->count = 0;
	for (uint32_t p = 0; p < k->parameter_count; p++)
		add_parameter(v, &k->parameters[p], &launch->arguments[p]);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		add_bits(v, 8, launch->extents[axis]);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		add(v, (struct launch_value){.kind = LAUNCH_FIRST_GROUP, .size = 8, .axis = axis});
	if (launch->variant != KERNEL_CHECKED)
		return;
	add_buffer(v, LAUNCH_STATUS, flags->status);
	add_buffer(v, LAUNCH_MASK, flags->mask);
}

bool launch_entry_name(const char *target, const struct ir_kernel *k, enum kernel_variant variant, struct text *out)
{
	if (!ir_variant_exists(k, variant))
		return false;
	struct text name = {0};
	ir_variant_name(k, variant, &name);
	struct ir_kernel named = *k;
	named.name = text_string(&name);
	entry_name(target, &named, out);
	text_free(&name);
	return true;
}

void launch_values_free(struct launch_values *v)
{
	free(v->items);
	*v = (struct launch_values){0};
}

static uint64_t groups_of(const struct device_launch *launch, unsigned axis)
{
	uint64_t threads = launch->extents[axis], group = launch->kernel->group[axis];
	return threads / group + (threads % group != 0);
}

bool launch_part_next(struct launch_part *part, const struct device_launch *launch, const uint64_t limit[3])
{
	bool more = part->groups[0] == 0; /* the first part */
	for (unsigned axis = 0; axis < 3; axis++) {
		uint64_t groups = groups_of(launch, axis);
		if (!more) {
			part->first[axis] += part->groups[axis];
			more = part->first[axis] < groups;
			if (!more)
				part->first[axis] = 0;
		}
		uint64_t left = groups - part->first[axis];
		part->groups[axis] = left < limit[axis] ? left : limit[axis];
	}
	return more;
}
