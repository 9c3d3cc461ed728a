/* Arrays as NumPy writes them to files (.npy, formats 1.0 and 2.0): little-endian numbers, C order. */
#ifndef SSPUR_TOOLS_NPY_H
#define SSPUR_TOOLS_NPY_H

#include <stdbool.h>
#include <stdint.h>

#include "utils/base/text.h"

enum { NPY_AXES_MOST = 32 };

/* What a file holds: `count` elements, the product of the shape, from byte `data` on. */
struct npy {
	char kind;     /* of numbers: b (bool) i u f; V: bytes without a meaning */
	uint32_t size; /* bytes an element */
	uint64_t count;
	uint64_t data;
};

/* Reads the header of a whole file and compares its size. False with what is wrong in *error: not such a file, another
 * format or byte order, Fortran order, fields, a size that does not fit. */
bool npy_read(const char *bytes, uint64_t size, struct npy *header, struct text *error);
/* Appends a header, format 1.0; the elements follow. `kind` and `size` as above, 1 to NPY_AXES_MOST axes. */
void npy_write_header(struct text *out, char kind, uint32_t size, const uint64_t *shape, uint32_t axes);

#endif
