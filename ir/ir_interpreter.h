/* The IR interpreter: the reference semantics of both languages. */
#ifndef SSPUR_IR_IR_INTERPRETER_H
#define SSPUR_IR_IR_INTERPRETER_H

#include "ir/ir.h"

/* One argument a parameter, in order. */
struct ir_argument {
	uint64_t bits;   /* SCALAR: the value in 64-bit form (see ir.h) */
	void *data;      /* BUFFER: `length` elements in the type's layout; VALUE: the struct */
	uint64_t length; /* BUFFER: elements */
};

/* Evaluates a pre or grid expression. False with *trap filled (thread 0) if it traps. */
bool ir_evaluate_expression(const struct ir_kernel *k, const struct ir_expression *e,
                            const struct ir_argument *arguments, uint64_t *result, struct kernel_trap *trap);

/* Runs threads [first, last) by linear index (x fastest) of a grid of extents[3] threads, in order.
 * `failed` is called for every trap; it returns true to go on with the next thread (RECORD), false
 * to end the launch (STOP). NULL: end. Returns false if ended by a trap, with *trap filled (may be NULL).
 * `steps` non-NULL: a budget of instructions; when it runs out the result is false with trap->kind
 * TRAP_NONE. Thread-safe for different buffers.
 * A grouped kernel (ir.h) runs group by group, x fastest, its lanes in lockstep. The groups run whose first thread is
 * in [first, last), so a grid cut into parts anywhere runs every group once. The lanes of a group at the grid's
 * edge are those of its threads that the grid has. A thread whose trap `failed` lets pass ends, and no barrier waits
 * for it. Each lockstep control, barrier and cut is one step for all lanes. */
bool ir_run(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3], uint64_t first,
            uint64_t last, bool (*failed)(void *context, const struct kernel_trap *trap), void *context,
            struct kernel_trap *trap, uint64_t *steps);

/* A workgroup of which one lane waits at a barrier that another does not reach: it has returned or failed before, or
 * went another way. */
struct ir_barrier_wait {
	const struct ir_instruction *barrier; /* NULL: there is none */
	uint64_t waiting[3], left[3];         /* global ids of the first such lanes in order */
};

/* Runs a grouped kernel of IR_POLICY_RECORD whole, as ir_run, and gives the first such group. A group whose lanes went
 * different ways goes on as the first of them. False when the budget ran out before there was one. */
bool ir_find_wait(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3],
                  uint64_t *steps, struct ir_barrier_wait *wait);

#endif
