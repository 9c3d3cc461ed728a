#include <stdio.h>
#include <string.h>

#include "test/base/test_base.h"
#include "utils/base/diagnostic.h"

/* Marks the first place where `what` stands in the source. */
static struct diagnostic *mark(struct diagnostics *d, const char *code, const char *what, const char *message)
{
	const struct source *s = d->source;
	const char *at = strstr(s->bytes, what);
	EXPECT(at != NULL);
	uint32_t start = at ? (uint32_t)(at - s->bytes) : 0;
	return diagnostic_add(d, code, (struct span){start, start + (uint32_t)strlen(what)}, "%s", message);
}

static void print(struct diagnostics *d, bool json)
{
	struct text t = {0};
	if (json)
		diagnostics_print_json(d, &t);
	else
		diagnostics_print(d, &t);
	fwrite(t.data, 1, t.length, stdout);
	text_free(&t);
}

static void report(bool json)
{
	static const char bytes[] = "fn main()\r\n"
	                            "\ttab\tx = yy + 1\r\n"
	                            "\xe6\x97\xa5\xe6\x9c\xac = \xc3\xa9t\xc3\xa9 + wide\n"
	                            "bad \xff\x1b[31m byte\n"
	                            "first of\n"
	                            "two lines\n"
	                            "end";
	struct source s;
	source_init(&s, "a b.ssp", bytes, sizeof bytes - 1);
	struct diagnostics d = {.source = &s};
	mark(&d, "E_TYPE_MISMATCH", "end", "last");
	diagnostic_add(&d, "E_PARSE", (struct span){(uint32_t)s.length, (uint32_t)s.length}, "at the end");
	mark(&d, "E_LEX", "\xff", "byte \xff and \x1b in a\nmessage");
	mark(&d, "E_INFER", "of\ntwo", "two lines");
	struct diagnostic *unknown = mark(&d, "E_UNKNOWN_NAME", "yy", "unknown name `yy`");
	diagnostic_hint(&d, unknown, "write `%s`", "y");
	mark(&d, "W_EFFECT_UNUSED", "yy", "a second at one place");
	mark(&d, "E_UNKNOWN_NAME", "yy", "the same code and span: dropped");
	mark(&d, "E_ARITY", "wide", "after wide text");
	mark(&d, "E_LEX", "\ttab\tx", "tabs");
	EXPECT(d.count == 8 && d.error_count == 7);
	print(&d, json);
	diagnostics_free(&d);
	source_free(&s);
}

void test_diagnostics(void)
{
	report(false);
	struct diagnostics none = {0};
	diagnostic_add(&none, "E_LEX", (struct span){0, 0}, "no source");
	print(&none, false);
	diagnostics_free(&none);
}

void test_diagnostics_json(void)
{
	report(true);
	struct diagnostics none = {0};
	print(&none, true);
}

void test_long_lines(void)
{
	struct text t = {0};
	for (int i = 0; i < 100000; i++)
		text_add_format(&t, "x%05d+", i);
	struct source s;
	source_init(&s, "long.ssp", t.data, t.length);
	struct diagnostics d = {.source = &s};
	mark(&d, "E_FIRST", "x00000", "at the left");
	mark(&d, "E_MIDDLE", "x50000", "in the middle");
	mark(&d, "E_LAST", "x99999", "at the right");
	mark(&d, "E_LONG", "x40000", "a span that is cut");
	d.items[3].span.end = 500000;
	print(&d, false);
	diagnostics_free(&d);
	/* As many faults in one line as a hostile file can have must not take long to print. */
	for (uint32_t i = 0; i < 20000; i++)
		diagnostic_add(&d, "E_MANY", (struct span){i * 7, i * 7 + 6}, "many");
	struct text out = {0};
	diagnostics_print(&d, &out);
	printf("%zu many\n", d.count);
	text_free(&out);
	diagnostics_free(&d);
	source_free(&s);
	text_free(&t);
}
