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
};

/* A step of a path, with what it was first computed as, by which places are compared. */
struct cone_step {
	struct ir_instruction *index; /* NULL: a field */
	struct ir_local *local;       /* holds the index where `index` cannot be seen; NULL: `index` can */
	uint32_t field;
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
	bool holder, chosen; /* chosen: different places by different ways (1253) */
	bool sticky;         /* a holder that keeps what one way gave it, for the others to be compared with */
	uint64_t number;
	const char *text; /* of the program */
};

typedef struct cone_shape shape;
typedef struct ir_instruction *value;

/* How `return` is emitted: as the value of the body; by leaving a loop around the body; or, where there are barriers,
 * whose control is taken by all lanes alike, by a flag that is asked after every statement with a return in it. */
enum return_form { RETURN_VALUE, RETURN_BREAK, RETURN_FLAG };

/* A function being inlined. */
struct cone_emit_frame {
	struct cone_emit_frame *caller;
	const struct cone_instance *instance;
	shape **variables; /* by index */
	enum return_form form;
	bool is_entry;
	shape *result; /* NULL: none, or RETURN_VALUE */
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
	struct table types;    /* IR types by Cone type, of the module */
	struct table names;    /* of the kernel's memories, parameters and locals: any pointer */
	struct table globals;  /* shapes by declaration */
	struct table barriers; /* by instance: whether there is one, as 1 or 2 */
	shape **holders;       /* references that can be set again and are in use */
	uint32_t holder_count, holder_capacity;
	struct cone_kept_place *places; /* CONE_PLACES_KEPT, by the node's address */
	uint32_t depth, nesting;        /* of calls; of control */
	uint32_t call_count;            /* inlined: some make no instructions */
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

/* ---- cone_emit_expressions.c ---- */
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

/* ---- cone_emit_calls.c ---- */
shape *cone_emit_call(struct cone_emitter *e, const struct cone_node *node);
shape *cone_emit_body(struct cone_emitter *e, struct cone_emit_frame *frame);
bool cone_emit_holds_barrier(struct cone_emitter *e, const struct cone_node *node);
bool cone_emit_holds_return(const struct cone_node *node);

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
