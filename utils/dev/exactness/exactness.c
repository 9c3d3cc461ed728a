/* Developer tool `exactness`: floating-point operations, bit for bit against this machine's arithmetic, NaNs as one
 * value.
 *
 *   exactness --device NAME [--tries N] [--all] [--seed N] [--operation NAME]
 *       on a device (docs/devices.md). --all: one-operand operations on 32 bits with every input.
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
	fprintf(stderr, "usage: exactness --device NAME [--tries N] [--all] [--seed N] [--operation NAME]\n"
	                "       exactness --passes [--tries N] [--seed N] [--operation NAME]\n");
	return 2;
}

int main(int count, char **arguments)
{
	const char *device = NULL, *only = NULL;
	uint64_t tries = 10000000, seed = 1;
	bool passes = false, all = false;
	for (int at = 1; at < count; at++) {
		const char *name = arguments[at], *value = at + 1 < count ? arguments[at + 1] : NULL;
		if (strcmp(name, "--passes") == 0) {
			passes = true;
		} else if (strcmp(name, "--all") == 0) {
			all = true;
		} else if (!value) {
			return usage();
		} else {
			at++;
			if (strcmp(name, "--device") == 0)
				device = value;
			else if (strcmp(name, "--operation") == 0)
				only = value;
			else if (strcmp(name, "--tries") == 0)
				tries = strtoumax(value, NULL, 0);
			else if (strcmp(name, "--seed") == 0)
				seed = strtoumax(value, NULL, 0);
			else
				return usage();
		}
	}
	if (passes == (device != NULL))
		return usage();
	bool good = passes ? exactness_passes(only, tries, seed) : exactness_device(device, only, tries, seed, all);
	return good ? 0 : 1;
}
