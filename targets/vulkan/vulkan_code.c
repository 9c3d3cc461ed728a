/* Single instructions, values and blocks. */
#include "targets/vulkan/vulkan_writer.h"

/* What the writer must know of an opcode. */
static const struct opcode_fact {
	SpvOp op;
	bool rounds; /* it may be contracted with another, which is forbidden (spec/sspur.md 1.3) */
} opcode_facts[] = {
    {SpvOpFNegate, true}, {SpvOpFAdd, true}, {SpvOpFSub, true}, {SpvOpFMul, true}, {SpvOpFDiv, true},
};

static bool rounds(SpvOp op)
{
	for (size_t n = 0; n < sizeof opcode_facts / sizeof *opcode_facts; n++)
		if (opcode_facts[n].op == op)
			return opcode_facts[n].rounds;
	return false;
}

uint32_t vulkan_result(struct vulkan_writer *w, SpvOp op, uint32_t type, const uint32_t *operands, size_t count)
{
	uint32_t words[16], id = vulkan_id(w->module), *all = words;
	if (count + 2 > sizeof words / sizeof *words)
		all = ARENA_ARRAY(w->arena, uint32_t, count + 2);
	all[0] = type;
	all[1] = id;
	for (size_t n = 0; n < count; n++)
		all[n + 2] = operands[n];
	vulkan_write(w->module, &w->code, op, all, count + 2);
	if (rounds(op))
		VULKAN_DECORATE(w->module, id, SpvDecorationNoContraction);
	return id;
}

uint32_t vulkan_glsl(struct vulkan_writer *w, enum GLSLstd450 function, uint32_t type, uint32_t x)
{
	return VULKAN_RESULT(w, SpvOpExtInst, type, vulkan_import(w->module), function, x);
}

uint32_t vulkan_glsl2(struct vulkan_writer *w, enum GLSLstd450 function, uint32_t type, uint32_t x, uint32_t y)
{
	return VULKAN_RESULT(w, SpvOpExtInst, type, vulkan_import(w->module), function, x, y);
}

uint32_t vulkan_operand(struct vulkan_writer *w, const struct ir_instruction *i, unsigned n)
{
	return w->values[i->operands[n]->id];
}

uint32_t vulkan_test(struct vulkan_writer *w, SpvOp op, uint32_t x, uint32_t y)
{
	return VULKAN_RESULT(w, op, vulkan_bool(w->module), x, y);
}

uint32_t vulkan_both(struct vulkan_writer *w, uint32_t x, uint32_t y)
{
	return vulkan_test(w, SpvOpLogicalAnd, x, y);
}

uint32_t vulkan_not(struct vulkan_writer *w, uint32_t x)
{
	return VULKAN_RESULT(w, SpvOpLogicalNot, vulkan_bool(w->module), x);
}

uint32_t vulkan_select(struct vulkan_writer *w, uint32_t type, uint32_t condition, uint32_t x, uint32_t y)
{
	return VULKAN_RESULT(w, SpvOpSelect, type, condition, x, y);
}

uint32_t vulkan_word(struct vulkan_writer *w, SpvOp op, uint32_t x, uint32_t y)
{
	return VULKAN_RESULT(w, op, vulkan_int(w->module, 32), x, y);
}

uint32_t vulkan_index_type(struct vulkan_writer *w)
{
	return vulkan_int(w->module, w->index_bits);
}

uint32_t vulkan_index_constant(struct vulkan_writer *w, uint64_t value)
{
	return vulkan_constant_int(w->module, w->index_bits, value);
}

uint32_t vulkan_resize(struct vulkan_writer *w, const struct ir_type *from, uint32_t bits, uint32_t v)
{
	if (ir_type_bits(from) == bits)
		return v;
	bool extend = ir_type_is_signed(from) && ir_type_bits(from) < bits;
	return VULKAN_RESULT(w, extend ? SpvOpSConvert : SpvOpUConvert, vulkan_int(w->module, bits), v);
}

uint32_t vulkan_low(struct vulkan_writer *w, uint32_t from_bits, uint32_t v)
{
	return from_bits == 32 ? v : VULKAN_RESULT(w, SpvOpUConvert, vulkan_int(w->module, 32), v);
}

/* ---- Variables ---- */

uint32_t vulkan_local(struct vulkan_writer *w, uint32_t type, uint32_t initial, const char *name)
{
	struct vulkan_module *m = w->module;
	uint32_t id = vulkan_id(m), pointer = vulkan_pointer(m, SpvStorageClassFunction, type);
	if (initial)
		VULKAN_WRITE(m, &w->variables, SpvOpVariable, pointer, id, SpvStorageClassFunction, initial);
	else
		VULKAN_WRITE(m, &w->variables, SpvOpVariable, pointer, id, SpvStorageClassFunction);
	vulkan_name(m, id, name);
	return id;
}

uint32_t vulkan_load_variable(struct vulkan_writer *w, uint32_t type, uint32_t variable)
{
	return VULKAN_RESULT(w, SpvOpLoad, type, variable);
}

/* From 1.4 on every variable of the module is in the interface, before that inputs and outputs alone are (2.17). */
void vulkan_use_global(struct vulkan_writer *w, SpvStorageClass storage, uint32_t variable)
{
	if (storage == SpvStorageClassInput || w->module->form->version >= 0x00010400)
		words_add(&w->globals, variable);
}

uint32_t vulkan_private(struct vulkan_writer *w, uint32_t type, uint32_t initial, const char *name)
{
	struct vulkan_module *m = w->module;
	uint32_t pointer = vulkan_pointer(m, SpvStorageClassPrivate, type), id = vulkan_id(m);
	VULKAN_WRITE(m, &m->sections[SECTION_GLOBALS], SpvOpVariable, pointer, id, SpvStorageClassPrivate, initial);
	vulkan_name(m, id, name);
	vulkan_use_global(w, SpvStorageClassPrivate, id);
	return id;
}

uint32_t vulkan_buffer(struct vulkan_writer *w, const struct vulkan_buffer *b, const char *name)
{
	if (w->module->form->dotted_names)
		name = arena_format(w->arena, "%s.%s", w->kernel->name, name);
	uint32_t id = vulkan_buffer_variable(w->module, b, name);
	vulkan_use_global(w, SpvStorageClassStorageBuffer, id);
	return id;
}

uint32_t vulkan_access(struct vulkan_writer *w, SpvStorageClass storage, uint32_t type, uint32_t base,
                       const uint32_t *indices, size_t count)
{
	uint32_t *operands = ARENA_ARRAY(w->arena, uint32_t, count + 1);
	if (!count)
		return base;
	operands[0] = base;
	for (size_t n = 0; n < count; n++)
		operands[n + 1] = indices[n];
	return vulkan_result(w, SpvOpAccessChain, vulkan_pointer(w->module, storage, type), operands, count + 1);
}

/* ---- Blocks ---- */

void vulkan_label(struct vulkan_writer *w, uint32_t label)
{
	VULKAN_DO(w, SpvOpLabel, label);
	w->block = label;
	w->ended = false;
}

void vulkan_jump(struct vulkan_writer *w, uint32_t label)
{
	if (w->ended)
		return;
	VULKAN_DO(w, SpvOpBranch, label);
	w->ended = true;
}

uint32_t vulkan_begin_if(struct vulkan_writer *w, uint32_t condition)
{
	uint32_t then = vulkan_id(w->module), after = vulkan_id(w->module);
	VULKAN_DO(w, SpvOpSelectionMerge, after, SpvSelectionControlMaskNone);
	VULKAN_DO(w, SpvOpBranchConditional, condition, then, after);
	vulkan_label(w, then);
	return after;
}

void vulkan_end_if(struct vulkan_writer *w, uint32_t after)
{
	vulkan_jump(w, after);
	vulkan_label(w, after);
}
