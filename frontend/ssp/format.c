/* Expressions and statements in their one form (spec/sspur.md part 4). */
#include "frontend/ssp/format.h"
#include "utils/base/plain_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in the parser, lowest first (spec 2.4). */
enum precedence {
	PRECEDENCE_STATEMENT,
	PRECEDENCE_OR,
	PRECEDENCE_AND,
	PRECEDENCE_NOT,
	PRECEDENCE_COMPARISON,
	PRECEDENCE_RANGE,
	PRECEDENCE_SUM,
	PRECEDENCE_PRODUCT,
	PRECEDENCE_POWER,
	PRECEDENCE_UNARY,
	PRECEDENCE_POSTFIX,
};

struct operator_form {
	const char *spelling;
	enum precedence precedence;
};

static const struct operator_form operator_forms[] = {
    [OPERATOR_OR] = {"or", PRECEDENCE_OR},
    [OPERATOR_AND] = {"and", PRECEDENCE_AND},
    [OPERATOR_NOT] = {"not", PRECEDENCE_NOT},
    [OPERATOR_EQUAL] = {"==", PRECEDENCE_COMPARISON},
    [OPERATOR_NOT_EQUAL] = {"!=", PRECEDENCE_COMPARISON},
    [OPERATOR_LESS] = {"<", PRECEDENCE_COMPARISON},
    [OPERATOR_LESS_EQUAL] = {"<=", PRECEDENCE_COMPARISON},
    [OPERATOR_GREATER] = {">", PRECEDENCE_COMPARISON},
    [OPERATOR_GREATER_EQUAL] = {">=", PRECEDENCE_COMPARISON},
    [OPERATOR_ADD] = {"+", PRECEDENCE_SUM},
    [OPERATOR_SUBTRACT] = {"-", PRECEDENCE_SUM},
    [OPERATOR_MULTIPLY] = {"*", PRECEDENCE_PRODUCT},
    [OPERATOR_DIVIDE] = {"/", PRECEDENCE_PRODUCT},
    [OPERATOR_REMAINDER] = {"%", PRECEDENCE_PRODUCT},
    [OPERATOR_POWER] = {"**", PRECEDENCE_POWER},
    [OPERATOR_NEGATE] = {"-", PRECEDENCE_UNARY},
};

static void print(struct printer *f, const struct node *n, enum precedence least, enum format_follow follow);

void format_newline(struct printer *f)
{
	text_add_char(f->out, '\n');
	text_add_repeat(f->out, ' ', (size_t)f->level * 2);
	f->after_block = f->commented = false;
}

void format_token(struct printer *f, const char *token)
{
	if (f->after_block)
		format_newline(f);
	text_add(f->out, token);
}

void format_space(struct printer *f)
{
	if (!f->after_block)
		text_add_char(f->out, ' ');
}

/* ---- Literals ---- */

/* Shortest digits with an exponent: 1e30, 1.5e-3. */
static void add_exponent_form(struct text *out, double v)
{
	char digits[40];
	int precision = 0;
	do
		plain_print(digits, sizeof digits, PLAIN_EXPONENT, precision, v);
	while (plain_read_f64(digits, NULL) != v && ++precision < 17);
	char *exponent = strchr(digits, 'e');
	size_t mantissa = (size_t)(exponent - digits);
	while (memchr(digits, '.', mantissa) && (digits[mantissa - 1] == '0' || digits[mantissa - 1] == '.'))
		mantissa--;
	text_add_n(out, digits, mantissa);
	text_add_format(out, "e%d", atoi(exponent + 1));
}

/* A literal that F64 cannot hold keeps its digits. */
static void print_float(struct printer *f, const struct node *n)
{
	double v = fabs(n->real);
	bool zero = strspn(n->string, "0.") == strcspn(n->string, "eE");
	if (signbit(n->real))
		format_token(f, "-");
	format_token(f, "");
	if (isinf(v) || (v == 0 && !zero))
		text_add(f->out, n->string);
	else if (strpbrk(n->string, "eE"))
		add_exponent_form(f->out, v);
	else
		text_add_f64(f->out, v);
}

static void add_escaped(struct text *out, const struct node *text)
{
	for (size_t i = 0; i < text->length; i++) {
		char c = text->string[i];
		switch (c) {
		case '\n': text_add(out, "\\n"); break;
		case '\t': text_add(out, "\\t"); break;
		case '\r': text_add(out, "\\r"); break;
		case '\\':
		case '"':
		case '{':
			text_add_char(out, '\\');
			text_add_char(out, c);
			break;
		default: text_add_char(out, c);
		}
	}
}

static void print_string(struct printer *f, const struct node *n)
{
	format_token(f, "\"");
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (n->parts[i]->kind == NODE_TEXT) {
			add_escaped(f->out, n->parts[i]);
			continue;
		}
		text_add(f->out, "{");
		print(f, n->parts[i], PRECEDENCE_STATEMENT, FOLLOW_NOTHING);
		text_add(f->out, "}");
	}
	text_add(f->out, "\"");
}

/* ---- Parts ---- */

static void print_items(struct printer *f, const struct node *n, const char *open, const char *close)
{
	uint32_t limit = f->limit;
	format_token(f, open);
	for (uint32_t i = 0; i < n->part_count; i++) {
		uint32_t end = i + 1 < n->part_count ? n->parts[i + 1]->span.start : n->span.end;
		f->limit = end < limit ? end : limit;
		if (i) {
			format_token(f, ",");
			format_space(f);
		}
		print(f, n->parts[i], PRECEDENCE_STATEMENT, FOLLOW_NOTHING);
	}
	format_token(f, close);
	f->limit = limit;
}

static void print_names(struct printer *f, const struct pattern_name *names, uint32_t count)
{
	if (count != 1)
		format_token(f, "(");
	for (uint32_t i = 0; i < count; i++) {
		format_token(f, i ? ", " : "");
		format_token(f, names[i].name);
	}
	if (count != 1)
		format_token(f, ")");
}

static void print_type(struct printer *f, const struct type_syntax *s)
{
	struct text text = {0};
	format_type(s, &text);
	format_token(f, text_string(&text));
	text_free(&text);
}

/* ---- Operators ---- */

static void print_binary(struct printer *f, const struct node *n, enum format_follow follow)
{
	const struct operator_form *o = &operator_forms[n->operator_kind];
	bool comparison = o->precedence == PRECEDENCE_COMPARISON, power = o->precedence == PRECEDENCE_POWER;
	print(f, n->left, comparison || power ? o->precedence + 1 : o->precedence, FOLLOW_OPERATOR);
	format_space(f);
	format_token(f, o->spelling);
	format_space(f);
	print(f, n->right, power ? o->precedence : o->precedence + 1, follow);
}

static void print_unary(struct printer *f, const struct node *n, enum format_follow follow)
{
	const struct node *operand = n->left;
	format_token(f, operator_forms[n->operator_kind].spelling);
	if (n->operator_kind == OPERATOR_NOT) {
		format_space(f);
		print(f, operand, PRECEDENCE_NOT, follow);
		return;
	}
	/* `-2` would be one literal. */
	bool literal = (operand->kind == NODE_INT && !operand->negative) ||
	               (operand->kind == NODE_FLOAT && !signbit(operand->real));
	if (literal)
		format_token(f, "(");
	print(f, operand, PRECEDENCE_UNARY, FOLLOW_OPERATOR);
	if (literal)
		format_token(f, ")");
}

static bool is_named(const struct node *n, const char *name)
{
	return n->kind == NODE_NAME && strcmp(n->name, name) == 0;
}

/* `(x.f)(a)` calls what `x.f` gives, and `(shared[i])(n)` makes no shared array. */
static void print_call(struct printer *f, const struct node *n)
{
	const struct node *callee = n->left;
	bool closed = (callee->kind == NODE_METHOD && !callee->has_arguments) ||
	              (callee->kind == NODE_INDEX && is_named(callee->left, "shared"));
	if (closed)
		format_token(f, "(");
	print(f, callee, PRECEDENCE_POSTFIX, FOLLOW_OPERATOR);
	if (closed)
		format_token(f, ")");
	print_items(f, n, "(", ")");
}

static void print_member(struct printer *f, const struct node *n)
{
	bool item = n->kind == NODE_TUPLE_ITEM, literal = item && n->left->kind == NODE_INT && !n->left->negative;
	if (literal) /* `1.0` would be a float */
		format_token(f, "(");
	print(f, n->left, PRECEDENCE_POSTFIX, FOLLOW_OPERATOR);
	if (literal)
		format_token(f, ")");
	format_token(f, ".");
	if (item)
		text_add_format(f->out, "%llu", (unsigned long long)n->number);
	else
		format_token(f, n->name);
	if (n->has_arguments)
		print_items(f, n, "(", ")");
}

/* ---- What ends open ---- */

static bool ends_with_block(const struct node *n)
{
	while (n) {
		switch (n->kind) {
		case NODE_BLOCK: return true;
		case NODE_IF: n = n->right ? n->right : n->left; break;
		case NODE_BINARY:
		case NODE_RANGE:
		case NODE_ASSIGN: n = n->right; break;
		case NODE_UNARY:
		case NODE_BORROW:
		case NODE_LAMBDA:
		case NODE_LET:
		case NODE_RETURN: n = n->left; break;
		case NODE_FOR:
		case NODE_WHILE: return true;
		case NODE_INT:
		case NODE_FLOAT:
		case NODE_BOOL:
		case NODE_STRING:
		case NODE_TEXT:
		case NODE_UNIT:
		case NODE_NAME:
		case NODE_PLACEHOLDER:
		case NODE_LIST:
		case NODE_TUPLE:
		case NODE_INDEX:
		case NODE_TUPLE_ITEM:
		case NODE_CALL:
		case NODE_METHOD:
		case NODE_SHARED:
		case NODE_ERROR: return false;
		}
	}
	return false;
}

static bool takes_what_follows(const struct node *n, enum format_follow follow)
{
	switch (follow) {
	case FOLLOW_NOTHING: return false;
	case FOLLOW_ELSE: return n->kind == NODE_IF && !n->right;
	case FOLLOW_HEAD:
	case FOLLOW_SEMICOLON: return ends_with_block(n);
	case FOLLOW_OPERATOR: return true;
	}
	return false;
}

static void print_block(struct printer *f, const struct node *n, uint32_t from, bool all, enum format_follow follow)
{
	format_token(f, "do");
	if (n->multi_line && f->program) {
		format_lines(f, n, from, all);
		return;
	}
	for (uint32_t i = 0; i < n->part_count; i++) {
		bool last = i + 1 == n->part_count;
		format_token(f, i ? ";" : "");
		format_space(f);
		print(f, n->parts[i], PRECEDENCE_STATEMENT, last ? follow : FOLLOW_SEMICOLON);
	}
}

static void print_branch(struct printer *f, const struct node *n, uint32_t from, bool all, enum format_follow follow)
{
	if (n->kind == NODE_BLOCK)
		print_block(f, n, from, all, follow);
	else
		print(f, n, PRECEDENCE_STATEMENT, follow);
}

static void print_if(struct printer *f, const struct node *n, enum format_follow follow)
{
	uint32_t limit = f->limit;
	format_token(f, "if ");
	print(f, n->condition, PRECEDENCE_OR, FOLLOW_HEAD);
	format_space(f);
	format_token(f, "then ");
	if (n->right && n->right->span.start < limit)
		f->limit = n->right->span.start;
	bool block = n->right && n->right->kind == NODE_BLOCK && n->right->multi_line;
	print_branch(f, n->left, n->condition->span.end, n->right && !block, n->right ? FOLLOW_ELSE : follow);
	f->limit = limit;
	if (!n->right)
		return;
	format_space(f);
	format_token(f, "else ");
	print_branch(f, n->right, n->left->span.end, false, follow);
}

static void print_lambda(struct printer *f, const struct node *n, enum format_follow follow)
{
	if (!n->name) { /* else the body's `_` make it one */
		print_names(f, n->parameters, n->parameter_count);
		format_token(f, " => ");
	}
	print(f, n->left, PRECEDENCE_STATEMENT, follow);
}

/* The body of a loop. */
static void print_body(struct printer *f, const struct node *body, uint32_t from, enum format_follow follow)
{
	if (body->multi_line && f->program) {
		format_lines(f, body, from, false);
		return;
	}
	format_space(f);
	print_branch(f, body, from, false, follow);
}

static void print_loop(struct printer *f, const struct node *n, enum format_follow follow)
{
	const struct node *head = n->kind == NODE_FOR ? n->left : n->condition;
	format_token(f, n->kind == NODE_FOR ? "for " : "while ");
	if (n->kind == NODE_FOR) {
		format_token(f, n->names[0].name);
		format_token(f, " in ");
	}
	print(f, head, PRECEDENCE_OR, FOLLOW_HEAD);
	print_body(f, n->right, head->span.end, follow);
}

static void print_let(struct printer *f, const struct node *n, enum format_follow follow)
{
	format_token(f, n->mutable ? "var " : "");
	print_names(f, n->names, n->name_count);
	format_token(f, " = ");
	print(f, n->left, PRECEDENCE_STATEMENT, follow);
}

static void print_assign(struct printer *f, const struct node *n, enum format_follow follow)
{
	print(f, n->left, PRECEDENCE_POSTFIX, FOLLOW_OPERATOR);
	format_space(f);
	format_token(f, ":= ");
	print(f, n->right, PRECEDENCE_STATEMENT, follow);
}

/* ---- Nodes ---- */

/* Of what stands between operators; open nodes are as good as closed, their end is `follow`'s matter. */
static enum precedence precedence_of(const struct node *n)
{
	switch (n->kind) {
	case NODE_BINARY:
	case NODE_UNARY: return operator_forms[n->operator_kind].precedence;
	case NODE_RANGE: return PRECEDENCE_RANGE;
	case NODE_BORROW: return PRECEDENCE_UNARY;
	case NODE_INT: return n->negative ? PRECEDENCE_UNARY : PRECEDENCE_POSTFIX;
	case NODE_FLOAT: return signbit(n->real) ? PRECEDENCE_UNARY : PRECEDENCE_POSTFIX;
	case NODE_BLOCK:
	case NODE_LET:
	case NODE_ASSIGN:
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_RETURN: return PRECEDENCE_STATEMENT;
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_UNIT:
	case NODE_NAME:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM:
	case NODE_CALL:
	case NODE_METHOD:
	case NODE_LAMBDA:
	case NODE_IF:
	case NODE_SHARED:
	case NODE_ERROR: return PRECEDENCE_POSTFIX;
	}
	return PRECEDENCE_POSTFIX;
}

static void print_plain(struct printer *f, const struct node *n, enum format_follow follow)
{
	switch (n->kind) {
	case NODE_INT:
		format_token(f, n->negative ? "-" : "");
		text_add_format(f->out, "%llu", (unsigned long long)n->number);
		break;
	case NODE_FLOAT: print_float(f, n); break;
	case NODE_BOOL: format_token(f, n->truth ? "true" : "false"); break;
	case NODE_STRING: print_string(f, n); break;
	case NODE_TEXT: add_escaped(f->out, n); break;
	case NODE_UNIT: format_token(f, "()"); break;
	case NODE_NAME: format_token(f, n->name); break;
	case NODE_PLACEHOLDER: format_token(f, "_"); break;
	case NODE_LIST: print_items(f, n, "[", "]"); break;
	case NODE_TUPLE: print_items(f, n, "(", ")"); break;
	case NODE_BINARY: print_binary(f, n, follow); break;
	case NODE_UNARY: print_unary(f, n, follow); break;
	case NODE_RANGE:
		print(f, n->left, PRECEDENCE_SUM, FOLLOW_OPERATOR);
		format_token(f, "..");
		print(f, n->right, PRECEDENCE_SUM, follow);
		break;
	case NODE_INDEX:
		print(f, n->left, PRECEDENCE_POSTFIX, FOLLOW_OPERATOR);
		format_token(f, "[");
		print(f, n->right, PRECEDENCE_STATEMENT, FOLLOW_NOTHING);
		format_token(f, "]");
		break;
	case NODE_TUPLE_ITEM:
	case NODE_METHOD: print_member(f, n); break;
	case NODE_CALL: print_call(f, n); break;
	case NODE_LAMBDA: print_lambda(f, n, follow); break;
	case NODE_IF: print_if(f, n, follow); break;
	case NODE_BORROW:
		format_token(f, n->mutable ? "&mut " : "&");
		print(f, n->left, PRECEDENCE_POSTFIX, FOLLOW_OPERATOR);
		break;
	case NODE_BLOCK: print_block(f, n, n->span.start, false, follow); break;
	case NODE_SHARED:
		format_token(f, "shared[");
		print_type(f, n->type_syntax);
		format_token(f, "](");
		print(f, n->left, PRECEDENCE_STATEMENT, FOLLOW_NOTHING);
		format_token(f, ")");
		break;
	case NODE_LET: print_let(f, n, follow); break;
	case NODE_ASSIGN: print_assign(f, n, follow); break;
	case NODE_FOR:
	case NODE_WHILE: print_loop(f, n, follow); break;
	case NODE_RETURN:
		format_token(f, n->left ? "return " : "return");
		if (n->left)
			print(f, n->left, PRECEDENCE_STATEMENT, follow);
		break;
	case NODE_ERROR: format_token(f, "?"); break; /* in messages alone */
	}
}

static void print(struct printer *f, const struct node *n, enum precedence least, enum format_follow follow)
{
	bool expression = n->kind == NODE_IF || n->kind == NODE_LAMBDA || n->kind == NODE_BLOCK;
	bool closed = precedence_of(n) < least || (expression && takes_what_follows(n, follow));
	if (!closed) {
		print_plain(f, n, follow);
		return;
	}
	uint32_t limit = f->limit;
	f->limit = n->span.end < limit ? n->span.end : limit;
	format_token(f, "(");
	print_plain(f, n, FOLLOW_NOTHING);
	format_token(f, ")");
	f->limit = limit;
}

void format_node(struct printer *f, const struct node *n, enum format_follow follow)
{
	print(f, n, PRECEDENCE_STATEMENT, follow);
}

void format_expression(const struct node *n, struct text *out)
{
	struct printer f = {.out = out, .limit = UINT32_MAX};
	print(&f, n, PRECEDENCE_STATEMENT, FOLLOW_NOTHING);
}

/* ---- Types ---- */

void format_type(const struct type_syntax *s, struct text *out)
{
	if (s->borrow)
		text_add(out, s->borrow_mutable ? "&mut " : "&");
	bool slice = strcmp(s->name, "[]") == 0;
	if (!slice)
		text_add(out, s->name);
	if (s->count == 0)
		return;
	text_add(out, *s->name ? "[" : "(");
	for (uint32_t i = 0; i < s->count; i++) {
		text_add(out, i ? ", " : "");
		format_type(s->arguments[i], out);
	}
	text_add(out, *s->name ? "]" : ")");
}
