#define _GNU_SOURCE
#include "utils/tools/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utils/base/file.h"
#include "utils/base/plain_locale.h"

extern char **environ;

void child_process_add(struct child_process *c, const char *word)
{
	c->words[c->count++] = word;
}

int child_process_run(const struct child_process *c, struct text *why, bool *missing)
{
	posix_spawn_file_actions_t actions;
	pid_t process;
	int status = 0;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, c->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (c->folder)
		posix_spawn_file_actions_addchdir_np(&actions, c->folder);
	/* A program named from here is not there by that name. */
	char *found = c->folder && strchr(c->words[0], '/') ? realpath(c->words[0], NULL) : NULL;
	int failure = posix_spawnp(&process, found ? found : c->words[0], &actions, NULL,
	                           (char *const *)(uintptr_t)c->words, environ);
	free(found);
	posix_spawn_file_actions_destroy(&actions);
	if (missing)
		*missing = failure == ENOENT;
	if (failure) {
		text_add_format(why, "%s: %s", c->words[0], plain_error_text(failure));
		return -1;
	}
	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	text_add_format(why, "%s was ended by signal %d", c->words[0], WTERMSIG(status));
	return -1;
}

char *child_process_folder(struct text *error)
{
	const char *parent = getenv("TMPDIR");
	char *path = path_join(parent && *parent ? parent : "/tmp", "sspur-XXXXXX");
	if (mkdtemp(path))
		return path;
	text_add_format(error, "cannot make %s: %s", path, plain_error_text(errno));
	free(path);
	return NULL;
}
