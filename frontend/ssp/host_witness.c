/* Why a test is false (spec 3.6): what its report says below the FAIL line. The test's last expression is evaluated
 * here, in the same order and once, and the values of its operands are kept until it is known to be false. */
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_internal.h"

enum { TEXT_MOST = 200, LABEL_MOST = 60, EXPRESSION_MOST = 120 }; /* bytes of a value, an argument, an expression */

/* ---- Text ---- */

/* Cuts what t has from `start` on to `most` bytes, at the end of a code point. */
static bool shorten(struct text *t, size_t start, size_t most)
{
	if (t->length - start <= most)
		return false;
	size_t end = start + most;
	while (((unsigned char)t->data[end] & 0xc0) == 0x80)
		end--;
	t->length = end;
	text_add(t, "...");
	return true;
}

static void add_expression(struct text *out, const struct node *n, size_t most)
{
	size_t start = out->length;
	format_expression(n, out);
	shorten(out, start, most);
}

static bool add_value(struct text *out, struct value v)
{
	size_t start = out->length;
	value_print(out, v, true);
	bool cut = shorten(out, start, TEXT_MOST);
	if (cut && v.kind == VALUE_LIST)
		text_add_format(out, " (%lld elements)", (long long)v.list->count);
	text_add_char(out, '\n');
	return cut;
}

static void add_named(struct text *out, const char *name, struct value v)
{
	text_add_format(out, "    %s: ", name);
	add_value(out, v);
}

/* The line of an expression that decided. */
static void add_head(struct task *t, const struct node *n)
{
	struct text *out = &t->witness->text;
	const struct source *source = t->host->program->source;
	struct place place = source_place(source, n->span.start);
	text_add_format(out, "  at %s:%u:%u: ", source->name, place.line, place.column);
	add_expression(out, n, EXPRESSION_MOST);
	text_add_char(out, '\n');
}

/* Where two lists that are too long to print whole begin to differ. */
static void add_difference(struct text *out, const struct list *a, const struct list *b)
{
	for (int64_t i = 0; i < a->count && i < b->count; i++) {
		struct value x = list_item(a, i), y = list_item(b, i);
		bool equal = value_equal(x, y);
		if (!equal) {
			text_add_format(out, "    first difference: element %lld\n", (long long)i);
			add_named(out, "left", x);
			add_named(out, "right", y);
		}
		value_release(x);
		value_release(y);
		if (!equal)
			return;
	}
}

/* ---- Comparisons ---- */

static bool is_comparison(const struct node *n)
{
	return n->kind == NODE_BINARY && n->operator_kind >= OPERATOR_EQUAL &&
	       n->operator_kind <= OPERATOR_GREATER_EQUAL;
}

static void add_comparison(struct task *t, const struct node *n, const struct value operands[2])
{
	struct text *out = &t->witness->text;
	add_head(t, n);
	text_add(out, "    left: ");
	bool cut = add_value(out, operands[0]);
	text_add(out, "    right: ");
	cut |= add_value(out, operands[1]);
	if (cut && operands[0].kind == VALUE_LIST && n->operator_kind == OPERATOR_EQUAL)
		add_difference(out, operands[0].list, operands[1].list);
}

static bool explain_comparison(struct task *t, const struct node *n, bool wrong)
{
	struct value *a = t->top;
	if (!evaluate(t, n->left) || !evaluate(t, n->right))
		return false;
	const struct value operands[2] = {a[0], a[1]};
	for (int i = 0; i < 2; i++)
		value_retain(operands[i]);
	bool good = binary_operation(t, n, a);
	if (good && t->top[-1].truth == wrong)
		add_comparison(t, n, operands);
	for (int i = 0; i < 2; i++)
		value_release(operands[i]);
	return good;
}

/* ---- Calls ---- */

static bool is_worth_showing(const struct node *n)
{
	return n->kind != NODE_INT && n->kind != NODE_FLOAT && n->kind != NODE_BOOL && n->kind != NODE_LAMBDA &&
	       !(n->kind == NODE_STRING && is_constant(n)) && n->type->kind != TYPE_FUNCTION;
}

static void keep(struct witness *w, const struct node *shown, struct value v)
{
	w->shown[w->count] = shown;
	w->values[w->count++] = v;
	value_retain(v);
}

static bool watch(struct task *t, const struct node *n, uint32_t count)
{
	struct witness *w = t->witness;
	if (!w || w->watched != n)
		return false;
	w->watched = NULL;
	w->shown = memory_zeroed(count + 1, sizeof *w->shown);
	w->values = memory_zeroed(count + 1, sizeof *w->values);
	return true;
}

void witness_arguments(struct task *t, const struct node *n, const struct value *a)
{
	uint32_t count = argument_count(n);
	if (!watch(t, n, count))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (is_worth_showing(argument(n, i)))
			keep(t->witness, argument(n, i), a[i]);
}

void witness_source(struct task *t, const struct node *n, const struct node *source, struct value v)
{
	if (watch(t, n, 1))
		keep(t->witness, source, v);
}

static void add_call(struct task *t, const struct node *n)
{
	struct witness *w = t->witness;
	add_head(t, n);
	for (uint32_t i = 0; i < w->count; i++) {
		text_add(&w->text, "    ");
		add_expression(&w->text, w->shown[i], LABEL_MOST);
		text_add(&w->text, ": ");
		add_value(&w->text, w->values[i]);
	}
}

static bool explain_call(struct task *t, const struct node *n, bool wrong)
{
	struct witness *w = t->witness;
	w->watched = n;
	bool good = evaluate(t, n);
	w->watched = NULL;
	if (good && t->top[-1].truth == wrong)
		add_call(t, n);
	for (uint32_t i = 0; i < w->count; i++)
		value_release(w->values[i]);
	free(w->shown);
	free(w->values);
	w->shown = NULL;
	w->values = NULL;
	w->count = 0;
	return good;
}

/* ---- Expressions ---- */

/* Evaluates n; says why, should the value be `wrong`: false, but within a `not`. */
static bool explain(struct task *t, const struct node *n, bool wrong);

/* What one side said is taken back when the other decides. */
static bool explain_both(struct task *t, const struct node *n, bool wrong)
{
	struct text *out = &t->witness->text;
	size_t before = out->length;
	if (!explain(t, n->left, wrong))
		return false;
	if (t->top[-1].truth != (n->operator_kind == OPERATOR_OR)) {
		t->top--;
		if (!explain(t, n->right, wrong))
			return false;
	}
	if (t->top[-1].truth != wrong)
		out->length = before;
	return true;
}

static bool explain_not(struct task *t, const struct node *n, bool wrong)
{
	struct value *a = t->top;
	return explain(t, n->left, !wrong) && unary_operation(t, n, a);
}

/* A block or a branch: its last expression. */
static bool explain_block(struct task *t, const struct node *n, bool wrong)
{
	for (uint32_t i = 0; i + 1 < n->part_count; i++)
		if (!execute(t, n->parts[i]))
			return false;
	return explain(t, n->parts[n->part_count - 1], wrong);
}

static bool explain_if(struct task *t, const struct node *n, bool wrong)
{
	if (!evaluate(t, n->condition))
		return false;
	return explain(t, pop(t).truth ? n->left : n->right, wrong);
}

static bool explain(struct task *t, const struct node *n, bool wrong)
{
	if (!stack_left(t, n))
		return false;
	if (n->kind == NODE_BLOCK && n->part_count > 0)
		return explain_block(t, n, wrong);
	if (n->kind == NODE_IF && n->right)
		return explain_if(t, n, wrong);
	if (n->kind == NODE_UNARY && n->operator_kind == OPERATOR_NOT)
		return explain_not(t, n, wrong);
	if (n->kind == NODE_BINARY && (n->operator_kind == OPERATOR_AND || n->operator_kind == OPERATOR_OR))
		return explain_both(t, n, wrong);
	if (is_comparison(n))
		return explain_comparison(t, n, wrong);
	if (n->kind == NODE_CALL || n->kind == NODE_METHOD)
		return explain_call(t, n, wrong);
	if (!evaluate(t, n))
		return false;
	if (t->top[-1].kind == VALUE_BOOL && t->top[-1].truth == wrong)
		add_head(t, n);
	return true;
}

bool witness_evaluate(struct task *t, const struct node *n)
{
	t->witness->frame = t->frame;
	return explain(t, n, false);
}

bool witness_returns(const struct task *t)
{
	return t->witness && t->witness->frame == t->frame && t->witness->frame;
}

/* ---- Contracts ---- */

void witness_named(struct task *t, const char *name, struct value v)
{
	if (t->host->tests)
		add_named(&t->trap.details, name, v);
}

void witness_parameters(struct task *t, const struct definition *d)
{
	for (uint32_t i = 0; i < d->parameter_count; i++)
		witness_named(t, d->parameters[i].name, t->frame->slots[d->parameters[i].variable->slot]);
}
