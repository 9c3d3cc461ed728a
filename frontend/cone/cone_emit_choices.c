/* References that are known at run time alone, which the CPU's programs have (spec/cone.md part 8). What a reference
 * may lead to is still known while emitting: a holder keeps a list of the places that it was ever set to, and a local
 * that says which one it leads to now. A place that is reached through it is a SHAPE_CHOICE, and what is done with that
 * is done in an `if` for each place. Functions and methods are places too: the closures and structs they are called
 * on. */
#include "frontend/cone/cone_emit.h"

#include "frontend/cone/cone_check.h"

static const struct ir_type *const u32 = &ir_types[IR_TYPE_u32];

/* ---- What is emitted for every place ---- */

/* Each is an `if` in the one before. */
enum { MOST_PLACES = 200 };

struct ways {
	shape *choice, *result;
	const struct cone_node *node;
	cone_way *emit;
	void *context;
};

static void emit_way(struct cone_emitter *e, const struct ways *w, uint64_t n)
{
	shape *v = w->emit(e, w->choice->parts[n], w->context, w->node);
	if (v && v->kind != SHAPE_NONE)
		cone_emit_give(e, w->result, v, w->node);
}

static void emit_from(struct cone_emitter *e, const struct ways *w, uint64_t n)
{
	if (n + 1 >= w->choice->count) {
		emit_way(e, w, n);
		return;
	}
	struct cone_branch branch;
	value is = cone_emit_with(e, IR_OP_eq, w->choice->choice, n);
	cone_emit_begin_branch(e, &branch, is);
	emit_way(e, w, n);
	cone_emit_other_branch(e, &branch);
	emit_from(e, w, n + 1);
	cone_emit_end_branch(e, &branch);
}

shape *cone_emit_ways(struct cone_emitter *e, shape *place, const struct cone_type *type, const struct cone_node *node,
                      cone_way *emit, void *context)
{
	if (place->kind != SHAPE_CHOICE)
		return emit(e, place, context, node);
	bool known = place->choice->op == IR_OP_const && place->choice->bits < place->count;
	if (known || place->count == 1)
		return emit(e, place->parts[known ? place->choice->bits : 0], context, node);
	bool has_value = type && type->kind != CONE_TYPE_VOID && type->kind != CONE_TYPE_NEVER;
	if (place->count > MOST_PLACES) {
		cone_emit_refuse(e, node, "1253", "a reference leads to one of more than %d places", MOST_PLACES);
		return cone_shape_zero(e, type ? type : &cone_void);
	}
	struct ways w = {place, NULL, node, emit, context};
	w.result = has_value ? cone_shape_storage(e, type, "chosen", node) : NULL;
	emit_from(e, &w, 0);
	return w.result ? cone_shape_read(e, w.result, node) : cone_shape_new(e, SHAPE_NONE, type);
}

/* ---- Places that are one of several ---- */

shape *cone_choice_new(struct cone_emitter *e, value choice, const struct cone_type *type, uint64_t count)
{
	shape *s = cone_shape_parts(e, type, count);
	s->kind = SHAPE_CHOICE;
	s->choice = choice;
	return s;
}

shape *cone_choice_field(struct cone_emitter *e, const shape *place, uint32_t field, const struct cone_node *at)
{
	shape *s = cone_choice_new(e, place->choice, place->type->fields[field].type, place->count);
	for (uint64_t n = 0; n < place->count; n++)
		s->parts[n] = cone_shape_field(e, place->parts[n], field, at);
	return s;
}

shape *cone_choice_element(struct cone_emitter *e, const shape *place, value index, const struct cone_node *at)
{
	shape *s = cone_choice_new(e, place->choice, place->type->element, place->count);
	for (uint64_t n = 0; n < place->count; n++)
		s->parts[n] = cone_shape_element(e, place->parts[n], index, at);
	return s;
}

static shape *read_one(struct cone_emitter *e, shape *place, void *context, const struct cone_node *at)
{
	(void)context;
	return cone_shape_read(e, place, at);
}

shape *cone_choice_read(struct cone_emitter *e, shape *place, const struct cone_node *at)
{
	return cone_emit_ways(e, place, place->type, at, read_one, NULL);
}

static shape *write_one(struct cone_emitter *e, shape *place, void *context, const struct cone_node *at)
{
	cone_shape_write(e, place, context, at);
	return NULL;
}

void cone_choice_write(struct cone_emitter *e, shape *place, shape *source, const struct cone_node *at)
{
	cone_emit_ways(e, place, NULL, at, write_one, source);
}

/* ---- Holders ---- */

struct cone_choices *cone_choices_new(struct cone_emitter *e, const char *name)
{
	struct cone_choices *c = ARENA_NEW(&e->arena, struct cone_choices);
	c->local = cone_emit_local(e, name, u32);
	return c;
}

/* Of a place that is kept, and one that may be the same but for its indexes. */
static bool is_alike(const shape *kept, const shape *other)
{
	if (kept == other || (kept->kind == SHAPE_LOCAL && cone_shape_same(kept, other)))
		return true;
	if (kept->kind == SHAPE_PARTS && other->kind == SHAPE_PARTS && !kept->count && !other->count)
		return kept->type == other->type; /* a named function */
	if (kept->kind != SHAPE_MEMORY || other->kind != SHAPE_MEMORY || kept->memory != other->memory ||
	    kept->path_count != other->path_count || kept->type != other->type)
		return false;
	for (uint32_t n = 0; n < kept->path_count; n++) {
		const struct cone_step *a = &kept->path[n], *b = &other->path[n];
		if (!a->index != !b->index || (!a->index && a->field != b->field))
			return false;
		bool is_fixed = a->index && !a->local;
		if (is_fixed && (b->local || b->index->op != IR_OP_const || b->index->bits != a->index->bits))
			return false;
	}
	return true;
}

static value index_of_step(struct cone_emitter *e, const struct cone_step *step)
{
	return step->local ? ir_build_get(&e->builder, step->local) : step->index;
}

/* Whatever is not constant in the path is in locals of the holder's own. */
static shape *kept_place(struct cone_emitter *e, shape *target, bool is_saved)
{
	if (target->kind != SHAPE_MEMORY)
		return target;
	shape *s = cone_shape_new(e, SHAPE_MEMORY, target->type);
	*s = *target;
	s->path = ARENA_ARRAY(&e->arena, struct cone_step, s->path_count);
	for (uint32_t n = 0; n < s->path_count; n++) {
		s->path[n] = target->path[n];
		s->path[n].local = NULL;
		if (!s->path[n].index || (!target->path[n].local && s->path[n].index->op == IR_OP_const))
			continue;
		s->path[n].local = cone_emit_local(e, "index", target->path[n].index->type);
		if (is_saved)
			cone_recursion_save(e, s->path[n].local);
	}
	return s;
}

/* The number of a place. `is`: whether it is the one that is led to; NULL: it is. */
static uint32_t choose(struct cone_emitter *e, struct cone_choices *c, shape *target, value is)
{
	uint32_t n = 0;
	while (n < c->count && !is_alike(c->targets[n], target))
		n++;
	if (n == c->count)
		*ARENA_PUSH(&e->arena, c->targets, c->count, c->capacity) = kept_place(e, target, c->is_saved);
	const shape *kept = c->targets[n];
	for (uint32_t i = 0; kept->kind == SHAPE_MEMORY && kept != target && i < kept->path_count; i++) {
		struct ir_local *local = kept->path[i].local;
		if (!local)
			continue;
		value index = index_of_step(e, &target->path[i]);
		if (is)
			index = cone_emit_select(e, is, index, ir_build_get(&e->builder, local));
		ir_build_set(&e->builder, local, index);
	}
	return n;
}

void cone_choices_write(struct cone_emitter *e, shape *place, const shape *source)
{
	struct cone_choices *c = place->choices;
	shape *before = place->target, *target = source->target;
	bool was_chosen = place->chosen;
	value number = NULL;
	if (target && target->kind == SHAPE_CHOICE) {
		for (uint64_t n = 0; n < target->count; n++) {
			value is = cone_emit_with(e, IR_OP_eq, target->choice, n);
			value own = cone_emit_constant(e, u32, choose(e, c, target->parts[n], is));
			number = number ? cone_emit_select(e, is, own, number) : own;
		}
		place->chosen = true;
		place->target = NULL;
	} else if (target) {
		uint32_t n = choose(e, c, target, NULL);
		number = cone_emit_constant(e, u32, n);
		place->chosen = false;
		place->target = c->targets[n];
	} else {
		place->chosen = false;
		place->target = NULL;
	}
	if (place->sticky && (was_chosen || (before && before != place->target)))
		place->chosen = true;
	if (number)
		ir_build_set(&e->builder, c->local, number);
}

/* Where it leads to now, whatever becomes of the holder. */
static shape *seen(struct cone_emitter *e, const shape *kept)
{
	bool any = false;
	for (uint32_t n = 0; kept->kind == SHAPE_MEMORY && n < kept->path_count; n++)
		any |= kept->path[n].local != NULL;
	if (!any)
		return (shape *)kept;
	shape *s = cone_shape_new(e, SHAPE_MEMORY, kept->type);
	*s = *kept;
	s->path = ARENA_ARRAY(&e->arena, struct cone_step, s->path_count);
	for (uint32_t n = 0; n < s->path_count; n++) {
		s->path[n] = kept->path[n];
		if (s->path[n].local)
			s->path[n] = (struct cone_step){.index = ir_build_get(&e->builder, kept->path[n].local)};
	}
	return s;
}

shape *cone_choices_read(struct cone_emitter *e, const shape *place)
{
	const struct cone_choices *c = place->choices;
	if ((!place->chosen && !e->recursion) || !c->count)
		return place->target ? seen(e, place->target) : NULL;
	if (c->count == 1)
		return seen(e, c->targets[0]);
	shape *s = cone_choice_new(e, ir_build_get(&e->builder, c->local), c->targets[0]->type, c->count);
	for (uint32_t n = 0; n < c->count; n++)
		s->parts[n] = seen(e, c->targets[n]);
	return s;
}

/* ---- Variables and values that references lead to ---- */

struct scan {
	struct cone_emitter *e;
};

static bool note_borrowed(void *context, const struct cone_node *node)
{
	struct scan *scan = context;
	if (node->kind != CONE_BORROW)
		return false;
	const struct cone_node *root = node->left;
	while ((root->kind == CONE_MEMBER || root->kind == CONE_INDEX) && root->left && !root->global &&
	       root->left->type->kind != CONE_TYPE_SLICE)
		root = root->left;
	const struct cone_variable *v = root->kind == CONE_NAME ? root->variable : NULL;
	if (v)
		table_set_n(&scan->e->borrowed, (const char *)&v, sizeof v, scan->e);
	return false;
}

bool cone_emit_is_borrowed(struct cone_emitter *e, const struct cone_variable *v)
{
	const struct cone_instance *instance = e->frame->instance;
	if (!table_get_n(&e->borrowed, (const char *)&instance, sizeof instance)) {
		table_set_n(&e->borrowed, (const char *)&instance, sizeof instance, e);
		cone_emit_any_node(instance->body, note_borrowed, &(struct scan){e});
	}
	return table_get_n(&e->borrowed, (const char *)&v, sizeof v) != NULL;
}

/* What is emitted again, for another round of thoughts about a loop, is the same place. */
struct home_key {
	const void *of;
	const struct cone_type *type;
	uint64_t frame;
};

/* In a recursion's frame what leads nowhere is in a memory if references may lead to it. */
static shape *new_place(struct cone_emitter *e, const void *of, const struct cone_type *type, const char *name,
                        const struct cone_node *at)
{
	uint32_t first = e->kernel->local_count, holders = e->holder_count;
	bool member = e->recursion && e->frame->is_member;
	bool plain = !cone_emit_has_references(type) && (cone_emit_is_scalar(type) || type->field_count);
	bool moves = member && plain && (!cone_emit_is_scalar(type) || cone_emit_is_borrowed(e, of));
	const struct ir_type *in_memory = moves ? cone_emit_type(e, type, at) : NULL;
	if (in_memory)
		return cone_recursion_memory(e, type, in_memory, name, at);
	e->is_placing = member;
	shape *s = cone_shape_storage(e, type, name, at);
	e->is_placing = false;
	for (uint32_t n = first; member && n < e->kernel->local_count; n++)
		cone_recursion_save(e, e->kernel->locals[n]);
	for (uint32_t n = holders; member && n < e->holder_count; n++)
		e->holders[n]->choices->is_saved = true;
	return s;
}

static void home_key(struct cone_emitter *e, struct home_key *key, const void *of, const struct cone_type *type)
{
	*key = (struct home_key){of, type, e->frame->number};
}

shape *cone_emit_frame_place(struct cone_emitter *e, const void *of, const struct cone_type *type, const char *name,
                             const struct cone_node *at)
{
	struct home_key key;
	home_key(e, &key, of, type);
	shape *home = table_get_n(&e->homes, (const char *)&key, sizeof key);
	if (!home) {
		home = new_place(e, of, type, name, at);
		table_set_n(&e->homes, (const char *)&key, sizeof key, home);
	}
	return home;
}

shape *cone_emit_home(struct cone_emitter *e, const void *of, shape *s, const char *name, bool mutable,
                      const struct cone_node *at)
{
	struct home_key key;
	home_key(e, &key, of, s->type);
	shape *home = table_get_n(&e->homes, (const char *)&key, sizeof key);
	if (!home && !mutable) {
		shape *kept = cone_shape_kept(e, s, at);
		home = kept->kind == SHAPE_MEMORY && kept->memory->kind == IR_MEMORY_TABLE ? kept : NULL;
		if (home)
			table_set_n(&e->homes, (const char *)&key, sizeof key, home);
	}
	if (!home)
		home = cone_emit_frame_place(e, of, s->type, name, at);
	bool is_constant = home->kind == SHAPE_MEMORY && home->memory->kind == IR_MEMORY_TABLE;
	if (!is_constant)
		cone_shape_write(e, home, s, at);
	return home;
}

/* Of a call in a frame: 0 is the kernel's. */
uint64_t cone_emit_frame_number(struct cone_emitter *e, const struct cone_node *call, const void *place)
{
	struct {
		const void *call, *place;
		uint64_t frame;
	} key = {call, place, e->frame->number};
	uintptr_t known = (uintptr_t)table_get_n(&e->frames, (const char *)&key, sizeof key);
	if (!known) {
		known = ++e->frame_count;
		table_set_n(&e->frames, (const char *)&key, sizeof key, (void *)known);
	}
	return known;
}

/* ---- Calls through references ---- */

struct called {
	shape **arguments;
};

static const struct cone_instance *method_of(struct cone_emitter *e, const struct cone_node *call,
                                             const struct cone_type *type)
{
	if (type->kind == CONE_TYPE_CLOSURE)
		return type->call;
	if (type->kind != CONE_TYPE_STRUCT || !call->name)
		return NULL;
	struct cone_declaration *d = cone_method_of((struct cone_type *)type, call->name, 0);
	return d ? cone_instance_known(e->program->checker, d, type) : NULL;
}

/* The receiver, if any, and then what the call gives, are of the types that the function has. */
static bool fits(const struct cone_instance *instance, const struct cone_node *call, uint32_t first)
{
	if (instance->parameter_count != call->part_count + first || instance->result != call->type)
		return false;
	for (uint32_t n = 0; n < call->part_count; n++)
		if (instance->parameters[n + first]->type != call->parts[n]->type)
			return false;
	return true;
}

static shape *call_one(struct cone_emitter *e, shape *place, void *context, const struct cone_node *node)
{
	const struct called *called = context;
	const struct cone_instance *instance = method_of(e, node, place->type);
	uint32_t first = instance && instance->self_type == place->type ? 1 : 0;
	if (!instance || !fits(instance, node, first)) {
		if (!e->dead)
			cone_emit_refuse(e, node, "1400", "what is called here is not known when compiling");
		return cone_shape_zero(e, node->type);
	}
	shape **arguments = ARENA_ARRAY(&e->arena, shape *, instance->parameter_count + 1);
	if (first) {
		const struct cone_type *self = instance->parameters[0]->type;
		bool is_reference = self->kind == CONE_TYPE_REFERENCE;
		shape *reference = is_reference ? cone_shape_new(e, SHAPE_REFERENCE, self) : NULL;
		if (is_reference)
			reference->target = place;
		arguments[0] = is_reference ? reference : cone_shape_read(e, place, node);
	}
	for (uint32_t n = 0; n < node->part_count; n++)
		arguments[n + first] = called->arguments[n];
	return cone_emit_instance(e, node, instance, arguments, node->part_count + first, place->type);
}

shape *cone_emit_call_through(struct cone_emitter *e, const struct cone_node *node)
{
	bool is_virtual = node->left->type->kind == CONE_TYPE_VIRTUAL;
	shape *place = is_virtual ? cone_emit_target(e, node, cone_emit_expression(e, node->left))
	                          : cone_emit_place(e, node->left);
	struct called called = {ARENA_ARRAY(&e->arena, shape *, node->part_count + 1)};
	for (uint32_t n = 0; n < node->part_count; n++)
		called.arguments[n] = cone_emit_expression(e, node->parts[n]);
	return cone_emit_ways(e, place, node->type, node, call_one, &called);
}
