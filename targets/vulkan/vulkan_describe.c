#include "targets/vulkan/vulkan_describe.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#include "ir/hazard.h"
#include "ir/ir_analysis.h"
#include "targets/vulkan/vulkan_interface.h"
#include "targets/vulkan/vulkan_target.h"

/* ---- Features, read from the code itself ---- */

/* Names as in the structs of Vulkan's API; those of capabilities, and of execution modes by width. */
static const struct feature {
	SpvOp op;
	uint32_t number, width; /* capability; or execution mode with its operand */
	const char *name;
} features[] = {
    {SpvOpCapability, SpvCapabilityInt8, 0, "shaderInt8"},
    {SpvOpCapability, SpvCapabilityInt16, 0, "shaderInt16"},
    {SpvOpCapability, SpvCapabilityInt64, 0, "shaderInt64"},
    {SpvOpCapability, SpvCapabilityFloat64, 0, "shaderFloat64"},
    {SpvOpCapability, SpvCapabilityStorageBuffer8BitAccess, 0, "storageBuffer8BitAccess"},
    {SpvOpCapability, SpvCapabilityStorageBuffer16BitAccess, 0, "storageBuffer16BitAccess"},
    {SpvOpExecutionMode, SpvExecutionModeSignedZeroInfNanPreserve, 32, "shaderSignedZeroInfNanPreserveFloat32"},
    {SpvOpExecutionMode, SpvExecutionModeSignedZeroInfNanPreserve, 64, "shaderSignedZeroInfNanPreserveFloat64"},
    {SpvOpExecutionMode, SpvExecutionModeRoundingModeRTE, 32, "shaderRoundingModeRTEFloat32"},
    {SpvOpExecutionMode, SpvExecutionModeRoundingModeRTE, 64, "shaderRoundingModeRTEFloat64"},
    {SpvOpExecutionMode, SpvExecutionModeDenormPreserve, 32, "shaderDenormPreserveFloat32"},
    {SpvOpExecutionMode, SpvExecutionModeDenormPreserve, 64, "shaderDenormPreserveFloat64"},
};

/* From the instruction at word `at`, whose end is in *next. */
static bool asks_for(const struct text *code, size_t at, const struct feature *f, size_t *next)
{
	uint32_t words[4] = {0};
	memcpy(words, code->data + at * 4, 4);
	uint32_t length = words[0] >> SpvWordCountShift;
	memcpy(words, code->data + at * 4, length < 4 ? length * 4 : sizeof words);
	*next = at + length;
	if ((words[0] & SpvOpCodeMask) != f->op)
		return false;
	return f->op == SpvOpCapability ? words[1] == f->number : words[2] == f->number && words[3] == f->width;
}

static bool needs(const struct text *code, const struct feature *f)
{
	enum { HEADER = 5 };
	bool found = false;
	for (size_t at = HEADER; at < code->length / 4 && !found;)
		found = asks_for(code, at, f, &at);
	return found;
}

void vulkan_describe_module(const struct ir_module *m, struct text *json)
{
	struct target_options options = {.optimize = 2, .status = true, .hazards = IR_HAZARDS_OF_VULKAN};
	struct text code = {0}, error = {0};
	bool good = vulkan_emit(m, &options, &code, &error), any = false;
	bool alone = ir_takes_buffers_alone(m);
	text_add_format(json, "  \"vulkan\": {\"spirv\": \"%s\", \"settings\": %s, \"features\": [",
	                alone ? "1.6" : "1.3", alone ? "false" : "true");
	for (size_t n = 0; good && n < sizeof features / sizeof *features; n++) {
		if (!needs(&code, &features[n]))
			continue;
		text_add_format(json, "%s\"%s\"", any ? ", " : "", features[n].name);
		any = true;
	}
	text_add(json, "]},\n");
	text_free(&code);
	text_free(&error);
}

/* ---- Bindings and settings ---- */

static void add_binding(struct text *json, const char *name, uint32_t binding, const char *kind, bool writes)
{
	text_add(json, binding ? "," : "");
	text_add(json, "\n          {\"name\": ");
	text_add_json(json, name, strlen(name));
	text_add_format(json, ", \"kind\": \"%s\", \"binding\": %u, \"access\": \"%s\"}", kind, binding,
	                writes ? "read_write" : "read");
}

void vulkan_describe_kernel(const struct ir_kernel *k, struct text *json)
{
	struct arena arena = {0};
	struct vulkan_interface i = vulkan_interface_make(k, &arena);
	text_add(json, "      \"vulkan\": {\n        \"set\": 0,\n        \"bindings\": [");
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_parameter *p = &k->parameters[n];
		if (p->kind != IR_PARAMETER_SCALAR)
			add_binding(json, p->name, i.bindings[n], p->kind == IR_PARAMETER_BUFFER ? "slice" : "value",
			            p->memory->writable);
	}
	bool alone = i.settings == UINT32_MAX;
	if (!alone)
		add_binding(json, "settings", i.settings, "settings", false);
	add_binding(json, alone ? "errors" : "status", i.status, "status", true);
	if (!alone)
		add_binding(json, "mask", i.mask, "mask", true);
	text_add(json, "\n        ],\n        \"settings\": [");
	for (uint32_t n = 0; n < i.value_count; n++) {
		const struct vulkan_setting *v = &i.values[n];
		text_add(json, n ? "," : "");
		text_add(json, "\n          {\"name\": ");
		text_add_json(json, v->name, strlen(v->name));
		text_add_format(json, ", \"type\": \"%s\", \"size\": %u, \"offset\": %u}", v->type, v->size, v->offset);
	}
	text_add_format(json, "\n        ],\n        \"settings_size\": %u\n      },\n", i.size);
	arena_free(&arena);
}

static void print_settings(const struct ir_kernel *k, const struct vulkan_interface *i,
                           const char *(*c_type)(const char *type),
                           const char *(*member)(const char *name, struct arena *arena), struct text *out,
                           struct arena *arena)
{
	text_add_format(out, "/* Vulkan: the settings of %s, and its bindings in set 0. */\nstruct %s_settings {\n",
	                k->name, k->name);
	for (uint32_t n = 0; n < i->value_count; n++)
		text_add_format(out, "\t%s %s;\n", c_type(i->values[n].type), member(i->values[n].name, arena));
	text_add_format(out, "};\nSSPUR_SIZE_IS(struct %s_settings, %u);\n", k->name, i->size);
}

void vulkan_describe_header(const struct ir_kernel *k, const char *(*c_type)(const char *type),
                            const char *(*member)(const char *name, struct arena *arena), struct text *out)
{
	struct arena arena = {0};
	struct vulkan_interface i = vulkan_interface_make(k, &arena);
	bool alone = i.settings == UINT32_MAX;
	if (alone)
		text_add_format(out, "/* Vulkan: the bindings of %s in set 0. */\n", k->name);
	else
		print_settings(k, &i, c_type, member, out, &arena);
	text_add(out, "enum {\n");
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (k->parameters[n].kind != IR_PARAMETER_SCALAR)
			text_add_format(out, "\t%s_BINDING_%s = %u,\n", k->name, k->parameters[n].name, i.bindings[n]);
	if (!alone)
		text_add_format(out, "\t%s_SETTINGS_BINDING = %u,\n", k->name, i.settings);
	text_add_format(out, "\t%s_STATUS_BINDING = %u,\n", k->name, i.status);
	if (!alone)
		text_add_format(out, "\t%s_MASK_BINDING = %u,\n", k->name, i.mask);
	text_add(out, "};\n\n");
	arena_free(&arena);
}
