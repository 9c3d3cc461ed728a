/* Proofs at launch (spec/sspur.md 3.4, variants): with the actual scalars, lengths and thread count, what can go
 * wrong in a launch, and whether 32 bits are enough for it. A proof picks a variant of a kernel, never a result. */
#ifndef SSPUR_IR_PROOF_H
#define SSPUR_IR_PROOF_H

#include "ir/ir_interpreter.h"
#include "utils/base/text.h"

struct ir_interval;

struct ir_proof {
	/* No thread can trap: no check fails, no operation traps, no index leaves its memory. An F32 atomic_add is
	 * never proved, as its exactness depends on what is in memory. A launch without threads is proved. */
	bool proved;
	/* Every value of a type of 64 bits that some thread computes, up to its first trap, fits 32 bits: that of an
	 * i64 fits i32, that of a u64 u32. So all of them may be computed and kept as i32 and u32, with the same
	 * results, the same comparisons and the same checks:
	 * - sums, differences, products, negations, bits, comparisons, selects, locals, loop variables as i32 or u32;
	 * - a shift by its count, which is 0 to 31 where the type is of 64 bits;
	 * - a quotient or remainder, as -2^31 is never divided by -1;
	 * - a conversion from i64 or u64 as one from i32 or u32, one to f32 or f64 included; a bitcast from or to 64
	 *   bits never is in such a kernel.
	 * Values of narrower types are as they always are. Elements in memory keep their size. Not said of offsets in
	 * bytes: an index fits 32 bits, the index times the element's size may not. */
	bool narrow;
	uint32_t unproved; /* operations and indices that may trap; 0 if proved */
	const struct ir_instruction
	    *first_unproved; /* in text order; NULL if proved or if no instruction is to blame */
};

/* ---- Programs ---- */

/* A kernel made ready for proofs: a list of steps. */
struct ir_proof_program;

/* The kernel must be verified, numbered (ir_kernel_number), and stay unchanged as long as the program. A kernel that
 * is too long to be worth it gives a program that proves nothing. Never NULL. */
struct ir_proof_program *ir_proof_program_new(const struct ir_kernel *k);
void ir_proof_program_free(struct ir_proof_program *program);
/* `arguments`: one a parameter, of which bits of integer and bool scalars and lengths are read (never data); `extents`
 * as for ir_run. Thread-safe. Costs about 10 ns an instruction. */
void ir_proof_evaluate(const struct ir_proof_program *program, const struct ir_argument *arguments,
                       const uint64_t extents[3], struct ir_proof *proof);
/* The same for the threads whose ids on each axis are in [first, last), and with what is known of every integer and
 * truth value: intervals[id] of its instruction, empty where no thread comes. NULL: not wanted; else one for each id
 * of the kernel. */
void ir_proof_evaluate_part(const struct ir_proof_program *program, const struct ir_argument *arguments,
                            const uint64_t extents[3], const uint64_t first[3], const uint64_t last[3],
                            struct ir_proof *proof, struct ir_interval *intervals);
/* Finds a range [*first, *last) of threads by linear index (x fastest) that is proved, as large as can be where what
 * is proved of single threads is one range (a stencil's inside): whole rows of a 2D grid, whole groups of a grouped
 * kernel. False, with an empty range, when none is found. Costs up to 200 evaluations: for large launches. */
bool ir_proof_range(const struct ir_proof_program *program, const struct ir_argument *arguments,
                    const uint64_t extents[3], uint64_t *first, uint64_t *last);
/* Why a launch is not better than it is, for SSPUR_GPU_TRACE: `index at 4:17 not proved`, `overflow at 3:9 and 2 more
 * not proved`, `proved, in 64 bits`, `proved`. */
void ir_proof_explain(struct text *out, const struct ir_proof *proof);

/* ---- Proofs kept for repeated launches (ir/proof_cache.c) ---- */

/* A table of fixed size, by program, integer scalars, lengths and extents. A new launch takes the place of an older
 * one. Not thread-safe: whoever owns the queue owns it. */
struct ir_proof_cache;

struct ir_proof_cache *ir_proof_cache_new(void);
void ir_proof_cache_free(struct ir_proof_cache *cache); /* NULL is fine */
/* As ir_proof_evaluate, from the cache if it can be. Programs may be freed at any time: each has a number of its own.
 */
void ir_proof_cached(struct ir_proof_cache *cache, const struct ir_proof_program *program,
                     const struct ir_argument *arguments, const uint64_t extents[3], struct ir_proof *proof);
/* As ir_proof_range, from the cache if it can be. */
bool ir_proof_cached_range(struct ir_proof_cache *cache, const struct ir_proof_program *program,
                           const struct ir_argument *arguments, const uint64_t extents[3], uint64_t *first,
                           uint64_t *last);

#endif
