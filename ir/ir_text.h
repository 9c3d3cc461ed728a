/* Kernel IR as text (.kir): exact round trip, print(parse(print(m))) == print(m). */
#ifndef SSPUR_IR_IR_TEXT_H
#define SSPUR_IR_IR_TEXT_H

#include "ir/ir.h"
#include "utils/base/diagnostic.h"
#include "utils/base/text.h"

void ir_print(struct text *out, const struct ir_module *m);
void ir_print_kernel(struct text *out, const struct ir_kernel *k);
/* A type as the text form writes it, and a name (quoted when it is not a word). */
void ir_print_type(struct text *out, const struct ir_type *t);
void ir_print_name(struct text *out, const char *name);
/* NULL with diagnostics (codes E_KIR_*) when the text is not IR. Runs the verifier too (code
 * E_KIR_VERIFY). Never crashes on any bytes. */
struct ir_module *ir_parse(const struct source *source, struct diagnostics *d);

#endif
