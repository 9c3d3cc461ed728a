/* sspur-opt: reads kernel IR as text, runs passes by name, prints it. */
#include <stdio.h>
#include <string.h>

#include "ir/ir_text.h"
#include "lower/pass.h"
#include "utils/base/diagnostic.h"
#include "utils/base/file.h"

enum { STATUS_SOUND = 0, STATUS_BAD_IR = 1, STATUS_USAGE = 2, MAX_PASSES = 64 };

struct options {
	const char *input;  /* `-`: standard input */
	const char *output; /* `-`: standard output */
	bool verify_only;
	const struct pass *passes[MAX_PASSES];
	int pass_count;
};

static void print_help(void)
{
	printf("usage: sspur-opt [--passes NAME,...] [--verify-only] [-o OUT] [FILE]\n"
	       "Reads kernel IR (.kir) from FILE, or standard input without one or for `-`,\n"
	       "verifies it, runs the passes in the order given, and prints the module.\n"
	       "  --passes LIST   passes to run, separated by commas\n"
	       "  --verify-only   print nothing; the status tells\n"
	       "  -o OUT          write to OUT instead of standard output\n"
	       "  --help          print this\n"
	       "passes:\n");
	for (const struct pass *p = passes; p->name; p++)
		printf("  %-15s %s\n", p->name, p->description);
	printf("status: 0 sound, 1 bad IR or a file that cannot be read or written, 2 wrong use\n");
}

static int usage(const char *problem, const char *what)
{
	fprintf(stderr, "sspur-opt: %s%s; see sspur-opt --help\n", problem, what);
	return STATUS_USAGE;
}

static int read_passes(struct options *o, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
		const struct pass *pass = pass_find(name);
		if (!pass)
			return usage("unknown pass ", name);
		if (o->pass_count == MAX_PASSES)
			return usage("too many passes", "");
		o->passes[o->pass_count++] = pass;
		list += n + (list[n] == ',');
	}
	return STATUS_SOUND;
}

/* The value of an option that may be written `--name VALUE` or `--name=VALUE`; NULL when it is another option. */
static const char *value_of(const char *name, char **arguments, int count, int *at)
{
	const char *argument = arguments[*at];
	size_t n = strlen(name);
	if (strncmp(argument, name, n) != 0)
		return NULL;
	if (argument[n] == '=')
		return argument + n + 1;
	if (argument[n] == 0 && *at + 1 < count)
		return arguments[++*at];
	return NULL;
}

static int read_options(struct options *o, int count, char **arguments)
{
	const char *value;
	for (int at = 1; at < count; at++) {
		const char *argument = arguments[at];
		if (strcmp(argument, "--verify-only") == 0) {
			o->verify_only = true;
		} else if ((value = value_of("--passes", arguments, count, &at))) {
			int status = read_passes(o, value);
			if (status != STATUS_SOUND)
				return status;
		} else if ((value = value_of("-o", arguments, count, &at))) {
			o->output = value;
		} else if (argument[0] == '-' && argument[1]) {
			bool lacks = strcmp(argument, "-o") == 0 || strcmp(argument, "--passes") == 0;
			return usage(lacks ? "no value after " : "unknown option ", argument);
		} else if (o->input) {
			return usage("more than one file: ", argument);
		} else {
			o->input = argument;
		}
	}
	return STATUS_SOUND;
}

static int fail(const struct text *message)
{
	fprintf(stderr, "sspur-opt: %s\n", text_string(message));
	return STATUS_BAD_IR;
}

static int write_module(const struct options *o, const struct ir_module *m)
{
	struct text out = {0}, error = {0};
	ir_print(&out, m);
	int status = file_write(o->output, text_string(&out), out.length, &error) ? STATUS_SOUND : fail(&error);
	text_free(&out);
	text_free(&error);
	return status;
}

static int run(const struct options *o, const struct source *source)
{
	struct diagnostics diagnostics = {.source = source};
	struct ir_module *m = ir_parse(source, &diagnostics);
	struct text message = {0};
	diagnostics_print(&diagnostics, &message);
	fputs(text_string(&message), stderr);
	text_free(&message);
	diagnostics_free(&diagnostics);
	if (!m)
		return STATUS_BAD_IR;
	for (int n = 0; n < o->pass_count; n++)
		pass_run(o->passes[n]->name, o->passes[n]->run, m);
	int status = o->verify_only ? STATUS_SOUND : write_module(o, m);
	ir_module_free(m);
	return status;
}

int main(int count, char **arguments)
{
	for (int at = 1; at < count; at++)
		if (strcmp(arguments[at], "--help") == 0) {
			print_help();
			return STATUS_SOUND;
		}
	struct options o = {.output = "-"};
	int status = read_options(&o, count, arguments);
	if (status != STATUS_SOUND)
		return status;
	if (!o.input)
		o.input = "-";
	struct text bytes = {0}, error = {0};
	if (file_read_source(o.input, &bytes, &error)) {
		struct source source;
		source_init(&source, strcmp(o.input, "-") == 0 ? "<stdin>" : o.input, text_string(&bytes),
		            bytes.length);
		status = run(&o, &source);
		source_free(&source);
	} else {
		status = fail(&error);
	}
	text_free(&bytes);
	text_free(&error);
	return status;
}
