/* Tokens of Cone source text (spec/cone.md 1.1). */
#ifndef SSPUR_FRONTEND_CONE_CONE_LEXER_H
#define SSPUR_FRONTEND_CONE_CONE_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/cone/cone_ast.h"

enum cone_token_kind {
	CONE_TOKEN_END,
	CONE_TOKEN_NAME, /* text; quoted: written in backticks */
	CONE_TOKEN_UNDERSCORE,
	CONE_TOKEN_ATTRIBUTE, /* text: without `@` */
	CONE_TOKEN_LABEL,     /* text: without the quote */
	CONE_TOKEN_INTEGER,   /* number, suffix */
	CONE_TOKEN_FLOAT,     /* text: digits without `_` and suffix; suffix */
	CONE_TOKEN_CHAR,      /* number */
	CONE_TOKEN_STRING,    /* text; number: its length */
#define WORD(id, spelling) CONE_TOKEN_##id,
#define SYMBOL(id, spelling) CONE_TOKEN_##id,
#include "frontend/cone/cone_tokens.def"
#undef WORD
#undef SYMBOL
	CONE_TOKEN_COUNT
};

struct cone_token {
	uint32_t start, end; /* byte offsets */
	uint32_t indent;     /* of its line: bytes before the first token */
	uint32_t match;      /* of an opening bracket: index of the closing one, 0: none */
	uint8_t kind;        /* enum cone_token_kind */
	bool first;          /* of its line */
	bool quoted;
	bool after_fault; /* what stands before it could not be read, and is reported */
	const char *text, *suffix;
	uint64_t number;
};

/* `items` ends with CONE_TOKEN_END. Everything lives in the arena that cone_lexer_run was given. */
struct cone_tokens {
	struct cone_token *items;
	uint32_t count, capacity;
};

/* Reads a whole file; what cannot be read is reported to file->diagnostics and left out. */
void cone_lexer_run(struct cone_tokens *tokens, struct cone_file *file, struct arena *arena);
/* The spelling of a word or symbol; NULL for other kinds. */
const char *cone_token_spelling(enum cone_token_kind kind);
bool cone_token_is_word(enum cone_token_kind kind);

/* ---- For cone_lexer.c and cone_literals.c ---- */

struct cone_lexer {
	struct cone_tokens *tokens;
	struct cone_file *file;
	struct arena *arena;
	const char *bytes;
	uint32_t position, end;
	uint32_t indent;
	bool line_begins, fault, open_string;
	uint32_t *open; /* indices of brackets not closed yet */
	uint32_t open_count, open_capacity;
	struct table words;
};

/* Each reads one at lexer->position and goes on behind it. */
void cone_literal_number(struct cone_lexer *lexer);
void cone_literal_char_or_label(struct cone_lexer *lexer);
/* `start` is at the `r` of a raw string, else at its quote. */
void cone_literal_string(struct cone_lexer *lexer, bool raw);

/* 0 at the end. */
unsigned char cone_lexer_byte(const struct cone_lexer *lexer, uint32_t offset);
/* The end of the name that begins at `offset`; `offset` itself where none does. */
uint32_t cone_lexer_name_end(const struct cone_lexer *lexer, uint32_t offset);
struct cone_token *cone_lexer_add(struct cone_lexer *lexer, enum cone_token_kind kind, uint32_t start, uint32_t end);
/* Reports and marks the next token. */
void cone_lexer_fault(struct cone_lexer *lexer, const char *code, uint32_t start, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
