#include "frontend/ssp/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { TAB_WIDTH = 8 };

struct lexer {
	struct tokens *tokens;
	const struct source *source;
	struct program *program;
	uint32_t position, end, line, indent;
	bool line_begins; /* no token on this line yet */
	struct string_map map;
	uint32_t *open; /* indices of brackets not closed yet */
	uint32_t open_count, open_capacity;
};

static const char *const spellings[TOKEN_COUNT] = {
#define WORD(id, spelling) [TOKEN_##id] = spelling,
#define SYMBOL(id, spelling) [TOKEN_##id] = spelling,
#include "frontend/ssp/tokens.def"
#undef WORD
#undef SYMBOL
};

enum { FIRST_SYMBOL = TOKEN_STAR_STAR };

const char *token_spelling(enum token_kind kind)
{
	return spellings[kind];
}

bool lexer_is_name_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex_digit(unsigned char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---- Strings ---- */

/* From the last byte to the first. What can be no part of an expression ends the search for a closing brace. */
void string_map_build(struct string_map *map, const char *bytes, uint32_t start, uint32_t end)
{
	uint32_t n = end - start;
	const char *b = bytes + start;
	*map = (struct string_map){start, end, memory_alloc((n + 2) * sizeof(uint32_t)),
	                           memory_alloc((n + 2) * sizeof(uint32_t))};
	uint32_t *text = map->text_end, *code = map->code_end;
	text[n] = text[n + 1] = code[n] = code[n + 1] = STRING_OPEN;
	for (uint32_t i = n; i-- > 0;) {
		char c = b[i], next = i + 1 < n ? b[i + 1] : 0;
		if (c == '\\')
			text[i] = text[i + 2];
		else if (c == '{')
			text[i] = code[i + 1] == STRING_OPEN ? text[i + 1] : text[code[i + 1] + 1 - start];
		else
			text[i] = c == '"' ? start + i : text[i + 1];
		if (strchr("{\\'`#$~^@", c) || (c == '/' && next == '/'))
			code[i] = STRING_OPEN;
		else if (c == '"')
			code[i] = text[i + 1] == STRING_OPEN ? STRING_OPEN : code[text[i + 1] + 1 - start];
		else
			code[i] = c == '}' ? start + i : code[i + 1];
	}
}

void string_map_free(struct string_map *map)
{
	free(map->text_end);
	free(map->code_end);
	*map = (struct string_map){0};
}

/* ---- Tokens ---- */

static unsigned char byte_at(const struct lexer *lx, uint32_t offset)
{
	return offset < lx->end ? (unsigned char)lx->source->bytes[offset] : 0;
}

static struct token *add_token(struct lexer *lx, enum token_kind kind, uint32_t start, uint32_t end)
{
	struct tokens *t = lx->tokens;
	if (t->count == t->capacity) {
		t->capacity = t->capacity ? t->capacity * 2 : 16;
		t->items = memory_resize(t->items, t->capacity * sizeof *t->items);
	}
	struct token *token = &t->items[t->count++];
	*token = (struct token){.start = start,
	                        .end = end,
	                        .line = lx->line,
	                        .indent = lx->indent,
	                        .kind = (uint8_t)kind,
	                        .first = lx->line_begins};
	lx->line_begins = false;
	lx->position = end;
	return token;
}

static void add_problem(struct lexer *lx, enum lexer_problem problem, uint32_t start, uint32_t end)
{
	add_token(lx, TOKEN_ERROR, start, end)->problem = (uint8_t)problem;
}

static bool is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* A byte that may not stand in a file: one token for all of its kind in a row. */
static void lex_unknown(struct lexer *lx)
{
	uint32_t start = lx->position, at = start;
	size_t size;
	bool invalid = utf8_decode(lx->source->bytes + at, lx->end - at, &size) < 0;
	bool ascii = byte_at(lx, at) < 0x80;
	do {
		at += (uint32_t)size;
	} while (!ascii && at < lx->end && byte_at(lx, at) >= 0x80 &&
	         (utf8_decode(lx->source->bytes + at, lx->end - at, &size) < 0) == invalid);
	add_problem(lx, invalid ? PROBLEM_UTF8 : PROBLEM_CHARACTER, start, at);
}

/* The first fault inside a comment or a string. */
static void check_bytes(struct lexer *lx, uint32_t start, uint32_t end)
{
	if (!lx->program)
		return;
	size_t size;
	for (uint32_t at = start; at < end; at += (uint32_t)size) {
		unsigned char c = byte_at(lx, at);
		bool invalid = utf8_decode(lx->source->bytes + at, end - at, &size) < 0;
		if (!invalid && !is_control(c))
			continue;
		struct token token = {
		    .start = at, .end = at + (uint32_t)size, .problem = invalid ? PROBLEM_UTF8 : PROBLEM_CHARACTER};
		lexer_report(lx->program->diagnostics, lx->source, &token);
		return;
	}
}

static uint32_t line_end(const struct lexer *lx, uint32_t from)
{
	const char *newline = memchr(lx->source->bytes + from, '\n', lx->end - from);
	uint32_t end = newline ? (uint32_t)(newline - lx->source->bytes) : lx->end;
	return end > from && newline && lx->source->bytes[end - 1] == '\r' ? end - 1 : end;
}

static void lex_comment(struct lexer *lx)
{
	uint32_t start = lx->position, end = line_end(lx, start);
	check_bytes(lx, start, end);
	lx->position = end;
	if (!lx->program)
		return;
	struct program *p = lx->program;
	*ARENA_PUSH(&p->arena, p->comments, p->comment_count, p->comment_capacity) =
	    (struct comment){{start, end}, lx->line_begins};
}

/* The closing quote of the string whose text begins at `from`, or STRING_OPEN. */
static uint32_t find_closing_quote(struct lexer *lx, uint32_t from)
{
	for (uint32_t i = from; i < lx->end; i++) {
		char c = lx->source->bytes[i];
		if (c == '"')
			return i;
		if (c == '\n')
			return STRING_OPEN;
		if (c == '{')
			break;
		i += c == '\\';
	}
	if (from >= lx->map.end || from < lx->map.start) {
		string_map_free(&lx->map);
		string_map_build(&lx->map, lx->source->bytes, from, line_end(lx, from));
	}
	return from < lx->map.end ? lx->map.text_end[from - lx->map.start] : STRING_OPEN;
}

static void lex_string(struct lexer *lx)
{
	uint32_t start = lx->position, close = find_closing_quote(lx, start + 1);
	if (close == STRING_OPEN) {
		add_problem(lx, PROBLEM_STRING, start, line_end(lx, start));
		return;
	}
	check_bytes(lx, start, close);
	add_token(lx, TOKEN_STRING, start, close + 1);
}

/* ---- Numbers ---- */

/* Digits with single `_` between them. */
static uint32_t skip_digits(const struct lexer *lx, uint32_t at, bool (*digit)(unsigned char))
{
	while (digit(byte_at(lx, at)) ||
	       (byte_at(lx, at) == '_' && digit(byte_at(lx, at + 1)) && digit(byte_at(lx, at - 1))))
		at++;
	return at;
}

static bool fits_64_bits(const struct lexer *lx, uint32_t start, uint32_t end, unsigned base)
{
	uint64_t value = 0;
	for (uint32_t i = start; i < end; i++) {
		unsigned char c = byte_at(lx, i);
		if (c == '_')
			continue;
		unsigned digit = (unsigned)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	return true;
}

/* After a `.` a number is the item of a tuple: `t.0.1` is two of them. */
static void lex_number(struct lexer *lx, bool after_dot)
{
	uint32_t start = lx->position, digits = start, at;
	bool is_float = false, is_hex = byte_at(lx, start) == '0' && (byte_at(lx, start + 1) | 0x20) == 'x';
	if (is_hex) {
		digits = start + 2;
		at = is_hex_digit(byte_at(lx, digits)) ? skip_digits(lx, digits, is_hex_digit) : start + 1;
	} else {
		at = skip_digits(lx, start, is_digit);
	}
	if (!is_hex && !after_dot) {
		if (byte_at(lx, at) == '.' && is_digit(byte_at(lx, at + 1))) {
			is_float = true;
			at = skip_digits(lx, at + 1, is_digit);
		}
		bool sign = byte_at(lx, at + 1) == '-' || byte_at(lx, at + 1) == '+';
		if ((byte_at(lx, at) | 0x20) == 'e' && is_digit(byte_at(lx, at + 1 + sign))) {
			is_float = true;
			at = skip_digits(lx, at + 1 + sign, is_digit);
		}
	}
	uint32_t end = at;
	while (lexer_is_name_byte(byte_at(lx, end)))
		end++;
	if (end > at)
		add_problem(lx, PROBLEM_NUMBER, start, end);
	else if (!is_float && !fits_64_bits(lx, digits, at, is_hex ? 16 : 10))
		add_problem(lx, PROBLEM_NUMBER_LARGE, start, at);
	else
		add_token(lx, is_float ? TOKEN_FLOAT : TOKEN_INT, start, at);
}

/* ---- Names, words, symbols ---- */

static void lex_name(struct lexer *lx)
{
	uint32_t start = lx->position, end = start;
	while (lexer_is_name_byte(byte_at(lx, end)))
		end++;
	size_t n = end - start;
	const char *bytes = lx->source->bytes + start;
	enum token_kind kind = n == 1 && *bytes == '_' ? TOKEN_UNDERSCORE : TOKEN_NAME;
	for (int i = TOKEN_STRING + 1; i < FIRST_SYMBOL; i++)
		if (*spellings[i] == *bytes && strlen(spellings[i]) == n && memcmp(spellings[i], bytes, n) == 0)
			kind = (enum token_kind)i;
	add_token(lx, kind, start, end);
}

static void open_bracket(struct lexer *lx)
{
	if (lx->open_count == lx->open_capacity) {
		lx->open_capacity = lx->open_capacity ? lx->open_capacity * 2 : 16;
		lx->open = memory_resize(lx->open, lx->open_capacity * sizeof *lx->open);
	}
	lx->open[lx->open_count++] = lx->tokens->count - 1;
}

static void close_bracket(struct lexer *lx, enum token_kind kind)
{
	struct token *items = lx->tokens->items;
	if (lx->open_count > 0 && items[lx->open[lx->open_count - 1]].kind == kind - 1)
		items[lx->open[--lx->open_count]].match = lx->tokens->count - 1;
}

static void lex_symbol(struct lexer *lx)
{
	uint32_t start = lx->position;
	for (int i = FIRST_SYMBOL; i < TOKEN_COUNT; i++) {
		const char *s = spellings[i];
		if ((unsigned char)s[0] != byte_at(lx, start) ||
		    (s[1] && (unsigned char)s[1] != byte_at(lx, start + 1)))
			continue;
		add_token(lx, (enum token_kind)i, start, start + (s[1] ? 2 : 1));
		if (i == TOKEN_OPEN_PARENTHESIS || i == TOKEN_OPEN_BRACKET || i == TOKEN_OPEN_BRACE)
			open_bracket(lx);
		if (i == TOKEN_CLOSE_PARENTHESIS || i == TOKEN_CLOSE_BRACKET || i == TOKEN_CLOSE_BRACE)
			close_bracket(lx, (enum token_kind)i);
		return;
	}
	lex_unknown(lx);
}

static bool begins_with(const struct lexer *lx, const char *word)
{
	size_t n = strlen(word);
	return lx->end - lx->position >= n && memcmp(lx->source->bytes + lx->position, word, n) == 0;
}

static void begin_line(struct lexer *lx)
{
	uint32_t indent = 0, at = lx->position;
	for (;; at++) {
		if (byte_at(lx, at) == ' ')
			indent++;
		else if (byte_at(lx, at) == '\t')
			indent = indent / TAB_WIDTH * TAB_WIDTH + TAB_WIDTH;
		else
			break;
	}
	lx->position = at;
	lx->indent = indent;
	lx->line_begins = true;
	/* A bracket that is never closed pairs with nothing in a later definition. */
	if (indent == 0 && (begins_with(lx, "fn ") || begins_with(lx, "kernel ") || begins_with(lx, "test ")))
		lx->open_count = 0;
}

static void lex_token(struct lexer *lx)
{
	unsigned char c = byte_at(lx, lx->position);
	const struct tokens *t = lx->tokens;
	if (c == '/' && byte_at(lx, lx->position + 1) == '/')
		lex_comment(lx);
	else if (c == '"')
		lex_string(lx);
	else if (is_digit(c))
		lex_number(lx, t->count > 0 && t->items[t->count - 1].kind == TOKEN_DOT);
	else if (lexer_is_name_byte(c))
		lex_name(lx);
	else
		lex_symbol(lx);
}

void lexer_run(struct tokens *tokens, const struct source *source, uint32_t start, uint32_t end, uint32_t line,
               struct program *program)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	*tokens = (struct tokens){0};
	struct lexer lx = {
	    .tokens = tokens, .source = source, .program = program, .position = start, .end = end, .line = line};
	if (program && end >= 3 && memcmp(source->bytes, byte_order_mark, 3) == 0)
		lx.position += 3;
	if (program)
		begin_line(&lx);
	while (lx.position < end) {
		unsigned char c = byte_at(&lx, lx.position);
		if (c == '\n') {
			lx.position++;
			lx.line++;
			begin_line(&lx);
		} else if (c == ' ' || c == '\t' || (c == '\r' && byte_at(&lx, lx.position + 1) == '\n')) {
			lx.position++;
		} else {
			lex_token(&lx);
		}
	}
	lx.line_begins = true;
	lx.indent = 0;
	add_token(&lx, TOKEN_END, end, end);
	string_map_free(&lx.map);
	free(lx.open);
}

void tokens_free(struct tokens *tokens)
{
	free(tokens->items);
	*tokens = (struct tokens){0};
}

/* ---- Problems ---- */

static void report_character(struct diagnostics *d, const struct source *source, struct span span)
{
	size_t size;
	int32_t c = utf8_decode(source->bytes + span.start, source->length - span.start, &size);
	if (c < 0x20 || c == 0x7f) {
		const char *what = c == 0      ? "a NUL byte"
		                   : c == '\r' ? "a carriage return without a newline"
		                               : "a control character";
		diagnostic_add(d, "E_LEX_CHARACTER", span, "%s (byte %d) cannot stand here", what, (int)c);
		return;
	}
	if (c >= 0x80) {
		diagnostic_hint(
		    d,
		    diagnostic_add(d, "E_LEX_CHARACTER", span, "the character U+%04X cannot stand here", (unsigned)c),
		    "names are ASCII letters, digits and `_`; other characters belong in strings and comments");
		return;
	}
	struct diagnostic *item =
	    diagnostic_add(d, "E_LEX_CHARACTER", span, "the character `%c` is no part of the language", (char)c);
	if (c == '\'')
		diagnostic_hint(d, item, "strings are written \"...\"");
	else if (c == '#')
		diagnostic_hint(d, item, "comments begin with `//`");
	else if (c == '^')
		diagnostic_hint(d, item, "powers are `a ** b`, exclusive or is `a.bxor(b)`");
}

void lexer_report(struct diagnostics *d, const struct source *source, const struct token *token)
{
	struct span span = {token->start, token->end};
	int n = (int)(span.end - span.start > 60 ? 60 : span.end - span.start);
	const char *bytes = source->bytes + span.start;
	switch ((enum lexer_problem)token->problem) {
	case PROBLEM_CHARACTER: report_character(d, source, span); break;
	case PROBLEM_UTF8: diagnostic_add(d, "E_LEX_UTF8", span, "this is not valid UTF-8"); break;
	case PROBLEM_NUMBER:
		diagnostic_hint(d, diagnostic_add(d, "E_LEX_NUMBER", span, "`%.*s` is not a number", n, bytes),
		                "numbers are written 42, 0xff, 1_000, 3.14, 1.0e-3");
		break;
	case PROBLEM_NUMBER_LARGE:
		diagnostic_hint(d, diagnostic_add(d, "E_LEX_NUMBER", span, "`%.*s` does not fit 64 bits", n, bytes),
		                "the largest Int is 9223372036854775807");
		break;
	case PROBLEM_STRING:
		diagnostic_hint(d,
		                diagnostic_add(d, "E_LEX_STRING", span, "this string has no closing `\"` on its line"),
		                "a newline inside a string is written \\n, a brace \\{");
		break;
	}
}
