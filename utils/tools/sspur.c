/* The `sspur` driver: finds the command and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utils/base/debug_words.h"
#include "utils/base/float_environment.h"
#include "utils/base/spelling.h"
#include "utils/tools/command.h"
#include "utils/tools/compiler.h"

static void print_help(void)
{
	printf("sspur: checked GPU kernels, the same bits on every device\n\nusage: sspur COMMAND ...\n\n");
	for (const struct command *c = commands; c->name; c++)
		printf("  %-9s %s\n", c->name, c->summary);
	printf("\n`sspur COMMAND --help` says more of each. A FILE may be `-` for standard input.\n"
	       "Environment: SSPUR_DEVICE, SSPUR_CACHE_DIR, SSPUR_GPU_TRACE, SSPUR_PROFILE (see docs/cli.md).\n");
}

static int print_version(void)
{
	printf("sspur %s\n", SSPUR_VERSION);
	struct text error = {0};
	const struct compiler *compiler = compiler_open(&error);
	printf("%s\n", compiler ? compiler->version() : text_string(&error));
	text_free(&error);
	return STATUS_OK;
}

static const struct command *command_find(const char *word)
{
	const struct command *c = commands;
	while (c->name && strcmp(c->name, word) != 0)
		c++;
	return c->name ? c : NULL;
}

static int unknown_command(const char *word)
{
	const char *names[32] = {"help", "version"};
	size_t count = 2;
	struct text hint = {0};
	for (const struct command *c = commands; c->name; c++)
		names[count++] = c->name;
	if (word[0] == '-')
		fprintf(stderr, "sspur: a command must come before `%s`\n", word);
	else if (*word)
		fprintf(stderr, "sspur: unknown command `%s`\n", word);
	else
		fprintf(stderr, "sspur: a command is missing\n");
	if (*word)
		spelling_suggest(&hint, word, strlen(word), names, count);
	fprintf(stderr, "hint: %s`sspur --help` lists the commands\n", text_string(&hint));
	text_free(&hint);
	return STATUS_USAGE;
}

static int help(const char *word)
{
	const struct command *c = word ? command_find(word) : NULL;
	if (word && !c)
		return unknown_command(word);
	if (c)
		command_print_help(c);
	else
		print_help();
	return STATUS_OK;
}

static bool is_any(const char *word, const char *const words[3])
{
	return strcmp(word, words[0]) == 0 || strcmp(word, words[1]) == 0 || strcmp(word, words[2]) == 0;
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *c = command_find(word);
	struct options options;
	enum status status = STATUS_OK;
	if (is_any(word, (const char *const[]){"--help", "-h", "help"}))
		return help(argc > 2 ? argv[2] : NULL);
	if (is_any(word, (const char *const[]){"--version", "-V", "version"}))
		return print_version();
	if (!c)
		return unknown_command(word);
	return options_read(c, argc - 2, argv + 2, &options, &status) ? c->run(&options) : status;
}

/* A standard stream that is closed would be the next file that is opened: what is printed would go there. This one
 * cannot be written (or read), so that it is an error as a closed one is. */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(STATUS_USAGE);
}

int main(int argc, char **argv)
{
	float_environment_enter(); /* a library that was loaded at the start may have changed it */
	hold_standard_streams();
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow further is an error of the write */
	debug_words_help();
	int status = dispatch(argc, argv);
	/* Output that could not be written (a full disk, a closed pipe) must not look like success. */
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "sspur: standard output could not be written\n");
	return STATUS_USAGE;
}
