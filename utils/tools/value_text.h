/* Values of kernel IR types as text: numbers of the command line in, buffers out. */
#ifndef SSPUR_TOOLS_VALUE_TEXT_H
#define SSPUR_TOOLS_VALUE_TEXT_H

#include "ir/ir.h"

/* The value of a scalar type in 64-bit form: an integer in decimal or 0x..., a float, true or false. False with what is
 * wrong in *error. */
bool value_text_read(const char *text, const struct ir_type *type, uint64_t *bits, struct text *error);
/* A value in memory: numbers, floats with the fewest digits that read back; `[1, 2]` an array, `{x: 1.0, y: 2.0}` a
 * struct. */
void value_text_print(struct text *out, const struct ir_type *type, const uint8_t *bytes);
/* `u32`, `Array[u32, 3]`, a struct's name. */
void value_text_type(struct text *out, const struct ir_type *type);
/* The number that a Cone Atomic holds; any other type itself. Text has it so, here and in the names of types. */
const struct ir_type *value_text_plain(const struct ir_type *type);
/* The scalar type that the value is made of alone, without gaps; NULL: there are several, or gaps. */
const struct ir_type *value_text_one_type(const struct ir_type *type);
bool value_text_holds_bool(const struct ir_type *type);

#endif
