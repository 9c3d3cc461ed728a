#include "targets/native/native_environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/arena.h"
#include "utils/base/float_environment.h"
#include "utils/base/text.h"

struct around {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i32;
	LLVMValueRef function, body; /* of one name, and what had it */
	LLVMTypeRef type;
	LLVMValueRef word; /* in memory, of which MXCSR is written and read */
};

/* ---- What has floats ---- */

static bool is_float(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMVectorTypeKind)
		kind = LLVMGetTypeKind(LLVMGetElementType(type));
	return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool has_floats_in(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (is_float(LLVMTypeOf(i)) ||
		    (LLVMGetNumOperands(i) > 0 && is_float(LLVMTypeOf(LLVMGetOperand(i, 0)))))
			return true;
	return false;
}

static bool has_floats(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			if (has_floats_in(block))
				return true;
	return false;
}

/* ---- The function around ---- */

static LLVMValueRef word_of(const struct around *a, uint32_t value)
{
	return LLVMConstInt(a->i32, value, false);
}

/* STMXCSR and LDMXCSR take an address. */
static void build_move(const struct around *a, const char *name)
{
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(a->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
	LLVMTypeRef bytes = LLVMPointerType(LLVMInt8TypeInContext(a->context), 0);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(a->context), &bytes, 1, false);
	LLVMValueRef address = LLVMBuildBitCast(a->builder, a->word, bytes, "");
	LLVMBuildCall2(a->builder, type, f, &address, 1, "");
}

static LLVMValueRef build_call(const struct around *a)
{
	unsigned count = LLVMCountParams(a->function);
	LLVMValueRef *arguments = memory_alloc((count + 1) * sizeof(LLVMValueRef));
	LLVMGetParams(a->function, arguments);
	bool nothing = LLVMGetTypeKind(LLVMGetReturnType(a->type)) == LLVMVoidTypeKind;
	LLVMValueRef called = LLVMBuildCall2(a->builder, a->type, a->body, arguments, count, nothing ? "" : "result");
	free(arguments);
	LLVMSetInstructionCallConv(called, LLVMGetFunctionCallConv(a->body));
	return nothing ? NULL : called;
}

static void build_return(const struct around *a, LLVMValueRef result)
{
	if (result)
		LLVMBuildRet(a->builder, result);
	else
		LLVMBuildRetVoid(a->builder);
}

/* Floats are computed in the other function alone, so that none moves over a change. */
static void build_around(struct around *a)
{
	LLVMBuilderRef b = a->builder;
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(a->context, a->function, "entry");
	LLVMBasicBlockRef usual = LLVMAppendBasicBlockInContext(a->context, a->function, "usual");
	LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(a->context, a->function, "other");
	LLVMPositionBuilderAtEnd(b, entry);
	a->word = LLVMBuildAlloca(b, a->i32, "environment");
	build_move(a, "llvm.x86.sse.stmxcsr");
	LLVMValueRef before = LLVMBuildLoad2(b, a->i32, a->word, "before");
	LLVMValueRef control = LLVMBuildAnd(b, before, word_of(a, FLOAT_SSE_CONTROL), "control");
	LLVMValueRef is_usual = LLVMBuildICmp(b, LLVMIntEQ, control, word_of(a, FLOAT_SSE_USUAL), "is_usual");
	LLVMBuildCondBr(b, is_usual, usual, other);

	LLVMPositionBuilderAtEnd(b, usual);
	LLVMValueRef result = build_call(a);
	build_return(a, result);

	LLVMPositionBuilderAtEnd(b, other);
	LLVMValueRef kept = LLVMBuildAnd(b, before, word_of(a, ~(uint32_t)FLOAT_SSE_CONTROL), "");
	LLVMBuildStore(b, LLVMBuildOr(b, kept, word_of(a, FLOAT_SSE_USUAL), ""), a->word);
	build_move(a, "llvm.x86.sse.ldmxcsr");
	result = build_call(a);
	LLVMBuildStore(b, before, a->word);
	build_move(a, "llvm.x86.sse.ldmxcsr");
	build_return(a, result);
}

static void add_attribute(const struct around *a, LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(a->context, kind, 0));
}

/* The body keeps its attributes and its places in the source. */
static void surround(struct around *a, LLVMValueRef body)
{
	struct text name = {0};
	size_t length;
	const char *own = LLVMGetValueName2(body, &length);
	text_add_n(&name, own, length);
	a->body = body;
	a->type = LLVMGlobalGetValueType(body);
	LLVMSetValueName2(body, "", 0);
	a->function = LLVMAddFunction(a->module, text_string(&name), a->type);
	LLVMSetVisibility(a->function, LLVMGetVisibility(body));
	LLVMSetFunctionCallConv(a->function, LLVMGetFunctionCallConv(body));
	text_add(&name, ".body");
	LLVMSetValueName2(body, text_string(&name), name.length);
	LLVMSetVisibility(body, LLVMDefaultVisibility);
	LLVMSetLinkage(body, LLVMInternalLinkage);
	add_attribute(a, body, "noinline");
	build_around(a);
	text_free(&name);
}

void native_environment_add(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	if (strncmp(LLVMGetTarget(module), "x86_64", 6) != 0 || !has_floats(module))
		return;
	struct around a = {.context = context,
	                   .module = module,
	                   .builder = LLVMCreateBuilderInContext(context),
	                   .i32 = LLVMInt32TypeInContext(context)};
	LLVMValueRef last = LLVMGetLastFunction(module);
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		next = f == last ? NULL : LLVMGetNextFunction(f);
		if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
			surround(&a, f);
	}
	LLVMDisposeBuilder(a.builder);
}
