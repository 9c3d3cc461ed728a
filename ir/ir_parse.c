/* The parser of the text form: modules, types and kernel headers. Bodies are in ir_parse_body.c. */
#include "ir/ir_parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_text.h"
#include "ir/ir_verify.h"
#include "ir/ir_words.h"

/* ---- Tokens ---- */

bool ir_parse_fail(struct ir_parser *p, const char *code, struct span span, const char *format, ...)
{
	if (p->lexer.errors++ < IR_PARSE_ERRORS) {
		struct text message = {0};
		va_list args;
		va_start(args, format);
		text_add_format_v(&message, format, args);
		va_end(args);
		diagnostic_add(p->lexer.diagnostics, code, span, "%s", text_string(&message));
		text_free(&message);
	}
	if (p->lexer.errors >= IR_PARSE_ERRORS) {
		p->lexer.offset = p->lexer.source->length;
		ir_parse_next(p);
	}
	return false;
}

void ir_parse_next(struct ir_parser *p)
{
	p->token = ir_lex(&p->lexer);
}

bool ir_parse_is_mark(const struct ir_parser *p, char mark)
{
	return p->token.kind == IR_TOKEN_MARK && p->token.mark == mark;
}

bool ir_parse_is_word(const struct ir_parser *p, const char *word)
{
	return p->token.kind == IR_TOKEN_WORD && strcmp(p->token.text, word) == 0;
}

bool ir_parse_accept(struct ir_parser *p, char mark)
{
	if (!ir_parse_is_mark(p, mark))
		return false;
	ir_parse_next(p);
	return true;
}

bool ir_parse_mark(struct ir_parser *p, char mark)
{
	return ir_parse_accept(p, mark) || ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected `%c`", mark);
}

const char *ir_parse_name(struct ir_parser *p, const char *what)
{
	if (p->token.kind != IR_TOKEN_WORD && p->token.kind != IR_TOKEN_STRING) {
		ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected %s", what);
		return NULL;
	}
	const char *name = p->token.text;
	ir_parse_next(p);
	return name;
}

static int digit_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : 99;
}

bool ir_parse_digits(const char *text, bool *negative, uint64_t *magnitude)
{
	*negative = *text == '-';
	text += *negative;
	bool hexadecimal = text[0] == '0' && text[1] == 'x';
	text += hexadecimal ? 2 : 0;
	unsigned base = hexadecimal ? 16 : 10;
	*magnitude = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned)digit_value(*text);
		if (digit >= base || __builtin_mul_overflow(*magnitude, (uint64_t)base, magnitude) ||
		    __builtin_add_overflow(*magnitude, (uint64_t)digit, magnitude))
			return false;
	}
	return true;
}

bool ir_parse_u64(struct ir_parser *p, const char *what, uint64_t *value)
{
	bool negative;
	if (p->token.kind != IR_TOKEN_NUMBER || !ir_parse_digits(p->token.text, &negative, value) || negative)
		return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected %s", what);
	ir_parse_next(p);
	return true;
}

static bool parse_u32(struct ir_parser *p, const char *what, uint32_t *value)
{
	struct span span = p->token.span;
	uint64_t number;
	if (!ir_parse_u64(p, what, &number))
		return false;
	*value = (uint32_t)number;
	return number <= UINT32_MAX || ir_parse_fail(p, "E_KIR_SYNTAX", span, "expected %s", what);
}

void ir_parse_place(struct ir_parser *p, struct place *place)
{
	if (p->token.kind != IR_TOKEN_PLACE)
		return;
	*place = p->token.place;
	ir_parse_next(p);
}

/* An optional LINE:COLUMN. */
static bool parse_bare_place(struct ir_parser *p, struct place *place)
{
	if (p->token.kind != IR_TOKEN_NUMBER)
		return true;
	return parse_u32(p, "a line", &place->line) && ir_parse_mark(p, ':') &&
	       parse_u32(p, "a column", &place->column);
}

void ir_parse_skip_line(struct ir_parser *p, uint32_t start)
{
	for (unsigned depth = 0; p->token.kind != IR_TOKEN_END;) {
		bool at_start = p->token.span.start == start;
		if (depth == 0 && (ir_parse_is_mark(p, '}') || (p->token.starts_line && !at_start)))
			return;
		if (ir_parse_is_mark(p, '{'))
			depth++;
		else if (ir_parse_is_mark(p, '}'))
			depth--;
		ir_parse_next(p);
	}
}

/* ---- Types ---- */

static const struct ir_type *fail_type(struct ir_parser *p, struct span span, const char *message)
{
	ir_parse_fail(p, "E_KIR_TYPE", span, "%s", message);
	return NULL;
}

static const struct ir_type *named_type(struct ir_parser *p)
{
	struct ir_token token = p->token;
	ir_parse_next(p);
	if (token.kind == IR_TOKEN_WORD)
		for (int kind = IR_TYPE_bool; kind < IR_TYPE_array; kind++)
			if (strcmp(token.text, ir_type_kind_name((enum ir_type_kind)kind)) == 0)
				return &ir_types[kind];
	const struct ir_type *type = ir_type_find_struct(p->module, token.text);
	return type ? type : fail_type(p, token.span, "no type of this name was declared before");
}

static const struct ir_type *parse_nested_type(struct ir_parser *p, unsigned depth)
{
	if (p->token.kind == IR_TOKEN_WORD || p->token.kind == IR_TOKEN_STRING)
		return named_type(p);
	struct span span = p->token.span;
	if (!ir_parse_is_mark(p, '[')) {
		ir_parse_fail(p, "E_KIR_SYNTAX", span, "expected a type");
		return NULL;
	}
	if (depth > IR_MAX_TYPE_DEPTH)
		return fail_type(p, span, "arrays are nested too deep");
	ir_parse_next(p);
	uint64_t count;
	if (!ir_parse_u64(p, "the count of an array's elements", &count))
		return NULL;
	if (!ir_parse_is_word(p, "x")) {
		ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected `x` and the array's element type");
		return NULL;
	}
	ir_parse_next(p);
	const struct ir_type *element = parse_nested_type(p, depth + 1);
	if (!element || !ir_parse_mark(p, ']'))
		return NULL;
	const struct ir_type *type = ir_type_array(p->module, element, count);
	return type ? type
	            : fail_type(p, span,
	                        "an array has one element at least, and not more than 2 GiB or 64 types inside");
}

const struct ir_type *ir_parse_type(struct ir_parser *p)
{
	return parse_nested_type(p, 0);
}

static bool parse_struct(struct ir_parser *p)
{
	struct span span = p->token.span;
	struct ir_field *fields = NULL;
	uint32_t count = 0, capacity = 0;
	const char *name = ir_parse_name(p, "the name of a struct");
	if (!name || !ir_parse_mark(p, '{'))
		return false;
	while (!ir_parse_is_mark(p, '}')) {
		struct ir_field field = {0};
		if (count && !ir_parse_mark(p, ','))
			return false;
		field.name = ir_parse_name(p, "the name of a field");
		if (!field.name || !ir_parse_mark(p, ':') || !(field.type = ir_parse_type(p)))
			return false;
		*ARENA_PUSH(&p->scratch, fields, count, capacity) = field;
	}
	ir_parse_next(p);
	if (ir_type_find_struct(p->module, name))
		return ir_parse_fail(p, "E_KIR_NAME", span, "two structs have this name");
	if (!ir_type_struct(p->module, name, fields, count))
		return ir_parse_fail(
		    p, "E_KIR_TYPE", span,
		    "a struct has 1 to 1024 fields of different names, and not more than 2 GiB or 64 types inside");
	return true;
}

/* ---- Kernel headers ---- */

/* The first of two things of one name is found; the verifier reports the second. */
static void define(struct ir_parser *p, struct table *t, const char *name, void *value)
{
	t->arena = &p->scratch;
	if (!table_get(t, name))
		table_set(t, name, value);
}

static bool parse_parameter(struct ir_parser *p)
{
	struct ir_kernel *k = p->kernel;
	const char *name = ir_parse_name(p, "the name of a parameter");
	if (!name || !ir_parse_mark(p, ':'))
		return false;
	bool buffer = ir_parse_accept(p, '&'), writable = false;
	if (buffer) {
		writable = ir_parse_is_word(p, "mut");
		if (writable)
			ir_parse_next(p);
		if (!ir_parse_mark(p, '['))
			return false;
	}
	const struct ir_type *type = ir_parse_type(p);
	if (!type || (buffer && !ir_parse_mark(p, ']')))
		return false;
	if (buffer)
		define(p, &p->memories, name, ir_add_buffer(k, name, type, writable));
	else if (ir_type_is_scalar(type))
		ir_add_scalar(k, name, type);
	else
		define(p, &p->memories, name, ir_add_value(k, name, type));
	define(p, &p->parameters, name, (void *)(uintptr_t)k->parameter_count);
	ir_parse_place(p, &k->parameters[k->parameter_count - 1].place);
	return true;
}

static bool parse_parameters(struct ir_parser *p)
{
	if (!ir_parse_mark(p, '('))
		return false;
	while (!ir_parse_accept(p, ')'))
		if ((p->kernel->parameter_count && !ir_parse_mark(p, ',')) || !parse_parameter(p))
			return false;
	return true;
}

static bool parse_source(struct ir_parser *p)
{
	if (p->token.kind == IR_TOKEN_STRING) {
		p->kernel->file = arena_string(&p->module->arena, p->token.text);
		ir_parse_next(p);
	}
	return parse_bare_place(p, &p->kernel->place);
}

static bool parse_policy(struct ir_parser *p)
{
	for (enum ir_policy policy = IR_POLICY_STOP; policy <= IR_POLICY_PROVED; policy++)
		if (ir_parse_is_word(p, ir_policy_word(policy))) {
			p->kernel->policy = policy;
			ir_parse_next(p);
			return true;
		}
	return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected `stop`, `record` or `proved`");
}

static bool parse_index(struct ir_parser *p)
{
	const struct ir_type *type = ir_parse_type(p);
	if (type)
		p->kernel->index = type->kind;
	return type != NULL;
}

static bool parse_group(struct ir_parser *p)
{
	uint8_t axes = 0;
	do {
		if (axes == 3)
			return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "a grid has three axes at most");
		if (!parse_u32(p, "the size of a group", &p->kernel->group[axes]))
			return false;
		axes++;
	} while (ir_parse_accept(p, ','));
	p->kernel->axes = axes;
	return true;
}

/* `bytes "00ff"`: two digits a byte of the type. */
static bool parse_init(struct ir_parser *p, const struct ir_type *type, uint8_t **init)
{
	if (!ir_parse_accept(p, '='))
		return true;
	if (!ir_parse_is_word(p, "bytes"))
		return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span,
		                     "expected `bytes` and a string of hexadecimal digits");
	ir_parse_next(p);
	if (p->token.kind != IR_TOKEN_STRING)
		return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected a string of hexadecimal digits");
	const char *digits = p->token.text;
	if (strlen(digits) != (size_t)type->size * 2)
		return ir_parse_fail(p, "E_KIR_TYPE", p->token.span, "the type has %u bytes, of two digits each",
		                     type->size);
	*init = arena_alloc(&p->scratch, type->size);
	for (uint32_t i = 0; i < type->size; i++) {
		int high = digit_value(digits[2 * i]), low = digit_value(digits[2 * i + 1]);
		if (high > 15 || low > 15)
			return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span,
			                     "expected a string of hexadecimal digits");
		(*init)[i] = (uint8_t)(high * 16 + low);
	}
	ir_parse_next(p);
	return true;
}

static bool parse_memory(struct ir_parser *p, bool table, bool global)
{
	const char *name = ir_parse_name(p, "a name");
	const struct ir_type *type = name && ir_parse_mark(p, ':') ? ir_parse_type(p) : NULL;
	uint8_t *init = NULL;
	if (!type || !parse_init(p, type, &init))
		return false;
	struct ir_memory *memory = (table ? ir_add_table : ir_add_private)(p->kernel, name, type, init);
	memory->global = global;
	define(p, &p->memories, name, memory);
	return true;
}

static bool parse_shared(struct ir_parser *p)
{
	const char *name = ir_parse_name(p, "a name");
	const struct ir_type *type = name && ir_parse_mark(p, ':') ? ir_parse_type(p) : NULL;
	if (!type)
		return false;
	bool zeroed = ir_parse_is_word(p, "zeroed") && !p->token.starts_line;
	if (zeroed)
		ir_parse_next(p);
	define(p, &p->memories, name, ir_add_shared(p->kernel, name, type, zeroed));
	return true;
}

static bool parse_local(struct ir_parser *p)
{
	const char *name = ir_parse_name(p, "the name of a local");
	const struct ir_type *type = name && ir_parse_mark(p, ':') ? ir_parse_type(p) : NULL;
	if (type)
		define(p, &p->locals, name, ir_add_local(p->kernel, name, type));
	return type != NULL;
}

static bool parse_expression(struct ir_parser *p, struct ir_expression *e)
{
	if (p->token.kind == IR_TOKEN_STRING) {
		e->text = arena_string(&p->module->arena, p->token.text);
		ir_parse_next(p);
	}
	if (!parse_bare_place(p, &e->place) || !ir_parse_mark(p, '{'))
		return false;
	ir_parse_region(p, &e->region, NULL, 0);
	return ir_parse_mark(p, '}');
}

static bool parse_grid(struct ir_parser *p)
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		if (!ir_parse_is_word(p, ir_axis_word(axis)))
			continue;
		struct ir_expression *e = &p->kernel->grid[axis];
		if (e->region.first || e->text)
			return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "the axis has two grid expressions");
		ir_parse_next(p);
		return parse_expression(p, e);
	}
	return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected an axis: `x`, `y` or `z`");
}

static bool parse_header_line(struct ir_parser *p)
{
	static const char *const words[] = {"source", "policy", "index", "group", "table", "private",
	                                    "global", "shared", "local", "pre",   "grid"};
	unsigned which = 0, count = sizeof words / sizeof *words;
	while (which < count && !ir_parse_is_word(p, words[which]))
		which++;
	if (which == count)
		return ir_parse_fail(
		    p, "E_KIR_SYNTAX", p->token.span,
		    "expected source, policy, index, group, table, private, global, shared, local, pre, grid, "
		    "or the body's `{`");
	ir_parse_next(p);
	bool sound = which == 0   ? parse_source(p)
	             : which == 1 ? parse_policy(p)
	             : which == 2 ? parse_index(p)
	             : which == 3 ? parse_group(p)
	             : which <= 6 ? parse_memory(p, which == 4, which == 6)
	             : which == 7 ? parse_shared(p)
	             : which == 8 ? parse_local(p)
	             : which == 9 ? parse_expression(p, ir_add_pre(p->kernel, NULL))
	                          : parse_grid(p);
	if (sound && !p->token.starts_line && !ir_parse_is_mark(p, '{'))
		return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected the end of the line");
	return sound;
}

/* ---- Kernels and modules ---- */

struct fault_context {
	struct ir_parser *parser;
	struct span kernel;
};

static void report_fault(void *context, const struct ir_instruction *i, const char *sentence)
{
	struct fault_context *c = context;
	struct ir_parser *p = c->parser;
	if (i && i->id < p->span_count)
		ir_parse_fail(p, "E_KIR_VERIFY", p->spans[i->id], "%s: %s", ir_op_infos[i->op].name, sentence);
	else
		ir_parse_fail(p, "E_KIR_VERIFY", c->kernel, "%s", sentence);
}

/* After an error outside a body, where no `}` is awaited. */
static void skip_wrong(struct ir_parser *p, uint32_t start)
{
	if (!ir_parse_accept(p, '}'))
		ir_parse_skip_line(p, start);
}

static void parse_kernel(struct ir_parser *p)
{
	unsigned errors = p->lexer.errors;
	struct span span = p->token.span;
	p->values = p->parameters = p->memories = p->locals = (struct table){.arena = &p->scratch};
	p->span_count = 0;
	bool marked = ir_parse_mark(p, '@');
	if (marked)
		span.end = p->token.span.end;
	const char *name = marked ? ir_parse_name(p, "the name of a kernel") : NULL;
	if (name && table_set(&p->kernels, name, p))
		ir_parse_fail(p, "E_KIR_NAME", span, "two kernels have this name");
	p->kernel = ir_kernel_new(p->module, name ? name : "");
	if (!name || !parse_parameters(p))
		while (p->token.kind != IR_TOKEN_END && !p->token.starts_line && !ir_parse_is_mark(p, '{'))
			ir_parse_next(p);
	while (!ir_parse_is_mark(p, '{') && p->token.kind != IR_TOKEN_END && !ir_parse_is_word(p, "kernel")) {
		uint32_t start = p->token.span.start;
		if (!parse_header_line(p))
			skip_wrong(p, start);
	}
	if (ir_parse_mark(p, '{')) {
		ir_parse_region(p, &p->kernel->body, NULL, 0);
		ir_parse_mark(p, '}');
	}
	if (p->lexer.errors == errors)
		ir_verify_each(p->kernel, report_fault, &(struct fault_context){p, span});
	/* Only now: the spans are by the ids that the instructions had as they were made. */
	ir_kernel_number(p->kernel);
}

static bool parse_file(struct ir_parser *p)
{
	uint32_t id = 0;
	struct span span = p->token.span;
	if (!parse_u32(p, "the file's id", &id))
		return false;
	for (uint32_t n = 0; n < p->module->file_count; n++)
		if (p->module->files[n].id == id)
			return ir_parse_fail(p, "E_KIR_NAME", span, "two files have this id");
	if (id == 0)
		return ir_parse_fail(p, "E_KIR_SYNTAX", span, "a file's id is from 1");
	if (p->token.kind != IR_TOKEN_STRING)
		return ir_parse_fail(p, "E_KIR_SYNTAX", p->token.span, "expected the file's name in quotes");
	ir_add_file(p->module, id, p->token.text);
	ir_parse_next(p);
	return true;
}

struct ir_module *ir_parse(const struct source *source, struct diagnostics *d)
{
	struct ir_parser p = {.lexer = {.source = source, .diagnostics = d}};
	p.lexer.arena = p.kernels.arena = &p.scratch;
	p.module = ir_module_new();
	ir_parse_next(&p);
	while (p.token.kind != IR_TOKEN_END) {
		uint32_t start = p.token.span.start;
		if (ir_parse_is_word(&p, "file")) {
			ir_parse_next(&p);
			if (!parse_file(&p))
				skip_wrong(&p, start);
		} else if (ir_parse_is_word(&p, "struct")) {
			ir_parse_next(&p);
			if (!parse_struct(&p))
				skip_wrong(&p, start);
		} else if (ir_parse_is_word(&p, "kernel")) {
			ir_parse_next(&p);
			parse_kernel(&p);
		} else {
			ir_parse_fail(&p, "E_KIR_SYNTAX", p.token.span, "expected `file`, `struct` or `kernel`");
			skip_wrong(&p, start);
		}
	}
	bool sound = p.lexer.errors == 0;
	arena_free(&p.scratch);
	if (sound)
		return p.module;
	ir_module_free(p.module);
	return NULL;
}
