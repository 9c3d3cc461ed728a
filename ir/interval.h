/* Intervals of integer values, in 128 bits: what a value can be, knowing what its operands can be. */
#ifndef SSPUR_IR_INTERVAL_H
#define SSPUR_IR_INTERVAL_H

#include "ir/ir.h"

/* Holds every value of every type, every sum and difference of two, and every product but those of two
 * values of u64 past 2^63. */
__extension__ typedef __int128 ir_wide;

/* low <= high, unless it is said that it may be empty. */
struct ir_interval {
	ir_wide low, high;
};

/* Every value of an integer type or bool. */
extern const struct ir_interval ir_interval_types[IR_TYPE_array];

static inline struct ir_interval ir_interval_one(ir_wide value)
{
	return (struct ir_interval){value, value};
}

static inline bool ir_interval_empty(const struct ir_interval *a)
{
	return a->low > a->high;
}

static inline bool ir_interval_within(const struct ir_interval *a, const struct ir_interval *b)
{
	return a->low >= b->low && a->high <= b->high;
}

/* The smallest interval that holds both; either may be empty. */
struct ir_interval ir_interval_hull(const struct ir_interval *a, const struct ir_interval *b);
/* What is in both; may be empty. */
struct ir_interval ir_interval_meet(const struct ir_interval *a, const struct ir_interval *b);

/* The values that one operation on integers or truth values can give, as ir_evaluate_op does it: `type` is the
 * operands' type, `to` the result's. Anything whose operands are not integers or truth values gives all of `to`.
 * True when it cannot trap; else *result is what it gives where it does not trap. Select, checks, memory,
 * locals and control are not done here. */
bool ir_interval_evaluate(enum ir_op op, const struct ir_type *type, const struct ir_type *to,
                          const struct ir_interval operands[2], struct ir_interval *result);
/* Narrows a and b by a comparison of integers (eq ... ge) that holds. False when it cannot hold; they are then as
 * they were. */
bool ir_interval_assume(enum ir_op comparison, struct ir_interval *a, struct ir_interval *b);
/* The comparison that holds where this one does not (lt gives ge). */
enum ir_op ir_comparison_negated(enum ir_op comparison);
/* Narrows the operands of an operation whose result is known to lie in `result`: sums, differences, negations,
 * products and conversions. `type` and `to` as above. */
void ir_interval_trace_back(enum ir_op op, const struct ir_type *type, const struct ir_type *to,
                            const struct ir_interval *result, struct ir_interval operands[2]);

#endif
