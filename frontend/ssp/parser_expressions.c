#include "frontend/ssp/parser.h"
#include "utils/base/plain_locale.h"

#include <stdlib.h>
#include <string.h>

/* Lowest first (spec 2.4). */
enum precedence {
	PRECEDENCE_NONE,
	PRECEDENCE_OR,
	PRECEDENCE_AND,
	PRECEDENCE_NOT,
	PRECEDENCE_COMPARISON,
	PRECEDENCE_RANGE,
	PRECEDENCE_SUM,
	PRECEDENCE_PRODUCT,
	PRECEDENCE_POWER,
};

struct binary_operator {
	enum precedence precedence;
	enum operator_kind operator_kind;
	const char *instead; /* how it is written here: the token is another language's */
};

static const struct binary_operator operators[TOKEN_COUNT] = {
    [TOKEN_OR] = {PRECEDENCE_OR, OPERATOR_OR, NULL},
    [TOKEN_AND] = {PRECEDENCE_AND, OPERATOR_AND, NULL},
    [TOKEN_EQUAL] = {PRECEDENCE_COMPARISON, OPERATOR_EQUAL, NULL},
    [TOKEN_NOT_EQUAL] = {PRECEDENCE_COMPARISON, OPERATOR_NOT_EQUAL, NULL},
    [TOKEN_LESS] = {PRECEDENCE_COMPARISON, OPERATOR_LESS, NULL},
    [TOKEN_LESS_EQUAL] = {PRECEDENCE_COMPARISON, OPERATOR_LESS_EQUAL, NULL},
    [TOKEN_GREATER] = {PRECEDENCE_COMPARISON, OPERATOR_GREATER, NULL},
    [TOKEN_GREATER_EQUAL] = {PRECEDENCE_COMPARISON, OPERATOR_GREATER_EQUAL, NULL},
    [TOKEN_DOT_DOT] = {PRECEDENCE_RANGE, OPERATOR_ADD, NULL}, /* a NODE_RANGE */
    [TOKEN_PLUS] = {PRECEDENCE_SUM, OPERATOR_ADD, NULL},
    [TOKEN_MINUS] = {PRECEDENCE_SUM, OPERATOR_SUBTRACT, NULL},
    [TOKEN_STAR] = {PRECEDENCE_PRODUCT, OPERATOR_MULTIPLY, NULL},
    [TOKEN_SLASH] = {PRECEDENCE_PRODUCT, OPERATOR_DIVIDE, NULL},
    [TOKEN_PERCENT] = {PRECEDENCE_PRODUCT, OPERATOR_REMAINDER, NULL},
    [TOKEN_STAR_STAR] = {PRECEDENCE_POWER, OPERATOR_POWER, NULL},
    [TOKEN_BAR_BAR] = {PRECEDENCE_OR, OPERATOR_OR, "or"},
    [TOKEN_AMPERSAND_AMPERSAND] = {PRECEDENCE_AND, OPERATOR_AND, "and"},
    [TOKEN_EQUALS] = {PRECEDENCE_COMPARISON, OPERATOR_EQUAL, "=="},
};

static struct node *read_binary(struct parser *p, enum precedence least);
static struct node *read_unary(struct parser *p);
static struct node *read_postfix(struct parser *p);

/* ---- Arguments and items ---- */

/* A `_` alone as an argument belongs to the argument around it: `xs.map(f(_))` is `xs.map(x => f(x))`. Otherwise all
 * `_` of an argument are one parameter of it (spec 2.4). */
static struct node *wrap_placeholders(struct parser *p, struct node *body, const struct token *first, uint32_t base)
{
	uint32_t count = p->placeholder_count - base;
	if (p->failed)
		p->placeholder_count = base;
	if (count == 0 || p->failed || (body->kind == NODE_PLACEHOLDER && p->arguments > 0))
		return body;
	struct node *n = parser_node(p, NODE_LAMBDA, first);
	n->name = p->placeholders[base]->name;
	n->left = body;
	n->parameter_count = 1;
	n->parameters = ARENA_NEW(p->arena, struct pattern_name);
	*n->parameters = (struct pattern_name){.name = n->name, .span = p->placeholders[base]->span};
	p->placeholder_count = base;
	return parser_finish(p, n);
}

static struct node *read_argument(struct parser *p)
{
	const struct token *first = parser_first(p);
	uint32_t base = p->placeholder_count;
	p->arguments++;
	struct node *n = parser_inline_statement(p);
	p->arguments--;
	return wrap_placeholders(p, n, first, base);
}

static struct node *read_item(struct parser *p)
{
	return parser_expression(p);
}

/* Items up to the closing bracket, into n->parts; the opening one has been read. */
static void read_items(struct parser *p, struct node *n, enum token_kind close, const char *expected,
                       struct node *(*read)(struct parser *))
{
	uint32_t base = p->stack_count;
	p->layout.brackets++;
	while (!parser_at(p, close) && !p->failed) {
		parser_push(p, read(p));
		if (!parser_accept(p, TOKEN_COMMA))
			break;
	}
	if (!p->failed)
		parser_expect(p, close, expected);
	p->layout.brackets--;
	parser_pop_parts(p, n, base);
}

/* ---- Primaries ---- */

static struct node *read_int(struct parser *p)
{
	const struct token *t = parser_next(p);
	struct node *n = parser_node(p, NODE_INT, t);
	const char *bytes = p->source->bytes;
	bool hex = t->end - t->start > 2 && (bytes[t->start + 1] | 0x20) == 'x';
	for (uint32_t i = t->start + (hex ? 2 : 0); i < t->end; i++) {
		char c = bytes[i];
		if (c != '_')
			n->number =
			    n->number * (hex ? 16 : 10) + (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return parser_finish(p, n);
}

/* In a kernel a literal out of range is the kernel checker's error (spec 1.3). */
static struct node *read_float(struct parser *p)
{
	const struct token *t = parser_next(p);
	struct node *n = parser_node(p, NODE_FLOAT, t);
	char *digits = arena_string_n(p->arena, p->source->bytes + t->start, t->end - t->start);
	size_t length = 0;
	for (const char *c = digits; *c; c++)
		if (*c != '_')
			digits[length++] = *c;
	digits[length] = 0;
	n->string = digits;
	n->length = length;
	n->real = plain_read_f64(digits, NULL);
	if (n->real > 0x1.fffffffffffffp1023 && !p->in_kernel) {
		parser_large_number(p, t);
		return parser_error_node(p, t);
	}
	return parser_finish(p, n);
}

static struct node *read_name(struct parser *p, enum node_kind kind)
{
	const struct token *t = parser_next(p);
	struct node *n = parser_node(p, kind, t);
	n->name = parser_token_name(p, t);
	return parser_finish(p, n);
}

static struct node *read_placeholder(struct parser *p)
{
	const struct token *t = parser_next(p);
	if (p->arguments == 0) {
		parser_error(p, "E_PARSE_PLACEHOLDER", parser_token_span(t),
		             "`_` makes a lambda of an argument of a call, and this is in none");
		parser_hint(p, "write the lambda: `x => ...`");
		return parser_error_node(p, t);
	}
	struct node *n = parser_node(p, NODE_PLACEHOLDER, t);
	n->name = parser_intern(p, "_", 1);
	if (p->placeholder_count == p->placeholder_capacity) {
		p->placeholder_capacity = p->placeholder_capacity ? p->placeholder_capacity * 2 : 16;
		p->placeholders = memory_resize(p->placeholders, p->placeholder_capacity * sizeof *p->placeholders);
	}
	p->placeholders[p->placeholder_count++] = n;
	return parser_finish(p, n);
}

static struct node *read_bool(struct parser *p)
{
	const struct token *t = parser_next(p);
	struct node *n = parser_node(p, NODE_BOOL, t);
	n->truth = t->kind == TOKEN_TRUE;
	return parser_finish(p, n);
}

static struct node *read_list(struct parser *p)
{
	struct node *n = parser_node(p, NODE_LIST, parser_next(p));
	read_items(p, n, TOKEN_CLOSE_BRACKET, "`,` or `]`", read_item);
	return parser_finish(p, n);
}

/* `()`, a tuple, or an expression in parentheses. */
static struct node *read_parentheses(struct parser *p)
{
	struct node *n = parser_node(p, NODE_TUPLE, parser_next(p));
	read_items(p, n, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`", read_item);
	if (p->failed)
		return n;
	if (n->part_count == 0)
		n->kind = NODE_UNIT;
	const struct token *before = &p->tokens[p->position - 2];
	if (n->part_count == 1 && before->kind == TOKEN_COMMA)
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(before), "a tuple has 2 items or more");
	return n->part_count == 1 ? n->parts[0] : parser_finish(p, n);
}

/* `x =>`, `_ =>`, `(a, b) =>` */
static bool at_lambda(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_NAME || t->kind == TOKEN_UNDERSCORE)
		return t[1].kind == TOKEN_FAT_ARROW;
	return t->kind == TOKEN_OPEN_PARENTHESIS && t->match && p->tokens[t->match + 1].kind == TOKEN_FAT_ARROW;
}

static void read_lambda_parameter(struct parser *p, struct node *n)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_NAME && t->kind != TOKEN_UNDERSCORE) {
		parser_expected(p, "the name of a parameter");
		parser_fail(p);
		return;
	}
	parser_next(p);
	n->parameters[n->parameter_count++] =
	    (struct pattern_name){.name = parser_token_name(p, t), .span = parser_token_span(t)};
	if (parser_at(p, TOKEN_COLON)) {
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(parser_peek(p)),
		             "the parameters of a lambda have no types");
		parser_hint(p, "write `%s` alone", n->parameters[n->parameter_count - 1].name);
		parser_next(p);
		parser_type(p);
	}
}

static struct node *read_lambda(struct parser *p)
{
	const struct token *first = parser_peek(p);
	struct node *n = parser_node(p, NODE_LAMBDA, first);
	if (first->kind != TOKEN_OPEN_PARENTHESIS) {
		n->parameters = ARENA_NEW(p->arena, struct pattern_name);
		read_lambda_parameter(p, n);
	} else {
		n->parameters = ARENA_ARRAY(p->arena, struct pattern_name, first->match - p->position);
		parser_next(p);
		p->layout.brackets++;
		while (!parser_at(p, TOKEN_CLOSE_PARENTHESIS) && !p->failed) {
			read_lambda_parameter(p, n);
			if (!parser_accept(p, TOKEN_COMMA))
				break;
		}
		if (!p->failed)
			parser_expect(p, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`");
		p->layout.brackets--;
	}
	n->tuple_parameter = n->parameter_count > 1;
	parser_expect(p, TOKEN_FAT_ARROW, "`=>`");
	n->left = parser_inline_statement(p);
	return parser_finish(p, n);
}

/* `shared[T](n)` */
static bool at_shared(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return parser_at_word(p, "shared") && t[1].kind == TOKEN_OPEN_BRACKET && !t[1].first && t[1].match &&
	       p->tokens[t[1].match + 1].kind == TOKEN_OPEN_PARENTHESIS && !p->tokens[t[1].match + 1].first;
}

static struct node *read_shared(struct parser *p)
{
	struct node *n = parser_node(p, NODE_SHARED, parser_next(p));
	p->layout.brackets++;
	parser_next(p);
	n->type_syntax = parser_type(p);
	if (!p->failed && parser_expect(p, TOKEN_CLOSE_BRACKET, "`]`") &&
	    parser_expect(p, TOKEN_OPEN_PARENTHESIS, "`(`")) {
		n->left = parser_expression(p);
		if (!p->failed)
			parser_expect(p, TOKEN_CLOSE_PARENTHESIS, "`)`");
	}
	p->layout.brackets--;
	return parser_finish(p, n);
}

/* Where a construct may begin, and no loop's head can be: a block below then belongs to it. */
static bool begins_construct(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->first || p->position == 0)
		return true;
	enum token_kind before = t[-1].kind;
	return before == TOKEN_EQUALS || before == TOKEN_ASSIGN || before == TOKEN_FAT_ARROW || before == TOKEN_THEN ||
	       before == TOKEN_ELSE || before == TOKEN_RETURN;
}

static bool at_deeper_line(const struct parser *p, const struct token *t)
{
	return t->kind != TOKEN_END && t->first && t->indent > parser_peek(p)->indent && t->kind != TOKEN_DOT &&
	       p->layout.brackets == 0;
}

/* A word of the larger language where it can only be meant so: before an operand on its line, or before a block. */
static const struct larger_word *at_larger_language(const struct parser *p)
{
	const struct token *t = parser_peek(p), *next = t + 1;
	const struct larger_word *w = parser_larger(p, t, LARGER_PREFIX);
	if (!w)
		return NULL;
	bool operand = next->kind == TOKEN_NAME || next->kind == TOKEN_INT || next->kind == TOKEN_FLOAT ||
	               next->kind == TOKEN_STRING || next->kind == TOKEN_TRUE || next->kind == TOKEN_FALSE ||
	               next->kind == TOKEN_NOT || next->kind == TOKEN_IF || next->kind == TOKEN_FN ||
	               next->kind == TOKEN_UNDERSCORE || next->kind == TOKEN_OPEN_BRACE;
	if (operand && !next->first)
		return w;
	bool block = begins_construct(p);
	if (next->kind == TOKEN_DO && !next->first)
		return block || p->layout.brackets > 0 ? w : NULL;
	/* `match (a, b)` and an indented block */
	bool closed = next->kind == TOKEN_OPEN_PARENTHESIS && !next->first && next->match;
	return block && at_deeper_line(p, closed ? &p->tokens[next->match + 1] : next) ? w : NULL;
}

static struct node *read_primary_name(struct parser *p)
{
	const struct token *first = parser_first(p);
	const struct larger_word *larger;
	if (at_shared(p))
		return read_shared(p);
	if ((larger = at_larger_language(p))) {
		parser_refuse(p, first, larger);
		return parser_error_node(p, first);
	}
	struct node *n = read_name(p, NODE_NAME);
	if (*n->name >= 'A' && *n->name <= 'Z' && parser_continues(p, TOKEN_OPEN_BRACE))
		parser_unsupported(p, parser_token_span(first), "records are");
	return n;
}

static struct node *read_no_expression(struct parser *p)
{
	const struct token *t = parser_first(p);
	if (p->failed)
		return parser_error_node(p, t);
	if (t->kind == TOKEN_ERROR && t->problem == PROBLEM_NUMBER_LARGE && p->quiet) {
		parser_large_number(p, t);
		return parser_error_node(p, parser_next(p));
	}
	bool number = t->kind == TOKEN_ERROR && (t->problem == PROBLEM_NUMBER || t->problem == PROBLEM_NUMBER_LARGE);
	if (t->kind == TOKEN_ELSE && !t->first) {
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "expected an expression, found `else`");
		parser_hint(p, "`else` follows `if ... then ...`");
	} else if (t->kind == TOKEN_OPEN_BRACE && t[1].kind == TOKEN_NAME && t[2].kind == TOKEN_COLON) {
		parser_unsupported(p, parser_token_span(t), "records are");
	} else if (t->kind == TOKEN_FN && !(t->first && t->indent == 0)) {
		parser_error(p, "E_UNSUPPORTED", parser_token_span(t), "functions inside functions are not supported");
		parser_hint(p, "define it at the margin, or write a lambda: `x => ...`");
		p->unsupported = true;
	} else {
		parser_expected(p, "an expression");
		if (t->kind == TOKEN_DO && !t->first)
			parser_hint(p, "a `do` block inside an expression is written in parentheses");
	}
	if (number)
		parser_next(p);
	else
		parser_fail(p);
	return parser_error_node(p, t);
}

/* Sets *open for what ends with an expression of its own, so that no `.`, `(` or `[` can follow. */
static struct node *read_primary(struct parser *p, bool *open)
{
	enum token_kind kind = parser_peek(p)->kind;
	*open = kind == TOKEN_IF || at_lambda(p);
	if (*open)
		return kind == TOKEN_IF ? parser_if(p) : read_lambda(p);
	if (kind == TOKEN_INT)
		return read_int(p);
	if (kind == TOKEN_FLOAT)
		return read_float(p);
	if (kind == TOKEN_STRING)
		return parser_string(p);
	if (kind == TOKEN_TRUE || kind == TOKEN_FALSE)
		return read_bool(p);
	if (kind == TOKEN_NAME)
		return read_primary_name(p);
	if (kind == TOKEN_UNDERSCORE)
		return read_placeholder(p);
	if (kind == TOKEN_OPEN_BRACKET)
		return read_list(p);
	if (kind == TOKEN_OPEN_PARENTHESIS)
		return read_parentheses(p);
	return read_no_expression(p);
}

/* ---- Postfix ---- */

static bool is_word(const struct token *t)
{
	return t->kind == TOKEN_NAME || (t->kind >= TOKEN_AND && t->kind <= TOKEN_WHILE);
}

static struct node *read_member(struct parser *p, struct node *left, const struct token *first)
{
	parser_next(p);
	const struct token *t = parser_peek(p);
	bool same_line = !parser_at_line_end(p);
	if (t->kind == TOKEN_INT && same_line) {
		struct node *item = read_int(p), *n = parser_node(p, NODE_TUPLE_ITEM, first);
		n->left = left;
		n->number = item->number;
		return parser_finish(p, n);
	}
	if (!is_word(t) || !same_line) {
		parser_expected(p, "the name of a method after `.`");
		parser_fail(p);
		return left;
	}
	parser_next(p);
	struct node *n = parser_node(p, NODE_METHOD, first);
	n->left = left;
	n->name = parser_token_name(p, t);
	n->at = parser_token_span(t);
	n->has_arguments = parser_continues(p, TOKEN_OPEN_PARENTHESIS);
	if (n->has_arguments) {
		parser_next(p);
		read_items(p, n, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`", read_argument);
	}
	return parser_finish(p, n);
}

static struct node *read_call(struct parser *p, struct node *left, const struct token *first)
{
	struct node *n = parser_node(p, NODE_CALL, first);
	n->left = left;
	parser_next(p);
	read_items(p, n, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`", read_argument);
	return parser_finish(p, n);
}

static struct node *read_index(struct parser *p, struct node *left, const struct token *first)
{
	struct node *n = parser_node(p, NODE_INDEX, first);
	n->left = left;
	parser_next(p);
	p->layout.brackets++;
	n->right = parser_expression(p);
	if (!p->failed)
		parser_expect(p, TOKEN_CLOSE_BRACKET, "`]`");
	p->layout.brackets--;
	return parser_finish(p, n);
}

/* What the larger language has behind an operand, where nothing of this one can stand. */
static void refuse_after_operand(struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (parser_at_line_end(p))
		return;
	const struct larger_word *larger = parser_larger(p, t, LARGER_INFIX);
	if (larger)
		parser_refuse(p, t, larger);
	else if (t->kind == TOKEN_QUESTION)
		parser_unsupported(p, parser_token_span(t), "`?` is");
}

static struct node *read_postfix(struct parser *p)
{
	const struct token *first = parser_first(p);
	bool open;
	struct node *n = read_primary(p, &open);
	while (!open && !p->failed) {
		if (parser_at(p, TOKEN_DOT))
			n = read_member(p, n, first);
		else if (parser_continues(p, TOKEN_OPEN_PARENTHESIS))
			n = read_call(p, n, first);
		else if (parser_continues(p, TOKEN_OPEN_BRACKET))
			n = read_index(p, n, first);
		else
			break;
	}
	refuse_after_operand(p);
	return n;
}

/* ---- Prefix operators ---- */

/* A literal that nothing follows that binds tighter than `-`. */
static bool at_plain_literal(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_INT && t->kind != TOKEN_FLOAT)
		return false;
	bool postfix =
	    t[1].kind == TOKEN_OPEN_PARENTHESIS || t[1].kind == TOKEN_OPEN_BRACKET || t[1].kind == TOKEN_QUESTION;
	return t[1].kind != TOKEN_DOT && !(postfix && !(t[1].first && p->layout.brackets == 0));
}

static struct node *read_negation(struct parser *p)
{
	const struct token *first = parser_next(p);
	if (at_plain_literal(p)) {
		struct node *n = read_postfix(p);
		n->span.start = first->start;
		n->at = parser_token_span(first);
		if (n->kind == NODE_INT)
			n->negative = true;
		else
			n->real = -n->real;
		return n;
	}
	struct node *n = parser_node(p, NODE_UNARY, first);
	n->operator_kind = OPERATOR_NEGATE;
	n->left = read_unary(p);
	return parser_finish(p, n);
}

static struct node *read_borrow(struct parser *p)
{
	struct node *n = parser_node(p, NODE_BORROW, parser_next(p));
	if (parser_at(p, TOKEN_MUT)) {
		n->mutable = true;
		parser_next(p);
	}
	n->left = read_postfix(p);
	return parser_finish(p, n);
}

static struct node *read_bang(struct parser *p)
{
	struct node *n = parser_node(p, NODE_UNARY, parser_peek(p));
	parser_error(p, "E_PARSE_OPERATOR", n->at, "`!` is not an operator");
	parser_hint(p, "write `not`");
	parser_next(p);
	n->operator_kind = OPERATOR_NOT;
	n->left = read_unary(p);
	return parser_finish(p, n);
}

static struct node *read_not_inside(struct parser *p)
{
	const struct token *first = parser_first(p);
	parser_error(p, "E_PARSE_OPERATOR", parser_token_span(first), "`not` binds looser than the operator before it");
	parser_hint(p, "put `not` and what follows it in parentheses");
	parser_next(p);
	read_unary(p);
	return parser_error_node(p, first);
}

static struct node *read_unary(struct parser *p)
{
	const struct token *first = parser_first(p);
	enum token_kind kind = parser_peek(p)->kind;
	if (kind != TOKEN_MINUS && kind != TOKEN_AMPERSAND && kind != TOKEN_BANG && kind != TOKEN_NOT)
		return read_postfix(p);
	if (!parser_enter(p, 1)) {
		parser_leave(p, 1);
		return parser_error_node(p, first);
	}
	struct node *n = kind == TOKEN_MINUS       ? read_negation(p)
	                 : kind == TOKEN_AMPERSAND ? read_borrow(p)
	                 : kind == TOKEN_BANG      ? read_bang(p)
	                                           : read_not_inside(p);
	parser_leave(p, 1);
	return n;
}

static struct node *read_not(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct node *n = parser_node(p, NODE_UNARY, first);
	n->operator_kind = OPERATOR_NOT;
	if (parser_enter(p, 1))
		n->left = read_binary(p, PRECEDENCE_NOT);
	parser_leave(p, 1);
	return p->failed ? parser_error_node(p, first) : parser_finish(p, n);
}

/* ---- Binary operators ---- */

static void report_foreign_operator(struct parser *p, const struct token *t, const char *instead)
{
	parser_error(p, "E_PARSE_OPERATOR", parser_token_span(t),
	             t->kind == TOKEN_EQUALS ? "`%s` gives a name to a value, it does not compare"
	                                     : "`%s` is not an operator",
	             token_spelling(t->kind));
	parser_hint(p, "write `%s`", instead);
}

static struct node *report_chain(struct parser *p, const struct token *t, const struct token *first, struct node *left,
                                 struct node *right)
{
	parser_error(p, "E_PARSE_CHAIN", parser_token_span(t),
	             t->kind == TOKEN_DOT_DOT ? "ranges do not chain" : "comparisons do not chain");
	if (t->kind != TOKEN_DOT_DOT && p->last && !p->failed) {
		struct text a = {0}, b = {0}, c = {0};
		format_expression(left, &a);
		format_expression(left->right, &b);
		format_expression(right, &c);
		if (a.length + b.length + c.length < 200)
			parser_hint(p, "write `%s and %s %s %s`", text_string(&a), text_string(&b),
			            token_spelling(t->kind), text_string(&c));
		text_free(&a);
		text_free(&b);
		text_free(&c);
	}
	return parser_error_node(p, first);
}

/* The right operand of an operator: of `**`, which associates to the right, another power. */
static struct node *read_right(struct parser *p, enum precedence precedence)
{
	if (precedence != PRECEDENCE_POWER)
		return read_binary(p, precedence + 1);
	const struct token *first = parser_first(p);
	struct node *n = parser_enter(p, 1) ? read_binary(p, precedence) : parser_error_node(p, first);
	parser_leave(p, 1);
	return n;
}

static struct node *make_binary(struct parser *p, const struct token *t, const struct token *first, struct node *left,
                                struct node *right)
{
	struct node *n = parser_node(p, t->kind == TOKEN_DOT_DOT ? NODE_RANGE : NODE_BINARY, first);
	if (n->kind == NODE_BINARY) {
		n->at = parser_token_span(t);
		n->operator_kind = operators[t->kind].operator_kind;
	}
	n->left = left;
	n->right = right;
	return parser_finish(p, n);
}

static struct node *read_binary(struct parser *p, enum precedence least)
{
	const struct token *first = parser_first(p);
	struct node *left = parser_at(p, TOKEN_NOT) && least <= PRECEDENCE_NOT ? read_not(p) : read_unary(p);
	enum precedence single = PRECEDENCE_NONE; /* of a comparison or range just read */
	for (;;) {
		const struct token *t = parser_peek(p);
		const struct binary_operator *o = &operators[t->kind];
		if (o->precedence == PRECEDENCE_NONE || o->precedence < least || parser_at_line_end(p))
			return left;
		if (t->kind == TOKEN_EQUALS && p->layout.brackets == 0 && p->layout.conditions == 0)
			return left;
		if (o->instead)
			report_foreign_operator(p, t, o->instead);
		parser_next(p);
		if (t->kind == TOKEN_DOT_DOT && parser_continues(p, TOKEN_EQUALS)) {
			parser_error(p, "E_PARSE_OPERATOR", parser_token_span(t), "`..=` is not an operator");
			parser_hint(p, "ranges end before their end: write `a..b + 1`");
			parser_next(p);
		}
		struct node *right = read_right(p, o->precedence);
		if (single == o->precedence)
			left = report_chain(p, t, first, left, right);
		else
			left = make_binary(p, t, first, left, right);
		single = left->kind != NODE_ERROR &&
		                 (o->precedence == PRECEDENCE_COMPARISON || o->precedence == PRECEDENCE_RANGE)
		             ? o->precedence
		             : PRECEDENCE_NONE;
	}
}

/* What was being read when the parser failed is one NODE_ERROR: no half of it reaches the later passes. */
struct node *parser_expression(struct parser *p)
{
	const struct token *first = parser_first(p);
	if (!parser_enter(p, 1)) {
		parser_leave(p, 1);
		return parser_error_node(p, first);
	}
	struct node *n = parser_at(p, TOKEN_DO) ? parser_do_block(p) : read_binary(p, PRECEDENCE_OR);
	parser_leave(p, 1);
	return p->failed ? parser_error_node(p, first) : n;
}
