/* Inside the parser: recursive descent over the tokens of one file. */
#ifndef SSPUR_FRONTEND_CONE_CONE_PARSER_H
#define SSPUR_FRONTEND_CONE_CONE_PARSER_H

#include "frontend/cone/cone_ast.h"
#include "frontend/cone/cone_lexer.h"

/* When something is not as expected it is reported once and `failed` is set: every token then reads as the end, so that
 * all functions return, until a statement's or declaration's end is looked for (cone_parser_recover). */
struct cone_parser {
	struct cone_program *program;
	struct arena *arena;
	struct cone_file *file;
	struct cone_module *module;
	struct cone_tokens tokens;
	uint32_t position;
	uint32_t depth;
	bool failed;
	bool stopped;                          /* no more is read: too many errors, or too deep */
	bool closure_result;                   /* a `[` behind the type may begin a closure's state */
	bool unclosed;                         /* a block of this declaration has no end, which is reported */
	bool own_bool;                         /* the file declares a `Bool` */
	struct cone_lifetime_scope *lifetimes; /* those that may be written here */
	struct table imports;                  /* of the module, by path */
	struct diagnostic *last;               /* for cone_parser_hint; NULL: not reported */
};

/* The lifetimes that a declaration has, and those around it. */
struct cone_lifetime_scope {
	struct cone_lifetime_scope *outer;
	const struct cone_declaration *declaration;
};

/* Where attributes stand. */
enum cone_attribute_place {
	CONE_PLACE_FUNCTION, /* after `fn` */
	CONE_PLACE_GLOBAL,   /* after a global's permission */
	CONE_PLACE_TYPE,     /* after `struct`, `enum`, `trait` */
	CONE_PLACE_LOCAL,
	CONE_PLACE_PARAMETER,
	CONE_PLACE_FIELD,
	CONE_PLACE_BEFORE, /* before a declaration */
};

static inline const struct cone_token *cone_parser_token(const struct cone_parser *p)
{
	return &p->tokens.items[p->position];
}

static inline enum cone_token_kind cone_parser_kind(const struct cone_parser *p)
{
	return p->failed ? CONE_TOKEN_END : (enum cone_token_kind)cone_parser_token(p)->kind;
}

/* The kind `n` tokens ahead. */
enum cone_token_kind cone_parser_ahead(const struct cone_parser *p, uint32_t n);
struct span cone_parser_span(const struct cone_parser *p); /* of the next token */
uint32_t cone_parser_previous_end(const struct cone_parser *p);
/* From `start` to the last token read. */
struct span cone_parser_span_from(const struct cone_parser *p, uint32_t start);
void cone_parser_advance(struct cone_parser *p);
bool cone_parser_accept(struct cone_parser *p, enum cone_token_kind kind);
bool cone_parser_expect(struct cone_parser *p, enum cone_token_kind kind);
/* The next token is the contextual word. */
bool cone_parser_is_contextual(const struct cone_parser *p, const char *word);
bool cone_parser_accept_contextual(struct cone_parser *p, const char *word);
/* A name, or "" and a report: `what` is "a name" or more. */
const char *cone_parser_name(struct cone_parser *p, const char *what);
/* The same; `_` is one too. */
const char *cone_parser_variable_name(struct cone_parser *p);
/* Index of the token that closes the bracket at `index`; 0: none. */
uint32_t cone_parser_match(const struct cone_parser *p, uint32_t index);

void cone_parser_report(struct cone_parser *p, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cone_parser_hint(struct cone_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An older spelling (1.12): a warning or an error; for cone_parser_hint. The caller makes the tree of today's form. */
void cone_parser_old(struct cone_parser *p, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "expected WHAT, found ...", and fails. */
void cone_parser_expected(struct cone_parser *p, const char *what);
/* False, reported, when nested too deeply. Each true is paired with cone_parser_leave. */
bool cone_parser_enter(struct cone_parser *p);
void cone_parser_leave(struct cone_parser *p);
/* After a failure: goes to where the next statement or declaration may begin. */
void cone_parser_recover(struct cone_parser *p, bool declarations);
/* The `;` of a statement: 1003, or 1361 for a trailing `if`. */
void cone_parser_semicolon(struct cone_parser *p);
/* A declaration begins at the next token, such as no statement begins with. */
bool cone_parser_at_declaration(const struct cone_parser *p);

/* Nodes. */
struct cone_node *cone_parser_node(struct cone_parser *p, enum cone_node_kind kind, struct span from, struct span at);
/* One that begins at the next token. */
struct cone_node *cone_parser_begin(struct cone_parser *p, enum cone_node_kind kind);
/* Ends its span at the last token and sees to its height. Returns it. */
struct cone_node *cone_parser_finish(struct cone_parser *p, struct cone_node *node);
struct cone_node *cone_parser_error_node(struct cone_parser *p);
struct cone_variable *cone_parser_variable(struct cone_parser *p, const char *name, struct span span, bool mutable);

/* A growing list of pointers, in the arena. */
struct cone_list {
	void **items;
	uint32_t count, capacity;
};
/* Room for one more than `count`, for arrays that only grow through it. */
void *cone_parser_grow(struct cone_parser *p, void *items, uint32_t count, size_t size);
void cone_list_add(struct cone_parser *p, struct cone_list *list, void *item);

/* cone_parser_types.c */
bool cone_parser_at_type(const struct cone_parser *p);
struct cone_type_syntax *cone_parser_type(struct cone_parser *p);
struct cone_type_syntax *cone_parser_named_type(struct cone_parser *p, const char *name, struct span span);
/* "mut", "imm", ...; NULL: the token is none of a permission. */
const char *cone_parser_permission(enum cone_token_kind kind);
/* (p T, ...): with `untyped`, types may be missing; with `unnamed`, names may. The receiver goes to function->receiver.
 */
void cone_parser_parameters(struct cone_parser *p, struct cone_declaration *function, bool untyped, bool unnamed);

/* cone_parser_lifetimes.c */
/* Between the two, the lifetimes of the declaration may be written. */
void cone_parser_open_lifetimes(struct cone_parser *p, struct cone_lifetime_scope *scope,
                                const struct cone_declaration *d);
void cone_parser_close_lifetimes(struct cone_parser *p, struct cone_lifetime_scope *scope);
/* One that is declared, at a label; 1018 for one that is there already. */
void cone_parser_declare_lifetime(struct cone_parser *p, struct cone_declaration *d);
/* One that is used, if there is one here; 1019 for one that is not declared. */
bool cone_parser_accept_lifetime(struct cone_parser *p, struct cone_lifetimes *to);
/* What a function type or literal has behind `fn`: lifetimes alone. */
void cone_parser_function_lifetimes(struct cone_parser *p, struct cone_declaration *d);

/* cone_parser_expressions.c */
struct cone_node *cone_parser_expression(struct cone_parser *p);
struct cone_node *cone_parser_tuple(struct cone_parser *p);                  /* a, b */
void cone_parser_expressions(struct cone_parser *p, struct cone_node *node); /* e {, e}: its parts */
/* One that ends before `if`, for what is behind `is`, and the like. */
struct cone_node *cone_parser_operand(struct cone_parser *p);

/* cone_parser_primary.c */
struct cone_node *cone_parser_primary(struct cone_parser *p);
bool cone_parser_at_closure(const struct cone_parser *p);
struct cone_node *cone_parser_closure(struct cone_parser *p);
bool cone_parser_is_number_name(const char *name);

/* cone_parser_statements.c */
struct cone_node *cone_parser_block(struct cone_parser *p);
struct cone_node *cone_parser_if(struct cone_parser *p);
struct cone_node *cone_parser_if_from(struct cone_parser *p, struct cone_node *node); /* its condition is read */
struct cone_node *cone_parser_match_statement(struct cone_parser *p);
struct cone_node *cone_parser_loop(struct cone_parser *p); /* while, each, with a label */
bool cone_parser_at_parallel(const struct cone_parser *p);

/* cone_parser_declarations.c */
struct cone_declaration *cone_parser_new_declaration(struct cone_parser *p, enum cone_declaration_kind kind);
void cone_parser_attributes(struct cone_parser *p, enum cone_attribute_place place, struct cone_declaration *d);
void cone_parser_results(struct cone_parser *p, struct cone_declaration *function, bool several);
void cone_parser_function(struct cone_parser *p, struct cone_declaration *d); /* behind `fn` */
void cone_parser_generics(struct cone_parser *p, struct cone_declaration *d);
/* NULL: nothing to keep. */
struct cone_declaration *cone_parser_declaration(struct cone_parser *p);
void cone_parser_add(struct cone_parser *p, struct cone_declaration *d);

/* cone_parser_structs.c: behind the kind's word. */
void cone_parser_struct(struct cone_parser *p, struct cone_declaration *d);
void cone_parser_enum(struct cone_parser *p, struct cone_declaration *d);

/* cone_parser_imports.c */
struct cone_declaration *cone_parser_import(struct cone_parser *p, bool is_public); /* or `use` */
void cone_parser_module_line(struct cone_parser *p);
/* Of a file that joins a module: what the module imports already. */
void cone_parser_note_imports(struct cone_parser *p);
const char **cone_parser_path(struct cone_parser *p, uint32_t *count);

#endif
