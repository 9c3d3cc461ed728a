/* The verifier's rule of locals, by data flow over regions: a get comes after a set on every path. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_verify_rules.h"

/* The locals that are surely set at a point, a bit each; all of them where control never comes. */
typedef uint64_t word;

struct flow {
	struct ir_verifier *verifier;
	size_t words; /* of a set */
	word **exits; /* by the id of a loop: what is set at all of its breaks so far */
};

static void flow_region(struct flow *f, const struct ir_region *region, word *set);

static word *copy_of(const struct flow *f, const word *set)
{
	word *copy = memory_alloc(f->words * sizeof(word));
	memcpy(copy, set, f->words * sizeof(word));
	return copy;
}

static void intersect(const struct flow *f, word *set, const word *other)
{
	for (size_t n = 0; n < f->words; n++)
		set[n] &= other[n];
}

static void flow_if(struct flow *f, const struct ir_instruction *i, word *set)
{
	word *otherwise = copy_of(f, set);
	flow_region(f, &i->regions[0], set);
	flow_region(f, &i->regions[1], otherwise);
	intersect(f, set, otherwise);
	free(otherwise);
}

/* What is set before a loop stays set, so one walk through its region is enough. */
static void flow_for(struct flow *f, const struct ir_instruction *i, const word *set)
{
	word *inside = copy_of(f, set);
	flow_region(f, &i->regions[0], inside);
	free(inside);
}

static void flow_loop(struct flow *f, const struct ir_instruction *i, word *set)
{
	word *exit = memory_alloc(f->words * sizeof(word));
	memset(exit, 0xff, f->words * sizeof(word));
	f->exits[i->id] = exit;
	flow_region(f, &i->regions[0], set);
	f->exits[i->id] = NULL;
	memcpy(set, exit, f->words * sizeof(word));
	free(exit);
}

static void flow_region(struct flow *f, const struct ir_region *region, word *set)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		if (i->op == IR_OP_set) {
			set[i->local->index / 64] |= UINT64_C(1) << i->local->index % 64;
		} else if (i->op == IR_OP_get) {
			if (!(set[i->local->index / 64] >> i->local->index % 64 & 1))
				ir_verify_fault(f->verifier, i, "a local is set on every path before it is read");
		} else if (i->op == IR_OP_if) {
			flow_if(f, i, set);
		} else if (i->op == IR_OP_for) {
			flow_for(f, i, set);
		} else if (i->op == IR_OP_loop) {
			flow_loop(f, i, set);
		} else if (ir_op_infos[i->op].flags & IR_FLAG_END) {
			if (i->op == IR_OP_break && i->target && i->target->id < f->verifier->kernel->next_id &&
			    f->exits[i->target->id])
				intersect(f, f->exits[i->target->id], set);
			memset(set, 0xff, f->words * sizeof(word));
		}
	}
}

void ir_verify_locals(struct ir_verifier *v, const struct ir_region *region)
{
	const struct ir_kernel *k = v->kernel;
	struct flow f = {.verifier = v, .words = ((size_t)k->local_count + 63) / 64};
	if (f.words == 0)
		return;
	f.exits = memory_zeroed(k->next_id, sizeof *f.exits);
	word *set = memory_zeroed(f.words, sizeof(word));
	flow_region(&f, region, set);
	free(set);
	free(f.exits);
}
