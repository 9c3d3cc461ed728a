/* Kernels: types, parameters, globals, and the walk of each entry point. */
#include "frontend/cone/cone_emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_check.h"
#include "ir/ir_dead.h"
#include "ir/ir_fold.h"
#include "ir/ir_verify.h"

/* ---- Reports and names ---- */

void cone_emit_refuse(struct cone_emitter *e, const struct cone_node *at, const char *code, const char *format, ...)
{
	if (e->trials)
		return;
	e->refused = true;
	if (e->gave_up)
		return;
	if (e->is_probe && strcmp(code, "1253") != 0 && strcmp(code, "1254") != 0)
		return;
	char message[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	const struct cone_declaration *f = e->entry->function;
	struct cone_file *file = at ? at->file : f->file;
	bool is_closure = !f->name || !*f->name;
	diagnostic_add(&file->diagnostics, code, at ? at->at : f->name_span, "In %s'%s': %s",
	               !e->is_probe ? "kernel "
	               : is_closure ? ""
	                            : "function ",
	               is_closure ? "a closure" : f->name, message);
}

void cone_emit_locate(struct cone_emitter *e, const struct cone_node *node)
{
	struct span span = node->at.end ? node->at : node->span;
	if (!node->file)
		return;
	if (!e->places)
		e->places = ARENA_ARRAY(&e->arena, struct cone_kept_place, CONE_PLACES_KEPT);
	struct cone_kept_place *kept = &e->places[(uintptr_t)node / sizeof *node % CONE_PLACES_KEPT];
	if (kept->node != node) {
		*kept = (struct cone_kept_place){node, source_place(&node->file->source, span.start)};
		kept->place.file = node->file->id;
	}
	e->builder.place = kept->place;
}

const char *cone_emit_name(struct cone_emitter *e, const char *base)
{
	const char *name = base && *base ? base : "value";
	char *unique = arena_string(&e->arena, name);
	for (unsigned n = 1; table_get(&e->names, unique); n++)
		unique = arena_format(&e->arena, "%s.%u", name, n);
	table_set(&e->names, unique, e);
	return unique;
}

/* ---- Types ---- */

bool cone_emit_is_scalar(const struct cone_type *type)
{
	return type->kind == CONE_TYPE_BOOL || type->kind == CONE_TYPE_CHAR || type->kind == CONE_TYPE_INTEGER ||
	       type->kind == CONE_TYPE_FLOAT || type->kind == CONE_TYPE_OWNER;
}

static enum ir_type_kind integer_kind(const struct cone_type *type)
{
	switch (type->bits) {
	case 8: return type->is_signed ? IR_TYPE_i8 : IR_TYPE_u8;
	case 16: return type->is_signed ? IR_TYPE_i16 : IR_TYPE_u16;
	case 64: return type->is_signed ? IR_TYPE_i64 : IR_TYPE_u64;
	}
	return type->is_signed ? IR_TYPE_i32 : IR_TYPE_u32;
}

const struct ir_type *cone_emit_scalar(const struct cone_type *type)
{
	if (type->kind == CONE_TYPE_BOOL)
		return &ir_types[IR_TYPE_bool];
	if (type->kind == CONE_TYPE_FLOAT)
		return &ir_types[type->bits == 64 ? IR_TYPE_f64 : IR_TYPE_f32];
	return &ir_types[type->kind == CONE_TYPE_INTEGER ? integer_kind(type) : IR_TYPE_u32];
}

bool cone_emit_has_references(const struct cone_type *type)
{
	switch (type->kind) {
	case CONE_TYPE_REFERENCE:
	case CONE_TYPE_SLICE:
	case CONE_TYPE_POINTER:
	case CONE_TYPE_VIRTUAL: return true;
	case CONE_TYPE_ARRAY: return cone_emit_has_references(type->element);
	case CONE_TYPE_STRUCT:
	case CONE_TYPE_ENUM:
	case CONE_TYPE_CLOSURE:
	case CONE_TYPE_TUPLE:
		for (uint32_t n = 0; n < type->field_count; n++)
			if (cone_emit_has_references(type->fields[n].type))
				return true;
		return false;
	case CONE_TYPE_VOID:
	case CONE_TYPE_NEVER:
	case CONE_TYPE_BOOL:
	case CONE_TYPE_CHAR:
	case CONE_TYPE_INTEGER:
	case CONE_TYPE_FLOAT:
	case CONE_TYPE_OWNER:
	case CONE_TYPE_FUNCTION:
	case CONE_TYPE_MODULE:
	case CONE_TYPE_TYPE:
	case CONE_TYPE_ERROR: return false;
	}
	return false;
}

bool cone_emit_has_state(const struct cone_type *type)
{
	for (uint32_t n = 0; type->kind == CONE_TYPE_CLOSURE && n < type->field_count; n++)
		if (!cone_type_is_reference(type->fields[n].type))
			return true;
	return false;
}

static const struct ir_type *struct_type(struct cone_emitter *e, const struct cone_type *type,
                                         const struct cone_node *at)
{
	struct ir_field *fields = ARENA_ARRAY(&e->arena, struct ir_field, type->field_count);
	struct text printed = {0};
	const struct ir_type *made = NULL;
	for (uint32_t n = 0; n < type->field_count; n++) {
		fields[n].type = cone_emit_type(e, type->fields[n].type, at);
		/* Numbered where there is no name, or the name is another field's. */
		fields[n].name = type->fields[n].name ? type->fields[n].name : arena_format(&e->arena, "part%u", n);
		if (!fields[n].type)
			return NULL;
	}
	cone_type_print(type, &printed);
	const char *base = arena_string(&e->arena, text_string(&printed)), *name = base;
	text_free(&printed);
	for (unsigned n = 1; ir_type_find_struct(e->module, name); n++)
		name = arena_format(&e->arena, "%s.%u", base, n);
	if (type->field_count)
		made = ir_type_struct(e->module, name, fields, type->field_count);
	return made;
}

const struct ir_type *cone_emit_type(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at)
{
	if (cone_emit_is_scalar(type))
		return cone_emit_scalar(type);
	const struct ir_type *made = table_get_n(&e->types, (const char *)&type, sizeof type);
	if (made)
		return made;
	if (type->kind == CONE_TYPE_ARRAY) {
		const struct ir_type *element = cone_emit_type(e, type->element, at);
		made = element ? ir_type_array(e->module, element, type->count) : NULL;
	} else if (type->field_count && !cone_emit_has_references(type)) {
		made = struct_type(e, type, at);
	}
	if (made)
		table_set_n(&e->types, (const char *)&type, sizeof type, (void *)made);
	else if (!e->refused)
		cone_emit_refuse(e, at, "1400",
		                 "there is no memory for a value of this type: it is empty, or too large");
	return made;
}

/* ---- Globals ---- */

/* Where all invocations share one memory, the same in all kernels. */
static const char *name_of_global(struct cone_emitter *e, const struct cone_declaration *d)
{
	const char *name = d->name;
	for (const struct cone_module *m = d->module; m && e->program->machine.one_memory; m = m->parent)
		name = arena_format(&e->arena, "%s.%s", m->name, name);
	return name;
}

/* A `mut` global of one memory is a memory, whatever it holds. */
static void share(struct cone_emitter *e, const struct cone_declaration *d, const struct cone_node *node,
                  const shape *global)
{
	if (!e->program->machine.one_memory)
		return;
	if (global->kind == SHAPE_MEMORY)
		global->memory->global = true;
	else if (!e->refused)
		cone_emit_refuse(e, node, "1400", "global %s is not of numbers alone, and cannot be in memory",
		                 d->name);
}

static shape *make_global(struct cone_emitter *e, struct cone_declaration *d, const struct cone_node *node)
{
	const struct cone_type *type = node->type;
	shape *s = cone_shape_new(e, SHAPE_MEMORY, type);
	if (d->workgroup) {
		const struct ir_type *in_memory = cone_emit_type(e, type, node);
		if (!in_memory)
			return cone_shape_zero(e, type);
		s->memory = ir_add_shared(e->kernel, cone_emit_name(e, name_of_global(e, d)), in_memory, false);
		return s;
	}
	if (cone_owner_is_in(type))
		cone_emit_refuse(e, node, "1400", "global %s holds an owner, and what is owned is an invocation's own",
		                 d->name);
	const struct cone_node *initial = cone_value_of_declaration(e->program->checker, d);
	if (!initial)
		return cone_shape_zero(e, type);
	/* At the kernel's start, wherever it is met first. */
	struct ir_builder here = e->builder;
	bool dead = e->dead;
	e->builder = (struct ir_builder){.kernel = e->kernel, .region = &e->top, .place = here.place};
	e->dead = false;
	shape *v = cone_emit_expression(e, initial);
	if (d->mutable) {
		s = cone_shape_global(e, v, name_of_global(e, d), node);
		share(e, d, node, s);
	} else {
		s = cone_shape_kept(e, v, node);
	}
	e->builder = here;
	e->dead = dead;
	return s;
}

shape *cone_emit_global(struct cone_emitter *e, const struct cone_node *node)
{
	struct cone_declaration *d = node->global;
	shape *s = table_get_n(&e->globals, (const char *)&d, sizeof d);
	if (d->is_extern) {
		cone_emit_refuse(e, node, "1400", "%s is defined elsewhere: a kernel has what is compiled with it",
		                 d->name);
		return cone_shape_zero(e, node->type);
	}
	if (!s) {
		s = make_global(e, d, node);
		table_set_n(&e->globals, (const char *)&d, sizeof d, s);
	}
	return s;
}

/* ---- Parameters ---- */

const struct ir_type *cone_emit_size(const struct cone_emitter *e)
{
	return &ir_types[e->kernel->index];
}

static value id_of(struct cone_emitter *e, enum ir_op op, unsigned axis)
{
	value id = ir_build_id(&e->builder, op, (uint8_t)axis);
	return cone_emit_convert(e, IR_OP_convert, &ir_types[IR_TYPE_u32], id);
}

static value group_count(struct cone_emitter *e, unsigned axis)
{
	value threads = ir_build_id(&e->builder, IR_OP_grid_size, (uint8_t)axis);
	uint32_t size = e->kernel->group[axis];
	if (size != 1)
		threads = cone_emit_with(e, IR_OP_idiv, cone_emit_with(e, IR_OP_iadd, threads, size - 1), size);
	return cone_emit_convert(e, IR_OP_convert, &ir_types[IR_TYPE_u32], threads);
}

static value local_index(struct cone_emitter *e)
{
	value index = id_of(e, IR_OP_local_id, 0);
	uint64_t stride = 1;
	for (unsigned axis = 1; axis < 3; axis++) {
		stride *= e->kernel->group[axis - 1];
		if (e->kernel->group[axis] > 1)
			index = cone_emit_binary(e, IR_OP_iadd, index,
			                         cone_emit_with(e, IR_OP_imul, id_of(e, IR_OP_local_id, axis), stride));
	}
	return index;
}

/* core's Invocation: globalId, localId, groupId, localIndex, groupCount. */
static shape *invocation(struct cone_emitter *e, const struct cone_type *type)
{
	static const enum ir_op ids[] = {IR_OP_global_id, IR_OP_local_id, IR_OP_group_id};
	shape *s = cone_shape_parts(e, type, type->field_count);
	for (uint32_t n = 0; n < type->field_count; n++) {
		const struct cone_type *field = type->fields[n].type;
		if (n == 3) {
			s->parts[n] = cone_shape_value(e, field, local_index(e));
			continue;
		}
		s->parts[n] = cone_shape_parts(e, field, field->count);
		for (unsigned axis = 0; axis < field->count; axis++) {
			value v = n < 3 ? id_of(e, ids[n], axis) : group_count(e, axis);
			s->parts[n]->parts[axis] = cone_shape_value(e, field->element, v);
		}
	}
	return s;
}

static shape *parameter(struct cone_emitter *e, const struct cone_variable *v)
{
	const struct cone_type *type = v->type;
	if (cone_type_is_invocation(type))
		return invocation(e, type);
	shape *s = cone_shape_new(e, SHAPE_MEMORY, type);
	bool slice = type->kind == CONE_TYPE_SLICE;
	const struct ir_type *in_memory = cone_emit_type(e, slice ? type->element : type, NULL);
	if (!in_memory)
		return cone_shape_zero(e, type);
	const char *name = cone_emit_name(e, v->name);
	s->memory =
	    slice ? ir_add_buffer(e->kernel, name, in_memory, type->mutable) : ir_add_value(e->kernel, name, in_memory);
	e->kernel->parameters[e->kernel->parameter_count - 1].place =
	    source_place(&e->entry->function->file->source, v->span.start);
	if (!slice)
		return s;
	struct cone_type *array = ARENA_NEW(&e->arena, struct cone_type);
	*array = (struct cone_type){.kind = CONE_TYPE_ARRAY, .element = type->element};
	s->type = array;
	shape *whole = cone_shape_new(e, SHAPE_SLICE, type);
	whole->target = s;
	whole->length = ir_build_length(&e->builder, s->memory);
	return whole;
}

/* ---- Kernels ---- */

static void bind_parameters(struct cone_emitter *e, struct cone_emit_frame *frame)
{
	const struct cone_instance *instance = frame->instance;
	e->builder.region = &e->top;
	for (uint32_t n = 0; n < instance->parameter_count; n++) {
		const struct cone_variable *v = instance->parameters[n];
		shape *s = parameter(e, v);
		if (v->mutable) {
			shape *storage = cone_shape_storage(e, v->type, v->name, instance->body);
			cone_shape_write(e, storage, s, instance->body);
			s = storage;
		}
		frame->variables[v->index] = s;
	}
	e->builder.region = &e->kernel->body;
}

static void put_top_first(struct cone_emitter *e)
{
	struct ir_instruction *first = e->kernel->body.first;
	while (e->top.first) {
		struct ir_instruction *i = e->top.first;
		ir_unlink(&e->top, i);
		ir_insert(&e->kernel->body, first, i);
	}
}

/* Ids of files that places name, which the record then does too. */
static bool note_file(void *context, struct ir_instruction *i)
{
	bool *used = context;
	if (ir_op_infos[i->op].flags & IR_FLAG_TRAP)
		used[i->place.file] = true;
	return true;
}

static void check_sizes(struct cone_emitter *e)
{
	uint64_t own = 0, shared = 0;
	for (uint32_t n = 0; n < e->kernel->memory_count; n++) {
		const struct ir_memory *m = e->kernel->memories[n];
		if (m->kind == IR_MEMORY_SHARED)
			shared += m->type->size;
		else if (m->kind == IR_MEMORY_PRIVATE || m->kind == IR_MEMORY_TABLE)
			own += m->type->size;
	}
	if (own > IR_MAX_OWN_BYTES)
		cone_emit_refuse(e, NULL, "1400", "arrays of an invocation take %llu bytes: at most %u are there",
		                 (unsigned long long)own, IR_MAX_OWN_BYTES);
	if (shared > IR_MAX_SHARED_BYTES)
		cone_emit_refuse(e, NULL, "1400", "workgroup memory takes %llu bytes: at most %u are there",
		                 (unsigned long long)shared, IR_MAX_SHARED_BYTES);
}

static void emit_kernel(struct cone_emitter *e, bool *used)
{
	const struct cone_entry *entry = e->entry;
	struct ir_kernel *k = e->kernel = ir_kernel_new(e->module, entry->function->name);
	struct cone_emit_frame frame = {.instance = entry->instance, .is_entry = true};
	const struct cone_file *file = entry->function->file;
	k->file = arena_string(&e->module->arena, file->source.recorded);
	k->place = source_place(&file->source, entry->function->name_span.start);
	k->policy = IR_POLICY_RECORD;
	k->index = e->program->machine.address_bits == 64 ? IR_TYPE_u64 : IR_TYPE_u32;
	k->axes = 3;
	memcpy(k->group, entry->size, sizeof k->group);
	frame.variables = ARENA_ARRAY(&e->arena, shape *, entry->instance->variable_count);
	e->builder = (struct ir_builder){.kernel = k, .region = &k->body, .place = k->place};
	e->frame = &frame;
	bind_parameters(e, &frame);
	if (!cone_emit_refuse_broken(e, entry->instance))
		cone_emit_body(e, &frame);
	cone_owner_finish(e);
	cone_recursion_finish(e);
	put_top_first(e);
	check_sizes(e);
	if (e->refused)
		return;
	ir_fold(k);
	ir_remove_dead(k);
	ir_kernel_number(k);
	ir_visit_kernel(k, note_file, used);
}

static void free_kernel_state(struct cone_emitter *e)
{
	arena_free(&e->arena);
}

static bool emit_entry(struct cone_program *p, struct ir_module *m, const struct cone_entry *entry, struct table *types,
                       bool *used)
{
	struct cone_emitter e = {.program = p, .module = m, .entry = entry, .types = *types};
	e.names.arena = e.globals.arena = e.barriers.arena = e.keeping.arena = &e.arena;
	e.borrowed.arena = e.homes.arena = e.frames.arena = e.recursive.arena = e.recursions.arena = e.pools.arena =
	    &e.arena;
	emit_kernel(&e, used);
	*types = e.types;
	free_kernel_state(&e);
	return !e.refused;
}

/* Without folders. */
static const char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void cone_emit(struct cone_program *p)
{
	struct arena scratch = {0};
	struct table types = {.arena = &scratch};
	struct ir_module *m = ir_module_new();
	bool *used = ARENA_ARRAY(&scratch, bool, p->file_count + 1), sound = true;
	for (uint32_t n = 0; n < p->entry_count; n++) {
		const struct cone_entry *entry = &p->entries[n];
		if (entry->instance && entry->instance->body && !entry->instance->has_faults)
			sound &= emit_entry(p, m, entry, &types, used);
	}
	if (p->file_count)
		used[p->files[0]->id] = true;
	for (uint32_t n = 0; n < p->file_count; n++)
		if (used[p->files[n]->id])
			ir_add_file(m, p->files[n]->id, short_name(p->files[n]->source.name));
	arena_free(&scratch);
	if (sound)
		p->module = m;
	else
		ir_module_free(m);
}
