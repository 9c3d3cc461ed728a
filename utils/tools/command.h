/* The driver's commands: one row each in command.c, one function each. */
#ifndef SSPUR_TOOLS_COMMAND_H
#define SSPUR_TOOLS_COMMAND_H

#include <stdbool.h>

/* Exit statuses of every command. */
enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1, /* the program has errors, trapped, a test failed, a file is not formatted */
	STATUS_USAGE = 2,  /* bad options, a file that cannot be read or written, no such device */
};

/* `--package DIR` at most. */
#define PACKAGE_LIMIT 64
/* Each of `--buffer`, `--set`, `--print`, `--save` and `--path-prefix-map` at most. */
#define DISPATCH_LIMIT 256

/* An option that may be given again: its values, in order. */
struct option_list {
	const char *items[DISPATCH_LIMIT];
	int count;
};

/* What the command line said; absent options are NULL or false. */
struct options {
	const char *device, *output, *targets, *triple, *profile, *mode;
	bool json, prove, check, to_stdout, no_cache, check_races, allow_races, old_spellings, strict;
	struct option_list path_maps;        /* --path-prefix-map */
	const char *packages[PACKAGE_LIMIT]; /* Cone's: folders where imports are looked for */
	int package_count;
	const char *kernel, *groups; /* these of a dispatch (command_dispatch.c) */
	struct option_list buffers, settings, prints, saves;
	const char *const *files; /* file_count of them, in order */
	int file_count;
	const char *const *arguments; /* run: what follows the file, for args() */
	int argument_count;
};

struct command {
	const char *name;
	const char *usage;   /* what follows `sspur NAME` */
	const char *summary; /* one line */
	const char *options; /* names of the options it takes, separated by blanks */
	int minimum_files, maximum_files;
	bool rest_are_arguments; /* what follows the first file goes to the program */
	const char *details;     /* more for `sspur NAME --help`, whole lines; may be "" */
	enum status (*run)(const struct options *o);
};

extern const struct command commands[]; /* ends with a NULL name */

/* Reads the command line of one command into *o (whose arrays point into argv). Returns false after printing
 * what is wrong, or after printing help (*status says which). argv[0] is the first word after the command. */
bool options_read(const struct command *command, int argc, char **argv, struct options *o, enum status *status);
/* `--mode debug`, of Cone. */
bool options_are_debug(const struct options *o);
/* `run` of this file is a dispatch, so that options may follow it: it ends with .cone or .kir. */
bool options_are_of_dispatch(const char *path);
void command_print_help(const struct command *command);

enum status command_run(const struct options *o);
/* `run` of a file of kernels: one over data. */
enum status command_dispatch(const struct options *o);
/* The file that --profile or SSPUR_PROFILE names; NULL: none. */
const char *command_profile(const struct options *o);
/* Begins what is written there, once all that is to be refused has been. */
void command_profile_start(const struct options *o);
enum status command_test(const struct options *o);
enum status command_test_files(const struct options *o);
enum status command_check(const struct options *o);
enum status command_fmt(const struct options *o);
enum status command_build(const struct options *o);
enum status command_gpu(const struct options *o);
enum status command_explain(const struct options *o);
enum status command_devices(const struct options *o);

#endif
