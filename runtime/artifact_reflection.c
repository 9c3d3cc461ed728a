#include "runtime/artifact_reflection.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/json_reader.h"
#include "targets/entry_name.h"

enum { KERNELS_MOST = 1 << 16, PARAMETERS_MOST = 1 << 12, GROUP_MOST = 1 << 16 };

/* ---- Kinds of artifacts ---- */

static bool starts_with(const void *bytes, size_t size, const char *start, size_t length)
{
	return size >= length && memcmp(bytes, start, length) == 0;
}

/* SPIR-V of OpenCL declares the capability Kernel (6), Vulkan's declares Shader (1); the one or the other is among the
 * first instructions (SPIR-V 2.4), each with its length in words above its number (17). */
static enum artifact_kind spirv_kind(const uint8_t *bytes, size_t size)
{
	for (size_t at = 20; at + 8 <= size;) {
		uint32_t head, capability;
		memcpy(&head, bytes + at, 4);
		memcpy(&capability, bytes + at + 4, 4);
		if ((head & 0xffff) != 17 || head >> 16 != 2)
			break;
		if (capability == 1)
			return ARTIFACT_VULKAN;
		at += 8;
	}
	return ARTIFACT_SPIRV;
}

/* The first of PTX that is no comment is `.version` (PTX ISA 11.1.1). */
static bool is_ptx(const char *text, size_t size)
{
	const char *end = text + size;
	for (;;) {
		while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'))
			text++;
		if (end - text < 2 || text[0] != '/' || text[1] != '/')
			break;
		const char *line = memchr(text, '\n', (size_t)(end - text));
		text = line ? line : end;
	}
	return starts_with(text, (size_t)(end - text), ".version", 8);
}

static bool contains(const char *text, size_t size, const char *words)
{
	size_t length = strlen(words);
	for (const char *at = text; size >= length && at <= text + size - length; at++)
		if ((at = memchr(at, *words, (size_t)(text + size - length - at) + 1)) == NULL)
			return false;
		else if (memcmp(at, words, length) == 0)
			return true;
	return false;
}

bool artifact_recognize(const void *bytes, size_t size, enum artifact_kind *kind)
{
	if (starts_with(bytes, size,
	                "\x7f"
	                "ELF",
	                4))
		*kind = ARTIFACT_NATIVE;
	else if (starts_with(bytes, size, "BC\xc0\xde", 4))
		*kind = ARTIFACT_SPIR_BITCODE;
	else if (starts_with(bytes, size, "\x03\x02\x23\x07", 4))
		*kind = spirv_kind(bytes, size);
	else if (is_ptx(bytes, size))
		*kind = ARTIFACT_PTX;
	else if (starts_with(bytes, size, "MTLB", 4) || contains(bytes, size, "#include <metal_stdlib>"))
		*kind = ARTIFACT_METAL;
	else if (contains(bytes, size, "__kernel "))
		*kind = ARTIFACT_OPENCL_C;
	else
		return false;
	return true;
}

const char *artifact_kind_text(enum artifact_kind kind)
{
	switch (kind) {
	case ARTIFACT_NATIVE:
	case ARTIFACT_NATIVE_ORDERED: return "native code";
	case ARTIFACT_PTX: return "PTX";
	case ARTIFACT_SPIRV: return "SPIR-V";
	case ARTIFACT_SPIR_BITCODE: return "SPIR bitcode";
	case ARTIFACT_VULKAN: return "SPIR-V of Vulkan";
	case ARTIFACT_OPENCL_C: return "OpenCL C";
	case ARTIFACT_METAL: return "Metal";
	case ARTIFACT_LLVM: return "LLVM IR";
	case ARTIFACT_KIR: return "kernel IR";
	case ARTIFACT_TWIN: return "native code of Cone";
	}
	return "?";
}

const char *artifact_kind_target(enum artifact_kind kind)
{
	switch (kind) {
	case ARTIFACT_NATIVE:
	case ARTIFACT_NATIVE_ORDERED: return "native";
	case ARTIFACT_PTX: return "ptx";
	case ARTIFACT_SPIRV: return "spirv";
	case ARTIFACT_SPIR_BITCODE: return "bitcode";
	case ARTIFACT_VULKAN: return "vulkan";
	case ARTIFACT_OPENCL_C: return "opencl";
	case ARTIFACT_METAL: return "metal";
	case ARTIFACT_LLVM: return "llvm";
	case ARTIFACT_KIR: return "kir";
	case ARTIFACT_TWIN: return "twin";
	}
	return "?";
}

/* ---- Reading ---- */

struct reading {
	struct arena arena; /* of the document */
	struct ir_module *module;
	struct artifact_kernel *facts;
	enum artifact_kind kind;
	struct text *error;
};

static bool refuse(struct reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct reading *r, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	text_add(r->error, "the reflection ");
	text_add_format_v(r->error, format, args);
	va_end(args);
	return false;
}

static uint32_t count_items(const struct json_value *array)
{
	uint32_t count = 0;
	for (const struct json_value *v = array ? array->first : NULL; v && count < UINT32_MAX; v = v->next)
		count++;
	return count;
}

/* NULL: no scalar's name. */
static const struct ir_type *find_type(const char *name)
{
	for (int kind = IR_TYPE_void + 1; name && kind < IR_TYPE_array; kind++)
		if (strcmp(ir_type_kind_name((enum ir_type_kind)kind), name) == 0)
			return &ir_types[kind];
	return NULL;
}

static bool read_parameter(struct reading *r, struct ir_kernel *k, const struct json_value *v)
{
	const char *name = json_member_string(v, "name"), *kind = json_member_string(v, "kind");
	const char *access = json_member_string(v, "access");
	bool slice = kind && strcmp(kind, "slice") == 0;
	const struct ir_type *type = find_type(json_member_string(v, slice ? "element" : "type"));
	if (!name || !kind || (slice && !access))
		return refuse(r, "is wrong about a parameter of %s", k->name);
	if ((!slice && strcmp(kind, "scalar") != 0) || !type)
		return refuse(r, "has a parameter %s of %s that this version cannot pass", name, k->name);
	if (slice)
		ir_add_buffer(k, name, type, strcmp(access, "read") != 0);
	else
		ir_add_scalar(k, name, type);
	return true;
}

static bool read_group(struct ir_kernel *k, const struct json_value *group)
{
	uint32_t axis = 0;
	for (const struct json_value *v = group ? group->first : NULL; v; v = v->next, axis++) {
		uint64_t most = axis < k->axes ? GROUP_MOST : 1;
		if (axis == 3 || v->kind != JSON_NUMBER || !v->whole || v->number < 1 || v->number > most)
			return false;
		k->group[axis] = (uint32_t)v->number;
	}
	return axis == 3 && (uint64_t)k->group[0] * k->group[1] * k->group[2] <= GROUP_MOST;
}

static bool read_kernel(struct reading *r, const struct json_value *v, const char *file)
{
	const char *name = json_member_string(v, "name");
	if (!name || !*name)
		return refuse(r, "has a kernel without a name");
	if (ir_module_find(r->module, name))
		return refuse(r, "has two kernels %s", name);
	struct artifact_kernel *facts = &r->facts[r->module->kernel_count];
	struct ir_kernel *k = ir_kernel_new(r->module, name);
	uint64_t axes;
	k->file = arena_string(&r->module->arena, file ? file : "?");
	if (!json_member_number(v, "axes", 3, &axes) || !axes)
		return refuse(r, "is wrong about the axes of %s", name);
	k->axes = (uint8_t)axes;
	const struct json_value *parameters = json_member(v, "parameters", JSON_ARRAY);
	if (!read_group(k, json_member(v, "group", JSON_ARRAY)) ||
	    !json_member_number(v, "shared_bytes", UINT32_MAX, &facts->shared_size))
		return refuse(r, "is wrong about the group of %s", name);
	if (!parameters || count_items(parameters) > PARAMETERS_MOST)
		return refuse(r, "does not tell the parameters of %s", name);
	facts->grouped = json_member(v, "grouped", JSON_TRUE) != NULL;
	const char *policy = json_member_string(v, "policy"), *index = json_member_string(v, "index");
	if (policy && strcmp(policy, "record") == 0)
		k->policy = IR_POLICY_RECORD;
	if (index && find_type(index))
		k->index = find_type(index)->kind;
	const struct json_value *features = json_member(v, "features", JSON_ARRAY);
	for (const struct json_value *f = features ? features->first : NULL; f; f = f->next)
		facts->float64 |= f->kind == JSON_STRING && strcmp(f->string, "float64") == 0;
	for (const struct json_value *p = parameters->first; p; p = p->next)
		if (!read_parameter(r, k, p))
			return false;
	return true;
}

/* The variant that states what failed. */
static const struct json_value *find_checked(const struct json_value *kernel)
{
	const struct json_value *variants = json_member(kernel, "variants", JSON_ARRAY);
	for (const struct json_value *v = variants ? variants->first : NULL; v; v = v->next) {
		const char *name = json_member_string(v, "name");
		if (name && strcmp(name, "checked") == 0)
			return v;
	}
	return NULL;
}

static const char *entry_of(const struct json_value *kernel, const char *target)
{
	return json_member_string(json_member(find_checked(kernel), "entry", JSON_OBJECT), target);
}

/* The artifact is of the kernels that its target takes. */
static bool is_left_out(const struct json_value *kernel, const char *target)
{
	return json_member_string(json_member(kernel, "left_out", JSON_OBJECT), target) != NULL;
}

/* Bitcode may be that of SPIR-V whose reflection this is: names are the same. */
static const char *target_of(const struct reading *r, const struct json_value *kernel)
{
	const char *target = artifact_kind_target(r->kind);
	bool is_other = r->kind == ARTIFACT_SPIR_BITCODE && !entry_of(kernel, target) && !is_left_out(kernel, target);
	return is_other ? artifact_kind_target(ARTIFACT_SPIRV) : target;
}

/* Devices look for entry points by the rule that makes their names. */
static bool check_entry(struct reading *r, const struct ir_kernel *k, const struct json_value *v)
{
	const char *target = target_of(r, v), *entry = entry_of(v, target);
	if (!entry)
		return refuse(r, "is not of an artifact of the target %s: %s has no entry point there", target,
		              k->name);
	if (json_member(find_checked(v), "status", JSON_FALSE))
		return refuse(r, "is of an artifact without status records");
	struct text name = {0};
	entry_name(target, k, &name);
	bool good = strcmp(text_string(&name), entry) == 0;
	if (!good)
		refuse(r, "has the entry point %s of %s, and this version knows it as %s", entry, k->name,
		       text_string(&name));
	text_free(&name);
	return good;
}

static bool read_document(struct reading *r, const struct json_value *v)
{
	const char *format = json_member_string(v, "format"), *file = json_member_string(v, "source");
	const struct json_value *kernels = json_member(v, "kernels", JSON_ARRAY);
	uint64_t version, words, count = count_items(kernels);
	if (!format || strcmp(format, "sspur-reflection") != 0)
		return refuse(r, "is not one: it has no `format` of `sspur-reflection`");
	if (!json_member_number(v, "version", UINT64_MAX, &version) || version != 1)
		return refuse(r, "has another version of its format than 1");
	if (!json_member_number(json_member(v, "status", JSON_OBJECT), "words", 8, &words) || words != 8)
		return refuse(r, "is of an artifact without a status record of 8 words");
	if (!kernels || count > KERNELS_MOST)
		return refuse(r, "does not tell its kernels");
	r->facts = memory_zeroed(count + 1, sizeof *r->facts);
	for (const struct json_value *k = kernels->first; k; k = k->next)
		if (!is_left_out(k, target_of(r, k)) && !read_kernel(r, k, file))
			return false;
	uint32_t i = 0;
	for (const struct json_value *k = kernels->first; k; k = k->next)
		if (!is_left_out(k, target_of(r, k)) && !check_entry(r, r->module->kernels[i++], k))
			return false;
	return i || !count || refuse(r, "says that the artifact has none of its kernels");
}

struct ir_module *artifact_reflection_read(const void *json, size_t size, enum artifact_kind kind,
                                           struct artifact_kernel **facts, struct text *error)
{
	struct reading r = {.module = ir_module_new(), .kind = kind, .error = error};
	struct text why = {0};
	const struct json_value *v = json_read(&r.arena, json, size, &why);
	bool good = v ? read_document(&r, v) : refuse(&r, "cannot be read: %s", text_string(&why));
	text_free(&why);
	arena_free(&r.arena);
	*facts = good ? r.facts : NULL;
	if (good)
		return r.module;
	free(r.facts);
	ir_module_free(r.module);
	return NULL;
}
