#include "frontend/ssp/check.h"

/* ---- Definitions ---- */

static void report_duplicate(struct checker *c, const struct definition *d, const struct definition *first)
{
	struct place place = source_place(c->p->source, first->name_span.start);
	diagnostic_add(c->diagnostics, "E_DUP_DEF", d->name_span, "`%s` is defined twice, first in line %u", d->name,
	               place.line);
}

/* Fns and kernels share one space of names, above the builtins' (a fn may be named like a builtin, which it then
 * hides); tests have one of their own. */
static void collect_definitions(struct checker *c)
{
	struct table tests = {.arena = &c->scratch};
	for (uint32_t i = 0; i < c->p->definition_count; i++) {
		struct definition *d = c->p->definitions[i];
		struct table *names = d->kind == DEFINITION_TEST ? &tests : &c->definitions;
		struct definition *first = table_get(names, d->name);
		if (first)
			report_duplicate(c, d, first);
		else
			table_set(names, d->name, d);
	}
}

/* ---- Bodies ---- */

static void check_clause(struct checker *c, struct clause *clause, const char *kind)
{
	c->frame->effects = (struct effect_scope){0};
	struct binding *mark = check_scope_open(c);
	check_value(c, clause->condition);
	check_expect(c, clause->condition, &type_bool);
	check_scope_close(c, mark);
	check_effects_pure(c, kind, &c->frame->effects);
}

static void bind_parameters(struct checker *c, struct definition *d)
{
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct parameter *p = &d->parameters[i];
		p->variable = check_declare(c, p->name, p->span, p->variable->type, false);
	}
}

/* The result `r` in `post` has the slot after the parameters, which is kept for it when there is a `post`. */
static void check_posts(struct checker *c, struct definition *d)
{
	struct binding *mark = check_scope_open(c);
	uint32_t slots = c->frame->slots;
	c->frame->slots = d->parameter_count;
	d->result_variable = check_declare(c, "r", d->name_span, d->result, false);
	c->frame->slots = slots;
	for (uint32_t i = 0; i < d->post_count; i++)
		check_clause(c, &d->post[i], "post");
	check_scope_close(c, mark);
}

/* A block without a result may end in any expression, as expression statements may stand anywhere; `= e` must be
 * Unit, so that a forgotten result type is noticed. */
static void check_body(struct checker *c, struct definition *d, struct type *result)
{
	struct node *body = d->body;
	if (result->kind == TYPE_UNIT && (body->kind == NODE_BLOCK || body->kind == NODE_IF)) {
		check_statement(c, body);
		return;
	}
	check_value(c, body);
	if (check_unify(c, result, body->type))
		return;
	const char *found = check_type_text(c, body->type);
	struct diagnostic *item = check_mismatch(c, body, result, body->type);
	if (d->kind == DEFINITION_FUNCTION && !d->result_syntax)
		diagnostic_hint(c->diagnostics, item, "write the result type: ` -> %s`", found);
}

static void check_definition(struct checker *c, struct definition *d)
{
	struct type *result = d->kind == DEFINITION_TEST ? &type_bool : d->result;
	size_t errors = c->diagnostics->error_count;
	struct check_frame frame;
	c->definition = d;
	c->unread = false;
	check_frame_open(c, &frame, FRAME_DEFINITION, result);
	struct binding *mark = check_scope_open(c);
	bind_parameters(c, d);
	frame.slots += d->post_count > 0;
	for (uint32_t i = 0; i < d->pre_count; i++)
		check_clause(c, &d->pre[i], "pre");
	frame.effects = (struct effect_scope){0};
	struct binding *locals = check_scope_open(c);
	check_body(c, d, result);
	check_scope_close(c, locals);
	struct effect_scope performed = frame.effects;
	if (d->post_count > 0)
		check_posts(c, d);
	check_scope_close(c, mark);
	check_frame_close(c);
	check_close(c);
	d->frame_slots = frame.slots;
	d->has_faults |= c->diagnostics->error_count > errors;
	if (d->kind == DEFINITION_FUNCTION)
		check_effects_declared(c, d, &performed, c->diagnostics->error_count == errors && !c->unread);
}

/* ---- The passes ---- */

void program_check(struct program *p)
{
	kernel_signatures(p);
	struct checker c = {.p = p, .diagnostics = p->diagnostics};
	c.definitions.arena = c.locals.arena = &c.scratch;
	collect_definitions(&c);
	for (uint32_t i = 0; i < p->definition_count; i++) {
		if (p->definitions[i]->kind == DEFINITION_FUNCTION)
			check_signature(&c, p->definitions[i]);
	}
	for (uint32_t i = 0; i < p->definition_count; i++) {
		struct definition *d = p->definitions[i];
		if (d->kind != DEFINITION_KERNEL && d->body && check_signature_known(d))
			check_definition(&c, d);
	}
	arena_free(&c.scratch);
}

bool program_analyze(struct program *p)
{
	program_check(p);
	kernel_build(p);
	return p->diagnostics->error_count == 0;
}
