/* Unit tests of utils/base: `test-base NAME` runs one of them; lit runs each (*.test). */
#ifndef SSPUR_TEST_BASE_H
#define SSPUR_TEST_BASE_H

#include <stdbool.h>

/* Reports a condition that does not hold, and makes the program's status 1. */
#define EXPECT(condition) test_expect((condition), __FILE__, __LINE__, #condition)
void test_expect(bool holds, const char *file, int line, const char *condition);
/* The two strings are equal. */
#define EXPECT_TEXT(got, wanted) test_expect_text((got), (wanted), __FILE__, __LINE__)
void test_expect_text(const char *got, const char *wanted, const char *file, int line);

void test_arena(void);
void test_numbers(void);
void test_utf8(void);
void test_places(void);
void test_table(void);
void test_spelling(void);
/* Works in the current folder. */
void test_file(void);
/* Prints the diagnostics that the .test files check. */
void test_diagnostics(void);
void test_diagnostics_json(void);
void test_long_lines(void);

#endif
