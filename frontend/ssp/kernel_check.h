/* Checking kernels (spec/sspur.md 1.1 to 1.4): what the files kernel_*.c that check share. Checking writes type,
 * variable and builtin (an enum kernel_method) on the nodes; kernel_emit.h builds IR from those and cannot fail.
 * An expression already reported has type_error, which fits everything. */
#ifndef SSPUR_FRONTEND_SSP_KERNEL_CHECK_H
#define SSPUR_FRONTEND_SSP_KERNEL_CHECK_H

#include "frontend/ssp/ast.h"
#include "ir/ir.h"

enum kernel_part { KERNEL_PRE, KERNEL_GRID, KERNEL_BODY };

/* What a kernel will do one day: refused once a kernel, with the section that describes it. */
enum kernel_feature { KERNEL_SHARED, KERNEL_BARRIER, KERNEL_ATOMICS, KERNEL_HELPERS };

/* Control statements inside each other, `else if` included: passes over the IR recurse over its regions. */
#define KERNEL_MAX_NESTING 200

/* A name that a declaration put aside, to come back when its block ends. */
struct kernel_hidden {
	const char *name;
	struct variable *variable;
};

struct kernel_checker {
	struct program *program;
	struct definition *definition;
	struct arena scratch;
	enum kernel_part part;
	struct type *float_default; /* of a float literal with nothing expected (1.3) */
	struct table names;         /* live parameters and locals */
	struct kernel_hidden *hidden;
	uint32_t hidden_count, hidden_capacity;
	uint32_t slot_count; /* parameters have the first slots, in order */
	uint32_t nesting;
	uint32_t features; /* bits of those refused so far */
	bool *written;     /* by parameter */
};

/* kernel_names.c */
struct kernel_intrinsic {
	const char *name;
	enum ir_op op;
};
#define KERNEL_INTRINSIC_COUNT 5
extern const struct kernel_intrinsic kernel_intrinsics[KERNEL_INTRINSIC_COUNT];
const struct kernel_intrinsic *kernel_find_intrinsic(const char *name); /* NULL: not one */
struct definition *kernel_find_definition(const struct program *p, const char *name);
struct variable *kernel_find_variable(const struct kernel_checker *c, const struct node *n); /* n a NAME, else NULL */
/* Declares a local for the block that is open; reports what it shadows. */
void kernel_declare(struct kernel_checker *c, struct pattern_name *name, struct type *type, bool mutable);
void kernel_close_scope(struct kernel_checker *c, uint32_t hidden_count); /* as it was when the scope opened */
/* The candidate that `name` may be a slip of, or NULL. */
const char *kernel_nearest(const char *name, const char *const *candidates, uint32_t count);
const char *kernel_nearest_name(struct kernel_checker *c, const char *name); /* of parameters, locals, intrinsics */
struct diagnostic *kernel_report(struct kernel_checker *c, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* `hint` for the last report. */
void kernel_hint(struct kernel_checker *c, struct diagnostic *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kernel_refuse_feature(struct kernel_checker *c, enum kernel_feature feature, struct span span);

/* kernel_numbers.c */
/* Types of expressions of literals alone, which take the type expected: any number's, an integer's only
 * (`5 % 3`), a float's. Inside the checker only: every node ends with a real type. */
extern struct type kernel_literal_number, kernel_literal_integer, kernel_literal_float;
bool kernel_is_literal(const struct type *t);
bool kernel_is_integer(const struct type *t);
bool kernel_is_float(const struct type *t);
const char *kernel_type_name(const struct type *t); /* for messages: `F32`, `a slice` */
/* Gives a literal expression the type expected (NULL: none) or its default, and answers the node's type. */
struct type *kernel_settle(struct kernel_checker *c, struct node *n, struct type *expected);
/* The type both operands have after literals took the other's; a literal type if both are literals;
 * type_error if either was reported; NULL if they differ (not reported). */
struct type *kernel_common_type(struct kernel_checker *c, struct node *left, struct node *right);
/* Text of the hint that makes `n` a `to`: false when no conversion does. */
bool kernel_conversion_hint(struct kernel_checker *c, struct diagnostic *item, const struct node *n,
                            const struct type *to);
/* For two operands that differ: the one to convert. */
void kernel_mixed_hint(struct kernel_checker *c, struct diagnostic *item, const struct node *left,
                       const struct node *right);

/* kernel_expressions.c */
struct type *kernel_infer(struct kernel_checker *c, struct node *n); /* also sets n->type; may be a literal type */
/* Infers, settles and compares; `what` names the place in the message: "an index". */
void kernel_require(struct kernel_checker *c, struct node *n, struct type *expected, const char *what);
/* The slice variable that an index or `.len` starts from; NULL after reporting or for an error. */
struct variable *kernel_infer_index(struct kernel_checker *c, struct node *n);
/* Goes one level deeper (the caller comes back with nesting--), or reports that it is too deep. */
bool kernel_nest(struct kernel_checker *c, const struct node *n);

/* kernel_methods.c */
enum kernel_method {
	KERNEL_METHOD_to_int,
	KERNEL_METHOD_to_i32,
	KERNEL_METHOD_to_u32,
	KERNEL_METHOD_to_f32,
	KERNEL_METHOD_to_f64,
	KERNEL_METHOD_sqrt,
	KERNEL_METHOD_floor,
	KERNEL_METHOD_ceil,
	KERNEL_METHOD_round,
	KERNEL_METHOD_abs,
	KERNEL_METHOD_min,
	KERNEL_METHOD_max,
	KERNEL_METHOD_shl,
	KERNEL_METHOD_shr,
	KERNEL_METHOD_band,
	KERNEL_METHOD_bor,
	KERNEL_METHOD_bxor,
	KERNEL_METHOD_len,
	KERNEL_METHOD_COUNT,
};
/* True for `slice.name` and `gid.x`: what is left of the dot is no value. */
bool kernel_is_name_method(const struct kernel_checker *c, const struct node *n);
struct type *kernel_infer_name_method(struct kernel_checker *c, struct node *n);
struct type *kernel_infer_method(struct kernel_checker *c, struct node *n); /* n->left is inferred */
struct type *kernel_infer_call(struct kernel_checker *c, struct node *n);

/* kernel_statements.c */
void kernel_check_statement(struct kernel_checker *c, struct node *n);
/* A kernel's pre clauses, thread count and body. */
void kernel_check(struct program *p, struct definition *definition);

#endif
