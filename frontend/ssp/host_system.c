/* Output, time, environment and files (spec 2.5). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "frontend/ssp/host_internal.h"
#include "utils/base/file.h"
#include "utils/base/source.h"

static bool write_line(struct task *t, FILE *file, struct value *a)
{
	pthread_mutex_lock(&t->host->output_lock);
	fwrite(a->string->bytes, 1, a->string->length, file);
	fputc('\n', file);
	pthread_mutex_unlock(&t->host->output_lock);
	return give(t, a, value_unit());
}

void output_flush(void)
{
	fflush(stdout);
}

bool builtin_log(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return write_line(t, stdout, a);
}

bool builtin_eprint(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	output_flush();
	return write_line(t, stderr, a);
}

/* ---- Time ---- */

static int64_t nanoseconds(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool builtin_mono_ns(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_int(nanoseconds(CLOCK_MONOTONIC)));
}

bool builtin_now_ms(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_int(nanoseconds(CLOCK_REALTIME) / 1000000));
}

/* 0 or less returns at once. */
bool builtin_sleep_ms(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	if (a->integer > 0) {
		output_flush();
		struct timespec rest = {.tv_sec = a->integer / 1000, .tv_nsec = a->integer % 1000 * 1000000};
		while (nanosleep(&rest, &rest))
			;
	}
	return give(t, a, value_unit());
}

/* ---- Environment ---- */

static struct value string_of(const char *s)
{
	struct text text = {0};
	text_add(&text, s);
	return string_from_text(&text);
}

bool builtin_args(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const struct host_options *options = t->host->options;
	struct value out = list_new(STORAGE_VALUE, options->argument_count);
	for (uint32_t i = 0; i < options->argument_count; i++)
		list_push(out.list, string_of(options->arguments[i]));
	return give(t, a, out);
}

bool builtin_env_var(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const char *s = getenv(a->string->bytes);
	return give(t, a, s ? wrapper_new(VALUE_SOME, string_of(s)) : value_none());
}

/* ---- Files: a pipe's other end may take its time ---- */

static bool give_error(struct task *t, struct value *a, struct text *error)
{
	return give(t, a, wrapper_new(VALUE_ERROR, string_from_text(error)));
}

static bool is_utf8(const struct text *text)
{
	for (size_t i = 0, size; i < text->length; i += size)
		if (utf8_decode(text->data + i, text->length - i, &size) < 0)
			return false;
	return true;
}

bool builtin_read_file(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct text bytes = {0}, error = {0};
	const char *path = a->string->bytes;
	output_flush();
	bool good = file_read(path, &bytes, &error);
	if (good && !is_utf8(&bytes)) {
		text_add_format(&error, "%s: not UTF-8 text", path);
		good = false;
	}
	if (good)
		return give(t, a, wrapper_new(VALUE_OK, string_from_text(&bytes)));
	text_free(&bytes);
	return give_error(t, a, &error);
}

bool builtin_read_bytes(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct text bytes = {0}, error = {0};
	output_flush();
	if (!file_read(a->string->bytes, &bytes, &error)) {
		text_free(&bytes);
		return give_error(t, a, &error);
	}
	struct value out = list_new(STORAGE_INT, (int64_t)bytes.length);
	for (size_t i = 0; i < bytes.length; i++)
		list_push(out.list, value_int((uint8_t)bytes.data[i]));
	text_free(&bytes);
	return give(t, a, wrapper_new(VALUE_OK, out));
}

static bool write_whole(struct task *t, struct value *a, const char *bytes, size_t length)
{
	struct text error = {0};
	output_flush();
	if (!file_write(a->string->bytes, bytes, length, &error))
		return give_error(t, a, &error);
	return give(t, a, wrapper_new(VALUE_OK, value_unit()));
}

bool builtin_write_file(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return write_whole(t, a, a[1].string->bytes, a[1].string->length);
}

/* An element that is no byte is an error of the write, and nothing is written. */
bool builtin_write_bytes(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const struct list *l = a[1].list;
	struct text bytes = {0}, error = {0};
	for (int64_t i = 0; i < l->count; i++) {
		int64_t v = list_item(l, i).integer;
		if (v < 0 || v > 255) {
			text_free(&bytes);
			text_add_format(&error, "%s: element %lld is not a byte (value = %lld)", a->string->bytes,
			                (long long)i, (long long)v);
			return give_error(t, a, &error);
		}
		text_add_char(&bytes, (char)v);
	}
	bool good = write_whole(t, a, bytes.data, bytes.length);
	text_free(&bytes);
	return good;
}
