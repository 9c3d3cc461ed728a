/* The calling interface of native kernels (docs/abi.md). */
#ifndef SSPUR_TARGETS_NATIVE_ABI_H
#define SSPUR_TARGETS_NATIVE_ABI_H

#include <stdint.h>

#include "utils/base/trap.h"

/* `NAME__sequential`: runs threads [first, last), by linear index, of the grid in order and exactly.
 * `arguments` points at the packed arguments in the order of design.md's Device ABI: each parameter in source
 * order, aligned to its size (bool as 32 bits; a slice as address then length, 64 bits each), then the extents
 * (64-bit n; w, h in 2D; w, h, d in 3D). `workspace` has as many bytes as `NAME__workspace` says, aligned to
 * NATIVE_WORKSPACE_ALIGN, of any content; NULL for none. Calls at the same time need different ones.
 * Returns 0, or 1 with *trap filled for the first trap. A grouped kernel (ir/ir.h) runs the groups whose first thread
 * is in [first, last), and with IR_POLICY_RECORD all of them: then it returns how many threads failed. */
typedef uint32_t native_sequential(const void *arguments, uint64_t first, uint64_t last, struct kernel_trap *trap,
                                   void *workspace);
/* `NAME__lanes`, which only some kernels have: the same, but threads run in no order, several at once, so that none may
 * see what another writes. The trap is the first all the same. It needs no workspace. `NAME__proved__lanes` and
 * `NAME__narrow__lanes` (ir/ir_variant.h), where they are faster: they never trap and have a workspace of their own,
 * `NAME__proved__workspace`; a grouped kernel's grid is of whole groups; calls at the same time may update buffers by
 * atomics. There is no narrow one where 32 bits win nothing. */
/* `NAME__workspace` */
typedef const uint64_t native_workspace;

#define NATIVE_SEQUENTIAL_SUFFIX "__sequential"
#define NATIVE_LANES_SUFFIX "__lanes"
#define NATIVE_WORKSPACE_SUFFIX "__workspace"
#define NATIVE_WORKSPACE_ALIGN 64
#define NATIVE_LANES_MOST 32 /* threads at once, a power of two */

#endif
