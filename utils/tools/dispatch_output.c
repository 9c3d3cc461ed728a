/* What a dispatch leaves: `--print NAME` and `--save NAME=PATH`. */
#include "utils/tools/dispatch_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/base/file.h"
#include "utils/base/plain_locale.h"
#include "utils/tools/input.h"
#include "utils/tools/npy.h"
#include "utils/tools/value_text.h"

enum { PRINT_BYTES = 1 << 16 }; /* printed at once */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), n = strlen(end);
	return length > n && strcmp(text + length - n, end) == 0;
}

/* ---- Before ---- */

static enum status check_name(const struct dispatch_data *d, const char *option, const char *text, size_t length)
{
	const struct ir_kernel *k = d->kernel;
	uint32_t i = dispatch_parameter(k, text, length);
	if (i < k->parameter_count && k->parameters[i].kind == IR_PARAMETER_BUFFER)
		return STATUS_OK;
	struct text hint = {0};
	if (i == k->parameter_count)
		dispatch_suggest_parameter(&hint, k, IR_PARAMETER_BUFFER, text, length);
	text_add_format(&hint, "slices of %s:", k->name);
	dispatch_list_parameters(&hint, k, IR_PARAMETER_BUFFER);
	enum status status =
	    command_error_hint(text_string(&hint), "%s %s: %s", option, text,
	                       i == k->parameter_count ? "the kernel has no such parameter" : "this is no slice");
	text_free(&hint);
	return status;
}

static enum status check_path(const char *option, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat found;
	struct text folder = {0};
	enum status status = STATUS_OK;
	text_add_n(&folder, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
	if (!ends_with(path, ".npy") && !ends_with(path, ".bin"))
		status = command_error_hint("`NAME=PATH.npy` is for NumPy, `NAME=PATH.bin` the bytes alone",
		                            "--save %s: the file is neither .npy nor .bin", option);
	else if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
		status = command_error_hint("name a file in it", "--save %s: it is a folder", option);
	else if (access(text_string(&folder), W_OK | X_OK) != 0)
		status = command_error_hint("the folder is to be there before", "--save %s: %s: %s", option,
		                            text_string(&folder), plain_error_text(errno));
	text_free(&folder);
	return status;
}

static enum status check_save(const struct dispatch_data *d, const char *option)
{
	const char *equals = strchr(option, '=');
	if (!equals || !equals[1])
		return command_error_hint("`--save NAME=PATH.npy`", "--save %s: there is no file", option);
	enum status status = check_name(d, "--save", option, (size_t)(equals - option));
	return status == STATUS_OK ? check_path(option, equals + 1) : status;
}

enum status dispatch_output_check(const struct dispatch_data *d, const struct options *o)
{
	enum status status = STATUS_OK;
	for (int i = 0; i < o->prints.count && status == STATUS_OK; i++)
		status = check_name(d, "--print", o->prints.items[i], strlen(o->prints.items[i]));
	for (int i = 0; i < o->saves.count && status == STATUS_OK; i++)
		status = check_save(d, o->saves.items[i]);
	return status;
}

/* ---- After ---- */

static void print(const struct dispatch_data *d, const char *name)
{
	uint32_t i = dispatch_parameter(d->kernel, name, strlen(name));
	const struct ir_type *type = d->kernel->parameters[i].type;
	const struct dispatch_argument *a = &d->arguments[i];
	struct text out = {0};
	text_add_format(&out, "%s:", name);
	for (uint64_t n = 0; n < a->length; n++) {
		text_add_char(&out, ' ');
		value_text_print(&out, type, a->bytes + n * type->size);
		if (out.length < PRINT_BYTES)
			continue;
		fwrite(out.data, 1, out.length, stdout);
		text_clear(&out);
	}
	text_add_char(&out, '\n');
	fwrite(out.data, 1, out.length, stdout);
	text_free(&out);
}

/* Arrays of numbers have an axis each; structs are bytes. */
static void write_header(struct text *out, const struct ir_type *type, uint64_t length)
{
	uint64_t shape[NPY_AXES_MOST] = {length};
	const struct ir_type *of = value_text_plain(type);
	uint32_t axes = 1;
	for (; of->kind == IR_TYPE_array && axes < NPY_AXES_MOST; of = value_text_plain(of->element))
		shape[axes++] = of->count;
	if (ir_type_is_scalar(of) && of->kind != IR_TYPE_bool)
		npy_write_header(out,
		                 ir_type_is_float(of)    ? 'f'
		                 : ir_type_is_signed(of) ? 'i'
		                                         : 'u',
		                 of->size, shape, axes);
	else
		npy_write_header(out, 'V', type->size, shape, 1);
}

static enum status save(const struct dispatch_data *d, const char *option)
{
	size_t length = strcspn(option, "=");
	const char *path = option + length + 1;
	uint32_t i = dispatch_parameter(d->kernel, option, length);
	const struct ir_type *type = d->kernel->parameters[i].type;
	const struct dispatch_argument *a = &d->arguments[i];
	struct text bytes = {0}, error = {0};
	if (ends_with(path, ".npy"))
		write_header(&bytes, type, a->length);
	text_add_n(&bytes, a->bytes, a->length * type->size);
	enum status status = STATUS_OK;
	if (!file_write(path, bytes.data, bytes.length, &error))
		status = command_error("--save %s: %s", option, text_string(&error));
	text_free(&bytes);
	text_free(&error);
	return status;
}

enum status dispatch_output(const struct dispatch_data *d, const struct options *o)
{
	enum status worst = STATUS_OK;
	for (int i = 0; i < o->prints.count; i++)
		print(d, o->prints.items[i]);
	for (int i = 0; i < o->saves.count; i++) {
		enum status status = save(d, o->saves.items[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}
