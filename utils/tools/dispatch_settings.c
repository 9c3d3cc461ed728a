/* `--set settings.factor=1.5`: numbers of parameters that are passed by value. */
#include <stdlib.h>
#include <string.h>

#include "utils/base/arena.h"
#include "utils/base/spelling.h"
#include "utils/tools/dispatch_data.h"
#include "utils/tools/input.h"
#include "utils/tools/value_text.h"

/* A place in a parameter that the option names. */
struct setting {
	const char *option;
	const char *at; /* what of the name is still to be read */
	const struct ir_type *type;
	uint64_t offset;
};

static enum status refuse(const struct setting *s, const char *what, const struct text *hint)
{
	return command_error_hint(text_string(hint), "--set %s: %s", s->option, what);
}

static void list_fields(struct text *out, const struct ir_type *type)
{
	text_add_format(out, "fields of %s:", type->name);
	for (uint64_t i = 0; i < type->count; i++) {
		text_add_format(out, "%s %s: ", i ? "," : "", type->fields[i].name);
		value_text_type(out, type->fields[i].type);
	}
}

static void say_elements(struct text *out, const struct ir_type *type)
{
	text_add_format(out, "it has %llu elements, from 0 on: ", (unsigned long long)type->count);
	value_text_type(out, type);
}

/* `.field` */
static enum status enter_field(struct setting *s, struct text *hint)
{
	const char *name = s->at + 1;
	size_t length = strcspn(name, ".[=");
	if (s->type->kind != IR_TYPE_struct) {
		text_add(hint, "its type is ");
		value_text_type(hint, s->type);
		return refuse(s, "this has no fields", hint);
	}
	for (uint64_t i = 0; i < s->type->count; i++) {
		const struct ir_field *f = &s->type->fields[i];
		if (strlen(f->name) != length || memcmp(f->name, name, length) != 0)
			continue;
		s->at = name + length;
		s->offset += f->offset;
		s->type = f->type;
		return STATUS_OK;
	}
	const char **names = memory_zeroed(s->type->count + 1, sizeof *names);
	for (uint64_t i = 0; i < s->type->count; i++)
		names[i] = s->type->fields[i].name;
	spelling_suggest(hint, name, length, names, s->type->count);
	free(names);
	list_fields(hint, s->type);
	return refuse(s, "there is no such field", hint);
}

/* `[2]` */
static enum status enter_element(struct setting *s, struct text *hint)
{
	uint64_t index = 0;
	const char *digit = s->at + 1;
	if (s->type->kind != IR_TYPE_array) {
		text_add(hint, "its type is ");
		value_text_type(hint, s->type);
		return refuse(s, "this has no elements", hint);
	}
	for (; *digit >= '0' && *digit <= '9' && index < s->type->count; digit++)
		index = index * 10 + (uint64_t)(*digit - '0');
	if (index >= s->type->count || digit == s->at + 1 || *digit != ']') {
		say_elements(hint, s->type);
		return refuse(s, "there is no such element", hint);
	}
	s->at = digit + 1;
	s->type = s->type->element;
	s->offset += index * s->type->size;
	return STATUS_OK;
}

static enum status enter(struct setting *s, struct text *hint)
{
	while (*s->at != '=') {
		enum status status = STATUS_OK;
		if (*s->at == '.') {
			status = enter_field(s, hint);
		} else if (*s->at == '[') {
			status = enter_element(s, hint);
		} else {
			text_add(hint, "`--set NAME.FIELD[2]=VALUE`");
			status = refuse(s, "there is no value", hint);
		}
		if (status != STATUS_OK)
			return status;
	}
	if (s->type->kind == IR_TYPE_struct)
		list_fields(hint, s->type);
	else if (s->type->kind == IR_TYPE_array)
		say_elements(hint, s->type);
	return ir_type_is_scalar(s->type) ? STATUS_OK : refuse(s, "this is no number; set its parts", hint);
}

static enum status apply(struct dispatch_data *d, const char *option, struct text *hint)
{
	const struct ir_kernel *k = d->kernel;
	struct setting s = {.option = option};
	struct text error = {0};
	size_t length = strcspn(option, ".[=");
	uint32_t i = dispatch_parameter(k, option, length);
	if (!strchr(option, '=')) {
		text_add(hint, "`--set NAME.FIELD=VALUE`");
		return refuse(&s, "there is no value", hint);
	}
	if (i == k->parameter_count || k->parameters[i].kind == IR_PARAMETER_BUFFER) {
		if (i == k->parameter_count)
			dispatch_suggest_parameter(hint, k, IR_PARAMETER_VALUE, option, length);
		text_add_format(hint, "parameters of %s by value:", k->name);
		dispatch_list_parameters(hint, k, IR_PARAMETER_VALUE);
		return refuse(
		    &s, i == k->parameter_count ? "the kernel has no such parameter" : "this is a slice; use --buffer",
		    hint);
	}
	s.at = option + length;
	s.type = k->parameters[i].type;
	enum status status = enter(&s, hint);
	if (status != STATUS_OK)
		return status;
	uint64_t bits;
	if (!value_text_read(s.at + 1, s.type, &bits, &error)) {
		text_add(hint, "`--set NAME.FIELD=VALUE`, where VALUE is one number");
		status = refuse(&s, text_string(&error), hint);
	} else if (k->parameters[i].kind == IR_PARAMETER_SCALAR) {
		d->arguments[i].bits = bits;
	} else {
		memcpy(d->arguments[i].bytes + s.offset, &bits, s.type->size);
	}
	text_free(&error);
	return status;
}

enum status dispatch_settings_apply(struct dispatch_data *d, const struct option_list *settings)
{
	enum status status = STATUS_OK;
	for (int i = 0; i < settings->count && status == STATUS_OK; i++) {
		struct text hint = {0};
		status = apply(d, settings->items[i], &hint);
		text_free(&hint);
	}
	return status;
}
