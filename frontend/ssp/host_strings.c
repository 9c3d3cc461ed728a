/* Methods of Str (spec 2.5). */
#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_internal.h"
#include "utils/base/plain_locale.h"
#include "utils/base/source.h"

bool builtin_any_str(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	if (a->kind == VALUE_STRING)
		return true;
	struct text out = {0};
	value_print(&out, *a, false);
	return give(t, a, string_from_text(&out));
}

bool builtin_str_len(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_int((int64_t)utf8_count(a->string->bytes, a->string->length)));
}

static void split_code_points(struct list *out, const struct string *s)
{
	for (size_t i = 0, size; i < s->length; i += size) {
		utf8_decode(s->bytes + i, s->length - i, &size);
		list_push(out, string_new(s->bytes + i, size));
	}
}

static void split_at(struct list *out, const struct string *s, const struct string *separator)
{
	size_t start = 0;
	for (;;) {
		const char *found = memmem(s->bytes + start, s->length - start, separator->bytes, separator->length);
		size_t end = found ? (size_t)(found - s->bytes) : s->length;
		list_push(out, string_new(s->bytes + start, end - start));
		if (!found)
			return;
		start = end + separator->length;
	}
}

/* By an empty separator: into code points. */
bool builtin_str_split(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct value out = list_new(STORAGE_VALUE, 0);
	if (a[1].string->length == 0)
		split_code_points(out.list, a[0].string);
	else
		split_at(out.list, a[0].string, a[1].string);
	return give(t, a, out);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Of ASCII white space. */
bool builtin_str_trim(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const char *first = a->string->bytes, *end = first + a->string->length;
	while (first < end && is_space(*first))
		first++;
	while (end > first && is_space(end[-1]))
		end--;
	return give(t, a, string_new(first, (size_t)(end - first)));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

/* Bytes of s make one number of the whole string: no NUL inside. */
static bool ends_at(const struct string *s, const char *p)
{
	return p == s->bytes + s->length;
}

/* An optional `-`, then digits alone, in Int's range. */
bool builtin_str_to_int(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const struct string *s = a->string;
	const char *digits = s->bytes + (s->bytes[0] == '-');
	if (!is_digit(*digits) || !ends_at(s, skip_digits(digits)))
		return give(t, a, value_none());
	errno = 0;
	long long v = strtoll(s->bytes, NULL, 10);
	return give(t, a, errno ? value_none() : wrapper_new(VALUE_SOME, value_int(v)));
}

/* An optional `-`, digits, optionally a point and digits, optionally an exponent; or what F64s print as: `NaN`,
 * `inf`, `-inf`. */
static bool is_real(const struct string *s)
{
	const char *p = s->bytes + (s->bytes[0] == '-');
	if (strcmp(p, "inf") == 0 || strcmp(s->bytes, "NaN") == 0)
		return ends_at(s, p + 3);
	if (!is_digit(*p))
		return false;
	p = skip_digits(p);
	if (*p == '.' && !is_digit(*++p))
		return false;
	p = skip_digits(p);
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		if (!is_digit(*p))
			return false;
		p = skip_digits(p);
	}
	return ends_at(s, p);
}

bool builtin_str_to_f64(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	if (!is_real(a->string))
		return give(t, a, value_none());
	return give(t, a, wrapper_new(VALUE_SOME, value_f64(plain_read_f64(a->string->bytes, NULL))));
}
