#include "runtime/driver_library.h"

#include <dlfcn.h>

#include "utils/base/float_environment.h"

bool driver_library_open(const char *file, const struct driver_symbol *symbols, void *table, struct text *error)
{
	FLOAT_ENVIRONMENT; /* a library built with -ffast-math changes it as it loads */
	/* Never closed: drivers have threads and exit handlers of their own. */
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		text_add_format(error, "no driver: %s", dlerror());
		return false;
	}
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
