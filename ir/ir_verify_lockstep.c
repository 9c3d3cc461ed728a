/* The verifier's rules of what the lanes of a group do together (ir.h, grouped kernels). */
#include "ir/ir_verify_rules.h"

struct lockstep_rules {
	struct ir_verifier *verifier;
	bool grouped;
	const bool *lockstep; /* by id */
};

/* Lockstep control that holds no barrier is within control that holds one. */
static bool visit(void *context, struct ir_instruction *i)
{
	const struct lockstep_rules *rules = context;
	bool inside = i->parent && rules->lockstep[i->parent->id];
	if (i->op == IR_OP_cut && !rules->grouped)
		ir_verify_fault(rules->verifier, i, "a cut is in a kernel with a shared memory or a barrier");
	else if (i->op == IR_OP_cut && i->parent && !inside)
		ir_verify_fault(rules->verifier, i,
		                "all control around a cut holds a barrier or leaves a loop that does");
	for (const struct ir_instruction *c = i->parent; i->op == IR_OP_return && c; c = c->parent)
		if (rules->lockstep[c->id]) {
			ir_verify_fault(rules->verifier, i, "a return is not inside control that holds a barrier");
			break;
		}
	return true;
}

void ir_verify_lockstep(struct ir_verifier *v)
{
	const struct ir_kernel *k = v->kernel;
	struct lockstep_rules rules = {v, ir_is_grouped(k), ir_find_lockstep(k, &v->scratch)};
	ir_visit(&k->body, visit, &rules);
}
