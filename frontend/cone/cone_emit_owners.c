/* Owners, which the CPU's programs have (spec/cone.md part 8). All values of one type that an invocation owns are in
 * one array, its pool, and an owner is a number: the place there. So an owner is kept, given and chosen as a u32 is,
 * and what is owned may hold owners in turn. Places are given one after another; they are given back when a round of a
 * loop ends that keeps none of them, and when the invocation ends. */
#include "frontend/cone/cone_emit.h"

#include "frontend/cone/cone_check.h"

static const struct ir_type *const u32 = &ir_types[IR_TYPE_u32];

/* All that an invocation owns, in bytes, where its other arrays and its stack (cone_emit_frames.c) leave room for it.
 */
enum { MOST_OWNED = 128 << 10, OWN_BYTES = 255 << 10 };

struct cone_pool {
	struct cone_pool *next;
	struct ir_memory *memory; /* NULL: nothing is there yet */
	struct ir_local *used;
	struct ir_instruction **limits; /* constants, set when the number of places is known */
	uint32_t limit_count, limit_capacity;
};

bool cone_owner_is_in(const struct cone_type *type)
{
	if (type->kind == CONE_TYPE_OWNER)
		return true;
	if (type->kind == CONE_TYPE_ARRAY)
		return cone_owner_is_in(type->element);
	for (uint32_t n = 0; n < type->field_count; n++)
		if (cone_owner_is_in(type->fields[n].type))
			return true;
	return false;
}

static struct cone_pool *pool_of(struct cone_emitter *e, const struct cone_type *owned)
{
	struct cone_pool *pool = table_get_n(&e->pools, (const char *)&owned, sizeof owned);
	if (pool)
		return pool;
	pool = ARENA_NEW(&e->arena, struct cone_pool);
	pool->used = cone_emit_local(e, "owned", u32);
	pool->next = e->all_pools;
	e->all_pools = pool;
	table_set_n(&e->pools, (const char *)&owned, sizeof owned, pool);
	return pool;
}

/* NULL: refused. */
static struct cone_pool *filled_pool(struct cone_emitter *e, const struct cone_type *owned, const struct cone_node *at)
{
	struct cone_pool *pool = pool_of(e, owned);
	if (pool->memory)
		return pool;
	if (cone_emit_has_references(owned)) {
		cone_emit_refuse(e, at, "1400", "an owner of a value that holds references");
		return NULL;
	}
	const struct ir_type *element = cone_emit_type(e, owned, at);
	const struct ir_type *all = element ? ir_type_array(e->module, element, 1) : NULL;
	if (!all)
		return NULL;
	pool->memory = ir_add_private(e->kernel, cone_emit_name(e, "pool"), all, NULL);
	return pool;
}

static shape *place_in(struct cone_emitter *e, const struct cone_pool *pool, const struct cone_type *owned, value v)
{
	shape *s = cone_shape_new(e, SHAPE_MEMORY, owned);
	s->memory = pool->memory;
	s->path = ARENA_ARRAY(&e->arena, struct cone_step, 1);
	s->path[0] = (struct cone_step){.index = cone_emit_convert(e, IR_OP_convert, cone_emit_size(e), v)};
	s->path_count = 1;
	return s;
}

/* ---- Of traits: with the number of the type above the place ---- */

enum { PLACE_BITS = 24 };

value cone_owner_convert(struct cone_emitter *e, const struct cone_type *from, const struct cone_type *to, value v)
{
	const struct cone_checker *c = e->program->checker;
	uint32_t number = 0, n = 0;
	while (c->owned_as[n].trait != to->element->declaration || c->owned_as[n].type != from->element)
		number += c->owned_as[n++].trait == to->element->declaration ? 1 : 0;
	return cone_emit_with(e, IR_OP_iadd, v, number << PLACE_BITS);
}

static shape *target_of_trait(struct cone_emitter *e, const struct cone_type *type, value v,
                              const struct cone_node *node)
{
	const struct cone_checker *c = e->program->checker;
	value place = cone_emit_with(e, IR_OP_band, v, (1u << PLACE_BITS) - 1);
	shape *all = cone_choice_new(e, cone_emit_with(e, IR_OP_idiv, v, 1u << PLACE_BITS), type, c->owned_as_count),
	      *reference = cone_shape_new(e, SHAPE_REFERENCE, type);
	all->count = 0;
	for (uint32_t n = 0; n < c->owned_as_count; n++) {
		if (c->owned_as[n].trait != type->declaration)
			continue;
		const struct cone_pool *pool = filled_pool(e, c->owned_as[n].type, node);
		if (!pool)
			return cone_shape_new(e, SHAPE_NONE, type);
		all->parts[all->count++] = place_in(e, pool, c->owned_as[n].type, place);
	}
	reference->target = all->count ? all : NULL;
	return reference;
}

shape *cone_owner_target(struct cone_emitter *e, const struct cone_type *owner, value v, const struct cone_node *node)
{
	if (owner->element->kind == CONE_TYPE_VIRTUAL)
		return target_of_trait(e, owner->element, v, node);
	const struct cone_pool *pool = filled_pool(e, owner->element, node);
	return pool ? place_in(e, pool, owner->element, v) : cone_shape_zero(e, owner->element);
}

/* ---- new ---- */

static value has_room(struct cone_emitter *e, struct cone_pool *pool, value place)
{
	value limit = ir_build_const(&e->builder, u32, 1);
	*ARENA_PUSH(&e->arena, pool->limits, pool->limit_count, pool->limit_capacity) = limit;
	return cone_emit_binary(e, IR_OP_lt, place, limit);
}

static void put(struct cone_emitter *e, struct cone_pool *pool, value place, shape *v, const struct cone_node *node)
{
	ir_build_set(&e->builder, pool->used, cone_emit_with(e, IR_OP_iadd, place, 1));
	cone_shape_write(e, place_in(e, pool, v->type, place), v, node);
}

/* Some of the owner, or None. */
static shape *try_new(struct cone_emitter *e, struct cone_pool *pool, shape *v, const struct cone_node *node)
{
	const struct cone_type *option = node->type;
	shape *result = cone_shape_storage(e, option, "tried", node);
	shape *some = cone_shape_parts(e, option, option->field_count), *none = cone_shape_zero(e, option);
	value place = ir_build_get(&e->builder, pool->used);
	uint32_t of_some = option->declaration->fields[0].type_syntax ? 0 : 1;
	const struct cone_type *tag = option->fields[0].type;
	some->parts[0] = cone_shape_value(e, tag, cone_emit_constant(e, u32, of_some));
	some->parts[1] = cone_shape_value(e, option->fields[1].type, place);
	none->parts[0] = cone_shape_value(e, tag, cone_emit_constant(e, u32, 1 - of_some));
	struct cone_branch branch;
	cone_emit_begin_branch(e, &branch, has_room(e, pool, place));
	put(e, pool, place, v, node);
	cone_emit_give(e, result, some, node);
	cone_emit_other_branch(e, &branch);
	cone_emit_give(e, result, none, node);
	cone_emit_end_branch(e, &branch);
	return cone_shape_read(e, result, node);
}

shape *cone_owner_new(struct cone_emitter *e, const struct cone_node *node)
{
	shape *v = cone_emit_expression(e, node->parts[0]);
	cone_emit_locate(e, node);
	struct cone_pool *pool = filled_pool(e, node->parts[0]->type, node);
	if (!pool)
		return cone_shape_zero(e, node->type);
	if (node->tries)
		return try_new(e, pool, v, node);
	value place = ir_build_get(&e->builder, pool->used);
	ir_build_check(&e->builder, has_room(e, pool, place), TRAP_ALLOCATION);
	put(e, pool, place, v, node);
	return cone_shape_value(e, node->type, place);
}

/* ---- Giving back ---- */

static bool may_keep(void *context, const struct cone_node *node);

/* What is called through a reference may be any function. */
static bool keeps(struct cone_emitter *e, const struct cone_instance *instance)
{
	uintptr_t known = (uintptr_t)table_get_n(&e->keeping, (const char *)&instance, sizeof instance);
	if (known)
		return known == 2;
	table_set_n(&e->keeping, (const char *)&instance, sizeof instance, (void *)2); /* while it is looked at */
	bool any = cone_emit_any_node(instance->body, may_keep, e);
	table_set_n(&e->keeping, (const char *)&instance, sizeof instance, (void *)(uintptr_t)(any ? 2 : 1));
	return any;
}

/* It changes a place that an owner is in, so that what is made may be had later: all else ends with the round. */
static bool may_keep(void *context, const struct cone_node *node)
{
	struct cone_emitter *e = context;
	if (node->kind == CONE_CALL)
		return !node->instance || keeps(e, node->instance);
	if (node->kind != CONE_ASSIGN)
		return false;
	bool are_many = node->left->kind == CONE_TUPLE;
	for (uint32_t n = 0; n < (are_many ? node->left->part_count : 1); n++) {
		const struct cone_type *type = are_many ? node->left->parts[n]->type : node->left->type;
		if (type && cone_owner_is_in(type))
			return true;
	}
	return false;
}

value *cone_owner_mark(struct cone_emitter *e, const struct cone_node *loop)
{
	const struct cone_checker *c = e->program->checker;
	const struct cone_node *body = loop->kind == CONE_EACH ? loop->right : loop->left;
	if (!c->owned_count || e->recursion || cone_emit_any_node(body, may_keep, e) ||
	    cone_emit_any_node(loop->condition, may_keep, e))
		return NULL;
	value *marks = ARENA_ARRAY(&e->arena, value, c->owned_count);
	for (uint32_t n = 0; n < c->owned_count; n++)
		marks[n] = ir_build_get(&e->builder, pool_of(e, c->owned[n])->used);
	return marks;
}

void cone_owner_give_back(struct cone_emitter *e, value *marks)
{
	const struct cone_checker *c = e->program->checker;
	for (uint32_t n = 0; marks && n < c->owned_count; n++)
		ir_build_set(&e->builder, pool_of(e, c->owned[n])->used, marks[n]);
}

/* ---- Room ---- */

void cone_owner_finish(struct cone_emitter *e)
{
	uint64_t used = 0, count = 0;
	for (uint32_t n = 0; n < e->kernel->memory_count; n++) {
		const struct ir_memory *m = e->kernel->memories[n];
		if (m->kind == IR_MEMORY_PRIVATE || m->kind == IR_MEMORY_TABLE)
			used += m->type->size;
	}
	for (const struct cone_pool *pool = e->all_pools; pool; pool = pool->next)
		count += pool->memory ? 1 : 0;
	if (!count)
		return;
	uint64_t all = e->stack ? OWN_BYTES : IR_MAX_OWN_BYTES, left = used < all ? all - used : 0;
	uint64_t each = (left < MOST_OWNED ? left : MOST_OWNED) / count;
	for (struct cone_pool *pool = e->all_pools; pool; pool = pool->next) {
		if (!pool->memory)
			continue;
		const struct ir_type *element = pool->memory->type->element;
		uint64_t places = each / element->size ? each / element->size : 1;
		pool->memory->type = ir_type_array(e->module, element, places);
		for (uint32_t n = 0; n < pool->limit_count; n++)
			pool->limits[n]->bits = places;
	}
}
