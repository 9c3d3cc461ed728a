/* What core and libc declare and the compiler knows. */
#include "frontend/cone/cone_emit.h"

#include "frontend/cone/cone_check.h"

static const struct ir_type *const u32 = &ir_types[IR_TYPE_u32];

static const char *const names[] = {
#define INTRINSIC(name, symbol, kind, description) #name,
#include "frontend/cone/cone_intrinsics.def"
#undef INTRINSIC
};

static shape *none(struct cone_emitter *e, const struct cone_node *node)
{
	return cone_shape_new(e, SHAPE_NONE, node->type);
}

/* ---- Failures ---- */

/* `message`: of the program; NULL: not known. */
static void fail(struct cone_emitter *e, const char *message)
{
	if (!e->dead) {
		value never = cone_emit_constant(e, &ir_types[IR_TYPE_bool], 0);
		struct ir_instruction *check = ir_build_check(&e->builder, never, TRAP_PANIC);
		check->message = message ? arena_string(&e->module->arena, message) : NULL;
	}
	cone_emit_end(e);
}

/* panic(message, file, line): the place is the call's that the defaults are of. */
static shape *panic(struct cone_emitter *e, const struct cone_node *node, shape **parts)
{
	struct place place = e->builder.place, said = place;
	if (node->part_count > 1 && parts[1]->kind == SHAPE_STRING && parts[1]->number)
		said.file = (uint32_t)parts[1]->number;
	if (node->part_count > 2 && parts[2]->kind == SHAPE_VALUE && parts[2]->value->op == IR_OP_const)
		said.line = (uint32_t)parts[2]->value->bits;
	if (said.file != place.file || said.line != place.line)
		said.column = 1; /* not known */
	e->builder.place = said;
	fail(e, node->part_count && parts[0]->kind == SHAPE_STRING ? parts[0]->text : NULL);
	e->builder.place = place;
	return none(e, node);
}

/* ---- Atomics ---- */

static enum cone_memory_order order_of(const shape *s)
{
	while (s->kind == SHAPE_PARTS && s->count)
		s = s->parts[0];
	bool known = s->kind == SHAPE_VALUE && s->value->op == IR_OP_const && s->value->bits <= CONE_SEQUENTIAL;
	return known ? (enum cone_memory_order)s->value->bits : CONE_SEQUENTIAL;
}

static enum ir_op atomic_op(enum cone_intrinsic intrinsic)
{
	switch ((int)intrinsic) {
	case CONE_INTRINSIC_atomic_load: return IR_OP_atomic_load;
	case CONE_INTRINSIC_atomic_store: return IR_OP_atomic_store;
	case CONE_INTRINSIC_atomic_swap: return IR_OP_atomic_swap;
	case CONE_INTRINSIC_atomic_add: return IR_OP_atomic_add;
	case CONE_INTRINSIC_atomic_sub: return IR_OP_atomic_sub;
	case CONE_INTRINSIC_atomic_min: return IR_OP_atomic_min;
	case CONE_INTRINSIC_atomic_max: return IR_OP_atomic_max;
	case CONE_INTRINSIC_atomic_and: return IR_OP_atomic_and;
	case CONE_INTRINSIC_atomic_or: return IR_OP_atomic_or;
	case CONE_INTRINSIC_atomic_xor: return IR_OP_atomic_xor;
	}
	return IR_OP_atomic_cas;
}

/* An order as the IR has it: SeqCst is acquire-release (the page, Atomics). False: the operation cannot have it. */
static bool ir_order(enum ir_op op, enum cone_memory_order order, enum ir_order *result)
{
	static const enum ir_order orders[] = {IR_ORDER_RELAXED, IR_ORDER_ACQUIRE, IR_ORDER_RELEASE, IR_ORDER_ACQ_REL,
	                                       IR_ORDER_ACQ_REL};
	*result = orders[order];
	if (op == IR_OP_atomic_load && order == CONE_SEQUENTIAL)
		*result = IR_ORDER_ACQUIRE;
	if (op == IR_OP_atomic_store && order == CONE_SEQUENTIAL)
		*result = IR_ORDER_RELEASE;
	if (op == IR_OP_atomic_load)
		return order != CONE_RELEASE && order != CONE_ACQUIRE_RELEASE;
	return op != IR_OP_atomic_store || (order != CONE_ACQUIRE && order != CONE_ACQUIRE_RELEASE);
}

/* What it makes visible, 0 to 2: none, acquire or release, both. */
static int strength(enum cone_memory_order order)
{
	return order == CONE_RELAXED ? 0 : order <= CONE_RELEASE ? 1 : order - 1;
}

/* The two orders of a compare and swap as one. */
static bool swap_order(enum cone_memory_order success, enum cone_memory_order failure, enum ir_order *result)
{
	static const enum ir_order with_acquire[] = {IR_ORDER_ACQUIRE, IR_ORDER_ACQUIRE, IR_ORDER_ACQ_REL,
	                                             IR_ORDER_ACQ_REL};
	bool sound =
	    failure != CONE_RELEASE && failure != CONE_ACQUIRE_RELEASE && strength(failure) <= strength(success);
	ir_order(IR_OP_atomic_cas, success, result);
	if (failure != CONE_RELAXED)
		*result = with_acquire[*result];
	return sound;
}

/* Through a method of Atomic, whose field it is: that is reported once, at the kernel. */
static bool is_method(const struct cone_node *node)
{
	const struct cone_node *pointer = node->parts[0];
	while (pointer->kind == CONE_CONVERT || pointer->kind == CONE_AS)
		pointer = pointer->left;
	const struct cone_node *number = pointer->kind == CONE_BORROW ? pointer->left : NULL;
	return number && number->kind == CONE_MEMBER && !number->global && cone_type_atomic_of(number->left->type);
}

static shape *refuse_atomic(struct cone_emitter *e, const struct cone_node *node, bool is_read_only)
{
	bool method = is_method(node);
	const char *text = is_read_only
	                       ? "an atomic changes a buffer that the kernel only reads: it is &mut Array[T] then"
	                       : "an atomic is on memory of one invocation: only a buffer's and a @workgroup "
	                         "global's are shared";
	if (!method || is_read_only)
		cone_emit_refuse(e, node, "1269", "%s", text);
	else if (!e->atomic_reported)
		cone_emit_refuse(e, NULL, "1269", "%s", text);
	e->atomic_reported |= method;
	e->refused = true;
	return cone_shape_zero(e, node->type);
}

/* The number: of an Atomic, its one field. */
static shape *number_in(struct cone_emitter *e, shape *place, const struct cone_node *node)
{
	while (place->type->kind == CONE_TYPE_STRUCT && place->type->field_count == 1)
		place = cone_shape_field(e, place, 0, node);
	return place;
}

struct atomic {
	enum ir_op op;
	enum ir_order order;
	bool relaxed_unequal;
	value x, y;
};

/* What is left in memory of the invocation's own, where nobody else can see what is between. */
static value own_result(struct cone_emitter *e, const struct atomic *a, value before)
{
	switch ((int)a->op) {
	case IR_OP_atomic_store:
	case IR_OP_atomic_swap: return a->x;
	case IR_OP_atomic_add: return cone_emit_binary(e, IR_OP_iadd, before, a->x);
	case IR_OP_atomic_sub: return cone_emit_binary(e, IR_OP_isub, before, a->x);
	case IR_OP_atomic_min: return cone_emit_select(e, cone_emit_binary(e, IR_OP_lt, a->x, before), a->x, before);
	case IR_OP_atomic_max: return cone_emit_select(e, cone_emit_binary(e, IR_OP_gt, a->x, before), a->x, before);
	case IR_OP_atomic_and: return cone_emit_binary(e, IR_OP_band, before, a->x);
	case IR_OP_atomic_or: return cone_emit_binary(e, IR_OP_bor, before, a->x);
	case IR_OP_atomic_xor: return cone_emit_binary(e, IR_OP_bxor, before, a->x);
	case IR_OP_atomic_cas: return cone_emit_select(e, cone_emit_binary(e, IR_OP_eq, before, a->x), a->y, before);
	}
	return before; /* a load */
}

static value own_atomic(struct cone_emitter *e, const struct cone_node *node, const struct atomic *a, shape *place)
{
	value before = cone_shape_scalar(e, place, node);
	if (a->op != IR_OP_atomic_load)
		cone_shape_write(e, place, cone_shape_value(e, place->type, own_result(e, a, before)), node);
	return before;
}

static value shared_atomic(struct cone_emitter *e, const struct atomic *a, const shape *place)
{
	enum ir_scope scope = place->memory->kind == IR_MEMORY_SHARED ? IR_SCOPE_WORKGROUP : IR_SCOPE_DEVICE;
	struct ir_step *path = cone_shape_path(e, place);
	value before =
	    ir_build_atomic(&e->builder, a->op, place->memory, path, place->path_count, a->x, a->y, scope, a->order);
	before->relaxed_unequal = a->relaxed_unequal;
	return before;
}

/* Of one place. */
static shape *atomic_at(struct cone_emitter *e, shape *place, void *context, const struct cone_node *node)
{
	const struct atomic *a = context;
	bool chooses = e->program->machine.chooses, in_memory = place->kind == SHAPE_MEMORY;
	bool shared = in_memory && (place->memory->kind == IR_MEMORY_BUFFER ||
	                            place->memory->kind == IR_MEMORY_SHARED || (chooses && place->memory->global));
	bool own = chooses && !shared &&
	           (place->kind == SHAPE_LOCAL || (in_memory && place->memory->kind == IR_MEMORY_PRIVATE));
	if (!own && (!shared || (!place->memory->writable && a->op != IR_OP_atomic_load)))
		return refuse_atomic(e, node, shared);
	value before = own ? own_atomic(e, node, a, place) : shared_atomic(e, a, place);
	if (a->op == IR_OP_atomic_store)
		return none(e, node);
	if (a->op != IR_OP_atomic_cas)
		return cone_shape_value(e, node->type, before);
	shape *both = cone_shape_parts(e, node->type, 2);
	both->parts[0] = cone_shape_value(e, node->type->fields[0].type, before);
	both->parts[1] = cone_shape_value(e, node->type->fields[1].type, cone_emit_binary(e, IR_OP_eq, before, a->x));
	return both;
}

static shape *atomic(struct cone_emitter *e, const struct cone_node *node, enum cone_intrinsic intrinsic, shape **parts)
{
	struct atomic a = {.op = atomic_op(intrinsic)};
	shape *place = parts[0]->kind == SHAPE_REFERENCE && parts[0]->target ? parts[0]->target : parts[0];
	if (e->dead)
		return cone_shape_zero(e, node->type);
	if (parts[0]->chosen)
		cone_emit_refuse(e, node, "1253", "the atomic was set to different places on different ways to here");
	if (place->kind == SHAPE_NONE || place->kind == SHAPE_SLICE) {
		cone_emit_refuse(e, node, "1264", "an atomic is reached from neither a buffer parameter nor a local");
		return cone_shape_zero(e, node->type);
	}
	place = number_in(e, place, node);
	unsigned operands = ir_op_infos[a.op].arity;
	enum cone_memory_order first =
	    operands + 1 < node->part_count ? order_of(parts[operands + 1]) : CONE_SEQUENTIAL;
	enum cone_memory_order second = operands + 2 < node->part_count ? order_of(parts[operands + 2]) : CONE_RELAXED;
	bool sound = a.op == IR_OP_atomic_cas ? swap_order(first, second, &a.order) : ir_order(a.op, first, &a.order);
	if (!sound) {
		fail(e, "an atomic operation cannot have this order");
		return cone_shape_zero(e, node->type);
	}
	a.x = operands > 0 ? cone_shape_scalar(e, parts[1], node) : NULL;
	a.y = operands > 1 ? cone_shape_scalar(e, parts[2], node) : NULL;
	a.relaxed_unequal = a.op == IR_OP_atomic_cas && second == CONE_RELAXED &&
	                    (a.order == IR_ORDER_ACQUIRE || a.order == IR_ORDER_ACQ_REL);
	return cone_emit_ways(e, place, node->type, node, atomic_at, &a);
}

/* ---- Bits of integers ---- */

static const struct ir_type *unsigned_of(uint32_t width)
{
	return &ir_types[width == 8 ? IR_TYPE_u8 : width == 16 ? IR_TYPE_u16 : width == 32 ? IR_TYPE_u32 : IR_TYPE_u64];
}

/* x: u32 or u64. In the end the sums of all bytes are in the highest one. */
static value count_ones(struct cone_emitter *e, value x)
{
	uint64_t fives = 0x5555555555555555, threes = 0x3333333333333333, nibbles = 0x0f0f0f0f0f0f0f0f;
	value pairs = cone_emit_binary(e, IR_OP_isub, x,
	                               cone_emit_with(e, IR_OP_band, cone_emit_with(e, IR_OP_ishr, x, 1), fives));
	value high = cone_emit_with(e, IR_OP_band, cone_emit_with(e, IR_OP_ishr, pairs, 2), threes);
	value fours = cone_emit_binary(e, IR_OP_iadd, cone_emit_with(e, IR_OP_band, pairs, threes), high);
	value bytes = cone_emit_binary(e, IR_OP_iadd, fours, cone_emit_with(e, IR_OP_ishr, fours, 4));
	bytes = cone_emit_with(e, IR_OP_band, bytes, nibbles);
	value sum = cone_emit_with(e, IR_OP_imul, bytes, 0x0101010101010101);
	return cone_emit_with(e, IR_OP_ishr, sum, ir_type_bits(x->type) - 8);
}

static value count_bits(struct cone_emitter *e, enum cone_intrinsic intrinsic, value x, uint32_t width)
{
	value all = cone_emit_convert(e, IR_OP_convert, unsigned_of(width == 64 ? 64 : 32), x);
	if (intrinsic == CONE_INTRINSIC_trailing_zeros) {
		/* The ones below the first one. */
		all = cone_emit_binary(e, IR_OP_band, cone_emit_unary(e, IR_OP_bnot, all),
		                       cone_emit_with(e, IR_OP_isub, all, 1));
		all = cone_emit_with(e, IR_OP_band, all, UINT64_MAX >> (64 - width));
	} else if (intrinsic == CONE_INTRINSIC_leading_zeros) {
		for (uint32_t n = 1; n < width; n *= 2)
			all = cone_emit_binary(e, IR_OP_bor, all, cone_emit_with(e, IR_OP_ishr, all, n));
	}
	value count = cone_emit_convert(e, IR_OP_convert, u32, count_ones(e, all));
	if (intrinsic != CONE_INTRINSIC_leading_zeros)
		return count;
	return cone_emit_binary(e, IR_OP_isub, cone_emit_constant(e, u32, width), count);
}

static value rotate(struct cone_emitter *e, value x, value count, bool left, uint32_t width)
{
	value back = cone_emit_with(e, IR_OP_band, cone_emit_unary(e, IR_OP_ineg, count), width - 1);
	value a = cone_emit_binary(e, left ? IR_OP_ishl : IR_OP_ishr, x, count);
	value b = cone_emit_binary(e, left ? IR_OP_ishr : IR_OP_ishl, x, back);
	return cone_emit_binary(e, IR_OP_bor, a, b);
}

static shape *bits(struct cone_emitter *e, const struct cone_node *node, enum cone_intrinsic intrinsic, shape **parts)
{
	value x = cone_shape_scalar(e, parts[0], node);
	const struct ir_type *type = x->type;
	uint32_t width = ir_type_bits(type);
	value plain = cone_emit_convert(e, IR_OP_convert, unsigned_of(width), x);
	if (node->part_count < 2) {
		value count = count_bits(e, intrinsic, plain, width);
		return cone_shape_value(e, node->type,
		                        cone_emit_convert(e, IR_OP_convert, cone_emit_scalar(node->type), count));
	}
	bool arithmetic = intrinsic == CONE_INTRINSIC_shr_masked;
	value from = arithmetic ? x : plain;
	value count = cone_emit_with(e, IR_OP_band, cone_shape_scalar(e, parts[1], node), width - 1);
	count = cone_emit_convert(e, IR_OP_convert, from->type, count);
	value result = arithmetic ? cone_emit_binary(e, IR_OP_ishr, from, count)
	               : intrinsic == CONE_INTRINSIC_shl_masked
	                   ? cone_emit_binary(e, IR_OP_ishl, from, count)
	                   : rotate(e, from, count, intrinsic == CONE_INTRINSIC_rotate_left, width);
	return cone_shape_value(e, node->type, cone_emit_convert(e, IR_OP_convert, type, result));
}

/* ---- Math ---- */

static enum ir_math math_of(enum cone_intrinsic intrinsic)
{
	switch ((int)intrinsic) {
	case CONE_INTRINSIC_sin: return IR_MATH_sin;
	case CONE_INTRINSIC_cos: return IR_MATH_cos;
	case CONE_INTRINSIC_tan: return IR_MATH_tan;
	case CONE_INTRINSIC_asin: return IR_MATH_asin;
	case CONE_INTRINSIC_acos: return IR_MATH_acos;
	case CONE_INTRINSIC_atan: return IR_MATH_atan;
	case CONE_INTRINSIC_atan2: return IR_MATH_atan2;
	case CONE_INTRINSIC_exp: return IR_MATH_exp;
	case CONE_INTRINSIC_log: return IR_MATH_log;
	case CONE_INTRINSIC_pow: return IR_MATH_pow;
	}
	return IR_MATH_fmod;
}

static shape *math(struct cone_emitter *e, const struct cone_node *node, enum cone_intrinsic intrinsic, shape **parts)
{
	value x = cone_shape_scalar(e, parts[0], node), y = NULL, result;
	if (node->part_count > 1)
		y = cone_shape_scalar(e, parts[1], node);
	switch ((int)intrinsic) {
	case CONE_INTRINSIC_sqrt: result = cone_emit_unary(e, IR_OP_fsqrt, x); break;
	case CONE_INTRINSIC_fabs: result = cone_emit_unary(e, IR_OP_fabs, x); break;
	case CONE_INTRINSIC_floor: result = cone_emit_unary(e, IR_OP_ffloor, x); break;
	case CONE_INTRINSIC_ceil: result = cone_emit_unary(e, IR_OP_fceil, x); break;
	default:
		if (x->type->kind == IR_TYPE_f64 && intrinsic != CONE_INTRINSIC_fmod &&
		    !e->program->machine.one_memory) {
			cone_emit_refuse(e, node, "1400", "kernels have no %s of f64: only of f32", names[intrinsic]);
			return cone_shape_zero(e, node->type);
		}
		result = ir_build_math(&e->builder, math_of(intrinsic), x, y);
	}
	return cone_shape_value(e, node->type, result);
}

/* ---- All ---- */

shape *cone_emit_intrinsic(struct cone_emitter *e, const struct cone_node *node)
{
	int number = node->kind == CONE_CALL ? node->instance->intrinsic : node->intrinsic;
	shape **parts = ARENA_ARRAY(&e->arena, shape *, node->part_count + 1);
	for (uint32_t n = 0; n < node->part_count; n++)
		parts[n] = cone_emit_expression(e, node->parts[n]);
	cone_emit_locate(e, node);
	if (number < 0 || number >= CONE_INTRINSIC_COUNT)
		return cone_shape_zero(e, node->type);
	enum cone_intrinsic intrinsic = (enum cone_intrinsic)number;
	switch (cone_intrinsic_kind_of(number)) {
	case CONE_KIND_BARRIER:
		if (!e->dead)
			ir_build_barrier(&e->builder, intrinsic == CONE_INTRINSIC_workgroup_barrier
			                                  ? IR_BARRIER_WORKGROUP
			                                  : IR_BARRIER_STORAGE);
		return none(e, node);
	case CONE_KIND_FAILURE: return panic(e, node, parts);
	case CONE_KIND_ATOMIC: return node->part_count ? atomic(e, node, intrinsic, parts) : none(e, node);
	case CONE_KIND_BITS: return node->part_count ? bits(e, node, intrinsic, parts) : none(e, node);
	case CONE_KIND_MATH: return node->part_count ? math(e, node, intrinsic, parts) : none(e, node);
	case CONE_KIND_HOST:
		cone_emit_refuse(e, node, "1400",
		                 "a barrier's hook is set by the program that calls a kernel, not in one");
		return none(e, node);
	case CONE_KIND_PLACE: break;
	}
	return cone_shape_zero(e, node->type);
}
