/* Static closures, and named functions as values: each has a type of its own, so that a generic is made for it. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- What a closure takes from the code around it ---- */

static struct cone_node *use_of(struct cone_frame *f, struct cone_node *n, uint32_t field)
{
	struct cone_capture *capture = &f->captures[field];
	struct cone_node *self = cone_make(f, CONE_NAME, n, f->closure_self->type);
	self->name = "self";
	self->variable = f->closure_self;
	struct cone_node *member = cone_make(f, CONE_MEMBER, n, capture->type);
	member->left = cone_dereference(f, self);
	member->name = capture->name;
	member->field = field;
	*(struct cone_node **)ARENA_PUSH(f->checker->arena, capture->uses, capture->use_count, capture->use_capacity) =
	    member;
	if (!capture->borrowed)
		return member;
	member->type = cone_type_reference(&f->checker->types, capture->type, capture->mutable);
	struct cone_node *to = cone_make(f, CONE_DEREFERENCE, n, capture->type);
	to->left = member;
	return to;
}

static uint32_t add_capture(struct cone_frame *f, const char *name, struct cone_node *value, bool borrowed)
{
	struct cone_capture *capture =
	    ARENA_PUSH(f->checker->arena, f->captures, f->capture_count, f->capture_capacity);
	*capture = (struct cone_capture){
	    .name = name, .type = value->type, .place = value, .value = value, .borrowed = borrowed};
	if (borrowed)
		capture->value = cone_borrow(f, value, false);
	return f->capture_count - 1;
}

/* A reference that does not change is copied, which is the same and one step less. */
static bool is_copied(const struct cone_node *place)
{
	bool is_reference = place->type->kind == CONE_TYPE_REFERENCE || place->type->kind == CONE_TYPE_SLICE;
	if (place->kind == CONE_NAME)
		return is_reference && place->variable && !place->variable->mutable;
	return is_reference && place->kind == CONE_MEMBER;
}

struct cone_node *cone_captured(struct cone_frame *f, struct cone_node *n, const char *name)
{
	for (uint32_t i = f->capture_count; i-- > 0;)
		if (strcmp(f->captures[i].name, name) == 0)
			return use_of(f, n, i);
	struct cone_node *place = cone_local_named(f->outer, n, name);
	if (!place || !f->closure_self)
		return place;
	return use_of(f, n, add_capture(f, name, place, !is_copied(place)));
}

/* ---- The type ---- */

static bool is_unavailable(const struct cone_type *t)
{
	switch (t->kind) {
	case CONE_TYPE_POINTER:
	case CONE_TYPE_FUNCTION:
	case CONE_TYPE_OWNER:
	case CONE_TYPE_VIRTUAL: return true;
	case CONE_TYPE_REFERENCE:
	case CONE_TYPE_SLICE: return is_unavailable(t->element);
	case CONE_TYPE_VOID:
	case CONE_TYPE_NEVER:
	case CONE_TYPE_BOOL:
	case CONE_TYPE_CHAR:
	case CONE_TYPE_INTEGER:
	case CONE_TYPE_FLOAT:
	case CONE_TYPE_ARRAY:
	case CONE_TYPE_STRUCT:
	case CONE_TYPE_ENUM:
	case CONE_TYPE_CLOSURE:
	case CONE_TYPE_TUPLE:
	case CONE_TYPE_MODULE:
	case CONE_TYPE_TYPE:
	case CONE_TYPE_ERROR: return false;
	}
	return false;
}

/* Behind references too. */
static bool holds_unavailable(struct cone_checker *c, struct cone_type *t)
{
	while (t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_SLICE) {
		if (t->element->kind == CONE_TYPE_CLOSURE && !t->element->call)
			return false;
		t = t->element;
	}
	return cone_type_holds(c, t, is_unavailable);
}

static struct cone_node *finish(struct cone_frame *f, struct cone_frame *inner, struct cone_node *n,
                                struct cone_type *t)
{
	struct cone_checker *c = f->checker;
	struct cone_node *value = cone_make(f, CONE_NEW, n, t);
	value->parts = ARENA_ARRAY(c->arena, struct cone_node *, inner->capture_count);
	t->fields = ARENA_ARRAY(c->arena, struct cone_type_field, inner->capture_count);
	for (uint32_t i = 0; i < inner->capture_count; i++) {
		struct cone_capture *capture = &inner->captures[i];
		if (capture->borrowed && capture->mutable)
			capture->value = cone_borrow(f, capture->place, true);
		if (capture->borrowed)
			for (uint32_t j = 0; j < capture->use_count; j++)
				capture->uses[j]->type = capture->value->type;
		t->fields[i] = (struct cone_type_field){.name = capture->name, .type = capture->value->type};
		value->parts[i] = capture->value;
		if (holds_unavailable(c, capture->value->type))
			cone_gpu_refuse(f, n, "1298", "the closure holds %s, of type %s, which a GPU does not have",
			                capture->name, cone_type_text(c, capture->type));
	}
	t->field_count = value->part_count = inner->capture_count;
	return value;
}

/* ---- Literals ---- */

static bool make_parameters(struct cone_frame *f, struct cone_frame *inner, struct cone_node *n,
                            struct cone_type *signature)
{
	struct cone_checker *c = f->checker;
	struct cone_declaration *d = n->function;
	struct cone_instance *instance = inner->instance;
	if (signature && signature->argument_count != d->parameter_count) {
		cone_blame(n, "1391", "the closure takes %u values, and %u are wanted", d->parameter_count,
		           signature->argument_count);
		return false;
	}
	instance->parameters = ARENA_ARRAY(c->arena, struct cone_variable *, d->parameter_count + 1);
	instance->parameters[instance->parameter_count++] = inner->closure_self;
	inner->closure_self->index = instance->variable_count++;
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct cone_parameter *written = &d->parameters[i];
		struct cone_variable *v = ARENA_NEW(c->arena, struct cone_variable);
		*v = *written->variable;
		if (!written->type_syntax && !signature) {
			cone_report(n->file, v->span, "1391", "the type of %s is not known here", v->name);
			return false;
		}
		v->type =
		    written->type_syntax ? cone_resolve(c, &f->scope, written->type_syntax) : signature->arguments[i];
		if (v->type->kind == CONE_TYPE_ERROR || !cone_complete(c, v->type))
			return false;
		if (signature && v->type != signature->arguments[i]) {
			cone_report(n->file, v->span, "1391", "%s is %s in the closure, and %s is wanted", v->name,
			            cone_type_text(c, v->type), cone_type_text(c, signature->arguments[i]));
			return false;
		}
		instance->parameters[instance->parameter_count++] = v;
		cone_add_local(inner, v);
	}
	return true;
}

/* The name of state i is one that stands before it. */
static bool is_taken(const struct cone_node *n, uint32_t i)
{
	for (uint32_t j = 0; j < n->function->parameter_count; j++)
		if (strcmp(n->function->parameters[j].variable->name, n->part_names[i]) == 0)
			return true;
	for (uint32_t j = 0; j < i; j++)
		if (strcmp(n->part_names[j], n->part_names[i]) == 0)
			return true;
	return false;
}

static bool add_states(struct cone_frame *f, struct cone_frame *inner, struct cone_node *n)
{
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (is_taken(n, i)) {
			cone_blame(n->parts[i], "1394", "%s is a parameter or a state of this closure already",
			           n->part_names[i]);
			return false;
		}
		struct cone_node *value = cone_check_expression(f, n->parts[i], NULL);
		if (value->type->kind == CONE_TYPE_ERROR || value->type == &cone_void)
			return false;
		add_capture(inner, n->part_names[i], value, false);
	}
	return true;
}

static bool check_body(struct cone_frame *f, struct cone_frame *inner, struct cone_node *n, struct cone_type *signature)
{
	struct cone_checker *c = f->checker;
	struct cone_declaration *d = n->function;
	struct cone_type *result = d->result_count ? cone_results_type(c, &f->scope, d)
	                           : signature     ? signature->element
	                                           : NULL;
	if (result && result->kind == CONE_TYPE_ERROR)
		return false;
	if (signature && result != signature->element && result->kind != CONE_TYPE_NEVER) {
		cone_blame(n, "1392", "the closure gives %s, and %s is wanted", cone_type_text(c, result),
		           cone_type_text(c, signature->element));
		return false;
	}
	inner->result = result;
	uint32_t errors = cone_error_count(c->program);
	struct cone_node *body = cone_check_expression(inner, d->body, result);
	result = inner->result ? inner->result : body->type;
	if (body->type->kind == CONE_TYPE_ERROR || cone_error_count(c->program) != errors)
		return false;
	bool gives = result != &cone_void && body->type != &cone_void;
	if (inner->is_result_found && gives && !cone_converts(c, body->type, result)) {
		cone_blame(n, "1392", "the closure gives %s here and %s there", cone_type_text(c, result),
		           cone_type_text(c, body->type));
		return false;
	}
	if (result != &cone_void) {
		if (body->type == &cone_void) {
			cone_blame(n, "1013", "the closure gives %s, but its end is reached without a value",
			           cone_type_text(c, result));
			return false;
		}
		body = cone_coerce(inner, body, result);
	}
	inner->instance->result = result;
	inner->instance->body = body;
	return body->type->kind != CONE_TYPE_ERROR;
}

struct cone_node *cone_check_closure(struct cone_frame *f, struct cone_node *n, struct cone_type *signature)
{
	struct cone_checker *c = f->checker;
	if (n->type) /* checked when generic arguments were found */
		return n;
	if (cone_attribute_of(n->function, "compute"))
		cone_blame(n, "1260", "an anonymous function cannot be a compute entry point");
	if (!f->instance)
		return cone_not_constant(f, n);
	struct cone_type *t = cone_type_closure(&c->types);
	struct cone_instance *instance = ARENA_NEW(c->arena, struct cone_instance);
	struct cone_variable *self = ARENA_NEW(c->arena, struct cone_variable);
	*self = (struct cone_variable){.name = "", .span = n->span, .type = cone_type_reference(&c->types, t, true)};
	struct cone_frame inner = {
	    .checker = c, .outer = f, .scope = f->scope, .instance = instance, .closure_self = self, .depth = f->depth};
	instance->function = n->function;
	n->function->module = f->scope.module;
	instance->intrinsic = -1;
	instance->self_type = t;
	instance->result = &cone_error;
	instance->depth = f->instance->depth + 1;
	if (!make_parameters(f, &inner, n, signature) || !add_states(f, &inner, n) ||
	    !check_body(f, &inner, n, signature))
		return cone_failed(f, n);
	t->call = instance;
	*(struct cone_instance **)ARENA_PUSH(c->arena, c->instances, c->instance_count, c->instance_capacity) =
	    instance;
	return finish(f, &inner, n, t);
}

/* ---- Named functions ---- */

struct cone_node *cone_function_value(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                      struct cone_type *signature)
{
	(void)signature;
	struct cone_checker *c = f->checker;
	struct cone_declaration *d = e->type ? cone_method_of(e->type, e->name, 0) : e->declaration;
	bool is_plain =
	    d && d->kind == CONE_FUNCTION && d->receiver == CONE_SELF_NONE && d->generic_count == e->argument_count;
	if (!is_plain) {
		cone_blame(n, "1025", "%s is called, or given where its types are known", e->name ? e->name : "this");
		return cone_failed(f, n);
	}
	struct cone_instance *instance = cone_instance_of(f, n, d, e->type, e->arguments);
	if (!instance)
		return cone_failed(f, n);
	char *key = arena_format(c->arena, "function %p", (void *)instance);
	struct cone_type *t = table_get(&c->instance_names, key);
	if (!t) {
		t = cone_type_closure(&c->types);
		t->call = instance;
		table_set(&c->instance_names, key, t);
	}
	struct cone_node *value = cone_make(f, CONE_NEW, n, t);
	if (n->kind != CONE_BORROW)
		return value;
	cone_gpu_refuse(f, n, "1400", "a GPU has no pointers to code, so no reference to function %s", d->name);
	return cone_borrow(f, value, n->mutable);
}
