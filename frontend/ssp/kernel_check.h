/* Checking kernels (spec/sspur.md part 1): what the files kernel_*.c that check share. Checking writes type,
 * variable and builtin (an enum kernel_method) on the nodes; kernel_emit.h builds IR from those and cannot fail.
 * An expression already reported has type_error, which fits everything. */
#ifndef SSPUR_FRONTEND_SSP_KERNEL_CHECK_H
#define SSPUR_FRONTEND_SSP_KERNEL_CHECK_H

#include "frontend/ssp/ast.h"
#include "frontend/ssp/kernel_helpers.h"
#include "ir/ir.h"

enum kernel_part { KERNEL_PRE, KERNEL_GRID, KERNEL_BODY };

/* Control statements inside each other, `else if` included: passes over the IR recurse over its regions. */
#define KERNEL_MAX_NESTING 200
/* `if a and b and c then s` becomes ifs inside each other, up to so many, so that analyses see each guard. */
#define KERNEL_MAX_GUARDS 8
/* Expressions of a kernel after its helpers are inlined; without calls there is no limit. */
#define KERNEL_MAX_INLINED 200000

/* A name that a declaration put aside, to come back when its block ends. */
struct kernel_hidden {
	const char *name;
	struct variable *variable;
};

struct kernel_checker {
	struct program *program;
	struct definition *definition;
	struct kernel_helper *helper; /* the definition is this helper; NULL: it is a kernel */
	uint32_t level;               /* helpers in progress, this one included */
	struct arena scratch;
	enum kernel_part part;
	struct type *float_default; /* of a float literal with nothing expected (1.3) */
	struct table names;         /* live parameters and locals */
	struct kernel_hidden *hidden;
	uint32_t hidden_count, hidden_capacity;
	uint32_t slot_count; /* parameters have the first slots, in order */
	uint32_t nesting, deepest;
	bool too_deep;                    /* reported */
	const struct node *top_statement; /* of a kernel's body, being checked */
	uint32_t expressions;             /* around a statement, which is in a block that has a value */
	uint32_t barrier_count;           /* so far */
	uint64_t shared_bytes;            /* declared so far */
	uint64_t size, inlined_size;      /* expressions: written here, and of the helpers that are called */
	bool *written;                    /* by parameter */
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
/* The parameter, local or intrinsic that `name` may be a slip of, or NULL. */
const char *kernel_nearest_name(struct kernel_checker *c, const char *name);
struct diagnostic *kernel_report(struct kernel_checker *c, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* True after reporting a name that nothing defines and that is a word of the larger language (spec 2). */
bool kernel_report_larger(struct kernel_checker *c, const struct node *name);
/* `hint` for the last report. */
void kernel_hint(struct kernel_checker *c, struct diagnostic *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether v is a shared array of the kernel, not a slice parameter. */
bool kernel_is_shared(const struct kernel_checker *c, const struct variable *v);
/* What v, which is indexed, is called in messages. */
const char *kernel_slice_noun(const struct kernel_checker *c, const struct variable *v);

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
/* Settles and compares an expression that was inferred; `what` names the place in the message: "an index". */
void kernel_expect(struct kernel_checker *c, struct node *n, struct type *expected, const char *what);
/* The same for one that was not. */
void kernel_require(struct kernel_checker *c, struct node *n, struct type *expected, const char *what);
/* The slice variable that an index or `.len` starts from; NULL after reporting or for an error. */
struct variable *kernel_infer_index(struct kernel_checker *c, struct node *n);
/* Whether n is an intrinsic that may be used here; reports why not. n->name names it, `axis` is "" or "x". */
bool kernel_allow_intrinsic(struct kernel_checker *c, const struct node *n, const struct kernel_intrinsic *intrinsic,
                            const char *axis);
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
	KERNEL_METHOD_atomic_add,
	KERNEL_METHOD_atomic_min,
	KERNEL_METHOD_atomic_max,
	KERNEL_METHOD_atomic_cas,
	KERNEL_METHOD_COUNT,
	/* Those below have no names of their own. */
	KERNEL_METHOD_axis,   /* gid.x */
	KERNEL_METHOD_helper, /* x.f(a) for f(x, a) */
};
int kernel_find_method(const char *name); /* -1: none */
/* True for `slice.name` and `gid.x`: what is left of the dot is no value. */
bool kernel_is_name_method(const struct kernel_checker *c, const struct node *n);
struct type *kernel_infer_name_method(struct kernel_checker *c, struct node *n);
struct type *kernel_infer_method(struct kernel_checker *c, struct node *n); /* n->left is inferred */
struct type *kernel_infer_call(struct kernel_checker *c, struct node *n);
void kernel_infer_arguments(struct kernel_checker *c, struct node *n);

/* kernel_helper_calls.c */
/* n: a CALL, or a METHOD whose receiver is inferred; d: a fn. */
struct type *kernel_infer_helper_call(struct kernel_checker *c, struct node *n, struct definition *d);
/* A device fn by itself, used or not. */
void kernel_check_device_fn(struct program *p, struct definition *d);

/* kernel_groups.c: shared arrays, barriers, atomics */
/* `name = shared[T](n)`; the node's type and number (elements) are set. */
void kernel_check_shared(struct kernel_checker *c, struct node *let);
void kernel_report_shared(struct kernel_checker *c, const struct node *n); /* one that is elsewhere */
bool kernel_is_barrier(const struct kernel_checker *c, const struct node *n);
void kernel_check_barrier(struct kernel_checker *c, struct node *n); /* as a statement */
bool kernel_is_atomic(const struct node *n);
void kernel_check_atomic(struct kernel_checker *c, struct node *n); /* as a statement */

/* kernel_statements.c */
void kernel_check_statement(struct kernel_checker *c, struct node *n);
/* A kernel's pre clauses, thread count and body. */
void kernel_check(struct program *p, struct definition *definition);
/* Of a float literal with nothing expected, by a kernel's or a helper's signature. */
struct type *kernel_float_default(const struct definition *d);
/* Threads of a group on an axis the grid has; 1 where that was reported. */
uint32_t kernel_group(const struct definition *d, unsigned axis);

#endif
