/* Functions that call themselves, directly or round, as deep as is known at run time alone (on the CPU: spec/cone.md
 * part 8). The IR has no calls, so they become a loop around the bodies of all of them. A call puts the frame on a
 * stack and starts a round for what is called; a return takes a frame off, and the round that follows goes through the
 * caller's body again, past all that was done, to the place behind the call: `resume` is its number.
 *
 * A frame is the locals of variables. What references lead to, and arrays, are in memories that have a place for each
 * depth instead: they stay where they are. */
#include "frontend/cone/cone_emit_recursion.h"

#include "frontend/cone/cone_check.h"

static const struct ir_type *const u32 = &ir_types[IR_TYPE_u32], *const u64 = &ir_types[IR_TYPE_u64];

enum { MOST_EMISSIONS = 64 }; /* as for loops */

struct cone_member *cone_recursion_member(const struct cone_recursion *r, const struct cone_instance *instance)
{
	for (uint32_t n = 0; instance && n < r->member_count; n++)
		if (r->members[n].instance == instance)
			return &r->members[n];
	return NULL;
}

/* ---- Which functions ---- */

struct reaching {
	struct cone_emitter *e;
	struct table seen;
	const struct cone_instance **list;
	uint32_t count, capacity;
};

static bool note_call(void *context, const struct cone_node *n)
{
	struct reaching *r = context;
	if (n->kind != CONE_CALL || !n->instance || !n->instance->body ||
	    table_get_n(&r->seen, (const char *)&n->instance, sizeof n->instance))
		return false;
	table_set_n(&r->seen, (const char *)&n->instance, sizeof n->instance, r);
	*ARENA_PUSH(&r->e->arena, r->list, r->count, r->capacity) = n->instance;
	return false;
}

/* All that a function calls, directly or through others; itself only if it does call itself. */
static struct reaching reached_from(struct cone_emitter *e, const struct cone_instance *instance)
{
	struct reaching r = {.e = e, .seen.arena = &e->arena};
	cone_emit_any_node(instance->body, note_call, &r);
	for (uint32_t n = 0; n < r.count; n++)
		cone_emit_any_node(r.list[n]->body, note_call, &r);
	return r;
}

static bool reaches(struct cone_emitter *e, const struct cone_instance *from, const struct cone_instance *to)
{
	struct reaching r = reached_from(e, from);
	return table_get_n(&r.seen, (const char *)&to, sizeof to) != NULL;
}

bool cone_emit_is_recursive(struct cone_emitter *e, const struct cone_instance *instance)
{
	if (!e->program->machine.chooses)
		return false;
	uintptr_t known = (uintptr_t)table_get_n(&e->recursive, (const char *)&instance, sizeof instance);
	if (!known) {
		known = reaches(e, instance, instance) ? 2 : 1;
		table_set_n(&e->recursive, (const char *)&instance, sizeof instance, (void *)known);
	}
	return known == 2;
}

static void find_members(struct cone_emitter *e, struct cone_recursion *r, const struct cone_instance *instance)
{
	struct reaching all = reached_from(e, instance);
	r->members = ARENA_ARRAY(&e->arena, struct cone_member, all.count);
	for (uint32_t n = 0; n < all.count; n++)
		if (all.list[n] == instance || reaches(e, all.list[n], instance))
			r->members[r->member_count++].instance = all.list[n];
}

/* ---- Going through a body ---- */

static value is_fresh(struct cone_emitter *e)
{
	return cone_emit_with(e, IR_OP_eq, ir_build_get(&e->builder, e->recursion->resume), 0);
}

struct sites {
	const struct cone_recursion *r;
	uint64_t first, end;
};

static bool note_site(void *context, const struct cone_node *n)
{
	struct sites *s = context;
	if (n->kind == CONE_CALL && cone_recursion_member(s->r, n->instance)) {
		s->first = !s->end || n->constant < s->first ? n->constant : s->first;
		s->end = n->constant + 1 > s->end ? n->constant + 1 : s->end;
	}
	return false;
}

/* The call that has come back is in it: its calls are numbered one after another. */
static value is_inside(struct cone_emitter *e, const struct cone_node *n)
{
	struct sites s = {.r = e->recursion};
	cone_emit_any_node(n, note_site, &s);
	value place = cone_emit_with(e, IR_OP_isub, ir_build_get(&e->builder, e->recursion->resume), s.first);
	return cone_emit_with(e, IR_OP_lt, place, s.end - s.first);
}

static void note_move(struct cone_emitter *e, bool is_call)
{
	struct cone_recursion *r = e->recursion;
	if (!e->dead)
		*ARENA_PUSH(&e->arena, r->moves, r->move_count, r->move_capacity) = (struct cone_frame_move){
		    e->builder.region, e->builder.region->last, e->builder.parent, e->builder.place, is_call};
}

static void set(struct cone_emitter *e, struct ir_local *local, uint64_t v)
{
	ir_build_set(&e->builder, local, cone_emit_constant(e, local->type, v));
}

static void next_round(struct cone_emitter *e)
{
	if (!e->dead)
		ir_build_continue(&e->builder, e->recursion->loop);
	cone_emit_end(e);
}

static void bind_member(struct cone_emitter *e, struct cone_member *m, shape **arguments, uint32_t count,
                        const struct cone_node *at)
{
	struct cone_emit_frame *caller = e->frame;
	e->frame = &m->frame;
	for (uint32_t n = 0; n < count && n < m->instance->parameter_count; n++) {
		const struct cone_variable *v = m->instance->parameters[n];
		shape **slot = &m->frame.variables[v->index];
		*slot = cone_emit_frame_place(e, v, v->type, v->name, at);
		cone_shape_write(e, *slot, arguments[n], at);
	}
	e->frame = caller;
}

/* Then `resume` is 0 again, and the result is there. */
static void call_site(struct cone_emitter *e, const struct cone_node *call)
{
	struct cone_recursion *r = e->recursion;
	struct cone_member *m = cone_recursion_member(r, call->instance);
	struct cone_branch branch;
	cone_emit_begin_branch(e, &branch, is_fresh(e));
	shape **arguments = ARENA_ARRAY(&e->arena, shape *, call->part_count + 1);
	for (uint32_t n = 0; n < call->part_count; n++) {
		arguments[n] = cone_recursion_settled(e, cone_emit_expression(e, call->parts[n]));
		if (cone_recursion_leads_to_frame(r, arguments[n], false))
			cone_emit_refuse(e, call->parts[n], "1400",
			                 "a reference to a variable that holds references is given to a function that "
			                 "calls this one");
	}
	cone_emit_locate(e, call);
	set(e, r->resume, call->constant);
	note_move(e, true);
	bind_member(e, m, arguments, call->part_count, call);
	set(e, r->resume, 0);
	set(e, r->member, (uint64_t)(m - r->members));
	next_round(e);
	cone_emit_other_branch(e, &branch);
	set(e, r->resume, 0);
	cone_emit_end_branch(e, &branch);
}

static void go_through(struct cone_emitter *e, const struct cone_node *n);

static void go_through_block(struct cone_emitter *e, const struct cone_node *block)
{
	for (uint32_t n = 0; n < block->part_count;) {
		const struct cone_node *part = block->parts[n];
		struct cone_branch branch;
		if (cone_recursion_bears(e->recursion, part)) {
			value here = cone_emit_binary(e, IR_OP_bor, is_fresh(e), is_inside(e, part));
			cone_emit_begin_branch(e, &branch, here);
			go_through(e, part);
			n++;
		} else {
			cone_emit_begin_branch(e, &branch, is_fresh(e));
			for (; n < block->part_count && !cone_recursion_bears(e->recursion, block->parts[n]); n++)
				cone_emit_expression(e, block->parts[n]);
		}
		cone_emit_other_branch(e, &branch);
		cone_emit_end_branch(e, &branch);
	}
}

static void go_through_if(struct cone_emitter *e, const struct cone_node *n)
{
	struct ir_local *taken = cone_emit_local(e, "taken", &ir_types[IR_TYPE_bool]);
	struct cone_branch branch;
	cone_emit_begin_branch(e, &branch, is_fresh(e));
	ir_build_set(&e->builder, taken, cone_emit_value(e, n->condition));
	cone_emit_other_branch(e, &branch);
	ir_build_set(&e->builder, taken, is_inside(e, n->left));
	cone_emit_end_branch(e, &branch);
	cone_emit_begin_branch(e, &branch, ir_build_get(&e->builder, taken));
	go_through_block(e, n->left);
	cone_emit_other_branch(e, &branch);
	if (n->right)
		go_through_block(e, n->right);
	cone_emit_end_branch(e, &branch);
}

static void go_through_loop(struct cone_emitter *e, const struct cone_node *n)
{
	struct ir_instruction *loop = ir_build_loop(&e->builder);
	struct cone_emit_loop entry = {.outer = e->loops, .node = n->target, .frame = e->frame, .loop = loop};
	cone_emit_begin_exits(e, &entry.exits);
	entry.again = ARENA_ARRAY(&e->arena, bool, entry.exits.before.count);
	struct cone_region outer = cone_emit_enter(e, loop, 0);
	e->loops = &entry;
	go_through_block(e, n->left);
	e->loops = entry.outer;
	cone_emit_leave(e, &outer);
}

static void go_through(struct cone_emitter *e, const struct cone_node *n)
{
	const struct cone_node *call = n->kind == CONE_LOCAL ? n->left : n;
	switch ((int)n->kind) {
	case CONE_IF: go_through_if(e, n); return;
	case CONE_BLOCK: go_through_block(e, n); return;
	case CONE_WHILE: go_through_loop(e, n); return;
	}
	struct cone_member *m = cone_recursion_member(e->recursion, call->instance);
	call_site(e, call);
	if (n->kind != CONE_LOCAL || e->dead)
		return;
	const struct cone_variable *v = n->declared[0];
	shape *place = e->frame->variables[v->index] = cone_emit_frame_place(e, v, v->type, v->name, n);
	cone_shape_write(e, place, cone_shape_read(e, m->result, n), n);
}

void cone_recursion_return(struct cone_emitter *e)
{
	struct cone_recursion *r = e->recursion;
	struct cone_branch branch;
	if (e->dead)
		return;
	value last = cone_emit_with(e, IR_OP_eq, ir_build_get(&e->builder, r->depth), 0);
	cone_emit_begin_branch(e, &branch, last);
	ir_build_break(&e->builder, r->loop);
	cone_emit_end(e);
	cone_emit_other_branch(e, &branch);
	note_move(e, false);
	next_round(e);
	cone_emit_end_branch(e, &branch);
}

/* ---- All of it ---- */

static void emit_members(struct cone_emitter *e, uint32_t n)
{
	struct cone_recursion *r = e->recursion;
	struct cone_branch branch;
	bool last = n + 1 == r->member_count;
	if (!last)
		cone_emit_begin_branch(e, &branch,
		                       cone_emit_with(e, IR_OP_eq, ir_build_get(&e->builder, r->member), n));
	e->frame = &r->members[n].frame;
	go_through_block(e, r->members[n].body);
	cone_recursion_return(e);
	if (last)
		return;
	cone_emit_other_branch(e, &branch);
	emit_members(e, n + 1);
	cone_emit_end_branch(e, &branch);
}

/* Of the first `count` holders. */
static uint64_t count_choices(const struct cone_emitter *e, uint32_t count)
{
	uint64_t sum = 0;
	for (uint32_t n = 0; n < count; n++)
		sum += e->holders[n]->choices ? e->holders[n]->choices->count : 0;
	return sum;
}

static void emit_loop(struct cone_emitter *e)
{
	struct cone_recursion *r = e->recursion;
	struct cone_emit_frame *caller = e->frame;
	struct cone_emit_loop *loops = e->loops;
	r->move_count = 0;
	r->loop = ir_build_loop(&e->builder);
	struct cone_region outer = cone_emit_enter(e, r->loop, 0);
	e->loops = NULL;
	emit_members(e, 0);
	e->frame = caller;
	e->loops = loops;
	cone_emit_leave(e, &outer);
}

/* References are chosen among all that is ever found: so what is found must be known before what it is used for is
 * emitted. What is refused on the way there may not be so in the end. */
static void emit_rounds(struct cone_emitter *e, const struct cone_node *node)
{
	struct ir_region *region = e->builder.region;
	struct ir_instruction *last = region->last;
	uint64_t before = 0, after = 1;
	/* The first time makes the holders that last. */
	for (unsigned n = 0; (n < 2 || before != after) && n < MOST_EMISSIONS; n++) {
		uint32_t count = e->holder_count;
		before = count_choices(e, count);
		e->trials++;
		emit_loop(e);
		e->trials--;
		after = count_choices(e, count);
		while (region->last != last)
			ir_unlink(region, region->last);
	}
	if (before != after)
		cone_emit_refuse(e, node, "1253", "functions that call themselves set a reference to ever more places");
	emit_loop(e);
}

/* What the kernel has once: the stack goes on where a recursion is inside of another. */
static void add_stack(struct cone_emitter *e)
{
	if (e->stack)
		return;
	e->stack_top = cone_emit_local(e, "top", cone_emit_size(e));
	e->stack = ir_add_private(e->kernel, cone_emit_name(e, "stack"), ir_type_array(e->module, u64, 1), NULL);
}

static struct cone_recursion *new_recursion(struct cone_emitter *e, const struct cone_instance *instance,
                                            const struct cone_node *node, uint64_t number)
{
	const struct ir_type *size = cone_emit_size(e);
	struct ir_builder top = {.kernel = e->kernel, .region = &e->top};
	struct cone_recursion *r = ARENA_NEW(&e->arena, struct cone_recursion);
	find_members(e, r, instance);
	r->member = cone_emit_local(e, "member", u32);
	r->resume = cone_emit_local(e, "resume", u32);
	r->depth = cone_emit_local(e, "depth", size);
	r->zero = ir_build_const(&top, size, 0);
	r->next = e->all_recursions;
	e->all_recursions = r;
	for (uint32_t n = 0; n < r->member_count; n++) {
		struct cone_member *m = &r->members[n];
		m->result = cone_emit_result(e, m->instance->result, node);
		cone_recursion_flatten(e, r, m);
		m->frame = (struct cone_emit_frame){.number = number,
		                                    .instance = m->instance,
		                                    .form = RETURN_RECURSION,
		                                    .result = m->result,
		                                    .is_member = true};
		m->frame.variables = ARENA_ARRAY(&e->arena, shape *, m->variable_count);
	}
	return r;
}

/* The one of a call, which may be emitted more than once. */
static struct cone_recursion *recursion_of(struct cone_emitter *e, const struct cone_instance *instance,
                                           const struct cone_node *node, const void *place)
{
	uint64_t number = cone_emit_frame_number(e, node, place ? place : instance);
	struct cone_recursion *r = table_get_n(&e->recursions, (const char *)&number, sizeof number);
	if (!r) {
		r = new_recursion(e, instance, node, number);
		table_set_n(&e->recursions, (const char *)&number, sizeof number, r);
	}
	r->outer = e->recursion;
	for (uint32_t n = 0; n < r->member_count; n++)
		r->members[n].frame.caller = e->frame;
	return r;
}

static bool is_broken(struct cone_emitter *e, const struct cone_recursion *r)
{
	bool broken = false;
	for (uint32_t n = 0; n < r->member_count; n++)
		broken |= cone_emit_refuse_broken(e, r->members[n].instance);
	return broken;
}

static void set_chosen(struct cone_emitter *e)
{
	for (uint32_t n = 0; n < e->holder_count; n++)
		e->holders[n]->chosen |= e->holders[n]->choices && e->holders[n]->choices->count > 1;
}

shape *cone_emit_recursive(struct cone_emitter *e, const struct cone_node *node, const struct cone_instance *instance,
                           shape **arguments, uint32_t count, const void *place)
{
	for (struct cone_recursion *o = e->recursion; o; o = o->outer)
		if (cone_recursion_member(o, instance)) {
			cone_emit_refuse(e, node, "1400", "a function calls itself through a reference");
			return cone_shape_zero(e, node->type);
		}
	add_stack(e);
	struct cone_recursion *r = recursion_of(e, instance, node, place);
	if (is_broken(e, r))
		return cone_shape_zero(e, node->type);
	e->recursion = r;
	if (!r->saved_count)
		cone_recursion_save(e, r->resume);
	if (r->saved_count == 1 && r->member_count > 1)
		cone_recursion_save(e, r->member);
	struct cone_member *m = cone_recursion_member(r, instance);
	set(e, r->member, (uint64_t)(m - r->members));
	set(e, r->resume, 0);
	set(e, r->depth, 0);
	bind_member(e, m, arguments, count, node);
	emit_rounds(e, node);
	e->recursion = r->outer;
	set_chosen(e);
	cone_emit_locate(e, node);
	return m->result ? cone_shape_read(e, m->result, node) : cone_shape_new(e, SHAPE_NONE, instance->result);
}
