/* Passes over kernel IR, and what SSPUR_DEBUG asks for around each. */
#ifndef SSPUR_LOWER_PASS_H
#define SSPUR_LOWER_PASS_H

#include <stdbool.h>

#include "ir/hazard.h"
#include "ir/ir.h"
#include "utils/base/text.h"

/* All passes: the pipeline and `sspur-opt --passes` run these. */
enum pass_kind {
	PASS_FOLD,
	PASS_DEAD,
	PASS_MATH,
	PASS_COMMIT,
	PASS_VARIANTS,
	PASS_VARIANTS_RECORDED,
	PASS_EXACT,
	PASS_HAZARDS,
	PASS_ZEROS,
	PASS_NEGATIONS,
	PASS_COUNT
};

struct pass {
	const char *name;
	/* One of the two; true if changed. The second depends on the device's hazards, a set of enum ir_hazard. */
	bool (*run)(struct ir_module *m);
	bool (*run_on_device)(struct ir_module *m, uint32_t hazards);
	uint32_t hazards; /* of the second where sspur-opt is told none */
	const char *description;
};

extern const struct pass passes[PASS_COUNT];

/* Runs one pass and numbers the kernels; true if the pass changed the module. `hazards` count for passes that depend on
 * them. SSPUR_DEBUG is a list, separated by commas, of what else to do, with output on standard error: `print` the
 * module after it, `verify` it (debug builds always do), `roundtrip` it through its text, `time` the pass. A module
 * that fails ends the process by abort(), after the faults and a command that repeats it. */
bool pass_run(enum pass_kind pass, uint32_t hazards, struct ir_module *m);

/* A pass as it is called, and as sspur-opt names it: `commit`, `exact=divide-f32+root-f32`. */
struct pass_call {
	enum pass_kind pass;
	uint32_t hazards;
};

void pass_print(const struct pass_call *call, struct text *out);
/* The first `length` bytes of a name; false with one line in *error and one in *hint. */
bool pass_read(const char *name, size_t length, struct pass_call *call, struct text *error, struct text *hint);
/* The words that may follow `exact=` and `hazards=`, with what they mean, a line each. */
void pass_print_hazards(struct text *out);

#endif
