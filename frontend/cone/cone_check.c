/* The checker: what is checked, in what order, and what all its parts make nodes and reports with. */
#include "frontend/cone/cone_check.h"

#include <stdarg.h>
#include <string.h>

static struct diagnostic *report(struct cone_file *file, struct span span, const char *code, const char *format,
                                 va_list list)
{
	struct text message = {0};
	text_add_format_v(&message, format, list);
	struct diagnostic *item = diagnostic_add(&file->diagnostics, code, span, "%s", text_string(&message));
	text_free(&message);
	return item;
}

struct diagnostic *cone_report(struct cone_file *file, struct span span, const char *code, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	struct diagnostic *item = report(file, span, code, format, list);
	va_end(list);
	return item;
}

static struct span blamed(const struct cone_node *n)
{
	return n->at.end > n->at.start ? n->at : n->span;
}

struct diagnostic *cone_blame(const struct cone_node *n, const char *code, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	struct diagnostic *item = report(n->file, blamed(n), code, format, list);
	va_end(list);
	return item;
}

static void keep_fault(struct cone_checker *c, struct cone_file *file, struct span span, const char *code,
                       const char *format, va_list list)
{
	struct text message = {0};
	text_add_format_v(&message, format, list);
	struct cone_gpu_fault *fault = ARENA_PUSH(c->arena, c->gpu_faults, c->gpu_fault_count, c->gpu_fault_capacity);
	*fault = (struct cone_gpu_fault){
	    .file = file, .span = span, .code = code, .message = arena_string(c->arena, text_string(&message))};
	text_free(&message);
}

void cone_gpu_refuse(struct cone_frame *f, const struct cone_node *n, const char *code, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	keep_fault(f->checker, n->file, blamed(n), code, format, list);
	va_end(list);
}

void cone_gpu_refuse_call(struct cone_frame *f, const struct cone_node *n, const char *format, ...)
{
	va_list list;
	struct cone_frame *outer = f;
	while (outer->outer)
		outer = outer->outer;
	if (outer->instance && outer->instance->function->is_inline) {
		outer->instance->has_faults = true;
		return;
	}
	va_start(list, format);
	keep_fault(f->checker, n->file, blamed(n), "1400", format, list);
	va_end(list);
}

void cone_gpu_refuse_at(struct cone_checker *c, struct cone_file *file, struct span span, const char *code,
                        const char *format, ...)
{
	va_list list;
	va_start(list, format);
	keep_fault(c, file, span, code, format, list);
	va_end(list);
}

const char *cone_type_text(struct cone_checker *c, const struct cone_type *t)
{
	struct text text = {0};
	cone_type_print(t, &text);
	char *result = arena_string(c->arena, text_string(&text));
	text_free(&text);
	return result;
}

struct cone_node *cone_make(struct cone_frame *f, enum cone_node_kind kind, const struct cone_node *like,
                            struct cone_type *type)
{
	struct cone_node *n = ARENA_NEW(f->checker->arena, struct cone_node);
	n->kind = kind;
	n->file = like->file;
	n->span = like->span;
	n->at = like->at;
	n->type = type;
	n->intrinsic = -1;
	return n;
}

struct cone_node *cone_make_constant(struct cone_frame *f, const struct cone_node *like, struct cone_type *type,
                                     uint64_t bits)
{
	struct cone_node *n = cone_make(f, CONE_CONSTANT, like, type);
	n->constant = bits;
	return n;
}

struct cone_node *cone_make_binary(struct cone_frame *f, const struct cone_node *like, enum cone_operator op,
                                   struct cone_node *left, struct cone_node *right)
{
	bool compares = op >= CONE_EQUAL && op <= CONE_GREATER_EQUAL;
	struct cone_node *n = cone_make(f, CONE_BINARY, like, compares ? &cone_bool : left->type);
	n->op = op;
	n->left = left;
	n->right = right;
	return n;
}

struct cone_node *cone_make_block(struct cone_frame *f, const struct cone_node *like, struct cone_type *type,
                                  struct cone_node *first, struct cone_node *second, struct cone_node *third)
{
	struct cone_node *n = cone_make(f, CONE_BLOCK, like, type);
	n->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 3);
	struct cone_node *parts[] = {first, second, third};
	for (int i = 0; i < 3; i++)
		if (parts[i])
			n->parts[n->part_count++] = parts[i];
	return n;
}

struct cone_node *cone_failed(struct cone_frame *f, struct cone_node *n)
{
	if (f->instance)
		f->instance->is_broken = true;
	return cone_make(f, CONE_ERROR, n, &cone_error);
}

struct cone_node *cone_not_constant(struct cone_frame *f, struct cone_node *n)
{
	cone_blame(n, f->checker->is_thread_value ? "1181" : "1140", "this is not known when compiling");
	return cone_failed(f, n);
}

struct cone_attribute *cone_attribute_of(const struct cone_declaration *d, const char *name)
{
	for (uint32_t i = 0; i < d->attribute_count; i++)
		if (strcmp(d->attributes[i].name, name) == 0)
			return &d->attributes[i];
	return NULL;
}

/* ---- Declarations ---- */

static void check_default(struct cone_checker *c, struct cone_scope *scope, struct cone_node *value,
                          struct cone_type *type)
{
	if (!value)
		return;
	struct cone_frame frame = {.checker = c, .scope = *scope};
	struct cone_node *typed = cone_check_as(&frame, cone_copy(c->arena, value), type);
	if (typed->type->kind != CONE_TYPE_ERROR)
		cone_constant_tree(&frame, typed);
}

/* An instance of a function without generics, so that its body is checked whether or not it is called. */
static void ask_for(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d)
{
	cone_check_intrinsic(c, d);
	if (d->generic_count)
		return;
	for (uint32_t i = 0; i < d->parameter_count; i++)
		if (d->parameters[i].value && d->parameters[i].type_syntax)
			check_default(c, scope, d->parameters[i].value,
			              cone_resolve(c, scope, d->parameters[i].type_syntax));
	struct cone_frame frame = {.checker = c, .scope = *scope};
	struct cone_node place = {.kind = CONE_EMPTY, .file = d->file, .span = d->name_span};
	cone_instance_of(&frame, &place, d, scope->self_type, NULL);
}

/* Functions that a trait asks for: they are among members, with as many parameters. `name` is what `is` the trait. */
static void check_trait(struct cone_checker *c, struct cone_scope *scope, const char *name, struct span place,
                        struct cone_type_syntax *written, struct cone_declaration **members, uint32_t member_count)
{
	struct cone_type *trait = cone_resolve(c, scope, written);
	if (trait->kind == CONE_TYPE_ERROR)
		return;
	if (trait->kind != CONE_TYPE_VIRTUAL) {
		cone_report(scope->file, written->span, "1186", "%s is no trait", cone_type_text(c, trait));
		return;
	}
	for (uint32_t i = 0; i < trait->declaration->member_count; i++) {
		struct cone_declaration *wanted = trait->declaration->members[i], *found = NULL;
		for (uint32_t j = 0; j < member_count && !found; j++)
			if (members[j]->kind == CONE_FUNCTION && members[j]->name &&
			    strcmp(members[j]->name, wanted->name) == 0)
				found = members[j];
		if (!found && !wanted->body)
			cone_report(scope->file, place, "1186", "%s is %s, but lacks its %s %s", name,
			            trait->declaration->name, scope->self_type ? "method" : "function", wanted->name);
		else if (found && (found->parameter_count != wanted->parameter_count ||
		                   found->result_count != wanted->result_count ||
		                   (found->receiver == CONE_SELF_NONE) != (wanted->receiver == CONE_SELF_NONE)))
			cone_report(found->file, found->name_span, "1186", "%s has another form in trait %s",
			            wanted->name, trait->declaration->name);
	}
}

/* mod NAME is A, B: its functions are those that the traits ask for. */
static void check_module_traits(struct cone_checker *c, struct cone_module *m)
{
	for (uint32_t i = 0; i < m->trait_count; i++) {
		struct cone_scope scope = {.module = m, .file = m->files[0]};
		check_trait(c, &scope, m->name, m->traits[i]->span, m->traits[i], m->declarations,
		            m->declaration_count);
	}
}

static void check_struct(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d)
{
	if (d->generic_count)
		return;
	struct cone_type *type = cone_instance_type(c, d, NULL, 0);
	scope->self_type = type;
	if (cone_complete(c, type) && d->kind == CONE_STRUCT)
		for (uint32_t i = 0; i < d->field_count; i++)
			check_default(c, scope, d->fields[i].value, type->fields[i].type);
	for (uint32_t i = 0; i < d->trait_count; i++)
		check_trait(c, scope, d->name, d->name_span, d->traits[i], d->members, d->member_count);
	for (uint32_t i = 0; i < d->member_count; i++)
		ask_for(c, scope, d->members[i]);
}

static void check_global(struct cone_checker *c, struct cone_declaration *d)
{
	struct cone_type *type = cone_type_of_global(c, d);
	if (type->kind == CONE_TYPE_ERROR)
		return;
	if (d->workgroup) {
		cone_check_workgroup_global(c, d);
		return;
	}
	if (cone_attribute_of(d, "threadlocal")) {
		cone_check_thread_global(c, d, type);
		return;
	}
	if (d->is_extern) /* its value is elsewhere; its uses are refused in GPU code */
		return;
	if (!d->value)
		cone_report(d->file, d->name_span, "1140", "global %s needs an initial value", d->name);
	cone_value_of_declaration(c, d);
}

static bool is_atomic(const struct cone_type *t)
{
	return cone_type_atomic_of(t) != NULL;
}

static void check_const(struct cone_checker *c, struct cone_declaration *d)
{
	struct cone_node *value = cone_value_of_declaration(c, d);
	if (value && cone_type_holds(c, value->type, is_atomic))
		cone_report(d->file, d->name_span, "1185", "const %s may not hold an Atomic: each use would be a copy",
		            d->name);
}

static void check_declaration(struct cone_checker *c, struct cone_module *m, struct cone_declaration *d)
{
	struct cone_scope scope = {.module = m, .file = d->file};
	switch (d->kind) {
	case CONE_IMPORT:
	case CONE_USE: break;
	case CONE_CONST: check_const(c, d); break;
	case CONE_GLOBAL:
		check_global(c, d);
		if (!d->is_extern && cone_type_holds(c, cone_type_of_global(c, d), cone_type_is_reference))
			cone_gpu_refuse_at(c, d->file, d->name_span, "1255",
			                   "global %s holds a reference, which GPU code may keep in locals only",
			                   d->name);
		break;
	case CONE_FUNCTION: ask_for(c, &scope, d); break;
	case CONE_STRUCT:
	case CONE_ENUM: check_struct(c, &scope, d); break;
	case CONE_TRAIT: break;
	case CONE_ALIAS:
		if (!d->generic_count)
			cone_resolve(c, &scope, d->type_syntax);
		break;
	case CONE_UNIT_REFUSED: cone_gpu_refuse_at(c, d->file, d->name_span, "1400", "a GPU has no %s", d->text); break;
	}
}

/* Bodies ask for more instances while they are checked. */
static void check_waiting(struct cone_checker *c)
{
	while (c->checked_count < c->instance_count)
		cone_check_body(c, c->instances[c->checked_count++]);
}

void cone_check(struct cone_program *p)
{
	struct cone_checker *c = ARENA_NEW(&p->arena, struct cone_checker);
	p->checker = c;
	c->program = p;
	c->arena = &p->arena;
	c->instance_names.arena = c->constants.arena = c->effects.arena = c->followed.arena = &p->arena;
	cone_types_init(&c->types, &p->arena, p->machine.address_bits);
	c->core = p->modules[p->module_count - 1];
	cone_declare_names(c);
	for (uint32_t i = 0; i < p->module_count; i++) {
		check_module_traits(c, p->modules[i]);
		for (uint32_t j = 0; j < p->modules[i]->declaration_count; j++) {
			check_declaration(c, p->modules[i], p->modules[i]->declarations[j]);
			check_waiting(c);
		}
	}
	cone_check_entries(c);
	check_waiting(c);
	cone_complete_all(c);
	for (uint32_t i = 0; i < c->instance_count; i++)
		cone_check_flow(c, c->instances[i]);
	for (uint32_t i = c->instance_count; i-- > 0;) /* what is called is asked for later than what calls it */
		cone_check_lifetimes(c, c->instances[i]);
}
