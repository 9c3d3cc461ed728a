/* Writing whole files. What is to be written stands in a new file of the same folder first; then it takes the place of
 * the old file, or, where that would change more than the content, is written into it. */
#define _GNU_SOURCE /* O_PATH: a folder that may be entered and written, but not listed */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "utils/base/arena.h"
#include "utils/base/file.h"

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t written = write(fd, bytes, n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		bytes += written;
		n -= (size_t)written;
	}
	return true;
}

static bool write_directly(const char *path, const void *bytes, size_t n, struct text *error)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return file_fail(error, "write", path, errno);
	bool ok = write_all(fd, bytes, n) || file_fail(error, "write", path, errno);
	if (close(fd) != 0 && ok)
		ok = file_fail(error, "write", path, errno);
	return ok;
}

/* ---- The new file ---- */

/* A file being written in an open folder. Its name there does not depend on that of the file whose place it takes,
 * which may be as long as the system allows. */
struct draft {
	int folder, fd;
	char name[64];
};

/* Not mkstemp: that has mode 0600, and 0666 less the umask is what the user asked for. */
static int draft_open(struct draft *d, const char *path, mode_t mode)
{
	char *folder = path_folder(path);
	d->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	d->fd = -1;
	int number = errno;
	free(folder);
	for (unsigned attempt = 0; d->folder >= 0 && d->fd < 0; attempt++) {
		snprintf(d->name, sizeof d->name, ".sspur-%d-%u.tmp", (int)getpid(), attempt);
		d->fd = openat(d->folder, d->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		number = errno;
		if (d->fd < 0 && (number != EEXIST || attempt == 10000))
			break;
	}
	return d->fd < 0 ? number : 0;
}

/* Some file systems find out only here that there is no room. */
static int draft_close(struct draft *d)
{
	int number = d->fd >= 0 && close(d->fd) != 0 ? errno : 0;
	d->fd = -1;
	return number;
}

static void draft_remove(struct draft *d)
{
	draft_close(d);
	unlinkat(d->folder, d->name, 0);
}

static int draft_rename(struct draft *d, const char *path)
{
	return renameat(d->folder, d->name, d->folder, path_name(path)) == 0 ? 0 : errno;
}

/* ---- The old file ---- */

/* All of them, names one after another, each with its NUL; -1: they cannot be listed. */
static ssize_t list_attributes(int fd, char **names)
{
	ssize_t size = flistxattr(fd, NULL, 0);
	*names = memory_alloc(size > 0 ? (size_t)size : 1);
	if (size < 0)
		return errno == ENOTSUP ? 0 : -1;
	return size ? flistxattr(fd, *names, (size_t)size) : 0;
}

static bool copy_attribute(int to, int from, const char *name)
{
	ssize_t size = fgetxattr(from, name, NULL, 0);
	char *value = memory_alloc(size > 0 ? (size_t)size : 1);
	bool good = size >= 0 && fgetxattr(from, name, value, (size_t)size) == size &&
	            fsetxattr(to, name, value, (size_t)size, 0) == 0;
	free(value);
	return good;
}

/* Gives the new file the old one's access lists and other attributes; false: it cannot have them, or has more. */
static bool copy_attributes(int to, int from)
{
	char *names, *others;
	ssize_t size = list_attributes(from, &names), other_size = list_attributes(to, &others);
	bool good = size >= 0 && other_size >= 0;
	for (ssize_t i = 0; good && i < size; i += (ssize_t)strlen(names + i) + 1)
		good = copy_attribute(to, from, names + i);
	for (ssize_t i = 0; good && i < other_size; i += (ssize_t)strlen(others + i) + 1)
		good = fgetxattr(from, others + i, NULL, 0) >= 0;
	free(names);
	free(others);
	return good;
}

/* Whether the new file, renamed, is the old one but for its content. */
static bool take_after(int new, int old, const struct stat *info)
{
	struct stat made;
	if (info->st_nlink != 1 || fstat(new, &made) != 0)
		return false;
	bool same_owner = made.st_uid == info->st_uid && made.st_gid == info->st_gid;
	return (same_owner || fchown(new, info->st_uid, info->st_gid) == 0) && copy_attributes(new, old) &&
	       fchmod(new, info->st_mode & 07777) == 0;
}

/* 0, or the error number; then, where *begun, the old file holds neither text whole. */
static int write_into(int old, const struct stat *info, const void *bytes, size_t n, bool *begun)
{
	*begun = false;
	if ((off_t)n > info->st_size) {
		int number = posix_fallocate(old, 0, (off_t)n);
		if (number == ENOSPC || number == EFBIG || number == EDQUOT)
			return ftruncate(old, info->st_size) == 0 ? number : errno;
	}
	*begun = true;
	return write_all(old, bytes, n) && ftruncate(old, (off_t)n) == 0 ? 0 : errno;
}

/* ---- Both ---- */

/* `d` holds the bytes. */
static bool replace_old(struct draft *d, const char *path, const struct stat *info, const void *bytes, size_t n,
                        struct text *error)
{
	int old = open(path, O_WRONLY | O_CLOEXEC), number = old < 0 ? errno : 0;
	bool is_renamed = false, begun = false;
	if (old >= 0 && take_after(d->fd, old, info)) {
		number = draft_close(d);
		number = number ? number : draft_rename(d, path);
		is_renamed = number == 0;
	} else if (old >= 0) {
		/* Who ends this process now leaves the text in the draft. */
		number = fsync(d->fd) != 0 || close(d->fd) != 0 ? errno : 0;
		d->fd = -1;
		number = number ? number : write_into(old, info, bytes, n, &begun);
	}
	if (old >= 0 && close(old) != 0 && !number)
		number = errno;
	if (!is_renamed && !(begun && number))
		draft_remove(d);
	if (number)
		file_fail(error, "write", path, number);
	if (begun && number)
		text_add_format(error, "; what it should hold is in %s, in the same folder", d->name);
	return number == 0;
}

/* A new file of the mode where `info` is NULL, else what is there. */
static bool write_through(const char *path, mode_t mode, const struct stat *info, const void *bytes, size_t n,
                          struct text *error)
{
	struct draft d;
	int number = draft_open(&d, path, info ? 0600 : mode);
	bool good = number == 0;
	if (!good)
		file_fail(error, "write", path, number);
	if (!good && info)
		text_add(error, " (no file can be made beside it)");
	if (good && !write_all(d.fd, bytes, n)) {
		good = file_fail(error, "write", path, errno);
		draft_remove(&d);
	} else if (good && info) {
		good = replace_old(&d, path, info, bytes, n, error);
	} else if (good) {
		number = draft_close(&d);
		number = number ? number : draft_rename(&d, path);
		if (number) {
			good = file_fail(error, "write", path, number);
			draft_remove(&d);
		}
	}
	if (d.folder >= 0)
		close(d.folder);
	return good;
}

bool file_write(const char *path, const void *bytes, size_t n, struct text *error)
{
	if (strcmp(path, "-") == 0)
		return write_all(STDOUT_FILENO, bytes, n) || file_fail(error, "write", "standard output", errno);
	struct stat info;
	bool is_there = stat(path, &info) == 0;
	if (!is_there && errno != ENOENT) /* of a link that leads to itself, say, which is not to be replaced */
		return file_fail(error, "write", path, errno);
	if (is_there && S_ISDIR(info.st_mode))
		return file_fail(error, "write", path, EISDIR);
	if (is_there && !S_ISREG(info.st_mode))
		return write_directly(path, bytes, n, error);
	if (is_there && access(path, W_OK) != 0)
		return file_fail(error, "write", path, errno);
	char *behind = path_behind_links(path);
	bool good = write_through(behind, 0666, is_there ? &info : NULL, bytes, n, error);
	free(behind);
	return good;
}

bool file_write_private(const char *path, const void *bytes, size_t n, struct text *error)
{
	return write_through(path, 0600, NULL, bytes, n, error);
}
