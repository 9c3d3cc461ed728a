/* Tokens of the text form. Internal to the parser. */
#ifndef SSPUR_IR_IR_PARSE_LEXER_H
#define SSPUR_IR_IR_PARSE_LEXER_H

#include "utils/base/arena.h"
#include "utils/base/diagnostic.h"
#include "utils/base/source.h"

enum ir_token_kind {
	IR_TOKEN_END,    /* of the text */
	IR_TOKEN_WORD,   /* name, name.1 */
	IR_TOKEN_STRING, /* "..." */
	IR_TOKEN_VALUE,  /* %name */
	IR_TOKEN_NUMBER, /* 5, -5, 0x1f, 1.5, -1e+10, -inf */
	IR_TOKEN_PLACE,  /* !3:5 */
	IR_TOKEN_MARK,   /* one character of ( ) { } [ ] , : = & . @ */
};

struct ir_token {
	enum ir_token_kind kind;
	char mark;        /* MARK */
	bool starts_line; /* the first token of its line */
	struct span span;
	const char *text;   /* WORD, STRING (decoded), VALUE (without %), NUMBER: NUL-terminated, in the arena */
	struct place place; /* PLACE */
};

struct ir_lexer {
	const struct source *source;
	struct diagnostics *diagnostics;
	struct arena *arena;
	size_t offset;
	unsigned errors; /* reported so far */
};

/* The parser stops after so many errors. */
#define IR_PARSE_ERRORS 20

/* The next token; bytes that make none are reported (E_KIR_LEX) and skipped. */
struct ir_token ir_lex(struct ir_lexer *lexer);

#endif
