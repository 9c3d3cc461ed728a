/* The `sspur` driver: finds the command and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
		for (const struct command *c = commands; argc > 2 && c->name; c++) {
			if (strcmp(c->name, argv[2]) == 0) {
				command_print_help(c);
				return STATUS_OK;
			}
		}
		print_help();
		return STATUS_OK;
	}
	if (strcmp(word, "--version") == 0)
		return print_version();
	for (const struct command *c = commands; c->name; c++) {
		if (strcmp(c->name, word) != 0)
			continue;
		struct options options;
		enum status status = STATUS_OK;
		return options_read(c, argc - 2, argv + 2, &options, &status) ? c->run(&options) : status;
	}
	if (*word)
		fprintf(stderr, "sspur: unknown command `%s`\n", word);
	else
		fprintf(stderr, "sspur: a command is missing\n");
	fprintf(stderr, "hint: `sspur --help` lists the commands\n");
	return STATUS_USAGE;
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
	hold_standard_streams();
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow further is an error of the write */
	int status = dispatch(argc, argv);
	/* Output that could not be written (a full disk, a closed pipe) must not look like success. */
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "sspur: standard output could not be written\n");
	return STATUS_USAGE;
}
