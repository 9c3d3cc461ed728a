/* Calls: every one is inlined. */
#include "frontend/cone/cone_check.h"
#include "frontend/cone/cone_emit.h"

enum { MAX_DEPTH = 128 };
#define MAX_INSTRUCTIONS (1u << 18)
#define MAX_PROBE (1u << 12)

/* ---- What a tree holds ---- */

bool cone_emit_any_node(const struct cone_node *node, bool (*is)(void *context, const struct cone_node *node),
                        void *context)
{
	if (!node)
		return false;
	if (is(context, node))
		return true;
	for (uint32_t n = 0; n < node->part_count; n++)
		if (cone_emit_any_node(node->parts[n], is, context))
			return true;
	return cone_emit_any_node(node->left, is, context) || cone_emit_any_node(node->right, is, context) ||
	       cone_emit_any_node(node->other, is, context) || cone_emit_any_node(node->condition, is, context) ||
	       cone_emit_any_node(node->step, is, context);
}

static bool is_barrier_intrinsic(int intrinsic)
{
	return intrinsic == CONE_INTRINSIC_workgroup_barrier || intrinsic == CONE_INTRINSIC_storage_barrier;
}

static bool is_barrier(void *context, const struct cone_node *node);

/* What is called through a reference may be any function but a kernel. */
static bool any_holds_barrier(struct cone_emitter *e)
{
	const struct cone_checker *c = e->program->checker;
	if (!e->any_barrier) {
		e->any_barrier = 1; /* while they are looked at */
		for (uint32_t n = 0; n < c->instance_count && e->any_barrier == 1; n++)
			if (!cone_attribute_of(c->instances[n]->function, "compute") &&
			    cone_emit_any_node(c->instances[n]->body, is_barrier, e))
				e->any_barrier = 2;
	}
	return e->any_barrier == 2;
}

static bool is_barrier(void *context, const struct cone_node *node)
{
	struct cone_emitter *e = context;
	if (node->kind == CONE_INTRINSIC)
		return is_barrier_intrinsic(node->intrinsic);
	if (node->kind != CONE_CALL)
		return false;
	const struct cone_instance *instance = node->instance;
	if (!instance)
		return any_holds_barrier(e);
	if (is_barrier_intrinsic(instance->intrinsic))
		return true;
	uintptr_t known = (uintptr_t)table_get_n(&e->barriers, (const char *)&instance, sizeof instance);
	if (known)
		return known == 2;
	table_set_n(&e->barriers, (const char *)&instance, sizeof instance, (void *)1); /* while it is looked at */
	bool holds = cone_emit_any_node(instance->body, is_barrier, e);
	table_set_n(&e->barriers, (const char *)&instance, sizeof instance, (void *)(uintptr_t)(holds ? 2 : 1));
	return holds;
}

bool cone_emit_holds_barrier(struct cone_emitter *e, const struct cone_node *node)
{
	return cone_emit_any_node(node, is_barrier, e);
}

static bool is_return(void *context, const struct cone_node *node)
{
	(void)context;
	return node->kind == CONE_RETURN;
}

bool cone_emit_holds_return(const struct cone_node *node)
{
	return cone_emit_any_node(node, is_return, NULL);
}

/* ---- Bodies ---- */

/* Returns there are none but one at the end. */
static bool returns_at_end(const struct cone_node *body)
{
	if (body->kind != CONE_BLOCK)
		return !cone_emit_holds_return(body);
	for (uint32_t n = 0; n < body->part_count; n++) {
		const struct cone_node *part = body->parts[n];
		bool last = n + 1 == body->part_count && part->kind == CONE_RETURN;
		if (!last && cone_emit_holds_return(part))
			return false;
		if (last && part->part_count && cone_emit_holds_return(part->parts[0]))
			return false;
	}
	return true;
}

static bool has_value(const struct cone_type *type)
{
	return type && type->kind != CONE_TYPE_VOID && type->kind != CONE_TYPE_NEVER;
}

static shape *straight(struct cone_emitter *e, struct cone_emit_frame *frame)
{
	const struct cone_node *body = frame->instance->body;
	shape *v = cone_shape_new(e, SHAPE_NONE, frame->instance->result);
	if (body->kind != CONE_BLOCK)
		return cone_emit_expression(e, body);
	for (uint32_t n = 0; n < body->part_count; n++) {
		const struct cone_node *part = body->parts[n];
		if (part->kind != CONE_RETURN)
			v = cone_emit_expression(e, part);
		else if (part->part_count)
			v = cone_emit_expression(e, part->parts[0]);
	}
	return v;
}

/* The value of a body that may also return on its way. */
static void put_result(struct cone_emitter *e, struct cone_emit_frame *frame)
{
	const struct cone_node *body = frame->instance->body;
	shape *v = cone_emit_expression(e, body);
	if (!has_value(body->type) || v->kind == SHAPE_NONE || e->dead)
		return;
	if (frame->form != RETURN_FLAG) {
		cone_emit_give(e, frame->result, v, body);
		return;
	}
	value ends = cone_emit_unary(e, IR_OP_bnot, ir_build_get(&e->builder, frame->returned));
	struct cone_region outer = cone_emit_enter(e, ir_build_if(&e->builder, ends), 0);
	cone_emit_give(e, frame->result, v, body);
	cone_emit_leave(e, &outer);
}

shape *cone_emit_body(struct cone_emitter *e, struct cone_emit_frame *frame)
{
	const struct cone_node *body = frame->instance->body;
	const struct cone_type *type = frame->instance->result;
	if (!frame->is_entry && returns_at_end(body))
		return straight(e, frame);
	frame->form = cone_emit_holds_barrier(e, body) ? RETURN_FLAG : RETURN_BREAK;
	frame->result = cone_emit_result(e, type, body);
	bool dead = e->dead, ends = true;
	cone_emit_begin_exits(e, &frame->exits);
	if (frame->form == RETURN_FLAG) {
		frame->returned = ir_add_local(e->kernel, cone_emit_name(e, "returned"), &ir_types[IR_TYPE_bool]);
		ir_build_set(&e->builder, frame->returned, cone_emit_constant(e, &ir_types[IR_TYPE_bool], 0));
		struct ir_builder here = e->builder;
		put_result(e, frame);
		ends = !e->dead;
		e->builder = here;
		e->dead = dead;
	} else if (frame->is_entry) {
		put_result(e, frame);
	} else {
		frame->leave = ir_build_loop(&e->builder);
		struct cone_region outer = cone_emit_enter(e, frame->leave, 0);
		put_result(e, frame);
		ends = !e->dead;
		if (ends)
			ir_build_break(&e->builder, frame->leave);
		cone_emit_leave(e, &outer);
	}
	cone_emit_end_exits(e, &frame->exits, ends);
	return frame->result ? cone_shape_read(e, frame->result, body) : cone_shape_new(e, SHAPE_NONE, type);
}

/* ---- Calls ---- */

static void bind(struct cone_emitter *e, struct cone_emit_frame *frame, uint32_t n, shape *argument,
                 const struct cone_node *at)
{
	const struct cone_variable *v = frame->instance->parameters[n];
	shape **slot = &frame->variables[v->index];
	if (!v->mutable && !cone_emit_has_state(v->type)) {
		bool lives = e->program->machine.chooses && cone_emit_is_borrowed(e, v);
		*slot = lives ? cone_emit_home(e, v, argument, v->name, false, at) : cone_shape_kept(e, argument, at);
		return;
	}
	*slot = cone_shape_storage(e, v->type, v->name, at);
	cone_shape_write(e, *slot, argument, at);
}

bool cone_emit_refuse_broken(struct cone_emitter *e, const struct cone_instance *instance)
{
	const struct cone_checker *c = e->program->checker;
	const struct cone_declaration *d = instance->function;
	if (!instance->is_broken || e->is_probe)
		return false;
	for (uint32_t n = 0; n < c->gpu_fault_count; n++) {
		const struct cone_gpu_fault *fault = &c->gpu_faults[n];
		if (fault->file != d->file || fault->span.start < d->span.start || fault->span.end > d->span.end)
			continue;
		struct cone_node at = {.kind = CONE_EMPTY, .file = fault->file, .span = fault->span, .at = fault->span};
		cone_emit_refuse(e, &at, "1400", "%s, and the code that this compiler makes for a CPU has not either",
		                 fault->message);
		return true;
	}
	cone_emit_refuse(e, NULL, "1400", "%s has what no kernel can have", d->name);
	return true;
}

static bool goes_too_far(struct cone_emitter *e, const struct cone_node *node)
{
	uint32_t most = e->is_probe ? MAX_PROBE : MAX_INSTRUCTIONS;
	if (e->depth < MAX_DEPTH && e->kernel->next_id < most && e->call_count++ < most)
		return false;
	if (!e->refused)
		cone_emit_refuse(e, node, "1400",
		                 e->depth < MAX_DEPTH ? "there is too much code once every call is inlined"
		                                      : "calls are nested too deep to be inlined");
	e->gave_up = !e->trials;
	return true;
}

static shape *probed_call(struct cone_emitter *e, const struct cone_node *node)
{
	for (uint32_t n = 0; n < node->part_count; n++)
		cone_emit_expression(e, node->parts[n]);
	if (node->type->kind == CONE_TYPE_NEVER)
		cone_emit_end(e);
	return cone_emit_probe_result(e, node);
}

shape *cone_emit_instance(struct cone_emitter *e, const struct cone_node *node, const struct cone_instance *instance,
                          shape **arguments, uint32_t count, const void *place)
{
	if (cone_emit_is_recursive(e, instance))
		return cone_emit_recursive(e, node, instance, arguments, count, place);
	struct cone_emit_frame frame = {.caller = e->frame, .instance = instance};
	frame.variables = ARENA_ARRAY(&e->arena, shape *, instance->variable_count);
	frame.number = e->program->machine.chooses ? cone_emit_frame_number(e, node, place) : 0;
	if (cone_emit_refuse_broken(e, instance) || goes_too_far(e, node))
		return cone_shape_zero(e, node->type);
	struct cone_emit_loop *loops = e->loops;
	e->frame = &frame;
	for (uint32_t n = 0; n < count && n < instance->parameter_count; n++)
		bind(e, &frame, n, arguments[n], node);
	e->depth++;
	shape *v = cone_emit_body(e, &frame);
	e->depth--;
	e->frame = frame.caller;
	e->loops = loops;
	cone_emit_locate(e, node);
	return v;
}

shape *cone_emit_call(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_instance *instance = node->instance;
	if (!instance)
		return cone_emit_call_through(e, node);
	if (instance->intrinsic >= 0)
		return cone_emit_intrinsic(e, node);
	if (!instance->body) {
		cone_emit_refuse(e, node, "1400", "%s is defined elsewhere: a kernel has what is compiled with it",
		                 instance->function->name);
		return cone_shape_zero(e, node->type);
	}
	if (e->is_probe && !cone_emit_probe_enters(node))
		return probed_call(e, node);
	shape **arguments = ARENA_ARRAY(&e->arena, shape *, node->part_count);
	for (uint32_t n = 0; n < node->part_count; n++)
		arguments[n] = cone_emit_expression(e, node->parts[n]);
	return cone_emit_instance(e, node, instance, arguments, node->part_count, NULL);
}
