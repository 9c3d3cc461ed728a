/* The thread mode's function: ids, the body for threads inside the grid (where there are barriers, for all of a group:
 * lowering_shared.c), the report of a failure. */
#include "lower/llvm/lowering.h"

/* Extents are followed by the first group on each axis, the status record and the mask. */
static LLVMValueRef add_function(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	struct text name = {0};
	LLVMTypeRef *types = ARENA_ARRAY(l->arena, LLVMTypeRef, k->parameter_count * 2 + 8);
	LLVMTypeRef word = LLVMPointerType(lowering_int(l, 32), l->machine->global_space);
	unsigned count = lowering_signature(l, types);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		types[count++] = lowering_int(l, 64);
	types[count++] = word;
	types[count++] = word;
	l->machine->entry_name(k, &name);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), types, count, false);
	LLVMValueRef function = LLVMAddFunction(l->module, text_string(&name), type);
	LLVMSetFunctionCallConv(function, l->machine->convention);
	text_free(&name);
	return function;
}

static void make_ids(struct lowering *l, unsigned first_group)
{
	LLVMValueRef zero = lowering_i64(l, 0);
	for (unsigned axis = 0; axis < 3; axis++) {
		l->global_id[axis] = l->local_id[axis] = l->group_id[axis] = zero;
		if (axis >= l->kernel->axes)
			continue;
		LLVMValueRef first = LLVMGetParam(l->function, first_group + axis);
		LLVMValueRef size = lowering_i64(l, l->kernel->group[axis]);
		l->local_id[axis] = l->machine->local_id(l, axis);
		l->group_id[axis] = LLVMBuildAdd(l->builder, first, l->machine->group_id(l, axis), "");
		l->global_id[axis] = LLVMBuildAdd(l->builder, LLVMBuildMul(l->builder, l->group_id[axis], size, ""),
		                                  l->local_id[axis], "");
	}
}

static LLVMValueRef inside_grid(struct lowering *l)
{
	LLVMValueRef inside = NULL;
	for (unsigned axis = 0; axis < l->kernel->axes; axis++) {
		LLVMValueRef here = LLVMBuildICmp(l->builder, LLVMIntULT, l->global_id[axis], l->extents[axis], "");
		inside = inside ? LLVMBuildAnd(l->builder, inside, here, "") : here;
	}
	return inside;
}

static void make_bad(struct lowering *l)
{
	if (!l->checked)
		return;
	if (l->together) {
		l->group_bad = lowering_alloca(l, lowering_int(l, 1), "group_bad");
		LLVMBuildStore(l->builder, LLVMConstNull(lowering_int(l, 1)), l->group_bad);
	}
	l->bad = lowering_alloca(l, lowering_int(l, 32), "bad");
	l->bad_value = lowering_alloca(l, lowering_int(l, 32), "bad_value");
	LLVMBuildStore(l->builder, lowering_i32(l, 0), l->bad);
	LLVMBuildStore(l->builder, lowering_i32(l, 0), l->bad_value);
}

void lowering_thread(struct lowering *l)
{
	lowering_start(l, add_function(l));
	lowering_lines_kernel(l);
	unsigned first_group = lowering_bind(l);
	l->status = LLVMGetParam(l->function, first_group + l->kernel->axes);
	l->mask = LLVMGetParam(l->function, first_group + l->kernel->axes + 1);
	l->machine->mark_entry(l, l->function);
	lowering_storage(l);
	make_ids(l, first_group);
	lowering_find_together(l);
	LLVMBasicBlockRef body = lowering_block(l, "thread"), leave = lowering_block(l, "leave");
	l->thread_end = lowering_block(l, "thread_end");
	LLVMValueRef inside = inside_grid(l);
	if (l->together)
		LLVMBuildBr(l->builder, body);
	else
		LLVMBuildCondBr(l->builder, inside, body, leave);
	lowering_enter(l, body);
	make_bad(l);
	if (l->together) {
		lowering_absent(l, inside);
		lowering_shared_start(l);
	}
	lowering_private_start(l);
	lowering_region(l, &l->kernel->body);
	lowering_jump(l, l->thread_end);
	lowering_enter(l, l->thread_end);
	lowering_report(l);
	lowering_jump(l, leave);
	lowering_enter(l, leave);
	LLVMBuildRetVoid(l->builder);
}
