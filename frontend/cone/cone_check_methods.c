/* Methods: finding them, choosing among overloads, what becomes of the receiver. */
#include <string.h>

#include "frontend/cone/cone_check.h"

static bool is_named(const struct cone_declaration *d, const char *name)
{
	return strcmp(d->name, name) == 0 || (d->overloads && strcmp(d->overloads, name) == 0);
}

/* The declaration of a trait that a struct says it is; NULL: it is no trait of a known name. */
static struct cone_declaration *trait_of(const struct cone_declaration *d, const struct cone_type_syntax *s)
{
	struct cone_symbol *symbol = d->module ? table_get(&d->module->names, s->path[0]) : NULL;
	for (uint32_t i = 1; symbol && symbol->module && i < s->path_count; i++)
		symbol = table_get(&symbol->module->names, s->path[i]);
	return symbol && symbol->declaration && symbol->declaration->kind == CONE_TRAIT ? symbol->declaration : NULL;
}

struct cone_declaration *cone_method_of(struct cone_type *t, const char *name, uint32_t skip)
{
	while (t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_OWNER)
		t = t->element;
	struct cone_declaration *d = t->declaration;
	for (uint32_t i = 0; i < t->fill_count; i++)
		for (uint32_t j = 0; j < t->fills[i]->member_count; j++)
			if (is_named(t->fills[i]->members[j], name) && skip-- == 0)
				return t->fills[i]->members[j];
	if (!d)
		return NULL;
	for (uint32_t i = 0; i < d->member_count; i++)
		if (is_named(d->members[i], name) && skip-- == 0)
			return d->members[i];
	for (uint32_t i = 0; t->kind != CONE_TYPE_VIRTUAL && i < d->trait_count; i++) {
		if (d->traits[i]->form != CONE_FORM_NAME)
			continue;
		struct cone_declaration *trait = trait_of(d, d->traits[i]);
		for (uint32_t j = 0; trait && j < trait->member_count; j++)
			if (trait->members[j]->body && is_named(trait->members[j], name) && skip-- == 0)
				return trait->members[j];
	}
	return NULL;
}

void cone_ask_for_methods(struct cone_frame *f, const struct cone_node *n, struct cone_type *t,
                          const struct cone_declaration *trait)
{
	for (uint32_t i = 0; i < trait->member_count; i++) {
		struct cone_declaration *d = cone_method_of(t, trait->members[i]->name, 0);
		if (d && d->receiver != CONE_SELF_NONE && !d->generic_count)
			cone_instance_of(f, n, d, t, NULL);
	}
}

/* ---- Choosing ---- */

static bool takes_count(const struct cone_declaration *d, uint32_t count)
{
	uint32_t least = 0;
	for (uint32_t i = 0; i < d->parameter_count; i++)
		if (!d->parameters[i].value)
			least = i + 1;
	return count >= least && count <= d->parameter_count;
}

/* 2: the types are the parameters', 1: they convert, 0: they do not. */
static int fitness(struct cone_frame *f, struct cone_type *self_type, struct cone_declaration *d,
                   struct cone_node **parts, uint32_t count)
{
	struct cone_scope scope = {.module = d->module, .file = d->file, .self_type = self_type, .function = d};
	int best = 2;
	if (!takes_count(d, count))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cone_type *type = cone_resolve_quietly(f->checker, &scope, d->parameters[i].type_syntax);
		if (!type) {
			best = 1;
			continue;
		}
		if (!parts[i]->type) { /* an untyped literal or a closure */
			bool fits = cone_is_untyped(parts[i]) ? cone_type_is_number(type) : !cone_type_is_number(type);
			if (!fits)
				return 0;
			best = 1;
		} else if (parts[i]->type != type) {
			if (!cone_converts(f->checker, parts[i]->type, type))
				return 0;
			best = 1;
		}
	}
	return best;
}

static struct cone_declaration *choose(struct cone_frame *f, struct cone_type *t, const char *name,
                                       struct cone_node **parts, uint32_t count)
{
	struct cone_declaration *first = cone_method_of(t, name, 0), *best = NULL;
	if (!first || !cone_method_of(t, name, 1))
		return first;
	uint32_t fitting = 0;
	for (uint32_t i = 0; cone_method_of(t, name, i); i++)
		if (takes_count(cone_method_of(t, name, i), count)) {
			fitting++;
			best = cone_method_of(t, name, i);
		}
	if (fitting <= 1)
		return best ? best : first;
	for (uint32_t i = 0; i < count; i++)
		if (!cone_is_untyped(parts[i]) && parts[i]->kind != CONE_CLOSURE)
			parts[i] = cone_check_expression(f, parts[i], NULL);
	int most = 0;
	for (uint32_t i = 0; cone_method_of(t, name, i); i++) {
		struct cone_declaration *d = cone_method_of(t, name, i);
		int fits = fitness(f, t, d, parts, count);
		if (fits > most) {
			most = fits;
			best = d;
		}
	}
	return best;
}

/* ---- Receivers ---- */

static struct cone_node *as_receiver(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d,
                                     struct cone_node *value)
{
	switch (d->receiver) {
	case CONE_SELF_NONE:
	case CONE_SELF_VALUE: return value;
	case CONE_SELF_REFERENCE: return cone_borrow(f, value, false);
	case CONE_SELF_MUTABLE:
	case CONE_SELF_NEW:
		if (!cone_is_place(value)) {
			cone_blame(n, "1034", "%s changes what it is called on, and this is no variable", d->name);
			return cone_failed(f, n);
		}
		return cone_require_mutable(f, value, "1034") ? cone_borrow(f, value, true) : cone_failed(f, n);
	}
	return value;
}

/* ---- Methods of numbers ---- */

static bool wants_arguments(const char *name)
{
	return strcmp(name, "rotateLeft") == 0 || strcmp(name, "rotateRight") == 0 || strcmp(name, "shlMasked") == 0 ||
	       strcmp(name, "shrMasked") == 0;
}

static struct cone_node *call_of_number(struct cone_frame *f, struct cone_node *n, struct cone_node *value,
                                        const char *name, struct cone_node **parts, uint32_t count)
{
	int intrinsic = cone_intrinsic_named(name);
	struct cone_type *t = value->type;
	bool is_math =
	    intrinsic == CONE_INTRINSIC_sqrt || intrinsic == CONE_INTRINSIC_sin || intrinsic == CONE_INTRINSIC_cos;
	bool is_known = t->kind == CONE_TYPE_FLOAT
	                    ? is_math
	                    : intrinsic >= 0 && cone_intrinsic_kind_of(intrinsic) == CONE_KIND_BITS;
	if (!is_known)
		return NULL;
	uint32_t wanted = wants_arguments(name) ? 1 : 0;
	if (count != wanted) {
		cone_blame(n, count < wanted ? "1022" : "1023", "%s takes %u values, here are %u", name, wanted, count);
		return cone_failed(f, n);
	}
	bool counts = t->kind == CONE_TYPE_INTEGER && !wanted;
	struct cone_node *call = cone_make(f, CONE_INTRINSIC, n, counts ? &cone_u32 : t);
	call->intrinsic = intrinsic;
	call->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 2);
	call->parts[call->part_count++] = value;
	if (wanted)
		call->parts[call->part_count++] = cone_check_as(f, parts[0], &cone_u32);
	if (is_math && t == &cone_f64 && intrinsic != CONE_INTRINSIC_sqrt)
		cone_gpu_refuse(f, n, "1400", "a GPU has no 64-bit %s", name);
	return wanted && call->parts[1]->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n) : call;
}

struct cone_node *cone_call_method(struct cone_frame *f, struct cone_node *n, struct cone_node *receiver,
                                   const char *name, struct cone_node **parts, uint32_t count,
                                   struct cone_type *expected)
{
	struct cone_node *value = cone_dereference(f, receiver);
	struct cone_type *t = value->type;
	if (cone_type_is_number(t))
		return call_of_number(f, n, value, name, parts, count);
	if (cone_type_atomic_of(t) && !f->scope.module->is_core) {
		struct cone_node *atomic = cone_check_atomic_method(f, n, value, name, parts, count);
		if (atomic)
			return atomic;
	}
	if (t->kind == CONE_TYPE_VIRTUAL)
		return cone_call_virtual(f, n, value, name, parts, count);
	struct cone_declaration *d = choose(f, t, name, parts, count);
	if (!d) {
		if (!cone_method_of(t, name, 0))
			return NULL;
		cone_blame(n, "1013", "no %s of %s takes these types", name, cone_type_text(f->checker, t));
		return cone_failed(f, n);
	}
	if (d->receiver == CONE_SELF_NONE) {
		cone_blame(n, "1025", "%s is called on the type: %s.%s(...)", name, cone_type_text(f->checker, t),
		           name);
		return cone_failed(f, n);
	}
	struct cone_node *self = as_receiver(f, n, d, value);
	if (self->type->kind == CONE_TYPE_ERROR)
		return self;
	return cone_call_function(f, n, d, t, NULL, self, parts, count, expected);
}
