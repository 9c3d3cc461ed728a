/* The verifier: one sentence a rule; reports every fault. */
#ifndef SSPUR_IR_IR_VERIFY_H
#define SSPUR_IR_IR_VERIFY_H

#include "ir/ir.h"
#include "utils/base/text.h"

/* True when sound. Otherwise a line a fault: `kernel k: %7 iadd: operands have different types`. */
bool ir_verify(const struct ir_module *m, struct text *faults);
bool ir_verify_kernel(const struct ir_kernel *k, struct text *faults);
/* The same with each fault given to `fault`: its sentence, and its instruction or NULL. */
bool ir_verify_each(const struct ir_kernel *k,
                    void (*fault)(void *context, const struct ir_instruction *i, const char *sentence), void *context);

#endif
