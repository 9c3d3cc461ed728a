#include <string.h>

#include "frontend/ssp/check.h"
#include "frontend/ssp/larger_language.h"

/* ---- Types as written (spec 2.3) ---- */

struct named_type {
	const char *name;
	uint32_t arguments;
	enum type_kind kind;
	struct type *scalar;
};

static const struct named_type named_types[] = {
    {"Int", 0, TYPE_INT, &type_int},  {"F64", 0, TYPE_F64, &type_f64},    {"Bool", 0, TYPE_BOOL, &type_bool},
    {"Str", 0, TYPE_STR, &type_str},  {"Unit", 0, TYPE_UNIT, &type_unit}, {"()", 0, TYPE_UNIT, &type_unit},
    {"I32", 0, TYPE_I32, &type_i32},  {"U32", 0, TYPE_U32, &type_u32},    {"F32", 0, TYPE_F32, &type_f32},
    {"List", 1, TYPE_LIST, NULL},     {"Opt", 1, TYPE_OPT, NULL},         {"Res", 2, TYPE_RES, NULL},
    {"DevBuf", 1, TYPE_DEVBUF, NULL},
};
enum { NAMED_TYPE_COUNT = sizeof named_types / sizeof *named_types };

static const struct named_type *find_type(const char *name)
{
	for (int i = 0; i < NAMED_TYPE_COUNT; i++) {
		if (strcmp(named_types[i].name, name) == 0)
			return &named_types[i];
	}
	return NULL;
}

static bool is_device_scalar(const struct type_syntax *s)
{
	const struct named_type *named = s && !s->borrow ? find_type(s->name) : NULL;
	return named && (named->kind == TYPE_I32 || named->kind == TYPE_U32 || named->kind == TYPE_F32);
}

static struct type *unknown_type(struct checker *c, const struct type_syntax *s)
{
	if (strcmp(s->name, "?") == 0) /* the parser could not read it, and has said so */
		return &type_error;
	const struct larger_word *larger = larger_find(s->name, strlen(s->name), LARGER_TYPE);
	if (larger) {
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_UNSUPPORTED", s->span, "%s not supported", larger->what);
		diagnostic_hint(c->diagnostics, d, "%s", larger->hint);
		return &type_error;
	}
	struct suggestion suggestion = check_suggestion(c, s->name);
	for (int i = 0; i < NAMED_TYPE_COUNT; i++)
		check_suggest(&suggestion, named_types[i].name);
	struct diagnostic *d =
	    diagnostic_add(c->diagnostics, "E_UNKNOWN_NAME", s->span, "there is no type `%s`", s->name);
	check_suggestion_hint(c, d, &suggestion);
	return &type_error;
}

static struct type *device_scalar(struct checker *c, const struct type_syntax *s)
{
	struct diagnostic *d = diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", s->span,
	                                      "%s exists in kernels and in DevBuf[%s] only", s->name, s->name);
	diagnostic_hint(c->diagnostics, d, "write `%s`", strcmp(s->name, "F32") == 0 ? "F64" : "Int");
	return &type_error;
}

static struct type *read_type(struct checker *c, const struct type_syntax *s);

static struct type *read_device_buffer(struct checker *c, const struct type_syntax *s)
{
	const struct type_syntax *element = s->arguments[0];
	struct type *t =
	    is_device_scalar(element) && element->count == 0 ? find_type(element->name)->scalar : read_type(c, element);
	switch (t->kind) {
	case TYPE_INT:
	case TYPE_I32:
	case TYPE_U32:
	case TYPE_F32:
	case TYPE_F64: return check_type(c, s->span, TYPE_DEVBUF, 1, t);
	case TYPE_ERROR: return t;
	case TYPE_BOOL:
	case TYPE_STR:
	case TYPE_UNIT:
	case TYPE_LIST:
	case TYPE_TUPLE:
	case TYPE_OPT:
	case TYPE_RES:
	case TYPE_DEVBUF:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE: break;
	}
	diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", element->span,
	               "a DevBuf holds Int, I32, U32, F32 or F64, not %s", check_type_text(c, t));
	return &type_error;
}

static struct type *read_tuple(struct checker *c, const struct type_syntax *s)
{
	struct type **items = ARENA_ARRAY(&c->scratch, struct type *, s->count);
	for (uint32_t i = 0; i < s->count; i++)
		items[i] = read_type(c, s->arguments[i]);
	return check_type_of_items(c, s->span, TYPE_TUPLE, s->count, items);
}

static struct type *read_result(struct checker *c, const struct type_syntax *s)
{
	struct type *value = read_type(c, s->arguments[0]), *reason = read_type(c, s->arguments[1]);
	if (reason->kind != TYPE_STR && reason->kind != TYPE_ERROR) {
		diagnostic_add(c->diagnostics, "E_UNSUPPORTED", s->arguments[1]->span,
		               "the error of a Res is a Str, not %s", check_type_text(c, reason));
		return &type_error;
	}
	return check_type(c, s->span, TYPE_RES, 2, value, reason);
}

static struct type *read_type(struct checker *c, const struct type_syntax *s)
{
	if (s->borrow) {
		struct diagnostic *d =
		    diagnostic_add(c->diagnostics, "E_KERNEL_SIG", s->span, "slices are parameters of kernels only");
		diagnostic_hint(c->diagnostics, d, "take a List or a DevBuf");
		return &type_error;
	}
	if (!*s->name)
		return read_tuple(c, s);
	const struct named_type *named = find_type(s->name);
	if (!named)
		return unknown_type(c, s);
	if (named->arguments != s->count) {
		diagnostic_add(c->diagnostics, "E_ARITY", s->span, "`%s` takes %u type argument%s, %u given", s->name,
		               named->arguments, named->arguments == 1 ? "" : "s", s->count);
		return &type_error;
	}
	if (is_device_scalar(s))
		return device_scalar(c, s);
	if (named->scalar)
		return named->scalar;
	if (named->kind == TYPE_DEVBUF)
		return read_device_buffer(c, s);
	if (named->kind == TYPE_RES)
		return read_result(c, s);
	return check_type(c, s->span, named->kind, 1, read_type(c, s->arguments[0]));
}

/* ---- Signatures (spec 2.2, 1.7) ---- */

bool check_signature_known(const struct definition *d)
{
	return !d->is_device && d->generic_count == 0;
}

static void check_main(struct checker *c, struct definition *d)
{
	if (d->parameter_count > 0) {
		struct diagnostic *item =
		    diagnostic_add(c->diagnostics, "E_ARITY", d->parameters[0].span, "`main` takes no parameters");
		diagnostic_hint(c->diagnostics, item, "read the program's arguments with `args()`");
	}
	if (d->result->kind != TYPE_UNIT && d->result->kind != TYPE_ERROR)
		diagnostic_add(c->diagnostics, "E_TYPE_MISMATCH", d->result_syntax->span, "`main` gives no result");
	if (!c->p->main)
		c->p->main = d;
}

static void declare_parameter(struct checker *c, struct definition *d, uint32_t i)
{
	struct parameter *p = &d->parameters[i];
	struct variable *v = ARENA_NEW(&c->p->arena, struct variable);
	*v = (struct variable){p->name, p->syntax ? read_type(c, p->syntax) : &type_error, p->span, false, i};
	p->variable = v;
	for (uint32_t k = 0; k < i; k++) {
		if (strcmp(d->parameters[k].name, p->name) == 0) {
			diagnostic_add(c->diagnostics, "E_DUP_DEF", p->span, "`%s` is named twice", p->name);
			break;
		}
	}
}

void check_signature(struct checker *c, struct definition *d)
{
	if (d->is_device) { /* kernel_signatures has read it */
		if (strcmp(d->name, "main") == 0)
			check_main(c, d);
		return;
	}
	d->result = &type_error;
	if (d->generic_count > 0) {
		diagnostic_add(c->diagnostics, "E_UNSUPPORTED", d->generics[0].span,
		               "generics are not supported: `%s` needs types of its own", d->name);
		return;
	}
	for (uint32_t i = 0; i < d->parameter_count; i++)
		declare_parameter(c, d, i);
	d->result = d->result_syntax ? read_type(c, d->result_syntax) : &type_unit;
	check_effect_row(c, d);
	if (strcmp(d->name, "main") == 0)
		check_main(c, d);
}
