#include <string.h>

#include "test/base/test_base.h"
#include "utils/base/spelling.h"

static uint32_t distance(const char *a, const char *b)
{
	return spelling_distance(a, strlen(a), b, strlen(b));
}

static const char *nearest(const char *word)
{
	static const char *const words[] = {"run", "test", "check", "build", "devices", "explain"};
	const char *found = spelling_nearest(word, strlen(word), words, sizeof words / sizeof *words);
	return found ? found : "none";
}

void test_spelling(void)
{
	EXPECT(distance("", "") == 0);
	EXPECT(distance("", "abc") == 3);
	EXPECT(distance("vulcan", "vulkan") == 1);
	EXPECT(distance("chekc", "check") == 1); /* neighbours change places */
	EXPECT(distance("buld", "build") == 1);
	EXPECT(distance("abcdef", "badcfe") == 3);
	EXPECT(distance("kitten", "sitting") == 3);

	EXPECT_TEXT(nearest("tset"), "test");
	EXPECT_TEXT(nearest("device"), "devices");
	EXPECT_TEXT(nearest("rn"), "none"); /* two letters are too few to tell */
	EXPECT_TEXT(nearest("compile"), "none");
	EXPECT_TEXT(nearest("build-build-build-build-build-build-build-build"), "none");

	/* A word need not end where its bytes do. */
	struct text hint = {0};
	static const char *const names[] = {"vulkan", "opencl"};
	EXPECT(spelling_suggest(&hint, "opnecl:1", 6, names, 2));
	EXPECT(!spelling_suggest(&hint, "metal", 5, names, 2));
	EXPECT_TEXT(text_string(&hint), "did you mean `opencl`? ");
	text_free(&hint);
}
