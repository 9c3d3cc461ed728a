/* Any bytes as kernel IR: the parser neither crashes nor hangs, what it accepts verifies and prints to
 * a text that reads back as itself, and so do the folder and the dead-code pass leave it. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_dead.h"
#include "ir/ir_fold.h"
#include "ir/ir_text.h"
#include "ir/ir_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct ir_module *parse(const char *bytes, size_t size)
{
	struct source source;
	source_init(&source, "fuzz.kir", bytes, size);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *m = ir_parse(&source, &diagnostics);
	struct text out = {0};
	diagnostics_print(&diagnostics, &out);
	if (!m != (diagnostics.error_count != 0))
		abort();
	text_free(&out);
	diagnostics_free(&diagnostics);
	source_free(&source);
	return m;
}

static void check(const struct ir_module *m)
{
	struct text faults = {0}, first = {0}, second = {0};
	if (!ir_verify(m, &faults))
		abort();
	ir_print(&first, m);
	struct ir_module *again = parse(text_string(&first), first.length);
	if (!again)
		abort();
	ir_print(&second, again);
	if (first.length != second.length || memcmp(text_string(&first), text_string(&second), first.length) != 0)
		abort();
	ir_module_free(again);
	text_free(&faults);
	text_free(&first);
	text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ir_module *m = parse((const char *)bytes, size);
	if (!m)
		return 0;
	check(m);
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		ir_fold(m->kernels[n]);
		ir_remove_dead(m->kernels[n]);
	}
	check(m);
	for (uint32_t n = 0; n < m->kernel_count; n++)
		if (ir_remove_dead(m->kernels[n]))
			abort();
	ir_module_free(m);
	return 0;
}
