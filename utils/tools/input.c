/* Files in, diagnostics out. */
#include "utils/tools/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_ast.h"
#include "utils/base/file.h"
#include "utils/tools/package.h"

static void print_error(const char *format, va_list list)
{
	fflush(stdout);
	fputs("sspur: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
}

enum status command_error(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print_error(format, list);
	va_end(list);
	return STATUS_USAGE;
}

enum status command_error_hint(const char *hint, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print_error(format, list);
	va_end(list);
	fprintf(stderr, "hint: %s\n", hint);
	return STATUS_USAGE;
}

enum status command_check_files(struct file_roles *files, const char *hint)
{
	struct text error = {0};
	bool good = file_roles_check(files, &error);
	enum status status = good ? STATUS_OK : command_error_hint(hint, "%s", text_string(&error));
	text_free(&error);
	file_roles_free(files);
	return status;
}

enum status input_open(struct input *in, const char *path, enum input_depth depth)
{
	struct text bytes = {0}, error = {0};
	*in = (struct input){0};
	enum status status = STATUS_OK;
	if (package_is_named(path)) {
		status = command_error_hint("`sspur build`, `check` and `test` take the folder of a package",
		                            "%s is a folder, not a file", path);
	} else if (options_are_of_dispatch(path)) {
		status = command_error_hint("`sspur check`, `build`, and `run --kernel NAME` take it",
		                            "%s has kernels, and no program of SSPUR", path);
	} else if (!file_read_source(path, &bytes, &error)) {
		status = command_error("%s", text_string(&error));
	} else if (strcmp(path, "-") == 0 && cone_has_module_line(text_string(&bytes))) {
		status =
		    command_error_hint("Cone is read from a file whose name ends in .cone", "standard input is Cone");
	} else {
		source_init(&in->source, strcmp(path, "-") == 0 ? "<stdin>" : path, text_string(&bytes), bytes.length);
		in->diagnostics.source = &in->source;
		in->program = program_parse(&in->source, &in->diagnostics);
		in->program->allow_races = depth == INPUT_ALLOW_RACES;
		if (depth != INPUT_PARSE)
			program_analyze(in->program);
		status = in->diagnostics.error_count ? STATUS_FAILED : STATUS_OK;
	}
	text_free(&bytes);
	text_free(&error);
	return status;
}

void input_report(struct input *in)
{
	struct text out = {0};
	if (in->diagnostics.source)
		diagnostics_print(&in->diagnostics, &out);
	fflush(stdout);
	fwrite(text_string(&out), 1, out.length, stderr);
	text_free(&out);
}

void input_close(struct input *in)
{
	if (!in->program)
		return;
	program_free(in->program);
	diagnostics_free(&in->diagnostics);
	source_free(&in->source);
	*in = (struct input){0};
}
