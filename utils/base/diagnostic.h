/* Diagnostics about the user's program: spec/sspur.md part 4. */
#ifndef SSPUR_BASE_DIAGNOSTIC_H
#define SSPUR_BASE_DIAGNOSTIC_H

#include "utils/base/arena.h"
#include "utils/base/source.h"
#include "utils/base/table.h"
#include "utils/base/text.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

struct diagnostic {
	enum severity severity;
	const char *code; /* "E_KERNEL_RACE", "1262"; static or arena string */
	struct span span;
	char *message; /* one line, no full stop */
	char *hint;    /* may be NULL */
};

/* Collects every diagnostic of a file. Zero-initialise; set `source`. One thread. */
struct diagnostics {
	const struct source *source;
	struct arena arena;
	struct diagnostic *items;
	size_t count, capacity;
	size_t error_count;
	struct table seen; /* code and span of each, for diagnostic_add alone */
};

/* Adds one. The same code at the same span is added once. A code that starts with
 * `W_`, or with W and a digit, is a warning, any other an error. Returns it, for diagnostic_hint;
 * valid until the next diagnostic_add. */
struct diagnostic *diagnostic_add(struct diagnostics *d, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The `hint:` line: the exact fix where there is one. */
void diagnostic_hint(struct diagnostics *d, struct diagnostic *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sorted by place. `file:line:col: error: TEXT [CODE]`, for a numbered code
 * `file:line:col: Error 1262: TEXT` (a warning's `W1209`: `Warning 1209`); source line, caret span, hint.
 * Long source lines are cut around the span; tabs and wide text keep the caret in place. */
void diagnostics_print(struct diagnostics *d, struct text *out);
/* The same as a JSON array: file, line, column, endLine, endColumn, severity, code, message, hint. */
void diagnostics_print_json(struct diagnostics *d, struct text *out);
void diagnostics_free(struct diagnostics *d);

#endif
