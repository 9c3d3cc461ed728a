#include "runtime/json_reader.h"

#include <string.h>

enum { DEEPEST = 64 };

struct reader {
	struct arena *arena;
	const char *at, *end;
	uint32_t line, depth;
	struct text *error;
};

static bool read_value(struct reader *r, struct json_value *v);

static bool refuse(struct reader *r, const char *what)
{
	if (!r->error->length)
		text_add_format(r->error, "line %u: %s", r->line, what);
	return false;
}

static void skip_blanks(struct reader *r)
{
	for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
		r->line += *r->at == '\n';
}

static bool take(struct reader *r, char c)
{
	bool found = r->at < r->end && *r->at == c;
	r->at += found;
	return found;
}

/* ---- Strings ---- */

static bool read_hex(struct reader *r, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef";
		char c = r->at < r->end ? *r->at++ : 0;
		const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
		if (!found)
			return refuse(r, "four hexadecimal digits must follow \\u");
		*unit = *unit * 16 + (uint32_t)(found - digits);
	}
	return true;
}

static void add_code_point(struct text *out, uint32_t c)
{
	if (c < 0x80) {
		text_add_char(out, (char)c);
		return;
	}
	int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	text_add_char(out, (char)((0xf00 >> more) | (c >> (6 * more))));
	while (more--)
		text_add_char(out, (char)(0x80 | (c >> (6 * more) & 0x3f)));
}

static bool read_unicode(struct reader *r, struct text *out)
{
	uint32_t c, low;
	if (!read_hex(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00) {
		if (!take(r, '\\') || !take(r, 'u') || !read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
			return refuse(r, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	} else if (c >= 0xdc00 && c <= 0xdfff) {
		return refuse(r, "half of a surrogate pair");
	}
	if (!c)
		return refuse(r, "a zero byte in a string");
	add_code_point(out, c);
	return true;
}

static bool read_escape(struct reader *r, struct text *out)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = r->at < r->end ? *r->at++ : 0;
	if (c == 'u')
		return read_unicode(r, out);
	const char *found = c ? strchr(names, c) : NULL;
	if (!found)
		return refuse(r, "there is no such escape");
	text_add_char(out, meant[found - names]);
	return true;
}

/* After the opening quote. */
static bool read_characters(struct reader *r, struct text *out)
{
	while (r->at < r->end && *r->at != '"') {
		unsigned char c = (unsigned char)*r->at++;
		if (c < 0x20)
			return refuse(r, "a control character in a string");
		if (c != '\\')
			text_add_char(out, (char)c);
		else if (!read_escape(r, out))
			return false;
	}
	return take(r, '"') || refuse(r, "a string does not end");
}

static bool read_string(struct reader *r, const char **string)
{
	struct text out = {0};
	bool good = read_characters(r, &out);
	if (good)
		*string = arena_string_n(r->arena, text_string(&out), out.length);
	text_free(&out);
	return good;
}

/* ---- Numbers ---- */

static size_t skip_digits(struct reader *r)
{
	const char *start = r->at;
	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	return (size_t)(r->at - start);
}

static bool read_number(struct reader *r, struct json_value *v)
{
	v->kind = JSON_NUMBER;
	v->whole = !take(r, '-');
	const char *start = r->at;
	size_t digits = skip_digits(r);
	if (!digits || (digits > 1 && *start == '0'))
		return refuse(r, "a value was expected");
	for (size_t i = 0; i < digits; i++)
		v->whole &= !__builtin_mul_overflow(v->number, 10, &v->number) &&
		            !__builtin_add_overflow(v->number, (uint64_t)(start[i] - '0'), &v->number);
	if (take(r, '.')) {
		v->whole = false;
		if (!skip_digits(r))
			return refuse(r, "digits must follow the point");
	}
	if (take(r, 'e') || take(r, 'E')) {
		v->whole = false;
		if (!take(r, '+'))
			take(r, '-');
		if (!skip_digits(r))
			return refuse(r, "digits must follow the exponent");
	}
	return true;
}

/* ---- Values ---- */

/* One element or member. */
static bool read_item(struct reader *r, struct json_value *parent, struct json_value *item)
{
	skip_blanks(r);
	if (parent->kind == JSON_OBJECT) {
		if (!take(r, '"'))
			return refuse(r, "a member's name was expected");
		if (!read_string(r, &item->name))
			return false;
		skip_blanks(r);
		if (!take(r, ':'))
			return refuse(r, "`:` must follow a member's name");
	}
	bool good = read_value(r, item);
	skip_blanks(r);
	return good;
}

/* After the opening bracket. */
static bool read_items(struct reader *r, struct json_value *v, char close)
{
	struct json_value **link = &v->first;
	skip_blanks(r);
	if (take(r, close))
		return true;
	if (r->depth == DEEPEST)
		return refuse(r, "it is nested too deeply");
	r->depth++;
	do {
		*link = ARENA_NEW(r->arena, struct json_value);
		if (!read_item(r, v, *link))
			return false;
		link = &(*link)->next;
	} while (take(r, ','));
	r->depth--;
	return take(r, close) || refuse(r, close == ']' ? "`,` or `]` was expected" : "`,` or `}` was expected");
}

static bool take_word(struct reader *r, const char *word)
{
	size_t length = strlen(word);
	if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
		return false;
	r->at += length;
	return true;
}

static bool read_value(struct reader *r, struct json_value *v)
{
	skip_blanks(r);
	if (take(r, '{') || take(r, '[')) {
		v->kind = r->at[-1] == '{' ? JSON_OBJECT : JSON_ARRAY;
		return read_items(r, v, v->kind == JSON_OBJECT ? '}' : ']');
	}
	if (take(r, '"')) {
		v->kind = JSON_STRING;
		return read_string(r, &v->string);
	}
	v->kind = JSON_NULL;
	if (take_word(r, "null"))
		return true;
	v->kind = JSON_TRUE;
	if (take_word(r, "true"))
		return true;
	v->kind = JSON_FALSE;
	return take_word(r, "false") || read_number(r, v);
}

const struct json_value *json_read(struct arena *arena, const void *bytes, size_t size, struct text *error)
{
	struct reader r = {.arena = arena, .at = bytes, .end = (const char *)bytes + size, .line = 1, .error = error};
	struct json_value *v = ARENA_NEW(arena, struct json_value);
	if (!read_value(&r, v))
		return NULL;
	skip_blanks(&r);
	if (r.at == r.end)
		return v;
	refuse(&r, "something follows the document");
	return NULL;
}

/* ---- Asking ---- */

const struct json_value *json_member(const struct json_value *v, const char *name, enum json_kind kind)
{
	if (!v || v->kind != JSON_OBJECT)
		return NULL;
	for (const struct json_value *m = v->first; m; m = m->next)
		if (strcmp(m->name, name) == 0)
			return m->kind == kind ? m : NULL;
	return NULL;
}

const char *json_member_string(const struct json_value *v, const char *name)
{
	const struct json_value *m = json_member(v, name, JSON_STRING);
	return m ? m->string : NULL;
}

bool json_member_number(const struct json_value *v, const char *name, uint64_t most, uint64_t *number)
{
	const struct json_value *m = json_member(v, name, JSON_NUMBER);
	if (!m || !m->whole || m->number > most)
		return false;
	*number = m->number;
	return true;
}
