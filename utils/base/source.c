#include "utils/base/source.h"

#include <stdlib.h>
#include <string.h>

#include "utils/base/arena.h"
#include "utils/base/file.h"
#include "utils/base/recorded_path.h"

/* A mark every so many bytes, so that a place in a very long line is found at once. */
enum { MARK_DISTANCE = 256 };

static void index_lines(struct source *s)
{
	size_t count = 1;
	for (size_t i = 0; i < s->length; i++)
		count += s->bytes[i] == '\n';
	s->line_starts = memory_alloc(count * sizeof *s->line_starts);
	s->line_starts[0] = 0;
	s->line_count = 1;
	for (size_t i = 0; i < s->length; i++)
		if (s->bytes[i] == '\n')
			s->line_starts[s->line_count++] = (uint32_t)i + 1;
}

static void index_code_points(struct source *s)
{
	s->marks = memory_alloc((s->length / MARK_DISTANCE + 1) * sizeof *s->marks);
	uint32_t count = 0;
	size_t mark = 0, size;
	for (size_t i = 0; i < s->length; i += size, count++) {
		if (i >= mark * MARK_DISTANCE)
			s->marks[mark++] = (struct source_mark){(uint32_t)i, count};
		utf8_decode(s->bytes + i, s->length - i, &size);
	}
	if (mark <= s->length / MARK_DISTANCE)
		s->marks[mark] = (struct source_mark){(uint32_t)s->length, count};
}

void source_init(struct source *s, const char *name, const char *bytes, size_t length)
{
	const char *shown = strcmp(name, "-") == 0 ? "<stdin>" : name;
	size_t name_size = strlen(shown) + 1;
	char *copy = memory_alloc(length + 1 + name_size);
	if (length)
		memcpy(copy, bytes, length);
	copy[length] = 0;
	*s = (struct source){.bytes = copy, .length = length};
	s->name = memcpy(copy + length + 1, shown, name_size);
	s->recorded = strcmp(shown, "<stdin>") == 0 ? path_join("", shown) : recorded_path(shown);
	index_lines(s);
	index_code_points(s);
}

void source_free(struct source *s)
{
	free((char *)s->bytes);
	free(s->recorded);
	free(s->line_starts);
	free(s->marks);
	*s = (struct source){0};
}

/* Code points that begin before the offset. */
static uint32_t code_points_before(const struct source *s, uint32_t offset)
{
	struct source_mark mark = s->marks[offset / MARK_DISTANCE];
	uint32_t count = mark.count;
	size_t size;
	for (uint32_t i = mark.offset; i < offset; i += (uint32_t)size, count++)
		utf8_decode(s->bytes + i, s->length - i, &size);
	return count;
}

struct place source_place(const struct source *s, uint32_t offset)
{
	if (offset > s->length)
		offset = (uint32_t)s->length;
	uint32_t low = 0, high = s->line_count;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (s->line_starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	uint32_t before = code_points_before(s, offset) - code_points_before(s, s->line_starts[low]);
	return (struct place){low + 1, before + 1, 0};
}

struct span span_join(struct span a, struct span b)
{
	return (struct span){a.start < b.start ? a.start : b.start, a.end > b.end ? a.end : b.end};
}

int32_t utf8_decode(const char *bytes, size_t n, size_t *size)
{
	const unsigned char *p = (const unsigned char *)bytes;
	*size = 1;
	if (p[0] < 0x80)
		return p[0];
	size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || length > n)
		return -1;
	int32_t c = p[0] & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (p[i] & 0x3f);
	}
	/* Overlong forms, surrogates and what lies beyond Unicode. */
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return -1;
	*size = length;
	return c;
}

size_t utf8_count(const char *bytes, size_t n)
{
	size_t count = 0;
	for (size_t i = 0, size; i < n; i += size, count++)
		utf8_decode(bytes + i, n - i, &size);
	return count;
}

size_t utf8_encode(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = length - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	out[0] = (char)(lead[length] | c);
	return length;
}
