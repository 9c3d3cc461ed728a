/* Failures of lanes that are recorded (IR_POLICY_RECORD). A function of the module counts them and keeps the trap of
 * the first in order: a chunk's lanes are after those of chunks before, but a lane may fail later in the code than one
 * that is after it. */
#include <stddef.h>
#include <string.h>

#include "lower/llvm/lowering_vector.h"

enum { COUNT, SETTLED, LANE, WORDS }; /* of the record: failures; those before this chunk; of the trap kept */

enum parameter {
	P_TRAP,
	P_RECORD,
	P_COUNT, /* i32 from here */
	P_LANE,
	P_KIND,
	P_LINE,
	P_COLUMN,
	P_FILE,
	P_VALUE, /* i64 from here */
	P_LIMIT,
	P_X,
	P_Y,
	P_Z,
	PARAMETERS
};

static const char function_name[] = "record_failures";

static LLVMValueRef word(const struct lowering *l, LLVMBuilderRef b, LLVMValueRef record, unsigned n)
{
	LLVMTypeRef i32 = lowering_int(l, 32);
	LLVMValueRef at = lowering_i64(l, n);
	return LLVMBuildInBoundsGEP2(b, i32, record, &at, 1, "");
}

static void keep(const struct lowering *l, LLVMBuilderRef b, LLVMValueRef function)
{
	static const struct {
		size_t offset;
		enum parameter parameter;
	} fields[] = {
	    {offsetof(struct kernel_trap, kind), P_KIND},     {offsetof(struct kernel_trap, line), P_LINE},
	    {offsetof(struct kernel_trap, column), P_COLUMN}, {offsetof(struct kernel_trap, file), P_FILE},
	    {offsetof(struct kernel_trap, value), P_VALUE},   {offsetof(struct kernel_trap, limit), P_LIMIT},
	    {offsetof(struct kernel_trap, thread), P_X},      {offsetof(struct kernel_trap, thread) + 8, P_Y},
	    {offsetof(struct kernel_trap, thread) + 16, P_Z},
	};
	for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) {
		LLVMValueRef v = LLVMGetParam(function, fields[n].parameter), at = lowering_i64(l, fields[n].offset);
		LLVMValueRef place =
		    LLVMBuildInBoundsGEP2(b, lowering_int(l, 8), LLVMGetParam(function, P_TRAP), &at, 1, "");
		LLVMBuildStore(b, v, LLVMBuildBitCast(b, place, LLVMPointerType(LLVMTypeOf(v), 0), ""));
	}
	LLVMBuildStore(b, LLVMGetParam(function, P_LANE), word(l, b, LLVMGetParam(function, P_RECORD), LANE));
}

/* Kept: the first of all, and one that is before the one kept, of the same chunk. */
static void make_body(const struct lowering *l, LLVMValueRef function)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->context, function, "entry");
	LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(l->context, function, "first");
	LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->context, function, "done");
	LLVMTypeRef i32 = lowering_int(l, 32);
	LLVMValueRef record = LLVMGetParam(function, P_RECORD), zero = lowering_i32(l, 0);
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMValueRef count = LLVMBuildLoad2(b, i32, word(l, b, record, COUNT), "");
	LLVMValueRef settled = LLVMBuildLoad2(b, i32, word(l, b, record, SETTLED), "");
	LLVMValueRef lane = LLVMBuildLoad2(b, i32, word(l, b, record, LANE), "");
	LLVMBuildStore(b, LLVMBuildAdd(b, count, LLVMGetParam(function, P_COUNT), ""), word(l, b, record, COUNT));
	LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, count, zero, "");
	LLVMValueRef before = LLVMBuildICmp(b, LLVMIntULT, LLVMGetParam(function, P_LANE), lane, "");
	before = LLVMBuildAnd(b, before, LLVMBuildICmp(b, LLVMIntEQ, settled, zero, ""), "");
	LLVMBuildCondBr(b, LLVMBuildOr(b, none, before, ""), first, done);
	LLVMPositionBuilderAtEnd(b, first);
	keep(l, b, function);
	LLVMBuildBr(b, done);
	LLVMPositionBuilderAtEnd(b, done);
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
}

static LLVMTypeRef function_type(const struct lowering *l)
{
	LLVMTypeRef types[PARAMETERS];
	for (unsigned n = 0; n < PARAMETERS; n++)
		types[n] = lowering_int(l, n < P_VALUE ? 32 : 64);
	types[P_TRAP] = LLVMPointerType(lowering_int(l, 8), 0);
	types[P_RECORD] = LLVMPointerType(lowering_int(l, 32), 0);
	return LLVMFunctionType(LLVMVoidTypeInContext(l->context), types, PARAMETERS, false);
}

/* Once a module. */
static LLVMValueRef find_function(struct lowering *l)
{
	static const char *const attributes[] = {"noinline", "cold", "nounwind"};
	LLVMValueRef function = LLVMGetNamedFunction(l->module, function_name);
	if (function)
		return function;
	function = LLVMAddFunction(l->module, function_name, function_type(l));
	LLVMSetLinkage(function, LLVMInternalLinkage);
	for (size_t n = 0; n < sizeof attributes / sizeof *attributes; n++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[n], strlen(attributes[n]));
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		                        LLVMCreateEnumAttribute(l->context, kind, 0));
	}
	lowering_forbid_calls(l, function);
	make_body(l, function);
	return function;
}

/* ---- Use ---- */

void lowering_record_open(struct lowering *l, LLVMValueRef trap)
{
	if (!l->width || !l->checked || l->kernel->policy != IR_POLICY_RECORD)
		return;
	l->trap = trap;
	l->record = lowering_alloca(l, LLVMArrayType(lowering_int(l, 32), WORDS), "record");
	l->record = LLVMBuildBitCast(l->builder, l->record, LLVMPointerType(lowering_int(l, 32), 0), "");
	for (unsigned n = 0; n < WORDS; n++)
		LLVMBuildStore(l->builder, lowering_i32(l, 0), word(l, l->builder, l->record, n));
}

void lowering_record_chunk(struct lowering *l)
{
	if (l->record)
		LLVMBuildStore(l->builder, lowering_record_count(l), word(l, l->builder, l->record, SETTLED));
}

LLVMValueRef lowering_record_count(struct lowering *l)
{
	return LLVMBuildLoad2(l->builder, lowering_int(l, 32), word(l, l->builder, l->record, COUNT), "failed");
}

/* Of the lane. */
static LLVMValueRef part(struct lowering *l, LLVMValueRef v, LLVMValueRef lane)
{
	if (!v)
		return lowering_i64(l, 0);
	bool vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
	return vector ? LLVMBuildExtractElement(l->builder, v, lane, "") : v;
}

void lowering_record(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef lanes,
                     LLVMValueRef value, LLVMValueRef limit)
{
	LLVMValueRef lane = lowering_vector_first(l, lanes), arguments[PARAMETERS];
	arguments[P_TRAP] = l->trap;
	arguments[P_RECORD] = l->record;
	arguments[P_COUNT] = lowering_vector_count(l, lanes);
	arguments[P_LANE] = LLVMBuildTrunc(l->builder, lane, lowering_int(l, 32), "");
	arguments[P_KIND] = lowering_i32(l, kind);
	arguments[P_LINE] = lowering_i32(l, i->place.line);
	arguments[P_COLUMN] = lowering_i32(l, i->place.column);
	arguments[P_FILE] = lowering_i32(l, i->place.file);
	arguments[P_VALUE] = part(l, value, lane);
	arguments[P_LIMIT] = part(l, limit, lane);
	arguments[P_X] = LLVMBuildAdd(l->builder, l->global_id[0], lane, "");
	arguments[P_Y] = l->global_id[1];
	arguments[P_Z] = l->global_id[2];
	LLVMBuildCall2(l->builder, function_type(l), find_function(l), arguments, PARAMETERS, "");
}
