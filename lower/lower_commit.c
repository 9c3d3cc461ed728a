/* Rewrites: in commit-safe kernels that stop at the first trap, moves the checks and values that stand between the
 *           stores in front of the first one, so that a thread that fails has written nothing.
 * Needs:    a verified module.
 * Leaves:   the order of the checks, and of the stores.
 * Drops:    nothing. */
#include "lower/lower_commit.h"

#include "ir/ir_analysis.h"

static bool is_store(const struct ir_instruction *i)
{
	return i->op == IR_OP_store && i->base->kind == IR_MEMORY_BUFFER;
}

static bool sink_stores(struct ir_kernel *k)
{
	struct ir_region *body = &k->body;
	bool changed = false;
	struct ir_instruction *store = body->first;
	while (store && !is_store(store))
		store = store->next;
	for (struct ir_instruction *i = store, *next; i; i = next) {
		next = i->next;
		if (is_store(i) || i->op == IR_OP_return)
			continue;
		ir_unlink(body, i);
		ir_insert(body, store, i);
		changed = true;
	}
	return changed;
}

bool lower_commit(struct ir_module *m)
{
	bool changed = false;
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		struct ir_kernel *k = m->kernels[n];
		if (k->policy == IR_POLICY_STOP && ir_commit_safe(k) && sink_stores(k)) {
			ir_kernel_number(k);
			changed = true;
		}
	}
	return changed;
}
