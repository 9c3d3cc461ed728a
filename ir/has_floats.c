#include "ir/ir.h"
#include "ir/ir_analysis.h"

static bool is_no_float(void *context, struct ir_instruction *i)
{
	(void)context;
	return !ir_type_is_float(i->type);
}

bool ir_has_floats(const struct ir_kernel *k)
{
	return !ir_visit(&k->body, is_no_float, NULL);
}
