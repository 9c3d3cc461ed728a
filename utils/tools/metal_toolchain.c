#define _GNU_SOURCE
#include "utils/tools/metal_toolchain.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utils/base/arena.h"
#include "utils/base/file.h"

enum { ARGUMENTS_MOST = 12, LOG_MOST = 4000 };

extern char **environ;

/* A command line, and the file that takes what it says. */
struct command_line {
	const char *words[ARGUMENTS_MOST + 1];
	size_t count;
	const char *log;
};

static void add_word(struct command_line *c, const char *word)
{
	c->words[c->count++] = word;
}

static void begin(struct command_line *c)
{
	const char *compiler = getenv("SSPUR_METAL");
	if (compiler && *compiler) {
		add_word(c, compiler);
		return;
	}
	add_word(c, "xcrun");
	add_word(c, "-sdk");
	add_word(c, "macosx");
}

/* Its exit status; -1 with *why where it did not run to an end. */
static int run(const struct command_line *c, struct text *why)
{
	posix_spawn_file_actions_t actions;
	pid_t process;
	int status = 0;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, c->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	int failure = posix_spawnp(&process, c->words[0], &actions, NULL, (char *const *)(uintptr_t)c->words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failure) {
		text_add_format(why, "%s: %s", c->words[0], strerror(failure));
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

bool metal_toolchain_found(void)
{
	const char *compiler = getenv("SSPUR_METAL");
	struct command_line c = {.log = "/dev/null"};
	struct text ignored = {0};
	if (compiler && *compiler)
		return true;
	begin(&c);
	add_word(&c, "--find");
	add_word(&c, "metal");
	bool found = run(&c, &ignored) == 0;
	text_free(&ignored);
	return found;
}

/* ---- The folder of one run ---- */

enum file { FILE_SOURCE, FILE_AIR, FILE_LIBRARY, FILE_LOG, FILE_COUNT };

struct folder {
	char *path;
	char *files[FILE_COUNT];
};

static bool make_folder(struct folder *f, const char *name, struct text *error)
{
	static const char *const extensions[FILE_COUNT] = {".metal", ".air", ".metallib", ".log"};
	const char *parent = getenv("TMPDIR");
	f->path = path_join(parent && *parent ? parent : "/tmp", "sspur-metal-XXXXXX");
	if (!mkdtemp(f->path)) {
		text_add_format(error, "cannot make %s: %s", f->path, strerror(errno));
		free(f->path);
		return false;
	}
	for (int i = 0; i < FILE_COUNT; i++) {
		struct text file = {0};
		text_add_format(&file, "%s%s", name, extensions[i]);
		f->files[i] = path_join(f->path, text_string(&file));
		text_free(&file);
	}
	return true;
}

static void remove_folder(struct folder *f)
{
	for (int i = 0; i < FILE_COUNT; i++) {
		unlink(f->files[i]);
		free(f->files[i]);
	}
	rmdir(f->path);
	free(f->path);
}

static void add_log(const struct folder *f, struct text *error)
{
	struct text log = {0}, ignored = {0};
	file_read(f->files[FILE_LOG], &log, &ignored);
	while (log.length && log.data[log.length - 1] == '\n')
		log.length--;
	text_add(error, log.length ? "\n" : "");
	text_add_n(error, text_string(&log), log.length < LOG_MOST ? log.length : LOG_MOST);
	text_free(&log);
	text_free(&ignored);
}

/* Runs the compiler, with `more` before the output and the input. */
static bool make_file(const struct folder *f, enum file from, enum file to, const char *const *more, struct text *error)
{
	struct command_line c = {.log = f->files[FILE_LOG]};
	struct text why = {0};
	begin(&c);
	if (!getenv("SSPUR_METAL") || !*getenv("SSPUR_METAL"))
		add_word(&c, "metal");
	for (; *more; more++)
		add_word(&c, *more);
	add_word(&c, "-o");
	add_word(&c, f->files[to]);
	add_word(&c, f->files[from]);
	int status = run(&c, &why);
	if (status > 0)
		text_add_format(&why, "%s ended with status %d", c.words[0], status);
	if (status) {
		text_add_format(error, "the Metal toolchain failed: %s", text_string(&why));
		add_log(f, error);
	}
	text_free(&why);
	return status == 0;
}

/* ---- What it made ---- */

static bool begins(const struct text *bytes, const char *with)
{
	return bytes->length > 4 && memcmp(bytes->data, with, 4) == 0;
}

/* AIR is LLVM bitcode, with or without the wrapper that Apple's tools put around it. */
static bool is_sound(const struct text *bytes, enum file kind)
{
	return kind == FILE_LIBRARY ? begins(bytes, "MTLB")
	                            : begins(bytes, "BC\xc0\xde") || begins(bytes, "\xde\xc0\x17\x0b");
}

static bool take(const struct folder *f, enum file kind, struct text *out, struct text *error)
{
	struct text why = {0};
	bool good = file_read(f->files[kind], out, &why) && is_sound(out, kind);
	if (!good)
		text_add_format(error, "the Metal toolchain made no %s: %s", kind == FILE_AIR ? "AIR" : "metallib",
		                why.length ? text_string(&why) : "the file is something else");
	text_free(&why);
	return good;
}

bool metal_toolchain_run(const char *name, const struct text *source, struct text *air, struct text *metallib,
                         struct text *error)
{
	static const char *const compiles[] = {"-c", "-fno-fast-math", NULL}, *const links[] = {NULL};
	struct folder f;
	if (!make_folder(&f, name, error))
		return false;
	bool good = file_write(f.files[FILE_SOURCE], text_string(source), source->length, error) &&
	            make_file(&f, FILE_SOURCE, FILE_AIR, compiles, error) && take(&f, FILE_AIR, air, error) &&
	            make_file(&f, FILE_AIR, FILE_LIBRARY, links, error) && take(&f, FILE_LIBRARY, metallib, error);
	remove_folder(&f);
	return good;
}
