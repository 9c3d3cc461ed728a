/* Names in a kernel: scopes, intrinsics, what a misspelt name may have meant, and reports. */
#include <stdarg.h>
#include <string.h>

#include "frontend/ssp/kernel_check.h"
#include "frontend/ssp/larger_language.h"
#include "utils/base/spelling.h"

const struct kernel_intrinsic kernel_intrinsics[KERNEL_INTRINSIC_COUNT] = {
    {"gid", IR_OP_global_id},         {"lid", IR_OP_local_id},        {"group_id", IR_OP_group_id},
    {"group_size", IR_OP_group_size}, {"grid_size", IR_OP_grid_size},
};

const struct kernel_intrinsic *kernel_find_intrinsic(const char *name)
{
	for (uint32_t i = 0; i < KERNEL_INTRINSIC_COUNT; i++)
		if (strcmp(kernel_intrinsics[i].name, name) == 0)
			return &kernel_intrinsics[i];
	return NULL;
}

struct definition *kernel_find_definition(const struct program *p, const char *name)
{
	return table_get(&p->definition_names, name);
}

struct variable *kernel_find_variable(const struct kernel_checker *c, const struct node *n)
{
	return n->kind == NODE_NAME ? table_get(&c->names, n->name) : NULL;
}

static bool is_parameter(const struct kernel_checker *c, const struct variable *v)
{
	return v->slot < c->definition->parameter_count;
}

bool kernel_is_shared(const struct kernel_checker *c, const struct variable *v)
{
	return v->type->kind == TYPE_LIST && !is_parameter(c, v);
}

const char *kernel_slice_noun(const struct kernel_checker *c, const struct variable *v)
{
	return kernel_is_shared(c, v) ? "shared array" : "slice";
}

void kernel_declare(struct kernel_checker *c, struct pattern_name *name, struct type *type, bool mutable)
{
	struct variable *v = ARENA_NEW(&c->program->arena, struct variable);
	v->name = name->name;
	v->span = name->span;
	v->type = type;
	v->mutable = mutable;
	v->slot = c->slot_count++;
	name->variable = v;
	if (strcmp(name->name, "_") == 0)
		return; /* cannot be read */
	struct variable *other = table_get(&c->names, name->name);
	if (kernel_find_intrinsic(name->name)) {
		kernel_report(c, "E_KERNEL", name->span, "a local cannot be named like the intrinsic `%s`", name->name);
	} else if (other) {
		struct place place = source_place(c->program->source, other->span.start);
		struct diagnostic *d =
		    kernel_report(c, "E_KERNEL", name->span, "`%s` is already a %s here, declared at line %u",
		                  name->name, is_parameter(c, other) ? "parameter" : "local", place.line);
		if (other->mutable && !is_parameter(c, other) && !kernel_is_shared(c, other))
			kernel_hint(c, d, "choose another name, or assign to it with `%s := ...`", name->name);
		else
			kernel_hint(c, d, "choose another name");
	}
	struct kernel_hidden *hidden = ARENA_PUSH(&c->scratch, c->hidden, c->hidden_count, c->hidden_capacity);
	hidden->name = name->name;
	hidden->variable = table_set(&c->names, name->name, v);
}

void kernel_close_scope(struct kernel_checker *c, uint32_t hidden_count)
{
	while (c->hidden_count > hidden_count) {
		struct kernel_hidden *hidden = &c->hidden[--c->hidden_count];
		table_set(&c->names, hidden->name, hidden->variable);
	}
}

/* A bound on the search, so that a file of nothing but unknown names stays quick. */
#define MOST_COMPARED 64

const char *kernel_nearest_name(struct kernel_checker *c, const char *name)
{
	const char *candidates[2 * MOST_COMPARED + KERNEL_INTRINSIC_COUNT];
	uint32_t count = 0;
	for (uint32_t i = 0; i < c->hidden_count && i < MOST_COMPARED; i++)
		candidates[count++] = c->hidden[c->hidden_count - 1 - i].name;
	for (uint32_t i = 0; i < c->definition->parameter_count && i < MOST_COMPARED; i++)
		candidates[count++] = c->definition->parameters[i].name;
	if (c->part == KERNEL_BODY && !c->helper)
		for (uint32_t i = 0; i < KERNEL_INTRINSIC_COUNT; i++)
			candidates[count++] = kernel_intrinsics[i].name;
	return spelling_nearest(name, strlen(name), candidates, count);
}

struct diagnostic *kernel_report(struct kernel_checker *c, const char *code, struct span span, const char *format, ...)
{
	struct text text = {0};
	va_list arguments;
	va_start(arguments, format);
	text_add_format_v(&text, format, arguments);
	va_end(arguments);
	/* Such a fn is sound for the host: say who asks for more. */
	if (c->helper && !c->definition->is_device) {
		struct place call = source_place(c->program->source, c->helper->first_call.start);
		text_add_format(&text, " (line %u calls `%s` in a kernel)", call.line, c->definition->name);
	}
	struct diagnostic *d = diagnostic_add(c->program->diagnostics, code, span, "%s", text_string(&text));
	text_free(&text);
	if (d->severity == SEVERITY_ERROR)
		c->definition->has_faults = true;
	return d;
}

bool kernel_report_larger(struct kernel_checker *c, const struct node *name)
{
	const struct larger_word *w = larger_find(name->name, strlen(name->name), LARGER_NAME);
	if (!w)
		return false;
	struct diagnostic *item = kernel_report(c, "E_UNSUPPORTED", name->span, "%s not supported", w->what);
	if (w->hint)
		kernel_hint(c, item, "%s", w->hint);
	return true;
}

void kernel_hint(struct kernel_checker *c, struct diagnostic *item, const char *format, ...)
{
	struct text text = {0};
	va_list arguments;
	va_start(arguments, format);
	text_add_format_v(&text, format, arguments);
	va_end(arguments);
	diagnostic_hint(c->program->diagnostics, item, "%s", text_string(&text));
	text_free(&text);
}
