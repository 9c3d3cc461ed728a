/* Lifetimes, `'a`: declared among the generics, written in references and types. Their scopes are those of the text. */
#include <string.h>

#include "frontend/cone/cone_parser.h"

void cone_parser_open_lifetimes(struct cone_parser *p, struct cone_lifetime_scope *scope,
                                const struct cone_declaration *d)
{
	*scope = (struct cone_lifetime_scope){.outer = p->lifetimes, .declaration = d};
	p->lifetimes = scope;
}

void cone_parser_close_lifetimes(struct cone_parser *p, struct cone_lifetime_scope *scope)
{
	p->lifetimes = scope->outer;
}

static bool holds(const struct cone_declaration *d, const char *name)
{
	for (uint32_t i = 0; i < d->lifetimes.count; i++)
		if (strcmp(d->lifetimes.items[i].name, name) == 0)
			return true;
	return false;
}

/* `'static` is what lives as long as the program, and always there. */
static bool is_known(const struct cone_parser *p, const char *name)
{
	for (const struct cone_lifetime_scope *scope = p->lifetimes; scope; scope = scope->outer)
		if (holds(scope->declaration, name))
			return true;
	return strcmp(name, "static") == 0;
}

static void add(struct cone_parser *p, struct cone_lifetimes *to, struct cone_lifetime lifetime)
{
	to->items = cone_parser_grow(p, to->items, to->count, sizeof lifetime);
	to->items[to->count++] = lifetime;
}

void cone_parser_declare_lifetime(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_lifetime lifetime = {.name = cone_parser_token(p)->text, .span = cone_parser_span(p)};
	cone_parser_advance(p);
	if (is_known(p, lifetime.name) || holds(d, lifetime.name)) {
		cone_parser_report(p, "1018", lifetime.span, "the lifetime '%s is declared already", lifetime.name);
		return;
	}
	add(p, &d->lifetimes, lifetime);
}

bool cone_parser_accept_lifetime(struct cone_parser *p, struct cone_lifetimes *to)
{
	struct cone_lifetime lifetime = {.name = cone_parser_token(p)->text, .span = cone_parser_span(p)};
	if (!cone_parser_accept(p, CONE_TOKEN_LABEL))
		return false;
	if (is_known(p, lifetime.name)) {
		add(p, to, lifetime);
		return true;
	}
	cone_parser_report(p, "1019", lifetime.span, "the lifetime '%s is not known", lifetime.name);
	cone_parser_hint(p, "it is declared in brackets behind the name of the function or type: ['%s]", lifetime.name);
	return true;
}

void cone_parser_function_lifetimes(struct cone_parser *p, struct cone_declaration *d)
{
	struct span span = cone_parser_span(p);
	cone_parser_generics(p, d);
	if (!d->generic_count)
		return;
	cone_parser_report(p, "1001", span, "a function without a name has lifetimes alone in brackets, no types");
	d->generic_count = 0;
}
