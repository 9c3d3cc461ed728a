#include "frontend/cone/cone_parser.h"

#include <stdarg.h>
#include <string.h>

enum { DEPTH_LIMIT = 200, ERROR_LIMIT = 200 };

/* ---- Tokens ---- */

enum cone_token_kind cone_parser_ahead(const struct cone_parser *p, uint32_t n)
{
	if (p->failed || p->position + n >= p->tokens.count)
		return CONE_TOKEN_END;
	return (enum cone_token_kind)p->tokens.items[p->position + n].kind;
}

struct span cone_parser_span(const struct cone_parser *p)
{
	const struct cone_token *t = cone_parser_token(p);
	return (struct span){t->start, t->end};
}

uint32_t cone_parser_previous_end(const struct cone_parser *p)
{
	return p->position ? p->tokens.items[p->position - 1].end : cone_parser_token(p)->start;
}

struct span cone_parser_span_from(const struct cone_parser *p, uint32_t start)
{
	uint32_t end = cone_parser_previous_end(p);
	return (struct span){start, end > start ? end : start};
}

void cone_parser_advance(struct cone_parser *p)
{
	if (p->position + 1 < p->tokens.count)
		p->position++;
}

bool cone_parser_accept(struct cone_parser *p, enum cone_token_kind kind)
{
	if (cone_parser_kind(p) != kind)
		return false;
	cone_parser_advance(p);
	return true;
}

bool cone_parser_expect(struct cone_parser *p, enum cone_token_kind kind)
{
	if (cone_parser_accept(p, kind))
		return true;
	char what[16] = "`";
	strncat(what, cone_token_spelling(kind), sizeof what - 3);
	cone_parser_expected(p, strcat(what, "`"));
	return false;
}

bool cone_parser_is_contextual(const struct cone_parser *p, const char *word)
{
	const struct cone_token *t = cone_parser_token(p);
	return cone_parser_kind(p) == CONE_TOKEN_NAME && !t->quoted && strcmp(t->text, word) == 0;
}

bool cone_parser_accept_contextual(struct cone_parser *p, const char *word)
{
	if (!cone_parser_is_contextual(p, word))
		return false;
	cone_parser_advance(p);
	return true;
}

uint32_t cone_parser_match(const struct cone_parser *p, uint32_t index)
{
	return index < p->tokens.count ? p->tokens.items[index].match : 0;
}

const char *cone_parser_name(struct cone_parser *p, const char *what)
{
	const struct cone_token *t = cone_parser_token(p);
	if (cone_parser_accept(p, CONE_TOKEN_NAME))
		return t->text;
	cone_parser_expected(p, what);
	return "";
}

const char *cone_parser_variable_name(struct cone_parser *p)
{
	return cone_parser_accept(p, CONE_TOKEN_UNDERSCORE) ? "_" : cone_parser_name(p, "a name");
}

/* ---- Reports ---- */

static void add_report(struct cone_parser *p, const char *code, struct span span, const char *format, va_list args)
{
	p->last = NULL;
	if (p->failed)
		return;
	struct text message = {0};
	text_add_format_v(&message, format, args);
	p->last = diagnostic_add(&p->file->diagnostics, code, span, "%s", text_string(&message));
	text_free(&message);
	if (p->file->diagnostics.error_count >= ERROR_LIMIT)
		p->failed = p->stopped = true;
}

void cone_parser_report(struct cone_parser *p, const char *code, struct span span, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add_report(p, code, span, format, args);
	va_end(args);
}

void cone_parser_old(struct cone_parser *p, const char *code, struct span span, const char *format, ...)
{
	char warning[16] = "W";
	va_list args;
	va_start(args, format);
	add_report(p, p->file->old_spellings ? strncat(warning, code, sizeof warning - 2) : code, span, format, args);
	va_end(args);
}

void cone_parser_hint(struct cone_parser *p, const char *format, ...)
{
	if (!p->last || p->last->hint)
		return;
	struct text hint = {0};
	va_list args;
	va_start(args, format);
	text_add_format_v(&hint, format, args);
	va_end(args);
	diagnostic_hint(&p->file->diagnostics, p->last, "%s", text_string(&hint));
	text_free(&hint);
}

static void describe(struct text *out, const struct cone_parser *p, const struct cone_token *t)
{
	int n = t->end - t->start > 40 ? 40 : (int)(t->end - t->start);
	if (t->kind == CONE_TOKEN_END)
		text_add(out, "the end of the file");
	else if (t->kind == CONE_TOKEN_STRING)
		text_add(out, "a string");
	else
		text_add_format(out, "`%.*s`", n, p->file->source.bytes + t->start);
}

void cone_parser_expected(struct cone_parser *p, const char *what)
{
	if (p->failed)
		return;
	const struct cone_token *t = cone_parser_token(p);
	struct text found = {0};
	describe(&found, p, t);
	if (t->after_fault) {
		p->last = NULL;
	} else if (cone_token_is_word((enum cone_token_kind)t->kind) && strstr(what, "name")) {
		cone_parser_report(p, "1065", cone_parser_span(p), "%s is a reserved word: it names nothing",
		                   text_string(&found));
		cone_parser_hint(p, "in backticks it is a name");
	} else {
		struct span span = cone_parser_span(p);
		cone_parser_report(p, "1001", span, "expected %s, found %s", what, text_string(&found));
		const struct cone_token *before = p->position ? t - 1 : t;
		if (before->kind == CONE_TOKEN_FLOAT && before->end == t->start && t->kind == CONE_TOKEN_NAME)
			cone_parser_hint(p, "a number ends with its point: write a blank before the point of a method");
		if (t->kind == CONE_TOKEN_APPEND)
			cone_parser_hint(p, "`<-` is one symbol: write a blank between `<` and `-`");
	}
	text_free(&found);
	p->failed = true;
}

bool cone_parser_enter(struct cone_parser *p)
{
	if (p->depth < DEPTH_LIMIT) {
		p->depth++;
		return true;
	}
	cone_parser_report(p, "1001", cone_parser_span(p), "this is nested too deeply: over %d levels", DEPTH_LIMIT);
	p->failed = p->stopped = true;
	return false;
}

void cone_parser_leave(struct cone_parser *p)
{
	p->depth--;
}

/* ---- After a failure ---- */

bool cone_parser_at_declaration(const struct cone_parser *p)
{
	enum cone_token_kind kind = (enum cone_token_kind)cone_parser_token(p)->kind;
	enum cone_token_kind next = p->position + 1 < p->tokens.count
	                                ? (enum cone_token_kind)p->tokens.items[p->position + 1].kind
	                                : CONE_TOKEN_END;
	switch ((int)kind) {
	case CONE_TOKEN_FN: return next == CONE_TOKEN_NAME || next == CONE_TOKEN_ATTRIBUTE;
	case CONE_TOKEN_STRUCT:
	case CONE_TOKEN_ENUM:
	case CONE_TOKEN_TRAIT:
	case CONE_TOKEN_ALIAS:
	case CONE_TOKEN_IMPORT:
	case CONE_TOKEN_MACRO:
	case CONE_TOKEN_EXTERN:
	case CONE_TOKEN_ACTOR:
	case CONE_TOKEN_MOD:
	case CONE_TOKEN_PUB: return true;
	}
	return false;
}

static bool begins_statement(const struct cone_parser *p)
{
	switch (cone_parser_token(p)->kind) {
	case CONE_TOKEN_IMM:
	case CONE_TOKEN_MUT:
	case CONE_TOKEN_IF:
	case CONE_TOKEN_WHILE:
	case CONE_TOKEN_EACH:
	case CONE_TOKEN_MATCH:
	case CONE_TOKEN_RETURN:
	case CONE_TOKEN_BREAK:
	case CONE_TOKEN_CONTINUE: return true;
	}
	return cone_parser_at_declaration(p);
}

void cone_parser_recover(struct cone_parser *p, bool declarations)
{
	if (p->stopped)
		return;
	p->failed = false;
	while (cone_parser_kind(p) != CONE_TOKEN_END) {
		const struct cone_token *t = cone_parser_token(p);
		if (t->first && (declarations ? cone_parser_at_declaration(p) : begins_statement(p)))
			return;
		if (t->kind == CONE_TOKEN_CLOSE_BRACE && !declarations)
			return;
		bool brace = t->kind == CONE_TOKEN_OPEN_BRACE, semicolon = t->kind == CONE_TOKEN_SEMICOLON;
		if (t->match)
			p->position = t->match;
		cone_parser_advance(p);
		if (semicolon || (brace && cone_parser_token(p)->first))
			return;
	}
}

void cone_parser_semicolon(struct cone_parser *p)
{
	if (p->failed || cone_parser_accept(p, CONE_TOKEN_SEMICOLON))
		return;
	const struct cone_token *t = cone_parser_token(p);
	/* What ends in a block needs none. */
	if (p->position && t[-1].kind == CONE_TOKEN_CLOSE_BRACE)
		return;
	if (t->kind == CONE_TOKEN_IF && !t->first) {
		cone_parser_report(p, "1361", cone_parser_span(p),
		                   "a trailing `if` stands behind `break`, `continue` and `return` alone");
		cone_parser_hint(p, "write `if condition {...}`");
		p->failed = true;
		return;
	}
	if (t->after_fault) {
		p->failed = true;
		return;
	}
	uint32_t end = cone_parser_previous_end(p);
	if (t->first) {
		cone_parser_old(p, "1003", (struct span){end, end}, "this statement has no `;`");
		cone_parser_hint(p, "every statement ends in `;` or in a block");
		return;
	}
	struct text found = {0};
	describe(&found, p, t);
	bool closes = t->kind == CONE_TOKEN_CLOSE_BRACE;
	struct span span = closes ? (struct span){end, end} : cone_parser_span(p);
	if (closes)
		cone_parser_old(p, "1003", span, "expected `;`, found %s", text_string(&found));
	else
		cone_parser_report(p, "1003", span, "expected `;`, found %s", text_string(&found));
	text_free(&found);
	if (t->kind == CONE_TOKEN_APPEND)
		cone_parser_hint(p, "`<-` is one symbol: write a blank between `<` and `-`");
	cone_parser_hint(p, t[-1].kind == CONE_TOKEN_FLOAT && t->kind == CONE_TOKEN_NAME && t[-1].end == t->start
	                        ? "a number ends with its point: write a blank before the point of a method"
	                        : "every statement ends in `;` or in a block, the last one of a block too");
	p->failed |= !closes;
}

/* ---- Nodes ---- */

struct cone_node *cone_parser_node(struct cone_parser *p, enum cone_node_kind kind, struct span from, struct span at)
{
	struct cone_node *node = ARENA_NEW(p->arena, struct cone_node);
	node->kind = kind;
	node->file = p->file;
	node->span = from;
	node->at = at;
	node->height = 1;
	return node;
}

struct cone_node *cone_parser_begin(struct cone_parser *p, enum cone_node_kind kind)
{
	return cone_parser_node(p, kind, cone_parser_span(p), cone_parser_span(p));
}

static uint32_t higher(uint32_t height, const struct cone_node *child)
{
	return child && child->height > height ? child->height : height;
}

struct cone_node *cone_parser_finish(struct cone_parser *p, struct cone_node *node)
{
	node->span = cone_parser_span_from(p, node->span.start);
	uint32_t height = higher(higher(higher(0, node->left), node->right), node->other);
	height = higher(higher(height, node->condition), node->step);
	for (uint32_t i = 0; i < node->part_count; i++)
		height = higher(height, node->parts[i]);
	if (node->function)
		height = higher(height, node->function->body);
	node->height = height + 1;
	if (node->height < CONE_HEIGHT_LIMIT)
		return node;
	cone_parser_report(p, "1001", node->at, "this is nested too deeply: over %d levels", CONE_HEIGHT_LIMIT);
	p->failed = p->stopped = true;
	return cone_parser_error_node(p);
}

struct cone_node *cone_parser_error_node(struct cone_parser *p)
{
	return cone_parser_begin(p, CONE_ERROR);
}

struct cone_variable *cone_parser_variable(struct cone_parser *p, const char *name, struct span span, bool mutable)
{
	struct cone_variable *v = ARENA_NEW(p->arena, struct cone_variable);
	v->name = name;
	v->span = span;
	v->mutable = mutable;
	return v;
}

void *cone_parser_grow(struct cone_parser *p, void *items, uint32_t count, size_t size)
{
	/* The capacity is the next power of two. */
	if (count & (count - 1))
		return items;
	return arena_grow(p->arena, items, count, count ? (size_t)count * 2 : 1, size);
}

void cone_list_add(struct cone_parser *p, struct cone_list *list, void *item)
{
	*ARENA_PUSH(p->arena, list->items, list->count, list->capacity) = item;
}

/* ---- A file ---- */

/* `Bool` is an older spelling of `bool` unless the file has one of its own. */
static bool declares_bool(const struct cone_tokens *tokens)
{
	for (uint32_t i = 1; i < tokens->count; i++) {
		const struct cone_token *t = &tokens->items[i];
		if (t->kind != CONE_TOKEN_NAME || strcmp(t->text, "Bool") != 0)
			continue;
		enum cone_token_kind before = (enum cone_token_kind)t[-1].kind;
		if (before == CONE_TOKEN_STRUCT || before == CONE_TOKEN_ENUM || before == CONE_TOKEN_TRAIT ||
		    before == CONE_TOKEN_ALIAS || before == CONE_TOKEN_USE)
			return true;
	}
	return false;
}

void cone_parse(struct cone_program *program, struct cone_file *file, struct cone_module *module)
{
	struct cone_parser p = {.program = program, .arena = &program->arena, .file = file, .module = module};
	file->diagnostics.source = &file->source;
	cone_lexer_run(&p.tokens, file, p.arena);
	p.own_bool = declares_bool(&p.tokens);
	cone_parser_note_imports(&p);
	cone_parser_module_line(&p);
	if (p.failed)
		cone_parser_recover(&p, true);
	while (cone_parser_kind(&p) != CONE_TOKEN_END) {
		uint32_t before = p.position;
		struct cone_declaration *d = cone_parser_declaration(&p);
		if (d && !p.stopped)
			cone_parser_add(&p, d);
		if (p.failed) {
			if (p.position == before && !p.stopped)
				cone_parser_advance(&p);
			cone_parser_recover(&p, true);
		}
	}
}
