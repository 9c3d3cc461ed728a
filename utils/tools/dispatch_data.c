/* Buffers from the command line: `NAME=zero:TYPE:COUNT`, `NAME=fill:TYPE:COUNT:VALUE`, `NAME=file:PATH`,
 * `NAME=npy:PATH`. */
#include <stdlib.h>
#include <string.h>

#include "runtime/launch_limits.h"
#include "utils/base/arena.h"
#include "utils/base/file.h"
#include "utils/base/spelling.h"
#include "utils/tools/dispatch_data.h"
#include "utils/tools/input.h"
#include "utils/tools/npy.h"
#include "utils/tools/value_text.h"

static const char forms[] = "DATA is zero:TYPE:COUNT, fill:TYPE:COUNT:VALUE, file:PATH or npy:PATH";

/* One `--buffer` being read. */
struct buffer {
	const struct ir_kernel *kernel;
	const struct ir_parameter *parameter;
	struct dispatch_argument *argument;
	const char *option; /* all of it */
	const char *data;   /* after its colon */
};

uint32_t dispatch_parameter(const struct ir_kernel *k, const char *text, size_t length)
{
	uint32_t i = 0;
	while (i < k->parameter_count &&
	       (strlen(k->parameters[i].name) != length || memcmp(k->parameters[i].name, text, length) != 0))
		i++;
	return i;
}

void dispatch_suggest_parameter(struct text *out, const struct ir_kernel *k, enum ir_parameter_kind kind,
                                const char *text, size_t length)
{
	const char **names = memory_zeroed((size_t)k->parameter_count + 1, sizeof *names);
	size_t count = 0;
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if ((k->parameters[i].kind == IR_PARAMETER_BUFFER) == (kind == IR_PARAMETER_BUFFER))
			names[count++] = k->parameters[i].name;
	spelling_suggest(out, text, length, names, count);
	free(names);
}

void dispatch_list_parameters(struct text *out, const struct ir_kernel *k, enum ir_parameter_kind kind)
{
	size_t before = out->length;
	for (uint32_t i = 0; i < k->parameter_count; i++) {
		const struct ir_parameter *p = &k->parameters[i];
		if ((p->kind == IR_PARAMETER_BUFFER) != (kind == IR_PARAMETER_BUFFER))
			continue;
		text_add_format(out, " %s: %s", p->name, p->kind == IR_PARAMETER_BUFFER ? "slice of " : "");
		value_text_type(out, p->type);
		text_add_char(out, ',');
	}
	if (out->length > before)
		out->data[--out->length] = 0;
	else
		text_add(out, " none");
}

/* `sspur: --buffer OPTION: WHAT` and a hint. */
static enum status refuse(const struct buffer *b, const char *what, const char *hint)
{
	return command_error_hint(hint, "--buffer %s: %s", b->option, what);
}

/* The number of elements, as far as `*end`. */
static bool read_count(const char *text, uint64_t *count, const char **end)
{
	*count = 0;
	for (*end = text; **end >= '0' && **end <= '9'; ++*end)
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(**end - '0'), count))
			return false;
	return *end > text;
}

/* Memory for `count` elements, zeroed. */
static enum status make(const struct buffer *b, uint64_t count)
{
	uint64_t size;
	struct launch_excess excess = {0};
	enum status status = STATUS_OK;
	if (!launch_limits_length(b->kernel, b->parameter->type, count, &size, &excess))
		status = refuse(b, text_string(&excess.what), excess.hint);
	text_free(&excess.what);
	if (status != STATUS_OK)
		return status;
	b->argument->bytes = size < PTRDIFF_MAX ? calloc(size + 1, 1) : NULL;
	b->argument->length = count;
	return b->argument->bytes ? STATUS_OK : refuse(b, "there is not so much memory", "give fewer elements");
}

/* Blanks do not matter in the spelling of a type. */
static bool names_type(const char *text, size_t length, const char *name)
{
	const char *end = text + length;
	for (;; text++, name++) {
		while (text < end && *text == ' ')
			text++;
		while (*name == ' ')
			name++;
		if (text == end || !*name || *text != *name)
			return text == end && !*name;
	}
}

/* zero, fill: `TYPE:COUNT` at b->data. *rest: what follows. */
static enum status read_typed(const struct buffer *b, const char **rest)
{
	const char *colon = strchr(b->data, ':'), *end;
	struct text type = {0}, hint = {0};
	uint64_t count;
	enum status status = STATUS_OK;
	value_text_type(&type, b->parameter->type);
	if (!colon || !read_count(colon + 1, &count, &end)) {
		text_add_format(&hint, "`TYPE:COUNT` is as `%s:1024`", text_string(&type));
		status = refuse(b, "its type and number of elements are missing or wrong", text_string(&hint));
	} else if (!names_type(b->data, (size_t)(colon - b->data), text_string(&type))) {
		text_add_format(&hint, "%s is a slice of %s", b->parameter->name, text_string(&type));
		status = refuse(b, "this is not the type of its elements", text_string(&hint));
	} else {
		*rest = end;
		status = make(b, count);
	}
	text_free(&type);
	text_free(&hint);
	return status;
}

static enum status read_zero(const struct buffer *b)
{
	const char *rest = "";
	enum status status = read_typed(b, &rest);
	return status == STATUS_OK && *rest ? refuse(b, "text follows the number of elements", forms) : status;
}

static enum status read_fill(const struct buffer *b)
{
	const char *rest = "";
	const struct ir_type *type = value_text_plain(b->parameter->type);
	struct text error = {0};
	uint64_t bits;
	enum status status = read_typed(b, &rest);
	if (status == STATUS_OK && *rest != ':')
		status = refuse(b, "the value is missing", "`fill:u32:1024:7` is 1024 elements of 7");
	else if (status == STATUS_OK && !ir_type_is_scalar(type))
		status = refuse(b, "one value does not fill such elements", "use zero, file or npy");
	else if (status == STATUS_OK && !value_text_read(rest + 1, type, &bits, &error))
		status = refuse(b, text_string(&error), "`fill:u32:1024:7` is 1024 elements of 7");
	else if (status == STATUS_OK)
		for (uint64_t i = 0; i < b->argument->length; i++)
			memcpy(b->argument->bytes + i * type->size, &bits, type->size);
	text_free(&error);
	return status;
}

/* ---- Files ---- */

static enum status read_bytes(const struct buffer *b, struct text *bytes)
{
	struct text error = {0};
	enum status status = STATUS_OK;
	if (value_text_holds_bool(b->parameter->type))
		status = refuse(b, "truth values are not read from files", forms);
	else if (!file_read(b->data, bytes, &error))
		status = refuse(b, text_string(&error), "PATH is from the folder of this command");
	text_free(&error);
	return status;
}

static enum status take_bytes(const struct buffer *b, const char *bytes, uint64_t size)
{
	const struct ir_type *type = b->parameter->type;
	if (size % type->size) {
		struct text what = {0}, hint = {0};
		text_add_format(&what, "%llu bytes are no whole number of elements", (unsigned long long)size);
		text_add(&hint, "an element is one ");
		value_text_type(&hint, type);
		text_add_format(&hint, " of %u bytes", type->size);
		enum status status = refuse(b, text_string(&what), text_string(&hint));
		text_free(&what);
		text_free(&hint);
		return status;
	}
	enum status status = make(b, size / type->size);
	if (status == STATUS_OK && size)
		memcpy(b->argument->bytes, bytes, size);
	return status;
}

static enum status read_file(const struct buffer *b)
{
	struct text bytes = {0};
	enum status status = read_bytes(b, &bytes);
	if (status == STATUS_OK)
		status = take_bytes(b, bytes.data, bytes.length);
	text_free(&bytes);
	return status;
}

static char kind_of(const struct ir_type *scalar)
{
	return ir_type_is_float(scalar) ? 'f' : ir_type_is_signed(scalar) ? 'i' : 'u';
}

/* The array's elements are the buffer's, or the numbers that these are made of. */
static bool fits(const struct npy *header, const struct ir_type *type)
{
	const struct ir_type *one = value_text_one_type(type);
	if (header->kind == 'V')
		return type->kind == IR_TYPE_struct && header->size == type->size;
	return one && header->kind == kind_of(one) && header->size == one->size;
}

static enum status refuse_elements(const struct buffer *b, const struct npy *header)
{
	const struct ir_type *type = b->parameter->type, *one = value_text_one_type(type);
	struct text what = {0}, hint = {0};
	text_add_format(&what, "its elements are %c%u, which is not ", header->kind, header->size);
	value_text_type(&what, type);
	if (one)
		text_add_format(&hint, "in Python: `a.astype('%c%u')`", kind_of(one), one->size);
	else
		text_add_format(&hint, "in Python: `a.view('V%u')` of such structs", type->size);
	enum status status = refuse(b, text_string(&what), text_string(&hint));
	text_free(&what);
	text_free(&hint);
	return status;
}

static enum status read_npy(const struct buffer *b)
{
	struct text bytes = {0}, error = {0};
	struct npy header;
	enum status status = read_bytes(b, &bytes);
	if (status == STATUS_OK && !npy_read(text_string(&bytes), bytes.length, &header, &error))
		status = refuse(b, text_string(&error), "`numpy.save(PATH, a)` writes what is read here");
	else if (status == STATUS_OK && !fits(&header, b->parameter->type))
		status = refuse_elements(b, &header);
	else if (status == STATUS_OK)
		status = take_bytes(b, bytes.data + header.data, header.count * header.size);
	text_free(&bytes);
	text_free(&error);
	return status;
}

const char *dispatch_data_path(const char *option)
{
	const char *data = option + strcspn(option, "=");
	return strncmp(data, "=file:", 6) == 0 ? data + 6 : strncmp(data, "=npy:", 5) == 0 ? data + 5 : NULL;
}

/* ---- All of them ---- */

static enum status read_buffer(struct dispatch_data *d, const char *option)
{
	static const struct {
		const char *form;
		enum status (*read)(const struct buffer *b);
	} readers[] = {{"zero:", read_zero}, {"fill:", read_fill}, {"file:", read_file}, {"npy:", read_npy}};
	const struct ir_kernel *k = d->kernel;
	struct buffer b = {.kernel = k, .option = option};
	size_t length = strcspn(option, "=");
	uint32_t i = dispatch_parameter(k, option, length);
	if (!option[length])
		return refuse(&b, "it says nothing of what is in it",
		              "`--buffer NAME=DATA`, where DATA is as zero:u32:1024");
	if (i == k->parameter_count || k->parameters[i].kind != IR_PARAMETER_BUFFER) {
		struct text hint = {0};
		if (i == k->parameter_count)
			dispatch_suggest_parameter(&hint, k, IR_PARAMETER_BUFFER, option, length);
		text_add_format(&hint, "slices of %s:", k->name);
		dispatch_list_parameters(&hint, k, IR_PARAMETER_BUFFER);
		enum status status = refuse(
		    &b, i == k->parameter_count ? "the kernel has no such parameter" : "this is no slice; use --set",
		    text_string(&hint));
		text_free(&hint);
		return status;
	}
	b.parameter = &k->parameters[i];
	b.argument = &d->arguments[i];
	if (b.argument->bytes)
		return refuse(&b, "the buffer is given twice", "each slice has one buffer");
	for (size_t n = 0; n < sizeof readers / sizeof *readers; n++) {
		size_t form = strlen(readers[n].form);
		b.data = option + length + 1 + form;
		if (strncmp(option + length + 1, readers[n].form, form) == 0)
			return readers[n].read(&b);
	}
	static const char *const names[] = {"zero", "fill", "file", "npy"};
	struct text hint = {0};
	const char *data = option + length + 1;
	spelling_suggest(&hint, data, strcspn(data, ":"), names, sizeof names / sizeof *names);
	text_add(&hint, forms);
	enum status status = refuse(&b, "there is no such form", text_string(&hint));
	text_free(&hint);
	return status;
}

static enum status refuse_missing(const struct ir_parameter *p)
{
	struct text hint = {0};
	text_add_format(&hint, "`--buffer %s=zero:", p->name);
	value_text_type(&hint, p->type);
	text_add_format(&hint, ":1024`; %s", forms);
	enum status status = command_error_hint(text_string(&hint), "there is no buffer for %s", p->name);
	text_free(&hint);
	return status;
}

enum status dispatch_data_open(struct dispatch_data *d, const struct ir_kernel *k, const struct option_list *buffers)
{
	*d = (struct dispatch_data){.kernel = k};
	d->arguments = memory_zeroed((size_t)k->parameter_count + 1, sizeof *d->arguments);
	for (int i = 0; i < buffers->count; i++)
		if (read_buffer(d, buffers->items[i]) != STATUS_OK)
			return STATUS_USAGE;
	for (uint32_t i = 0; i < k->parameter_count; i++) {
		const struct ir_parameter *p = &k->parameters[i];
		if (p->kind == IR_PARAMETER_VALUE)
			d->arguments[i].bytes = memory_zeroed(p->type->size, 1);
		else if (p->kind == IR_PARAMETER_BUFFER && !d->arguments[i].bytes)
			return refuse_missing(p);
	}
	return STATUS_OK;
}

void dispatch_data_free(struct dispatch_data *d)
{
	for (uint32_t i = 0; d->arguments && i < d->kernel->parameter_count; i++)
		free(d->arguments[i].bytes);
	free(d->arguments);
	*d = (struct dispatch_data){0};
}
