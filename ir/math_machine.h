/* What a sequence of operations is written with (for ir/math*.c alone): each function below either computes at once, or
 * appends an instruction. */
#ifndef SSPUR_IR_MATH_MACHINE_H
#define SSPUR_IR_MATH_MACHINE_H

#include "ir/ir.h"

struct math_machine {
	struct ir_builder *builder; /* NULL: compute */
};

/* One of the two, as the machine has it. */
struct math_value {
	const struct ir_type *type;
	uint64_t bits;
	struct ir_instruction *node;
};

typedef struct math_machine machine;
typedef struct math_value value;

value math_constant(machine *m, enum ir_type_kind type, uint64_t bits);
value math_unary(machine *m, enum ir_op op, value x);
value math_binary(machine *m, enum ir_op op, value x, value y);
value math_convert(machine *m, enum ir_op op, enum ir_type_kind to, value x);
value math_select(machine *m, value condition, value x, value y);

/* An operation with a constant of x's type. */
value math_with(machine *m, enum ir_op op, value x, uint64_t bits);
/* x << n or x >> n: n a value of x's type, from its width on as `ishl` and `ishr` have it. */
value math_u64(machine *m, value x); /* convert */
value math_i64(machine *m, value x);
/* The high half of a product of u64. */
value math_multiply_high(machine *m, value x, value y);
/* A polynomial: coefficients in units of 2^-30, the constant first; z from 0 to 1, a u64 in units of 2^-32. The result,
 * and all partial ones, are below 2: an i64 in units of 2^-30. */
value math_polynomial(machine *m, value z, const int64_t *coefficients, unsigned count);
/* f32 of (negative ? -1 : 1) * magnitude * 2^exponent: u64, i32. */
value math_pack(machine *m, value negative, value magnitude, value exponent);

/* A f32 that is neither NaN nor infinite, taken apart. */
struct math_parts {
	value bits;      /* u32, without the sign */
	value negative;  /* bool */
	value magnitude; /* u32 below 2^24: |x| = magnitude * 2^exponent */
	value exponent;  /* i32 */
	value whole;     /* u32, magnitude shifted to 2^23 ... 2^24 - 1; 0 for 0 */
	value scale;     /* i32: |x| = whole * 2^scale */
};
struct math_parts math_take_apart(machine *m, value x);

#endif
