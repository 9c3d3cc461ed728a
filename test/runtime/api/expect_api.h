/* What the tests of the public API expect, of the file's own `context`: else the test ends. */
#ifndef SSPUR_TEST_EXPECT_API_H
#define SSPUR_TEST_EXPECT_API_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"

#define EXPECT(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: not so: %s; last error: %s\n", __LINE__, #condition,                          \
			       sspur_error_text(context));                                                             \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* The call fails so, and the error's text has the words. */
#define EXPECT_ERROR(call, code, words)                                                                                \
	do {                                                                                                           \
		EXPECT((call) == (code));                                                                              \
		EXPECT(sspur_error_code(context) == (code) && strstr(sspur_error_text(context), words));               \
	} while (0)

#endif
