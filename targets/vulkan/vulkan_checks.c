/* Checks and what happens after a failure, without branches: `bad` is 0, or the first failed check of this thread as
 * line * 16 + kind (a kind of 0: the thread is outside the grid, or has returned); `bad_value` is its index. Later
 * loads, divisors and loop conditions look at `bad`; the thread reports at its end. */
#include "targets/vulkan/vulkan_writer.h"

enum { ABSENT = 1 << IR_FAILURE_KIND_BITS, KIND_MASK = (1 << IR_FAILURE_KIND_BITS) - 1 };

void vulkan_checks_start(struct vulkan_writer *w)
{
	struct vulkan_module *m = w->module;
	if (!w->checked)
		return;
	w->bad = vulkan_local(w, vulkan_int(m, 32), vulkan_u32(m, 0), "bad");
	w->bad_value = vulkan_local(w, vulkan_int(m, 32), vulkan_u32(m, 0), "bad_value");
	if (w->together)
		w->group_bad = vulkan_local(w, vulkan_bool(m), vulkan_truth(m, false), "group_bad");
}

static uint32_t load_word(struct vulkan_writer *w, uint32_t variable)
{
	return vulkan_load_variable(w, vulkan_int(w->module, 32), variable);
}

static uint32_t is_zero(struct vulkan_writer *w, uint32_t word)
{
	return vulkan_test(w, SpvOpIEqual, word, vulkan_u32(w->module, 0));
}

static uint32_t select_word(struct vulkan_writer *w, uint32_t condition, uint32_t x, uint32_t y)
{
	return vulkan_select(w, vulkan_int(w->module, 32), condition, x, y);
}

uint32_t vulkan_good(struct vulkan_writer *w)
{
	return !w->checked || w->known_good ? 0 : is_zero(w, load_word(w, w->bad));
}

void vulkan_absent(struct vulkan_writer *w, uint32_t present)
{
	if (!w->checked)
		return;
	uint32_t bad = load_word(w, w->bad);
	uint32_t code = select_word(w, present, vulkan_u32(w->module, 0), vulkan_u32(w->module, ABSENT));
	VULKAN_DO(w, SpvOpStore, w->bad, select_word(w, is_zero(w, bad), code, bad));
}

void vulkan_require(struct vulkan_writer *w, const struct ir_instruction *i, enum trap_kind kind, uint32_t sound,
                    uint32_t value)
{
	if (w->kernel->policy == IR_POLICY_PROVED)
		return;
	uint32_t zero = vulkan_u32(w->module, 0);
	uint32_t code = select_word(w, sound, zero, vulkan_u32(w->module, ir_failure_code(w->kernel, i->place, kind)));
	uint32_t bad = load_word(w, w->bad), good = is_zero(w, bad), old = load_word(w, w->bad_value);
	VULKAN_DO(w, SpvOpStore, w->bad, select_word(w, good, code, bad));
	VULKAN_DO(w, SpvOpStore, w->bad_value, select_word(w, good, value ? value : zero, old));
	vulkan_note_failure(w, i, sound);
}

/* ---- The report ---- */

static uint32_t word_of(struct vulkan_writer *w, uint32_t buffer, uint32_t index)
{
	uint32_t indices[] = {vulkan_u32(w->module, 0), index};
	return vulkan_access(w, SpvStorageClassStorageBuffer, vulkan_int(w->module, 32), buffer, indices, 2);
}

static uint32_t low_half(struct vulkan_writer *w, uint32_t id)
{
	return vulkan_low(w, w->index_bits, id);
}

static uint32_t high_half(struct vulkan_writer *w, uint32_t id)
{
	if (w->index_bits == 32)
		return vulkan_u32(w->module, 0);
	return low_half(w,
	                VULKAN_RESULT(w, SpvOpShiftRightLogical, vulkan_index_type(w), id, vulkan_u32(w->module, 32)));
}

/* Words 1 to 7 of the status record (design, Device ABI). */
static void write_record(struct vulkan_writer *w)
{
	uint32_t bad = load_word(w, w->bad), words[7], n = 0;
	words[n++] = vulkan_word(w, SpvOpBitwiseAnd, bad, vulkan_u32(w->module, KIND_MASK));
	unsigned line_bits = ir_failure_line_bits(w->kernel), file_at = IR_FAILURE_KIND_BITS + line_bits;
	uint32_t line = vulkan_word(w, SpvOpShiftRightLogical, bad, vulkan_u32(w->module, IR_FAILURE_KIND_BITS));
	words[n++] = file_at < 32 ? vulkan_word(w, SpvOpShiftRightLogical, bad, vulkan_u32(w->module, file_at))
	                          : vulkan_u32(w->module, 1);
	words[n++] =
	    file_at < 32 ? vulkan_word(w, SpvOpBitwiseAnd, line, vulkan_u32(w->module, (1u << line_bits) - 1)) : line;
	words[n++] = low_half(w, w->global_id[0]);
	words[n++] = w->kernel->axes == 1 ? high_half(w, w->global_id[0]) : low_half(w, w->global_id[1]);
	words[n++] = low_half(w, w->global_id[2]);
	words[n++] = load_word(w, w->bad_value);
	while (n-- > 0)
		VULKAN_DO(w, SpvOpStore, word_of(w, w->status, vulkan_u32(w->module, n + 1)), words[n]);
}

static uint32_t atomic_word(struct vulkan_writer *w, SpvOp op, uint32_t address, uint32_t value)
{
	return VULKAN_RESULT(w, op, vulkan_int(w->module, 32), address, vulkan_u32(w->module, SpvScopeDevice),
	                     vulkan_u32(w->module, w->module->form->failure_semantics), value);
}

static void mark_thread(struct vulkan_writer *w)
{
	uint32_t type = vulkan_index_type(w), linear = w->global_id[w->kernel->axes - 1];
	for (unsigned axis = w->kernel->axes - 1; axis-- > 0;) {
		linear = VULKAN_RESULT(w, SpvOpIMul, type, linear, w->extents[axis]);
		linear = VULKAN_RESULT(w, SpvOpIAdd, type, linear, w->global_id[axis]);
	}
	uint32_t bit = vulkan_word(w, SpvOpBitwiseAnd, low_half(w, linear), vulkan_u32(w->module, 31));
	uint32_t word = VULKAN_RESULT(w, SpvOpShiftRightLogical, type, linear, vulkan_u32(w->module, 5));
	uint32_t address = word_of(w, w->mask, low_half(w, word));
	atomic_word(w, SpvOpAtomicOr, address, vulkan_word(w, SpvOpShiftLeftLogical, vulkan_u32(w->module, 1), bit));
}

/* What whoever reads the record must not believe (vulkan_rounds.c). */
static void mark_inexact(struct vulkan_writer *w)
{
	struct vulkan_module *m = w->module;
	uint32_t kind = vulkan_word(w, SpvOpBitwiseAnd, load_word(w, w->bad), vulkan_u32(m, KIND_MASK));
	uint32_t after = vulkan_begin_if(w, vulkan_test(w, SpvOpIEqual, kind, vulkan_u32(m, TRAP_INEXACT)));
	atomic_word(w, SpvOpAtomicOr, word_of(w, w->status, vulkan_u32(m, 0)), vulkan_u32(m, UINT32_C(1) << 31));
	vulkan_end_if(w, after);
}

/* A bool. */
static uint32_t has_failed(struct vulkan_writer *w)
{
	uint32_t bad = load_word(w, w->bad);
	if (w->together)
		bad = vulkan_word(w, SpvOpBitwiseAnd, bad, vulkan_u32(w->module, KIND_MASK));
	return vulkan_test(w, SpvOpINotEqual, bad, vulkan_u32(w->module, 0));
}

void vulkan_report(struct vulkan_writer *w)
{
	if (!w->checked || !w->status)
		return;
	struct vulkan_module *m = w->module;
	uint32_t after = vulkan_begin_if(w, has_failed(w));
	uint32_t before = atomic_word(w, SpvOpAtomicIAdd, word_of(w, w->status, vulkan_u32(m, 0)), vulkan_u32(m, 1));
	uint32_t after_record = vulkan_begin_if(w, is_zero(w, before));
	write_record(w);
	vulkan_end_if(w, after_record);
	if (m->form->mask) {
		uint32_t at = vulkan_u32(m, w->interface.has_mask / 4);
		uint32_t has_mask = load_word(w, word_of(w, w->settings, at));
		uint32_t after_mask = vulkan_begin_if(w, vulkan_test(w, SpvOpINotEqual, has_mask, vulkan_u32(m, 0)));
		mark_thread(w);
		vulkan_end_if(w, after_mask);
	} else if (w->rounds) {
		mark_inexact(w);
	}
	vulkan_end_if(w, after);
}

/* ---- Checks ---- */

static uint32_t value_of(struct vulkan_writer *w, const struct ir_instruction *i, unsigned n)
{
	return vulkan_resize(w, i->operands[n]->type, 32, vulkan_operand(w, i, n));
}

static void check_range(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *t = i->operands[0]->type;
	bool s = ir_type_is_signed(t);
	uint32_t first = vulkan_operand(w, i, 0), end = vulkan_operand(w, i, 1), length = vulkan_operand(w, i, 2);
	SpvOp less_equal = s ? SpvOpSLessThanEqual : SpvOpULessThanEqual;
	uint32_t sound =
	    vulkan_both(w, vulkan_test(w, less_equal, first, end), vulkan_test(w, less_equal, end, length));
	if (s)
		sound = vulkan_both(w, sound,
		                    vulkan_test(w, SpvOpSGreaterThanEqual, first, vulkan_constant(w->module, t, 0)));
	vulkan_require(w, i, TRAP_RANGE, sound, value_of(w, i, 1));
}

static void check_index(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t index = vulkan_operand(w, i, 0), length = vulkan_operand(w, i, 1);
	const struct ir_instruction *end = i->operands[1];
	uint32_t sound = vulkan_test(w, SpvOpULessThan, index, length);
	/* A length that is not a memory's may be negative. */
	if (ir_type_is_signed(end->type) && end->op != IR_OP_length)
		sound = vulkan_both(
		    w, sound, vulkan_test(w, SpvOpSGreaterThan, length, vulkan_constant(w->module, end->type, 0)));
	vulkan_require(w, i, TRAP_INDEX, sound, value_of(w, i, 0));
}

void vulkan_check(struct vulkan_writer *w, const struct ir_instruction *i)
{
	if (w->kernel->policy == IR_POLICY_PROVED)
		return;
	switch ((int)i->op) {
	case IR_OP_check: vulkan_require(w, i, i->trap, vulkan_operand(w, i, 0), 0); return;
	case IR_OP_check_range: check_range(w, i); return;
	}
	check_index(w, i);
}
