/* Frames of functions that call themselves (cone_emit_recursion.c): where their variables are, and the stack. */
#include "frontend/cone/cone_emit_recursion.h"

static const struct ir_type *const u32 = &ir_types[IR_TYPE_u32], *const u64 = &ir_types[IR_TYPE_u64];

/* Of a kernel's memories, of which what is left is for frames: some bytes are lost to alignment. */
enum { OWN_BYTES = 255 << 10 };

/* ---- Variables ---- */

/* One place for each depth: for what stays where it is. */
shape *cone_recursion_memory(struct cone_emitter *e, const struct cone_type *type, const struct ir_type *in_memory,
                             const char *name, const struct cone_node *at)
{
	const struct ir_type *all = ir_type_array(e->module, in_memory, 1);
	if (!all) {
		cone_emit_refuse(e, at, "1400", "there is no room for %s in a function that calls itself", name);
		return cone_shape_zero(e, type);
	}
	shape *s = cone_shape_new(e, SHAPE_MEMORY, type);
	s->memory = ir_add_private(e->kernel, cone_emit_name(e, name), all, NULL);
	s->path = ARENA_ARRAY(&e->arena, struct cone_step, 1);
	s->path[0] = (struct cone_step){.index = e->recursion->zero, .local = e->recursion->depth};
	s->path_count = 1;
	*ARENA_PUSH(&e->arena, e->deep, e->deep_count, e->deep_capacity) = s->memory;
	return s;
}

void cone_recursion_save(struct cone_emitter *e, struct ir_local *local)
{
	struct cone_recursion *r = e->recursion;
	*ARENA_PUSH(&e->arena, r->saved, r->saved_count, r->saved_capacity) = local;
}

/* A place as it is now, whatever becomes of the depth. What has no indexes is itself. */
static shape *settled_place(struct cone_emitter *e, shape *place)
{
	bool any = false;
	if (place->kind == SHAPE_CHOICE) {
		shape *copy = cone_choice_new(e, place->choice, place->type, place->count);
		for (uint64_t n = 0; n < place->count; n++)
			copy->parts[n] = settled_place(e, place->parts[n]);
		return copy;
	}
	for (uint32_t n = 0; place->kind == SHAPE_MEMORY && n < place->path_count; n++)
		any |= place->path[n].local != NULL;
	if (!any)
		return place;
	shape *copy = cone_shape_new(e, SHAPE_MEMORY, place->type);
	*copy = *place;
	copy->path = ARENA_ARRAY(&e->arena, struct cone_step, place->path_count);
	for (uint32_t n = 0; n < place->path_count; n++) {
		copy->path[n] = place->path[n];
		if (place->path[n].local)
			copy->path[n] = (struct cone_step){.index = ir_build_get(&e->builder, place->path[n].local)};
	}
	return copy;
}

/* A value as it is now. */
shape *cone_recursion_settled(struct cone_emitter *e, shape *s)
{
	shape *copy = cone_shape_new(e, s->kind, s->type);
	*copy = *s;
	switch (s->kind) {
	case SHAPE_NONE:
	case SHAPE_VALUE:
	case SHAPE_LOCAL:
	case SHAPE_STRING: return s;
	case SHAPE_MEMORY:
	case SHAPE_CHOICE: return settled_place(e, s);
	case SHAPE_REFERENCE:
	case SHAPE_SLICE: copy->target = s->target ? settled_place(e, s->target) : NULL; return s->holder ? s : copy;
	case SHAPE_FILL:
	case SHAPE_PARTS: break;
	}
	if (!s->count)
		return s;
	copy->parts = ARENA_ARRAY(&e->arena, shape *, s->count);
	for (uint64_t n = 0; n < (s->kind == SHAPE_FILL ? 1 : s->count); n++)
		copy->parts[n] = cone_recursion_settled(e, s->parts[n]);
	return copy;
}

static bool is_saved(const struct cone_recursion *r, const struct ir_local *local)
{
	for (uint32_t n = 0; n < r->saved_count; n++)
		if (r->saved[n] == local)
			return true;
	return false;
}

/* A reference leads to a local of the frame, which the call takes away. */
bool cone_recursion_leads_to_frame(const struct cone_recursion *r, const shape *s, bool is_target)
{
	if (!s)
		return false;
	if (s->kind == SHAPE_LOCAL)
		return is_target && is_saved(r, s->local);
	if (s->kind == SHAPE_REFERENCE || s->kind == SHAPE_SLICE) {
		if (s->holder)
			return is_target && s->choices && is_saved(r, s->choices->local);
		return cone_recursion_leads_to_frame(r, s->target, true);
	}
	for (uint64_t n = 0; s->parts && n < (s->kind == SHAPE_FILL ? 1 : s->count); n++)
		if (cone_recursion_leads_to_frame(r, s->parts[n], is_target))
			return true;
	return false;
}

/* ---- The stack ---- */

static value as_word(struct cone_emitter *e, value v)
{
	if (v->type->kind == IR_TYPE_bool)
		return cone_emit_select(e, v, cone_emit_constant(e, u64, 1), cone_emit_constant(e, u64, 0));
	if (ir_type_is_float(v->type))
		v = cone_emit_convert(e, IR_OP_bitcast, v->type->kind == IR_TYPE_f64 ? u64 : u32, v);
	return cone_emit_convert(e, IR_OP_convert, u64, v);
}

static value of_word(struct cone_emitter *e, const struct ir_type *type, value v)
{
	if (type->kind == IR_TYPE_bool)
		return cone_emit_with(e, IR_OP_ne, v, 0);
	if (!ir_type_is_float(type))
		return cone_emit_convert(e, IR_OP_convert, type, v);
	if (type->kind == IR_TYPE_f32)
		v = cone_emit_convert(e, IR_OP_convert, u32, v);
	return cone_emit_convert(e, IR_OP_bitcast, type, v);
}

struct room {
	uint64_t words, depth; /* of the stack; of the memories that have a place for each */
};

static void check_room(struct cone_emitter *e, value top, value depth, const struct room *room_of)
{
	const struct cone_recursion *r = e->recursion;
	uint64_t most = room_of->words < r->saved_count ? 0 : room_of->words - r->saved_count + 1;
	value room = cone_emit_with(e, IR_OP_lt, top, most),
	      place = cone_emit_with(e, IR_OP_lt, depth, room_of->depth - 1);
	struct ir_instruction *check =
	    ir_build_check(&e->builder, cone_emit_binary(e, IR_OP_band, room, place), TRAP_PANIC);
	check->message = "functions call themselves too deep";
}

static void put_frame(struct cone_emitter *e, bool is_call, const struct room *room)
{
	struct cone_recursion *r = e->recursion;
	value top = ir_build_get(&e->builder, e->stack_top), depth = ir_build_get(&e->builder, r->depth);
	if (is_call)
		check_room(e, top, depth, room);
	else
		top = cone_emit_with(e, IR_OP_isub, top, r->saved_count);
	for (uint32_t n = 0; n < r->saved_count; n++) {
		struct ir_local *local = r->saved[n];
		struct ir_step step = {.index = cone_emit_with(e, IR_OP_iadd, top, n)};
		struct ir_step *path = ARENA_ARRAY(&e->arena, struct ir_step, 1);
		*path = step;
		if (is_call)
			ir_build_store(&e->builder, e->stack, path, 1, as_word(e, ir_build_get(&e->builder, local)));
		else
			ir_build_set(&e->builder, local,
			             of_word(e, local->type, ir_build_load(&e->builder, e->stack, path, 1)));
	}
	if (is_call)
		top = cone_emit_with(e, IR_OP_iadd, top, r->saved_count);
	ir_build_set(&e->builder, e->stack_top, top);
	ir_build_set(&e->builder, r->depth, cone_emit_with(e, is_call ? IR_OP_iadd : IR_OP_isub, depth, 1));
}

static void make_moves(struct cone_emitter *e, struct cone_recursion *r, const struct room *room)
{
	e->recursion = r;
	struct ir_builder here = e->builder;
	for (uint32_t n = 0; n < r->move_count; n++) {
		const struct cone_frame_move *m = &r->moves[n];
		struct ir_region made = {0};
		e->builder = (struct ir_builder){e->kernel, &made, m->parent, m->place};
		put_frame(e, m->is_call, room);
		struct ir_instruction *before = m->after ? m->after->next : m->region->first;
		while (made.first) {
			struct ir_instruction *i = made.first;
			ir_unlink(&made, i);
			ir_insert(m->region, before, i);
		}
	}
	e->builder = here;
	e->recursion = NULL;
}

/* Half of what is left is the stack, where there are other memories to be had for each depth; else all is. */
void cone_recursion_finish(struct cone_emitter *e)
{
	uint64_t used = 0, each = 0;
	if (!e->stack)
		return;
	for (uint32_t n = 0; n < e->deep_count; n++)
		each += (e->deep[n]->type->size + 15) / 16 * 16;
	for (uint32_t n = 0; n < e->kernel->memory_count; n++)
		if (e->kernel->memories[n]->kind == IR_MEMORY_PRIVATE)
			used += e->kernel->memories[n]->type->size;
	uint64_t left = used + each + 64 < OWN_BYTES ? OWN_BYTES - used - each : 64;
	struct room room = {.words = left / (each ? 16 : 8), .depth = each ? left / 2 / each + 1 : left};
	e->stack->type = ir_type_array(e->module, u64, room.words);
	for (uint32_t n = 0; n < e->deep_count; n++)
		e->deep[n]->type = ir_type_array(e->module, e->deep[n]->type->element, room.depth);
	for (struct cone_recursion *r = e->all_recursions; r; r = r->next)
		make_moves(e, r, &room);
}
