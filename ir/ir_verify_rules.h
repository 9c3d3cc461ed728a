/* What the verifier's files share. Internal to the verifier. */
#ifndef SSPUR_IR_IR_VERIFY_RULES_H
#define SSPUR_IR_IR_VERIFY_RULES_H

#include "ir/ir_verify.h"
#include "utils/base/table.h"

struct ir_verifier {
	const struct ir_kernel *kernel;
	void (*report)(void *context, const struct ir_instruction *i, const char *sentence);
	void *context;
	bool sound;
	struct arena scratch;
	struct table memories;                  /* the kernel's, by address */
	const struct ir_instruction **visible;  /* by id: the instruction, while its value may be used */
	const struct ir_expression *expression; /* the one being verified; NULL in the body */
};

/* `i` NULL: a fault of the kernel itself. */
void ir_verify_fault(struct ir_verifier *v, const struct ir_instruction *i, const char *sentence);
/* The links of a region and all below: what every other rule relies on. */
bool ir_verify_links(struct ir_verifier *v, const struct ir_region *region);
/* Header: names, types, groups. */
void ir_verify_header(struct ir_verifier *v);
/* The rules of one operation, its values being visible or not. */
void ir_verify_operation(struct ir_verifier *v, const struct ir_instruction *i);
/* Cuts, barriers and returns of the body; the rules above hold. */
void ir_verify_lockstep(struct ir_verifier *v);
/* Every get comes after a set on every path. */
void ir_verify_locals(struct ir_verifier *v, const struct ir_region *region);

#endif
