/* The files that a command reads and writes, compared before it writes any: by what the system says of a file, not by
 * its name, so that links, `./a` and `a`, and names that differ in case where that makes no difference, are one. */
#ifndef SSPUR_BASE_FILE_ROLES_H
#define SSPUR_BASE_FILE_ROLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "utils/base/arena.h"
#include "utils/base/text.h"

enum file_role {
	FILE_READ,
	FILE_WRITTEN,   /* made, or put in the place of another */
	FILE_REWRITTEN, /* read, and its own text changed */
};

/* Zero is empty. */
struct file_roles {
	struct arena arena;
	struct file_use *items;
	uint32_t count, capacity;
};

/* One more file. `label` is how errors call it: `-o x.kir`, or the path. Standard input and output (`-`), and NULL, are
 * none; the path is copied. */
void file_roles_add(struct file_roles *r, enum file_role role, const char *label, const char *path);
/* Whether each file that is written is no other of them, and is none that cannot be written: a folder, a name that is
 * too long, one without permission. One line in *error if not. What is no regular file (/dev/null) may be named again.
 */
bool file_roles_check(const struct file_roles *r, struct text *error);
void file_roles_free(struct file_roles *r);

#endif
