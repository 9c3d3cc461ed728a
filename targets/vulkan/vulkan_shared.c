/* Workgroups: shared memories and their start, and what keeps the threads of a group together.
 *
 * Every thread of a group reaches every barrier: one that is outside the grid, has returned or has failed goes on, as
 * `bad` (vulkan_checks.c), without effects. So that all take the same way through control that holds a barrier, a value
 * that is the same for a group is computed alike by all of its threads, `bad` or not, and loops with a barrier stop
 * early for a failure of all alone: `group_bad`. */
#include "targets/vulkan/vulkan_writer.h"

/* ---- Starting shared memories ---- */

static uint32_t linear_local_id(struct vulkan_writer *w)
{
	uint32_t linear = 0;
	for (unsigned axis = w->kernel->axes; axis-- > 0;) {
		uint32_t id = vulkan_low(w, w->index_bits, w->local_id[axis]);
		if (linear)
			linear = vulkan_word(w, SpvOpIMul, linear, vulkan_u32(w->module, w->kernel->group[axis]));
		linear = linear ? vulkan_word(w, SpvOpIAdd, linear, id) : id;
	}
	return linear;
}

/* Scalars and structs of a memory of nested arrays, by a linear number. */
static uint32_t part_address(struct vulkan_writer *w, const struct vulkan_memory *memory, const struct ir_type *t,
                             uint32_t n, uint32_t *type)
{
	uint32_t indices[IR_MAX_TYPE_DEPTH], count = 0;
	for (; t->kind == IR_TYPE_array; t = t->element) {
		uint32_t inner = 1;
		for (const struct ir_type *e = t->element; e->kind == IR_TYPE_array; e = e->element)
			inner *= (uint32_t)e->count;
		uint32_t parts = vulkan_u32(w->module, inner);
		indices[count++] = inner == 1 ? n : vulkan_word(w, SpvOpUDiv, n, parts);
		n = inner == 1 ? n : vulkan_word(w, SpvOpUMod, n, parts);
	}
	*type = vulkan_memory_type(w->module, memory->layout, t);
	return vulkan_access(w, memory->storage, *type, memory->variable, indices, count);
}

/* The group's threads take turns at the parts. */
static void zero(struct vulkan_writer *w, const struct ir_memory *m, uint32_t id, uint32_t threads)
{
	struct vulkan_module *module = w->module;
	uint32_t word = vulkan_int(module, 32), parts = 1, before = w->block, type;
	uint32_t head = vulkan_id(module), body = vulkan_id(module), next = vulkan_id(module), done = vulkan_id(module);
	uint32_t n = vulkan_id(module), after = vulkan_id(module);
	for (const struct ir_type *t = m->type; t->kind == IR_TYPE_array; t = t->element)
		parts *= (uint32_t)t->count;
	vulkan_jump(w, head);
	vulkan_label(w, head);
	VULKAN_DO(w, SpvOpPhi, word, n, id, before, after, next);
	uint32_t more = vulkan_test(w, SpvOpULessThan, n, vulkan_u32(module, parts));
	VULKAN_DO(w, SpvOpLoopMerge, done, next, SpvLoopControlMaskNone);
	VULKAN_DO(w, SpvOpBranchConditional, more, body, done);
	vulkan_label(w, body);
	uint32_t address = part_address(w, vulkan_memory_of(w, m), m->type, n, &type);
	VULKAN_DO(w, SpvOpStore, address, vulkan_null(module, type));
	vulkan_jump(w, next);
	vulkan_label(w, next);
	VULKAN_DO(w, SpvOpIAdd, word, after, n, vulkan_u32(module, threads));
	vulkan_jump(w, head);
	vulkan_label(w, done);
}

void vulkan_shared_start(struct vulkan_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	uint32_t id = 0;
	for (uint32_t n = 0; n < k->memory_count; n++) {
		if (!k->memories[n]->zeroed)
			continue;
		id = id ? id : linear_local_id(w);
		zero(w, k->memories[n], id, k->group[0] * k->group[1] * k->group[2]);
	}
	if (id)
		vulkan_barrier(w, IR_BARRIER_WORKGROUP);
}

/* ---- Barriers ---- */

void vulkan_barrier(struct vulkan_writer *w, enum ir_barrier kind)
{
	uint32_t group = vulkan_u32(w->module, SpvScopeWorkgroup), scope = group;
	uint32_t memory =
	    kind == IR_BARRIER_WORKGROUP ? SpvMemorySemanticsWorkgroupMemoryMask : SpvMemorySemanticsUniformMemoryMask;
	uint32_t semantics = vulkan_u32(w->module, SpvMemorySemanticsAcquireReleaseMask | memory);
	if (kind == IR_BARRIER_STORAGE)
		scope = vulkan_u32(w->module, w->module->form->storage_scope);
	VULKAN_DO(w, SpvOpControlBarrier, group, scope, semantics);
}

void vulkan_fence(struct vulkan_writer *w, enum ir_scope scope)
{
	uint32_t semantics = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask |
	                     SpvMemorySemanticsWorkgroupMemoryMask;
	VULKAN_DO(w, SpvOpMemoryBarrier,
	          vulkan_u32(w->module, scope == IR_SCOPE_DEVICE ? SpvScopeDevice : SpvScopeWorkgroup),
	          vulkan_u32(w->module, semantics));
}

/* ---- Threads that stay together ---- */

void vulkan_find_together(struct vulkan_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	if (!segments_meet(k))
		return;
	w->together = ARENA_NEW(w->arena, struct segments);
	*w->together = segments_find(k, w->arena);
	/* Grids of grouped kernels are whole groups: where nothing fails, only a return makes a thread absent. */
	w->checked |= k->policy != IR_POLICY_PROVED || segments_return(k);
}

bool vulkan_same(const struct vulkan_writer *w, const struct ir_instruction *value)
{
	return w->together && segments_same(w->together, value);
}

static bool at_lockstep_level(const struct vulkan_writer *w, const struct ir_instruction *i)
{
	return !i->parent || w->together->lockstep[i->parent->id];
}

void vulkan_note_failure(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t sound)
{
	if (!w->together || !at_lockstep_level(w, i) || !(ir_op_infos[i->op].flags & IR_FLAG_TRAP))
		return;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!vulkan_same(w, i->operands[n]))
			return;
	uint32_t bad = vulkan_load_variable(w, vulkan_bool(w->module), w->group_bad);
	VULKAN_DO(w, SpvOpStore, w->group_bad, vulkan_test(w, SpvOpLogicalOr, bad, vulkan_not(w, sound)));
}

static bool sets_none(void *context, struct ir_instruction *i)
{
	const struct segments *s = context;
	return i->op != IR_OP_set || s->locals_levels[i->local->index] == IR_VARYING;
}

uint32_t vulkan_goes_on(struct vulkan_writer *w, const struct ir_instruction *loop)
{
	if (!w->checked)
		return 0;
	if (!w->together || (!w->together->lockstep[loop->id] && ir_visit(&loop->regions[0], sets_none, w->together)))
		return vulkan_good(w);
	return vulkan_not(w, vulkan_load_variable(w, vulkan_bool(w->module), w->group_bad));
}
