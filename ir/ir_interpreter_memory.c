/* Places, loads, stores and atomics of the interpreter. */
#include <assert.h>
#include <string.h>

#include "ir/ir_fold.h"
#include "ir/ir_interpreter_frame.h"

/* ---- Memories ---- */

static uint8_t *own_bytes(const struct interpreter_frame *frame, const struct interpreter_own *own)
{
	bool private = own->memory->kind == IR_MEMORY_PRIVATE;
	return own->bytes + (private ? (size_t)frame->lane * own->memory->type->size : 0);
}

void interpreter_start_privates(struct interpreter_frame *frame)
{
	for (uint32_t n = 0; n < frame->own_count; n++) {
		const struct ir_memory *memory = frame->own[n].memory;
		uint8_t *bytes = own_bytes(frame, &frame->own[n]);
		if (memory->kind == IR_MEMORY_PRIVATE && memory->init)
			memcpy(bytes, memory->init, memory->type->size);
		else if (memory->kind == IR_MEMORY_PRIVATE)
			memset(bytes, 0, memory->type->size);
	}
}

void interpreter_start_shared(struct interpreter_frame *frame)
{
	for (uint32_t n = 0; n < frame->own_count; n++)
		if (frame->own[n].memory->zeroed)
			memset(frame->own[n].bytes, 0, frame->own[n].memory->type->size);
}

static uint8_t *memory_start(const struct interpreter_frame *frame, const struct ir_memory *base)
{
	switch (base->kind) {
	case IR_MEMORY_BUFFER:
	case IR_MEMORY_VALUE: return frame->arguments[base->parameter].data;
	case IR_MEMORY_PRIVATE:
	case IR_MEMORY_SHARED:
		for (uint32_t n = 0; n < frame->own_count; n++)
			if (frame->own[n].memory == base)
				return own_bytes(frame, &frame->own[n]);
		break;
	case IR_MEMORY_TABLE:
		/* Never written: the verifier refuses stores into tables. */
		return (uint8_t *)base->init;
	}
	assert(!"memory of another kernel");
	return NULL;
}

/* The IR leaves an unchecked index outside its memory undefined. Here it is an index trap, so that no
 * kernel text can make the interpreter touch what is not the kernel's. */
static uint8_t *place_address(struct interpreter_frame *frame, const struct ir_instruction *i,
                              const struct ir_type **type)
{
	uint8_t *address = memory_start(frame, i->base);
	bool elements = i->base->kind == IR_MEMORY_BUFFER; /* address is the first of many */
	*type = i->base->type;
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (!step->index) {
			address += (*type)->fields[step->field].offset;
			*type = (*type)->fields[step->field].type;
			continue;
		}
		uint64_t index = frame->values[step->index->id];
		uint64_t count = elements ? frame->arguments[i->base->parameter].length : (*type)->count;
		if (index >= count) {
			interpreter_trap(frame, i, TRAP_INDEX, (int64_t)index, (int64_t)count);
			return NULL;
		}
		if (!elements)
			*type = (*type)->element;
		elements = false;
		address += index * (*type)->size;
	}
	return address;
}

/* ---- Bytes and the 64-bit form ---- */

static uint64_t raw_load(const uint8_t *address, uint32_t size)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	switch (size) {
	case 1: memcpy(&u8, address, 1); return u8;
	case 2: memcpy(&u16, address, 2); return u16;
	case 4: memcpy(&u32, address, 4); return u32;
	}
	memcpy(&u64, address, 8);
	return u64;
}

static void raw_store(uint8_t *address, uint32_t size, uint64_t bits)
{
	uint8_t u8 = (uint8_t)bits;
	uint16_t u16 = (uint16_t)bits;
	uint32_t u32 = (uint32_t)bits;
	switch (size) {
	case 1: memcpy(address, &u8, 1); return;
	case 2: memcpy(address, &u16, 2); return;
	case 4: memcpy(address, &u32, 4); return;
	}
	memcpy(address, &bits, 8);
}

static uint64_t widen(const struct ir_type *type, uint64_t raw)
{
	switch (type->kind) {
	case IR_TYPE_bool: return raw != 0;
	case IR_TYPE_i8: return (uint64_t)(int64_t)(int8_t)raw;
	case IR_TYPE_i16: return (uint64_t)(int64_t)(int16_t)raw;
	case IR_TYPE_i32: return (uint64_t)(int64_t)(int32_t)raw;
	case IR_TYPE_u8:
	case IR_TYPE_u16:
	case IR_TYPE_u32:
	case IR_TYPE_i64:
	case IR_TYPE_u64:
	case IR_TYPE_f32:
	case IR_TYPE_f64: return raw;
	case IR_TYPE_void:
	case IR_TYPE_array:
	case IR_TYPE_struct: break;
	}
	assert(!"not a scalar");
	return 0;
}

/* ---- Atomics ---- */

/* Real atomics, because several host threads may run parts of one launch. Sequential consistency is at
 * least as strong as any order an instruction asks for. Atomics are of 32 bits: a rule of the verifier. */
static uint32_t atomic_raw_load(const uint8_t *address)
{
	return __atomic_load_n((const uint32_t *)address, __ATOMIC_SEQ_CST);
}

/* Writes `desired` if *expected is there; else sets *expected to what is. */
static bool atomic_raw_exchange_if(uint8_t *address, uint32_t *expected, uint64_t desired)
{
	return __atomic_compare_exchange_n((uint32_t *)address, expected, (uint32_t)desired, false, __ATOMIC_SEQ_CST,
	                                   __ATOMIC_SEQ_CST);
}

static uint64_t evaluate_two(enum ir_op op, const struct ir_type *type, const struct ir_type *to, uint64_t x,
                             uint64_t y)
{
	uint64_t operands[IR_MAX_OPERANDS] = {x, y};
	uint64_t result = 0;
	enum trap_kind trap = ir_evaluate_op(op, type, to, operands, &result);
	assert(trap == TRAP_NONE);
	(void)trap;
	return result;
}

/* What the operation leaves where `old` was. */
static uint64_t atomic_result(enum ir_op op, const struct ir_type *type, uint64_t old, uint64_t x, uint64_t y)
{
	const struct ir_type *truth = &ir_types[IR_TYPE_bool];
	switch ((int)op) {
	case IR_OP_atomic_swap: return x;
	case IR_OP_atomic_add:
		return evaluate_two(ir_type_is_float(type) ? IR_OP_fadd : IR_OP_iadd, type, type, old, x);
	case IR_OP_atomic_sub: return evaluate_two(IR_OP_isub, type, type, old, x);
	case IR_OP_atomic_min: return evaluate_two(IR_OP_lt, type, truth, x, old) ? x : old;
	case IR_OP_atomic_max: return evaluate_two(IR_OP_gt, type, truth, x, old) ? x : old;
	case IR_OP_atomic_and: return evaluate_two(IR_OP_band, type, type, old, x);
	case IR_OP_atomic_or: return evaluate_two(IR_OP_bor, type, type, old, x);
	case IR_OP_atomic_xor: return evaluate_two(IR_OP_bxor, type, type, old, x);
	case IR_OP_atomic_cas: return old == x ? y : old;
	}
	assert(!"not an atomic update");
	return old;
}

static uint64_t atomic_update(const struct ir_instruction *i, const struct ir_type *type, uint8_t *address, uint64_t x,
                              uint64_t y)
{
	uint32_t raw = atomic_raw_load(address);
	uint64_t old;
	do
		old = widen(type, raw);
	while (!atomic_raw_exchange_if(address, &raw, atomic_result(i->op, type, old, x, y)));
	return old;
}

/* ---- Instructions ---- */

bool interpreter_access(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	const struct ir_type *type;
	uint8_t *address = place_address(frame, i, &type);
	if (!address)
		return false;
	if (frame->races)
		race_tracker_access(frame, i, address, (uint64_t)(address - memory_start(frame, i->base)));
	uint64_t x = i->operands[0] ? frame->values[i->operands[0]->id] : 0;
	uint64_t y = i->operands[1] ? frame->values[i->operands[1]->id] : 0;
	switch ((int)i->op) {
	case IR_OP_load: frame->values[i->id] = widen(type, raw_load(address, type->size)); return true;
	case IR_OP_store: raw_store(address, type->size, x); return true;
	case IR_OP_atomic_load: frame->values[i->id] = widen(type, atomic_raw_load(address)); return true;
	case IR_OP_atomic_store: __atomic_store_n((uint32_t *)address, (uint32_t)x, __ATOMIC_SEQ_CST); return true;
	}
	frame->values[i->id] = atomic_update(i, type, address, x, y);
	return true;
}
