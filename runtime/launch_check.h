/* What is checked on the host before a launch (spec/sspur.md 3.2, from `pre` on): evaluated from the kernel's IR. */
#ifndef SSPUR_RUNTIME_LAUNCH_CHECK_H
#define SSPUR_RUNTIME_LAUNCH_CHECK_H

#include "ir/ir_interpreter.h"
#include "runtime/queue.h"
#include "utils/base/text.h"

/* Why a launch is refused: one line (spec 3.5), and the place of a trap in an expression of the kernel; line 0: none.
 * Zero-initialise; text_free(&text). */
struct launch_refusal {
	struct text text;
	struct place place;
	bool is_contract; /* a `pre` that is false */
};

/* `pre` clauses in order, the grid, whole groups. `arguments`: scalars and lengths, one a parameter. True with the
 * extents: threads on each axis, 1 on unused ones, all 0 when there is no thread to run. */
bool launch_check(const struct ir_kernel *k, const struct ir_argument *arguments, uint64_t extents[3],
                  struct launch_refusal *refusal);
/* A buffer that is passed twice is written by neither. False with one line in *error. Slices that have no buffer yet
 * are of their own. */
bool launch_check_aliases(const struct ir_kernel *k, const struct queue_argument *arguments, struct text *error);
/* A kernel with shared memory or barriers runs whole groups only (spec 1.5). False with one line in *error. */
bool launch_check_groups(const struct ir_kernel *k, const uint64_t extents[3], struct text *error);

#endif
