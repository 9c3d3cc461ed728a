/* The invocation mode: a kernel is one C function that runs one thread, which its first argument says (struct
 * twin_invocation). Threads may be run at the same time, and meet at barriers, if the caller sees to that: what they
 * share is reached in memory, nothing is taken to be the function's own, and atomics are atomic. A check that fails
 * calls out, and then the thread has ended. */
#include <stddef.h>
#include <string.h>

#include "lower/llvm/lowering.h"
#include "targets/twin_abi.h"

/* ---- The one copy of what threads share ---- */

bool lowering_is_one(const struct lowering *l, const struct ir_memory *m)
{
	return l->machine->mode == MACHINE_INVOCATION &&
	       (m->kind == IR_MEMORY_SHARED || (m->kind == IR_MEMORY_PRIVATE && m->global));
}

/* Other code reaches it while a barrier's hook runs: no pass may take it to be as it was left. */
static void keep(struct lowering *l, LLVMValueRef global)
{
	static const char name[] = "llvm.compiler.used";
	LLVMTypeRef byte = LLVMPointerType(lowering_int(l, 8), 0);
	LLVMValueRef old = LLVMGetNamedGlobal(l->module, name);
	LLVMValueRef before = old ? LLVMGetInitializer(old) : NULL;
	unsigned count = before ? (unsigned)LLVMGetNumOperands(before) : 0;
	LLVMValueRef *all = ARENA_ARRAY(l->arena, LLVMValueRef, count + 1);
	for (unsigned n = 0; n < count; n++)
		all[n] = LLVMGetOperand(before, n);
	all[count] = LLVMConstBitCast(global, byte);
	LLVMValueRef list = LLVMConstArray(byte, all, count + 1);
	if (old)
		LLVMDeleteGlobal(old);
	LLVMValueRef used = LLVMAddGlobal(l->module, LLVMTypeOf(list), name);
	LLVMSetInitializer(used, list);
	LLVMSetLinkage(used, LLVMAppendingLinkage);
	LLVMSetSection(used, "llvm.metadata");
}

LLVMValueRef lowering_one(struct lowering *l, const struct ir_memory *m)
{
	const char *name = arena_format(l->arena, "global.%s", m->name);
	LLVMValueRef known = LLVMGetNamedGlobal(l->module, name);
	if (known)
		return known;
	LLVMValueRef bytes = lowering_constant_bytes(l, m);
	LLVMValueRef global = LLVMAddGlobal(l->module, LLVMTypeOf(bytes), name);
	LLVMSetInitializer(global, bytes);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, m->type->align > 16 ? m->type->align : 16);
	keep(l, global);
	return global;
}

/* ---- The function ---- */

static LLVMValueRef add_function(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	struct text name = {0};
	LLVMTypeRef *types = ARENA_ARRAY(l->arena, LLVMTypeRef, k->parameter_count * 2 + 4);
	unsigned count = 0;
	types[count++] = LLVMPointerType(lowering_int(l, 8), 0);
	count += lowering_parameters(l, types + count);
	l->machine->entry_name(k, &name);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), types, count, false);
	LLVMValueRef function = LLVMAddFunction(l->module, text_string(&name), type);
	text_free(&name);
	return function;
}

static void bind(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	unsigned n = 0;
	l->invocation = LLVMGetParam(l->function, n++);
	l->arguments = ARENA_ARRAY(l->arena, struct lowering_argument, k->parameter_count);
	for (uint32_t p = 0; p < k->parameter_count; p++) {
		LLVMValueRef v = LLVMGetParam(l->function, n++);
		bool scalar = k->parameters[p].kind == IR_PARAMETER_SCALAR;
		l->arguments[p].value = scalar ? lowering_from_memory(l, k->parameters[p].type, v) : v;
		if (k->parameters[p].kind == IR_PARAMETER_BUFFER)
			l->arguments[p].length = LLVMGetParam(l->function, n++);
	}
}

/* One of three words there, as i64. */
static LLVMValueRef word(struct lowering *l, size_t offset, unsigned axis)
{
	LLVMTypeRef i32 = lowering_int(l, 32);
	LLVMValueRef at = lowering_i64(l, offset + axis * sizeof(uint32_t));
	LLVMValueRef address = LLVMBuildInBoundsGEP2(l->builder, lowering_int(l, 8), l->invocation, &at, 1, "");
	address = LLVMBuildBitCast(l->builder, address, LLVMPointerType(i32, 0), "");
	LLVMValueRef v = LLVMBuildLoad2(l->builder, i32, address, "");
	LLVMSetAlignment(v, 4);
	return LLVMBuildZExt(l->builder, v, lowering_int(l, 64), "");
}

static void read_ids(struct lowering *l)
{
	for (unsigned axis = 0; axis < 3; axis++) {
		l->global_id[axis] = word(l, offsetof(struct twin_invocation, global_id), axis);
		l->local_id[axis] = word(l, offsetof(struct twin_invocation, local_id), axis);
		l->group_id[axis] = word(l, offsetof(struct twin_invocation, group_id), axis);
		LLVMValueRef groups = word(l, offsetof(struct twin_invocation, group_count), axis);
		l->extents[axis] = LLVMBuildMul(l->builder, groups, lowering_i64(l, l->kernel->group[axis]), "");
	}
}

void lowering_invocation(struct lowering *l)
{
	lowering_start(l, add_function(l));
	lowering_forbid_calls(l, l->function);
	bind(l);
	l->machine->mark_entry(l, l->function);
	lowering_storage(l);
	read_ids(l);
	l->thread_end = lowering_block(l, "thread_end");
	lowering_private_start(l);
	lowering_region(l, &l->kernel->body);
	lowering_jump(l, l->thread_end);
	lowering_enter(l, l->thread_end);
	LLVMBuildRetVoid(l->builder);
}

/* ---- Failures ---- */

void lowering_call_out(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                       LLVMValueRef value, LLVMValueRef limit)
{
	LLVMValueRef zero = lowering_i64(l, 0);
	LLVMBasicBlockRef fail = lowering_block(l, "fail"), next = lowering_block(l, "sound");
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, sound, next, fail));
	lowering_enter(l, fail);
	l->machine->failed(l, i, kind, value ? value : zero, limit ? limit : zero);
	LLVMBuildBr(l->builder, l->thread_end);
	lowering_enter(l, next);
}
