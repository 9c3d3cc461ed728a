#include <string.h>

#include "frontend/cone/cone_parser.h"

struct cone_declaration *cone_parser_new_declaration(struct cone_parser *p, enum cone_declaration_kind kind)
{
	struct cone_declaration *d = ARENA_NEW(p->arena, struct cone_declaration);
	d->kind = kind;
	d->file = p->file;
	d->module = p->module;
	d->span = d->name_span = cone_parser_span(p);
	return d;
}

void cone_parser_add(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_module *m = p->module;
	*ARENA_PUSH(p->arena, m->declarations, m->declaration_count, m->declaration_capacity) = d;
}

/* ---- Attributes ---- */

static const struct {
	const char *name;
	enum cone_attribute_place place;
	const char *code;  /* of one in a wrong place */
	const char *where; /* it stands */
} known[] = {
    {"compute", CONE_PLACE_FUNCTION, "1260", "after `fn`"},
    {"c", CONE_PLACE_FUNCTION, "1119", "after `fn`"},
    {"intrinsic", CONE_PLACE_FUNCTION, "1119", "after `fn`"},
    {"initpure", CONE_PLACE_FUNCTION, "1119", "after `fn`"},
    {"workgroup", CONE_PLACE_GLOBAL, "1265", "after the `mut` of a module's global"},
    {"threadlocal", CONE_PLACE_GLOBAL, "1179", "after the `mut` of a module's global"},
    {"opaque", CONE_PLACE_TYPE, "1119", "after `struct`"},
    {"unsized", CONE_PLACE_TYPE, "1119", "after `struct`"},
};

enum { KNOWN_COUNT = sizeof known / sizeof *known };

static void parse_attribute_arguments(struct cone_parser *p, struct cone_attribute *attribute)
{
	struct cone_node list = {0};
	if (cone_parser_kind(p) != CONE_TOKEN_OPEN_PARENTHESIS)
		return;
	cone_parser_advance(p);
	if (cone_parser_accept(p, CONE_TOKEN_CLOSE_PARENTHESIS))
		return;
	cone_parser_expressions(p, &list);
	cone_parser_expect(p, CONE_TOKEN_CLOSE_PARENTHESIS);
	attribute->arguments = list.parts;
	attribute->argument_count = list.part_count;
}

static void add_attribute(struct cone_parser *p, struct cone_declaration *d, struct cone_attribute attribute)
{
	uint32_t n = d->attribute_count;
	d->attributes = cone_parser_grow(p, d->attributes, n, sizeof attribute);
	d->attributes[n] = attribute;
	d->attribute_count = n + 1;
}

static void parse_attribute(struct cone_parser *p, enum cone_attribute_place place, struct cone_declaration *d)
{
	struct cone_attribute attribute = {.name = cone_parser_token(p)->text, .span = cone_parser_span(p)};
	cone_parser_advance(p);
	int i = 0;
	while (i < KNOWN_COUNT && strcmp(known[i].name, attribute.name) != 0)
		i++;
	/* A function's parameters may follow the others directly. */
	if (i < 2 || i == KNOWN_COUNT || place != CONE_PLACE_FUNCTION)
		parse_attribute_arguments(p, &attribute);
	if (i == KNOWN_COUNT) {
		cone_parser_report(p, "1119", attribute.span, "there is no attribute `@%s`", attribute.name);
	} else if (known[i].place != place) {
		cone_parser_report(p, known[i].code, attribute.span, "`@%s` may not stand here", attribute.name);
		cone_parser_hint(p, "it is written %s", known[i].where);
	} else if (d) {
		add_attribute(p, d, attribute);
	}
}

static int find_attribute(const struct cone_declaration *d, const char *name)
{
	for (uint32_t i = 0; i < d->attribute_count; i++)
		if (strcmp(d->attributes[i].name, name) == 0)
			return (int)i;
	return -1;
}

void cone_parser_attributes(struct cone_parser *p, enum cone_attribute_place place, struct cone_declaration *d)
{
	while (cone_parser_kind(p) == CONE_TOKEN_ATTRIBUTE)
		parse_attribute(p, place, d);
	int workgroup = d ? find_attribute(d, "workgroup") : -1;
	if (workgroup < 0)
		return;
	if (find_attribute(d, "threadlocal") >= 0) {
		cone_parser_report(p, "1265", d->attributes[workgroup].span,
		                   "a global is not both `@workgroup` and `@threadlocal`");
		d->attributes[workgroup] = d->attributes[--d->attribute_count];
		return;
	}
	d->workgroup = true;
}

/* ---- Functions ---- */

/* [T], [T A + B], [F fn(p P) R], [N usize], ['a] */
void cone_parser_generics(struct cone_parser *p, struct cone_declaration *d)
{
	if (!cone_parser_accept(p, CONE_TOKEN_OPEN_BRACKET))
		return;
	do {
		if (cone_parser_kind(p) == CONE_TOKEN_LABEL) {
			cone_parser_declare_lifetime(p, d);
			continue;
		}
		uint32_t n = d->generic_count;
		d->generics = cone_parser_grow(p, d->generics, n, sizeof *d->generics);
		struct cone_generic *generic = &d->generics[n];
		d->generic_count = n + 1;
		generic->span = cone_parser_span(p);
		generic->name = cone_parser_name(p, "the name of a type parameter");
		struct cone_list bounds = {0};
		if (cone_parser_at_type(p))
			do {
				cone_list_add(p, &bounds, cone_parser_type(p));
			} while (cone_parser_accept(p, CONE_TOKEN_PLUS));
		generic->bounds = (struct cone_type_syntax **)bounds.items;
		generic->bound_count = bounds.count;
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
}

/* where T A + B, ...: more bounds. */
static void parse_where(struct cone_parser *p, struct cone_declaration *d)
{
	do {
		struct span span = cone_parser_span(p);
		const char *name = cone_parser_name(p, "the name of a type parameter");
		struct cone_generic *generic = NULL;
		for (uint32_t i = 0; i < d->generic_count; i++)
			if (strcmp(d->generics[i].name, name) == 0)
				generic = &d->generics[i];
		if (!generic && !p->failed)
			cone_parser_report(p, "1019", span, "the function has no type parameter `%s`", name);
		cone_parser_accept(p, CONE_TOKEN_IS);
		do {
			struct cone_type_syntax *bound = cone_parser_type(p);
			if (!generic)
				continue;
			uint32_t n = generic->bound_count++;
			generic->bounds = cone_parser_grow(p, generic->bounds, n, sizeof *generic->bounds);
			generic->bounds[n] = bound;
		} while (cone_parser_accept(p, CONE_TOKEN_PLUS));
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
}

void cone_parser_results(struct cone_parser *p, struct cone_declaration *function, bool several)
{
	struct cone_list results = {0};
	if (!cone_parser_at_type(p) || cone_parser_is_contextual(p, "inline"))
		return;
	do {
		cone_list_add(p, &results, cone_parser_type(p));
	} while (several && cone_parser_accept(p, CONE_TOKEN_COMMA));
	function->results = (struct cone_type_syntax **)results.items;
	function->result_count = results.count;
}

static bool is_operator_name(const char *name)
{
	return *name && strchr("+-*/%&|^<>=!~[(", *name);
}

static void parse_function_name(struct cone_parser *p, struct cone_declaration *d)
{
	bool quoted = cone_parser_token(p)->quoted;
	d->name_span = cone_parser_span(p);
	d->name = cone_parser_name(p, "the name of a function");
	if (quoted && is_operator_name(d->name))
		d->overloads = d->name;
	if (cone_parser_accept_contextual(p, "overload"))
		d->overloads = cone_parser_name(p, "the name that is overloaded");
}

void cone_parser_function(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_lifetime_scope lifetimes;
	cone_parser_open_lifetimes(p, &lifetimes, d);
	cone_parser_attributes(p, CONE_PLACE_FUNCTION, d);
	parse_function_name(p, d);
	cone_parser_generics(p, d);
	cone_parser_parameters(p, d, false, false);
	cone_parser_results(p, d, true);
	d->is_inline = cone_parser_accept_contextual(p, "inline");
	if (cone_parser_accept(p, CONE_TOKEN_WHERE))
		parse_where(p, d);
	d->is_inline |= cone_parser_accept_contextual(p, "inline");
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACE || cone_parser_kind(p) == CONE_TOKEN_COLON) {
		d->body = cone_parser_block(p);
		if (d->is_variadic)
			cone_parser_report(p, "1001", d->name_span,
			                   "`...` is of functions that C has, which have no body");
	} else if (!cone_parser_accept(p, CONE_TOKEN_SEMICOLON)) {
		if (cone_parser_token(p)->first && !p->failed) {
			uint32_t end = cone_parser_previous_end(p);
			/* Core's intrinsics, as the page shows them, are declared so. */
			cone_parser_old(p, "1003", (struct span){end, end},
			                "this declaration has neither a body nor a `;`");
		} else {
			cone_parser_expected(p, "`{` or `;`");
		}
	}
	cone_parser_close_lifetimes(p, &lifetimes);
	d->span = cone_parser_span_from(p, d->span.start);
}

/* ---- Values ---- */

static void parse_value(struct cone_parser *p, struct cone_declaration *d)
{
	d->name_span = cone_parser_span(p);
	d->name = cone_parser_name(p, "a name");
	if (cone_parser_at_type(p))
		d->type_syntax = cone_parser_type(p);
	if (cone_parser_accept(p, CONE_TOKEN_ASSIGN))
		d->value = cone_parser_expression(p);
	d->span = cone_parser_span_from(p, d->span.start);
	cone_parser_semicolon(p);
}

static struct cone_declaration *parse_const(struct cone_parser *p)
{
	struct cone_declaration *d = cone_parser_new_declaration(p, CONE_CONST);
	cone_parser_advance(p);
	cone_parser_attributes(p, CONE_PLACE_BEFORE, NULL);
	parse_value(p, d);
	if (!d->value && !p->failed) {
		cone_parser_report(p, "1001", d->name_span, "a constant has a value");
		return NULL;
	}
	return d;
}

static struct cone_declaration *parse_global(struct cone_parser *p)
{
	struct cone_declaration *d = cone_parser_new_declaration(p, CONE_GLOBAL);
	d->mutable = cone_parser_kind(p) == CONE_TOKEN_MUT;
	cone_parser_advance(p);
	cone_parser_attributes(p, CONE_PLACE_GLOBAL, d);
	parse_value(p, d);
	return d;
}

static struct cone_declaration *parse_alias(struct cone_parser *p)
{
	struct cone_declaration *d = cone_parser_new_declaration(p, CONE_ALIAS);
	cone_parser_advance(p);
	d->name_span = cone_parser_span(p);
	d->name = cone_parser_name(p, "a name");
	cone_parser_expect(p, CONE_TOKEN_ASSIGN);
	d->type_syntax = cone_parser_type(p);
	d->span = cone_parser_span_from(p, d->span.start);
	cone_parser_semicolon(p);
	return d;
}

/* ---- Others ---- */

/* Up to the end of its block or its `;`. */
static void skip_declaration(struct cone_parser *p)
{
	while (cone_parser_kind(p) != CONE_TOKEN_END) {
		uint32_t match = cone_parser_match(p, p->position);
		bool ends = cone_parser_kind(p) == CONE_TOKEN_SEMICOLON || cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACE;
		if (match)
			p->position = match;
		cone_parser_advance(p);
		if (ends)
			return;
	}
}

static struct cone_declaration *parse_actor(struct cone_parser *p)
{
	struct cone_declaration *d = cone_parser_new_declaration(p, CONE_UNIT_REFUSED);
	d->text = "actor";
	cone_parser_advance(p);
	d->name_span = cone_parser_span(p);
	d->name = cone_parser_name(p, "the name of an actor");
	if (!p->failed)
		skip_declaration(p);
	d->span = cone_parser_span_from(p, d->span.start);
	return d;
}

static void mark_extern(struct cone_declaration *d, bool is_public)
{
	d->is_extern = true;
	d->is_public |= is_public;
}

/* extern { fn ...; } or extern fn ...; */
static struct cone_declaration *parse_extern(struct cone_parser *p, bool is_public)
{
	struct span open;
	cone_parser_advance(p);
	if (cone_parser_kind(p) != CONE_TOKEN_OPEN_BRACE) {
		struct cone_declaration *d = NULL;
		if (cone_parser_kind(p) == CONE_TOKEN_FN || cone_parser_kind(p) == CONE_TOKEN_IMM ||
		    cone_parser_kind(p) == CONE_TOKEN_MUT)
			d = cone_parser_declaration(p);
		else
			cone_parser_expected(p, "`fn` or `{`");
		if (d)
			mark_extern(d, is_public);
		return d;
	}
	open = cone_parser_span(p);
	cone_parser_advance(p);
	while (!p->failed && !cone_parser_accept(p, CONE_TOKEN_CLOSE_BRACE)) {
		if (cone_parser_kind(p) == CONE_TOKEN_END) {
			cone_parser_report(p, "1001", open, "this block has no `}`");
			p->failed = true;
		} else if (cone_parser_accept(p, CONE_TOKEN_SEMICOLON)) {
			continue;
		} else if (cone_parser_kind(p) != CONE_TOKEN_FN && cone_parser_kind(p) != CONE_TOKEN_PUB &&
		           cone_parser_kind(p) != CONE_TOKEN_IMM && cone_parser_kind(p) != CONE_TOKEN_MUT) {
			cone_parser_expected(p, "`fn` or `}`");
		} else {
			struct cone_declaration *d = cone_parser_declaration(p);
			if (d) {
				mark_extern(d, is_public);
				cone_parser_add(p, d);
			}
		}
	}
	return NULL;
}

static struct cone_declaration *parse_kind(struct cone_parser *p, bool is_public)
{
	struct cone_declaration *d = NULL;
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_IMPORT:
	case CONE_TOKEN_USE: return cone_parser_import(p, is_public);
	case CONE_TOKEN_EXTERN: return parse_extern(p, is_public);
	case CONE_TOKEN_CONST: return parse_const(p);
	case CONE_TOKEN_IMM:
	case CONE_TOKEN_MUT: return parse_global(p);
	case CONE_TOKEN_ALIAS: return parse_alias(p);
	case CONE_TOKEN_ACTOR: return parse_actor(p);
	case CONE_TOKEN_FN:
		d = cone_parser_new_declaration(p, CONE_FUNCTION);
		cone_parser_advance(p);
		cone_parser_function(p, d);
		return d;
	case CONE_TOKEN_STRUCT:
	case CONE_TOKEN_TRAIT:
		d = cone_parser_new_declaration(p, cone_parser_kind(p) == CONE_TOKEN_STRUCT ? CONE_STRUCT : CONE_TRAIT);
		cone_parser_advance(p);
		cone_parser_struct(p, d);
		return d;
	case CONE_TOKEN_ENUM:
		d = cone_parser_new_declaration(p, CONE_ENUM);
		cone_parser_advance(p);
		cone_parser_enum(p, d);
		return d;
	case CONE_TOKEN_MOD:
		cone_parser_report(p, "1145", cone_parser_span(p), "the `mod` line is the first statement of its file");
		skip_declaration(p);
		return NULL;
	case CONE_TOKEN_MACRO:
	case CONE_TOKEN_MIXIN:
	case CONE_TOKEN_TYPEDEF:
	case CONE_TOKEN_CONTEXT:
	case CONE_TOKEN_INCLUDE:
		cone_parser_report(p, "1002", cone_parser_span(p), "`%s` is not in the kernel subset",
		                   cone_token_spelling(cone_parser_kind(p)));
		skip_declaration(p);
		return NULL;
	}
	if (!p->failed && !cone_parser_token(p)->after_fault)
		cone_parser_report(p, "1002", cone_parser_span(p),
		                   "a declaration begins with `fn`, `struct`, `const`, `imm`, `mut` or the like");
	p->failed = true;
	return NULL;
}

struct cone_declaration *cone_parser_declaration(struct cone_parser *p)
{
	if (cone_parser_accept(p, CONE_TOKEN_SEMICOLON))
		return NULL;
	if (!cone_parser_enter(p))
		return NULL;
	p->unclosed = false;
	uint32_t start = cone_parser_token(p)->start;
	cone_parser_attributes(p, CONE_PLACE_BEFORE, NULL);
	bool is_public = cone_parser_accept(p, CONE_TOKEN_PUB);
	cone_parser_attributes(p, CONE_PLACE_BEFORE, NULL);
	struct cone_declaration *d = parse_kind(p, is_public);
	cone_parser_leave(p);
	if (d) {
		d->is_public |= is_public;
		d->span.start = start;
	}
	return d;
}
