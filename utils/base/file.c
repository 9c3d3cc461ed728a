#include "utils/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/base/arena.h"

/* `cannot VERB PATH: reason`; always false, for the caller to return. */
static bool fail(struct text *error, const char *verb, const char *path, int number)
{
	text_add_format(error, "cannot %s %s: %s", verb, path, strerror(number));
	return false;
}

static bool fail_large(struct text *error, const char *path, size_t limit)
{
	text_add_format(error, "cannot read %s: it has %zu MiB or more", path, limit >> 20);
	return false;
}

static bool read_all(int fd, size_t limit, struct text *out, const char *path, struct text *error)
{
	char *buffer = memory_alloc(1 << 16);
	ssize_t n;
	while ((n = read(fd, buffer, 1 << 16)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || out->length + (size_t)n >= limit)
			break;
		text_add_n(out, buffer, (size_t)n);
	}
	int number = errno;
	free(buffer);
	return n == 0 || (n > 0 ? fail_large(error, path, limit) : fail(error, "read", path, number));
}

static bool read_file(const char *path, size_t limit, struct text *out, struct text *error)
{
	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, limit, out, "standard input", error);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(error, "read", path, errno);
	struct stat info;
	bool ok;
	if (fstat(fd, &info) != 0)
		ok = fail(error, "read", path, errno);
	else if (S_ISREG(info.st_mode) && (size_t)info.st_size >= limit)
		ok = fail_large(error, path, limit);
	else
		ok = read_all(fd, limit, out, path, error); /* a folder fails here: EISDIR */
	close(fd);
	return ok;
}

bool file_read(const char *path, struct text *out, struct text *error)
{
	return read_file(path, (size_t)1 << 30, out, error);
}

bool file_read_source(const char *path, struct text *out, struct text *error)
{
	return read_file(path, (size_t)16 << 20, out, error);
}

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
		return fail(error, "write", path, errno);
	bool ok = write_all(fd, bytes, n) || fail(error, "write", path, errno);
	if (close(fd) != 0 && ok)
		ok = fail(error, "write", path, errno);
	return ok;
}

/* Opens a new file beside `path`; its name goes to `name`. Not mkstemp: that has mode 0600, and
 * 0666 less the umask is what the user asked for. */
static int open_beside(const char *path, mode_t mode, struct text *name)
{
	for (unsigned attempt = 0;; attempt++) {
		text_clear(name);
		text_add_format(name, "%s.%d-%u.tmp", path, (int)getpid(), attempt);
		int fd = open(text_string(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST || attempt == 10000)
			return fd;
	}
}

/* 0, or the error number. */
static int write_and_rename(const char *path, mode_t mode, const void *bytes, size_t n)
{
	struct text name = {0};
	int fd = open_beside(path, mode, &name);
	bool ok = fd >= 0;
	int number = errno;
	if (ok) {
		ok = write_all(fd, bytes, n);
		number = errno;
		/* Some file systems find out only here that there is no room. */
		if (close(fd) != 0 && ok) {
			ok = false;
			number = errno;
		}
		if (ok && rename(text_string(&name), path) != 0) {
			ok = false;
			number = errno;
		}
		if (!ok)
			unlink(text_string(&name));
	}
	text_free(&name);
	return ok ? 0 : number;
}

static bool replace(const char *path, mode_t mode, const void *bytes, size_t n, struct text *error)
{
	/* A link stays a link: what it leads to is replaced. */
	char *target = realpath(path, NULL);
	int number = write_and_rename(target ? target : path, mode, bytes, n);
	free(target);
	return number == 0 || fail(error, "write", path, number);
}

bool file_write(const char *path, const void *bytes, size_t n, struct text *error)
{
	if (strcmp(path, "-") == 0)
		return write_all(STDOUT_FILENO, bytes, n) || fail(error, "write", "standard output", errno);
	struct stat info;
	if (stat(path, &info) == 0) {
		if (S_ISDIR(info.st_mode))
			return fail(error, "write", path, EISDIR);
		if (!S_ISREG(info.st_mode))
			return write_directly(path, bytes, n, error);
		if (access(path, W_OK) != 0)
			return fail(error, "write", path, errno);
	}
	return replace(path, 0666, bytes, n, error);
}

bool file_write_private(const char *path, const void *bytes, size_t n, struct text *error)
{
	int number = write_and_rename(path, 0600, bytes, n);
	return number == 0 || fail(error, "write", path, number);
}

bool folder_make(const char *path, struct text *error)
{
	size_t length = strlen(path);
	char *copy = memory_alloc(length + 1);
	memcpy(copy, path, length + 1);
	int number = 0;
	for (size_t i = 1; i <= length && number == 0; i++) {
		if (copy[i] != '/' && copy[i] != 0)
			continue;
		copy[i] = 0;
		struct stat info;
		if (mkdir(copy, 0777) != 0 && (stat(copy, &info) != 0 || !S_ISDIR(info.st_mode)))
			number = errno == ENOENT ? ENOENT : ENOTDIR;
		copy[i] = path[i];
	}
	free(copy);
	return number == 0 || fail(error, "make folder", path, number);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **folder_list(struct arena *a, const char *path, uint32_t *count)
{
	char **names = NULL;
	uint32_t capacity = 0;
	*count = 0;
	DIR *dir = opendir(path);
	if (!dir)
		return NULL;
	errno = 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			*(char **)ARENA_PUSH(a, names, *count, capacity) = arena_string(a, entry->d_name);
	int number = errno;
	closedir(dir);
	if (*count)
		qsort(names, *count, sizeof *names, compare_names);
	errno = number;
	return names;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *path_join(const char *dir, const char *name)
{
	struct text t = {0};
	text_add(&t, dir);
	if (t.length && t.data[t.length - 1] != '/')
		text_add_char(&t, '/');
	text_add(&t, name);
	return text_take(&t);
}

char *path_stem(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	struct text t = {0};
	text_add_n(&t, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
	return text_take(&t);
}

char *path_of_executable_folder(void)
{
	char *path = realpath("/proc/self/exe", NULL);
	char *slash = path ? strrchr(path, '/') : NULL;
	if (slash)
		slash[slash == path] = 0;
	return path;
}
