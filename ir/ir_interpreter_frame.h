/* What the parts of the interpreter share: the state of one run (for ir_interpreter*.c and ir_race_log.c alone). */
#ifndef SSPUR_IR_IR_INTERPRETER_FRAME_H
#define SSPUR_IR_IR_INTERPRETER_FRAME_H

#include "ir/ir_race_log.h"

struct race_tracker;

/* How a region was left. */
enum outcome {
	OUTCOME_END, /* fell off its end */
	OUTCOME_BREAK,
	OUTCOME_CONTINUE,
	OUTCOME_RETURN,
	OUTCOME_YIELD,
	OUTCOME_TRAP,
	OUTCOME_BUDGET, /* out of steps */
};

/* A memory that the run itself provides. */
struct interpreter_own {
	const struct ir_memory *memory;
	uint8_t *bytes; /* memory->type->size of them; of a private memory as many for every lane */
};

/* One a run; the threads use it one after another, those of a group in turn. */
struct interpreter_frame {
	const struct ir_kernel *kernel;
	const struct ir_argument *arguments;
	uint32_t lanes; /* that there is room for: 1, or the threads of a group */
	struct interpreter_own *own;
	uint32_t own_count;
	uint64_t *all_values, *all_locals; /* of lane 0, then of lane 1, ... */
	/* The current thread. */
	uint32_t lane;
	uint64_t *values; /* by instruction id, in 64-bit form */
	uint64_t *locals; /* by local index, in 64-bit form */
	uint64_t extents[3], global_id[3], local_id[3], group_id[3];
	const struct ir_instruction *target; /* of the break or continue on its way */
	struct kernel_trap trap;             /* of the trap on its way */
	uint64_t yielded;                    /* the value of an expression */
	bool counted;                        /* whether `steps` is a budget */
	uint64_t steps;
	/* What is told of every trap; see ir_run. */
	bool (*failed)(void *context, const struct kernel_trap *trap);
	void *context;
	struct race_tracker *races;   /* NULL: accesses are not recorded */
	struct ir_barrier_wait *wait; /* NULL: not looked for */
	bool *subnormals;             /* NULL: not looked for */
	uint64_t phase;               /* of shared memory: groups and workgroup barriers so far */
	uint64_t storage_phase;       /* of buffers: storage barriers so far, and groups where barriers part them */
	uint64_t group;               /* groups so far */
};

/* ---- Threads (ir_interpreter.c) ---- */
/* Runs instructions of one region from `first` to the one before `end`; NULL: to the region's last. */
enum outcome interpreter_run(struct interpreter_frame *frame, const struct ir_instruction *first,
                             const struct ir_instruction *end);
/* Makes a lane the current thread. */
void interpreter_enter(struct interpreter_frame *frame, uint32_t lane, const uint64_t global_id[3]);
/* False when the budget has run out. */
bool interpreter_spend(struct interpreter_frame *frame);
/* Fills frame->trap for a trap of the current thread at i; returns false, for the caller to return. */
bool interpreter_trap(struct interpreter_frame *frame, const struct ir_instruction *i, enum trap_kind kind,
                      int64_t value, int64_t limit);
/* Whether the launch goes on after frame->trap. */
bool interpreter_goes_on(struct interpreter_frame *frame);
/* a < b for values of an integer type in 64-bit form. */
bool interpreter_less(const struct ir_type *type, uint64_t a, uint64_t b);
/* Whether a region's outcome goes on with the next round of `loop`; else *left is how the loop ends. */
bool interpreter_next_round(const struct interpreter_frame *frame, const struct ir_instruction *loop, enum outcome body,
                            enum outcome *left);

/* ---- Floats (ir_interpreter_floats.c) ---- */
/* Sets *frame->subnormals if a device that flushes may give another result of i than frame's, which is there. */
void interpreter_note_subnormals(struct interpreter_frame *frame, const struct ir_instruction *i);

/* ---- Memory (ir_interpreter_memory.c) ---- */
/* Runs one PLACED instruction. False: it trapped. */
bool interpreter_access(struct interpreter_frame *frame, const struct ir_instruction *i);
/* A private memory's bytes of the current lane start anew. */
void interpreter_start_privates(struct interpreter_frame *frame);
void interpreter_start_shared(struct interpreter_frame *frame);

/* ---- Groups (ir_interpreter_group.c) ---- */
/* Runs the groups of a grouped kernel whose first thread is in [first, last); as interpreter_run. */
enum outcome interpreter_run_groups(struct interpreter_frame *frame, uint64_t first, uint64_t last);

/* ---- Races (ir_race_log.c) ---- */
struct race_tracker *race_tracker_new(struct ir_race_log *log);
void race_tracker_free(struct race_tracker *t); /* NULL is fine */
/* Records the current thread's access to the scalar at `address`, `offset` bytes into its memory. */
void race_tracker_access(struct interpreter_frame *frame, const struct ir_instruction *i, const uint8_t *address,
                         uint64_t offset);

#endif
