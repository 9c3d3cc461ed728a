#include "utils/tools/toml.h"

#include <setjmp.h>
#include <string.h>

enum { DEPTH_MOST = 64 };

/* The one jump of this reader: all it makes is in the arena. */
struct reader {
	struct arena *arena;
	const char *bytes;
	uint32_t at, end;
	uint32_t depth;
	struct text *error;
	struct span *place;
	struct text string; /* the one being read */
	jmp_buf failed;
};

static _Noreturn void fail(struct reader *r, uint32_t from, uint32_t to, const char *why)
{
	to = to > r->end ? r->end : to;
	*r->place = (struct span){from, to > from ? to : from + (from < r->end)};
	text_add(r->error, why);
	longjmp(r->failed, 1);
}

static unsigned char peek(const struct reader *r, uint32_t ahead)
{
	return r->at + ahead < r->end ? (unsigned char)r->bytes[r->at + ahead] : 0;
}

static bool at_text(const struct reader *r, const char *text)
{
	size_t n = strlen(text);
	return r->end - r->at >= n && memcmp(r->bytes + r->at, text, n) == 0;
}

static void skip_blanks(struct reader *r)
{
	while (peek(r, 0) == ' ' || peek(r, 0) == '\t')
		r->at++;
}

static bool at_line_end(const struct reader *r)
{
	return r->at == r->end || peek(r, 0) == '\n' || (peek(r, 0) == '\r' && peek(r, 1) == '\n');
}

static void skip_comment(struct reader *r)
{
	skip_blanks(r);
	if (peek(r, 0) == '#')
		while (!at_line_end(r))
			r->at++;
}

static void end_line(struct reader *r)
{
	skip_comment(r);
	if (!at_line_end(r))
		fail(r, r->at, r->at + 1, "the line should end here");
	r->at += r->at == r->end ? 0 : peek(r, 0) == '\r' ? 2 : 1;
}

/* Blanks, comments and line ends: between the parts of an array. */
static void skip_lines(struct reader *r)
{
	for (;;) {
		skip_comment(r);
		if (r->at == r->end || !at_line_end(r))
			return;
		end_line(r);
	}
}

/* ---- Strings ---- */

static uint32_t hexadecimal(struct reader *r, uint32_t digits)
{
	uint32_t value = 0;
	for (uint32_t i = 0; i < digits; i++, r->at++) {
		unsigned char c = peek(r, 0);
		bool is_digit = c >= '0' && c <= '9';
		bool is_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
		if (!is_digit && !is_letter)
			fail(r, r->at, r->at + 1, "a hexadecimal digit is missing");
		value = value * 16 + (uint32_t)(is_digit ? c - '0' : (c | 32) - 'a' + 10);
	}
	return value;
}

static void read_escape(struct reader *r, struct text *out)
{
	static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
	uint32_t start = r->at++;
	unsigned char c = peek(r, 0);
	const char *known = c ? strchr(names, c) : NULL;
	r->at++;
	if (known) {
		text_add_char(out, values[known - names]);
		return;
	}
	if (c != 'u' && c != 'U')
		fail(r, start, start + 2, "there is no such escape");
	uint32_t code = hexadecimal(r, c == 'u' ? 4 : 8);
	char encoded[4];
	if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		fail(r, start, r->at, "this is no character");
	text_add_n(out, encoded, utf8_encode(encoded, code));
}

/* `\` at the end of a line of a """string""": blanks up to the next character are left out. */
static bool skip_folded(struct reader *r)
{
	uint32_t start = r->at++;
	skip_blanks(r);
	if (r->at < r->end && at_line_end(r)) {
		while (r->at < r->end && (peek(r, 0) == ' ' || peek(r, 0) == '\t' || at_line_end(r)))
			r->at++;
		return true;
	}
	r->at = start;
	return false;
}

static bool close_string(struct reader *r, const char *quotes, struct text *out)
{
	if (!at_text(r, quotes))
		return false;
	/* Up to two quotes may stand right before the three that end it. */
	for (int more = 0; quotes[1] && more < 2 && peek(r, 3) == (unsigned char)quotes[0]; more++) {
		text_add_char(out, quotes[0]);
		r->at++;
	}
	r->at += (uint32_t)strlen(quotes);
	return true;
}

static void read_string_into(struct reader *r, const char *quotes, struct text *out)
{
	uint32_t start = r->at;
	bool escapes = quotes[0] == '"', lines = quotes[1] != 0;
	r->at += (uint32_t)strlen(quotes);
	if (lines && r->at < r->end && at_line_end(r))
		r->at += peek(r, 0) == '\r' ? 2 : 1;
	while (!close_string(r, quotes, out)) {
		unsigned char c = peek(r, 0);
		if (r->at == r->end || (at_line_end(r) && !lines))
			fail(r, start, start + 1, "the string has no end");
		if (c == '\\' && escapes) {
			if (!lines || !skip_folded(r))
				read_escape(r, out);
			continue;
		}
		text_add_char(out, (char)c);
		r->at++;
	}
}

static const char *read_string(struct reader *r)
{
	const char *quotes = at_text(r, "\"\"\"") ? "\"\"\""
	                     : at_text(r, "'''")  ? "'''"
	                     : peek(r, 0) == '"'  ? "\""
	                                          : "'";
	text_clear(&r->string);
	read_string_into(r, quotes, &r->string);
	return arena_string_n(r->arena, text_string(&r->string), r->string.length);
}

/* ---- Numbers, truth and times ---- */

static bool is_digit_of(char c, int base)
{
	return base == 16  ? (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f')
	       : base == 8 ? c >= '0' && c <= '7'
	       : base == 2 ? c == '0' || c == '1'
	                   : c >= '0' && c <= '9';
}

/* The end of digits with single `_` between them; NULL: there are none. */
static const char *digits_end(const char *s, int base)
{
	if (!is_digit_of(*s, base))
		return NULL;
	for (;;) {
		if (is_digit_of(*s, base))
			s++;
		else if (*s == '_' && is_digit_of(s[1], base))
			s++;
		else
			return s;
	}
}

static bool is_whole(const char *s)
{
	int base = s[0] != '0' ? 10 : s[1] == 'x' ? 16 : s[1] == 'o' ? 8 : s[1] == 'b' ? 2 : 10;
	if (base == 10) {
		s += *s == '+' || *s == '-';
		if (s[0] == '0')
			return s[1] == 0;
	} else {
		s += 2;
	}
	const char *end = digits_end(s, base);
	return end && *end == 0;
}

static bool is_float(const char *s)
{
	s += *s == '+' || *s == '-';
	if (strcmp(s, "inf") == 0 || strcmp(s, "nan") == 0)
		return true;
	const char *end = digits_end(s, 10);
	if (!end || (*s == '0' && end != s + 1))
		return false;
	if (*end == '.')
		end = digits_end(end + 1, 10);
	if (end && (*end == 'e' || *end == 'E')) {
		end++;
		end = digits_end(end + (*end == '+' || *end == '-'), 10);
	}
	return end && *end == 0;
}

/* The end of what has the form, in which 0 is a digit; NULL: it has not. */
static const char *matches(const char *s, const char *form)
{
	for (; *form; form++, s++)
		if (*form == '0' ? !is_digit_of(*s, 10) : *s != *form)
			return NULL;
	return s;
}

static int two_digits(const char *s)
{
	return (s[0] - '0') * 10 + s[1] - '0';
}

static const char *time_end(const char *s)
{
	const char *end = matches(s, "00:00:00");
	if (!end || two_digits(s) > 23 || two_digits(s + 3) > 59 || two_digits(s + 6) > 60)
		return NULL;
	if (*end != '.')
		return end;
	const char *fraction = ++end;
	while (is_digit_of(*end, 10))
		end++;
	return end == fraction ? NULL : end;
}

static bool is_time(const char *s)
{
	static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const char *end = matches(s, "0000-00-00");
	if (!end) {
		end = time_end(s);
		return end && *end == 0;
	}
	int month = two_digits(s + 5), day = two_digits(s + 8);
	int year = two_digits(s) * 100 + two_digits(s + 2);
	bool is_long = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	if (month < 1 || month > 12 || day < 1 || day > days[month - 1] || (month == 2 && day == 29 && !is_long))
		return false;
	if (*end == 0)
		return true;
	end = *end == 'T' || *end == 't' || *end == ' ' ? time_end(end + 1) : NULL;
	if (!end || *end == 0 || strcmp(end, "Z") == 0 || strcmp(end, "z") == 0)
		return end;
	const char *zone = end + 1;
	end = *end == '+' || *end == '-' ? matches(zone, "00:00") : NULL;
	return end && *end == 0 && two_digits(zone) < 24 && two_digits(zone + 3) < 60;
}

static bool is_word(unsigned char c)
{
	return c && (is_digit_of((char)c, 10) || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("+-_.:", c));
}

static struct toml_value *new_value(struct reader *r, enum toml_kind kind, uint32_t start)
{
	struct toml_value *v = ARENA_NEW(r->arena, struct toml_value);
	v->kind = kind;
	v->span = (struct span){start, r->at};
	v->names.arena = r->arena;
	return v;
}

static struct toml_value *read_word(struct reader *r)
{
	uint32_t start = r->at;
	while (is_word(peek(r, 0)))
		r->at++;
	/* A date and a time may have a blank between them. */
	if (r->at - start == 10 && peek(r, 0) == ' ' && is_digit_of((char)peek(r, 1), 10) && peek(r, 3) == ':')
		for (r->at++; is_word(peek(r, 0));)
			r->at++;
	const char *word = arena_string_n(r->arena, r->bytes + start, r->at - start);
	if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		return new_value(r, TOML_BOOL, start);
	if (is_whole(word))
		return new_value(r, TOML_INTEGER, start);
	if (is_float(word))
		return new_value(r, TOML_FLOAT, start);
	if (is_time(word))
		return new_value(r, TOML_TIME, start);
	fail(r, start, r->at, *word ? "this is no value: text stands in quotes" : "a value is missing");
}

/* ---- Keys ---- */

struct key {
	const char *text;
	struct span span;
};

static struct key read_key(struct reader *r)
{
	struct key key = {.span = {r->at, r->at}};
	unsigned char c = peek(r, 0);
	if (at_text(r, "\"\"\"") || at_text(r, "'''"))
		fail(r, r->at, r->at + 3, "a key is written on one line");
	if (c == '"' || c == '\'') {
		key.text = read_string(r);
	} else {
		while (is_word(peek(r, 0)) && !strchr("+.:", peek(r, 0)))
			r->at++;
		if (r->at == key.span.start)
			fail(r, r->at, r->at + 1, "a key is missing");
		key.text = arena_string_n(r->arena, r->bytes + key.span.start, r->at - key.span.start);
	}
	key.span.end = r->at;
	skip_blanks(r);
	return key;
}

static bool accept(struct reader *r, char c)
{
	if (peek(r, 0) != (unsigned char)c)
		return false;
	r->at++;
	skip_blanks(r);
	return true;
}

static struct toml_entry *add_entry(struct reader *r, struct toml_value *table, struct key key,
                                    struct toml_value *value)
{
	struct toml_entry *entry = ARENA_NEW(r->arena, struct toml_entry);
	*entry = (struct toml_entry){key.text, key.span, value};
	*(struct toml_entry **)ARENA_PUSH(r->arena, table->entries, table->entry_count, table->entry_capacity) = entry;
	table_set(&table->names, key.text, entry);
	return entry;
}

static _Noreturn void fail_twice(struct reader *r, struct key key)
{
	fail(r, key.span.start, key.span.end, "this stands there already");
}

static struct toml_value *read_value(struct reader *r);

/* a.b = value */
static void read_pair(struct reader *r, struct toml_value *table)
{
	uint32_t depth = 0;
	struct key key = read_key(r);
	while (accept(r, '.')) {
		if (++depth > DEPTH_MOST)
			fail(r, r->at, r->at + 1, "tables are nested too deep");
		struct toml_entry *entry = toml_find(table, key.text);
		if (!entry) {
			entry = add_entry(r, table, key, new_value(r, TOML_TABLE, key.span.start));
			entry->value->is_dotted = true;
		} else if (!entry->value->is_dotted || entry->value->is_closed) {
			fail_twice(r, key);
		}
		table = entry->value;
		key = read_key(r);
	}
	if (!accept(r, '='))
		fail(r, r->at, r->at + 1, "`=` is missing");
	if (toml_find(table, key.text))
		fail_twice(r, key);
	struct toml_value *value = read_value(r);
	add_entry(r, table, key, value);
}

static void close_tables(struct toml_value *table)
{
	table->is_closed = true;
	for (uint32_t i = 0; i < table->entry_count; i++)
		if (table->entries[i]->value->kind == TOML_TABLE)
			close_tables(table->entries[i]->value);
}

static struct toml_value *read_inline_table(struct reader *r)
{
	struct toml_value *table = new_value(r, TOML_TABLE, r->at);
	r->at++;
	skip_blanks(r);
	if (!accept(r, '}')) {
		do {
			read_pair(r, table);
			skip_blanks(r);
		} while (accept(r, ','));
		if (peek(r, 0) != '}')
			fail(r, r->at, r->at + 1, "`}` or `,` is missing");
		r->at++;
	}
	table->span.end = r->at;
	close_tables(table);
	return table;
}

static struct toml_value *read_array(struct reader *r)
{
	struct toml_value *array = new_value(r, TOML_ARRAY, r->at);
	array->is_closed = true;
	r->at++;
	for (skip_lines(r); peek(r, 0) != ']'; skip_lines(r)) {
		*(struct toml_value **)ARENA_PUSH(r->arena, array->items, array->item_count, array->item_capacity) =
		    read_value(r);
		skip_lines(r);
		if (peek(r, 0) == ',')
			r->at++;
		else if (peek(r, 0) != ']')
			fail(r, r->at, r->at + 1, "`]` or `,` is missing");
	}
	array->span.end = ++r->at;
	return array;
}

static struct toml_value *read_value(struct reader *r)
{
	struct toml_value *value;
	uint32_t start = r->at;
	unsigned char c = peek(r, 0);
	if (++r->depth > DEPTH_MOST)
		fail(r, r->at, r->at + 1, "values are nested too deep");
	if (c == '"' || c == '\'') {
		const char *text = read_string(r);
		value = new_value(r, TOML_STRING, start);
		value->text = text;
	} else if (c == '[') {
		value = read_array(r);
	} else if (c == '{') {
		value = read_inline_table(r);
	} else {
		value = read_word(r);
	}
	r->depth--;
	return value;
}

/* ---- Headers ---- */

/* What stands under a key of a header that goes on: a table, or the last of an array of tables. */
static struct toml_value *enter(struct reader *r, struct toml_value *table, struct key key)
{
	struct toml_entry *entry = toml_find(table, key.text);
	if (!entry)
		return add_entry(r, table, key, new_value(r, TOML_TABLE, key.span.start))->value;
	struct toml_value *value = entry->value;
	if (value->kind == TOML_ARRAY && !value->is_closed)
		value = value->items[value->item_count - 1];
	if (value->kind != TOML_TABLE || value->is_closed)
		fail_twice(r, key);
	return value;
}

static struct toml_value *add_table(struct reader *r, struct toml_value *table, struct key key)
{
	struct toml_entry *entry = toml_find(table, key.text);
	if (!entry)
		entry = add_entry(r, table, key, new_value(r, TOML_TABLE, key.span.start));
	else if (entry->value->kind != TOML_TABLE || entry->value->is_header || entry->value->is_dotted ||
	         entry->value->is_closed)
		fail_twice(r, key);
	entry->span = key.span;
	entry->value->is_header = true;
	return entry->value;
}

static struct toml_value *add_table_to_array(struct reader *r, struct toml_value *table, struct key key)
{
	struct toml_entry *entry = toml_find(table, key.text);
	struct toml_value *item = new_value(r, TOML_TABLE, key.span.start);
	if (!entry)
		entry = add_entry(r, table, key, new_value(r, TOML_ARRAY, key.span.start));
	else if (entry->value->kind != TOML_ARRAY || entry->value->is_closed)
		fail_twice(r, key);
	struct toml_value *array = entry->value;
	*(struct toml_value **)ARENA_PUSH(r->arena, array->items, array->item_count, array->item_capacity) = item;
	item->is_header = true;
	return item;
}

static struct toml_value *read_header(struct reader *r, struct toml_value *root)
{
	uint32_t depth = 0;
	bool of_array = at_text(r, "[[");
	r->at += of_array ? 2 : 1;
	skip_blanks(r);
	struct toml_value *table = root;
	struct key key = read_key(r);
	for (; accept(r, '.'); key = read_key(r)) {
		if (++depth > DEPTH_MOST)
			fail(r, r->at, r->at + 1, "tables are nested too deep");
		table = enter(r, table, key);
	}
	if (!at_text(r, of_array ? "]]" : "]"))
		fail(r, r->at, r->at + 1, of_array ? "`]]` is missing" : "`]` is missing");
	r->at += of_array ? 2 : 1;
	return of_array ? add_table_to_array(r, table, key) : add_table(r, table, key);
}

/* ---- The file ---- */

/* UTF-8, and no control characters but those of lines and tabs. */
static void check_bytes(struct reader *r)
{
	for (uint32_t i = 0; i < r->end;) {
		size_t size;
		int32_t c = utf8_decode(r->bytes + i, r->end - i, &size);
		if (c < 0)
			fail(r, i, i + 1, "this is not UTF-8");
		bool is_line_end = c == '\n' || (c == '\r' && i + 1 < r->end && r->bytes[i + 1] == '\n');
		if ((c < 32 && c != '\t' && !is_line_end) || c == 127)
			fail(r, i, i + 1, "a control character stands here");
		i += (uint32_t)size;
	}
}

static struct toml_value *read_file(struct reader *r)
{
	check_bytes(r);
	struct toml_value *root = new_value(r, TOML_TABLE, 0), *table = root;
	if (at_text(r, "\xef\xbb\xbf"))
		r->at += 3;
	for (skip_lines(r); r->at < r->end; skip_lines(r)) {
		if (peek(r, 0) == '[')
			table = read_header(r, root);
		else
			read_pair(r, table);
		end_line(r);
	}
	return root;
}

struct toml_value *toml_read(struct arena *arena, const struct source *source, struct span *place, struct text *error)
{
	struct reader r = {
	    .arena = arena, .bytes = source->bytes, .end = (uint32_t)source->length, .error = error, .place = place};
	struct reader *reader = &r;
	struct toml_value *volatile root = NULL;
	if (!setjmp(r.failed))
		root = read_file(reader);
	text_free(&reader->string);
	return root;
}

struct toml_entry *toml_find(const struct toml_value *table, const char *key)
{
	return table_get(&table->names, key);
}

const char *toml_kind_text(enum toml_kind kind)
{
	switch (kind) {
	case TOML_STRING: return "a string";
	case TOML_INTEGER: return "an integer";
	case TOML_FLOAT: return "a float";
	case TOML_BOOL: return "true or false";
	case TOML_TIME: return "a date or time";
	case TOML_ARRAY: return "a list";
	case TOML_TABLE: return "a table";
	}
	return "";
}
