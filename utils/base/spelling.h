/* Words that may be other words misspelt. */
#ifndef SSPUR_BASE_SPELLING_H
#define SSPUR_BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/text.h"

/* No longer word is compared. */
enum { SPELLING_LONGEST = 40 };

/* How many insertions, deletions, replacements and swaps of neighbours turn a into b: words of SPELLING_LONGEST bytes
 * at most. */
uint32_t spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* The candidate that `word` is most likely to mean, the first of several; NULL: none is near enough. */
const char *spelling_nearest(const char *word, size_t length, const char *const *candidates, size_t count);
/* Appends "did you mean `CANDIDATE`? " to a hint, if one is near. */
bool spelling_suggest(struct text *hint, const char *word, size_t length, const char *const *candidates, size_t count);

#endif
