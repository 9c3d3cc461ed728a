/* Inside of the SSPUR checker (spec/sspur.md part 2, 3.1, 4): what check*.c share. Not for other files; they use
 * ast.h. A file's checker walks each definition once: types are inferred by unification, the nodes and variables
 * met are listed, and check_close replaces their types by resolved ones at the end of the definition. */
#ifndef SSPUR_FRONTEND_SSP_CHECK_H
#define SSPUR_FRONTEND_SSP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/ssp/ast.h"
#include "frontend/ssp/builtins.h"
#include "utils/base/table.h"

enum { EFFECT_COUNT = 8 };

/* Effects performed in a definition, a lambda or a task, each with the first place. */
struct effect_scope {
	uint32_t performed; /* EFFECT_ mask */
	struct span spans[EFFECT_COUNT];
};

/* What a lambda reaches outside itself; a task that uses a lambda from outside reaches the same. */
struct closure_facts {
	bool assigns; /* stores into a variable of an enclosing frame, or `&mut`s it */
	struct capture *captures;
	uint32_t capture_count, capture_capacity;
	uint32_t visit; /* of the last walk that met it */
};

struct capture {
	struct variable *variable;
	struct closure_facts *facts; /* of the lambda that the variable names; else NULL */
};

/* Slots: a definition, a lambda and a task have a frame each; every variable has its own slot in it. */
enum frame_kind { FRAME_DEFINITION, FRAME_LAMBDA, FRAME_TASK };
struct check_frame {
	struct check_frame *parent;
	enum frame_kind kind;
	uint32_t slots;
	struct type *result; /* of `return` in it; a lambda's and a task's `return` leaves that alone */
	struct effect_scope effects;
	struct closure_facts *facts; /* LAMBDA */
};

/* A name in sight. */
struct binding {
	struct variable *variable;
	struct check_frame *frame;
	struct closure_facts *facts; /* of the lambda it names; else NULL */
	struct binding *shadowed;    /* same name, further out */
	struct binding *previous;    /* declared before, whatever the name */
};

/* Kinds of types that an operation takes. */
enum type_class {
	CLASS_ANY,
	CLASS_ADD,    /* Int F64 Str List */
	CLASS_NUMBER, /* Int F64 */
	CLASS_INT,
	CLASS_TEXT,      /* Str */
	CLASS_EQUAL,     /* no functions, no DevBufs inside */
	CLASS_ORDERED,   /* Int F64 Str, lists and tuples of those */
	CLASS_SHAREABLE, /* no DevBufs inside: tasks may share it */
};

/* A requirement on a type that was not known yet; looked at again at the end of the definition. */
struct pending {
	enum type_class class;
	struct type *type;
	bool of_items; /* the class is asked of the items of the type, which is a List */
	struct span span;
	const char *code, *subject; /* as check_require takes them */
};

/* Where a type variable comes from that must be known in the end (E_INFER). */
struct origin {
	struct type *type;
	struct span span;
	const char *name; /* the lambda parameter; NULL: a `[]` */
};

struct checker {
	struct program *p;
	struct diagnostics *diagnostics;
	struct arena scratch;     /* freed at the end of the check; what stays in the tree is in p->arena */
	struct table definitions; /* name: struct definition *, fns and kernels */
	struct table locals;      /* name: struct binding *, the innermost */
	struct binding *newest;   /* all bindings in sight */
	struct check_frame *frame;
	struct definition *definition; /* being checked */
	struct node **nodes;           /* with types to close */
	uint32_t node_count, node_capacity;
	struct variable **variables;
	uint32_t variable_count, variable_capacity;
	struct pending *pendings;
	uint32_t pending_count, pending_capacity;
	struct origin *origins;
	uint32_t origin_count, origin_capacity;
	struct node **spine; /* check_expressions.c */
	uint32_t spine_count, spine_capacity;
	struct node *checked;             /* a receiver that became an argument: it is not checked twice */
	struct closure_facts *last_facts; /* these two: of the lambda checked last */
	struct effect_scope last_effects;
	uint32_t visits;      /* walks over closure_facts */
	uint32_t suggestions; /* names compared so far: bounded, they cost time */
	bool too_large_reported;
	bool unread; /* the definition has parts that the parser could not read */
};

/* ---- check_infer.c: types ---- */

struct type *check_fresh(struct checker *c);
/* A variable that must be known in the end, else E_INFER at `span`. */
struct type *check_fresh_origin(struct checker *c, struct span span, const char *name);
/* A type of `count` items (struct type * follow); too large a type is reported at `span` and gives type_error. */
struct type *check_type(struct checker *c, struct span span, enum type_kind kind, uint32_t count, ...);
struct type *check_type_of_items(struct checker *c, struct span span, enum type_kind kind, uint32_t count,
                                 struct type **items);
/* Makes both the same type, if that can be. Says nothing. type_error fits everything. */
bool check_unify(struct checker *c, struct type *a, struct type *b);
/* After an error about a type: its unknown parts are no longer errors of their own. */
void check_poison(struct type *t);
/* Requires type `n->type` to be `expected`; else E_TYPE_MISMATCH at n. */
bool check_expect(struct checker *c, struct node *n, struct type *expected);
struct diagnostic *check_mismatch(struct checker *c, struct node *n, struct type *expected, struct type *found);
/* Requires a type of the class, now or when it is known; else `subject` and the type make the message:
 * "`+` is not defined for Bool". False when reported now. */
bool check_require(struct checker *c, enum type_class class, struct type *t, struct span span, const char *code,
                   const char *subject);
/* The same of the items of a List. */
void check_require_items(struct checker *c, enum type_class class, struct type *list, struct span span,
                         const char *code, const char *subject);
/* The end of a definition: pending requirements, E_INFER, and every node and variable gets its final type. */
void check_close(struct checker *c);
/* Types and text for messages, in the diagnostics' arena. */
const char *check_type_text(struct checker *c, const struct type *t);

/* ---- check_names.c: scopes, frames, references ---- */

struct binding *check_scope_open(struct checker *c);
void check_scope_close(struct checker *c, struct binding *mark);
void check_frame_open(struct checker *c, struct check_frame *f, enum frame_kind kind, struct type *result);
void check_frame_close(struct checker *c);
struct variable *check_declare(struct checker *c, const char *name, struct span span, struct type *type, bool mutable);
/* Declares names of one construct; the same name twice is E_DUP_DEF. types: one a name. */
void check_declare_pattern(struct checker *c, struct pattern_name *names, uint32_t count, struct type **types,
                           bool mutable);
struct binding *check_find_local(struct checker *c, const char *name);
struct definition *check_find_definition(struct checker *c, const char *name);
/* A global builtin's number, or -1. */
int check_find_global(const char *name);
/* Sets the node's reference to the variable; a task may not reach DevBufs outside it (E_PAR_SHARE). */
void check_use_local(struct checker *c, struct node *name, struct binding *b);
/* The same for an assignment or `&mut`: E_PAR_RACE from inside a task. False when reported. */
bool check_change_local(struct checker *c, struct node *name, struct binding *b, const char *verb);
void check_unknown_name(struct checker *c, struct node *name);
/* The same where a value is read: a word of the larger language is E_UNSUPPORTED. */
void check_unknown_value(struct checker *c, struct node *name);
/* The candidate nearest to a misspelt name. */
struct suggestion {
	const char *wanted, *best;
	uint32_t distance;
	uint32_t *compared; /* all the checker's comparisons */
};
struct suggestion check_suggestion(struct checker *c, const char *wanted);
void check_suggest(struct suggestion *s, const char *candidate);
void check_suggestion_hint(struct checker *c, struct diagnostic *d, const struct suggestion *s);

/* ---- check_effects.c ---- */

void check_perform(struct checker *c, uint32_t effects, struct span span);
/* Performs what a lambda performs, blamed where the lambda performs it. */
void check_perform_scope(struct checker *c, const struct effect_scope *scope);
/* Reads a fn's row into definition->effects. */
void check_effect_row(struct checker *c, struct definition *d);
/* Compares the row with what the body performed. */
void check_effects_declared(struct checker *c, struct definition *d, const struct effect_scope *scope,
                            bool warn_unused);
/* A `pre` or `post` performs nothing. */
void check_effects_pure(struct checker *c, const char *clause, const struct effect_scope *scope);
/* Where the one effect was performed first. */
struct span check_effect_place(const struct effect_scope *scope, uint32_t effect);
/* `dev, log`: as in a row. */
const char *check_effect_list(struct checker *c, uint32_t effects);

/* ---- check_signatures.c ---- */

/* Parameters, result and effects of a fn that is no device fn; E_UNSUPPORTED for generics. */
void check_signature(struct checker *c, struct definition *d);
/* Whether the body can be checked and calls can be typed. */
bool check_signature_known(const struct definition *d);

/* ---- check_expressions.c ---- */

/* Types of an expression or statement, and node->type; a function type is possible. */
struct type *check_expression(struct checker *c, struct node *n);
/* The same where a function is no value: E_UNSUPPORTED. */
struct type *check_value(struct checker *c, struct node *n);
/* The same for a checked node. */
struct type *check_as_value(struct checker *c, struct node *n);
/* Sets and lists the type of a node. */
struct type *check_set_type(struct checker *c, struct node *n, struct type *t);
/* Where the value of n comes from: the last expression of a block. */
struct node *check_value_node(struct node *n);
/* What the source says there, for hints; NULL when it is long or has several lines. */
const char *check_source_text(struct checker *c, struct span span);

/* ---- check_statements.c ---- */

/* n where its value is not used. */
void check_statement(struct checker *c, struct node *n);
struct type *check_block(struct checker *c, struct node *n);
struct type *check_if(struct checker *c, struct node *n, bool as_statement);
struct type *check_let(struct checker *c, struct node *n);
struct type *check_assign(struct checker *c, struct node *n);
struct type *check_for(struct checker *c, struct node *n);
struct type *check_while(struct checker *c, struct node *n);
struct type *check_return(struct checker *c, struct node *n);

/* ---- check_calls.c ---- */

/* A call whose callee is a name; callee is not checked before. */
struct type *check_call_name(struct checker *c, struct node *n);
/* A call of a checked expression. */
struct type *check_call_value(struct checker *c, struct node *n);
/* The receiver is checked. */
struct type *check_method(struct checker *c, struct node *n);
struct type *check_name(struct checker *c, struct node *n);
/* An argument for a parameter of a fn or builtin; performs the effects of a function that is passed. */
void check_argument(struct checker *c, struct node *n, struct type *expected);
/* Arguments of a call that is already wrong: only errors inside them. */
void check_arguments_loosely(struct checker *c, struct node *n);
bool check_arity(struct checker *c, struct span span, const char *name, uint32_t given, uint32_t minimum,
                 uint32_t maximum);

/* ---- check_lambda.c ---- */

/* expected: a function type, type_error, or NULL. */
struct type *check_lambda(struct checker *c, struct node *n, struct type *expected);
/* An argument where a function is expected; a global builtin's name becomes a lambda that calls it. */
void check_function_argument(struct checker *c, struct node *n, struct type *expected);

/* ---- check_builtins.c ---- */

/* The builtin method of a type, or -1. */
int check_find_method(const struct type *receiver, const char *name);
/* A receiver type of its own that the method's name implies, or NULL. */
struct type *check_implied_receiver(struct checker *c, struct span span, const char *name);
void check_suggest_methods(struct suggestion *s, const struct type *receiver);
/* n: a CALL of a global, or a METHOD with its receiver checked. */
struct type *check_builtin(struct checker *c, struct node *n, int builtin);

/* ---- check_launch.c, check_par.c ---- */

struct type *check_launch(struct checker *c, struct node *n, struct definition *kernel);
struct type *check_par(struct checker *c, struct node *n);

#endif
