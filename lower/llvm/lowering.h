/* State of the lowering of one kernel, shared by the files of this folder and by the machines' functions. */
#ifndef SSPUR_LOWER_LLVM_LOWERING_H
#define SSPUR_LOWER_LLVM_LOWERING_H

#include <llvm-c/DebugInfo.h>

#include "lower/segments.h"
#include "lower/llvm/machine.h"
#include "lower/llvm/vector_shapes.h"

/* A loop around the instruction being lowered. */
struct lowering_loop {
	const struct ir_instruction *control;
	LLVMBasicBlockRef next, leave; /* where `continue` and `break` go */
	const struct lowering_loop *outer;
};

struct lowering_argument {
	LLVMValueRef value;  /* the scalar (bool as i1), or an address */
	LLVMValueRef length; /* of a slice, i64 */
};

/* A block that failures go to; a phi for each field of the trap (lowering_checks.c). */
struct lowering_fail {
	LLVMBasicBlockRef block;
	LLVMValueRef phis[9];
	unsigned count; /* of the failures that go here */
};

struct lowering {
	const struct machine *machine;
	const struct ir_kernel *kernel;
	struct arena *arena; /* scratch of this kernel */
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef function;
	LLVMDIBuilderRef lines;              /* NULL: none are written */
	LLVMMetadataRef scope;               /* of source lines; NULL: none are written */
	LLVMBasicBlockRef entry;             /* allocas and what all threads share; jumps to the rest at the end */
	LLVMValueRef *values;                /* by instruction id */
	struct lowering_argument *arguments; /* by parameter */
	LLVMValueRef *memories;              /* addresses, parallel to kernel->memories */
	LLVMValueRef *locals;                /* allocas, by local */
	LLVMValueRef extents[3];             /* i64; 1 on unused axes */
	LLVMValueRef global_id[3], local_id[3], group_id[3]; /* i64; some i32 where the index type is */
	const struct lowering_loop *loops;
	LLVMBasicBlockRef thread_end; /* where `return` goes */
	const bool *proved;           /* by instruction id: checks that cannot fail here; NULL: none (sequential) */
	bool workspace;               /* sequential, grouped: shared and private memories are the caller's */
	bool again;                   /* sequential: what is lowered is made again, and did not fail before */
	/* Lanes (lowering_vector.c). */
	unsigned width; /* how many; 0: one thread after another */
	const struct vector_shapes *shapes;
	bool vectors;            /* types and operands are vectors, a lane's in each element */
	LLVMValueRef active;     /* lanes that are here; NULL: all */
	LLVMBasicBlockRef retry; /* where failures in any lane go; NULL: outside of lanes, or nothing fails so */
	LLVMBasicBlockRef skip;  /* where code goes on when no lane is active */
	LLVMValueRef live;       /* alloca of a mask: lanes that have not ended; NULL: all end together */
	const struct vector_loop *vector_loops; /* lowering_vector.h */
	LLVMValueRef record, trap;              /* failures that are recorded: lowering_record.c; NULL: none are */
	bool parallel; /* sequential, proved: other threads of the host update buffers at the same time */
	/* Failure. `checked`: some operation may trap. */
	bool checked;
	bool known_good;             /* thread: inside a branch that only a good thread takes */
	LLVMValueRef bad, bad_value; /* thread: allocas i32, see lowering_checks.c */
	struct segments *together;   /* thread: of a kernel with barriers; NULL: others */
	LLVMValueRef group_bad;      /* thread: alloca i1, see lowering_shared.c */
	LLVMValueRef status, mask;   /* thread: addresses; NULL where nothing fails */
	LLVMValueRef invocation;     /* invocation: the address of the first argument */
	struct place barrier_place;  /* invocation: of the barrier that the machine makes */
	/* Sequential: where all failures end, and where the next ones go first (the same, while they are few). */
	struct lowering_fail fail, fail_part;
	LLVMValueRef
	    one; /* sequential: the function of one thread of a long body; NULL: threads are loops over the body */
	LLVMValueRef row; /* sequential: of the threads being lowered; NULL: there is one */
};

/* ---- Invocations (lowering_invocation.c) ---- */
void lowering_invocation(struct lowering *l);
/* Whether there is one copy of the memory for all threads and launches, and the copy. */
bool lowering_is_one(const struct lowering *l, const struct ir_memory *m);
LLVMValueRef lowering_one(struct lowering *l, const struct ir_memory *m);
/* Unless `sound` the thread ends here, once the machine's `failed` has come back. */
void lowering_call_out(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                       LLVMValueRef value, LLVMValueRef limit);

/* ---- Types (lowering_types.c) ---- */
LLVMTypeRef lowering_int(const struct lowering *l, unsigned bits);
LLVMTypeRef lowering_value_int(const struct lowering *l, unsigned bits); /* a vector where values are */
/* Of a value: bool is i1. */
LLVMTypeRef lowering_type(const struct lowering *l, const struct ir_type *t);
/* In memory and as an argument: bool is i32; arrays and structs are arrays of bytes. */
LLVMTypeRef lowering_memory_type(const struct lowering *l, const struct ir_type *t);
/* A value read from memory or an argument, as a value; and back. */
LLVMValueRef lowering_from_memory(struct lowering *l, const struct ir_type *t, LLVMValueRef v);
LLVMValueRef lowering_to_memory(struct lowering *l, const struct ir_type *t, LLVMValueRef v);

/* ---- Values (lowering_values.c) ---- */
LLVMValueRef lowering_i32(const struct lowering *l, uint32_t v);
LLVMValueRef lowering_i64(const struct lowering *l, uint64_t v);
LLVMValueRef lowering_operand(struct lowering *l, const struct ir_instruction *i, unsigned n);
/* Allocas go to the entry block. */
LLVMValueRef lowering_alloca(struct lowering *l, LLVMTypeRef type, const char *name);
LLVMBasicBlockRef lowering_block(struct lowering *l, const char *name);
/* To the end of a block. */
void lowering_enter(struct lowering *l, LLVMBasicBlockRef block);
/* Jumps, unless the current block has ended. */
void lowering_jump(struct lowering *l, LLVMBasicBlockRef to);
/* Code that runs only if the condition holds: from begin to end, which takes begin's block. */
LLVMBasicBlockRef lowering_begin_if(struct lowering *l, LLVMValueRef condition);
void lowering_end_if(struct lowering *l, LLVMBasicBlockRef after);
/* An overloaded LLVM intrinsic on values of type t. */
LLVMValueRef lowering_intrinsic(struct lowering *l, const char *name, LLVMTypeRef t, LLVMValueRef *arguments,
                                unsigned count);
/* A function without a body, declared on first use. */
LLVMValueRef lowering_external(struct lowering *l, const char *name, unsigned convention, LLVMTypeRef type,
                               LLVMValueRef *arguments, unsigned count);
LLVMValueRef lowering_given(struct lowering *l, const struct ir_instruction *i); /* const ... grid_size */
/* i64 or i32 to the kernel's index type. */
LLVMValueRef lowering_index(struct lowering *l, LLVMValueRef v);
LLVMValueRef lowering_length(struct lowering *l, const struct ir_memory *base); /* i64 */

/* Of a value's type, or of a vector of them: the same bits in each lane. */
LLVMValueRef lowering_bits(const struct lowering *l, LLVMTypeRef type, uint64_t bits);

/* ---- Operations ---- */
/* lowering_integer.c: iadd ... irem_trap, bits and shifts */
LLVMValueRef lowering_integer(struct lowering *l, const struct ir_instruction *i);
LLVMValueRef lowering_convert_trap(struct lowering *l, const struct ir_instruction *i);
/* A function of f64 that is the C library's: what lower_math left. */
LLVMValueRef lowering_library(struct lowering *l, const struct ir_instruction *i);
LLVMValueRef lowering_float(struct lowering *l, const struct ir_instruction *i); /* lowering_float.c: fadd ... fround */
LLVMValueRef lowering_compare(struct lowering *l, const struct ir_instruction *i); /* lowering_float.c: eq ... ge */
LLVMValueRef lowering_convert(struct lowering *l,
                              const struct ir_instruction *i); /* lowering_float.c: convert, bitcast */
/* Widens an integer as its IR type says. */
LLVMValueRef lowering_extend(struct lowering *l, const struct ir_type *t, LLVMValueRef v, LLVMTypeRef to);

/* ---- Memory (lowering_memory.c, lowering_atomic.c) ---- */
/* Makes the kernel's private memories and tables; private ones are started by lowering_private_start. */
void lowering_memories(struct lowering *l);
void lowering_private_start(struct lowering *l);
LLVMValueRef lowering_constant_bytes(struct lowering *l, const struct ir_memory *m); /* what it starts with */
/* Address of a place as a pointer to `type`, legal even when the thread is bad. */
LLVMValueRef lowering_address(struct lowering *l, const struct ir_instruction *i, LLVMTypeRef type);
LLVMValueRef lowering_base_address(const struct lowering *l, const struct ir_memory *base);
LLVMValueRef lowering_load(struct lowering *l, const struct ir_instruction *i);
/* All stores that follow one another without a break, from i on; the last of them. */
const struct ir_instruction *lowering_stores(struct lowering *l, const struct ir_instruction *i);
void lowering_atomic(struct lowering *l, const struct ir_instruction *i);
const struct ir_type *lowering_atomic_type(const struct ir_instruction *i); /* of what is there */
/* At an address, as an atomic (an update) or, in order, plainly (any). The value before; of a store NULL. */
LLVMValueRef lowering_atomic_at(struct lowering *l, const struct ir_instruction *i, LLVMValueRef address,
                                LLVMValueRef x, LLVMValueRef y);
/* Whether a thread fails with TRAP_INEXACT where the sum depends on the order of threads. */
bool lowering_may_be_inexact(const struct lowering *l, const struct ir_instruction *i);

/* ---- Workgroups of the thread mode (lowering_shared.c) ---- */
LLVMValueRef lowering_shared(struct lowering *l, const struct ir_memory *m); /* makes it */
void lowering_shared_start(struct lowering *l);
/* For machines: a call that is a barrier. It is neither moved, copied nor merged with another. */
void lowering_mark_barrier(struct lowering *l, LLVMValueRef call);
bool lowering_meets(const struct lowering *l);   /* the threads of a group meet at barriers */
void lowering_find_together(struct lowering *l); /* where they do: sets l->together, unless nothing fails */
/* Of a kernel with barriers: the threads of a group that compute it compute the same. */
bool lowering_same(const struct lowering *l, const struct ir_instruction *value);
/* Notes a failed operation that all threads of a group do alike. */
void lowering_note_failure(struct lowering *l, const struct ir_instruction *i, LLVMValueRef sound);
/* i1: a loop goes on, as far as failures are concerned; NULL: in any case. */
LLVMValueRef lowering_goes_on(struct lowering *l, const struct ir_instruction *loop);

/* ---- Control (lowering_control.c) ---- */
void lowering_region(struct lowering *l, const struct ir_region *region);
/* Part of a region: from first to the one before end; NULL: to its last. */
void lowering_range(struct lowering *l, const struct ir_instruction *first, const struct ir_instruction *end);
void lowering_instruction(struct lowering *l, const struct ir_instruction *i); /* any but a store */
/* A `for` with these bounds, or a `loop`, whose region `lower` lowers. */
void lowering_for_rounds(struct lowering *l, const struct ir_instruction *i, LLVMValueRef first, LLVMValueRef end,
                         void (*lower)(void *context, const struct ir_region *region), void *context);
void lowering_loop_rounds(struct lowering *l, const struct ir_instruction *i,
                          void (*lower)(void *context, const struct ir_region *region), void *context);

/* Marks a loop by its only branch back: it is not unrolled, nor are its first rounds peeled off. */
void lowering_keep_loop(struct lowering *l, LLVMValueRef branch);

/* ---- Checks (lowering_checks.c) ---- */
/* The instruction fails with `kind` unless `sound` (i1). value and limit: i64 or NULL. */
void lowering_require(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef sound,
                      LLVMValueRef value, LLVMValueRef limit);
void lowering_check(struct lowering *l, const struct ir_instruction *i); /* check_index, check_range, check */
/* i1: no check of this thread has failed; NULL where that is certain. */
LLVMValueRef lowering_good(struct lowering *l);
/* v, or `safe` once the thread is bad. */
LLVMValueRef lowering_guarded(struct lowering *l, LLVMValueRef v, LLVMValueRef safe);
bool lowering_proved(const struct lowering *l, const struct ir_instruction *i);
bool lowering_certain(const struct lowering *l); /* nothing fails at all: IR_POLICY_PROVED */
/* Sequential: failures go to one block, which is opened before what may fail and closed after it. Closing enters the
 * block, or answers false where nothing can fail; there lowering_fail_fill stores the trap. */
void lowering_fail_open(struct lowering *l);
bool lowering_fail_close(struct lowering *l);
void lowering_fail_fill(struct lowering *l, LLVMValueRef trap);
void lowering_unlikely(struct lowering *l, LLVMValueRef branch); /* its second way */
void lowering_report(struct lowering *l);                        /* thread: at its end */
void lowering_absent(struct lowering *l, LLVMValueRef present);  /* thread: has no effects unless `present` (i1) */

/* ---- Frames: the function around a thread's body ---- */
/* lowering_frame.c: parameters in the device ABI's order, without and with the extents. */
unsigned lowering_parameters(const struct lowering *l, LLVMTypeRef *types);
unsigned lowering_signature(const struct lowering *l, LLVMTypeRef *types);
unsigned lowering_bind(struct lowering *l);                     /* takes the function's parameters; how many */
void lowering_start(struct lowering *l, LLVMValueRef function); /* enters the entry block */
void lowering_storage(struct lowering *l);                      /* locals and memories; after lowering_bind */
void lowering_thread(struct lowering *l);                       /* lowering_thread.c */
void lowering_sequential(struct lowering *l);                   /* lowering_sequential.c */
/* lowering_chunks.c: NAME__lanes of a proved kernel, where it is of use. */
void lowering_chunks(struct lowering *l);
/* Threads [first, end) of a row; goes on in block `done`. */
void lowering_row_chunks(struct lowering *l, LLVMValueRef first, LLVMValueRef end, LLVMBasicBlockRef done);

/* ---- Native functions: one that does the work, and the entry point that calls it ---- */
struct lockstep;
struct lowering_threads {
	LLVMValueRef function;
	LLVMTypeRef type, *types;
	const struct lockstep *group; /* NULL: not grouped */
};
struct lowering_threads lowering_add_threads(struct lowering *l); /* lowering_sequential.c */
unsigned lowering_lane_count(const struct lowering *l); /* lowering_chunks.c: at once, as a rule; 0: too few */
/* A loop must not become a call of a C library function that the object's loader does not offer. */
void lowering_forbid_calls(struct lowering *l, LLVMValueRef function);
/* lowering_entry.c: unpacks the arguments. `parallel`: of a kernel with atomics on buffers, which updates them as
 * atomics; the other one runs where each call can have a copy of them. NULL: there are none. */
void lowering_entry(struct lowering *l, const struct lowering_threads *threads,
                    const struct lowering_threads *parallel);

/* ---- Lanes (lowering_vector.c): the body for `width` threads from l->global_id[0] on, by l->shapes ---- */
void lowering_vector_body(struct lowering *l);
/* Its parts: locals are made, as l->locals, and those before answered; any instruction, or some that follow another. */
LLVMValueRef *lowering_vector_locals(struct lowering *l);
LLVMTypeRef lowering_vector_local_type(const struct lowering *l, const struct ir_local *local);
void lowering_vector_range(struct lowering *l, const struct ir_instruction *first, const struct ir_instruction *end);
void lowering_vector_instruction(struct lowering *l, const struct ir_instruction *i);
LLVMValueRef lowering_vector_splat(struct lowering *l, LLVMValueRef v);
LLVMValueRef lowering_vector_numbers(struct lowering *l, LLVMTypeRef type);               /* 0, 1, 2, ... */
LLVMValueRef lowering_vector_offsets(struct lowering *l, const struct ir_instruction *i); /* of a place; bytes, i64 */
void lowering_vector_atomic(struct lowering *l, const struct ir_instruction *i);          /* lowering_vector_atomic.c */
LLVMValueRef lowering_vector_value(struct lowering *l, const struct ir_instruction *value);
/* The attempt ends, or the lanes do, unless `sound`: i1, or of each lane. As lowering_require. */
void lowering_vector_require(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind,
                             LLVMValueRef sound, LLVMValueRef value, LLVMValueRef limit);

/* ---- Source lines (lowering_lines.c) ---- */
/* NULL where the machine or the module has none: the functions below then do nothing. */
LLVMDIBuilderRef lowering_lines_begin(const struct machine *machine, const struct ir_module *module,
                                      LLVMModuleRef llvm);
void lowering_lines_kernel(struct lowering *l); /* the function is there, without instructions */
void lowering_lines_end(LLVMDIBuilderRef lines);
/* What is built next comes from here. */
void lowering_locate(struct lowering *l, struct place place);

/* ---- Range split (lowering_split.c), sequential only ---- */
/* A row's threads [first, last) hold a middle part [*middle, *middle_end) in which the instructions of
 * *proved cannot fail; an empty middle part is at `last`. False: nothing to prove. */
bool lowering_split(struct lowering *l, LLVMValueRef first, LLVMValueRef last, LLVMValueRef *middle,
                    LLVMValueRef *middle_end, const bool **proved);

#endif
