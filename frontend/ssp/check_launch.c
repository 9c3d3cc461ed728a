#include "frontend/ssp/check.h"

/* Launches of kernels: spec/sspur.md 3.1. */

static struct type *host_scalar(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INT:
	case TYPE_I32:
	case TYPE_U32: return &type_int;
	case TYPE_F32:
	case TYPE_F64: return &type_f64;
	case TYPE_BOOL: return &type_bool;
	case TYPE_STR:
	case TYPE_UNIT:
	case TYPE_LIST:
	case TYPE_TUPLE:
	case TYPE_OPT:
	case TYPE_RES:
	case TYPE_DEVBUF:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE:
	case TYPE_ERROR: break;
	}
	return &type_error;
}

static void write_hint(struct checker *c, struct diagnostic *d, const char *prefix, const struct node *inner)
{
	const char *text = check_source_text(c, inner->span);
	diagnostic_hint(c->diagnostics, d, "write `%s%s`", prefix, text ? text : "...");
}

static void check_scalar(struct checker *c, struct node *n, const struct variable *parameter)
{
	if (n->kind != NODE_BORROW) {
		check_argument(c, n, host_scalar(parameter->type));
		return;
	}
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_KERNEL_ARG", n->span,
	                                      "`%s` is a scalar, passed without `&`", parameter->name);
	write_hint(c, d, "", n->left);
	check_set_type(c, n, check_value(c, n->left));
}

/* `&mut` of a list copies back, so it needs a `var`; a DevBuf is a handle and needs none. */
static void check_mutable_list(struct checker *c, struct node *n)
{
	struct node *inner = n->left;
	if (inner->kind != NODE_NAME || inner->reference != REFERENCE_LOCAL) {
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_BORROW_IMMUTABLE", n->span,
		                   "`&mut` of a list needs a `var`: there is nothing to copy back to");
		diagnostic_hint(c->diagnostics, d, "name it first: `var ys = ...`, then pass `&mut ys`");
	} else if (!inner->variable->mutable) {
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_BORROW_IMMUTABLE", n->span,
		                   "`%s` is not a `var`, so it cannot be passed as `&mut`", inner->name);
		diagnostic_hint(c->diagnostics, d, "declare it with `var %s = ...`", inner->name);
	}
}

static void check_slice_type(struct checker *c, struct node *n, const struct variable *parameter)
{
	struct type *element = type_resolve(parameter->type->items[0]);
	struct type *have = type_resolve(n->left->type);
	if (have->kind == TYPE_ERROR)
		return;
	if (have->kind == TYPE_DEVBUF) {
		if (type_resolve(have->items[0])->kind == element->kind)
			return;
		struct type *wanted = check_type(c, n->span, TYPE_DEVBUF, 1, element);
		check_mismatch(c, n->left, wanted, have);
		return;
	}
	struct type *list = check_type(c, n->span, TYPE_LIST, 1, host_scalar(element));
	if (check_expect(c, n->left, list) && n->mutable)
		check_mutable_list(c, n);
}

static struct binding *borrowed_local(struct checker *c, const struct node *n)
{
	return n->left->kind == NODE_NAME ? check_find_local(c, n->left->name) : NULL;
}

/* In a task a `&mut` of an outside list is a race; of an outside DevBuf, whose type may be known later only, it is
 * the use that is refused. */
static void check_borrowed(struct checker *c, struct node *n)
{
	struct binding *b = n->mutable ? borrowed_local(c, n) : NULL;
	if (!b || type_resolve(b->variable->type)->kind == TYPE_DEVBUF ||
	    type_resolve(b->variable->type)->kind == TYPE_FUNCTION)
		check_value(c, n->left);
	else
		check_change_local(c, n->left, b, "take `&mut` of");
	check_set_type(c, n, n->left->type);
}

static void check_slice(struct checker *c, struct node *n, const struct variable *parameter)
{
	const char *prefix = parameter->mutable ? "&mut " : "&";
	if (n->kind != NODE_BORROW) {
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_KERNEL_ARG", n->span, "`%s` is a slice, passed with `%s`",
		                   parameter->name, parameter->mutable ? "&mut" : "&");
		write_hint(c, d, prefix, n);
		check_value(c, n);
		return;
	}
	check_borrowed(c, n);
	if (n->mutable == parameter->mutable) {
		check_slice_type(c, n, parameter);
		return;
	}
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_KERNEL_ARG", n->span, "`%s` is passed with `%s`, not `%s`",
	                   parameter->name, parameter->mutable ? "&mut" : "&", n->mutable ? "&mut" : "&");
	write_hint(c, d, prefix, n->left);
}

/* `&x` with `&mut x`, or `&mut x` twice. Two names for one buffer are found at the
 * launch (spec 3.2). */
static void check_conflicts(struct checker *c, const struct node *n)
{
	struct table seen = {.arena = &c->scratch};
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct node *later = n->parts[i];
		if (later->kind != NODE_BORROW || later->left->kind != NODE_NAME ||
		    later->left->reference != REFERENCE_LOCAL)
			continue;
		struct node *earlier = table_set(&seen, later->left->name, later);
		if (!earlier || (!earlier->mutable && !later->mutable))
			continue;
		struct diagnostic *d = diagnostic_add(
		    c->diagnostics, "E_BORROW_CONFLICT", later->span, "`%s` is passed as `%s` and as `%s` in one call",
		    later->left->name, earlier->mutable ? "&mut" : "&", later->mutable ? "&mut" : "&");
		diagnostic_hint(c->diagnostics, d, "pass a copy, or another variable");
	}
}

struct type *check_launch(struct checker *c, struct node *n, struct definition *kernel)
{
	if (!check_arity(c, n->at, kernel->name, n->part_count, kernel->parameter_count, kernel->parameter_count)) {
		check_arguments_loosely(c, n);
		return &type_unit;
	}
	for (uint32_t i = 0; i < n->part_count; i++) {
		const struct variable *parameter = kernel->parameters[i].variable;
		struct node *argument = n->parts[i];
		if (!parameter || parameter->type->kind == TYPE_ERROR) {
			if (argument->kind == NODE_BORROW)
				check_borrowed(c, argument);
			else
				check_value(c, argument);
		} else if (parameter->type->kind == TYPE_LIST) {
			check_slice(c, argument, parameter);
		} else {
			check_scalar(c, argument, parameter);
		}
	}
	check_conflicts(c, n);
	check_perform(c, EFFECT_DEV, n->at);
	return &type_unit;
}
