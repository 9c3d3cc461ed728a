/* `sspur check`. */
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_ast.h"
#include "utils/tools/command.h"
#include "utils/tools/input.h"
#include "utils/tools/kernel_input.h"
#include "utils/tools/package.h"
#include "utils/tools/race_proofs.h"

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

/* Of a file without errors. */
static void prove(const struct options *o, const struct ir_module *m, const struct cone_program *program,
                  const char *path, struct text *json)
{
	struct text text = {0};
	if (!o->prove)
		return;
	if (o->json)
		race_proofs_print_json(m, program, path, json);
	else
		race_proofs_print(m, program, path, &text);
	fwrite(text_string(&text), 1, text.length, stdout);
	text_free(&text);
}

/* Of Cone and of kernel IR. */
static enum status check_kernels(const struct options *o, const char *path, struct text *json)
{
	struct kernel_input k;
	enum status status = kernel_input_open(&k, path, o, false);
	if (!o->json)
		kernel_input_report(&k);
	else if (k.cone)
		for (uint32_t i = 0; i < k.cone->file_count; i++)
			add_json(json, &k.cone->files[i]->diagnostics);
	else if (k.diagnostics.source)
		add_json(json, &k.diagnostics);
	if (status == STATUS_OK)
		prove(o, k.module, k.cone, path, json);
	kernel_input_close(&k);
	return status;
}

static enum status check_program(const struct options *o, const char *path, struct text *json)
{
	struct input in;
	enum status status = input_open(&in, path, INPUT_ANALYZE);
	if (!o->json)
		input_report(&in);
	else if (in.program)
		add_json(json, &in.diagnostics);
	if (status == STATUS_OK)
		prove(o, in.program->module, NULL, in.source.name, json);
	input_close(&in);
	return status;
}

/* Of one package that another is built with, or of it. */
static void report_package(const struct options *o, struct cone_program *p, const char *name, struct text *json)
{
	struct text text = {0};
	for (uint32_t i = 0; o->json && i < p->file_count; i++)
		add_json(json, &p->files[i]->diagnostics);
	if (!o->json)
		cone_print_diagnostics(p, &text);
	fflush(stdout);
	fwrite(text_string(&text), 1, text.length, stderr);
	text_free(&text);
	if (!cone_error_count(p))
		prove(o, p->module, p, name, json);
}

enum status command_check(const struct options *o)
{
	enum status worst = STATUS_OK;
	struct text json = {0};
	for (int i = 0; i < o->file_count; i++) {
		const char *path = o->files[i];
		bool kernels = options_are_of_dispatch(path);
		enum status status = package_is_named(path) ? package_check(o, path, &json, report_package)
		                                            : (kernels ? check_kernels : check_program)(o, path, &json);
		worst = status > worst ? status : worst;
	}
	if (o->json)
		printf(json.length ? "[\n%s\n]\n" : "[]\n", text_string(&json));
	text_free(&json);
	return worst;
}
