#define _GNU_SOURCE /* strtod_l, strtof_l */
#include "utils/base/plain_locale.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made once; a thread that comes second frees its own. */
static locale_t plain(void)
{
	static _Atomic(locale_t) made;
	locale_t locale = atomic_load(&made), none = (locale_t)0;
	if (locale)
		return locale;
	locale = newlocale(LC_ALL_MASK, "C", none);
	if (!locale) {
		fputs("sspur: out of memory\n", stderr);
		exit(3);
	}
	if (atomic_compare_exchange_strong(&made, &none, locale))
		return locale;
	freelocale(locale);
	return none;
}

double plain_read_f64(const char *text, const char **end)
{
	char *rest;
	double v = strtod_l(text, &rest, plain());
	if (end)
		*end = rest;
	return v;
}

float plain_read_f32(const char *text, const char **end)
{
	char *rest;
	float v = strtof_l(text, &rest, plain());
	if (end)
		*end = rest;
	return v;
}

/* printf has no form that takes a locale: the thread's is changed for the time of the call. */
void plain_print(char *out, size_t size, enum plain_form form, int precision, double v)
{
	locale_t before = uselocale(plain());
	switch (form) {
	case PLAIN_FIXED: snprintf(out, size, "%.*f", precision, v); break;
	case PLAIN_EXPONENT: snprintf(out, size, "%.*e", precision, v); break;
	case PLAIN_GENERAL: snprintf(out, size, "%.*g", precision, v); break;
	case PLAIN_HEXADECIMAL: snprintf(out, size, "%.*a", precision, v); break;
	}
	uselocale(before);
}

const char *plain_error_text(int number)
{
	return strerror_l(number, plain());
}

static char small(char c)
{
	return plain_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

bool plain_is_alike(const char *a, const char *b)
{
	while (*a && small(*a) == small(*b))
		a++, b++;
	return !*a && !*b;
}
