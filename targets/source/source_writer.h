/* State of the printing of one kernel, shared by the files of this folder. */
#ifndef SSPUR_TARGETS_SOURCE_SOURCE_WRITER_H
#define SSPUR_TARGETS_SOURCE_SOURCE_WRITER_H

#include "lower/segments.h"
#include "targets/kernel_interface.h"
#include "targets/source/source_dialect.h"
#include "targets/source/source_helpers.h"
#include "utils/base/arena.h"
#include "utils/base/table.h"
#include "utils/base/text.h"

/* A loop around the instruction being printed, and what jumps to it from loops inside of it. */
struct source_loop {
	const struct ir_instruction *control;
	bool breaks, continues; /* by a flag: such a jump has a loop to leave first */
	const struct source_loop *outer;
};

struct source_writer {
	const struct source_dialect *dialect;
	const struct ir_module *module;
	struct arena *arena;           /* of the module */
	struct table *module_names;    /* entry points, structs, tables, by their new names */
	struct table *structs;         /* new names, by the IR's */
	struct source_helpers helpers; /* of all kernels so far */
	struct text tables;            /* of the kernel */
	struct text *out;
	/* Of one kernel. */
	const struct ir_kernel *kernel;
	struct kernel_interface interface;
	struct table names;                  /* taken */
	const char *entry;                   /* the kernel's name */
	const char **parameters;             /* by parameter */
	const char **lengths;                /* by parameter: of slices */
	const char **memories;               /* parallel to kernel->memories */
	const char **locals;                 /* by local */
	const char **values;                 /* by id: the variable that has it; NULL: printed where it is used */
	bool *folded;                        /* by id: see source_fold.h */
	uint32_t *uses;                      /* by id */
	const struct ir_instruction **homes; /* by local: the `set` that declares it; NULL: none does */
	bool *at_top;                        /* by local: declared at the kernel's beginning */
	const char *extents[3], *first_groups[3], *status, *mask, *has_mask;
	const char *global_id[3], *local_id[3], *group_id[3]; /* variables; NULL: not used */
	const char *bad, *group_bad;
	const struct source_loop *loops;
	bool meets;                /* has barriers: all threads of a group run */
	struct segments *together; /* of a kernel with barriers in which threads may fail or return, as in lower/llvm */
	bool checked;              /* there is a `bad` */
	bool known_good;           /* inside a branch that only a good thread takes */
	unsigned depth;
	uint32_t line; /* of the source, that was printed last */
};

/* ---- source_writer.c: names and lines ---- */
/* A name for `wanted` that the target does not reserve and no table holds; it is taken then. */
const char *source_new_name(struct source_writer *w, struct table *names, const char *wanted);
/* A line, indented; the text is whole. */
void source_line(struct source_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `HEAD {`, and its end. */
void source_open(struct source_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void source_close(struct source_writer *w);
/* Says which line of the source follows, if it is another one. */
void source_comment(struct source_writer *w, struct place place);
/* The helper's name, marked as used; arena. */
const char *source_helper(struct source_writer *w, enum source_helper helper, const struct ir_type *t,
                          enum source_space space);
bool source_proved(const struct source_writer *w); /* nothing fails (IR_POLICY_PROVED) */

/* ---- source_types.c ---- */
const char *source_type_name(const struct ir_type *scalar);     /* of a value: "long", "bool" */
const char *source_unsigned_name(const struct ir_type *scalar); /* of the same width */
void source_cast_bits(const struct source_dialect *dialect, const char *type, struct text *out); /* `as_uint` */
/* A constant as an expression that needs no parentheses. */
void source_literal(const struct source_dialect *dialect, const struct ir_type *t, uint64_t bits, struct text *out);
/* `float name[3]`: a declaration of an object of that type in memory. */
const char *source_declare(struct source_writer *w, const struct ir_type *t, const char *name);
/* An initializer of the bytes; NULL: zero. */
void source_initializer(struct source_writer *w, const struct ir_type *t, const uint8_t *bytes, struct text *out);
/* Whether it is a constant expression in every compiler: an infinity and a NaN are none in some. */
bool source_is_constant(const struct ir_type *t, const uint8_t *bytes);
void source_structs(struct source_writer *w, struct text *out); /* definitions of those that the kernels use */
const char *source_field_name(struct source_writer *w, const char *name);

/* ---- source_fold.c ---- */
/* Fills folded, uses, homes and at_top. */
void source_fold(struct source_writer *w);

/* ---- source_expression.c ---- */
/* The value as an expression; `whole`: it may need parentheses if it becomes an operand. Arena. */
const char *source_value(struct source_writer *w, const struct ir_instruction *value);
const char *source_whole(struct source_writer *w, const struct ir_instruction *value);
/* The instruction itself, of its operands. */
const char *source_compute(struct source_writer *w, const struct ir_instruction *i, bool whole);
bool source_is_given(const struct ir_instruction *i); /* const ... grid_size: never a variable */

/* ---- source_checks.c ---- */
/* What a trapping operation asks for, in front of its value. */
void source_trap(struct source_writer *w, const struct ir_instruction *i);
void source_require(struct source_writer *w, const struct ir_instruction *i, enum trap_kind kind, const char *sound,
                    const char *value);
void source_report(struct source_writer *w);
/* `bad == 0`, or NULL where that is certain. */
const char *source_good(struct source_writer *w);
/* What a loop's going on depends on, as far as failures are concerned; NULL: nothing. */
const char *source_goes_on(struct source_writer *w, const struct ir_instruction *loop);
bool source_same(const struct source_writer *w, const struct ir_instruction *value); /* lowering_same */
bool source_may_be_inexact(const struct source_writer *w, const struct ir_instruction *i);
void source_find_checks(struct source_writer *w); /* sets checked and together */

/* ---- source_memory.c, source_atomic.c ---- */
const char *source_place_text(struct source_writer *w, const struct ir_instruction *i); /* `x[i].first` */
const char *source_load(struct source_writer *w, const struct ir_instruction *i, bool whole);
const struct ir_instruction *source_stores(struct source_writer *w, const struct ir_instruction *i);
void source_memories(struct source_writer *w);     /* declares private and shared ones, prints tables */
void source_shared_start(struct source_writer *w); /* zeroes */
void source_atomic(struct source_writer *w, const struct ir_instruction *i);

/* ---- source_body.c, source_kernel.c ---- */
void source_region(struct source_writer *w, const struct ir_region *region);
void source_kernel(struct source_writer *w);
bool source_holds_ids(const struct source_writer *w); /* variables of ids have the index type; else they are ulong */

#endif
