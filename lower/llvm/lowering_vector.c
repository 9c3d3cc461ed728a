/* The lanes of NAME__lanes: a row's threads x ... x + width - 1 at once, in vectors. A check that fails in any lane
 * ends the attempt: its threads run again one by one (lowering_sequential.c), so nothing here has to say which failed.
 * Operations on vectors are those on scalars (`vectors` gives types and operands); here is what differs: memory,
 * locals, control, and sums and indices that are one more in each lane, which need no vectors.
 *
 * Under IR_POLICY_PROVED nothing fails in the lanes that are active: at least one is, wherever code runs. Others hold
 * anything, so what is undefined outside of a range (no-wrap flags, inbounds addresses, divisors) is for code that all
 * lanes run. */
#include <string.h>

#include "lower/llvm/lowering.h"

static enum vector_shape shape_of(const struct lowering *l, const struct ir_instruction *i)
{
	return l->shapes->values[i->id];
}

static LLVMTypeRef vector_of(const struct lowering *l, LLVMTypeRef element)
{
	return LLVMVectorType(element, l->width);
}

/* The lanes that are not active may hold values that threads cannot have. */
static bool has_strays(const struct lowering *l)
{
	return l->active && lowering_certain(l);
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
	return lowering_certain(l) ? LLVMBuildAdd(l->builder, all, numbers, "")
	                           : LLVMBuildNSWAdd(l->builder, all, numbers, "");
}

LLVMValueRef lowering_vector_value(struct lowering *l, const struct ir_instruction *value)
{
	LLVMValueRef v = l->values[value->id];
	switch (shape_of(l, value)) {
	case VECTOR_UNIFORM: return lowering_vector_splat(l, v);
	case VECTOR_AFFINE: return affine_value(l, v);
	case VECTOR_VARYING: break;
	}
	return v;
}

static LLVMValueRef active_or_all(struct lowering *l)
{
	return l->active ? l->active : LLVMConstAllOnes(vector_of(l, lowering_int(l, 1)));
}

/* i1 */
static LLVMValueRef any(struct lowering *l, LLVMValueRef lanes)
{
	LLVMTypeRef word = lowering_int(l, l->width);
	LLVMValueRef bits = LLVMBuildBitCast(l->builder, lanes, word, "");
	return LLVMBuildICmp(l->builder, LLVMIntNE, bits, LLVMConstNull(word), "");
}

static LLVMValueRef all(struct lowering *l, LLVMValueRef lanes)
{
	LLVMTypeRef word = lowering_int(l, l->width);
	LLVMValueRef bits = LLVMBuildBitCast(l->builder, lanes, word, "");
	return LLVMBuildICmp(l->builder, LLVMIntEQ, bits, LLVMConstAllOnes(word), "");
}

static LLVMValueRef both(struct lowering *l, LLVMValueRef x, LLVMValueRef y)
{
	return x ? LLVMBuildAnd(l->builder, x, y, "") : y;
}

/* ---- Checks ---- */

void lowering_vector_require(struct lowering *l, LLVMValueRef sound)
{
	if (LLVMGetTypeKind(LLVMTypeOf(sound)) == LLVMVectorTypeKind)
		sound = LLVMBuildNot(l->builder, any(l, both(l, l->active, LLVMBuildNot(l->builder, sound, ""))), "");
	LLVMBasicBlockRef next = lowering_block(l, "sound");
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, sound, next, l->retry));
	lowering_enter(l, next);
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
	lowering_vector_require(l, LLVMBuildICmp(l->builder, LLVMIntSLE, l->values[i->id], most, ""));
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
		LLVMValueRef failed = any(l, LLVMBuildAnd(l->builder, l->active, outside, ""));
		ends = LLVMBuildOr(l->builder, ends, LLVMBuildNot(l->builder, failed, ""), "");
	}
	lowering_vector_require(l, ends);
}

/* ---- Memory ---- */

static bool is_consecutive(const struct lowering *l, const struct ir_instruction *i)
{
	bool elements = i->base->kind == IR_MEMORY_BUFFER || i->base->kind == IR_MEMORY_SHARED;
	return elements && i->path_count == 1 && shape_of(l, i->path[0].index) == VECTOR_AFFINE;
}

static LLVMValueRef wide_index(struct lowering *l, const struct ir_type *t, LLVMValueRef v, LLVMTypeRef wide)
{
	return ir_type_bits(t) < 64 ? lowering_extend(l, t, v, wide) : v;
}

static LLVMValueRef scaled(struct lowering *l, const struct ir_instruction *index, uint64_t size)
{
	LLVMValueRef v = wide_index(l, index->type, lowering_vector_value(l, index), vector_of(l, lowering_int(l, 64)));
	return LLVMBuildMul(l->builder, v, lowering_vector_splat(l, lowering_i64(l, size)), "");
}

/* Of the first lane, whose index may be outside. */
static LLVMValueRef first_address(struct lowering *l, const struct ir_instruction *i, LLVMTypeRef element)
{
	if (!has_strays(l))
		return lowering_address(l, i, element);
	const struct ir_instruction *index = i->path[0].index;
	LLVMTypeRef pointer = LLVMPointerType(element, 0);
	LLVMValueRef v = wide_index(l, index->type, l->values[index->id], lowering_int(l, 64));
	LLVMValueRef base = LLVMBuildBitCast(l->builder, lowering_base_address(l, i->base), pointer, "");
	return LLVMBuildGEP2(l->builder, element, base, &v, 1, "");
}

LLVMValueRef lowering_vector_offsets(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *t = i->base->type;
	LLVMValueRef offset = LLVMConstNull(vector_of(l, lowering_int(l, 64)));
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		LLVMValueRef more;
		if (!step->index) {
			more = lowering_vector_splat(l, lowering_i64(l, t->fields[step->field].offset));
			t = t->fields[step->field].type;
		} else {
			t = n == 0 && i->base->kind == IR_MEMORY_BUFFER ? t : t->element;
			more = scaled(l, step->index, t->size);
		}
		offset = LLVMBuildAdd(l->builder, offset, more, "");
	}
	return offset;
}

/* A pointer a lane; of any value in those that are not active. */
static LLVMValueRef pointers(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef offset = lowering_vector_offsets(l, i);
	return LLVMBuildGEP2(l->builder, lowering_int(l, 8), lowering_base_address(l, i->base), &offset, 1, "");
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
	if (!is_consecutive(l, i)) {
		LLVMValueRef arguments[] = {pointers(l, i), active_or_all(l), none};
		return masked(l, "llvm.masked.gather", type, arguments, 3, 0, i->type->align);
	}
	LLVMValueRef address = first_address(l, i, element);
	if (l->active) {
		LLVMValueRef arguments[] = {address, l->active, none};
		return masked(l, "llvm.masked.load", type, arguments, 3, 0, i->type->align);
	}
	LLVMValueRef v = LLVMBuildLoad2(l->builder, type, address, "");
	LLVMSetAlignment(v, i->type->align);
	return v;
}

static void store(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *t = i->operands[0]->type;
	LLVMTypeRef element = lowering_memory_type(l, t);
	l->vectors = true;
	LLVMValueRef v = lowering_to_memory(l, t, lowering_operand(l, i, 0));
	l->vectors = false;
	if (!is_consecutive(l, i)) {
		LLVMValueRef arguments[] = {v, pointers(l, i), active_or_all(l)};
		masked(l, "llvm.masked.scatter", vector_of(l, element), arguments, 3, 1, t->align);
		return;
	}
	LLVMValueRef address = first_address(l, i, element);
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
	if (l->active) {
		LLVMValueRef old = LLVMBuildLoad2(l->builder, lowering_vector_local_type(l, i->local), address, "");
		v = LLVMBuildSelect(l->builder, l->active, v, old, "");
	}
	LLVMBuildStore(l->builder, v, address);
}

/* ---- Control ---- */

static void lower_region(struct lowering *l, const struct ir_region *region)
{
	lowering_vector_range(l, region->first, NULL);
}

/* The region, for those of the lanes that `within` has; for none, it is passed by. */
static void lower_side(struct lowering *l, const struct ir_region *region, LLVMValueRef within)
{
	LLVMValueRef outer = l->active;
	l->active = both(l, outer, within);
	LLVMBasicBlockRef after = lowering_begin_if(l, any(l, l->active));
	lower_region(l, region);
	lowering_end_if(l, after);
	l->active = outer;
}

enum { SMALL = 40 };

static bool count_small(void *context, struct ir_instruction *i)
{
	unsigned *count = context;
	bool heavy = i->op == IR_OP_for || (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC);
	return !heavy && ++*count <= SMALL;
}

/* One that is often true for all lanes or for none: of their numbers. Its side is worth having twice. */
static bool is_bound(const struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_instruction *c = i->operands[0];
	unsigned count = 0;
	if (!lowering_certain(l) || l->active || i->regions[1].first || ir_op_infos[c->op].result != IR_RESULT_BOOL ||
	    ir_op_infos[c->op].arity != 2 || c->op == IR_OP_eq)
		return false;
	enum vector_shape x = shape_of(l, c->operands[0]), y = shape_of(l, c->operands[1]);
	return (x == VECTOR_AFFINE || y == VECTOR_AFFINE) && x != VECTOR_VARYING && y != VECTOR_VARYING &&
	       ir_visit(&i->regions[0], count_small, &count);
}

static void lower_bound(struct lowering *l, const struct ir_instruction *i, LLVMValueRef condition)
{
	LLVMBasicBlockRef whole = lowering_block(l, "all"), part = lowering_block(l, "some");
	LLVMBasicBlockRef after = lowering_block(l, "end");
	LLVMBuildCondBr(l->builder, all(l, condition), whole, part);
	lowering_enter(l, whole);
	lower_region(l, &i->regions[0]);
	LLVMBuildBr(l->builder, after);
	lowering_enter(l, part);
	lower_side(l, &i->regions[0], condition);
	LLVMBuildBr(l->builder, after);
	lowering_enter(l, after);
}

static void lower_if(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef condition = l->values[i->operands[0]->id];
	if (is_bound(l, i)) {
		lower_bound(l, i, condition);
		return;
	}
	if (shape_of(l, i->operands[0]) != VECTOR_UNIFORM) {
		lower_side(l, &i->regions[0], condition);
		if (i->regions[1].first)
			lower_side(l, &i->regions[1], LLVMBuildNot(l->builder, condition, ""));
		return;
	}
	LLVMBasicBlockRef then = lowering_block(l, "if"), otherwise = lowering_block(l, "else");
	LLVMBasicBlockRef after = lowering_block(l, "end");
	LLVMBuildCondBr(l->builder, condition, then, otherwise);
	for (unsigned n = 0; n < 2; n++) {
		lowering_enter(l, n ? otherwise : then);
		lower_region(l, &i->regions[n]);
		lowering_jump(l, after);
	}
	lowering_enter(l, after);
}

struct rounds {
	struct lowering *l;
	const struct ir_instruction *loop;
	LLVMValueRef end; /* a lane; NULL: all lanes that are active take part in every round */
};

static void lower_round(void *context, const struct ir_region *region)
{
	const struct rounds *r = context;
	struct lowering *l = r->l;
	LLVMValueRef outer = l->active;
	if (r->end) {
		LLVMIntPredicate less = ir_type_is_signed(r->loop->type) ? LLVMIntSLT : LLVMIntULT;
		LLVMValueRef counter = lowering_vector_splat(l, l->values[r->loop->id]);
		l->active = both(l, outer, LLVMBuildICmp(l->builder, less, counter, r->end, ""));
	}
	lower_region(l, region);
	l->active = outer;
}

static LLVMValueRef reduce(struct lowering *l, const struct ir_type *t, bool most, LLVMValueRef v)
{
	bool s = ir_type_is_signed(t);
	const char *name = most ? s ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax"
	                   : s  ? "llvm.vector.reduce.smin"
	                        : "llvm.vector.reduce.umin";
	return lowering_intrinsic(l, name, LLVMTypeOf(v), &v, 1);
}

/* The rounds that all lanes take part in come first, without masks; then those of any lane. */
static void lower_for(struct lowering *l, const struct ir_instruction *i)
{
	struct rounds r = {.l = l, .loop = i};
	LLVMValueRef first = l->values[i->operands[0]->id];
	if (shape_of(l, i->operands[1]) == VECTOR_UNIFORM) {
		lowering_for_rounds(l, i, first, l->values[i->operands[1]->id], lower_round, &r);
		return;
	}
	LLVMIntPredicate less = ir_type_is_signed(i->type) ? LLVMIntSLT : LLVMIntULT;
	LLVMValueRef end = lowering_vector_value(l, i->operands[1]);
	if (l->active) {
		end = LLVMBuildSelect(l->builder, l->active, end, lowering_vector_splat(l, first), "");
	} else {
		LLVMValueRef least = reduce(l, i->type, false, end);
		lowering_for_rounds(l, i, first, least, lower_round, &r);
		LLVMValueRef later = LLVMBuildICmp(l->builder, less, first, least, "");
		first = LLVMBuildSelect(l->builder, later, least, first, "");
	}
	r.end = end;
	lowering_for_rounds(l, i, first, reduce(l, i->type, true, end), lower_round, &r);
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

static void lower_value(struct lowering *l, const struct ir_instruction *i)
{
	bool affine = shape_of(l, i) == VECTOR_AFFINE && i->op != IR_OP_global_id && i->op != IR_OP_local_id;
	if (lowering_certain(l)) {
		l->vectors = !affine && is_of_vectors(l, i);
		if (l->active && (ir_op_infos[i->op].flags & IR_FLAG_TRAP))
			lower_stray(l, i);
		else
			lowering_instruction(l, i);
		l->vectors = false;
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
	case IR_OP_if: lower_if(l, i); return;
	case IR_OP_for: lower_for(l, i); return;
	case IR_OP_store: store(l, i); return;
	case IR_OP_set: set_local(l, i); return;
	case IR_OP_cut: return;
	case IR_OP_get:
		*result =
		    LLVMBuildLoad2(l->builder, lowering_vector_local_type(l, i->local), l->locals[i->local->index], "");
		return;
	case IR_OP_load:
		if (shape_of(l, i) == VECTOR_UNIFORM)
			lowering_instruction(l, i);
		else
			*result = lowering_from_memory(l, i->type, load(l, i));
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
	LLVMValueRef *scalars = lowering_vector_locals(l);
	lower_region(l, &l->kernel->body);
	l->locals = scalars;
}
