/* Why two accesses may meet: one clause, and two threads that do where they can be computed. */
#include "ir/race.h"

#include <string.h>

/* Offsets beyond this make no example. */
#define MAX_EXAMPLE (INT64_C(1) << 40)

static const char *form_text(const struct race_context *c, const struct ir_linear *form)
{
	struct text text = {0};
	ir_linear_print(&text, c->kernel, form);
	const char *copy = arena_string(c->arena, text_string(&text));
	text_free(&text);
	return copy;
}

static const char *index_text(const struct race_context *c, const struct race_access *a)
{
	return form_text(c, &a->index);
}

static bool value_has(const struct ir_instruction *i, bool (*is)(const struct ir_instruction *i), unsigned *budget)
{
	if (is(i))
		return true;
	if (!*budget || (ir_op_infos[i->op].flags & IR_FLAG_CONTROL))
		return false;
	--*budget;
	struct ir_choice choice;
	if (ir_choice_of(i, &choice))
		return value_has(choice.condition, is, budget) || (choice.then && value_has(choice.then, is, budget)) ||
		       (choice.other && value_has(choice.other, is, budget));
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (value_has(i->operands[n], is, budget))
			return true;
	return false;
}

bool race_index_has(const struct ir_linear *index, bool (*is)(const struct ir_instruction *i))
{
	unsigned budget = 1000;
	for (uint32_t n = 0; n < index->term_count; n++)
		for (uint32_t m = 0; m < index->terms[n].atom_count; m++)
			if (value_has(index->terms[n].atoms[m], is, &budget))
				return true;
	return false;
}

bool race_is_read(const struct ir_instruction *i)
{
	struct ir_choice choice;
	return (ir_op_infos[i->op].flags & IR_FLAG_READ) && !ir_choice_of(i, &choice);
}

static bool is_loop(const struct ir_instruction *i)
{
	return i->op == IR_OP_for;
}

static bool is_local_id(const struct ir_instruction *i)
{
	return i->op == IR_OP_local_id;
}

static bool is_grid_id(const struct ir_instruction *i)
{
	return i->op == IR_OP_global_id || i->op == IR_OP_group_id;
}

/* The group's id times its size plus the id in it, which is the thread's id, plus a uniform offset. */
static bool is_spelt_out(const struct race_context *c, const struct race_access *a)
{
	struct ir_linear size, rest, one, offset;
	return c->line && linear_split(&a->index, IR_OP_group_id, 0, &size, &rest, c->arena) &&
	       linear_is_constant(&size) && size.constant == c->kernel->group[0] &&
	       linear_split(&rest, IR_OP_local_id, 0, &one, &offset, c->arena) && linear_is_constant(&one) &&
	       one.constant == 1 && ir_linear_uniform(&offset);
}

static bool is_group(const struct race_context *c, const struct race_access *a, struct ir_linear *offset)
{
	struct ir_linear factor;
	return c->line && linear_split(&a->index, IR_OP_group_id, 0, &factor, offset, c->arena) &&
	       linear_is_constant(&factor) && factor.constant == 1 && ir_linear_uniform(offset);
}

/* gid.y * width + gid.x + a uniform offset, of another width than the grid's */
static bool is_plane(const struct race_context *c, const struct race_access *a, struct ir_linear *width)
{
	struct ir_linear row, factor, offset;
	return c->kernel->axes == 2 && linear_split(&a->exact, IR_OP_global_id, 1, width, &row, c->arena) &&
	       linear_split(&row, IR_OP_global_id, 0, &factor, &offset, c->arena) && linear_is_constant(&factor) &&
	       factor.constant == 1 && ir_linear_uniform(width) && ir_linear_uniform(&offset);
}

static bool is_conditional(const struct ir_instruction *i)
{
	while (i && i->op != IR_OP_if)
		i = i->parent;
	return i;
}

static bool is_store(const struct ir_instruction *i)
{
	return i->op == IR_OP_store;
}

/* Only for accesses that every thread makes, and not for two reads. */
static void set_example(struct ir_race *race, uint64_t first, uint64_t second, int64_t element)
{
	if (is_conditional(race->first) || is_conditional(race->second) ||
	    (!is_store(race->first) && !is_store(race->second)))
		return;
	race->has_example = true;
	race->threads[0] = first;
	race->threads[1] = second;
	race->element = element;
}

/* Threads t and u with t + x == u + y, at the least element there is. */
static void offsets_example(struct ir_race *race, const struct ir_linear *a, const struct ir_linear *b)
{
	if (!linear_is_constant(a) || !linear_is_constant(b))
		return;
	int64_t x = a->constant, y = b->constant;
	if (x < -MAX_EXAMPLE || x > MAX_EXAMPLE || y < -MAX_EXAMPLE || y > MAX_EXAMPLE)
		return;
	int64_t element = x > y ? x : y;
	if (element < 0)
		element = 0;
	set_example(race, (uint64_t)(element - x), (uint64_t)(element - y), element);
}

/* Access a makes `element` in every thread of the first group: another such write, or the thread whose it is. */
static void shared_example(const struct race_context *c, struct ir_race *race, const struct race_access *first,
                           const struct race_access *a, int64_t element)
{
	struct ir_linear offset;
	if (element < 0 || element > MAX_EXAMPLE)
		return;
	if (a->write)
		set_example(race, 0, 1, element);
	else if (first->write && race_is_offset(c, first, &offset) && linear_is_constant(&offset) &&
	         linear_is_constant(&a->index) && offset.constant <= element && offset.constant > -MAX_EXAMPLE)
		set_example(race, (uint64_t)(element - offset.constant), element == offset.constant, element);
}

/* An access that two threads make on one element, or that nothing can be said of. */
static bool explain_alone(const struct race_context *c, struct ir_race *race, const struct race_access *first,
                          const struct race_access *a)
{
	const char *index = index_text(c, a);
	struct ir_linear offset;
	if (!a->index.known) {
		race->reason = "the index is too large to compare between threads";
	} else if (ir_linear_uniform(&a->index)) {
		race->reason = arena_format(c->arena, "`%s` is the same element in every thread", index);
		if (linear_is_constant(&a->index))
			shared_example(c, race, first, a, a->index.constant);
	} else if (is_plane(c, a, &offset)) {
		race->reason = arena_format(c->arena, "`%s` is multiplied by `%s`, which is not the grid's width",
		                            ir_kernel_word(c->kernel, "gid.y", "globalId[1]"), form_text(c, &offset));
	} else if (race_index_has(&a->index, race_is_read)) {
		race->reason = arena_format(c->arena, "`%s` goes through a `%s` or a value from memory", index,
		                            ir_kernel_word(c->kernel, "var", "mut"));
	} else if (is_group(c, a, &offset)) {
		race->reason =
		    arena_format(c->arena, "`%s` is the same in every thread of a group without `if %s == c` around",
		                 index, ir_kernel_word(c->kernel, "lid", "localIndex"));
		if (linear_is_constant(&offset) && c->kernel->group[0] > 1)
			shared_example(c, race, first, a, offset.constant);
	} else if (race_index_has(&a->index, is_loop)) {
		race->reason = arena_format(c->arena, "`%s` in the loop may reach another thread's elements", index);
	} else if (is_spelt_out(c, a)) {
		race->is_spelt_out = true;
		race->reason = arena_format(c->arena, "`%s` is `%s` in other words, which are not compared with others",
		                            index, ir_kernel_word(c->kernel, "gid", "globalId[0]"));
	} else if (race_index_has(&a->index, is_local_id) && !race_index_has(&a->index, is_grid_id)) {
		race->reason = arena_format(c->arena, "`%s` is the same in threads of several groups", index);
	} else {
		return false;
	}
	return true;
}

void race_explain(const struct race_context *c, struct ir_race *race, const struct race_shape *shape,
                  const struct race_access *first, const struct race_access *second)
{
	race->first = first->instruction;
	race->second = second->instruction;
	struct race_layout layout = {0};
	struct ir_linear x, y;
	/* `shape` again: the second has the shape of the first, at other places. */
	if (shape && shape->fits(c, second, &layout)) {
		const char *one = index_text(c, first), *other = index_text(c, second);
		if (!strcmp(one, other)) {
			race->reason = arena_format(c->arena, "`%s` is under `if %s == c` with two different c", one,
			                            ir_kernel_word(c->kernel, "lid", "localIndex"));
			return;
		}
		race->reason = arena_format(c->arena, "`%s` and `%s` are two %s", one, other, shape->noun);
		if (race_is_offset(c, first, &x) && race_is_offset(c, second, &y))
			offsets_example(race, &x, &y);
		return;
	}
	if (explain_alone(c, race, first, second))
		return;
	if (!shape)
		race->reason = arena_format(c->arena, "`%s` is none of the indices that are known to be a thread's own",
		                            index_text(c, second));
	else
		race->reason = arena_format(c->arena, "`%s` and `%s` are not one per-thread index",
		                            index_text(c, first), index_text(c, second));
}
