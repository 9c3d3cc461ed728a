#include <string.h>

#include "frontend/ssp/check.h"
#include "frontend/ssp/larger_language.h"
#include "utils/base/spelling.h"

/* After so many comparisons of names no nearest name is looked for. */
enum { SUGGESTION_LIMIT = 200000 };

/* ---- Scopes and frames ---- */

struct binding *check_scope_open(struct checker *c)
{
	return c->newest;
}

void check_scope_close(struct checker *c, struct binding *mark)
{
	for (; c->newest != mark; c->newest = c->newest->previous)
		table_set(&c->locals, c->newest->variable->name, c->newest->shadowed);
}

void check_frame_open(struct checker *c, struct check_frame *f, enum frame_kind kind, struct type *result)
{
	*f = (struct check_frame){.parent = c->frame, .kind = kind, .result = result};
	if (kind == FRAME_LAMBDA)
		f->facts = ARENA_NEW(&c->scratch, struct closure_facts);
	c->frame = f;
}

void check_frame_close(struct checker *c)
{
	c->frame = c->frame->parent;
}

struct variable *check_declare(struct checker *c, const char *name, struct span span, struct type *type, bool mutable)
{
	struct variable *v = ARENA_NEW(&c->p->arena, struct variable);
	*v = (struct variable){name, type, span, mutable, c->frame->slots++};
	*ARENA_PUSH(&c->scratch, c->variables, c->variable_count, c->variable_capacity) = v;
	struct binding *b = ARENA_NEW(&c->scratch, struct binding);
	*b = (struct binding){.variable = v, .frame = c->frame, .previous = c->newest};
	b->shadowed = table_set(&c->locals, name, b);
	c->newest = b;
	return v;
}

void check_declare_pattern(struct checker *c, struct pattern_name *names, uint32_t count, struct type **types,
                           bool mutable)
{
	struct binding *mark = c->newest;
	for (uint32_t i = 0; i < count; i++) {
		for (struct binding *b = c->newest; b != mark && strcmp(names[i].name, "_") != 0; b = b->previous) {
			if (strcmp(b->variable->name, names[i].name) == 0) {
				diagnostic_add(c->diagnostics, "E_DUP_DEF", names[i].span, "`%s` is named twice",
				               names[i].name);
				break;
			}
		}
		names[i].variable = check_declare(c, names[i].name, names[i].span, types[i], mutable);
	}
}

/* ---- Finding names ---- */

struct binding *check_find_local(struct checker *c, const char *name)
{
	return table_get(&c->locals, name);
}

struct definition *check_find_definition(struct checker *c, const char *name)
{
	return table_get(&c->definitions, name);
}

int check_find_global(const char *name)
{
	for (int i = 0; i < BUILTIN_COUNT; i++) {
		if (builtin_infos[i].receiver == RECEIVER_NONE && strcmp(builtin_infos[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* ---- References ---- */

static void add_capture(struct checker *c, struct closure_facts *facts, const struct binding *b)
{
	if (facts->capture_count > 0 && facts->captures[facts->capture_count - 1].variable == b->variable)
		return;
	*ARENA_PUSH(&c->scratch, facts->captures, facts->capture_count, facts->capture_capacity) =
	    (struct capture){b->variable, b->facts};
}

static void require_shareable(struct checker *c, struct variable *v, struct span span)
{
	const char *subject = arena_format(&c->scratch, "`%s`", v->name);
	check_require(c, CLASS_SHAREABLE, v->type, span, "E_PAR_SHARE", subject);
}

static void report_race(struct checker *c, const struct node *name, const char *verb)
{
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_PAR_RACE", name->span,
	                   "a task of `par` cannot %s `%s`, a variable from outside it", verb, name->name);
	diagnostic_hint(c->diagnostics, d, "let the task give the new value as its result");
}

/* A lambda from outside the task: what it reaches, the task reaches. */
static void use_closure_in_task(struct checker *c, const struct node *name, struct closure_facts *facts)
{
	struct closure_facts **todo = NULL;
	uint32_t count = 0, capacity = 0;
	*ARENA_PUSH(&c->scratch, todo, count, capacity) = facts;
	for (c->visits++; count > 0;) {
		struct closure_facts *f = todo[--count];
		if (f->visit == c->visits)
			continue;
		f->visit = c->visits;
		if (f->assigns)
			diagnostic_add(
			    c->diagnostics, "E_PAR_RACE", name->span,
			    "a task of `par` cannot use `%s`, which assigns a variable from outside the task",
			    name->name);
		for (uint32_t i = 0; i < f->capture_count; i++) {
			require_shareable(c, f->captures[i].variable, name->span);
			if (f->captures[i].facts)
				*ARENA_PUSH(&c->scratch, todo, count, capacity) = f->captures[i].facts;
		}
	}
}

/* Frames between the use and the variable; lambdas among them reach it. Returns whether a task lies between. */
static bool cross_frames(struct checker *c, struct node *name, const struct binding *b, bool assigns)
{
	bool outside = false;
	name->depth = 0;
	for (struct check_frame *f = c->frame; f != b->frame; f = f->parent) {
		name->depth++;
		outside |= f->kind == FRAME_TASK;
		if (f->kind != FRAME_LAMBDA)
			continue;
		f->facts->assigns |= assigns;
		add_capture(c, f->facts, b);
	}
	return outside;
}

static void set_reference(struct checker *c, struct node *name, const struct binding *b)
{
	name->reference = REFERENCE_LOCAL;
	name->variable = b->variable;
	check_set_type(c, name, b->variable->type);
}

void check_use_local(struct checker *c, struct node *name, struct binding *b)
{
	set_reference(c, name, b);
	if (!cross_frames(c, name, b, false))
		return;
	if (b->facts)
		use_closure_in_task(c, name, b->facts);
	else
		require_shareable(c, b->variable, name->span);
}

bool check_change_local(struct checker *c, struct node *name, struct binding *b, const char *verb)
{
	set_reference(c, name, b);
	if (!cross_frames(c, name, b, true))
		return true;
	report_race(c, name, verb);
	return false;
}

/* ---- Unknown names ---- */

struct suggestion check_suggestion(struct checker *c, const char *wanted)
{
	size_t length = strlen(wanted);
	if (length > SPELLING_LONGEST)
		return (struct suggestion){wanted, NULL, 0, &c->suggestions};
	return (struct suggestion){wanted, NULL, length <= 5 ? 2 : length <= 8 ? 3 : 4, &c->suggestions};
}

/* Words that other languages have for the same. */
static const char *const synonyms[][2] = {
    {"Float", "F64"},   {"Double", "F64"},      {"String", "Str"},  {"Array", "List"},      {"Vec", "List"},
    {"Integer", "Int"}, {"Boolean", "Bool"},    {"Option", "Opt"},  {"Result", "Res"},      {"Void", "Unit"},
    {"length", "len"},  {"size", "len"},        {"count", "len"},   {"append", "push"},     {"to_string", "str"},
    {"to_str", "str"},  {"to_float", "to_f64"}, {"reduce", "fold"}, {"unwrap", "get"},      {"unwrap_or", "or"},
    {"print", "log"},   {"println", "log"},     {"printf", "log"},  {"eprintln", "eprint"}, {"sleep", "sleep_ms"},
};

static bool is_synonym(const char *wanted, const char *candidate)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
		if (strcmp(synonyms[i][0], wanted) == 0 && strcmp(synonyms[i][1], candidate) == 0)
			return true;
	}
	return false;
}

/* `distance` is what a candidate must stay below; a synonym is as near as one edit. */
void check_suggest(struct suggestion *s, const char *candidate)
{
	if (is_synonym(s->wanted, candidate) && s->distance > 1) {
		s->distance = 1;
		s->best = candidate;
	}
	size_t length = strlen(candidate), wanted = strlen(s->wanted);
	size_t difference = length > wanted ? length - wanted : wanted - length;
	if (length > SPELLING_LONGEST || difference >= s->distance || length < 2 || *s->compared >= SUGGESTION_LIMIT)
		return;
	++*s->compared;
	uint32_t distance = spelling_distance(s->wanted, wanted, candidate, length);
	if (distance < s->distance && distance < wanted) {
		s->distance = distance;
		s->best = candidate;
	}
}

void check_suggestion_hint(struct checker *c, struct diagnostic *d, const struct suggestion *s)
{
	if (s->best)
		diagnostic_hint(c->diagnostics, d, "did you mean `%s`?", s->best);
}

/* Spec 1.2, 1.5: names that kernels alone have; 1.7 gives E_KERNEL for them in a helper. */
static bool is_kernel_only(const char *name)
{
	static const char *const names[] = {"gid", "lid", "group_id", "group_size", "grid_size", "barrier"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

void check_unknown_name(struct checker *c, struct node *name)
{
	if (is_kernel_only(name->name)) {
		diagnostic_add(c->diagnostics, "E_KERNEL", name->span, "`%s` exists in the body of a kernel only",
		               name->name);
		return;
	}
	struct suggestion s = check_suggestion(c, name->name);
	bool look = c->suggestions < SUGGESTION_LIMIT;
	for (struct binding *b = c->newest; b && look; b = b->previous)
		check_suggest(&s, b->variable->name);
	for (uint32_t i = 0; i < c->p->definition_count && look; i++) {
		if (c->p->definitions[i]->kind != DEFINITION_TEST)
			check_suggest(&s, c->p->definitions[i]->name);
	}
	for (int i = 0; i < BUILTIN_COUNT; i++) {
		if (builtin_infos[i].receiver == RECEIVER_NONE)
			check_suggest(&s, builtin_infos[i].name);
	}
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_UNKNOWN_NAME", name->span, "`%s` is not defined", name->name);
	check_suggestion_hint(c, d, &s);
}

void check_unknown_value(struct checker *c, struct node *name)
{
	const struct larger_word *w = larger_find(name->name, strlen(name->name), LARGER_NAME);
	if (!w) {
		check_unknown_name(c, name);
		return;
	}
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_UNSUPPORTED", name->span, "%s not supported", w->what);
	if (w->hint)
		diagnostic_hint(c->diagnostics, d, "%s", w->hint);
}
