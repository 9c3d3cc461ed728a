#include <string.h>

#include "frontend/ssp/check.h"

static bool is_unit(struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_UNIT || t->kind == TYPE_ERROR || t->kind == TYPE_VARIABLE;
}

/* ---- Blocks and branches ---- */

static struct type *check_parts(struct checker *c, struct node *n, bool as_statement)
{
	struct binding *mark = check_scope_open(c);
	struct type *t = &type_unit;
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (as_statement || i + 1 < n->part_count)
			check_statement(c, n->parts[i]);
		else
			t = check_value(c, n->parts[i]);
	}
	check_scope_close(c, mark);
	return t;
}

struct type *check_block(struct checker *c, struct node *n)
{
	return check_parts(c, n, false);
}

static void check_condition(struct checker *c, struct node *n)
{
	check_value(c, n);
	check_expect(c, n, &type_bool);
}

static void check_branch(struct checker *c, struct node *n, bool as_statement)
{
	struct binding *mark = check_scope_open(c);
	if (as_statement)
		check_statement(c, n);
	else
		check_value(c, n);
	check_scope_close(c, mark);
}

/* An `if` without `else` in a value's place gives Unit, so its branch must. */
static void check_single_branch(struct checker *c, struct node *n)
{
	if (is_unit(n->left->type))
		return;
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->at, "an `if` that gives a value needs an `else`");
	diagnostic_hint(c->diagnostics, d, "add ` else ...` with a value of type %s",
	                check_type_text(c, n->left->type));
}

/* Chains of `else if` are walked without recursion; all of them give the first one's type. */
struct type *check_if(struct checker *c, struct node *n, bool as_statement)
{
	struct type *t = as_statement ? &type_unit : NULL;
	for (struct node *link = n;; link = link->right) {
		link->is_statement = as_statement;
		check_condition(c, link->condition);
		check_branch(c, link->left, as_statement);
		if (!t)
			t = link->left->type;
		else if (!as_statement)
			check_expect(c, link->left, t);
		if (link != n)
			check_set_type(c, link, t);
		if (!link->right) {
			if (!as_statement)
				check_single_branch(c, link);
			return link == n && !as_statement ? &type_unit : t;
		}
		if (link->right->kind != NODE_IF) {
			check_branch(c, link->right, as_statement);
			if (!as_statement)
				check_expect(c, link->right, t);
			return t;
		}
	}
}

/* spec/sspur-2.md 6: an error that nobody looks at. */
static void warn_unused_result(struct checker *c, const struct node *n, struct type *t)
{
	if (type_resolve(t)->kind != TYPE_RES)
		return;
	struct diagnostic *d = diagnostic_add(c->diagnostics, "W_RESULT_UNUSED", n->span,
	                                      "this gives a Res, and nobody looks at its error");
	const char *text = check_source_text(c, n->span);
	if (text)
		diagnostic_hint(c->diagnostics, d, "write `%s.get`, which traps with the error, or `_ = %s`", text,
		                text);
	else
		diagnostic_hint(c->diagnostics, d,
		                "end it with `.get`, which traps with the error, or write `_ = ...`");
}

void check_statement(struct checker *c, struct node *n)
{
	n->is_statement = true;
	if (n->kind == NODE_IF)
		check_set_type(c, n, check_if(c, n, true));
	else if (n->kind == NODE_BLOCK)
		check_set_type(c, n, check_parts(c, n, true));
	else
		warn_unused_result(c, n, check_value(c, n));
}

/* ---- Variables ---- */

static struct type *check_single_let(struct checker *c, struct node *n)
{
	struct type *t = check_expression(c, n->left);
	bool is_function = type_resolve(t)->kind == TYPE_FUNCTION;
	if (is_function && n->mutable)
		t = check_as_value(c, n->left);
	struct closure_facts *facts = NULL;
	if (is_function && n->left->kind == NODE_LAMBDA)
		facts = c->last_facts;
	else if (is_function && n->left->reference == REFERENCE_LOCAL)
		facts = check_find_local(c, n->left->name)->facts;
	check_declare_pattern(c, n->names, 1, &t, n->mutable);
	c->newest->facts = facts;
	return &type_unit;
}

static struct type *bind_to_tuple(struct checker *c, struct span span, struct type *variable, uint32_t count)
{
	struct type **items = ARENA_ARRAY(&c->scratch, struct type *, count);
	for (uint32_t i = 0; i < count; i++)
		items[i] = check_fresh(c);
	struct type *tuple = check_type_of_items(c, span, TYPE_TUPLE, count, items);
	return check_unify(c, variable, tuple) ? tuple : &type_error;
}

struct type *check_let(struct checker *c, struct node *n)
{
	if (n->name_count == 1)
		return check_single_let(c, n);
	struct type **types = ARENA_ARRAY(&c->scratch, struct type *, n->name_count);
	struct type *t = check_value(c, n->left);
	if (t->kind == TYPE_VARIABLE)
		t = bind_to_tuple(c, n->span, t, n->name_count);
	bool fits = t->kind == TYPE_TUPLE && t->count == n->name_count;
	if (t->kind != TYPE_ERROR && !fits) {
		diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->left->span,
		               "%u names need a tuple of %u items, not %s", n->name_count, n->name_count,
		               check_type_text(c, t));
		check_poison(t);
	}
	for (uint32_t i = 0; i < n->name_count; i++)
		types[i] = fits ? t->items[i] : &type_error;
	check_declare_pattern(c, n->names, n->name_count, types, n->mutable);
	return &type_unit;
}

static void report_not_stored(struct checker *c, struct node *target, const struct variable *v)
{
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_ASSIGN_IMMUTABLE", target->span,
	                                      "`%s` cannot be assigned: it is not a `var`", target->name);
	bool is_parameter = v && c->definition->parameter_count > 0 && v->slot < c->definition->parameter_count &&
	                    c->definition->parameters[v->slot].variable == v;
	if (is_parameter)
		diagnostic_hint(c->diagnostics, d, "copy it first: `var %s = %s`", target->name, target->name);
	else if (v)
		diagnostic_hint(c->diagnostics, d, "declare it with `var %s = ...`", target->name);
}

/* The type that the name of an assignment holds; type_error when reported. */
static struct type *check_target_name(struct checker *c, struct node *target)
{
	struct binding *b = check_find_local(c, target->name);
	if (!b) {
		if (check_find_definition(c, target->name) || check_find_global(target->name) >= 0)
			report_not_stored(c, target, NULL);
		else
			check_unknown_name(c, target);
		return check_set_type(c, target, &type_error);
	}
	check_change_local(c, target, b, "assign");
	if (!b->variable->mutable)
		report_not_stored(c, target, b->variable);
	return target->type;
}

/* The type of the place `target`. Stores go into a `var` list, or into a list in it (spec 2.4). */
static struct type *check_target(struct checker *c, struct node *target)
{
	if (target->kind == NODE_NAME)
		return check_target_name(c, target);
	if (target->kind != NODE_INDEX) {
		check_value(c, target);
		if (target->kind != NODE_ERROR) /* the parser has said it */
			diagnostic_add(c->diagnostics, "E_ASSIGN_IMMUTABLE", target->span,
			               "only a `var`, or an element of a `var` list, can be assigned");
		return target->type = &type_error;
	}
	struct type *list = type_resolve(check_target(c, target->left));
	check_value(c, target->right);
	check_expect(c, target->right, &type_int);
	if (list->kind == TYPE_VARIABLE &&
	    check_unify(c, list, check_type(c, target->span, TYPE_LIST, 1, check_fresh(c))))
		list = type_resolve(list);
	if (list->kind == TYPE_LIST)
		return check_set_type(c, target, list->items[0]);
	if (list->kind != TYPE_ERROR)
		diagnostic_add(c->diagnostics, "E_OPERATOR", target->at, "storing an element is not defined for %s",
		               check_type_text(c, list));
	return check_set_type(c, target, &type_error);
}

struct type *check_assign(struct checker *c, struct node *n)
{
	struct type *place = check_target(c, n->left);
	check_value(c, n->right);
	check_expect(c, n->right, place);
	return &type_unit;
}

/* ---- Loops and return ---- */

struct type *check_for(struct checker *c, struct node *n)
{
	struct type *list = check_value(c, n->left);
	if (list->kind == TYPE_VARIABLE && check_unify(c, list, check_type(c, n->span, TYPE_LIST, 1, check_fresh(c))))
		list = type_resolve(list);
	if (list->kind != TYPE_LIST && list->kind != TYPE_ERROR) {
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->left->span,
		                   "`for` goes over a range or a list, not %s", check_type_text(c, list));
		const char *text = check_source_text(c, n->left->span);
		if (list->kind == TYPE_INT && text)
			diagnostic_hint(c->diagnostics, d, "write `0..%s`", text);
		else if (list->kind == TYPE_DEVBUF)
			diagnostic_hint(c->diagnostics, d, "read it with `.to_list`");
	}
	struct type *element = list->kind == TYPE_LIST ? list->items[0] : &type_error;
	struct binding *mark = check_scope_open(c);
	check_declare_pattern(c, n->names, 1, &element, false);
	check_statement(c, n->right);
	check_scope_close(c, mark);
	return &type_unit;
}

struct type *check_while(struct checker *c, struct node *n)
{
	check_perform(c, EFFECT_DIV, n->at);
	check_condition(c, n->condition);
	check_branch(c, n->right, true);
	return &type_unit;
}

/* Its type fits everything: what follows is never reached. */
struct type *check_return(struct checker *c, struct node *n)
{
	struct type *result = c->frame->result;
	if (n->left) {
		check_value(c, n->left);
		check_expect(c, n->left, result);
	} else if (!check_unify(c, result, &type_unit)) {
		diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->span, "`return` needs a value of type %s",
		               check_type_text(c, result));
	}
	return check_fresh(c);
}
