/* `sspur fmt`. */
#include <stdio.h>
#include <string.h>

#include "utils/base/file.h"
#include "utils/tools/command.h"
#include "utils/tools/input.h"

/* Puts the formatted text where the options say; `path` is rewritten only if it changes. */
static enum status deliver(const struct options *o, const char *path, const struct source *source,
                           const struct text *formatted)
{
	bool same = formatted->length == source->length && memcmp(formatted->data, source->bytes, source->length) == 0;
	if (o->check) {
		if (!same)
			printf("%s\n", source->name);
		return same ? STATUS_OK : STATUS_FAILED;
	}
	if (o->to_stdout || strcmp(path, "-") == 0) {
		fwrite(text_string(formatted), 1, formatted->length, stdout);
		return STATUS_OK;
	}
	struct text error = {0};
	enum status status = STATUS_OK;
	if (!same && !file_write(path, formatted->data, formatted->length, &error))
		status = command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

static enum status format_file(const struct options *o, const char *path)
{
	struct input in;
	struct text formatted = {0};
	enum status status = input_open(&in, path, INPUT_PARSE);
	if (status == STATUS_FAILED)
		input_report(&in);
	if (status == STATUS_OK) {
		program_format(in.program, &formatted);
		status = deliver(o, path, &in.source, &formatted);
	}
	text_free(&formatted);
	input_close(&in);
	return status;
}

enum status command_fmt(const struct options *o)
{
	struct file_roles files = {0};
	for (int i = 0; i < o->file_count && !o->check && !o->to_stdout; i++)
		file_roles_add(&files, FILE_REWRITTEN, o->files[i], o->files[i]);
	enum status worst = command_check_files(&files, "name each file once; nothing is written");
	if (worst != STATUS_OK)
		return worst;
	for (int i = 0; i < o->file_count; i++) {
		enum status status = format_file(o, o->files[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}
