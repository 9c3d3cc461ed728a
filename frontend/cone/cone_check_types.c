/* Types as written, made types; fields of structs and enums for their arguments. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* Types within types; more is a program that makes types without end. */
#define TYPE_DEPTH 40
/* Bytes of an array at most: places in it are 32 bits. */
#define ARRAY_LIMIT (UINT64_C(1) << 30)

static struct cone_type *fail(struct cone_scope *scope, struct span span, const char *code, const char *format,
                              const char *name)
{
	cone_report(scope->file, span, code, format, name);
	return &cone_error;
}

/* Bytes, not exact: for the limit alone. */
static uint64_t size_of(struct cone_checker *c, struct cone_type *t, uint32_t depth)
{
	if (t->kind == CONE_TYPE_ARRAY) {
		uint64_t element = size_of(c, t->element, depth);
		return element > ARRAY_LIMIT || t->count > ARRAY_LIMIT ? ARRAY_LIMIT + 1 : element * t->count;
	}
	if (!t->field_count || depth > TYPE_DEPTH)
		return t->bits ? (t->bits + 7) / 8 : 8;
	uint64_t size = 0;
	for (uint32_t i = 0; i < t->field_count && size <= ARRAY_LIMIT; i++)
		size += size_of(c, t->fields[i].type, depth + 1);
	return size ? size : 1;
}

/* ---- Structs and enums ---- */

struct cone_type *cone_instance_type(struct cone_checker *c, struct cone_declaration *d, struct cone_type **arguments,
                                     uint32_t count)
{
	bool is_new;
	enum cone_type_kind kind = d->kind == CONE_ENUM ? CONE_TYPE_ENUM : CONE_TYPE_STRUCT;
	struct cone_type *type = cone_type_nominal(&c->types, kind, d, arguments, count, &is_new);
	if (is_new)
		*(struct cone_type **)ARENA_PUSH(c->arena, c->nominals, c->nominal_count, c->nominal_capacity) = type;
	return type;
}

static void fill_struct(struct cone_checker *c, struct cone_scope *scope, struct cone_type *t)
{
	struct cone_declaration *d = t->declaration;
	t->fields = ARENA_ARRAY(c->arena, struct cone_type_field, d->field_count);
	for (uint32_t i = 0; i < d->field_count; i++)
		t->fields[i] = (struct cone_type_field){.name = d->fields[i].name,
		                                        .type = cone_resolve(c, scope, d->fields[i].type_syntax),
		                                        .is_public = d->fields[i].is_public};
	t->field_count = d->field_count;
}

/* `tag`, a u32 so that no device needs integers of 8 bits for it, then the payloads. */
static void fill_enum(struct cone_checker *c, struct cone_scope *scope, struct cone_type *t)
{
	struct cone_declaration *d = t->declaration;
	t->fields = ARENA_ARRAY(c->arena, struct cone_type_field, d->field_count + 1);
	t->fields[t->field_count++] = (struct cone_type_field){.name = "tag", .type = &cone_u32};
	for (uint32_t i = 0; i < d->field_count; i++)
		if (d->fields[i].type_syntax)
			t->fields[t->field_count++] = (struct cone_type_field){
			    .name = d->fields[i].name, .type = cone_resolve(c, scope, d->fields[i].type_syntax)};
}

static bool complete_nominal(struct cone_checker *c, struct cone_type *t)
{
	struct cone_declaration *d = t->declaration;
	for (uint32_t i = 0; i < c->unfinished_count; i++)
		if (c->unfinished[i] == t) {
			cone_report(d->file, d->name_span, "1066", "%s holds itself, so it has no size", d->name);
			return false;
		}
	if (t->depth > TYPE_DEPTH || c->unfinished_count > TYPE_DEPTH) {
		cone_report(d->file, d->name_span, "1066", "%s makes types without end", d->name);
		t->is_complete = true;
		return false;
	}
	*(struct cone_type **)ARENA_PUSH(c->arena, c->unfinished, c->unfinished_count, c->unfinished_capacity) = t;
	struct cone_scope scope = {.module = d->module, .file = d->file, .self_type = t};
	if (t->kind == CONE_TYPE_ENUM)
		fill_enum(c, &scope, t);
	else
		fill_struct(c, &scope, t);
	bool good = true;
	for (uint32_t i = 0; i < t->field_count; i++)
		if (!cone_complete(c, t->fields[i].type)) {
			t->fields[i].type = &cone_error;
			good = false;
		}
	c->unfinished_count--;
	t->is_complete = true;
	return good;
}

bool cone_complete(struct cone_checker *c, struct cone_type *t)
{
	while (t->kind == CONE_TYPE_ARRAY)
		t = t->element;
	if (t->kind == CONE_TYPE_TUPLE) {
		bool good = true;
		for (uint32_t i = 0; i < t->field_count; i++)
			good = cone_complete(c, t->fields[i].type) && good;
		return good;
	}
	if (t->kind != CONE_TYPE_STRUCT && t->kind != CONE_TYPE_ENUM)
		return true;
	return t->is_complete ? t->fields != NULL : complete_nominal(c, t);
}

void cone_complete_all(struct cone_checker *c)
{
	for (uint32_t i = 0; i < c->nominal_count; i++)
		cone_complete(c, c->nominals[i]);
}

static bool holds(struct cone_checker *c, struct cone_type *t, bool (*test)(const struct cone_type *), uint32_t depth)
{
	if (test(t))
		return true;
	if (t->kind == CONE_TYPE_ARRAY)
		return holds(c, t->element, test, depth + 1);
	if (depth > TYPE_DEPTH || !cone_complete(c, t))
		return false;
	for (uint32_t i = 0; i < t->field_count; i++)
		if (holds(c, t->fields[i].type, test, depth + 1))
			return true;
	return false;
}

bool cone_type_holds(struct cone_checker *c, struct cone_type *t, bool (*test)(const struct cone_type *))
{
	return holds(c, t, test, 0);
}

/* ---- Names ---- */

static bool names_value(const struct cone_scope *scope, const struct cone_node *n)
{
	bool is_generic = false;
	if (!n)
		return false;
	if (n->kind == CONE_NAME) {
		cone_generic_named(scope, n->name, &is_generic);
		return is_generic;
	}
	for (uint32_t i = 0; i < n->part_count; i++)
		if (names_value(scope, n->parts[i]))
			return true;
	return names_value(scope, n->left) || names_value(scope, n->right);
}

/* A count, or an argument that is a value: of value parameters only the bare name (1405). */
static bool value_argument(struct cone_checker *c, struct cone_scope *scope, struct cone_node *n, uint64_t *value)
{
	if (n->kind != CONE_NAME && names_value(scope, n)) {
		cone_blame(n, "1405", "in a type a value parameter stands by itself, not in an expression");
		return false;
	}
	return cone_constant_integer(c, scope, n, value, c->types.usize);
}

static struct cone_type *resolve_arguments(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s,
                                           struct cone_declaration *d)
{
	if (s->argument_count != d->generic_count) {
		cone_report(scope->file, s->span, s->argument_count < d->generic_count ? "1022" : "1023",
		            "%s takes %u types, here are %u", d->name, d->generic_count, s->argument_count);
		return &cone_error;
	}
	struct cone_type **arguments = ARENA_ARRAY(c->arena, struct cone_type *, s->argument_count);
	for (uint32_t i = 0; i < s->argument_count; i++) {
		uint64_t value;
		if (s->arguments[i].type) {
			arguments[i] = cone_resolve(c, scope, s->arguments[i].type);
			if (arguments[i]->kind == CONE_TYPE_ERROR)
				return &cone_error;
		} else {
			if (!value_argument(c, scope, s->arguments[i].value, &value))
				return &cone_error;
			arguments[i] = cone_type_value(&c->types, c->types.usize, value);
		}
	}
	return cone_instance_type(c, d, arguments, s->argument_count);
}

static bool is_number_or_pointer(const struct cone_type *t)
{
	return (t->kind == CONE_TYPE_INTEGER && !cone_type_is_value(t)) || t->kind == CONE_TYPE_BOOL ||
	       t->kind == CONE_TYPE_POINTER;
}

bool cone_takes_lifetimes(struct cone_file *file, struct span span, const char *name, const struct cone_declaration *d,
                          const struct cone_lifetimes *written)
{
	uint32_t there = d ? d->lifetimes.count : 0;
	if (!written->count || written->count == there)
		return true;
	cone_report(file, span, written->count < there ? "1022" : "1023", "%s takes %u lifetimes, here are %u", name,
	            there, written->count);
	return false;
}

static struct cone_type *of_declaration(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s,
                                        struct cone_symbol *symbol)
{
	const char *name = s->path[s->path_count - 1];
	struct cone_declaration *d = symbol->declaration;
	if (!d)
		return fail(scope, s->span, "1019", "%s is a module, not a type", name);
	if (!cone_takes_lifetimes(scope->file, s->span, name, d, &s->lifetimes))
		return &cone_error;
	if (d->kind == CONE_STRUCT || d->kind == CONE_ENUM) {
		struct cone_type *type = resolve_arguments(c, scope, s, d);
		struct cone_type *atomic = cone_type_atomic_of(type);
		if (atomic && !is_number_or_pointer(atomic))
			return fail(scope, s->span, "1184", "an Atomic holds an integer, a bool or a pointer, not %s",
			            cone_type_text(c, atomic));
		return type;
	}
	if (d->kind == CONE_TRAIT)
		return cone_type_virtual(&c->types, d);
	if (d->kind == CONE_ALIAS) {
		struct cone_scope own = {.module = d->module, .file = d->file};
		return cone_resolve(c, &own, d->type_syntax);
	}
	uint64_t value;
	if (d->kind == CONE_CONST) {
		struct cone_node *tree = cone_value_of_declaration(c, d);
		if (tree && tree->kind == CONE_CONSTANT && tree->type->kind == CONE_TYPE_INTEGER) {
			value = tree->constant;
			return cone_type_value(&c->types, tree->type, value);
		}
		if (!tree)
			return &cone_error;
	}
	return fail(scope, s->span, "1019", "%s is not a type", name);
}

static struct cone_type *resolve_array(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	if (s->argument_count < 2 || !s->arguments[0].type)
		return fail(scope, s->span, "1022", "%s needs an element type and its counts: Array[T, n]", "Array");
	struct cone_type *type = cone_resolve(c, scope, s->arguments[0].type);
	bool is_trait = type->kind == CONE_TYPE_VIRTUAL && s->arguments[0].type->form != CONE_FORM_VIRTUAL;
	for (uint32_t i = s->argument_count; i-- > 1 && type->kind != CONE_TYPE_ERROR;) {
		uint64_t count = 0;
		if (s->arguments[i].type) {
			struct cone_type *value = cone_resolve(c, scope, s->arguments[i].type);
			if (value->kind == CONE_TYPE_ERROR)
				return value;
			if (!cone_type_is_value(value))
				return fail(scope, s->span, "1013", "an array's count is a number, not the type %s",
				            cone_type_text(c, value));
			count = value->count;
		} else if (!value_argument(c, scope, s->arguments[i].value, &count)) {
			return &cone_error;
		}
		if (type->kind == CONE_TYPE_VOID || type->kind == CONE_TYPE_NEVER || is_trait ||
		    type->kind == CONE_TYPE_FUNCTION || cone_type_is_value(type))
			return fail(scope, s->span, "1013", "an array cannot hold %s", cone_type_text(c, type));
		if (count == 0 || count > ARRAY_LIMIT)
			return fail(scope, s->span, "1158", "an array of %s elements cannot be",
			            count ? "so many" : "no");
		type = cone_type_array(&c->types, type, count);
		if (size_of(c, type, 0) > ARRAY_LIMIT)
			return fail(scope, s->span, "1158", "an array of %s elements cannot be", "so many");
	}
	return type;
}

/* NULL: no owner's name. */
static const char *const OWNERS[] = {"So", "Rc", "Arc", "Weak", NULL};

static bool is_owner(const char *name)
{
	for (const char *const *owner = OWNERS; *owner; owner++)
		if (strcmp(*owner, name) == 0)
			return true;
	return false;
}

static bool is_permission(const struct cone_type_syntax *s)
{
	static const char *const PERMISSIONS[] = {"mut", "imm", "uni", "ro", "mut1", "opaq"};
	for (size_t i = 0; i < sizeof PERMISSIONS / sizeof *PERMISSIONS; i++)
		if (s && s->form == CONE_FORM_NAME && strcmp(s->path[0], PERMISSIONS[i]) == 0)
			return true;
	return false;
}

/* So[T] is changed through, as it is alone; what Rc[T] shares is not, unless by Rc[mut, T]. */
static struct cone_type *resolve_owner(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	struct cone_type_syntax *owned = NULL, *permission = NULL;
	uint64_t owner = 0;
	while (strcmp(OWNERS[owner], s->path[0]) != 0)
		owner++;
	if (!scope->module->is_core && !c->program->machine.chooses)
		cone_gpu_refuse_at(c, scope->file, s->span, "1400", "a GPU has no allocator, so no owning reference %s",
		                   s->path[0]);
	for (uint32_t i = s->argument_count; i-- > 0;)
		if (!s->arguments[i].type)
			continue;
		else if (!owned && !is_permission(s->arguments[i].type))
			owned = s->arguments[i].type;
		else
			permission = s->arguments[i].type;
	bool mutable = owner == CONE_OWNER_SO;
	if (permission && is_permission(permission))
		mutable = strncmp(permission->path[0], "mut", 3) == 0 || strcmp(permission->path[0], "uni") == 0;
	else if (permission)
		owner |= CONE_OWNER_LOCKED;
	return cone_type_owner(&c->types, owned ? cone_resolve(c, scope, owned) : &cone_error, owner, mutable);
}

static struct cone_type *resolve_name(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	const char *name = s->path[0];
	if (s->path_count > 1) {
		struct cone_symbol *symbol = cone_symbol_of(c, scope->module, name);
		for (uint32_t i = 1; symbol && i < s->path_count; i++) {
			if (!symbol->module)
				return fail(scope, s->span, "1019", "%s is not a module", s->path[i - 1]);
			symbol = cone_symbol_through(c, scope, symbol->module, s->path[i], s->span);
			if (!symbol)
				return &cone_error;
		}
		return symbol ? of_declaration(c, scope, s, symbol)
		              : fail(scope, s->span, "1019", "%s is not known", name);
	}
	bool is_generic;
	struct cone_type *type = cone_generic_named(scope, name, &is_generic);
	if (is_generic && !cone_takes_lifetimes(scope->file, s->span, name, NULL, &s->lifetimes))
		return &cone_error;
	if (is_generic)
		return type ? type : fail(scope, s->span, "1019", "%s is not known here", name);
	if (strcmp(name, "Self") == 0 && scope->self_type)
		return scope->self_type;
	struct cone_symbol *symbol = cone_symbol_of(c, scope->module, name);
	if (symbol)
		return of_declaration(c, scope, s, symbol);
	if (!cone_takes_lifetimes(scope->file, s->span, name, NULL, &s->lifetimes))
		return &cone_error;
	if (strcmp(name, "Array") == 0)
		return resolve_array(c, scope, s);
	type = strcmp(name, "Never") == 0 ? &cone_never : cone_type_of_name(&c->types, name);
	if (type)
		return s->argument_count ? fail(scope, s->span, "1023", "%s takes no types", name) : type;
	if (is_owner(name))
		return resolve_owner(c, scope, s);
	return fail(scope, s->span, "1019", "%s is not known", name);
}

/* ---- Constructors ---- */

static bool names(const struct cone_type_syntax *s, const char *name)
{
	return s->form == CONE_FORM_NAME && s->path_count == 1 && strcmp(s->path[0], name) == 0;
}

static struct cone_type *resolve_reference(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	struct cone_type_syntax *to = s->arguments[0].type;
	if (!to)
		return fail(scope, s->span, "1019", "%s refers to no type", "&");
	if (names(to, "str"))
		return cone_type_slice(&c->types, &cone_u8, false);
	bool is_slice = names(to, "Array") && to->argument_count == 1;
	if (is_slice && !to->arguments[0].type)
		return fail(scope, to->span, "1019", "%s needs an element type", "Array");
	struct cone_type *element = cone_resolve(c, scope, is_slice ? to->arguments[0].type : to);
	if (element->kind == CONE_TYPE_ERROR)
		return element;
	if (element->kind == CONE_TYPE_NEVER || cone_type_is_value(element))
		return fail(scope, s->span, "1013", "there is no reference to %s", cone_type_text(c, element));
	return is_slice ? cone_type_slice(&c->types, element, s->mutable)
	                : cone_type_reference(&c->types, element, s->mutable);
}

struct cone_type *cone_signature_type(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d)
{
	struct cone_type **parameters = ARENA_ARRAY(c->arena, struct cone_type *, d->parameter_count);
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		parameters[i] = cone_resolve(c, scope, d->parameters[i].type_syntax);
		if (parameters[i]->kind == CONE_TYPE_ERROR)
			return &cone_error;
	}
	struct cone_type *result = cone_results_type(c, scope, d);
	return result->kind == CONE_TYPE_ERROR ? result
	                                       : cone_type_function(&c->types, parameters, d->parameter_count, result);
}

static struct cone_type *resolve_option(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	struct cone_symbol *option = cone_symbol_of(c, c->core, "Option");
	struct cone_type *of = s->arguments[0].type ? cone_resolve(c, scope, s->arguments[0].type) : &cone_error;
	return of->kind == CONE_TYPE_ERROR || !option ? &cone_error
	                                              : cone_instance_type(c, option->declaration, &of, 1);
}

static struct cone_type *resolve_tuple(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	struct cone_type **items = ARENA_ARRAY(c->arena, struct cone_type *, s->argument_count);
	for (uint32_t i = 0; i < s->argument_count; i++) {
		items[i] = s->arguments[i].type ? cone_resolve(c, scope, s->arguments[i].type) : &cone_error;
		if (items[i]->kind == CONE_TYPE_ERROR)
			return &cone_error;
	}
	return cone_type_tuple(&c->types, items, s->argument_count);
}

static struct cone_type *resolve_form(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	struct cone_type *type;
	switch (s->form) {
	case CONE_FORM_NAME: return resolve_name(c, scope, s);
	case CONE_FORM_REFERENCE: return resolve_reference(c, scope, s);
	case CONE_FORM_VIRTUAL:
		type = s->arguments[0].type ? cone_resolve(c, scope, s->arguments[0].type) : &cone_error;
		return type->kind == CONE_TYPE_VIRTUAL || type->kind == CONE_TYPE_ERROR
		           ? type
		           : fail(scope, s->span, "1013", "%s is no trait", cone_type_text(c, type));
	case CONE_FORM_FUNCTION: return cone_signature_type(c, scope, s->function);
	case CONE_FORM_POINTER:
		type = s->arguments[0].type ? cone_resolve(c, scope, s->arguments[0].type) : &cone_error;
		return type->kind == CONE_TYPE_ERROR ? type : cone_type_pointer(&c->types, type);
	case CONE_FORM_OPTION: return resolve_option(c, scope, s);
	case CONE_FORM_TUPLE: return resolve_tuple(c, scope, s);
	}
	return &cone_error;
}

struct cone_type *cone_resolve(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	if (!s)
		return &cone_error;
	if (c->depth > 2 * TYPE_DEPTH)
		return fail(scope, s->span, "1066", "this type is made of itself%s", "");
	c->depth++;
	struct cone_type *type = resolve_form(c, scope, s);
	c->depth--;
	if (type->depth > TYPE_DEPTH)
		return fail(scope, s->span, "1066", "types are made of types without end%s", "");
	return type;
}

struct cone_type *cone_results_type(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d)
{
	if (!d->result_count)
		return &cone_void;
	struct cone_type **items = ARENA_ARRAY(c->arena, struct cone_type *, d->result_count);
	for (uint32_t i = 0; i < d->result_count; i++) {
		items[i] = cone_resolve(c, scope, d->results[i]);
		if (items[i]->kind == CONE_TYPE_ERROR)
			return &cone_error;
	}
	return d->result_count == 1 ? items[0] : cone_type_tuple(&c->types, items, d->result_count);
}

/* ---- For inference ---- */

static bool is_known(struct cone_scope *scope, const struct cone_type_syntax *s)
{
	bool is_generic;
	if (!s)
		return false;
	if (s->form == CONE_FORM_NAME && s->path_count == 1 && !cone_generic_named(scope, s->path[0], &is_generic) &&
	    is_generic)
		return false;
	if (s->form == CONE_FORM_FUNCTION) {
		for (uint32_t i = 0; i < s->function->parameter_count; i++)
			if (!is_known(scope, s->function->parameters[i].type_syntax))
				return false;
		for (uint32_t i = 0; i < s->function->result_count; i++)
			if (!is_known(scope, s->function->results[i]))
				return false;
	}
	for (uint32_t i = 0; i < s->argument_count; i++)
		if (s->arguments[i].type && !is_known(scope, s->arguments[i].type))
			return false;
	return true;
}

struct cone_type *cone_resolve_quietly(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s)
{
	return is_known(scope, s) ? cone_resolve(c, scope, s) : NULL;
}

/* ---- Types among expressions: f[&Array[u32]](x), None[T][] ---- */

/* The same thing as type syntax; NULL: it is none, so a value. */
static struct cone_type_syntax *as_syntax(struct cone_checker *c, struct cone_node *n)
{
	struct cone_type_syntax *s = ARENA_NEW(c->arena, struct cone_type_syntax);
	s->span = n->span;
	s->form = CONE_FORM_NAME;
	if (n->kind == CONE_NAME || n->kind == CONE_MEMBER) {
		uint32_t count = 1;
		for (struct cone_node *at = n; at->kind == CONE_MEMBER; at = at->left)
			count++;
		s->path = ARENA_ARRAY(c->arena, const char *, count);
		s->path_count = count;
		for (struct cone_node *at = n; count; at = at->left) {
			if (at->kind != CONE_NAME && at->kind != CONE_MEMBER)
				return NULL;
			s->path[--count] = at->name;
		}
		return s;
	}
	if (n->kind == CONE_INDEX) {
		s = as_syntax(c, n->left);
		if (!s)
			return NULL;
		s->arguments = arena_array(c->arena, n->part_count, sizeof *s->arguments);
		s->argument_count = n->part_count;
		s->lifetimes = n->lifetimes;
		for (uint32_t i = 0; i < n->part_count; i++) {
			s->arguments[i].type = as_syntax(c, n->parts[i]);
			if (!s->arguments[i].type)
				s->arguments[i].value = n->parts[i];
		}
		s->span = n->span;
		return s;
	}
	if (n->kind != CONE_BORROW && n->kind != CONE_DEREFERENCE)
		return NULL;
	s->form = n->kind == CONE_BORROW ? CONE_FORM_REFERENCE : CONE_FORM_POINTER;
	s->mutable = n->mutable;
	s->lifetimes = n->lifetimes;
	s->arguments = arena_array(c->arena, 1, sizeof *s->arguments);
	s->argument_count = 1;
	s->arguments[0].type = as_syntax(c, n->left);
	return s->arguments[0].type ? s : NULL;
}

struct cone_type *cone_type_of_expression(struct cone_frame *f, struct cone_node *n)
{
	struct cone_checker *c = f->checker;
	struct cone_type_syntax *s = as_syntax(c, n);
	if (s)
		return cone_resolve(c, &f->scope, s);
	uint64_t value;
	if (!cone_constant_integer(c, &f->scope, n, &value, c->types.usize))
		return &cone_error;
	return cone_type_value(&c->types, c->types.usize, value);
}
