#include "test/ir/test_ir.h"

#include <stdio.h>
#include <string.h>

static int failures;

void test_expect(bool holds, const char *file, int line, const char *condition)
{
	if (holds)
		return;
	failures++;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {
	    {"evaluate", test_evaluate}, {"links", test_links}, {"proof", test_proof},
	    {"math", test_math},         {"types", test_types}, {"structure", test_structure},
	};
	for (unsigned i = 0; argc == 2 && i < sizeof tests / sizeof *tests; i++)
		if (strcmp(argv[1], tests[i].name) == 0) {
			tests[i].run();
			return failures != 0;
		}
	fprintf(stderr, "usage: test-ir NAME\n");
	return 2;
}
