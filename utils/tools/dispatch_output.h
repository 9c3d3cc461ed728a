/* What a dispatch leaves, printed and saved. */
#ifndef SSPUR_TOOLS_DISPATCH_OUTPUT_H
#define SSPUR_TOOLS_DISPATCH_OUTPUT_H

#include "utils/tools/dispatch_data.h"

/* Whether all of it can be done, as far as that is known before; else said on stderr. */
enum status dispatch_output_check(const struct dispatch_data *d, const struct options *o);
/* A line a `--print`, then a file a `--save`: whole or not at all. */
enum status dispatch_output(const struct dispatch_data *d, const struct options *o);

#endif
