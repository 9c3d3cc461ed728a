#include "test/base/test_base.h"

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

void test_expect_text(const char *got, const char *wanted, const char *file, int line)
{
	if (strcmp(got, wanted) == 0)
		return;
	failures++;
	fprintf(stderr, "%s:%d: got    %s\n%s:%d: wanted %s\n", file, line, got, file, line, wanted);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {
	    {"arena", test_arena},
	    {"numbers", test_numbers},
	    {"utf8", test_utf8},
	    {"places", test_places},
	    {"table", test_table},
	    {"spelling", test_spelling},
	    {"file", test_file},
	    {"diagnostics", test_diagnostics},
	    {"diagnostics-json", test_diagnostics_json},
	    {"long-lines", test_long_lines},
	};
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
			tests[i].run();
			return failures != 0;
		}
	}
	fprintf(stderr, "usage: test-base NAME\n");
	return 2;
}
