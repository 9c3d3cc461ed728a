/* The entry point of a native function: unpacks the arguments and calls the function that does the work, whose
 * parameters let LLVM know that buffers are apart.
 *
 * Buffers that a proved kernel updates by atomics are other calls' at the same time. Where they are short, a call works
 * on copies of its own in the workspace, and brings what it has gathered to them at its end. */
#include "lower/llvm/atomic_order.h"
#include "lower/llvm/lowering_lockstep.h"

/* ---- Arguments ---- */

static LLVMValueRef unpack(struct lowering *l, LLVMValueRef packed, LLVMTypeRef type, uint32_t size, uint32_t *offset)
{
	LLVMTypeRef byte = lowering_int(l, 8);
	*offset = (*offset + size - 1) / size * size;
	LLVMValueRef at = lowering_i64(l, *offset);
	*offset += size;
	LLVMValueRef address = LLVMBuildInBoundsGEP2(l->builder, byte, packed, &at, 1, "");
	LLVMValueRef v =
	    LLVMBuildLoad2(l->builder, type, LLVMBuildBitCast(l->builder, address, LLVMPointerType(type, 0), ""), "");
	LLVMSetAlignment(v, size);
	return v;
}

/* Sizes are those of the packed struct: a scalar's own, else 8. */
static unsigned unpack_all(struct lowering *l, LLVMValueRef packed, const LLVMTypeRef *types, LLVMValueRef *values)
{
	const struct ir_kernel *k = l->kernel;
	uint32_t offset = 0;
	unsigned n = 0;
	for (uint32_t p = 0; p < k->parameter_count; p++) {
		bool scalar = k->parameters[p].kind == IR_PARAMETER_SCALAR;
		unsigned count = k->parameters[p].kind == IR_PARAMETER_BUFFER ? 2 : 1;
		for (; count-- > 0; n++)
			values[n] = unpack(l, packed, types[n], scalar ? k->parameters[p].type->size : 8, &offset);
	}
	for (uint8_t axis = 0; axis < k->axes; axis++, n++)
		values[n] = unpack(l, packed, types[n], 8, &offset);
	return n;
}

static void add_entry_name(const struct lowering *l, struct text *name)
{
	bool lanes = l->width || lowering_certain(l);
	(lanes ? l->machine->lanes_name : l->machine->entry_name)(l->kernel, name);
}

/* One for all functions of the kernel. */
static void add_workspace_size(struct lowering *l, uint64_t size)
{
	struct text name = {0};
	l->machine->workspace_name(l->kernel, &name);
	LLVMValueRef global = LLVMGetNamedGlobal(l->module, text_string(&name));
	if (global) {
		uint64_t other = LLVMConstIntGetZExtValue(LLVMGetInitializer(global));
		LLVMSetInitializer(global, lowering_i64(l, size > other ? size : other));
		text_free(&name);
		return;
	}
	global = LLVMAddGlobal(l->module, lowering_int(l, 64), text_string(&name));
	LLVMSetInitializer(global, lowering_i64(l, size));
	LLVMSetGlobalConstant(global, true);
	l->machine->mark_entry(l, global);
	text_free(&name);
}

/* ---- Copies of buffers ---- */

enum { COPY_ELEMENTS = 4096, MAX_COPIES = 4 };

struct copy {
	const struct ir_memory *memory;
	const struct ir_instruction *update; /* one of the atomics on it */
	unsigned argument;                   /* among the unpacked ones: its address; its length is the next */
	uint64_t offset;                     /* in the workspace */
	LLVMValueRef original, address;
};

struct copies {
	struct copy all[MAX_COPIES];
	unsigned count; /* 0: none can be made */
	uint64_t size;  /* of the workspace */
};

struct update_query {
	const struct ir_memory *memory;
	const struct ir_instruction *found;
};

static bool is_other(void *context, struct ir_instruction *i)
{
	struct update_query *q = context;
	if (i->base != q->memory || !(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC))
		return true;
	q->found = i;
	return false;
}

static void find_copies(const struct lowering *l, struct copies *c)
{
	const struct ir_kernel *k = l->kernel;
	unsigned argument = 0, count = 0;
	for (uint32_t p = 0; p < k->parameter_count; p++) {
		const struct ir_memory *m = k->parameters[p].memory;
		if (k->parameters[p].kind == IR_PARAMETER_BUFFER && atomic_order_updates(k, m)) {
			if (count == MAX_COPIES || !ir_type_is_scalar(m->type))
				return;
			struct update_query q = {m, NULL};
			ir_visit(&k->body, is_other, &q);
			c->all[count++] = (struct copy){m, q.found, argument, c->size, NULL, NULL};
			c->size += (uint64_t)COPY_ELEMENTS * m->type->size;
		}
		argument += k->parameters[p].kind == IR_PARAMETER_BUFFER ? 2 : 1;
	}
	c->count = count;
}

/* i1: all fit, and there is enough to do for what they cost. */
static LLVMValueRef are_worth(struct lowering *l, const struct copies *c, LLVMValueRef *values, LLVMValueRef threads)
{
	LLVMBuilderRef b = l->builder;
	LLVMValueRef good = NULL;
	for (unsigned n = 0; n < c->count; n++) {
		LLVMValueRef length = values[c->all[n].argument + 1];
		LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntULE, length, lowering_i64(l, COPY_ELEMENTS), "");
		fits = LLVMBuildAnd(b, fits, LLVMBuildICmp(b, LLVMIntULE, length, threads, ""), "");
		good = good ? LLVMBuildAnd(b, good, fits, "") : fits;
	}
	return good;
}

struct element_loop {
	LLVMBasicBlockRef head, done;
	LLVMValueRef n;
};

static struct element_loop open_elements(struct lowering *l, LLVMValueRef length)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), body = lowering_block(l, "element");
	struct element_loop loop = {lowering_block(l, "elements"), lowering_block(l, "elements_done"), NULL};
	LLVMValueRef zero = lowering_i64(l, 0);
	LLVMBuildBr(l->builder, loop.head);
	lowering_enter(l, loop.head);
	loop.n = LLVMBuildPhi(l->builder, lowering_int(l, 64), "");
	LLVMAddIncoming(loop.n, &zero, &before, 1);
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, loop.n, length, ""), body, loop.done);
	lowering_enter(l, body);
	return loop;
}

static void close_elements(struct lowering *l, const struct element_loop *loop)
{
	LLVMValueRef next = LLVMBuildNUWAdd(l->builder, loop->n, lowering_i64(l, 1), "");
	LLVMBasicBlockRef last = LLVMGetInsertBlock(l->builder);
	LLVMAddIncoming(loop->n, &next, &last, 1);
	LLVMBuildBr(l->builder, loop->head);
	lowering_enter(l, loop->done);
}

static LLVMValueRef identity(const struct lowering *l, const struct copy *c)
{
	const struct ir_type *t = c->memory->type;
	return LLVMConstInt(lowering_memory_type(l, t), atomic_order_identity(c->update->op, t), false);
}

static void start_copy(struct lowering *l, struct copy *c, LLVMValueRef workspace, LLVMValueRef *values)
{
	LLVMTypeRef type = lowering_memory_type(l, c->memory->type);
	LLVMValueRef at = lowering_i64(l, c->offset);
	c->original = values[c->argument];
	c->address = LLVMBuildInBoundsGEP2(l->builder, lowering_int(l, 8), workspace, &at, 1, "");
	c->address = LLVMBuildBitCast(l->builder, c->address, LLVMPointerType(type, 0), "");
	struct element_loop loop = open_elements(l, values[c->argument + 1]);
	LLVMBuildStore(l->builder, identity(l, c), LLVMBuildInBoundsGEP2(l->builder, type, c->address, &loop.n, 1, ""));
	close_elements(l, &loop);
	values[c->argument] = c->address;
}

static LLVMAtomicRMWBinOp gathering(const struct copy *c)
{
	bool s = ir_type_is_signed(c->memory->type);
	switch ((int)c->update->op) {
	case IR_OP_atomic_min: return s ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
	case IR_OP_atomic_max: return s ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
	case IR_OP_atomic_and: return LLVMAtomicRMWBinOpAnd;
	case IR_OP_atomic_or: return LLVMAtomicRMWBinOpOr;
	case IR_OP_atomic_xor: return LLVMAtomicRMWBinOpXor;
	}
	return LLVMAtomicRMWBinOpAdd; /* of a difference too: it was taken from 0 */
}

static void gather_copy(struct lowering *l, const struct copy *c, LLVMValueRef length)
{
	LLVMBuilderRef b = l->builder;
	LLVMTypeRef type = lowering_memory_type(l, c->memory->type);
	struct element_loop loop = open_elements(l, length);
	LLVMValueRef v = LLVMBuildLoad2(b, type, LLVMBuildInBoundsGEP2(b, type, c->address, &loop.n, 1, ""), "");
	LLVMBasicBlockRef after = lowering_begin_if(l, LLVMBuildICmp(b, LLVMIntNE, v, identity(l, c), ""));
	LLVMValueRef to = LLVMBuildInBoundsGEP2(b, type, c->original, &loop.n, 1, "");
	LLVMBuildAtomicRMW(b, gathering(c), to, v, LLVMAtomicOrderingMonotonic, false);
	lowering_end_if(l, after);
	close_elements(l, &loop);
}

static LLVMValueRef call(struct lowering *l, const struct lowering_threads *threads, LLVMValueRef *values,
                         unsigned count)
{
	return LLVMBuildCall2(l->builder, threads->type, threads->function, values, count, "");
}

static void call_with_copies(struct lowering *l, const struct lowering_threads *threads, struct copies *c,
                             LLVMValueRef *values, unsigned count)
{
	LLVMValueRef workspace = LLVMGetParam(l->function, 4);
	for (unsigned n = 0; n < c->count; n++)
		start_copy(l, &c->all[n], workspace, values);
	LLVMValueRef result = call(l, threads, values, count);
	for (unsigned n = 0; n < c->count; n++)
		gather_copy(l, &c->all[n], values[c->all[n].argument + 1]);
	LLVMBuildRet(l->builder, result);
}

/* ---- The function ---- */

void lowering_forbid_calls(struct lowering *l, LLVMValueRef function)
{
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
	                        LLVMCreateStringAttribute(l->context, "no-builtins", 11, "", 0));
}

void lowering_entry(struct lowering *l, const struct lowering_threads *threads, const struct lowering_threads *parallel)
{
	const struct lockstep *g = threads->group;
	LLVMTypeRef byte = LLVMPointerType(lowering_int(l, 8), 0), i64 = lowering_int(l, 64);
	LLVMTypeRef parameters[] = {byte, i64, i64, byte, byte};
	struct copies copies = {.size = g ? g->size : 0};
	struct text name = {0};
	add_entry_name(l, &name);
	LLVMTypeRef type = LLVMFunctionType(lowering_int(l, 32), parameters, 5, false);
	LLVMValueRef entry = LLVMAddFunction(l->module, text_string(&name), type);
	text_free(&name);
	lowering_start(l, entry);
	lowering_forbid_calls(l, entry);
	l->machine->mark_entry(l, entry);
	unsigned limit = l->kernel->parameter_count * 2 + 8 + (g ? lockstep_parameters(g) : 0);
	LLVMValueRef *values = ARENA_ARRAY(l->arena, LLVMValueRef, limit);
	unsigned count = unpack_all(l, LLVMGetParam(entry, 0), threads->types, values);
	for (unsigned n = 1; n < 4; n++)
		values[count++] = LLVMGetParam(entry, n);
	if (g) {
		lockstep_split(g, LLVMGetParam(entry, 4), values + count);
		count += lockstep_parameters(g);
	}
	if (parallel)
		find_copies(l, &copies);
	if (copies.count) {
		LLVMValueRef all = LLVMBuildSub(l->builder, LLVMGetParam(entry, 2), LLVMGetParam(entry, 1), "");
		LLVMValueRef *copied = ARENA_ARRAY(l->arena, LLVMValueRef, limit);
		for (unsigned n = 0; n < count; n++)
			copied[n] = values[n];
		LLVMBasicBlockRef after = lowering_begin_if(l, are_worth(l, &copies, values, all));
		call_with_copies(l, threads, &copies, copied, count);
		lowering_enter(l, after);
	}
	LLVMBuildRet(l->builder, call(l, parallel ? parallel : threads, values, count));
	add_workspace_size(l, copies.size);
}
