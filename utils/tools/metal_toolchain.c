#include "utils/tools/metal_toolchain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/base/file.h"
#include "utils/tools/child_process.h"

enum { LOG_MOST = 4000 };

static void begin(struct child_process *c)
{
	const char *compiler = getenv("SSPUR_METAL");
	if (compiler && *compiler) {
		child_process_add(c, compiler);
		return;
	}
	child_process_add(c, "xcrun");
	child_process_add(c, "-sdk");
	child_process_add(c, "macosx");
}

bool metal_toolchain_found(void)
{
	const char *compiler = getenv("SSPUR_METAL");
	struct child_process c = {.log = "/dev/null"};
	struct text ignored = {0};
	if (compiler && *compiler)
		return true;
	begin(&c);
	child_process_add(&c, "--find");
	child_process_add(&c, "metal");
	bool found = child_process_run(&c, &ignored, NULL) == 0;
	text_free(&ignored);
	return found;
}

/* ---- The folder of one run ---- */

enum file { FILE_SOURCE, FILE_AIR, FILE_LIBRARY, FILE_LOG, FILE_COUNT };

struct folder {
	char *path;
	char *files[FILE_COUNT];
	char *words[FILE_COUNT]; /* what the compiler, which runs there, calls them: it may write that into what it
	                            makes */
};

static bool make_folder(struct folder *f, const char *name, struct text *error)
{
	static const char *const extensions[FILE_COUNT] = {".metal", ".air", ".metallib", ".log"};
	f->path = child_process_folder(error);
	if (!f->path)
		return false;
	for (int i = 0; i < FILE_COUNT; i++) {
		struct text file = {0};
		text_add_format(&file, "%s%s", name, extensions[i]);
		f->files[i] = path_join(f->path, text_string(&file));
		f->words[i] = path_join(".", text_string(&file));
		text_free(&file);
	}
	return true;
}

static void remove_folder(struct folder *f)
{
	for (int i = 0; i < FILE_COUNT; i++) {
		unlink(f->files[i]);
		free(f->files[i]);
		free(f->words[i]);
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
	struct child_process c = {.log = f->files[FILE_LOG], .folder = f->path};
	struct text why = {0};
	begin(&c);
	if (!getenv("SSPUR_METAL") || !*getenv("SSPUR_METAL"))
		child_process_add(&c, "metal");
	for (; *more; more++)
		child_process_add(&c, *more);
	child_process_add(&c, "-o");
	child_process_add(&c, f->words[to]);
	child_process_add(&c, f->words[from]);
	int status = child_process_run(&c, &why, NULL);
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
