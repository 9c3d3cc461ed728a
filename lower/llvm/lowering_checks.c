/* Checks and what happens after a failure.
 *
 * Sequential: a failing check jumps to one block that fills the trap and returns.
 *
 * Thread: no branch. `bad` is 0, or the first failed check of this thread as ir_failure_code (a kind of 0: the thread
 * is outside the grid, or has returned); `bad_value` is its index. Later loads, divisors and loop conditions look at
 * `bad`; the thread reports at its end. */
#include <stddef.h>

#include "lower/llvm/lowering.h"

bool lowering_proved(const struct lowering *l, const struct ir_instruction *i)
{
	return lowering_certain(l) || l->again || (l->proved && l->proved[i->id]);
}

bool lowering_certain(const struct lowering *l)
{
	return l->kernel->policy == IR_POLICY_PROVED;
}

LLVMValueRef lowering_good(struct lowering *l)
{
	if (l->machine->mode != MACHINE_THREAD || !l->checked || l->known_good)
		return NULL;
	LLVMValueRef bad = LLVMBuildLoad2(l->builder, lowering_int(l, 32), l->bad, "bad");
	return LLVMBuildICmp(l->builder, LLVMIntEQ, bad, lowering_i32(l, 0), "good");
}

LLVMValueRef lowering_guarded(struct lowering *l, LLVMValueRef v, LLVMValueRef safe)
{
	LLVMValueRef good = lowering_good(l);
	return good ? LLVMBuildSelect(l->builder, good, v, safe, "") : v;
}

/* ---- Thread ---- */

/* `bad` of a thread that takes no part: no kind, so nothing is reported. */
enum { ABSENT = 1 << IR_FAILURE_KIND_BITS, KIND_MASK = (1 << IR_FAILURE_KIND_BITS) - 1 };

void lowering_absent(struct lowering *l, LLVMValueRef present)
{
	LLVMValueRef bad = LLVMBuildLoad2(l->builder, lowering_int(l, 32), l->bad, "");
	LLVMValueRef good = LLVMBuildICmp(l->builder, LLVMIntEQ, bad, lowering_i32(l, 0), "");
	LLVMValueRef code = LLVMBuildSelect(l->builder, present, lowering_i32(l, 0), lowering_i32(l, ABSENT), "");
	LLVMBuildStore(l->builder, LLVMBuildSelect(l->builder, good, code, bad, ""), l->bad);
}

static void keep_first(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                       LLVMValueRef value)
{
	LLVMTypeRef i32 = lowering_int(l, 32);
	LLVMValueRef zero = lowering_i32(l, 0);
	LLVMValueRef code =
	    LLVMBuildSelect(l->builder, sound, zero, lowering_i32(l, ir_failure_code(l->kernel, i->place, kind)), "");
	LLVMValueRef bad = LLVMBuildLoad2(l->builder, i32, l->bad, "");
	LLVMValueRef good = LLVMBuildICmp(l->builder, LLVMIntEQ, bad, zero, "");
	LLVMValueRef old = LLVMBuildLoad2(l->builder, i32, l->bad_value, "");
	LLVMValueRef low = value ? LLVMBuildTrunc(l->builder, value, i32, "") : zero;
	LLVMBuildStore(l->builder, LLVMBuildSelect(l->builder, good, code, bad, ""), l->bad);
	LLVMBuildStore(l->builder, LLVMBuildSelect(l->builder, good, low, old, ""), l->bad_value);
}

static LLVMValueRef low_half(struct lowering *l, LLVMValueRef v)
{
	return LLVMBuildTrunc(l->builder, v, lowering_int(l, 32), "");
}

static LLVMValueRef high_half(struct lowering *l, LLVMValueRef v)
{
	return low_half(l, LLVMBuildLShr(l->builder, v, lowering_i64(l, 32), ""));
}

static LLVMValueRef word_address(struct lowering *l, LLVMValueRef base, LLVMValueRef index)
{
	return LLVMBuildInBoundsGEP2(l->builder, lowering_int(l, 32), base, &index, 1, "");
}

/* The value before. */
static LLVMValueRef atomic_word(struct lowering *l, LLVMAtomicRMWBinOp op, LLVMValueRef address, LLVMValueRef v)
{
	return LLVMBuildAtomicRMW(l->builder, op, address, v, LLVMAtomicOrderingMonotonic, false);
}

static LLVMValueRef bits_of(struct lowering *l, LLVMValueRef bad, unsigned from, unsigned count, const char *name)
{
	LLVMValueRef shifted = from ? LLVMBuildLShr(l->builder, bad, lowering_i32(l, from), name) : bad;
	return from + count == 32 ? shifted
	                          : LLVMBuildAnd(l->builder, shifted, lowering_i32(l, (1u << count) - 1), name);
}

/* Words 1 to 7 of the status record (design, Device ABI). */
static void write_record(struct lowering *l)
{
	bool flat = l->kernel->axes == 1;
	LLVMValueRef bad = LLVMBuildLoad2(l->builder, lowering_int(l, 32), l->bad, "");
	unsigned line_bits = ir_failure_line_bits(l->kernel), file_at = IR_FAILURE_KIND_BITS + line_bits;
	LLVMValueRef words[] = {
	    bits_of(l, bad, 0, IR_FAILURE_KIND_BITS, "kind"),
	    file_at < 32 ? bits_of(l, bad, file_at, 32 - file_at, "file") : lowering_i32(l, 1),
	    bits_of(l, bad, IR_FAILURE_KIND_BITS, line_bits, "line"),
	    low_half(l, l->global_id[0]),
	    flat ? high_half(l, l->global_id[0]) : low_half(l, l->global_id[1]),
	    low_half(l, l->global_id[2]),
	    LLVMBuildLoad2(l->builder, lowering_int(l, 32), l->bad_value, ""),
	};
	for (unsigned n = 0; n < sizeof words / sizeof *words; n++) {
		LLVMValueRef store =
		    LLVMBuildStore(l->builder, words[n], word_address(l, l->status, lowering_i64(l, n + 1)));
		LLVMSetAlignment(store, 4);
	}
}

static void mark_thread(struct lowering *l)
{
	LLVMValueRef linear = l->global_id[l->kernel->axes - 1];
	for (unsigned axis = l->kernel->axes - 1; axis-- > 0;)
		linear = LLVMBuildAdd(l->builder, LLVMBuildMul(l->builder, linear, l->extents[axis], ""),
		                      l->global_id[axis], "");
	LLVMValueRef bit = LLVMBuildAnd(l->builder, low_half(l, linear), lowering_i32(l, 31), "");
	LLVMValueRef word = word_address(l, l->mask, LLVMBuildLShr(l->builder, linear, lowering_i64(l, 5), ""));
	atomic_word(l, LLVMAtomicRMWBinOpOr, word, LLVMBuildShl(l->builder, lowering_i32(l, 1), bit, ""));
}

/* i1, or NULL: never. */
static LLVMValueRef has_failed(struct lowering *l)
{
	LLVMValueRef good = lowering_good(l);
	if (!good || !l->together)
		return good ? LLVMBuildNot(l->builder, good, "") : NULL;
	LLVMValueRef bad = LLVMBuildLoad2(l->builder, lowering_int(l, 32), l->bad, "");
	LLVMValueRef kind = LLVMBuildAnd(l->builder, bad, lowering_i32(l, KIND_MASK), "");
	return LLVMBuildICmp(l->builder, LLVMIntNE, kind, lowering_i32(l, 0), "");
}

void lowering_report(struct lowering *l)
{
	LLVMValueRef failed = has_failed(l);
	if (!failed)
		return;
	LLVMBasicBlockRef after = lowering_begin_if(l, failed);
	LLVMValueRef before = atomic_word(l, LLVMAtomicRMWBinOpAdd, l->status, lowering_i32(l, 1));
	LLVMValueRef is_first = LLVMBuildICmp(l->builder, LLVMIntEQ, before, lowering_i32(l, 0), "");
	LLVMBasicBlockRef after_record = lowering_begin_if(l, is_first);
	write_record(l);
	lowering_end_if(l, after_record);
	/* As an integer: SPIR-V compares pointers from 1.4 on only. */
	LLVMValueRef mask = LLVMBuildPtrToInt(l->builder, l->mask, lowering_int(l, 64), "");
	LLVMBasicBlockRef after_mask =
	    lowering_begin_if(l, LLVMBuildICmp(l->builder, LLVMIntNE, mask, lowering_i64(l, 0), ""));
	mark_thread(l);
	lowering_end_if(l, after_mask);
	lowering_end_if(l, after);
}

/* ---- Sequential ---- */

static void trap_field(struct lowering *l, LLVMValueRef trap, size_t offset, LLVMValueRef v)
{
	LLVMTypeRef byte = lowering_int(l, 8), type = LLVMTypeOf(v);
	LLVMValueRef at = lowering_i64(l, offset);
	LLVMValueRef address = LLVMBuildInBoundsGEP2(l->builder, byte, trap, &at, 1, "");
	LLVMBuildStore(l->builder, v, LLVMBuildBitCast(l->builder, address, LLVMPointerType(type, 0), ""));
}

/* Fields of a trap; their offsets and bits. */
static const struct trap_part {
	size_t offset;
	unsigned bits;
	const char *name;
} trap_parts[] = {
    {offsetof(struct kernel_trap, kind), 32, "kind"},          {offsetof(struct kernel_trap, line), 32, "line"},
    {offsetof(struct kernel_trap, column), 32, "column"},      {offsetof(struct kernel_trap, file), 32, "file"},
    {offsetof(struct kernel_trap, value), 64, "value"},        {offsetof(struct kernel_trap, limit), 64, "limit"},
    {offsetof(struct kernel_trap, thread), 64, "thread"},      {offsetof(struct kernel_trap, thread) + 8, 64, "thread"},
    {offsetof(struct kernel_trap, thread) + 16, 64, "thread"},
};

enum {
	TRAP_PARTS = sizeof trap_parts / sizeof *trap_parts,
	FAIL_MOST = 64, /* failures that go to one block: LLVM's time is the square of a phi's values */
};

static struct lowering_fail open_fail(struct lowering *l, const char *name)
{
	struct lowering_fail fail = {.block = lowering_block(l, name)};
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder);
	lowering_enter(l, fail.block);
	for (unsigned n = 0; n < TRAP_PARTS; n++)
		fail.phis[n] = LLVMBuildPhi(l->builder, lowering_int(l, trap_parts[n].bits), trap_parts[n].name);
	lowering_enter(l, here);
	return fail;
}

static void add_failure(struct lowering_fail *fail, LLVMValueRef values[TRAP_PARTS], LLVMBasicBlockRef from)
{
	for (unsigned n = 0; n < TRAP_PARTS; n++)
		LLVMAddIncoming(fail->phis[n], &values[n], &from, 1);
	fail->count++;
}

void lowering_fail_open(struct lowering *l)
{
	l->fail = l->fail_part = open_fail(l, "fail");
}

/* An assembly without instructions: what is not empty, LLVM does not make one with the blocks around it. */
static void close_part(struct lowering *l)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), NULL, 0, false);
	char nothing[] = "";
	lowering_enter(l, l->fail_part.block);
	LLVMValueRef assembly =
	    LLVMGetInlineAsm(type, nothing, 0, nothing, 0, true, false, LLVMInlineAsmDialectATT, false);
	LLVMBuildCall2(l->builder, type, assembly, NULL, 0, "");
	LLVMBuildBr(l->builder, l->fail.block);
	add_failure(&l->fail, l->fail_part.phis, l->fail_part.block);
	lowering_enter(l, here);
}

/* Where the next failure goes. */
static struct lowering_fail *fail_part(struct lowering *l)
{
	bool is_only = l->fail_part.block == l->fail.block;
	if (l->fail_part.count < FAIL_MOST)
		return &l->fail_part;
	if (!is_only)
		close_part(l);
	l->fail_part = open_fail(l, "fail_part");
	return &l->fail_part;
}

bool lowering_fail_close(struct lowering *l)
{
	bool used = l->fail_part.count != 0;
	if (l->fail_part.block != l->fail.block)
		close_part(l);
	if (used)
		lowering_enter(l, l->fail.block);
	else
		LLVMDeleteBasicBlock(l->fail.block);
	return used;
}

void lowering_fail_fill(struct lowering *l, LLVMValueRef trap)
{
	for (unsigned n = 0; n < TRAP_PARTS; n++)
		trap_field(l, trap, trap_parts[n].offset, l->fail.phis[n]);
}

void lowering_unlikely(struct lowering *l, LLVMValueRef branch)
{
	LLVMMetadataRef weights[] = {
	    LLVMMDStringInContext2(l->context, "branch_weights", 14),
	    LLVMValueAsMetadata(lowering_i32(l, 1 << 20)),
	    LLVMValueAsMetadata(lowering_i32(l, 1)),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, weights, 3);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "prof", 4), LLVMMetadataAsValue(l->context, node));
}

static void leave_unless(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                         LLVMValueRef value, LLVMValueRef limit)
{
	struct lowering_fail *fail = fail_part(l);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder), next = lowering_block(l, "sound");
	lowering_unlikely(l, LLVMBuildCondBr(l->builder, sound, next, fail->block));
	LLVMValueRef zero = lowering_i64(l, 0);
	LLVMValueRef values[TRAP_PARTS] = {
	    lowering_i32(l, kind),
	    lowering_i32(l, i->place.line),
	    lowering_i32(l, i->place.column),
	    lowering_i32(l, i->place.file),
	    value ? value : zero,
	    limit ? limit : zero,
	    l->global_id[0],
	    l->global_id[1],
	    l->global_id[2],
	};
	add_failure(fail, values, here);
	lowering_enter(l, next);
}

/* ---- Both ---- */

void lowering_require(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                      LLVMValueRef value, LLVMValueRef limit)
{
	if (lowering_certain(l))
		return;
	if (l->retry || l->record) {
		lowering_vector_require(l, i, kind, sound, value, limit);
		return;
	}
	switch (l->machine->mode) {
	case MACHINE_SEQUENTIAL: leave_unless(l, i, kind, sound, value, limit); return;
	case MACHINE_INVOCATION: lowering_call_out(l, i, kind, sound, value, limit); return;
	case MACHINE_THREAD:
		keep_first(l, i, kind, sound, value);
		lowering_note_failure(l, i, sound);
		return;
	}
}

static LLVMValueRef as_i64(struct lowering *l, const struct ir_instruction *i, unsigned n)
{
	LLVMValueRef v = lowering_operand(l, i, n);
	return ir_type_bits(i->operands[n]->type) == 64
	           ? v
	           : lowering_extend(l, i->operands[n]->type, v, lowering_value_int(l, 64));
}

static void check_range(struct lowering *l, const struct ir_instruction *i)
{
	bool s = ir_type_is_signed(i->operands[0]->type);
	LLVMValueRef first = lowering_operand(l, i, 0), end = lowering_operand(l, i, 1),
	             length = lowering_operand(l, i, 2);
	LLVMIntPredicate less_equal = s ? LLVMIntSLE : LLVMIntULE;
	LLVMValueRef sound = LLVMBuildAnd(l->builder, LLVMBuildICmp(l->builder, less_equal, first, end, ""),
	                                  LLVMBuildICmp(l->builder, less_equal, end, length, ""), "");
	LLVMValueRef above =
	    LLVMBuildICmp(l->builder, s ? LLVMIntSGE : LLVMIntUGE, first, LLVMConstNull(LLVMTypeOf(first)), "");
	lowering_require(l, i, TRAP_RANGE, LLVMBuildAnd(l->builder, above, sound, ""), as_i64(l, i, 1), NULL);
}

void lowering_check(struct lowering *l, const struct ir_instruction *i)
{
	if (lowering_proved(l, i))
		return;
	if (i->op == IR_OP_check) {
		lowering_require(l, i, i->trap, lowering_operand(l, i, 0), NULL, NULL);
		return;
	}
	if (i->op == IR_OP_check_range) {
		check_range(l, i);
		return;
	}
	LLVMValueRef index = lowering_operand(l, i, 0), length = lowering_operand(l, i, 1);
	LLVMValueRef sound = LLVMBuildICmp(l->builder, LLVMIntULT, index, length, "");
	if (ir_type_is_signed(i->operands[1]->type) && i->operands[1]->op != IR_OP_length) {
		/* A length that is not a memory's may be negative. */
		LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(length));
		sound = LLVMBuildAnd(l->builder, sound, LLVMBuildICmp(l->builder, LLVMIntSGT, length, zero, ""), "");
	}
	lowering_require(l, i, TRAP_INDEX, sound, as_i64(l, i, 0), as_i64(l, i, 1));
}
