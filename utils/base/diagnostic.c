#include "utils/base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/excerpt.h"

/* "1262" and "W1209": Cone's codes are numbers. Gives the number, or NULL. */
static const char *code_number(const char *code)
{
	const char *number = code + (*code == 'W');
	return *number >= '0' && *number <= '9' ? number : NULL;
}

struct diagnostic *diagnostic_add(struct diagnostics *d, const char *code, struct span span, const char *format, ...)
{
	if (span.end < span.start)
		span.end = span.start;
	char *key = arena_format(&d->arena, "%s %u %u", code, (unsigned)span.start, (unsigned)span.end);
	d->seen.arena = &d->arena;
	/* The value is the index from 1: the items move when they grow. */
	uintptr_t index = (uintptr_t)table_get(&d->seen, key);
	if (index)
		return &d->items[index - 1];

	struct text message = {0};
	va_list args;
	va_start(args, format);
	text_add_format_v(&message, format, args);
	va_end(args);
	struct diagnostic *item = ARENA_PUSH(&d->arena, d->items, d->count, d->capacity);
	bool warning = strncmp(code, "W_", 2) == 0 || (*code == 'W' && code_number(code));
	item->severity = warning ? SEVERITY_WARNING : SEVERITY_ERROR;
	item->code = arena_string(&d->arena, code);
	item->span = span;
	item->message = arena_string_n(&d->arena, text_string(&message), message.length);
	text_free(&message);
	d->error_count += item->severity == SEVERITY_ERROR;
	table_set(&d->seen, key, (void *)(uintptr_t)d->count);
	return item;
}

void diagnostic_hint(struct diagnostics *d, struct diagnostic *item, const char *format, ...)
{
	struct text hint = {0};
	va_list args;
	va_start(args, format);
	text_add_format_v(&hint, format, args);
	va_end(args);
	item->hint = arena_string_n(&d->arena, text_string(&hint), hint.length);
	text_free(&hint);
}

static const char *severity_name(enum severity severity)
{
	switch (severity) {
	case SEVERITY_ERROR: return "error";
	case SEVERITY_WARNING: return "warning";
	}
	return "";
}

/* Pointers into one array, so comparing them keeps the order in which equal places were reported. */
static int compare(const void *a, const void *b)
{
	const struct diagnostic *x = *(const struct diagnostic *const *)a, *y = *(const struct diagnostic *const *)b;
	if (x->span.start != y->span.start)
		return x->span.start < y->span.start ? -1 : 1;
	return (x > y) - (x < y);
}

/* The caller frees. */
static const struct diagnostic **sorted(const struct diagnostics *d)
{
	const struct diagnostic **order = memory_zeroed(d->count, sizeof *order);
	for (size_t i = 0; i < d->count; i++)
		order[i] = &d->items[i];
	qsort(order, d->count, sizeof *order, compare);
	return order;
}

static void print_one(const struct source *source, const struct diagnostic *item, struct text *out)
{
	if (source) {
		struct place place = source_place(source, item->span.start);
		text_add_format(out, "%s:%u:%u: ", source->name, (unsigned)place.line, (unsigned)place.column);
	}
	const char *number = code_number(item->code);
	if (number)
		text_add_format(out, "%s %s: ", item->severity == SEVERITY_ERROR ? "Error" : "Warning", number);
	else
		text_add_format(out, "%s: ", severity_name(item->severity));
	excerpt_add_plain(out, item->message, strlen(item->message));
	if (!number)
		text_add_format(out, " [%s]", item->code);
	text_add_char(out, '\n');
	if (source)
		excerpt_add(out, source, item->span);
	if (item->hint) {
		text_add(out, "hint: ");
		excerpt_add_plain(out, item->hint, strlen(item->hint));
		text_add_char(out, '\n');
	}
}

void diagnostics_print(struct diagnostics *d, struct text *out)
{
	const struct diagnostic **order = sorted(d);
	for (size_t i = 0; i < d->count; i++)
		print_one(d->source, order[i], out);
	free(order);
}

static void print_one_json(const struct source *source, const struct diagnostic *item, struct text *out)
{
	struct place start = {0}, end = {0};
	const char *name = "";
	if (source) {
		start = source_place(source, item->span.start);
		end = source_place(source, item->span.end);
		name = source->name;
	}
	text_add(out, "{\"file\": ");
	text_add_json(out, name, strlen(name));
	text_add_format(out, ", \"line\": %u, \"column\": %u, \"endLine\": %u, \"endColumn\": %u", (unsigned)start.line,
	                (unsigned)start.column, (unsigned)end.line, (unsigned)end.column);
	text_add_format(out, ", \"severity\": \"%s\", \"code\": \"%s\", \"message\": ", severity_name(item->severity),
	                item->code);
	text_add_json(out, item->message, strlen(item->message));
	text_add(out, ", \"hint\": ");
	if (item->hint)
		text_add_json(out, item->hint, strlen(item->hint));
	else
		text_add(out, "null");
	text_add_char(out, '}');
}

void diagnostics_print_json(struct diagnostics *d, struct text *out)
{
	const struct diagnostic **order = sorted(d);
	text_add_char(out, '[');
	for (size_t i = 0; i < d->count; i++) {
		text_add(out, i ? ",\n  " : "\n  ");
		print_one_json(d->source, order[i], out);
	}
	text_add(out, d->count ? "\n]\n" : "]\n");
	free(order);
}

void diagnostics_free(struct diagnostics *d)
{
	arena_free(&d->arena);
	d->items = NULL;
	d->count = d->capacity = d->error_count = 0;
	d->seen = (struct table){0};
}
