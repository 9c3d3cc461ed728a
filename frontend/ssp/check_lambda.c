#include <string.h>

#include "frontend/ssp/check.h"

/* The types of the parameters: from the function type expected, else to be found from the body and later uses. */
static struct type **parameter_types(struct checker *c, struct node *n, struct type *expected)
{
	struct type **types = ARENA_ARRAY(&c->p->arena, struct type *, n->parameter_count + 1);
	for (uint32_t i = 0; i < n->parameter_count; i++) {
		if (!expected)
			types[i] = check_fresh_origin(c, n->parameters[i].span, n->parameters[i].name);
		else if (expected->kind == TYPE_ERROR)
			types[i] = &type_error;
		else
			types[i] = expected->items[i];
	}
	return types;
}

/* `(a, b) => e` where one tuple is expected takes its items. */
static struct type *spread_tuple(struct checker *c, struct node *n, struct type *expected)
{
	if (!n->tuple_parameter || expected->count != 2 || n->parameter_count < 2)
		return NULL;
	struct type *only = type_resolve(expected->items[0]);
	if (only->kind == TYPE_VARIABLE) {
		struct type **items = ARENA_ARRAY(&c->scratch, struct type *, n->parameter_count);
		for (uint32_t i = 0; i < n->parameter_count; i++)
			items[i] = check_fresh(c);
		struct type *tuple = check_type_of_items(c, n->span, TYPE_TUPLE, n->parameter_count, items);
		only = check_unify(c, only, tuple) ? tuple : &type_error;
	}
	return only->kind == TYPE_TUPLE && only->count == n->parameter_count ? only : NULL;
}

/* ---- A lambda made by `_` where two parameters are needed: it has one, however many `_` there are (spec 2.4) ---- */

static void count_placeholders(const struct node *n, uint32_t *count)
{
	for (; n && !(n->kind == NODE_LAMBDA && n->name); n = n->left) {
		*count += n->kind == NODE_PLACEHOLDER;
		count_placeholders(n->condition, count);
		count_placeholders(n->right, count);
		for (uint32_t i = 0; i < n->part_count; i++)
			count_placeholders(n->parts[i], count);
	}
}

static bool mentions(const struct node *n, const char *name)
{
	for (; n; n = n->left) {
		if (n->kind == NODE_NAME && strcmp(n->name, name) == 0)
			return true;
		if (mentions(n->condition, name) || mentions(n->right, name))
			return true;
		for (uint32_t i = 0; i < n->part_count; i++)
			if (mentions(n->parts[i], name))
				return true;
	}
	return false;
}

/* In source order each `_` becomes the next of the names. The lambda is already refused, and runs never. */
static void name_placeholders(struct node *n, const char *const *names, uint32_t *next)
{
	if (!n || (n->kind == NODE_LAMBDA && n->name))
		return;
	if (n->kind == NODE_PLACEHOLDER) {
		n->kind = NODE_NAME;
		n->name = names[(*next)++];
	}
	name_placeholders(n->condition, names, next);
	name_placeholders(n->left, names, next);
	name_placeholders(n->right, names, next);
	for (uint32_t i = 0; i < n->part_count; i++)
		name_placeholders(n->parts[i], names, next);
}

/* `(a, x) => a + x` for `_ + _`. */
static void hint_parameters(struct checker *c, struct diagnostic *d, struct node *lambda)
{
	static const char *const candidates[2][3] = {{"a", "acc", "left"}, {"x", "item", "right"}};
	const char *names[2] = {NULL, NULL};
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 3 && !names[i]; k++)
			if (!mentions(lambda->left, candidates[i][k]))
				names[i] = candidates[i][k];
	struct text body = {0};
	uint32_t count = 0, next = 0;
	count_placeholders(lambda->left, &count);
	if (count == 2 && names[0] && names[1]) {
		name_placeholders(lambda->left, names, &next);
		lambda->name = NULL;
		lambda->parameters = ARENA_ARRAY(&c->p->arena, struct pattern_name, 2);
		for (lambda->parameter_count = 0; lambda->parameter_count < 2; lambda->parameter_count++)
			lambda->parameters[lambda->parameter_count] =
			    (struct pattern_name){names[lambda->parameter_count], lambda->span, NULL};
		format_expression(lambda, &body);
	}
	if (body.length > 0 && body.length < 100)
		diagnostic_hint(c->diagnostics, d, "every `_` is the same parameter: write `%s`", text_string(&body));
	else
		diagnostic_hint(c->diagnostics, d,
		                "every `_` is the same parameter: write the lambda, `(a, x) => ...`");
	text_free(&body);
}

static void report_parameters(struct checker *c, struct node *n, uint32_t wanted, uint32_t given)
{
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_ARITY", n->span, "a function of %u parameter%s is needed, this has %u",
	                   wanted, wanted == 1 ? "" : "s", given);
	if (n->kind == NODE_LAMBDA && n->name && wanted == 2)
		hint_parameters(c, d, n);
}

/* The function type itself, new: with the effects of this lambda. */
static struct type *lambda_type(struct checker *c, struct node *n, struct type *expected, struct type **types,
                                struct type *result, uint32_t effects)
{
	struct type *t = type_new(&c->p->arena, TYPE_FUNCTION, 0);
	t->count = n->spread ? 2 : n->parameter_count + 1;
	t->items = n->spread ? ARENA_ARRAY(&c->p->arena, struct type *, 2) : types;
	if (n->spread)
		t->items[0] = expected->items[0];
	t->items[t->count - 1] = result;
	t->effects = effects;
	return t;
}

struct type *check_lambda(struct checker *c, struct node *n, struct type *expected)
{
	struct type *source = expected;
	if (expected && expected->kind == TYPE_FUNCTION && expected->count - 1 != n->parameter_count) {
		source = spread_tuple(c, n, expected);
		n->spread = source != NULL;
		if (!source) {
			report_parameters(c, n, expected->count - 1, n->parameter_count);
			source = expected = &type_error;
		}
	}
	struct type **types = parameter_types(c, n, source);
	bool has_result = expected && expected->kind == TYPE_FUNCTION;
	struct type *result = has_result ? expected->items[expected->count - 1] : check_fresh(c);
	struct check_frame frame;
	check_frame_open(c, &frame, FRAME_LAMBDA, result);
	struct binding *mark = check_scope_open(c);
	check_declare_pattern(c, n->parameters, n->parameter_count, types, false);
	check_value(c, n->left);
	check_expect(c, n->left, result);
	check_scope_close(c, mark);
	check_frame_close(c);
	n->frame_slots = frame.slots;
	c->last_facts = frame.facts;
	c->last_effects = frame.effects;
	return lambda_type(c, n, expected, types, result, frame.effects.performed);
}

/* Turns a global builtin's name into a lambda that calls it, so that running knows no functions but fns and lambdas. */
static void wrap_builtin(struct checker *c, struct node *n, int builtin)
{
	const struct builtin_info *info = &builtin_infos[builtin];
	struct arena *a = &c->p->arena;
	struct node *call = ARENA_NEW(a, struct node), *callee = ARENA_NEW(a, struct node);
	*callee = *n;
	*call = (struct node){.kind = NODE_CALL, .span = n->span, .at = n->at, .left = callee, .builtin = -1};
	call->has_arguments = true;
	call->part_count = n->parameter_count = info->minimum;
	call->parts = ARENA_ARRAY(a, struct node *, info->minimum);
	n->parameters = ARENA_ARRAY(a, struct pattern_name, info->minimum);
	for (uint32_t i = 0; i < info->minimum; i++) {
		n->parameters[i] =
		    (struct pattern_name){arena_format(a, "argument %u of %s", i + 1, info->name), n->span, NULL};
		call->parts[i] = ARENA_NEW(a, struct node);
		*call->parts[i] = (struct node){.kind = NODE_NAME, .span = n->span, .at = n->at, .builtin = -1};
		call->parts[i]->name = n->parameters[i].name;
	}
	n->kind = NODE_LAMBDA;
	n->left = call;
}

static int global_builtin(struct checker *c, const struct node *n)
{
	if (n->kind != NODE_NAME || check_find_local(c, n->name) || check_find_definition(c, n->name))
		return -1;
	int builtin = check_find_global(n->name);
	return builtin == BUILTIN_par ? -1 : builtin;
}

void check_function_argument(struct checker *c, struct node *n, struct type *expected)
{
	int builtin = global_builtin(c, n);
	if (builtin >= 0)
		wrap_builtin(c, n, builtin);
	if (n->kind == NODE_LAMBDA) {
		check_set_type(c, n, check_lambda(c, n, expected));
		struct effect_scope performed = c->last_effects;
		check_perform_scope(c, &performed);
		return;
	}
	struct type *t = type_resolve(check_expression(c, n));
	if (t->kind == TYPE_ERROR) {
		check_poison(expected);
		return;
	}
	if (t->kind != TYPE_FUNCTION) {
		struct diagnostic *d = diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", n->span,
		                                      "a function is needed here, found %s", check_type_text(c, t));
		diagnostic_hint(c->diagnostics, d, "write a lambda: `x => ...`");
		check_poison(t);
		check_poison(expected);
	} else if (t->count != expected->count) {
		report_parameters(c, n, expected->count - 1, t->count - 1);
		check_poison(expected);
	} else {
		check_expect(c, n, expected);
		check_perform(c, t->effects, n->span);
	}
}
