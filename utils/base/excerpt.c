#include "utils/base/excerpt.h"

/* WIDTH: longest line shown whole. A longer one starts BEFORE columns before the span. */
enum { WIDTH = 160, BEFORE = 60, TAB = 8 };

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

struct range {
	int32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t count, int32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

#define IN_RANGES(ranges, c) in_ranges(ranges, sizeof(ranges) / sizeof *(ranges), c)

/* Control characters, line and paragraph separators, and what reorders the text around it. */
static bool is_hidden(int32_t c)
{
	static const struct range hidden[] = {{-1, 0x1f},       {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
	                                      {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};
	return IN_RANGES(hidden, c);
}

/* Columns on a terminal: East Asian wide and emoji take two, combining marks none. */
static size_t width_of(int32_t c)
{
	static const struct range zero[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
	                                    {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},
	                                    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};
	static const struct range wide[] = {
	    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xa960, 0xa97f}, {0xac00, 0xd7a3},
	    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
	    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
	if (c < 0x300)
		return 1;
	return IN_RANGES(zero, c) ? 0 : IN_RANGES(wide, c) ? 2 : 1;
}

/* A code point of the line. */
struct cell {
	int32_t c; /* -1: an invalid byte */
	size_t size;
	size_t columns;
};

static struct cell cell_at(const struct source *s, size_t i, size_t end, size_t column)
{
	struct cell cell;
	cell.c = utf8_decode(s->bytes + i, end - i, &cell.size);
	cell.columns = cell.c == '\t' ? TAB - column % TAB : is_hidden(cell.c) ? 1 : width_of(cell.c);
	return cell;
}

/* The offset up to which [i, end) is shown when there is room for so many columns. A mark of no
 * width takes one of them, so that what is looked at is bounded. */
static size_t reach(const struct source *s, size_t i, size_t end, size_t room)
{
	for (size_t column = 0; i < end;) {
		struct cell cell = cell_at(s, i, end, column);
		column += cell.columns ? cell.columns : 1;
		if (column > room)
			break;
		i += cell.size;
	}
	return i;
}

/* The offset some columns before `i`, not before `start`. */
static size_t reach_back(const struct source *s, size_t start, size_t i, size_t room)
{
	for (size_t used = 0; i > start;) {
		size_t at = i - 1;
		while (at > start && i - at < 4 && ((unsigned char)s->bytes[at] & 0xc0) == 0x80)
			at--;
		struct cell cell = cell_at(s, at, i, 0);
		if (cell.size != i - at)
			cell = cell_at(s, at = i - 1, i, 0);
		used += cell.columns ? cell.columns : 1;
		if (used > room)
			break;
		i = at;
	}
	return i;
}

static void add_cell(struct text *out, const struct cell *cell, const char *bytes)
{
	if (cell->c != '\t' && is_hidden(cell->c))
		text_add(out, replacement);
	else
		text_add_n(out, bytes, cell->size);
}

/* Adds [i, end) of a line to `out` and, up to the span's end, what stands below it to `marks`. */
static void add_cells(struct text *out, struct text *marks, const struct source *s, size_t i, size_t end,
                      struct span span)
{
	size_t column = marks->length; /* the width of a leading `...` */
	bool marked = false;
	while (i < end) {
		struct cell cell = cell_at(s, i, end, column);
		add_cell(out, &cell, s->bytes + i);
		if (i + cell.size <= span.start) {
			text_add_repeat(marks, cell.c == '\t' ? '\t' : ' ', cell.c == '\t' ? 1 : cell.columns);
		} else if (cell.columns && (i < span.end || !marked)) {
			text_add_char(marks, marked ? '~' : '^');
			text_add_repeat(marks, '~', cell.columns - 1);
			marked = true;
		}
		column += cell.columns;
		i += cell.size;
	}
	if (!marked)
		text_add_char(marks, '^');
}

void excerpt_add(struct text *out, const struct source *source, struct span span)
{
	uint32_t line = source_place(source, span.start).line;
	size_t start = source->line_starts[line - 1];
	size_t end = line < source->line_count ? source->line_starts[line] - 1 : source->length;
	if (end > start && source->bytes[end - 1] == '\r')
		end--;
	/* Only the neighbourhood of the span is looked at: one line may hold the whole of a large file. */
	size_t from = start, to = reach(source, start, end, WIDTH);
	if (to < end) {
		from = reach_back(source, start, span.start < end ? span.start : end, BEFORE);
		to = reach(source, from, end, WIDTH - 2 * 3);
	}
	struct text marks = {0};
	if (from > start) {
		text_add(out, "...");
		text_add(&marks, "   ");
	}
	add_cells(out, &marks, source, from, to, span);
	text_add(out, to < end ? "...\n" : "\n");
	text_add_n(out, marks.data, marks.length);
	text_add_char(out, '\n');
	text_free(&marks);
}

void excerpt_add_plain(struct text *out, const char *bytes, size_t n)
{
	for (size_t i = 0, size; i < n; i += size) {
		int32_t c = utf8_decode(bytes + i, n - i, &size);
		if (c == '\t' || c == '\n')
			text_add_char(out, ' ');
		else if (is_hidden(c))
			text_add(out, replacement);
		else
			text_add_n(out, bytes + i, size);
	}
}
