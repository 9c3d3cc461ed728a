/* Uniformity by data flow: levels only rise, until nothing changes. */
#include "ir/ir_analysis.h"

struct flow {
	const struct ir_kernel *kernel;
	enum ir_uniformity
	    *values; /* by id; of an instruction without a result: how alike the threads that reach it are */
	enum ir_uniformity *locals; /* by local index */
	enum ir_uniformity *exits;  /* by id of a for or loop: conditions that decide who leaves a round early */
	bool *written;              /* by place in the kernel's memories */
	bool changed;
};

static enum ir_uniformity join(enum ir_uniformity a, enum ir_uniformity b)
{
	return a > b ? a : b;
}

static void raise_level(struct flow *f, enum ir_uniformity *level, enum ir_uniformity to)
{
	if (to > *level) {
		*level = to;
		f->changed = true;
	}
}

/* The conditions that decide whether an instruction below `control` runs, and how often. A thread that
 * returns is no longer there to differ. */
static enum ir_uniformity control_level(const struct flow *f, const struct ir_instruction *control)
{
	enum ir_uniformity level = IR_UNIFORM;
	for (; control; control = control->parent) {
		for (unsigned n = 0; n < ir_op_infos[control->op].arity; n++)
			level = join(level, f->values[control->operands[n]->id]);
		level = join(level, f->exits[control->id]);
	}
	return level;
}

static enum ir_uniformity operands_level(const struct flow *f, const struct ir_instruction *i)
{
	enum ir_uniformity level = IR_UNIFORM;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		level = join(level, f->values[i->operands[n]->id]);
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			level = join(level, f->values[i->path[n].index->id]);
	return level;
}

static uint32_t memory_index(const struct ir_kernel *k, const struct ir_memory *memory)
{
	uint32_t n = 0;
	while (k->memories[n] != memory)
		n++;
	return n;
}

static bool visit_write(void *context, struct ir_instruction *i)
{
	struct flow *f = context;
	unsigned flags = ir_op_infos[i->op].flags;
	if ((flags & IR_FLAG_PLACED) && (flags & IR_FLAG_WRITE))
		f->written[memory_index(f->kernel, i->base)] = true;
	return true;
}

static enum ir_uniformity result_level(const struct flow *f, const struct ir_instruction *i)
{
	switch ((int)i->op) {
	case IR_OP_global_id:
	case IR_OP_local_id: return IR_VARYING;
	case IR_OP_group_id: return IR_GROUP_UNIFORM;
	case IR_OP_get: return f->locals[i->local->index];
	case IR_OP_load: return f->written[memory_index(f->kernel, i->base)] ? IR_VARYING : operands_level(f, i);
	}
	return ir_op_infos[i->op].flags & IR_FLAG_ATOMIC ? IR_VARYING : operands_level(f, i);
}

/* What a jump decides: the rounds of every loop that it leaves or cuts short. */
static void raise_exits(struct flow *f, const struct ir_instruction *jump, enum ir_uniformity level)
{
	const struct ir_instruction *control = jump->parent;
	for (; control; control = control->parent) {
		raise_level(f, &f->exits[control->id], level);
		if (control == jump->target)
			return;
	}
}

static bool visit(void *context, struct ir_instruction *i)
{
	struct flow *f = context;
	enum ir_uniformity control = control_level(f, i->parent);
	bool has_result = i->type->kind != IR_TYPE_void;
	raise_level(f, &f->values[i->id], has_result ? result_level(f, i) : control);
	if (i->op == IR_OP_set)
		raise_level(f, &f->locals[i->local->index], join(f->values[i->operands[0]->id], control));
	if (i->op == IR_OP_break || i->op == IR_OP_continue)
		raise_exits(f, i, control);
	return true;
}

enum ir_uniformity *ir_analyze_uniformity(const struct ir_kernel *k, struct arena *arena)
{
	struct flow f = {
	    .kernel = k,
	    .values = ARENA_ARRAY(arena, enum ir_uniformity, k->next_id),
	    .locals = ARENA_ARRAY(arena, enum ir_uniformity, k->local_count),
	    .exits = ARENA_ARRAY(arena, enum ir_uniformity, k->next_id),
	    .written = ARENA_ARRAY(arena, bool, k->memory_count),
	};
	ir_visit(&k->body, visit_write, &f);
	do {
		f.changed = false;
		for (uint32_t n = 0; n < k->pre_count; n++)
			ir_visit(&k->pre[n].region, visit, &f);
		for (unsigned axis = 0; axis < 3; axis++)
			ir_visit(&k->grid[axis].region, visit, &f);
		ir_visit(&k->body, visit, &f);
	} while (f.changed);
	return f.values;
}

struct departure_search {
	const enum ir_uniformity *values;
	bool found;
};

static bool leaves_alone(void *context, struct ir_instruction *i)
{
	struct departure_search *search = context;
	search->found |= i->op == IR_OP_return && search->values[i->id] == IR_VARYING;
	return !search->found;
}

bool ir_may_wait(const struct ir_kernel *k, bool failed)
{
	struct arena scratch = {0};
	struct ir_divergence *divergences;
	if (!ir_has_barrier(&k->body))
		return false;
	struct departure_search search = {.values = ir_analyze_uniformity(k, &scratch)};
	ir_visit(&k->body, leaves_alone, &search);
	bool may = failed || search.found || ir_find_divergent_barriers(k, &scratch, &divergences);
	arena_free(&scratch);
	return may;
}
