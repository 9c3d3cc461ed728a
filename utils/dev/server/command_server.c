/* Runs commands of `sspur`, one after another, in one process in which a device stays open: random programs are many,
 * and what opening a device costs is most of what a small one takes.
 *
 * usage: command-server DEVICE
 *
 * A request is a line of standard input, words separated by tabs: the files for standard output and standard error, and
 * the command as sspur takes it. The answer is a line with its status. A command that ends the process has no answer.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/tools/command.h"
#include "utils/tools/device_choice.h"

enum { WORD_LIMIT = 1024 };

/* ---- The device ---- */

static struct device_functions kept;

static bool is_open(struct device *d, struct text *error)
{
	(void)d;
	(void)error;
	return true;
}

static void stay_open(struct device *d)
{
	(void)d;
}

/* From here on commands find it open, and leave it so. */
static bool keep_open(const char *name)
{
	struct text error = {0};
	struct device *d = device_choose(name, true, &error);
	if (d) {
		kept = *d->functions;
		kept.open = is_open;
		kept.close = stay_open;
		d->functions = &kept;
	} else {
		fprintf(stderr, "command-server: %s\n", text_string(&error));
	}
	text_free(&error);
	return d != NULL;
}

/* ---- Requests ---- */

static int split(char *line, char **words)
{
	int count = 0;
	line[strcspn(line, "\n")] = 0;
	for (char *word; count < WORD_LIMIT && (word = strsep(&line, "\t"));)
		words[count++] = word;
	return count;
}

static bool redirect(const char *path, int to)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool good = file >= 0 && dup2(file, to) == to;
	if (file >= 0)
		close(file);
	return good;
}

static int run(int count, char **words)
{
	for (const struct command *c = commands; c->name; c++) {
		if (strcmp(c->name, words[0]) != 0)
			continue;
		struct options options;
		enum status status = STATUS_OK;
		return options_read(c, count - 1, words + 1, &options, &status) ? (int)c->run(&options) : (int)status;
	}
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: command-server DEVICE\n");
		return STATUS_USAGE;
	}
	signal(SIGXFSZ, SIG_IGN);
	int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (answers < 0 || !keep_open(argv[1]))
		return STATUS_USAGE;
	char *line = NULL, *words[WORD_LIMIT];
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0) {
		int count = split(line, words);
		if (count < 3 || !redirect(words[0], STDOUT_FILENO) || !redirect(words[1], STDERR_FILENO))
			return STATUS_USAGE;
		int status = run(count - 2, words + 2);
		if (fflush(stdout) != 0 || ferror(stdout))
			status = STATUS_USAGE;
		dprintf(answers, "%d\n", status);
	}
	/* Drivers that tear down what is kept may be slow, and nothing is lost. */
	_exit(0);
}
