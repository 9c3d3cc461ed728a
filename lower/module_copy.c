#include "lower/module_copy.h"

#include "ir/ir_text.h"

struct ir_module *module_copy(const struct ir_module *m, struct text *error)
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
