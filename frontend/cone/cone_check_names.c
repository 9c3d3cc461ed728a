/* Names: what modules declare, import and fold, and what an expression's names stand for. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- Tables of modules ---- */

static struct cone_symbol *put(struct cone_checker *c, struct cone_module *m, const char *name, struct cone_symbol s)
{
	struct cone_symbol *symbol = ARENA_NEW(c->arena, struct cone_symbol);
	*symbol = s;
	m->names.arena = c->arena;
	table_set(&m->names, name, symbol);
	return symbol;
}

static void declare_own(struct cone_checker *c, struct cone_module *m)
{
	for (uint32_t i = 0; i < m->declaration_count; i++) {
		struct cone_declaration *d = m->declarations[i];
		d->module = m;
		for (uint32_t j = 0; j < d->member_count; j++)
			d->members[j]->module = m;
		if (d->kind == CONE_IMPORT || d->kind == CONE_USE || d->kind == CONE_UNIT_REFUSED || !d->name)
			continue;
		struct cone_symbol *old = table_get(&m->names, d->name);
		if (old && old->declaration)
			cone_report(d->file, d->name_span, "1018", "%s is declared already", d->name);
		else
			put(c, m, d->name, (struct cone_symbol){.declaration = d, .is_public = d->is_public});
	}
}

static struct cone_module *submodule(struct cone_checker *c, struct cone_module *parent, const char *name)
{
	for (uint32_t i = 0; i < c->program->module_count; i++) {
		struct cone_module *m = c->program->modules[i];
		if (m->parent == parent && strcmp(m->name, name) == 0)
			return m;
	}
	return NULL;
}

/* A sister first, then a package. */
static struct cone_module *imported(struct cone_checker *c, struct cone_module *from, struct cone_declaration *d)
{
	struct cone_module *m = NULL;
	for (struct cone_module *at = from->parent; at && !m; at = at->parent)
		m = submodule(c, at, d->path[0]);
	m = m ? m : submodule(c, NULL, d->path[0]);
	for (uint32_t i = 1; m && i < d->path_count; i++)
		m = submodule(c, m, d->path[i]);
	return m;
}

static struct cone_module *module_of(struct cone_checker *c, struct cone_module *m, struct cone_declaration *d)
{
	if (d->kind == CONE_IMPORT || d->path == &m->extends)
		return imported(c, m, d);
	struct cone_module *result = m;
	for (uint32_t i = 0; result && i < d->path_count; i++) {
		struct cone_symbol *s = table_get(&result->names, d->path[i]);
		result = s ? s->module : submodule(c, result, d->path[i]);
	}
	return result;
}

static void declare_import(struct cone_checker *c, struct cone_module *m, struct cone_declaration *d)
{
	struct cone_module *other = module_of(c, m, d);
	struct span span = d->name_span.end > d->name_span.start ? d->name_span : d->span;
	if (!other) {
		cone_report(d->file, span, "1019", "there is no module %s",
		            d->path_count ? d->path[d->path_count - 1] : "");
		return;
	}
	const char *name = d->alias ? d->alias : other->name;
	struct cone_symbol *old = table_get(&m->names, name);
	if (old && old->module == other && d->kind == CONE_IMPORT)
		cone_report(d->file, span, "1116", "module %s is imported already", name);
	else if (old)
		cone_report(d->file, span, "1018", "%s is declared already", name);
	else
		put(c, m, name, (struct cone_symbol){.module = other, .is_public = d->is_public});
}

static bool is_left_out(const struct cone_declaration *d, const char *name)
{
	for (uint32_t i = 0; i < d->fold_count; i++)
		if (strcmp(d->folds[i].name, name) == 0)
			return true;
	return false;
}

static void fold_name(struct cone_checker *c, struct cone_module *m, struct cone_declaration *d,
                      struct cone_module *other, const struct cone_fold *fold, bool last)
{
	struct cone_symbol *s = table_get(&other->names, fold->name);
	const char *as = fold->as ? fold->as : fold->name;
	struct cone_symbol *old = table_get(&m->names, as);
	if (!s) {
		if (last)
			cone_report(d->file, fold->span, "1019", "%s has no %s", other->name, fold->name);
	} else if (!s->is_public && other != m->parent) {
		if (last)
			cone_report(d->file, fold->span, "1042", "%s is private to %s", fold->name, other->name);
	} else if (!old) {
		put(c, m, as, (struct cone_symbol){s->declaration, s->module, d->is_public});
	} else if (last && (old->declaration != s->declaration || old->module != s->module)) {
		cone_report(d->file, fold->span, "1018", "%s is declared already", as);
	}
}

static void fold(struct cone_checker *c, struct cone_module *m, struct cone_declaration *d, bool last)
{
	struct cone_module *other = module_of(c, m, d);
	if (!other || other == m)
		return;
	if (!d->folds_all) {
		for (uint32_t i = 0; i < d->fold_count; i++)
			fold_name(c, m, d, other, &d->folds[i], last);
		return;
	}
	for (size_t i = 0; i < other->names.capacity; i++) {
		const char *name = other->names.entries[i].key;
		struct cone_symbol *s = other->names.entries[i].value;
		if (name && s && s->is_public && !is_left_out(d, name) && !table_get(&m->names, name))
			put(c, m, arena_string(c->arena, name),
			    (struct cone_symbol){s->declaration, s->module, d->is_public});
	}
}

/* mod NAME extends M: all of M that is public. */
static void extend(struct cone_checker *c, struct cone_module *m, bool last)
{
	if (!m->extends)
		return;
	struct cone_declaration all = {
	    .kind = CONE_IMPORT, .path = &m->extends, .path_count = 1, .is_public = true, .folds_all = true};
	if (module_of(c, m, &all))
		fold(c, m, &all, last);
	else if (last && m->file_count)
		cone_report(m->files[0], m->extends_span, "1019", "there is no module %s to extend", m->extends);
}

/* What is folded may itself be folded there: `pub use`. */
#define FOLD_ROUNDS 4

void cone_declare_names(struct cone_checker *c)
{
	struct cone_program *p = c->program;
	for (uint32_t i = 0; i < p->module_count; i++)
		declare_own(c, p->modules[i]);
	for (uint32_t i = 0; i < p->module_count; i++)
		if (p->modules[i]->parent && !table_get(&p->modules[i]->parent->names, p->modules[i]->name))
			put(c, p->modules[i]->parent, p->modules[i]->name,
			    (struct cone_symbol){.module = p->modules[i], .is_public = true});
	for (uint32_t i = 0; i < p->module_count; i++)
		for (uint32_t j = 0; j < p->modules[i]->declaration_count; j++)
			if (p->modules[i]->declarations[j]->kind == CONE_IMPORT)
				declare_import(c, p->modules[i], p->modules[i]->declarations[j]);
	for (int round = 0; round < FOLD_ROUNDS; round++)
		for (uint32_t i = 0; i < p->module_count; i++) {
			extend(c, p->modules[i], round == FOLD_ROUNDS - 1);
			for (uint32_t j = 0; j < p->modules[i]->declaration_count; j++) {
				struct cone_declaration *d = p->modules[i]->declarations[j];
				if (d->kind == CONE_USE && !module_of(c, p->modules[i], d)) {
					if (round == FOLD_ROUNDS - 1)
						cone_report(d->file, d->span, "1019", "there is no module %s",
						            d->path_count ? d->path[d->path_count - 1] : "");
				} else if (d->kind == CONE_IMPORT || d->kind == CONE_USE) {
					fold(c, p->modules[i], d, round == FOLD_ROUNDS - 1);
				}
			}
		}
}

struct cone_symbol *cone_symbol_of(struct cone_checker *c, struct cone_module *m, const char *name)
{
	struct cone_symbol *s = table_get(&m->names, name);
	if (s)
		return s;
	s = table_get(&c->core->names, name);
	return s && (s->is_public || m->is_core) ? s : NULL;
}

struct cone_symbol *cone_symbol_through(struct cone_checker *c, struct cone_scope *scope, struct cone_module *m,
                                        const char *name, struct span span)
{
	(void)c;
	struct cone_symbol *s = table_get(&m->names, name);
	if (!s) {
		cone_report(scope->file, span, "1019", "%s has no %s", m->name, name);
		return NULL;
	}
	bool inside = false;
	for (struct cone_module *at = scope->module; at; at = at->parent)
		inside = inside || at == m;
	if (!s->is_public && !inside && !(m->is_core && scope->module->is_core)) {
		cone_report(scope->file, span, "1042", "%s is private to %s", name, m->name);
		return NULL;
	}
	return s;
}

struct cone_type *cone_generic_named(const struct cone_scope *scope, const char *name, bool *is_generic)
{
	*is_generic = true;
	if (scope->function)
		for (uint32_t i = 0; i < scope->function->generic_count; i++)
			if (strcmp(scope->function->generics[i].name, name) == 0)
				return scope->arguments ? scope->arguments[i] : NULL;
	const struct cone_type *self = scope->self_type;
	if (self && self->declaration)
		for (uint32_t i = 0; i < self->declaration->generic_count && i < self->argument_count; i++)
			if (strcmp(self->declaration->generics[i].name, name) == 0)
				return self->arguments[i];
	*is_generic = false;
	return NULL;
}

/* ---- Locals ---- */

void cone_add_local(struct cone_frame *f, struct cone_variable *v)
{
	*(struct cone_variable **)ARENA_PUSH(f->checker->arena, f->locals, f->local_count, f->local_capacity) = v;
	if (f->instance)
		v->index = f->instance->variable_count++;
}

struct cone_node *cone_local_named(struct cone_frame *f, struct cone_node *n, const char *name)
{
	for (uint32_t i = f->local_count; i-- > 0;) {
		struct cone_variable *v = f->locals[i];
		if (v->name && strcmp(v->name, name) == 0) {
			struct cone_node *use = cone_make(f, CONE_NAME, n, v->type);
			use->name = v->name;
			use->variable = v;
			return use;
		}
	}
	return f->outer ? cone_captured(f, n, name) : NULL;
}

/* ---- What an expression names ---- */

struct cone_entity cone_entity_of_symbol(struct cone_checker *c, struct cone_scope *scope, struct cone_symbol *s)
{
	struct cone_entity e = {.declaration = s->declaration, .module = s->module};
	if (s->module) {
		e.kind = CONE_ENTITY_MODULE;
		return e;
	}
	e.name = s->declaration->name;
	switch (s->declaration->kind) {
	case CONE_FUNCTION: e.kind = CONE_ENTITY_FUNCTION; break;
	case CONE_CONST:
	case CONE_GLOBAL: e.kind = CONE_ENTITY_GLOBAL; break;
	case CONE_STRUCT:
	case CONE_ENUM:
		e.kind = s->declaration->generic_count ? CONE_ENTITY_GENERIC : CONE_ENTITY_TYPE;
		if (e.kind == CONE_ENTITY_TYPE)
			e.type = cone_instance_type(c, s->declaration, NULL, 0);
		break;
	case CONE_ALIAS: {
		struct cone_scope own = {.module = s->declaration->module, .file = s->declaration->file};
		(void)scope;
		e.kind = CONE_ENTITY_TYPE;
		e.type = cone_resolve(c, &own, s->declaration->type_syntax);
		if (e.type->kind == CONE_TYPE_ERROR)
			e.kind = CONE_ENTITY_ERROR;
		break;
	}
	case CONE_TRAIT:
		e.kind = CONE_ENTITY_TYPE;
		e.type = cone_type_virtual(&c->types, s->declaration);
		break;
	case CONE_IMPORT:
	case CONE_USE:
	case CONE_UNIT_REFUSED: break;
	}
	return e;
}

/* A variant that a folded enum of core gives bare: Some, None, Ok, Err. */
static bool is_bare_variant(struct cone_checker *c, const char *name, struct cone_entity *e)
{
	for (uint32_t i = 0; i < c->core->declaration_count; i++) {
		struct cone_declaration *d = c->core->declarations[i];
		if (d->kind != CONE_ENUM || !d->generic_count)
			continue;
		for (uint32_t j = 0; j < d->field_count; j++)
			if (strcmp(d->fields[j].name, name) == 0) {
				*e = (struct cone_entity){.kind = CONE_ENTITY_VARIANT, .declaration = d, .variant = j};
				return true;
			}
	}
	return false;
}

static struct cone_entity entity_of_name(struct cone_frame *f, struct cone_node *n)
{
	struct cone_entity e = {0};
	struct cone_checker *c = f->checker;
	bool is_generic;
	if (strcmp(n->name, "Self") == 0 && f->scope.self_type)
		return (struct cone_entity){.kind = CONE_ENTITY_TYPE, .type = f->scope.self_type};
	struct cone_type *type = cone_generic_named(&f->scope, n->name, &is_generic);
	if (is_generic) {
		if (!type) {
			cone_blame(n, "1019", "%s is not known here", n->name);
			return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
		}
		return (struct cone_entity){.kind = cone_type_is_value(type) ? CONE_ENTITY_VALUE : CONE_ENTITY_TYPE,
		                            .type = type};
	}
	type = cone_type_of_name(&f->checker->types, n->name);
	if (type)
		return (struct cone_entity){.kind = CONE_ENTITY_TYPE, .type = type};
	if (f->scope.self_type && cone_method_of(f->scope.self_type, n->name, 0))
		return (struct cone_entity){.kind = CONE_ENTITY_FUNCTION, .name = n->name, .type = f->scope.self_type};
	struct cone_symbol *s = cone_symbol_of(c, f->scope.module, n->name);
	if (s)
		return cone_entity_of_symbol(c, &f->scope, s);
	if (is_bare_variant(c, n->name, &e))
		return e;
	return e;
}

/* TYPE.name: a static method or a variant. */
static struct cone_entity entity_in_type(struct cone_frame *f, struct cone_node *n, struct cone_entity left)
{
	struct cone_declaration *d = left.kind == CONE_ENTITY_GENERIC ? left.declaration : left.type->declaration;
	if (d && d->kind == CONE_ENUM)
		for (uint32_t i = 0; i < d->field_count; i++)
			if (strcmp(d->fields[i].name, n->name) == 0)
				return (struct cone_entity){
				    .kind = CONE_ENTITY_VARIANT, .declaration = d, .type = left.type, .variant = i};
	if (left.type && cone_method_of(left.type, n->name, 0))
		return (struct cone_entity){.kind = CONE_ENTITY_FUNCTION, .type = left.type, .name = n->name};
	if (left.kind == CONE_ENTITY_GENERIC) {
		for (uint32_t i = 0; d && i < d->member_count; i++)
			if (strcmp(d->members[i]->name, n->name) == 0)
				return (struct cone_entity){
				    .kind = CONE_ENTITY_FUNCTION, .declaration = d, .name = n->name};
	}
	/* T.from is no method, but made by the compiler. */
	if (left.type && strcmp(n->name, "from") == 0)
		return (struct cone_entity){.kind = CONE_ENTITY_FUNCTION, .type = left.type, .name = n->name};
	cone_blame(n, "1024", "%s has no member %s",
	           left.type ? cone_type_text(f->checker, left.type) : left.declaration->name, n->name);
	return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
}

/* Generic arguments: Array[u32, 4], Atomic[u32], f[i32], None[T]. */
static struct cone_entity entity_with_arguments(struct cone_frame *f, struct cone_node *n, struct cone_entity left)
{
	struct cone_checker *c = f->checker;
	struct cone_entity e = left;
	if (n->lifetimes.count) {
		const struct cone_declaration *d = left.declaration;
		if (left.type)
			d = left.kind == CONE_ENTITY_FUNCTION ? cone_method_of(left.type, left.name, 0)
			                                      : left.type->declaration;
		if (!cone_takes_lifetimes(n->file, n->span,
		                          left.name ? left.name
		                          : d       ? d->name
		                                    : "this",
		                          d, &n->lifetimes))
			return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
		if (!n->part_count)
			return left;
	}
	if (left.kind != CONE_ENTITY_GENERIC && left.kind != CONE_ENTITY_FUNCTION)
		return (struct cone_entity){0};
	e.arguments = ARENA_ARRAY(c->arena, struct cone_type *, n->part_count);
	e.argument_count = n->part_count;
	for (uint32_t i = 0; i < n->part_count; i++) {
		e.arguments[i] = cone_type_of_expression(f, n->parts[i]);
		if (e.arguments[i]->kind == CONE_TYPE_ERROR)
			return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
	}
	if (left.kind == CONE_ENTITY_FUNCTION)
		return e;
	if (n->part_count != left.declaration->generic_count) {
		cone_blame(n, n->part_count < left.declaration->generic_count ? "1022" : "1023", "%s takes %u types",
		           left.declaration->name, left.declaration->generic_count);
		return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
	}
	e.kind = CONE_ENTITY_TYPE;
	e.type = cone_instance_type(c, left.declaration, e.arguments, e.argument_count);
	return e;
}

struct cone_entity cone_entity_of(struct cone_frame *f, struct cone_node *n)
{
	struct cone_entity none = {0};
	if (n->kind == CONE_NAME)
		return cone_local_named(f, n, n->name) ? none : entity_of_name(f, n);
	if (n->kind != CONE_MEMBER && n->kind != CONE_INDEX)
		return none;
	struct cone_entity left = cone_entity_of(f, n->left);
	if (left.kind == CONE_ENTITY_NONE || left.kind == CONE_ENTITY_ERROR)
		return left;
	if (n->kind == CONE_INDEX)
		return entity_with_arguments(f, n, left);
	if (left.kind == CONE_ENTITY_TYPE || left.kind == CONE_ENTITY_GENERIC)
		return entity_in_type(f, n, left);
	if (left.kind != CONE_ENTITY_MODULE)
		return none;
	struct cone_symbol *s = cone_symbol_through(f->checker, &f->scope, left.module, n->name, n->at);
	if (!s)
		return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
	return cone_entity_of_symbol(f->checker, &f->scope, s);
}
