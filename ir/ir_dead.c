/* Rewrites: nothing. Needs: a kernel that verifies.
 * Leaves: everything that may trap (but under IR_POLICY_PROVED), writes memory, is atomic, or ends a region; loops.
 * Drops: values that are not used, locals that are not read and their sets, empty ifs and fors. */
#include "ir/ir_dead.h"

#include <stdlib.h>

struct dead {
	uint32_t *uses; /* by id */
	uint32_t *gets; /* by local */
	bool traps;     /* what may trap is left as it is */
	bool changed;   /* in this round */
};

static void count_operands(struct dead *d, const struct ir_instruction *i, uint32_t change)
{
	for (int n = 0; n < IR_MAX_OPERANDS; n++)
		if (i->operands[n])
			d->uses[i->operands[n]->id] += change;
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			d->uses[i->path[n].index->id] += change;
	if (i->op == IR_OP_get)
		d->gets[i->local->index] += change;
}

static bool count(void *context, struct ir_instruction *i)
{
	count_operands(context, i, 1);
	return true;
}

static bool is_dead(const struct dead *d, const struct ir_instruction *i)
{
	if (i->op == IR_OP_set)
		return d->gets[i->local->index] == 0;
	if (i->op == IR_OP_if || i->op == IR_OP_for)
		return !i->regions[0].first && !i->regions[1].first;
	uint16_t pure = IR_FLAG_PURE | (d->traps ? 0 : IR_FLAG_TRAP);
	bool removable = (ir_op_infos[i->op].flags & pure) || i->op == IR_OP_load || i->op == IR_OP_get;
	return removable && d->uses[i->id] == 0;
}

/* Last to first, so that a value's users go before it. */
static void sweep(struct dead *d, struct ir_region *region)
{
	for (struct ir_instruction *i = region->last, *previous; i; i = previous) {
		previous = i->previous;
		for (int n = 1; n >= 0; n--)
			sweep(d, &i->regions[n]);
		if (!is_dead(d, i))
			continue;
		count_operands(d, i, UINT32_MAX); /* one less */
		ir_unlink(region, i);
		d->changed = true;
	}
}

static bool uses_local(void *context, struct ir_instruction *i)
{
	uint32_t *used = context;
	if (i->op == IR_OP_get || i->op == IR_OP_set)
		used[i->local->index] = 1;
	return true;
}

static bool drop_locals(struct ir_kernel *k)
{
	uint32_t *used = memory_zeroed(k->local_count, sizeof *used), kept = 0;
	ir_visit_kernel(k, uses_local, used);
	for (uint32_t n = 0; n < k->local_count; n++)
		if (used[n]) {
			k->locals[n]->index = kept;
			k->locals[kept++] = k->locals[n];
		}
	free(used);
	bool changed = kept < k->local_count;
	k->local_count = kept;
	return changed;
}

bool ir_remove_dead(struct ir_kernel *k)
{
	struct dead d = {.uses = memory_zeroed(k->next_id, sizeof *d.uses),
	                 .gets = memory_zeroed(k->local_count, sizeof *d.gets),
	                 .traps = k->policy != IR_POLICY_PROVED};
	bool changed = false;
	ir_visit_kernel(k, count, &d);
	do {
		d.changed = false;
		for (uint32_t n = 0; n < k->pre_count; n++)
			sweep(&d, &k->pre[n].region);
		for (int axis = 0; axis < 3; axis++)
			sweep(&d, &k->grid[axis].region);
		sweep(&d, &k->body);
		changed |= d.changed;
	} while (d.changed);
	free(d.uses);
	free(d.gets);
	return drop_locals(k) || changed;
}
