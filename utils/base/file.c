#include "utils/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/base/arena.h"
#include "utils/base/plain_locale.h"

bool file_fail(struct text *error, const char *verb, const char *path, int number)
{
	text_add_format(error, "cannot %s %s: %s", verb, path, plain_error_text(number));
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
	return n == 0 || (n > 0 ? fail_large(error, path, limit) : file_fail(error, "read", path, number));
}

static bool read_file(const char *path, size_t limit, struct text *out, struct text *error)
{
	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, limit, out, "standard input", error);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return file_fail(error, "read", path, errno);
	struct stat info;
	bool ok;
	if (fstat(fd, &info) != 0)
		ok = file_fail(error, "read", path, errno);
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
	return number == 0 || file_fail(error, "make folder", path, number);
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

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
	size_t length = (size_t)(path_name(path) - path);
	struct text t = {0};
	if (length > 1)
		text_add_n(&t, path, length - 1);
	else
		text_add(&t, length ? "/" : ".");
	return text_take(&t);
}

char *path_behind_links(const char *path)
{
	struct text at = {0};
	char link[PATH_MAX];
	ssize_t n;
	text_add(&at, path);
	for (int hop = 0; hop < 40 && (n = readlink(text_string(&at), link, sizeof link)) > 0; hop++) {
		size_t folder = link[0] == '/' ? 0 : (size_t)(path_name(text_string(&at)) - at.data);
		if ((size_t)n == sizeof link)
			break;
		at.length = folder;
		text_add_n(&at, link, (size_t)n);
	}
	return text_take(&at);
}

char *path_stem(const char *path)
{
	const char *name = path_name(path);
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
