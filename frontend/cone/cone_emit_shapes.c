/* Symbolic values and places. */
#include <string.h>

#include "frontend/cone/cone_emit.h"

/* Arrays of up to so many scalars need no memory: a run-time index selects. */
enum { SELECTED = 4, UNROLLED = 16 };

shape *cone_shape_new(struct cone_emitter *e, enum shape_kind kind, const struct cone_type *type)
{
	shape *s = ARENA_NEW(&e->arena, shape);
	s->kind = kind;
	s->type = type;
	return s;
}

shape *cone_shape_value(struct cone_emitter *e, const struct cone_type *type, value v)
{
	shape *s = cone_shape_new(e, SHAPE_VALUE, type);
	s->value = v;
	return s;
}

shape *cone_shape_parts(struct cone_emitter *e, const struct cone_type *type, uint64_t count)
{
	shape *s = cone_shape_new(e, SHAPE_PARTS, type);
	s->parts = ARENA_ARRAY(&e->arena, shape *, count);
	s->count = count;
	return s;
}

bool cone_shape_is_reference(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_SLICE || t->kind == CONE_TYPE_POINTER ||
	       t->kind == CONE_TYPE_VIRTUAL;
}

/* ---- Making ---- */

struct ir_local *cone_emit_local(struct cone_emitter *e, const char *name, const struct ir_type *type)
{
	struct ir_local *local = ir_add_local(e->kernel, cone_emit_name(e, name), type);
	struct ir_builder top = {.kernel = e->kernel, .region = &e->top};
	ir_build_set(&top, local, ir_build_const(&top, type, 0));
	return local;
}

/* Of a memory of the kernel's own; NULL (refused): too large. */
static const struct ir_type *own_type(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at)
{
	const struct ir_type *in_memory = cone_emit_type(e, type, at);
	if (in_memory && in_memory->size > IR_MAX_OWN_BYTES) {
		cone_emit_refuse(e, at, "1400", "an array of %u bytes: an invocation has at most %u", in_memory->size,
		                 IR_MAX_OWN_BYTES);
		return NULL;
	}
	return in_memory;
}

static shape *private_memory(struct cone_emitter *e, const struct cone_type *type, const char *name,
                             const struct cone_node *at)
{
	const struct ir_type *in_memory = own_type(e, type, at);
	if (!in_memory)
		return cone_shape_zero(e, type);
	if (e->is_placing)
		return cone_recursion_memory(e, type, in_memory, name, at);
	shape *s = cone_shape_new(e, SHAPE_MEMORY, type);
	s->memory = ir_add_private(e->kernel, cone_emit_name(e, name), in_memory, NULL);
	return s;
}

static shape *holder(struct cone_emitter *e, const struct cone_type *type, const char *name)
{
	bool slice = type->kind == CONE_TYPE_SLICE;
	shape *s = cone_shape_new(e, slice ? SHAPE_SLICE : SHAPE_REFERENCE, type);
	s->holder = true;
	if (e->program->machine.chooses)
		s->choices = cone_choices_new(e, name);
	if (slice) {
		s->offset_local = cone_emit_local(e, name, cone_emit_size(e));
		s->length_local = cone_emit_local(e, name, cone_emit_size(e));
	}
	*ARENA_PUSH(&e->arena, e->holders, e->holder_count, e->holder_capacity) = s;
	return s;
}

shape *cone_shape_storage(struct cone_emitter *e, const struct cone_type *type, const char *name,
                          const struct cone_node *at)
{
	if (cone_emit_is_scalar(type)) {
		shape *s = cone_shape_new(e, SHAPE_LOCAL, type);
		s->local = cone_emit_local(e, name, cone_emit_scalar(type));
		return s;
	}
	if (cone_shape_is_reference(type))
		return holder(e, type, name);
	if (type->kind == CONE_TYPE_ARRAY) {
		if (!cone_emit_has_references(type))
			return private_memory(e, type, name, at);
		if (type->count > IR_MAX_OWN_BYTES) {
			cone_emit_refuse(e, at, "1400", "there are too many references in an array");
			return cone_shape_zero(e, type);
		}
		shape *s = cone_shape_parts(e, type, type->count);
		for (uint64_t n = 0; n < type->count; n++)
			s->parts[n] = cone_shape_storage(e, type->element, name, at);
		return s;
	}
	shape *s = cone_shape_parts(e, type, type->field_count);
	for (uint32_t n = 0; n < type->field_count; n++) {
		const char *field =
		    type->fields[n].name ? arena_format(&e->arena, "%s_%s", name, type->fields[n].name) : name;
		s->parts[n] = cone_shape_storage(e, type->fields[n].type, field, at);
	}
	return s;
}

shape *cone_shape_zero(struct cone_emitter *e, const struct cone_type *type)
{
	if (cone_emit_is_scalar(type))
		return cone_shape_value(e, type, cone_emit_constant(e, cone_emit_scalar(type), 0));
	if (type->kind == CONE_TYPE_ARRAY) {
		shape *s = cone_shape_new(e, SHAPE_FILL, type);
		s->parts = ARENA_ARRAY(&e->arena, shape *, 1);
		s->parts[0] = cone_shape_zero(e, type->element);
		s->count = type->count;
		return s;
	}
	if (cone_shape_is_reference(type) || !type->fields)
		return cone_shape_new(e, SHAPE_NONE, type);
	shape *s = cone_shape_parts(e, type, type->field_count);
	for (uint32_t n = 0; n < type->field_count; n++)
		s->parts[n] = cone_shape_zero(e, type->fields[n].type);
	return s;
}

/* ---- Paths ---- */

struct ir_step *cone_shape_path(struct cone_emitter *e, const shape *s)
{
	struct ir_step *path = ARENA_ARRAY(&e->arena, struct ir_step, s->path_count);
	for (uint32_t n = 0; n < s->path_count; n++) {
		const struct cone_step *step = &s->path[n];
		path[n].field = step->field;
		path[n].index = step->local ? ir_build_get(&e->builder, step->local) : step->index;
	}
	return path;
}

static shape *stepped(struct cone_emitter *e, const shape *place, const struct cone_type *type, struct cone_step step)
{
	shape *s = cone_shape_new(e, SHAPE_MEMORY, type);
	s->memory = place->memory;
	s->path_count = place->path_count + 1;
	s->path = ARENA_ARRAY(&e->arena, struct cone_step, s->path_count);
	if (place->path_count)
		memcpy(s->path, place->path, place->path_count * sizeof *place->path);
	s->path[place->path_count] = step;
	return s;
}

static bool same_index(value a, value b)
{
	return a == b || (a->op == IR_OP_const && b->op == IR_OP_const && a->bits == b->bits);
}

static bool same_step(const struct cone_step *a, const struct cone_step *b)
{
	if (!a->index != !b->index)
		return false;
	return a->index ? same_index(a->index, b->index) : a->field == b->field;
}

bool cone_shape_same(const shape *a, const shape *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind)
		return false;
	if (a->kind == SHAPE_LOCAL)
		return a->local == b->local;
	if (a->kind != SHAPE_MEMORY || a->memory != b->memory || a->path_count != b->path_count)
		return false;
	for (uint32_t n = 0; n < a->path_count; n++)
		if (!same_step(&a->path[n], &b->path[n]))
			return false;
	return true;
}

/* ---- Below a place ---- */

shape *cone_shape_field(struct cone_emitter *e, shape *place, uint32_t field, const struct cone_node *at)
{
	const struct cone_type *type = place->type->fields[field].type;
	if (place->kind == SHAPE_PARTS)
		return place->parts[field];
	if (place->kind == SHAPE_CHOICE)
		return cone_choice_field(e, place, field, at);
	if (place->kind == SHAPE_MEMORY)
		return stepped(e, place, type, (struct cone_step){.field = field});
	cone_emit_refuse(e, at, "1264", "a field is reached from neither a buffer nor a local");
	return cone_shape_zero(e, type);
}

static shape *selected(struct cone_emitter *e, shape *array, value index, const struct cone_node *at)
{
	shape *s = cone_shape_value(e, array->type->element, cone_shape_scalar(e, array->parts[0], at));
	for (uint64_t n = 1; n < array->count; n++) {
		value is = cone_emit_with(e, IR_OP_eq, index, n);
		s->value = cone_emit_select(e, is, cone_shape_scalar(e, array->parts[n], at), s->value);
	}
	return s;
}

static shape *choice_of_elements(struct cone_emitter *e, const shape *array, value index)
{
	shape *s = cone_choice_new(e, index, array->type->element, array->count);
	for (uint64_t n = 0; n < array->count; n++)
		s->parts[n] = array->parts[n];
	return s;
}

shape *cone_shape_element(struct cone_emitter *e, shape *array, value index, const struct cone_node *at)
{
	const struct cone_type *element = array->type->element;
	if (array->kind == SHAPE_MEMORY)
		return stepped(e, array, element, (struct cone_step){.index = index});
	if (array->kind == SHAPE_FILL)
		return array->parts[0];
	if (array->kind == SHAPE_CHOICE)
		return cone_choice_element(e, array, index, at);
	if (array->kind == SHAPE_PARTS && index->op == IR_OP_const && index->bits < array->count)
		return array->parts[index->bits];
	if (array->kind == SHAPE_PARTS && array->count && cone_emit_has_references(element)) {
		if (e->program->machine.chooses)
			return choice_of_elements(e, array, index);
		cone_emit_refuse(e, at, "1254",
		                 "an array of references is indexed by a value that is known only at run time");
		return array->parts[0];
	}
	if (array->kind == SHAPE_PARTS && array->count && array->count <= SELECTED && cone_emit_is_scalar(element))
		return selected(e, array, index, at);
	if (array->kind == SHAPE_PARTS && array->count) {
		shape *memory = private_memory(e, array->type, "array", at);
		cone_shape_write(e, memory, array, at);
		return memory->kind == SHAPE_MEMORY ? cone_shape_element(e, memory, index, at) : memory->parts[0];
	}
	if (array->kind != SHAPE_PARTS)
		cone_emit_refuse(e, at, "1264",
		                 "an element is reached from neither a buffer parameter nor a fixed array");
	return cone_shape_zero(e, element);
}

/* ---- Reading ---- */

static value index_of(struct cone_emitter *e, uint64_t n)
{
	return cone_emit_constant(e, cone_emit_size(e), n);
}

static uint64_t scalars_of(const struct cone_type *type)
{
	if (type->kind == CONE_TYPE_ARRAY) {
		uint64_t each = scalars_of(type->element);
		return type->count > UNROLLED || each > UNROLLED ? UNROLLED + 1 : type->count * each;
	}
	uint64_t sum = cone_emit_is_scalar(type) || !type->field_count ? 1 : 0;
	for (uint32_t n = 0; n < type->field_count && sum <= UNROLLED; n++)
		sum += scalars_of(type->fields[n].type);
	return sum;
}

static shape *read_array(struct cone_emitter *e, shape *place, const struct cone_node *at)
{
	const struct cone_type *type = place->type;
	enum ir_memory_kind kind = place->memory->kind;
	if (kind == IR_MEMORY_TABLE || kind == IR_MEMORY_VALUE)
		return place;
	if (scalars_of(type) <= UNROLLED) {
		shape *s = cone_shape_parts(e, type, type->count);
		for (uint64_t n = 0; n < type->count; n++)
			s->parts[n] = cone_shape_read(e, cone_shape_element(e, place, index_of(e, n), at), at);
		return s;
	}
	shape *copy = private_memory(e, type, "copy", at);
	cone_shape_write(e, copy, place, at);
	return copy;
}

static shape *read_holder(struct cone_emitter *e, shape *place, const struct cone_node *at)
{
	if (place->chosen && !place->choices)
		cone_emit_refuse(e, at, "1253", "the reference was set to different places on different ways to here");
	if (!place->holder)
		return place;
	shape *s = cone_shape_new(e, place->kind, place->type);
	s->target = place->choices ? cone_choices_read(e, place) : place->target;
	if (place->offset_local) {
		s->offset = ir_build_get(&e->builder, place->offset_local);
		s->length = ir_build_get(&e->builder, place->length_local);
	}
	return s;
}

static shape *read_parts(struct cone_emitter *e, shape *place, const struct cone_node *at)
{
	bool same = true;
	shape *s = cone_shape_parts(e, place->type, place->count);
	for (uint64_t n = 0; n < place->count; n++) {
		s->parts[n] = cone_shape_read(e, place->parts[n], at);
		same &= s->parts[n] == place->parts[n];
	}
	return same ? place : s;
}

shape *cone_shape_read(struct cone_emitter *e, shape *place, const struct cone_node *at)
{
	switch (place->kind) {
	case SHAPE_NONE:
	case SHAPE_VALUE:
	case SHAPE_FILL:
	case SHAPE_STRING: return place;
	case SHAPE_LOCAL: return cone_shape_value(e, place->type, ir_build_get(&e->builder, place->local));
	case SHAPE_PARTS: return read_parts(e, place, at);
	case SHAPE_REFERENCE:
	case SHAPE_SLICE: return read_holder(e, place, at);
	case SHAPE_CHOICE: return cone_choice_read(e, place, at);
	case SHAPE_MEMORY: break;
	}
	if (cone_emit_is_scalar(place->type)) {
		struct ir_step *path = cone_shape_path(e, place);
		return cone_shape_value(e, place->type,
		                        ir_build_load(&e->builder, place->memory, path, place->path_count));
	}
	if (place->type->kind == CONE_TYPE_ARRAY)
		return read_array(e, place, at);
	shape *s = cone_shape_parts(e, place->type, place->type->field_count);
	for (uint32_t n = 0; n < place->type->field_count; n++)
		s->parts[n] = cone_shape_read(e, cone_shape_field(e, place, n, at), at);
	return s;
}

value cone_shape_scalar(struct cone_emitter *e, shape *s, const struct cone_node *at)
{
	shape *read = cone_shape_read(e, s, at);
	if (read->kind == SHAPE_VALUE)
		return read->value;
	/* After a refusal, or where nothing is run. */
	const struct ir_type *type = cone_emit_is_scalar(s->type) ? cone_emit_scalar(s->type) : &ir_types[IR_TYPE_u32];
	return cone_emit_constant(e, type, 0);
}

/* ---- Writing ---- */

/* The path of what a holder is set to may be of values that are not seen where it is read. */
static shape *rehomed(struct cone_emitter *e, shape *target)
{
	bool any = false;
	if (!target || target->kind != SHAPE_MEMORY)
		return target;
	for (uint32_t n = 0; n < target->path_count; n++)
		any |= target->path[n].index && target->path[n].index->op != IR_OP_const && !target->path[n].local;
	if (!any)
		return target;
	shape *s = cone_shape_new(e, SHAPE_MEMORY, target->type);
	*s = *target;
	s->path = ARENA_ARRAY(&e->arena, struct cone_step, s->path_count);
	for (uint32_t n = 0; n < s->path_count; n++) {
		struct cone_step *step = &s->path[n];
		*step = target->path[n];
		if (!step->index || step->local)
			continue;
		step->local = cone_emit_local(e, "index", step->index->type);
		ir_build_set(&e->builder, step->local, step->index);
	}
	return s;
}

static void write_holder(struct cone_emitter *e, shape *place, shape *source)
{
	if (e->dead)
		return;
	if (source->kind != SHAPE_REFERENCE && source->kind != SHAPE_SLICE) {
		place->target = NULL;
		return;
	}
	if (place->choices) {
		cone_choices_write(e, place, source);
	} else {
		if (!cone_shape_same(place->target, source->target))
			place->target = rehomed(e, source->target);
		place->chosen = source->chosen;
	}
	if (place->offset_local) {
		value offset = cone_emit_offset(e, source), length = cone_emit_length(e, source);
		ir_build_set(&e->builder, place->offset_local, offset ? offset : index_of(e, 0));
		ir_build_set(&e->builder, place->length_local, length);
	}
}

/* Element by element, in a loop where there are many. */
static void write_array(struct cone_emitter *e, shape *place, shape *source, const struct cone_node *at)
{
	uint64_t count = place->type->count;
	bool looped = scalars_of(place->type) > UNROLLED && place->kind == SHAPE_MEMORY &&
	              (source->kind == SHAPE_MEMORY || source->kind == SHAPE_FILL);
	if (looped) {
		struct ir_instruction *loop = ir_build_for(&e->builder, index_of(e, 0), index_of(e, count));
		struct cone_region outer = cone_emit_enter(e, loop, 0);
		cone_shape_write(e, cone_shape_element(e, place, loop, at), cone_shape_element(e, source, loop, at),
		                 at);
		cone_emit_leave(e, &outer);
		return;
	}
	for (uint64_t n = 0; n < count && !e->refused; n++) {
		value index = index_of(e, n);
		cone_shape_write(e, cone_shape_element(e, place, index, at), cone_shape_element(e, source, index, at),
		                 at);
	}
}

void cone_shape_write(struct cone_emitter *e, shape *place, shape *source, const struct cone_node *at)
{
	const struct cone_type *type = place->type;
	if (place == source || source->kind == SHAPE_NONE || place->kind == SHAPE_NONE)
		return;
	if (place->kind == SHAPE_CHOICE) {
		cone_choice_write(e, place, cone_shape_read(e, source, at), at);
		return;
	}
	if (source->kind == SHAPE_CHOICE)
		source = cone_shape_read(e, source, at);
	if (place->kind == SHAPE_REFERENCE || place->kind == SHAPE_SLICE) {
		write_holder(e, place, cone_shape_read(e, source, at));
	} else if (place->kind == SHAPE_LOCAL) {
		ir_build_set(&e->builder, place->local, cone_shape_scalar(e, source, at));
	} else if (cone_emit_is_scalar(type) && place->kind == SHAPE_MEMORY) {
		value v = cone_shape_scalar(e, source, at);
		struct ir_step *path = cone_shape_path(e, place);
		ir_build_store(&e->builder, place->memory, path, place->path_count, v);
	} else if (type->kind == CONE_TYPE_ARRAY) {
		write_array(e, place, source, at);
	} else {
		for (uint32_t n = 0; n < type->field_count; n++)
			cone_shape_write(e, cone_shape_field(e, place, n, at), cone_shape_field(e, source, n, at), at);
	}
}

/* ---- Keeping ---- */

/* Writes a constant in its memory form; false: it is none. */
static bool put_bytes(const shape *s, const struct ir_type *type, uint8_t *bytes)
{
	if (s->kind == SHAPE_VALUE) {
		if (s->value->op != IR_OP_const)
			return false;
		memcpy(bytes, &s->value->bits, type->size); /* little-endian, as everywhere here */
		return true;
	}
	if (s->kind != SHAPE_PARTS && s->kind != SHAPE_FILL)
		return false;
	for (uint64_t n = 0; n < s->count; n++) {
		bool array = type->kind == IR_TYPE_array;
		const struct ir_type *part = array ? type->element : type->fields[n].type;
		uint64_t offset = array ? n * part->size : type->fields[n].offset;
		if (!put_bytes(s->parts[s->kind == SHAPE_FILL ? 0 : n], part, bytes + offset))
			return false;
	}
	return true;
}

static shape *in_memory(struct cone_emitter *e, shape *s, const struct cone_node *at)
{
	const struct ir_type *type = own_type(e, s->type, at);
	if (!type)
		return s;
	uint8_t *bytes = ARENA_ARRAY(&e->arena, uint8_t, type->size);
	if (put_bytes(s, type, bytes)) {
		shape *table = cone_shape_new(e, SHAPE_MEMORY, s->type);
		table->memory = ir_add_table(e->kernel, cone_emit_name(e, "table"), type, bytes);
		return table;
	}
	shape *memory = private_memory(e, s->type, "array", at);
	cone_shape_write(e, memory, s, at);
	return memory;
}

shape *cone_shape_kept(struct cone_emitter *e, shape *s, const struct cone_node *at)
{
	if (s->kind != SHAPE_PARTS && s->kind != SHAPE_FILL)
		return s;
	if (s->type->kind == CONE_TYPE_ARRAY) {
		bool few = s->kind == SHAPE_PARTS && s->count <= SELECTED && cone_emit_is_scalar(s->type->element);
		return few || cone_emit_has_references(s->type) || !s->count ? s : in_memory(e, s, at);
	}
	shape *kept = cone_shape_parts(e, s->type, s->count);
	for (uint64_t n = 0; n < s->count; n++)
		kept->parts[n] = cone_shape_kept(e, s->parts[n], at);
	return kept;
}

shape *cone_shape_global(struct cone_emitter *e, shape *initial, const char *name, const struct cone_node *at)
{
	const struct cone_type *type = initial->type;
	bool plain = cone_emit_is_scalar(type) || type->kind == CONE_TYPE_ARRAY ||
	             (type->kind == CONE_TYPE_STRUCT && type->field_count);
	const struct ir_type *in_memory = plain && !cone_emit_has_references(type) ? own_type(e, type, at) : NULL;
	uint8_t *bytes = in_memory ? ARENA_ARRAY(&e->arena, uint8_t, in_memory->size) : NULL;
	shape *s;
	if (bytes && put_bytes(initial, in_memory, bytes)) {
		s = cone_shape_new(e, SHAPE_MEMORY, type);
		s->memory = ir_add_private(e->kernel, cone_emit_name(e, name), in_memory, bytes);
		return s;
	}
	s = cone_shape_storage(e, type, name, at);
	cone_shape_write(e, s, initial, at);
	return s;
}
