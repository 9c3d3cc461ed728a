/* Ordered float comparisons with a zero, written so that LLVM keeps the zeros of a choice apart. */
#ifndef SSPUR_LOWER_LLVM_ZERO_COMPARE_H
#define SSPUR_LOWER_LLVM_ZERO_COMPARE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* LLVM's InstCombine (15 at least) takes `x > 0.0 ? -0.0 : x` for a minimum, and makes it `x >= -0.0 ? -0.0 : x`, which
 * changes the sign of a zero. So no comparison with a zero is left to it, ours or a driver's: x > 0.0 is x >= d and x <
 * 0.0 is x <= -d, d being the least subnormal; where the device may flush subnormals, `bits` compares x's bits as an
 * integer instead (scalars only). Call it once constants are in their places. */
void zero_compare_replace(LLVMModuleRef module, bool bits);

#endif
