/* The words of the larger language, of which `sspur` compiles a part (spec/sspur.md 2): what they stand for is
 * E_UNSUPPORTED. All are names as well; a word is meant so where no name could stand. */
#ifndef SSPUR_FRONTEND_SSP_LARGER_LANGUAGE_H
#define SSPUR_FRONTEND_SSP_LARGER_LANGUAGE_H

#include <stddef.h>

/* Where a word is met. */
enum larger_place {
	LARGER_DEFINITION = 1 << 0, /* begins a definition */
	LARGER_PREFIX = 1 << 1,     /* begins an expression or a statement, before its operand or block */
	LARGER_INFIX = 1 << 2,      /* after an operand, or in a signature */
	LARGER_NAME = 1 << 3,       /* a name that nothing defines */
	LARGER_TYPE = 1 << 4,       /* a type that there is not */
};

struct larger_word {
	const char *word;
	unsigned places;  /* mask of enum larger_place */
	const char *what; /* "traits are" */
	const char *hint; /* NULL: none */
};

/* The word of n bytes at that place; NULL: none. */
const struct larger_word *larger_find(const char *bytes, size_t n, enum larger_place place);

#endif
