#include "ir/ir.h"
#include "ir/ir_analysis.h"

static bool is_no_loop(void *context, struct ir_instruction *i)
{
	(void)context;
	bool exchange = (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) && ir_type_is_float(i->type);
	return i->op != IR_OP_for && i->op != IR_OP_loop && !exchange;
}

bool ir_has_rounds(const struct ir_kernel *k)
{
	return !ir_visit(&k->body, is_no_loop, NULL);
}
