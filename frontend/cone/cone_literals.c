#include <string.h>

#include "frontend/cone/cone_lexer.h"

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hex digit, or -1. */
static int hex_digit(unsigned char c)
{
	if (is_digit(c))
		return c - '0';
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* ---- Numbers ---- */

struct suffix {
	const char *written, *type;
	bool floats;
};

static const struct suffix suffixes[] = {
    {"i8", "i8", false},       {"i16", "i16", false},     {"i32", "i32", false}, {"i64", "i64", false},
    {"isize", "isize", false}, {"u8", "u8", false},       {"u16", "u16", false}, {"u32", "u32", false},
    {"u64", "u64", false},     {"usize", "usize", false}, {"u", "u32", false},   {"i", "i32", false},
    {"f", "f32", true},        {"f32", "f32", true},      {"d", "f64", true},    {"f64", "f64", true},
};

static const struct suffix *find_suffix(const struct cone_lexer *lexer, uint32_t start, uint32_t end)
{
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (strlen(suffixes[i].written) == end - start &&
		    memcmp(suffixes[i].written, lexer->bytes + start, end - start) == 0)
			return &suffixes[i];
	return NULL;
}

static uint32_t skip_digits(const struct cone_lexer *lexer, uint32_t at, bool hex)
{
	while (cone_lexer_byte(lexer, at) == '_' ||
	       (hex ? hex_digit(cone_lexer_byte(lexer, at)) >= 0 : is_digit(cone_lexer_byte(lexer, at))))
		at++;
	return at;
}

/* False over 64 bits. */
static bool integer_value(const struct cone_lexer *lexer, uint32_t start, uint32_t end, unsigned base, uint64_t *value)
{
	*value = 0;
	for (uint32_t i = start; i < end; i++) {
		if (lexer->bytes[i] == '_')
			continue;
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)hex_digit((unsigned char)lexer->bytes[i]), value))
			return false;
	}
	return true;
}

static const char *digits_text(const struct cone_lexer *lexer, uint32_t start, uint32_t end)
{
	char *text = arena_alloc(lexer->arena, end - start + 1);
	uint32_t n = 0;
	for (uint32_t i = start; i < end; i++)
		if (lexer->bytes[i] != '_')
			text[n++] = lexer->bytes[i];
	return text;
}

/* The end of a float's point and exponent; `at` itself where there is neither. */
static uint32_t skip_fraction(const struct cone_lexer *lexer, uint32_t at)
{
	if (cone_lexer_byte(lexer, at) == '.' && cone_lexer_byte(lexer, at + 1) != '.')
		at = skip_digits(lexer, at + 1, false);
	if ((cone_lexer_byte(lexer, at) | 0x20) == 'e') {
		unsigned char sign = cone_lexer_byte(lexer, at + 1);
		uint32_t digits = at + 1 + (sign == '+' || sign == '-');
		if (is_digit(cone_lexer_byte(lexer, digits)))
			at = skip_digits(lexer, digits, false);
	}
	return at;
}

void cone_literal_number(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position;
	bool hex = lexer->bytes[start] == '0' && (cone_lexer_byte(lexer, start + 1) | 0x20) == 'x' &&
	           (cone_lexer_byte(lexer, start + 2) == '_' || hex_digit(cone_lexer_byte(lexer, start + 2)) >= 0);
	uint32_t digits = hex ? start + 2 : start, whole = skip_digits(lexer, digits, hex);
	uint32_t end = hex ? whole : skip_fraction(lexer, whole), word = end;
	while (is_digit(cone_lexer_byte(lexer, word)))
		word++;
	word = cone_lexer_name_end(lexer, word);
	const struct suffix *suffix = find_suffix(lexer, end, word);
	/* `3.x` is the float 3. and a name, which the parser does not expect there. */
	bool name_follows = !suffix && word > end && end == whole + 1 && lexer->bytes[whole] == '.';
	if (word > end && !name_follows && (!suffix || (hex && suffix->floats) || (end > whole && !suffix->floats))) {
		cone_lexer_fault(lexer, "1001", start, word, "`%.*s` is no number: there is no suffix `%.*s` for it",
		                 word - start > 40 ? 40 : (int)(word - start), lexer->bytes + start,
		                 word - end > 40 ? 40 : (int)(word - end), lexer->bytes + end);
		cone_lexer_add(lexer, CONE_TOKEN_INTEGER, start, word);
		return;
	}
	bool is_float = end > whole || (suffix && suffix->floats);
	uint64_t value = 0;
	if (!is_float && !integer_value(lexer, digits, whole, hex ? 16 : 10, &value))
		cone_lexer_fault(lexer, "1082", start, word, "the number is over 64 bits");
	const char *text = is_float ? digits_text(lexer, start, end) : NULL;
	enum cone_token_kind kind = is_float ? CONE_TOKEN_FLOAT : CONE_TOKEN_INTEGER;
	struct cone_token *token = cone_lexer_add(lexer, kind, start, suffix ? word : end);
	token->text = text;
	token->number = value;
	token->suffix = suffix ? suffix->type : NULL;
}

/* ---- Escapes ---- */

static bool is_code_point(uint32_t c)
{
	return c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

/* At a backslash. Gives what follows it; *byte: of `\x`, a byte of a string. */
static uint32_t read_escape(struct cone_lexer *lexer, uint32_t *at, bool *byte)
{
	static const char names[] = "abfnrtv\\'\"0", values[] = "\a\b\f\n\r\t\v\\'\"";
	uint32_t start = *at;
	unsigned char c = cone_lexer_byte(lexer, start + 1);
	const char *found = c ? strchr(names, c) : NULL;
	*byte = c == 'x';
	*at = start + 2 < lexer->end ? start + 2 : lexer->end;
	if (found && c == '0' && is_digit(cone_lexer_byte(lexer, *at)))
		cone_lexer_fault(lexer, "1001", start, *at + 1, "`\\0` may not be followed by a digit");
	if (found)
		return (unsigned char)values[found - names];
	uint32_t count = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0, value = 0;
	for (uint32_t i = 0; i < count; i++, ++*at) {
		int digit = hex_digit(cone_lexer_byte(lexer, *at));
		if (digit < 0) {
			cone_lexer_fault(lexer, "1001", start, *at, "`\\%c` takes %u hex digits", c, (unsigned)count);
			return '?';
		}
		value = value << 4 | (uint32_t)digit;
	}
	if (!count || !is_code_point(value)) {
		cone_lexer_fault(lexer, "1001", start, *at,
		                 count ? "there is no such character" : "there is no such escape");
		/* The rest of a character beyond ASCII. */
		while (*at < lexer->end && (lexer->bytes[*at] & 0xc0) == 0x80)
			++*at;
		return '?';
	}
	return value;
}

/* ---- Characters and labels ---- */

void cone_literal_char_or_label(struct cone_lexer *lexer)
{
	uint32_t start = lexer->position, at = start + 1, name_end = cone_lexer_name_end(lexer, at), value;
	bool was = lexer->fault, byte;
	size_t size = 1;
	lexer->fault = false;
	if (cone_lexer_byte(lexer, at) == '\\') {
		value = read_escape(lexer, &at, &byte);
	} else {
		int32_t c = at < lexer->end ? utf8_decode(lexer->bytes + at, lexer->end - at, &size) : -1;
		value = c < 0 ? 0xfffd : (uint32_t)c;
		at += (uint32_t)size;
	}
	bool is_newline = cone_lexer_byte(lexer, start + 1) == '\n';
	if (cone_lexer_byte(lexer, at) == '\'' && !is_newline) {
		lexer->fault = was;
		cone_lexer_add(lexer, CONE_TOKEN_CHAR, start, at + 1)->number = value;
	} else if (name_end > start + 1) {
		lexer->fault = was;
		struct cone_token *token = cone_lexer_add(lexer, CONE_TOKEN_LABEL, start, name_end);
		token->text = arena_string_n(lexer->arena, lexer->bytes + start + 1, name_end - start - 1);
	} else {
		if (!lexer->fault)
			cone_lexer_fault(lexer, "1001", start, start + 1,
			                 "neither a character nor a label: `'a'`, `'name`");
		lexer->position = start + 1 + (cone_lexer_byte(lexer, start + 1) == '\'');
	}
}

/* ---- Strings ---- */

static bool begins_with(const struct cone_lexer *lexer, uint32_t at, const char *quote, uint32_t n)
{
	return lexer->end >= at && lexer->end - at >= n && memcmp(lexer->bytes + at, quote, n) == 0;
}

static uint32_t line_end(const struct cone_lexer *lexer, uint32_t at)
{
	const char *newline = memchr(lexer->bytes + at, '\n', lexer->end - at);
	return newline ? (uint32_t)(newline - lexer->bytes) : lexer->end;
}

void cone_literal_string(struct cone_lexer *lexer, bool raw)
{
	uint32_t start = lexer->position, quote_at = start + raw;
	const char *quote = lexer->bytes + quote_at;
	uint32_t n = begins_with(lexer, quote_at, "\"\"\"", 3) ? 3 : 1;
	/* The end first, so that a string without one is reported alone. */
	uint32_t close = quote_at + n;
	while (close < lexer->end && !begins_with(lexer, close, quote, n))
		close += !raw && lexer->bytes[close] == '\\' ? 2 : 1;
	if (close >= lexer->end) {
		/* A second one: what is a string and what is not can no longer be told. */
		uint32_t end = lexer->open_string ? lexer->end : line_end(lexer, start);
		lexer->open_string = true;
		cone_lexer_fault(lexer, "1001", start, quote_at + n, "this string has no closing `%.*s`", (int)n,
		                 quote);
		cone_lexer_add(lexer, CONE_TOKEN_STRING, start, end)->text = "";
		return;
	}
	char *text = arena_alloc(lexer->arena, close - quote_at + 1);
	uint64_t length = 0;
	bool was = lexer->fault;
	for (uint32_t at = quote_at + n; at < close;) {
		bool byte = true;
		if (raw || lexer->bytes[at] != '\\') {
			text[length++] = lexer->bytes[at++];
			continue;
		}
		uint32_t value = read_escape(lexer, &at, &byte);
		if (byte)
			text[length++] = (char)value;
		else
			length += utf8_encode(text + length, value);
	}
	lexer->fault = was; /* what is wrong inside a string leaves it a string */
	struct cone_token *token = cone_lexer_add(lexer, CONE_TOKEN_STRING, start, close + n);
	token->text = text;
	token->number = length;
}
