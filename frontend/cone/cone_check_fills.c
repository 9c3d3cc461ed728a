/* Closures that fill a trait: where a trait asks for one method, a closure of its signature is that method. */
#include <string.h>

#include "frontend/cone/cone_check.h"

static bool names_self(const struct cone_type_syntax *s)
{
	bool names = s->form == CONE_FORM_NAME && s->path_count == 1 && strcmp(s->path[0], "Self") == 0;
	for (uint32_t i = 0; !names && i < s->argument_count; i++)
		names = s->arguments[i].type && names_self(s->arguments[i].type);
	return names;
}

/* A closure has no name for what it is, and is called with values alone. */
static bool can_be_closure(const struct cone_declaration *d)
{
	bool can = d->receiver != CONE_SELF_NONE && d->receiver != CONE_SELF_NEW && !d->generic_count;
	for (uint32_t i = 0; can && i < d->parameter_count; i++)
		can = d->parameters[i].type_syntax && !names_self(d->parameters[i].type_syntax);
	for (uint32_t i = 0; can && i < d->result_count; i++)
		can = !names_self(d->results[i]);
	return can;
}

static uint32_t count_required(const struct cone_declaration *trait, struct cone_declaration **last)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < trait->member_count; i++)
		if (!trait->members[i]->body) {
			*last = trait->members[i];
			count++;
		}
	return count;
}

struct cone_type *cone_trait_signature(struct cone_checker *c, struct cone_declaration *trait)
{
	struct cone_declaration *required = NULL;
	if (count_required(trait, &required) != 1 || !can_be_closure(required))
		return NULL;
	struct cone_scope scope = {.module = trait->module, .file = trait->file};
	struct cone_type *signature = cone_signature_type(c, &scope, required);
	return signature->kind == CONE_TYPE_ERROR ? NULL : signature;
}

struct cone_declaration *cone_trait_wanted(const struct cone_type *expected)
{
	if (expected && expected->kind == CONE_TYPE_OWNER)
		expected = expected->element;
	return expected && expected->kind == CONE_TYPE_VIRTUAL ? expected->declaration : NULL;
}

struct cone_type *cone_wanted_signature(struct cone_checker *c, struct cone_type *expected)
{
	while (expected && expected->kind == CONE_TYPE_REFERENCE)
		expected = expected->element;
	struct cone_declaration *trait = cone_trait_wanted(expected);
	if (trait)
		return cone_trait_signature(c, trait);
	return expected && expected->kind == CONE_TYPE_FUNCTION ? expected : NULL;
}

bool cone_fill_trait(struct cone_checker *c, struct cone_type *closure, struct cone_declaration *trait)
{
	for (uint32_t i = 0; i < closure->fill_count; i++)
		if (closure->fills[i] == trait)
			return true;
	struct cone_type *signature = cone_trait_signature(c, trait);
	if (!signature || !cone_has_signature(closure, signature))
		return false;
	*(struct cone_declaration **)ARENA_PUSH(c->arena, closure->fills, closure->fill_count, closure->fill_capacity) =
	    trait;
	return true;
}

bool cone_is_filled(const struct cone_type *closure, const struct cone_declaration *method)
{
	return closure && closure->kind == CONE_TYPE_CLOSURE && !method->body && method->owner &&
	       method->owner->kind == CONE_TRAIT;
}

void cone_blame_unfilled(const struct cone_node *n, const struct cone_declaration *trait)
{
	struct cone_declaration *required = NULL;
	uint32_t count = count_required(trait, &required);
	if (count == 1)
		cone_blame(n, "1186", "%s of trait %s is generic, of Self or without self, so no closure is it",
		           required->name, trait->name);
	else
		cone_blame(n, "1186", "a closure is one method, and trait %s asks for %u", trait->name, count);
}
