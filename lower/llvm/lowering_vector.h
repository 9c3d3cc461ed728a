/* Lanes in vectors (for lowering_vector*.c, lowering_record.c, lowering_lanes.c, lowering_chunks.c and
 * lowering_sequential.c alone). A mask is a vector of i1, a lane's in each element; where it says NULL, all lanes. */
#ifndef SSPUR_LOWER_LLVM_LOWERING_VECTOR_H
#define SSPUR_LOWER_LLVM_LOWERING_VECTOR_H

#include "lower/llvm/lowering.h"

/* A loop around that lanes leave, or a round of it, one without another. */
struct vector_loop {
	const struct ir_instruction *control;
	LLVMValueRef going, round; /* allocas of masks: lanes that are in later rounds, and in this one */
	const struct vector_loop *outer;
};

enum vector_shape lowering_vector_shape(const struct lowering *l, const struct ir_instruction *i);
LLVMTypeRef lowering_vector_of(const struct lowering *l, LLVMTypeRef element);
LLVMValueRef lowering_vector_any(struct lowering *l, LLVMValueRef lanes);              /* i1 */
LLVMValueRef lowering_vector_all(struct lowering *l, LLVMValueRef lanes);              /* i1 */
LLVMValueRef lowering_vector_both(struct lowering *l, LLVMValueRef x, LLVMValueRef y); /* of x NULL: y */
LLVMValueRef lowering_vector_mask(struct lowering *l); /* of the active lanes, never NULL */
/* Of a mask as bits, one of which is set: the number of the first lane, i64. */
LLVMValueRef lowering_vector_first(struct lowering *l, LLVMValueRef lanes);
LLVMValueRef lowering_vector_count(struct lowering *l, LLVMValueRef lanes); /* i32 */

/* ---- Private memories (lowering_vector_private.c) ---- */
/* Makes those of a chunk of lanes, started. */
void lowering_vector_privates(struct lowering *l);
/* Starts those at l->memories. */
void lowering_vector_private_start(struct lowering *l);

/* ---- Control (lowering_vector_control.c) ---- */
/* Lanes begin, those of l->active: code goes on at `skip` where none is left. */
void lowering_vector_open(struct lowering *l, LLVMBasicBlockRef skip);
/* The lanes that have not ended since, a mask; NULL: all of those that began. */
LLVMValueRef lowering_vector_left(struct lowering *l);
void lowering_vector_control(struct lowering *l, const struct ir_instruction *i);
/* Lanes, some of those that are active, end; l->active stays as it is. */
void lowering_vector_end(struct lowering *l, LLVMValueRef lanes);

/* ---- Failures that are recorded (lowering_record.c) ---- */
/* Makes the function's record of failures, if lanes can fail. */
void lowering_record_open(struct lowering *l, LLVMValueRef trap);
/* A chunk of lanes begins: their failures are after all that there are. */
void lowering_record_chunk(struct lowering *l);
/* Lanes, one at least, fail. value, limit: i64, or vectors of them, or NULL. */
void lowering_record(struct lowering *l, const struct ir_instruction *i, enum trap_kind kind, LLVMValueRef lanes,
                     LLVMValueRef value, LLVMValueRef limit);
LLVMValueRef lowering_record_count(struct lowering *l); /* i32 */

#endif
