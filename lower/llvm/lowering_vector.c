/* The lanes of NAME__lanes: a row's threads x ... x + width - 1 at once, in vectors. A check that fails in any lane
 * ends the attempt: its threads run again one by one (lowering_sequential.c), so nothing here has to say which failed.
 * Operations on vectors are those on scalars (`vectors` gives types and operands); here is what differs: memory,
 * locals, control, and sums and indices that are one more in each lane, which need no vectors.
 *
 * Under IR_POLICY_PROVED nothing fails in the lanes that are active: at least one is, wherever code runs. Others hold
 * anything, so what is undefined outside of a range (no-wrap flags, inbounds addresses, divisors) is for code that all
 * lanes run. */
#include <string.h>

#include "lower/llvm/lowering_vector.h"

enum vector_shape lowering_vector_shape(const struct lowering *l, const struct ir_instruction *i)
{
	return l->shapes->values[i->id];
}

static enum vector_shape shape_of(const struct lowering *l, const struct ir_instruction *i)
{
	return lowering_vector_shape(l, i);
}

LLVMTypeRef lowering_vector_of(const struct lowering *l, LLVMTypeRef element)
{
	return LLVMVectorType(element, l->width);
}

static LLVMTypeRef vector_of(const struct lowering *l, LLVMTypeRef element)
{
	return lowering_vector_of(l, element);
}

/* Threads do not run again. */
static bool is_masked(const struct lowering *l)
{
	return l->kernel->policy != IR_POLICY_STOP;
}

/* ---- Values ---- */

LLVMValueRef lowering_vector_splat(struct lowering *l, LLVMValueRef v)
{
	LLVMTypeRef type = vector_of(l, LLVMTypeOf(v));
	LLVMValueRef one = LLVMBuildInsertElement(l->builder, LLVMGetUndef(type), v, lowering_i32(l, 0), "");
	LLVMValueRef zeros = LLVMConstNull(vector_of(l, lowering_int(l, 32)));
	return LLVMBuildShuffleVector(l->builder, one, LLVMGetUndef(type), zeros, "");
}

LLVMValueRef lowering_vector_numbers(struct lowering *l, LLVMTypeRef type)
{
	LLVMValueRef *numbers = ARENA_ARRAY(l->arena, LLVMValueRef, l->width);
	for (unsigned n = 0; n < l->width; n++)
		numbers[n] = LLVMConstInt(type, n, false);
	return LLVMConstVector(numbers, l->width);
}

static LLVMValueRef affine_value(struct lowering *l, LLVMValueRef first)
{
	LLVMValueRef numbers = lowering_vector_numbers(l, LLVMTypeOf(first));
	LLVMValueRef all = lowering_vector_splat(l, first);
	return is_masked(l) ? LLVMBuildAdd(l->builder, all, numbers, "")
	                    : LLVMBuildNSWAdd(l->builder, all, numbers, "");
}

LLVMValueRef lowering_vector_value(struct lowering *l, const struct ir_instruction *value)
{
	LLVMValueRef v = l->values[value->id];
	switch (shape_of(l, value)) {
	case VECTOR_UNIFORM: return lowering_vector_splat(l, v);
	case VECTOR_AFFINE:
	case VECTOR_WRAPPING: return affine_value(l, v);
	case VECTOR_VARYING: break;
	}
	return v;
}

LLVMValueRef lowering_vector_mask(struct lowering *l)
{
	return l->active ? l->active : LLVMConstAllOnes(vector_of(l, lowering_int(l, 1)));
}

static LLVMValueRef bits_of(struct lowering *l, LLVMValueRef lanes)
{
	return LLVMBuildBitCast(l->builder, lanes, lowering_int(l, l->width), "");
}

LLVMValueRef lowering_vector_any(struct lowering *l, LLVMValueRef lanes)
{
	return LLVMBuildICmp(l->builder, LLVMIntNE, bits_of(l, lanes), LLVMConstNull(lowering_int(l, l->width)), "");
}

LLVMValueRef lowering_vector_all(struct lowering *l, LLVMValueRef lanes)
{
	return LLVMBuildICmp(l->builder, LLVMIntEQ, bits_of(l, lanes), LLVMConstAllOnes(lowering_int(l, l->width)), "");
}

LLVMValueRef lowering_vector_both(struct lowering *l, LLVMValueRef x, LLVMValueRef y)
{
	return x ? LLVMBuildAnd(l->builder, x, y, "") : y;
}

static LLVMValueRef resized(struct lowering *l, LLVMValueRef v, unsigned bits)
{
	return l->width > bits   ? LLVMBuildTrunc(l->builder, v, lowering_int(l, bits), "")
	       : l->width < bits ? LLVMBuildZExt(l->builder, v, lowering_int(l, bits), "")
	                         : v;
}

LLVMValueRef lowering_vector_first(struct lowering *l, LLVMValueRef lanes)
{
	LLVMValueRef arguments[] = {bits_of(l, lanes), LLVMConstInt(lowering_int(l, 1), 1, false)};
	return resized(l, lowering_intrinsic(l, "llvm.cttz", lowering_int(l, l->width), arguments, 2), 64);
}

LLVMValueRef lowering_vector_count(struct lowering *l, LLVMValueRef lanes)
{
	LLVMValueRef bits = bits_of(l, lanes);
	return resized(l, lowering_intrinsic(l, "llvm.ctpop", lowering_int(l, l->width), &bits, 1), 32);
}

/* ---- Checks ---- */

/* All active lanes fail, or none. */
static void require_of_all(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                           LLVMValueRef value, LLVMValueRef limit)
{
	LLVMBasicBlockRef failed = lowering_block(l, "failed"), next = lowering_block(l, "sound");
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, sound, next, failed));
	lowering_enter(l, failed);
	LLVMValueRef lanes = lowering_vector_mask(l);
	lowering_record(l, i, kind, lanes, value, limit);
	lowering_vector_end(l, lanes);
	LLVMBuildBr(l->builder, l->skip);
	lowering_enter(l, next);
}

/* Lanes that fail are recorded and end. */
static void require_of_each(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                            LLVMValueRef value, LLVMValueRef limit)
{
	LLVMBasicBlockRef failed = lowering_block(l, "failed"), next = lowering_block(l, "sound");
	LLVMValueRef fail = lowering_vector_both(l, l->active, LLVMBuildNot(l->builder, sound, ""));
	LLVMValueRef none = LLVMBuildNot(l->builder, lowering_vector_any(l, fail), "");
	LLVMValueRef left = lowering_vector_both(l, l->active, sound);
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, none, next, failed));
	lowering_enter(l, failed);
	lowering_record(l, i, kind, fail, value, limit);
	lowering_vector_end(l, fail);
	LLVMBuildCondBr(l->builder, lowering_vector_any(l, left), next, l->skip);
	lowering_enter(l, next);
	l->active = left;
}

/* The attempt ends. */
static void require_or_retry(struct lowering *l, LLVMValueRef sound)
{
	if (LLVMGetTypeKind(LLVMTypeOf(sound)) == LLVMVectorTypeKind) {
		LLVMValueRef failed = lowering_vector_both(l, l->active, LLVMBuildNot(l->builder, sound, ""));
		sound = LLVMBuildNot(l->builder, lowering_vector_any(l, failed), "");
	}
	LLVMBasicBlockRef next = lowering_block(l, "sound");
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, sound, next, l->retry));
	lowering_enter(l, next);
}

void lowering_vector_require(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind,
                             LLVMValueRef sound, LLVMValueRef value, LLVMValueRef limit)
{
	if (l->retry)
		require_or_retry(l, sound);
	else if (LLVMGetTypeKind(LLVMTypeOf(sound)) == LLVMVectorTypeKind)
		require_of_each(l, i, kind, sound, value, limit);
	else
		require_of_all(l, i, kind, sound, value, limit);
}

static LLVMValueRef last_lane(struct lowering *l, LLVMValueRef first)
{
	return LLVMBuildNSWAdd(l->builder, first, lowering_i64(l, l->width - 1), "");
}

/* If no lane's sum is out of range at the ends, none is. */
static void affine_sum(struct lowering *l, const struct ir_instruction *i)
{
	lowering_instruction(l, i);
	LLVMValueRef most = lowering_i64(l, INT64_MAX - (l->width - 1));
	require_or_retry(l, LLVMBuildICmp(l->builder, LLVMIntSLE, l->values[i->id], most, ""));
}

/* Within at both ends: within in all lanes. Else it depends on which lanes are active. */
static void affine_index(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef first = lowering_operand(l, i, 0), length = lowering_operand(l, i, 1);
	LLVMValueRef ends = LLVMBuildAnd(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, first, length, ""),
	                                 LLVMBuildICmp(l->builder, LLVMIntULT, last_lane(l, first), length, ""), "");
	if (l->active) {
		LLVMValueRef indices = lowering_vector_value(l, i->operands[0]);
		LLVMValueRef outside =
		    LLVMBuildICmp(l->builder, LLVMIntUGE, indices, lowering_vector_splat(l, length), "");
		LLVMValueRef failed = lowering_vector_any(l, LLVMBuildAnd(l->builder, l->active, outside, ""));
		ends = LLVMBuildOr(l->builder, ends, LLVMBuildNot(l->builder, failed, ""), "");
	}
	require_or_retry(l, ends);
}

/* ---- Memory ---- */

static bool is_row(enum vector_shape shape)
{
	return shape == VECTOR_AFFINE || shape == VECTOR_WRAPPING;
}

static LLVMValueRef wide_index(struct lowering *l, const struct ir_type *t, LLVMValueRef v, LLVMTypeRef wide)
{
	return ir_type_bits(t) < 64 ? lowering_extend(l, t, v, wide) : v;
}

/* Of the first lane, i64, whose index may be outside. Where the sum wraps, lanes before the first that is active may be
 * before the wrap: it is taken from that one. No memory is so long that active lanes are on both sides of it
 * (runtime/device_cpu.c). */
static LLVMValueRef first_index(struct lowering *l, const struct ir_instruction *index)
{
	LLVMValueRef v = l->values[index->id];
	LLVMTypeRef wide = lowering_int(l, 64);
	if (shape_of(l, index) != VECTOR_WRAPPING || !l->active || ir_type_bits(index->type) == 64)
		return wide_index(l, index->type, v, wide);
	LLVMValueRef lane = lowering_vector_first(l, l->active);
	LLVMValueRef narrow = LLVMBuildTrunc(l->builder, lane, LLVMTypeOf(v), "");
	LLVMValueRef there = wide_index(l, index->type, LLVMBuildAdd(l->builder, v, narrow, ""), wide);
	return LLVMBuildSub(l->builder, there, lane, "");
}

/* ---- Places ---- */

/* Bytes from a memory's address: `start`, i64, and in each lane `more`, NULL or a vector of i64; `stride` more for each
 * lane. */
struct offsets {
	LLVMValueRef start, more;
	uint64_t stride;
};

static void add_index(struct lowering *l, struct offsets *o, const struct ir_instruction *index, uint64_t size)
{
	LLVMTypeRef wide = lowering_int(l, 64);
	if (shape_of(l, index) == VECTOR_VARYING) {
		LLVMValueRef v = wide_index(l, index->type, l->values[index->id], vector_of(l, wide));
		v = LLVMBuildMul(l->builder, v, lowering_bits(l, vector_of(l, wide), size), "");
		o->more = o->more ? LLVMBuildAdd(l->builder, o->more, v, "") : v;
		return;
	}
	LLVMValueRef v =
	    is_row(shape_of(l, index)) ? first_index(l, index) : wide_index(l, index->type, l->values[index->id], wide);
	o->stride += is_row(shape_of(l, index)) ? size : 0;
	o->start = LLVMBuildAdd(l->builder, o->start, LLVMBuildMul(l->builder, v, lowering_i64(l, size), ""), "");
}

static struct offsets offsets_of(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *t = i->base->type;
	struct offsets o = {lowering_i64(l, 0), NULL, 0};
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (!step->index) {
			o.start = LLVMBuildAdd(l->builder, o.start, lowering_i64(l, t->fields[step->field].offset), "");
			t = t->fields[step->field].type;
		} else {
			t = n == 0 && i->base->kind == IR_MEMORY_BUFFER ? t : t->element;
			add_index(l, &o, step->index, t->size);
		}
	}
	return o;
}

/* Private memories have a scalar of every lane after another, before the next scalar. */
static void spread(struct lowering *l, struct offsets *o, uint32_t size)
{
	LLVMTypeRef wide = lowering_int(l, 64);
	o->start = LLVMBuildMul(l->builder, o->start, lowering_i64(l, l->width), "");
	if (o->more)
		o->more = LLVMBuildMul(l->builder, o->more, lowering_bits(l, vector_of(l, wide), l->width), "");
	o->stride = o->stride * l->width + size;
}

static struct offsets spread_offsets(struct lowering *l, const struct ir_instruction *i)
{
	struct offsets o = offsets_of(l, i);
	if (i->base->kind == IR_MEMORY_PRIVATE)
		spread(l, &o, ir_place_type(i->base, i->path, i->path_count)->size);
	return o;
}

static LLVMValueRef multiples(struct lowering *l, LLVMTypeRef type, uint64_t stride)
{
	LLVMValueRef *numbers = ARENA_ARRAY(l->arena, LLVMValueRef, l->width);
	for (unsigned n = 0; n < l->width; n++)
		numbers[n] = LLVMConstInt(type, n * stride, false);
	return LLVMConstVector(numbers, l->width);
}

LLVMValueRef lowering_vector_offsets(struct lowering *l, const struct ir_instruction *i)
{
	struct offsets o = spread_offsets(l, i);
	LLVMValueRef v = lowering_vector_splat(l, o.start);
	if (o.more)
		v = LLVMBuildAdd(l->builder, v, o.more, "");
	return LLVMBuildAdd(l->builder, v, multiples(l, lowering_int(l, 64), o.stride), "");
}

static bool is_consecutive(const struct offsets *o, uint32_t size)
{
	return !o->more && o->stride == size;
}

static LLVMValueRef start_address(struct lowering *l, const struct ir_instruction *i, LLVMValueRef start)
{
	LLVMValueRef base =
	    LLVMBuildBitCast(l->builder, lowering_base_address(l, i->base), LLVMPointerType(lowering_int(l, 8), 0), "");
	return LLVMBuildGEP2(l->builder, lowering_int(l, 8), base, &start, 1, "");
}

/* A pointer a lane; of any value in those that are not active. Lanes that are a stride apart have constant offsets, of
 * 32 bits where those are enough. */
static LLVMValueRef pointers(struct lowering *l, const struct ir_instruction *i, const struct offsets *o)
{
	bool small = o->stride * l->width <= INT32_MAX;
	LLVMValueRef address = start_address(l, i, o->start), more = o->more;
	LLVMValueRef numbers = multiples(l, lowering_int(l, more || !small ? 64 : 32), o->stride);
	more = more && o->stride ? LLVMBuildAdd(l->builder, more, numbers, "") : more ? more : numbers;
	return LLVMBuildGEP2(l->builder, lowering_int(l, 8), address, &more, 1, "");
}

/* Of an access of elements that follow one another: by elements where it is one of a slice or an array. */
static LLVMValueRef first_address(struct lowering *l, const struct ir_instruction *i, LLVMTypeRef element,
                                  const struct offsets *o)
{
	LLVMTypeRef pointer = LLVMPointerType(element, 0);
	if (i->path_count > 1 || i->base->kind == IR_MEMORY_PRIVATE)
		return LLVMBuildBitCast(l->builder, start_address(l, i, o->start), pointer, "");
	if (!is_masked(l) || (!l->active && lowering_certain(l)))
		return lowering_address(l, i, element);
	LLVMValueRef v = first_index(l, i->path[0].index);
	LLVMValueRef base = LLVMBuildBitCast(l->builder, lowering_base_address(l, i->base), pointer, "");
	return LLVMBuildGEP2(l->builder, element, base, &v, 1, "");
}

/* A masked intrinsic on vectors at an address or at pointers, of which `place` is the n-th argument. Newer LLVM has the
 * alignment as an attribute of it, older as the argument after it. */
static LLVMValueRef masked(struct lowering *l, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                           unsigned count, unsigned place, uint32_t align)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef types[] = {type, LLVMTypeOf(arguments[place])};
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, types, 2);
	LLVMTypeRef signature = LLVMIntrinsicGetType(l->context, id, types, 2);
	bool older = LLVMCountParamTypes(signature) > count;
	LLVMValueRef all[5];
	unsigned n = 0;
	for (unsigned given = 0; given < count; given++) {
		all[n++] = arguments[given];
		if (older && given == place)
			all[n++] = lowering_i32(l, align);
	}
	LLVMValueRef call = LLVMBuildCall2(l->builder, signature, function, all, n, "");
	if (!older) {
		unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
		LLVMAddCallSiteAttribute(call, place + 1, LLVMCreateEnumAttribute(l->context, kind, align));
	}
	return call;
}

static LLVMValueRef load(struct lowering *l, const struct ir_instruction *i)
{
	LLVMTypeRef element = lowering_memory_type(l, i->type), type = vector_of(l, element);
	LLVMValueRef none = LLVMConstNull(type);
	struct offsets o = spread_offsets(l, i);
	if (!is_consecutive(&o, i->type->size)) {
		LLVMValueRef arguments[] = {pointers(l, i, &o), lowering_vector_mask(l), none};
		return masked(l, "llvm.masked.gather", type, arguments, 3, 0, i->type->align);
	}
	LLVMValueRef address = first_address(l, i, element, &o);
	if (l->active) {
		LLVMValueRef arguments[] = {address, l->active, none};
		return masked(l, "llvm.masked.load", type, arguments, 3, 0, i->type->align);
	}
	LLVMValueRef v = LLVMBuildLoad2(l->builder, type, address, "");
	LLVMSetAlignment(v, i->type->align);
	return v;
}

/* Of a private memory that is the same for all lanes. */
static void load_first(struct lowering *l, const struct ir_instruction *i)
{
	LLVMTypeRef element = lowering_memory_type(l, i->type);
	struct offsets o = spread_offsets(l, i);
	LLVMValueRef v = LLVMBuildLoad2(l->builder, element, first_address(l, i, element, &o), "");
	LLVMSetAlignment(v, i->type->align);
	l->values[i->id] = lowering_from_memory(l, i->type, v);
}

static void store(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *t = i->operands[0]->type;
	LLVMTypeRef element = lowering_memory_type(l, t);
	l->vectors = true;
	LLVMValueRef v = lowering_to_memory(l, t, lowering_operand(l, i, 0));
	l->vectors = false;
	struct offsets o = spread_offsets(l, i);
	if (!is_consecutive(&o, t->size)) {
		LLVMValueRef arguments[] = {v, pointers(l, i, &o), lowering_vector_mask(l)};
		masked(l, "llvm.masked.scatter", vector_of(l, element), arguments, 3, 1, t->align);
		return;
	}
	LLVMValueRef address = first_address(l, i, element, &o);
	if (l->active) {
		LLVMValueRef arguments[] = {v, address, l->active};
		masked(l, "llvm.masked.store", vector_of(l, element), arguments, 3, 1, t->align);
		return;
	}
	LLVMSetAlignment(LLVMBuildStore(l->builder, v, address), t->align);
}

/* ---- Locals ---- */

LLVMTypeRef lowering_vector_local_type(const struct lowering *l, const struct ir_local *local)
{
	LLVMTypeRef type = lowering_type(l, local->type);
	return l->shapes->varying_locals[local->index] ? vector_of(l, type) : type;
}

static void set_local(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef address = l->locals[i->local->index];
	if (!l->shapes->varying_locals[i->local->index]) {
		LLVMBuildStore(l->builder, lowering_operand(l, i, 0), address);
		return;
	}
	LLVMValueRef v = lowering_vector_value(l, i->operands[0]);
	if (l->active && !l->shapes->whole[i->id]) {
		LLVMValueRef old = LLVMBuildLoad2(l->builder, lowering_vector_local_type(l, i->local), address, "");
		v = LLVMBuildSelect(l->builder, l->active, v, old, "");
	}
	LLVMBuildStore(l->builder, v, address);
}

/* ---- Instructions ---- */

static bool is_of_vectors(const struct lowering *l, const struct ir_instruction *i)
{
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (shape_of(l, i->operands[n]) != VECTOR_UNIFORM)
			return true;
	return false;
}

static LLVMValueRef divide(struct lowering *l, const struct ir_instruction *i, LLVMValueRef x, LLVMValueRef y)
{
	bool s = ir_type_is_signed(i->type), quotient = i->op == IR_OP_idiv_trap;
	LLVMValueRef one = lowering_bits(l, LLVMTypeOf(y), 1);
	if (l->vectors)
		y = LLVMBuildSelect(l->builder, l->active, y, one, "");
	LLVMOpcode op = quotient ? s ? LLVMSDiv : LLVMUDiv : s ? LLVMSRem : LLVMURem;
	return LLVMBuildBinOp(l->builder, op, x, y, "");
}

/* What would fail does not, in the lanes that are active. */
static void lower_stray(struct lowering *l, const struct ir_instruction *i)
{
	LLVMBuilderRef b = l->builder;
	LLVMValueRef *result = &l->values[i->id], x = lowering_operand(l, i, 0), below;
	switch ((int)i->op) {
	case IR_OP_iadd_trap: *result = LLVMBuildAdd(b, x, lowering_operand(l, i, 1), ""); return;
	case IR_OP_isub_trap: *result = LLVMBuildSub(b, x, lowering_operand(l, i, 1), ""); return;
	case IR_OP_imul_trap: *result = LLVMBuildMul(b, x, lowering_operand(l, i, 1), ""); return;
	case IR_OP_ineg_trap: *result = LLVMBuildNeg(b, x, ""); return;
	case IR_OP_iabs_trap:
		below = LLVMBuildICmp(b, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)), "");
		*result = LLVMBuildSelect(b, below, LLVMBuildNeg(b, x, ""), x, "");
		return;
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap: *result = divide(l, i, x, lowering_operand(l, i, 1)); return;
	}
	lowering_instruction(l, i);
}

/* Of kernels without groups: by the thread's number. */
static void lower_id(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef all = lowering_vector_splat(l, l->global_id[0]);
	LLVMTypeRef type = LLVMTypeOf(all);
	all = LLVMBuildAdd(l->builder, all, lowering_vector_numbers(l, lowering_int(l, 64)), "");
	LLVMValueRef size = lowering_bits(l, type, l->kernel->group[0]);
	LLVMValueRef v = i->op == IR_OP_local_id ? LLVMBuildURem(l->builder, all, size, "")
	                                         : LLVMBuildUDiv(l->builder, all, size, "");
	bool narrow = ir_type_bits(i->type) < 64;
	l->values[i->id] = narrow ? LLVMBuildTrunc(l->builder, v, vector_of(l, lowering_int(l, 32)), "") : v;
}

/* Where threads do not run again. */
static void lower_masked_value(struct lowering *l, const struct ir_instruction *i)
{
	bool traps = ir_op_infos[i->op].flags & IR_FLAG_TRAP;
	bool given = i->op == IR_OP_global_id || i->op == IR_OP_local_id || i->op == IR_OP_group_id;
	if (given && shape_of(l, i) == VECTOR_VARYING) {
		lower_id(l, i);
		return;
	}
	l->vectors = !is_row(shape_of(l, i)) && is_of_vectors(l, i);
	if (l->active && traps && (lowering_certain(l) || l->again))
		lower_stray(l, i);
	else
		lowering_instruction(l, i);
	l->vectors = false;
}

static void lower_value(struct lowering *l, const struct ir_instruction *i)
{
	bool affine = shape_of(l, i) == VECTOR_AFFINE && i->op != IR_OP_global_id && i->op != IR_OP_local_id;
	if (is_masked(l)) {
		lower_masked_value(l, i);
		return;
	}
	if (affine) {
		affine_sum(l, i);
		return;
	}
	if (i->op == IR_OP_check_index && shape_of(l, i->operands[0]) == VECTOR_AFFINE &&
	    i->operands[1]->op == IR_OP_length) {
		affine_index(l, i);
		return;
	}
	l->vectors = is_of_vectors(l, i);
	lowering_instruction(l, i);
	l->vectors = false;
}

void lowering_vector_instruction(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef *result = &l->values[i->id];
	switch ((int)i->op) {
	case IR_OP_if:
	case IR_OP_for:
	case IR_OP_loop:
	case IR_OP_break:
	case IR_OP_continue:
	case IR_OP_return: lowering_vector_control(l, i); return;
	case IR_OP_store: store(l, i); return;
	case IR_OP_set: set_local(l, i); return;
	case IR_OP_cut: return;
	case IR_OP_get:
		*result =
		    LLVMBuildLoad2(l->builder, lowering_vector_local_type(l, i->local), l->locals[i->local->index], "");
		return;
	case IR_OP_load:
		if (shape_of(l, i) == VECTOR_VARYING)
			*result = lowering_from_memory(l, i->type, load(l, i));
		else if (i->base->kind == IR_MEMORY_PRIVATE)
			load_first(l, i);
		else
			lowering_instruction(l, i);
		return;
	}
	if (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC)
		lowering_vector_atomic(l, i);
	else
		lower_value(l, i);
}

void lowering_vector_range(struct lowering *l, const struct ir_instruction *first, const struct ir_instruction *end)
{
	for (const struct ir_instruction *i = first; i != end; i = i->next)
		lowering_vector_instruction(l, i);
}

LLVMValueRef *lowering_vector_locals(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	LLVMValueRef *scalars = l->locals;
	l->locals = ARENA_ARRAY(l->arena, LLVMValueRef, k->local_count + 1);
	for (uint32_t n = 0; n < k->local_count; n++)
		l->locals[n] = lowering_alloca(l, lowering_vector_local_type(l, k->locals[n]), k->locals[n]->name);
	return scalars;
}

void lowering_vector_body(struct lowering *l)
{
	LLVMValueRef *scalars = lowering_vector_locals(l), active = l->active;
	LLVMBasicBlockRef end = lowering_block(l, "lanes_end");
	lowering_record_chunk(l);
	lowering_vector_open(l, end);
	lowering_vector_privates(l);
	lowering_vector_range(l, l->kernel->body.first, NULL);
	lowering_jump(l, end);
	lowering_enter(l, end);
	l->locals = scalars;
	l->active = active;
}
