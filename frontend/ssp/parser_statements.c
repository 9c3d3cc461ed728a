#include "frontend/ssp/parser.h"

/* ---- Blocks ---- */

static bool ends_inner_block(const struct parser *p, const struct token *t)
{
	bool bracket = t->kind == TOKEN_CLOSE_PARENTHESIS || t->kind == TOKEN_CLOSE_BRACKET ||
	               t->kind == TOKEN_CLOSE_BRACE || t->kind == TOKEN_COMMA;
	return (bracket && p->outer_brackets > 0) || (t->kind == TOKEN_ELSE && p->open_ifs > 0);
}

/* After a statement: at its end, or reports what is there instead. True if another may follow. */
static bool end_statement(struct parser *p, bool lines)
{
	if (p->failed)
		return lines;
	const struct token *t = parser_peek(p);
	if (!t->first && parser_accept(p, TOKEN_SEMICOLON))
		return lines || !parser_peek(p)->first;
	if (t->first)
		return lines && t->kind != TOKEN_END;
	if (ends_inner_block(p, t))
		return false;
	parser_expected(p, "the end of the statement");
	if (t->kind == TOKEN_EQUALS)
		parser_hint(p, "an assignment is written `:=`, a comparison `==`");
	else if (t->kind == TOKEN_COLON || t->kind == TOKEN_OPEN_BRACE)
		parser_hint(p, "a block is an indented line below, without `%s`", token_spelling(t->kind));
	parser_fail(p);
	return lines;
}

/* With `lines` a statement a line, at this indentation; else the rest of the line. */
static struct node *read_block(struct parser *p, const struct token *first, uint32_t indent, bool lines)
{
	struct node *n = parser_node(p, NODE_BLOCK, first);
	n->multi_line = lines;
	struct layout outer = p->layout;
	uint32_t outer_brackets = p->outer_brackets, base = p->stack_count;
	p->outer_brackets += outer.brackets;
	p->layout = (struct layout){.indent = indent};
	for (bool more = true; more;) {
		const struct token *t = parser_peek(p);
		if (t->kind == TOKEN_END || (lines && t->first && t->indent < indent) || ends_inner_block(p, t))
			break;
		uint32_t start = p->position;
		parser_push(p, parser_statement(p));
		more = end_statement(p, lines);
		if (p->failed && lines)
			parser_recover(p, start, indent, false);
	}
	p->layout = outer;
	p->outer_brackets = outer_brackets;
	parser_pop_parts(p, n, base);
	if (n->part_count > 0)
		return parser_finish(p, n);
	const struct token *t = parser_peek(p);
	const char *found = token_spelling(t->kind);
	parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "expected a statement, found %s%s%s",
	             found ? "`" : "the end", found ? found : "", found ? "`" : "");
	return parser_error_node(p, first);
}

/* The indented lines below; NODE_ERROR if there are none. */
static struct node *read_indented_block(struct parser *p, const struct token *first, const char *after)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_END || t->indent <= p->layout.indent) {
		struct span end = {parser_previous_end(p), parser_previous_end(p)};
		parser_error(p, "E_PARSE_INDENT", end, "expected an indented block after %s", after);
		parser_hint(p, "indent the lines that belong to it by two more spaces");
		return parser_error_node(p, first);
	}
	struct node *n = parser_enter(p, 1) ? read_block(p, first, t->indent, true) : parser_error_node(p, first);
	parser_leave(p, 1);
	return n;
}

struct node *parser_do_block(struct parser *p)
{
	const struct token *first = parser_next(p);
	if (parser_peek(p)->first)
		return read_indented_block(p, first, "`do`");
	struct node *n =
	    parser_enter(p, 1) ? read_block(p, first, p->layout.indent, false) : parser_error_node(p, first);
	parser_leave(p, 1);
	return n;
}

/* ---- Branches ---- */

struct node *parser_branch(struct parser *p, const char *after)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_DO)
		return parser_do_block(p);
	if (t->first && !p->failed)
		return read_indented_block(p, t, after);
	return parser_inline_statement(p);
}

/* The expression of a loop or a condition: it begins on the line of its word. */
static struct node *read_head(struct parser *p)
{
	if (!p->failed && parser_at_line_end(p)) {
		parser_expected(p, "an expression");
		parser_fail(p);
	}
	return parser_expression(p);
}

static struct node *read_condition(struct parser *p)
{
	p->layout.conditions++;
	struct node *n = read_head(p);
	p->layout.conditions--;
	return n;
}

/* `then`, or what is written in its place. */
static void read_then(struct parser *p)
{
	if (p->failed || parser_accept(p, TOKEN_THEN))
		return;
	const struct token *t = parser_peek(p);
	parser_expected(p, "`then`");
	if (t->kind == TOKEN_ASSIGN)
		parser_hint(p, "a comparison is written `==`");
	else
		parser_hint(p, "write `if condition then ...`");
	bool block = t->kind == TOKEN_DO || (t->first && t->kind != TOKEN_END && t->indent > p->layout.indent);
	if (t->kind == TOKEN_COLON || t->kind == TOKEN_OPEN_BRACE)
		block = parser_next(p) && parser_peek(p)->first;
	if (!block)
		parser_fail(p);
}

/* An `else` on a line of its own belongs to an `if` that is not deeper. */
static bool at_else(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return t->kind == TOKEN_ELSE && (!parser_at_line_end(p) || t->indent >= p->layout.indent);
}

/* After `else`: a chain goes on without nesting deeper, so it has a limit of its own. */
static struct node *read_else(struct parser *p)
{
	const struct token *first = parser_first(p);
	if (!parser_at(p, TOKEN_IF) || first->first)
		return parser_branch(p, "`else`");
	if (p->else_ifs == PARSER_ELSE_IF_LIMIT) {
		parser_error(p, "E_PARSE_DEPTH", parser_token_span(first), "this `if` has more than %d branches",
		             PARSER_ELSE_IF_LIMIT);
		parser_fail(p);
		return parser_error_node(p, first);
	}
	p->else_ifs++;
	struct node *n = parser_if(p);
	p->else_ifs--;
	return n;
}

/* After a fault in the condition the block below is still read, for its own. */
static void skip_to_block(struct parser *p, uint32_t start)
{
	if (!p->failed || p->layout.brackets > 0 || p->quiet)
		return;
	parser_recover(p, start, UINT32_MAX, false);
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_END || !t->first || t->indent <= p->layout.indent)
		parser_fail(p);
}

struct node *parser_if(struct parser *p)
{
	uint32_t start = p->position;
	struct node *n = parser_node(p, NODE_IF, parser_next(p));
	n->condition = read_condition(p);
	read_then(p);
	skip_to_block(p, start);
	p->open_ifs++;
	n->left = parser_branch(p, "`then`");
	p->open_ifs--;
	if (at_else(p)) {
		parser_next(p);
		n->right = read_else(p);
	}
	return parser_finish(p, n);
}

/* ---- Assignments ---- */

static struct node *read_assignment(struct parser *p, struct node *target, const struct token *first)
{
	const struct token *t = parser_peek(p);
	struct node *n = parser_node(p, NODE_ASSIGN, first);
	if (t->kind != TOKEN_ASSIGN) { /* += and friends */
		struct text text = {0};
		format_expression(target, &text);
		parser_error(p, "E_PARSE_OPERATOR", parser_token_span(t), "`%s` is not an operator",
		             token_spelling(t->kind));
		if (text.length < 100)
			parser_hint(p, "write `%s := %s %c ...`", text_string(&text), text_string(&text),
			            *token_spelling(t->kind));
		text_free(&text);
	}
	bool assignable = target->kind == NODE_NAME || target->kind == NODE_INDEX || target->kind == NODE_ERROR;
	if (!assignable) {
		parser_error(p, "E_PARSE_ASSIGN", target->span, "only a variable or an element can be assigned to");
		parser_hint(p, "`x := e` or `xs[i] := e`");
	}
	parser_next(p);
	n->left = assignable ? target : parser_error_node(p, first);
	n->right = parser_expression(p);
	return parser_finish(p, n);
}

static bool at_assignment(const struct parser *p)
{
	enum token_kind kind = parser_peek(p)->kind;
	return !parser_at_line_end(p) &&
	       (kind == TOKEN_ASSIGN || (kind >= TOKEN_PLUS_ASSIGN && kind <= TOKEN_PERCENT_ASSIGN));
}

static bool at_let(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_NAME || t->kind == TOKEN_UNDERSCORE)
		return t[1].kind == TOKEN_EQUALS && !t[1].first;
	return t->kind == TOKEN_OPEN_PARENTHESIS && t->match && p->tokens[t->match + 1].kind == TOKEN_EQUALS &&
	       !p->tokens[t->match + 1].first;
}

static struct node *read_return(struct parser *p)
{
	struct node *n = parser_node(p, NODE_RETURN, parser_next(p));
	enum token_kind kind = parser_peek(p)->kind;
	bool value = !parser_at_line_end(p) && kind != TOKEN_SEMICOLON && kind != TOKEN_ELSE && kind != TOKEN_COMMA &&
	             kind != TOKEN_CLOSE_PARENTHESIS && kind != TOKEN_CLOSE_BRACKET && kind != TOKEN_END;
	if (value)
		n->left = parser_expression(p);
	return parser_finish(p, n);
}

struct node *parser_inline_statement(struct parser *p)
{
	const struct token *first = parser_first(p);
	if (at_let(p) && first->kind != TOKEN_OPEN_PARENTHESIS) {
		parser_error(p, "E_PARSE_ASSIGN", parser_token_span(first + 1),
		             "a name given here is seen by nothing after it");
		parser_hint(p, "an assignment is written `:=`, a comparison `==`");
		parser_next(p);
		parser_next(p);
		parser_expression(p);
		return parser_error_node(p, first);
	}
	if (parser_at(p, TOKEN_RETURN) || parser_at(p, TOKEN_FOR) || parser_at(p, TOKEN_WHILE))
		return parser_statement(p);
	struct node *n = parser_expression(p);
	return at_assignment(p) ? read_assignment(p, n, first) : n;
}

/* ---- Statements ---- */

static void read_pattern_name(struct parser *p, struct node *n)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_NAME && t->kind != TOKEN_UNDERSCORE) {
		parser_expected(p, "a name");
		parser_fail(p);
		return;
	}
	parser_next(p);
	n->names[n->name_count++] =
	    (struct pattern_name){.name = parser_token_name(p, t), .span = parser_token_span(t)};
}

static void read_pattern(struct parser *p, struct node *n)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_OPEN_PARENTHESIS) {
		n->names = ARENA_NEW(p->arena, struct pattern_name);
		read_pattern_name(p, n);
		return;
	}
	n->names = ARENA_ARRAY(p->arena, struct pattern_name, t->match ? t->match - p->position : 1);
	parser_next(p);
	p->layout.brackets++;
	do {
		if (!t->match)
			parser_expect(p, TOKEN_CLOSE_PARENTHESIS, "`)`");
		else if (!parser_at(p, TOKEN_CLOSE_PARENTHESIS))
			read_pattern_name(p, n);
	} while (parser_accept(p, TOKEN_COMMA));
	if (!p->failed)
		parser_expect(p, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`");
	p->layout.brackets--;
	if (!p->failed && n->name_count == 0)
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "a pattern of names has one name or more");
}

static struct node *read_let(struct parser *p, const struct token *first)
{
	struct node *n = parser_node(p, NODE_LET, first);
	n->mutable = parser_accept(p, TOKEN_VAR);
	read_pattern(p, n);
	if (parser_continues(p, TOKEN_COLON)) {
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(parser_peek(p)),
		             "the type of a local is not written");
		parser_hint(p, "it is inferred: write `%s%s = ...`", n->mutable ? "var " : "", n->names[0].name);
		parser_next(p);
		parser_type(p);
	}
	const struct token *t = parser_peek(p);
	if (!p->failed && t->kind == TOKEN_ASSIGN && !t->first) {
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "a variable is made with `=`");
		parser_hint(p, "write `var %s = ...`", n->name_count > 0 ? n->names[0].name : "x");
		parser_next(p);
	} else if (!p->failed) {
		parser_expect(p, TOKEN_EQUALS, "`=`");
	}
	bool named = n->name_count > 0;
	n->left = parser_expression(p);
	return named ? parser_finish(p, n) : parser_error_node(p, first);
}

/* `let x = e`, `let mut x = e` of other languages. */
static struct node *read_foreign_let(struct parser *p)
{
	const struct token *first = parser_next(p);
	bool mutable = parser_at(p, TOKEN_MUT);
	parser_error(p, "E_PARSE_LET", parser_token_span(first), "`%s` is not a word of the language",
	             parser_intern(p, p->source->bytes + first->start, first->end - first->start));
	if (mutable)
		parser_next(p);
	parser_hint(p,
	            mutable ? "write `var x = ...`" : "write `x = ...`, or `var x = ...` if it is assigned to later");
	struct node *n = read_let(p, first);
	n->mutable |= mutable;
	return n;
}

static bool at_foreign_let(const struct parser *p)
{
	const struct token *next = parser_peek(p) + 1;
	return (parser_at_word(p, "let") || parser_at_word(p, "val") || parser_at_word(p, "const")) &&
	       (next->kind == TOKEN_NAME || next->kind == TOKEN_MUT) && !next->first;
}

/* The body of a loop. After a fault in the head it is still read, for its own. */
static struct node *read_body(struct parser *p, uint32_t start, const char *after)
{
	if (p->failed) {
		parser_recover(p, start, UINT32_MAX, false);
		if (!parser_peek(p)->first || parser_peek(p)->indent <= p->layout.indent) {
			parser_fail(p);
			return parser_error_node(p, parser_first(p));
		}
	}
	if (parser_at(p, TOKEN_DO))
		return parser_do_block(p);
	const struct token *first = parser_peek(p);
	if (first->first)
		return read_indented_block(p, first, after);
	parser_expected(p, "the end of the line and an indented block");
	parser_hint(p, "on one line: `%s ... do ...`", token_spelling(p->tokens[start].kind));
	parser_fail(p);
	return parser_error_node(p, first);
}

static struct node *read_for(struct parser *p)
{
	uint32_t start = p->position;
	const struct token *first = parser_next(p);
	struct node *n = parser_node(p, NODE_FOR, first);
	n->names = ARENA_NEW(p->arena, struct pattern_name);
	bool pattern = parser_at(p, TOKEN_OPEN_PARENTHESIS);
	read_pattern_name(p, n);
	if (pattern)
		parser_hint(p, "write `for pair in ...` and `(a, b) = pair` in its body");
	if (!p->failed)
		parser_expect(p, TOKEN_IN, "`in`");
	n->left = read_head(p);
	n->right = read_body(p, start, "`for`");
	return n->name_count > 0 ? parser_finish(p, n) : parser_error_node(p, first);
}

static struct node *read_while(struct parser *p)
{
	uint32_t start = p->position;
	struct node *n = parser_node(p, NODE_WHILE, parser_next(p));
	n->condition = read_condition(p);
	n->right = read_body(p, start, "`while`");
	return parser_finish(p, n);
}

/* Tokens that no statement begins with, on a line of their own. */
static bool report_no_statement(struct parser *p)
{
	const struct token *t = parser_peek(p);
	const char *spelling = token_spelling(t->kind);
	bool begins = t->kind == TOKEN_OPEN_PARENTHESIS || t->kind == TOKEN_OPEN_BRACKET || t->kind == TOKEN_MINUS ||
	              t->kind == TOKEN_AMPERSAND || t->kind == TOKEN_BANG || t->kind == TOKEN_NOT ||
	              t->kind == TOKEN_IF || t->kind == TOKEN_TRUE || t->kind == TOKEN_FALSE || t->kind == TOKEN_FN ||
	              t->kind == TOKEN_DO;
	if (!spelling || begins)
		return false;
	if (t->kind == TOKEN_CLOSE_BRACE && p->braces) {
		parser_fail(p);
		return true;
	}
	parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "expected a statement, found `%s`", spelling);
	if (t->kind == TOKEN_ELSE)
		parser_hint(p, "`else` follows `if ... then ...`, on its line or below the `if`");
	else if (t->kind >= TOKEN_STAR_STAR && t->kind <= TOKEN_BAR_BAR)
		parser_hint(p, "to go on with the line before, end it with the operator or use parentheses");
	else if (t->kind == TOKEN_PLUS || t->kind == TOKEN_STAR || t->kind == TOKEN_SLASH || t->kind == TOKEN_PERCENT ||
	         t->kind == TOKEN_LESS || t->kind == TOKEN_GREATER || t->kind == TOKEN_AND || t->kind == TOKEN_OR)
		parser_hint(p, "to go on with the line before, end it with the operator or use parentheses");
	parser_fail(p);
	return true;
}

static struct node *skip_nested_definition(struct parser *p)
{
	const struct token *first = parser_first(p);
	parser_unsupported(p, parser_token_span(first), "functions inside functions are");
	parser_hint(p, "define it at the margin, or write a lambda: `x => ...`");
	parser_skip_construct(p, p->position, p->layout.indent);
	return parser_error_node(p, first);
}

static struct node *read_other_statement(struct parser *p)
{
	const struct token *first = parser_first(p);
	bool typed = first->kind == TOKEN_NAME && first[1].kind == TOKEN_COLON;
	if (first->first && (parser_at(p, TOKEN_FN) || (parser_at_word(p, "kernel") && first[1].kind == TOKEN_FN)))
		return skip_nested_definition(p);
	if (parser_at(p, TOKEN_VAR) || at_let(p) || typed)
		return read_let(p, first);
	if (at_foreign_let(p))
		return read_foreign_let(p);
	if (report_no_statement(p))
		return parser_error_node(p, first);
	struct node *n = parser_expression(p);
	return at_assignment(p) ? read_assignment(p, n, first) : n;
}

/* Each statement has its own placeholders. */
struct node *parser_statement(struct parser *p)
{
	const struct token *first = parser_first(p);
	uint32_t arguments = p->arguments, placeholders = p->placeholder_count;
	p->arguments = 0;
	if (first->first && first->indent <= p->layout.indent)
		p->layout.deeper = 0;
	if (first->first && first->indent > p->layout.indent && first->indent != p->layout.deeper &&
	    p->layout.brackets == 0) {
		p->layout.deeper = first->indent;
		parser_error(p, "E_PARSE_INDENT", parser_token_span(first),
		             "this line is deeper than the ones of its block");
		parser_hint(p, "a line goes on below only inside brackets, after an operator, or with a `.`");
	}
	struct node *n;
	if (parser_at(p, TOKEN_FOR))
		n = read_for(p);
	else if (parser_at(p, TOKEN_WHILE))
		n = read_while(p);
	else if (parser_at(p, TOKEN_RETURN))
		n = read_return(p);
	else
		n = read_other_statement(p);
	p->arguments = arguments;
	p->placeholder_count = placeholders;
	return n;
}
