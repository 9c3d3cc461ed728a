/* Names, lines, and what the other files print with. */
#include "targets/source/source_writer.h"

#include <string.h>

#include "targets/entry_name.h"

static const char *spelled(struct source_writer *w, const char *wanted)
{
	struct text out = {0};
	if (!*wanted || (*wanted >= '0' && *wanted <= '9'))
		text_add_char(&out, 'v');
	for (const char *c = wanted; *c; c++) {
		bool plain =
		    *c == '_' || (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
		text_add_char(&out, plain ? *c : '_');
	}
	const char *name = arena_string(w->arena, text_string(&out));
	text_free(&out);
	return name;
}

const char *source_new_name(struct source_writer *w, struct table *names, const char *wanted)
{
	const char *base = spelled(w, wanted), *name = base;
	if (entry_name_reserved(w->dialect->target, arena_format(w->arena, "%s_", base))) /* by how it begins */
		name = base = arena_format(w->arena, "v_%s", base);
	for (unsigned n = 1; entry_name_reserved(w->dialect->target, name) || table_get(names, name) ||
	                     table_get(w->module_names, name);
	     n++)
		name = n == 1 ? arena_format(w->arena, "%s_", base) : arena_format(w->arena, "%s_%u", base, n);
	table_set(names, name, (void *)name);
	return name;
}

static void indent(struct source_writer *w)
{
	text_add_repeat(w->out, '\t', w->depth);
}

void source_line(struct source_writer *w, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	indent(w);
	text_add_format_v(w->out, format, arguments);
	text_add_char(w->out, '\n');
	va_end(arguments);
}

void source_open(struct source_writer *w, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	indent(w);
	text_add_format_v(w->out, format, arguments);
	text_add(w->out, " {\n");
	w->depth++;
	va_end(arguments);
}

void source_close(struct source_writer *w)
{
	w->depth--;
	source_line(w, "}");
}

void source_comment(struct source_writer *w, struct place place)
{
	if (!place.line || place.line == w->line)
		return;
	const char *file = w->kernel->file ? w->kernel->file : "", *slash = strrchr(file, '/');
	struct text name = {0};
	/* Nothing that could end the comment. */
	for (const char *c = slash ? slash + 1 : file; *c; c++)
		text_add_char(&name, *c == '*' || *c == '\\' || *c == '\n' || *c == '\r' || *c == '?' ? '_' : *c);
	source_line(w, name.length ? "/* %s:%u */" : "/* %sline %u */", text_string(&name), place.line);
	text_free(&name);
	w->line = place.line;
}

const char *source_helper(struct source_writer *w, enum source_helper helper, const struct ir_type *t,
                          enum source_space space)
{
	struct text name = {0};
	source_helper_use(&w->helpers, w->dialect, helper, t ? t->kind : IR_TYPE_void, space, &name);
	const char *kept = arena_string(w->arena, text_string(&name));
	text_free(&name);
	return kept;
}

bool source_proved(const struct source_writer *w)
{
	return w->kernel->policy == IR_POLICY_PROVED;
}
