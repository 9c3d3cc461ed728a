/* Races that a run shows: what two threads did to one element, by the accesses that the interpreter makes. The order
 * in which it runs the threads does not hide them. */
#ifndef SSPUR_IR_IR_RACE_LOG_H
#define SSPUR_IR_IR_RACE_LOG_H

#include "ir/ir_interpreter.h"
#include "utils/base/text.h"

struct ir_race_access {
	const struct ir_instruction *instruction; /* its `place` is in the source */
	uint64_t thread[3];                       /* global id, x y z */
};

/* Two accesses to one scalar by two threads, the first before the second in the interpreter's order. They conflict
 * unless both read or both are atomic; two atomics of different kinds conflict too under IR_POLICY_STOP, where no order
 * may decide the result: different operations, or `atomic_cas` with different operands. A buffer's are compared
 * throughout the launch, whatever workgroup barriers are between (spec/sspur.md 1.4); a storage barrier parts those of
 * its group, and of no other. A shared memory's are compared within one group and between two workgroup barriers.
 * Memory that a kernel cannot write, and a thread's own, is not watched. */
struct ir_race_report {
	const struct ir_kernel *kernel;
	const struct ir_memory *memory;
	uint64_t offset; /* of the scalar, in bytes from the memory's start */
	struct ir_race_access first, second;
};

/* Zero-initialise, set `most`, pass it to ir_run_checked, then ir_race_log_free. Reports are of different pairs
 * of instructions; several runs may add to one log. */
struct ir_race_log {
	uint32_t most; /* reports kept */
	struct ir_race_report *reports;
	uint32_t report_count, report_capacity;
	uint64_t elements; /* that two threads conflicted on, reported or not */
	struct arena arena;
};

void ir_race_log_free(struct ir_race_log *log);
/* What a run is asked to look at besides; each may be NULL. */
struct ir_looks {
	struct ir_race_log *races; /* the accesses are recorded; those of two calls are not compared */
	bool *subnormals;          /* set to true by what a device that flushes may compute otherwise, atomics aside */
};

/* ir_run, with looks; NULL: as ir_run. */
bool ir_run_checked(const struct ir_kernel *k, const struct ir_argument *arguments, const uint64_t extents[3],
                    uint64_t first, uint64_t last, bool (*failed)(void *context, const struct kernel_trap *trap),
                    void *context, struct kernel_trap *trap, uint64_t *steps, const struct ir_looks *looks);
/* The scalar in the words of the source: `y[3]`, `p[2].size[1]`. */
void ir_race_print_element(struct text *out, const struct ir_race_report *report);
/* `race on sh[1]: thread 0 writes it at 7:3, thread 1 reads it at 7:12`; in 2D `thread (0, 3)`. With names of files,
 * and `invocation (0, 0, 0)`, of kernels of modules and policies that have them. */
void ir_race_print(struct text *out, const struct ir_race_report *report);

#endif
