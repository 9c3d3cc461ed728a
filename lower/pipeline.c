#include "lower/pipeline.h"

#include "ir/ir_text.h"
#include "lower/lower_commit.h"
#include "lower/lower_exact.h"
#include "lower/lower_hazards.h"
#include "lower/lower_math.h"
#include "lower/lower_negations.h"
#include "lower/lower_variants.h"
#include "lower/lower_zeros.h"
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
	pass_run("math", lower_math, copy);
	/* What exact and hazards add goes before the stores, and is not narrowed. */
	pass_run("commit", lower_commit, copy);
	if (variants)
		pass_run("variants", lower_variants, copy);
	if (hazards) {
		pass_run_hazards("exact", lower_exact, hazards, copy);
		pass_run_hazards("hazards", lower_hazards, hazards, copy);
	}
	return copy;
}

struct ir_module *pipeline_thread_hidden(const struct ir_module *m, uint32_t hazards, bool variants, struct text *error)
{
	struct ir_module *copy = pipeline_thread(m, hazards, variants, error);
	if (copy) {
		pass_run("zeros", lower_zeros, copy);
		pass_run("negations", lower_negations, copy);
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
		pass_run("math", lower_math, copy);
	if (copy && variants) {
		pass_run("variants", lower_variants, copy);
		pass_run("variants-recorded", lower_variants_recorded, copy);
	}
	if (copy)
		pass_run("zeros", lower_zeros, copy);
	return copy;
}

struct ir_module *pipeline_invocation(const struct ir_module *m, struct text *error)
{
	struct ir_module *copy = copy_module(m, error);
	if (copy) {
		pass_run("math", lower_math, copy);
		pass_run("zeros", lower_zeros, copy);
	}
	return copy;
}
