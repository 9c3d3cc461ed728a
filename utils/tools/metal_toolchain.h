/* Apple's Metal compiler, where it is: the one that SSPUR_METAL names, else `xcrun -sdk macosx metal`. */
#ifndef SSPUR_TOOLS_METAL_TOOLCHAIN_H
#define SSPUR_TOOLS_METAL_TOOLCHAIN_H

#include <stdbool.h>

#include "utils/base/text.h"

/* Whether there is one: SSPUR_METAL is set, or xcrun finds it. */
bool metal_toolchain_found(void);
/* Compiles NAME.metal, of these bytes, in a folder of its own: appends AIR and the library. False with what the
 * compiler said in *error. */
bool metal_toolchain_run(const char *name, const struct text *source, struct text *air, struct text *metallib,
                         struct text *error);

#endif
