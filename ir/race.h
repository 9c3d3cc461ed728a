/* What the parts of the race check share (for race*.c alone). */
#ifndef SSPUR_IR_RACE_H
#define SSPUR_IR_RACE_H

#include "ir/ir_analysis.h"
#include "ir/linear.h"

#define RACE_MAX_GUARDS 8

struct race_access {
	const struct ir_instruction *instruction;
	struct ir_linear index; /* the element, as c->indices has it; unknown if the place has no index */
	struct ir_linear exact; /* the same as c->forms has it */
	bool write;
};

/* What all accesses of a memory must have in common for one shape of per-thread indices. */
struct race_layout {
	struct ir_linear value;                   /* the uniform offset, or the size of a block */
	struct ir_linear guards[RACE_MAX_GUARDS]; /* `lid == c`: the access runs only under one c, any of these */
	uint32_t guard_count;
};

struct race_context {
	const struct ir_kernel *kernel;
	struct arena *arena;
	const struct linear_context *forms; /* values */
	/* Elements of buffers: where arithmetic wraps (IR_POLICY_RECORD), modulo 2 to the width of ids. Different ids
	 * plus one offset are different there too; products are not. */
	const struct linear_context *indices;
	bool line;          /* gid.x tells the threads apart, and group_id.x the groups (ir_prove_races says when) */
	bool *used;         /* by id: the value is an operand or an index somewhere */
	unsigned *searches; /* of locals' sets that race_guards may still make */
};

/* One way to give every thread its own elements. */
struct race_shape {
	const char *noun; /* of what two accesses with this shape differ in: `are two offsets` */
	/* Whether the access has this shape; fills *layout. */
	bool (*fits)(const struct race_context *c, const struct race_access *a, struct race_layout *layout);
	bool guarded; /* whether the accesses must share a guard */
};

extern const struct race_shape race_shapes[];
extern const uint32_t race_shape_count;

/* Whether the element is gid plus a uniform offset, *offset. */
bool race_is_offset(const struct race_context *c, const struct race_access *a, struct ir_linear *offset);

/* Every uniform c such that the instruction runs only where lid == c. Returns how many, in out[RACE_MAX_GUARDS]. */
uint32_t race_guards(const struct race_context *c, const struct ir_instruction *i, struct ir_linear *out);

/* Fills reason and example of a fault between `first` and `second`; `shape` is the one `first` has, or NULL. */
void race_explain(const struct race_context *c, struct ir_race *race, const struct race_shape *shape,
                  const struct race_access *first, const struct race_access *second);

/* Why accesses of one memory, the first of them atomic, depend on the order of threads; NULL: they do not. */
const char *race_atomic_reason(const struct race_context *c, const struct ir_instruction *first,
                               const struct ir_instruction *i);

/* Whether an atom of the form is, or is made of, what `is` says. */
bool race_index_has(const struct ir_linear *index, bool (*is)(const struct ir_instruction *i));
/* Is a value from memory, or of a local that is no choice. */
bool race_is_read(const struct ir_instruction *i);

/* phase.c: the first fault of each shared memory; `races` has room for one each. Returns how many. */
uint32_t phase_find_races(const struct race_context *c, struct ir_race *races);

#endif
