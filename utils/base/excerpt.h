/* A source line with the span marked below it, safe to print on a terminal. */
#ifndef SSPUR_BASE_EXCERPT_H
#define SSPUR_BASE_EXCERPT_H

#include "utils/base/source.h"
#include "utils/base/text.h"

/* Adds the line that holds span.start and a line of `^~~~` below it. A span of several lines is
 * marked to the end of the first. Tabs stay, so that the marks line up whatever the tab width
 * before them; what a terminal would act on (control and direction characters) and invalid UTF-8
 * become U+FFFD; a line over 160 columns is cut around the span with `...`. */
void excerpt_add(struct text *out, const struct source *source, struct span span);
/* Adds n bytes with the same replacements, and spaces for tabs and newlines: always one line. */
void excerpt_add_plain(struct text *out, const char *bytes, size_t n);

#endif
