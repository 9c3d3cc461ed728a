/* The printer that format.c (expressions, statements) and format_program.c (lines, comments, definitions) share. */
#ifndef SSPUR_FRONTEND_SSP_FORMAT_H
#define SSPUR_FRONTEND_SSP_FORMAT_H

#include "frontend/ssp/ast.h"
#include "utils/base/text.h"

/* What stands behind the thing being printed, and would be taken for a part of it if that ends open: with an `if`, a
 * lambda or a `do` block. Parentheses then close it. */
enum format_follow {
	FOLLOW_NOTHING,   /* a bracket, a comma, a new line */
	FOLLOW_ELSE,      /* taken by an `if` that has none */
	FOLLOW_HEAD,      /* `then` or the body of a loop: taken by a `do` block */
	FOLLOW_SEMICOLON, /* taken by a `do` block */
	FOLLOW_OPERATOR,  /* taken by all that ends open */
};

struct printer {
	struct text *out;
	const struct program *program; /* NULL: one expression, on one line */
	bool *done;                    /* comments printed */
	uint32_t level;                /* of indentation */
	uint32_t limit;                /* comments from here on belong to what follows */
	bool after_block;              /* the next token begins a new line */
	bool commented;                /* the line ends with a comment */
};

/* Prints a token, at the begin of a new line if one is due. */
void format_token(struct printer *f, const char *token);
/* A space, unless a new line is due. */
void format_space(struct printer *f);
void format_newline(struct printer *f);
/* Any expression or statement. */
void format_node(struct printer *f, const struct node *n, enum format_follow follow);

void format_type(const struct type_syntax *s, struct text *out);

/* ---- format_program.c ---- */

/* A multi-line block's lines, deeper by a level. Comments from `from` on may stand behind what opens it; with `all`
 * what is left before f->limit goes to its end, else only comments as deep as its lines. */
void format_lines(struct printer *f, const struct node *block, uint32_t from, bool all);

#endif
