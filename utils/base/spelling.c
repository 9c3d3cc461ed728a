#include "utils/base/spelling.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	uint32_t rows[3][SPELLING_LONGEST + 1];
	uint32_t *before = rows[0], *last = rows[1], *row = rows[2];
	for (size_t j = 0; j <= b_length; j++)
		last[j] = (uint32_t)j;
	for (size_t i = 1; i <= a_length; i++) {
		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		uint32_t *free_row = before;
		before = last;
		last = row;
		row = free_row;
	}
	return last[b_length];
}

const char *spelling_nearest(const char *word, size_t length, const char *const *candidates, size_t count)
{
	if (length > SPELLING_LONGEST)
		return NULL;
	uint32_t best = length < 3 ? 1 : length < 6 ? 2 : 3; /* one more than the distance accepted */
	const char *nearest = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t other = strlen(candidates[i]);
		if (other > SPELLING_LONGEST)
			continue;
		uint32_t distance = spelling_distance(word, length, candidates[i], other);
		if (distance < best) {
			best = distance;
			nearest = candidates[i];
		}
	}
	return nearest;
}

bool spelling_suggest(struct text *hint, const char *word, size_t length, const char *const *candidates, size_t count)
{
	const char *nearest = spelling_nearest(word, length, candidates, count);
	if (nearest)
		text_add_format(hint, "did you mean `%s`? ", nearest);
	return nearest != NULL;
}
