/* Targets say what is wrong with a module, by its first kernel that they refuse: each kernel is asked for alone. */
#include "utils/tools/kernel_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cone/cone_ast.h"
#include "frontend/ssp/ast.h"
#include "ir/ir_analysis.h"
#include "utils/base/arena.h"

/* Without `kernel NAME: `, which whoever names the kernel has said. */
static char *reason(const struct ir_kernel *k, const struct text *error)
{
	const char *why = text_string(error);
	size_t length = strlen(k->name);
	if (strncmp(why, "kernel ", 7) == 0 && strncmp(why + 7, k->name, length) == 0 &&
	    strncmp(why + 7 + length, ": ", 2) == 0)
		why += 7 + length + 2;
	struct text copy = {0};
	text_add(&copy, why);
	return text_take(&copy);
}

/* A module of one kernel has all the others have: files and types. */
static void ask_each(const struct compiler *compiler, const char *target, const struct ir_module *module,
                     const struct target_options *options, char **why, struct ir_module *taken)
{
	for (uint32_t n = 0; n < module->kernel_count; n++) {
		struct text bytes = {0}, error = {0};
		struct ir_module alone = *module;
		alone.kernels = &module->kernels[n];
		alone.kernel_count = 1;
		if (compiler->emit(target, &alone, options, &bytes, &error))
			taken->kernels[taken->kernel_count++] = module->kernels[n];
		else
			why[n] = reason(module->kernels[n], &error);
		text_free(&bytes);
		text_free(&error);
	}
}

bool kernel_selection_emit(const struct compiler *compiler, const char *target, const struct ir_module *module,
                           const struct target_options *options, char **why, struct text *out, struct text *error)
{
	struct text first = {0};
	if (compiler->emit(target, module, options, out, why ? &first : error))
		return true;
	if (!why)
		return false;
	struct ir_module taken = *module;
	taken.kernels = memory_alloc(((size_t)module->kernel_count + 1) * sizeof(struct ir_kernel *));
	taken.kernel_count = 0;
	text_clear(out);
	ask_each(compiler, target, module, options, why, &taken);
	/* What is left out must not change the form of the others, which the reflection file tells. */
	bool good = taken.kernel_count && taken.kernel_count < module->kernel_count &&
	            ir_takes_buffers_alone(&taken) == ir_takes_buffers_alone(module) &&
	            compiler->emit(target, &taken, options, out, error);
	for (uint32_t n = 0; !good && n < module->kernel_count; n++) {
		free(why[n]);
		why[n] = NULL;
	}
	if (!good) {
		text_clear(error);
		text_add(error, text_string(&first));
	}
	free(taken.kernels);
	text_free(&first);
	return good;
}

/* ---- Saying so ---- */

/* Of the name that the kernel is declared by. */
static const struct source *find_place(const struct program *program, const struct cone_program *cone, const char *name,
                                       struct span *span)
{
	for (uint32_t n = 0; program && n < program->definition_count; n++) {
		const struct definition *d = program->definitions[n];
		*span = d->name_span;
		if (d->kind == DEFINITION_KERNEL && strcmp(d->name, name) == 0)
			return program->source;
	}
	for (uint32_t n = 0; cone && n < cone->entry_count; n++) {
		const struct cone_declaration *f = cone->entries[n].function;
		*span = f->name_span;
		if (strcmp(f->name, name) == 0)
			return &f->file->source;
	}
	return NULL;
}

void kernel_selection_warn(const struct program *program, const struct cone_program *cone, const char *target,
                           const struct ir_module *module, char *const *why)
{
	for (uint32_t n = 0; n < module->kernel_count; n++) {
		const char *name = module->kernels[n]->name;
		struct span span;
		struct diagnostics d = {.source = why[n] ? find_place(program, cone, name, &span) : NULL};
		struct text out = {0};
		if (!d.source)
			continue;
		struct diagnostic *item = diagnostic_add(
		    &d, "W_KERNEL_LEFT_OUT", span, "kernel `%s` is left out of target %s: %s", name, target, why[n]);
		diagnostic_hint(&d, item, "the artifact has the other kernels; `--strict` makes this an error");
		diagnostics_print(&d, &out);
		fwrite(text_string(&out), 1, out.length, stderr);
		text_free(&out);
		diagnostics_free(&d);
	}
}
