#include "utils/base/debug_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/spelling.h"

#define WORDS(W)                                                                                                       \
	W("help", "this list")                                                                                         \
	W("print", "print the module after every pass")                                                                \
	W("verify", "verify the module after every pass")                                                              \
	W("roundtrip", "print and parse the module after every pass, and compare")                                     \
	W("time", "print the time of every pass")                                                                      \
	W("vulkan", "the device vulkan under Vulkan's validation layer (runtime/vulkan_validation.h)")                 \
	W("subnormals", "the device interp says which kernels met subnormals, which a device may flush "               \
	                "(docs/trust.md)")

#define W(word, description) word,
static const char *const words[] = {WORDS(W)};
#undef W
#define W(word, description) description,
static const char *const descriptions[] = {WORDS(W)};
#undef W
enum { WORD_COUNT = sizeof words / sizeof *words };

static bool is_word(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* The list after *at, whose first word has *length bytes; false at its end. Empty words count as none. */
static bool next_word(const char **at, size_t *length)
{
	*at += *length;
	*at += strspn(*at, ",");
	*length = strcspn(*at, ",");
	return *length != 0;
}

static const char *list(void)
{
	const char *value = getenv("SSPUR_DEBUG");
	return value ? value : "";
}

bool debug_words_have(const char *word)
{
	size_t length = 0;
	for (const char *at = list(); next_word(&at, &length);)
		if (is_word(at, length, word))
			return true;
	return false;
}

static bool is_known(const char *at, size_t length)
{
	for (size_t i = 0; i < WORD_COUNT; i++)
		if (is_word(at, length, words[i]))
			return true;
	return false;
}

void debug_words_help(void)
{
	size_t length = 0;
	for (const char *at = list(); next_word(&at, &length);) {
		struct text hint = {0};
		if (is_known(at, length))
			continue;
		spelling_suggest(&hint, at, length, words, WORD_COUNT);
		fprintf(stderr, "SSPUR_DEBUG: unknown word `%.*s`\nhint: %s`SSPUR_DEBUG=help` lists the words\n",
		        (int)length, at, text_string(&hint));
		text_free(&hint);
	}
	if (!debug_words_have("help"))
		return;
	fprintf(stderr, "SSPUR_DEBUG is a list, separated by commas, of:\n");
	for (size_t i = 0; i < WORD_COUNT; i++)
		fprintf(stderr, "  %-10s %s\n", words[i], descriptions[i]);
}
