/* The steps of a proof, for ir/proof*.c alone. A slot holds the interval of one value; values that are equal
 * wherever both exist share one. At the start of a proof a slot holds everything its type does. */
#ifndef SSPUR_IR_PROOF_PROGRAM_H
#define SSPUR_IR_PROOF_PROGRAM_H

#include "ir/interval.h"
#include "ir/proof.h"

enum proof_step_kind {
	/* Values. What is found is put where the slot's old interval meets it, as that holds of the value too. */
	PROOF_EVALUATE, /* op on slots a, b -> result */
	PROOF_SELECT,   /* slots a ? b : c -> result; `op` with `left` and `right`: the comparison that a is */
	PROOF_UNKNOWN,  /* anything of `to` -> result */
	PROOF_GET,      /* local a -> result */
	/* Locals: assigned, and never taken back at the end of a scope. */
	PROOF_COPY,   /* a -> result */
	PROOF_JOIN,   /* the hull of a and result -> result */
	PROOF_EMPTY,  /* nothing -> result */
	PROOF_FORGET, /* anything of `to` -> result */
	/* Scopes: what is written between SCOPE and END is taken back at END. */
	PROOF_SCOPE, /* go on at `jump`, past the END, if slot a cannot be `truth` */
	PROOF_FOR,   /* the same if there is no value from a to b - 1; else those -> result */
	PROOF_LOOP,
	PROOF_END,
	/* Facts that hold from here to the end of the scope. */
	PROOF_ASSUME,     /* comparison `op` of slots a and b; when it cannot hold, go on at `jump` (0: here) */
	PROOF_TRUTH,      /* slot a is `truth` */
	PROOF_TRACE_BACK, /* what slot result says of a and b, by op */
	/* What may fail. */
	PROOF_CHECK_INDEX, /* 0 <= a < b */
	PROOF_CHECK_RANGE, /* 0 <= a <= b <= c */
	PROOF_CHECK,       /* a */
	PROOF_FAIL,        /* surely not proved */
	PROOF_WIDE,        /* surely not narrow */
};

struct proof_step {
	uint8_t kind; /* enum proof_step_kind */
	uint8_t op;   /* enum ir_op */
	bool truth;
	uint32_t result, a, b, c;
	uint32_t left, right;
	uint32_t jump;
	const struct ir_type *type, *to;
	const struct ir_instruction *instruction; /* whose step it is; NULL: of a value computed again */
};

/* Values that the launch gives. */
struct proof_given {
	enum ir_op op;
	uint8_t axis;
	uint32_t parameter; /* parameter, length of a buffer */
	uint32_t slot;
	const struct ir_type *type;
};

struct ir_proof_program {
	const struct ir_kernel *kernel;
	uint64_t number; /* no other program of the process has it */
	bool grouped;
	bool hopeless; /* proves nothing */
	struct arena arena;
	struct proof_step *steps;
	uint32_t step_count, step_capacity;
	struct proof_given *givens;
	uint32_t given_count, given_capacity;
	struct ir_interval *slots; /* at the start */
	uint32_t slot_count, slot_capacity;
	uint32_t depth;     /* of scopes, at most */
	uint32_t writes;    /* of slots in scopes, at most */
	void *workspace;    /* of a proof, kept for the next one; NULL while one has it. Only by atomic exchange */
	uint32_t *slot_of;  /* by instruction id: the slot, for const and given values; else UINT32_MAX */
	uint32_t *integers; /* parameters that a proof depends on: integer and bool scalars, and buffers */
	uint32_t integer_count;
};

#endif
