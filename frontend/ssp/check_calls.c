#include <string.h>

#include "frontend/ssp/check.h"

/* ---- Arguments ---- */

bool check_arity(struct checker *c, struct span span, const char *name, uint32_t given, uint32_t minimum,
                 uint32_t maximum)
{
	if (given >= minimum && given <= maximum)
		return true;
	if (given < minimum && minimum != maximum)
		diagnostic_add(c->diagnostics, "E_ARITY", span, "`%s` takes %u or more arguments, %u given", name,
		               minimum, given);
	else
		diagnostic_add(c->diagnostics, "E_ARITY", span, "`%s` takes %u argument%s, %u given", name, minimum,
		               minimum == 1 ? "" : "s", given);
	return false;
}

void check_argument(struct checker *c, struct node *n, struct type *expected)
{
	if (type_resolve(expected)->kind == TYPE_FUNCTION) {
		check_function_argument(c, n, type_resolve(expected));
		return;
	}
	check_value(c, n);
	check_expect(c, n, expected);
}

void check_arguments_loosely(struct checker *c, struct node *n)
{
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct node *argument = n->parts[i];
		if (argument->kind == NODE_LAMBDA)
			check_set_type(c, argument, check_lambda(c, argument, &type_error));
		else if (argument->kind == NODE_BORROW)
			check_set_type(c, argument, check_value(c, argument->left));
		else
			check_expression(c, argument);
		check_poison(argument->type);
	}
}

/* ---- Names as values ---- */

static struct type *function_type(struct checker *c, const struct definition *d)
{
	struct type *t = type_new(&c->p->arena, TYPE_FUNCTION, 0);
	t->count = d->parameter_count + 1;
	t->items = ARENA_ARRAY(&c->p->arena, struct type *, t->count);
	for (uint32_t i = 0; i < d->parameter_count; i++)
		t->items[i] = d->parameters[i].variable->type;
	t->items[d->parameter_count] = d->result;
	t->effects = d->effects;
	return t;
}

static void set_definition(struct node *n, struct definition *d)
{
	n->reference = d->kind == DEFINITION_KERNEL ? REFERENCE_KERNEL : REFERENCE_FUNCTION;
	n->definition = d;
}

static struct type *report_device(struct checker *c, const struct node *n, const struct definition *d)
{
	struct diagnostic *item = diagnostic_add(c->diagnostics, "E_KERNEL_DEVICE", n->at,
	                                         "`%s` is a device fn: only kernels can call it", d->name);
	diagnostic_hint(c->diagnostics, item, "write a fn over `F64` and `Int`, which the host and kernels can call");
	return &type_error;
}

static struct type *check_definition_name(struct checker *c, struct node *n, struct definition *d)
{
	set_definition(n, d);
	if (d->kind == DEFINITION_KERNEL) {
		struct diagnostic *item =
		    diagnostic_add(c->diagnostics, "E_KERNEL_VALUE", n->span,
		                   "the kernel `%s` is not a value: it can only be launched", d->name);
		diagnostic_hint(c->diagnostics, item, "launch it in a lambda or a fn: `%s(...)`", d->name);
		return &type_error;
	}
	if (d->is_device)
		return report_device(c, n, d);
	return check_signature_known(d) ? function_type(c, d) : &type_error;
}

struct type *check_name(struct checker *c, struct node *n)
{
	const char *name = n->name;
	struct binding *b = check_find_local(c, name);
	if (b) {
		check_use_local(c, n, b);
		return n->type;
	}
	struct definition *d = check_find_definition(c, name);
	if (d)
		return check_definition_name(c, n, d);
	int builtin = check_find_global(name);
	if (builtin >= 0) {
		struct diagnostic *item = diagnostic_add(c->diagnostics, "E_UNSUPPORTED", n->span,
		                                         "the builtin `%s` as a value is not supported here", name);
		diagnostic_hint(c->diagnostics, item, "call it: `%s(%s)`", name,
		                builtin_infos[builtin].minimum ? "..." : "");
		return &type_error;
	}
	check_unknown_value(c, n);
	return &type_error;
}

/* ---- Calls ---- */

static struct type *check_function_call(struct checker *c, struct node *n, struct definition *d)
{
	uint32_t receivers = n->kind == NODE_METHOD;
	if (d->is_device || !check_signature_known(d)) {
		check_arguments_loosely(c, n);
		return d->is_device ? report_device(c, n, d) : &type_error;
	}
	if (!check_arity(c, n->at, d->name, n->part_count + receivers, d->parameter_count, d->parameter_count)) {
		check_arguments_loosely(c, n);
		return d->result;
	}
	if (receivers)
		check_expect(c, n->left, d->parameters[0].variable->type);
	for (uint32_t i = 0; i < n->part_count; i++)
		check_argument(c, n->parts[i], d->parameters[i + receivers].variable->type);
	check_perform(c, d->effects, n->at);
	return d->result;
}

static void report_not_callable(struct checker *c, const struct node *n, const struct type *f)
{
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_NOT_CALLABLE", n->left->span,
	                                      "this is no function: its type is %s", check_type_text(c, f));
	if (f->kind == TYPE_LIST && n->part_count == 1 && n->left->kind == NODE_NAME)
		diagnostic_hint(c->diagnostics, d, "an element is written `%s[...]`", n->left->name);
}

/* The callee is checked. */
struct type *check_call_value(struct checker *c, struct node *n)
{
	n->builtin = -1;
	struct type *f = type_resolve(n->left->type);
	if (f->kind != TYPE_FUNCTION) {
		check_arguments_loosely(c, n);
		if (f->kind == TYPE_VARIABLE)
			diagnostic_add(c->diagnostics, "E_INFER", n->left->span,
			               "the type of this must be known before it is called");
		else if (f->kind != TYPE_ERROR)
			report_not_callable(c, n, f);
		check_poison(f);
		return &type_error;
	}
	const char *name = n->left->kind == NODE_NAME ? n->left->name : "the function";
	if (!check_arity(c, n->at, name, n->part_count, f->count - 1, f->count - 1)) {
		check_arguments_loosely(c, n);
		return f->items[f->count - 1];
	}
	for (uint32_t i = 0; i < n->part_count; i++)
		check_argument(c, n->parts[i], f->items[i]);
	check_perform(c, f->effects, n->at);
	return f->items[f->count - 1];
}

struct type *check_call_name(struct checker *c, struct node *n)
{
	struct node *callee = n->left;
	n->builtin = -1;
	struct binding *b = check_find_local(c, callee->name);
	if (b) {
		check_use_local(c, callee, b);
		return check_call_value(c, n);
	}
	struct definition *d = check_find_definition(c, callee->name);
	if (d) {
		set_definition(callee, d);
		set_definition(n, d);
		check_set_type(c, callee, &type_unit); /* no value */
		return d->kind == DEFINITION_KERNEL ? check_launch(c, n, d) : check_function_call(c, n, d);
	}
	int builtin = check_find_global(callee->name);
	if (builtin >= 0) {
		callee->reference = n->reference = REFERENCE_BUILTIN;
		callee->builtin = n->builtin = builtin;
		check_set_type(c, callee, &type_unit);
		return builtin == BUILTIN_par ? check_par(c, n) : check_builtin(c, n, builtin);
	}
	check_unknown_value(c, callee);
	check_set_type(c, callee, &type_error);
	check_arguments_loosely(c, n);
	return &type_error;
}

/* ---- Methods (spec 2.4: `x.f(a)` as a method or as `f(x, a)`) ---- */

static struct type *report_unknown_method(struct checker *c, struct node *n, struct type *receiver)
{
	struct definition *kernel = check_find_definition(c, n->name);
	struct suggestion s = check_suggestion(c, n->name);
	check_suggest_methods(&s, receiver);
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_UNKNOWN_METHOD", n->at, "%s has no method `%s`",
	                                      check_type_text(c, receiver), n->name);
	struct type *other = s.best ? NULL : check_implied_receiver(c, n->span, n->name);
	if (kernel && kernel->kind == DEFINITION_KERNEL)
		diagnostic_hint(c->diagnostics, d, "`%s` is a kernel: launch it as `%s(...)`", n->name, n->name);
	else if (other == &type_f64 && receiver->kind == TYPE_INT)
		diagnostic_hint(c->diagnostics, d, "F64 has it: write `.to_f64.%s`", n->name);
	else if (other)
		diagnostic_hint(c->diagnostics, d, "`%s` is a method of %s", n->name,
		                other->kind == TYPE_LIST ? "lists" : check_type_text(c, other));
	else
		check_suggestion_hint(c, d, &s);
	check_poison(receiver);
	check_arguments_loosely(c, n);
	return &type_error;
}

static struct type *report_unknown_receiver(struct checker *c, struct node *n, struct type *receiver)
{
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_INFER", n->left->span,
	                                      "the type of this must be known before `.%s`", n->name);
	diagnostic_hint(c->diagnostics, d, "use the value in a way that only one type has, before");
	check_poison(receiver);
	check_arguments_loosely(c, n);
	return &type_error;
}

/* `x.f(a)` with a local f, or with a global builtin: the call f(x, a). */
static void method_to_call(struct checker *c, struct node *n)
{
	struct node **parts = ARENA_ARRAY(&c->p->arena, struct node *, n->part_count + 1);
	parts[0] = c->checked = n->left;
	for (uint32_t i = 0; i < n->part_count; i++)
		parts[i + 1] = n->parts[i];
	struct node *callee = ARENA_NEW(&c->p->arena, struct node);
	*callee = (struct node){.kind = NODE_NAME, .span = n->at, .at = n->at, .name = n->name, .builtin = -1};
	n->kind = NODE_CALL;
	n->left = callee;
	n->parts = parts;
	n->part_count++;
}

static bool is_callable_local(struct checker *c, const char *name)
{
	struct binding *b = check_find_local(c, name);
	return b && type_resolve(b->variable->type)->kind == TYPE_FUNCTION;
}

static int find_builtin(struct checker *c, struct node *n, struct type *receiver)
{
	struct definition *d = check_find_definition(c, n->name);
	if (receiver->kind != TYPE_VARIABLE)
		return check_find_method(receiver, n->name);
	struct type *implied = d ? NULL : check_implied_receiver(c, n->span, n->name);
	if (implied && check_unify(c, receiver, implied))
		return check_find_method(type_resolve(receiver), n->name);
	return check_find_method(&type_error, n->name);
}

struct type *check_method(struct checker *c, struct node *n)
{
	struct type *receiver = check_as_value(c, n->left);
	n->builtin = -1;
	if (receiver->kind == TYPE_ERROR) {
		check_arguments_loosely(c, n);
		return receiver;
	}
	int builtin = find_builtin(c, n, receiver);
	if (builtin >= 0) {
		n->builtin = builtin;
		return check_builtin(c, n, builtin);
	}
	if (is_callable_local(c, n->name)) {
		method_to_call(c, n);
		return check_call_name(c, n);
	}
	struct definition *d = check_find_definition(c, n->name);
	if (d && d->kind == DEFINITION_FUNCTION) {
		set_definition(n, d);
		return check_function_call(c, n, d);
	}
	int global = d ? -1 : check_find_global(n->name);
	if (global >= 0 && global != BUILTIN_par) {
		method_to_call(c, n);
		return check_call_name(c, n);
	}
	receiver = type_resolve(receiver);
	if (receiver->kind == TYPE_VARIABLE)
		return report_unknown_receiver(c, n, receiver);
	return report_unknown_method(c, n, receiver);
}
