/* Running another program, without a shell. */
#ifndef SSPUR_TOOLS_CHILD_PROCESS_H
#define SSPUR_TOOLS_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "utils/base/text.h"

enum { CHILD_WORDS_MOST = 12 };

/* A command line, and the file that takes what it says. */
struct child_process {
	const char *words[CHILD_WORDS_MOST + 1];
	size_t count;
	const char *log;
	const char *folder; /* where it runs; NULL: here */
};

void child_process_add(struct child_process *c, const char *word);
/* Its exit status; -1 with *why where it did not run to an end. Not found: -1, and *missing, if given, is true. */
int child_process_run(const struct child_process *c, struct text *why, bool *missing);
/* A new folder for its files, in TMPDIR or /tmp, of this user alone; free(). NULL with *error set. */
char *child_process_folder(struct text *error);

#endif
