/* Races between threads (spec/sspur.md 1.4 and 1.6); on buffers: a proof by shapes, else a fault. */
#include "ir/race.h"

#include <string.h>

struct access_list {
	const struct ir_memory *memory;
	struct race_access *items;
	uint32_t count, capacity;
	bool written, atomic;
};

struct collection {
	struct race_context *race;
	struct access_list *lists;
	uint32_t count;
};

static bool collect_access(void *context, struct ir_instruction *i)
{
	struct collection *all = context;
	unsigned flags = ir_op_infos[i->op].flags;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		all->race->used[i->operands[n]->id] = true;
	if (!(flags & IR_FLAG_PLACED))
		return true;
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			all->race->used[i->path[n].index->id] = true;
	for (uint32_t n = 0; n < all->count; n++) {
		struct access_list *list = &all->lists[n];
		if (list->memory != i->base)
			continue;
		struct race_access *a = ARENA_PUSH(all->race->arena, list->items, list->count, list->capacity);
		*a = (struct race_access){.instruction = i, .write = flags & IR_FLAG_WRITE};
		/* Fields and inner arrays of an element belong to it. */
		if (i->path_count && i->path[0].index) {
			a->index = *linear_context_form(all->race->indices, i->path[0].index);
			a->exact = *linear_context_form(all->race->forms, i->path[0].index);
		}
		list->written |= a->write;
		list->atomic |= (flags & IR_FLAG_ATOMIC) != 0;
	}
	return true;
}

/* ---- Plain accesses ---- */

/* Whether an access of layout b may join the ones that agreed on *a; narrows a's guards. */
static bool layout_join(struct race_layout *a, const struct race_layout *b, bool guarded)
{
	if (!ir_linear_equal(&a->value, &b->value))
		return false;
	if (!guarded)
		return true;
	uint32_t kept = 0;
	for (uint32_t n = 0; n < a->guard_count; n++)
		for (uint32_t m = 0; m < b->guard_count; m++)
			if (ir_linear_equal(&a->guards[n], &b->guards[m])) {
				a->guards[kept++] = a->guards[n];
				break;
			}
	if (kept)
		a->guard_count = kept;
	return kept > 0;
}

/* The first access that does not share `shape` and its layout with `reference`; NULL: all do. */
static const struct race_access *find_stranger(const struct race_context *c, const struct access_list *list,
                                               const struct race_shape *shape, const struct race_access *reference)
{
	struct race_layout common = {0};
	shape->fits(c, reference, &common);
	for (uint32_t n = 0; n < list->count; n++) {
		struct race_layout layout = {0};
		if (!shape->fits(c, &list->items[n], &layout) || !layout_join(&common, &layout, shape->guarded))
			return &list->items[n];
	}
	return NULL;
}

static const struct race_shape *shape_of(const struct race_context *c, const struct race_access *a)
{
	for (uint32_t n = 0; n < race_shape_count; n++) {
		struct race_layout layout = {0};
		if (race_shapes[n].fits(c, a, &layout))
			return &race_shapes[n];
	}
	return NULL;
}

static bool all_share_a_shape(const struct race_context *c, const struct access_list *list)
{
	for (uint32_t n = 0; n < race_shape_count; n++) {
		struct race_layout layout = {0};
		if (race_shapes[n].fits(c, &list->items[0], &layout) &&
		    !find_stranger(c, list, &race_shapes[n], &list->items[0]))
			return true;
	}
	return false;
}

static const struct race_access *first_write(const struct access_list *list)
{
	const struct race_access *a = list->items;
	while (!a->write)
		a++;
	return a;
}

/* The access to hold the others against: the first write with a shape, else the first read with one, or NULL. */
static const struct race_access *find_reference(const struct race_context *c, const struct access_list *list)
{
	for (int write = 1; write >= 0; write--)
		for (uint32_t n = 0; n < list->count; n++)
			if (list->items[n].write == write && shape_of(c, &list->items[n]))
				return &list->items[n];
	return NULL;
}

static bool plain_fault(const struct race_context *c, const struct access_list *list, struct ir_race *race)
{
	if (all_share_a_shape(c, list))
		return false;
	const struct race_access *first = find_reference(c, list);
	const struct race_shape *shape = first ? shape_of(c, first) : NULL;
	const struct race_access *second = shape ? find_stranger(c, list, shape, first) : first_write(list);
	if (!first)
		first = list->items;
	race_explain(c, race, shape, first, second);
	return true;
}

/* ---- Atomics ---- */

/* What must be equal in all threads, else the last writer or the winner decides. */
static bool operands_agree(const struct race_context *c, const struct ir_instruction *a, const struct ir_instruction *b)
{
	if (a->op != IR_OP_atomic_cas && a->op != IR_OP_atomic_swap && a->op != IR_OP_atomic_store)
		return true;
	for (unsigned n = 0; n < ir_op_infos[a->op].arity; n++) {
		const struct ir_linear *x = linear_context_form(c->forms, a->operands[n]);
		if (!ir_linear_uniform(x) || !ir_linear_equal(x, linear_context_form(c->forms, b->operands[n])))
			return false;
	}
	return true;
}

const char *race_atomic_reason(const struct race_context *c, const struct ir_instruction *first,
                               const struct ir_instruction *i)
{
	const char *name = ir_op_infos[i->op].name;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC))
		return arena_format(c->arena, "`%s` is updated atomically and %s plainly", i->base->name,
		                    i->op == IR_OP_load ? "read" : "written");
	if (c->kernel->policy == IR_POLICY_RECORD)
		return NULL;
	if (i->op != first->op)
		return arena_format(c->arena, "`%s` and `%s` on one %s depend on the order of threads",
		                    ir_op_infos[first->op].name, name,
		                    i->base->kind == IR_MEMORY_SHARED ? "shared array" : "buffer");
	if (!operands_agree(c, i, first))
		return arena_format(c->arena, "the values of `%s` are not the same in every thread", name);
	if (c->used[i->id])
		return arena_format(c->arena, "the value that `%s` answers depends on the order of threads", name);
	return NULL;
}

static bool atomic_fault(const struct race_context *c, const struct access_list *list, struct ir_race *race)
{
	const struct race_access *first = list->items;
	while (!(ir_op_infos[first->instruction->op].flags & IR_FLAG_ATOMIC))
		first++;
	for (uint32_t n = 0; n < list->count; n++) {
		const struct race_access *a = &list->items[n];
		const char *reason = race_atomic_reason(c, first->instruction, a->instruction);
		if (!reason)
			continue;
		race->first = first->instruction;
		race->second = a->instruction;
		race->reason = reason;
		return true;
	}
	return false;
}

/* ---- All of it ---- */

static bool stands_in_line(const struct ir_kernel *k)
{
	return k->axes == 1 || (k->policy == IR_POLICY_RECORD && k->group[1] == 1 && k->group[2] == 1);
}

static struct race_context open_context(const struct ir_kernel *k, struct arena *arena)
{
	bool wraps = k->policy == IR_POLICY_RECORD;
	struct race_context c = {
	    .kernel = k,
	    .arena = arena,
	    .forms = linear_context_new_wrapping(k, arena, wraps ? LINEAR_BOUNDED : LINEAR_OPAQUE),
	    .line = stands_in_line(k),
	    .used = ARENA_ARRAY(arena, bool, k->next_id),
	    .searches = ARENA_NEW(arena, unsigned),
	};
	c.indices = wraps ? linear_context_new_wrapping(k, arena, LINEAR_MODULAR) : c.forms;
	return c;
}

static struct collection collect(struct race_context *c)
{
	const struct ir_kernel *k = c->kernel;
	struct collection all = {.race = c, .lists = ARENA_ARRAY(c->arena, struct access_list, k->memory_count)};
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_BUFFER)
			all.lists[all.count++].memory = k->memories[n];
	ir_visit(&k->body, collect_access, &all);
	return all;
}

static bool find_fault(const struct race_context *c, const struct access_list *list, struct ir_race *race)
{
	*race = (struct ir_race){.memory = list->memory};
	return list->written && (list->atomic ? atomic_fault : plain_fault)(c, list, race);
}

uint32_t ir_find_races(const struct ir_kernel *k, struct arena *arena, struct ir_race **races)
{
	struct race_context context = open_context(k, arena);
	struct collection all = collect(&context);
	uint32_t count = 0;
	*races = ARENA_ARRAY(arena, struct ir_race, k->memory_count);
	for (uint32_t n = 0; n < all.count; n++)
		count += find_fault(&context, &all.lists[n], &(*races)[count]);
	return count + phase_find_races(&context, *races + count);
}

/* ---- Proofs ---- */

static struct ir_race_proof prove_buffer(const struct race_context *c, const struct access_list *list)
{
	struct ir_race_proof proof = {.memory = list->memory, .kind = IR_RACE_PROOF_NONE};
	if (find_fault(c, list, &proof.race))
		return proof;
	proof.kind = !list->written ? IR_RACE_PROOF_READ : list->atomic ? IR_RACE_PROOF_ATOMIC : IR_RACE_PROOF_THREADS;
	proof.in_line = proof.kind == IR_RACE_PROOF_THREADS && c->kernel->axes > 1 && c->line;
	return proof;
}

uint32_t ir_prove_races(const struct ir_kernel *k, struct arena *arena, struct ir_race_proof **proofs)
{
	struct race_context context = open_context(k, arena);
	struct collection all = collect(&context);
	struct ir_divergence *divergences;
	struct ir_race *races = ARENA_ARRAY(arena, struct ir_race, k->memory_count);
	bool meets = ir_find_divergent_barriers(k, arena, &divergences) == 0;
	uint32_t race_count = phase_find_races(&context, races), count = 0;
	*proofs = ARENA_ARRAY(arena, struct ir_race_proof, k->memory_count);
	for (uint32_t n = 0; n < all.count; n++)
		(*proofs)[count++] = prove_buffer(&context, &all.lists[n]);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		if (k->memories[n]->kind != IR_MEMORY_SHARED)
			continue;
		struct ir_race_proof *proof = &(*proofs)[count++];
		*proof = (struct ir_race_proof){.memory = k->memories[n], .kind = IR_RACE_PROOF_PHASES};
		if (!meets) {
			proof->kind = IR_RACE_PROOF_NONE;
			proof->divergence = divergences;
		}
		for (uint32_t m = 0; m < race_count && meets; m++)
			if (races[m].memory == proof->memory) {
				proof->kind = IR_RACE_PROOF_NONE;
				proof->race = races[m];
			}
	}
	return count;
}
