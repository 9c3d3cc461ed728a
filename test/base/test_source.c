#include <string.h>

#include "test/base/test_base.h"
#include "utils/base/source.h"
#include "utils/base/text.h"

static void expect_decoded(const char *bytes, int32_t wanted, size_t wanted_size)
{
	size_t size = 0;
	EXPECT(utf8_decode(bytes, strlen(bytes), &size) == wanted);
	EXPECT(size == wanted_size);
}

void test_utf8(void)
{
	expect_decoded("a", 'a', 1);
	expect_decoded("\xc3\xa9", 0xe9, 2);
	expect_decoded("\xe2\x82\xac", 0x20ac, 3);
	expect_decoded("\xf0\x9f\x98\x80", 0x1f600, 4);
	expect_decoded("\xf4\x8f\xbf\xbf", 0x10ffff, 4);
	static const char *const invalid[] = {
	    "\x80",             /* no lead */
	    "\xc3",             /* cut short */
	    "\xc3(",            /* no continuation */
	    "\xc0\xaf",         /* overlong */
	    "\xe0\x80\x80",     /* overlong */
	    "\xf0\x80\x80\x80", /* overlong */
	    "\xed\xa0\x80",     /* a surrogate */
	    "\xf4\x90\x80\x80", /* beyond Unicode */
	    "\xff",
	};
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
		expect_decoded(invalid[i], -1, 1);
	EXPECT(utf8_count("a\xc3\xa9\xff\xe2\x82", 6) == 5);

	for (uint32_t c = 0; c < 0x110000; c++) {
		if (c >= 0xd800 && c < 0xe000)
			continue;
		char bytes[4];
		size_t n = utf8_encode(bytes, c), size;
		if (utf8_decode(bytes, n, &size) != (int32_t)c || size != n) {
			EXPECT(false);
			break;
		}
	}
}

static void expect_place(const struct source *s, uint32_t offset, uint32_t line, uint32_t column)
{
	struct place place = source_place(s, offset);
	EXPECT(place.line == line && place.column == column);
}

void test_places(void)
{
	struct source s;
	source_init(&s, "-", "a\xc3\xa9\xff!\r\n\nlast", 12);
	EXPECT_TEXT(s.name, "<stdin>");
	EXPECT(s.line_count == 3);
	expect_place(&s, 0, 1, 1);
	expect_place(&s, 1, 1, 2);
	expect_place(&s, 3, 1, 3);
	expect_place(&s, 4, 1, 4);
	expect_place(&s, 7, 2, 1);
	expect_place(&s, 8, 3, 1);
	expect_place(&s, 12, 3, 5);
	expect_place(&s, 4000000000u, 3, 5);
	source_free(&s);

	source_init(&s, "empty", "", 0);
	expect_place(&s, 0, 1, 1);
	source_free(&s);

	/* A long line of code points of every size, across the marks. */
	struct text t = {0};
	text_add(&t, "first\n");
	for (int i = 0; i < 1000; i++)
		text_add(&t, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff");
	source_init(&s, "long", t.data, t.length);
	size_t size;
	uint32_t column = 1;
	for (size_t i = 6; i < t.length; i += size, column++) {
		expect_place(&s, (uint32_t)i, 2, column);
		utf8_decode(t.data + i, t.length - i, &size);
	}
	expect_place(&s, (uint32_t)t.length, 2, 5001);
	source_free(&s);
	text_free(&t);

	struct span joined = span_join((struct span){3, 5}, (struct span){1, 4});
	EXPECT(joined.start == 1 && joined.end == 5);
}
