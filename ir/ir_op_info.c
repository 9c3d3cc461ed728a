/* The operation table as data (ir/ir_ops.def). */
#include "ir/ir.h"

#define NONE IR_OPERANDS_NONE
#define ANY IR_OPERANDS_ANY
#define INT IR_OPERANDS_INT
#define SIGNED IR_OPERANDS_SIGNED
#define FLOAT IR_OPERANDS_FLOAT
#define BOOL IR_OPERANDS_BOOL
#define NUMBER IR_OPERANDS_NUMBER
#define BITS IR_OPERANDS_BITS
#define COND IR_OPERANDS_COND
#define INDEX IR_OPERANDS_INDEX

#define PURE IR_FLAG_PURE
#define TRAP IR_FLAG_TRAP
#define READ IR_FLAG_READ
#define WRITE IR_FLAG_WRITE
#define PLACED IR_FLAG_PLACED
#define CONTROL IR_FLAG_CONTROL
#define END IR_FLAG_END
#define THREAD IR_FLAG_THREAD
#define ATOMIC IR_FLAG_ATOMIC
#define BARRIER IR_FLAG_BARRIER
#define MATH IR_FLAG_MATH

const struct ir_op_info ir_op_infos[IR_OP_COUNT] = {
#define OP(name, arity, operands, result, flags, description)                                                          \
	[IR_OP_##name] = {#name, arity, operands, IR_RESULT_##result, flags, description},
#include "ir/ir_ops.def"
#undef OP
};
