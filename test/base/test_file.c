#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "test/base/test_base.h"
#include "utils/base/file.h"

static size_t entries(const char *folder)
{
	size_t count = 0;
	DIR *d = opendir(folder);
	while (d && readdir(d))
		count++;
	if (d)
		closedir(d);
	return count - 2; /* `.` and `..` */
}

static void expect_content(const char *path, const char *wanted)
{
	struct text got = {0}, error = {0};
	EXPECT(file_read(path, &got, &error));
	EXPECT_TEXT(text_string(&got), wanted);
	EXPECT_TEXT(text_string(&error), "");
	text_free(&got);
	text_free(&error);
}

static void expect_write(bool ok, const char *path, const char *content, const char *wanted_error)
{
	struct text error = {0};
	EXPECT(file_write(path, content, strlen(content), &error) == ok);
	EXPECT_TEXT(text_string(&error), wanted_error);
	text_free(&error);
}

static void expect_unreadable(const char *path, const char *wanted_error)
{
	struct text got = {0}, error = {0};
	EXPECT(!file_read(path, &got, &error));
	EXPECT_TEXT(text_string(&error), wanted_error);
	text_free(&got);
	text_free(&error);
}

/* No other user may ever read it, whatever the umask; a link is replaced, not followed. */
static void private_write(void)
{
	struct text error = {0};
	struct stat info;
	mode_t mask = umask(0);
	EXPECT(symlink("elsewhere.txt", "private.txt") == 0);
	EXPECT(file_write_private("private.txt", "secret", 6, &error));
	umask(mask);
	expect_content("private.txt", "secret");
	EXPECT(lstat("private.txt", &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0777) == 0600);
	EXPECT(!file_exists("elsewhere.txt"));
	EXPECT(!file_write_private("nowhere/private.txt", "secret", 6, &error));
	EXPECT_TEXT(text_string(&error), "cannot write nowhere/private.txt: No such file or directory");
	text_free(&error);
}

/* A file that is no source is refused before it is read; one that only grows to that, by then. */
static void large_sources(void)
{
	struct text got = {0}, error = {0};
	EXPECT(file_write("large.ssp", "", 0, &error) && truncate("large.ssp", 16 << 20) == 0);
	EXPECT(!file_read_source("large.ssp", &got, &error));
	EXPECT_TEXT(text_string(&error), "cannot read large.ssp: it has 16 MiB or more");
	EXPECT(got.length == 0);
	text_clear(&error);
	EXPECT(!file_read_source("/dev/zero", &got, &error));
	EXPECT_TEXT(text_string(&error), "cannot read /dev/zero: it has 16 MiB or more");
	text_clear(&got);
	text_clear(&error);
	EXPECT(truncate("large.ssp", (16 << 20) - 1) == 0 && file_read_source("large.ssp", &got, &error));
	text_free(&got);
	text_free(&error);
}

/* A write that fails half-way leaves the old file and nothing else. */
static void failing_write(void)
{
	struct rlimit limit = {4096, 4096};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	char *big = calloc(1, 100000);
	struct text error = {0};
	size_t before = entries("made/deep");
	EXPECT(!file_write("made/deep/a.txt", big, 100000, &error));
	EXPECT_TEXT(text_string(&error), "cannot write made/deep/a.txt: File too large");
	EXPECT(entries("made/deep") == before);
	expect_content("made/deep/a.txt", "second");
	text_free(&error);
	free(big);
}

void test_file(void)
{
	struct text error = {0};
	EXPECT(folder_make("made/deep", &error));
	EXPECT(folder_make("made/deep/", &error));
	umask(027);
	expect_write(true, "made/deep/a.txt", "first", "");
	expect_write(true, "made/deep/a.txt", "second", "");
	expect_content("made/deep/a.txt", "second");
	struct stat info;
	EXPECT(stat("made/deep/a.txt", &info) == 0 && (info.st_mode & 0777) == 0640);
	EXPECT(entries("made/deep") == 1);

	/* A link stays one. */
	EXPECT(symlink("a.txt", "made/deep/link") == 0);
	expect_write(true, "made/deep/link", "second", "");
	EXPECT(lstat("made/deep/link", &info) == 0 && S_ISLNK(info.st_mode));

	/* Through one that leads to nothing yet; not over one that leads to itself. */
	EXPECT(symlink("b.txt", "made/deep/other") == 0 && symlink("loop", "made/deep/loop") == 0);
	expect_write(true, "made/deep/other", "third", "");
	EXPECT(lstat("made/deep/other", &info) == 0 && S_ISLNK(info.st_mode));
	expect_content("made/deep/b.txt", "third");
	expect_write(false, "made/deep/loop", "x", "cannot write made/deep/loop: Too many levels of symbolic links");
	EXPECT(lstat("made/deep/loop", &info) == 0 && S_ISLNK(info.st_mode));

	expect_write(true, "/dev/null", "gone", "");
	expect_write(false, "/dev/full", "x", "cannot write /dev/full: No space left on device");
	expect_write(false, "made", "x", "cannot write made: Is a directory");
	expect_write(false, "absent/a.txt", "x", "cannot write absent/a.txt: No such file or directory");
	expect_unreadable("made", "cannot read made: Is a directory");
	expect_unreadable("absent", "cannot read absent: No such file or directory");
	EXPECT(!folder_make("made/deep/a.txt/b", &error));
	EXPECT_TEXT(text_string(&error), "cannot make folder made/deep/a.txt/b: Not a directory");
	text_free(&error);
	private_write();
	large_sources();
	failing_write();

	char *joined = path_join("a", "b"), *slashed = path_join("a/", "b"), *stem = path_stem("x.y/b.c.ssp");
	char *hidden = path_stem(".profile"), *plain = path_stem("plain"), *folder = path_of_executable_folder();
	EXPECT_TEXT(joined, "a/b");
	EXPECT_TEXT(slashed, "a/b");
	EXPECT_TEXT(stem, "b.c");
	EXPECT_TEXT(hidden, ".profile");
	EXPECT_TEXT(plain, "plain");
	EXPECT(folder && file_exists(folder));
	free(joined);
	free(slashed);
	free(stem);
	free(hidden);
	free(plain);
	free(folder);
}
