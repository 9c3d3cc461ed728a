/* Passes over kernel IR, and what SSPUR_DEBUG asks for around each. */
#ifndef SSPUR_LOWER_PASS_H
#define SSPUR_LOWER_PASS_H

#include <stdbool.h>

#include "ir/ir.h"

/* Passes that can be run by name. */
struct pass {
	const char *name;
	bool (*run)(struct ir_module *m); /* true if changed */
	const char *description;
};

extern const struct pass passes[];              /* ends with a NULL name */
const struct pass *pass_find(const char *name); /* NULL: unknown */

/* Runs one pass and numbers the kernels; true if the pass changed the module. SSPUR_DEBUG is a list, separated by
 * commas, of what else to do, with output on standard error: `print` the module after it, `verify` it (debug
 * builds always do), `roundtrip` it through its text, `time` the pass, `help`. A module that fails ends the
 * process by abort(), after the faults and a command that repeats it. */
bool pass_run(const char *name, bool (*pass)(struct ir_module *), struct ir_module *m);
/* The same for a pass that depends on the device's hazards (ir/hazard.h). */
bool pass_run_hazards(const char *name, bool (*pass)(struct ir_module *, uint32_t hazards), uint32_t hazards,
                      struct ir_module *m);

#endif
