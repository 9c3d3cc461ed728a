#include "frontend/ssp/parser.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

/* ---- Tokens ---- */

static const struct token end_token = {.kind = TOKEN_END, .first = true};

const struct token *parser_peek(const struct parser *p)
{
	return p->failed ? &end_token : &p->tokens[p->position];
}

bool parser_at(const struct parser *p, enum token_kind kind)
{
	return parser_peek(p)->kind == kind;
}

bool parser_at_line_end(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return t->first && p->layout.brackets == 0 && t->kind != TOKEN_DOT;
}

bool parser_continues(const struct parser *p, enum token_kind kind)
{
	return parser_at(p, kind) && !parser_at_line_end(p);
}

const struct token *parser_next(struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_END)
		p->position++;
	return t;
}

bool parser_accept(struct parser *p, enum token_kind kind)
{
	if (!parser_at(p, kind))
		return false;
	parser_next(p);
	return true;
}

bool parser_expect(struct parser *p, enum token_kind kind, const char *what)
{
	if (parser_accept(p, kind))
		return true;
	parser_expected(p, what);
	parser_fail(p);
	return false;
}

bool parser_token_is(const struct parser *p, const struct token *t, const char *word)
{
	size_t n = strlen(word);
	return t->kind != TOKEN_END && t->end - t->start == n && memcmp(p->source->bytes + t->start, word, n) == 0;
}

bool parser_at_word(const struct parser *p, const char *word)
{
	return parser_at(p, TOKEN_NAME) && parser_token_is(p, parser_peek(p), word);
}

uint32_t parser_previous_end(const struct parser *p)
{
	return p->position > 0 ? p->tokens[p->position - 1].end : p->tokens[0].start;
}

struct span parser_token_span(const struct token *t)
{
	return (struct span){t->start, t->end};
}

struct span parser_span_from(const struct parser *p, const struct token *first)
{
	uint32_t end = parser_previous_end(p);
	return (struct span){first->start, end > first->start ? end : first->start};
}

/* ---- Errors ---- */

void parser_fail(struct parser *p)
{
	if (!p->failed)
		p->fault_brackets = p->outer_brackets + p->layout.brackets;
	p->failed = true;
}

static uint32_t line_of(const struct parser *p, struct span span)
{
	const struct token *t = &p->tokens[p->position];
	if (span.start < t->start && p->position > 0)
		t--;
	return span.start >= t->start ? t->line : source_place(p->source, span.start).line;
}

/* Counts an error at the line; false if it is not to be reported. */
static bool may_report(struct parser *p, uint32_t line)
{
	p->error_count++;
	p->last = NULL;
	if (p->quiet || p->failed || line == p->error_line)
		return false;
	p->error_line = line;
	return true;
}

void parser_error(struct parser *p, const char *code, struct span span, const char *format, ...)
{
	if (!may_report(p, line_of(p, span)))
		return;
	struct text message = {0};
	va_list list;
	va_start(list, format);
	text_add_format_v(&message, format, list);
	va_end(list);
	p->last = diagnostic_add(p->diagnostics, code, span, "%s", text_string(&message));
	text_free(&message);
}

void parser_hint(struct parser *p, const char *format, ...)
{
	if (!p->last)
		return;
	struct text hint = {0};
	va_list list;
	va_start(list, format);
	text_add_format_v(&hint, format, list);
	va_end(list);
	diagnostic_hint(p->diagnostics, p->last, "%s", text_string(&hint));
	text_free(&hint);
}

static void report_problem(struct parser *p, const struct token *t)
{
	if (may_report(p, t->line))
		lexer_report(p->diagnostics, p->source, t);
}

static void describe(struct text *out, const struct parser *p, const struct token *t)
{
	int n = t->end - t->start > 40 ? 40 : (int)(t->end - t->start);
	if (t->kind == TOKEN_STRING)
		text_add(out, "a string");
	else if (t->kind == TOKEN_INT || t->kind == TOKEN_FLOAT)
		text_add_format(out, "the number `%.*s`", n, p->source->bytes + t->start);
	else
		text_add_format(out, "`%.*s`", n, p->source->bytes + t->start);
}

void parser_expected(struct parser *p, const char *what)
{
	const struct token *t = parser_peek(p);
	if (p->failed)
		return;
	if (t->kind == TOKEN_ERROR) {
		report_problem(p, t);
		return;
	}
	struct text found = {0};
	struct span span = parser_token_span(t);
	if (t->kind == TOKEN_END || (t->first && p->position > 0)) {
		text_add(&found,
		         t->kind == TOKEN_END ? p->quiet ? "the end" : "the end of the file" : "the end of the line");
		span = (struct span){parser_previous_end(p), parser_previous_end(p)};
	} else {
		describe(&found, p, t);
		p->braces |= t->kind == TOKEN_OPEN_BRACE && !p->quiet;
	}
	parser_error(p, "E_PARSE_EXPECTED", span, "expected %s, found %s", what, text_string(&found));
	text_free(&found);
}

void parser_unsupported(struct parser *p, struct span span, const char *what)
{
	parser_error(p, "E_UNSUPPORTED", span, "%s not supported", what);
	p->unsupported = true;
	p->refused = NULL;
	parser_fail(p);
}

const struct larger_word *parser_larger(const struct parser *p, const struct token *t, enum larger_place place)
{
	return t->kind == TOKEN_NAME ? larger_find(p->source->bytes + t->start, t->end - t->start, place) : NULL;
}

void parser_refuse(struct parser *p, const struct token *t, const struct larger_word *w)
{
	parser_unsupported(p, parser_token_span(t), w->what);
	p->refused = w;
	if (w->hint)
		parser_hint(p, "%s", w->hint);
}

/* Of a line that was skipped. */
static void report_skipped(struct parser *p, const struct token *t)
{
	if (t->kind == TOKEN_ERROR && !p->unsupported)
		report_problem(p, t);
}

static bool is_open(const struct token *t)
{
	return t->kind == TOKEN_OPEN_PARENTHESIS || t->kind == TOKEN_OPEN_BRACKET || t->kind == TOKEN_OPEN_BRACE;
}

static bool is_close(const struct token *t)
{
	return t->kind == TOKEN_CLOSE_PARENTHESIS || t->kind == TOKEN_CLOSE_BRACKET || t->kind == TOKEN_CLOSE_BRACE;
}

/* A line of the construct just refused that is no deeper than its first: `catch e`, `| none => 0`, `=> e`. */
static bool goes_on(const struct parser *p, const struct token *t)
{
	static const struct {
		const char *after, *word;
	} lines[] = {{NULL, "catch"},    {NULL, "rescue"},  {NULL, "finally"}, {"try", "with"},
	             {"handle", "with"}, {"match", "with"}, {"match", "case"}, {"switch", "case"}};
	if (!p->unsupported || !p->refused)
		return false;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (parser_token_is(p, t, lines[i].word) && t[1].kind != TOKEN_EQUALS && t[1].kind != TOKEN_ASSIGN &&
		    (!lines[i].after || strcmp(lines[i].after, p->refused->word) == 0))
			return true;
	return t->kind == TOKEN_BAR || t->kind == TOKEN_FAT_ARROW || (t->kind == TOKEN_ELSE && p->open_ifs == 0);
}

void parser_recover(struct parser *p, uint32_t start, uint32_t indent, bool item)
{
	uint32_t open = p->outer_brackets + p->layout.brackets;
	uint32_t brackets = p->fault_brackets > open ? p->fault_brackets - open : 0;
	p->failed = false;
	for (const struct token *t; (t = &p->tokens[p->position])->kind != TOKEN_END; p->position++) {
		if (t->first && t->indent <= indent && p->position > start && !(t->indent == indent && goes_on(p, t)))
			break;
		if (is_close(t) && brackets == 0 && (item || p->outer_brackets > 0))
			break;
		if (item && brackets == 0 && t->kind == TOKEN_COMMA)
			break;
		if (is_open(t))
			brackets++;
		else if (is_close(t) && brackets > 0)
			brackets--;
		report_skipped(p, t);
	}
	p->unsupported = false;
}

/* A construct may have lines at the margin that begin with `=`, `|` or a bracket. */
void parser_skip_construct(struct parser *p, uint32_t start, uint32_t indent)
{
	p->failed = false;
	p->unsupported = false;
	for (const struct token *t; (t = &p->tokens[p->position])->kind != TOKEN_END; p->position++) {
		bool word = lexer_is_name_byte((unsigned char)p->source->bytes[t->start]) || t->kind == TOKEN_AT;
		if (t->first && t->indent <= indent && p->position > start && word)
			return;
		if (is_open(t) && t->match)
			p->position = t->match;
	}
}

bool parser_enter(struct parser *p, uint32_t levels)
{
	p->nesting += levels;
	if (p->nesting <= PARSER_NESTING_LIMIT)
		return true;
	bool quiet = p->quiet; /* no text is meant to be so deep */
	p->quiet = false;
	parser_error(p, "E_PARSE_DEPTH", parser_token_span(parser_peek(p)), "this is nested too deep");
	p->quiet = quiet;
	parser_hint(p, "give a part of it a name of its own");
	parser_fail(p);
	return false;
}

void parser_leave(struct parser *p, uint32_t levels)
{
	p->nesting -= levels;
}

/* ---- Nodes ---- */

/* Nodes are made here alone, so that the parser can keep the height of each. */
struct tall_node {
	struct node node;
	uint32_t height;
};

const char *parser_intern(struct parser *p, const char *bytes, size_t n)
{
	char *known = table_get_n(&p->names, bytes, n);
	if (!known) {
		known = arena_string_n(p->arena, bytes, n);
		table_set_n(&p->names, bytes, n, known);
	}
	return known;
}

const char *parser_token_name(struct parser *p, const struct token *t)
{
	return parser_intern(p, p->source->bytes + t->start, t->end - t->start);
}

const struct token *parser_first(const struct parser *p)
{
	return &p->tokens[p->position];
}

struct node *parser_node(struct parser *p, enum node_kind kind, const struct token *first)
{
	struct node *n = &ARENA_NEW(p->arena, struct tall_node)->node;
	n->kind = kind;
	n->span = n->at = parser_token_span(first);
	n->builtin = -1;
	return n;
}

struct node *parser_error_node(struct parser *p, const struct token *first)
{
	struct node *n = parser_node(p, NODE_ERROR, first);
	n->span = parser_span_from(p, first);
	return n;
}

static uint32_t height_of(const struct node *n)
{
	return n ? ((const struct tall_node *)n)->height : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

struct node *parser_finish(struct parser *p, struct node *n)
{
	uint32_t end = parser_previous_end(p);
	n->span.end = larger(n->span.end, end);
	uint32_t height = larger(height_of(n->condition), larger(height_of(n->left), height_of(n->right)));
	for (uint32_t i = 0; i < n->part_count; i++)
		height = larger(height, height_of(n->parts[i]));
	((struct tall_node *)n)->height = height + 1;
	if (height < PARSER_HEIGHT_LIMIT)
		return n;
	bool quiet = p->quiet;
	p->quiet = false;
	parser_error(p, "E_PARSE_DEPTH", n->at, "this is more than %d operations deep", PARSER_HEIGHT_LIMIT);
	p->quiet = quiet;
	parser_hint(p, "give a part of it a name of its own");
	parser_fail(p);
	struct node *error = &ARENA_NEW(p->arena, struct tall_node)->node;
	*error = (struct node){.kind = NODE_ERROR, .span = n->span, .at = n->at, .builtin = -1};
	return error;
}

void parser_push(struct parser *p, struct node *n)
{
	if (p->stack_count == p->stack_capacity) {
		p->stack_capacity = p->stack_capacity ? p->stack_capacity * 2 : 64;
		p->stack = memory_resize(p->stack, p->stack_capacity * sizeof *p->stack);
	}
	p->stack[p->stack_count++] = n;
}

void parser_pop_parts(struct parser *p, struct node *n, uint32_t base)
{
	n->part_count = p->stack_count - base;
	n->parts = ARENA_ARRAY(p->arena, struct node *, n->part_count);
	for (uint32_t i = 0; i < n->part_count; i++)
		n->parts[i] = p->stack[base + i];
	p->stack_count = base;
}

/* ---- Files ---- */

struct program *program_parse(const struct source *source, struct diagnostics *d)
{
	struct program *program = memory_zeroed(1, sizeof *program);
	program->source = source;
	program->diagnostics = d;
	struct tokens tokens;
	lexer_run(&tokens, source, 0, (uint32_t)source->length, 1, program);
	struct parser p = {
	    .program = program, .arena = &program->arena, .diagnostics = d, .source = source, .tokens = tokens.items};
	p.names.arena = p.arena;
	parser_definitions(&p);
	tokens_free(&tokens);
	free(p.stack);
	free(p.placeholders);
	return program;
}

void program_free(struct program *p)
{
	if (!p)
		return;
	if (p->module)
		ir_module_free(p->module);
	arena_free(&p->arena);
	free(p);
}
