#include "utils/base/recorded_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/base/file.h"
#include "utils/base/text.h"

static struct {
	const char *const *items;
	int count;
} maps;

void recorded_path_set_maps(const char *const *items, int count)
{
	maps.items = items;
	maps.count = count;
}

bool recorded_path_is_map(const char *map)
{
	const char *equals = strrchr(map, '=');
	return equals && equals != map;
}

/* What follows the last place at which the path comes through the folder; NULL: it does not. */
static const char *below(const char *path, const struct stat *folder)
{
	const char *rest = NULL;
	struct text prefix = {0};
	struct stat info;
	for (const char *at = path; *at;) {
		size_t length = strspn(at, "/") ? strspn(at, "/") : strcspn(at, "/");
		text_add_n(&prefix, at, length);
		at += length;
		if ((*at == 0 || *at == '/' || prefix.data[prefix.length - 1] == '/') &&
		    stat(text_string(&prefix), &info) == 0 && info.st_dev == folder->st_dev &&
		    info.st_ino == folder->st_ino)
			rest = at + strspn(at, "/");
	}
	text_free(&prefix);
	return rest;
}

/* Adds the path without `.` and `//`. */
static void add_clean(struct text *out, const char *path)
{
	if (*path == '/')
		text_add_char(out, '/');
	for (bool first = true; *path; path += strcspn(path, "/")) {
		path += strspn(path, "/");
		size_t length = strcspn(path, "/");
		if (!length || (length == 1 && *path == '.'))
			continue;
		if (!first)
			text_add_char(out, '/');
		text_add_n(out, path, length);
		first = false;
	}
}

/* As the map says; false: it does not fit. */
static bool add_mapped(struct text *out, const char *map, const char *absolute)
{
	const char *new = strrchr(map, '=') + 1, *rest = NULL;
	struct text old = {0};
	struct stat info;
	text_add_n(&old, map, (size_t)(new - 1 - map));
	if (stat(text_string(&old), &info) == 0)
		rest = below(absolute, &info);
	text_free(&old);
	if (!rest)
		return false;
	text_add(out, new);
	if (*new &&*rest && out->data[out->length - 1] != '/')
		text_add_char(out, '/');
	add_clean(out, rest);
	return true;
}

char *recorded_path(const char *path)
{
	struct text out = {0};
	struct stat here;
	char folder[PATH_MAX];
	const char *rest = stat(".", &here) == 0 ? below(path, &here) : NULL;
	char *absolute = *path != '/' && getcwd(folder, sizeof folder) ? path_join(folder, path) : path_join(path, "");
	bool is_mapped = false;
	for (int i = maps.count; i-- > 0 && !is_mapped;)
		is_mapped = add_mapped(&out, maps.items[i], absolute);
	if (!is_mapped)
		add_clean(&out, rest && *rest ? rest : path);
	free(absolute);
	return text_take(&out);
}
