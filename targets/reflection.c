/* NAME.json: everything a tool must know to launch the kernels of an artifact (docs/abi.md). */
#include <string.h>

#include "ir/ir_analysis.h"
#include "targets/artifact_variants.h"
#include "targets/entry_name.h"
#include "targets/kernel_interface.h"
#include "targets/source/metal_describe.h"
#include "targets/vulkan/vulkan_describe.h"

static void string(struct text *out, const char *s)
{
	text_add_json(out, s, strlen(s));
}

bool artifact_find(const struct artifact_file *files, const char *target)
{
	while (files->target && strcmp(files->target, target) != 0)
		files++;
	return files->target != NULL;
}

const char *artifact_lacks(const struct artifact_file *f, const struct ir_kernel *k)
{
	return f->left_out ? f->left_out[ir_module_index(k->module, k)] : NULL;
}

bool artifact_has(const struct artifact_file *files, const char *target, const struct ir_kernel *k)
{
	bool has = false;
	for (; files->target; files++)
		has |= (!target || strcmp(files->target, target) == 0) && !artifact_lacks(files, k);
	return has;
}

struct ir_module artifact_module(const struct artifact_file *files, const char *target, const struct ir_module *m,
                                 struct arena *arena)
{
	struct ir_module there = *m;
	there.kernels = ARENA_ARRAY(arena, struct ir_kernel *, m->kernel_count);
	there.kernel_count = 0;
	for (uint32_t n = 0; n < m->kernel_count; n++)
		if (artifact_has(files, target, m->kernels[n]))
			there.kernels[there.kernel_count++] = m->kernels[n];
	return there;
}

static void print_entries(const struct ir_kernel *k, const struct artifact_file *files, struct text *out)
{
	bool any = false;
	text_add(out, "{");
	for (const struct artifact_file *f = files; f->target; f++) {
		struct text name = {0};
		if (artifact_lacks(f, k))
			continue;
		entry_name(f->target, k, &name);
		text_add(out, any ? ", " : "");
		string(out, f->target);
		text_add(out, ": ");
		string(out, text_string(&name));
		text_free(&name);
		any = true;
	}
	text_add(out, "}");
}

/* Targets whose artifacts do not have it, and why. */
static void print_left_out(const struct ir_kernel *k, const struct artifact_file *files, struct text *out)
{
	bool any = false;
	for (const struct artifact_file *f = files; f->target; f++) {
		const char *why = artifact_lacks(f, k);
		if (!why)
			continue;
		text_add(out, any ? ", " : "      \"left_out\": {");
		string(out, f->target);
		text_add(out, ": ");
		string(out, why);
		any = true;
	}
	text_add(out, any ? "},\n" : "");
}

/* Those of devices that need no status record. */
static void print_variant(const struct artifact_variants *v, const struct ir_kernel *k,
                          const struct artifact_file *files, enum kernel_variant variant, const char *word,
                          struct text *out)
{
	struct text entries = {0};
	for (unsigned n = 0; files[n].target; n++) {
		struct text name = {0};
		if (!artifact_lacks(&files[n], k) && artifact_variant_name(v, n, k, variant, &name)) {
			text_add(&entries, entries.length ? ", " : "");
			string(&entries, files[n].target);
			text_add(&entries, ": ");
			string(&entries, text_string(&name));
		}
		text_free(&name);
	}
	if (entries.length)
		text_add_format(out, ",\n        {\"name\": \"%s\", \"status\": false, \"entry\": {%s}}", word,
		                text_string(&entries));
	text_free(&entries);
}

static void print_variants(const struct artifact_variants *v, const struct ir_kernel *k,
                           const struct artifact_file *files, struct text *out)
{
	text_add(out, "      \"variants\": [\n        {\"name\": \"checked\", \"status\": true, \"entry\": ");
	print_entries(k, files, out);
	text_add(out, "}");
	print_variant(v, k, files, KERNEL_PROVED, "proved", out);
	print_variant(v, k, files, KERNEL_NARROW, "narrow", out);
	text_add(out, "\n      ]\n    }");
}

static void print_arguments(const struct kernel_interface *i, struct text *out)
{
	text_add(out, "      \"arguments\": [");
	for (uint32_t n = 0; n < i->count; n++) {
		const struct interface_argument *a = &i->arguments[n];
		text_add_format(out, "%s\n        {\"name\": ", n ? "," : "");
		string(out, a->name);
		text_add_format(out, ", \"type\": \"%s\", \"size\": %u, \"offset\": %u, \"binding\": %u}", a->type,
		                a->size, a->offset, n);
	}
	text_add_format(out, "\n      ],\n      \"arguments_size\": %u,\n", i->size);
}

static void print_parameters(const struct ir_kernel *k, struct text *out)
{
	text_add(out, "      \"parameters\": [");
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_parameter *p = &k->parameters[n];
		text_add_format(out, "%s\n        {\"name\": ", n ? "," : "");
		string(out, p->name);
		text_add(out, ", \"kind\": ");
		switch (p->kind) {
		case IR_PARAMETER_SCALAR:
			text_add_format(out, "\"scalar\", \"type\": \"%s\"}", ir_type_kind_name(p->type->kind));
			break;
		case IR_PARAMETER_BUFFER:
			text_add_format(out, "\"slice\", \"element\": \"%s\", \"access\": \"%s\"}",
			                ir_type_is_scalar(p->type) ? ir_type_kind_name(p->type->kind) : p->type->name,
			                p->memory->writable ? "read_write" : "read");
			break;
		case IR_PARAMETER_VALUE:
			text_add_format(out, "\"value\", \"type\": \"%s\", \"size\": %u}", p->type->name,
			                p->type->size);
			break;
		}
	}
	text_add(out, k->parameter_count ? "\n      ],\n" : "],\n");
}

static void print_expressions(const char *name, const struct ir_expression *e, uint32_t count, struct text *out)
{
	text_add_format(out, "      \"%s\": [", name);
	for (uint32_t n = 0; n < count; n++) {
		text_add(out, n ? ", " : "");
		string(out, e[n].text ? e[n].text : "");
	}
	text_add(out, "],\n");
}

static void print_kernel(const struct artifact_variants *v, const struct ir_kernel *k,
                         const struct artifact_file *files, struct text *out)
{
	struct arena arena = {0};
	struct kernel_interface i = kernel_interface_make(k, &arena);
	text_add(out, "    {\n      \"name\": ");
	string(out, k->name);
	text_add_format(out, ",\n      \"line\": %u,\n      \"axes\": %u,\n      \"group\": [%u, %u, %u],\n",
	                k->place.line, k->axes, k->group[0], k->group[1], k->group[2]);
	text_add_format(out, "      \"grouped\": %s,\n      \"shared_bytes\": %u,\n", i.grouped ? "true" : "false",
	                i.shared_bytes);
	if (k->policy == IR_POLICY_RECORD)
		text_add_format(out, "      \"policy\": \"record\",\n      \"index\": \"%s\",\n",
		                ir_type_kind_name(k->index));
	print_expressions("grid", k->grid, k->axes, out);
	print_expressions("pre", k->pre, k->pre_count, out);
	print_parameters(k, out);
	print_arguments(&i, out);
	if (artifact_has(files, "vulkan", k))
		vulkan_describe_kernel(k, out);
	if (artifact_has(files, "metal", k))
		metal_describe_kernel(k, out);
	text_add_format(out, "      \"commit_safe\": %s,\n      \"features\": [%s],\n",
	                ir_commit_safe(k) ? "true" : "false", i.uses_f64 ? "\"float64\"" : "");
	print_left_out(k, files, out);
	print_variants(v, k, files, out);
	arena_free(&arena);
}

static void describe_vulkan(const struct ir_module *m, const struct artifact_file *files, struct text *out)
{
	struct arena arena = {0};
	struct ir_module there = artifact_module(files, "vulkan", m, &arena);
	vulkan_describe_module(&there, out);
	arena_free(&arena);
}

void reflection_print(const struct ir_module *m, const struct artifact_file *files, struct text *out)
{
	text_add(out, "{\n  \"format\": \"sspur-reflection\",\n  \"version\": 1,\n  \"source\": ");
	string(out, m->kernel_count ? m->kernels[0]->file : "");
	text_add(out, ",\n  \"artifacts\": [");
	for (const struct artifact_file *f = files; f->target; f++) {
		text_add_format(out, "%s\n    {\"target\": \"%s\", \"file\": ", f == files ? "" : ",", f->target);
		string(out, f->file);
		text_add(out, "}");
	}
	text_add(out, "\n  ],\n");
	if (artifact_find(files, "vulkan"))
		describe_vulkan(m, files, out);
	text_add(out,
	         "  \"status\": {\"words\": 8, \"layout\": [\"failed\", \"kind\", \"file\", \"line\", \"x\", \"y\", "
	         "\"z\", \"value\"]},\n  \"kernels\": [\n");
	struct artifact_variants *v = artifact_variants_find(m, files);
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		print_kernel(v, m->kernels[n], files, out);
		text_add(out, n + 1 < m->kernel_count ? ",\n" : "\n");
	}
	artifact_variants_free(v);
	text_add(out, "  ]\n}\n");
}
