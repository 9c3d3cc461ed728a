/* Analyses over kernel IR. Each is a function of one kernel; results live in the given arena. */
#ifndef SSPUR_IR_IR_ANALYSIS_H
#define SSPUR_IR_IR_ANALYSIS_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* ---- Floats of 64 bits (ir/float64.c) ---- */
/* Itself, or in an element or a field. */
bool ir_type_holds_f64(const struct ir_type *t);
/* The device must have them: a parameter, memory, local or value does. */
bool ir_uses_f64(const struct ir_kernel *k);

/* ---- Floats (ir/has_floats.c) ---- */
/* An instruction of the kernel's gives one. */
bool ir_has_floats(const struct ir_kernel *k);

/* ---- Loops (ir/rounds.c) ---- */
/* It goes round: a loop, or an exchange that is tried until it holds, as atomics of floats are. */
bool ir_has_rounds(const struct ir_kernel *k);

/* ---- Launches (ir/buffers_alone.c) ---- */
/* Every kernel records its failures, has indices of 32 bits, and gets nothing but buffers: no scalars, no `pre`, no
 * grid of its own. Vulkan has a form without settings for these modules, which are Cone's (docs/abi.md, Vulkan form of
 * Cone). */
bool ir_takes_buffers_alone(const struct ir_module *m);

/* ---- Uniformity (ir/uniformity.c) ---- */
enum ir_uniformity {
	IR_UNIFORM,       /* the same for every thread of the launch */
	IR_GROUP_UNIFORM, /* the same for every thread of a workgroup */
	IR_VARYING,
};
/* Indexed by instruction id (k->next_id entries). Data flow: a local is what is ever set into
 * it, joined with the conditions that decide whether it is set; a load from a buffer the kernel does not
 * write, at a uniform place, is uniform. */
enum ir_uniformity *ir_analyze_uniformity(const struct ir_kernel *k, struct arena *arena);

/* Whether lanes of a workgroup may wait for ever in a launch of the kernel: it has barriers, and some may return or go
 * another way before one, or `failed`: threads have trapped. */
bool ir_may_wait(const struct ir_kernel *k, bool failed);

/* ---- Choices (ir/choice.c) ---- */
/* What a `get` is that only names the value of a choice: `condition ? then : other`. */
struct ir_choice {
	const struct ir_instruction *condition;
	const struct ir_instruction *then, *other; /* NULL: the condition itself, as in `a and b`, `a or b` */
};
bool ir_choice_of(const struct ir_instruction *get, struct ir_choice *choice);

/* ---- Barriers (ir/divergence.c), spec/sspur.md 1.5 ---- */
struct ir_divergence {
	const struct ir_instruction *barrier;
	const struct ir_instruction
	    *control;                       /* the if or for around it, or around a jump out of a loop that holds it */
	unsigned operand;                   /* of control: 0 condition or first, 1 end */
	const struct ir_instruction *cause; /* the value in it that may differ */
	const char *reason;                 /* one clause, arena: "`lid` differs between the threads of a group" */
};
/* Barriers that some threads of a group may not reach with the others: conditions and bounds that are not
 * group-uniform as spec 1.5 lists it. First one a barrier at most, the outermost control, in text order; then those
 * around jumps. Returns the count. Under IR_POLICY_RECORD what ir_analyze_uniformity finds alike counts too. */
uint32_t ir_find_divergent_barriers(const struct ir_kernel *k, struct arena *arena, struct ir_divergence **divergences);

/* ---- Linear forms (ir/linear.c; ir/linear.h makes them) ---- */
/* value = constant + sum(coefficient * product of atoms). Atoms are instructions that are not
 * themselves sums or products: ids, parameters, lengths, loop variables, loads, gets, conversions, ... Two atoms are
 * equal when they are the same parameter, length, id and axis, the same constant expression, or structurally equal pure
 * operations or choices over equal atoms (a shift is an opaque atom). */
struct ir_term {
	int64_t coefficient;
	uint32_t atom_count; /* 1 or more; sorted */
	const struct ir_instruction **atoms;
};
struct ir_linear {
	bool known; /* false: not a linear form, or a coefficient overflowed */
	int64_t constant;
	uint32_t term_count;
	struct ir_term *terms; /* sorted, no equal products, no zero coefficients */
};
bool ir_linear_equal(const struct ir_linear *a, const struct ir_linear *b);
/* Thread-uniform as spec 1.4 says: literals, scalar parameters, lengths, group_size, grid_size and arithmetic of those.
 */
bool ir_linear_uniform(const struct ir_linear *a);
/* In the words of the source: `gid * s + x.len - 1`. */
void ir_linear_print(struct text *out, const struct ir_kernel *k, const struct ir_linear *a);
/* What messages say to a kernel of SSPUR, or to one of Cone. */
const char *ir_kernel_word(const struct ir_kernel *k, const char *sspur, const char *cone);
void ir_value_print(struct text *out, const struct ir_kernel *k, const struct ir_instruction *value);

/* ---- Races between threads (ir/race.c; shared memory: ir/phase.c), spec/sspur.md 1.4 to 1.6 ---- */
struct ir_race {
	const struct ir_memory *memory;
	const struct ir_instruction *first;  /* an access whose index is per-thread, or the first access */
	const struct ir_instruction *second; /* the access that may touch another thread's element */
	const struct ir_instruction *around; /* shared: `second` is in a later round of this loop; NULL: in the same */
	const char *reason;                  /* one clause, arena: "`gid + 1` and `gid` are two offsets" */
	bool has_example;                    /* two threads and an element, when they can be computed */
	uint64_t threads[2]; /* by linear id, of `first` and `second`; shared: lanes of the first group */
	int64_t element;
	bool is_spelt_out; /* the index is the thread's id, made of the group's id and the id in it */
};
/* One a memory at most: the first fault in text order. Returns the count. Nothing that can race
 * is ever accepted, where ir_find_divergent_barriers finds none. */
uint32_t ir_find_races(const struct ir_kernel *k, struct arena *arena, struct ir_race **races);

/* What is proved of the races on one memory. */
enum ir_race_proof_kind {
	IR_RACE_PROOF_NONE,    /* nothing: `divergence` or `race` says why not */
	IR_RACE_PROOF_READ,    /* no thread writes it */
	IR_RACE_PROOF_ATOMIC,  /* every access is atomic, and of one kind where the policy demands that */
	IR_RACE_PROOF_THREADS, /* each element is one thread's */
	IR_RACE_PROOF_PHASES,  /* between two barriers each element is one thread's, or is only read, or only atomic */
};
struct ir_race_proof {
	const struct ir_memory *memory;
	enum ir_race_proof_kind kind;
	bool in_line; /* the proof holds in launches of one thread along y and along z alone */
	struct ir_race race;
	const struct ir_divergence *divergence; /* NULL: `race` it is */
};
/* One a buffer, then one a shared memory, in the order of the kernel's memories. Returns the count. Where two buffers
 * are not the same memory, nothing that is proved can race. Under IR_POLICY_RECORD that holds although arithmetic
 * wraps; atomics of any kind do not race with each other; and what a group does in which a thread has ended before a
 * barrier that others wait at is undefined. */
uint32_t ir_prove_races(const struct ir_kernel *k, struct arena *arena, struct ir_race_proof **proofs);

/* A phase by the barrier that ends it (for shared memory: a workgroup barrier). */
struct ir_phase {
	const struct ir_instruction *end;       /* NULL: the end of the kernel */
	const struct ir_instruction **accesses; /* of shared memory, that may be in it */
	uint32_t access_count;
};
/* In text order, the end of the kernel last. Returns the count. */
uint32_t ir_find_phases(const struct ir_kernel *k, struct arena *arena, struct ir_phase **phases);

/* ---- Commit safety (ir/commit.c), spec/sspur.md 3.4 ---- */
/* No atomics, and from the first store on the body's top level holds only stores, index checks of them
 * and pure operations; no store anywhere else. */
bool ir_commit_safe(const struct ir_kernel *k);

#endif
