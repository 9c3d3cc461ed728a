/* Functions that kernels call: printed in front of them, those alone that are used. */
#ifndef SSPUR_TARGETS_SOURCE_SOURCE_HELPERS_H
#define SSPUR_TARGETS_SOURCE_SOURCE_HELPERS_H

#include "ir/ir.h"
#include "targets/source/source_dialect.h"
#include "utils/base/text.h"

enum source_helper {
	SOURCE_HELPER_KINDS,       /* the names of failures */
	SOURCE_HELPER_CHECK,       /* (bad, sound, line, kind): bad afterwards */
	SOURCE_HELPER_CHECK_VALUE, /* (bad, sound, line, kind, value) */
	SOURCE_HELPER_REPORT,      /* (status, mask, bad, x, y, z, thread) */
	SOURCE_HELPER_MULTIPLY_HIGH,
	/* One a type. */
	SOURCE_HELPER_ADD_FITS,
	SOURCE_HELPER_SUB_FITS,
	SOURCE_HELPER_MUL_FITS,
	SOURCE_HELPER_DIVISOR, /* (x, y): y, or 1 where x / y is not defined */
	SOURCE_HELPER_SHL,
	SOURCE_HELPER_SHR,
	SOURCE_HELPER_EXACT_SUM,
	/* One a type and address space. */
	SOURCE_HELPER_ATOMIC_ADD,
	SOURCE_HELPER_ATOMIC_CAS,
	/* One a scope. */
	SOURCE_HELPER_FENCE_DEVICE,
	SOURCE_HELPER_FENCE_WORKGROUP,
	SOURCE_HELPER_COUNT,
};

struct source_helpers {
	bool files; /* the module lists files (ir.h) */
	bool used[SOURCE_HELPER_COUNT][IR_TYPE_array][SOURCE_SPACE_COUNT];
};

/* Marks the helper as used, and what it calls; appends its name. Type void and space GLOBAL where it has none. */
void source_helper_use(struct source_helpers *h, const struct source_dialect *dialect, enum source_helper helper,
                       enum ir_type_kind type, enum source_space space, struct text *out);
void source_helpers_print(const struct source_helpers *h, const struct source_dialect *dialect, struct text *out);

#endif
