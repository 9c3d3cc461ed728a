/* All numbers are little-endian. A file has one form: parts in the order of their numbers, one after another, padded
 * with zeroes to 16 bytes, so that whatever is not as bundle_write makes it is refused. */
#include "runtime/bundle.h"

#include <string.h>

enum {
	VERSION = 1,
	ALIGNMENT = 16,
	HEADER_SIZE = 40, /* magic 8, version 4, parts 4, file size 8, checksum of header and table 8, reserved 8 */
	ENTRY_SIZE = 32,  /* number 4, reserved 4, offset 8, size 8, checksum 8 */
	CHECKSUM_AT = 24,
};

/* As PNG's: a transfer that changes line ends or cuts the eighth bit breaks it. */
static const char magic[8] = "\x8bSPK\r\n\x1a\n";

/* FNV-1a. */
static uint64_t checksum(const void *bytes, uint64_t size)
{
	const uint8_t *b = bytes;
	uint64_t hash = 0xcbf29ce484222325u;
	for (uint64_t i = 0; i < size; i++) {
		hash ^= b[i];
		hash *= 0x100000001b3u;
	}
	return hash;
}

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t take(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static uint64_t padded(uint64_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- Writing ---- */

void bundle_write(const struct bundle *b, struct text *out)
{
	uint8_t head[HEADER_SIZE + BUNDLE_PART_COUNT * ENTRY_SIZE + ALIGNMENT] = {0};
	uint32_t count = 0;
	for (int i = 0; i < BUNDLE_PART_COUNT; i++)
		count += b->parts[i].data != NULL;
	uint64_t head_size = padded(HEADER_SIZE + count * ENTRY_SIZE), end = head_size;
	uint8_t *entry = head + HEADER_SIZE;
	for (int i = 0; i < BUNDLE_PART_COUNT; i++) {
		if (!b->parts[i].data)
			continue;
		put(entry, (uint64_t)i, 4);
		put(entry + 8, end, 8);
		put(entry + 16, b->parts[i].size, 8);
		put(entry + 24, checksum(b->parts[i].data, b->parts[i].size), 8);
		entry += ENTRY_SIZE;
		end += padded(b->parts[i].size);
	}
	memcpy(head, magic, sizeof magic);
	put(head + 8, VERSION, 4);
	put(head + 12, count, 4);
	put(head + 16, end, 8);
	put(head + CHECKSUM_AT, checksum(head, head_size), 8);
	text_add_n(out, head, head_size);
	for (int i = 0; i < BUNDLE_PART_COUNT; i++) {
		if (!b->parts[i].data)
			continue;
		text_add_n(out, b->parts[i].data, b->parts[i].size);
		text_add_repeat(out, 0, padded(b->parts[i].size) - b->parts[i].size);
	}
}

/* ---- Reading ---- */

static bool fail(struct text *error, const char *why)
{
	text_add(error, why);
	return false;
}

static bool all_zero(const uint8_t *bytes, uint64_t size)
{
	while (size)
		if (bytes[--size])
			return false;
	return true;
}

/* Everything but the parts. */
static bool check_head(const uint8_t *bytes, size_t size, uint64_t *count, struct text *error)
{
	if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
		return fail(error, "it is not a bundle of sspur");
	if (size < HEADER_SIZE)
		return fail(error, "the bundle is cut short");
	uint64_t version = take(bytes + 8, 4), total = take(bytes + 16, 8);
	if (version != VERSION) {
		text_add_format(error, "the bundle has version %u of its format, and this runtime reads %d",
		                (unsigned)version, VERSION);
		return false;
	}
	*count = take(bytes + 12, 4);
	if (*count > BUNDLE_PART_COUNT)
		return fail(error, "the bundle is damaged: it has too many parts");
	if (size < total || size < padded(HEADER_SIZE + *count * ENTRY_SIZE))
		return fail(error, "the bundle is cut short");
	if (size > total)
		return fail(error, "the bundle is damaged: something follows it");
	uint8_t head[HEADER_SIZE + BUNDLE_PART_COUNT * ENTRY_SIZE + ALIGNMENT];
	uint64_t head_size = padded(HEADER_SIZE + *count * ENTRY_SIZE);
	memcpy(head, bytes, head_size);
	put(head + CHECKSUM_AT, 0, 8);
	if (checksum(head, head_size) != take(bytes + CHECKSUM_AT, 8))
		return fail(error, "the bundle is damaged: the checksum of its table is wrong");
	if (!all_zero(head + CHECKSUM_AT + 8, 8) ||
	    !all_zero(head + HEADER_SIZE + *count * ENTRY_SIZE, head_size - HEADER_SIZE - *count * ENTRY_SIZE))
		return fail(error, "the bundle is damaged: what is reserved is in use");
	return true;
}

/* *end: where the parts before end. */
static bool read_part(const uint8_t *bytes, const uint8_t *entry, size_t size, uint64_t *end, struct bundle *b,
                      struct text *error)
{
	uint64_t part = take(entry, 4), at = take(entry + 8, 8), length = take(entry + 16, 8);
	if (part >= BUNDLE_PART_COUNT || take(entry + 4, 4) || at != *end || at > size || length > size - at ||
	    padded(length) > size - at)
		return fail(error, "the bundle is damaged: its table is wrong");
	for (uint64_t i = part; i < BUNDLE_PART_COUNT; i++)
		if (b->parts[i].data)
			return fail(error, "the bundle is damaged: its parts are out of order");
	if (checksum(bytes + at, length) != take(entry + 24, 8) ||
	    !all_zero(bytes + at + length, padded(length) - length)) {
		text_add_format(error, "the bundle is damaged: the checksum of part %u is wrong", (unsigned)part);
		return false;
	}
	b->parts[part].data = bytes + at;
	b->parts[part].size = length;
	*end = at + padded(length);
	return true;
}

bool bundle_read(const void *bytes, size_t size, struct bundle *b, struct text *error)
{
	uint64_t count;
	*b = (struct bundle){0};
	if (!check_head(bytes, size, &count, error))
		return false;
	uint64_t end = padded(HEADER_SIZE + count * ENTRY_SIZE);
	for (uint64_t i = 0; i < count; i++)
		if (!read_part(bytes, (const uint8_t *)bytes + HEADER_SIZE + i * ENTRY_SIZE, size, &end, b, error))
			return false;
	if (end != size)
		return fail(error, "the bundle is damaged: its size is wrong");
	if (!b->parts[BUNDLE_KIR].data || !b->parts[BUNDLE_REFLECTION].data)
		return fail(error, "the bundle has no kernels");
	return true;
}

/* ---- Serving ---- */

/* The code made for the fewest hazards that are all the device's. */
static enum bundle_part vulkan_part(const struct bundle *b, uint32_t hazards)
{
	if (hazards & ~(BUNDLE_VULKAN_ROUNDING | BUNDLE_VULKAN_FLUSHING | (uint32_t)IR_HAZARD_ROUNDS))
		return BUNDLE_PART_COUNT;
	if (hazards & IR_HAZARD_ROUNDS)
		return BUNDLE_VULKAN_ROUNDS;
	bool keeps = !(hazards & BUNDLE_VULKAN_FLUSHING) && b->parts[BUNDLE_VULKAN_KEEPS].data;
	return keeps ? BUNDLE_VULKAN_KEEPS : BUNDLE_VULKAN;
}

static enum bundle_part opencl_part(uint32_t hazards)
{
	if (hazards & ~BUNDLE_OPENCL_HAZARDS)
		return BUNDLE_PART_COUNT;
	return hazards ? BUNDLE_OPENCL_C_INEXACT : BUNDLE_OPENCL_C;
}

static enum bundle_part metal_part(const struct bundle *b, uint32_t hazards)
{
	if (hazards & ~BUNDLE_METAL_HAZARDS)
		return BUNDLE_PART_COUNT;
	return b->parts[BUNDLE_METALLIB].data ? BUNDLE_METALLIB : BUNDLE_METAL;
}

static enum bundle_part part_of(const struct bundle *b, enum artifact_kind kind, uint32_t hazards)
{
	if (kind != ARTIFACT_VULKAN && kind != ARTIFACT_OPENCL_C && kind != ARTIFACT_METAL && hazards)
		return BUNDLE_PART_COUNT;
	switch (kind) {
	case ARTIFACT_NATIVE:
	case ARTIFACT_NATIVE_ORDERED: return BUNDLE_NATIVE;
	case ARTIFACT_PTX: return BUNDLE_PTX;
	case ARTIFACT_SPIRV: return BUNDLE_SPIRV;
	case ARTIFACT_SPIR_BITCODE: return BUNDLE_SPIR_BITCODE;
	case ARTIFACT_KIR: return BUNDLE_KIR;
	case ARTIFACT_VULKAN: return vulkan_part(b, hazards);
	case ARTIFACT_OPENCL_C: return opencl_part(hazards);
	case ARTIFACT_METAL: return metal_part(b, hazards);
	case ARTIFACT_LLVM:
	case ARTIFACT_TWIN: return BUNDLE_PART_COUNT;
	}
	return BUNDLE_PART_COUNT;
}

static bool get_part(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
                     struct text *bytes, struct text *error)
{
	(void)module;
	static const char *const names[BUNDLE_PART_COUNT + 1] = {
	    "kernel IR",         "reflection",        "native code",       "PTX",      "SPIR-V",   "SPIR bitcode",
	    "SPIR-V for Vulkan", "SPIR-V for Vulkan", "SPIR-V for Vulkan", "OpenCL C", "OpenCL C", "Metal source",
	    "metallib",          "such code"};
	const struct bundle *b = context;
	enum bundle_part part = part_of(b, kind, hazards);
	if (part == BUNDLE_PART_COUNT || !b->parts[part].data) {
		text_add_format(error, "the bundle has no %s", names[part]);
		return false;
	}
	text_add_n(bytes, b->parts[part].data, b->parts[part].size);
	return true;
}

struct artifact_provider bundle_provider(const struct bundle *b)
{
	return (struct artifact_provider){.context = (void *)(uintptr_t)b, .get = get_part};
}
