/* State of the writing of one kernel, shared by the files of this folder. It is the `thread` mode of lower/llvm in
 * SPIR-V: one thread's body, branch-free `bad`, the status record at the end. */
#ifndef SSPUR_TARGETS_VULKAN_WRITER_H
#define SSPUR_TARGETS_VULKAN_WRITER_H

#include "lower/segments.h"
#include "targets/vulkan/vulkan_interface.h"
#include "targets/vulkan/vulkan_module.h"

/* A loop around the instruction being written. */
struct vulkan_loop {
	const struct ir_instruction *control;
	uint32_t next, leave; /* labels of the continue target and the merge block */
	bool left;            /* something jumps to `leave` */
	/* What jumps out of this loop to elsewhere, by `leaving`: */
	bool breaks_outer, continues_outer; /* to the next loop outward */
	bool goes_further;                  /* beyond that, or to the end of the thread */
	struct vulkan_loop *outer;
};

struct vulkan_memory {
	uint32_t variable;
	uint32_t type; /* of a shared one */
	SpvStorageClass storage;
	struct vulkan_layout layout;
	uint32_t length; /* of a slice, of the index type */
};

/* Values of 64 bits of which only 32 matter, so that they need no 64-bit integers. */
enum vulkan_halves {
	HALVES_BOTH,
	HALVES_LOW,    /* only converted to 32 bits or fewer: it is its low half */
	HALVES_STORED, /* a conversion from 32 bits or fewer that is only stored: it is what is converted */
};

struct vulkan_writer {
	struct vulkan_module *module;
	const struct ir_kernel *kernel;
	struct vulkan_interface interface;
	struct arena *arena;            /* scratch of this kernel */
	struct words variables;         /* of the function */
	struct words code;              /* the function's blocks */
	struct words globals;           /* variables that the entry point uses: its interface */
	bool ended;                     /* the current block has ended: nothing gets here */
	uint32_t start, block;          /* labels of the block after the variables, and of the current one */
	uint32_t *values;               /* by instruction id */
	enum vulkan_halves *halves;     /* by instruction id */
	struct vulkan_memory *memories; /* parallel to kernel->memories */
	uint32_t *locals;               /* variables, by local */
	uint32_t settings;              /* variable */
	uint32_t index_bits;            /* of ids, lengths and extents: 32 or 64 */
	uint32_t extents[3], global_id[3], local_id[3], group_id[3], group_count[3]; /* of the index type */
	uint32_t local_index;
	struct vulkan_loop *loops;
	uint32_t thread_end; /* where `return` goes */
	uint32_t leaving;    /* variable, where jumps leave more than one loop: 0, or where to (vulkan_control.c) */
	uint32_t rounds;     /* the variable of vulkan_rounds.c; 0: none */
	/* Failure. */
	bool checked;              /* threads may be bad */
	bool known_good;           /* inside a branch that only a good thread takes */
	uint32_t bad, bad_value;   /* variables, see vulkan_checks.c */
	struct segments *together; /* of a kernel with barriers; NULL: others */
	uint32_t group_bad;        /* variable: a failure of all threads of a group alike */
	uint32_t status, mask;     /* variables; 0: there is none */
};

/* ---- Instructions (vulkan_code.c) ---- */
/* With a result, which is answered. */
uint32_t vulkan_result(struct vulkan_writer *w, SpvOp op, uint32_t type, const uint32_t *operands, size_t count);
#define VULKAN_RESULT(w, op, type, ...)                                                                                \
	vulkan_result((w), (op), (type), (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
/* Without one. */
#define VULKAN_DO(w, op, ...) VULKAN_WRITE((w)->module, &(w)->code, (op), __VA_ARGS__)
uint32_t vulkan_glsl(struct vulkan_writer *w, enum GLSLstd450 function, uint32_t type, uint32_t x);
uint32_t vulkan_glsl2(struct vulkan_writer *w, enum GLSLstd450 function, uint32_t type, uint32_t x, uint32_t y);
uint32_t vulkan_operand(struct vulkan_writer *w, const struct ir_instruction *i, unsigned n);
uint32_t vulkan_test(struct vulkan_writer *w, SpvOp op, uint32_t x, uint32_t y); /* a bool from two operands */
uint32_t vulkan_both(struct vulkan_writer *w, uint32_t x, uint32_t y);
uint32_t vulkan_not(struct vulkan_writer *w, uint32_t x);
uint32_t vulkan_select(struct vulkan_writer *w, uint32_t type, uint32_t condition, uint32_t x, uint32_t y);
uint32_t vulkan_word(struct vulkan_writer *w, SpvOp op, uint32_t x, uint32_t y); /* a 32-bit integer from two */
uint32_t vulkan_index_type(struct vulkan_writer *w);
uint32_t vulkan_index_constant(struct vulkan_writer *w, uint64_t value);
/* An integer of `from` as an integer of another width, extended as its type says. */
uint32_t vulkan_resize(struct vulkan_writer *w, const struct ir_type *from, uint32_t bits, uint32_t v);
uint32_t vulkan_low(struct vulkan_writer *w, uint32_t from_bits, uint32_t v); /* as 32 bits */
/* A variable of the function; `initial` 0: none. */
uint32_t vulkan_local(struct vulkan_writer *w, uint32_t type, uint32_t initial, const char *name);
uint32_t vulkan_load_variable(struct vulkan_writer *w, uint32_t type, uint32_t variable);
/* A variable of the module that is each thread's own. */
uint32_t vulkan_private(struct vulkan_writer *w, uint32_t type, uint32_t initial, const char *name);
uint32_t vulkan_buffer(struct vulkan_writer *w, const struct vulkan_buffer *b, const char *name);
/* Puts one into the entry point's interface. */
void vulkan_use_global(struct vulkan_writer *w, SpvStorageClass storage, uint32_t variable);
uint32_t vulkan_access(struct vulkan_writer *w, SpvStorageClass storage, uint32_t type, uint32_t base,
                       const uint32_t *indices, size_t count);

/* ---- Blocks ---- */
void vulkan_label(struct vulkan_writer *w, uint32_t label);
void vulkan_jump(struct vulkan_writer *w, uint32_t label); /* unless the block has ended */
/* Code that runs only if the condition holds: from begin to end, which takes begin's label. */
uint32_t vulkan_begin_if(struct vulkan_writer *w, uint32_t condition);
void vulkan_end_if(struct vulkan_writer *w, uint32_t after);

/* ---- Operations ---- */
uint32_t vulkan_given(struct vulkan_writer *w, const struct ir_instruction *i); /* const ... grid_size */
uint32_t vulkan_integer(struct vulkan_writer *w, const struct ir_instruction *i);
uint32_t vulkan_convert_trap(struct vulkan_writer *w, const struct ir_instruction *i);
uint32_t vulkan_float_operation(struct vulkan_writer *w, const struct ir_instruction *i);
uint32_t vulkan_function(struct vulkan_writer *w, const struct ir_instruction *i); /* math, math2 */
uint32_t vulkan_compare(struct vulkan_writer *w, const struct ir_instruction *i);
uint32_t vulkan_convert(struct vulkan_writer *w, const struct ir_instruction *i);
void vulkan_instruction(struct vulkan_writer *w, const struct ir_instruction *i);
void vulkan_region(struct vulkan_writer *w, const struct ir_region *region);

/* ---- Memory ---- */
/* False with one line in *error: a table is too large. */
bool vulkan_memories(struct vulkan_writer *w, struct text *error);
const struct vulkan_memory *vulkan_memory_of(const struct vulkan_writer *w, const struct ir_memory *base);
/* A pointer to the scalar at a place, legal even when the thread is bad. */
uint32_t vulkan_address(struct vulkan_writer *w, const struct ir_instruction *i, const struct ir_type *t);
uint32_t vulkan_load(struct vulkan_writer *w, const struct ir_instruction *i);
/* All stores that follow one another without a break, from i on; the last of them. */
const struct ir_instruction *vulkan_stores(struct vulkan_writer *w, const struct ir_instruction *i);
void vulkan_atomic(struct vulkan_writer *w, const struct ir_instruction *i);
bool vulkan_may_be_inexact(const struct ir_kernel *k, const struct ir_instruction *i);
uint32_t vulkan_length(struct vulkan_writer *w, const struct ir_memory *base); /* of the index type */
void vulkan_find_halves(struct vulkan_writer *w);

/* ---- Workgroups (vulkan_shared.c) ---- */
void vulkan_shared_start(struct vulkan_writer *w);
void vulkan_barrier(struct vulkan_writer *w, enum ir_barrier kind);
void vulkan_fence(struct vulkan_writer *w, enum ir_scope scope);
void vulkan_find_together(struct vulkan_writer *w);
bool vulkan_same(const struct vulkan_writer *w, const struct ir_instruction *value);
void vulkan_note_failure(struct vulkan_writer *w, const struct ir_instruction *i, uint32_t sound);
uint32_t vulkan_goes_on(struct vulkan_writer *w, const struct ir_instruction *loop); /* 0: in any case */

/* ---- Checks (vulkan_checks.c) ---- */
void vulkan_checks_start(struct vulkan_writer *w);
/* The instruction fails with `kind` unless `sound`. value: 32 bits, or 0. */
void vulkan_require(struct vulkan_writer *w, const struct ir_instruction *i, enum trap_kind kind, uint32_t sound,
                    uint32_t value);
void vulkan_check(struct vulkan_writer *w, const struct ir_instruction *i);
uint32_t vulkan_good(struct vulkan_writer *w); /* a bool; 0: certainly */
void vulkan_absent(struct vulkan_writer *w, uint32_t present);
void vulkan_report(struct vulkan_writer *w);

/* ---- Loops that the device may end early (vulkan_rounds.c); nothing elsewhere ---- */
bool vulkan_rounds_needed(const struct vulkan_form *form, const struct ir_kernel *k);
void vulkan_rounds_start(struct vulkan_writer *w);
void vulkan_rounds_enter(struct vulkan_writer *w); /* before a loop */
void vulkan_rounds_leave(struct vulkan_writer *w); /* before a jump to its merge block */
void vulkan_rounds_check(struct vulkan_writer *w, const struct ir_instruction *loop); /* outside of all loops */

/* ---- Ids (vulkan_builtins.c) ---- */
void vulkan_ids_start(struct vulkan_writer *w);
/* What a built-in variable holds of this sum or quotient; 0: it must be computed. */
uint32_t vulkan_builtin_value(struct vulkan_writer *w, const struct ir_instruction *i);

/* ---- The frame (vulkan_frame.c) ---- */
/* A word of zero that no driver's compiler knows; the same, for an array. */
uint32_t vulkan_hidden_zero(struct vulkan_writer *w);
uint32_t vulkan_hidden_index(struct vulkan_writer *w);
/* The same integer of that many bits, of which no driver's compiler knows anything. */
uint32_t vulkan_with_hidden_zero(struct vulkan_writer *w, uint32_t bits, uint32_t v);
/* Whether an integer result is made such a one; whether a constant, or a float of an integer, is made with the zero. */
bool vulkan_hides_integer(const struct ir_instruction *i);
bool vulkan_hides_float(const struct vulkan_form *form, const struct ir_instruction *i);
/* What is compared, an operand of a comparison or the end of a `for`, hidden where a compiler may mistake it. */
uint32_t vulkan_compared(struct vulkan_writer *w, const struct ir_instruction *i, unsigned n);
bool vulkan_hides(const struct vulkan_form *form, const struct ir_instruction *i); /* any of these */
/* The 64 bits at an offset of the settings; with 32-bit indices their low half. */
uint32_t vulkan_index_setting(struct vulkan_writer *w, uint32_t offset);
/* Adds the kernel's entry point to the module. */
bool vulkan_kernel(struct vulkan_module *m, const struct ir_kernel *k, struct text *error);

#endif
