/* A simulated device that has hazards: quotients and roots are off by up to 3 in the last place (F64 roots 16), F32
 * quotients by large divisors are zero, and subnormals are kept or become zero, of either sign, as chance has it. */
#ifndef SSPUR_DEV_EXACTNESS_MACHINE_H
#define SSPUR_DEV_EXACTNESS_MACHINE_H

#include "ir/ir.h"

struct exactness_machine {
	uint32_t hazards;
	uint64_t random;
	uint64_t *values;         /* by instruction */
	uint64_t *locals;         /* by local */
	const uint64_t *operands; /* what is loaded of each parameter */
	uint64_t result;          /* what was stored last */
	bool flagged;
};

/* `random` is any number. */
void exactness_machine_open(struct exactness_machine *m, const struct ir_kernel *k, uint32_t hazards, uint64_t random);
void exactness_machine_close(struct exactness_machine *m);
/* Runs thread 0; every check is one of exactness. */
void exactness_machine_run(struct exactness_machine *m, const struct ir_kernel *k);

#endif
