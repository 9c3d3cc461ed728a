#include "frontend/ssp/parser.h"

#include <string.h>

/* Text read so far, not yet a part. */
struct string_reader {
	struct text text;
	uint32_t text_start;
	uint32_t line;
};

static void add_text_part(struct parser *p, struct string_reader *r, const struct token *string, uint32_t end)
{
	if (r->text.length == 0)
		return;
	struct node *n = parser_node(p, NODE_TEXT, string);
	n->string = arena_string_n(p->arena, r->text.data, r->text.length);
	n->length = r->text.length;
	n = parser_finish(p, n);
	n->span = n->at = (struct span){r->text_start, end};
	parser_push(p, n);
	text_clear(&r->text);
}

/* Adds what the escape at `at` means; returns where the text goes on. */
static uint32_t read_escape(struct parser *p, struct string_reader *r, uint32_t at, uint32_t end)
{
	static const char escapes[] = "ntr\\\"{}", meanings[] = "\n\t\r\\\"{}";
	char c = p->source->bytes[at + 1];
	const char *escape = c ? strchr(escapes, c) : NULL;
	if (escape) {
		text_add_char(&r->text, meanings[escape - escapes]);
		return at + 2;
	}
	size_t size;
	utf8_decode(p->source->bytes + at + 1, end - at - 1, &size);
	parser_error(p, "E_LEX_ESCAPE", (struct span){at, at + 1 + (uint32_t)size}, "there is no escape `%.*s`",
	             (int)size + 1, p->source->bytes + at);
	parser_hint(p, "escapes are \\n \\t \\r \\\\ \\\" \\{ \\}");
	text_add_n(&r->text, p->source->bytes + at, size + 1);
	return at + 1 + (uint32_t)size;
}

void parser_large_number(struct parser *p, const struct token *number)
{
	struct span span = parser_token_span(number);
	int shown = (int)(span.end - span.start > 60 ? 60 : span.end - span.start);
	if (p->quiet) {
		if (p->large.kind == TOKEN_END)
			p->large = *number;
	} else if (number->kind == TOKEN_FLOAT) {
		parser_error(p, "E_LEX_NUMBER", span, "`%.*s` is too large for F64", shown,
		             p->source->bytes + span.start);
		parser_hint(p, "infinity is `inf()`");
	} else {
		p->error_count++;
		lexer_report(p->diagnostics, p->source, number);
	}
}

/* The expression that is all of bytes [start, end), or NULL. */
static struct node *read_interpolation(struct parser *p, uint32_t start, uint32_t end, uint32_t line)
{
	const struct parser outer = *p;
	struct tokens tokens;
	lexer_run(&tokens, p->source, start, end, line, NULL);
	p->tokens = tokens.items;
	p->position = 0;
	p->outer_brackets += p->layout.brackets;
	p->layout = (struct layout){.indent = outer.layout.indent, .brackets = 1};
	p->open_ifs = 0;
	p->quiet = true;
	struct node *n = parser_enter(p, PARSER_INTERPOLATION_LEVELS) ? parser_expression(p) : NULL;
	bool good = n && parser_at(p, TOKEN_END) && !p->failed && p->error_count == outer.error_count;
	tokens_free(&tokens);
	p->tokens = outer.tokens;
	p->position = outer.position;
	p->outer_brackets = outer.outer_brackets;
	p->layout = outer.layout;
	p->open_ifs = outer.open_ifs;
	p->quiet = outer.quiet;
	p->nesting = outer.nesting;
	p->failed = p->unsupported = false;
	p->last = NULL;
	const struct token large = p->large;
	if (!good || !p->quiet)
		p->large = outer.large;
	if (good && !p->quiet && large.kind != TOKEN_END)
		parser_large_number(p, &large);
	if (good)
		return n;
	p->error_count = outer.error_count;
	p->placeholder_count = outer.placeholder_count;
	p->stack_count = outer.stack_count;
	return NULL;
}

/* At a brace: pushes what it holds, or adds it to the text. Returns where the text goes on. */
static uint32_t read_braces(struct parser *p, struct string_reader *r, const struct string_map *map, uint32_t at,
                            const struct token *string)
{
	uint32_t close = map->code_end[at + 1 - map->start];
	struct node *n = close == STRING_OPEN ? NULL : read_interpolation(p, at + 1, close, r->line);
	if (n) {
		add_text_part(p, r, string, at);
		parser_push(p, n);
		r->text_start = close + 1;
		return close + 1;
	}
	uint32_t end = close == STRING_OPEN ? at + 1 : close + 1;
	for (uint32_t i = at; i < end;) {
		if (p->source->bytes[i] == '\\')
			i = read_escape(p, r, i, end);
		else
			text_add_char(&r->text, p->source->bytes[i++]);
	}
	return end;
}

struct node *parser_string(struct parser *p)
{
	const struct token *t = parser_next(p);
	struct node *n = parser_node(p, NODE_STRING, t);
	uint32_t base = p->stack_count, end = t->end - 1, at = t->start + 1;
	struct string_reader r = {.text_start = at, .line = t->line};
	struct string_map map = {0};
	if (end > at && memchr(p->source->bytes + at, '{', end - at))
		string_map_build(&map, p->source->bytes, at, end);
	while (at < end) {
		char c = p->source->bytes[at];
		if (c == '\\') {
			at = read_escape(p, &r, at, end);
		} else if (c == '{') {
			at = read_braces(p, &r, &map, at, t);
		} else {
			text_add_char(&r.text, c);
			at++;
		}
	}
	add_text_part(p, &r, t, end);
	text_free(&r.text);
	string_map_free(&map);
	parser_pop_parts(p, n, base);
	return parser_finish(p, n);
}
