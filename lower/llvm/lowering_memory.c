/* Memories, places, loads and stores. A place is a base address and a byte offset; only a slice's first step
 * goes by elements, which keeps plain slices easy for LLVM to see through. */
#include <llvm/Config/llvm-config.h>
#include <string.h>

#include "lower/llvm/lowering.h"

/* ---- Making memories ---- */

static LLVMTypeRef bytes_type(const struct lowering *l, const struct ir_type *t)
{
	return LLVMArrayType(lowering_int(l, 8), t->size);
}

LLVMValueRef lowering_constant_bytes(struct lowering *l, const struct ir_memory *m)
{
	LLVMTypeRef type = bytes_type(l, m->type);
	if (!m->init)
		return LLVMConstNull(type);
#if LLVM_VERSION_MAJOR < 19
	return LLVMConstStringInContext(l->context, (const char *)m->init, m->type->size, true);
#else
	return LLVMConstStringInContext2(l->context, (const char *)m->init, m->type->size, true);
#endif
}

static LLVMValueRef add_table(struct lowering *l, const struct ir_memory *m)
{
	LLVMValueRef table =
	    LLVMAddGlobalInAddressSpace(l->module, bytes_type(l, m->type), "$table", l->machine->table_space);
	LLVMSetInitializer(table, lowering_constant_bytes(l, m));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMInternalLinkage);
	LLVMSetAlignment(table, m->type->align);
	return table;
}

void lowering_memories(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	l->memories = ARENA_ARRAY(l->arena, LLVMValueRef, k->memory_count);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		const struct ir_memory *m = k->memories[n];
		if (lowering_is_one(l, m)) {
			l->memories[n] = lowering_one(l, m);
			continue;
		}
		switch (m->kind) {
		case IR_MEMORY_BUFFER:
		case IR_MEMORY_VALUE: l->memories[n] = l->arguments[m->parameter].value; break;
		case IR_MEMORY_PRIVATE:
			if (l->workspace)
				break;
			l->memories[n] = lowering_alloca(l, bytes_type(l, m->type), m->name);
			LLVMSetAlignment(l->memories[n], m->type->align);
			break;
		case IR_MEMORY_TABLE: l->memories[n] = add_table(l, m); break;
		case IR_MEMORY_SHARED: l->memories[n] = l->workspace ? NULL : lowering_shared(l, m); break;
		}
	}
}

/* ---- Starting private memories ---- */

enum { UNROLLED_WORDS = 16 };

static LLVMValueRef word_at(struct lowering *l, LLVMValueRef base, LLVMTypeRef word, unsigned space, LLVMValueRef index)
{
	LLVMValueRef words = LLVMBuildBitCast(l->builder, base, LLVMPointerType(word, space), "");
	return LLVMBuildInBoundsGEP2(l->builder, word, words, &index, 1, "");
}

static void start_word(struct lowering *l, const struct ir_memory *m, LLVMValueRef to, uint32_t size, uint32_t n)
{
	LLVMTypeRef word = lowering_int(l, size * 8);
	uint64_t bits = 0;
	for (uint32_t b = size; m->init && b-- > 0;)
		bits = bits << 8 | m->init[n * size + b];
	LLVMValueRef store =
	    LLVMBuildStore(l->builder, LLVMConstInt(word, bits, false), word_at(l, to, word, 0, lowering_i64(l, n)));
	LLVMSetAlignment(store, size);
}

static void start_by_loop(struct lowering *l, const struct ir_memory *m, LLVMValueRef to, uint32_t size)
{
	LLVMTypeRef word = lowering_int(l, size * 8);
	LLVMValueRef zero = lowering_i64(l, 0), from = m->init ? add_table(l, m) : NULL;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef loop = lowering_block(l, "start"), after = lowering_block(l, "started");
	LLVMBuildBr(l->builder, loop);
	lowering_enter(l, loop);
	LLVMValueRef n = LLVMBuildPhi(l->builder, lowering_int(l, 64), "");
	LLVMValueRef v = LLVMConstNull(word);
	if (from) {
		v = LLVMBuildLoad2(l->builder, word, word_at(l, from, word, l->machine->table_space, n), "");
		LLVMSetAlignment(v, size);
	}
	LLVMSetAlignment(LLVMBuildStore(l->builder, v, word_at(l, to, word, 0, n)), size);
	LLVMValueRef next = LLVMBuildAdd(l->builder, n, lowering_i64(l, 1), "");
	LLVMAddIncoming(n, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, loop}, 2);
	LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntULT, next, lowering_i64(l, m->type->size / size), "");
	LLVMBuildCondBr(l->builder, more, loop, after);
	lowering_enter(l, after);
}

void lowering_private_start(struct lowering *l)
{
	for (uint32_t n = 0; n < l->kernel->memory_count; n++) {
		const struct ir_memory *m = l->kernel->memories[n];
		if (m->kind != IR_MEMORY_PRIVATE || lowering_is_one(l, m))
			continue;
		uint32_t size = m->type->align > 8 ? 8 : m->type->align, words = m->type->size / size;
		if (words > UNROLLED_WORDS) {
			start_by_loop(l, m, l->memories[n], size);
			continue;
		}
		for (uint32_t w = 0; w < words; w++)
			start_word(l, m, l->memories[n], size, w);
	}
}

/* ---- Places ---- */

LLVMValueRef lowering_base_address(const struct lowering *l, const struct ir_memory *base)
{
	uint32_t n = 0;
	while (l->kernel->memories[n] != base)
		n++;
	return l->memories[n];
}

static unsigned space_of(const struct lowering *l, const struct ir_memory *base)
{
	switch (base->kind) {
	case IR_MEMORY_BUFFER:
	case IR_MEMORY_VALUE: return l->machine->global_space;
	case IR_MEMORY_PRIVATE: return 0;
	case IR_MEMORY_SHARED: return l->machine->shared_space;
	case IR_MEMORY_TABLE: return l->machine->table_space;
	}
	return 0;
}

/* The index of a step as i64, legal even when the thread is bad: then it is 0. `count`: elements, 0 where only the
 * launch knows. Where the threads of a group must agree on a load, it does not depend on `bad` but on the bounds. */
static LLVMValueRef step_index(struct lowering *l, const struct ir_instruction *i, const struct ir_instruction *index,
                               uint64_t count)
{
	LLVMValueRef v = l->values[index->id], zero = lowering_i64(l, 0);
	if (ir_type_bits(index->type) < 64)
		v = lowering_extend(l, index->type, v, lowering_int(l, 64));
	if (lowering_certain(l) || (LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) < count))
		return v;
	if (i->op != IR_OP_load || !lowering_same(l, i))
		return lowering_guarded(l, v, zero);
	LLVMValueRef end = count ? lowering_i64(l, count) : lowering_length(l, i->base);
	return LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntULT, v, end, ""), v, zero, "");
}

/* Bytes from where the steps from `first` on start. */
static LLVMValueRef steps_offset(struct lowering *l, const struct ir_instruction *i, uint32_t first)
{
	const struct ir_type *t = i->base->type;
	LLVMValueRef offset = lowering_i64(l, 0);
	for (uint32_t n = first; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (!step->index) {
			offset = LLVMBuildAdd(l->builder, offset, lowering_i64(l, t->fields[step->field].offset), "");
			t = t->fields[step->field].type;
			continue;
		}
		LLVMValueRef index = step_index(l, i, step->index, t->count);
		t = t->element;
		offset =
		    LLVMBuildAdd(l->builder, offset, LLVMBuildMul(l->builder, index, lowering_i64(l, t->size), ""), "");
	}
	return offset;
}

/* A bad thread's index is 0, which an empty slice does not have: it reads the status record instead. */
static LLVMValueRef readable(struct lowering *l, const struct ir_instruction *i, LLVMValueRef address)
{
	bool same = i->op == IR_OP_load && lowering_same(l, i);
	LLVMValueRef good = same ? LLVMConstNull(lowering_int(l, 1)) : lowering_good(l);
	if (!good || i->base->kind != IR_MEMORY_BUFFER)
		return address;
	LLVMValueRef length = lowering_length(l, i->base);
	LLVMValueRef filled = LLVMBuildICmp(l->builder, LLVMIntNE, length, lowering_i64(l, 0), "");
	LLVMValueRef status = LLVMBuildBitCast(l->builder, l->status, LLVMTypeOf(address), "");
	return LLVMBuildSelect(l->builder, LLVMBuildOr(l->builder, good, filled, ""), address, status, "");
}

/* Step by step, each in its type: so that LLVM sees constant distances between the places of an array. */
static LLVMValueRef certain_address(struct lowering *l, const struct ir_instruction *i, LLVMTypeRef type)
{
	unsigned space = space_of(l, i->base);
	LLVMValueRef address = lowering_base_address(l, i->base);
	const struct ir_type *t = i->base->type;
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (step->index) {
			t = n == 0 && i->base->kind == IR_MEMORY_BUFFER ? t : t->element;
			address =
			    word_at(l, address, lowering_memory_type(l, t), space, step_index(l, i, step->index, 0));
			continue;
		}
		if (t->fields[step->field].offset)
			address = word_at(l, address, lowering_int(l, 8), space,
			                  lowering_i64(l, t->fields[step->field].offset));
		t = t->fields[step->field].type;
	}
	return LLVMBuildBitCast(l->builder, address, LLVMPointerType(type, space), "");
}

LLVMValueRef lowering_address(struct lowering *l, const struct ir_instruction *i, LLVMTypeRef type)
{
	if (lowering_certain(l))
		return certain_address(l, i, type);
	unsigned space = space_of(l, i->base);
	LLVMValueRef address = lowering_base_address(l, i->base);
	bool slice = i->base->kind == IR_MEMORY_BUFFER;
	LLVMValueRef offset = steps_offset(l, i, slice);
	if (slice) {
		LLVMValueRef index = step_index(l, i, i->path[0].index, 0);
		address =
		    LLVMBuildInBoundsGEP2(l->builder, lowering_memory_type(l, i->base->type), address, &index, 1, "");
	}
	if (!LLVMIsAConstantInt(offset) || LLVMConstIntGetZExtValue(offset) != 0)
		address = word_at(l, address, lowering_int(l, 8), space, offset);
	address = LLVMBuildBitCast(l->builder, address, LLVMPointerType(type, space), "");
	return readable(l, i, address);
}

/* ---- Loads and stores ---- */

/* What is read-only stays as it is while a kernel runs, which lets devices load it through other caches. Not so where a
 * failed thread reads the status record in its place. */
static void mark_load(struct lowering *l, const struct ir_memory *base, LLVMValueRef load)
{
	static const char name[] = "invariant.load";
	if (!lowering_certain(l) || base->writable)
		return;
	LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, NULL, 0);
	LLVMSetMetadata(load, LLVMGetMDKindIDInContext(l->context, name, strlen(name)),
	                LLVMMetadataAsValue(l->context, node));
}

LLVMValueRef lowering_load(struct lowering *l, const struct ir_instruction *i)
{
	LLVMTypeRef type = lowering_memory_type(l, i->type);
	LLVMValueRef address = lowering_address(l, i, type);
	LLVMValueRef v = LLVMBuildLoad2(l->builder, type, address, "");
	LLVMSetAlignment(v, i->type->align);
	mark_load(l, i->base, v);
	return lowering_from_memory(l, i->type, v);
}

static void store(struct lowering *l, const struct ir_instruction *i)
{
	const struct ir_type *t = i->operands[0]->type;
	LLVMValueRef address = lowering_address(l, i, lowering_memory_type(l, t));
	LLVMValueRef v = LLVMBuildStore(l->builder, lowering_to_memory(l, t, lowering_operand(l, i, 0)), address);
	LLVMSetAlignment(v, t->align);
}

const struct ir_instruction *lowering_stores(struct lowering *l, const struct ir_instruction *i)
{
	lowering_locate(l, i->place);
	LLVMValueRef good = lowering_good(l);
	LLVMBasicBlockRef after = good ? lowering_begin_if(l, good) : NULL;
	l->known_good = good != NULL;
	store(l, i);
	for (; i->next && i->next->op == IR_OP_store; i = i->next) {
		lowering_locate(l, i->next->place);
		store(l, i->next);
	}
	l->known_good = false;
	if (after)
		lowering_end_if(l, after);
	return i;
}
