/* What the lanes of a group do together: control that holds a barrier, and the segments in it one after another. */
#include "lower/llvm/lowering_lockstep.h"

static void lower_together(struct lockstep *g, const struct ir_region *region);

static void joint_if(struct lockstep *g, const struct ir_instruction *i)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef then = lowering_block(l, "if"), otherwise = lowering_block(l, "else");
	LLVMBasicBlockRef after = lowering_block(l, "end");
	LLVMBuildCondBr(l->builder, lanes_operand(g, i, 0), then, otherwise);
	lowering_enter(l, then);
	lower_together(g, &i->regions[0]);
	lowering_jump(l, after);
	lowering_enter(l, otherwise);
	lower_together(g, &i->regions[1]);
	lowering_jump(l, after);
	lowering_enter(l, after);
}

static void lower_round(void *context, const struct ir_region *region)
{
	lower_together(context, region);
}

static void lower_joint(struct lockstep *g, const struct ir_instruction *i)
{
	struct lowering *l = g->l;
	LLVMValueRef first, end;
	switch ((int)i->op) {
	case IR_OP_if: joint_if(g, i); return;
	case IR_OP_for:
		first = lanes_operand(g, i, 0);
		end = lanes_operand(g, i, 1);
		lowering_for_rounds(l, i, first, end, lower_round, g);
		return;
	case IR_OP_loop: lowering_loop_rounds(l, i, lower_round, g); return;
	case IR_OP_break:
	case IR_OP_continue: lowering_instruction(l, i); return;
	}
	/* A barrier or a cut: segments end there. */
}

static void lower_together(struct lockstep *g, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i;) {
		if (segments_joint(&g->segments, i)) {
			lower_joint(g, i);
			i = i->next;
			continue;
		}
		struct segment segment = segments_at(&g->segments, (struct ir_instruction *)i);
		lanes_run(g, &segment);
		i = segment.end;
	}
}

void lockstep_group(struct lockstep *g)
{
	/* What is the same for the group may be asked for before there is a lane. */
	for (unsigned axis = 0; axis < 3; axis++)
		g->l->group_id[axis] = g->group_id[axis];
	g->group_end = lowering_block(g->l, "group_end");
	lanes_start(g);
	lower_together(g, &g->l->kernel->body);
	lowering_jump(g->l, g->group_end);
	lowering_enter(g->l, g->group_end);
}
