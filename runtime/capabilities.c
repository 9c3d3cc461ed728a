#include "runtime/capabilities.h"

void capabilities_print(const struct device_capabilities *c, struct text *out)
{
	bool subnormals = c->subnormals_f32 && (c->subnormals_f64 || !c->float64);
	bool exact = c->exact_f32 && (c->exact_f64 || !c->float64);
	if (c->memory) {
		text_add_fixed(out, (double)c->memory / (1 << 30), 1);
		text_add(out, " GiB ");
	}
	text_add_format(out, "(%s, %s, %s)", c->float64 ? "f64" : "no f64",
	                subnormals ? "subnormals" : "may flush subnormals",
	                exact ? "exact division and root" : "inexact division or root");
}
