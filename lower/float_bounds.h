/* How small and how large the floats of a kernel can be, by the operations that make them. */
#ifndef SSPUR_LOWER_FLOAT_BOUNDS_H
#define SSPUR_LOWER_FLOAT_BOUNDS_H

#include "ir/hazard.h"
#include "ir/ir.h"

/* Zero, infinity and NaN aside, 2^low <= magnitude <= 2^high. */
struct float_bounds {
	int low, high;
};

/* Where code runs to its end on a device with these hazards: every value of a type that may be flushed is then not
 * subnormal. */
struct float_bounds float_bounds_of(const struct ir_instruction *value, uint32_t hazards);

/* The exponents of a float type: its least normal value is 2^least, its greatest is below 2^limit; `digits` is the bits
 * of a significand. */
struct float_format {
	const struct ir_type *type, *bits; /* f32 and u32, f64 and u64 */
	int least, limit, digits;
	uint64_t sign, infinity, nan; /* bits */
};
const struct float_format *float_format_of(const struct ir_type *type);

#endif
