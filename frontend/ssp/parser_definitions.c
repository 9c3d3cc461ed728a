#include "frontend/ssp/parser.h"

#include <string.h>

/* ---- Types ---- */

static struct type_syntax *type_node(struct parser *p, const char *name, const struct token *first)
{
	struct type_syntax *s = ARENA_NEW(p->arena, struct type_syntax);
	s->name = parser_intern(p, name, strlen(name));
	s->span = parser_token_span(first);
	return s;
}

/* Types up to the closing bracket; the opening one has been read. False after reporting. */
static bool read_type_list(struct parser *p, struct type_syntax *s, enum token_kind close, const char *expected)
{
	uint32_t capacity = 0;
	bool good = true;
	p->layout.brackets++;
	while (good && !parser_at(p, close)) {
		struct type_syntax *item = parser_type(p);
		*ARENA_PUSH(p->arena, s->arguments, s->count, capacity) = item;
		good = item != NULL;
		if (!parser_accept(p, TOKEN_COMMA))
			break;
	}
	good = good && !p->failed && parser_expect(p, close, expected);
	p->layout.brackets--;
	return good;
}

static struct type_syntax *read_borrowed_type(struct parser *p)
{
	const struct token *first = parser_next(p);
	bool mutable = parser_at(p, TOKEN_MUT);
	if (mutable)
		parser_next(p);
	struct type_syntax *s;
	if (parser_at(p, TOKEN_OPEN_BRACKET)) {
		const struct token *open = parser_next(p);
		s = type_node(p, "[]", first);
		if (!read_type_list(p, s, TOKEN_CLOSE_BRACKET, "`]`"))
			return NULL;
		if (s->count != 1) {
			parser_error(p, "E_PARSE_EXPECTED", parser_token_span(open),
			             "a slice has one element type: `&[T]`");
			return NULL;
		}
	} else {
		s = parser_type(p);
		if (!s)
			return NULL;
	}
	s->borrow = true;
	s->borrow_mutable = mutable;
	s->span = parser_span_from(p, first);
	return s;
}

static struct type_syntax *read_tuple_type(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct type_syntax *s = type_node(p, "", first);
	if (!read_type_list(p, s, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`"))
		return NULL;
	s->span = parser_span_from(p, first);
	if (s->count == 0)
		s->name = parser_intern(p, "()", 2);
	return s->count == 1 ? s->arguments[0] : s;
}

static struct type_syntax *read_named_type(struct parser *p)
{
	const struct token *first = parser_next(p);
	struct type_syntax *s = type_node(p, parser_token_name(p, first), first);
	if (parser_accept(p, TOKEN_OPEN_BRACKET)) {
		if (!read_type_list(p, s, TOKEN_CLOSE_BRACKET, "`,` or `]`"))
			return NULL;
		if (s->count == 0) {
			parser_error(p, "E_PARSE_EXPECTED", parser_span_from(p, first), "expected a type inside `[]`");
			return NULL;
		}
	}
	s->span = parser_span_from(p, first);
	return s;
}

/* What the larger language has behind a type. */
static struct type_syntax *refuse_type_suffix(struct parser *p, struct type_syntax *s)
{
	const struct token *t = parser_peek(p);
	bool refinement = parser_at_word(p, "where") || t->kind == TOKEN_OPEN_BRACE || t->kind == TOKEN_IF;
	if (t->first && !refinement)
		return s;
	if (refinement && p->in_kernel) {
		parser_error(p, "E_KERNEL_SIG", parser_token_span(t), "a kernel's parameter has no refinement");
		parser_hint(p, "write a `pre` clause below the signature");
		p->unsupported = true;
		parser_fail(p);
		return NULL;
	}
	if (refinement || t->kind == TOKEN_QUESTION || t->kind == TOKEN_BAR) {
		parser_unsupported(p, parser_token_span(t),
		                   refinement             ? "refinements are"
		                   : t->kind == TOKEN_BAR ? "sum types are"
		                                          : "`?` is");
		if (refinement)
			parser_hint(p, "write a `pre` clause below the signature");
		return NULL;
	}
	return s;
}

struct type_syntax *parser_type(struct parser *p)
{
	struct type_syntax *s = NULL;
	const struct token *first = parser_first(p);
	if (parser_enter(p, 1)) {
		if (parser_at(p, TOKEN_AMPERSAND))
			s = read_borrowed_type(p);
		else if (parser_at(p, TOKEN_OPEN_PARENTHESIS))
			s = read_tuple_type(p);
		else if (parser_at(p, TOKEN_NAME))
			s = read_named_type(p);
		else if (first->kind == TOKEN_FN || first->kind == TOKEN_OPEN_BRACE)
			parser_unsupported(p, parser_token_span(first),
			                   first->kind == TOKEN_FN ? "function types in signatures are"
			                                           : "records are");
		else
			parser_expected(p, "a type");
		if (!s && first->kind == TOKEN_OPEN_BRACKET)
			parser_hint(p, "a list is `List[T]`, a kernel's slice `&[T]` or `&mut [T]`");
	}
	parser_leave(p, 1);
	if (s)
		s = refuse_type_suffix(p, s);
	if (s && p->layout.brackets > 0 && parser_at(p, TOKEN_ARROW)) {
		parser_unsupported(p, parser_token_span(parser_peek(p)), "function types in signatures are");
		s = NULL;
	}
	if (!s)
		parser_fail(p);
	return s;
}

/* ---- Signatures ---- */

static void read_parameter(struct parser *p, struct parameter *parameter)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_VAR || (parser_at(p, TOKEN_MUT) && t[1].kind == TOKEN_NAME)) {
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "parameters are immutable");
		parser_hint(p, "copy it into a `var`; a kernel's slice that is written is `&mut [T]`");
		parser_next(p);
		t = parser_peek(p);
	}
	parameter->span = parser_token_span(t);
	parameter->name = "";
	if (t->kind != TOKEN_NAME) {
		parser_expected(p, "the name of a parameter");
		if (token_spelling(t->kind) && lexer_is_name_byte((unsigned char)*token_spelling(t->kind)))
			parser_hint(p, "`%s` is a word of the language", token_spelling(t->kind));
		parser_fail(p);
		return;
	}
	parser_next(p);
	parameter->name = parser_token_name(p, t);
	if (!parser_at(p, TOKEN_COLON)) {
		parser_expected(p, "`:` and a type");
		parser_hint(p, "write `%s: Int`", parameter->name);
		parser_fail(p);
		return;
	}
	parser_next(p);
	parameter->syntax = parser_type(p);
	if (parser_at(p, TOKEN_EQUALS) && !parser_peek(p)->first)
		parser_unsupported(p, parser_token_span(parser_peek(p)), "default values are");
}

/* A parameter that cannot be read keeps its place, without a type. */
static void read_parameters(struct parser *p, struct definition *d, uint32_t margin)
{
	uint32_t capacity = 0;
	if (p->failed || !parser_expect(p, TOKEN_OPEN_PARENTHESIS, "`(` and the parameters"))
		return;
	p->layout.brackets++;
	while (!parser_at(p, TOKEN_CLOSE_PARENTHESIS) && !parser_at(p, TOKEN_END)) {
		uint32_t start = p->position;
		struct parameter *parameter = ARENA_PUSH(p->arena, d->parameters, d->parameter_count, capacity);
		*parameter = (struct parameter){0};
		read_parameter(p, parameter);
		if (p->failed)
			parser_recover(p, start, margin, true);
		if (!parser_accept(p, TOKEN_COMMA))
			break;
	}
	parser_expect(p, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`");
	p->layout.brackets--;
}

static void read_generics(struct parser *p, struct definition *d)
{
	uint32_t capacity = 0;
	if (!parser_accept(p, TOKEN_OPEN_BRACKET))
		return;
	p->layout.brackets++;
	while (parser_at(p, TOKEN_NAME)) {
		const struct token *t = parser_next(p);
		*ARENA_PUSH(p->arena, d->generics, d->generic_count, capacity) =
		    (struct pattern_name){.name = parser_token_name(p, t), .span = parser_token_span(t)};
		if (parser_at(p, TOKEN_COLON))
			parser_unsupported(p, parser_token_span(parser_peek(p)), "bounds of generics are");
		if (!parser_accept(p, TOKEN_COMMA))
			break;
	}
	if (!p->failed)
		parser_expect(p, TOKEN_CLOSE_BRACKET, "`]`");
	p->layout.brackets--;
}

static void read_result(struct parser *p, struct definition *d)
{
	const struct token *first = parser_peek(p);
	if (first->kind == TOKEN_COLON && !first->first) {
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(first), "a result type is written `-> T`");
	} else if (first->kind != TOKEN_ARROW) {
		return;
	}
	parser_next(p);
	d->result_syntax = parser_type(p);
	if (!d->result_syntax) { /* not Unit, and reported: the checker knows no `?` */
		d->result_syntax = ARENA_NEW(p->arena, struct type_syntax);
		d->result_syntax->name = parser_intern(p, "?", 1);
		d->result_syntax->span = parser_span_from(p, first);
	}
}

static void read_effects(struct parser *p, struct definition *d)
{
	uint32_t capacity = 0;
	if (!parser_accept(p, TOKEN_BANG))
		return;
	d->has_effect_row = true;
	do {
		const struct token *t = parser_peek(p);
		if (t->kind != TOKEN_NAME) {
			parser_expected(p, "the name of an effect");
			parser_hint(p, "effects are log, dev, io, time, env, fs, div, proc");
			parser_fail(p);
			return;
		}
		parser_next(p);
		*ARENA_PUSH(p->arena, d->effect_names, d->effect_count, capacity) =
		    (struct effect_name){parser_token_name(p, t), parser_token_span(t)};
	} while (parser_accept(p, TOKEN_COMMA));
}

/* `@grid(n, g)`, `@grid2(w, h, gw, gh)`, `@grid3(...)` */
static void read_grid(struct parser *p, struct definition *d)
{
	const struct token *first = parser_next(p), *word = parser_peek(p);
	uint32_t axes = parser_token_is(p, word, "grid")    ? 1
	                : parser_token_is(p, word, "grid2") ? 2
	                : parser_token_is(p, word, "grid3") ? 3
	                                                    : 0;
	if (axes == 0) {
		parser_expected(p, "`grid`, `grid2` or `grid3` after `@`");
		parser_fail(p);
		return;
	}
	if (d->kind != DEFINITION_KERNEL) {
		parser_error(p, "E_PARSE_KERNEL", parser_token_span(word), "only a kernel has a grid");
		parser_hint(p, "write `kernel fn %s`", d->name);
	} else if (d->grid_axes > 0) {
		parser_error(p, "E_PARSE_KERNEL", parser_token_span(word), "this kernel has a grid already");
	}
	parser_next(p);
	if (!parser_expect(p, TOKEN_OPEN_PARENTHESIS, "`(`"))
		return;
	uint32_t base = p->stack_count;
	p->layout.brackets++;
	while (!parser_at(p, TOKEN_CLOSE_PARENTHESIS) && !p->failed) {
		parser_push(p, parser_expression(p));
		if (!parser_accept(p, TOKEN_COMMA))
			break;
	}
	if (!p->failed)
		parser_expect(p, TOKEN_CLOSE_PARENTHESIS, "`,` or `)`");
	p->layout.brackets--;
	d->grid_axes = axes;
	d->grid_count = p->stack_count - base;
	d->grid = ARENA_ARRAY(p->arena, struct node *, d->grid_count);
	for (uint32_t i = 0; i < d->grid_count; i++)
		d->grid[i] = p->stack[base + i];
	p->stack_count = base;
	d->grid_span = parser_span_from(p, first);
}

static void read_clause(struct parser *p, struct definition *d, bool post, uint32_t *capacity)
{
	const struct token *first = parser_next(p);
	struct clause clause = {.condition = parser_expression(p)};
	clause.span = parser_span_from(p, first);
	struct text text = {0};
	format_expression(clause.condition, &text);
	clause.text = arena_string_n(p->arena, text_string(&text), text.length);
	text_free(&text);
	if (post)
		*ARENA_PUSH(p->arena, d->post, d->post_count, *capacity) = clause;
	else
		*ARENA_PUSH(p->arena, d->pre, d->pre_count, *capacity) = clause;
	if (!p->failed && !parser_peek(p)->first && !parser_at(p, TOKEN_EQUALS)) {
		parser_expected(p, "the end of the clause");
		parser_fail(p);
	}
}

/* After a fault in a signature: to its effects or grid on the same line, else to its next clause or its body. */
static void skip_to_clause(struct parser *p, uint32_t margin)
{
	p->failed = p->unsupported = false;
	const struct token *t;
	while (!(t = parser_peek(p))->first && t->kind != TOKEN_BANG && t->kind != TOKEN_AT)
		parser_next(p);
	for (; t->first; t = parser_peek(p)) {
		if (t->kind == TOKEN_END || t->indent <= margin || t->kind == TOKEN_EQUALS || t->kind == TOKEN_AT ||
		    t->kind == TOKEN_BANG || parser_at_word(p, "pre") || parser_at_word(p, "post"))
			return;
		parser_recover(p, p->position, UINT32_MAX, false);
	}
}

/* Up to the `=`. Newlines do not count: no part of a signature can begin anything else. */
static void read_signature(struct parser *p, struct definition *d, uint32_t margin)
{
	uint32_t pre_capacity = 0, post_capacity = 0;
	const struct larger_word *larger;
	read_generics(p, d);
	read_parameters(p, d, margin);
	read_result(p, d);
	read_effects(p, d);
	for (;;) {
		if (p->failed)
			skip_to_clause(p, margin);
		const struct token *t = parser_peek(p);
		bool post = parser_at_word(p, "post");
		if (t->kind == TOKEN_BANG && !d->has_effect_row)
			read_effects(p, d);
		else if (t->kind == TOKEN_AT && !(t->first && t->indent <= margin))
			read_grid(p, d);
		else if (post || parser_at_word(p, "pre"))
			read_clause(p, d, post, post ? &post_capacity : &pre_capacity);
		else if (!(t->first && t->indent <= margin) && (larger = parser_larger(p, t, LARGER_INFIX)))
			parser_refuse(p, t, larger);
		else
			return;
	}
}

/* ---- Definitions ---- */

/* `faulty`: the signature could not be read, so nothing that misses here is reported. */
static void read_definition_body(struct parser *p, struct definition *d, bool faulty)
{
	const struct token *equals = parser_first(p);
	if (!parser_at(p, TOKEN_EQUALS)) {
		if (!faulty) {
			parser_expected(p, "`=` and the body");
			if (equals->kind == TOKEN_OPEN_BRACE || equals->kind == TOKEN_COLON)
				parser_hint(p, "a body is `= expression`, or `= do` and indented lines");
		}
		d->body = parser_error_node(p, equals);
		parser_fail(p);
		return;
	}
	parser_next(p);
	const struct token *first = parser_first(p), *last;
	d->body = parser_branch(p, "`=`");
	last = parser_first(p) - 1;
	/* `=` and one indented line is `= expression`. */
	const struct node *b = d->body;
	if (first->first && first->line == equals->line + 1 && last->line == first->line && b->kind == NODE_BLOCK &&
	    first->kind != TOKEN_DO && b->part_count == 1 && b->parts[0]->kind != NODE_LET)
		d->body = b->parts[0];
}

/* The next token begins a line that is not the definition's, as it should. */
static void end_definition(struct parser *p, uint32_t start, uint32_t margin, bool block)
{
	const struct token *t = parser_peek(p);
	if (!p->failed && t->first && t->indent > margin) {
		parser_error(
		    p, "E_PARSE_INDENT", parser_token_span(t),
		    block ? "this line is less deep than the block before it, but deeper than what holds the block"
		          : "this line is deeper than the definition before it, which has ended");
		parser_hint(p, block ? "indent it like the lines of its block"
		                     : "a body of several lines is `= do` and indented lines");
		parser_fail(p);
	} else if (!p->failed && !t->first) {
		parser_expected(p, "the end of the definition");
		if (t->kind == TOKEN_EQUALS)
			parser_hint(p, "an assignment is written `:=`, a comparison `==`");
		parser_fail(p);
	}
	if (p->failed)
		parser_recover(p, start, margin, false);
}

static struct definition *add_definition(struct parser *p, enum definition_kind kind, const struct token *first)
{
	struct definition *d = ARENA_NEW(p->arena, struct definition);
	struct program *program = p->program;
	d->kind = kind;
	d->span = parser_token_span(first);
	d->name = "";
	*ARENA_PUSH(p->arena, program->definitions, program->definition_count, program->definition_capacity) = d;
	return d;
}

static void read_definition_name(struct parser *p, struct definition *d, const char *what)
{
	const struct token *t = parser_peek(p);
	d->name_span = parser_token_span(t);
	if (t->kind != TOKEN_NAME) {
		parser_expected(p, what);
		if (t->kind == TOKEN_STRING)
			parser_hint(p, "names are written without quotes, of letters, digits and `_`");
		parser_fail(p);
		return;
	}
	parser_next(p);
	d->name = parser_token_name(p, t);
}

static void read_definition(struct parser *p)
{
	const struct token *first = parser_peek(p);
	uint32_t start = p->position, errors = p->error_count, margin = first->indent;
	bool kernel = first->kind == TOKEN_NAME && first[1].kind == TOKEN_FN,
	     test = first->kind == TOKEN_NAME && !kernel;
	struct definition *d = add_definition(p,
	                                      kernel ? DEFINITION_KERNEL
	                                      : test ? DEFINITION_TEST
	                                             : DEFINITION_FUNCTION,
	                                      first);
	p->layout = (struct layout){.indent = margin};
	p->in_kernel = kernel;
	parser_next(p);
	if (kernel)
		parser_next(p);
	read_definition_name(p, d,
	                     test     ? "the name of the test"
	                     : kernel ? "the name of the kernel"
	                              : "the name of the function");
	if (!test)
		read_signature(p, d, margin);
	bool faulty = p->error_count > errors;
	if (kernel && d->grid_axes == 0 && !faulty) {
		parser_error(p, "E_PARSE_KERNEL", d->name_span, "kernel `%s` has no @grid", d->name);
		parser_hint(p, "write `@grid(n, 256)` after its parameters, `n` being the number of threads");
	}
	read_definition_body(p, d, faulty);
	d->span = parser_span_from(p, first);
	end_definition(p, start, margin, d->body->kind == NODE_BLOCK && d->body->multi_line);
	p->in_kernel = false;
	if (!*d->name) /* nothing can refer to it */
		p->program->definition_count--;
}

static void read_profile(struct parser *p)
{
	const struct token *first = parser_next(p);
	uint32_t start = p->position - 1;
	if (start > 0)
		parser_error(p, "E_PARSE_PROFILE", parser_token_span(first),
		             "the profile is the first line of the file");
	const struct token *t = parser_peek(p);
	if (!parser_at_word(p, "sys") || t->first) {
		parser_expected(p, "`sys` after `profile`");
		parser_fail(p);
	} else {
		parser_next(p);
		p->program->profile_sys = true;
	}
	end_definition(p, start, first->indent, false);
}

/* The word that begins a definition of the larger language; NULL: none does. */
static const struct larger_word *larger_definition(const struct parser *p)
{
	const struct token *t = parser_peek(p), *next = t + 1;
	if (next->first || (next->kind != TOKEN_NAME && next->kind != TOKEN_STRING && next->kind != TOKEN_FN &&
	                    next->kind != TOKEN_OPEN_BRACKET && next->kind != TOKEN_OPEN_BRACE &&
	                    next->kind != TOKEN_OPEN_PARENTHESIS))
		return NULL;
	return parser_larger(p, t, LARGER_DEFINITION);
}

static bool at_definition(const struct parser *p)
{
	const struct token *t = parser_peek(p), *next = t + 1;
	if (t->kind == TOKEN_FN || (parser_at_word(p, "kernel") && next->kind == TOKEN_FN))
		return true;
	return parser_at_word(p, "test") && !next->first && next->kind >= TOKEN_ERROR && next->kind <= TOKEN_WHILE;
}

/* What belongs to no definition: the lines up to the next one give one error. */
static void skip_stray_lines(struct parser *p, bool silent)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_ERROR) {
		parser_expected(p, "a definition");
	} else if (!silent && !(t->kind == TOKEN_CLOSE_BRACE && p->braces)) {
		int n = t->end - t->start > 40 ? 40 : (int)(t->end - t->start);
		parser_error(p, "E_PARSE_EXPECTED", parser_token_span(t), "expected a definition, found `%.*s`", n,
		             p->source->bytes + t->start);
		if (parser_at_word(p, "def") || parser_at_word(p, "func") || parser_at_word(p, "function") ||
		    parser_at_word(p, "kernel"))
			parser_hint(p, "write `%s`", parser_at_word(p, "kernel") ? "kernel fn" : "fn");
		else
			parser_hint(
			    p, "a definition begins with `fn`, `kernel fn` or `test`; a body's lines are indented");
	}
	uint32_t start = p->position;
	do {
		parser_recover(p, start, t->indent, false);
		start = p->position;
	} while (!parser_at(p, TOKEN_END) && !at_definition(p) && !larger_definition(p) &&
	         !parser_at_word(p, "profile"));
}

void parser_definitions(struct parser *p)
{
	while (!parser_at(p, TOKEN_END)) {
		const struct token *t = parser_peek(p);
		const struct larger_word *larger = larger_definition(p);
		uint32_t start = p->position;
		p->layout = (struct layout){.indent = t->indent};
		p->stack_count = p->placeholder_count = p->arguments = 0;
		if (t->first && t->indent > 0 && (at_definition(p) || larger)) {
			parser_error(p, "E_PARSE_INDENT", parser_token_span(t), "definitions begin at the margin");
			parser_hint(p, "remove the blanks before it");
		}
		if (larger) {
			parser_refuse(p, t, larger);
			parser_skip_construct(p, start, t->indent);
		} else if (parser_at_word(p, "profile") && t[1].kind == TOKEN_NAME && !t[1].first) {
			read_profile(p);
		} else if (at_definition(p)) {
			read_definition(p);
		} else {
			skip_stray_lines(p, p->error_line > 0 && p->error_line + 1 >= t->line);
		}
	}
}
