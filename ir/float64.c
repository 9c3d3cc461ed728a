#include "ir/ir_analysis.h"

bool ir_type_holds_f64(const struct ir_type *t)
{
	if (t->kind == IR_TYPE_array)
		return ir_type_holds_f64(t->element);
	for (uint64_t n = 0; t->kind == IR_TYPE_struct && n < t->count; n++)
		if (ir_type_holds_f64(t->fields[n].type))
			return true;
	return t->kind == IR_TYPE_f64;
}

static bool is_no_f64(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->type->kind != IR_TYPE_f64;
}

bool ir_uses_f64(const struct ir_kernel *k)
{
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (ir_type_holds_f64(k->parameters[n].type))
			return true;
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (ir_type_holds_f64(k->memories[n]->type))
			return true;
	for (uint32_t n = 0; n < k->local_count; n++)
		if (k->locals[n]->type->kind == IR_TYPE_f64)
			return true;
	return !ir_visit(&k->body, is_no_f64, NULL);
}
