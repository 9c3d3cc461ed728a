#include "targets/native/twin_support.h"

#include <stddef.h>
#include <string.h>

#include "lower/llvm/lowering.h"
#include "targets/twin_abi.h"

/* Building outside of a kernel's lowering: types, and one function at a time. */
struct support {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef nothing, i32, i64, bytes; /* void, uint32_t, uint64_t, void * */
};

static struct support support_of(LLVMModuleRef module, LLVMBuilderRef builder)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	return (struct support){
	    .context = context,
	    .module = module,
	    .builder = builder,
	    .nothing = LLVMVoidTypeInContext(context),
	    .i32 = LLVMInt32TypeInContext(context),
	    .i64 = LLVMInt64TypeInContext(context),
	    .bytes = LLVMPointerType(LLVMInt8TypeInContext(context), 0),
	};
}

/* The address of a field, as a pointer to `type`. */
static LLVMValueRef field(const struct support *s, LLVMValueRef of, size_t offset, LLVMTypeRef type)
{
	LLVMValueRef at = LLVMConstInt(s->i64, offset, false);
	LLVMValueRef base = LLVMBuildBitCast(s->builder, of, s->bytes, "");
	LLVMValueRef address = LLVMBuildInBoundsGEP2(s->builder, LLVMInt8TypeInContext(s->context), base, &at, 1, "");
	return LLVMBuildBitCast(s->builder, address, LLVMPointerType(type, 0), "");
}

static LLVMValueRef load(const struct support *s, LLVMValueRef of, size_t offset, LLVMTypeRef type)
{
	return LLVMBuildLoad2(s->builder, type, field(s, of, offset, type), "");
}

static void store(const struct support *s, LLVMValueRef v, LLVMValueRef of, size_t offset)
{
	LLVMBuildStore(s->builder, v, field(s, of, offset, LLVMTypeOf(v)));
}

static LLVMTypeRef hook_type(const struct support *s)
{
	return LLVMFunctionType(s->nothing, (LLVMTypeRef[]){s->bytes, s->i32}, 2, false);
}

static LLVMValueRef text(const struct support *s, const char *bytes)
{
	return LLVMConstBitCast(LLVMBuildGlobalString(s->builder, bytes, "text"), s->bytes);
}

/* ---- The hook ---- */

static LLVMValueRef barrier_of(const struct support *s)
{
	return LLVMGetNamedGlobal(s->module, TWIN_BARRIER);
}

static void add_barrier(const struct support *s)
{
	LLVMTypeRef type = LLVMArrayType(s->i64, sizeof(struct twin_barrier) / 8);
	LLVMValueRef barrier = LLVMAddGlobal(s->module, type, TWIN_BARRIER);
	LLVMSetInitializer(barrier, LLVMConstNull(type));
	LLVMSetLinkage(barrier, LLVMWeakAnyLinkage);
	LLVMSetThreadLocalMode(barrier, LLVMInitialExecTLSModel);
	LLVMSetAlignment(barrier, 8);
}

static LLVMValueRef start_function(const struct support *s, const char *name, LLVMTypeRef type)
{
	LLVMValueRef function = LLVMAddFunction(s->module, name, type);
	LLVMSetLinkage(function, LLVMWeakAnyLinkage);
	LLVMPositionBuilderAtEnd(s->builder, LLVMAppendBasicBlockInContext(s->context, function, "entry"));
	return function;
}

static void add_setters(const struct support *s)
{
	size_t hook = offsetof(struct twin_barrier, hook), context = offsetof(struct twin_barrier, context);
	LLVMTypeRef set = LLVMFunctionType(s->nothing, (LLVMTypeRef[]){s->bytes, s->bytes}, 2, false);
	LLVMValueRef function = start_function(s, TWIN_SET_HOOK, set);
	store(s, LLVMGetParam(function, 0), barrier_of(s), hook);
	store(s, LLVMGetParam(function, 1), barrier_of(s), context);
	LLVMBuildRetVoid(s->builder);
	start_function(s, TWIN_CLEAR_HOOK, LLVMFunctionType(s->nothing, NULL, 0, false));
	store(s, LLVMConstNull(s->bytes), barrier_of(s), hook);
	store(s, LLVMConstNull(s->bytes), barrier_of(s), context);
	LLVMBuildRetVoid(s->builder);
}

/* No access to memory is moved across it, since a hook may do anything; without one it is a load and a branch. */
void twin_support_barrier(struct lowering *l, enum ir_barrier kind)
{
	struct support s = support_of(l->module, l->builder);
	LLVMValueRef barrier = barrier_of(&s);
	LLVMValueRef hook = load(&s, barrier, offsetof(struct twin_barrier, hook), s.bytes);
	LLVMBasicBlockRef after = lowering_begin_if(l, LLVMBuildIsNotNull(l->builder, hook, ""));
	store(&s, LLVMConstInt(s.i32, l->barrier_place.line, false), barrier, offsetof(struct twin_barrier, line));
	store(&s, LLVMConstInt(s.i32, l->barrier_place.file, false), barrier, offsetof(struct twin_barrier, file));
	LLVMValueRef arguments[] = {
	    load(&s, barrier, offsetof(struct twin_barrier, context), s.bytes),
	    LLVMConstInt(s.i32, kind == IR_BARRIER_STORAGE ? 1 : 0, false),
	};
	LLVMTypeRef type = hook_type(&s);
	LLVMBuildCall2(l->builder, type, LLVMBuildBitCast(l->builder, hook, LLVMPointerType(type, 0), ""), arguments, 2,
	               "");
	lowering_end_if(l, after);
}

/* ---- Failures ---- */

static LLVMTypeRef failed_type(const struct support *s)
{
	return LLVMFunctionType(s->nothing, (LLVMTypeRef[]){s->bytes, s->i64, s->i64, s->bytes}, 4, false);
}

/* `panic at FILE:LINE: ` and what, with up to two numbers behind file and line. */
static LLVMValueRef format_of(const struct support *s, LLVMValueRef kind)
{
	LLVMValueRef index = LLVMBuildICmp(s->builder, LLVMIntEQ, kind, LLVMConstInt(s->i32, TRAP_INDEX, false), "");
	LLVMValueRef range = LLVMBuildICmp(s->builder, LLVMIntEQ, kind, LLVMConstInt(s->i32, TRAP_RANGE, false), "");
	LLVMValueRef other = text(s, "panic at %s:%u: %s\n");
	other = LLVMBuildSelect(s->builder, range, text(s, "panic at %s:%u: %s %llu out of bounds\n"), other, "");
	return LLVMBuildSelect(s->builder, index, text(s, "panic at %s:%u: %s %llu past the end of %llu\n"), other, "");
}

static void call_libc(const struct support *s, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                      unsigned count)
{
	LLVMValueRef function = LLVMAddFunction(s->module, name, type);
	LLVMBuildCall2(s->builder, type, function, arguments, count, "");
}

static void add_failed(const struct support *s)
{
	LLVMValueRef function = start_function(s, TWIN_FAILED, failed_type(s)), check = LLVMGetParam(function, 0);
	LLVMValueRef arguments[] = {
	    LLVMConstInt(s->i32, 2, false),
	    format_of(s, load(s, check, offsetof(struct twin_check, kind), s->i32)),
	    load(s, check, offsetof(struct twin_check, file_name), s->bytes),
	    load(s, check, offsetof(struct twin_check, line), s->i32),
	    load(s, check, offsetof(struct twin_check, message), s->bytes),
	    LLVMGetParam(function, 1),
	    LLVMGetParam(function, 2),
	};
	call_libc(s, "dprintf", LLVMFunctionType(s->i32, (LLVMTypeRef[]){s->i32, s->bytes}, 2, true), arguments, 7);
	call_libc(s, "abort", LLVMFunctionType(s->nothing, NULL, 0, false), NULL, 0);
	LLVMBuildRetVoid(s->builder);
}

static const char *file_name(const struct ir_kernel *k, uint32_t file)
{
	const struct ir_module *m = k->module;
	for (uint32_t n = 0; n < m->file_count; n++)
		if (m->files[n].id == file)
			return m->files[n].name;
	return k->file ? k->file : "?";
}

/* Words for what failed, before the numbers if there are any. */
static const char *message_of(const struct ir_instruction *i, enum trap_kind kind)
{
	switch (kind) {
	case TRAP_INDEX: return "index";
	case TRAP_RANGE: return "range end";
	case TRAP_PANIC: return i->message ? i->message : "panic";
	case TRAP_ALLOCATION: return "out of memory";
	case TRAP_OVERFLOW: return "integer overflow";
	case TRAP_DIVISION: return "division by zero";
	case TRAP_CONVERSION: return "conversion out of range";
	case TRAP_NONE:
	case TRAP_INEXACT: break;
	}
	return "failed";
}

/* A constant struct twin_check. */
static LLVMValueRef check_of(const struct support *s, const struct ir_kernel *k, const struct ir_instruction *i,
                             enum trap_kind kind)
{
	LLVMValueRef fields[] = {
	    LLVMConstInt(s->i32, kind, false),
	    LLVMConstInt(s->i32, i->place.line, false),
	    LLVMConstInt(s->i32, i->place.column, false),
	    LLVMConstInt(s->i32, i->place.file, false),
	    text(s, file_name(k, i->place.file)),
	    text(s, message_of(i, kind)),
	};
	LLVMValueRef value = LLVMConstStructInContext(s->context, fields, sizeof fields / sizeof *fields, false);
	LLVMValueRef check = LLVMAddGlobal(s->module, LLVMTypeOf(value), "check");
	LLVMSetInitializer(check, value);
	LLVMSetGlobalConstant(check, true);
	LLVMSetLinkage(check, LLVMPrivateLinkage);
	return LLVMConstBitCast(check, s->bytes);
}

void twin_support_failed(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef value,
                         LLVMValueRef limit)
{
	struct support s = support_of(l->module, l->builder);
	LLVMValueRef arguments[] = {check_of(&s, l->kernel, i, kind), value, limit, l->invocation};
	LLVMValueRef call =
	    LLVMBuildCall2(l->builder, failed_type(&s), LLVMGetNamedFunction(l->module, TWIN_FAILED), arguments, 4, "");
	unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, cold, 0));
}

/* ---- All of it ---- */

void twin_support_add(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	struct support s = support_of(module, builder);
	add_barrier(&s);
	add_setters(&s);
	add_failed(&s);
	LLVMDisposeBuilder(builder);
}
