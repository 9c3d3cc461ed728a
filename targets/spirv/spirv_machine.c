#include "targets/spirv/spirv_machine.h"

#include <string.h>

#include "lower/llvm/lowering.h"
#include "targets/entry_name.h"
#include "utils/base/table.h"

enum { SPIR_FUNCTION = 75, SPIR_KERNEL = 76, SPACE_GLOBAL = 1, SPACE_CONSTANT = 2, SPACE_SHARED = 3 };

static void spirv_name(const struct ir_kernel *k, struct text *out)
{
	entry_name("spirv", k, out);
}

/* OpenCL builtins go by their mangled names. */
static LLVMValueRef builtin(struct lowering *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                            unsigned count)
{
	LLVMTypeRef types[2];
	for (unsigned n = 0; n < count; n++)
		types[n] = LLVMTypeOf(arguments[n]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	return lowering_external(l, name, SPIR_FUNCTION, type, arguments, count);
}

static LLVMValueRef local_id(struct lowering *l, unsigned axis)
{
	LLVMValueRef n = lowering_i32(l, axis);
	return builtin(l, "_Z12get_local_idj", lowering_int(l, 64), &n, 1);
}

static LLVMValueRef group_id(struct lowering *l, unsigned axis)
{
	LLVMValueRef n = lowering_i32(l, axis);
	return builtin(l, "_Z12get_group_idj", lowering_int(l, 64), &n, 1);
}

static LLVMValueRef multiply_high(struct lowering *l, enum machine_high kind, LLVMValueRef x, LLVMValueRef y)
{
	const char *name = kind == MACHINE_HIGH_SIGNED ? "_Z6mul_hill" : "_Z6mul_himm";
	return builtin(l, name, lowering_int(l, 64), (LLVMValueRef[]){x, y}, 2);
}

static void barrier(struct lowering *l, enum ir_barrier kind)
{
	/* CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE */
	LLVMValueRef memory = lowering_i32(l, kind == IR_BARRIER_WORKGROUP ? 1 : 2);
	lowering_mark_barrier(l, builtin(l, "_Z7barrierj", LLVMVoidTypeInContext(l->context), &memory, 1));
}

static void fence(struct lowering *l, enum ir_scope scope)
{
	/* Scopes Device and Workgroup; AcquireRelease over WorkgroupMemory and CrossWorkgroupMemory. */
	LLVMValueRef arguments[] = {lowering_i32(l, scope == IR_SCOPE_DEVICE ? 1 : 2), lowering_i32(l, 0x308)};
	builtin(l, "_Z21__spirv_MemoryBarrierjj", LLVMVoidTypeInContext(l->context), arguments, 2);
}

static void mark_entry(struct lowering *l, LLVMValueRef function)
{
	static const char name[] = "reqd_work_group_size";
	LLVMMetadataRef sizes[3];
	for (unsigned axis = 0; axis < 3; axis++)
		sizes[axis] = LLVMValueAsMetadata(lowering_i32(l, l->kernel->group[axis]));
	LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(l->context, name, strlen(name)),
	                      LLVMMDNodeInContext2(l->context, sizes, 3));
}

const struct machine spirv_machine = {
    .mode = MACHINE_THREAD,
    .global_space = SPACE_GLOBAL,
    .table_space = SPACE_CONSTANT,
    .shared_space = SPACE_SHARED,
    .convention = SPIR_KERNEL,
    .entry_name = spirv_name,
    .local_id = local_id,
    .group_id = group_id,
    .multiply_high = multiply_high,
    .barrier = barrier,
    .fence = fence,
    .mark_entry = mark_entry,
};

void spirv_mark_module(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMMetadataRef version[] = {
	    LLVMValueAsMetadata(LLVMConstInt(i32, 1, false)),
	    LLVMValueAsMetadata(LLVMConstInt(i32, 2, false)),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, version, 2);
	LLVMAddNamedMetadataOperand(module, "opencl.ocl.version", LLVMMetadataAsValue(context, node));
}

static void remove_from_block(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMGetInstructionOpcode(i) != LLVMFreeze)
			continue;
		LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
		LLVMInstructionEraseFromParent(i);
	}
}

void spirv_remove_freezes(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			remove_from_block(b);
}

struct block_order {
	struct arena arena;
	struct table seen;
	LLVMBasicBlockRef *stack, *postorder;
	unsigned *next; /* successor to look at, parallel to stack */
	unsigned depth, count;
};

static void push_block(struct block_order *o, LLVMBasicBlockRef block)
{
	if (table_set_n(&o->seen, (const char *)&block, sizeof block, block))
		return;
	o->stack[o->depth] = block;
	o->next[o->depth++] = 0;
}

static void order_function(LLVMValueRef function)
{
	struct block_order o = {.depth = 0};
	unsigned count = LLVMCountBasicBlocks(function);
	o.seen.arena = &o.arena;
	o.stack = ARENA_ARRAY(&o.arena, LLVMBasicBlockRef, count);
	o.postorder = ARENA_ARRAY(&o.arena, LLVMBasicBlockRef, count);
	o.next = ARENA_ARRAY(&o.arena, unsigned, count);
	push_block(&o, LLVMGetEntryBasicBlock(function));
	while (o.depth) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(o.stack[o.depth - 1]);
		unsigned n = o.next[o.depth - 1]++;
		if (n < LLVMGetNumSuccessors(end))
			push_block(&o, LLVMGetSuccessor(end, n));
		else
			o.postorder[o.count++] = o.stack[--o.depth];
	}
	/* The entry block is last in postorder and stays first. */
	for (unsigned n = 0; n + 1 < o.count; n++)
		LLVMMoveBasicBlockAfter(o.postorder[n], o.postorder[o.count - 1]);
	arena_free(&o.arena);
}

void spirv_order_blocks(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (LLVMCountBasicBlocks(f))
			order_function(f);
}
