/* Memories, places, loads and stores. Addressing is logical: a place is an access chain from its variable. */
#include "targets/vulkan/vulkan_writer.h"

/* ---- Making memories ---- */

static bool find_float_atomic(void *context, struct ir_instruction *i)
{
	bool is_float = (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) && i->type->kind == IR_TYPE_f32;
	return !(is_float && i->base == context);
}

/* A barrier of storage, or an ordered atomic, shows other threads what was written to buffers. */
static bool is_private(void *context, struct ir_instruction *i)
{
	(void)context;
	bool ordered = (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) && i->order != IR_ORDER_RELAXED;
	return !ordered && !(i->op == IR_OP_barrier && i->barrier == IR_BARRIER_STORAGE);
}

static void make_buffer(struct vulkan_writer *w, const struct ir_memory *m, struct vulkan_memory *made, bool coherent)
{
	struct vulkan_module *module = w->module;
	made->storage = SpvStorageClassStorageBuffer;
	made->layout.explicit_offsets = true;
	uint32_t element = vulkan_memory_type(module, made->layout, m->type);
	uint32_t block = vulkan_block(module, element, m->type->size, m->kind == IR_MEMORY_BUFFER, m->writable);
	made->variable = vulkan_buffer(
	    w,
	    &(struct vulkan_buffer){block, w->interface.bindings[m->parameter], m->writable, m->writable && coherent},
	    w->kernel->parameters[m->parameter].name);
}

static bool make_own(struct vulkan_writer *w, const struct ir_memory *m, struct vulkan_memory *made, struct text *error)
{
	struct vulkan_module *module = w->module;
	uint32_t type = vulkan_memory_type(module, made->layout, m->type);
	uint32_t initial =
	    m->init ? vulkan_memory_constant(module, made->layout, m->type, m->init) : vulkan_null(module, type);
	made->storage = m->kind == IR_MEMORY_PRIVATE ? module->form->private_class : SpvStorageClassFunction;
	if (!initial) {
		text_add_format(error, "kernel %s: an array of its constants has too many elements for SPIR-V",
		                w->kernel->name);
		return false;
	}
	made->variable = made->storage == SpvStorageClassFunction ? vulkan_local(w, type, initial, m->name)
	                                                          : vulkan_private(w, type, initial, m->name);
	return true;
}

static void make_shared(struct vulkan_writer *w, const struct ir_memory *m, struct vulkan_memory *made)
{
	uint32_t type = vulkan_memory_type(w->module, made->layout, m->type), n = 0;
	for (const struct vulkan_memory *before = w->memories; before < made; before++)
		n += before->type == type && before->storage == SpvStorageClassWorkgroup;
	made->type = type;
	made->storage = SpvStorageClassWorkgroup;
	made->variable = vulkan_workgroup_variable(w->module, type, n, m->name);
	vulkan_use_global(w, made->storage, made->variable);
}

bool vulkan_memories(struct vulkan_writer *w, struct text *error)
{
	const struct ir_kernel *k = w->kernel;
	bool coherent = !ir_visit(&k->body, is_private, NULL);
	w->memories = ARENA_ARRAY(w->arena, struct vulkan_memory, k->memory_count);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		struct ir_memory *m = k->memories[n];
		struct vulkan_memory *made = &w->memories[n];
		made->layout.bits = !ir_visit(&k->body, find_float_atomic, m);
		switch (m->kind) {
		case IR_MEMORY_BUFFER:
		case IR_MEMORY_VALUE: make_buffer(w, m, made, coherent); break;
		case IR_MEMORY_PRIVATE:
		case IR_MEMORY_TABLE:
			if (!make_own(w, m, made, error))
				return false;
			break;
		case IR_MEMORY_SHARED: make_shared(w, m, made); break;
		}
	}
	return true;
}

const struct vulkan_memory *vulkan_memory_of(const struct vulkan_writer *w, const struct ir_memory *base)
{
	uint32_t n = 0;
	while (w->kernel->memories[n] != base)
		n++;
	return &w->memories[n];
}

uint32_t vulkan_length(struct vulkan_writer *w, const struct ir_memory *base)
{
	return base->kind == IR_MEMORY_BUFFER ? vulkan_memory_of(w, base)->length
	                                      : vulkan_index_constant(w, base->type->count);
}

/* ---- Places ---- */

/* Whether the unsigned value is less than a length of the index type. */
static uint32_t is_below(struct vulkan_writer *w, const struct ir_type *t, uint32_t v, uint32_t end)
{
	uint32_t bits = ir_type_bits(t) > w->index_bits ? ir_type_bits(t) : w->index_bits;
	v = vulkan_resize(w, t, bits, v);
	if (w->index_bits < bits)
		end = vulkan_resize(w, &ir_types[IR_TYPE_u32], bits, end);
	return vulkan_test(w, SpvOpULessThan, v, end);
}

/* The index of a step as 32 bits, which no buffer's count exceeds, legal even when the thread is bad: then it is 0.
 * `count`: elements, 0 where only the launch knows. Where the threads of a group must agree on a load, it does not
 * depend on `bad` but on the bounds. */
static uint32_t step_index(struct vulkan_writer *w, const struct ir_instruction *i, const struct ir_instruction *index,
                           uint64_t count)
{
	uint32_t v = w->values[index->id], zero = vulkan_u32(w->module, 0), word = vulkan_int(w->module, 32);
	if (index->op == IR_OP_const && index->bits < count)
		return vulkan_u32(w->module, (uint32_t)index->bits);
	uint32_t low = vulkan_resize(w, index->type, 32, v);
	if (!w->checked)
		return low;
	if (i->op == IR_OP_load && vulkan_same(w, i)) {
		uint32_t end = count ? vulkan_index_constant(w, count) : vulkan_length(w, i->base);
		return vulkan_select(w, word, is_below(w, index->type, v, end), low, zero);
	}
	uint32_t good = vulkan_good(w);
	return good ? vulkan_select(w, word, good, low, zero) : low;
}

static uint32_t place_type(struct vulkan_writer *w, const struct vulkan_memory *memory, const struct ir_type *t)
{
	return vulkan_memory_type(w->module, memory->layout, t);
}

uint32_t vulkan_address(struct vulkan_writer *w, const struct ir_instruction *i, const struct ir_type *t)
{
	const struct vulkan_memory *memory = vulkan_memory_of(w, i->base);
	uint32_t *indices = ARENA_ARRAY(w->arena, uint32_t, i->path_count + 1), count = 0, first = 0;
	const struct ir_type *at = i->base->type;
	if (memory->storage == SpvStorageClassStorageBuffer)
		indices[count++] = vulkan_u32(w->module, 0);
	if (i->base->kind == IR_MEMORY_BUFFER)
		indices[count++] = step_index(w, i, i->path[first++].index, 0);
	for (uint32_t n = first; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (step->index) {
			indices[count++] = step_index(w, i, step->index, at->count);
			at = at->element;
		} else {
			indices[count++] = vulkan_u32(w->module, step->field);
			at = at->fields[step->field].type;
		}
	}
	return vulkan_access(w, memory->storage, place_type(w, memory, t), memory->variable, indices, count);
}

/* ---- Loads and stores ---- */

static bool in_halves(const struct ir_type *t)
{
	return ir_type_is_integer(t) && t->size == 8;
}

uint32_t vulkan_load(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct vulkan_memory *memory = vulkan_memory_of(w, i->base);
	struct vulkan_module *m = w->module;
	uint32_t v = VULKAN_RESULT(w, SpvOpLoad, place_type(w, memory, i->type), vulkan_address(w, i, i->type));
	if (i->type->kind == IR_TYPE_bool)
		return vulkan_test(w, SpvOpINotEqual, v, vulkan_u32(m, 0));
	if (in_halves(i->type) && w->halves[i->id] == HALVES_LOW)
		return VULKAN_RESULT(w, SpvOpCompositeExtract, vulkan_int(m, 32), v, 0);
	if (in_halves(i->type) || (memory->layout.bits && i->type->kind == IR_TYPE_f32))
		return VULKAN_RESULT(w, SpvOpBitcast, vulkan_value_type(m, i->type), v);
	return v;
}

/* A value of 32 bits or fewer as the two halves of a 64-bit one. */
static uint32_t widened(struct vulkan_writer *w, const struct ir_type *from, uint32_t v)
{
	uint32_t low = vulkan_resize(w, from, 32, v), high = vulkan_u32(w->module, 0);
	if (ir_type_is_signed(from))
		high = vulkan_word(w, SpvOpShiftRightArithmetic, low, vulkan_u32(w->module, 31));
	return VULKAN_RESULT(w, SpvOpCompositeConstruct, vulkan_vector(w->module, 2), low, high);
}

static void store(struct vulkan_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *t = i->operands[0]->type;
	const struct vulkan_memory *memory = vulkan_memory_of(w, i->base);
	struct vulkan_module *m = w->module;
	uint32_t address = vulkan_address(w, i, t), v = vulkan_operand(w, i, 0);
	if (t->kind == IR_TYPE_bool)
		v = vulkan_select(w, vulkan_int(m, 32), v, vulkan_u32(m, 1), vulkan_u32(m, 0));
	else if (w->halves[i->operands[0]->id] == HALVES_STORED)
		v = widened(w, i->operands[0]->operands[0]->type, v);
	else if (in_halves(t) || (memory->layout.bits && t->kind == IR_TYPE_f32))
		v = VULKAN_RESULT(w, SpvOpBitcast, place_type(w, memory, t), v);
	VULKAN_DO(w, SpvOpStore, address, v);
}

const struct ir_instruction *vulkan_stores(struct vulkan_writer *w, const struct ir_instruction *i)
{
	uint32_t good = vulkan_good(w), after = good ? vulkan_begin_if(w, good) : 0;
	w->known_good = good != 0;
	store(w, i);
	for (; i->next && i->next->op == IR_OP_store; i = i->next)
		store(w, i->next);
	w->known_good = false;
	if (after)
		vulkan_end_if(w, after);
	return i;
}

/* ---- Halves of 64-bit integers ---- */

static bool fits_word(const struct ir_type *t)
{
	return ir_type_is_integer(t) && ir_type_bits(t) <= 32;
}

static bool propose(void *context, struct ir_instruction *i)
{
	enum vulkan_halves *halves = context;
	if (!in_halves(i->type))
		return true;
	if (i->op == IR_OP_load || i->op == IR_OP_parameter)
		halves[i->id] = HALVES_LOW;
	if (i->op == IR_OP_convert && fits_word(i->operands[0]->type))
		halves[i->id] = HALVES_STORED;
	return true;
}

static bool confirm(void *context, struct ir_instruction *i)
{
	enum vulkan_halves *halves = context;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++) {
		enum vulkan_halves *operand = &halves[i->operands[n]->id];
		bool low = *operand == HALVES_LOW && i->op == IR_OP_convert && fits_word(i->type);
		bool stored = *operand == HALVES_STORED && i->op == IR_OP_store;
		if (!low && !stored)
			*operand = HALVES_BOTH;
	}
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			halves[i->path[n].index->id] = HALVES_BOTH;
	return true;
}

void vulkan_find_halves(struct vulkan_writer *w)
{
	w->halves = ARENA_ARRAY(w->arena, enum vulkan_halves, w->kernel->next_id);
	ir_visit(&w->kernel->body, propose, w->halves);
	ir_visit(&w->kernel->body, confirm, w->halves);
}
