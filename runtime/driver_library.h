/* Drivers' libraries: opened at run time, so that the same executable runs where they are missing. */
#ifndef SSPUR_RUNTIME_DRIVER_LIBRARY_H
#define SSPUR_RUNTIME_DRIVER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "utils/base/text.h"

/* A function of the library and the pointer to it, at `offset` in the driver's table. */
struct driver_symbol {
	const char *name;
	size_t offset;
	bool optional; /* NULL where the library lacks it */
};

/* Opens `file` for good and fills the table; `symbols` ends with a NULL name. False with one line in *error when the
 * library is missing or lacks a function that is not optional. */
bool driver_library_open(const char *file, const struct driver_symbol *symbols, void *table, struct text *error);
/* False with one line in *error: the library was opened before fork(), in the process that this one is a copy of. Asked
 * before a driver that is open is used again; driver_library_open asks itself. */
bool driver_library_is_here(const char *file, struct text *error);

#endif
