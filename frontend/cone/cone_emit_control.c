/* Blocks, if, loops, and what leaves them. */
#include "frontend/cone/cone_emit.h"

enum { MAX_NESTING = 900 };

/* ---- Regions ---- */

struct cone_region cone_emit_enter(struct cone_emitter *e, struct ir_instruction *control, unsigned n)
{
	struct cone_region outer = {e->builder, e->dead};
	e->builder = ir_builder_enter(&outer.builder, control, n);
	if (++e->nesting == MAX_NESTING)
		cone_emit_refuse(e, NULL, "1400", "control is nested too deep once everything is inlined");
	return outer;
}

void cone_emit_leave(struct cone_emitter *e, const struct cone_region *outer)
{
	e->nesting--;
	e->builder = outer->builder;
	e->dead = outer->dead;
}

void cone_emit_end(struct cone_emitter *e)
{
	e->dead = true;
	e->builder.region = &e->unused;
	e->builder.parent = NULL;
}

/* ---- If ---- */

static bool has_value(const struct cone_type *type)
{
	return type && type->kind != CONE_TYPE_VOID && type->kind != CONE_TYPE_NEVER;
}

static shape *none(struct cone_emitter *e, const struct cone_node *node)
{
	return cone_shape_new(e, SHAPE_NONE, node->type);
}

void cone_emit_give(struct cone_emitter *e, shape *result, shape *v, const struct cone_node *node)
{
	if (!result || e->dead)
		return;
	struct cone_snapshot before = cone_holders_take(e);
	cone_shape_write(e, result, v, node);
	cone_holders_check_same(e, &before, node, "references to different places are given on different ways");
}

/* False: nothing comes after it. */
static bool arm(struct cone_emitter *e, struct ir_instruction *control, unsigned n, const struct cone_node *node,
                shape *result)
{
	struct cone_region outer = cone_emit_enter(e, control, n);
	shape *v = cone_emit_expression(e, node);
	if (result && has_value(node->type))
		cone_emit_give(e, result, v, node);
	bool goes_on = !e->dead || outer.dead;
	cone_emit_leave(e, &outer);
	return goes_on;
}

shape *cone_emit_if(struct cone_emitter *e, const struct cone_node *node)
{
	value condition = cone_emit_value(e, node->condition);
	if (condition->op == IR_OP_const) {
		const struct cone_node *taken = condition->bits ? node->left : node->right;
		shape *v = taken ? cone_emit_expression(e, taken) : none(e, node);
		return has_value(node->type) && taken && has_value(taken->type) ? v : none(e, node);
	}
	cone_emit_locate(e, node);
	shape *result = has_value(node->type) ? cone_shape_storage(e, node->type, "if", node) : NULL;
	uint32_t lockstep = cone_emit_holds_barrier(e, node);
	struct ir_instruction *control = ir_build_if(&e->builder, condition);
	struct cone_snapshot before = cone_holders_take(e);
	e->frame->lockstep += lockstep;
	bool first = arm(e, control, 0, node->left, result), second = true;
	struct cone_snapshot then = cone_holders_take(e);
	cone_holders_put_back(e, &before);
	if (node->right)
		second = arm(e, control, 1, node->right, result);
	if (first && second)
		cone_holders_join(e, &then);
	else if (first)
		cone_holders_put_back(e, &then);
	else if (!second)
		cone_emit_end(e);
	e->frame->lockstep -= lockstep;
	return result ? cone_shape_read(e, result, node) : none(e, node);
}

shape *cone_emit_result(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at)
{
	uint32_t first = e->holder_count;
	shape *result = has_value(type) ? cone_shape_storage(e, type, "result", at) : NULL;
	for (uint32_t n = first; n < e->holder_count; n++)
		e->holders[n]->sticky = true;
	return result;
}

/* ---- Blocks ---- */

static bool asks_after(struct cone_emitter *e, const struct cone_node *statement)
{
	struct cone_emit_frame *f = e->frame;
	if (f->form != RETURN_FLAG || !cone_emit_holds_return(statement))
		return false;
	return !f->is_entry || f->lockstep || cone_emit_holds_barrier(e, statement);
}

/* What comes after a return inside of a value would be run all the same. */
static void refuse_inner_return(struct cone_emitter *e, const struct cone_node *statement)
{
	bool whole = statement->kind == CONE_IF || statement->kind == CONE_BLOCK || statement->kind == CONE_WHILE ||
	             statement->kind == CONE_EACH || statement->kind == CONE_RETURN;
	if (!whole)
		cone_emit_refuse(
		    e, statement, "1400",
		    "a return in the middle of a statement, where there is a barrier: return in one of its own");
}

static shape *statements(struct cone_emitter *e, const struct cone_node *block, uint32_t first)
{
	shape *v = none(e, block);
	for (uint32_t n = first; n < block->part_count; n++) {
		const struct cone_node *part = block->parts[n];
		v = cone_emit_expression(e, part);
		if (!asks_after(e, part))
			continue;
		refuse_inner_return(e, part);
		if (n + 1 == block->part_count || e->dead)
			continue;
		shape *result = has_value(block->type) ? cone_shape_storage(e, block->type, "block", block) : NULL;
		value goes_on = cone_emit_unary(e, IR_OP_bnot, ir_build_get(&e->builder, e->frame->returned));
		struct cone_region outer = cone_emit_enter(e, ir_build_if(&e->builder, goes_on), 0);
		shape *rest = statements(e, block, n + 1);
		cone_emit_give(e, result, rest, block);
		cone_emit_leave(e, &outer);
		return result ? cone_shape_read(e, result, block) : none(e, block);
	}
	return v;
}

shape *cone_emit_block(struct cone_emitter *e, const struct cone_node *node)
{
	shape *v = statements(e, node, 0);
	return has_value(node->type) ? v : none(e, node);
}

/* ---- Loops ---- */

/* The parts of a loop that are alike. */
struct rounds {
	struct cone_emit_loop entry;
	struct cone_region outer;
	uint32_t lockstep;
	uint32_t count;              /* how often it was emitted */
	value *marks;                /* of what is owned, before it */
	struct ir_region *region;    /* around it */
	struct ir_instruction *last; /* there, before it */
};

/* More is not met where references are of things that are there. */
enum { MOST_ROUNDS = 64 };

static struct rounds new_rounds(struct cone_emitter *e, const struct cone_node *node)
{
	value *marks = cone_owner_mark(e, node);
	return (struct rounds){.region = e->builder.region, .last = e->builder.region->last, .marks = marks};
}

static void begin_rounds(struct cone_emitter *e, struct rounds *r, const struct cone_node *node,
                         struct ir_instruction *loop)
{
	r->lockstep = cone_emit_holds_barrier(e, node);
	r->entry = (struct cone_emit_loop){e->loops, node, e->frame, loop, .result = r->entry.result};
	cone_emit_begin_exits(e, &r->entry.exits);
	r->entry.again = ARENA_ARRAY(&e->arena, bool, r->entry.exits.before.count);
	e->loops = &r->entry;
	e->frame->lockstep += r->lockstep;
	r->outer = cone_emit_enter(e, loop, 0);
	cone_owner_give_back(e, r->marks);
}

/* Another round starts from here: what a holder leads to must be what it led to at the start, of which the body knew.
 */
static void note_round(struct cone_emitter *e, struct cone_emit_loop *l, const struct cone_node *node)
{
	const struct cone_snapshot *before = &l->exits.before;
	if (e->dead)
		return;
	cone_holders_check_same(e, before, node, "a loop sets a reference to another place from round to round");
	for (uint32_t n = 0; n < before->count && e->program->machine.chooses; n++) {
		const shape *h = e->holders[n], *was = &before->states[n];
		l->again[n] |= !h->sticky && !was->chosen && was->target && (h->chosen || cone_holders_differ(was, h));
	}
}

/* Whether all places that a holder may lead to were known while the body was emitted: else that is done again, and now
 * they are. */
static bool is_settled(struct cone_emitter *e, struct rounds *r)
{
	const struct cone_snapshot *before = &r->entry.exits.before;
	bool settled = true;
	for (uint32_t n = 0; n < before->count && e->program->machine.chooses; n++) {
		shape *h = e->holders[n];
		r->entry.again[n] |= before->states[n].chosen && !h->sticky && h->choices->count != before->counts[n];
		settled &= !r->entry.again[n];
	}
	return settled;
}

static void start_over(struct cone_emitter *e, struct rounds *r)
{
	cone_holders_put_back(e, &r->entry.exits.before);
	for (uint32_t n = 0; n < r->entry.exits.before.count; n++)
		e->holders[n]->chosen |= r->entry.again[n];
	while (r->region->last != r->last)
		ir_unlink(r->region, r->region->last);
}

/* `falls`: it also ends at the start of a round. False: it is to be emitted again. */
static bool end_rounds(struct cone_emitter *e, struct rounds *r, const struct cone_node *node, bool falls)
{
	note_round(e, &r->entry, node);
	bool settled = is_settled(e, r);
	cone_emit_leave(e, &r->outer);
	e->frame->lockstep -= r->lockstep;
	e->loops = r->entry.outer;
	if (!settled && !e->refused && ++r->count < MOST_ROUNDS) {
		start_over(e, r);
		return false;
	}
	if (!settled)
		cone_emit_refuse(e, node, "1253", "a loop sets a reference to ever more places");
	for (uint32_t n = 0; falls && n < r->entry.exits.before.count; n++)
		if (!e->holders[n]->sticky)
			e->holders[n]->chosen |= r->entry.exits.before.states[n].chosen;
	cone_emit_end_exits(e, &r->entry.exits, falls);
	return true;
}

static shape *value_of_rounds(struct cone_emitter *e, struct rounds *r, const struct cone_node *node)
{
	bool gives = cone_owner_is_in(node->type) || cone_owner_is_in(e->frame->instance->result);
	cone_owner_give_back(e, gives ? NULL : r->marks); /* of the last round */
	return r->entry.result ? cone_shape_read(e, r->entry.result, node) : none(e, node);
}

/* Leaves unless the condition holds, by the way of the loop's else; and where a return was on its way. */
static void leave_unless(struct cone_emitter *e, struct rounds *r, value condition, const struct cone_node *other)
{
	const struct cone_node *node = r->entry.node;
	if (asks_after(e, node)) {
		value returned = ir_build_get(&e->builder, e->frame->returned);
		struct cone_region outer = cone_emit_enter(e, ir_build_if(&e->builder, returned), 0);
		ir_build_break(&e->builder, r->entry.loop);
		cone_emit_leave(e, &outer);
	}
	if (!condition || cone_emit_known(condition, 1))
		return;
	struct ir_instruction *control = ir_build_if(&e->builder, cone_emit_unary(e, IR_OP_bnot, condition));
	struct cone_region outer = cone_emit_enter(e, control, 0);
	struct cone_emit_loop *loops = e->loops;
	struct cone_snapshot before = cone_holders_take(e);
	if (other) {
		e->loops = r->entry.outer; /* a break in the else is of a loop around */
		shape *v = cone_emit_expression(e, other);
		if (has_value(other->type))
			cone_emit_give(e, r->entry.result, v, other);
		e->loops = loops;
	}
	cone_emit_note_exit(e, &r->entry.exits);
	if (!e->dead)
		ir_build_break(&e->builder, r->entry.loop);
	cone_holders_put_back(e, &before);
	cone_emit_leave(e, &outer);
}

shape *cone_emit_while(struct cone_emitter *e, const struct cone_node *node)
{
	struct rounds r = new_rounds(e, node);
	r.entry.result = cone_emit_result(e, node->type, node);
	do {
		begin_rounds(e, &r, node, ir_build_loop(&e->builder));
		leave_unless(e, &r, node->condition ? cone_emit_value(e, node->condition) : NULL, node->right);
		cone_emit_expression(e, node->left);
	} while (!end_rounds(e, &r, node, false));
	return value_of_rounds(e, &r, node);
}

static void declare_round(struct cone_emitter *e, const struct cone_node *node, value v)
{
	const struct cone_variable *variable = node->declared[0];
	shape *s = cone_shape_value(e, variable->type, v);
	e->frame->variables[variable->index] = s;
	bool lives = e->frame->is_member || (e->program->machine.chooses && cone_emit_is_borrowed(e, variable));
	if (lives)
		e->frame->variables[variable->index] = cone_emit_home(e, variable, s, variable->name, true, node);
	if (lives || !variable->mutable)
		return;
	e->frame->variables[variable->index] = cone_shape_storage(e, variable->type, variable->name, node);
	cone_shape_write(e, e->frame->variables[variable->index], s, node);
}

/* Up by one to an end that is not reached: what `for` does. */
static bool is_plain(struct cone_emitter *e, const struct cone_node *node)
{
	return node->left->op == CONE_LESS && !node->step && !node->other && !asks_after(e, node) &&
	       ir_type_is_integer(cone_emit_scalar(node->declared[0]->type));
}

/* Whether the step from v to `next` passed the limit of the type. */
static value passes(struct cone_emitter *e, const struct cone_node *node, value v, value next)
{
	bool up = node->left->op == CONE_LESS || node->left->op == CONE_LESS_EQUAL;
	if (ir_type_is_float(v->type))
		return cone_emit_constant(e, &ir_types[IR_TYPE_bool], 0);
	return cone_emit_binary(e, up ? IR_OP_lt : IR_OP_gt, next, v);
}

static value step_of(struct cone_emitter *e, const struct cone_node *node, const struct ir_type *type)
{
	bool up = node->left->op == CONE_LESS || node->left->op == CONE_LESS_EQUAL;
	if (node->step)
		return cone_emit_value(e, node->step);
	uint64_t one = ir_type_is_float(type) ? ir_float_power(type, 0) : 1;
	value v = cone_emit_constant(e, type, one);
	return up ? v : cone_emit_unary(e, ir_type_is_float(type) ? IR_OP_fneg : IR_OP_ineg, v);
}

/* Any range but a plain one. */
static void step_rounds(struct cone_emitter *e, struct rounds *r, const struct cone_node *node, value first, value end)
{
	value step = step_of(e, node, first->type);
	struct ir_local *at = ir_add_local(e->kernel, cone_emit_name(e, node->declared[0]->name), first->type);
	struct ir_local *last = ir_add_local(e->kernel, cone_emit_name(e, "last"), &ir_types[IR_TYPE_bool]);
	ir_build_set(&e->builder, at, first);
	ir_build_set(&e->builder, last, cone_emit_constant(e, &ir_types[IR_TYPE_bool], 0));
	begin_rounds(e, r, node, ir_build_loop(&e->builder));
	value v = ir_build_get(&e->builder, at);
	value more = cone_emit_unary(e, IR_OP_bnot, ir_build_get(&e->builder, last));
	leave_unless(e, r, cone_emit_binary(e, IR_OP_band, more, cone_emit_operator(e, node->left->op, v, end)),
	             node->other);
	value next = cone_emit_operator(e, CONE_ADD, v, step);
	ir_build_set(&e->builder, at, next);
	ir_build_set(&e->builder, last, passes(e, node, v, next));
	declare_round(e, node, v);
	cone_emit_expression(e, node->right);
}

shape *cone_emit_each(struct cone_emitter *e, const struct cone_node *node)
{
	value first = cone_emit_value(e, node->left->left), end = cone_emit_value(e, node->left->right);
	cone_emit_locate(e, node);
	struct rounds r = new_rounds(e, node);
	bool plain = is_plain(e, node);
	r.entry.result = cone_emit_result(e, node->type, node);
	do {
		if (!plain) {
			step_rounds(e, &r, node, first, end);
			continue;
		}
		struct ir_instruction *loop = ir_build_for(&e->builder, first, end);
		begin_rounds(e, &r, node, loop);
		declare_round(e, node, loop);
		cone_emit_expression(e, node->right);
	} while (!end_rounds(e, &r, node, plain));
	return value_of_rounds(e, &r, node);
}

/* ---- Leaving ---- */

static struct cone_emit_loop *loop_of(struct cone_emitter *e, const struct cone_node *node)
{
	struct cone_emit_loop *l = e->loops;
	while (l && node->target && l->node != node->target)
		l = l->outer;
	return l && l->frame == e->frame ? l : NULL;
}

static void leave_function(struct cone_emitter *e, const struct cone_node *node)
{
	struct cone_emit_frame *f = e->frame;
	shape *v = node->part_count ? cone_emit_expression(e, node->parts[0]) : NULL;
	cone_emit_locate(e, node);
	if (e->dead)
		return;
	if (v && f->result)
		cone_emit_give(e, f->result, v, node);
	if (f->form == RETURN_RECURSION) {
		cone_recursion_return(e);
		return;
	}
	cone_emit_note_exit(e, &f->exits);
	if (f->is_entry && !f->lockstep) {
		ir_build_return(&e->builder);
	} else if (f->form == RETURN_BREAK) {
		ir_build_break(&e->builder, f->leave);
	} else if (f->form == RETURN_FLAG) {
		ir_build_set(&e->builder, f->returned, cone_emit_constant(e, &ir_types[IR_TYPE_bool], 1));
		if (e->loops && e->loops->frame == f)
			ir_build_break(&e->builder, e->loops->loop);
	}
	cone_emit_end(e);
}

void cone_emit_jump(struct cone_emitter *e, const struct cone_node *node)
{
	if (node->kind == CONE_RETURN) {
		leave_function(e, node);
		return;
	}
	struct cone_emit_loop *l = loop_of(e, node);
	if (!l) {
		cone_emit_refuse(e, node, "1400", "there is no loop around to leave");
		return;
	}
	if (node->kind == CONE_BREAK && node->left) {
		shape *v = cone_emit_expression(e, node->left);
		cone_emit_give(e, l->result, v, node);
	}
	if (e->dead)
		return;
	if (node->kind == CONE_BREAK) {
		cone_emit_note_exit(e, &l->exits);
		ir_build_break(&e->builder, l->loop);
	} else {
		note_round(e, l, node);
		ir_build_continue(&e->builder, l->loop);
	}
	cone_emit_end(e);
}
