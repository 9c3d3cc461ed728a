/* What the parts of the parser share: parser.c (tokens, errors, files), parser_definitions.c, parser_statements.c,
 * parser_expressions.c, parser_strings.c. The grammar is spec/sspur.md 2.1 to 2.4.
 *
 * Errors: parser_error reports, at most once a line. After parser_fail every token reads as TOKEN_END, so that
 * all that is being read ends; the innermost statement, list item or definition then goes on behind the fault
 * (parser_recover) and leaves a NODE_ERROR. An error without parser_fail is read on as its hint says. */
#ifndef SSPUR_FRONTEND_SSP_PARSER_H
#define SSPUR_FRONTEND_SSP_PARSER_H

#include "frontend/ssp/larger_language.h"
#include "frontend/ssp/lexer.h"

enum {
	PARSER_NESTING_LIMIT = 256,       /* levels of brackets, blocks and prefix operators */
	PARSER_ELSE_IF_LIMIT = 500,       /* of one chain, and of all chains around a place */
	PARSER_INTERPOLATION_LEVELS = 16, /* levels that a string in a string takes */
	PARSER_HEIGHT_LIMIT = 1000,       /* of an expression's tree: what recursion over it may rely on */
};

/* How newlines count where the parser is. */
struct layout {
	uint32_t indent;     /* of the lines of the block; a block inside is deeper */
	uint32_t brackets;   /* open since the block began: newlines do not count inside */
	uint32_t conditions; /* open conditions of `if` and `while`: `=` can only be meant as `==` */
	uint32_t deeper;     /* indentation of the lines just reported as too deep */
};

struct parser {
	struct program *program;
	struct arena *arena;
	struct diagnostics *diagnostics;
	const struct source *source;
	struct token *tokens;
	uint32_t position;
	struct layout layout;
	uint32_t outer_brackets; /* of the layouts around this one */
	uint32_t fault_brackets; /* all those open where the parser failed */
	uint32_t open_ifs;       /* that may still get an `else` */
	uint32_t nesting, else_ifs;
	bool failed;
	bool unsupported;                  /* failed at what the larger language has: the rest of it is skipped unread */
	const struct larger_word *refused; /* the word of it; NULL: it has none */
	bool quiet;                        /* inside an interpolation, which is text if it is no expression */
	struct token large;                /* the first number out of range there: an error if it is one; TOKEN_END: none */
	bool in_kernel;
	bool braces;             /* one was reported: the closing one is not */
	uint32_t error_count;    /* also those not reported */
	uint32_t error_line;     /* of the last one reported */
	struct diagnostic *last; /* the last call's diagnostic, for parser_hint; NULL if it was not reported */
	struct table names;
	struct node **stack; /* parts of what is being read */
	uint32_t stack_count, stack_capacity;
	struct node **placeholders; /* `_` that belong to no argument yet */
	uint32_t placeholder_count, placeholder_capacity;
	uint32_t arguments; /* arguments open in this statement */
};

/* ---- parser.c ---- */
const struct token *parser_peek(const struct parser *p);
bool parser_at(const struct parser *p, enum token_kind kind);
/* The next token begins a line that does not belong to the statement being read. */
bool parser_at_line_end(const struct parser *p);
/* At `kind`, on the same statement. */
bool parser_continues(const struct parser *p, enum token_kind kind);
const struct token *parser_next(struct parser *p);
bool parser_accept(struct parser *p, enum token_kind kind);
/* `what` is expected in words: "`)`". False after failing. */
bool parser_expect(struct parser *p, enum token_kind kind, const char *what);
bool parser_at_word(const struct parser *p, const char *word); /* a name that is a word in this place */
bool parser_token_is(const struct parser *p, const struct token *t, const char *word);
uint32_t parser_previous_end(const struct parser *p);
struct span parser_token_span(const struct token *t);
struct span parser_span_from(const struct parser *p, const struct token *first);

void parser_error(struct parser *p, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void parser_hint(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* E_PARSE_EXPECTED: `what`, found the next token. Does not fail. */
void parser_expected(struct parser *p, const char *what);
void parser_fail(struct parser *p);
/* Goes on behind a fault in what began at token `start`: skips to the next line that is no deeper than `indent`, to
 * a bracket that closes one opened before, or with `item` to the comma. */
void parser_recover(struct parser *p, uint32_t start, uint32_t indent, bool item);
/* E_UNSUPPORTED, failing: a construct of the larger language. `what`: "traits are". */
void parser_unsupported(struct parser *p, struct span span, const char *what);
/* The token as a word of the larger language at that place, or NULL; and the error that it is. */
const struct larger_word *parser_larger(const struct parser *p, const struct token *t, enum larger_place place);
void parser_refuse(struct parser *p, const struct token *t, const struct larger_word *w);
void parser_skip_construct(struct parser *p, uint32_t start, uint32_t indent);
/* False after reporting that the program nests too deep; else parser_leave later. */
bool parser_enter(struct parser *p, uint32_t levels);
void parser_leave(struct parser *p, uint32_t levels);

const char *parser_intern(struct parser *p, const char *bytes, size_t n);
const char *parser_token_name(struct parser *p, const struct token *t);
/* The next token, also after failing: what a node begins with. */
const struct token *parser_first(const struct parser *p);
struct node *parser_node(struct parser *p, enum node_kind kind, const struct token *first);
struct node *parser_error_node(struct parser *p, const struct token *first);
/* Ends `n`'s span here and checks how high the tree is: `n`, or a NODE_ERROR. */
struct node *parser_finish(struct parser *p, struct node *n);
void parser_push(struct parser *p, struct node *n);
/* Moves what was pushed since `base` into n->parts. */
void parser_pop_parts(struct parser *p, struct node *n, uint32_t base);

/* ---- parser_strings.c ---- */
/* A number out of range: reports it, at once or when what is quiet turns out to be an expression. */
void parser_large_number(struct parser *p, const struct token *number);

/* ---- parser_definitions.c ---- */
void parser_definitions(struct parser *p);
/* NULL after reporting what is no type. */
struct type_syntax *parser_type(struct parser *p);

/* ---- parser_statements.c ---- */
/* A statement on a line of its own in a block. */
struct node *parser_statement(struct parser *p);
/* What may follow `then`, `=>`, `=` or be an argument: an expression, an assignment, a `do` block. */
struct node *parser_inline_statement(struct parser *p);
/* What follows `then`, `else` or a definition's `=`: also an indented block. */
struct node *parser_branch(struct parser *p, const char *after);
struct node *parser_do_block(struct parser *p);

/* ---- parser_expressions.c ---- */
struct node *parser_expression(struct parser *p);
struct node *parser_if(struct parser *p);

/* ---- parser_strings.c ---- */
struct node *parser_string(struct parser *p);

#endif
