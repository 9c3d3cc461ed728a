/* Calls: of functions by name, of types' from, of values that can be called; arguments and their defaults. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- T.from(x) ---- */

static bool is_scalar(const struct cone_type *t)
{
	return cone_type_is_number(t) || t->kind == CONE_TYPE_BOOL || t->kind == CONE_TYPE_CHAR;
}

struct cone_node *cone_check_from(struct cone_frame *f, struct cone_node *n, struct cone_type *to)
{
	if (n->part_count != 1) {
		cone_blame(n, n->part_count ? "1023" : "1022", "from takes one value");
		return cone_failed(f, n);
	}
	struct cone_node *value = cone_dereference(f, cone_check_expression(f, n->parts[0], NULL));
	struct cone_type *from = value->type;
	if (from->kind == CONE_TYPE_ERROR || from->kind == CONE_TYPE_NEVER)
		return value;
	bool is_char = to->kind == CONE_TYPE_CHAR || from->kind == CONE_TYPE_CHAR;
	bool fits = is_scalar(from) && is_scalar(to) &&
	            (!is_char || (from->kind != CONE_TYPE_FLOAT && to->kind != CONE_TYPE_FLOAT));
	if (!fits) {
		cone_blame(n, "1208", "%s.from converts numbers, not %s", cone_type_text(f->checker, to),
		           cone_type_text(f->checker, from));
		return cone_failed(f, n);
	}
	bool is_out = false;
	if (value->kind == CONE_CONSTANT) {
		cone_convert_bits(from, to, value->constant, &is_out);
		if (is_out) {
			cone_blame(n, "1229", "the constant does not fit %s", cone_type_text(f->checker, to));
			return cone_failed(f, n);
		}
	}
	struct cone_node *typed = cone_convert(f, value, to);
	typed->span = n->span;
	return typed;
}

/* ---- Functions ---- */

static bool check_count(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d, uint32_t count)
{
	(void)f;
	uint32_t least = 0;
	for (uint32_t i = 0; i < d->parameter_count; i++)
		if (!d->parameters[i].value)
			least = i + 1;
	if (count >= least && (count <= d->parameter_count || d->is_variadic))
		return true;
	cone_blame(n, count < least ? "1022" : "1023", "%s takes %u values, here are %u", d->name, d->parameter_count,
	           count);
	return false;
}

/* Written arguments: f[i32](x). */
static bool bind_written(struct cone_frame *f, struct cone_node *n, struct cone_scope *scope,
                         const struct cone_entity *written)
{
	struct cone_declaration *d = scope->function;
	if (written->argument_count > d->generic_count) {
		cone_blame(n, "1023", "%s takes %u types", d->name, d->generic_count);
		return false;
	}
	for (uint32_t i = 0; i < written->argument_count; i++)
		scope->arguments[i] = written->arguments[i];
	(void)f;
	return true;
}

static bool check_visible(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d)
{
	if (d->is_public || !d->owner || d->module == f->scope.module || d->owner->kind == CONE_TRAIT)
		return true;
	for (struct cone_module *m = f->scope.module; m; m = m->parent)
		if (m == d->module)
			return true;
	cone_blame(n, "1042", "%s of %s is private", d->name, d->owner->name);
	return false;
}

static struct cone_node *default_of(struct cone_frame *f, struct cone_node *n, struct cone_scope *scope,
                                    const struct cone_parameter *parameter, struct cone_type *type)
{
	struct cone_frame frame = {
	    .checker = f->checker, .scope = *scope, .call = f->call ? f->call : n, .depth = f->depth};
	struct cone_node *typed = cone_check_as(&frame, cone_copy(f->checker->arena, parameter->value), type);
	struct cone_node *constant = typed->type->kind == CONE_TYPE_ERROR ? NULL : cone_constant_tree(&frame, typed);
	return constant ? constant : cone_failed(f, n);
}

/* What a known function's call becomes. */
static struct cone_node *make_intrinsic(struct cone_frame *f, struct cone_node *call, struct cone_node *written)
{
	int intrinsic = call->instance->intrinsic;
	const struct cone_node *at = f->call ? f->call : written;
	if (intrinsic == CONE_INTRINSIC_source_line)
		return cone_make_constant(f, call, &cone_u32, source_place(&at->file->source, at->span.start).line);
	if (intrinsic == CONE_INTRINSIC_source_file) {
		struct cone_node *string = cone_make(f, CONE_STRING, call, call->type);
		string->text = at->file->source.recorded;
		string->length = strlen(string->text);
		string->number = at->file->id;
		return string;
	}
	if (intrinsic == CONE_INTRINSIC_is_debug_build)
		return cone_make_constant(f, call, &cone_bool, f->checker->program->is_debug);
	call->kind = CONE_INTRINSIC;
	call->intrinsic = intrinsic;
	if (cone_intrinsic_kind_of(intrinsic) == CONE_KIND_ATOMIC)
		cone_check_direct_atomic(f, call);
	if (cone_intrinsic_kind_of(intrinsic) == CONE_KIND_HOST)
		cone_gpu_refuse_call(f, written, "a GPU has no barrier hook");
	bool is_wide = call->part_count && call->parts[0]->type == &cone_f64;
	bool has_wide_form = intrinsic == CONE_INTRINSIC_sqrt || intrinsic == CONE_INTRINSIC_fabs ||
	                     intrinsic == CONE_INTRINSIC_floor || intrinsic == CONE_INTRINSIC_ceil ||
	                     intrinsic == CONE_INTRINSIC_fmod;
	if (cone_intrinsic_kind_of(intrinsic) == CONE_KIND_MATH && is_wide && !has_wide_form &&
	    !f->scope.module->is_core)
		cone_gpu_refuse(f, written, "1400", "a GPU has no 64-bit %s", call->instance->function->name);
	return call;
}

static struct cone_node *finish_call(struct cone_frame *f, struct cone_node *n, struct cone_node *call,
                                     struct cone_instance *instance)
{
	call->instance = instance;
	call->type = instance->result;
	if (instance->result->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	if (instance->intrinsic >= 0)
		return make_intrinsic(f, call, n);
	if (!instance->body && !f->scope.module->is_core)
		cone_gpu_refuse_call(f, n, "%s is defined elsewhere, and a GPU has only what it is given",
		                     instance->function->name);
	return call;
}

/* The call of a closure that is the trait's method d: what it is called on is borrowed, as its state may change; of
 * `self` by value a copy's does. A named function has none. */
static struct cone_instance *fill_call(struct cone_frame *f, struct cone_node *call, const struct cone_declaration *d,
                                       struct cone_type *closure)
{
	struct cone_node *self = call->parts[0];
	if (closure->call && closure->call->self_type != closure) {
		call->parts++;
		call->part_count--;
		return closure->call;
	}
	if (d->receiver == CONE_SELF_VALUE) {
		struct cone_node *copy = cone_make(f, CONE_CONVERT, self, closure);
		copy->left = self;
		self = copy;
	} else {
		self = cone_dereference(f, self);
	}
	call->parts[0] = cone_borrow(f, self, true);
	return closure->call;
}

struct cone_node *cone_call_function(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d,
                                     struct cone_type *self_type, struct cone_entity *written,
                                     struct cone_node *receiver, struct cone_node **parts, uint32_t count,
                                     struct cone_type *expected)
{
	struct cone_checker *c = f->checker;
	struct cone_scope scope = {.module = d->module, .file = d->file, .self_type = self_type, .function = d};
	scope.arguments = ARENA_ARRAY(c->arena, struct cone_type *, d->generic_count);
	if (!check_count(f, n, d, count) || !check_visible(f, n, d))
		return cone_failed(f, n);
	if (written && !bind_written(f, n, &scope, written))
		return cone_failed(f, n);
	if (!cone_infer(f, n, &scope, parts, count, expected) || !cone_meets_bounds(f, n, &scope))
		return cone_failed(f, n);
	struct cone_node *call = cone_make(f, CONE_CALL, n, &cone_void);
	call->parts = ARENA_ARRAY(c->arena, struct cone_node *, d->parameter_count + count + 1);
	if (receiver)
		call->parts[call->part_count++] = receiver;
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct cone_type *type = cone_resolve(c, &scope, d->parameters[i].type_syntax);
		if (type->kind == CONE_TYPE_ERROR || !cone_complete(c, type))
			return cone_failed(f, n);
		struct cone_node *part =
		    i < count ? cone_check_as(f, parts[i], type) : default_of(f, n, &scope, &d->parameters[i], type);
		if (part->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
		call->parts[call->part_count++] = part;
	}
	for (uint32_t i = d->parameter_count; i < count; i++) { /* `...` */
		struct cone_node *part = cone_check_expression(f, parts[i], NULL);
		if (part->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
		call->parts[call->part_count++] = part;
	}
	struct cone_instance *instance = cone_is_filled(self_type, d)
	                                     ? fill_call(f, call, d, self_type)
	                                     : cone_instance_of(f, n, d, self_type, scope.arguments);
	return instance ? finish_call(f, n, call, instance) : cone_failed(f, n);
}

/* Through &<Trait, whose methods are known by their declarations alone: CPU code only. */
struct cone_node *cone_call_virtual(struct cone_frame *f, struct cone_node *n, struct cone_node *receiver,
                                    const char *name, struct cone_node **parts, uint32_t count)
{
	struct cone_checker *c = f->checker;
	struct cone_declaration *d = cone_method_of(receiver->type, name, 0);
	if (!d || d->receiver == CONE_SELF_NONE || d->generic_count) {
		cone_blame(n, "1025", "%s has no method %s to be called through", cone_type_text(c, receiver->type),
		           name);
		return cone_failed(f, n);
	}
	bool is_owned = receiver->kind == CONE_DEREFERENCE && receiver->left->type->kind == CONE_TYPE_OWNER;
	if (is_owned && d->receiver == CONE_SELF_MUTABLE && !cone_require_mutable(f, receiver, "1034"))
		return cone_failed(f, n);
	cone_gpu_refuse(f, n, "1400", "a GPU has no tables of functions to call through");
	if (!check_count(f, n, d, count))
		return cone_failed(f, n);
	struct cone_scope scope = {.module = d->module, .file = d->file, .self_type = receiver->type, .function = d};
	struct cone_node *call = cone_make(f, CONE_CALL, n, cone_results_type(c, &scope, d));
	call->left = receiver;
	call->name = d->name;
	call->parts = ARENA_ARRAY(c->arena, struct cone_node *, d->parameter_count);
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct cone_type *type = cone_resolve(c, &scope, d->parameters[i].type_syntax);
		if (type->kind == CONE_TYPE_ERROR || !cone_complete(c, type))
			return cone_failed(f, n);
		struct cone_node *part =
		    i < count ? cone_check_as(f, parts[i], type) : default_of(f, n, &scope, &d->parameters[i], type);
		if (part->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
		call->parts[call->part_count++] = part;
	}
	return call->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n) : call;
}

/* ---- Values that can be called ---- */

static struct cone_node *call_closure(struct cone_frame *f, struct cone_node *n, struct cone_node *callee)
{
	struct cone_instance *instance = callee->type->call;
	if (!instance)
		return cone_failed(f, n);
	bool has_receiver = instance->self_type == callee->type;
	uint32_t first = has_receiver ? 1 : 0;
	if (n->part_count + first != instance->parameter_count) {
		cone_blame(n, n->part_count + first < instance->parameter_count ? "1022" : "1023",
		           "this takes %u values, here are %u", instance->parameter_count - first, n->part_count);
		return cone_failed(f, n);
	}
	struct cone_node *call = cone_make(f, CONE_CALL, n, instance->result);
	call->instance = instance;
	call->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, instance->parameter_count);
	if (has_receiver)
		call->parts[call->part_count++] = cone_borrow(f, callee, true);
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct cone_node *part = cone_check_as(f, n->parts[i], instance->parameters[i + first]->type);
		if (part->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
		call->parts[call->part_count++] = part;
	}
	return finish_call(f, n, call, instance);
}

/* Through &fn(...): CPU code only. */
static struct cone_node *call_reference(struct cone_frame *f, struct cone_node *n, struct cone_node *callee)
{
	const struct cone_type *signature = callee->type;
	if (n->part_count != signature->argument_count) {
		cone_blame(n, n->part_count < signature->argument_count ? "1022" : "1023",
		           "this takes %u values, here are %u", signature->argument_count, n->part_count);
		return cone_failed(f, n);
	}
	struct cone_node *call = cone_make(f, CONE_CALL, n, signature->element);
	call->left = callee;
	call->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, n->part_count);
	for (uint32_t i = 0; i < n->part_count; i++) {
		call->parts[i] = cone_check_as(f, n->parts[i], signature->arguments[i]);
		if (call->parts[i]->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
	}
	call->part_count = n->part_count;
	cone_gpu_refuse(f, n, "1400", "a GPU has no pointers to code to call");
	return call;
}

struct cone_node *cone_call_value(struct cone_frame *f, struct cone_node *n, struct cone_node *callee,
                                  struct cone_type *expected)
{
	if (callee->type->kind == CONE_TYPE_ERROR)
		return callee;
	callee = cone_dereference(f, callee);
	if (callee->type->kind == CONE_TYPE_CLOSURE)
		return call_closure(f, n, callee);
	if (callee->type->kind == CONE_TYPE_FUNCTION)
		return call_reference(f, n, callee);
	struct cone_node *call = cone_call_method(f, n, callee, "()", n->parts, n->part_count, expected);
	if (call)
		return call;
	cone_blame(n, "1025", "%s cannot be called", cone_type_text(f->checker, callee->type));
	return cone_failed(f, n);
}

/* ---- What is called ---- */

/* A static method, or one of the receiver's own: a bare `length()`. */
static struct cone_node *call_of_type(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                      struct cone_type *expected)
{
	struct cone_type *t = e->type;
	if (!t) {
		/* Atomic.of(v): the type's arguments are found from the wanted type. */
		if (!expected || expected->declaration != e->declaration) {
			cone_blame(n, "1022", "the types of %s are not known here", e->declaration->name);
			return cone_failed(f, n);
		}
		t = expected;
	}
	struct cone_declaration *d = cone_method_of(t, e->name, 0);
	if (!d)
		return cone_check_from(f, n, t);
	if (d->receiver == CONE_SELF_NONE)
		return cone_call_function(f, n, d, t, e, NULL, n->parts, n->part_count, expected);
	struct cone_node *self = n->left->kind == CONE_NAME ? cone_local_named(f, n, "self") : NULL;
	if (!self) {
		cone_blame(n, "1025", "%s is called on a value of %s", d->name, cone_type_text(f->checker, t));
		return cone_failed(f, n);
	}
	return cone_call_method(f, n, self, e->name, n->parts, n->part_count, expected);
}

static struct cone_node *call_entity(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                     struct cone_type *expected)
{
	switch (e->kind) {
	case CONE_ENTITY_FUNCTION:
		if (e->type || (e->declaration && e->declaration->kind != CONE_FUNCTION))
			return call_of_type(f, n, e, expected);
		return cone_call_function(f, n, e->declaration, NULL, e, NULL, n->parts, n->part_count, expected);
	case CONE_ENTITY_GLOBAL:
	case CONE_ENTITY_VALUE: return cone_call_value(f, n, cone_check_expression(f, n->left, NULL), expected);
	case CONE_ENTITY_VARIANT: return cone_make_variant(f, n, e, n->parts, n->part_count, expected);
	case CONE_ENTITY_TYPE:
	case CONE_ENTITY_GENERIC:
		cone_blame(n, "1212", "a value is made with new %s(...)",
		           e->type ? cone_type_text(f->checker, e->type) : e->declaration->name);
		return cone_failed(f, n);
	case CONE_ENTITY_MODULE: cone_blame(n, "1025", "%s is a module", e->module->name); return cone_failed(f, n);
	case CONE_ENTITY_NONE:
	case CONE_ENTITY_ERROR: break;
	}
	return cone_failed(f, n);
}

static bool is_field(struct cone_frame *f, const struct cone_type *t, const char *name)
{
	while (t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_OWNER)
		t = t->element;
	if (t->kind != CONE_TYPE_STRUCT || !cone_complete(f->checker, (struct cone_type *)t))
		return false;
	for (uint32_t i = 0; i < t->field_count; i++)
		if (strcmp(t->fields[i].name, name) == 0)
			return true;
	return false;
}

static struct cone_node *call_member(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *member = n->left;
	struct cone_node *receiver = cone_check_expression(f, member->left, NULL);
	if (receiver->type->kind == CONE_TYPE_ERROR)
		return receiver;
	n->at = member->at;
	struct cone_node *call = cone_call_method(f, n, receiver, member->name, n->parts, n->part_count, expected);
	if (call)
		return call;
	if (is_field(f, receiver->type, member->name))
		return cone_call_value(f, n, cone_member(f, member, receiver, member->name, false), expected);
	cone_blame(member, "1025", "%s has no method %s", cone_type_text(f->checker, receiver->type), member->name);
	return cone_failed(f, n);
}

struct cone_node *cone_check_call(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	if (n->part_names && n->part_count)
		for (uint32_t i = 0; i < n->part_count; i++)
			if (n->part_names[i]) {
				cone_blame(n->parts[i], "1165",
				           "values of a call have no names: they are given in order");
				return cone_failed(f, n);
			}
	struct cone_node *callee = n->left, *first = callee;
	while (first->kind == CONE_MEMBER || first->kind == CONE_INDEX)
		first = first->left;
	bool is_value = first->kind == CONE_NAME && f->scope.self_type && is_field(f, f->scope.self_type, first->name);
	if (!is_value) {
		struct cone_entity e = cone_entity_of(f, callee);
		if (e.kind == CONE_ENTITY_ERROR)
			return cone_failed(f, n);
		if (e.kind != CONE_ENTITY_NONE)
			return call_entity(f, n, &e, expected);
	}
	if (callee->kind == CONE_MEMBER)
		return call_member(f, n, expected);
	return cone_call_value(f, n, cone_check_expression(f, callee, NULL), expected);
}
