/* Instances: a function for its types, and its typed body. */
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_check.h"

/* Instances that ask for instances; more is a generic that makes them without end. */
#define INSTANCE_DEPTH 60

static const struct {
	const char *symbol;
	enum cone_intrinsic_kind kind;
} INTRINSICS[] = {
#define INTRINSIC(name, symbol, kind, description) {symbol, CONE_KIND_##kind},
#include "frontend/cone/cone_intrinsics.def"
#undef INTRINSIC
};

int cone_intrinsic_named(const char *symbol)
{
	for (int i = 0; i < CONE_INTRINSIC_COUNT; i++)
		if (strcmp(INTRINSICS[i].symbol, symbol) == 0)
			return i;
	return -1;
}

enum cone_intrinsic_kind cone_intrinsic_kind_of(int intrinsic)
{
	return INTRINSICS[intrinsic].kind;
}

/* The C name: @c("sqrtf"), or the name itself. */
static const char *symbol_of(const struct cone_declaration *d)
{
	const struct cone_attribute *c = cone_attribute_of(d, "c");
	if (c && c->argument_count && c->arguments[0]->kind == CONE_STRING)
		return c->arguments[0]->text;
	return d->name;
}

/* The page's table: by C symbol and operand types, one of each width. */
static int math_of(struct cone_checker *c, const struct cone_instance *instance, const char *symbol)
{
	size_t length = strlen(symbol);
	bool is_narrow = length && symbol[length - 1] == 'f';
	char *wide = arena_string_n(c->arena, symbol, is_narrow ? length - 1 : length);
	int intrinsic = cone_intrinsic_named(wide);
	if (intrinsic < 0 || cone_intrinsic_kind_of(intrinsic) != CONE_KIND_MATH)
		return -1;
	bool is_binary =
	    intrinsic == CONE_INTRINSIC_atan2 || intrinsic == CONE_INTRINSIC_pow || intrinsic == CONE_INTRINSIC_fmod;
	struct cone_type *type = is_narrow ? &cone_f32 : &cone_f64;
	if (instance->parameter_count != (is_binary ? 2u : 1u) || instance->result != type)
		return -1;
	for (uint32_t i = 0; i < instance->parameter_count; i++)
		if (instance->parameters[i]->type != type)
			return -1;
	return intrinsic;
}

static int intrinsic_of(struct cone_checker *c, const struct cone_instance *instance)
{
	const struct cone_declaration *d = instance->function;
	if (cone_attribute_of(d, "intrinsic") || d->module->is_core)
		return d->body ? -1 : cone_intrinsic_named(symbol_of(d));
	return d->body ? -1 : math_of(c, instance, symbol_of(d));
}

/* ---- @intrinsic ---- */

/* Core's own declaration of the name; NULL: there is none. */
static struct cone_declaration *intrinsic_of_core(struct cone_checker *c, const char *name)
{
	for (uint32_t i = 0; i < c->program->module_count; i++) {
		struct cone_module *m = c->program->modules[i];
		for (uint32_t j = 0; m->is_core && j < m->declaration_count; j++) {
			struct cone_declaration *d = m->declarations[j];
			if (d->kind == CONE_FUNCTION && strcmp(d->name, name) == 0 && cone_attribute_of(d, "intrinsic"))
				return d;
		}
	}
	return NULL;
}

/* Types are compared where they are known without arguments. */
static bool has_form(struct cone_checker *c, struct cone_declaration *d, struct cone_declaration *wanted)
{
	if (d->generic_count != wanted->generic_count || d->parameter_count != wanted->parameter_count ||
	    d->result_count != wanted->result_count || d->receiver != CONE_SELF_NONE)
		return false;
	struct cone_scope own = {.module = d->module, .file = d->file},
	                  other = {.module = wanted->module, .file = wanted->file};
	bool same = d->generic_count || cone_results_type(c, &own, d) == cone_results_type(c, &other, wanted);
	for (uint32_t i = 0; !d->generic_count && i < d->parameter_count; i++)
		same = same && cone_resolve(c, &own, d->parameters[i].type_syntax) ==
		                   cone_resolve(c, &other, wanted->parameters[i].type_syntax);
	return same;
}

void cone_check_intrinsic(struct cone_checker *c, struct cone_declaration *d)
{
	if (!cone_attribute_of(d, "intrinsic"))
		return;
	if (!d->module->is_core)
		cone_report(d->file, d->name_span, "1160", "@intrinsic is core's own");
	struct cone_declaration *wanted = intrinsic_of_core(c, d->name);
	if (!wanted)
		cone_report(d->file, d->name_span, "1161", "there is no intrinsic %s", d->name);
	else if (!has_form(c, d, wanted))
		cone_report(d->file, d->name_span, "1162", "the intrinsic %s takes or gives other types", d->name);
	if (d->body)
		cone_report(d->file, d->name_span, "1163", "an intrinsic has no body: %s has one", d->name);
}

/* ---- Making ---- */

static struct cone_variable *make_parameter(struct cone_checker *c, struct cone_instance *instance, const char *name,
                                            struct span span, struct cone_type *type, bool mutable)
{
	struct cone_variable *v = ARENA_NEW(c->arena, struct cone_variable);
	*v = (struct cone_variable){
	    .name = name, .span = span, .type = type, .mutable = mutable, .index = instance->variable_count++};
	instance->parameters[instance->parameter_count++] = v;
	return v;
}

static bool make_parameters(struct cone_checker *c, struct cone_scope *scope, struct cone_instance *instance)
{
	struct cone_declaration *d = instance->function;
	struct cone_type *self = scope->self_type;
	instance->parameters = ARENA_ARRAY(c->arena, struct cone_variable *, d->parameter_count + 1);
	if (d->receiver != CONE_SELF_NONE && !self) {
		cone_report(d->file, d->name_span, "1019", "self is there in methods only");
		return false;
	}
	bool good = !self || cone_complete(c, self);
	if (d->receiver == CONE_SELF_VALUE)
		make_parameter(c, instance, "self", d->name_span, self, false);
	else if (d->receiver != CONE_SELF_NONE)
		make_parameter(c, instance, "self", d->name_span,
		               cone_type_reference(&c->types, self, d->receiver != CONE_SELF_REFERENCE), false);
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct cone_variable *written = d->parameters[i].variable;
		struct cone_type *type = cone_resolve(c, scope, d->parameters[i].type_syntax);
		if (!d->parameters[i].type_syntax)
			cone_report(d->file, written->span, "1391", "parameter %s needs a type", written->name);
		if (type->kind == CONE_TYPE_VIRTUAL && d->parameters[i].type_syntax->form == CONE_FORM_NAME) {
			if (!cone_attribute_of(d, "compute")) /* 1261 */
				cone_report(d->file, d->parameters[i].type_syntax->span, "1013",
				            "%s is a trait, which has no values: a generic [T %s] or &<%s takes them",
				            type->declaration->name, type->declaration->name, type->declaration->name);
			type = &cone_error;
		}
		good = type->kind != CONE_TYPE_ERROR && cone_complete(c, type) && good;
		make_parameter(c, instance, written->name, written->span, type, written->mutable);
	}
	return good;
}

static struct cone_instance *make_instance(struct cone_frame *f, const struct cone_node *n, struct cone_declaration *d,
                                           struct cone_scope *scope)
{
	struct cone_checker *c = f->checker;
	struct cone_instance *instance = ARENA_NEW(c->arena, struct cone_instance);
	instance->function = d;
	instance->self_type = scope->self_type;
	instance->arguments = scope->arguments;
	instance->argument_count = d->generic_count;
	instance->intrinsic = -1;
	instance->depth = f->instance ? f->instance->depth + 1 : 0;
	bool asks_without_end =
	    instance->depth > INSTANCE_DEPTH && (d->generic_count || (d->owner && d->owner->generic_count));
	if (asks_without_end)
		cone_blame(n, "1256", "%s asks for itself with other types without end", d->name);
	bool good = make_parameters(c, scope, instance) && !asks_without_end;
	instance->result = cone_results_type(c, scope, d);
	good = good && instance->result->kind != CONE_TYPE_ERROR && cone_complete(c, instance->result);
	if (!good)
		return instance;
	instance->intrinsic = intrinsic_of(c, instance);
	if (d->body) {
		instance->body = cone_copy(c->arena, d->body);
		*(struct cone_instance **)ARENA_PUSH(c->arena, c->instances, c->instance_count, c->instance_capacity) =
		    instance;
	} else if (!d->is_extern && !cone_attribute_of(d, "c") && !cone_attribute_of(d, "intrinsic") &&
	           !(d->owner && d->owner->kind == CONE_TRAIT)) {
		cone_report(d->file, d->name_span, "1003", "%s has no body", d->name);
	}
	return instance;
}

static void key_of(struct text *key, const struct cone_declaration *d, const struct cone_type *self_type)
{
	text_add_format(key, "%p %p", (const void *)d, (const void *)self_type);
}

struct cone_instance *cone_instance_of(struct cone_frame *f, const struct cone_node *n, struct cone_declaration *d,
                                       struct cone_type *self_type, struct cone_type **arguments)
{
	struct cone_checker *c = f->checker;
	struct text key = {0};
	key_of(&key, d, self_type);
	for (uint32_t i = 0; i < d->generic_count; i++)
		text_add_format(&key, " %p", (void *)arguments[i]);
	struct cone_instance *instance = table_get_n(&c->instance_names, key.data, key.length);
	if (!instance) {
		struct cone_scope scope = {.module = d->module,
		                           .file = d->file,
		                           .self_type = self_type,
		                           .function = d,
		                           .arguments = arguments};
		instance = make_instance(f, n, d, &scope);
		table_set_n(&c->instance_names, key.data, key.length, instance);
	}
	text_free(&key);
	bool good = instance->result->kind != CONE_TYPE_ERROR;
	for (uint32_t i = 0; i < instance->parameter_count; i++)
		good = good && instance->parameters[i]->type->kind != CONE_TYPE_ERROR;
	return good ? instance : NULL;
}

const struct cone_instance *cone_instance_known(struct cone_checker *c, const struct cone_declaration *d,
                                                const struct cone_type *self_type)
{
	struct text key = {0};
	key_of(&key, d, self_type);
	const struct cone_instance *instance = table_get_n(&c->instance_names, key.data, key.length);
	text_free(&key);
	return instance;
}

/* ---- Bodies ---- */

static bool ends_elsewhere(const struct cone_node *body)
{
	return body->type->kind == CONE_TYPE_NEVER || body->type->kind == CONE_TYPE_ERROR;
}

void cone_check_body(struct cone_checker *c, struct cone_instance *instance)
{
	struct cone_declaration *d = instance->function;
	if (instance->body->type) /* a closure's, checked where it is written */
		return;
	struct cone_frame frame = {.checker = c,
	                           .instance = instance,
	                           .result = instance->result,
	                           .scope = {.module = d->module,
	                                     .file = d->file,
	                                     .self_type = instance->self_type,
	                                     .function = d,
	                                     .arguments = instance->arguments}};
	for (uint32_t i = 0; i < instance->parameter_count; i++)
		*(struct cone_variable **)ARENA_PUSH(c->arena, frame.locals, frame.local_count, frame.local_capacity) =
		    instance->parameters[i];
	bool is_void = instance->result == &cone_void;
	struct cone_node *body = cone_check_expression(&frame, instance->body, instance->result);
	if (!is_void && instance->result->kind != CONE_TYPE_NEVER && !ends_elsewhere(body)) {
		if (body->type == &cone_void)
			cone_report(d->file, d->name_span, "1013",
			            "%s gives %s, but its end is reached without a value", d->name,
			            cone_type_text(c, instance->result));
		else
			body = cone_coerce(&frame, body, instance->result);
	} else if (instance->result->kind == CONE_TYPE_NEVER && !ends_elsewhere(body)) {
		cone_report(d->file, d->name_span, "1013", "%s does not return, but its end is reached", d->name);
	}
	instance->body = body;
}
