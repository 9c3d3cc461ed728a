/* `sspur check`. */
#include <stdio.h>
#include <string.h>

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

enum status command_check(const struct options *o)
{
	enum status worst = STATUS_OK;
	struct text json = {0};
	for (int i = 0; i < o->file_count; i++) {
		struct input in;
		enum status status = input_open(&in, o->files[i], INPUT_ANALYZE);
		if (!o->json) {
			input_report(&in);
		} else if (in.program) {
			struct text one = {0};
			diagnostics_print_json(&in.diagnostics, &one);
			join_arrays(&json, &one);
			text_free(&one);
		}
		input_close(&in);
		worst = status > worst ? status : worst;
	}
	if (o->json)
		printf(json.length ? "[\n%s\n]\n" : "[]\n", text_string(&json));
	text_free(&json);
	return worst;
}
