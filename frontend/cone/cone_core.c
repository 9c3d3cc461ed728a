/* Finding what is built in. */
#include "frontend/cone/cone_core.h"

#include <string.h>

const struct cone_builtin *cone_builtin_named(const char *name)
{
	for (const struct cone_builtin *b = cone_builtins; b->name; b++)
		if (strcmp(b->name, name) == 0)
			return b;
	return NULL;
}
