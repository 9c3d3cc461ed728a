#include "lower/llvm/atomic_order.h"

struct order {
	bool *used;                        /* by id */
	const struct ir_instruction *seen; /* an atomic on the memory at hand */
	const struct ir_memory *memory;
};

static bool visit_use(void *context, struct ir_instruction *i)
{
	struct order *o = context;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		o->used[i->operands[n]->id] = true;
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			o->used[i->path[n].index->id] = true;
	return true;
}

static bool commutes(enum ir_op op)
{
	switch ((int)op) {
	case IR_OP_atomic_add:
	case IR_OP_atomic_sub:
	case IR_OP_atomic_min:
	case IR_OP_atomic_max:
	case IR_OP_atomic_and:
	case IR_OP_atomic_or:
	case IR_OP_atomic_xor: return true;
	}
	return false;
}

bool atomic_order_commutes(const struct ir_instruction *i)
{
	return commutes(i->op) && ir_type_is_integer(i->type) && ir_type_bits(i->type) >= 32;
}

static bool is_no_use(void *context, struct ir_instruction *i)
{
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (i->operands[n] == context)
			return false;
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index == context)
			return false;
	return true;
}

bool atomic_order_is_used(const struct ir_kernel *k, const struct ir_instruction *i)
{
	return !ir_visit(&k->body, is_no_use, (void *)i);
}

static bool is_free(void *context, struct ir_instruction *i)
{
	const struct order *o = context;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC))
		return true;
	return atomic_order_commutes(i) && i->order == IR_ORDER_RELAXED && !o->used[i->id];
}

static bool is_alike(void *context, struct ir_instruction *i)
{
	struct order *o = context;
	if (i->base != o->memory || i->op == IR_OP_length)
		return true;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC))
		return o->memory->kind == IR_MEMORY_SHARED || !o->seen;
	bool alike = !o->seen || o->seen->op == i->op;
	o->seen = i;
	return alike;
}

static bool is_no_update(void *context, struct ir_instruction *i)
{
	return !(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) || i->base != context;
}

bool atomic_order_updates(const struct ir_kernel *k, const struct ir_memory *m)
{
	return !ir_visit(&k->body, is_no_update, (void *)m);
}

bool atomic_order_is_free(const struct ir_kernel *k, struct arena *arena)
{
	struct order o = {.used = ARENA_ARRAY(arena, bool, k->next_id)};
	ir_visit(&k->body, visit_use, &o);
	if (!ir_visit(&k->body, is_free, &o))
		return false;
	for (uint32_t n = 0; n < k->memory_count; n++) {
		o.memory = k->memories[n];
		o.seen = NULL;
		/* Twice, so that accesses before the first atomic are seen too. */
		if (!ir_visit(&k->body, is_alike, &o) || (o.seen && !ir_visit(&k->body, is_alike, &o)))
			return false;
	}
	return true;
}

/* ---- In order ---- */

struct only {
	const struct ir_memory *memory;
	const bool *lockstep;
	const struct ir_instruction *seen;
};

static bool is_in_loop(const struct only *o, const struct ir_instruction *i)
{
	for (i = i->parent; i; i = i->parent)
		if (i->op != IR_OP_if && !o->lockstep[i->id])
			return true;
	return false;
}

/* An atomic on the memory: the only one, and not again and again. */
static bool is_only(void *context, struct ir_instruction *i)
{
	struct only *o = context;
	if (i->base != o->memory || i->op == IR_OP_length)
		return true;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC))
		return o->memory->kind == IR_MEMORY_SHARED;
	bool first = !o->seen && !is_in_loop(o, i);
	o->seen = i;
	return first;
}

static bool is_unused(void *context, struct ir_instruction *i)
{
	const struct order *o = context;
	return i->base != o->memory || !(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) ||
	       (atomic_order_commutes(i) && !o->used[i->id]);
}

static bool is_kept(const struct ir_kernel *k, struct order *o, const bool *lockstep)
{
	struct only only = {o->memory, lockstep, NULL};
	if (!atomic_order_updates(k, o->memory) || ir_visit(&k->body, is_only, &only))
		return true;
	o->seen = NULL;
	return ir_visit(&k->body, is_unused, o) && ir_visit(&k->body, is_alike, o) && ir_visit(&k->body, is_alike, o);
}

bool atomic_order_is_kept(const struct ir_kernel *k, struct arena *arena)
{
	struct order o = {.used = ARENA_ARRAY(arena, bool, k->next_id)};
	const bool *lockstep = ir_find_lockstep(k, arena);
	ir_visit(&k->body, visit_use, &o);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		o.memory = k->memories[n];
		if (!is_kept(k, &o, lockstep))
			return false;
	}
	return true;
}

uint64_t atomic_order_identity(enum ir_op op, const struct ir_type *t)
{
	uint64_t ones = UINT64_MAX >> (64 - ir_type_bits(t)), top = UINT64_C(1) << (ir_type_bits(t) - 1);
	switch ((int)op) {
	case IR_OP_atomic_min: return ir_type_is_signed(t) ? top - 1 : ones;
	case IR_OP_atomic_max: return ir_type_is_signed(t) ? top : 0;
	case IR_OP_atomic_and: return ones;
	}
	return 0;
}
