/* The lanes of NAME__lanes: a row's threads x ... x + width - 1 at once, in vectors. A check that fails in any lane
 * ends the attempt: its threads run again one by one (lowering_sequential.c), so nothing here has to say which failed.
 * Operations on vectors are those on scalars (`vectors` gives types and operands); here is what differs: memory,
 * locals, control, and sums and indices that are one more in each lane, which need no vectors. */
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

/* ---- Values ---- */

static LLVMValueRef splat(struct lowering *l, LLVMValueRef v)
{
	LLVMTypeRef type = vector_of(l, LLVMTypeOf(v));
	LLVMValueRef one = LLVMBuildInsertElement(l->builder, LLVMGetUndef(type), v, lowering_i32(l, 0), "");
	LLVMValueRef zeros = LLVMConstNull(vector_of(l, lowering_int(l, 32)));
	return LLVMBuildShuffleVector(l->builder, one, LLVMGetUndef(type), zeros, "");
}

/* 0, 1, 2, ... as i64. */
static LLVMValueRef lane_numbers(struct lowering *l)
{
	LLVMValueRef *numbers = ARENA_ARRAY(l->arena, LLVMValueRef, l->width);
	for (unsigned n = 0; n < l->width; n++)
		numbers[n] = lowering_i64(l, n);
	return LLVMConstVector(numbers, l->width);
}

LLVMValueRef lowering_vector_value(struct lowering *l, const struct ir_instruction *value)
{
	LLVMValueRef v = l->values[value->id];
	switch (shape_of(l, value)) {
	case VECTOR_UNIFORM: return splat(l, v);
	case VECTOR_AFFINE: return LLVMBuildNSWAdd(l->builder, splat(l, v), lane_numbers(l), "");
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
		LLVMValueRef outside = LLVMBuildICmp(l->builder, LLVMIntUGE, indices, splat(l, length), "");
		LLVMValueRef failed = any(l, LLVMBuildAnd(l->builder, l->active, outside, ""));
		ends = LLVMBuildOr(l->builder, ends, LLVMBuildNot(l->builder, failed, ""), "");
	}
	lowering_vector_require(l, ends);
}

/* ---- Memory ---- */

static bool is_consecutive(const struct lowering *l, const struct ir_instruction *i)
{
	return i->base->kind == IR_MEMORY_BUFFER && i->path_count == 1 &&
	       shape_of(l, i->path[0].index) == VECTOR_AFFINE;
}

static LLVMValueRef scaled(struct lowering *l, const struct ir_instruction *index, uint64_t size)
{
	return LLVMBuildMul(l->builder, lowering_vector_value(l, index), splat(l, lowering_i64(l, size)), "");
}

/* A pointer a lane; of any value in those that are not active. */
static LLVMValueRef pointers(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *t = i->base->type;
	LLVMValueRef offset = LLVMConstNull(vector_of(l, lowering_int(l, 64)));
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		LLVMValueRef more;
		if (!step->index) {
			more = splat(l, lowering_i64(l, t->fields[step->field].offset));
			t = t->fields[step->field].type;
		} else {
			t = n == 0 && i->base->kind == IR_MEMORY_BUFFER ? t : t->element;
			more = scaled(l, step->index, t->size);
		}
		offset = LLVMBuildAdd(l->builder, offset, more, "");
	}
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
	LLVMValueRef address = lowering_address(l, i, element);
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
	LLVMValueRef address = lowering_address(l, i, element);
	if (l->active) {
		LLVMValueRef arguments[] = {v, address, l->active};
		masked(l, "llvm.masked.store", vector_of(l, element), arguments, 3, 1, t->align);
		return;
	}
	LLVMSetAlignment(LLVMBuildStore(l->builder, v, address), t->align);
}

/* ---- Locals ---- */

static LLVMTypeRef local_type(const struct lowering *l, const struct ir_local *local)
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
		LLVMValueRef old = LLVMBuildLoad2(l->builder, local_type(l, i->local), address, "");
		v = LLVMBuildSelect(l->builder, l->active, v, old, "");
	}
	LLVMBuildStore(l->builder, v, address);
}

/* ---- Control ---- */

static void lower_region(struct lowering *l, const struct ir_region *region);

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

static void lower_if(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef condition = l->values[i->operands[0]->id];
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
		LLVMValueRef counter = splat(l, l->values[r->loop->id]);
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
		end = LLVMBuildSelect(l->builder, l->active, end, splat(l, first), "");
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

static void lower_value(struct lowering *l, const struct ir_instruction *i)
{
	bool affine = shape_of(l, i) == VECTOR_AFFINE && i->op != IR_OP_global_id;
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

static void lower_instruction(struct lowering *l, const struct ir_instruction *i)
{
	LLVMValueRef *result = &l->values[i->id];
	switch ((int)i->op) {
	case IR_OP_if: lower_if(l, i); return;
	case IR_OP_for: lower_for(l, i); return;
	case IR_OP_store: store(l, i); return;
	case IR_OP_set: set_local(l, i); return;
	case IR_OP_get:
		*result = LLVMBuildLoad2(l->builder, local_type(l, i->local), l->locals[i->local->index], "");
		return;
	case IR_OP_load:
		if (shape_of(l, i) == VECTOR_UNIFORM)
			lowering_instruction(l, i);
		else
			*result = lowering_from_memory(l, i->type, load(l, i));
		return;
	}
	lower_value(l, i);
}

static void lower_region(struct lowering *l, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next)
		lower_instruction(l, i);
}

void lowering_vector_body(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	LLVMValueRef *scalars = l->locals;
	l->locals = ARENA_ARRAY(l->arena, LLVMValueRef, k->local_count + 1);
	for (uint32_t n = 0; n < k->local_count; n++)
		l->locals[n] = lowering_alloca(l, local_type(l, k->locals[n]), k->locals[n]->name);
	lower_region(l, &k->body);
	l->locals = scalars;
}
