/* sspur-opt: reads kernel IR as text, runs passes by name, prints it. */
#include <stdio.h>
#include <string.h>

#include "ir/ir_text.h"
#include "lower/pass.h"
#include "utils/base/debug_words.h"
#include "utils/base/diagnostic.h"
#include "utils/base/file.h"
#include "utils/base/file_roles.h"
#include "utils/base/float_environment.h"
#include "utils/base/spelling.h"

enum { STATUS_SOUND = 0, STATUS_BAD_IR = 1, STATUS_USAGE = 2, MAX_PASSES = 64 };

struct options {
	const char *input;  /* `-`: standard input */
	const char *output; /* `-`: standard output */
	bool verify_only;
	struct pass_call passes[MAX_PASSES];
	int pass_count;
};

static void print_help(void)
{
	printf("usage: sspur-opt [--passes LIST] [--verify-only] [-o OUT] [FILE]\n"
	       "Reads kernel IR (.kir) from FILE, or standard input without one or for `-`,\n"
	       "verifies it, runs the passes in the order given, and prints the module.\n"
	       "  --passes LIST   passes to run, separated by commas; `exact` and `hazards` may say\n"
	       "                  of which device: exact=divide-f32+root-f32\n"
	       "  --verify-only   print nothing; the status tells\n"
	       "  -o OUT          write to OUT instead of standard output\n"
	       "  --help          print this\n"
	       "  --version       print the version\n"
	       "passes:\n");
	for (int i = 0; i < PASS_COUNT; i++)
		printf("  %-18s%s\n", passes[i].name, passes[i].description);
	struct text hazards = {0};
	pass_print_hazards(&hazards);
	printf("hazards of a device, joined by +:\n%s", text_string(&hazards));
	text_free(&hazards);
	printf("status: 0 sound, 1 bad IR or a file that cannot be read or written, 2 wrong use\n");
}

static int usage(const char *problem, const char *what, const char *hint)
{
	fprintf(stderr, "sspur-opt: %s%s%s%s\nhint: %ssee `sspur-opt --help`\n", problem, *what ? " `" : "", what,
	        *what ? "`" : "", hint);
	return STATUS_USAGE;
}

static int read_passes(struct options *o, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		struct text error = {0}, hint = {0};
		if (o->pass_count == MAX_PASSES)
			return usage("too many passes", "", "");
		int status = pass_read(list, n, &o->passes[o->pass_count++], &error, &hint)
		                 ? STATUS_SOUND
		                 : usage(text_string(&error), "", text_string(&hint));
		text_free(&error);
		text_free(&hint);
		if (status != STATUS_SOUND)
			return status;
		list += n + (list[n] == ',');
	}
	return STATUS_SOUND;
}

static int unknown_option(const char *word)
{
	static const char *const options[] = {"--passes", "--verify-only", "-o", "--help", "--version"};
	struct text hint = {0};
	spelling_suggest(&hint, word, strcspn(word, "="), options, sizeof options / sizeof *options);
	int status = usage("unknown option", word, text_string(&hint));
	text_free(&hint);
	return status;
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
			return lacks ? usage("no value after", argument, "") : unknown_option(argument);
		} else if (o->input) {
			return usage("more than one file, at", argument, "");
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
		pass_run(o->passes[n].pass, o->passes[n].hazards, m);
	int status = o->verify_only ? STATUS_SOUND : write_module(o, m);
	ir_module_free(m);
	return status;
}

int main(int count, char **arguments)
{
	float_environment_enter();
	debug_words_help();
	for (int at = 1; at < count; at++) {
		bool help = strcmp(arguments[at], "--help") == 0 || strcmp(arguments[at], "-h") == 0;
		bool version = strcmp(arguments[at], "--version") == 0 || strcmp(arguments[at], "-V") == 0;
		if (help)
			print_help();
		else if (version)
			printf("sspur-opt %s\n", SSPUR_VERSION);
		if (help || version)
			return STATUS_SOUND;
	}
	struct options o = {.output = "-"};
	int status = read_options(&o, count, arguments);
	if (status != STATUS_SOUND)
		return status;
	if (!o.input)
		o.input = "-";
	struct text bytes = {0}, error = {0};
	struct file_roles files = {0};
	file_roles_add(&files, FILE_READ, o.input, o.input);
	file_roles_add(&files, FILE_WRITTEN, o.output, o.output);
	if (!file_roles_check(&files, &error)) {
		status = fail(&error);
	} else if (file_read_source(o.input, &bytes, &error)) {
		struct source source;
		source_init(&source, strcmp(o.input, "-") == 0 ? "<stdin>" : o.input, text_string(&bytes),
		            bytes.length);
		status = run(&o, &source);
		source_free(&source);
	} else {
		status = fail(&error);
	}
	file_roles_free(&files);
	text_free(&bytes);
	text_free(&error);
	return status;
}
