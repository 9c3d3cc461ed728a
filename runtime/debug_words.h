/* What developers ask of the runtime through SSPUR_DEBUG, a list of words separated by commas. */
#ifndef SSPUR_RUNTIME_DEBUG_WORDS_H
#define SSPUR_RUNTIME_DEBUG_WORDS_H

#include <stdbool.h>

bool debug_words_have(const char *word);

#endif
