/* References chosen at run time (1253, 1254) in functions that no kernel reaches: each function is emitted by itself,
 * as if a kernel called it with places that nothing is known of. What it becomes is thrown away, and so is whatever
 * else would be refused: a kernel decides on that. */
#include "frontend/cone/cone_emit.h"

#include "frontend/cone/cone_check.h"

enum { MOST_REFERENCES = 6 }; /* through each other */

static shape *opaque(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at, uint32_t depth);

/* Elements of a slice are in one memory where they can be. */
static shape *elements(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at, uint32_t depth)
{
	struct cone_type *array = ARENA_NEW(&e->arena, struct cone_type);
	*array = (struct cone_type){.kind = CONE_TYPE_ARRAY, .element = type->element, .count = 2};
	if (!cone_emit_has_references(type->element)) {
		const struct ir_type *in_memory = cone_emit_type(e, type->element, at);
		if (!in_memory)
			return cone_shape_new(e, SHAPE_NONE, array);
		shape *s = cone_shape_new(e, SHAPE_MEMORY, array);
		s->memory = ir_add_buffer(e->kernel, cone_emit_name(e, "slice"), in_memory, type->mutable);
		return s;
	}
	shape *s = cone_shape_parts(e, array, array->count);
	for (uint64_t n = 0; n < array->count; n++)
		s->parts[n] = opaque(e, type->element, at, depth);
	return s;
}

static shape *opaque(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at, uint32_t depth)
{
	if (type->kind == CONE_TYPE_REFERENCE || type->kind == CONE_TYPE_SLICE) {
		bool slice = type->kind == CONE_TYPE_SLICE;
		shape *s = cone_shape_new(e, slice ? SHAPE_SLICE : SHAPE_REFERENCE, type);
		if (depth == MOST_REFERENCES)
			return cone_shape_new(e, SHAPE_NONE, type);
		s->target = slice ? elements(e, type, at, depth + 1) : opaque(e, type->element, at, depth + 1);
		if (slice)
			s->length = ir_build_get(&e->builder, cone_emit_local(e, "length", &ir_types[IR_TYPE_u32]));
		return s->target->kind == SHAPE_NONE ? s->target : s;
	}
	bool has_parts = type->kind == CONE_TYPE_STRUCT || type->kind == CONE_TYPE_TUPLE ||
	                 type->kind == CONE_TYPE_CLOSURE || type->kind == CONE_TYPE_ENUM;
	if (has_parts) {
		shape *s = cone_shape_parts(e, type, type->field_count);
		for (uint32_t n = 0; n < type->field_count; n++)
			s->parts[n] = opaque(e, type->fields[n].type, at, depth);
		return s;
	}
	if (cone_emit_is_scalar(type) || (type->kind == CONE_TYPE_ARRAY && !cone_emit_has_references(type)))
		return cone_shape_storage(e, type, "probe", at);
	if (type->kind != CONE_TYPE_ARRAY || type->count > IR_MAX_OWN_BYTES)
		return cone_shape_new(e, SHAPE_NONE, type);
	shape *s = cone_shape_parts(e, type, type->count);
	for (uint64_t n = 0; n < type->count; n++)
		s->parts[n] = opaque(e, type->element, at, depth + 1);
	return s;
}

/* A function that it is given references by, or that may set some: it is looked into. */
bool cone_emit_probe_enters(const struct cone_node *call)
{
	if (cone_emit_has_references(call->type))
		return true;
	for (uint32_t n = 0; n < call->part_count; n++) {
		const struct cone_type *t = call->parts[n]->type;
		if (t->kind == CONE_TYPE_REFERENCE && t->mutable && cone_emit_has_references(t->element))
			return true;
	}
	return false;
}

shape *cone_emit_probe_result(struct cone_emitter *e, const struct cone_node *call)
{
	if (!call->type || call->type->kind == CONE_TYPE_VOID || call->type->kind == CONE_TYPE_NEVER)
		return cone_shape_new(e, SHAPE_NONE, call->type);
	return cone_shape_read(e, opaque(e, call->type, call, 0), call);
}

static void probe(struct cone_program *p, struct ir_module *m, const struct cone_instance *instance)
{
	struct cone_entry entry = {
	    .function = instance->function, .instance = (struct cone_instance *)instance, .size = {1, 1, 1}};
	struct cone_emitter e = {.program = p, .module = m, .entry = &entry, .is_probe = true};
	struct cone_emit_frame frame = {.instance = instance};
	e.names.arena = e.globals.arena = e.barriers.arena = e.types.arena = e.keeping.arena = &e.arena;
	e.borrowed.arena = e.homes.arena = e.frames.arena = e.recursive.arena = e.recursions.arena = e.pools.arena =
	    &e.arena;
	struct ir_kernel *k = e.kernel = ir_kernel_new(m, "probe");
	k->group[0] = k->group[1] = k->group[2] = 1;
	k->index = IR_TYPE_u32;
	k->axes = 3;
	frame.variables = ARENA_ARRAY(&e.arena, shape *, instance->variable_count);
	e.builder = (struct ir_builder){.kernel = k, .region = &e.top};
	e.frame = &frame;
	for (uint32_t n = 0; n < instance->parameter_count; n++) {
		const struct cone_variable *v = instance->parameters[n];
		shape *s = opaque(&e, v->type, instance->body, 0);
		if (v->mutable) {
			shape *storage = cone_shape_storage(&e, v->type, v->name, instance->body);
			cone_shape_write(&e, storage, s, instance->body);
			s = storage;
		}
		frame.variables[v->index] = s;
	}
	e.builder.region = &k->body;
	cone_emit_body(&e, &frame);
	arena_free(&e.arena);
}

void cone_emit_probe(struct cone_program *p)
{
	struct cone_checker *c = p->checker;
	for (uint32_t i = 0; i < c->instance_count; i++) {
		const struct cone_instance *instance = c->instances[i];
		bool is_entry = cone_attribute_of(instance->function, "compute") != NULL;
		if (!instance->body || is_entry || !instance->function->module || instance->function->module->is_core)
			continue;
		struct ir_module *m = ir_module_new();
		probe(p, m, instance);
		ir_module_free(m);
	}
}
