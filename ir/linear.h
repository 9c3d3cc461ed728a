/* Linear forms of a whole kernel at once, for analyses that compare many (ir_analysis.h has the rules). */
#ifndef SSPUR_IR_LINEAR_H
#define SSPUR_IR_LINEAR_H

#include "ir/ir_analysis.h"

struct linear_context;

/* What arithmetic that wraps (iadd, isub, imul, ineg, convert) is in forms. */
enum linear_wrapping {
	LINEAR_OPAQUE,  /* values of its own: a form is the value, exactly */
	LINEAR_BOUNDED, /* the same, but sums and products where no value that the operands can have makes it wrap */
	LINEAR_MODULAR, /* sums and products: a form is the value modulo 2 to the width of the value's type */
};

/* As linear_context_new, which is of LINEAR_OPAQUE. */
struct linear_context *linear_context_new_wrapping(const struct ir_kernel *k, struct arena *arena,
                                                   enum linear_wrapping wrapping);
/* Computes the form of every value of the kernel, which must not change while the context is used. */
struct linear_context *linear_context_new(const struct ir_kernel *k, struct arena *arena);
const struct ir_linear *linear_context_form(const struct linear_context *c, const struct ir_instruction *value);

/* Arithmetic on forms; unknown when an operand is, or when a number or the size gets too large. */
struct ir_linear linear_constant(int64_t value);
struct ir_linear linear_add(const struct ir_linear *a, const struct ir_linear *b, struct arena *arena);
struct ir_linear linear_subtract(const struct ir_linear *a, const struct ir_linear *b, struct arena *arena);
struct ir_linear linear_scale(const struct ir_linear *a, int64_t factor, struct arena *arena);
/* a = *coefficient * atom + *rest, with the atom in neither. Atoms are matched by op and axis. False when
 * the atom is multiplied by itself or the form is unknown; the coefficient may be 0. */
bool linear_split(const struct ir_linear *a, enum ir_op op, unsigned axis, struct ir_linear *coefficient,
                  struct ir_linear *rest, struct arena *arena);

static inline bool linear_is_constant(const struct ir_linear *a)
{
	return a->known && a->term_count == 0;
}

#endif
