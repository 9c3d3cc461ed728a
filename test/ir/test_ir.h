/* Unit tests of ir: `test-ir NAME` runs one of them (unit.test). */
#ifndef SSPUR_TEST_IR_H
#define SSPUR_TEST_IR_H

#include <stdbool.h>

/* Reports a condition that does not hold, and makes the program's status 1. */
#define EXPECT(condition) test_expect((condition), __FILE__, __LINE__, #condition)
void test_expect(bool holds, const char *file, int line, const char *condition);

void test_evaluate(void);
void test_links(void);
void test_math(void);
void test_proof(void);
void test_types(void);
void test_structure(void);

#endif
