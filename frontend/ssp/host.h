/* Running a checked program: the host interpreter (spec part 2 and 3). */
#ifndef SSPUR_FRONTEND_SSP_HOST_H
#define SSPUR_FRONTEND_SSP_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/ssp/ast.h"
#include "utils/base/text.h"

struct artifact_provider;
struct device;

struct host_options {
	struct device *device;                    /* opened; launches go there */
	const struct artifact_provider *provider; /* where the device gets its code, at the first launch */
	const char *const *arguments;             /* args() */
	uint32_t argument_count;
};

/* Runs fn main. Writes to stdout (buffered, flushed at the end and before stderr) and, for an uncaught trap, the
 * report of spec 3.5 to stderr; for an `err` as main's last value (spec/sspur-2.md 6) the value and its place. Returns
 * the exit status: 0, or 1 after a trap or an `err`. */
int host_run_main(struct program *p, const struct host_options *options);
/* Runs every test in source order and prints the report of spec 3.6 on stdout. Returns 0, or 1 if any failed. */
int host_run_tests(struct program *p, const struct host_options *options);

#endif
