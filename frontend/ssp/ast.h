/* The SSPUR syntax tree, and what the checker writes on it. */
#ifndef SSPUR_FRONTEND_SSP_AST_H
#define SSPUR_FRONTEND_SSP_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "utils/base/arena.h"
#include "utils/base/diagnostic.h"
#include "utils/base/source.h"
#include "utils/base/table.h"

struct ir_kernel;
struct ir_module;
struct kernel_helper;

/* ---- Types (frontend/ssp/types.c) ---- */

enum type_kind {
	TYPE_INT,
	TYPE_F64,
	TYPE_BOOL,
	TYPE_STR,
	TYPE_UNIT,
	TYPE_I32,
	TYPE_U32,
	TYPE_F32, /* in kernels, device fns and DevBuf only */
	TYPE_LIST,
	TYPE_TUPLE,
	TYPE_OPT,
	TYPE_RES,
	TYPE_DEVBUF,
	TYPE_FUNCTION,
	TYPE_VARIABLE, /* inference: `bound` is what it became, NULL while free */
	TYPE_ERROR,    /* of an expression already reported: fits everything */
};

/* Scalars are singletons; the rest are compared with type_equal. Ranges are List[Int]. */
struct type {
	enum type_kind kind;
	uint32_t count; /* items: LIST 1, TUPLE n, OPT 1, RES 2, DEVBUF 1, FUNCTION parameters n, then the result */
	struct type **items;
	struct type *bound; /* VARIABLE */
	uint32_t effects;   /* FUNCTION: EFFECT_ mask of calling it */
};

enum effect {
	EFFECT_LOG = 1 << 0,
	EFFECT_DEV = 1 << 1,
	EFFECT_IO = 1 << 2,
	EFFECT_TIME = 1 << 3,
	EFFECT_ENV = 1 << 4,
	EFFECT_FS = 1 << 5,
	EFFECT_DIV = 1 << 6,
	EFFECT_PROC = 1 << 7,
};

/* ---- Syntax ---- */

enum node_kind {
	/* expressions */
	NODE_INT,         /* number, negative */
	NODE_FLOAT,       /* real (F64 value of the digits), text; negative is folded into real */
	NODE_BOOL,        /* truth */
	NODE_STRING,      /* parts: NODE_TEXT and expressions in order; one NODE_TEXT or none without interpolation */
	NODE_TEXT,        /* string, length: literal bytes, escapes done; only inside NODE_STRING */
	NODE_UNIT,        /* () */
	NODE_NAME,        /* name */
	NODE_PLACEHOLDER, /* _ (the parser wraps the argument it belongs to in a NODE_LAMBDA; all of one are its
	                     parameter) */
	NODE_LIST,        /* parts */
	NODE_TUPLE,       /* parts, 2 or more */
	NODE_BINARY,      /* operator, left, right */
	NODE_UNARY,       /* operator (OPERATOR_NEGATE, OPERATOR_NOT), left */
	NODE_RANGE,       /* left .. right */
	NODE_INDEX,       /* left[right] */
	NODE_TUPLE_ITEM,  /* left.number */
	NODE_CALL,        /* left(parts) */
	NODE_METHOD,      /* left.name or left.name(parts); has_arguments says which */
	NODE_LAMBDA,      /* parameters (names; types NULL), left = body; name `_`: made of an argument with `_` */
	NODE_IF,          /* condition, left = then, right = else or NULL; expression or statement */
	NODE_BORROW,      /* &left, or &mut left when mutable */
	NODE_BLOCK,       /* parts = statements (of `do`, or an indented block); the last may be the value */
	NODE_SHARED,      /* shared[T](n): type_syntax, left = n */
	/* statements (only in blocks, branches, lambda and par bodies) */
	NODE_LET,    /* names (1, or a tuple pattern of 2 or more), mutable (`var`), left = value */
	NODE_ASSIGN, /* left := right; left is a NAME or an INDEX */
	NODE_FOR,    /* names[0], left = range or list, right = body */
	NODE_WHILE,  /* condition, right = body */
	NODE_RETURN, /* left or NULL */
	NODE_ERROR,  /* what the parser could not read; already reported */
};

enum operator_kind {
	OPERATOR_OR,
	OPERATOR_AND,
	OPERATOR_NOT,
	OPERATOR_EQUAL,
	OPERATOR_NOT_EQUAL,
	OPERATOR_LESS,
	OPERATOR_LESS_EQUAL,
	OPERATOR_GREATER,
	OPERATOR_GREATER_EQUAL,
	OPERATOR_ADD,
	OPERATOR_SUBTRACT,
	OPERATOR_MULTIPLY,
	OPERATOR_DIVIDE,
	OPERATOR_REMAINDER,
	OPERATOR_POWER,
	OPERATOR_NEGATE,
};

/* A type as written. */
struct type_syntax {
	const char *name;            /* interned; "" for a tuple, "()" for Unit written so, "->" never occurs */
	bool borrow, borrow_mutable; /* &[T] (name "[]", one argument), &mut [T] */
	uint32_t count;
	struct type_syntax **arguments;
	struct span span;
};

/* A local variable: a parameter, a let, a loop variable, a lambda parameter. */
struct variable {
	const char *name; /* interned */
	struct type *type;
	struct span span;
	bool mutable;
	uint32_t slot; /* in its frame */
};

struct pattern_name {
	const char *name;
	struct span span;
	struct variable *variable; /* checker */
};

enum reference_kind {
	REFERENCE_NONE,
	REFERENCE_LOCAL,    /* variable, depth: how many lambda frames up it lives (0: this frame) */
	REFERENCE_FUNCTION, /* definition: a fn */
	REFERENCE_KERNEL,   /* definition: a kernel */
	REFERENCE_BUILTIN,  /* builtin: a global of builtins.def */
};

struct node {
	enum node_kind kind;
	struct span span; /* the whole expression */
	struct span at; /* where it traps and is blamed: the operator of a BINARY, the name of a METHOD, else the first
	                   token of span */
	/* syntax; which fields are used is said at the kind */
	enum operator_kind operator_kind;
	struct node *condition, *left, *right;
	struct node **parts;
	uint32_t part_count;
	struct pattern_name *names;
	uint32_t name_count;
	const char *name;   /* interned */
	const char *string; /* NODE_TEXT: bytes; NODE_FLOAT: digits as written without `_` */
	size_t length;
	uint64_t number; /* NODE_INT magnitude (up to 2^64 - 1: the checker decides the range), NODE_TUPLE_ITEM */
	double real;
	bool negative, truth, mutable, has_arguments;
	bool multi_line; /* BLOCK: written as an indented block (not on one line) */
	struct type_syntax *type_syntax;
	/* checker (host code) */
	struct type *type; /* resolved: no bound variables left */
	enum reference_kind reference;
	struct variable *variable;
	uint32_t depth;
	struct definition *definition;
	int builtin;          /* enum builtin, of a resolved builtin method (METHOD, CALL) or global; -1 none */
	bool is_statement;    /* IF, BLOCK, ...: its value is not used */
	bool holds_barrier;   /* IF, FOR in a kernel: lanes go through it in lockstep (spec 1.5) */
	uint32_t frame_slots; /* LAMBDA, and each task of par: slots of its frame */
	struct pattern_name *parameters; /* LAMBDA */
	uint32_t parameter_count;
	bool tuple_parameter; /* LAMBDA written (a, b) => e: takes two arguments, or one pair (the checker decides) */
	bool spread;          /* checker: the lambda takes one tuple and spreads it over its parameters */
};

struct parameter {
	const char *name;
	struct span span;
	struct type_syntax *syntax;
	struct variable *variable; /* checker */
};

enum definition_kind { DEFINITION_FUNCTION, DEFINITION_KERNEL, DEFINITION_TEST };

struct clause {
	struct node *condition;
	const char *text; /* as `sspur fmt` prints it; made by the parser with format_expression */
	struct span span;
};

struct effect_name {
	const char *name;
	struct span span;
};

struct definition {
	enum definition_kind kind;
	const char *name;
	struct span span, name_span;
	struct parameter *parameters;
	uint32_t parameter_count;
	struct pattern_name *generics; /* fn f[T](..): refused later */
	uint32_t generic_count;
	struct type_syntax *result_syntax; /* NULL: Unit */
	struct effect_name *effect_names;
	uint32_t effect_count;
	bool has_effect_row;
	struct clause *pre, *post;
	uint32_t pre_count, post_count;
	struct node *body; /* an expression, or a BLOCK */
	/* kernel */
	uint32_t grid_axes; /* 0: no @grid (reported); 1 @grid, 2 @grid2, 3 @grid3 */
	struct node **grid; /* the arguments as written, grid_count of them */
	uint32_t grid_count;
	struct span grid_span;
	/* checker */
	struct type *result;
	struct variable *result_variable; /* `r` of the posts; NULL without posts */
	uint32_t effects;                 /* declared */
	uint32_t frame_slots;
	bool is_device;               /* a fn over F32, I32, U32 (spec 1.7) */
	bool has_faults;              /* an error was reported in it: it makes no IR, nor does a kernel that calls it */
	struct ir_kernel *kernel;     /* KERNEL: what kernel_build made; NULL when it has errors */
	struct kernel_helper *helper; /* FUNCTION that kernels call, or a device fn: as kernel_build sees it */
};

/* A comment, for the formatter. */
struct comment {
	struct span span; /* with its `//` */
	bool own_line;    /* nothing but blanks before it on its line */
};

/* One file. Everything lives in `arena`. */
struct program {
	struct arena arena;
	const struct source *source;
	struct diagnostics *diagnostics;
	bool profile_sys;
	bool allow_races; /* set before analysis: kernels with races are built all the same (`--allow-races`) */
	struct definition **definitions; /* source order */
	uint32_t definition_count, definition_capacity;
	struct comment *comments;
	uint32_t comment_count, comment_capacity;
	struct definition *main;       /* checker: fn main, or NULL */
	struct ir_module *module;      /* kernel_build: all kernels without errors */
	struct table definition_names; /* kernel_build: fns and kernels by name, the first of each */
};

/* ---- The passes, in order ---- */

/* Reads a file; always returns a program (with what could be read), errors in `d`. Recovers. */
struct program *program_parse(const struct source *source, struct diagnostics *d);
void program_free(struct program *p);
/* Names, types, effects, borrows, tasks of host code (spec part 2). Calls kernel_signatures first. */
void program_check(struct program *p);
/* Checks kernels' signatures: parameter types, pre and grid shapes, names (E_KERNEL_SIG, ...). Fills
 * parameter->variable (type F32, ..., slices as TYPE_LIST of the element; variable->mutable for &mut). */
void kernel_signatures(struct program *p);
/* Checks kernels' bodies and builds p->module (spec 1.2-1.4); call after program_check. */
void kernel_build(struct program *p);
/* All of the above but parsing. True when there are no errors. */
bool program_analyze(struct program *p);

/* ---- Formatter (spec part 4) ---- */
/* The whole file in its one form. The program must have parsed without errors. */
void program_format(const struct program *p, struct text *out);
void format_expression(const struct node *n, struct text *out);

/* ---- Types (frontend/ssp/types.c) ---- */
extern struct type type_int, type_f64, type_bool, type_str, type_unit, type_i32, type_u32, type_f32, type_error;
struct type *type_new(struct arena *a, enum type_kind kind, uint32_t count, ...); /* count struct type * follow */
struct type *type_resolve(struct type *t); /* through bound variables, top level only */
bool type_equal(const struct type *a, const struct type *b);
void type_print(const struct type *t, struct text *out); /* `List[(Int, F64)]` */

#endif
