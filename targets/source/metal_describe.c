/* Buffers and settings are those of the Vulkan form, whose bindings are Metal's indices. */
#include "targets/source/metal_describe.h"

#include <string.h>

#include "targets/vulkan/vulkan_interface.h"

static void add_buffer(struct text *json, const char *name, uint32_t index, const char *kind, bool writes)
{
	text_add(json, index ? ",\n          {\"name\": " : "\n          {\"name\": ");
	text_add_json(json, name, strlen(name));
	text_add_format(json, ", \"kind\": \"%s\", \"index\": %u, \"access\": \"%s\"}", kind, index,
	                writes ? "read_write" : "read");
}

void metal_describe_kernel(const struct ir_kernel *k, struct text *json)
{
	struct arena arena = {0};
	struct vulkan_interface i = vulkan_interface_make(k, &arena);
	text_add(json, "      \"metal\": {\n        \"buffers\": [");
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_parameter *p = &k->parameters[n];
		if (p->kind != IR_PARAMETER_SCALAR)
			add_buffer(json, p->name, i.bindings[n], p->kind == IR_PARAMETER_BUFFER ? "slice" : "value",
			           p->memory->writable);
	}
	add_buffer(json, "settings", i.settings, "settings", false);
	add_buffer(json, "status", i.status, "status", true);
	add_buffer(json, "mask", i.mask, "mask", true);
	text_add(json, "\n        ],\n        \"settings\": [");
	for (uint32_t n = 0; n < i.value_count; n++) {
		const struct vulkan_setting *v = &i.values[n];
		text_add(json, n ? ",\n          {\"name\": " : "\n          {\"name\": ");
		text_add_json(json, v->name, strlen(v->name));
		text_add_format(json, ", \"type\": \"%s\", \"size\": %u, \"offset\": %u}", v->type, v->size, v->offset);
	}
	text_add_format(json, "\n        ],\n        \"settings_size\": %u\n      },\n", i.size);
	arena_free(&arena);
}

void metal_describe_header(const struct ir_kernel *k, bool has_settings, const char *(*c_type)(const char *type),
                           const char *(*member)(const char *name, struct arena *arena), struct text *out)
{
	struct arena arena = {0};
	struct vulkan_interface i = vulkan_interface_make(k, &arena);
	if (has_settings) {
		text_add_format(out, "/* Metal: the settings of %s are Vulkan's; the indices of its buffers. */\n",
		                k->name);
	} else {
		text_add_format(
		    out, "/* Metal: the settings of %s, and the indices of its buffers. */\nstruct %s_settings {\n",
		    k->name, k->name);
		for (uint32_t n = 0; n < i.value_count; n++)
			text_add_format(out, "\t%s %s;\n", c_type(i.values[n].type), member(i.values[n].name, &arena));
		text_add_format(out, "};\nSSPUR_SIZE_IS(struct %s_settings, %u);\n", k->name, i.size);
	}
	text_add(out, "enum {\n");
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (k->parameters[n].kind != IR_PARAMETER_SCALAR)
			text_add_format(out, "\t%s_BUFFER_%s = %u,\n", k->name, k->parameters[n].name, i.bindings[n]);
	text_add_format(out, "\t%s_SETTINGS_BUFFER = %u,\n\t%s_STATUS_BUFFER = %u,\n\t%s_MASK_BUFFER = %u,\n};\n\n",
	                k->name, i.settings, k->name, i.status, k->name, i.mask);
	arena_free(&arena);
}
