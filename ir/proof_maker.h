/* How proof programs are made: steps, slots, scopes and the numbers of values, for ir/proof_maker.c and
 * ir/proof_program.c alone. */
#ifndef SSPUR_IR_PROOF_MAKER_H
#define SSPUR_IR_PROOF_MAKER_H

#include "ir/proof_program.h"

/* Index checks of the straight code before that are remembered, so that their places need no step of their own. */
#define MAX_CHECKED 8

/* How far conditions and what they are computed from are looked into; deeper gives up a fact. */
#define MAX_DEPTH 8

#define NO_SLOT UINT32_MAX

/* What a slot is computed by, to do it again or to trace it back. */
struct definition {
	const struct ir_instruction *instruction; /* NULL: by no operation */
	uint32_t operands[IR_MAX_OPERANDS];
	bool exact; /* one value at every launch: facts say nothing more of it */
};

struct maker {
	struct ir_proof_program *program;
	const struct ir_kernel *kernel;
	struct arena scratch;
	struct table numbers; /* key of a value -> slot + 1 */
	uint32_t *slots;      /* by instruction id */
	uint32_t *locals;     /* by local: its slot, NO_SLOT for floats */
	bool *noted;          /* by local, for locals_set alone */
	/* By slot, as many as the program has room for. */
	struct definition *definitions;
	uint64_t *stamps;  /* when it was last computed or narrowed in the scopes that are open */
	uint64_t *visited; /* the last narrowing it was refreshed for */
	uint32_t capacity;
	uint64_t clock, narrowed; /* now; the last narrowing in the scopes that are open */
	/* Stamps to take back at the end of scopes. */
	struct {
		uint32_t slot;
		uint64_t stamp;
	} * trail;
	uint32_t trail_count, trail_capacity;
	uint32_t depth;
	struct {
		uint32_t index, count;
	} checked[MAX_CHECKED];
	unsigned checked_next;
};

struct scope {
	uint32_t start; /* of steps */
	uint32_t trail;
	uint64_t narrowed;
};

/* What makes two values equal wherever both exist. */
struct value_key {
	uint32_t op, axis, parameter, operands[IR_MAX_OPERANDS];
	const struct ir_type *type; /* the operands' types are their slots' */
	const struct ir_memory *base;
	uint64_t bits;
};

/* A step of this kind, the rest zero. It stays where it is until the next one. */
struct proof_step *proof_maker_add_step(struct maker *m, enum proof_step_kind kind);
uint32_t proof_maker_new_typed_slot(struct maker *m, const struct ir_type *type);
/* An integer or a truth value. */
bool proof_maker_is_counted(const struct ir_type *type);
/* The slot is computed, or narrowed, by the step just added. */
void proof_maker_stamp(struct maker *m, uint32_t slot);
void proof_maker_stamp_narrowed(struct maker *m, uint32_t slot);
/* The step just added opens a scope; steps that may leave it early have its start as their jump. */
struct scope proof_maker_open_scope(struct maker *m);
void proof_maker_close_scope(struct maker *m, const struct scope *scope);
/* The slot of the values with this key; *fresh when it is a new one. */
uint32_t proof_maker_number(struct maker *m, const struct value_key *key, const struct ir_interval *start, bool *fresh);
struct value_key proof_maker_key_of(const struct maker *m, const struct ir_instruction *i);
uint32_t proof_maker_constant_slot(struct maker *m, const struct ir_type *type, ir_wide value);
/* Slots of const, and of what the launch gives. */
uint32_t proof_maker_const_value(struct maker *m, const struct ir_instruction *i);
uint32_t proof_maker_given_value(struct maker *m, const struct ir_instruction *i);
/* Computes what the slot is defined by. */
struct proof_step *proof_maker_add_evaluation(struct maker *m, uint32_t slot);
/* The slot of a value that is used here, computed again if what it is computed from was narrowed since; NO_SLOT for
 * floats. */
uint32_t proof_maker_operand(struct maker *m, const struct ir_instruction *value);

#endif
