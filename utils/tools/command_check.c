/* `sspur check`. */
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_ast.h"
#include "utils/tools/command.h"
#include "utils/tools/input.h"

/* Appends the elements of one JSON array to another. */
static void join_arrays(struct text *all, const struct text *one)
{
	const char *open = strchr(text_string(one), '['), *close = strrchr(text_string(one), ']');
	size_t blank = strspn(open + 1, " \n");
	if (open + 1 + blank == close)
		return;
	text_add(all, all->length ? ",\n" : "");
	text_add_n(all, open + 1 + blank, (size_t)(close - open - 1) - blank);
	while (all->length && (all->data[all->length - 1] == '\n' || all->data[all->length - 1] == ' '))
		all->data[--all->length] = 0;
}

static void add_json(struct text *all, struct diagnostics *d)
{
	struct text one = {0};
	diagnostics_print_json(d, &one);
	join_arrays(all, &one);
	text_free(&one);
}

static bool is_cone(const char *path)
{
	size_t length = strlen(path);
	return length > 5 && strcmp(path + length - 5, ".cone") == 0;
}

static enum status check_cone(const struct options *o, const char *path, struct text *json)
{
	struct text text = {0};
	struct cone_program *p =
	    cone_program_open(path, o->packages, (uint32_t)o->package_count, o->old_spellings, &text);
	if (!p) {
		enum status status = command_error("%s", text_string(&text));
		text_free(&text);
		return status;
	}
	bool good = cone_analyze(p, true);
	for (uint32_t i = 0; o->json && i < p->file_count; i++)
		add_json(json, &p->files[i]->diagnostics);
	if (!o->json)
		cone_print_diagnostics(p, &text);
	fflush(stdout);
	fwrite(text_string(&text), 1, text.length, stderr);
	text_free(&text);
	cone_program_free(p);
	return good ? STATUS_OK : STATUS_FAILED;
}

enum status command_check(const struct options *o)
{
	enum status worst = STATUS_OK;
	struct text json = {0};
	for (int i = 0; i < o->file_count; i++) {
		if (is_cone(o->files[i])) {
			enum status of_cone = check_cone(o, o->files[i], &json);
			worst = of_cone > worst ? of_cone : worst;
			continue;
		}
		struct input in;
		enum status status = input_open(&in, o->files[i], INPUT_ANALYZE);
		if (!o->json) {
			input_report(&in);
		} else if (in.program) {
			add_json(&json, &in.diagnostics);
		}
		input_close(&in);
		worst = status > worst ? status : worst;
	}
	if (o->json)
		printf(json.length ? "[\n%s\n]\n" : "[]\n", text_string(&json));
	text_free(&json);
	return worst;
}
