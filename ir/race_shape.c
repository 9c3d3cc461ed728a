/* The shapes of per-thread indices (spec/sspur.md 1.4), a row each. */
#include "ir/race.h"

static bool is_one(const struct ir_linear *a)
{
	return linear_is_constant(a) && a->constant == 1;
}

/* group_id * group_size + lid is gid too. */
bool race_is_offset(const struct race_context *c, const struct race_access *a, struct ir_linear *offset)
{
	struct ir_linear factor, group, rest;
	if (!c->line || !linear_split(&a->index, IR_OP_global_id, 0, &factor, offset, c->arena) ||
	    !ir_linear_uniform(&factor))
		return false;
	if (is_one(&factor))
		return ir_linear_uniform(offset);
	if (c->kernel->policy != IR_POLICY_RECORD || !linear_is_constant(&factor) || factor.constant)
		return false;
	return linear_split(&a->index, IR_OP_group_id, 0, &group, &rest, c->arena) && linear_is_constant(&group) &&
	       group.constant == c->kernel->group[0] &&
	       linear_split(&rest, IR_OP_local_id, 0, &factor, offset, c->arena) && is_one(&factor) &&
	       ir_linear_uniform(offset);
}

/* gid + u */
static bool fits_offset(const struct race_context *c, const struct race_access *a, struct race_layout *layout)
{
	return race_is_offset(c, a, &layout->value);
}

/* Whether w is the width of a 2D grid: its expression, or grid_size.x. */
static bool is_width(const struct race_context *c, const struct ir_linear *w)
{
	const struct ir_instruction *yield = c->kernel->grid[0].region.last;
	if (yield && yield->op == IR_OP_yield && ir_linear_equal(w, linear_context_form(c->forms, yield->operands[0])))
		return true;
	struct ir_linear factor, rest;
	return linear_split(w, IR_OP_grid_size, 0, &factor, &rest, c->arena) && is_one(&factor) &&
	       linear_is_constant(&rest) && !rest.constant;
}

/* gid.y * W + gid.x + u, W the width of the grid */
static bool fits_plane(const struct race_context *c, const struct race_access *a, struct race_layout *layout)
{
	struct ir_linear width, row, factor;
	return c->kernel->axes == 2 && linear_split(&a->exact, IR_OP_global_id, 1, &width, &row, c->arena) &&
	       is_width(c, &width) && linear_split(&row, IR_OP_global_id, 0, &factor, &layout->value, c->arena) &&
	       is_one(&factor) && ir_linear_uniform(&layout->value);
}

/* The enclosing loop whose variable j is, if j is one. */
static const struct ir_instruction *loop_of(const struct race_access *a, const struct ir_linear *j)
{
	if (j->term_count != 1 || j->constant || j->terms[0].coefficient != 1 || j->terms[0].atom_count != 1)
		return NULL;
	const struct ir_instruction *loop = a->instruction->parent;
	while (loop && loop != j->terms[0].atoms[0])
		loop = loop->parent;
	return loop && loop->op == IR_OP_for ? loop : NULL;
}

/* gid * s + j in `for j in 0..s`, or with literals 0 <= j < s. A loop runs only if s is positive. */
static bool fits_block(const struct race_context *c, const struct race_access *a, struct race_layout *layout)
{
	struct ir_linear j;
	const struct ir_linear *s = &layout->value;
	if (!c->line || !linear_split(&a->exact, IR_OP_global_id, 0, &layout->value, &j, c->arena) ||
	    !ir_linear_uniform(s))
		return false;
	if (linear_is_constant(&j))
		return linear_is_constant(s) && j.constant >= 0 && j.constant < s->constant;
	const struct ir_instruction *loop = loop_of(a, &j);
	if (!loop)
		return false;
	const struct ir_linear *first = linear_context_form(c->forms, loop->operands[0]);
	return linear_is_constant(first) && first->constant == 0 &&
	       ir_linear_equal(s, linear_context_form(c->forms, loop->operands[1]));
}

/* group_id + u under `if lid == c` */
static bool fits_group(const struct race_context *c, const struct race_access *a, struct race_layout *layout)
{
	struct ir_linear factor;
	if (!c->line || !linear_split(&a->index, IR_OP_group_id, 0, &factor, &layout->value, c->arena) ||
	    !is_one(&factor) || !ir_linear_uniform(&layout->value))
		return false;
	layout->guard_count = race_guards(c, a->instruction, layout->guards);
	return layout->guard_count > 0;
}

const struct race_shape race_shapes[] = {
    {"offsets", fits_offset, false},
    {"offsets", fits_plane, false},
    {"block sizes", fits_block, false},
    {"offsets of a group", fits_group, true},
};
const uint32_t race_shape_count = sizeof race_shapes / sizeof *race_shapes;
