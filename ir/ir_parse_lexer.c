#include "ir/ir_parse_lexer.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int hex_value(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Skips blanks and comments (`;` or `//` to the line's end); true if a newline was among them. */
static bool skip_blanks(struct ir_lexer *lexer)
{
	const char *bytes = lexer->source->bytes;
	size_t length = lexer->source->length, at = lexer->offset;
	bool newline = at == 0;
	for (; at < length; at++) {
		if (bytes[at] == '\n')
			newline = true;
		else if (bytes[at] == ';' || (bytes[at] == '/' && bytes[at + 1] == '/'))
			while (at + 1 < length && bytes[at + 1] != '\n')
				at++;
		else if (bytes[at] != ' ' && bytes[at] != '\t' && bytes[at] != '\r')
			break;
	}
	lexer->offset = at;
	return newline;
}

static size_t skip_word(const char *bytes, size_t at)
{
	while (is_letter(bytes[at]) || is_digit(bytes[at]))
		at++;
	while (bytes[at] == '.' && is_digit(bytes[at + 1]))
		for (at++; is_digit(bytes[at]);)
			at++;
	return at;
}

static size_t skip_number(const char *bytes, size_t at)
{
	if (bytes[at] == '-')
		at++;
	while (is_letter(bytes[at]) || is_digit(bytes[at]) || bytes[at] == '.' ||
	       ((bytes[at] == '+' || bytes[at] == '-') && (bytes[at - 1] == 'e' || bytes[at - 1] == 'E')))
		at++;
	return at;
}

/* Decodes the string that starts at the quote; false when it is not one. */
static bool lex_string(struct ir_lexer *lexer, struct ir_token *token)
{
	const char *bytes = lexer->source->bytes;
	size_t length = lexer->source->length, at = lexer->offset + 1, n = 0;
	size_t end = at;
	while (end < length && bytes[end] != '"' && bytes[end] != '\n')
		end += bytes[end] == '\\' && end + 1 < length ? 2 : 1;
	char *text = arena_alloc(lexer->arena, end - at + 1);
	bool sound = true;
	while (at < length && bytes[at] != '"' && bytes[at] != '\n') {
		char c = bytes[at++];
		if (c == '\\' && at < length) {
			c = bytes[at++];
			if (c == 'x' && at + 1 < length && hex_value(bytes[at]) >= 0 && hex_value(bytes[at + 1]) >= 0) {
				c = (char)(hex_value(bytes[at]) * 16 + hex_value(bytes[at + 1]));
				at += 2;
			} else if (c == 'n') {
				c = '\n';
			} else if (c != '"' && c != '\\') {
				sound = false;
			}
		}
		sound = sound && c != 0;
		text[n++] = c;
	}
	sound = sound && at < length && bytes[at] == '"';
	lexer->offset = at < length && bytes[at] == '"' ? at + 1 : at;
	token->kind = IR_TOKEN_STRING;
	token->text = text;
	return sound;
}

static bool read_u32(const char *bytes, size_t *at, uint32_t *value)
{
	uint64_t n = 0;
	size_t start = *at;
	for (; is_digit(bytes[*at]) && n <= UINT32_MAX; (*at)++)
		n = n * 10 + (uint64_t)(bytes[*at] - '0');
	*value = (uint32_t)n;
	return *at > start && n <= UINT32_MAX;
}

static bool lex_place(struct ir_lexer *lexer, struct ir_token *token)
{
	const char *bytes = lexer->source->bytes;
	size_t at = lexer->offset + 1;
	token->kind = IR_TOKEN_PLACE;
	bool sound = read_u32(bytes, &at, &token->place.line) && bytes[at] == ':';
	if (sound) {
		at++;
		sound = read_u32(bytes, &at, &token->place.column);
	}
	if (sound && bytes[at] == '@') {
		at++;
		sound = read_u32(bytes, &at, &token->place.file);
	}
	lexer->offset = at;
	return sound;
}

static void take_text(struct ir_lexer *lexer, struct ir_token *token, enum ir_token_kind kind, size_t start, size_t end)
{
	token->kind = kind;
	token->text = arena_string_n(lexer->arena, lexer->source->bytes + start, end - start);
	lexer->offset = end;
}

/* One token at a byte that is not blank; false when there is none, or not a sound one. */
static bool lex_one(struct ir_lexer *lexer, struct ir_token *token)
{
	const char *bytes = lexer->source->bytes;
	size_t at = lexer->offset;
	char c = bytes[at];
	if (c == '"')
		return lex_string(lexer, token);
	if (c == '!')
		return lex_place(lexer, token);
	if (is_letter(c)) {
		take_text(lexer, token, IR_TOKEN_WORD, at, skip_word(bytes, at));
		return true;
	}
	if (is_digit(c) || (c == '-' && (is_digit(bytes[at + 1]) || is_letter(bytes[at + 1])))) {
		take_text(lexer, token, IR_TOKEN_NUMBER, at, skip_number(bytes, at));
		return true;
	}
	if (c == '%' && (is_letter(bytes[at + 1]) || is_digit(bytes[at + 1]))) {
		take_text(lexer, token, IR_TOKEN_VALUE, at + 1, skip_word(bytes, at + 1));
		return true;
	}
	size_t size;
	utf8_decode(bytes + at, lexer->source->length - at, &size);
	lexer->offset = at + size;
	token->kind = IR_TOKEN_MARK;
	token->mark = c;
	return c != 0 && strchr("(){}[],:=&.@", c) != NULL;
}

struct ir_token ir_lex(struct ir_lexer *lexer)
{
	bool starts_line = false;
	for (;;) {
		starts_line |= skip_blanks(lexer);
		struct ir_token token = {.starts_line = starts_line};
		token.span.start = (uint32_t)lexer->offset;
		if (lexer->offset >= lexer->source->length) {
			token.starts_line = true;
			token.span.end = token.span.start;
			return token;
		}
		char c = lexer->source->bytes[lexer->offset];
		bool sound = lex_one(lexer, &token);
		token.span.end = (uint32_t)lexer->offset;
		if (sound)
			return token;
		if (lexer->errors++ < IR_PARSE_ERRORS)
			diagnostic_add(lexer->diagnostics, "E_KIR_LEX", token.span, "%s",
			               c == '"' ? "not a string: it ends on its line, with escapes \\\", \\\\, \\n and "
			                          "\\xHH other than \\x00"
			               : c == '!' ? "not a place: write !LINE:COLUMN or !LINE:COLUMN@FILE"
			                          : "not a character of the text form");
	}
}
