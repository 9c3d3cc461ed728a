/* Types as they lie in memory. A type in a buffer has offsets and strides, any other has none: the two are declared
 * apart (SPIR-V 2.16.2). */
#include <string.h>

#include "targets/vulkan/vulkan_module.h"

enum { PARTS_LIMIT = 0xfff0 };

static uint32_t scalar_type(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t)
{
	if (t->kind == IR_TYPE_bool)
		return vulkan_int(m, 32);
	if (t->kind == IR_TYPE_f32 && layout.bits)
		return vulkan_int(m, 32);
	if (ir_type_is_integer(t) && t->size == 8)
		return vulkan_vector(m, 2);
	if (t->size == 1 && layout.explicit_offsets) {
		vulkan_need(m, SpvCapabilityStorageBuffer8BitAccess);
		vulkan_need_extension(m, "SPV_KHR_8bit_storage", 0x00010500);
	}
	if (t->size == 2 && layout.explicit_offsets)
		vulkan_need(m, SpvCapabilityStorageBuffer16BitAccess);
	return vulkan_value_type(m, t);
}

/* Keys of what has decorations, which its words do not show. */
struct layout_key {
	char what[8];
	struct vulkan_layout layout;
	uint32_t content, stride, array, writable;
	const struct ir_type *type;
};

/* The id, or 0; then the caller sets it. */
static uint32_t find(struct vulkan_module *m, const struct layout_key *key)
{
	return (uint32_t)(uintptr_t)table_get_n(&m->declared, (const char *)key, sizeof *key);
}

static uint32_t keep(struct vulkan_module *m, const struct layout_key *key, uint32_t id)
{
	table_set_n(&m->declared, (const char *)key, sizeof *key, (void *)(uintptr_t)id);
	return id;
}

static uint32_t array_type(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t)
{
	uint32_t element = vulkan_memory_type(m, layout, t->element), count = vulkan_u32(m, (uint32_t)t->count);
	uint32_t id = vulkan_id(m);
	VULKAN_WRITE(m, &m->sections[SECTION_GLOBALS], SpvOpTypeArray, id, element, count);
	if (layout.explicit_offsets)
		VULKAN_DECORATE(m, id, SpvDecorationArrayStride, t->element->size);
	return id;
}

static uint32_t struct_type(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t)
{
	uint32_t *words = ARENA_ARRAY(&m->arena, uint32_t, t->count + 1);
	for (uint64_t n = 0; n < t->count; n++)
		words[n + 1] = vulkan_memory_type(m, layout, t->fields[n].type);
	words[0] = vulkan_id(m);
	vulkan_write(m, &m->sections[SECTION_GLOBALS], SpvOpTypeStruct, words, t->count + 1);
	for (uint32_t n = 0; layout.explicit_offsets && n < t->count; n++)
		VULKAN_WRITE(m, &m->sections[SECTION_DECORATIONS], SpvOpMemberDecorate, words[0], n,
		             SpvDecorationOffset, t->fields[n].offset);
	vulkan_name(m, words[0], t->name);
	return words[0];
}

uint32_t vulkan_memory_type(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t)
{
	if (ir_type_is_scalar(t))
		return scalar_type(m, layout, t);
	struct layout_key key;
	memset(&key, 0, sizeof key); /* its bytes are compared */
	memcpy(key.what, "memory", 6);
	key.layout = layout;
	key.type = t;
	uint32_t known = find(m, &key);
	if (known)
		return known;
	return keep(m, &key, t->kind == IR_TYPE_array ? array_type(m, layout, t) : struct_type(m, layout, t));
}

uint32_t vulkan_block(struct vulkan_module *m, uint32_t content, uint32_t stride, bool array, bool writable)
{
	struct layout_key key;
	memset(&key, 0, sizeof key);
	memcpy(key.what, "block", 5);
	key.content = content;
	key.stride = stride;
	key.array = array;
	key.writable = writable;
	uint32_t known = find(m, &key);
	if (known)
		return known;
	if (array) {
		uint32_t elements = vulkan_id(m);
		VULKAN_WRITE(m, &m->sections[SECTION_GLOBALS], SpvOpTypeRuntimeArray, elements, content);
		VULKAN_DECORATE(m, elements, SpvDecorationArrayStride, stride);
		content = elements;
	}
	uint32_t id = vulkan_id(m);
	VULKAN_WRITE(m, &m->sections[SECTION_GLOBALS], SpvOpTypeStruct, id, content);
	VULKAN_DECORATE(m, id, SpvDecorationBlock);
	VULKAN_WRITE(m, &m->sections[SECTION_DECORATIONS], SpvOpMemberDecorate, id, 0, SpvDecorationOffset, 0);
	return keep(m, &key, id);
}

/* ---- Constants ---- */

static uint64_t read_bits(const uint8_t *bytes, uint32_t size)
{
	uint64_t bits = 0;
	for (uint32_t b = size; b-- > 0;)
		bits = bits << 8 | bytes[b];
	return bits;
}

static uint32_t scalar_constant(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t,
                                const uint8_t *bytes)
{
	uint64_t bits = read_bits(bytes, t->size);
	if (t->kind == IR_TYPE_bool || (t->kind == IR_TYPE_f32 && layout.bits))
		return vulkan_u32(m, (uint32_t)bits);
	if (ir_type_is_integer(t) && t->size == 8) {
		uint32_t halves[] = {vulkan_u32(m, (uint32_t)bits), vulkan_u32(m, (uint32_t)(bits >> 32))};
		return vulkan_composite(m, vulkan_vector(m, 2), halves, 2);
	}
	return vulkan_constant(m, t, bits);
}

uint32_t vulkan_memory_constant(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t,
                                const uint8_t *bytes)
{
	if (ir_type_is_scalar(t))
		return scalar_constant(m, layout, t, bytes);
	if (t->count > PARTS_LIMIT)
		return 0;
	uint32_t *parts = ARENA_ARRAY(&m->arena, uint32_t, t->count);
	for (uint64_t n = 0; n < t->count; n++) {
		const struct ir_type *part = t->kind == IR_TYPE_array ? t->element : t->fields[n].type;
		uint64_t offset = t->kind == IR_TYPE_array ? n * part->size : t->fields[n].offset;
		parts[n] = vulkan_memory_constant(m, layout, part, bytes + offset);
		if (!parts[n])
			return 0;
	}
	return vulkan_composite(m, vulkan_memory_type(m, layout, t), parts, t->count);
}
