/* Literals, names, what is in brackets, `new`, closures. */
#include <string.h>

#include "frontend/cone/cone_parser.h"

bool cone_parser_is_number_name(const char *name)
{
	static const char *const names[] = {"i8",  "i16",   "i32", "i64", "isize", "u8",   "u16", "u32",
	                                    "u64", "usize", "f32", "f64", "bool",  "char", "Bool"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static struct cone_node *parse_literal(struct cone_parser *p, enum cone_node_kind kind)
{
	const struct cone_token *t = cone_parser_token(p);
	struct cone_node *node = cone_parser_begin(p, kind);
	cone_parser_advance(p);
	node->number = t->number;
	node->suffix = t->suffix;
	node->truth = t->kind == CONE_TOKEN_TRUE;
	if (kind == CONE_STRING)
		node->length = (size_t)t->number;
	if (kind == CONE_STRING || kind == CONE_FLOAT)
		node->text = t->text;
	return node;
}

static struct cone_node *parse_name(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_NAME);
	node->name = cone_parser_token(p)->text;
	cone_parser_advance(p);
	if (strcmp(node->name, "Bool") == 0 && !p->own_bool && cone_parser_kind(p) != CONE_TOKEN_OPEN_BRACKET) {
		cone_parser_old(p, "1019", node->span, "there is no type `Bool`");
		cone_parser_hint(p, "write `bool`");
		node->name = "bool";
	}
	return node;
}

static struct cone_node *parse_parentheses(struct cone_parser *p)
{
	uint32_t start = cone_parser_token(p)->start;
	cone_parser_advance(p);
	struct cone_node *node = cone_parser_tuple(p);
	cone_parser_expect(p, CONE_TOKEN_CLOSE_PARENTHESIS);
	node->span = cone_parser_span_from(p, start);
	return node;
}

/* ---- Arrays ---- */

/* The type of a literal; NULL: not seen here. */
static const char *literal_type(const struct cone_node *value)
{
	switch ((int)value->kind) {
	case CONE_INTEGER: return value->suffix ? value->suffix : "i32";
	case CONE_FLOAT: return value->suffix ? value->suffix : "f32";
	case CONE_BOOL: return "bool";
	}
	return NULL;
}

/* [4; v]: new Array[T, 4] <- fill v. At the `;`. */
static struct cone_node *parse_old_fill(struct cone_parser *p, struct cone_node *node, struct cone_node *count)
{
	node->kind = CONE_NEW_ARRAY;
	node->fills = true;
	cone_parser_advance(p);
	cone_parser_expressions(p, node);
	cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
	const char *element = literal_type(node->parts[0]);
	struct cone_type_syntax *type = cone_parser_named_type(p, "Array", node->at);
	type->arguments = arena_alloc(p->arena, 2 * sizeof *type->arguments);
	type->argument_count = 2;
	type->arguments[0].type = element ? cone_parser_named_type(p, element, node->parts[0]->span) : NULL;
	type->arguments[1].value = count;
	node->type_syntax = type;
	cone_parser_old(p, "1218", cone_parser_span_from(p, node->span.start), "an array is not filled with `[n; v]`");
	cone_parser_hint(p, "write `new Array[%s, n] <- fill v`", element ? element : "T");
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_list(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_LIST);
	cone_parser_advance(p);
	if (cone_parser_kind(p) == CONE_TOKEN_CLOSE_BRACKET) {
		cone_parser_expected(p, "the first element of the array");
		return node;
	}
	cone_parser_expressions(p, node);
	if (cone_parser_kind(p) == CONE_TOKEN_SEMICOLON && node->part_count == 1)
		return parse_old_fill(p, node, node->parts[0]);
	cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
	return cone_parser_finish(p, node);
}

static bool at_value(const struct cone_parser *p, uint32_t ahead)
{
	switch ((int)cone_parser_ahead(p, ahead)) {
	case CONE_TOKEN_NAME:
	case CONE_TOKEN_INTEGER:
	case CONE_TOKEN_FLOAT:
	case CONE_TOKEN_CHAR:
	case CONE_TOKEN_STRING:
	case CONE_TOKEN_TRUE:
	case CONE_TOKEN_FALSE:
	case CONE_TOKEN_SELF:
	case CONE_TOKEN_NEW:
	case CONE_TOKEN_IF:
	case CONE_TOKEN_MATCH:
	case CONE_TOKEN_MINUS:
	case CONE_TOKEN_STAR:
	case CONE_TOKEN_TILDE:
	case CONE_TOKEN_AMPERSAND:
	case CONE_TOKEN_EXCLAMATION:
	case CONE_TOKEN_NOT:
	case CONE_TOKEN_OPEN_BRACKET:
	case CONE_TOKEN_OPEN_PARENTHESIS: return true;
	}
	return false;
}

static void parse_array_values(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list parts = {0};
	if (cone_parser_is_contextual(p, "fill") && at_value(p, 1)) {
		cone_parser_advance(p);
		node->fills = true;
		cone_list_add(p, &parts, cone_parser_expression(p));
	} else {
		do {
			struct cone_node *value = cone_parser_expression(p);
			if (cone_parser_is_contextual(p, "of")) {
				struct cone_node *of = cone_parser_node(p, CONE_OF, value->span, cone_parser_span(p));
				cone_parser_advance(p);
				of->left = value;
				of->right = cone_parser_expression(p);
				value = cone_parser_finish(p, of);
			}
			cone_list_add(p, &parts, value);
		} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	}
	node->parts = (struct cone_node **)parts.items;
	node->part_count = parts.count;
}

static void parse_constructor_arguments(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list parts = {0}, names = {0};
	bool named = false;
	do {
		const char *name = NULL;
		if (cone_parser_kind(p) == CONE_TOKEN_NAME && cone_parser_ahead(p, 1) == CONE_TOKEN_COLON) {
			name = cone_parser_token(p)->text;
			cone_parser_advance(p);
			cone_parser_advance(p);
			named = true;
		}
		cone_list_add(p, &parts, cone_parser_expression(p));
		cone_list_add(p, &names, (void *)name);
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	cone_parser_expect(p, CONE_TOKEN_CLOSE_PARENTHESIS);
	node->parts = (struct cone_node **)parts.items;
	node->part_count = parts.count;
	node->part_names = named ? (const char **)names.items : NULL;
}

static struct cone_node *parse_new(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_NEW);
	if (cone_parser_kind(p) == CONE_TOKEN_TRYNEW) {
		node->kind = CONE_REFUSED;
		node->text = "trynew";
	}
	cone_parser_advance(p);
	node->type_syntax = cone_parser_type(p);
	if (cone_parser_accept(p, CONE_TOKEN_APPEND)) {
		node->kind = node->kind == CONE_NEW ? CONE_NEW_ARRAY : node->kind;
		parse_array_values(p, node);
	} else if (!cone_parser_accept(p, CONE_TOKEN_OPEN_PARENTHESIS)) {
		cone_parser_report(p, "1211", node->type_syntax ? node->type_syntax->span : node->span,
		                   "`new` is given its values in parentheses");
		cone_parser_hint(p, "write `new T(a, b)`, or of an array `new Array[T, n] <- a, b`");
	} else {
		node->tries = node->kind == CONE_REFUSED;
		if (!cone_parser_accept(p, CONE_TOKEN_CLOSE_PARENTHESIS))
			parse_constructor_arguments(p, node);
	}
	return cone_parser_finish(p, node);
}

/* ---- Closures ---- */

bool cone_parser_at_closure(const struct cone_parser *p)
{
	enum cone_token_kind kind = cone_parser_kind(p);
	if (kind == CONE_TOKEN_NAME || kind == CONE_TOKEN_UNDERSCORE)
		return cone_parser_ahead(p, 1) == CONE_TOKEN_ARROW;
	uint32_t close = kind == CONE_TOKEN_OPEN_PARENTHESIS ? cone_parser_match(p, p->position) : 0;
	return close && p->tokens.items[close + 1].kind == CONE_TOKEN_ARROW;
}

/* p => e, (a, b) => e */
struct cone_node *cone_parser_closure(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_CLOSURE);
	struct cone_declaration *function = node->function = cone_parser_new_declaration(p, CONE_FUNCTION);
	function->name = "";
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_PARENTHESIS) {
		cone_parser_parameters(p, function, true, false);
	} else {
		struct span span = cone_parser_span(p);
		function->parameters = ARENA_NEW(p->arena, struct cone_parameter);
		function->parameter_count = 1;
		function->parameters[0].variable = cone_parser_variable(p, cone_parser_variable_name(p), span, false);
	}
	node->at = cone_parser_span(p);
	cone_parser_expect(p, CONE_TOKEN_ARROW);
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACE) {
		function->body = cone_parser_block(p);
	} else {
		struct cone_node *body = cone_parser_begin(p, CONE_BLOCK);
		struct cone_list parts = {0};
		cone_list_add(p, &parts, cone_parser_expression(p));
		body->parts = (struct cone_node **)parts.items;
		body->part_count = 1;
		function->body = cone_parser_finish(p, body);
	}
	function->span = cone_parser_span_from(p, node->span.start);
	return cone_parser_finish(p, node);
}

/* [st = v; mut w]: what is listed is a copy that changes from call to call, with or without `mut`. */
static void parse_state(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list parts = {0}, names = {0};
	cone_parser_advance(p);
	do {
		if (cone_parser_kind(p) == CONE_TOKEN_CLOSE_BRACKET)
			break;
		if (!cone_parser_accept(p, CONE_TOKEN_MUT))
			cone_parser_accept(p, CONE_TOKEN_IMM);
		struct cone_node *value = cone_parser_begin(p, CONE_NAME);
		const char *name = value->name = cone_parser_name(p, "the name of a state variable");
		if (cone_parser_accept(p, CONE_TOKEN_ASSIGN))
			value = cone_parser_expression(p);
		cone_list_add(p, &parts, value);
		cone_list_add(p, &names, (void *)name);
	} while (cone_parser_accept(p, CONE_TOKEN_SEMICOLON) || cone_parser_accept(p, CONE_TOKEN_COMMA));
	cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
	node->parts = (struct cone_node **)parts.items;
	node->part_names = (const char **)names.items;
	node->part_count = parts.count;
}

/* fn(p T) R [st = v] { body }, or fn(p T) [st = v] R { body } */
static struct cone_node *parse_function_literal(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_CLOSURE);
	struct cone_declaration *function = node->function = cone_parser_new_declaration(p, CONE_FUNCTION);
	function->name = "";
	cone_parser_advance(p);
	struct cone_lifetime_scope lifetimes;
	cone_parser_open_lifetimes(p, &lifetimes, function);
	cone_parser_attributes(p, CONE_PLACE_FUNCTION, function);
	cone_parser_function_lifetimes(p, function);
	cone_parser_parameters(p, function, true, false);
	bool state_first = cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACKET;
	if (state_first)
		parse_state(p, node);
	p->closure_result = !state_first;
	cone_parser_results(p, function, true);
	p->closure_result = false;
	if (!state_first && cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACKET)
		parse_state(p, node);
	function->body = cone_parser_block(p);
	cone_parser_close_lifetimes(p, &lifetimes);
	function->span = cone_parser_span_from(p, node->span.start);
	return cone_parser_finish(p, node);
}

/* ---- What a GPU lacks ---- */

static struct cone_node *parse_await(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_REFUSED);
	node->text = "await";
	cone_parser_advance(p);
	cone_parser_expression(p);
	return cone_parser_finish(p, node);
}

struct cone_node *cone_parser_primary(struct cone_parser *p)
{
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_INTEGER: return parse_literal(p, CONE_INTEGER);
	case CONE_TOKEN_FLOAT: return parse_literal(p, CONE_FLOAT);
	case CONE_TOKEN_CHAR: return parse_literal(p, CONE_CHAR);
	case CONE_TOKEN_STRING: return parse_literal(p, CONE_STRING);
	case CONE_TOKEN_TRUE:
	case CONE_TOKEN_FALSE: return parse_literal(p, CONE_BOOL);
	case CONE_TOKEN_NAME:
	case CONE_TOKEN_SELF: return parse_name(p);
	case CONE_TOKEN_OPEN_PARENTHESIS: return parse_parentheses(p);
	case CONE_TOKEN_OPEN_BRACKET: return parse_list(p);
	case CONE_TOKEN_NEW:
	case CONE_TOKEN_TRYNEW: return parse_new(p);
	case CONE_TOKEN_FN: return parse_function_literal(p);
	case CONE_TOKEN_IF: return cone_parser_if(p);
	case CONE_TOKEN_MATCH: return cone_parser_match_statement(p);
	case CONE_TOKEN_OPEN_BRACE: return cone_parser_block(p);
	case CONE_TOKEN_LABEL:
	case CONE_TOKEN_WHILE:
	case CONE_TOKEN_EACH: return cone_parser_loop(p);
	case CONE_TOKEN_AWAIT: return parse_await(p);
	case CONE_TOKEN_EXCLAMATION:
	case CONE_TOKEN_NOT:
		cone_parser_expected(p, "an expression");
		cone_parser_hint(p, "`!` is looser than other operators: put `(!x)` in parentheses");
		return cone_parser_error_node(p);
	}
	if (cone_parser_at_parallel(p))
		return cone_parser_loop(p);
	cone_parser_expected(p, cone_token_is_word(cone_parser_kind(p)) ? "a name or a value" : "an expression");
	return cone_parser_error_node(p);
}
