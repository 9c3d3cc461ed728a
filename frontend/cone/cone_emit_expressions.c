/* Expressions: values, and places. */
#include "frontend/cone/cone_emit.h"

value cone_emit_value(struct cone_emitter *e, const struct cone_node *node)
{
	return cone_shape_scalar(e, cone_emit_expression(e, node), node);
}

/* ---- Slices ---- */

value cone_emit_offset(struct cone_emitter *e, const shape *slice)
{
	return slice->offset_local ? ir_build_get(&e->builder, slice->offset_local) : slice->offset;
}

value cone_emit_length(struct cone_emitter *e, const shape *slice)
{
	if (slice->length_local)
		return ir_build_get(&e->builder, slice->length_local);
	return slice->length ? slice->length : cone_emit_constant(e, cone_emit_size(e), 0);
}

static shape *slice_of(struct cone_emitter *e, const struct cone_type *type, shape *array)
{
	shape *s = cone_shape_new(e, SHAPE_SLICE, type);
	s->target = array;
	s->length = cone_emit_constant(e, cone_emit_size(e), array->type->count);
	return s;
}

/* ---- Indexing ---- */

static value index_value(struct cone_emitter *e, const struct cone_node *node)
{
	return cone_emit_convert(e, IR_OP_convert, cone_emit_size(e), cone_emit_value(e, node));
}

static void check_index(struct cone_emitter *e, value index, value length)
{
	if (index->op != IR_OP_const || length->op != IR_OP_const || index->bits >= length->bits)
		ir_build_check_index(&e->builder, index, length);
}

/* An array's element, or a slice's: `left` is a place or a value. */
static shape *element_of(struct cone_emitter *e, const struct cone_node *node, shape *left)
{
	value index = index_value(e, node->parts[0]);
	cone_emit_locate(e, node);
	if (left->kind == SHAPE_SLICE && left->choices)
		left = cone_shape_read(e, left, node);
	if (left->kind == SHAPE_STRING) {
		cone_emit_refuse(e, node, "1264", "a text is indexed, which leads to no memory of a kernel");
		return cone_shape_zero(e, node->type);
	}
	bool is_pointer = node->left->type->kind == CONE_TYPE_POINTER;
	if (is_pointer || left->kind == SHAPE_NONE || (left->kind == SHAPE_SLICE && !left->target)) {
		if (!e->dead)
			cone_emit_refuse(e, node, "1264",
			                 "an element is reached from neither a buffer parameter nor a fixed array");
		return cone_shape_zero(e, node->type);
	}
	if (left->kind != SHAPE_SLICE) {
		check_index(e, index, cone_emit_constant(e, cone_emit_size(e), left->type->count));
		return cone_shape_element(e, left, index, node);
	}
	if (left->chosen)
		cone_emit_refuse(e, node, "1253", "the slice was set to different places on different ways to here");
	value offset = cone_emit_offset(e, left);
	check_index(e, index, cone_emit_length(e, left));
	return cone_shape_element(e, left->target, offset ? cone_emit_binary(e, IR_OP_iadd, offset, index) : index,
	                          node);
}

/* &left[a..<b] */
static shape *cut(struct cone_emitter *e, const struct cone_node *node, const struct cone_node *index)
{
	const struct cone_node *range = index->parts[0];
	shape *left = cone_emit_place(e, index->left);
	if (index->left->type->kind == CONE_TYPE_SLICE)
		left = cone_shape_read(e, left, index->left);
	else if (left->kind != SHAPE_NONE)
		left = slice_of(e, node->type, left);
	if (left->kind != SHAPE_SLICE)
		return cone_shape_new(e, SHAPE_NONE, node->type);
	value length = cone_emit_length(e, left), base = cone_emit_offset(e, left);
	value first = range->left ? index_value(e, range->left) : cone_emit_constant(e, cone_emit_size(e), 0);
	value end = range->right ? index_value(e, range->right) : length;
	cone_emit_locate(e, index);
	bool known = first->op == IR_OP_const && end->op == IR_OP_const && length->op == IR_OP_const &&
	             first->bits <= end->bits && end->bits <= length->bits;
	if (!known && !(cone_emit_known(first, 0) && end == length))
		ir_build_check_range(&e->builder, first, end, length);
	shape *s = cone_shape_new(e, SHAPE_SLICE, node->type);
	s->target = left->target;
	s->offset = base ? cone_emit_binary(e, IR_OP_iadd, base, first) : first;
	s->length = cone_emit_binary(e, IR_OP_isub, end, first);
	return s;
}

/* ---- Places ---- */

shape *cone_emit_target(struct cone_emitter *e, const struct cone_node *node, shape *reference)
{
	if (reference->chosen)
		cone_emit_refuse(e, node, "1253",
		                 "the reference was set to different places on different ways to here");
	if (reference->kind == SHAPE_REFERENCE && reference->target)
		return reference->target;
	if (reference->kind == SHAPE_SLICE) /* `*r` of a slice is the slice */
		return reference;
	if (!e->dead)
		cone_emit_refuse(e, node, "1264", "a reference leads to neither a buffer nor a local");
	return cone_shape_zero(e, node->type);
}

static shape *variable_of(struct cone_emitter *e, const struct cone_node *node)
{
	shape *s = e->frame->variables[node->variable->index];
	if (s)
		return s;
	/* Declared without a value: it is what was reported, or is set before it is read. */
	s = cone_shape_storage(e, node->variable->type, node->variable->name, node);
	e->frame->variables[node->variable->index] = s;
	return s;
}

shape *cone_emit_place(struct cone_emitter *e, const struct cone_node *node)
{
	cone_emit_locate(e, node);
	switch ((int)node->kind) {
	case CONE_NAME:
		if (node->variable)
			return variable_of(e, node);
		if (node->global)
			return cone_emit_global(e, node);
		break;
	case CONE_MEMBER:
		if (node->global)
			return cone_emit_global(e, node);
		if (node->left->type->kind == CONE_TYPE_SLICE || node->left->type->kind == CONE_TYPE_ARRAY)
			break;
		return cone_shape_field(e, cone_emit_place(e, node->left), node->field, node);
	case CONE_INDEX: return element_of(e, node, cone_emit_place(e, node->left));
	case CONE_DEREFERENCE:
		if (node->left->type->kind == CONE_TYPE_OWNER)
			return cone_owner_target(e, node->left->type, cone_emit_value(e, node->left), node);
		return cone_emit_target(e, node, cone_emit_expression(e, node->left));
	}
	return cone_emit_expression(e, node);
}

/* A value that lives in a nameless local, which a reference leads to. */
static shape *place_of_value(struct cone_emitter *e, const struct cone_node *node, bool mutable)
{
	shape *s = cone_emit_place(e, node);
	bool is_place = s->kind == SHAPE_LOCAL || s->kind == SHAPE_MEMORY || s->kind == SHAPE_CHOICE ||
	                node->kind == CONE_NAME || node->kind == CONE_MEMBER || node->kind == CONE_INDEX ||
	                node->kind == CONE_DEREFERENCE;
	if (is_place)
		return s;
	if (e->program->machine.chooses)
		table_set_n(&e->borrowed, (const char *)&node, sizeof node, e);
	if (e->program->machine.chooses)
		return cone_emit_home(e, node, s, "value", mutable || cone_emit_has_state(node->type), node);
	if (!mutable && !cone_emit_has_state(node->type))
		return cone_shape_kept(e, s, node);
	shape *local = cone_shape_storage(e, node->type, "value", node);
	cone_shape_write(e, local, s, node);
	return local;
}

static shape *borrowed(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_node *left = node->left;
	if (left->kind == CONE_INDEX && left->part_count && left->parts[0]->kind == CONE_RANGE)
		return cut(e, node, left);
	if (left->type->kind == CONE_TYPE_SLICE && node->type->kind == CONE_TYPE_SLICE)
		return cone_emit_expression(e, left);
	shape *target = place_of_value(e, left, node->mutable);
	if (node->type->kind == CONE_TYPE_SLICE)
		return target->kind == SHAPE_SLICE ? target : slice_of(e, node->type, target);
	shape *s = cone_shape_new(e, SHAPE_REFERENCE, node->type);
	s->target = target;
	return s;
}

/* ---- Made values ---- */

static shape *list_of(struct cone_emitter *e, const struct cone_node *node)
{
	uint64_t at = 0;
	if (node->kind == CONE_NEW_ARRAY && node->fills) {
		shape *fill = cone_shape_parts(e, node->type, 1);
		fill->kind = SHAPE_FILL;
		fill->count = node->type->count;
		fill->parts[0] = cone_emit_expression(e, node->parts[0]);
		return fill;
	}
	if (node->type->count > IR_MAX_OWN_BYTES) {
		cone_emit_refuse(e, node, "1400", "an array of more elements than an invocation has bytes");
		return cone_shape_zero(e, node->type);
	}
	shape *s = cone_shape_parts(e, node->type, node->type->count);
	for (uint32_t n = 0; n < node->part_count; n++) {
		const struct cone_node *part = node->parts[n];
		uint64_t count = part->kind == CONE_OF ? part->left->constant : 1;
		shape *v = cone_emit_expression(e, part->kind == CONE_OF ? part->right : part);
		while (count-- > 0 && at < s->count)
			s->parts[at++] = v;
	}
	while (at < s->count)
		s->parts[at++] = cone_shape_zero(e, node->type->element);
	return s;
}

static shape *made(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_type *type = node->type;
	if (type->kind == CONE_TYPE_OWNER || node->tries)
		return cone_owner_new(e, node);
	shape *s = cone_shape_parts(e, type, type->field_count);
	for (uint32_t n = 0; n < type->field_count; n++) {
		const struct cone_node *part = n < node->part_count ? node->parts[n] : NULL;
		s->parts[n] = part ? cone_emit_expression(e, part) : cone_shape_zero(e, type->fields[n].type);
	}
	return s;
}

static shape *constant_of(struct cone_emitter *e, const struct cone_node *node)
{
	if (node->type->kind != CONE_TYPE_ENUM)
		return cone_shape_value(e, node->type,
		                        cone_emit_constant(e, cone_emit_scalar(node->type), node->constant));
	shape *s = cone_shape_zero(e, node->type);
	if (s->kind == SHAPE_PARTS && s->count)
		s->parts[0] = cone_shape_value(
		    e, node->type->fields[0].type,
		    cone_emit_constant(e, cone_emit_scalar(node->type->fields[0].type), node->constant));
	return s;
}

/* ---- Operators ---- */

/* Nothing fails in it, and nothing changes: it may be evaluated where it need not be. */
static bool is_simple(const struct cone_node *node)
{
	switch ((int)node->kind) {
	case CONE_CONSTANT: return true;
	case CONE_NAME: return true;
	case CONE_MEMBER: return node->global || is_simple(node->left);
	case CONE_DEREFERENCE:
	case CONE_UNARY:
	case CONE_AS:
	case CONE_CONVERT: return is_simple(node->left);
	case CONE_BINARY: return is_simple(node->left) && is_simple(node->right);
	case CONE_LOGIC: return is_simple(node->left) && (!node->right || is_simple(node->right));
	}
	return false;
}

static value logic(struct cone_emitter *e, const struct cone_node *node)
{
	value left = cone_emit_value(e, node->left);
	const struct ir_type *type = &ir_types[IR_TYPE_bool];
	if (node->op == CONE_NOT)
		return cone_emit_unary(e, IR_OP_bnot, left);
	bool or = node->op == CONE_OR;
	if (left->op == IR_OP_const)
		return left->bits == (or ? 1 : 0) ? left : cone_emit_value(e, node->right);
	if (is_simple(node->right))
		return cone_emit_operator(e, node->op, left, cone_emit_value(e, node->right));
	struct ir_local *result = ir_add_local(e->kernel, cone_emit_name(e, or ? "or" : "and"), type);
	ir_build_set(&e->builder, result, left);
	value condition = or ? cone_emit_unary(e, IR_OP_bnot, left) : left;
	struct cone_region outer = cone_emit_enter(e, ir_build_if(&e->builder, condition), 0);
	value right = cone_emit_value(e, node->right);
	ir_build_set(&e->builder, result, right);
	cone_emit_leave(e, &outer);
	return ir_build_get(&e->builder, result);
}

static shape *converted(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_type *from = node->left->type, *to = node->type;
	if (from != to && from->kind == CONE_TYPE_OWNER && to->kind == CONE_TYPE_OWNER)
		return cone_shape_value(e, to, cone_owner_convert(e, from, to, cone_emit_value(e, node->left)));
	if (from != to && (from->kind == CONE_TYPE_OWNER || to->kind == CONE_TYPE_OWNER)) {
		cone_emit_refuse(e, node, "1400", "nothing but new makes an owner");
		return cone_shape_zero(e, to);
	}
	if (to->kind == CONE_TYPE_SLICE && from->kind == CONE_TYPE_REFERENCE) {
		shape *reference = cone_emit_expression(e, node->left);
		shape *array = cone_emit_target(e, node->left, reference);
		return array->type->kind == CONE_TYPE_ARRAY ? slice_of(e, to, array)
		                                            : cone_shape_new(e, SHAPE_NONE, to);
	}
	if (cone_emit_is_scalar(from) && cone_emit_is_scalar(to)) {
		value x = cone_emit_value(e, node->left);
		cone_emit_locate(e, node);
		return cone_shape_value(e, to, cone_emit_number(e, to, x));
	}
	if (from->kind == CONE_TYPE_ENUM && cone_emit_is_scalar(to)) {
		value tag =
		    cone_shape_scalar(e, cone_shape_field(e, cone_emit_expression(e, node->left), 0, node), node);
		return cone_shape_value(e, to, cone_emit_number(e, to, tag));
	}
	return cone_emit_expression(e, node->left);
}

static shape *reinterpreted(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_type *from = node->left->type, *to = node->type;
	if (from == to)
		return cone_emit_expression(e, node->left);
	if (cone_emit_is_scalar(from) && cone_emit_is_scalar(to)) {
		const struct ir_type *type = cone_emit_scalar(to);
		value x = cone_emit_value(e, node->left);
		cone_emit_locate(e, node);
		bool truth = type->kind == IR_TYPE_bool || x->type->kind == IR_TYPE_bool;
		value v = truth ? cone_emit_number(e, to, x) : cone_emit_convert(e, IR_OP_bitcast, type, x);
		return cone_shape_value(e, to, v);
	}
	if (!cone_emit_has_references(from) && !cone_emit_has_references(to))
		return cone_emit_bits(e, node);
	shape *s = cone_emit_expression(e, node->left);
	bool references = cone_emit_has_references(from) && cone_emit_has_references(to);
	bool is_slice = from->kind == CONE_TYPE_SLICE || to->kind == CONE_TYPE_SLICE;
	if (references && from->element == to->element && (from->kind == to->kind || !is_slice))
		return s;
	if (references) /* an address: what is reached through it is refused there (1264) */
		return cone_shape_new(e, SHAPE_NONE, to);
	cone_emit_refuse(e, node, "1400", "a value that is not a number is taken as another type, which no kernel can");
	return cone_shape_zero(e, to);
}

/* ---- Statements ---- */

static void declare(struct cone_emitter *e, const struct cone_variable *v, shape *initial, bool mutable,
                    const struct cone_node *node)
{
	shape **slot = &e->frame->variables[v->index];
	if (e->frame->is_member) {
		*slot = cone_emit_frame_place(e, v, v->type, v->name, node);
		if (initial)
			cone_shape_write(e, *slot, initial, node);
	} else if (!initial) {
		*slot = cone_shape_storage(e, v->type, v->name, node);
	} else if (mutable || v->mutable || cone_emit_has_state(v->type)) {
		*slot = cone_shape_storage(e, v->type, v->name, node);
		cone_shape_write(e, *slot, initial, node);
	} else if (e->program->machine.chooses && cone_emit_is_borrowed(e, v)) {
		*slot = cone_emit_home(e, v, initial, v->name, false, node);
	} else {
		*slot = cone_shape_kept(e, initial, node);
	}
}

static void local(struct cone_emitter *e, const struct cone_node *node)
{
	shape *initial = node->left ? cone_emit_expression(e, node->left) : NULL;
	cone_emit_locate(e, node);
	if (node->declared_count == 1) {
		declare(e, node->declared[0], initial, node->mutable, node);
		return;
	}
	for (uint32_t n = 0; n < node->declared_count; n++) {
		bool has_part = initial && initial->kind == SHAPE_PARTS && n < initial->count;
		shape *part = has_part ? initial->parts[n] : NULL;
		if (node->declared[n])
			declare(e, node->declared[n], part, node->mutable, node);
	}
}

static void assign(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_node *left = node->left;
	if (node->compound) {
		shape *place = cone_emit_place(e, left);
		value before = cone_shape_scalar(e, place, left), right = cone_emit_value(e, node->right);
		cone_emit_locate(e, node);
		value after = cone_emit_operator(e, node->op, before, right);
		cone_shape_write(e, place, cone_shape_value(e, left->type, after), node);
		return;
	}
	shape *right = cone_emit_expression(e, node->right);
	if (left->kind != CONE_TUPLE) {
		shape *place = cone_emit_place(e, left);
		cone_emit_locate(e, node);
		cone_shape_write(e, place, right, node);
		return;
	}
	for (uint32_t n = 0; n < left->part_count && right->kind == SHAPE_PARTS && n < right->count; n++) {
		const struct cone_node *part = left->parts[n];
		bool dropped = part->kind == CONE_NAME && !part->variable && !part->global;
		if (!dropped)
			cone_shape_write(e, cone_emit_place(e, part), right->parts[n], node);
	}
}

static shape *incremented(struct cone_emitter *e, const struct cone_node *node)
{
	shape *place = cone_emit_place(e, node->left);
	value before = cone_shape_scalar(e, place, node->left);
	uint64_t one = ir_type_is_float(before->type) ? ir_float_power(before->type, 0) : 1;
	value after = cone_emit_operator(e, node->op, before, cone_emit_constant(e, before->type, one));
	cone_shape_write(e, place, cone_shape_value(e, node->left->type, after), node);
	return cone_shape_value(e, node->left->type, node->prefix ? after : before);
}

static shape *length_member(struct cone_emitter *e, const struct cone_node *node)
{
	const struct cone_type *type = node->left->type;
	shape *left = cone_emit_place(e, node->left);
	if (type->kind == CONE_TYPE_ARRAY)
		return cone_shape_value(e, node->type, cone_emit_constant(e, cone_emit_size(e), type->count));
	left = cone_shape_read(e, left, node);
	value length =
	    left->kind == SHAPE_SLICE ? cone_emit_length(e, left) : cone_emit_constant(e, cone_emit_size(e), 0);
	return cone_shape_value(e, node->type, length);
}

static bool is_statement(const struct cone_node *node)
{
	switch ((int)node->kind) {
	case CONE_LOCAL:
	case CONE_ASSIGN:
	case CONE_BREAK:
	case CONE_CONTINUE:
	case CONE_RETURN:
	case CONE_EMPTY: return true;
	}
	return false;
}

static shape *statement(struct cone_emitter *e, const struct cone_node *node)
{
	if (node->kind == CONE_LOCAL)
		local(e, node);
	else if (node->kind == CONE_ASSIGN)
		assign(e, node);
	else if (node->kind != CONE_EMPTY)
		cone_emit_jump(e, node);
	return cone_shape_new(e, SHAPE_NONE, node->type);
}

static shape *string_of(struct cone_emitter *e, const struct cone_node *node)
{
	shape *s = cone_shape_new(e, SHAPE_STRING, node->type);
	s->number = node->number;
	s->text = node->text;
	return s;
}

shape *cone_emit_expression(struct cone_emitter *e, const struct cone_node *node)
{
	cone_emit_locate(e, node);
	if (is_statement(node))
		return statement(e, node);
	switch ((int)node->kind) {
	case CONE_CONSTANT: return constant_of(e, node);
	case CONE_STRING: return string_of(e, node);
	case CONE_LIST:
	case CONE_NEW_ARRAY: return list_of(e, node);
	case CONE_NEW:
	case CONE_TUPLE: return made(e, node);
	case CONE_MEMBER:
		if (!node->global &&
		    (node->left->type->kind == CONE_TYPE_SLICE || node->left->type->kind == CONE_TYPE_ARRAY))
			return length_member(e, node);
		return cone_shape_read(e, cone_emit_place(e, node), node);
	case CONE_NAME:
	case CONE_INDEX:
	case CONE_DEREFERENCE: return cone_shape_read(e, cone_emit_place(e, node), node);
	case CONE_BORROW: return borrowed(e, node);
	case CONE_CALL: return cone_emit_call(e, node);
	case CONE_INTRINSIC: return cone_emit_intrinsic(e, node);
	case CONE_UNARY: {
		value x = cone_emit_value(e, node->left);
		cone_emit_locate(e, node);
		return cone_shape_value(e, node->type, cone_emit_operator(e, node->op, x, NULL));
	}
	case CONE_BINARY: {
		value x = cone_emit_value(e, node->left), y = cone_emit_value(e, node->right);
		cone_emit_locate(e, node);
		return cone_shape_value(e, node->type, cone_emit_operator(e, node->op, x, y));
	}
	case CONE_LOGIC: return cone_shape_value(e, node->type, logic(e, node));
	case CONE_CONVERT: return converted(e, node);
	case CONE_AS: return reinterpreted(e, node);
	case CONE_IF: return cone_emit_if(e, node);
	case CONE_BLOCK: return cone_emit_block(e, node);
	case CONE_WHILE: return cone_emit_while(e, node);
	case CONE_EACH: return cone_emit_each(e, node);
	case CONE_INCREMENT: return incremented(e, node);
	}
	cone_emit_refuse(e, node, "1400", "this has no meaning in a kernel");
	return cone_shape_zero(e, node->type);
}
