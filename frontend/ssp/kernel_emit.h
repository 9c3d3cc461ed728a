/* Building IR from a kernel that kernel_check found sound: shared by the files kernel_emit_*.c and kernel_build.c. */
#ifndef SSPUR_FRONTEND_SSP_KERNEL_EMIT_H
#define SSPUR_FRONTEND_SSP_KERNEL_EMIT_H

#include "frontend/ssp/ast.h"
#include "ir/ir.h"

/* What a local, or the parameter of a helper, stands for. */
struct kernel_binding {
	struct ir_instruction *value; /* immutable */
	struct ir_local *local;       /* var */
	struct ir_memory *shared;     /* a shared array */
};

/* A load, store or atomic and the index expression it came from, for reports of races. */
struct kernel_access {
	const struct ir_instruction *instruction;
	const struct node *node;
};

struct kernel_emitter {
	const struct source *source;
	struct ir_kernel *kernel;
	struct arena *scratch;
	uint32_t parameter_count;        /* of the kernel; 0 inside a helper, whose parameters are bound as locals */
	struct kernel_binding *bindings; /* by slot of a local */
	bool lockstep;                   /* the next statement is at the lockstep level of a grouped kernel (1.5) */
	struct ir_builder builder;
	struct table local_names; /* name to how often it was used, as a number in the pointer */
	const struct ir_instruction
	    *last_truth; /* the `get` of the last and/or, while its chain goes on in the same local */
	struct kernel_access *accesses;
	uint32_t access_count, access_capacity;
};

/* kernel_emit_expressions.c */
const struct ir_type *kernel_ir_type(const struct type *t); /* of a scalar */
struct place kernel_place(const struct kernel_emitter *e, struct span span);
struct ir_local *kernel_add_local(struct kernel_emitter *e, const char *name, const struct ir_type *type);
struct ir_instruction *kernel_emit(struct kernel_emitter *e, const struct node *n);
/* The memory of n, an INDEX or an atomic, whose index is given and checked here. */
struct ir_memory *kernel_emit_check(struct kernel_emitter *e, const struct node *n, struct ir_instruction *index);
void kernel_note_access(struct kernel_emitter *e, const struct ir_instruction *instruction, const struct node *n);

/* kernel_emit_operators.c: one operator or method of values already emitted, at the builder's place. */
struct ir_instruction *kernel_emit_binary(struct kernel_emitter *e, const struct node *n, struct ir_instruction *x,
                                          struct ir_instruction *y);
struct ir_instruction *kernel_emit_unary(struct kernel_emitter *e, const struct node *n, struct ir_instruction *x);
struct ir_instruction *kernel_emit_method(struct kernel_emitter *e, const struct node *n, struct ir_instruction *x,
                                          struct ir_instruction *y);
/* Whether n cannot trap, reads no memory and costs a few operations: then both sides of a choice may be computed. */
bool kernel_is_cheap(const struct node *n);

/* kernel_emit_statements.c */
void kernel_emit_statement(struct kernel_emitter *e, const struct node *n);

/* kernel_races.c: true when the kernel has no races and no barrier that its threads reach apart (1.4 to 1.6). */
bool kernel_check_races(struct program *p, struct definition *d, const struct kernel_emitter *e);

#endif
