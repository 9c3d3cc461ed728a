/* Tokens of SSPUR source text (spec/sspur.md 2.1). */
#ifndef SSPUR_FRONTEND_SSP_LEXER_H
#define SSPUR_FRONTEND_SSP_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/ssp/ast.h"

enum token_kind {
	TOKEN_END,
	TOKEN_ERROR, /* what `problem` says */
	TOKEN_NAME,
	TOKEN_UNDERSCORE,
	TOKEN_INT,
	TOKEN_FLOAT,
	TOKEN_STRING, /* with its quotes */
#define WORD(id, spelling) TOKEN_##id,
#define SYMBOL(id, spelling) TOKEN_##id,
#include "frontend/ssp/tokens.def"
#undef WORD
#undef SYMBOL
	TOKEN_COUNT
};

enum lexer_problem {
	PROBLEM_CHARACTER,
	PROBLEM_UTF8,
	PROBLEM_NUMBER,       /* letters or `_` out of place */
	PROBLEM_NUMBER_LARGE, /* over 64 bits */
	PROBLEM_STRING,       /* no closing quote on the line */
};

struct token {
	uint32_t start, end; /* byte offsets */
	uint32_t line;       /* from 1 */
	uint32_t indent;     /* of its line: columns of blanks, a tab going on to the next multiple of 8 */
	uint32_t match;      /* of an opening bracket: index of the closing one, 0: none */
	uint8_t kind;        /* enum token_kind */
	uint8_t problem;     /* of TOKEN_ERROR */
	bool first;          /* of its line */
};

/* `items` ends with TOKEN_END, which is `first`. */
struct tokens {
	struct token *items;
	uint32_t count, capacity;
};

/* Reads bytes [start, end) of the source. With `program`, a whole file: comments go to program->comments and
 * faults inside comments and strings are reported; everything else that is wrong becomes a TOKEN_ERROR. Free
 * with tokens_free. `line` is the number of the first line. */
void lexer_run(struct tokens *tokens, const struct source *source, uint32_t start, uint32_t end, uint32_t line,
               struct program *program);
void tokens_free(struct tokens *tokens);

/* Reports a TOKEN_ERROR. */
void lexer_report(struct diagnostics *d, const struct source *source, const struct token *token);
/* The spelling of a word or symbol; NULL for other kinds. */
const char *token_spelling(enum token_kind kind);
bool lexer_is_name_byte(unsigned char c);

/* Where strings and interpolations end, for every byte of [start, end) on one line at once, so that no text takes
 * more than linear time: `text_end[i]` is the closing quote when string text goes on at byte start + i, `code_end[i]`
 * the closing brace when an interpolation does; STRING_OPEN if there is none. */
struct string_map {
	uint32_t start, end;
	uint32_t *text_end, *code_end;
};

#define STRING_OPEN UINT32_MAX

void string_map_build(struct string_map *map, const char *bytes, uint32_t start, uint32_t end);
void string_map_free(struct string_map *map);

#endif
