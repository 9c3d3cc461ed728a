/* What the parts of the interpreter share: the state of one run (for ir_interpreter*.c alone). */
#ifndef SSPUR_IR_IR_INTERPRETER_FRAME_H
#define SSPUR_IR_IR_INTERPRETER_FRAME_H

#include "ir/ir_interpreter.h"

struct interpreter_private {
	const struct ir_memory *memory;
	uint8_t *bytes; /* memory->type->size of them */
};

/* One a run; the threads use it one after another. */
struct interpreter_frame {
	const struct ir_kernel *kernel;
	const struct ir_argument *arguments;
	uint64_t *values; /* by instruction id, in 64-bit form */
	uint64_t *locals; /* by local index, in 64-bit form */
	struct interpreter_private *privates;
	uint32_t private_count;
	uint64_t extents[3], global_id[3], local_id[3], group_id[3];
	const struct ir_instruction *target; /* of the break or continue on its way */
	struct kernel_trap trap;             /* of the trap on its way */
	uint64_t yielded;                    /* the value of an expression */
	bool counted;                        /* whether `steps` is a budget */
	uint64_t steps;
};

/* Fills frame->trap for a trap of the current thread at i; returns false, for the caller to return. */
bool interpreter_trap(struct interpreter_frame *frame, const struct ir_instruction *i, enum trap_kind kind,
                      int64_t value, int64_t limit);
/* Runs one PLACED instruction. False: it trapped. */
bool interpreter_access(struct interpreter_frame *frame, const struct ir_instruction *i);

#endif
