#include "frontend/cone/cone_lexer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const spellings[CONE_TOKEN_COUNT] = {
#define WORD(id, spelling) [CONE_TOKEN_##id] = spelling,
#define SYMBOL(id, spelling) [CONE_TOKEN_##id] = spelling,
#include "frontend/cone/cone_tokens.def"
#undef WORD
#undef SYMBOL
};

enum { FIRST_WORD = CONE_TOKEN_STRING + 1, FIRST_SYMBOL = CONE_TOKEN_SHIFT_LEFT_ASSIGN, FAULT_LIMIT = 100 };

static const struct {
	uint16_t first, last;
	bool digits;
} letters[] = {
#define LETTERS(first, last) {first, last, false},
#define DIGITS(first, last) {first, last, true},
#include "frontend/cone/cone_letters.def"
#undef LETTERS
#undef DIGITS
};

const char *cone_token_spelling(enum cone_token_kind kind)
{
	return spellings[kind];
}

bool cone_token_is_word(enum cone_token_kind kind)
{
	return (int)kind >= FIRST_WORD && (int)kind < FIRST_SYMBOL;
}

unsigned char cone_lexer_byte(const struct cone_lexer *lexer, uint32_t offset)
{
	return offset < lexer->end ? (unsigned char)lexer->bytes[offset] : 0;
}

struct cone_token *cone_lexer_add(struct cone_lexer *lexer, enum cone_token_kind kind, uint32_t start, uint32_t end)
{
	struct cone_tokens *t = lexer->tokens;
	struct cone_token *token = ARENA_PUSH(lexer->arena, t->items, t->count, t->capacity);
	*token = (struct cone_token){.start = start,
	                             .end = end,
	                             .indent = lexer->indent,
	                             .kind = (uint8_t)kind,
	                             .first = lexer->line_begins,
	                             .after_fault = lexer->fault};
	lexer->line_begins = lexer->fault = false;
	lexer->position = end;
	return token;
}

void cone_lexer_fault(struct cone_lexer *lexer, const char *code, uint32_t start, uint32_t end, const char *format, ...)
{
	struct diagnostics *d = &lexer->file->diagnostics;
	lexer->fault = true;
	if (d->error_count >= FAULT_LIMIT)
		return;
	struct text message = {0};
	va_list args;
	va_start(args, format);
	text_add_format_v(&message, format, args);
	va_end(args);
	diagnostic_add(d, code, (struct span){start, end}, "%s", text_string(&message));
	text_free(&message);
}

/* ---- Names ---- */

static bool is_letter(int32_t c, bool first)
{
	size_t low = 0, high = sizeof letters / sizeof *letters;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (c > letters[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof letters / sizeof *letters && c >= letters[low].first && !(first && letters[low].digits);
}

uint32_t cone_lexer_name_end(const struct cone_lexer *lexer, uint32_t offset)
{
	uint32_t at = offset;
	while (at < lexer->end) {
		unsigned char c = (unsigned char)lexer->bytes[at];
		bool first = at == offset;
		size_t size = 1;
		if (c >= 0x80) {
			if (!is_letter(utf8_decode(lexer->bytes + at, lexer->end - at, &size), first))
				break;
		} else if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_' &&
		           (first || !((c >= '0' && c <= '9') || c == '$'))) {
			break;
		}
		at += (uint32_t)size;
	}
	return at;
}

static void lex_name(struct cone_lexer *lexer, uint32_t end)
{
	uint32_t start = lexer->position;
	unsigned char quote = cone_lexer_byte(lexer, end);
	if (end == start + 1 && lexer->bytes[start] == 'r' && (quote == '"' || quote == '`')) {
		cone_literal_string(lexer, true);
		return;
	}
	const char *name = lexer->bytes + start;
	uintptr_t word = (uintptr_t)table_get_n(&lexer->words, name, end - start);
	enum cone_token_kind kind = word ? (enum cone_token_kind)word : CONE_TOKEN_NAME;
	if (end == start + 1 && *name == '_')
		kind = CONE_TOKEN_UNDERSCORE;
	struct cone_token *token = cone_lexer_add(lexer, kind, start, end);
	token->text = arena_string_n(lexer->arena, name, end - start);
}

static void lex_quoted_name(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position, at = start + 1;
	while (cone_lexer_byte(lexer, at) > ' ' && lexer->bytes[at] != '`')
		at++;
	if (cone_lexer_byte(lexer, at) != '`' || at == start + 1) {
		cone_lexer_fault(lexer, "1001", start, at,
		                 "a name in backticks ends with a backtick and has no blanks");
		lexer->position = at > start + 1 || cone_lexer_byte(lexer, at) != '`' ? at : at + 1;
		return;
	}
	struct cone_token *token = cone_lexer_add(lexer, CONE_TOKEN_NAME, start, at + 1);
	token->quoted = true;
	token->text = arena_string_n(lexer->arena, lexer->bytes + start + 1, at - start - 1);
}

static void lex_attribute(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position, end = cone_lexer_name_end(lexer, start + 1);
	if (end == start + 1) {
		cone_lexer_fault(lexer, "1001", start, end, "`@` stands directly before the name of an attribute");
		lexer->position = end;
		return;
	}
	struct cone_token *token = cone_lexer_add(lexer, CONE_TOKEN_ATTRIBUTE, start, end);
	token->text = arena_string_n(lexer->arena, lexer->bytes + start + 1, end - start - 1);
}

/* `#word` is metaprogramming: the rest of its line is skipped. */
static void lex_hash(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position, end = cone_lexer_name_end(lexer, start + 1);
	cone_lexer_fault(lexer, "1065", start, end, "`%.*s` is not in the kernel subset: its line is skipped",
	                 end - start > 40 ? 40 : (int)(end - start), lexer->bytes + start);
	const char *newline = memchr(lexer->bytes + start, '\n', lexer->end - start);
	lexer->position = newline ? (uint32_t)(newline - lexer->bytes) : lexer->end;
}

/* ---- Symbols ---- */

static void pair_brackets(struct cone_lexer *lexer, enum cone_token_kind kind)
{
	struct cone_token *items = lexer->tokens->items;
	uint32_t index = lexer->tokens->count - 1;
	if (kind == CONE_TOKEN_OPEN_PARENTHESIS || kind == CONE_TOKEN_OPEN_BRACKET || kind == CONE_TOKEN_OPEN_BRACE)
		*ARENA_PUSH(lexer->arena, lexer->open, lexer->open_count, lexer->open_capacity) = index;
	if (kind != CONE_TOKEN_CLOSE_PARENTHESIS && kind != CONE_TOKEN_CLOSE_BRACKET && kind != CONE_TOKEN_CLOSE_BRACE)
		return;
	/* A brace closes what is open inside its block. */
	while (kind == CONE_TOKEN_CLOSE_BRACE && lexer->open_count &&
	       items[lexer->open[lexer->open_count - 1]].kind != CONE_TOKEN_OPEN_BRACE)
		lexer->open_count--;
	if (lexer->open_count && items[lexer->open[lexer->open_count - 1]].kind == kind - 1)
		items[lexer->open[--lexer->open_count]].match = index;
}

static void lex_unknown(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position;
	size_t size;
	int32_t c = utf8_decode(lexer->bytes + start, lexer->end - start, &size);
	lexer->position += (uint32_t)size;
	lexer->fault = true;
	if (c > ' ' && c < 0x7f)
		cone_lexer_fault(lexer, "1001", start, lexer->position, "the character `%c` cannot stand here",
		                 (char)c);
	else if (c >= 0)
		cone_lexer_fault(lexer, "1001", start, lexer->position, "the character U+%04X cannot stand here",
		                 (unsigned)c);
}

static void lex_symbol(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position;
	for (int i = FIRST_SYMBOL; i < CONE_TOKEN_COUNT; i++) {
		size_t n = strlen(spellings[i]);
		if (n > lexer->end - start || memcmp(spellings[i], lexer->bytes + start, n) != 0)
			continue;
		cone_lexer_add(lexer, (enum cone_token_kind)i, start, start + (uint32_t)n);
		pair_brackets(lexer, (enum cone_token_kind)i);
		return;
	}
	lex_unknown(lexer);
}

/* ---- Comments and lines ---- */

static void begin_line(struct cone_lexer *lexer)
{
	uint32_t at = lexer->position;
	while (cone_lexer_byte(lexer, at) == ' ' || cone_lexer_byte(lexer, at) == '\t')
		at++;
	lexer->indent = at - lexer->position;
	lexer->line_begins = true;
}

static void skip_block_comment(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position, at = start + 2, depth = 1;
	bool lines = false;
	while (at < lexer->end && depth) {
		unsigned char c = (unsigned char)lexer->bytes[at], next = cone_lexer_byte(lexer, at + 1);
		bool opens = c == '/' && next == '*', closes = c == '*' && next == '/';
		depth += opens;
		depth -= closes;
		lines |= c == '\n';
		at += opens || closes ? 2 : 1;
	}
	if (depth)
		cone_lexer_fault(lexer, "1001", start, start + 2, "this comment has no `*/`");
	lexer->position = at;
	lexer->line_begins |= lines;
}

static void lex_token(struct cone_lexer *lexer)
{
	uint32_t at = lexer->position, name_end;
	unsigned char c = (unsigned char)lexer->bytes[at], next = cone_lexer_byte(lexer, at + 1);
	if (c == '/' && next == '/') {
		const char *newline = memchr(lexer->bytes + at, '\n', lexer->end - at);
		lexer->position = newline ? (uint32_t)(newline - lexer->bytes) : lexer->end;
	} else if (c == '/' && next == '*') {
		skip_block_comment(lexer);
	} else if (c >= '0' && c <= '9') {
		cone_literal_number(lexer);
	} else if (c == '"') {
		cone_literal_string(lexer, false);
	} else if (c == '\'') {
		cone_literal_char_or_label(lexer);
	} else if (c == '`') {
		lex_quoted_name(lexer);
	} else if (c == '@') {
		lex_attribute(lexer);
	} else if (c == '#') {
		lex_hash(lexer);
	} else if ((name_end = cone_lexer_name_end(lexer, at)) > at) {
		lex_name(lexer, name_end);
	} else {
		lex_symbol(lexer);
	}
}

/* All of the file, comments and strings too: one report a run of bytes that are no text. */
static void check_utf8(struct cone_lexer *lexer)
{
	size_t size;
	for (uint32_t at = 0; at < lexer->end; at += (uint32_t)size) {
		if ((unsigned char)lexer->bytes[at] < 0x80) {
			size = 1;
			continue;
		}
		uint32_t start = at;
		while (at < lexer->end && utf8_decode(lexer->bytes + at, lexer->end - at, &size) < 0)
			at++;
		if (at > start)
			cone_lexer_fault(lexer, "1001", start, at, "this is not valid UTF-8");
		if (at >= lexer->end)
			break;
	}
	lexer->fault = false;
}

void cone_lexer_run(struct cone_tokens *tokens, struct cone_file *file, struct arena *arena)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const struct source *source = &file->source;
	const char *nul = memchr(source->bytes, 0, source->length);
	*tokens = (struct cone_tokens){0};
	struct cone_lexer lexer = {.tokens = tokens,
	                           .file = file,
	                           .arena = arena,
	                           .bytes = source->bytes,
	                           .end = (uint32_t)(nul ? (size_t)(nul - source->bytes) : source->length),
	                           .words.arena = arena};
	for (uintptr_t i = FIRST_WORD; i < FIRST_SYMBOL; i++)
		table_set(&lexer.words, spellings[i], (void *)i);
	check_utf8(&lexer);
	if (lexer.end >= 3 && memcmp(lexer.bytes, byte_order_mark, 3) == 0)
		lexer.position = 3;
	begin_line(&lexer);
	while (lexer.position < lexer.end) {
		unsigned char c = (unsigned char)lexer.bytes[lexer.position];
		if (c > ' ') {
			lex_token(&lexer);
			continue;
		}
		lexer.position++;
		if (c == '\n')
			begin_line(&lexer);
	}
	lexer.line_begins = true;
	lexer.indent = 0;
	cone_lexer_add(&lexer, CONE_TOKEN_END, lexer.end, lexer.end);
}
