/* `x as T` of structs and arrays of numbers: the same bytes, whatever the fields are. */
#include "frontend/cone/cone_emit.h"

/* Numbers in a value that is taken apart. */
enum { MOST_NUMBERS = 1024 };

struct number {
	uint64_t offset;
	value bits; /* unsigned */
};

struct taking {
	struct cone_emitter *e;
	const struct cone_node *at;
	struct number *numbers;
	uint32_t count, capacity;
};

static const struct ir_type *unsigned_of(const struct ir_type *type)
{
	switch (type->size) {
	case 1: return &ir_types[IR_TYPE_u8];
	case 2: return &ir_types[IR_TYPE_u16];
	case 8: return &ir_types[IR_TYPE_u64];
	}
	return &ir_types[IR_TYPE_u32];
}

static uint64_t parts_of(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_ARRAY ? t->count : t->field_count;
}

static uint64_t offset_of(const struct ir_type *in_memory, uint64_t n)
{
	return in_memory->kind == IR_TYPE_array ? n * in_memory->element->size : in_memory->fields[n].offset;
}

static const struct ir_type *part_type(const struct ir_type *in_memory, uint64_t n)
{
	return in_memory->kind == IR_TYPE_array ? in_memory->element : in_memory->fields[n].type;
}

static void take_apart(struct taking *t, shape *s, const struct ir_type *in_memory, uint64_t offset)
{
	struct cone_emitter *e = t->e;
	if (cone_emit_is_scalar(s->type)) {
		value x = cone_shape_scalar(e, s, t->at);
		struct number *number = ARENA_PUSH(&e->arena, t->numbers, t->count, t->capacity);
		*number = (struct number){offset, cone_emit_convert(e, IR_OP_bitcast, unsigned_of(x->type), x)};
		return;
	}
	for (uint64_t n = 0; n < parts_of(s->type) && t->count <= MOST_NUMBERS; n++) {
		value index = cone_emit_constant(e, &ir_types[IR_TYPE_u32], n);
		shape *part = s->type->kind == CONE_TYPE_ARRAY ? cone_shape_element(e, s, index, t->at)
		                                               : cone_shape_field(e, s, (uint32_t)n, t->at);
		take_apart(t, part, part_type(in_memory, n), offset + offset_of(in_memory, n));
	}
}

/* The bytes of a number that are from `start` to `end`, in a number of the type at `start`. */
static value piece(struct cone_emitter *e, const struct number *number, const struct ir_type *to, uint64_t start,
                   uint64_t end)
{
	uint64_t size = number->bits->type->size, first = number->offset, last = first + size;
	uint64_t from = first > start ? first : start, until = last < end ? last : end;
	value x = number->bits;
	if (from > first)
		x = cone_emit_with(e, IR_OP_ishr, x, 8 * (from - first));
	x = cone_emit_convert(e, IR_OP_convert, to, x);
	if (until - from < to->size)
		x = cone_emit_with(e, IR_OP_band, x, (UINT64_C(1) << 8 * (until - from)) - 1);
	return from > start ? cone_emit_with(e, IR_OP_ishl, x, 8 * (from - start)) : x;
}

static value number_at(struct taking *t, const struct ir_type *type, uint64_t offset)
{
	const struct ir_type *to = unsigned_of(type);
	value whole = NULL;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct number *number = &t->numbers[i];
		if (number->offset >= offset + to->size || number->offset + number->bits->type->size <= offset)
			continue;
		value part = piece(t->e, number, to, offset, offset + to->size);
		whole = whole ? cone_emit_binary(t->e, IR_OP_bor, whole, part) : part;
	}
	whole = whole ? whole : cone_emit_constant(t->e, to, 0); /* padding */
	return cone_emit_convert(t->e, IR_OP_bitcast, type, whole);
}

static shape *put_together(struct taking *t, const struct cone_type *type, const struct ir_type *in_memory,
                           uint64_t offset)
{
	struct cone_emitter *e = t->e;
	if (cone_emit_is_scalar(type))
		return cone_shape_value(e, type, number_at(t, in_memory, offset));
	shape *s = cone_shape_parts(e, type, parts_of(type));
	for (uint64_t n = 0; n < s->count; n++) {
		const struct cone_type *part = type->kind == CONE_TYPE_ARRAY ? type->element : type->fields[n].type;
		s->parts[n] = put_together(t, part, part_type(in_memory, n), offset + offset_of(in_memory, n));
	}
	return s;
}

static uint64_t numbers_of(const struct cone_type *t)
{
	if (cone_emit_is_scalar(t))
		return 1;
	uint64_t sum = 0;
	if (t->kind == CONE_TYPE_ARRAY)
		return t->count > MOST_NUMBERS ? t->count : t->count * numbers_of(t->element);
	for (uint32_t n = 0; n < t->field_count; n++)
		sum += numbers_of(t->fields[n].type);
	return sum;
}

shape *cone_emit_bits(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_type *from = node->left->type, *to = node->type;
	const struct ir_type *source = cone_emit_type(e, from, node), *result = cone_emit_type(e, to, node);
	if (!source || !result)
		return cone_shape_zero(e, to);
	if (numbers_of(from) > MOST_NUMBERS || numbers_of(to) > MOST_NUMBERS) {
		cone_emit_refuse(e, node, "1400", "more than %d numbers are taken as others", MOST_NUMBERS);
		return cone_shape_zero(e, to);
	}
	struct taking taking = {.e = e, .at = node};
	shape *value_of = cone_shape_read(e, cone_emit_expression(e, node->left), node);
	cone_emit_locate(e, node);
	take_apart(&taking, value_of, source, 0);
	return put_together(&taking, to, result, 0);
}
