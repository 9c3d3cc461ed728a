/* The function around a kernel's body: parameters in the device ABI's order (design, Device ABI), the entry
 * block, and lower_llvm itself. */
#include <string.h>

#include "lower/llvm/lowering.h"
#include "lower/private_memory.h"

unsigned lowering_parameters(const struct lowering *l, LLVMTypeRef *types)
{
	const struct ir_kernel *k = l->kernel;
	unsigned n = 0;
	for (uint32_t p = 0; p < k->parameter_count; p++) {
		LLVMTypeRef type = lowering_memory_type(l, k->parameters[p].type);
		switch (k->parameters[p].kind) {
		case IR_PARAMETER_SCALAR: types[n++] = type; break;
		case IR_PARAMETER_BUFFER:
			types[n++] = LLVMPointerType(type, l->machine->global_space);
			types[n++] = lowering_int(l, 64);
			break;
		case IR_PARAMETER_VALUE: types[n++] = LLVMPointerType(type, l->machine->global_space); break;
		}
	}
	return n;
}

unsigned lowering_signature(const struct lowering *l, LLVMTypeRef *types)
{
	unsigned n = lowering_parameters(l, types);
	for (uint8_t axis = 0; axis < l->kernel->axes; axis++)
		types[n++] = lowering_int(l, 64);
	return n;
}

static void mark_parameter(struct lowering *l, unsigned parameter, const char *attribute)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
	LLVMAddAttributeAtIndex(l->function, parameter + 1, LLVMCreateEnumAttribute(l->context, kind, 0));
}

static bool is_no_atomic_load(void *memory, struct ir_instruction *i)
{
	return i->op != IR_OP_atomic_load || i->base != memory;
}

/* A buffer that a kernel writes is no other argument of the launch (spec/sspur.md 3.2). LLVM's PTX back end takes loads
 * from one that no other argument is, and that it sees is only read, for loads through the read-only cache, for which
 * it has no atomic. */
static void mark_memory(struct lowering *l, unsigned parameter, const struct ir_memory *memory)
{
	if (!ir_visit(&l->kernel->body, is_no_atomic_load, (void *)memory))
		return;
	mark_parameter(l, parameter, "noalias");
	if (lowering_certain(l) && !memory->writable)
		mark_parameter(l, parameter, "readonly");
}

static LLVMValueRef take(struct lowering *l, unsigned n, const char *name, const char *suffix)
{
	LLVMValueRef v = LLVMGetParam(l->function, n);
	const char *full = arena_format(l->arena, "%s%s", name, suffix);
	LLVMSetValueName2(v, full, strlen(full));
	return v;
}

unsigned lowering_bind(struct lowering *l)
{
	static const char *const extents[3] = {"width", "height", "depth"};
	const struct ir_kernel *k = l->kernel;
	unsigned n = 0;
	l->arguments = ARENA_ARRAY(l->arena, struct lowering_argument, k->parameter_count);
	for (uint32_t p = 0; p < k->parameter_count; p++) {
		const struct ir_parameter *parameter = &k->parameters[p];
		LLVMValueRef v = take(l, n, parameter->name, "");
		switch (parameter->kind) {
		case IR_PARAMETER_SCALAR: v = lowering_from_memory(l, parameter->type, v); break;
		case IR_PARAMETER_BUFFER:
			mark_memory(l, n, parameter->memory);
			l->arguments[p].length = take(l, ++n, parameter->name, "_length");
			break;
		case IR_PARAMETER_VALUE: mark_memory(l, n, parameter->memory); break;
		}
		l->arguments[p].value = v;
		n++;
	}
	for (uint8_t axis = 0; axis < 3; axis++)
		l->extents[axis] = axis < k->axes ? take(l, n++, extents[axis], "") : lowering_i64(l, 1);
	return n;
}

static bool cannot_fail(void *context, struct ir_instruction *i)
{
	return !(ir_op_infos[i->op].flags & IR_FLAG_TRAP) && !lowering_may_be_inexact(context, i);
}

void lowering_start(struct lowering *l, LLVMValueRef function)
{
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	l->function = function;
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, nounwind, 0));
	l->entry = lowering_block(l, "entry");
	lowering_enter(l, l->entry);
	l->checked = !lowering_certain(l) && !ir_visit(&l->kernel->body, cannot_fail, l);
}

void lowering_storage(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	l->locals = ARENA_ARRAY(l->arena, LLVMValueRef, k->local_count);
	for (uint32_t n = 0; n < k->local_count; n++)
		l->locals[n] = lowering_alloca(l, lowering_type(l, k->locals[n]->type), k->locals[n]->name);
	lowering_memories(l);
}

static void lower_kernel(const struct machine *machine, const struct ir_kernel *k, LLVMModuleRef llvm,
                         LLVMDIBuilderRef lines)
{
	struct arena arena = {0};
	struct lowering l = {.machine = machine, .kernel = k, .arena = &arena, .module = llvm, .lines = lines};
	l.context = LLVMGetModuleContext(llvm);
	l.builder = LLVMCreateBuilderInContext(l.context);
	l.values = ARENA_ARRAY(&arena, LLVMValueRef, k->next_id);
	switch (machine->mode) {
	case MACHINE_SEQUENTIAL: lowering_sequential(&l); break;
	case MACHINE_THREAD: lowering_thread(&l); break;
	case MACHINE_INVOCATION: lowering_invocation(&l); break;
	}
	LLVMDisposeBuilder(l.builder);
	arena_free(&arena);
}

bool lower_llvm(const struct machine *machine, const struct ir_module *module, LLVMModuleRef llvm, struct text *error)
{
	for (uint32_t n = 0; n < module->kernel_count; n++)
		if (!private_memory_fits(module->kernels[n], error))
			return false;
	LLVMDIBuilderRef lines = lowering_lines_begin(machine, module, llvm);
	for (uint32_t n = 0; n < module->kernel_count; n++)
		lower_kernel(machine, module->kernels[n], llvm, lines);
	lowering_lines_end(lines);
	return true;
}
