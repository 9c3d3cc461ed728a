/* The entry point around a thread's body: interface, ids, the body for threads inside the grid (where there are
 * barriers, for all of a group: vulkan_shared.c), the report of a failure, one return. */
#include <assert.h>
#include <string.h>

#include "ir/hazard.h"
#include "lower/lower_negations.h"
#include "lower/private_memory.h"
#include "targets/entry_name.h"
#include "targets/vulkan/vulkan_writer.h"

enum { NAME_LIMIT = 1 << 16 };

/* ---- Settings ---- */

static uint32_t setting_word(struct vulkan_writer *w, uint32_t offset)
{
	struct vulkan_module *m = w->module;
	uint32_t word = vulkan_int(m, 32), indices[] = {vulkan_u32(m, 0), vulkan_u32(m, offset / 4)};
	return VULKAN_RESULT(w, SpvOpLoad, word,
	                     vulkan_access(w, SpvStorageClassStorageBuffer, word, w->settings, indices, 2));
}

/* 64 bits, or with 32-bit indices the low half. */
uint32_t vulkan_index_setting(struct vulkan_writer *w, uint32_t offset)
{
	uint32_t low = setting_word(w, offset);
	if (w->index_bits == 32)
		return low;
	uint32_t halves =
	    VULKAN_RESULT(w, SpvOpCompositeConstruct, vulkan_vector(w->module, 2), low, setting_word(w, offset + 4));
	return VULKAN_RESULT(w, SpvOpBitcast, vulkan_index_type(w), halves);
}

static uint32_t parameter_value(struct vulkan_writer *w, const struct ir_instruction *i)
{
	struct vulkan_module *m = w->module;
	const struct ir_type *t = i->type;
	uint32_t offset = w->interface.offsets[i->parameter], low = setting_word(w, offset);
	if (w->halves[i->id] == HALVES_LOW)
		return low;
	if (t->kind == IR_TYPE_bool)
		return vulkan_test(w, SpvOpINotEqual, low, vulkan_u32(m, 0));
	if (t->size < 4) {
		uint32_t at = vulkan_word(w, SpvOpShiftRightLogical, low, vulkan_u32(m, offset % 4 * 8));
		return vulkan_resize(w, &ir_types[IR_TYPE_u32], t->size * 8, at);
	}
	uint32_t type = vulkan_value_type(m, t);
	if (t->size == 8) {
		uint32_t high = setting_word(w, offset + 4);
		low = VULKAN_RESULT(w, SpvOpCompositeConstruct, vulkan_vector(m, 2), low, high);
	}
	return type == vulkan_int(m, 32) ? low : VULKAN_RESULT(w, SpvOpBitcast, type, low);
}

static uint32_t top_bit(struct vulkan_writer *w, uint32_t small)
{
	return vulkan_word(w, SpvOpShiftRightLogical, small, vulkan_u32(w->module, 31));
}

/* No device that must not know it has 2^31 groups. */
uint32_t vulkan_hidden_index(struct vulkan_writer *w)
{
	return top_bit(w, w->module->form->settings ? setting_word(w, w->interface.has_mask) : w->group_count[0]);
}

/* No extent reaches 2^63, and no group has 2^31 threads. llvmpipe does not know how many a group has; of floats that
 * were made with the hidden index its loops left the count wrong (test/targets/cone_vulkan_runs.test, sums). */
uint32_t vulkan_hidden_zero(struct vulkan_writer *w)
{
	const struct vulkan_form *form = w->module->form;
	if (!form->settings && !(form->hazards & IR_HAZARD_ROUNDS))
		return vulkan_hidden_index(w);
	return top_bit(w, form->settings ? setting_word(w, w->interface.extents[0] + 4) : w->local_index);
}

uint32_t vulkan_with_hidden_zero(struct vulkan_writer *w, uint32_t bits, uint32_t v)
{
	uint32_t zero = vulkan_resize(w, &ir_types[IR_TYPE_u32], bits, vulkan_hidden_zero(w));
	return VULKAN_RESULT(w, SpvOpBitwiseXor, vulkan_int(w->module, bits), v, zero);
}

/* NIR of Mesa 22.3 takes every number of 32 bits, extended by its sign, for less than a constant, or for more: it
 * compares the constant with the least number of 32 bits, extended by zeros. NVIDIA's compiler (580) takes
 * `(x % y & 1) * 3` of 64 bits for 3, whatever x. And NVIDIA's lose the sign of a negation (lower_negations). */
bool vulkan_hides_integer(const struct ir_instruction *i)
{
	if (lower_is_negation(i))
		return true;
	if (!ir_type_is_integer(i->type) || ir_type_bits(i->type) < 64)
		return false;
	const struct ir_type *from = i->op == IR_OP_convert ? i->operands[0]->type : NULL;
	return i->op == IR_OP_irem_trap || i->op == IR_OP_irem ||
	       (from && ir_type_is_integer(from) && ir_type_is_signed(from) && ir_type_bits(from) < 64);
}

/* What a compiler may know bits of, also from a store. */
static bool is_computed(const struct ir_instruction *i)
{
	bool given = i->op < IR_OP_iadd || (i->op == IR_OP_load && !i->base->writable);
	return !given && !vulkan_hides_integer(i);
}

/* NVIDIA's compiler (580), in a kernel that has quotients of 64 bits, shifts known low bits out of x in `x > C`, and
 * its sign with them: it takes (x << 1) > 0 for x << 1 != 0, also at the start of `for i in 0..x << 1`. */
static bool hides_operand(const struct ir_instruction *i, unsigned n)
{
	bool compares = i->op == IR_OP_lt || i->op == IR_OP_le || i->op == IR_OP_gt || i->op == IR_OP_ge;
	if (!compares && (i->op != IR_OP_for || n != 1))
		return false;
	const struct ir_instruction *x = i->operands[n], *y = i->operands[compares ? 1 - n : 0];
	return ir_type_is_integer(x->type) && ir_type_is_signed(x->type) && ir_type_bits(x->type) == 64 &&
	       is_computed(x) && (y->op == IR_OP_const || is_computed(y));
}

uint32_t vulkan_compared(struct vulkan_writer *w, const struct ir_instruction *i, unsigned n)
{
	uint32_t v = vulkan_operand(w, i, n);
	return hides_operand(i, n) ? vulkan_with_hidden_zero(w, 64, v) : v;
}

/* What is promised of zeros' signs (SignedZeroInfNanPreserve) does not hold for constants in llvmpipe of Mesa 22.3,
 * which takes x for x + 0.0, -x for 0.0 - x and 0.0 for x * 0.0, and anything for x / 0.0. It finds zeros in other
 * constants, too. */
static uint32_t hidden_constant(struct vulkan_writer *w, const struct ir_type *t, uint64_t bits)
{
	struct vulkan_module *m = w->module;
	uint32_t word = vulkan_hidden_zero(w), upper = (uint32_t)(t->size == 8 ? bits >> 32 : bits);
	word = upper ? vulkan_word(w, SpvOpBitwiseOr, word, vulkan_u32(m, upper)) : word;
	if (t->size == 8)
		word =
		    VULKAN_RESULT(w, SpvOpCompositeConstruct, vulkan_vector(m, 2), vulkan_u32(m, (uint32_t)bits), word);
	return VULKAN_RESULT(w, SpvOpBitcast, vulkan_value_type(m, t), word);
}

bool vulkan_hides_float(const struct vulkan_form *form, const struct ir_instruction *i)
{
	bool given = i->op == IR_OP_const, made = i->op == IR_OP_convert && ir_type_is_integer(i->operands[0]->type);
	if (!(given || made) || !ir_type_is_float(i->type))
		return false;
	uint64_t sign = (uint64_t)1 << (ir_type_bits(i->type) - 1);
	bool software = form->hazards & IR_HAZARD_ROUNDS;
	/* NVIDIA's compiler takes +0.0 for it in `x < y ? 1.0 : -0.0` (lower/lower_zeros.c). */
	bool negative_zero = given && i->type->kind == IR_TYPE_f32 && i->bits == sign;
	return (made || software || !(i->bits & (sign - 1))) && (software || form->settings || negative_zero);
}

bool vulkan_hides(const struct vulkan_form *form, const struct ir_instruction *i)
{
	return vulkan_hides_float(form, i) || vulkan_hides_integer(i) || hides_operand(i, 0) || hides_operand(i, 1);
}

static uint32_t constant(struct vulkan_writer *w, const struct ir_instruction *i)
{
	if (vulkan_hides_float(w->module->form, i))
		return hidden_constant(w, i->type, i->bits);
	return vulkan_constant(w->module, i->type, i->bits);
}

uint32_t vulkan_given(struct vulkan_writer *w, const struct ir_instruction *i)
{
	switch ((int)i->op) {
	case IR_OP_const: return constant(w, i);
	case IR_OP_parameter: return parameter_value(w, i);
	case IR_OP_length: return vulkan_length(w, i->base);
	case IR_OP_global_id: return w->global_id[i->axis];
	case IR_OP_local_id: return w->local_id[i->axis];
	case IR_OP_group_id: return w->group_id[i->axis];
	case IR_OP_group_size: return vulkan_index_constant(w, w->kernel->group[i->axis]);
	case IR_OP_grid_size: return w->extents[i->axis];
	}
	assert(!"not a given value");
	return 0;
}

/* ---- The interface ---- */

static uint32_t words_buffer(struct vulkan_writer *w, const char *name, uint32_t binding, bool writable)
{
	uint32_t block = vulkan_block(w->module, vulkan_int(w->module, 32), 4, true, writable);
	return vulkan_buffer(w, &(struct vulkan_buffer){block, binding, writable, false}, name);
}

static void make_buffers(struct vulkan_writer *w)
{
	const struct vulkan_interface *i = &w->interface;
	const struct vulkan_form *form = w->module->form;
	if (form->settings)
		w->settings = words_buffer(w, "settings", i->settings, false);
	/* With settings a launch has it in any case. */
	if (i->status != UINT32_MAX && (form->settings || w->checked))
		w->status = words_buffer(w, form->dotted_names ? "errors" : "status", i->status, true);
	if (i->status != UINT32_MAX && form->mask)
		w->mask = words_buffer(w, "mask", i->mask, true);
}

static uint32_t array_length(struct vulkan_writer *w, uint32_t variable)
{
	uint32_t length = VULKAN_RESULT(w, SpvOpArrayLength, vulkan_int(w->module, 32), variable, 0);
	return vulkan_resize(w, &ir_types[IR_TYPE_u32], w->index_bits, length);
}

static void read_lengths(struct vulkan_writer *w)
{
	for (uint32_t n = 0; n < w->kernel->memory_count; n++) {
		const struct ir_memory *m = w->kernel->memories[n];
		if (m->kind != IR_MEMORY_BUFFER)
			continue;
		struct vulkan_memory *made = &w->memories[n];
		made->length = w->module->form->settings ? vulkan_index_setting(w, w->interface.offsets[m->parameter])
		                                         : array_length(w, made->variable);
	}
}

static uint32_t inside_grid(struct vulkan_writer *w)
{
	uint32_t inside = 0;
	for (unsigned axis = 0; axis < w->kernel->axes; axis++) {
		uint32_t here = vulkan_test(w, SpvOpULessThan, w->global_id[axis], w->extents[axis]);
		inside = inside ? vulkan_both(w, inside, here) : here;
	}
	return inside;
}

/* ---- The body ---- */

/* A return is a jump out of a switch with one case: the only construct that can be left from any depth of selections.
 */
static void write_body(struct vulkan_writer *w)
{
	struct vulkan_module *m = w->module;
	bool returns = !w->together && segments_return(w->kernel);
	w->thread_end = vulkan_id(m);
	if (returns) {
		uint32_t body = vulkan_id(m);
		VULKAN_DO(w, SpvOpSelectionMerge, w->thread_end, SpvSelectionControlMaskNone);
		VULKAN_DO(w, SpvOpSwitch, vulkan_u32(m, 0), body);
		vulkan_label(w, body);
	}
	vulkan_region(w, &w->kernel->body);
	vulkan_jump(w, w->thread_end);
	vulkan_label(w, w->thread_end);
	vulkan_report(w);
}

static void write_thread(struct vulkan_writer *w)
{
	uint32_t inside = w->module->form->settings ? inside_grid(w) : 0; /* 0: there is nothing outside */
	if (w->together || !inside) {
		if (inside)
			vulkan_absent(w, inside);
		vulkan_shared_start(w);
		write_body(w);
	} else {
		uint32_t after = vulkan_begin_if(w, inside);
		write_body(w);
		vulkan_end_if(w, after);
	}
	vulkan_write(w->module, &w->code, SpvOpReturn, NULL, 0);
}

/* ---- The function ---- */

static void find_float(const struct ir_type *t, bool *found)
{
	found[t->kind == IR_TYPE_f64] |= ir_type_is_float(t);
}

static bool find_floats(void *context, struct ir_instruction *i)
{
	find_float(i->type, context);
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		find_float(i->operands[n]->type, context);
	return true;
}

static void add_mode(struct vulkan_module *m, uint32_t function, SpvExecutionMode mode, SpvCapability capability,
                     uint32_t bits)
{
	vulkan_need(m, capability);
	vulkan_need_extension(m, "SPV_KHR_float_controls", 0x00010400);
	VULKAN_WRITE(m, &m->sections[SECTION_MODES], SpvOpExecutionMode, function, mode, bits);
}

/* SPV_KHR_float_controls: what the kernel's floats rely on. */
static void add_float_modes(struct vulkan_writer *w, uint32_t function)
{
	static const uint32_t flushes[2] = {IR_HAZARD_FLUSH_F32, IR_HAZARD_FLUSH_F64};
	struct vulkan_module *m = w->module;
	bool found[2] = {false, false};
	ir_visit(&w->kernel->body, find_floats, found);
	for (uint32_t n = 0; n < 2; n++) {
		uint32_t bits = n ? 64 : 32;
		if (!found[n] || !m->form->float_modes)
			continue;
		add_mode(m, function, SpvExecutionModeSignedZeroInfNanPreserve, SpvCapabilitySignedZeroInfNanPreserve,
		         bits);
		add_mode(m, function, SpvExecutionModeRoundingModeRTE, SpvCapabilityRoundingModeRTE, bits);
		if (!(m->form->hazards & flushes[n]))
			add_mode(m, function, SpvExecutionModeDenormPreserve, SpvCapabilityDenormPreserve, bits);
	}
}

static void add_entry(struct vulkan_writer *w, uint32_t function)
{
	struct vulkan_module *m = w->module;
	const uint32_t *group = w->kernel->group;
	uint32_t words[] = {SpvExecutionModelGLCompute, function};
	struct words before = {.items = words, .count = 2};
	struct text name = {0};
	entry_name("vulkan", w->kernel, &name);
	vulkan_write_name(m, SECTION_ENTRY_POINTS, SpvOpEntryPoint, &before, text_string(&name), &w->globals);
	VULKAN_WRITE(m, &m->sections[SECTION_MODES], SpvOpExecutionMode, function, SpvExecutionModeLocalSize, group[0],
	             group[1], group[2]);
	vulkan_name(m, function, text_string(&name));
	text_free(&name);
}

static void add_function(struct vulkan_writer *w)
{
	struct vulkan_module *m = w->module;
	struct words *functions = &m->sections[SECTION_FUNCTIONS];
	uint32_t nothing = vulkan_void(m), function = vulkan_id(m), entry = vulkan_id(m);
	VULKAN_WRITE(m, functions, SpvOpFunction, nothing, function, SpvFunctionControlMaskNone,
	             VULKAN_TYPE(m, SpvOpTypeFunction, nothing));
	VULKAN_WRITE(m, functions, SpvOpLabel, entry);
	for (size_t n = 0; n < w->variables.count; n++)
		words_add(functions, w->variables.items[n]);
	VULKAN_WRITE(m, functions, SpvOpBranch, w->start);
	for (size_t n = 0; n < w->code.count; n++)
		words_add(functions, w->code.items[n]);
	vulkan_write(m, functions, SpvOpFunctionEnd, NULL, 0);
	add_entry(w, function);
	add_float_modes(w, function);
}

static bool cannot_fail(void *context, struct ir_instruction *i)
{
	return !(ir_op_infos[i->op].flags & IR_FLAG_TRAP) && !vulkan_may_be_inexact(context, i);
}

static bool write_kernel(struct vulkan_writer *w, struct text *error)
{
	struct ir_kernel *k = (struct ir_kernel *)w->kernel;
	w->start = vulkan_id(w->module);
	vulkan_label(w, w->start);
	w->checked = k->policy != IR_POLICY_PROVED && !ir_visit(&k->body, cannot_fail, k);
	w->checked |= vulkan_rounds_needed(w->module->form, k);
	vulkan_find_halves(w);
	if (!vulkan_memories(w, error))
		return false;
	make_buffers(w);
	read_lengths(w);
	vulkan_ids_start(w);
	vulkan_find_together(w);
	vulkan_checks_start(w);
	vulkan_rounds_start(w);
	w->locals = ARENA_ARRAY(w->arena, uint32_t, k->local_count);
	for (uint32_t n = 0; n < k->local_count; n++)
		w->locals[n] = vulkan_local(w, vulkan_value_type(w->module, k->locals[n]->type), 0, k->locals[n]->name);
	write_thread(w);
	add_function(w);
	return true;
}

/* A thread's own memory, and names, which are one instruction each. */
static bool fits(const struct ir_kernel *k, struct text *error)
{
	bool short_name = strlen(k->name) <= NAME_LIMIT;
	if (!short_name)
		text_add_format(error, "kernel %.64s...: its name is longer than %d bytes", k->name, NAME_LIMIT);
	return short_name && private_memory_fits(k, error);
}

bool vulkan_kernel(struct vulkan_module *m, const struct ir_kernel *k, struct text *error)
{
	struct arena arena = {0};
	struct vulkan_writer w = {.module = m, .kernel = k, .arena = &arena};
	w.interface = vulkan_interface_make(k, &arena);
	w.values = ARENA_ARRAY(&arena, uint32_t, k->next_id);
	w.index_bits = ir_type_bits(&ir_types[k->index]);
	bool good = fits(k, error) && write_kernel(&w, error);
	words_free(&w.variables);
	words_free(&w.code);
	words_free(&w.globals);
	arena_free(&arena);
	return good;
}
