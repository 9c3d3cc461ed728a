/* Faults planted on purpose, to see that random programs find them (docs/trust.md): in builds with the CMake option
 * SSPUR_PLANTED_FAULTS the environment's SSPUR_PLANT names the one that is on; other builds have none. */
#ifndef SSPUR_BASE_PLANTED_H
#define SSPUR_BASE_PLANTED_H

#include <stdbool.h>

#ifdef SSPUR_PLANTED_FAULTS
bool planted(const char *name);
#else
#define planted(name) false
#endif

#endif
