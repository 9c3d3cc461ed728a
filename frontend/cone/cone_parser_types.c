#include <string.h>

#include "frontend/cone/cone_parser.h"

bool cone_parser_at_type(const struct cone_parser *p)
{
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_NAME:
	case CONE_TOKEN_AMPERSAND:
	case CONE_TOKEN_STAR:
	case CONE_TOKEN_QUESTION:
	case CONE_TOKEN_FN:
	case CONE_TOKEN_PLUS:
	case CONE_TOKEN_OPEN_BRACKET:
	case CONE_TOKEN_OPEN_PARENTHESIS: return true;
	}
	return false;
}

static struct cone_type_syntax *new_type(struct cone_parser *p, enum cone_type_form form)
{
	struct cone_type_syntax *type = ARENA_NEW(p->arena, struct cone_type_syntax);
	type->form = form;
	type->span = cone_parser_span(p);
	return type;
}

struct cone_type_syntax *cone_parser_named_type(struct cone_parser *p, const char *name, struct span span)
{
	struct cone_type_syntax *type = new_type(p, CONE_FORM_NAME);
	type->path = ARENA_ARRAY(p->arena, const char *, 1);
	type->path[0] = name;
	type->path_count = 1;
	type->span = span;
	return type;
}

static void add_argument(struct cone_parser *p, struct cone_type_syntax *type, struct cone_type_syntax *argument,
                         struct cone_node *value)
{
	uint32_t n = type->argument_count;
	type->arguments = cone_parser_grow(p, type->arguments, n, sizeof *type->arguments);
	type->arguments[n].type = argument;
	type->arguments[n].value = value;
	type->argument_count = n + 1;
}

static struct cone_type_syntax *finish(struct cone_parser *p, struct cone_type_syntax *type)
{
	type->span = cone_parser_span_from(p, type->span.start);
	return type;
}

/* The form around one other type. */
static struct cone_type_syntax *wrap(struct cone_parser *p, struct cone_type_syntax *type)
{
	add_argument(p, type, cone_parser_type(p), NULL);
	return finish(p, type);
}

const char *cone_parser_permission(enum cone_token_kind kind)
{
	switch ((int)kind) {
	case CONE_TOKEN_IMM: return "imm";
	case CONE_TOKEN_MUT: return "mut";
	case CONE_TOKEN_RO: return "ro";
	case CONE_TOKEN_UNI: return "uni";
	case CONE_TOKEN_MUT1: return "mut1";
	case CONE_TOKEN_OPAQ: return "opaq";
	}
	return NULL;
}

/* A type stands here, not an expression: decided by the tokens up to the `,` or `]` behind it. */
static bool argument_is_type(const struct cone_parser *p)
{
	uint32_t at = p->position;
	const struct cone_token *t = p->tokens.items;
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_AMPERSAND:
	case CONE_TOKEN_STAR:
	case CONE_TOKEN_QUESTION:
	case CONE_TOKEN_FN:
	case CONE_TOKEN_OPEN_BRACKET: return true;
	case CONE_TOKEN_OPEN_PARENTHESIS:
		for (uint32_t i = at + 1, end = t[at].match; i<end; i = t[i].match> i ? t[i].match + 1 : i + 1)
			if (t[i].kind == CONE_TOKEN_COMMA)
				return true;
		return false;
	case CONE_TOKEN_NAME: break;
	default: return false;
	}
	while (t[at].kind == CONE_TOKEN_NAME && t[at + 1].kind == CONE_TOKEN_DOT)
		at += 2;
	if (t[at].kind != CONE_TOKEN_NAME)
		return false;
	at++;
	if (t[at].kind == CONE_TOKEN_OPEN_BRACKET) {
		if (!t[at].match)
			return true;
		at = t[at].match + 1;
	}
	return t[at].kind == CONE_TOKEN_COMMA || t[at].kind == CONE_TOKEN_CLOSE_BRACKET;
}

static void parse_argument(struct cone_parser *p, struct cone_type_syntax *type)
{
	const char *permission = cone_parser_permission(cone_parser_kind(p));
	if (permission) { /* Rc[mut, T] */
		struct span span = cone_parser_span(p);
		cone_parser_advance(p);
		add_argument(p, type, cone_parser_named_type(p, permission, span), NULL);
	} else if (argument_is_type(p)) {
		add_argument(p, type, cone_parser_type(p), NULL);
	} else {
		add_argument(p, type, NULL, cone_parser_expression(p));
	}
}

/* `[st = v; w] {` behind a closure's result is its state. */
static bool state_follows(const struct cone_parser *p)
{
	const struct cone_token *t = cone_parser_token(p);
	uint32_t close = t->match;
	if (!p->closure_result || !close || p->tokens.items[close + 1].kind != CONE_TOKEN_OPEN_BRACE)
		return false;
	if (t[1].kind == CONE_TOKEN_MUT || t[1].kind == CONE_TOKEN_IMM)
		return t[2].kind == CONE_TOKEN_NAME && t[3].kind != CONE_TOKEN_COMMA; /* not Rc[mut, T] */
	return t[1].kind == CONE_TOKEN_NAME && (t[2].kind == CONE_TOKEN_ASSIGN || t[2].kind == CONE_TOKEN_SEMICOLON ||
	                                        (t[2].kind == CONE_TOKEN_CLOSE_BRACKET && t > p->tokens.items &&
	                                         t[-1].text && cone_parser_is_number_name(t[-1].text)));
}

static struct cone_type_syntax *parse_path(struct cone_parser *p)
{
	struct cone_type_syntax *type = new_type(p, CONE_FORM_NAME);
	type->path = cone_parser_path(p, &type->path_count);
	if (type->path_count == 1 && strcmp(type->path[0], "Bool") == 0 && !p->own_bool) {
		cone_parser_old(p, "1019", type->span, "there is no type `Bool`");
		cone_parser_hint(p, "write `bool`");
		type->path[0] = "bool";
	}
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACKET && !state_follows(p)) {
		bool closure_result = p->closure_result;
		p->closure_result = false;
		cone_parser_advance(p);
		do {
			if (!cone_parser_accept_lifetime(p, &type->lifetimes))
				parse_argument(p, type);
		} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
		cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
		p->closure_result = closure_result;
	}
	return finish(p, type);
}

/* &[]T and &[]mut T. */
static struct cone_type_syntax *parse_old_slice(struct cone_parser *p, struct cone_type_syntax *type)
{
	cone_parser_advance(p);
	cone_parser_advance(p);
	if (cone_parser_accept(p, CONE_TOKEN_MUT)) {
		type->mutable = true;
		type->permission = "mut";
	}
	struct cone_type_syntax *array = cone_parser_named_type(p, "Array", cone_parser_span(p));
	add_argument(p, array, cone_parser_type(p), NULL);
	add_argument(p, type, finish(p, array), NULL);
	finish(p, type);
	cone_parser_old(p, "1336", type->span, "`&[]` is no type");
	cone_parser_hint(p, "a slice is written `&%sArray[T]`", type->mutable ? "mut " : "");
	return type;
}

static struct cone_type_syntax *parse_reference(struct cone_parser *p)
{
	struct cone_type_syntax *type = new_type(p, CONE_FORM_REFERENCE);
	cone_parser_advance(p);
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACKET && cone_parser_ahead(p, 1) == CONE_TOKEN_CLOSE_BRACKET)
		return parse_old_slice(p, type);
	cone_parser_accept_lifetime(p, &type->lifetimes);
	if (cone_parser_accept(p, CONE_TOKEN_LESS)) {
		type->form = CONE_FORM_VIRTUAL;
		return wrap(p, type);
	}
	type->permission = cone_parser_permission(cone_parser_kind(p));
	if (type->permission)
		cone_parser_advance(p);
	type->mutable =
	    type->permission && (strcmp(type->permission, "mut") == 0 || strcmp(type->permission, "uni") == 0);
	if (cone_parser_accept(p, CONE_TOKEN_LESS))
		type->form = CONE_FORM_VIRTUAL;
	return wrap(p, type);
}

/* [4; u32] */
static struct cone_type_syntax *parse_old_array(struct cone_parser *p)
{
	struct cone_type_syntax *type = new_type(p, CONE_FORM_NAME);
	cone_parser_advance(p);
	struct cone_node *count = cone_parser_expression(p);
	cone_parser_expect(p, CONE_TOKEN_SEMICOLON);
	struct cone_type_syntax *element = cone_parser_type(p);
	cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
	finish(p, type);
	cone_parser_old(p, "1204", type->span, "an array's type is not written `[n; T]`");
	cone_parser_hint(p, "write `Array[T, n]`");
	type->path = ARENA_ARRAY(p->arena, const char *, 1);
	type->path[0] = "Array";
	type->path_count = 1;
	add_argument(p, type, element, NULL);
	add_argument(p, type, NULL, count);
	return type;
}

/* +Rc T */
static struct cone_type_syntax *parse_old_owner(struct cone_parser *p)
{
	struct span plus = cone_parser_span(p);
	cone_parser_advance(p);
	struct cone_type_syntax *type = new_type(p, CONE_FORM_NAME);
	type->span.start = plus.start;
	type->path = cone_parser_path(p, &type->path_count);
	add_argument(p, type, cone_parser_type(p), NULL);
	finish(p, type);
	cone_parser_old(p, "1216", type->span, "an owner's type is not written with `+`");
	cone_parser_hint(p, "write `Rc[T]`");
	return type;
}

static struct cone_type_syntax *parse_tuple_type(struct cone_parser *p)
{
	struct cone_type_syntax *type = new_type(p, CONE_FORM_TUPLE);
	cone_parser_advance(p);
	do {
		add_argument(p, type, cone_parser_type(p), NULL);
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	cone_parser_expect(p, CONE_TOKEN_CLOSE_PARENTHESIS);
	finish(p, type);
	return type->argument_count == 1 ? type->arguments[0].type : type;
}

static struct cone_type_syntax *parse_function_type(struct cone_parser *p)
{
	struct cone_type_syntax *type = new_type(p, CONE_FORM_FUNCTION);
	type->function = cone_parser_new_declaration(p, CONE_FUNCTION);
	struct cone_lifetime_scope lifetimes;
	cone_parser_open_lifetimes(p, &lifetimes, type->function);
	cone_parser_advance(p);
	cone_parser_function_lifetimes(p, type->function);
	cone_parser_parameters(p, type->function, false, true);
	cone_parser_results(p, type->function, false);
	cone_parser_close_lifetimes(p, &lifetimes);
	return finish(p, type);
}

static struct cone_type_syntax *parse_type(struct cone_parser *p)
{
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_NAME: return parse_path(p);
	case CONE_TOKEN_AMPERSAND: return parse_reference(p);
	case CONE_TOKEN_FN: return parse_function_type(p);
	case CONE_TOKEN_OPEN_PARENTHESIS: return parse_tuple_type(p);
	case CONE_TOKEN_OPEN_BRACKET: return parse_old_array(p);
	case CONE_TOKEN_PLUS: return parse_old_owner(p);
	case CONE_TOKEN_STAR:
	case CONE_TOKEN_QUESTION: {
		bool pointer = cone_parser_kind(p) == CONE_TOKEN_STAR;
		struct cone_type_syntax *type = new_type(p, pointer ? CONE_FORM_POINTER : CONE_FORM_OPTION);
		cone_parser_advance(p);
		return wrap(p, type);
	}
	}
	cone_parser_expected(p, "the name of a type");
	return cone_parser_named_type(p, "", cone_parser_span(p));
}

struct cone_type_syntax *cone_parser_type(struct cone_parser *p)
{
	if (!cone_parser_enter(p))
		return cone_parser_named_type(p, "", cone_parser_span(p));
	struct cone_type_syntax *type = parse_type(p);
	cone_parser_leave(p);
	return type;
}

/* ---- Parameters ---- */

static void parse_receiver(struct cone_parser *p, struct cone_declaration *function)
{
	struct span span = cone_parser_span(p);
	cone_parser_advance(p);
	if (function->receiver != CONE_SELF_NONE || function->parameter_count) {
		cone_parser_report(p, "1001", span, "`self` is the first parameter");
		return;
	}
	function->receiver = CONE_SELF_VALUE;
	if (!cone_parser_accept(p, CONE_TOKEN_AMPERSAND))
		return;
	function->receiver = CONE_SELF_REFERENCE;
	struct cone_lifetimes lifetimes = {0};
	if (cone_parser_accept_lifetime(p, &lifetimes) && lifetimes.count)
		function->receiver_lifetime = lifetimes.items[0];
	if (cone_parser_accept(p, CONE_TOKEN_MUT) || cone_parser_accept(p, CONE_TOKEN_UNI))
		function->receiver = CONE_SELF_MUTABLE;
	else if (cone_parser_accept(p, CONE_TOKEN_NEW))
		function->receiver = CONE_SELF_NEW;
	else if (!cone_parser_accept(p, CONE_TOKEN_IMM))
		cone_parser_accept(p, CONE_TOKEN_RO);
}

/* In a function's type: `A`, not `a A`. */
static bool is_unnamed(const struct cone_parser *p)
{
	enum cone_token_kind next = cone_parser_ahead(p, 1);
	return cone_parser_kind(p) != CONE_TOKEN_NAME || next == CONE_TOKEN_COMMA || next == CONE_TOKEN_DOT ||
	       next == CONE_TOKEN_CLOSE_PARENTHESIS || next == CONE_TOKEN_OPEN_BRACKET;
}

static void parse_parameter(struct cone_parser *p, struct cone_declaration *function, bool untyped, bool unnamed)
{
	cone_parser_attributes(p, CONE_PLACE_PARAMETER, NULL);
	bool mutable = cone_parser_accept(p, CONE_TOKEN_MUT);
	if (!mutable)
		cone_parser_accept(p, CONE_TOKEN_IMM);
	cone_parser_attributes(p, CONE_PLACE_PARAMETER, NULL);
	if (cone_parser_kind(p) == CONE_TOKEN_SELF) {
		function->mutable = mutable;
		parse_receiver(p, function);
		return;
	}
	struct cone_parameter parameter = {0};
	struct span span = cone_parser_span(p);
	const char *name = "_";
	if (!unnamed || !is_unnamed(p) || cone_parser_kind(p) == CONE_TOKEN_UNDERSCORE)
		name = cone_parser_variable_name(p);
	parameter.variable = cone_parser_variable(p, name, span, mutable);
	if (!untyped || cone_parser_at_type(p))
		parameter.type_syntax = cone_parser_type(p);
	if (cone_parser_accept(p, CONE_TOKEN_ASSIGN))
		parameter.value = cone_parser_expression(p);
	uint32_t n = function->parameter_count++;
	function->parameters = cone_parser_grow(p, function->parameters, n, sizeof parameter);
	function->parameters[n] = parameter;
}

void cone_parser_parameters(struct cone_parser *p, struct cone_declaration *function, bool untyped, bool unnamed)
{
	bool closure_result = p->closure_result;
	p->closure_result = false;
	if (cone_parser_expect(p, CONE_TOKEN_OPEN_PARENTHESIS) &&
	    !cone_parser_accept(p, CONE_TOKEN_CLOSE_PARENTHESIS)) {
		do {
			function->is_variadic = cone_parser_accept(p, CONE_TOKEN_RANGE_OLD_INCLUSIVE);
			if (!function->is_variadic)
				parse_parameter(p, function, untyped, unnamed);
		} while (!function->is_variadic && cone_parser_accept(p, CONE_TOKEN_COMMA));
		cone_parser_expect(p, CONE_TOKEN_CLOSE_PARENTHESIS);
	}
	p->closure_result = closure_result;
}
