/* The kernel IR: structured and typed, no goto, no phi (design, Kernel IR). */
#ifndef SSPUR_IR_IR_H
#define SSPUR_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/arena.h"
#include "utils/base/source.h"
#include "utils/base/table.h"
#include "utils/base/trap.h"

/* ---- Types ---- */

enum ir_type_kind {
	IR_TYPE_void,
	IR_TYPE_bool,
	IR_TYPE_i8,
	IR_TYPE_u8,
	IR_TYPE_i16,
	IR_TYPE_u16,
	IR_TYPE_i32,
	IR_TYPE_u32,
	IR_TYPE_i64,
	IR_TYPE_u64,
	IR_TYPE_f32,
	IR_TYPE_f64,
	IR_TYPE_array,
	IR_TYPE_struct,
};

struct ir_field {
	const char *name;
	const struct ir_type *type;
	uint32_t offset; /* bytes */
};

/* Interned: two equal types of a module are one pointer. Scalars are the static
 * ir_types[kind]. A struct is equal to another only by name. Layout is scalar-tight: every
 * member at its own alignment, no tail padding beyond the largest member's alignment. */
struct ir_type {
	enum ir_type_kind kind;
	uint32_t size, align;          /* bytes in memory; bool is 4 */
	uint32_t depth;                /* arrays and structs one inside another; a scalar is 0 */
	const struct ir_type *element; /* array */
	uint64_t count;                /* array: elements; struct: fields */
	const char *name;              /* struct */
	const struct ir_field *fields; /* struct */
};

#define IR_MAX_TYPE_DEPTH 64
#define IR_MAX_TYPE_SIZE 0x7fffffffu /* bytes */
#define IR_MAX_FIELDS 1024           /* of one struct */

extern const struct ir_type ir_types[IR_TYPE_array];   /* the scalar types, by kind; void included */
const char *ir_type_kind_name(enum ir_type_kind kind); /* "i64" */
bool ir_type_is_integer(const struct ir_type *t);
bool ir_type_is_signed(const struct ir_type *t); /* signed integers */
bool ir_type_is_float(const struct ir_type *t);
bool ir_type_is_scalar(const struct ir_type *t); /* bool, integer, float */
uint32_t ir_type_bits(const struct ir_type *t);  /* value width of a scalar; bool 1 */
/* The low bits of `bits` as a value of a scalar type in 64-bit form (see struct ir_instruction). */
uint64_t ir_canonical_bits(const struct ir_type *t, uint64_t bits);
/* Bits of 2^exponent in a float type, whose normal numbers it is among. */
uint64_t ir_float_power(const struct ir_type *t, int exponent);
/* What convert_saturate gives: *greatest from the float *high on, *least up to the float *low, and between them what
 * truncation does. */
void ir_saturation(const struct ir_type *from, const struct ir_type *to, uint64_t *high, uint64_t *low,
                   uint64_t *greatest, uint64_t *least);

/* ---- Operations ---- */

enum ir_op {
#define OP(name, arity, operands, result, flags, description) IR_OP_##name,
#include "ir/ir_ops.def"
#undef OP
	IR_OP_COUNT
};

enum ir_op_flag {
	IR_FLAG_PURE = 1 << 0,
	IR_FLAG_TRAP = 1 << 1,
	IR_FLAG_READ = 1 << 2,
	IR_FLAG_WRITE = 1 << 3,
	IR_FLAG_PLACED = 1 << 4,
	IR_FLAG_CONTROL = 1 << 5,
	IR_FLAG_END = 1 << 6,
	IR_FLAG_THREAD = 1 << 7,
	IR_FLAG_ATOMIC = 1 << 8,
	IR_FLAG_BARRIER = 1 << 9,
	IR_FLAG_MATH = 1 << 10,
};

enum ir_operand_class {
	IR_OPERANDS_NONE,
	IR_OPERANDS_ANY,
	IR_OPERANDS_INT,
	IR_OPERANDS_SIGNED,
	IR_OPERANDS_FLOAT,
	IR_OPERANDS_BOOL,
	IR_OPERANDS_NUMBER,
	IR_OPERANDS_BITS,
	IR_OPERANDS_COND,
	IR_OPERANDS_INDEX,
};

enum ir_result_class {
	IR_RESULT_SAME,
	IR_RESULT_BOOL,
	IR_RESULT_SECOND,
	IR_RESULT_TYPED,
	IR_RESULT_INDEX,
	IR_RESULT_PLACE,
	IR_RESULT_VOID,
};

struct ir_op_info {
	const char *name;
	uint8_t arity;
	enum ir_operand_class operands;
	enum ir_result_class result;
	uint16_t flags;
	const char *description;
};

extern const struct ir_op_info ir_op_infos[IR_OP_COUNT];

/* ---- Kernels ---- */

enum ir_memory_kind {
	IR_MEMORY_BUFFER,  /* a slice parameter: `type` is one element, the count is the argument's length */
	IR_MEMORY_VALUE,   /* a by-value struct parameter: read-only, one `type` */
	IR_MEMORY_PRIVATE, /* each thread's own, starts as `init` (NULL: zero) */
	IR_MEMORY_TABLE,   /* constant table: read-only, holds `init` */
	IR_MEMORY_SHARED,  /* one a workgroup, of all its threads */
};

/* Something a place can start from. */
struct ir_memory {
	enum ir_memory_kind kind;
	const char *name; /* unique among the kernel's memories and parameters */
	const struct ir_type *type;
	bool writable;
	uint32_t parameter;  /* index into parameters, for BUFFER and VALUE */
	const uint8_t *init; /* type->size bytes, for PRIVATE and TABLE */
	bool zeroed;         /* SHARED: zero when a workgroup starts; else undefined */
	bool global;         /* PRIVATE: one for all threads and launches on a machine where they share all memory (the
	                        CPU twin, lower/llvm/machine.h), named alike in all kernels that have it */
};

enum ir_parameter_kind { IR_PARAMETER_SCALAR, IR_PARAMETER_BUFFER, IR_PARAMETER_VALUE };

struct ir_parameter {
	const char *name;
	enum ir_parameter_kind kind;
	const struct ir_type *type; /* the scalar, the element, or the struct */
	struct ir_memory *memory;   /* BUFFER and VALUE */
	struct place place;
};

/* A mutable scalar of one thread; undefined until it is set (the verifier requires a set that
 * dominates every get in region order). */
struct ir_local {
	const char *name; /* unique in the kernel: a second `x` is `x.1` */
	const struct ir_type *type;
	uint32_t index; /* place in kernel->locals */
};

/* One step from a base: into an array or a buffer by a value, or into a struct by a field. */
struct ir_step {
	struct ir_instruction *index; /* NULL: a field */
	uint32_t field;
};

struct ir_region {
	struct ir_instruction *first, *last;
};

enum ir_scope { IR_SCOPE_DEVICE, IR_SCOPE_WORKGROUP };
enum ir_order { IR_ORDER_RELAXED, IR_ORDER_ACQUIRE, IR_ORDER_RELEASE, IR_ORDER_ACQ_REL };
/* What the group's threads see of each other's writes from before a barrier: those to shared memory, or to
 * buffers. */
enum ir_barrier { IR_BARRIER_WORKGROUP, IR_BARRIER_STORAGE };

/* Functions that `math` and `math2` name: of f32, and fmod of f64 too. Every one is a sequence of other operations,
 * the same everywhere (ir/math.h). In kernels of 64-bit indexes, which only the CPU's own are, all are of f64 too, and
 * then the C library's. */
enum ir_math {
#define MATH(name, arity, description) IR_MATH_##name,
#include "ir/math.def"
#undef MATH
	IR_MATH_COUNT
};

#define IR_MAX_OPERANDS 3
#define IR_MAX_OWN_BYTES (1u << 20)     /* privates and tables of a kernel, in all */
#define IR_MAX_SHARED_BYTES (32u << 10) /* shared memories of a kernel, in all */
#define IR_MAX_NESTING 1000             /* control instructions one inside another: walks over regions may recurse */

struct ir_instruction {
	enum ir_op op;
	const struct ir_type *type; /* of the result; &ir_types[IR_TYPE_void] for none */
	uint32_t id;                /* unique in the kernel, from 0, dense after ir_kernel_number; printed %id */
	struct place place;         /* in the source; also where a trap is reported */
	struct ir_instruction *operands[IR_MAX_OPERANDS];
	/* What the op's row asks for; the rest is zero. */
	uint64_t bits;                 /* const: the value, see ir_bits below */
	uint32_t parameter;            /* parameter: index into kernel->parameters */
	uint8_t axis;                  /* ids: 0 x, 1 y, 2 z */
	enum trap_kind trap;           /* check */
	const char *message;           /* check: what a panic says; NULL: nothing */
	struct ir_local *local;        /* get, set */
	struct ir_memory *base;        /* length and PLACED */
	struct ir_step *path;          /* PLACED */
	uint32_t path_count;           /* PLACED */
	enum ir_scope scope;           /* ATOMIC */
	enum ir_order order;           /* ATOMIC */
	bool relaxed_unequal;          /* atomic_cas: one that finds another value acquires nothing */
	enum ir_barrier barrier;       /* barrier */
	enum ir_math math;             /* MATH */
	struct ir_instruction *target; /* break, continue: the enclosing for or loop */
	struct ir_region regions[2];   /* CONTROL: if then/else; for and loop [0] */
	struct ir_instruction *next, *previous;
	struct ir_instruction *parent; /* the instruction whose region holds this; NULL at the top */
};

/* A value as 64 bits: signed integers sign-extended, unsigned zero-extended, bool 0 or 1, f32 its
 * bits in the low half (high half 0), f64 its bits. */

/* An expression over scalar parameters, lengths, literals and group_size: ends in `yield`. */
struct ir_expression {
	struct ir_region region;
	const char *text; /* as `sspur fmt` prints it */
	struct place place;
};

/* What happens after a failure (design: data on the kernel). */
enum ir_policy {
	IR_POLICY_STOP,   /* SSPUR: the first trap in order ends the launch */
	IR_POLICY_RECORD, /* Cone: the thread records it and stops, the others go on */
	IR_POLICY_PROVED, /* nothing fails: whoever launches it has proved so (ir/proof.h). What would fail does
	                     anything */
};

struct ir_kernel {
	struct ir_module *module;
	const char *name;
	const char *file; /* source file name as given */
	struct place place;
	enum ir_policy policy;
	enum ir_type_kind index; /* type of ids, lengths and indices: i64 for SSPUR, u32 for Cone on a device, u64 for
	                            Cone on the CPU: `twin` and native objects alone */
	uint8_t axes;            /* 1, 2 or 3 */
	uint32_t group[3];       /* 1 on unused axes */
	struct ir_parameter *parameters;
	uint32_t parameter_count, parameter_capacity;
	struct ir_memory **memories;
	uint32_t memory_count, memory_capacity;
	struct ir_local **locals;
	uint32_t local_count, local_capacity;
	struct ir_expression *pre;
	uint32_t pre_count, pre_capacity;
	struct ir_expression grid[3]; /* threads on each axis, type i64; empty regions: given at the launch */
	struct ir_region body;
	uint32_t next_id; /* every id of the kernel (its expressions included) is below this */
};

/* What `file` of places names, where kernels are of several files. Ids are from 1 and unique. */
struct ir_file {
	uint32_t id;
	const char *name;
};

struct ir_module {
	struct arena arena;
	struct ir_file *files; /* none: places are in the kernel's own file */
	uint32_t file_count, file_capacity;
	struct ir_kernel **kernels;
	uint32_t kernel_count, kernel_capacity;
	struct ir_type **types; /* interned arrays and structs */
	uint32_t type_count, type_capacity;
	struct table type_table; /* of types, for ir_type_array and ir_type_struct alone */
};

/* ---- Making IR (ir/builder.c) ---- */

struct ir_module *ir_module_new(void);
void ir_add_file(struct ir_module *m, uint32_t id, const char *name);
void ir_module_free(struct ir_module *m);
/* NULL when there are no elements, or one of the limits above is exceeded. */
const struct ir_type *ir_type_array(struct ir_module *m, const struct ir_type *element, uint64_t count);
/* Lays the fields out (their `offset` is not read). NULL when the name is taken by a struct with other
 * fields, there are none, two have one name, or a limit is exceeded as above. */
const struct ir_type *ir_type_struct(struct ir_module *m, const char *name, const struct ir_field *fields,
                                     uint32_t count);
const struct ir_type *ir_type_find_struct(const struct ir_module *m, const char *name); /* NULL: none */
struct ir_kernel *ir_kernel_new(struct ir_module *m, const char *name); /* policy STOP, index i64, axes 1, group 1 */
struct ir_kernel *ir_module_find(const struct ir_module *m, const char *name);
uint32_t ir_module_index(const struct ir_module *m, const struct ir_kernel *k); /* k is one of them */
/* The module has this one of its kernels alone: nothing is made of the others. */
void ir_module_keep(struct ir_module *m, struct ir_kernel *k);
uint32_t ir_add_scalar(struct ir_kernel *k, const char *name, const struct ir_type *type);
struct ir_memory *ir_add_buffer(struct ir_kernel *k, const char *name, const struct ir_type *element, bool writable);
struct ir_memory *ir_add_value(struct ir_kernel *k, const char *name, const struct ir_type *type);
struct ir_memory *ir_add_private(struct ir_kernel *k, const char *name, const struct ir_type *type, const void *init);
struct ir_memory *ir_add_table(struct ir_kernel *k, const char *name, const struct ir_type *type, const void *init);
struct ir_memory *ir_add_shared(struct ir_kernel *k, const char *name, const struct ir_type *type, bool zeroed);
struct ir_local *ir_add_local(struct ir_kernel *k, const char *name, const struct ir_type *type);
struct ir_expression *ir_add_pre(struct ir_kernel *k, const char *text);

/* Appends to the end of `region`; `place` is given to each instruction made. */
struct ir_builder {
	struct ir_kernel *kernel;
	struct ir_region *region;
	struct ir_instruction *parent; /* whose region it is; NULL at the top */
	struct place place;
};

struct ir_instruction *ir_build_const(struct ir_builder *b, const struct ir_type *type, uint64_t bits);
struct ir_instruction *ir_build_int(struct ir_builder *b, const struct ir_type *type, int64_t value);
struct ir_instruction *ir_build_parameter(struct ir_builder *b, uint32_t parameter);
struct ir_instruction *ir_build_length(struct ir_builder *b, struct ir_memory *base);
struct ir_instruction *ir_build_id(struct ir_builder *b, enum ir_op op, uint8_t axis); /* global_id ... grid_size */
/* Any row whose result is SAME, BOOL or SECOND. */
struct ir_instruction *ir_build_unary(struct ir_builder *b, enum ir_op op, struct ir_instruction *x);
struct ir_instruction *ir_build_binary(struct ir_builder *b, enum ir_op op, struct ir_instruction *x,
                                       struct ir_instruction *y);
struct ir_instruction *ir_build_select(struct ir_builder *b, struct ir_instruction *c, struct ir_instruction *x,
                                       struct ir_instruction *y);
struct ir_instruction *
ir_build_convert(struct ir_builder *b, enum ir_op op, const struct ir_type *to,
                 struct ir_instruction *x); /* convert, convert_trap, convert_saturate, bitcast */
/* `y` NULL: the function has one operand. */
struct ir_instruction *ir_build_math(struct ir_builder *b, enum ir_math math, struct ir_instruction *x,
                                     struct ir_instruction *y);
struct ir_instruction *ir_build_check_index(struct ir_builder *b, struct ir_instruction *i, struct ir_instruction *n);
struct ir_instruction *ir_build_check_range(struct ir_builder *b, struct ir_instruction *start,
                                            struct ir_instruction *end, struct ir_instruction *n);
struct ir_instruction *ir_build_check(struct ir_builder *b, struct ir_instruction *condition, enum trap_kind trap);
struct ir_instruction *ir_build_load(struct ir_builder *b, struct ir_memory *base, const struct ir_step *path,
                                     uint32_t path_count);
struct ir_instruction *ir_build_store(struct ir_builder *b, struct ir_memory *base, const struct ir_step *path,
                                      uint32_t path_count, struct ir_instruction *value);
struct ir_instruction *ir_build_atomic(struct ir_builder *b, enum ir_op op, struct ir_memory *base,
                                       const struct ir_step *path, uint32_t path_count, struct ir_instruction *x,
                                       struct ir_instruction *y, enum ir_scope scope, enum ir_order order);
struct ir_instruction *ir_build_get(struct ir_builder *b, struct ir_local *local);
struct ir_instruction *ir_build_set(struct ir_builder *b, struct ir_local *local, struct ir_instruction *value);
struct ir_instruction *ir_build_barrier(struct ir_builder *b, enum ir_barrier barrier);
struct ir_instruction *ir_build_cut(struct ir_builder *b);
/* Control: make one, then aim a builder at its region with ir_builder_enter. */
struct ir_instruction *ir_build_if(struct ir_builder *b, struct ir_instruction *condition);
struct ir_instruction *ir_build_for(struct ir_builder *b, struct ir_instruction *first, struct ir_instruction *end);
struct ir_instruction *ir_build_loop(struct ir_builder *b);
struct ir_instruction *ir_build_break(struct ir_builder *b, struct ir_instruction *target);
struct ir_instruction *ir_build_continue(struct ir_builder *b, struct ir_instruction *target);
struct ir_instruction *ir_build_return(struct ir_builder *b);
struct ir_instruction *ir_build_yield(struct ir_builder *b, struct ir_instruction *value);
/* A builder for region n (0 or 1) of a control instruction. */
struct ir_builder ir_builder_enter(const struct ir_builder *b, struct ir_instruction *control, unsigned n);

/* Structure changes for passes. `before` NULL: at the region's end. */
void ir_unlink(struct ir_region *region, struct ir_instruction *i);
void ir_insert(struct ir_region *region, struct ir_instruction *before, struct ir_instruction *i);
/* The region that holds i. */
struct ir_region *ir_region_of(struct ir_kernel *k, const struct ir_instruction *i);
/* Grouped kernels (spec/sspur.md 1.5) have a shared memory or a barrier. They run group by group, and the
 * threads of a group, its lanes, in lockstep: what stands between two cuts runs for every lane, in the order of
 * their ids (x fastest), before any lane goes on. A cut is a `cut`, a barrier, and every start and end of a region of
 * lockstep control. Lockstep control is
 * - control that holds a barrier, at any depth;
 * - control that holds a break or continue of a for or loop around it, or of itself, that is lockstep.
 * The operands that the first live lane has go for all lanes: they take the same side of an `if`, the same rounds of
 * a `for`, and a break or continue of a lockstep loop, together. Front ends see to it that these operands are the same
 * for every lane. A return, and a trap under IR_POLICY_RECORD, ends its lane alone: barriers do not wait for it. The
 * verifier wants all control around a `cut` to be lockstep, and none around a return. */
bool ir_is_grouped(const struct ir_kernel *k);
bool ir_has_barrier(const struct ir_region *region);
bool ir_holds_barrier(const struct ir_instruction *control);
/* One is in a branch of an `if`, in a loop where groups are of one thread along x, or in a loop that a
 * `loop` without any comes after. */
bool ir_has_uneasy_barrier(const struct ir_kernel *k);
/* By id, k->next_id entries: whether the instruction is lockstep control. */
bool *ir_find_lockstep(const struct ir_kernel *k, struct arena *arena);
/* Numbers every instruction densely, in text order: pre, grid, body. */
void ir_kernel_number(struct ir_kernel *k);
/* A failed check of device code in one word: the kind in IR_FAILURE_KIND_BITS, above it the line, and above that, in
 * modules that list files, the file's id. A line that does not fit is the greatest that does, a file that does not is
 * 0. */
#define IR_FAILURE_KIND_BITS 4
unsigned ir_failure_line_bits(const struct ir_kernel *k);
uint32_t ir_failure_code(const struct ir_kernel *k, struct place place, enum trap_kind kind);
/* Type of the value at a place; NULL if the path does not fit the base. */
const struct ir_type *ir_place_type(const struct ir_memory *base, const struct ir_step *path, uint32_t path_count);
/* In text order over all regions below; stops when visit returns false. Visit may unlink the
 * instruction it is given (its regions are still visited) but no other. */
bool ir_visit(const struct ir_region *region, bool (*visit)(void *context, struct ir_instruction *i), void *context);
/* All regions of a kernel: pre, grid, body. */
bool ir_visit_kernel(const struct ir_kernel *k, bool (*visit)(void *context, struct ir_instruction *i), void *context);
/* Every use of `old` as an operand or an index becomes `new`. Walks the whole kernel. */
void ir_replace_uses(struct ir_kernel *k, struct ir_instruction *old, struct ir_instruction *new);

#endif
