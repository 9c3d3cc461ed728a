/* Commit safety (spec/sspur.md 3.4): each thread computes, checks, then writes, so that a flagged one writes
 * nothing and can run again alone. */
#include "ir/ir_analysis.h"

static bool stores_to_buffer(const struct ir_instruction *i)
{
	return i->op == IR_OP_store && i->base->kind == IR_MEMORY_BUFFER;
}

/* Whether the check is of the index of a store after it: the front end checks each store just before it. */
static bool checks_later_store(const struct ir_instruction *check)
{
	if (check->op != IR_OP_check_index)
		return false;
	for (const struct ir_instruction *i = check->next; i; i = i->next)
		if (stores_to_buffer(i))
			for (uint32_t n = 0; n < i->path_count; n++)
				if (i->path[n].index == check->operands[0])
					return true;
	return false;
}

/* Whether the instruction may stand after the first store. A `get` is a value computed before, as no `set` may. */
static bool is_commit(const struct ir_instruction *i)
{
	return stores_to_buffer(i) || checks_later_store(i) || (ir_op_infos[i->op].flags & IR_FLAG_PURE) ||
	       i->op == IR_OP_get || i->op == IR_OP_return;
}

static bool is_atomic_or_nested_store(const struct ir_instruction *i)
{
	return (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) || (stores_to_buffer(i) && i->parent);
}

static bool visit(void *context, struct ir_instruction *i)
{
	(void)context;
	return !is_atomic_or_nested_store(i);
}

bool ir_commit_safe(const struct ir_kernel *k)
{
	if (ir_is_grouped(k) || !ir_visit(&k->body, visit, NULL))
		return false;
	const struct ir_instruction *i = k->body.first;
	while (i && !stores_to_buffer(i))
		i = i->next;
	while (i && is_commit(i))
		i = i->next;
	return !i;
}
