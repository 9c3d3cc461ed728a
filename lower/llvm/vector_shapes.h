/* What a value is over threads that follow one another in a row, for NAME__lanes (lowering_vector.c). */
#ifndef SSPUR_LOWER_LLVM_VECTOR_SHAPES_H
#define SSPUR_LOWER_LLVM_VECTOR_SHAPES_H

#include "ir/ir.h"

enum vector_shape {
	VECTOR_UNIFORM, /* one scalar for all lanes */
	VECTOR_AFFINE,  /* the first lane's scalar, and one more in each lane, exactly */
	VECTOR_VARYING, /* a vector */
};

struct vector_shapes {
	enum vector_shape *values; /* by instruction id; of a check: of what it checks; of a loop: of its counter */
	bool *varying_locals;      /* by local */
};

/* Of the kernel's body. NULL: its threads are not run in lanes. They are where there is a loop (LLVM itself runs bodies
 * without loops in vectors) and control is a tree of `if` and `for`; and where a thread that has not come to its end
 * can run again from its start. Under IR_POLICY_PROVED no thread runs again: there lanes are also those of a group, and
 * atomics may be of any order (atomic_order.h). */
struct vector_shapes *vector_shapes_find(const struct ir_kernel *k, struct arena *arena);

#endif
