/* The thread mode's function: ids, the body for threads inside the grid (where there are barriers, for all of a group:
 * lowering_shared.c), the report of a failure. Where nothing fails (IR_POLICY_PROVED) there are no status and mask, and
 * groups that meet at barriers are whole. */
#include "lower/llvm/lowering.h"

/* Extents are followed by the first group on each axis, and unless nothing fails the status record and the mask. */
static LLVMValueRef add_function(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	struct text name = {0};
	LLVMTypeRef *types = ARENA_ARRAY(l->arena, LLVMTypeRef, k->parameter_count * 2 + 8);
	LLVMTypeRef word = LLVMPointerType(lowering_int(l, 32), l->machine->global_space);
	unsigned count = lowering_signature(l, types);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		types[count++] = lowering_int(l, 64);
	for (unsigned n = 0; n < 2 && !lowering_certain(l); n++)
		types[count++] = word;
	l->machine->entry_name(k, &name);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), types, count, false);
	LLVMValueRef function = LLVMAddFunction(l->module, text_string(&name), type);
	LLVMSetFunctionCallConv(function, l->machine->convention);
	text_free(&name);
	return function;
}

/* Whether every thread takes its id on an axis first of all. */
static bool takes_id(const struct ir_kernel *k, unsigned axis)
{
	const struct ir_instruction *i = k->body.first;
	while (i && !(i->op == IR_OP_global_id && i->axis == axis) && !(ir_op_infos[i->op].flags & IR_FLAG_CONTROL))
		i = i->next;
	return i && i->op == IR_OP_global_id;
}

/* Ids of an axis that fit 31 bits, since the kernel's index type is i32 under IR_POLICY_PROVED and every thread takes
 * its own. Threads past the grid then have ids that fit 32 bits, as a group has few threads. */
static bool has_narrow_ids(const struct lowering *l, unsigned axis)
{
	return lowering_certain(l) && l->kernel->index == IR_TYPE_i32 && takes_id(l->kernel, axis);
}

static void make_ids(struct lowering *l, unsigned first_group)
{
	LLVMValueRef zero = lowering_i64(l, 0);
	for (unsigned axis = 0; axis < 3; axis++) {
		l->global_id[axis] = l->local_id[axis] = l->group_id[axis] = zero;
		if (axis >= l->kernel->axes)
			continue;
		LLVMTypeRef type = lowering_int(l, has_narrow_ids(l, axis) ? 32 : 64);
		LLVMValueRef first =
		    LLVMBuildTrunc(l->builder, LLVMGetParam(l->function, first_group + axis), type, "");
		LLVMValueRef here = LLVMBuildTrunc(l->builder, l->machine->group_id(l, axis), type, "");
		LLVMValueRef size = LLVMConstInt(type, l->kernel->group[axis], false);
		l->local_id[axis] = LLVMBuildTrunc(l->builder, l->machine->local_id(l, axis), type, "");
		l->group_id[axis] = LLVMBuildNUWAdd(l->builder, first, here, "");
		l->global_id[axis] = LLVMBuildNUWAdd(
		    l->builder, LLVMBuildNUWMul(l->builder, l->group_id[axis], size, ""), l->local_id[axis], "");
	}
}

static LLVMValueRef inside_grid(struct lowering *l)
{
	LLVMValueRef inside = NULL;
	for (unsigned axis = 0; axis < l->kernel->axes; axis++) {
		LLVMValueRef id = l->global_id[axis];
		LLVMValueRef extent = LLVMBuildTrunc(l->builder, l->extents[axis], LLVMTypeOf(id), "");
		LLVMValueRef here = LLVMBuildICmp(l->builder, LLVMIntULT, id, extent, "");
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
	if (!lowering_certain(l)) {
		l->status = LLVMGetParam(l->function, first_group + l->kernel->axes);
		l->mask = LLVMGetParam(l->function, first_group + l->kernel->axes + 1);
	}
	l->machine->mark_entry(l, l->function);
	lowering_storage(l);
	make_ids(l, first_group);
	lowering_find_together(l);
	LLVMBasicBlockRef body = lowering_block(l, "thread"), leave = lowering_block(l, "leave");
	l->thread_end = lowering_block(l, "thread_end");
	LLVMValueRef inside = inside_grid(l);
	bool meets = lowering_meets(l);
	if (meets)
		LLVMBuildBr(l->builder, body);
	else
		LLVMBuildCondBr(l->builder, inside, body, leave);
	lowering_enter(l, body);
	make_bad(l);
	if (l->together)
		lowering_absent(l, inside);
	if (meets)
		lowering_shared_start(l);
	lowering_private_start(l);
	lowering_region(l, &l->kernel->body);
	lowering_jump(l, l->thread_end);
	lowering_enter(l, l->thread_end);
	lowering_report(l);
	lowering_jump(l, leave);
	lowering_enter(l, leave);
	LLVMBuildRetVoid(l->builder);
}
