/* Analyses over kernel IR. Each is a function of one kernel; results live in the given arena. */
#ifndef SSPUR_IR_IR_ANALYSIS_H
#define SSPUR_IR_IR_ANALYSIS_H

#include "ir/ir.h"
#include "utils/base/text.h"

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

/* ---- Linear forms (ir/linear.c) ---- */
/* value = constant + sum(coefficient * product of atoms). Atoms are instructions that are not
 * themselves sums or products: ids, parameters, lengths, loop variables, loads, gets, conversions, ... Two atoms are equal when
 * they are the same parameter, length, id and axis, the same constant expression, or structurally equal
 * pure operations over equal atoms (a shift is an opaque atom). */
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
struct ir_linear ir_linear_form(const struct ir_kernel *k, struct ir_instruction *value, struct arena *arena);
bool ir_linear_equal(const struct ir_linear *a, const struct ir_linear *b);
/* Thread-uniform as spec 1.4 says: literals, scalar parameters, lengths, group_size, grid_size and arithmetic of those. */
bool ir_linear_uniform(const struct ir_linear *a);
/* In the words of the source: `gid * s + x.len - 1`. */
void ir_linear_print(struct text *out, const struct ir_kernel *k, const struct ir_linear *a);

/* ---- Races between threads (ir/race.c), spec/sspur.md 1.4 ---- */
struct ir_race {
	const struct ir_memory *memory;
	const struct ir_instruction *first;  /* an access whose index is per-thread, or the first access */
	const struct ir_instruction *second; /* the access that may touch another thread's element */
	const char *reason;                  /* one clause, arena: "`gid + 1` and `gid` are two offsets" */
	bool has_example;                    /* two threads and an element, when they can be computed */
	uint64_t threads[2];
	int64_t element;
};
/* One a memory at most: the first fault in text order. Returns the count. Nothing that can race
 * is ever accepted. */
uint32_t ir_find_races(const struct ir_kernel *k, struct arena *arena, struct ir_race **races);

/* ---- Commit safety (ir/commit.c), spec/sspur.md 3.4 ---- */
/* No atomics, and from the first store on the body's top level holds only stores, index checks of them
 * and pure operations; no store anywhere else. */
bool ir_commit_safe(const struct ir_kernel *k);

#endif
