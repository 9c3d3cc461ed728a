/* SSPUR_DEBUG: what developers ask for, a list of words separated by commas. */
#ifndef SSPUR_BASE_DEBUG_WORDS_H
#define SSPUR_BASE_DEBUG_WORDS_H

#include <stdbool.h>

bool debug_words_have(const char *word);
/* Prints the list of all words on standard error if `help` is one of them, or names each that is none. For programs to
 * call once, at their start. */
void debug_words_help(void);

#endif
