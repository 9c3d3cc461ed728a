/* Structs, traits and enums: what is inside their braces. */
#include "frontend/cone/cone_parser.h"

static struct cone_field *add_field(struct cone_parser *p, struct cone_declaration *d)
{
	uint32_t n = d->field_count++;
	d->fields = cone_parser_grow(p, d->fields, n, sizeof *d->fields);
	return &d->fields[n];
}

static void add_method(struct cone_parser *p, struct cone_declaration *d, bool is_public, uint32_t start)
{
	struct cone_declaration *method = cone_parser_new_declaration(p, CONE_FUNCTION);
	method->is_public = is_public;
	method->owner = d;
	cone_parser_advance(p);
	cone_parser_function(p, method);
	method->span.start = start;
	uint32_t n = d->member_count++;
	d->members = cone_parser_grow(p, d->members, n, sizeof *d->members);
	d->members[n] = method;
}

/* [pub] [perm] f T [= default]; or a method. */
static void parse_struct_member(struct cone_parser *p, struct cone_declaration *d)
{
	uint32_t start = cone_parser_token(p)->start;
	cone_parser_attributes(p, CONE_PLACE_FIELD, NULL);
	bool is_public = cone_parser_accept(p, CONE_TOKEN_PUB);
	cone_parser_attributes(p, CONE_PLACE_FIELD, NULL);
	if (cone_parser_kind(p) == CONE_TOKEN_FN) {
		add_method(p, d, is_public, start);
		return;
	}
	if (!cone_parser_accept(p, CONE_TOKEN_IMM) && !cone_parser_accept(p, CONE_TOKEN_MUT))
		cone_parser_accept(p, CONE_TOKEN_RO);
	cone_parser_attributes(p, CONE_PLACE_FIELD, NULL);
	struct cone_field field = {.span = cone_parser_span(p), .is_public = is_public};
	field.name = cone_parser_name(p, "the name of a field, or `fn`");
	field.type_syntax = cone_parser_type(p);
	if (cone_parser_accept(p, CONE_TOKEN_ASSIGN))
		field.value = cone_parser_expression(p);
	if (!p->failed)
		*add_field(p, d) = field;
	cone_parser_semicolon(p);
}

/* A, B; C[T] = 3, ... or a method. */
static void parse_enum_member(struct cone_parser *p, struct cone_declaration *d)
{
	uint32_t start = cone_parser_token(p)->start;
	cone_parser_attributes(p, CONE_PLACE_FIELD, NULL);
	bool is_public = cone_parser_accept(p, CONE_TOKEN_PUB);
	if (cone_parser_kind(p) == CONE_TOKEN_FN) {
		add_method(p, d, is_public, start);
		return;
	}
	struct cone_field field = {.span = cone_parser_span(p), .is_public = true};
	field.name = cone_parser_name(p, "the name of a variant, or `fn`");
	bool brackets = cone_parser_accept(p, CONE_TOKEN_OPEN_BRACKET);
	if (brackets || cone_parser_at_type(p))
		field.type_syntax = cone_parser_type(p);
	if (brackets)
		cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
	if (cone_parser_accept(p, CONE_TOKEN_ASSIGN))
		field.value = cone_parser_expression(p);
	if (!p->failed)
		*add_field(p, d) = field;
	if (!cone_parser_accept(p, CONE_TOKEN_COMMA) && cone_parser_kind(p) != CONE_TOKEN_CLOSE_BRACE)
		cone_parser_semicolon(p);
}

static void parse_members(struct cone_parser *p, struct cone_declaration *d)
{
	struct span open = cone_parser_span(p);
	if (!cone_parser_accept(p, CONE_TOKEN_OPEN_BRACE)) {
		if (!cone_parser_accept(p, CONE_TOKEN_SEMICOLON))
			cone_parser_expected(p, "`{`");
		return;
	}
	while (!cone_parser_accept(p, CONE_TOKEN_CLOSE_BRACE)) {
		if (p->stopped)
			return;
		if (cone_parser_accept(p, CONE_TOKEN_SEMICOLON))
			continue;
		enum cone_token_kind kind = cone_parser_kind(p);
		if (kind == CONE_TOKEN_END ||
		    (cone_parser_at_declaration(p) && kind != CONE_TOKEN_FN && kind != CONE_TOKEN_PUB)) {
			cone_parser_report(p, "1001", open, "this block has no `}`");
			p->failed = true;
			return;
		}
		uint32_t before = p->position;
		if (d->kind == CONE_ENUM)
			parse_enum_member(p, d);
		else
			parse_struct_member(p, d);
		if (!p->failed)
			continue;
		if (p->position == before && !p->stopped && cone_parser_token(p)->kind != CONE_TOKEN_CLOSE_BRACE)
			cone_parser_advance(p);
		cone_parser_recover(p, false);
	}
}

static void parse_traits(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_list traits = {0};
	if (!cone_parser_accept(p, CONE_TOKEN_IS))
		return;
	do {
		cone_list_add(p, &traits, cone_parser_type(p));
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	d->traits = (struct cone_type_syntax **)traits.items;
	d->trait_count = traits.count;
}

static void parse_type_name(struct cone_parser *p, struct cone_declaration *d)
{
	cone_parser_attributes(p, CONE_PLACE_TYPE, d);
	d->name_span = cone_parser_span(p);
	d->name = cone_parser_name(p, "the name of a type");
	cone_parser_generics(p, d);
}

void cone_parser_struct(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_lifetime_scope lifetimes;
	cone_parser_open_lifetimes(p, &lifetimes, d);
	parse_type_name(p, d);
	parse_traits(p, d);
	parse_members(p, d);
	cone_parser_close_lifetimes(p, &lifetimes);
	d->span = cone_parser_span_from(p, d->span.start);
}

void cone_parser_enum(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_lifetime_scope lifetimes;
	cone_parser_open_lifetimes(p, &lifetimes, d);
	parse_type_name(p, d);
	if (cone_parser_at_type(p))
		d->type_syntax = cone_parser_type(p);
	parse_traits(p, d);
	parse_members(p, d);
	cone_parser_close_lifetimes(p, &lifetimes);
	d->span = cone_parser_span_from(p, d->span.start);
}
