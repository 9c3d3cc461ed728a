/* What the parts of the race check of shared memory share (for phase*.c alone; spec/sspur.md 1.5). */
#ifndef SSPUR_IR_PHASE_H
#define SSPUR_IR_PHASE_H

#include "ir/group_uniform.h"
#include "ir/race.h"

#define PHASE_MAX_BOUNDS 8
#define PHASE_EXAMPLE_STEPS 4000000 /* a kernel */

/* constant + a sum of group-uniform products. Two forms of one `variable` differ by their constants, in one round of
 * all loops whose variables they are made of. */
struct phase_form {
	uint32_t variable; /* number of the sum; 0: there is none */
	int64_t constant;
	int level; /* see struct group_uniform */
};

struct phase_forms {
	struct phase_form items[PHASE_MAX_BOUNDS];
	uint32_t count;
};

/* Accesses that no rule tells apart. Lanes are the threads of a group, numbered x fastest. */
struct phase_class {
	const struct ir_memory *memory;
	const struct ir_instruction *atomic; /* the first that is an atomic operation; NULL: plain */
	bool read, write;
	/* The element is the sum of strides[axis] * lid.axis and the offset. */
	bool linear;
	int64_t strides[3]; /* 0 on an axis of one thread */
	struct phase_form offset;
	/* The element is at least each of `lows` and below each of `highs`. */
	struct phase_forms lows, highs;
	struct phase_forms lanes; /* the one lane that makes it, under each of these names */
};

struct phase_access {
	const struct ir_instruction *instruction;
	uint32_t class;
};

/* What the examples of a kernel share (phase_example.c). */
struct phase_examples {
	uint64_t steps;   /* that may still be spent */
	int64_t *rounds;  /* by id of a for: the value of its variable */
	bool known, none; /* whether it was found out that there can be none */
};

struct phase_accesses {
	const struct race_context *race;
	struct group_uniform uniform;
	bool apart;      /* every access is a class of its own */
	uint32_t *by_id; /* 1 + the access that an instruction is; 0: none of shared memory */
	bool *matters;   /* by id of control: holds an access of shared memory, a barrier or a jump */
	bool *jumps;     /* by id of control: holds a jump */
	struct phase_access *items;
	uint32_t count, capacity;
	struct phase_class *classes;
	uint32_t class_count, class_capacity;
	struct table numbers; /* keys of classes and of sums of forms */
	uint32_t variable_count;
	struct phase_examples *examples;
};

/* phase_access.c: every access of shared memory, with what its index and its guards say. */
void phase_collect(struct phase_accesses *all, const struct race_context *race, bool apart);
/* Parts of a linear form: false if it is not constant strides and a group-uniform rest. */
bool phase_split(const struct phase_accesses *all, const struct ir_linear *form, int64_t strides[3],
                 struct ir_linear *rest);
/* Of lane numbers: lid.x, lid.y * width + lid.x, ... */
void phase_lane_strides(const struct ir_kernel *k, int64_t strides[3]);

/* phase_guard.c: what conditions say of the lane that goes on. */
struct phase_guards {
	struct ir_linear lows[PHASE_MAX_BOUNDS], highs[PHASE_MAX_BOUNDS]; /* low <= lane < high */
	struct ir_linear lanes[PHASE_MAX_BOUNDS];                         /* lane == this */
	uint32_t low_count, high_count, lane_count;
	struct ir_linear axes[3]; /* lid.axis == this, where known */
};
void phase_add_guard(const struct phase_accesses *all, struct phase_guards *guards,
                     const struct ir_instruction *condition);

/* phase_meet.c: whether two threads may meet in accesses of one phase, or what they do together depends on their order.
 * `level`: the loop of this depth and those in it are in different rounds; PHASE_SAME_ROUND: none is. */
#define PHASE_SAME_ROUND 0xffff
bool phase_meet(const struct phase_accesses *all, const struct phase_class *a, const struct phase_class *b, int level);

/* phase_explain.c: fills a race between the two accesses of which it is told. */
void phase_explain(const struct phase_accesses *all, struct ir_race *race, const struct phase_access *first,
                   const struct phase_access *second);

/* phase_example.c: two lanes of the first group and an element, if they can be computed. */
void phase_find_example(const struct phase_accesses *all, struct ir_race *race);

#endif
