/* The calling interface of native kernels (docs/abi.md). */
#ifndef SSPUR_TARGETS_NATIVE_ABI_H
#define SSPUR_TARGETS_NATIVE_ABI_H

#include <stdint.h>

#include "utils/base/trap.h"

/* `NAME__sequential`: runs threads [first, last), by linear index, of the grid in order and exactly.
 * `arguments` points at the packed arguments in the order of design.md's Device ABI: each parameter in source
 * order, aligned to its size (bool as 32 bits; a slice as address then length, 64 bits each), then the extents
 * (64-bit n; w, h in 2D; w, h, d in 3D). Returns 0, or 1 with *trap filled for the first trap. */
typedef uint32_t native_sequential(const void *arguments, uint64_t first, uint64_t last, struct kernel_trap *trap);

#define NATIVE_SEQUENTIAL_SUFFIX "__sequential"

#endif
