#include <string.h>

#include "frontend/cone/cone_parser.h"

static struct cone_node *parse_statement(struct cone_parser *p);

/* ---- Blocks ---- */

static void add_statement(struct cone_parser *p, struct cone_list *parts)
{
	uint32_t before = p->position;
	struct cone_node *statement = parse_statement(p);
	/* A bare `;` is skipped, so that the value before one is still the last (1.6). */
	if (statement->kind != CONE_EMPTY)
		cone_list_add(p, parts, statement);
	if (!p->failed)
		return;
	if (p->position == before && !p->stopped && cone_parser_token(p)->kind != CONE_TOKEN_CLOSE_BRACE)
		cone_parser_advance(p);
	cone_parser_recover(p, false);
}

static struct cone_node *finish_block(struct cone_parser *p, struct cone_node *node, const struct cone_list *parts)
{
	node->parts = (struct cone_node **)parts->items;
	node->part_count = parts->count;
	return cone_parser_finish(p, node);
}

/* `if x:` and what is indented below it, or one statement on its line. */
static struct cone_node *parse_old_block(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_BLOCK);
	struct cone_list parts = {0};
	uint32_t indent = cone_parser_token(p)->indent;
	cone_parser_old(p, "1078", node->span, "a block is not written with `:`");
	cone_parser_hint(p, "write `{ ... }`");
	cone_parser_advance(p);
	if (!cone_parser_token(p)->first)
		add_statement(p, &parts);
	else
		while (cone_parser_kind(p) != CONE_TOKEN_END && cone_parser_kind(p) != CONE_TOKEN_CLOSE_BRACE &&
		       cone_parser_token(p)->indent > indent)
			add_statement(p, &parts);
	return finish_block(p, node, &parts);
}

static struct cone_node *parse_block(struct cone_parser *p)
{
	if (cone_parser_kind(p) == CONE_TOKEN_COLON)
		return parse_old_block(p);
	struct cone_node *node = cone_parser_begin(p, CONE_BLOCK);
	struct cone_list parts = {0};
	if (!cone_parser_accept(p, CONE_TOKEN_OPEN_BRACE)) {
		cone_parser_expected(p, "`{`");
		return node;
	}
	while (!cone_parser_accept(p, CONE_TOKEN_CLOSE_BRACE)) {
		if (p->stopped)
			break;
		if (cone_parser_kind(p) == CONE_TOKEN_END ||
		    (cone_parser_token(p)->first && cone_parser_at_declaration(p))) {
			if (!p->unclosed)
				cone_parser_report(p, "1001", node->at, "this block has no `}`");
			p->failed = p->unclosed = true;
			break;
		}
		add_statement(p, &parts);
	}
	return finish_block(p, node, &parts);
}

struct cone_node *cone_parser_block(struct cone_parser *p)
{
	if (!cone_parser_enter(p))
		return cone_parser_error_node(p);
	struct cone_node *node = parse_block(p);
	cone_parser_leave(p);
	return node;
}

/* ---- if ---- */

static void declare(struct cone_parser *p, struct cone_node *node, struct cone_list *list, bool mutable)
{
	struct span span = cone_parser_span(p);
	cone_list_add(p, list, cone_parser_variable(p, cone_parser_variable_name(p), span, mutable));
	node->declared = (struct cone_variable **)list->items;
	node->declared_count = list->count;
}

/* `imm b V` of a case or condition. */
static void parse_binding(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list variables = {0};
	bool mutable = cone_parser_kind(p) == CONE_TOKEN_MUT;
	cone_parser_advance(p);
	node->binds = true;
	declare(p, node, &variables, mutable);
	node->type_syntax = cone_parser_type(p);
}

struct cone_node *cone_parser_if_from(struct cone_parser *p, struct cone_node *node)
{
	node->left = cone_parser_block(p);
	bool elif = cone_parser_kind(p) == CONE_TOKEN_ELIF;
	if (elif || (cone_parser_kind(p) == CONE_TOKEN_ELSE && cone_parser_ahead(p, 1) == CONE_TOKEN_IF)) {
		if (!elif)
			cone_parser_advance(p);
		if (!cone_parser_enter(p))
			return cone_parser_error_node(p);
		node->right = cone_parser_if(p);
		cone_parser_leave(p);
	} else if (cone_parser_accept(p, CONE_TOKEN_ELSE)) {
		node->right = cone_parser_block(p);
	}
	return cone_parser_finish(p, node);
}

struct cone_node *cone_parser_if(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_IF);
	cone_parser_advance(p);
	if (cone_parser_kind(p) == CONE_TOKEN_IMM || cone_parser_kind(p) == CONE_TOKEN_MUT) {
		parse_binding(p, node);
		cone_parser_expect(p, CONE_TOKEN_ASSIGN);
	}
	node->condition = cone_parser_expression(p);
	return cone_parser_if_from(p, node);
}

/* ---- match ---- */

static struct cone_node *parse_case(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_CASE);
	node->op = CONE_EQUAL;
	if (cone_parser_accept(p, CONE_TOKEN_ELSE)) {
		node->right = cone_parser_block(p);
		return cone_parser_finish(p, node);
	}
	cone_parser_expect(p, CONE_TOKEN_CASE);
	if (cone_parser_accept(p, CONE_TOKEN_IS)) {
		node->op = CONE_MATCHES;
		node->type_syntax = cone_parser_type(p);
	} else if (cone_parser_kind(p) == CONE_TOKEN_IMM || cone_parser_kind(p) == CONE_TOKEN_MUT) {
		node->op = CONE_MATCHES;
		parse_binding(p, node);
	} else {
		cone_parser_accept(p, CONE_TOKEN_EQUAL);
		node->left = cone_parser_operand(p);
	}
	node->right = cone_parser_block(p);
	return cone_parser_finish(p, node);
}

struct cone_node *cone_parser_match_statement(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_MATCH);
	struct cone_list parts = {0};
	cone_parser_advance(p);
	node->left = cone_parser_expression(p);
	struct span open = cone_parser_span(p);
	cone_parser_expect(p, CONE_TOKEN_OPEN_BRACE);
	while (!p->failed && !cone_parser_accept(p, CONE_TOKEN_CLOSE_BRACE)) {
		if (cone_parser_accept(p, CONE_TOKEN_SEMICOLON))
			continue;
		if (cone_parser_kind(p) == CONE_TOKEN_END) {
			cone_parser_report(p, "1001", open, "this block has no `}`");
			p->failed = true;
			break;
		}
		cone_list_add(p, &parts, parse_case(p));
	}
	node->parts = (struct cone_node **)parts.items;
	node->part_count = parts.count;
	return cone_parser_finish(p, node);
}

/* ---- Loops ---- */

bool cone_parser_at_parallel(const struct cone_parser *p)
{
	return cone_parser_is_contextual(p, "parallel") && cone_parser_ahead(p, 1) == CONE_TOKEN_EACH;
}

static struct cone_node *parse_else(struct cone_parser *p)
{
	return cone_parser_accept(p, CONE_TOKEN_ELSE) ? cone_parser_block(p) : NULL;
}

static void parse_while(struct cone_parser *p, struct cone_node *node)
{
	node->kind = CONE_WHILE;
	cone_parser_advance(p);
	if (cone_parser_kind(p) != CONE_TOKEN_OPEN_BRACE && cone_parser_kind(p) != CONE_TOKEN_COLON)
		node->condition = cone_parser_expression(p);
	node->left = cone_parser_block(p);
	node->right = parse_else(p);
}

static void parse_each(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list variables = {0};
	node->kind = CONE_EACH;
	cone_parser_advance(p);
	do {
		declare(p, node, &variables, false);
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	cone_parser_expect(p, CONE_TOKEN_IN);
	node->left = cone_parser_expression(p);
	if (cone_parser_accept_contextual(p, "by"))
		node->step = cone_parser_expression(p);
	if (cone_parser_accept(p, CONE_TOKEN_IF))
		node->condition = cone_parser_expression(p);
	node->right = cone_parser_block(p);
	node->other = parse_else(p);
}

struct cone_node *cone_parser_loop(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_WHILE);
	if (cone_parser_kind(p) == CONE_TOKEN_LABEL) {
		node->label = cone_parser_token(p)->text;
		cone_parser_advance(p);
		cone_parser_expect(p, CONE_TOKEN_COLON);
	}
	bool parallel = cone_parser_at_parallel(p);
	if (parallel)
		cone_parser_advance(p);
	if (cone_parser_kind(p) == CONE_TOKEN_WHILE)
		parse_while(p, node);
	else if (cone_parser_kind(p) == CONE_TOKEN_EACH)
		parse_each(p, node);
	else
		cone_parser_expected(p, "`while` or `each` behind the label");
	if (!parallel)
		return cone_parser_finish(p, node);
	struct cone_node *refused = cone_parser_node(p, CONE_REFUSED, node->span, node->at);
	refused->text = "parallel each";
	return cone_parser_finish(p, refused);
}

/* ---- Jumps ---- */

/* Behind `if`: the condition of a jump; with a block behind it, an `if` that is the value. */
static struct cone_node *parse_jump_if(struct cone_parser *p, struct cone_node *jump)
{
	struct cone_node *node = cone_parser_begin(p, CONE_IF);
	if (cone_parser_ahead(p, 1) == CONE_TOKEN_IMM || cone_parser_ahead(p, 1) == CONE_TOKEN_MUT)
		return cone_parser_if(p);
	cone_parser_advance(p);
	node->condition = cone_parser_expression(p);
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACE || cone_parser_kind(p) == CONE_TOKEN_COLON)
		return cone_parser_if_from(p, node);
	jump->condition = node->condition;
	return NULL;
}

static void parse_jump_values(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list parts = {0};
	if (cone_parser_kind(p) == CONE_TOKEN_IF) {
		struct cone_node *value = parse_jump_if(p, node);
		if (!value)
			return;
		cone_list_add(p, &parts, value);
		if (!cone_parser_accept(p, CONE_TOKEN_COMMA))
			goto done;
	}
	do {
		cone_list_add(p, &parts, cone_parser_expression(p));
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
done:
	node->parts = (struct cone_node **)parts.items;
	node->part_count = parts.count;
}

static bool at_jump_end(const struct cone_parser *p)
{
	enum cone_token_kind kind = cone_parser_kind(p);
	return kind == CONE_TOKEN_SEMICOLON || kind == CONE_TOKEN_CLOSE_BRACE || kind == CONE_TOKEN_END;
}

static struct cone_node *parse_jump(struct cone_parser *p, enum cone_node_kind kind)
{
	struct cone_node *node = cone_parser_begin(p, kind);
	cone_parser_advance(p);
	if (kind != CONE_RETURN && cone_parser_kind(p) == CONE_TOKEN_LABEL) {
		node->label = cone_parser_token(p)->text;
		cone_parser_advance(p);
	}
	/* A `;` that is missing is not looked for in the next line. */
	bool next_line = cone_parser_token(p)->first && cone_parser_kind(p) != CONE_TOKEN_IF;
	bool ends = at_jump_end(p) || (next_line && (p->file->old_spellings || cone_parser_at_declaration(p)));
	if (!ends && kind != CONE_CONTINUE)
		parse_jump_values(p, node);
	if (kind == CONE_BREAK && node->part_count) {
		node->left = node->parts[0];
		if (node->part_count > 1) {
			node->left = cone_parser_node(p, CONE_TUPLE, node->parts[0]->span, node->parts[0]->at);
			node->left->parts = node->parts;
			node->left->part_count = node->part_count;
			node->left = cone_parser_finish(p, node->left);
		}
		node->parts = NULL;
		node->part_count = 0;
	}
	if (!node->condition && cone_parser_accept(p, CONE_TOKEN_IF))
		node->condition = cone_parser_expression(p);
	node = cone_parser_finish(p, node);
	cone_parser_semicolon(p);
	return node;
}

/* ---- Locals and expressions ---- */

static struct cone_node *parse_local(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_LOCAL);
	struct cone_list variables = {0};
	node->mutable = cone_parser_kind(p) == CONE_TOKEN_MUT;
	cone_parser_advance(p);
	cone_parser_attributes(p, CONE_PLACE_LOCAL, NULL);
	node->at = cone_parser_span(p);
	do {
		declare(p, node, &variables, node->mutable);
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	if (cone_parser_at_type(p))
		node->type_syntax = cone_parser_type(p);
	if (cone_parser_accept(p, CONE_TOKEN_ASSIGN))
		node->left = cone_parser_tuple(p);
	node = cone_parser_finish(p, node);
	cone_parser_semicolon(p);
	return node;
}

/* A static keeps its value from one call to the next: a kernel has none. */
static struct cone_node *parse_static(struct cone_parser *p)
{
	struct span span = cone_parser_span(p);
	cone_parser_advance(p);
	cone_parser_attributes(p, CONE_PLACE_LOCAL, NULL);
	bool mutable = cone_parser_kind(p) == CONE_TOKEN_MUT;
	if (!mutable && cone_parser_kind(p) != CONE_TOKEN_IMM)
		cone_parser_expected(p, "`imm` or `mut`");
	struct cone_node *node = p->failed ? cone_parser_error_node(p) : parse_local(p);
	node->is_static = true;
	if (mutable) {
		cone_parser_report(p, "1001", span, "a static that changes is not in the kernel subset");
		cone_parser_hint(p, "declare it among the module's globals");
	}
	return node;
}

static bool assignment_operator(enum cone_token_kind kind, enum cone_operator *op, bool *compound)
{
	static const struct {
		enum cone_token_kind kind;
		enum cone_operator op;
	} rows[] = {
	    {CONE_TOKEN_ADD_ASSIGN, CONE_ADD},
	    {CONE_TOKEN_SUBTRACT_ASSIGN, CONE_SUBTRACT},
	    {CONE_TOKEN_MULTIPLY_ASSIGN, CONE_MULTIPLY},
	    {CONE_TOKEN_DIVIDE_ASSIGN, CONE_DIVIDE},
	    {CONE_TOKEN_REMAINDER_ASSIGN, CONE_REMAINDER},
	    {CONE_TOKEN_AND_ASSIGN, CONE_BITS_AND},
	    {CONE_TOKEN_OR_ASSIGN, CONE_BITS_OR},
	    {CONE_TOKEN_XOR_ASSIGN, CONE_BITS_XOR},
	    {CONE_TOKEN_SHIFT_LEFT_ASSIGN, CONE_SHIFT_LEFT},
	    {CONE_TOKEN_SHIFT_RIGHT_ASSIGN, CONE_SHIFT_RIGHT},
	};
	*compound = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == kind) {
			*op = rows[i].op;
			return *compound = true;
		}
	return kind == CONE_TOKEN_ASSIGN;
}

/* Right-associative: a = b = c. */
static struct cone_node *parse_assignment(struct cone_parser *p)
{
	struct cone_node *left = cone_parser_tuple(p);
	enum cone_operator op = CONE_ADD;
	bool compound;
	if (!assignment_operator(cone_parser_kind(p), &op, &compound))
		return left;
	struct cone_node *node = cone_parser_node(p, CONE_ASSIGN, left->span, cone_parser_span(p));
	node->op = op;
	node->compound = compound;
	node->left = left;
	cone_parser_advance(p);
	if (!cone_parser_enter(p))
		return cone_parser_error_node(p);
	node->right = parse_assignment(p);
	cone_parser_leave(p);
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_expression_statement(struct cone_parser *p)
{
	struct cone_node *node = parse_assignment(p);
	cone_parser_semicolon(p);
	return node;
}

static struct cone_node *parse_empty(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_EMPTY);
	cone_parser_advance(p);
	return cone_parser_finish(p, node);
}

/* `@workgroup mut x T;` */
static struct cone_node *parse_attributed(struct cone_parser *p)
{
	cone_parser_attributes(p, CONE_PLACE_LOCAL, NULL);
	return parse_statement(p);
}

static struct cone_node *parse_statement(struct cone_parser *p)
{
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_SEMICOLON: return parse_empty(p);
	case CONE_TOKEN_IMM:
	case CONE_TOKEN_MUT: return parse_local(p);
	case CONE_TOKEN_STATIC: return parse_static(p);
	case CONE_TOKEN_ATTRIBUTE: return parse_attributed(p);
	case CONE_TOKEN_RETURN: return parse_jump(p, CONE_RETURN);
	case CONE_TOKEN_BREAK: return parse_jump(p, CONE_BREAK);
	case CONE_TOKEN_CONTINUE: return parse_jump(p, CONE_CONTINUE);
	case CONE_TOKEN_IF: return cone_parser_if(p);
	case CONE_TOKEN_MATCH: return cone_parser_match_statement(p);
	case CONE_TOKEN_OPEN_BRACE: return cone_parser_block(p);
	case CONE_TOKEN_LABEL:
	case CONE_TOKEN_WHILE:
	case CONE_TOKEN_EACH: return cone_parser_loop(p);
	}
	if (cone_parser_at_parallel(p))
		return cone_parser_loop(p);
	return parse_expression_statement(p);
}
