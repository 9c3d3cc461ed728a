/* Compute entry points and workgroup memory: their sizes, places, parameters and what these may hold (1259 to 1262,
 * 1266 to 1268). */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* The limits every WebGPU device guarantees. */
#define MOST_INVOCATIONS 256
#define MOST_ALONG_Z 64
/* WebGPU's eight storage buffers a stage, less the error buffer. */
#define MOST_BUFFERS 7

/* ---- Data that CPU and GPU lay out alike ---- */

static const char *why_number(struct cone_checker *c, const struct cone_type *t)
{
	if (t->is_size)
		return arena_format(c->arena, "is %s, as wide as each target's addresses", cone_type_text(c, t));
	if (t->bits != 32)
		return arena_format(c->arena,
		                    "is %s, a number of %u bits: only 32-bit numbers are laid out alike on CPU and GPU",
		                    cone_type_text(c, t), t->bits);
	return NULL;
}

/* Why a type cannot be in a buffer; NULL: it can, or what it holds decides. */
static const char *why_not(struct cone_checker *c, const struct cone_type *t)
{
	switch (t->kind) {
	case CONE_TYPE_BOOL: return "is a bool, which CPU and GPU do not lay out alike";
	case CONE_TYPE_CHAR: return "is a char, which is no number";
	case CONE_TYPE_INTEGER:
	case CONE_TYPE_FLOAT: return why_number(c, t);
	case CONE_TYPE_REFERENCE: return "is a reference: an address is none on the other side";
	case CONE_TYPE_SLICE: return "is a slice: an address is none on the other side";
	case CONE_TYPE_POINTER: return "is a pointer: an address is none on the other side";
	case CONE_TYPE_FUNCTION: return "is a function reference: an address is none on the other side";
	case CONE_TYPE_OWNER: return "is an owning reference: an address is none on the other side";
	case CONE_TYPE_VIRTUAL: return "is a trait, whose values have many layouts";
	case CONE_TYPE_ENUM:
		return strcmp(t->declaration->name, "Option") == 0
		           ? "is an Option"
		           : arena_format(c->arena, "is an enum, %s", t->declaration->name);
	case CONE_TYPE_CLOSURE: return "is a closure";
	case CONE_TYPE_TUPLE: return "is a tuple";
	case CONE_TYPE_VOID:
	case CONE_TYPE_NEVER:
	case CONE_TYPE_MODULE:
	case CONE_TYPE_TYPE: return "is no value";
	case CONE_TYPE_ARRAY:
	case CONE_TYPE_STRUCT:
	case CONE_TYPE_ERROR: return NULL;
	}
	return NULL;
}

/* Appends steps to the path down to what is wrong; NULL: nothing is. */
static const char *find_fault(struct cone_checker *c, struct cone_type *t, struct text *path)
{
	const char *why = why_not(c, t);
	size_t length = path->length;
	if (why)
		return why;
	if (t->kind == CONE_TYPE_ARRAY) {
		text_add(path, "[]");
		why = find_fault(c, t->element, path);
	}
	if (t->kind == CONE_TYPE_STRUCT && cone_attribute_of(t->declaration, "opaque"))
		return "is opaque";
	if (t->kind == CONE_TYPE_STRUCT && !cone_complete(c, t))
		return NULL;
	for (uint32_t i = 0; t->kind == CONE_TYPE_STRUCT && i < t->field_count && !why; i++) {
		path->length = length;
		text_add_format(path, ".%s", t->fields[i].name);
		why = find_fault(c, t->fields[i].type, path);
	}
	if (!why)
		path->length = length;
	return why;
}

static void check_data(struct cone_checker *c, struct cone_file *file, struct span span, const char *code,
                       const char *name, struct cone_type *t)
{
	struct text path = {0};
	text_add(&path, name);
	const char *why = find_fault(c, t, &path);
	if (why)
		cone_report(file, span, code, "'%.*s' %s", (int)path.length, text_string(&path), why);
	else if (t->kind == CONE_TYPE_STRUCT && !t->field_count)
		cone_report(file, span, code, "'%s' holds nothing", name);
	text_free(&path);
}

/* ---- Entry points ---- */

static bool check_sizes(struct cone_checker *c, struct cone_scope *scope, const struct cone_attribute *a,
                        uint32_t size[3])
{
	uint64_t product = 1;
	size[0] = size[1] = size[2] = 1;
	if (a->argument_count < 1 || a->argument_count > 3) {
		cone_report(scope->file, a->span, "1259",
		            "@compute takes one to three sizes: @compute(64), @compute(8, 8)");
		return false;
	}
	for (uint32_t i = 0; i < a->argument_count; i++) {
		struct cone_frame frame = {.checker = c, .scope = *scope};
		uint32_t errors = cone_error_count(c->program);
		struct cone_node *typed = cone_check_expression(&frame, cone_copy(c->arena, a->arguments[i]), NULL);
		uint64_t value = 0;
		bool is_integer = typed->type->kind == CONE_TYPE_INTEGER && typed->kind == CONE_CONSTANT;
		if (!is_integer && typed->type->kind == CONE_TYPE_INTEGER && typed->kind != CONE_CALL &&
		    typed->kind != CONE_INTRINSIC &&
		    !(typed->kind == CONE_NAME && typed->global && typed->global->mutable))
			is_integer = cone_evaluate(&frame, typed, &value);
		else if (is_integer)
			value = typed->constant;
		if (cone_error_count(c->program) != errors)
			return false;
		if (!is_integer || value < 1 || (typed->type->is_signed && (int64_t)value < 1)) {
			cone_report(scope->file, a->span, "1259",
			            "a workgroup's size is a constant integer of at least 1");
			return false;
		}
		product = value > MOST_INVOCATIONS ? MOST_INVOCATIONS + 1 : product * value;
		size[i] = (uint32_t)value;
		if (product > MOST_INVOCATIONS) {
			cone_report(scope->file, a->span, "1259", "a workgroup holds at most %d invocations",
			            MOST_INVOCATIONS);
			return false;
		}
	}
	if (size[2] <= MOST_ALONG_Z)
		return true;
	cone_report(scope->file, a->span, "1259", "a workgroup holds at most %d invocations along z", MOST_ALONG_Z);
	return false;
}

/* The kind of function that cannot be an entry point; NULL: it can. */
static const char *no_entry(const struct cone_declaration *d)
{
	if (d->owner)
		return "a method";
	if (d->generic_count)
		return "a generic function";
	if (d->is_inline)
		return "an inline function";
	if (cone_attribute_of(d, "intrinsic"))
		return "an intrinsic";
	return cone_attribute_of(d, "c") ? "a C function" : NULL;
}

static bool check_parameters(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d)
{
	uint32_t buffers = 0, errors = cone_error_count(c->program);
	bool has_invocation = false, reported = false;
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct cone_type *t = cone_resolve(c, scope, d->parameters[i].type_syntax);
		struct cone_variable *v = d->parameters[i].variable;
		if (t->kind == CONE_TYPE_ERROR || !cone_complete(c, t))
			continue;
		if (cone_type_is_invocation(t)) {
			if (has_invocation)
				cone_report(d->file, v->span, "1261", "%s is a second Invocation: a kernel has one",
				            v->name);
			has_invocation = true;
			continue;
		}
		if (t->kind != CONE_TYPE_SLICE && (t->kind != CONE_TYPE_STRUCT || cone_type_atomic_of(t))) {
			bool is_trait =
			    t->kind == CONE_TYPE_VIRTUAL && d->parameters[i].type_syntax->form == CONE_FORM_NAME;
			cone_report(d->file, v->span, "1261",
			            "%s is %s: a kernel's parameter is an Invocation, a slice, or a struct by value",
			            v->name, is_trait ? "of a trait" : cone_type_text(c, t));
			continue;
		}
		if (++buffers > MOST_BUFFERS && !reported) {
			cone_report(d->file, v->span, "1261", "%s is buffer %u: a kernel binds at most %d", v->name,
			            buffers, MOST_BUFFERS);
			reported = true;
		}
		const char *name = t->kind == CONE_TYPE_SLICE ? arena_format(c->arena, "%s[]", v->name) : v->name;
		check_data(c, d->file, v->span, "1262", name, t->kind == CONE_TYPE_SLICE ? t->element : t);
	}
	return cone_error_count(c->program) == errors;
}

/* A kernel of a package that another one imports is in that package's own file. */
static bool is_compiled(const struct cone_program *p, const struct cone_module *m)
{
	while (m->parent)
		m = m->parent;
	return !p->kernels_of || m == p->kernels_of;
}

static void check_entry(struct cone_checker *c, struct cone_module *m, struct cone_declaration *d,
                        const struct cone_attribute *a)
{
	struct cone_scope scope = {.module = m, .file = d->file};
	struct cone_entry entry = {.function = d};
	const char *kind = no_entry(d);
	if (kind) {
		cone_report(d->file, d->name_span, "1260", "%s is %s, which cannot be a compute entry point", d->name,
		            kind);
		return;
	}
	bool good = check_sizes(c, &scope, a, entry.size);
	if (d->result_count) {
		cone_report(d->file, d->results[0]->span, "1261",
		            "an entry point returns nothing: it writes into a slice");
		good = false;
	}
	good = check_parameters(c, &scope, d) && good;
	for (uint32_t i = 0; is_compiled(c->program, m) && i < c->program->entry_count; i++)
		if (strcmp(c->program->entries[i].function->name, d->name) == 0)
			cone_gpu_refuse_at(
			    c, d->file, d->name_span, "1260",
			    "%s is the name of another entry point: a dispatch finds a kernel by its name", d->name);
	if (!good || !d->body || !is_compiled(c->program, m))
		return;
	struct cone_frame frame = {.checker = c, .scope = scope};
	struct cone_node place = {.kind = CONE_EMPTY, .file = d->file, .span = d->name_span};
	entry.instance = cone_instance_of(&frame, &place, d, NULL, NULL);
	if (entry.instance)
		*(struct cone_entry *)ARENA_PUSH(c->arena, c->program->entries, c->program->entry_count,
		                                 c->program->entry_capacity) = entry;
}

void cone_check_entries(struct cone_checker *c)
{
	struct cone_program *p = c->program;
	for (uint32_t i = 0; i < p->module_count; i++)
		for (uint32_t j = 0; j < p->modules[i]->declaration_count; j++) {
			struct cone_declaration *d = p->modules[i]->declarations[j];
			const struct cone_attribute *a = cone_attribute_of(d, "compute");
			if (d->kind == CONE_FUNCTION && a)
				check_entry(c, p->modules[i], d, a);
			for (uint32_t k = 0; k < d->member_count; k++)
				if ((a = cone_attribute_of(d->members[k], "compute")))
					check_entry(c, p->modules[i], d->members[k], a);
		}
}

/* ---- Globals of a thread, and workgroup memory ---- */

/* A value of it is owned, or has a method `final` that is to be called at its end. */
static bool needs_finalizing(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_OWNER || cone_has_final(t);
}

static bool is_unsized(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_VIRTUAL || t->kind == CONE_TYPE_FUNCTION ||
	       (t->kind == CONE_TYPE_STRUCT &&
	        (cone_attribute_of(t->declaration, "unsized") || cone_attribute_of(t->declaration, "opaque")));
}

void cone_check_thread_global(struct cone_checker *c, struct cone_declaration *d, struct cone_type *type)
{
	if (!d->mutable)
		cone_report(d->file, d->name_span, "1180", "a thread's own global is mut: %s is imm", d->name);
	if (cone_type_holds(c, type, needs_finalizing) || cone_type_holds(c, type, is_unsized))
		cone_report(d->file, d->name_span, "1182",
		            "a thread's own global is of a fixed size, and nothing in it needs finalizing: %s is %s",
		            d->name, cone_type_text(c, type));
	if (!d->value)
		cone_report(d->file, d->name_span, "1181", "a thread's own global needs an initial value: %s has none",
		            d->name);
	c->is_thread_value = true;
	cone_value_of_declaration(c, d);
	c->is_thread_value = false;
}

void cone_check_workgroup_global(struct cone_checker *c, struct cone_declaration *d)
{
	struct cone_type *t = cone_type_of_global(c, d);
	if (!d->mutable)
		cone_report(d->file, d->name_span, "1266", "workgroup memory is mut: %s is imm", d->name);
	if (d->value)
		cone_report(d->file, d->name_span, "1267", "workgroup memory starts undefined: %s has an initial value",
		            d->name);
	if (t->kind == CONE_TYPE_ERROR)
		return;
	uint32_t errors = cone_error_count(c->program);
	check_data(c, d->file, d->name_span, "1268", d->name, t);
	if (cone_error_count(c->program) == errors && cone_type_holds(c, t, needs_finalizing))
		cone_report(d->file, d->name_span, "1268", "'%s' needs finalizing, which workgroup memory has not",
		            d->name);
}
