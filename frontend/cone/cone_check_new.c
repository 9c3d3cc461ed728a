/* Values that are made: new of structs and arrays, lists, variants. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* A list of this many values or more is not read as one. */
#define MOST_VALUES (UINT64_C(1) << 20)

static struct cone_node *make_parts(struct cone_frame *f, enum cone_node_kind kind, struct cone_node *n,
                                    struct cone_type *type, uint32_t count)
{
	struct cone_node *made = cone_make(f, kind, n, type);
	made->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, count);
	made->part_count = count;
	return made;
}

/* ---- Structs ---- */

static struct cone_declaration *init_of(struct cone_declaration *d)
{
	for (uint32_t i = 0; i < d->member_count; i++)
		if (d->members[i]->receiver == CONE_SELF_NEW)
			return d->members[i];
	return NULL;
}

/* Field i by its place or name; NULL: left off. *bad: reported. */
static struct cone_node *written_part(struct cone_node *n, const struct cone_type *t, uint32_t field)
{
	if (!n->part_names || !n->part_count || !n->part_names[0])
		return field < n->part_count ? n->parts[field] : NULL;
	for (uint32_t i = 0; i < n->part_count; i++)
		if (n->part_names[i] && strcmp(n->part_names[i], t->fields[field].name) == 0)
			return n->parts[i];
	return NULL;
}

static bool check_part_names(struct cone_frame *f, struct cone_node *n, const struct cone_type *t)
{
	bool are_named = n->part_names && n->part_count && n->part_names[0];
	if (!are_named && n->part_count > t->field_count) {
		cone_blame(n, "1023", "%s has %u fields, here are %u values", cone_type_text(f->checker, t),
		           t->field_count, n->part_count);
		return false;
	}
	for (uint32_t i = 0; are_named && i < n->part_count; i++) {
		bool found = false;
		for (uint32_t j = 0; n->part_names[i] && j < t->field_count; j++)
			found = found || strcmp(n->part_names[i], t->fields[j].name) == 0;
		for (uint32_t j = 0; j < i; j++)
			found = found && strcmp(n->part_names[i], n->part_names[j]) != 0;
		if (!found) {
			cone_blame(n->parts[i], "1024", "%s has no field %s left to give a value",
			           cone_type_text(f->checker, t),
			           n->part_names[i] ? n->part_names[i] : "of that place");
			return false;
		}
	}
	return true;
}

/* Values of names in another order than the fields' are held first, so that they are evaluated as written. */
static struct cone_node *in_written_order(struct cone_frame *f, struct cone_node *n, struct cone_node *made)
{
	const struct cone_type *t = made->type;
	uint32_t last = 0, field;
	bool is_ordered = true;
	if (!n->part_names || !n->part_count || !n->part_names[0])
		return made;
	struct cone_node *block = make_parts(f, CONE_BLOCK, n, made->type, n->part_count + 1);
	for (uint32_t i = 0; i < n->part_count; i++) {
		for (field = 0; strcmp(t->fields[field].name, n->part_names[i]) != 0;)
			field++;
		is_ordered = is_ordered && field >= last;
		last = field;
	}
	for (uint32_t i = 0; !is_ordered && i < n->part_count; i++) {
		for (field = 0; strcmp(t->fields[field].name, n->part_names[i]) != 0;)
			field++;
		block->parts[i] = cone_make_local(f, "", made->parts[field], &made->parts[field]);
	}
	block->parts[n->part_count] = made;
	return is_ordered ? made : block;
}

static struct cone_node *make_struct(struct cone_frame *f, struct cone_node *n, struct cone_type *t)
{
	if (!check_part_names(f, n, t))
		return cone_failed(f, n);
	struct cone_declaration *d = t->declaration;
	struct cone_node *made = make_parts(f, CONE_NEW, n, t, t->field_count);
	bool is_inside = d->module == f->scope.module;
	/* In the order written, which is that of evaluation: named parts may not be in that of the fields. */
	for (uint32_t i = 0; i < n->part_count; i++)
		for (uint32_t j = 0; j < t->field_count; j++)
			if (written_part(n, t, j) == n->parts[i]) {
				if (!is_inside && !t->fields[j].is_public)
					cone_blame(n->parts[i], "1042", "%s of %s is private", t->fields[j].name,
					           d->name);
				made->parts[j] = cone_check_as(f, n->parts[i], t->fields[j].type);
			}
	for (uint32_t i = 0; i < t->field_count; i++) {
		if (made->parts[i])
			continue;
		if (!d->fields[i].value) {
			cone_blame(n, "1022", "%s is given no value", t->fields[i].name);
			return cone_failed(f, n);
		}
		struct cone_frame frame = {
		    .checker = f->checker, .call = n, .scope = {.module = d->module, .file = d->file, .self_type = t}};
		struct cone_node *value =
		    cone_check_as(&frame, cone_copy(f->checker->arena, d->fields[i].value), t->fields[i].type);
		made->parts[i] = value->type->kind == CONE_TYPE_ERROR ? NULL : cone_constant_tree(&frame, value);
		if (!made->parts[i])
			return cone_failed(f, n);
	}
	for (uint32_t i = 0; i < t->field_count; i++)
		if (made->parts[i]->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
	return f->instance ? in_written_order(f, n, made) : made;
}

/* { mut value T; init(&mut value, ...); value } */
static struct cone_node *call_init(struct cone_frame *f, struct cone_node *n, struct cone_type *t,
                                   struct cone_declaration *init)
{
	struct cone_variable *v = ARENA_NEW(f->checker->arena, struct cone_variable);
	*v = (struct cone_variable){.name = "", .span = n->span, .mutable = true, .type = t};
	cone_add_local(f, v);
	struct cone_node *local = cone_make(f, CONE_LOCAL, n, &cone_void);
	local->declared = ARENA_ARRAY(f->checker->arena, struct cone_variable *, 1);
	local->declared[0] = v;
	local->declared_count = 1;
	local->mutable = true;
	struct cone_node *use = cone_make(f, CONE_NAME, n, t);
	use->name = "";
	use->variable = v;
	struct cone_node *call =
	    cone_call_function(f, n, init, t, NULL, cone_borrow(f, use, true), n->parts, n->part_count, &cone_void);
	if (call->type->kind == CONE_TYPE_ERROR)
		return call;
	return cone_make_block(f, n, t, local, call, use);
}

static bool is_named_generic(const struct cone_type_syntax *s, const struct cone_type *expected)
{
	return expected && s->form == CONE_FORM_NAME && !s->argument_count && expected->argument_count &&
	       expected->declaration && strcmp(s->path[s->path_count - 1], expected->declaration->name) == 0;
}

struct cone_node *cone_check_new(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_type *t = n->type_syntax && is_named_generic(n->type_syntax, expected)
	                          ? expected
	                          : cone_resolve(f->checker, &f->scope, n->type_syntax);
	return cone_new_of_type(f, n, t);
}

struct cone_node *cone_new_of_type(struct cone_frame *f, struct cone_node *n, struct cone_type *t)
{
	if (t->kind == CONE_TYPE_ERROR || !cone_complete(f->checker, t))
		return cone_failed(f, n);
	if (t->kind == CONE_TYPE_OWNER)
		return cone_new_owner(f, n, t);
	if (t->kind != CONE_TYPE_STRUCT) {
		cone_blame(n, "1210", "new makes a struct or an array, not %s", cone_type_text(f->checker, t));
		return cone_failed(f, n);
	}
	struct cone_declaration *init = init_of(t->declaration);
	bool is_in_init = f->instance && f->instance->function == init;
	bool are_named = n->part_names && n->part_count && n->part_names[0];
	if (init && !is_in_init && !are_named) {
		if (f->instance)
			return call_init(f, n, t, init);
		return cone_not_constant(f, n);
	}
	return make_struct(f, n, t);
}

/* ---- Arrays ---- */

struct cone_node *cone_check_list(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_type *element = NULL;
	if (expected && (expected->kind == CONE_TYPE_ARRAY || expected->kind == CONE_TYPE_SLICE))
		element = expected->element;
	if (!n->part_count) {
		cone_blame(n, "1220", "a list of nothing is no array");
		return cone_failed(f, n);
	}
	struct cone_node *list = make_parts(f, CONE_LIST, n, NULL, n->part_count);
	for (uint32_t i = 0; !element && i < n->part_count; i++)
		if (!cone_is_untyped(n->parts[i])) {
			/* The first that says its type says that of all. */
			list->parts[i] = cone_check_expression(f, n->parts[i], NULL);
			element = list->parts[i]->type;
		}
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (!list->parts[i])
			list->parts[i] = cone_check_expression(f, n->parts[i], element);
		element = element ? element : list->parts[i]->type;
		list->parts[i] = cone_coerce(f, list->parts[i], element);
		if (list->parts[i]->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
	}
	if (element == &cone_void || element->kind == CONE_TYPE_NEVER) {
		cone_blame(n, "1013", "an array cannot hold %s", cone_type_text(f->checker, element));
		return cone_failed(f, n);
	}
	list->type = cone_type_array(&f->checker->types, element, n->part_count);
	return list;
}

/* A value of what holds a So goes to one place; None goes to as many as there are. */
static bool can_be_several(struct cone_frame *f, struct cone_node *value, uint64_t count)
{
	bool is_none = value->kind == CONE_NEW && value->type->kind == CONE_TYPE_ENUM && !value->tries;
	for (uint32_t i = 1; i < value->part_count; i++)
		is_none = is_none && !value->parts[i];
	if (count < 2 || is_none || !cone_type_holds(f->checker, value->type, cone_is_sole_owner))
		return true;
	cone_blame(value, "1034", "%s moves, and cannot be moved to several places",
	           cone_type_text(f->checker, value->type));
	return false;
}

/* One part of `<- a, 3 of c`; adds what it fills. */
static struct cone_node *check_part(struct cone_frame *f, struct cone_node *part, struct cone_type *element,
                                    uint64_t *filled)
{
	if (part->kind != CONE_OF) {
		*filled += 1;
		return cone_check_as(f, part, element);
	}
	uint64_t count;
	if (!cone_constant_integer(f->checker, &f->scope, part->left, &count, f->checker->types.usize))
		return cone_failed(f, part);
	struct cone_node *of = cone_make(f, CONE_OF, part, element);
	of->left = cone_make_constant(f, part, f->checker->types.usize, count);
	of->right = cone_check_as(f, part->right, element);
	*filled += count < MOST_VALUES << 12 ? count : MOST_VALUES << 12;
	if (!can_be_several(f, of->right, count))
		return cone_failed(f, part);
	return of->right->type->kind == CONE_TYPE_ERROR ? of->right : of;
}

struct cone_node *cone_check_new_array(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	(void)expected;
	struct cone_type *t = cone_resolve(f->checker, &f->scope, n->type_syntax);
	if (t->kind == CONE_TYPE_ERROR || !cone_complete(f->checker, t))
		return cone_failed(f, n);
	if (t->kind != CONE_TYPE_ARRAY) {
		cone_blame(n, "1210", "new with <- makes an array, not %s", cone_type_text(f->checker, t));
		return cone_failed(f, n);
	}
	struct cone_node *made = make_parts(f, CONE_NEW_ARRAY, n, t, n->part_count);
	made->fills = n->fills;
	uint64_t filled = 0;
	for (uint32_t i = 0; i < n->part_count; i++) {
		made->parts[i] = check_part(f, n->parts[i], t->element, &filled);
		if (made->parts[i]->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
	}
	if (n->fills && !can_be_several(f, made->parts[0], t->count))
		return cone_failed(f, n);
	if (n->fills ? n->part_count != 1 : filled != t->count) {
		cone_blame(n, "1220", "%llu values do not fill %s exactly", (unsigned long long)filled,
		           cone_type_text(f->checker, t));
		return cone_failed(f, n);
	}
	return made;
}

/* ---- Variants ---- */

/* The field of the enum's type that holds variant i's payload; 0: it has none. */
static uint32_t payload_field(const struct cone_declaration *d, uint32_t variant)
{
	uint32_t field = 0;
	for (uint32_t i = 0; i <= variant; i++)
		field += d->fields[i].type_syntax ? 1 : 0;
	return d->fields[variant].type_syntax ? field : 0;
}

/* The type from what is written, what is wanted, or the payload's type: Some[x]. */
static struct cone_type *type_of_variant(struct cone_frame *f, struct cone_entity *e, struct cone_node **payload,
                                         struct cone_type *expected)
{
	struct cone_declaration *d = e->declaration;
	if (e->type)
		return e->type;
	if (!d->generic_count)
		return cone_instance_type(f->checker, d, NULL, 0);
	if (e->argument_count == d->generic_count)
		return cone_instance_type(f->checker, d, e->arguments, e->argument_count);
	if (expected && expected->declaration == d)
		return expected;
	const struct cone_type_syntax *s = d->fields[e->variant].type_syntax;
	if (d->generic_count != 1 || !s || !payload || s->form != CONE_FORM_NAME)
		return NULL;
	*payload = cone_check_expression(f, *payload, NULL);
	struct cone_type *argument = (*payload)->type;
	return argument->kind == CONE_TYPE_ERROR ? argument : cone_instance_type(f->checker, d, &argument, 1);
}

struct cone_node *cone_make_variant(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                    struct cone_node **parts, uint32_t count, struct cone_type *expected)
{
	struct cone_node *payload = count ? parts[0] : NULL;
	struct cone_type *t = type_of_variant(f, e, payload ? &payload : NULL, expected);
	if (!t) {
		cone_blame(n, "1022", "the type of %s is not known here", e->declaration->fields[e->variant].name);
		return cone_failed(f, n);
	}
	if (t->kind == CONE_TYPE_ERROR || !cone_complete(f->checker, t))
		return cone_failed(f, n);
	uint32_t field = payload_field(e->declaration, e->variant);
	if (count != (field ? 1u : 0u)) {
		cone_blame(n, count ? "1023" : "1022", "%s holds %s", e->declaration->fields[e->variant].name,
		           field ? "a value" : "nothing");
		return cone_failed(f, n);
	}
	struct cone_node *made = make_parts(f, CONE_NEW, n, t, t->field_count);
	made->parts[0] = cone_make_constant(f, n, &cone_u32, e->variant);
	if (field)
		made->parts[field] = cone_check_as(f, payload, t->fields[field].type);
	return field && made->parts[field]->type->kind == CONE_TYPE_ERROR ? made->parts[field] : made;
}
