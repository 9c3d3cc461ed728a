/* Workgroups of the thread mode: shared memories and their start, and what keeps the threads of a group together.
 *
 * Every thread of a group reaches every barrier: one that is outside the grid, has returned or has failed goes on, as
 * `bad` (lowering_checks.c), without effects. So that all take the same way through control that holds a barrier, a
 * value that is the same for a group is computed alike by all of its threads, `bad` or not, and loops with a barrier
 * stop early for a failure of all alone: `group_bad`. */
#include <string.h>

#include "lower/llvm/lowering.h"
#include "utils/base/plain_locale.h"

/* ---- Memories ---- */

/* The name begins with the entry point's: oclgrind finds the kernel of a shared memory by it. */
static void spell(const struct lowering *l, const struct ir_memory *m, struct text *out)
{
	l->machine->entry_name(l->kernel, out);
	text_add_char(out, '.');
	for (const char *c = m->name; *c; c++)
		text_add_char(out, plain_is_letter(*c) || plain_is_digit(*c) ? *c : '_');
}

LLVMValueRef lowering_shared(struct lowering *l, const struct ir_memory *m)
{
	struct text name = {0};
	spell(l, m, &name);
	LLVMTypeRef type = LLVMArrayType(lowering_int(l, 8), m->type->size);
	LLVMValueRef global =
	    LLVMAddGlobalInAddressSpace(l->module, type, text_string(&name), l->machine->shared_space);
	LLVMSetInitializer(global, LLVMGetUndef(type));
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, m->type->align > 16 ? m->type->align : 16);
	text_free(&name);
	return global;
}

static LLVMValueRef linear_local_id(struct lowering *l)
{
	LLVMValueRef linear = lowering_i64(l, 0);
	for (unsigned axis = l->kernel->axes; axis-- > 0;) {
		linear = LLVMBuildMul(l->builder, linear, lowering_i64(l, l->kernel->group[axis]), "");
		LLVMValueRef id = LLVMBuildZExt(l->builder, l->local_id[axis], LLVMTypeOf(linear), "");
		linear = LLVMBuildAdd(l->builder, linear, id, "");
	}
	return linear;
}

/* The group's threads take turns at the words. */
static void zero(struct lowering *l, const struct ir_memory *m, LLVMValueRef memory, LLVMValueRef id, uint64_t threads)
{
	uint32_t size = m->type->align > 8 ? 8 : m->type->align;
	LLVMTypeRef word = lowering_int(l, size * 8);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef head = lowering_block(l, "zero"), body = lowering_block(l, "zero_word");
	LLVMBasicBlockRef done = lowering_block(l, "zeroed");
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef n = LLVMBuildPhi(l->builder, lowering_int(l, 64), "");
	LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntULT, n, lowering_i64(l, m->type->size / size), "");
	LLVMBuildCondBr(l->builder, more, body, done);
	lowering_enter(l, body);
	LLVMTypeRef pointer = LLVMPointerType(word, l->machine->shared_space);
	LLVMValueRef words = LLVMBuildBitCast(l->builder, memory, pointer, "");
	LLVMValueRef at = LLVMBuildInBoundsGEP2(l->builder, word, words, &n, 1, "");
	LLVMSetAlignment(LLVMBuildStore(l->builder, LLVMConstNull(word), at), size);
	LLVMValueRef next = LLVMBuildAdd(l->builder, n, lowering_i64(l, threads), "");
	LLVMAddIncoming(n, (LLVMValueRef[]){id, next}, (LLVMBasicBlockRef[]){before, body}, 2);
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, done);
}

void lowering_shared_start(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	uint64_t threads = (uint64_t)k->group[0] * k->group[1] * k->group[2];
	LLVMValueRef id = linear_local_id(l);
	bool any = false;
	for (uint32_t n = 0; n < k->memory_count; n++) {
		if (!k->memories[n]->zeroed)
			continue;
		zero(l, k->memories[n], l->memories[n], id, threads);
		any = true;
	}
	if (any)
		l->machine->barrier(l, IR_BARRIER_WORKGROUP);
}

static LLVMAttributeRef attribute(const struct lowering *l, const char *name)
{
	return LLVMCreateEnumAttribute(l->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

void lowering_mark_barrier(struct lowering *l, LLVMValueRef call)
{
	static const char *const names[] = {"convergent", "nounwind", "noduplicate", "nomerge"};
	for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
		LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute(l, names[n]));
	LLVMAddAttributeAtIndex(LLVMGetCalledValue(call), LLVMAttributeFunctionIndex, attribute(l, "convergent"));
}

/* ---- Threads that stay together ---- */

bool lowering_meets(const struct lowering *l)
{
	return segments_meet(l->kernel);
}

void lowering_find_together(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	if (!lowering_meets(l) || lowering_certain(l))
		return;
	l->together = ARENA_NEW(l->arena, struct segments);
	*l->together = segments_find(k, l->arena);
	l->checked = true;
}

bool lowering_same(const struct lowering *l, const struct ir_instruction *value)
{
	return l->together && segments_same(l->together, value);
}

static bool at_lockstep_level(const struct lowering *l, const struct ir_instruction *i)
{
	return !i->parent || l->together->lockstep[i->parent->id];
}

void lowering_note_failure(struct lowering *l, const struct ir_instruction *i, LLVMValueRef sound)
{
	if (!l->together || !at_lockstep_level(l, i) || !(ir_op_infos[i->op].flags & IR_FLAG_TRAP))
		return;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!lowering_same(l, i->operands[n]))
			return;
	LLVMTypeRef i1 = lowering_int(l, 1);
	LLVMValueRef bad = LLVMBuildLoad2(l->builder, i1, l->group_bad, "");
	LLVMBuildStore(l->builder, LLVMBuildOr(l->builder, bad, LLVMBuildNot(l->builder, sound, ""), ""), l->group_bad);
}

static bool sets_none(void *context, struct ir_instruction *i)
{
	const struct segments *s = context;
	return i->op != IR_OP_set || s->locals_levels[i->local->index] == IR_VARYING;
}

LLVMValueRef lowering_goes_on(struct lowering *l, const struct ir_instruction *loop)
{
	if (!l->together || (!l->together->lockstep[loop->id] && ir_visit(&loop->regions[0], sets_none, l->together)))
		return lowering_good(l);
	return LLVMBuildNot(l->builder, LLVMBuildLoad2(l->builder, lowering_int(l, 1), l->group_bad, ""), "");
}
