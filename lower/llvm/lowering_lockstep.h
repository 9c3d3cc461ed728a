/* State of the sequential mode's lowering of one grouped kernel (for lowering_sequential.c, lowering_workspace.c,
 * lowering_lanes.c, lowering_proof.c, lowering_lockstep.c and lowering_groups.c alone). */
#ifndef SSPUR_LOWER_LLVM_LOWERING_LOCKSTEP_H
#define SSPUR_LOWER_LLVM_LOWERING_LOCKSTEP_H

#include "lower/llvm/lowering.h"
#include "lower/segments.h"

/* A part of the workspace: a shared memory, or one thing a lane. */
struct workspace_part {
	uint64_t size, offset;
	LLVMValueRef address; /* in the function of the threads */
};

struct lockstep {
	struct lowering *l;
	struct segments segments;
	uint64_t lanes; /* of a full group */
	/* The workspace. */
	struct workspace_part *parts;
	uint32_t part_count, part_capacity;
	uint64_t size; /* in all */
	/* Parts by memory (SHARED, PRIVATE), by value and by local (CARRIED_LANES); and the lanes that are left. */
	uint32_t *memory_parts, *value_parts, *local_parts, live_part;
	/* Allocas, by value and by local, of what is CARRIED_ONCE; a local's next value while lanes still need the old.
	 */
	LLVMValueRef *value_slots, *local_slots, *local_next;
	/* The group. */
	LLVMValueRef trap;
	LLVMValueRef failed;                          /* alloca i32: recorded failures; NULL: a failure ends the call */
	LLVMValueRef live;                            /* alloca i64: how many lanes are left; NULL: all end together */
	LLVMValueRef first[3], group_id[3], count[3]; /* its first thread, and how many lanes it has on each axis */
	bool full;                                    /* as many as the group has: its code is made for that */
	LLVMBasicBlockRef group_end;
	/* The lane at hand. */
	LLVMValueRef lane; /* by linear index; NULL: none */
	uint32_t *known;   /* by id: the epoch in which l->values has the value; what lane it is of is the epoch's */
	uint32_t epoch;
};

/* ---- The workspace (lowering_workspace.c) ---- */
/* Finds the segments and lays the workspace out; makes no LLVM. */
struct lockstep *lockstep_new(struct lowering *l);
/* The parameters that hold the parts' addresses: how many, and the type of each. */
unsigned lockstep_parameters(const struct lockstep *g);
LLVMTypeRef lockstep_parameter_type(const struct lockstep *g);
/* Their arguments, from the workspace's address. */
void lockstep_split(const struct lockstep *g, LLVMValueRef workspace, LLVMValueRef *values);
/* Takes them, from parameter `first` of l->function on; after lowering_storage. */
void lockstep_bind(struct lockstep *g, unsigned first);
/* The element of the lane at hand of a part of elements of a type (a truth value is kept as a byte). */
LLVMValueRef lockstep_load(struct lockstep *g, uint32_t part, LLVMTypeRef type);
void lockstep_store(struct lockstep *g, uint32_t part, LLVMValueRef v);
/* Of the lanes from the one at hand on: of a vector type, where each has one; else all have the same. */
LLVMValueRef lockstep_load_vector(struct lockstep *g, uint32_t part, LLVMTypeRef type);
void lockstep_store_vector(struct lockstep *g, uint32_t part, LLVMValueRef v);

/* ---- Lanes (lowering_lanes.c) ---- */
/* A value of another segment, for the lane at hand: sets l->values. */
void lanes_bring(struct lockstep *g, const struct ir_instruction *value);
/* Runs a segment for every lane that is left, in order. */
void lanes_run(struct lockstep *g, const struct segment *segment);
/* Shared memories and private ones start anew, and all lanes are there. */
void lanes_start(struct lockstep *g);
/* Operand n of joint control: the first lane's that is left. */
LLVMValueRef lanes_operand(struct lockstep *g, const struct ir_instruction *i, unsigned n);

/* ---- Before a segment runs (lowering_proof.c) ---- */
struct lane_range {
	LLVMValueRef first, end;                /* x of the lanes that have something to do */
	const struct ir_instruction *condition; /* true for all of them; NULL: none is known */
};
struct lane_range lanes_range(struct lockstep *g, const struct segment *segment);
/* i1: no instruction of *proved can fail for these lanes. NULL: nothing to prove. */
LLVMValueRef lanes_prove(struct lockstep *g, const struct segment *segment, const struct lane_range *range,
                         const bool **proved);

/* ---- Control and groups ---- */
/* lowering_lockstep.c: a group's body; jumps to g->group_end. */
void lockstep_group(struct lockstep *g);
/* lowering_groups.c: the groups whose first thread is in [first, last), to the function's end. */
void lockstep_threads(struct lockstep *g, LLVMValueRef first, LLVMValueRef last, LLVMValueRef trap);

#endif
