#include "targets/source/source_target.h"

#include "ir/hazard.h"
#include "ir/ir_analysis.h"
#include "lower/pipeline.h"
#include "lower/private_memory.h"
#include "targets/entry_name.h"
#include "targets/source/source_writer.h"

enum { NESTING_LIMIT = 200 }; /* compilers take 256 brackets one in another */

/* ---- What a target takes ---- */

static bool is_shallow(void *context, struct ir_instruction *i)
{
	unsigned depth = 0;
	(void)context;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_CONTROL))
		return true;
	while ((i = i->parent) != NULL)
		depth++;
	return depth < NESTING_LIMIT;
}

static bool takes(const struct source_dialect *dialect, const struct ir_kernel *k, struct text *error)
{
	if (!private_memory_fits(k, error))
		return false;
	if (!dialect->float64 && ir_uses_f64(k))
		text_add_format(error, "kernel %s: it uses F64, which target %s does not have", k->name,
		                dialect->target);
	else if (!ir_visit(&k->body, is_shallow, NULL))
		text_add_format(
		    error, "kernel %s: its control is nested deeper than %d, which compilers of target %s do not take",
		    k->name, NESTING_LIMIT, dialect->target);
	else
		return true;
	return false;
}

/* A runtime that asks for a device without F64 runs the others elsewhere; where the language can have F64, the text
 * leaves that to the device's compiler. */
static bool is_left_out(const struct source_dialect *dialect, const struct target_options *options,
                        const struct ir_kernel *k)
{
	return !dialect->float64 && (options->hazards & IR_HAZARD_NO_F64) && ir_uses_f64(k);
}

/* ---- Printing ---- */

static void name_entries(struct source_writer *w, const char **entries)
{
	for (uint32_t n = 0; n < w->module->kernel_count; n++) {
		struct text name = {0};
		entry_name(w->dialect->target, w->module->kernels[n], &name);
		entries[n] = arena_string(w->arena, text_string(&name));
		table_set(w->module_names, entries[n], (void *)entries[n]);
		text_free(&name);
	}
}

/* Its tables come before it. */
static void print_kernel(struct source_writer *w, struct text *out)
{
	struct text body = {0};
	bool float64 = ir_uses_f64(w->kernel);
	w->out = &body;
	source_kernel(w);
	text_add(out, float64 ? "\n" : "");
	text_add(out, float64 ? w->dialect->float64_if : "");
	text_add_n(out, text_string(&w->tables), w->tables.length);
	text_add_n(out, text_string(&body), body.length);
	text_add(out, float64 ? "#endif\n" : "");
	text_clear(&w->tables);
	text_free(&body);
}

static void print_module(const struct source_dialect *dialect, struct ir_module *m, struct text *out)
{
	struct arena arena = {0};
	struct text kernels = {0};
	struct table names = {.arena = &arena}, structs = {.arena = &arena};
	struct source_writer w = {
	    .dialect = dialect, .module = m, .arena = &arena, .module_names = &names, .structs = &structs};
	w.helpers.files = m->file_count != 0;
	const char **entries = ARENA_ARRAY(&arena, const char *, m->kernel_count);
	bool float64 = false;
	name_entries(&w, entries);
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		ir_kernel_number(m->kernels[n]);
		w.kernel = m->kernels[n];
		w.entry = entries[n];
		float64 = float64 || ir_uses_f64(w.kernel);
		print_kernel(&w, &kernels);
	}
	text_add(out, dialect->head);
	text_add(out, float64 ? dialect->float64_on : "");
	source_structs(&w, out);
	source_helpers_print(&w.helpers, dialect, out);
	text_add_n(out, text_string(&kernels), kernels.length);
	text_free(&w.tables);
	text_free(&kernels);
	arena_free(&arena);
}

static bool emit(const struct source_dialect *dialect, const struct ir_module *module,
                 const struct target_options *options, struct text *out, struct text *error)
{
	for (uint32_t n = 0; n < module->kernel_count; n++)
		if (!is_left_out(dialect, options, module->kernels[n]) && !takes(dialect, module->kernels[n], error))
			return false;
	uint32_t hazards = options->hazards | dialect->hazards;
	struct ir_module *copy = pipeline_thread_hidden(module, hazards, !options->checked_only, error);
	if (!copy)
		return false;
	uint32_t count = 0;
	for (uint32_t n = 0; n < copy->kernel_count; n++)
		if (!is_left_out(dialect, options, copy->kernels[n]))
			copy->kernels[count++] = copy->kernels[n];
	copy->kernel_count = count;
	print_module(dialect, copy, out);
	ir_module_free(copy);
	return true;
}

bool opencl_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                 struct text *error)
{
	return emit(&source_opencl, module, options, out, error);
}

bool metal_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                struct text *error)
{
	return emit(&source_metal, module, options, out, error);
}
