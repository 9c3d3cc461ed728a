/* Rotations of 64 bits in PTX. LLVM before 17 takes the bits of a count that matter to be masked by the machine, and
 * writes shifts by the count as it is and by 64 minus it, which PTX does not mask. */
#ifndef SSPUR_TARGETS_NVPTX_PTX_ROTATIONS_H
#define SSPUR_TARGETS_NVPTX_PTX_ROTATIONS_H

#include "utils/base/text.h"

/* Appends LLVM's PTX to `out` with the counts masked. */
void ptx_mask_rotations(const char *ptx, struct text *out);

#endif
