/* What artifacts and traps call a source file, so that they are the same wherever the tree stands. */
#ifndef SSPUR_BASE_RECORDED_PATH_H
#define SSPUR_BASE_RECORDED_PATH_H

#include <stdbool.h>

/* `OLD=NEW`, in the order given, of this process from now on: a path below the folder OLD (or OLD itself) is recorded
 * as NEW and what follows; of several that fit the last holds, as for compilers' -ffile-prefix-map. What is before the
 * last
 * `=` is OLD. The array stays the caller's, and has to last. */
void recorded_path_set_maps(const char *const *maps, int count);
/* Whether it is `OLD=NEW`; NEW may be empty. */
bool recorded_path_is_map(const char *map);
/* Where no map fits: the path from the working folder, of what is given from there or stands below it, however it was
 * given (`/work/a/b.ssp`, `./a/b.ssp`, `../work/a/b.ssp`); else as given. Without `.` and `//`. Folders are compared as
 * the system knows them, through links. The caller frees. */
char *recorded_path(const char *path);

#endif
