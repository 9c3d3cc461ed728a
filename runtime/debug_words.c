#include "runtime/debug_words.h"

#include <stdlib.h>
#include <string.h>

bool debug_words_have(const char *word)
{
	size_t length = strlen(word);
	for (const char *at = getenv("SSPUR_DEBUG"); at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
			return true;
	return false;
}
