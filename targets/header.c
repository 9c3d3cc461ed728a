/* NAME.h: one struct and one launch note a kernel, for C and C++ (docs/abi.md). */
#include <string.h>

#include "targets/artifact_variants.h"
#include "targets/entry_name.h"
#include "targets/kernel_interface.h"
#include "targets/native/twin_target.h"
#include "targets/source/metal_describe.h"
#include "targets/vulkan/vulkan_describe.h"

/* Words that cannot name a member in C or C++; they get a trailing `_`. */
static const char *const reserved[] = {
    "alignas",      "alignof",       "and",         "and_eq",   "asm",       "auto",
    "bitand",       "bitor",         "bool",        "break",    "case",      "catch",
    "char",         "class",         "compl",       "concept",  "const",     "consteval",
    "constexpr",    "constinit",     "const_cast",  "continue", "co_await",  "co_return",
    "co_yield",     "decltype",      "default",     "delete",   "do",        "double",
    "dynamic_cast", "else",          "enum",        "explicit", "export",    "extern",
    "false",        "float",         "for",         "friend",   "goto",      "if",
    "inline",       "int",           "long",        "mutable",  "namespace", "new",
    "noexcept",     "not",           "not_eq",      "nullptr",  "operator",  "or",
    "or_eq",        "private",       "protected",   "public",   "register",  "reinterpret_cast",
    "requires",     "restrict",      "return",      "short",    "signed",    "sizeof",
    "static",       "static_assert", "static_cast", "struct",   "switch",    "template",
    "this",         "thread_local",  "throw",       "true",     "try",       "typedef",
    "typeid",       "typename",      "typeof",      "union",    "unsigned",  "using",
    "virtual",      "void",          "volatile",    "wchar_t",  "while",     "xor",
    "xor_eq",
};

static const char *member_name(const char *name, struct arena *arena)
{
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (strcmp(reserved[i], name) == 0)
			return arena_format(arena, "%s_", name);
	return name;
}

static const char *c_type(const char *type)
{
	static const char *const rows[][2] = {
	    {"bool", "uint32_t"}, {"i8", "int8_t"},   {"u8", "uint8_t"},   {"i16", "int16_t"},
	    {"u16", "uint16_t"},  {"i32", "int32_t"}, {"u32", "uint32_t"}, {"i64", "int64_t"},
	    {"u64", "uint64_t"},  {"f32", "float"},   {"f64", "double"},   {"address", "uint64_t"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i][0], type) == 0)
			return rows[i][1];
	return "uint64_t";
}

/* Those of one artifact. */
static void print_variants(const struct artifact_variants *v, const struct ir_kernel *k,
                           const struct artifact_file *files, unsigned file, struct text *out)
{
	struct text proved = {0}, narrow = {0};
	if (artifact_variant_name(v, file, k, KERNEL_PROVED, &proved))
		text_add_format(out, " * In %s, if nothing can fail: %s, without status and mask.\n", files[file].file,
		                text_string(&proved));
	if (artifact_variant_name(v, file, k, KERNEL_NARROW, &narrow))
		text_add_format(out,
		                " * In %s, if also every 64-bit value fits 32 bits: %s, without status and mask.\n",
		                files[file].file, text_string(&narrow));
	text_free(&proved);
	text_free(&narrow);
}

static void print_note(const struct artifact_variants *v, const struct ir_kernel *k,
                       const struct kernel_interface *interface, const struct artifact_file *files, struct text *out)
{
	text_add_format(out, "/* Kernel %s, line %u.\n", k->name, k->place.line);
	text_add_format(out, " * Groups of %u x %u x %u threads; threads:", k->group[0], k->group[1], k->group[2]);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		text_add_format(out, "%s %s", axis ? "," : "", k->grid[axis].text ? k->grid[axis].text : "as launched");
	text_add(out, ".\n");
	if (interface->grouped)
		text_add_format(out, " * Whole groups only. A group shares %u bytes, which are in the artifact.\n",
		                interface->shared_bytes);
	for (uint32_t i = 0; i < k->pre_count; i++)
		text_add_format(out, " * The caller makes sure of: %s.\n", k->pre[i].text);
	for (const struct artifact_file *f = files; f->target; f++) {
		struct text name = {0};
		if (artifact_lacks(f, k)) {
			text_add_format(out, " * Not in %s: %s.\n", f->file, artifact_lacks(f, k));
			continue;
		}
		entry_name(f->target, k, &name);
		text_add_format(out, " * In %s: %s.\n", f->file, text_string(&name));
		text_free(&name);
		print_variants(v, k, files, (unsigned)(f - files), out);
	}
	text_add(out,
	         " * Pass every member as one argument, in this order; slices as device address, then elements. */\n");
}

static void print_struct(const struct ir_kernel *k, const struct kernel_interface *interface, struct text *out)
{
	struct arena arena = {0};
	text_add_format(out, "struct %s_arguments {\n", k->name);
	for (uint32_t n = 0; n < interface->count; n++) {
		const struct interface_argument *a = &interface->arguments[n];
		const char *what = "";
		if (a->parameter && a->parameter->kind == IR_PARAMETER_BUFFER && strcmp(a->type, "address") == 0)
			what = arena_format(&arena, " /* %s%s[] */", a->parameter->memory->writable ? "" : "const ",
			                    ir_type_is_scalar(a->parameter->type)
			                        ? ir_type_kind_name(a->parameter->type->kind)
			                        : a->parameter->type->name);
		text_add_format(out, "\t%s %s;%s\n", c_type(a->type), member_name(a->name, &arena), what);
	}
	text_add_format(out, "};\nSSPUR_SIZE_IS(struct %s_arguments, %u);\n", k->name, (interface->size + 7) / 8 * 8);
	text_add_format(out, "enum { %s_GROUP_X = %u, %s_GROUP_Y = %u, %s_GROUP_Z = %u };\n\n", k->name, k->group[0],
	                k->name, k->group[1], k->name, k->group[2]);
	arena_free(&arena);
}

void header_print(const struct ir_module *m, const struct artifact_file *files, struct text *out)
{
	text_add(out, "/* Made by sspur build: how to launch the kernels of");
	for (const struct artifact_file *f = files; f->target; f++)
		text_add_format(out, "%s %s", f == files ? "" : ",", f->file);
	text_add(
	    out,
	    ". */\n#pragma once\n\n#include <stdint.h>\n\n"
	    "#ifndef SSPUR_STATUS\n#define SSPUR_STATUS\n"
	    "/* Eight words, zeroed before the launch. `kind`: 1 index, 2 range, 3 panic or assert, 4 allocation,\n"
	    " * 5 overflow, 6 division by zero, 7 conversion, 8 cannot be exact on this device. In 1D, y is the high\n"
	    " * half of the thread's id. */\n"
	    "struct sspur_status {\n\tuint32_t failed, kind, file, line, x, y, z, value;\n};\n#endif\n\n"
	    "#ifndef SSPUR_SIZE_IS\n#ifdef __cplusplus\n#define SSPUR_SIZE_IS(type, size) static_assert(sizeof(type) "
	    "== (size), #type)\n"
	    "#else\n#define SSPUR_SIZE_IS(type, size) _Static_assert(sizeof(type) == (size), #type)\n#endif\n"
	    "#endif\n\n");
	struct artifact_variants *v = artifact_variants_find(m, files);
	bool twin = artifact_find(files, "twin"), others = !twin || files[1].target;
	for (uint32_t n = 0; others && n < m->kernel_count; n++) {
		if (!artifact_has(files, NULL, m->kernels[n]))
			continue;
		struct arena arena = {0};
		struct kernel_interface interface = kernel_interface_make(m->kernels[n], &arena);
		print_note(v, m->kernels[n], &interface, files, out);
		print_struct(m->kernels[n], &interface, out);
		bool vulkan = artifact_has(files, "vulkan", m->kernels[n]);
		if (vulkan)
			vulkan_describe_header(m->kernels[n], c_type, member_name, out);
		if (artifact_has(files, "metal", m->kernels[n]))
			metal_describe_header(m->kernels[n], vulkan, c_type, member_name, out);
		arena_free(&arena);
	}
	struct arena arena = {0};
	struct ir_module there = artifact_module(files, "twin", m, &arena);
	if (twin)
		twin_describe_header(&there, &(struct twin_words){c_type, member_name}, !others, out);
	arena_free(&arena);
	artifact_variants_free(v);
}

void sspur_compiler_describe(const struct ir_module *module, const struct artifact_file *files, struct text *json,
                             struct text *header)
{
	reflection_print(module, files, json);
	header_print(module, files, header);
}
