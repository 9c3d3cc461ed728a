/* What a value is over threads that follow one another in a row, for NAME__lanes (lowering_vector.c). */
#ifndef SSPUR_LOWER_LLVM_VECTOR_SHAPES_H
#define SSPUR_LOWER_LLVM_VECTOR_SHAPES_H

#include "ir/ir.h"

enum vector_shape {
	VECTOR_UNIFORM,  /* one scalar for all lanes */
	VECTOR_AFFINE,   /* the first lane's scalar, and one more in each lane, exactly */
	VECTOR_WRAPPING, /* the same modulo the type's range */
	VECTOR_VARYING,  /* a vector */
};

struct vector_shapes {
	enum vector_shape *values; /* by instruction id; of a check: of what it checks; of a loop: of its counter */
	bool *varying_locals;      /* by local */
	bool *leaves; /* by instruction id: some of the lanes that come to it may end there, or leave a loop around */
	bool *divergent; /* by instruction id, of a loop: lanes leave it, or a round of it, one without another */
	bool *whole;     /* by instruction id, of a set: what lanes have that are not here is never read */
	bool ends;       /* a lane may end before the others */
};

/* Of the kernel's body. NULL: its threads are not run in lanes.
 *
 * Under IR_POLICY_STOP they are where there is a loop (LLVM itself runs bodies without loops in vectors) and control is
 * a tree of `if` and `for`; and where a thread that has not come to its end can run again from its start. Under the
 * other policies no thread runs again: there is any control, lanes are also those of a group, and atomics may be of any
 * order (atomic_order.h). Under IR_POLICY_RECORD a lane that fails ends there. */
struct vector_shapes *vector_shapes_find(const struct ir_kernel *k, struct arena *arena);

#endif
