/* The structure of regions: linking, finding, visiting, numbering, replacing uses. */
#include <assert.h>
#include <stdlib.h>

#include "ir/ir.h"

void ir_unlink(struct ir_region *region, struct ir_instruction *i)
{
	*(i->previous ? &i->previous->next : &region->first) = i->next;
	*(i->next ? &i->next->previous : &region->last) = i->previous;
	i->next = i->previous = NULL;
}

void ir_insert(struct ir_region *region, struct ir_instruction *before, struct ir_instruction *i)
{
	i->next = before;
	i->previous = before ? before->previous : region->last;
	*(i->previous ? &i->previous->next : &region->first) = i;
	*(before ? &before->previous : &region->last) = i;
}

static bool holds(const struct ir_region *region, const struct ir_instruction *first)
{
	return region->first == first;
}

struct ir_region *ir_region_of(struct ir_kernel *k, const struct ir_instruction *i)
{
	while (i->previous)
		i = i->previous;
	if (i->parent) {
		for (int n = 0; n < 2; n++)
			if (holds(&i->parent->regions[n], i))
				return &i->parent->regions[n];
	} else {
		if (holds(&k->body, i))
			return &k->body;
		for (uint32_t n = 0; n < k->pre_count; n++)
			if (holds(&k->pre[n].region, i))
				return &k->pre[n].region;
		for (int axis = 0; axis < 3; axis++)
			if (holds(&k->grid[axis].region, i))
				return &k->grid[axis].region;
	}
	assert(!"an instruction that no region of the kernel holds");
	return NULL;
}

bool ir_visit(const struct ir_region *region, bool (*visit)(void *context, struct ir_instruction *i), void *context)
{
	for (struct ir_instruction *i = region->first, *next; i; i = next) {
		next = i->next; /* visit may unlink i */
		if (!visit(context, i))
			return false;
		for (int n = 0; n < 2; n++)
			if (i->regions[n].first && !ir_visit(&i->regions[n], visit, context))
				return false;
	}
	return true;
}

bool ir_visit_kernel(const struct ir_kernel *k, bool (*visit)(void *context, struct ir_instruction *i), void *context)
{
	for (uint32_t n = 0; n < k->pre_count; n++)
		if (!ir_visit(&k->pre[n].region, visit, context))
			return false;
	for (int axis = 0; axis < 3; axis++)
		if (!ir_visit(&k->grid[axis].region, visit, context))
			return false;
	return ir_visit(&k->body, visit, context);
}

static bool number(void *context, struct ir_instruction *i)
{
	uint32_t *next = context;
	i->id = (*next)++;
	return true;
}

void ir_kernel_number(struct ir_kernel *k)
{
	k->next_id = 0;
	ir_visit_kernel(k, number, &k->next_id);
}

struct replacement {
	struct ir_instruction *old, *new;
};

static bool replace(void *context, struct ir_instruction *i)
{
	const struct replacement *r = context;
	for (int n = 0; n < IR_MAX_OPERANDS; n++)
		if (i->operands[n] == r->old)
			i->operands[n] = r->new;
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index == r->old)
			i->path[n].index = r->new;
	return true;
}

void ir_replace_uses(struct ir_kernel *k, struct ir_instruction *old, struct ir_instruction *new)
{
	ir_visit_kernel(k, replace, &(struct replacement){old, new});
}
