/* Developer tool `exactness`: floating-point operations, bit for bit against this machine's arithmetic, NaNs as one
 * value.
 *
 *   exactness --device NAME [--tries N] [--all] [--seed N] [--operation NAME] [--hazards N]
 *       on a device (docs/devices.md). --all: one-operand operations on 32 bits with every input. --hazards: code for a
 *       device with these (ir/hazard.h), instead of for this one.
 *   exactness --passes [--tries N] [--seed N] [--operation NAME]
 *       the code for devices that flush subnormals or round quotients and roots wrongly, on a simulated one.
 *
 * Prints a line an operation: what was tried, how many differ, and how many the code flagged as inexact on this device.
 * A flag where the rule of spec/sspur.md 3.4 has none is a difference too. On a device without a compiler it needs
 * libsspur_compiler.so beside it, as sspur does.
 *
 * Exit status: 0, 1 for a difference or a device that fails, 2 for a wrong command. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/dev/exactness/exactness.h"

static int usage(void)
{
	fprintf(stderr,
	        "usage: exactness --device NAME [--tries N] [--all] [--seed N] [--operation NAME] [--hazards N]\n"
	        "       exactness --passes [--tries N] [--seed N] [--operation NAME]\n");
	return 2;
}

/* An option with a value; false: there is none of this name. */
static bool read_option(struct exactness_options *o, const char *name, const char *value)
{
	uint64_t number = strtoumax(value, NULL, 0);
	if (strcmp(name, "--device") == 0) {
		o->device = value;
	} else if (strcmp(name, "--operation") == 0) {
		o->operation = value;
	} else if (strcmp(name, "--tries") == 0) {
		o->tries = number;
	} else if (strcmp(name, "--seed") == 0) {
		o->seed = number;
	} else if (strcmp(name, "--hazards") == 0) {
		o->hazards = (uint32_t)number;
		o->has_hazards = true;
	} else {
		return false;
	}
	return true;
}

int main(int count, char **arguments)
{
	struct exactness_options o = {.tries = 10000000, .seed = 1};
	bool passes = false, understood = true;
	for (int at = 1; at < count && understood; at++) {
		if (strcmp(arguments[at], "--passes") == 0) {
			passes = true;
		} else if (strcmp(arguments[at], "--all") == 0) {
			o.all = true;
		} else {
			understood = at + 1 < count && read_option(&o, arguments[at], arguments[at + 1]);
			at++;
		}
	}
	if (!understood || passes == (o.device != NULL))
		return usage();
	return (passes ? exactness_passes(&o) : exactness_device(&o)) ? 0 : 1;
}
