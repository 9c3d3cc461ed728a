/* Races between a kernel's threads, and barriers they reach apart, as reports (spec/sspur.md 1.4 to 1.6). */
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

static bool is_atomic(const struct ir_instruction *access)
{
	return ir_op_infos[access->op].flags & IR_FLAG_ATOMIC;
}

static const char *verb(const struct ir_instruction *access)
{
	return is_atomic(access) ? "atomic update" : access->op == IR_OP_store ? "write" : "read";
}

/* ---- What is allowed ---- */

static void hint_atomic(struct diagnostics *d, struct diagnostic *item, const struct ir_race *race)
{
	const char *name = race->memory->name;
	if (is_atomic(race->first) && race->first->op == race->second->op)
		diagnostic_hint(
		    d, item,
		    "what `%s` expects and writes must be built from literals, scalar parameters and lengths, and be "
		    "the same at every one on `%s`",
		    ir_op_infos[race->second->op].name, name);
	else if (race->memory->kind == IR_MEMORY_SHARED)
		diagnostic_hint(d, item,
		                "put `barrier()` between them: between two barriers `%s` has one kind of atomic update "
		                "and no other access",
		                name);
	else
		diagnostic_hint(d, item,
		                "use another buffer for one of them: `%s` can have one kind of atomic update and no "
		                "other access in a kernel",
		                name);
}

static void hint_shared(struct diagnostics *d, struct diagnostic *item, const struct ir_kernel *k, const char *name)
{
	if (k->axes == 1)
		diagnostic_hint(
		    d, item,
		    "put `barrier()` between them, or use one index, `%s[lid]` plus an offset that the group shares; "
		    "`if lid < n` around leaves the elements from n on to other threads",
		    name);
	else
		diagnostic_hint(
		    d, item,
		    "put `barrier()` between them, or use one index, `%s[lid.y * %u + lid.x]` plus an offset that the "
		    "group shares",
		    name, k->group[0]);
}

static void hint_grid2(struct diagnostics *d, struct diagnostic *item, const struct ir_kernel *k, const char *name)
{
	const char *width = k->grid[0].text;
	bool simple = !strchr(width, ' ');
	diagnostic_hint(
	    d, item,
	    "use one index for every access of `%s`: `gid.y * %s%s%s + gid.x` plus an offset that all threads share",
	    name, simple ? "" : "(", width, simple ? "" : ")");
}

static void hint_shapes(struct diagnostics *d, struct diagnostic *item, const struct ir_race *race,
                        const struct ir_kernel *k, const struct node *index)
{
	const char *slice = race->memory->name;
	if (is_atomic(race->first) || is_atomic(race->second))
		hint_atomic(d, item, race);
	else if (race->memory->kind == IR_MEMORY_SHARED)
		hint_shared(d, item, k, slice);
	else if (k->axes == 2)
		hint_grid2(d, item, k, slice);
	else if (race->is_spelt_out)
		diagnostic_hint(d, item, "write `gid` in its place");
	else if (index->kind == NODE_NAME && strcmp(index->name, "lid") == 0)
		diagnostic_hint(d, item, "`lid` repeats in every group: write `%s[gid]`", slice);
	else if (index->kind == NODE_NAME && strcmp(index->name, "group_id") == 0)
		diagnostic_hint(d, item, "let one thread a group do it: `if lid == 0 then`");
	else
		diagnostic_hint(d, item,
		                "use one index for every access of `%s`: `gid` plus an offset that all threads share; "
		                "`gid * s + j` inside `for j in 0..s`; or `group_id` under `if lid == 0`",
		                slice);
}

/* ---- Races ---- */

/* Of shared memory the threads are known by their place in the group; of a 2D grid, whose width is not known, not at
 * all. */
static void add_threads(struct text *text, const struct ir_race *race, const struct ir_kernel *k)
{
	unsigned long long a = race->threads[0], b = race->threads[1], width = k->group[0];
	bool shared = race->memory->kind == IR_MEMORY_SHARED;
	const char *name = race->memory->name;
	if (!race->has_example || (k->axes > 1 && !shared))
		text_add_format(text, "two threads may touch one element of `%s`", name);
	else if (k->axes > 1)
		text_add_format(text,
		                "the threads of a group with lid (%llu, %llu) and (%llu, %llu) both touch `%s[%lld]`",
		                a % width, a / width, b % width, b / width, name, (long long)race->element);
	else
		text_add_format(text, "%s %llu and %llu both touch `%s[%lld]`",
		                shared ? "the threads of a group with lid" : "threads", a, b, name,
		                (long long)race->element);
}

static void report_race(struct program *p, struct definition *definition, const struct kernel_emitter *e,
                        const struct ir_race *race)
{
	const struct node *second = find_access(e, race->second);
	struct text text = {0};
	add_threads(&text, race, e->kernel);
	if (race->first != race->second)
		text_add_format(&text, " in the %s at line %u and this %s", verb(race->first), race->first->place.line,
		                verb(race->second));
	if (race->around)
		text_add_format(&text, " in a later round of the loop at line %u", race->around->place.line);
	text_add_format(&text, ": %s", race->reason);
	struct span span = second->kind == NODE_METHOD ? second->at : second->span;
	struct diagnostic *item = diagnostic_add(p->diagnostics, "E_KERNEL_RACE", span, "%s", text_string(&text));
	text_free(&text);
	hint_shapes(p->diagnostics, item, race, e->kernel,
	            second->kind == NODE_METHOD ? second->parts[0] : second->right);
	definition->has_faults = true;
}

/* ---- Barriers ---- */

static void report_divergence(struct program *p, struct definition *definition, const struct kernel_emitter *e,
                              const struct ir_divergence *divergence)
{
	const struct node *barrier = find_access(e, divergence->barrier);
	bool loop = divergence->control->op == IR_OP_for;
	struct diagnostic *item = diagnostic_add(
	    p->diagnostics, "E_KERNEL_BARRIER", barrier->span,
	    "the threads of a group may not reach this `barrier()` together: in the %s of the `%s` at line %u, %s",
	    loop ? "bounds" : "condition", loop ? "for" : "if", divergence->control->place.line, divergence->reason);
	if (loop)
		diagnostic_hint(
		    p->diagnostics, item,
		    "let all threads of a group run the same rounds, and put what a thread does in some of them "
		    "into an `if` without `barrier()`");
	else
		diagnostic_hint(p->diagnostics, item,
		                "move `barrier()` out of the `if`, between two `if`s of the same condition");
	definition->has_faults = true;
}

bool kernel_check_races(struct program *p, struct definition *d, const struct kernel_emitter *e)
{
	struct ir_divergence *divergences = NULL;
	struct ir_race *races = NULL;
	uint32_t divergence_count = ir_find_divergent_barriers(e->kernel, e->scratch, &divergences);
	uint32_t race_count = p->allow_races ? 0 : ir_find_races(e->kernel, e->scratch, &races);
	for (uint32_t i = 0; i < divergence_count; i++)
		report_divergence(p, d, e, &divergences[i]);
	for (uint32_t i = 0; i < race_count; i++)
		report_race(p, d, e, &races[i]);
	return divergence_count + race_count == 0;
}
