#include "utils/base/planted.h"

#ifdef SSPUR_PLANTED_FAULTS

#include <stdlib.h>
#include <string.h>

bool planted(const char *name)
{
	const char *chosen = getenv("SSPUR_PLANT");
	return chosen && strcmp(chosen, name) == 0;
}

#else

typedef int planted_nothing; /* a file must have something */

#endif
