/* The parser's state and what its two files share. Internal to the parser. */
#ifndef SSPUR_IR_IR_PARSE_H
#define SSPUR_IR_IR_PARSE_H

#include "ir/ir.h"
#include "ir/ir_parse_lexer.h"

struct ir_parser {
	struct ir_lexer lexer;
	struct ir_token token; /* the one to be parsed next */
	struct arena scratch;  /* token texts and the tables below */
	struct ir_module *module;
	struct table kernels; /* any pointer, by name */
	/* Of the kernel being parsed. */
	struct ir_kernel *kernel;
	struct table values;     /* instructions by label */
	struct table parameters; /* index + 1 by name */
	struct table memories;
	struct table locals;
	struct span *spans; /* in the text, by instruction id */
	uint32_t span_count, span_capacity;
	struct ir_instruction unknown; /* stands for a value whose own line was refused */
};

/* Every function below answers false (or NULL) after having reported what is wrong. */
bool ir_parse_fail(struct ir_parser *p, const char *code, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void ir_parse_next(struct ir_parser *p);
bool ir_parse_is_mark(const struct ir_parser *p, char mark);
bool ir_parse_is_word(const struct ir_parser *p, const char *word);
bool ir_parse_accept(struct ir_parser *p, char mark); /* reports nothing */
bool ir_parse_mark(struct ir_parser *p, char mark);
/* `what` is named in the message: "the name of a buffer". */
const char *ir_parse_name(struct ir_parser *p, const char *what);
const struct ir_type *ir_parse_type(struct ir_parser *p);
bool ir_parse_u64(struct ir_parser *p, const char *what, uint64_t *value);
/* A decimal or hexadecimal number, with its sign apart. */
bool ir_parse_digits(const char *text, bool *negative, uint64_t *magnitude);
/* An optional !3:5. */
void ir_parse_place(struct ir_parser *p, struct place *place);
/* From inside the line whose first token is at `start` to the next line, braces between balanced, or
 * to the `}` of the region. */
void ir_parse_skip_line(struct ir_parser *p, uint32_t start);

/* The instructions up to the closing brace, which is left. `depth` regions are open around it. */
void ir_parse_region(struct ir_parser *p, struct ir_region *region, struct ir_instruction *parent, unsigned depth);

#endif
