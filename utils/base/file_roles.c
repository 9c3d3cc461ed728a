#include "utils/base/file_roles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/base/file.h"
#include "utils/base/plain_locale.h"

/* Which file it is: that of this number, or, where there is none yet, `rest` in the folder of this number. */
struct file_use {
	enum file_role role;
	const char *label, *path;
	bool is_compared;
	dev_t device;
	ino_t number;
	const char *folder, *rest; /* rest "": it is there */
	int error;                 /* why it cannot be written, or 0 */
	uint32_t order;
};

/* ---- What a path names ---- */

/* The folder that is there, and what is missing of the path below it. */
static void find_folder(struct arena *a, struct file_use *use, const char *path)
{
	char *behind = path_behind_links(path);
	const char *rest = "";
	struct stat info = {0};
	for (;;) {
		char *folder = path_folder(behind);
		const char *name = path_name(behind);
		bool is_blank = !*name || strcmp(name, ".") == 0;
		if (!is_blank)
			rest = *rest ? arena_format(a, "%s/%s", name, rest) : arena_string(a, name);
		bool is_there = stat(folder, &info) == 0, is_last = strcmp(folder, behind) == 0;
		free(behind);
		behind = folder;
		if (is_there || is_last)
			break;
	}
	use->is_compared = stat(behind, &info) == 0;
	use->device = info.st_dev;
	use->number = info.st_ino;
	use->folder = arena_string(a, behind);
	use->rest = rest;
	free(behind);
}

static void identify(struct arena *a, struct file_use *use)
{
	struct stat info;
	use->rest = "";
	if (stat(use->path, &info) == 0) {
		use->is_compared = S_ISREG(info.st_mode);
		use->device = info.st_dev;
		use->number = info.st_ino;
		use->error = S_ISDIR(info.st_mode) ? EISDIR : access(use->path, W_OK) != 0 ? errno : 0;
	} else if (errno == ENOENT || errno == ENOTDIR) {
		find_folder(a, use, use->path);
	} else {
		use->error = errno;
	}
}

void file_roles_add(struct file_roles *r, enum file_role role, const char *label, const char *path)
{
	if (!path || strcmp(path, "-") == 0)
		return;
	struct file_use use = {.role = role,
	                       .label = arena_string(&r->arena, label),
	                       .path = arena_string(&r->arena, path),
	                       .order = r->count};
	identify(&r->arena, &use);
	*(struct file_use *)ARENA_PUSH(&r->arena, r->items, r->count, r->capacity) = use;
}

/* ---- Comparing ---- */

/* Whether the file system takes two names for one: it may not care for case, or for the form of letters. Asked in a
 * folder made for that. */
static bool names_are_one(const char *folder, const char *one, const char *other)
{
	struct text place = {0};
	text_add_format(&place, "%s/.sspur-XXXXXX", folder);
	char *made = text_take(&place);
	bool same = false;
	if (mkdtemp(made)) {
		char *first = path_join(made, path_name(one)), *second = path_join(made, path_name(other));
		int fd = open(first, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		same = fd >= 0 && access(second, F_OK) == 0;
		if (fd >= 0)
			close(fd);
		unlink(first);
		rmdir(made);
		free(first);
		free(second);
	}
	free(made);
	return same;
}

static bool is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 128)
		s++;
	return !*s;
}

static bool is_same_file(const struct file_use *a, const struct file_use *b)
{
	if (!a->is_compared || !b->is_compared || a->device != b->device || a->number != b->number)
		return false;
	if (strcmp(a->rest, b->rest) == 0)
		return true;
	bool is_alike = plain_is_alike(a->rest, b->rest) || (!is_ascii(a->rest) && !is_ascii(b->rest));
	return *a->rest && *b->rest && is_alike && !strchr(a->rest, '/') && names_are_one(a->folder, a->rest, b->rest);
}

static int compare_uses(const void *left, const void *right)
{
	const struct file_use *a = left, *b = right;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The later of two that are one file is told; which of them is written. */
static void tell(const struct file_use *one, const struct file_use *other, struct text *error)
{
	const struct file_use *written = other->role == FILE_READ ? one : other, *also = written == one ? other : one;
	bool is_read = also->role == FILE_READ;
	text_add_format(error, "%s: the file is %s", written->label, is_read ? "read too" : "written twice");
	if (strcmp(written->path, also->path) != 0)
		text_add_format(error, "%s %s", is_read ? ", as" : ", also as", also->path);
	text_add(error, is_read ? ", and would be lost" : "");
}

/* In `sorted`, a file's uses follow one another. The pair whose second comes first; false: there is none. */
static bool find_pair(const struct file_use *sorted, uint32_t count, const struct file_use *pair[2])
{
	pair[0] = pair[1] = NULL;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = i + 1;
		     j < count && sorted[j].device == sorted[i].device && sorted[j].number == sorted[i].number; j++)
			if ((sorted[i].role != FILE_READ || sorted[j].role != FILE_READ) &&
			    (!pair[1] || sorted[j].order < pair[1]->order) && is_same_file(&sorted[i], &sorted[j])) {
				pair[0] = &sorted[i];
				pair[1] = &sorted[j];
			}
	return pair[1];
}

bool file_roles_check(const struct file_roles *r, struct text *error)
{
	struct file_use *sorted = memory_alloc((r->count + 1) * sizeof *sorted);
	const struct file_use *pair[2];
	if (r->count)
		memcpy(sorted, r->items, r->count * sizeof *sorted);
	qsort(sorted, r->count, sizeof *sorted, compare_uses);
	bool good = !find_pair(sorted, r->count, pair);
	if (!good)
		tell(pair[0], pair[1], error);
	for (uint32_t i = 0; i < r->count && good; i++)
		if (r->items[i].role == FILE_WRITTEN && r->items[i].error)
			good = file_fail(error, "write", r->items[i].path, r->items[i].error);
	free(sorted);
	return good;
}

void file_roles_free(struct file_roles *r)
{
	arena_free(&r->arena);
	*r = (struct file_roles){0};
}
