/* `sspur explain`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cone/cone_explain.h"
#include "frontend/ssp/explain.h"
#include "utils/base/arena.h"
#include "utils/base/plain_locale.h"
#include "utils/base/spelling.h"
#include "utils/tools/command.h"
#include "utils/tools/input.h"

/* Sentences, broken before column 100. */
static void print_wrapped(const char *sentences)
{
	size_t column = 0;
	while (*sentences) {
		size_t word = strcspn(sentences, " ");
		if (column && column + 1 + word > 100) {
			putchar('\n');
			column = 0;
		}
		printf("%s%.*s", column ? " " : "", (int)word, sentences);
		column += word + (column != 0);
		sentences += word;
		sentences += strspn(sentences, " ");
	}
	putchar('\n');
}

static void print_program(const char *title, const char *program)
{
	printf("\n%s:\n\n", title);
	while (*program) {
		size_t line = strcspn(program, "\n");
		printf(line ? "    %.*s\n" : "%.*s\n", (int)line, program);
		program += line + (program[line] == '\n');
	}
}

static void print_page(const struct explanation *e)
{
	printf("%s: %s\n\n", e->code, e->meaning);
	print_wrapped(e->why);
	if (!e->wrong)
		return;
	print_program("Wrong", e->wrong);
	print_program("Right", e->right);
}

/* Of SSPUR, then of Cone. */
static const struct explanation *const LISTS[] = {explanations, cone_explanations};
enum { LIST_COUNT = sizeof LISTS / sizeof *LISTS };

static void print_list(void)
{
	for (int i = 0; i < LIST_COUNT; i++)
		for (const struct explanation *e = LISTS[i]; e->code; e++)
			printf("%-20s %s\n", e->code, e->meaning);
}

/* NULL: there is no such code. */
static const struct explanation *page_of(const char *code)
{
	for (int i = 0; i < LIST_COUNT; i++)
		for (const struct explanation *e = LISTS[i]; e->code; e++)
			if (plain_is_alike(e->code, code))
				return e;
	return NULL;
}

static enum status refuse(const char *code)
{
	struct text hint = {0};
	size_t count = 0, n = 0;
	for (int i = 0; i < LIST_COUNT; i++)
		for (const struct explanation *e = LISTS[i]; e->code; e++)
			count++;
	const char **codes = memory_zeroed(count, sizeof *codes);
	for (int i = 0; i < LIST_COUNT; i++)
		for (const struct explanation *e = LISTS[i]; e->code; e++)
			codes[n++] = e->code;
	spelling_suggest(&hint, code, strlen(code), codes, count);
	text_add(&hint, "`sspur explain` lists them");
	enum status status = command_error_hint(text_string(&hint), "there is no code `%s`", code);
	free(codes);
	text_free(&hint);
	return status;
}

enum status command_explain(const struct options *o)
{
	enum status status = STATUS_OK;
	if (o->file_count == 0)
		print_list();
	for (int i = 0; i < o->file_count; i++) {
		const struct explanation *e = page_of(o->files[i]);
		if (e) {
			printf("%s", i ? "\n" : "");
			print_page(e);
		} else {
			status = refuse(o->files[i]);
		}
	}
	return status;
}
