#include "lower/pipeline.h"

#include "ir/ir_text.h"
#include "lower/pass.h"

/* By the text form, whose round trip is exact. */
static struct ir_module *copy_module(const struct ir_module *m, struct text *error)
{
	struct text printed = {0};
	struct source source;
	ir_print(&printed, m);
	source_init(&source, "module", text_string(&printed), printed.length);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *copy = ir_parse(&source, &diagnostics);
	if (!copy)
		text_add_format(error, "the module does not verify: %s",
		                diagnostics.count ? diagnostics.items[0].message : "it cannot be read back");
	diagnostics_free(&diagnostics);
	source_free(&source);
	text_free(&printed);
	return copy;
}

struct ir_module *pipeline_thread(const struct ir_module *m, uint32_t hazards, bool variants, struct text *error)
{
	struct ir_module *copy = copy_module(m, error);
	if (!copy)
		return NULL;
	pass_run(PASS_MATH, 0, copy);
	/* What exact and hazards add goes before the stores, and is not narrowed. */
	pass_run(PASS_COMMIT, 0, copy);
	if (variants)
		pass_run(PASS_VARIANTS, 0, copy);
	if (hazards) {
		pass_run(PASS_EXACT, hazards, copy);
		pass_run(PASS_HAZARDS, hazards, copy);
	}
	return copy;
}

struct ir_module *pipeline_thread_hidden(const struct ir_module *m, uint32_t hazards, bool variants, struct text *error)
{
	struct ir_module *copy = pipeline_thread(m, hazards, variants, error);
	if (copy) {
		pass_run(PASS_ZEROS, 0, copy);
		pass_run(PASS_NEGATIONS, 0, copy);
	}
	return copy;
}

struct ir_module *pipeline_copy(const struct ir_module *m, struct text *error)
{
	return copy_module(m, error);
}

struct ir_module *pipeline_native(const struct ir_module *m, bool variants, struct text *error)
{
	struct ir_module *copy = copy_module(m, error);
	if (copy)
		pass_run(PASS_MATH, 0, copy);
	if (copy && variants) {
		pass_run(PASS_VARIANTS, 0, copy);
		pass_run(PASS_VARIANTS_RECORDED, 0, copy);
	}
	if (copy)
		pass_run(PASS_ZEROS, 0, copy);
	return copy;
}

struct ir_module *pipeline_invocation(const struct ir_module *m, struct text *error)
{
	struct ir_module *copy = copy_module(m, error);
	if (copy) {
		pass_run(PASS_MATH, 0, copy);
		pass_run(PASS_ZEROS, 0, copy);
	}
	return copy;
}
