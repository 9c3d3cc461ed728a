/* What the parts of the emitter share (for cone_emit*.c alone).
 *
 * A kernel is emitted by walking its typed tree once, calls included, with a symbolic value for every expression. A
 * scalar is an IR value. All else is a tree of shapes: so structs, tuples, closures and references cost nothing, and a
 * reference is known to lead to one place while emitting. */
#ifndef SSPUR_FRONTEND_CONE_CONE_EMIT_H
#define SSPUR_FRONTEND_CONE_CONE_EMIT_H

#include "frontend/cone/cone_ast.h"
#include "ir/ir.h"

enum shape_kind {
	SHAPE_NONE,      /* no value; or a reference to what a kernel cannot have */
	SHAPE_VALUE,     /* a scalar: `value` */
	SHAPE_LOCAL,     /* a scalar that can be written: `local` */
	SHAPE_PARTS,     /* one a field, or one an element */
	SHAPE_FILL,      /* an array, every element of which is parts[0] */
	SHAPE_MEMORY,    /* `memory` and `path`; a value only where nobody writes it */
	SHAPE_REFERENCE, /* `target`: a place; NULL: not set yet */
	SHAPE_SLICE,     /* `target`: an array, or a buffer; from `offset`, `length` elements */
	SHAPE_STRING,    /* `text`; `number`: a file's id, or 0 */
	SHAPE_CHOICE,    /* a place: that of `parts` which `choice` says; they may be of several types */
};

/* A step of a path, with what it was first computed as, by which places are compared. */
struct cone_step {
	struct ir_instruction *index; /* NULL: a field */
	struct ir_local *local;       /* holds the index where `index` cannot be seen; NULL: `index` can */
	uint32_t field;
};

/* The places that a holder was set to, each with locals of the holder's own for its indexes (cone_emit_choices.c). */
struct cone_choices {
	struct cone_shape **targets;
	uint32_t count, capacity;
	struct ir_local *local; /* which one it leads to: u32 */
	bool is_saved;          /* of a frame of a recursion */
};

struct cone_shape {
	enum shape_kind kind;
	const struct cone_type *type;
	struct ir_instruction *value;
	struct ir_local *local;
	struct cone_shape **parts;
	uint64_t count;
	struct ir_memory *memory;
	struct cone_step *path;
	uint32_t path_count;
	/* References. Those that can be set again (holders) keep the offset and the length in locals. */
	struct cone_shape *target;
	struct ir_instruction *offset, *length; /* offset NULL: 0 */
	struct ir_local *offset_local, *length_local;
	bool holder, chosen;          /* chosen: different places by different ways (1253) */
	bool sticky;                  /* a holder that keeps what one way gave it, for the others to be compared with */
	struct cone_choices *choices; /* of a holder, where references are chosen at run time */
	struct ir_instruction *choice; /* CHOICE: a u32 or an index */
	uint64_t number;
	const char *text; /* of the program */
};

typedef struct cone_shape shape;
typedef struct ir_instruction *value;

/* How `return` is emitted: as the value of the body; by leaving a loop around the body; or, where there are barriers,
 * whose control is taken by all lanes alike, by a flag that is asked after every statement with a return in it. Those
 * of functions that call themselves are cone_emit_recursion.c's. */
enum return_form { RETURN_VALUE, RETURN_BREAK, RETURN_FLAG, RETURN_RECURSION };

/* What each holder leads to. */
struct cone_snapshot {
	uint32_t count;
	shape *states;    /* copies */
	uint32_t *counts; /* of their choices */
};

/* The ways out of a loop or a function but its end. */
struct cone_exits {
	struct cone_snapshot before, first; /* first: of the first way, where there is one */
	bool *differ;                       /* by holder: another way led elsewhere */
	bool any;
};

/* A function being inlined. */
struct cone_emit_frame {
	struct cone_emit_frame *caller;
	uint64_t number; /* of the calls that lead to here */
	struct cone_exits exits;
	const struct cone_instance *instance;
	shape **variables; /* by index */
	enum return_form form;
	bool is_entry, is_member; /* member: of a recursion */
	shape *result;            /* NULL: none, or RETURN_VALUE */
	struct ir_instruction *leave;
	struct ir_local *returned; /* RETURN_FLAG */
	uint32_t lockstep;         /* controls around, each of which holds a barrier */
};

struct cone_emit_loop {
	struct cone_emit_loop *outer;
	const struct cone_node *node;
	struct cone_emit_frame *frame;
	struct ir_instruction *loop;
	shape *result;
	struct cone_exits exits;
	bool *again; /* by holder: a `continue` leads elsewhere than the loop's start */
};

/* What is emitted again for each call is found here. */
enum { CONE_PLACES_KEPT = 1024 };

struct cone_kept_place {
	const struct cone_node *node;
	struct place place;
};

struct cone_emitter {
	struct cone_program *program;
	struct ir_module *module;
	struct ir_kernel *kernel;
	const struct cone_entry *entry;
	struct arena arena; /* of this kernel's shapes */
	struct ir_builder builder;
	bool dead; /* what is emitted now is never run, and goes to `unused` */
	struct ir_region unused;
	struct ir_region top; /* goes before the body */
	struct cone_emit_frame *frame;
	struct cone_emit_loop *loops;
	struct table types;               /* IR types by Cone type, of the module */
	struct table names;               /* of the kernel's memories, parameters and locals: any pointer */
	struct table globals;             /* shapes by declaration */
	struct table barriers;            /* by instance: whether there is one, as 1 or 2 */
	struct table borrowed;            /* variables, and the instances that were looked through for them */
	struct table homes;               /* by what lives there and frame: places that references lead to */
	struct table frames;              /* by call and caller's number */
	struct table recursive;           /* by instance: 1 no, 2 yes */
	struct cone_recursion *recursion; /* being emitted: the innermost one */
	struct table recursions;          /* by the number of a frame of it */
	struct table pools;               /* by type: what owners own */
	struct cone_pool *all_pools;
	struct table keeping;       /* by instance: whether it may keep owners, as 1 or 2 */
	struct ir_memory *stack;    /* of frames */
	struct ir_local *stack_top; /* words in it: of the index type */
	struct ir_memory **deep;    /* with a place for each depth of a recursion */
	uint32_t deep_count, deep_capacity;
	struct cone_recursion *all_recursions;
	bool is_placing; /* arrays are made that stay where they are */
	uint32_t trials; /* what is emitted is thrown away, and nothing is refused */
	uint64_t frame_count;
	shape **holders; /* references that can be set again and are in use */
	uint32_t holder_count, holder_capacity;
	struct cone_kept_place *places; /* CONE_PLACES_KEPT, by the node's address */
	uint32_t depth, nesting;        /* of calls; of control */
	uint32_t call_count;            /* inlined: some make no instructions */
	unsigned any_barrier;           /* in a function that is no kernel: 0 not known, 1 none, 2 some */
	bool refused;                   /* the kernel has an error: it is not given to the module */
	bool gave_up;                   /* calls are no longer inlined: what follows from that is not refused */
	bool atomic_reported;
	bool is_probe; /* of a function by itself, for what is refused whether or not a kernel reaches it */
};

/* ---- cone_emit.c ---- */
/* Reports once a place, in the file of the node: `In kernel 'k': TEXT`. */
void cone_emit_refuse(struct cone_emitter *e, const struct cone_node *at, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Instructions made from now on are of this node. */
void cone_emit_locate(struct cone_emitter *e, const struct cone_node *node);
const char *cone_emit_name(struct cone_emitter *e, const char *base);
/* The type in memory; NULL (refused) where there is none. */
const struct ir_type *cone_emit_type(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at);
bool cone_emit_is_scalar(const struct cone_type *type);
const struct ir_type *cone_emit_scalar(const struct cone_type *type);
bool cone_emit_has_references(const struct cone_type *type);
/* A closure that changes what it holds: its variable is written although it is imm. */
bool cone_emit_has_state(const struct cone_type *type);
shape *cone_emit_global(struct cone_emitter *e, const struct cone_node *node);

/* Of usize, indexes and lengths. */
const struct ir_type *cone_emit_size(const struct cone_emitter *e);

/* ---- cone_emit_shapes.c ---- */
shape *cone_shape_new(struct cone_emitter *e, enum shape_kind kind, const struct cone_type *type);
shape *cone_shape_value(struct cone_emitter *e, const struct cone_type *type, value v);
shape *cone_shape_parts(struct cone_emitter *e, const struct cone_type *type, uint64_t count);
/* What can be written, of any type; scalars hold 0 until then. */
shape *cone_shape_storage(struct cone_emitter *e, const struct cone_type *type, const char *name,
                          const struct cone_node *at);
shape *cone_shape_zero(struct cone_emitter *e, const struct cone_type *type);
/* A local that is 0 at the kernel's start. */
struct ir_local *cone_emit_local(struct cone_emitter *e, const char *name, const struct ir_type *type);
/* The place's value now; later writes do not change it. */
shape *cone_shape_read(struct cone_emitter *e, shape *place, const struct cone_node *at);
value cone_shape_scalar(struct cone_emitter *e, shape *s, const struct cone_node *at);
/* `source` is a value, or a place that is not written meanwhile. */
void cone_shape_write(struct cone_emitter *e, shape *place, shape *source, const struct cone_node *at);
/* As an imm variable keeps it: arrays that are large, or of more than scalars, are in a memory. */
shape *cone_shape_kept(struct cone_emitter *e, shape *s, const struct cone_node *at);
/* A module's variable that each invocation has its own of: a memory that starts as it, where it is a constant. */
shape *cone_shape_global(struct cone_emitter *e, shape *initial, const char *name, const struct cone_node *at);
/* Places below. `index` is not checked. */
shape *cone_shape_field(struct cone_emitter *e, shape *place, uint32_t field, const struct cone_node *at);
shape *cone_shape_element(struct cone_emitter *e, shape *array, value index, const struct cone_node *at);
bool cone_shape_same(const shape *a, const shape *b);
/* The path as the builder takes it. */
struct ir_step *cone_shape_path(struct cone_emitter *e, const shape *s);

bool cone_shape_is_reference(const struct cone_type *t);

/* ---- cone_emit_choices.c ---- */
/* Emits something for a place that is one of several; gives what it gives, of `type` (void: nothing). */
typedef shape *cone_way(struct cone_emitter *e, shape *place, void *context, const struct cone_node *node);
shape *cone_emit_ways(struct cone_emitter *e, shape *place, const struct cone_type *type, const struct cone_node *node,
                      cone_way *emit, void *context);
shape *cone_choice_new(struct cone_emitter *e, value choice, const struct cone_type *type, uint64_t count);
shape *cone_choice_field(struct cone_emitter *e, const shape *place, uint32_t field, const struct cone_node *at);
shape *cone_choice_element(struct cone_emitter *e, const shape *place, value index, const struct cone_node *at);
shape *cone_choice_read(struct cone_emitter *e, shape *place, const struct cone_node *at);
void cone_choice_write(struct cone_emitter *e, shape *place, shape *source, const struct cone_node *at);
struct cone_choices *cone_choices_new(struct cone_emitter *e, const char *name);
/* A holder leads to where a reference does. */
void cone_choices_write(struct cone_emitter *e, shape *place, const shape *source);
/* Where a holder leads to; NULL: it was not set. */
shape *cone_choices_read(struct cone_emitter *e, const shape *place);
/* Some reference leads to the variable of the function that is being emitted, or into it. */
bool cone_emit_is_borrowed(struct cone_emitter *e, const struct cone_variable *v);
/* Puts a value where references may lead to: one place for each of `of` (a variable, a node) in each inlined call. */
shape *cone_emit_home(struct cone_emitter *e, const void *of, shape *s, const char *name, bool mutable,
                      const struct cone_node *at);
/* The number of the frame that a call of what is at `place` makes. */
uint64_t cone_emit_frame_number(struct cone_emitter *e, const struct cone_node *call, const void *place);
/* Through `&fn(..)` and `&<Trait`. */
shape *cone_emit_call_through(struct cone_emitter *e, const struct cone_node *node);

/* The place of a variable, or of a value, of the frame; what is in it is not set. */
shape *cone_emit_frame_place(struct cone_emitter *e, const void *of, const struct cone_type *type, const char *name,
                             const struct cone_node *at);

/* ---- cone_emit_recursion.c ---- */
/* It calls itself, directly or through others, and may here. */
bool cone_emit_is_recursive(struct cone_emitter *e, const struct cone_instance *instance);
shape *cone_emit_recursive(struct cone_emitter *e, const struct cone_node *node, const struct cone_instance *instance,
                           shape **arguments, uint32_t count, const void *place);
shape *cone_recursion_memory(struct cone_emitter *e, const struct cone_type *type, const struct ir_type *in_memory,
                             const char *name, const struct cone_node *at);
/* When all else of the kernel is emitted: how large the stack is, and what is put there. */
void cone_recursion_finish(struct cone_emitter *e);
void cone_recursion_save(struct cone_emitter *e, struct ir_local *local);
/* A member's function ends, its result being given. */
void cone_recursion_return(struct cone_emitter *e);

/* ---- cone_emit_owners.c ---- */
/* An owner, or something that is one, is in values of the type. */
bool cone_owner_is_in(const struct cone_type *type);
/* new and trynew of an owner. */
shape *cone_owner_new(struct cone_emitter *e, const struct cone_node *node);
/* An owner of a struct as one of a trait. */
value cone_owner_convert(struct cone_emitter *e, const struct cone_type *from, const struct cone_type *to, value v);
/* What the owner `v` owns: a place; of a trait, a reference to one. */
shape *cone_owner_target(struct cone_emitter *e, const struct cone_type *owner, value v, const struct cone_node *node);
/* Before a loop: what was owned until then; NULL: rounds give nothing back. At the start of each round: what the one
 * before made is given back. */
value *cone_owner_mark(struct cone_emitter *e, const struct cone_node *loop);
void cone_owner_give_back(struct cone_emitter *e, value *marks);
/* When all else of the kernel is emitted: how much is owned at most. */
void cone_owner_finish(struct cone_emitter *e);

/* ---- cone_emit_expressions.c ---- */
/* Where a reference leads to. */
shape *cone_emit_target(struct cone_emitter *e, const struct cone_node *node, shape *reference);
shape *cone_emit_expression(struct cone_emitter *e, const struct cone_node *node);
shape *cone_emit_place(struct cone_emitter *e, const struct cone_node *node);
value cone_emit_value(struct cone_emitter *e, const struct cone_node *node); /* a scalar */
/* A slice's parts as they are now. */
value cone_emit_offset(struct cone_emitter *e, const shape *slice); /* NULL: 0 */
value cone_emit_length(struct cone_emitter *e, const shape *slice);

/* ---- cone_emit_control.c ---- */
shape *cone_emit_if(struct cone_emitter *e, const struct cone_node *node);
shape *cone_emit_block(struct cone_emitter *e, const struct cone_node *node);
shape *cone_emit_while(struct cone_emitter *e, const struct cone_node *node);
shape *cone_emit_each(struct cone_emitter *e, const struct cone_node *node);
/* Where what leaves a loop or a function by several ways puts its value; NULL: it has none. */
shape *cone_emit_result(struct cone_emitter *e, const struct cone_type *type, const struct cone_node *at);
/* A value goes to what a result is kept in, or NULL. A reference must be what it is already, if anything (1253). */
void cone_emit_give(struct cone_emitter *e, shape *result, shape *v, const struct cone_node *node);
void cone_emit_jump(struct cone_emitter *e, const struct cone_node *node); /* BREAK, CONTINUE, RETURN */
/* A region of a control instruction: what `enter` gives is for `leave`. */
struct cone_region {
	struct ir_builder builder;
	bool dead;
};
struct cone_region cone_emit_enter(struct cone_emitter *e, struct ir_instruction *control, unsigned n);
void cone_emit_leave(struct cone_emitter *e, const struct cone_region *outer);
/* After an instruction that ends its region. */
void cone_emit_end(struct cone_emitter *e);

/* ---- cone_emit_holders.c ---- */
struct cone_snapshot cone_holders_take(struct cone_emitter *e);
void cone_holders_put_back(struct cone_emitter *e, const struct cone_snapshot *s);
/* After two ways, of which the other ended with `s`. */
void cone_holders_join(struct cone_emitter *e, const struct cone_snapshot *s);
bool cone_holders_differ(const shape *a, const shape *b);
/* Refuses, where references are not chosen at run time, what leads elsewhere than before. */
void cone_holders_check_same(struct cone_emitter *e, const struct cone_snapshot *before, const struct cone_node *node,
                             const char *text);
/* An `if` of which the emitter makes both ways itself. */
struct cone_branch {
	struct ir_instruction *control;
	struct cone_region outer;
	struct cone_snapshot before, then;
	bool first_goes_on;
};
void cone_emit_begin_branch(struct cone_emitter *e, struct cone_branch *b, value condition);
void cone_emit_other_branch(struct cone_emitter *e, struct cone_branch *b);
void cone_emit_end_branch(struct cone_emitter *e, struct cone_branch *b);
/* Around what may be left by several ways; `note` where it is left, `end` after it. */
void cone_emit_begin_exits(struct cone_emitter *e, struct cone_exits *x);
void cone_emit_note_exit(struct cone_emitter *e, struct cone_exits *x);
void cone_emit_end_exits(struct cone_emitter *e, struct cone_exits *x, bool reaches_end);

/* ---- cone_emit_calls.c ---- */
shape *cone_emit_call(struct cone_emitter *e, const struct cone_node *node);
shape *cone_emit_body(struct cone_emitter *e, struct cone_emit_frame *frame);
bool cone_emit_holds_barrier(struct cone_emitter *e, const struct cone_node *node);
bool cone_emit_holds_return(const struct cone_node *node);
/* Whether `is` holds for the node or one below it; calls are not gone into. */
bool cone_emit_any_node(const struct cone_node *node, bool (*is)(void *context, const struct cone_node *node),
                        void *context);
/* What a GPU lacks, and this compiler has for no CPU either, left a hole in the function: reported, true. */
bool cone_emit_refuse_broken(struct cone_emitter *e, const struct cone_instance *instance);
/* A call of a function with a body; `place`: what tells calls at this node apart, or NULL. */
shape *cone_emit_instance(struct cone_emitter *e, const struct cone_node *node, const struct cone_instance *instance,
                          shape **arguments, uint32_t count, const void *place);

/* ---- cone_emit_operators.c: scalars, folded where all operands are constants ---- */
value cone_emit_constant(struct cone_emitter *e, const struct ir_type *type, uint64_t bits);
value cone_emit_unary(struct cone_emitter *e, enum ir_op op, value x);
value cone_emit_binary(struct cone_emitter *e, enum ir_op op, value x, value y);
value cone_emit_with(struct cone_emitter *e, enum ir_op op, value x, uint64_t bits);
value cone_emit_convert(struct cone_emitter *e, enum ir_op op, const struct ir_type *to, value x);
value cone_emit_select(struct cone_emitter *e, value condition, value x, value y);
value cone_emit_operator(struct cone_emitter *e, enum cone_operator op, value x, value y); /* BINARY */
value cone_emit_number(struct cone_emitter *e, const struct cone_type *to, value x);       /* CONVERT of scalars */
bool cone_emit_known(value v, uint64_t bits); /* a constant of these bits */

/* ---- cone_emit_bits.c ---- */
/* AS of structs and arrays of numbers. */
shape *cone_emit_bits(struct cone_emitter *e, const struct cone_node *node);

/* ---- cone_emit_probe.c ---- */
/* Reports 1253 and 1254 of all functions: after cone_emit, of a program that is checked. */
void cone_emit_probe(struct cone_program *p);
/* Calls in a probe: whether one is inlined, and what one that is not gives. */
bool cone_emit_probe_enters(const struct cone_node *call);
shape *cone_emit_probe_result(struct cone_emitter *e, const struct cone_node *call);

/* ---- cone_emit_intrinsics.c ---- */
shape *cone_emit_intrinsic(struct cone_emitter *e, const struct cone_node *node);

#endif
