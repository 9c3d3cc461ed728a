#include "ir/ir_clone.h"

#include <string.h>

struct cloner {
	struct arena *arena;
	struct ir_kernel *to;
	struct ir_instruction **copies; /* by id; scratch */
	struct table memories;          /* from a memory's address to its copy; scratch */
};

static struct ir_memory *copy_of_memory(const struct cloner *c, const struct ir_memory *memory)
{
	return memory ? table_get_n(&c->memories, (const char *)&memory, sizeof memory) : NULL;
}

static struct ir_instruction *copy_of(const struct cloner *c, const struct ir_instruction *i)
{
	return i ? c->copies[i->id] : NULL;
}

static void clone_memories(struct cloner *c, const struct ir_kernel *k)
{
	struct ir_kernel *to = c->to;
	to->memory_count = to->memory_capacity = k->memory_count;
	to->memories = ARENA_ARRAY(c->arena, struct ir_memory *, k->memory_count);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		to->memories[n] = ARENA_NEW(c->arena, struct ir_memory);
		*to->memories[n] = *k->memories[n];
		table_set_n(&c->memories, (const char *)&k->memories[n], sizeof k->memories[n], to->memories[n]);
	}
	to->parameter_count = to->parameter_capacity = k->parameter_count;
	to->parameters = ARENA_ARRAY(c->arena, struct ir_parameter, k->parameter_count);
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		to->parameters[n] = k->parameters[n];
		to->parameters[n].memory = copy_of_memory(c, k->parameters[n].memory);
	}
}

static void clone_locals(struct cloner *c, const struct ir_kernel *k)
{
	struct ir_kernel *to = c->to;
	to->local_count = to->local_capacity = k->local_count;
	to->locals = ARENA_ARRAY(c->arena, struct ir_local *, k->local_count);
	for (uint32_t n = 0; n < k->local_count; n++) {
		to->locals[n] = ARENA_NEW(c->arena, struct ir_local);
		*to->locals[n] = *k->locals[n];
	}
}

static struct ir_step *clone_path(struct cloner *c, const struct ir_instruction *i)
{
	struct ir_step *path = ARENA_ARRAY(c->arena, struct ir_step, i->path_count);
	for (uint32_t n = 0; n < i->path_count; n++)
		path[n] = (struct ir_step){copy_of(c, i->path[n].index), i->path[n].field};
	return path;
}

static void clone_region(struct cloner *c, const struct ir_region *from, struct ir_region *to,
                         struct ir_instruction *parent)
{
	for (const struct ir_instruction *i = from->first; i; i = i->next) {
		struct ir_instruction *copy = ARENA_NEW(c->arena, struct ir_instruction);
		*copy = *i;
		copy->next = copy->previous = NULL;
		copy->parent = parent;
		for (int n = 0; n < IR_MAX_OPERANDS; n++)
			copy->operands[n] = copy_of(c, i->operands[n]);
		copy->local = i->local ? c->to->locals[i->local->index] : NULL;
		copy->base = copy_of_memory(c, i->base);
		copy->path = clone_path(c, i);
		copy->target = copy_of(c, i->target);
		ir_insert(to, NULL, copy);
		c->copies[i->id] = copy;
		for (int n = 0; n < 2; n++) {
			copy->regions[n] = (struct ir_region){0};
			clone_region(c, &i->regions[n], &copy->regions[n], copy);
		}
	}
}

struct ir_kernel *ir_clone(const struct ir_kernel *k, const char *name)
{
	struct arena scratch = {0};
	struct cloner c = {.arena = &k->module->arena, .to = ir_kernel_new(k->module, name)};
	c.copies = ARENA_ARRAY(&scratch, struct ir_instruction *, k->next_id);
	c.memories.arena = &scratch;
	c.to->file = k->file;
	c.to->place = k->place;
	c.to->policy = k->policy;
	c.to->index = k->index;
	c.to->axes = k->axes;
	memcpy(c.to->group, k->group, sizeof k->group);
	clone_memories(&c, k);
	clone_locals(&c, k);
	c.to->next_id = k->next_id;
	clone_region(&c, &k->body, &c.to->body, NULL);
	arena_free(&scratch);
	return c.to;
}
