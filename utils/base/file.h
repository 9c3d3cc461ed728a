/* Whole files in and out. Messages go to `error` as one line with the path and the reason. */
#ifndef SSPUR_BASE_FILE_H
#define SSPUR_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "utils/base/text.h"

struct arena;

/* Reads all of `path`, or standard input for `-`. Directories, missing files and
 * files of 1 GiB or more are errors. Returns false with *error set. */
bool file_read(const char *path, struct text *out, struct text *error);
/* The same for programs, kernels and manifests, which have less than 16 MiB: what is larger is no source, and a
 * compiler takes a hundred times its size. */
bool file_read_source(const char *path, struct text *out, struct text *error);
/* Writes the file whole or not at all: the bytes stand in a file `.sspur-PID-N.tmp` of the same folder first. A file
 * that is there keeps its mode, owner, access lists and other attributes, and links, symbolic and hard, lead to it as
 * before. Where a renamed file cannot have these (hard links, another user's file), the bytes are written into the
 * file, after the room for them is sure; then the temporary file is there until that is done, and stays if it fails,
 * which *error says. `-`, pipes and devices (/dev/null, /dev/stdout) are written directly. */
bool file_write(const char *path, const void *bytes, size_t n, struct text *error);
/* A new file that no other user may read or write, at no time, whole or not at all. A link is replaced. */
bool file_write_private(const char *path, const void *bytes, size_t n, struct text *error);
/* Adds `cannot VERB PATH: reason` of an errno; always false, for the caller to return. */
bool file_fail(struct text *error, const char *verb, const char *path, int number);
/* Makes the folder and its parents (mode 0777 less umask). */
bool folder_make(const char *path, struct text *error);
bool file_exists(const char *path);
/* Names in a folder, in the arena, sorted (the same everywhere), without those that begin with a dot. NULL with *count
 * 0 when there are none or it cannot be read; errno says why (0: it could). */
char **folder_list(struct arena *a, const char *path, uint32_t *count);
/* `dir/name`; the caller frees. */
char *path_join(const char *dir, const char *name);
/* The last component: `a/b.ssp` -> `b.ssp`. */
const char *path_name(const char *path);
/* What comes before it: `a/b.ssp` -> `a`, `b.ssp` -> `.`; the caller frees. */
char *path_folder(const char *path);
/* The path of what a symbolic link leads to at last, there or not; another path as it is. The caller frees. */
char *path_behind_links(const char *path);
/* The last component without its extension: `a/b.ssp` -> `b`; the caller frees. */
char *path_stem(const char *path);
/* Folder of the running executable; the caller frees; NULL when unknown. */
char *path_of_executable_folder(void);

#endif
