#include "runtime/driver_library.h"

#include <dlfcn.h>
#include <string.h>

#include "runtime/fork_watch.h"
#include "utils/base/float_environment.h"

/* What was opened, and after how many forks. */
static struct {
	char file[128];
	uint32_t forks;
} opened[16];

static void note_opened(const char *file)
{
	size_t n = 0, most = sizeof opened / sizeof *opened;
	while (n < most && opened[n].file[0] && strcmp(opened[n].file, file) != 0)
		n++;
	if (n == most || opened[n].file[0] || strlen(file) >= sizeof opened[n].file)
		return;
	fork_watch();
	opened[n].forks = fork_count();
	strcpy(opened[n].file, file);
}

bool driver_library_is_here(const char *file, struct text *error)
{
	for (size_t n = 0; n < sizeof opened / sizeof *opened; n++)
		if (strcmp(opened[n].file, file) == 0 && opened[n].forks != fork_count()) {
			text_add(error,
			         "its driver was opened before fork(), which leaves the driver's threads behind; "
			         "open it in the child alone");
			return false;
		}
	return true;
}

bool driver_library_open(const char *file, const struct driver_symbol *symbols, void *table, struct text *error)
{
	FLOAT_ENVIRONMENT; /* a library built with -ffast-math changes it as it loads */
	/* Never closed: drivers have threads and exit handlers of their own. */
	if (!driver_library_is_here(file, error))
		return false;
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		text_add_format(error, "no driver: %s", dlerror());
		return false;
	}
	note_opened(file);
	for (; symbols->name; symbols++) {
		void *function = dlsym(library, symbols->name);
		if (!function && !symbols->optional) {
			text_add_format(error, "the driver is too old: %s has no %s", file, symbols->name);
			return false;
		}
		*(void **)((char *)table + symbols->offset) = function;
	}
	return true;
}
