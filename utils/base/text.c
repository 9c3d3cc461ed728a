#include "utils/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/arena.h"
#include "utils/base/source.h"

/* Makes room for n more bytes and the closing NUL. */
static void reserve(struct text *t, size_t n)
{
	size_t needed;
	if (__builtin_add_overflow(t->length, n, &needed) || __builtin_add_overflow(needed, 1, &needed))
		needed = SIZE_MAX; /* memory_resize reports it */
	if (needed <= t->capacity)
		return;
	size_t capacity = t->capacity ? t->capacity : 64;
	while (capacity < needed)
		capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
	t->data = memory_resize(t->data, capacity);
	t->capacity = capacity;
}

void text_add(struct text *t, const char *s)
{
	text_add_n(t, s, strlen(s));
}

void text_add_n(struct text *t, const void *bytes, size_t n)
{
	reserve(t, n);
	if (n)
		memcpy(t->data + t->length, bytes, n);
	t->length += n;
	t->data[t->length] = 0;
}

void text_add_char(struct text *t, char c)
{
	reserve(t, 1);
	t->data[t->length++] = c;
	t->data[t->length] = 0;
}

void text_add_repeat(struct text *t, char c, size_t n)
{
	reserve(t, n);
	memset(t->data + t->length, c, n);
	t->length += n;
	t->data[t->length] = 0;
}

void text_add_format(struct text *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	text_add_format_v(t, format, args);
	va_end(args);
}

void text_add_format_v(struct text *t, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	reserve(t, 0);
	size_t room = t->capacity - t->length;
	int n = vsnprintf(t->data + t->length, room, format, args);
	if (n > 0 && (size_t)n >= room) {
		reserve(t, (size_t)n);
		vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
	}
	va_end(again);
	if (n > 0)
		t->length += (size_t)n;
	t->data[t->length] = 0;
}

void text_add_json(struct text *t, const char *s, size_t n)
{
	text_add_char(t, '"');
	for (size_t i = 0, size; i < n; i += size) {
		int32_t c = utf8_decode(s + i, n - i, &size);
		switch (c) {
		case '"': text_add(t, "\\\""); break;
		case '\\': text_add(t, "\\\\"); break;
		case '\n': text_add(t, "\\n"); break;
		case '\r': text_add(t, "\\r"); break;
		case '\t': text_add(t, "\\t"); break;
		case -1: text_add(t, "\\ufffd"); break;
		default:
			if (c < 0x20 || c == 0x7f)
				text_add_format(t, "\\u%04x", (unsigned)c);
			else
				text_add_n(t, s + i, size);
		}
	}
	text_add_char(t, '"');
}

const char *text_string(const struct text *t)
{
	return t->data ? t->data : "";
}

char *text_take(struct text *t)
{
	reserve(t, 0);
	t->data[t->length] = 0;
	char *data = t->data;
	*t = (struct text){0};
	return data;
}

void text_clear(struct text *t)
{
	t->length = 0;
	if (t->data)
		t->data[0] = 0;
}

void text_free(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}
