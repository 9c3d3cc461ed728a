/* Why two accesses to shared memory may meet in one phase: one clause. */
#include "ir/phase.h"

#include <string.h>

static const struct ir_linear *index_of(const struct phase_accesses *all, const struct ir_instruction *access)
{
	static const struct ir_linear whole = {.known = true};
	if (!access->path_count || !access->path[0].index)
		return &whole;
	return linear_context_form(all->race->forms, access->path[0].index);
}

static const char *index_text(const struct phase_accesses *all, const struct ir_linear *index)
{
	struct text text = {0};
	ir_linear_print(&text, all->race->kernel, index);
	const char *copy = arena_string(all->race->arena, text_string(&text));
	text_free(&text);
	return copy;
}

/* Whose variable each thread has for itself. */
static bool is_free_loop(const struct ir_instruction *i)
{
	return i->op == IR_OP_for && !ir_holds_barrier(i);
}

static bool is_uniform(const struct phase_class *class)
{
	return class->linear && !class->strides[0] && !class->strides[1] && !class->strides[2];
}

/* Of one index by itself; NULL: it could be a thread's own. */
static const char *alone(const struct phase_accesses *all, const struct phase_class *class,
                         const struct ir_linear *index)
{
	struct arena *arena = all->race->arena;
	const char *text = index_text(all, index);
	if (!index->known)
		return "the index is too large to compare between threads";
	if (is_uniform(class))
		return class->write && !class->lanes.count
		           ? arena_format(arena, "`%s` is the same element in every thread of a group", text)
		           : NULL;
	if (class->linear)
		return NULL;
	if (race_index_has(index, race_is_read))
		return arena_format(arena, "`%s` goes through a `%s` or a value from memory", text,
		                    ir_kernel_word(all->race->kernel, "var", "mut"));
	if (race_index_has(index, is_free_loop))
		return arena_format(arena, "`%s` in the loop may reach another thread's elements", text);
	return arena_format(arena, "`%s` is not `%s` plus an offset that the group shares", text,
	                    ir_kernel_word(all->race->kernel, "lid", "localIndex"));
}

static const char *together(const struct phase_accesses *all, const struct ir_linear *first,
                            const struct ir_linear *second, bool again)
{
	struct arena *arena = all->race->arena;
	const char *one = index_text(all, first), *other = index_text(all, second);
	if (!strcmp(one, other))
		return arena_format(arena,
		                    again ? "`%s` may be another thread's element in a later round of the loop"
		                          : "`%s` may be one element in two threads",
		                    one);
	return arena_format(arena, "`%s` and `%s` may be one element%s", one, other,
	                    again ? " in two rounds of the loop" : "");
}

static const char *reason_of(const struct phase_accesses *all, const struct ir_race *race,
                             const struct phase_class *first, const struct phase_class *second)
{
	const struct race_context *c = all->race;
	if (first->atomic || second->atomic)
		return first->atomic ? race_atomic_reason(c, race->first, race->second)
		                     : race_atomic_reason(c, race->second, race->first);
	const struct ir_linear *x = index_of(all, race->first), *y = index_of(all, race->second);
	const char *reason = alone(all, second, y);
	if (!reason)
		reason = alone(all, first, x);
	return reason ? reason : together(all, x, y, race->around != NULL);
}

void phase_explain(const struct phase_accesses *all, struct ir_race *race, const struct phase_access *first,
                   const struct phase_access *second)
{
	const char *reason = reason_of(all, race, &all->classes[first->class], &all->classes[second->class]);
	race->reason = first == second && !race->around
	                   ? reason
	                   : arena_format(all->race->arena, "%s, and no %s is between", reason,
	                                  ir_kernel_word(all->race->kernel, "barrier()", "workgroupBarrier()"));
	phase_find_example(all, race);
}
