/* Races between a kernel's threads, as reports (spec/sspur.md 1.4). */
#include <string.h>

#include "frontend/ssp/kernel_emit.h"
#include "ir/ir_analysis.h"

static const struct node *find_access(const struct kernel_emitter *e, const struct ir_instruction *instruction)
{
	for (uint32_t i = 0; i < e->access_count; i++)
		if (e->accesses[i].instruction == instruction)
			return e->accesses[i].node;
	return NULL;
}

static const char *verb(const struct ir_instruction *access)
{
	return access->op == IR_OP_store ? "write" : "read";
}

static void hint_shapes(struct diagnostics *d, struct diagnostic *item, const char *slice, const struct node *index)
{
	if (index->kind == NODE_NAME && strcmp(index->name, "lid") == 0)
		diagnostic_hint(d, item, "`lid` repeats in every group: write `%s[gid]`", slice);
	else if (index->kind == NODE_NAME && strcmp(index->name, "group_id") == 0)
		diagnostic_hint(d, item, "let one thread a group do it: `if lid == 0 then`");
	else
		diagnostic_hint(d, item,
		                "use one index for every access of `%s`: `gid` plus an offset that all threads share; "
		                "`gid * s + j` inside `for j in 0..s`; or `group_id` under `if lid == 0`",
		                slice);
}

static void report(struct program *p, struct definition *definition, const struct kernel_emitter *e,
                   const struct ir_race *race)
{
	const struct node *second = find_access(e, race->second);
	const char *slice = race->memory->name;
	struct text text = {0};
	if (race->has_example)
		text_add_format(&text, "threads %llu and %llu both touch `%s[%lld]`",
		                (unsigned long long)race->threads[0], (unsigned long long)race->threads[1], slice,
		                (long long)race->element);
	else
		text_add_format(&text, "two threads may touch one element of `%s`", slice);
	if (race->first != race->second)
		text_add_format(&text, " in the %s at line %u and this %s", verb(race->first), race->first->place.line,
		                verb(race->second));
	text_add_format(&text, ": %s", race->reason);
	struct diagnostic *item =
	    diagnostic_add(p->diagnostics, "E_KERNEL_RACE", second->span, "%s", text_string(&text));
	text_free(&text);
	hint_shapes(p->diagnostics, item, slice, second->right);
	definition->has_faults = true;
}

bool kernel_check_races(struct program *p, struct definition *d, const struct kernel_emitter *e)
{
	struct ir_race *races = NULL;
	uint32_t count = ir_find_races(e->kernel, e->scratch, &races);
	for (uint32_t i = 0; i < count; i++)
		report(p, d, e, &races[i]);
	return count == 0;
}
