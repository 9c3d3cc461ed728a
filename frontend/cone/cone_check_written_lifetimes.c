/* Lifetimes as they are written of parameters, receivers and results: what they say of where a reference may go. */
#include <string.h>

#include "frontend/cone/cone_check.h"

static bool names(const struct cone_lifetimes *lifetimes, const char *name)
{
	for (uint32_t i = 0; i < lifetimes->count; i++)
		if (strcmp(lifetimes->items[i].name, name) == 0)
			return true;
	return false;
}

static bool mentions(const struct cone_type_syntax *s, const char *name, bool inside_alone)
{
	if (!s || (!inside_alone && names(&s->lifetimes, name)))
		return s != NULL;
	for (uint32_t i = 0; i < s->argument_count; i++)
		if (mentions(s->arguments[i].type, name, false))
			return true;
	return false;
}

static bool has_lifetimes(const struct cone_type_syntax *s, bool inside_alone)
{
	if (!s || (!inside_alone && s->lifetimes.count))
		return s != NULL;
	for (uint32_t i = 0; i < s->argument_count; i++)
		if (has_lifetimes(s->arguments[i].type, false))
			return true;
	return false;
}

static bool is_generic(const struct cone_declaration *d, const char *name)
{
	for (uint32_t i = 0; d && i < d->generic_count; i++)
		if (strcmp(d->generics[i].name, name) == 0)
			return true;
	return false;
}

static bool mentions_generic(const struct cone_declaration *d, const struct cone_type_syntax *s)
{
	if (!s)
		return false;
	if (s->form == CONE_FORM_NAME && s->path_count == 1 &&
	    (is_generic(d, s->path[0]) || is_generic(d->owner, s->path[0])))
		return true;
	for (uint32_t i = 0; i < s->argument_count; i++)
		if (mentions_generic(d, s->arguments[i].type))
			return true;
	return false;
}

/* References that are of what a type parameter stands for have no lifetime that is written. */
static bool is_of_generic(const struct cone_declaration *d, uint32_t bit)
{
	uint32_t place = bit / 2, first = d->receiver != CONE_SELF_NONE ? 1 : 0;
	if (place < first)
		return d->owner && d->owner->generic_count > 0;
	return place - first < d->parameter_count && mentions_generic(d, d->parameters[place - first].type_syntax);
}

/* Whether what a bit of `from` leads to is written with the lifetime; NULL: with any. */
static bool bit_has(const struct cone_declaration *d, uint32_t bit, const char *name)
{
	const struct cone_declaration *owner = d->owner;
	uint32_t place = bit / 2, first = d->receiver != CONE_SELF_NONE ? 1 : 0;
	bool inside = bit % 2;
	if (place < first) {
		const char *own = d->receiver_lifetime.name;
		bool is_reference = d->receiver != CONE_SELF_VALUE;
		if (is_reference && !inside)
			return own && (!name || strcmp(own, name) == 0);
		return owner && (name ? names(&owner->lifetimes, name) : owner->lifetimes.count > 0);
	}
	if (place - first >= d->parameter_count)
		return false;
	const struct cone_type_syntax *s = d->parameters[place - first].type_syntax;
	bool is_reference = s->form == CONE_FORM_REFERENCE || s->form == CONE_FORM_VIRTUAL;
	if (is_reference && !inside) /* &'a V['b]: the outermost alone */
		return name ? names(&s->lifetimes, name) : s->lifetimes.count > 0;
	return name ? mentions(s, name, is_reference) : has_lifetimes(s, is_reference);
}

/* What is given has one of the lifetimes that the result is written with. */
static bool result_allows(const struct cone_declaration *d, uint32_t bit)
{
	const struct cone_lifetimes *declared[] = {&d->lifetimes, d->owner ? &d->owner->lifetimes : &d->lifetimes};
	for (size_t list = 0; list < 2; list++)
		for (uint32_t i = 0; i < declared[list]->count; i++) {
			const char *name = declared[list]->items[i].name;
			for (uint32_t j = 0; j < d->result_count; j++)
				if (mentions(d->results[j], name, false) && bit_has(d, bit, name))
					return true;
		}
	return bit_has(d, bit, "static") || is_of_generic(d, bit);
}

/* What references behind parameter `bit / 2` become has one of the lifetimes that these are written with. */
static bool kept_allows(const struct cone_declaration *d, uint32_t bit, uint32_t from)
{
	const struct cone_lifetimes *declared[] = {&d->lifetimes, d->owner ? &d->owner->lifetimes : &d->lifetimes};
	for (size_t list = 0; list < 2; list++)
		for (uint32_t i = 0; i < declared[list]->count; i++) {
			const char *name = declared[list]->items[i].name;
			if (bit_has(d, bit | 1, name) && bit_has(d, from, name))
				return true;
		}
	return bit_has(d, from, "static") || is_of_generic(d, from);
}

static bool is_closure(const struct cone_instance *instance)
{
	return instance->self_type && instance->self_type->kind == CONE_TYPE_CLOSURE && !instance->function->owner;
}

static bool result_has_lifetimes(const struct cone_declaration *d)
{
	for (uint32_t i = 0; i < d->result_count; i++)
		if (has_lifetimes(d->results[i], false))
			return true;
	return false;
}

bool cone_lifetimes_allow_result(const struct cone_instance *instance, uint64_t from)
{
	const struct cone_declaration *d = instance->function;
	if (is_closure(instance) || !result_has_lifetimes(d))
		return true;
	for (uint32_t bit = 0; bit < 2 * CONE_LIFETIME_PARAMETERS; bit++)
		if ((from >> bit & 1) && !result_allows(d, bit))
			return false;
	return true;
}

bool cone_lifetimes_allow_kept(const struct cone_instance *instance, uint32_t bit, uint64_t from)
{
	const struct cone_declaration *d = instance->function;
	if (is_closure(instance) || !bit_has(d, bit | 1, NULL))
		return true;
	for (uint32_t source = 0; source < 2 * CONE_LIFETIME_PARAMETERS; source++)
		if ((from >> source & 1) && !kept_allows(d, bit, source))
			return false;
	return true;
}
