/* `sspur explain`. */
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_explain.h"
#include "frontend/ssp/explain.h"
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
			if (strcmp(e->code, code) == 0)
				return e;
	return NULL;
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
			status = command_error("there is no code `%s`\nhint: `sspur explain` lists them", o->files[i]);
		}
	}
	return status;
}
