/* The syntax tree as text, for tests: a line a statement, an expression as (what it is, its parts). */
#ifndef SSPUR_FRONTEND_CONE_CONE_PRINT_H
#define SSPUR_FRONTEND_CONE_CONE_PRINT_H

#include "frontend/cone/cone_ast.h"
#include "utils/base/text.h"

/* As the parser leaves it: `indent` is that of the blocks inside. */
void cone_print_node(struct text *out, const struct cone_node *node, uint32_t indent);
void cone_print_type(struct text *out, const struct cone_type_syntax *type);
void cone_print_declaration(struct text *out, const struct cone_declaration *d, uint32_t indent);
/* All declarations of the module. */
void cone_print_module(struct text *out, const struct cone_module *module);

#endif
