/* Barriers that not all threads of a group reach together (spec/sspur.md 1.5). */
#include "ir/group_uniform.h"
#include "ir/ir_analysis.h"

struct search {
	const struct ir_kernel *kernel;
	struct arena *arena;
	struct group_uniform uniform;
	const bool *lockstep;
	const struct ir_instruction **barriers; /* by id of control: the first barrier in it */
	struct ir_divergence *found;
	uint32_t count, capacity;
};

/* The value in `value` that is not on the list: down the operands to one that is made of nothing else. */
static const struct ir_instruction *find_cause(const struct search *s, const struct ir_instruction *value)
{
	for (;;) {
		const struct ir_instruction *parts[IR_MAX_OPERANDS] = {0}, *next = NULL;
		struct ir_choice choice;
		if (ir_choice_of(value, &choice)) {
			parts[0] = choice.condition;
			parts[1] = choice.then;
			parts[2] = choice.other;
		} else if (ir_op_infos[value->op].flags & (IR_FLAG_PURE | IR_FLAG_TRAP)) {
			for (unsigned n = 0; n < ir_op_infos[value->op].arity; n++)
				parts[n] = value->operands[n];
		}
		for (unsigned n = 0; n < IR_MAX_OPERANDS && !next; n++)
			if (parts[n] && s->uniform.levels[parts[n]->id] == GROUP_VARYING)
				next = parts[n];
		if (!next)
			return value;
		value = next;
	}
}

static const char *reason_of(const struct search *s, const struct ir_instruction *cause)
{
	struct text name = {0};
	ir_value_print(&name, s->kernel, cause);
	const char *format = "`%s` may differ between the threads of a group";
	if (ir_op_infos[cause->op].flags & IR_FLAG_THREAD)
		format = "`%s` differs between the threads of a group";
	else if (cause->op == IR_OP_get)
		format = ir_kernel_word(s->kernel, "`%s` is a `var`, which each thread has for itself",
		                        "`%s` is a `mut`, which each invocation has for itself");
	else if (ir_op_infos[cause->op].flags & IR_FLAG_READ)
		format = "`%s` is read from memory";
	else if (cause->op == IR_OP_for)
		format = "`%s` of a loop without a barrier differs between the threads of a group";
	const char *reason = arena_format(s->arena, format, text_string(&name));
	text_free(&name);
	return reason;
}

/* The operand of `control` that may differ; the arity if there is none. */
static unsigned find_varying(const struct search *s, const struct ir_instruction *control)
{
	unsigned n = 0;
	while (n < ir_op_infos[control->op].arity && s->uniform.levels[control->operands[n]->id] != GROUP_VARYING)
		n++;
	return n;
}

static bool is_divergent(const struct search *s, const struct ir_instruction *control)
{
	return find_varying(s, control) < ir_op_infos[control->op].arity;
}

static void add(struct search *s, const struct ir_instruction *barrier, const struct ir_instruction *control)
{
	unsigned n = find_varying(s, control);
	const struct ir_instruction *cause = find_cause(s, control->operands[n]);
	*ARENA_PUSH(s->arena, s->found, s->count, s->capacity) =
	    (struct ir_divergence){barrier, control, n, cause, reason_of(s, cause)};
}

static bool visit_barrier(void *context, struct ir_instruction *i)
{
	struct search *s = context;
	if (!(ir_op_infos[i->op].flags & IR_FLAG_BARRIER))
		return true;
	/* The outermost: what is inside may follow from it. */
	const struct ir_instruction *outermost = NULL;
	for (const struct ir_instruction *c = i->parent; c; c = c->parent) {
		if (!s->barriers[c->id])
			s->barriers[c->id] = i;
		if (is_divergent(s, c))
			outermost = c;
	}
	if (outermost)
		add(s, i, outermost);
	return true;
}

/* Control around a jump that leaves a round of a loop with a barrier, and holds none itself. */
static bool visit_jump(void *context, struct ir_instruction *i)
{
	struct search *s = context;
	if ((i->op != IR_OP_break && i->op != IR_OP_continue) || !s->lockstep[i->target->id])
		return true;
	const struct ir_instruction *holder = i->target;
	while (!s->barriers[holder->id])
		holder = holder->parent;
	for (const struct ir_instruction *c = i->parent; c != i->target; c = c->parent)
		if (!s->barriers[c->id] && is_divergent(s, c)) {
			add(s, s->barriers[holder->id], c);
			break;
		}
	return true;
}

/* Values that data flow shows to be the same in a group, though they are not on the list. */
static void add_data_flow(struct search *s)
{
	const enum ir_uniformity *values = ir_analyze_uniformity(s->kernel, s->arena);
	for (uint32_t n = 0; n < s->kernel->next_id; n++)
		if (s->uniform.levels[n] == GROUP_VARYING && values[n] != IR_VARYING)
			s->uniform.levels[n] = 0;
}

uint32_t ir_find_divergent_barriers(const struct ir_kernel *k, struct arena *arena, struct ir_divergence **divergences)
{
	struct search s = {
	    .kernel = k,
	    .arena = arena,
	    .uniform = group_uniform_find(k, arena),
	    .lockstep = ir_find_lockstep(k, arena),
	    .barriers = ARENA_ARRAY(arena, const struct ir_instruction *, k->next_id),
	};
	if (k->policy == IR_POLICY_RECORD)
		add_data_flow(&s);
	ir_visit(&k->body, visit_barrier, &s);
	ir_visit(&k->body, visit_jump, &s);
	*divergences = s.found;
	return s.count;
}
