/* A SPIR-V module being written: one growing buffer of words a section, joined at the end; types and constants are
 * written once. */
#ifndef SSPUR_TARGETS_VULKAN_MODULE_H
#define SSPUR_TARGETS_VULKAN_MODULE_H

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "ir/ir.h"
#include "targets/vulkan/vulkan_form.h"
#include "utils/base/text.h"

struct words {
	uint32_t *items; /* heap */
	size_t count, capacity;
};

/* In the order of SPIR-V 2.4. */
enum vulkan_section {
	SECTION_CAPABILITIES,
	SECTION_EXTENSIONS,
	SECTION_IMPORTS,
	SECTION_MEMORY_MODEL,
	SECTION_ENTRY_POINTS,
	SECTION_MODES,
	SECTION_SOURCE,
	SECTION_NAMES,
	SECTION_DECORATIONS,
	SECTION_GLOBALS, /* types, constants, variables */
	SECTION_FUNCTIONS,
	SECTION_COUNT,
};

struct vulkan_module {
	const struct vulkan_form *form;
	struct arena arena;
	struct words sections[SECTION_COUNT];
	struct table declared; /* what is written once, by its words */
	uint32_t next_id;
	uint32_t glsl;                                         /* the imported set GLSL.std.450; 0: not imported */
	uint32_t builtins[SpvBuiltInLocalInvocationIndex + 1]; /* their variables; 0: not declared */
	bool too_large; /* an instruction, or the number of ids, is over SPIR-V's limits */
};

void vulkan_module_begin(struct vulkan_module *m, const struct vulkan_form *form);
/* Appends the module's bytes; false where a limit of SPIR-V was exceeded. */
bool vulkan_module_end(struct vulkan_module *m, struct text *out);
void vulkan_module_free(struct vulkan_module *m);

void words_add(struct words *w, uint32_t word);
void words_free(struct words *w);
uint32_t vulkan_id(struct vulkan_module *m); /* a new one */
/* One instruction; the operands are all its words after the first. */
void vulkan_write(struct vulkan_module *m, struct words *to, SpvOp op, const uint32_t *operands, size_t count);
#define VULKAN_WRITE(m, to, op, ...)                                                                                   \
	vulkan_write((m), (to), (op), (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
/* One instruction with a name between the operands before and after. */
void vulkan_write_name(struct vulkan_module *m, enum vulkan_section section, SpvOp op, const struct words *before,
                       const char *name, const struct words *after);
void vulkan_name(struct vulkan_module *m, uint32_t id, const char *name);
uint32_t vulkan_import(struct vulkan_module *m); /* GLSL.std.450 */
#define VULKAN_DECORATE(m, ...) VULKAN_WRITE((m), &(m)->sections[SECTION_DECORATIONS], SpvOpDecorate, __VA_ARGS__)

/* Declared on first use. */
void vulkan_need(struct vulkan_module *m, SpvCapability capability);
void vulkan_need_extension(struct vulkan_module *m, const char *name, uint32_t core_version);
/* A type (without its result id) or a constant (its type first), written once. */
uint32_t vulkan_type(struct vulkan_module *m, SpvOp op, const uint32_t *operands, size_t count);
#define VULKAN_TYPE(m, op, ...)                                                                                        \
	vulkan_type((m), (op), (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
uint32_t vulkan_void(struct vulkan_module *m);
uint32_t vulkan_bool(struct vulkan_module *m);
uint32_t vulkan_int(struct vulkan_module *m, uint32_t bits); /* all integers are of unsigned types */
uint32_t vulkan_float(struct vulkan_module *m, uint32_t bits);
uint32_t vulkan_vector(struct vulkan_module *m, uint32_t count); /* of 32-bit integers */
uint32_t vulkan_pointer(struct vulkan_module *m, SpvStorageClass storage, uint32_t type);
uint32_t vulkan_value_type(struct vulkan_module *m, const struct ir_type *t);

uint32_t vulkan_constant(struct vulkan_module *m, const struct ir_type *t, uint64_t bits);
uint32_t vulkan_constant_int(struct vulkan_module *m, uint32_t bits, uint64_t value);
uint32_t vulkan_u32(struct vulkan_module *m, uint32_t value);
uint32_t vulkan_truth(struct vulkan_module *m, bool value);
uint32_t vulkan_null(struct vulkan_module *m, uint32_t type);
uint32_t vulkan_composite(struct vulkan_module *m, uint32_t type, const uint32_t *parts, size_t count);

/* How a type lies in memory (vulkan_layout.c). A bool is a 32-bit word, a 64-bit integer two: so a place of one can be
 * read without 64-bit integers. */
struct vulkan_layout {
	bool explicit_offsets; /* as buffers need it, and nothing else may have it */
	bool bits;             /* floats of 32 bits as integers, which atomics need */
};
uint32_t vulkan_memory_type(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t);
/* A struct of one runtime array, or of one value, that a buffer variable is. Those that are only read have types of
 * their own: NVIDIA's compiler (580) takes NonWritable of one variable for a property of the type, and then gives loads
 * from the others of the type what was there before the kernel's own stores. */
uint32_t vulkan_block(struct vulkan_module *m, uint32_t content, uint32_t stride, bool array, bool writable);
/* The constant with the bytes of one `t`; 0: it has more parts than an instruction holds. */
uint32_t vulkan_memory_constant(struct vulkan_module *m, struct vulkan_layout layout, const struct ir_type *t,
                                const uint8_t *bytes);

/* Variables of a whole entry point. */
uint32_t vulkan_variable(struct vulkan_module *m, SpvStorageClass storage, uint32_t type, const char *name);
/* The n-th of a type in an entry point; entry points use the same ones (with dotted names, where the names agree). */
uint32_t vulkan_workgroup_variable(struct vulkan_module *m, uint32_t type, uint32_t n, const char *name);
struct vulkan_buffer {
	uint32_t block; /* vulkan_block */
	uint32_t binding;
	bool writable, coherent;
};
/* Of a binding of set 0; entry points use the same one where the form lets them. */
uint32_t vulkan_buffer_variable(struct vulkan_module *m, const struct vulkan_buffer *b, const char *name);

#endif
