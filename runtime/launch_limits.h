/* How many threads a launch may have, and how many elements a slice, of a kernel whose caller says how many: for `sspur
 * run`, the public API and bare artifacts alike. */
#ifndef SSPUR_RUNTIME_LAUNCH_LIMITS_H
#define SSPUR_RUNTIME_LAUNCH_LIMITS_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* What is too large, one line, and what to do about it. Zero-initialise; text_free(&what). */
struct launch_excess {
	struct text what;
	const char *hint;
};

/* Threads on each axis: 1 on axes that the kernel lacks, at most 2^32 on each where ids have 32 bits (`narrow_ids`, or
 * the kernel's index type), and less than 2^63 in all. 0 on an axis is no thread at all. */
bool launch_limits_extents(const struct ir_kernel *k, bool narrow_ids, const uint64_t extents[3],
                           struct launch_excess *excess);
/* The same of whole workgroups; gives the extents. */
bool launch_limits_groups(const struct ir_kernel *k, bool narrow_ids, const uint64_t groups[3], uint64_t extents[3],
                          struct launch_excess *excess);
/* Elements of a slice of that type: less than 2^32 where lengths have 32 bits, and less than 2^63 bytes. Gives the
 * bytes. */
bool launch_limits_length(const struct ir_kernel *k, const struct ir_type *element, uint64_t count, uint64_t *size,
                          struct launch_excess *excess);

#endif
