/* Sections, types and constants. */
#include "targets/vulkan/vulkan_module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_LIMIT = 0xffff, IDS_LIMIT = 0x3fffff }; /* SPIR-V 2.3 and 2.17 */

/* ---- Words ---- */

void words_add(struct words *w, uint32_t word)
{
	if (w->count == w->capacity) {
		w->capacity = w->capacity ? w->capacity * 2 : 64;
		w->items = memory_resize(w->items, w->capacity * sizeof *w->items);
	}
	w->items[w->count++] = word;
}

void words_free(struct words *w)
{
	free(w->items);
	*w = (struct words){0};
}

uint32_t vulkan_id(struct vulkan_module *m)
{
	return m->next_id++;
}

void vulkan_write(struct vulkan_module *m, struct words *to, SpvOp op, const uint32_t *operands, size_t count)
{
	if (count >= WORDS_LIMIT) {
		m->too_large = true;
		return;
	}
	words_add(to, (uint32_t)(count + 1) << SpvWordCountShift | op);
	for (size_t n = 0; n < count; n++)
		words_add(to, operands[n]);
}

/* SPIR-V 2.2.1: UTF-8 in little-endian words, with a NUL. */
static void add_string(struct words *w, const char *s)
{
	size_t length = strlen(s);
	for (size_t n = 0; n <= length; n += 4) {
		uint32_t word = 0;
		for (size_t b = 0; b < 4 && n + b < length; b++)
			word |= (uint32_t)(uint8_t)s[n + b] << 8 * b;
		words_add(w, word);
	}
}

void vulkan_write_name(struct vulkan_module *m, enum vulkan_section section, SpvOp op, const struct words *before,
                       const char *name, const struct words *after)
{
	struct words all = {0};
	for (size_t n = 0; n < before->count; n++)
		words_add(&all, before->items[n]);
	add_string(&all, name);
	for (size_t n = 0; after && n < after->count; n++)
		words_add(&all, after->items[n]);
	vulkan_write(m, &m->sections[section], op, all.items, all.count);
	words_free(&all);
}

void vulkan_name(struct vulkan_module *m, uint32_t id, const char *name)
{
	struct words before = {.items = &id, .count = 1};
	vulkan_write_name(m, SECTION_NAMES, SpvOpName, &before, name, NULL);
}

uint32_t vulkan_import(struct vulkan_module *m)
{
	if (!m->glsl) {
		m->glsl = vulkan_id(m);
		struct words before = {.items = &m->glsl, .count = 1};
		vulkan_write_name(m, SECTION_IMPORTS, SpvOpExtInstImport, &before, "GLSL.std.450", NULL);
	}
	return m->glsl;
}

/* ---- The module ---- */

void vulkan_module_begin(struct vulkan_module *m, const struct vulkan_form *form)
{
	*m = (struct vulkan_module){.form = form, .next_id = 1};
	m->declared.arena = &m->arena;
	vulkan_need(m, SpvCapabilityShader);
	VULKAN_WRITE(m, &m->sections[SECTION_MEMORY_MODEL], SpvOpMemoryModel, SpvAddressingModelLogical,
	             SpvMemoryModelGLSL450);
}

static void add_bytes(struct text *out, uint32_t word)
{
	for (int b = 0; b < 4; b++)
		text_add_char(out, (char)(word >> 8 * b));
}

bool vulkan_module_end(struct vulkan_module *m, struct text *out)
{
	const uint32_t header[] = {SpvMagicNumber, m->form->version, 0, m->next_id, 0};
	if (m->too_large || m->next_id > IDS_LIMIT)
		return false;
	for (size_t n = 0; n < sizeof header / sizeof *header; n++)
		add_bytes(out, header[n]);
	for (int s = 0; s < SECTION_COUNT; s++)
		for (size_t n = 0; n < m->sections[s].count; n++)
			add_bytes(out, m->sections[s].items[n]);
	return true;
}

void vulkan_module_free(struct vulkan_module *m)
{
	for (int s = 0; s < SECTION_COUNT; s++)
		words_free(&m->sections[s]);
	arena_free(&m->arena);
}

/* ---- Written once ---- */

/* True the first time. */
static bool first_time(struct vulkan_module *m, const char *what, const char *name)
{
	char *key = arena_format(&m->arena, "%s %s", what, name);
	return !table_set(&m->declared, key, m);
}

void vulkan_need(struct vulkan_module *m, SpvCapability capability)
{
	if (first_time(m, "capability", arena_format(&m->arena, "%u", (unsigned)capability)))
		VULKAN_WRITE(m, &m->sections[SECTION_CAPABILITIES], SpvOpCapability, capability);
}

void vulkan_need_extension(struct vulkan_module *m, const char *name, uint32_t core_version)
{
	struct words none = {0};
	if (m->form->version < core_version && first_time(m, "extension", name))
		vulkan_write_name(m, SECTION_EXTENSIONS, SpvOpExtension, &none, name, NULL);
}

/* The id of the instruction with these words; `typed`: the result id follows the first operand. */
static uint32_t once(struct vulkan_module *m, SpvOp op, const uint32_t *operands, size_t count, bool typed)
{
	uint32_t *words = ARENA_ARRAY(&m->arena, uint32_t, count + 2);
	if (!count)
		operands = words; /* null is no address, even of nothing */
	words[0] = op;
	memcpy(words + 1, operands, count * sizeof *operands);
	void *known = table_get_n(&m->declared, (const char *)words, (count + 1) * sizeof *words);
	if (known)
		return (uint32_t)(uintptr_t)known;
	uint32_t id = vulkan_id(m);
	table_set_n(&m->declared, (const char *)words, (count + 1) * sizeof *words, (void *)(uintptr_t)id);
	words[0] = typed ? operands[0] : id;
	words[1] = typed ? id : words[1];
	memcpy(words + 1 + typed, operands + typed, (count - typed) * sizeof *operands);
	vulkan_write(m, &m->sections[SECTION_GLOBALS], op, words, count + 1);
	return id;
}

uint32_t vulkan_type(struct vulkan_module *m, SpvOp op, const uint32_t *operands, size_t count)
{
	return once(m, op, operands, count, false);
}

/* ---- Types ---- */

uint32_t vulkan_void(struct vulkan_module *m)
{
	return once(m, SpvOpTypeVoid, NULL, 0, false);
}

uint32_t vulkan_bool(struct vulkan_module *m)
{
	return once(m, SpvOpTypeBool, NULL, 0, false);
}

uint32_t vulkan_int(struct vulkan_module *m, uint32_t bits)
{
	if (bits != 32)
		vulkan_need(m, bits == 8 ? SpvCapabilityInt8 : bits == 16 ? SpvCapabilityInt16 : SpvCapabilityInt64);
	return VULKAN_TYPE(m, SpvOpTypeInt, bits, 0);
}

uint32_t vulkan_float(struct vulkan_module *m, uint32_t bits)
{
	if (bits == 64)
		vulkan_need(m, SpvCapabilityFloat64);
	return VULKAN_TYPE(m, SpvOpTypeFloat, bits);
}

uint32_t vulkan_vector(struct vulkan_module *m, uint32_t count)
{
	return VULKAN_TYPE(m, SpvOpTypeVector, vulkan_int(m, 32), count);
}

uint32_t vulkan_pointer(struct vulkan_module *m, SpvStorageClass storage, uint32_t type)
{
	return VULKAN_TYPE(m, SpvOpTypePointer, storage, type);
}

uint32_t vulkan_value_type(struct vulkan_module *m, const struct ir_type *t)
{
	switch (t->kind) {
	case IR_TYPE_void: return vulkan_void(m);
	case IR_TYPE_bool: return vulkan_bool(m);
	case IR_TYPE_i8:
	case IR_TYPE_u8:
	case IR_TYPE_i16:
	case IR_TYPE_u16:
	case IR_TYPE_i32:
	case IR_TYPE_u32:
	case IR_TYPE_i64:
	case IR_TYPE_u64: return vulkan_int(m, ir_type_bits(t));
	case IR_TYPE_f32:
	case IR_TYPE_f64: return vulkan_float(m, ir_type_bits(t));
	case IR_TYPE_array:
	case IR_TYPE_struct: break;
	}
	assert(!"values are scalars");
	return 0;
}

/* ---- Constants ---- */

static uint32_t constant_of(struct vulkan_module *m, uint32_t type, uint32_t bits, uint64_t value)
{
	uint32_t words[] = {type, (uint32_t)value, (uint32_t)(value >> 32)};
	return once(m, SpvOpConstant, words, bits == 64 ? 3 : 2, true);
}

/* SPIR-V 2.2.1: a narrow literal's upper bits are 0, as its type is unsigned. */
uint32_t vulkan_constant_int(struct vulkan_module *m, uint32_t bits, uint64_t value)
{
	return constant_of(m, vulkan_int(m, bits), bits, bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1));
}

uint32_t vulkan_u32(struct vulkan_module *m, uint32_t value)
{
	return vulkan_constant_int(m, 32, value);
}

uint32_t vulkan_truth(struct vulkan_module *m, bool value)
{
	uint32_t type = vulkan_bool(m);
	return once(m, value ? SpvOpConstantTrue : SpvOpConstantFalse, &type, 1, true);
}

uint32_t vulkan_constant(struct vulkan_module *m, const struct ir_type *t, uint64_t bits)
{
	if (t->kind == IR_TYPE_bool)
		return vulkan_truth(m, bits & 1);
	uint32_t width = ir_type_bits(t);
	return ir_type_is_float(t) ? constant_of(m, vulkan_float(m, width), width, bits)
	                           : vulkan_constant_int(m, width, bits);
}

uint32_t vulkan_null(struct vulkan_module *m, uint32_t type)
{
	return once(m, SpvOpConstantNull, &type, 1, true);
}

uint32_t vulkan_composite(struct vulkan_module *m, uint32_t type, const uint32_t *parts, size_t count)
{
	uint32_t *words = ARENA_ARRAY(&m->arena, uint32_t, count + 1);
	words[0] = type;
	memcpy(words + 1, parts, count * sizeof *parts);
	return once(m, SpvOpConstantComposite, words, count + 1, true);
}

/* ---- Variables ---- */

uint32_t vulkan_variable(struct vulkan_module *m, SpvStorageClass storage, uint32_t type, const char *name)
{
	uint32_t id = vulkan_id(m);
	VULKAN_WRITE(m, &m->sections[SECTION_GLOBALS], SpvOpVariable, vulkan_pointer(m, storage, type), id, storage);
	vulkan_name(m, id, name);
	return id;
}

/* Not one a kernel: validation layers take the sum over a module for what an entry point has. */
uint32_t vulkan_workgroup_variable(struct vulkan_module *m, uint32_t type, uint32_t n, const char *name)
{
	const char *key = arena_format(&m->arena, "workgroup %u %u %s", type, n, m->form->dotted_names ? name : "");
	void *known = table_get(&m->declared, key);
	if (known)
		return (uint32_t)(uintptr_t)known;
	uint32_t id = vulkan_variable(m, SpvStorageClassWorkgroup, type, name);
	table_set(&m->declared, key, (void *)(uintptr_t)id);
	return id;
}

/* What a kernel of SSPUR writes is no other argument of the launch (spec/sspur.md 3.2). */
static uint32_t make_buffer_variable(struct vulkan_module *m, const struct vulkan_buffer *b, const char *name)
{
	uint32_t id = vulkan_variable(m, SpvStorageClassStorageBuffer, b->block, name);
	VULKAN_DECORATE(m, id, SpvDecorationDescriptorSet, 0);
	VULKAN_DECORATE(m, id, SpvDecorationBinding, b->binding);
	if (m->form->restricts)
		VULKAN_DECORATE(m, id, SpvDecorationRestrict);
	if (!b->writable)
		VULKAN_DECORATE(m, id, SpvDecorationNonWritable);
	else if (b->coherent)
		VULKAN_DECORATE(m, id, SpvDecorationCoherent);
	return id;
}

/* Not one a kernel where tools do not ask for names of their own: NVIDIA's compiler (580) takes loads for older ones
 * where the module has a second variable of the binding, used by no instruction of the entry point. */
uint32_t vulkan_buffer_variable(struct vulkan_module *m, const struct vulkan_buffer *b, const char *name)
{
	if (!m->form->settings)
		return make_buffer_variable(m, b, name);
	const char *key = arena_format(&m->arena, "buffer %u %u %d %d", b->block, b->binding, b->writable, b->coherent);
	void *known = table_get(&m->declared, key);
	if (known)
		return (uint32_t)(uintptr_t)known;
	uint32_t id = make_buffer_variable(m, b, name);
	table_set(&m->declared, key, (void *)(uintptr_t)id);
	return id;
}
