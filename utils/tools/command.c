/* The table of commands and the reading of their options. */
#include "utils/tools/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/recorded_path.h"
#include "utils/base/spelling.h"
#include "utils/tools/device_choice.h"

const struct command commands[] = {
    {"run", "[--device NAME | --check-races] [--profile FILE] FILE [ARGUMENT...]",
     "run a program's main, or a kernel over data",
     "--device --no-cache --check-races --allow-races --profile --kernel --groups --buffer --set --print --save "
     "--package --old-spellings --mode",
     1, 1, true,
     "ARGUMENTs are what args() gives. A trap is reported on standard error and gives status 1.\n"
     "A FILE.cone or FILE.kir has kernels, of which one is dispatched (docs/cli.md):\n"
     "  sspur run FILE.cone --kernel NAME --groups X,Y,Z --buffer NAME=DATA... [--set NAME.FIELD=VALUE...]\n"
     "            [--print NAME...] [--save NAME=PATH...]\n"
     "DATA is zero:TYPE:COUNT, fill:TYPE:COUNT:VALUE, file:PATH or npy:PATH; status 1 if an invocation failed.\n",
     command_run},
    {"test", "[--device NAME | --check-races] [--profile FILE] FILE...", "run the tests of files, validate a package",
     "--device --no-cache --check-races --allow-races --profile --package -o --target --triple --path-prefix-map "
     "--mode --strict",
     1, 1 << 20, false,
     "Prints a line a test and the counts; status 1 if any failed.\n"
     "`sspur test DIR` builds a package, then validates each .spv with spirv-val; with a NAME after it, it only "
     "builds.\n",
     command_test},
    {"check", "[--json] [--prove] [--package DIR] [--old-spellings] FILE...",
     "report every error of files, run nothing", "--json --prove --package --old-spellings --mode", 1, 1 << 20, false,
     "Status 1 if a file has errors; warnings alone give 0, and so does what cannot be proved.\n"
     "A FILE.cone is checked as GPU code, and a FILE.kir as kernel IR.\n",
     command_check},
    {"fmt", "[--check | --stdout] FILE...", "rewrite files in the one form", "--check --stdout", 1, 1 << 20, false,
     "Files are replaced whole or not at all; `-` reads standard input and prints.\n"
     "--check changes nothing: it names the files that would change and gives status 1.\n",
     command_fmt},
    {"build", "--target LIST [-o PATH] FILE", "write kernels for other tools to launch",
     "--target --triple -o --strict --package --old-spellings --path-prefix-map --mode", 1, 1, false,
     "LIST, separated by commas: native ptx spirv bitcode vulkan opencl metal llvm kir bundle. The ending of its\n"
     "file names a target too (spv), msl is metal, and ir is kir.\n"
     "With one target PATH is a file, with several a folder (made if missing). Without -o, kir and llvm print,\n"
     "the others write NAME.o .ptx .spv .bc .cl .metal .sspk here. NAME.h and NAME.json are written beside what is\n"
     "written.\n"
     "`sspur build DIR` builds the package there (docs/packages.md): DIR/build/release/NAME.spv for Vulkan, and what\n"
     "LIST names beside it; -o names another folder. `sspur build FILE.cone` builds the packages that FILE imports,\n"
     "beside it.\n",
     command_build},
    {"gpu", "FILE --emit TARGET [-o OUT]", "the older spelling of `build` for one target",
     "--emit -o --strict --path-prefix-map", 1, 1, false, "TARGET is one of those that `sspur build --help` lists.\n",
     command_gpu},
    {"explain", "[CODE...]", "what a diagnostic's code means, with a wrong and a right program", "", 0, 1 << 20, false,
     "Without a CODE, lists them all.\n", command_explain},
    {"devices", "", "list the devices of this machine", "", 0, 0, false, "", command_devices},
    {NULL, NULL, NULL, NULL, 0, 0, false, NULL, NULL},
};

/* Every option of every command; `value` names what must follow it. */
static const struct option_row {
	const char *name, *value, *summary;
} option_rows[] = {
    {"--device", "NAME",
     "where kernels run: auto (default) cpu seq interp twin cuda opencl vulkan metal; overrides SSPUR_DEVICE"},
    {"--no-cache", NULL, "neither read nor write the cache of compiled kernels"},
    {"--check-races", NULL, "run on interp and report what two threads did to one element; status 1 if any"},
    {"--allow-races", NULL, "for developers: run kernels that are refused for races"},
    {"--profile", "FILE", "write when launches, copies and waits ran, for Perfetto or chrome://tracing"},
    {"--json", NULL, "print diagnostics as a JSON array on standard output"},
    {"--prove", NULL, "say which buffers and shared memories no two threads can race on, and why not others"},
    {"--kernel", "NAME", "of a .cone or .kir file: the kernel to dispatch"},
    {"--groups", "X,Y,Z", "how many workgroups, each way; Y and Z are 1 if not given"},
    {"--buffer", "NAME=DATA", "what a slice parameter holds; one each"},
    {"--set", "N.FIELD=VALUE", "a number of a parameter by value; what is not set is 0; may be given again"},
    {"--print", "NAME", "print a buffer afterwards; may be given again"},
    {"--save", "NAME=PATH", "write a buffer to a .npy or .bin file afterwards; may be given again"},
    {"--package", "DIR", "Cone: a package, or a folder of packages, for imports; may be given again"},
    {"--mode", "MODE", "Cone: release (default) or debug, in which isDebugBuild() is true and assertDebug is kept"},
    {"--old-spellings", NULL, "Cone: warn of older spellings instead of refusing them"},
    {"--check", NULL, "only say whether files are formatted"},
    {"--stdout", NULL, "print instead of rewriting"},
    {"--target", "LIST", "what to make, separated by commas"},
    {"--triple", "TRIPLE",
     "instead: spirv1.3-unknown-vulkan1.1 to spirv1.6-unknown-vulkan1.3, spirv64-unknown-unknown"},
    {"--emit", "TARGET", "what to make"},
    {"-o", "PATH", "where to write"},
    {"--path-prefix-map", "OLD=NEW",
     "what is written has NEW for the folder OLD in paths; of several the last that fits"},
    {"--strict", NULL, "a kernel that a target does not take is an error; else a warning, and left out there"},
};

static const struct option_row *option_find(const struct command *command, const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		if (strlen(row->name) != length || memcmp(row->name, name, length) != 0)
			continue;
		for (const char *at = strstr(command->options, row->name); at; at = strstr(at + 1, row->name))
			if (at[length] == 0 || at[length] == ' ')
				return row;
	}
	return NULL;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* What users of other versions and tools write: `gpu --target`, `build --emit`, `--output`; and `--interp`, or any
 * other device, for `--device interp`, whose *value it is then. */
static const struct option_row *option_meant(const struct command *command, const char *word, size_t length,
                                             const char **value)
{
	static const char *const others[][2] = {
	    {"--emit", "--target"}, {"--target", "--emit"}, {"--output", "-o"}, {"--out", "-o"}};
	const struct option_row *row = option_find(command, word, length);
	for (size_t i = 0; !row && i < sizeof others / sizeof *others; i++)
		if (is_word(word, length, others[i][0]))
			row = option_find(command, others[i][1], strlen(others[i][1]));
	if (!row && strncmp(word, "--", 2) == 0 && device_is_name(word + 2)) {
		row = option_find(command, "--device", strlen("--device"));
		*value = row ? word + 2 : NULL;
	}
	return row;
}

/* Of the options that may be given again; NULL: it is another. */
static struct option_list *list_of(struct options *o, const char *name)
{
	return strcmp(name, "--buffer") == 0            ? &o->buffers
	       : strcmp(name, "--set") == 0             ? &o->settings
	       : strcmp(name, "--print") == 0           ? &o->prints
	       : strcmp(name, "--save") == 0            ? &o->saves
	       : strcmp(name, "--path-prefix-map") == 0 ? &o->path_maps
	                                                : NULL;
}

static void option_set(struct options *o, const char *name, const char *value)
{
	struct option_list *list = list_of(o, name);
	if (list)
		list->items[list->count++] = value;
	else if (strcmp(name, "--device") == 0)
		o->device = value;
	else if (strcmp(name, "--kernel") == 0)
		o->kernel = value;
	else if (strcmp(name, "--groups") == 0)
		o->groups = value;
	else if (strcmp(name, "--no-cache") == 0)
		o->no_cache = true;
	else if (strcmp(name, "--check-races") == 0)
		o->check_races = true;
	else if (strcmp(name, "--allow-races") == 0)
		o->allow_races = true;
	else if (strcmp(name, "--profile") == 0)
		o->profile = value;
	else if (strcmp(name, "--json") == 0)
		o->json = true;
	else if (strcmp(name, "--prove") == 0)
		o->prove = true;
	else if (strcmp(name, "--check") == 0)
		o->check = true;
	else if (strcmp(name, "--stdout") == 0)
		o->to_stdout = true;
	else if (strcmp(name, "--package") == 0)
		o->packages[o->package_count++] = value;
	else if (strcmp(name, "--old-spellings") == 0)
		o->old_spellings = true;
	else if (strcmp(name, "--strict") == 0)
		o->strict = true;
	else if (strcmp(name, "-o") == 0)
		o->output = value;
	else if (strcmp(name, "--triple") == 0)
		o->triple = value;
	else if (strcmp(name, "--mode") == 0)
		o->mode = value;
	else /* --target, --emit */
		o->targets = value;
}

static enum status usage_error(const struct command *command, const char *what, const char *word)
{
	fprintf(stderr, "sspur %s: %s%s%s%s\n", command->name, what, *word ? " `" : "", word, *word ? "`" : "");
	fprintf(stderr, "hint: usage is `sspur %s%s%s`; `sspur %s --help` says more\n", command->name,
	        *command->usage ? " " : "", command->usage, command->name);
	return STATUS_USAGE;
}

static enum status unknown_option(const struct command *command, const char *word, size_t length)
{
	const char *names[sizeof option_rows / sizeof *option_rows];
	size_t count = 0;
	struct text hint = {0};
	for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++)
		if (option_find(command, option_rows[i].name, strlen(option_rows[i].name)))
			names[count++] = option_rows[i].name;
	const struct command *other = commands;
	while (other->name && !option_find(other, word, length))
		other++;
	if (is_word(word, length, "--gpu") && strstr(command->options, "--device"))
		text_add(&hint, "`--device auto` takes a GPU where there is one");
	else if (!spelling_suggest(&hint, word, length, names, count) && other->name)
		text_add_format(&hint, "`sspur %s` has it", other->name);
	if (!hint.length)
		return usage_error(command, "unknown option", word);
	fprintf(stderr, "sspur %s: unknown option `%s`\nhint: %s%s`sspur %s --help` lists the options\n", command->name,
	        word, text_string(&hint), hint.data[hint.length - 1] == ' ' ? "" : "; ", command->name);
	text_free(&hint);
	return STATUS_USAGE;
}

/* Of its option and value. */
static int option_width(const struct option_row *row)
{
	return (int)(strlen(row->name) + (row->value ? 1 + strlen(row->value) : 0));
}

void command_print_help(const struct command *command)
{
	int width = 0;
	printf("sspur %s: %s\n\nusage: sspur %s%s%s\n", command->name, command->summary, command->name,
	       *command->usage ? " " : "", command->usage);
	if (*command->options)
		printf("\n");
	for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		if (option_find(command, row->name, strlen(row->name)) && option_width(row) > width)
			width = option_width(row);
	}
	for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		if (option_find(command, row->name, strlen(row->name)))
			printf("  %s%s%s%*s  %s\n", row->name, row->value ? " " : "", row->value ? row->value : "",
			       width - option_width(row), "", row->summary);
	}
	if (*command->details)
		printf("\n%s", command->details);
}

/* Takes one option at argv[*at] (and its value); false with *status set. */
static bool take_option(const struct command *command, int argc, char **argv, int *at, struct options *o,
                        enum status *status)
{
	const char *word = argv[*at], *equals = strchr(word, '=');
	size_t length = equals && word[1] == '-' ? (size_t)(equals - word) : strlen(word);
	const char *value = NULL;
	const struct option_row *row = option_meant(command, word, length, &value);
	if (!row) {
		*status = unknown_option(command, word, length);
		return false;
	}
	if (row->value && word[length] == '=')
		value = word + length + 1;
	else if (row->value && !value && *at + 1 < argc)
		value = argv[++*at];
	if (row->value ? !value || !*value : word[length] == '=') {
		*status = usage_error(command, row->value ? "a value must follow" : "no value may follow", row->name);
		return false;
	}
	const struct option_list *list = list_of(o, row->name);
	if (list == &o->path_maps && !recorded_path_is_map(value)) {
		*status = usage_error(command, "a value OLD=NEW must follow", row->name);
		return false;
	}
	if (strcmp(row->name, "--mode") == 0 && strcmp(value, "debug") != 0 && strcmp(value, "release") != 0) {
		*status = usage_error(command, "--mode is debug or release, not", value);
		return false;
	}
	bool full = list ? list->count == DISPATCH_LIMIT
	                 : strcmp(row->name, "--package") == 0 && o->package_count == PACKAGE_LIMIT;
	if (full) {
		*status = usage_error(command, list ? "too many of an option, at" : "too many packages, at", value);
		return false;
	}
	option_set(o, row->name, value);
	return true;
}

bool options_are_debug(const struct options *o)
{
	return o->mode && strcmp(o->mode, "debug") == 0;
}

bool options_are_of_dispatch(const char *path)
{
	const char *dot = strrchr(path, '.');
	return dot && (strcmp(dot, ".cone") == 0 || strcmp(dot, ".kir") == 0);
}

bool options_read(const struct command *command, int argc, char **argv, struct options *o, enum status *status)
{
	const char **files = (const char **)argv; /* compacted in place */
	bool only_files = false;
	*o = (struct options){.files = files};
	for (int i = 0; i < argc; i++) {
		if (!only_files && strcmp(argv[i], "--") == 0) {
			only_files = true;
			continue;
		}
		if (!only_files && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
			command_print_help(command);
			*status = STATUS_OK;
			return false;
		}
		if (!only_files && argv[i][0] == '-' && argv[i][1] != 0) {
			if (!take_option(command, argc, argv, &i, o, status))
				return false;
			continue;
		}
		files[o->file_count++] = argv[i];
		if (command->rest_are_arguments && !options_are_of_dispatch(argv[i])) {
			o->arguments = (const char *const *)&argv[i + 1];
			o->argument_count = argc - i - 1;
			break;
		}
	}
	if (o->file_count < command->minimum_files) {
		*status = usage_error(command, "a FILE is missing", "");
		return false;
	}
	if (o->file_count > command->maximum_files) {
		*status = usage_error(command, "too many arguments, at", files[command->maximum_files]);
		return false;
	}
	recorded_path_set_maps(o->path_maps.items, o->path_maps.count);
	return true;
}
