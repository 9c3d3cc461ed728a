/* The functions as sequences of operations (for ir/math*.c alone): operands and results are f32. */
#ifndef SSPUR_IR_MATH_FUNCTIONS_H
#define SSPUR_IR_MATH_FUNCTIONS_H

#include "ir/math_machine.h"

enum { MATH_NAN = 0x7fc00000 };

value math_circular(machine *m, enum ir_math function, value x); /* sin, cos, tan */
value math_arc_tangent(machine *m, value y, value x);
value math_arc_sine(machine *m, enum ir_math function, value x); /* asin, acos */
value math_exponential(machine *m, value x);
value math_logarithm(machine *m, value x);
value math_power(machine *m, value x, value y);

#endif
