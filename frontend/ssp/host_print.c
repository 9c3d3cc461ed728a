/* Values as text, spec/sspur.md 2.6. */
#include "frontend/ssp/host_value.h"
#include "utils/base/text.h"

/* As a string literal: what is printed reads back as the same text. */
static void print_quoted(struct text *out, const struct string *s)
{
	text_add_char(out, '"');
	for (size_t i = 0; i < s->length; i++) {
		char c = s->bytes[i];
		if (c == '\n')
			text_add(out, "\\n");
		else if (c == '\t')
			text_add(out, "\\t");
		else if (c == '\\' || c == '"' || c == '{')
			text_add_n(out, (char[]){'\\', c}, 2);
		else
			text_add_char(out, c);
	}
	text_add_char(out, '"');
}

static void print_list(struct text *out, const struct list *l)
{
	text_add_char(out, '[');
	for (int64_t i = 0; i < l->count; i++) {
		if (i)
			text_add(out, ", ");
		struct value v = list_item(l, i);
		value_print(out, v, true);
		value_release(v);
	}
	text_add_char(out, ']');
}

static void print_tuple(struct text *out, const struct tuple *t)
{
	text_add_char(out, '(');
	for (uint32_t i = 0; i < t->count; i++) {
		if (i)
			text_add(out, ", ");
		value_print(out, t->items[i], true);
	}
	text_add_char(out, ')');
}

static void print_wrapped(struct text *out, const char *name, struct value item)
{
	text_add_format(out, "%s(", name);
	value_print(out, item, true);
	text_add_char(out, ')');
}

void value_print(struct text *out, struct value v, bool inside)
{
	switch (v.kind) {
	case VALUE_UNIT: text_add(out, "()"); return;
	case VALUE_INT: text_add_int(out, v.integer); return;
	case VALUE_F64: text_add_f64(out, v.real); return;
	case VALUE_BOOL: text_add(out, v.truth ? "true" : "false"); return;
	case VALUE_NONE: text_add(out, "none"); return;
	case VALUE_FUNCTION:
	case VALUE_LAMBDA: text_add(out, "<function>"); return;
	case VALUE_STRING:
		if (inside)
			print_quoted(out, v.string);
		else
			text_add_n(out, v.string->bytes, v.string->length);
		return;
	case VALUE_LIST: print_list(out, v.list); return;
	case VALUE_TUPLE: print_tuple(out, v.tuple); return;
	case VALUE_SOME: print_wrapped(out, "some", v.wrapper->item); return;
	case VALUE_OK: print_wrapped(out, "ok", v.wrapper->item); return;
	case VALUE_ERROR: print_wrapped(out, "err", v.wrapper->item); return;
	case VALUE_DEVBUF: text_add_format(out, "<buffer of %lld>", (long long)v.devbuf->count); return;
	}
}
