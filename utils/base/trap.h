/* Traps of kernels: kinds, the full record that exact CPU code fills, and their texts. */
#ifndef SSPUR_BASE_TRAP_H
#define SSPUR_BASE_TRAP_H

#include <stdint.h>

#include "utils/base/text.h"

/* The kinds of the status record's word 1 (design, Device ABI). */
enum trap_kind {
	TRAP_NONE = 0,
	TRAP_INDEX = 1,
	TRAP_RANGE = 2,
	TRAP_PANIC = 3,
	TRAP_ALLOCATION = 4,
	TRAP_OVERFLOW = 5,
	TRAP_DIVISION = 6,
	TRAP_CONVERSION = 7,
	TRAP_INEXACT = 8, /* cannot be exact on this device, run it again */
};

/* What exact code (interpreter, native `sequential`) reports of the first trap.
 * Native code writes this struct: its layout is part of the native ABI. */
struct kernel_trap {
	uint32_t kind;      /* enum trap_kind; TRAP_NONE: no trap */
	uint32_t line;      /* from 1 */
	uint32_t column;    /* from 1, code points */
	uint32_t file;      /* id in the module's list of files; 0: it lists none */
	uint64_t thread[3]; /* global id of the thread, x y z */
	int64_t value;      /* the index, or the end of the range; else 0 */
	int64_t limit;      /* the length an index was checked against; else 0 */
};

/* Spec 3.5: `index 3 out of bounds for list of length 3`, `integer overflow`, ... */
void trap_text(struct text *out, const struct kernel_trap *trap);

#endif
