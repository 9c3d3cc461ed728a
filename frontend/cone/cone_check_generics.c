/* Generics: their arguments found from what a call is given, and whether these meet the bounds. */
#include <string.h>

#include "frontend/cone/cone_check.h"

static uint32_t generic_named(const struct cone_declaration *d, const struct cone_type_syntax *s)
{
	uint32_t i = 0;
	if (s->form != CONE_FORM_NAME || s->path_count != 1 || s->argument_count)
		return d->generic_count;
	while (i < d->generic_count && strcmp(d->generics[i].name, s->path[0]) != 0)
		i++;
	return i;
}

static void bind(struct cone_scope *scope, uint32_t i, struct cone_type *t)
{
	if (!scope->arguments[i] && t->kind != CONE_TYPE_ERROR && t->kind != CONE_TYPE_NEVER && t != &cone_void)
		scope->arguments[i] = t;
}

static void unify(struct cone_checker *c, struct cone_scope *scope, const struct cone_type_syntax *s,
                  struct cone_type *t);

static void unify_array(struct cone_checker *c, struct cone_scope *scope, const struct cone_type_syntax *s,
                        struct cone_type *t)
{
	for (uint32_t i = 1; i < s->argument_count; i++) {
		if (t->kind != CONE_TYPE_ARRAY)
			return;
		if (s->arguments[i].type) {
			uint32_t generic = generic_named(scope->function, s->arguments[i].type);
			if (generic < scope->function->generic_count)
				bind(scope, generic, cone_type_value(&c->types, c->types.usize, t->count));
		}
		t = t->element;
	}
	if (s->arguments[0].type)
		unify(c, scope, s->arguments[0].type, t);
}

static void unify_name(struct cone_checker *c, struct cone_scope *scope, const struct cone_type_syntax *s,
                       struct cone_type *t)
{
	uint32_t generic = generic_named(scope->function, s);
	const char *name = s->path[s->path_count - 1];
	if (generic < scope->function->generic_count) {
		bind(scope, generic, t);
	} else if (strcmp(name, "Array") == 0 && s->argument_count >= 2) {
		unify_array(c, scope, s, t);
	} else if (t->kind == CONE_TYPE_OWNER) {
		for (uint32_t i = 0; i < s->argument_count; i++) /* permissions are no generics */
			if (s->arguments[i].type)
				unify(c, scope, s->arguments[i].type, t->element);
	} else if (t->declaration && strcmp(t->declaration->name, name) == 0 &&
	           t->argument_count == s->argument_count) {
		for (uint32_t i = 0; i < s->argument_count; i++)
			if (s->arguments[i].type)
				unify(c, scope, s->arguments[i].type, t->arguments[i]);
	}
}

static void unify_reference(struct cone_checker *c, struct cone_scope *scope, const struct cone_type_syntax *s,
                            struct cone_type *t)
{
	const struct cone_type_syntax *to = s->arguments[0].type;
	if (!to)
		return;
	bool is_slice = to->form == CONE_FORM_NAME && to->path_count == 1 && strcmp(to->path[0], "Array") == 0 &&
	                to->argument_count == 1;
	if (is_slice && to->arguments[0].type) {
		if (t->kind == CONE_TYPE_SLICE)
			unify(c, scope, to->arguments[0].type, t->element);
		else if (t->kind == CONE_TYPE_REFERENCE && t->element->kind == CONE_TYPE_ARRAY)
			unify(c, scope, to->arguments[0].type, t->element->element);
	} else if (t->kind == CONE_TYPE_REFERENCE) {
		unify(c, scope, to, t->element);
	} else if (t->kind == CONE_TYPE_CLOSURE) {
		unify(c, scope, to, t); /* a closure is borrowed where it is written */
	}
}

static void unify(struct cone_checker *c, struct cone_scope *scope, const struct cone_type_syntax *s,
                  struct cone_type *t)
{
	switch (s->form) {
	case CONE_FORM_NAME: unify_name(c, scope, s, t); break;
	case CONE_FORM_REFERENCE: unify_reference(c, scope, s, t); break;
	case CONE_FORM_POINTER:
		if ((t->kind == CONE_TYPE_POINTER || t->kind == CONE_TYPE_REFERENCE) && s->arguments[0].type)
			unify(c, scope, s->arguments[0].type, t->element);
		break;
	case CONE_FORM_OPTION:
		if (t->argument_count == 1 && s->arguments[0].type)
			unify(c, scope, s->arguments[0].type, t->arguments[0]);
		break;
	case CONE_FORM_TUPLE:
		for (uint32_t i = 0; t->kind == CONE_TYPE_TUPLE && i < s->argument_count && i < t->field_count; i++)
			if (s->arguments[i].type)
				unify(c, scope, s->arguments[i].type, t->fields[i].type);
		break;
	case CONE_FORM_VIRTUAL:
	case CONE_FORM_FUNCTION: break;
	}
}

/* ---- Closures and functions given for [F fn(...)] ---- */

static struct cone_type_syntax *signature_of(const struct cone_generic *g)
{
	for (uint32_t i = 0; i < g->bound_count; i++)
		if (g->bounds[i]->form == CONE_FORM_FUNCTION)
			return g->bounds[i];
	return NULL;
}

/* F, or &F, of a parameter; the count of generics: neither. */
static uint32_t callable_generic(const struct cone_declaration *d, const struct cone_type_syntax *s)
{
	if (s->form == CONE_FORM_REFERENCE && s->arguments[0].type)
		s = s->arguments[0].type;
	return generic_named(d, s);
}

static bool is_closure(const struct cone_node *n)
{
	if (n->kind == CONE_BORROW)
		n = n->left;
	return n->kind == CONE_CLOSURE;
}

/* The trait among the bounds; NULL: none. */
static struct cone_declaration *trait_of(struct cone_checker *c, struct cone_scope *scope, const struct cone_generic *g)
{
	for (uint32_t i = 0; i < g->bound_count; i++) {
		struct cone_type *bound = cone_resolve_quietly(c, scope, g->bounds[i]);
		if (bound && bound->kind == CONE_TYPE_VIRTUAL)
			return bound->declaration;
	}
	return NULL;
}

/* The type that a signature bound is for the arguments known; NULL: not all are known. */
static struct cone_type *bound_signature(struct cone_checker *c, struct cone_scope *scope, const struct cone_generic *g)
{
	struct cone_type_syntax *s = signature_of(g);
	struct cone_declaration *trait = s ? NULL : trait_of(c, scope, g);
	if (trait)
		return cone_trait_signature(c, trait);
	return s ? cone_resolve_quietly(c, scope, s) : NULL;
}

static bool infer_closure(struct cone_frame *f, struct cone_scope *scope, struct cone_node **part, uint32_t generic)
{
	struct cone_generic *g = &scope->function->generics[generic];
	struct cone_type *signature = bound_signature(f->checker, scope, g);
	struct cone_node *n = *part, *literal = n->kind == CONE_BORROW ? n->left : n;
	if (signature && signature->kind == CONE_TYPE_ERROR)
		return false;
	struct cone_declaration *trait = signature_of(g) ? NULL : trait_of(f->checker, scope, g);
	if (trait && !signature) {
		cone_blame_unfilled(literal, trait);
		return false;
	}
	*part = cone_check_closure(f, literal, signature);
	if ((*part)->type->kind == CONE_TYPE_ERROR)
		return false;
	bind(scope, generic, (*part)->type);
	if (n->kind == CONE_BORROW)
		*part = cone_borrow(f, *part, n->mutable);
	/* What it gives may be what another generic is. */
	struct cone_type_syntax *s = signature_of(g);
	struct cone_node *value = n->kind == CONE_BORROW ? (*part)->left : *part;
	if (s && !signature && s->function->result_count == 1 && value->type->call)
		unify(f->checker, scope, s->function->results[0], value->type->call->result);
	return true;
}

bool cone_infer(struct cone_frame *f, struct cone_node *n, struct cone_scope *scope, struct cone_node **parts,
                uint32_t count, struct cone_type *expected)
{
	struct cone_declaration *d = scope->function;
	struct cone_checker *c = f->checker;
	if (!d->generic_count)
		return true;
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < count && i < d->parameter_count; i++) {
			struct cone_type_syntax *s = d->parameters[i].type_syntax;
			if (!s || cone_resolve_quietly(c, scope, s))
				continue;
			int turn = is_closure(parts[i]) ? 2 : cone_is_untyped(parts[i]) ? 1 : 0;
			if (turn != round)
				continue;
			uint32_t generic = callable_generic(d, s);
			if (turn == 2 && generic < d->generic_count) {
				if (!infer_closure(f, scope, &parts[i], generic))
					return false;
				continue;
			}
			parts[i] = cone_check_expression(f, parts[i], NULL);
			if (parts[i]->type->kind == CONE_TYPE_ERROR)
				return false;
			unify(c, scope, s, parts[i]->type);
		}
	if (expected && d->result_count == 1)
		unify(c, scope, d->results[0], expected);
	for (uint32_t i = 0; i < d->generic_count; i++)
		if (!scope->arguments[i]) {
			cone_blame(n, "1022", "%s of %s is not known from what is given", d->generics[i].name, d->name);
			return false;
		}
	return true;
}

/* ---- Bounds ---- */

static bool has_signature(const struct cone_instance *instance, const struct cone_type *signature, uint32_t first)
{
	if (!instance || instance->parameter_count < first ||
	    instance->parameter_count - first != signature->argument_count ||
	    (instance->result != signature->element && instance->result->kind != CONE_TYPE_NEVER))
		return false;
	for (uint32_t i = 0; i < signature->argument_count; i++)
		if (instance->parameters[i + first]->type != signature->arguments[i])
			return false;
	return true;
}

bool cone_has_signature(const struct cone_type *closure, const struct cone_type *signature)
{
	return has_signature(closure->call, signature, closure->call && closure->call->self_type == closure ? 1 : 0);
}

static bool meets_signature(struct cone_frame *f, const struct cone_node *n, struct cone_type *t,
                            const struct cone_type *signature)
{
	if (t->kind == CONE_TYPE_CLOSURE)
		return cone_has_signature(t, signature);
	if (t->kind == CONE_TYPE_REFERENCE)
		return meets_signature(f, n, t->element, signature);
	if (t->kind == CONE_TYPE_FUNCTION)
		return t == signature;
	for (uint32_t i = 0; cone_method_of(t, "()", i); i++) {
		struct cone_declaration *d = cone_method_of(t, "()", i);
		if (d->generic_count == 0 && d->receiver != CONE_SELF_NONE &&
		    has_signature(cone_instance_of(f, n, d, t, NULL), signature, 1))
			return true;
	}
	return false;
}

bool cone_has_trait(struct cone_checker *c, struct cone_type *t, struct cone_declaration *trait)
{
	if (t->kind == CONE_TYPE_CLOSURE)
		return cone_fill_trait(c, t, trait);
	const struct cone_declaration *d = t->declaration;
	for (uint32_t i = 0; d && i < d->trait_count; i++) {
		struct cone_scope scope = {.module = d->module, .file = d->file, .self_type = t};
		if (cone_resolve(c, &scope, d->traits[i])->declaration == trait)
			return true;
	}
	return false;
}

bool cone_meets_bounds(struct cone_frame *f, const struct cone_node *n, struct cone_scope *scope)
{
	struct cone_declaration *d = scope->function;
	struct cone_checker *c = f->checker;
	for (uint32_t i = 0; i < d->generic_count; i++)
		for (uint32_t j = 0; j < d->generics[i].bound_count; j++) {
			struct cone_type *bound = cone_resolve(c, scope, d->generics[i].bounds[j]),
			                 *t = scope->arguments[i];
			if (bound->kind == CONE_TYPE_ERROR)
				return false;
			bool good = cone_type_is_number(bound)          ? cone_type_is_value(t)
			            : bound->kind == CONE_TYPE_VIRTUAL  ? cone_has_trait(c, t, bound->declaration)
			            : bound->kind == CONE_TYPE_FUNCTION ? meets_signature(f, n, t, bound)
			                                                : false;
			if (!good) {
				cone_blame(n, "1186", "%s of %s is %s, which %s", d->generics[i].name, d->name,
				           cone_type_text(c, t),
				           bound->kind == CONE_TYPE_FUNCTION ? "cannot be called so"
				           : cone_type_is_number(bound)      ? "is no value"
				                                             : "does not have its trait");
				return false;
			}
			if (cone_type_is_value(t) && t->element != bound)
				scope->arguments[i] =
				    cone_type_value(&c->types, bound, cone_wrap_bits(bound, t->count));
		}
	return true;
}
