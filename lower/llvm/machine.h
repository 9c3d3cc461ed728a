/* The machine description: all that the lowering to LLVM asks of a target (design, One lowering to LLVM). */
#ifndef SSPUR_LOWER_LLVM_MACHINE_H
#define SSPUR_LOWER_LLVM_MACHINE_H

#include <llvm-c/Core.h>

#include "ir/ir.h"
#include "utils/base/text.h"

struct lowering;

enum machine_mode {
	MACHINE_SEQUENTIAL, /* threads in order in a loop, exact checks, returns the trap */
	MACHINE_THREAD,     /* one thread's body, branch-free `bad`, status record at the end */
	MACHINE_INVOCATION, /* one thread's body as a C function of what says which it is; a failure calls out */
};

enum machine_high { MACHINE_HIGH_SIGNED, MACHINE_HIGH_UNSIGNED };

struct machine {
	enum machine_mode mode;
	unsigned global_space;    /* address space of buffers, status record and mask */
	unsigned table_space;     /* address space of constant tables */
	unsigned shared_space;    /* address space of shared memories */
	unsigned convention;      /* calling convention of an entry point */
	bool lines;               /* artifacts can hold source lines */
	bool unrolls;             /* takes short loops apart where nothing fails */
	bool overflow_intrinsics; /* llvm.*.with.overflow of 32 and 64 bits can be selected */
	/* Appends the entry point's name. */
	void (*entry_name)(const struct ir_kernel *k, struct text *out);
	/* Attributes and metadata of what a kernel exports: its entry point (group size, visibility, ...), and in the
	 * sequential mode the size of its workspace. */
	void (*mark_entry)(struct lowering *l, LLVMValueRef function);
	/* MACHINE_SEQUENTIAL: appends the name of the workspace's size. */
	void (*workspace_name)(const struct ir_kernel *k, struct text *out);
	/* MACHINE_SEQUENTIAL: how many threads a second function of a kernel runs at once in vectors, where that is of
	 * use (vector_shapes.h); 0: there is none. And its name. */
	unsigned lanes;
	void (*lanes_name)(const struct ir_kernel *k, struct text *out);
	/* MACHINE_INVOCATION: calls what is told of a failure; value and limit are i64. */
	void (*failed)(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef value,
	               LLVMValueRef limit);
	/* The rest is MACHINE_THREAD's; NULL elsewhere, but for MACHINE_INVOCATION's barrier. */
	/* Place in the workgroup, and of the workgroup in this launch, as i64. */
	LLVMValueRef (*local_id)(struct lowering *l, unsigned axis);
	LLVMValueRef (*group_id)(struct lowering *l, unsigned axis);
	/* Upper half of a 64-bit product; NULL where overflow_intrinsics. */
	LLVMValueRef (*multiply_high)(struct lowering *l, enum machine_high kind, LLVMValueRef x, LLVMValueRef y);
	void (*barrier)(struct lowering *l, enum ir_barrier kind);
	/* Orders all of this thread's memory accesses, for acquire and release. NULL: atomics do so themselves. */
	void (*fence)(struct lowering *l, enum ir_scope scope);
};

/* Adds a function a kernel to the LLVM module, whose triple and data layout are set. The IR must verify.
 * False with one line in *error where the machine cannot express a kernel. */
bool lower_llvm(const struct machine *machine, const struct ir_module *module, LLVMModuleRef llvm, struct text *error);

#endif
