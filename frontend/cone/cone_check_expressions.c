/* Expressions: literals, names, members, places, conversions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cone/cone_check.h"
#include "utils/base/plain_locale.h"

/* Nodes within nodes; the parser's own limit is lower. */
#define EXPRESSION_DEPTH 2000

/* ---- Literals ---- */

static struct cone_type *type_of_suffix(const struct cone_types *types, const char *suffix)
{
	static const struct {
		const char *suffix, *name;
	} SHORT[] = {{"u", "u32"}, {"i", "i32"}, {"f", "f32"}, {"d", "f64"}};
	for (size_t i = 0; i < sizeof SHORT / sizeof *SHORT; i++)
		if (strcmp(SHORT[i].suffix, suffix) == 0)
			suffix = SHORT[i].name;
	return cone_type_of_name(types, suffix);
}

static struct cone_node *integer_as_float(struct cone_frame *f, struct cone_node *n, struct cone_type *type)
{
	bool is_out = false;
	uint64_t bits = cone_convert_bits(&cone_u64, type, n->number, &is_out);
	if (n->negative)
		bits ^= UINT64_C(1) << (type->bits - 1);
	return cone_make_constant(f, n, type, bits);
}

static struct cone_node *check_integer(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_type *type = n->suffix ? type_of_suffix(&f->checker->types, n->suffix) : NULL;
	if (!type)
		type = expected && cone_type_is_number(expected) ? expected : &cone_i32;
	if (type->kind == CONE_TYPE_FLOAT)
		return integer_as_float(f, n, type);
	uint64_t most = type->bits == 64 ? UINT64_MAX : (UINT64_C(1) << type->bits) - 1;
	if (type->is_signed)
		most = (most >> 1) + (n->negative ? 1 : 0);
	if (n->number > most) {
		cone_blame(n, "1158", "%s%llu does not fit %s", n->negative ? "-" : "", (unsigned long long)n->number,
		           cone_type_text(f->checker, type));
		return cone_failed(f, n);
	}
	return cone_make_constant(f, n, type, cone_wrap_bits(type, n->negative ? 0 - n->number : n->number));
}

static struct cone_node *check_float(struct cone_frame *f, struct cone_node *n)
{
	struct cone_type *type = n->suffix ? type_of_suffix(&f->checker->types, n->suffix) : &cone_f32;
	uint64_t bits = 0;
	bool is_out;
	if (type == &cone_f64) {
		double value = plain_read_f64(n->text, NULL);
		is_out = isinf(value);
		memcpy(&bits, &value, sizeof value);
	} else {
		float value = plain_read_f32(n->text, NULL);
		type = &cone_f32;
		is_out = isinf(value);
		memcpy(&bits, &value, sizeof value);
	}
	if (is_out) {
		cone_blame(n, "1159", "%s does not fit %s", n->text, cone_type_text(f->checker, type));
		return cone_failed(f, n);
	}
	if (n->negative)
		bits ^= UINT64_C(1) << (type->bits - 1);
	return cone_make_constant(f, n, type, bits);
}

static struct cone_node *check_char(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	bool is_byte = expected == &cone_u8 && n->number < 128;
	return cone_make_constant(f, n, is_byte ? &cone_u8 : &cone_char, n->number);
}

static struct cone_node *check_string(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *string = cone_make(f, CONE_STRING, n, cone_type_slice(&f->checker->types, &cone_u8, false));
	string->text = n->text;
	string->length = n->length;
	return string;
}

bool cone_is_untyped(const struct cone_node *n)
{
	if (n->kind == CONE_INTEGER)
		return !n->suffix;
	if (n->kind == CONE_UNARY)
		return cone_is_untyped(n->left);
	if (n->kind == CONE_BINARY && (n->op < CONE_EQUAL || n->op > CONE_GREATER_EQUAL))
		return cone_is_untyped(n->left) && cone_is_untyped(n->right);
	return false;
}

/* ---- Conversions ---- */

static bool widens(const struct cone_type *from, const struct cone_type *to)
{
	if (from->kind != to->kind || from->bits >= to->bits)
		return false;
	if (from->kind == CONE_TYPE_FLOAT)
		return true;
	return from->kind == CONE_TYPE_INTEGER && from->is_signed == to->is_signed && !from->is_size && !to->is_size;
}

bool cone_converts(struct cone_checker *c, const struct cone_type *from, const struct cone_type *to)
{
	if (from == to || from->kind == CONE_TYPE_ERROR || to->kind == CONE_TYPE_ERROR || from->kind == CONE_TYPE_NEVER)
		return true;
	if (widens(from, to))
		return true;
	bool is_changed_less = from->mutable || !to->mutable;
	bool is_lent = to->kind == CONE_TYPE_REFERENCE || to->kind == CONE_TYPE_SLICE || to->kind == CONE_TYPE_VIRTUAL;
	if (cone_owner_converts(c, from, to) || (from->kind == CONE_TYPE_OWNER && from->element == to))
		return true;
	if (from->kind == CONE_TYPE_OWNER && is_lent)
		return from->element->kind != CONE_TYPE_ERROR && from->element->kind != CONE_TYPE_VIRTUAL &&
		       cone_converts(c, cone_type_reference(&c->types, from->element, from->mutable), to);
	if (to->kind == CONE_TYPE_SLICE && is_changed_less) {
		if (from->kind == CONE_TYPE_SLICE)
			return from->element == to->element;
		return from->kind == CONE_TYPE_REFERENCE && from->element->kind == CONE_TYPE_ARRAY &&
		       from->element->element == to->element;
	}
	if (to->kind == CONE_TYPE_POINTER)
		return (from->kind == CONE_TYPE_REFERENCE || from->kind == CONE_TYPE_SLICE) &&
		       from->element == to->element;
	if (to->kind == CONE_TYPE_REFERENCE && from->kind == CONE_TYPE_REFERENCE && is_changed_less)
		return from->element == to->element ||
		       (to->element->kind == CONE_TYPE_FUNCTION && from->element->kind == CONE_TYPE_CLOSURE &&
		        cone_has_signature(from->element, to->element));
	if (from->kind != CONE_TYPE_REFERENCE || !cone_trait_wanted(to))
		return false;
	return from->element->kind == CONE_TYPE_CLOSURE ||
	       (from->element->kind == CONE_TYPE_STRUCT && to->kind == CONE_TYPE_VIRTUAL &&
	        cone_has_trait(c, from->element, to->declaration));
}

static bool is_plain_scalar(const struct cone_type *t)
{
	return cone_type_is_number(t) || t->kind == CONE_TYPE_BOOL || t->kind == CONE_TYPE_CHAR;
}

struct cone_node *cone_convert(struct cone_frame *f, struct cone_node *n, struct cone_type *type)
{
	if (n->type == type)
		return n;
	bool is_out = false;
	if (n->kind == CONE_CONSTANT && is_plain_scalar(n->type) && is_plain_scalar(type)) {
		uint64_t bits = cone_convert_bits(n->type, type, n->constant, &is_out);
		if (!is_out)
			return cone_make_constant(f, n, type, bits);
	}
	struct cone_node *convert = cone_make(f, CONE_CONVERT, n, type);
	convert->left = n;
	return convert;
}

static const char *said(struct cone_checker *c, const struct cone_type *t)
{
	return cone_type_text(c, t);
}

/* &f was refused where it is written; `&fn(..) {}` is a function reference too; any other closure is none. */
static void refuse_reference(struct cone_frame *f, struct cone_node *n, const struct cone_type *closure,
                             bool is_literal)
{
	if (closure->call && closure->call->self_type != closure)
		return;
	if (is_literal || closure->field_count)
		cone_gpu_refuse(f, n, "1299",
		                "a GPU has no pointers to code, so a closure is no function reference there");
	else
		cone_gpu_refuse(f, n, "1400", "a GPU has no pointers to code, so no reference to a function");
}

struct cone_node *cone_coerce(struct cone_frame *f, struct cone_node *n, struct cone_type *type)
{
	if (n->type == type || n->type->kind == CONE_TYPE_ERROR || n->type->kind == CONE_TYPE_NEVER)
		return n;
	if (type->kind == CONE_TYPE_ERROR || type == &cone_void)
		return n;
	bool is_literal =
	    n->type->kind == CONE_TYPE_CLOSURE && (type->kind == CONE_TYPE_REFERENCE || cone_trait_wanted(type));
	if (is_literal)
		n = cone_borrow(f, n, type->mutable); /* a closure is borrowed where it is written */
	if (n->type == type)
		return n;
	if (!cone_converts(f->checker, n->type, type)) {
		if (n->type->kind == CONE_TYPE_SLICE && type->kind == CONE_TYPE_SLICE &&
		    n->type->element == type->element)
			cone_blame(n, "1034", "%s is wanted, and %s may not be changed through", said(f->checker, type),
			           said(f->checker, n->type));
		else if (n->type->kind == CONE_TYPE_REFERENCE && type->kind == CONE_TYPE_REFERENCE &&
		         n->type->element == type->element)
			cone_blame(n, "1034", "%s is wanted, and %s may not be changed through", said(f->checker, type),
			           said(f->checker, n->type));
		else
			cone_blame(n, "1013", "types differ: %s is wanted, this is %s", said(f->checker, type),
			           said(f->checker, n->type));
		return cone_failed(f, n);
	}
	if (cone_owner_converts(f->checker, n->type, type)) {
		cone_gpu_refuse(f, n, "1400", "a GPU has no tables of functions, so no virtual reference");
		return cone_owner_as_trait(f, n, type);
	}
	if (n->type->kind == CONE_TYPE_OWNER)
		n = cone_borrow_owned(f, n, n->type->mutable && (type->mutable || type->kind == CONE_TYPE_VIRTUAL));
	if (n->type == type)
		return n;
	if (type->kind == CONE_TYPE_VIRTUAL && n->type->element->kind == CONE_TYPE_STRUCT)
		cone_ask_for_methods(f, n, n->type->element, type->declaration);
	if (type->kind == CONE_TYPE_VIRTUAL || type->kind == CONE_TYPE_OWNER)
		cone_gpu_refuse(f, n, n->type->element->kind == CONE_TYPE_CLOSURE ? "1299" : "1400",
		                "a GPU has no tables of functions, so no virtual reference");
	if (type->kind == CONE_TYPE_REFERENCE && n->type->element->kind == CONE_TYPE_CLOSURE)
		refuse_reference(f, n, n->type->element, is_literal);
	return cone_convert(f, n, type);
}

struct cone_node *cone_check_as(struct cone_frame *f, struct cone_node *n, struct cone_type *type)
{
	return cone_coerce(f, cone_check_expression(f, n, type), type);
}

struct cone_node *cone_check_condition(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *value = cone_dereference(f, cone_check_expression(f, n, NULL));
	const struct cone_type *t = value->type;
	if (t == &cone_bool || t->kind == CONE_TYPE_ERROR || t->kind == CONE_TYPE_NEVER)
		return value;
	if (cone_type_is_number(t))
		return cone_convert(f, value, &cone_bool);
	cone_blame(n, "1013", "a condition is a bool or a number, not %s", said(f->checker, t));
	return cone_failed(f, n);
}

/* ---- Places ---- */

struct cone_node *cone_dereference(struct cone_frame *f, struct cone_node *n)
{
	while (n->type->kind == CONE_TYPE_REFERENCE || n->type->kind == CONE_TYPE_OWNER) {
		struct cone_node *to = cone_make(f, CONE_DEREFERENCE, n, n->type->element);
		to->left = n;
		n = to;
	}
	return n;
}

bool cone_is_place(const struct cone_node *n)
{
	if (n->kind == CONE_NAME || n->kind == CONE_DEREFERENCE)
		return true;
	if (n->kind == CONE_MEMBER)
		return n->left->type->kind != CONE_TYPE_SLICE && cone_is_place(n->left);
	if (n->kind == CONE_INDEX)
		return n->left->type->kind == CONE_TYPE_SLICE || n->left->type->kind == CONE_TYPE_POINTER ||
		       cone_is_place(n->left);
	return false;
}

static struct cone_capture *capture_of(struct cone_frame *f, const struct cone_node *reference)
{
	if (reference->kind != CONE_MEMBER || reference->left->kind != CONE_DEREFERENCE || !f->closure_self)
		return NULL;
	const struct cone_node *self = reference->left->left;
	return self->kind == CONE_NAME && self->variable == f->closure_self ? &f->captures[reference->field] : NULL;
}

static bool refuse_change(struct cone_node *place, const char *code, const char *why, const char *name)
{
	cone_blame(place, code, "this may not be changed: %s%s", name, why);
	return false;
}

bool cone_require_mutable(struct cone_frame *f, struct cone_node *place, const char *code)
{
	if (place->type->kind == CONE_TYPE_ERROR)
		return true;
	if (place->kind == CONE_NAME && place->variable)
		return place->variable->mutable || refuse_change(place, code, " is imm", place->variable->name);
	if (place->kind == CONE_NAME && place->global)
		return (place->global->mutable && place->global->kind == CONE_GLOBAL) ||
		       refuse_change(place, code, " is imm", place->global->name);
	if (place->kind == CONE_MEMBER && place->left->type->kind != CONE_TYPE_SLICE) {
		struct cone_capture *capture = capture_of(f, place);
		return (capture && !capture->borrowed) || cone_require_mutable(f, place->left, code);
	}
	bool is_raw = (place->kind == CONE_INDEX || place->kind == CONE_DEREFERENCE) &&
	              place->left->type->kind == CONE_TYPE_POINTER;
	if (is_raw) /* what a pointer leads to is the program's to know */
		return true;
	if (place->kind == CONE_INDEX) {
		if (place->left->type->kind != CONE_TYPE_SLICE)
			return cone_require_mutable(f, place->left, code);
		return place->left->type->mutable || refuse_change(place, code, " is what it is reached through",
		                                                   said(f->checker, place->left->type));
	}
	if (place->kind == CONE_DEREFERENCE) {
		struct cone_capture *capture = capture_of(f, place->left);
		if (capture && capture->borrowed && !capture->mutable) {
			capture->mutable = f->outer && cone_require_mutable(f->outer, capture->place, code);
			return capture->mutable;
		}
		return (capture && capture->mutable) || place->left->type->mutable ||
		       refuse_change(place, code, " is what it is reached through",
		                     said(f->checker, place->left->type));
	}
	return refuse_change(place, code, "a value that is no variable", "");
}

struct cone_node *cone_borrow(struct cone_frame *f, struct cone_node *place, bool mutable)
{
	bool is_owned = place->kind == CONE_DEREFERENCE && place->left->type->kind == CONE_TYPE_OWNER;
	if (place->kind == CONE_DEREFERENCE && place->left->type->mutable == mutable && !is_owned)
		return place->left;
	struct cone_node *n =
	    cone_make(f, CONE_BORROW, place, cone_type_reference(&f->checker->types, place->type, mutable));
	n->left = place;
	n->mutable = mutable;
	return n;
}

static struct cone_node *check_closure(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_type *signature = cone_wanted_signature(f->checker, expected);
	struct cone_declaration *trait = cone_trait_wanted(expected);
	if (trait && !signature) {
		cone_blame_unfilled(n, trait);
		return cone_failed(f, n);
	}
	return cone_check_closure(f, n, signature);
}

static struct cone_node *check_borrow(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_type *inner = NULL;
	if (expected && expected->kind == CONE_TYPE_REFERENCE)
		inner = expected->element;
	bool is_range =
	    n->left->kind == CONE_INDEX && n->left->part_count == 1 && n->left->parts[0]->kind == CONE_RANGE;
	bool mutable = n->mutable || (n->permission && strcmp(n->permission, "uni") == 0);
	if (n->lifetimes.count) {
		cone_report(n->file, n->lifetimes.items[0].span, "1001", "a lifetime is written in types alone");
		return cone_failed(f, n);
	}
	if (n->left->kind == CONE_CLOSURE) {
		struct cone_node *closure = check_closure(f, n->left, expected);
		bool is_function = n->left->at.start == n->left->span.start; /* not p => e */
		if (is_function && !cone_trait_wanted(expected) && closure->type->kind == CONE_TYPE_CLOSURE &&
		    !closure->type->field_count)
			cone_gpu_refuse(f, closure, "1400",
			                "a GPU has no pointers to code, so no reference to a function");
		return closure->type->kind == CONE_TYPE_ERROR ? closure : cone_borrow(f, closure, mutable);
	}
	struct cone_entity e = cone_entity_of(f, n->left);
	if (e.kind == CONE_ENTITY_FUNCTION)
		return cone_function_value(f, n, &e, inner);
	f->borrowed = n->left;
	struct cone_node *place = cone_check_expression(f, n->left, inner);
	if (place->type->kind == CONE_TYPE_ERROR)
		return place;
	if (is_range) {
		if (mutable && !cone_require_mutable(f, place, "1034"))
			return cone_failed(f, n);
		struct cone_node *slice = cone_make(
		    f, CONE_BORROW, n, cone_type_slice(&f->checker->types, place->left->type->element, mutable));
		slice->left = place;
		slice->mutable = mutable;
		return slice;
	}
	if (place->type == &cone_void || place->type->kind == CONE_TYPE_NEVER) {
		cone_blame(n, "1013", "there is nothing to borrow");
		return cone_failed(f, n);
	}
	if (mutable && cone_is_place(place) && !cone_require_mutable(f, place, "1034"))
		return cone_failed(f, n);
	struct cone_node *borrow = cone_borrow(f, place, mutable);
	return borrow;
}

static struct cone_node *check_dereference(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *left = cone_check_expression(f, n->left, NULL);
	if (left->type->kind == CONE_TYPE_ERROR)
		return left;
	if (left->type->kind == CONE_TYPE_POINTER)
		cone_gpu_refuse_call(f, n, "a GPU has no pointers to go through");
	else if (left->type->kind != CONE_TYPE_REFERENCE && left->type->kind != CONE_TYPE_OWNER) {
		cone_blame(n, "1013", "* needs a reference, this is %s", said(f->checker, left->type));
		return cone_failed(f, n);
	}
	struct cone_node *to = cone_make(f, CONE_DEREFERENCE, n, left->type->element);
	to->left = left;
	return to;
}

/* ---- Members and elements ---- */

struct cone_node *cone_member(struct cone_frame *f, struct cone_node *n, struct cone_node *left, const char *name,
                              bool is_own)
{
	struct cone_checker *c = f->checker;
	if (left->type->kind == CONE_TYPE_ERROR)
		return left;
	left = cone_dereference(f, left);
	struct cone_type *t = left->type;
	if ((t->kind == CONE_TYPE_ARRAY || t->kind == CONE_TYPE_SLICE) && strcmp(name, "len") == 0) {
		if (t->kind == CONE_TYPE_ARRAY)
			return cone_make_constant(f, n, f->checker->types.usize, t->count);
		struct cone_node *length = cone_make(f, CONE_MEMBER, n, f->checker->types.usize);
		length->left = left;
		length->name = name;
		return length;
	}
	cone_complete(c, t);
	for (uint32_t i = 0; t->kind == CONE_TYPE_STRUCT && i < t->field_count; i++) {
		if (strcmp(t->fields[i].name, name) != 0)
			continue;
		bool is_inside = is_own || t->declaration->module == f->scope.module ||
		                 (f->scope.self_type && f->scope.self_type->declaration == t->declaration);
		if (!is_inside && !t->fields[i].is_public) {
			cone_blame(n, "1042", "%s of %s is private", name, said(c, t));
			return cone_failed(f, n);
		}
		struct cone_node *member = cone_make(f, CONE_MEMBER, n, t->fields[i].type);
		member->left = left;
		member->name = name;
		member->field = i;
		return member;
	}
	if (cone_method_of(t, name, 0))
		cone_blame(n, "1025", "%s is a method: it is called with ()", name);
	else
		cone_blame(n, "1024", "%s has no member %s", said(c, t), name);
	return cone_failed(f, n);
}

/* The field of the receiver that a bare name in a method is; NULL: none. */
static struct cone_node *own_field(struct cone_frame *f, struct cone_node *n)
{
	struct cone_type *t = f->scope.self_type;
	if (!t || t->kind != CONE_TYPE_STRUCT)
		return NULL;
	cone_complete(f->checker, t);
	for (uint32_t i = 0; i < t->field_count; i++)
		if (strcmp(t->fields[i].name, n->name) == 0) {
			struct cone_node *self = cone_local_named(f, n, "self");
			return self ? cone_member(f, n, self, n->name, true) : NULL;
		}
	return NULL;
}

static struct cone_node *check_index_value(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *index = cone_dereference(f, cone_check_expression(f, n, f->checker->types.usize));
	if (index->type == f->checker->types.usize || index->type->kind == CONE_TYPE_ERROR)
		return index;
	/* An unsigned constant is as good as an untyped literal. */
	cone_blame(n, "1045", "an index is a usize, not %s", said(f->checker, index->type));
	return cone_failed(f, n);
}

static struct cone_node *check_range(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *range = cone_make(f, CONE_RANGE, n, &cone_void);
	range->left = n->left ? check_index_value(f, n->left) : cone_make_constant(f, n, f->checker->types.usize, 0);
	range->right = n->right ? check_index_value(f, n->right) : NULL;
	if (range->left->type->kind == CONE_TYPE_ERROR || (range->right && range->right->type->kind == CONE_TYPE_ERROR))
		return cone_failed(f, n);
	if (n->inclusive && range->right)
		range->right = cone_make_binary(f, n, CONE_ADD, range->right,
		                                cone_make_constant(f, n, f->checker->types.usize, 1));
	return range;
}

struct cone_node *cone_step_pointer(struct cone_frame *f, struct cone_node *n, struct cone_node *pointer,
                                    struct cone_node *steps)
{
	struct cone_node *index = cone_make(f, CONE_INDEX, n, pointer->type->element);
	index->left = pointer;
	index->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 1);
	index->parts[0] = cone_convert(f, steps, f->checker->types.usize);
	index->part_count = 1;
	return index;
}

/* p[i]: a kernel that reaches it is refused (1264). */
static struct cone_node *check_pointer_index(struct cone_frame *f, struct cone_node *n, struct cone_node *pointer)
{
	if (n->part_count != 1 || n->parts[0]->kind == CONE_RANGE) {
		cone_blame(n, "1045", "a pointer is indexed by one number");
		return cone_failed(f, n);
	}
	struct cone_node *steps = cone_dereference(f, cone_check_expression(f, n->parts[0], f->checker->types.isize));
	if (steps->type->kind == CONE_TYPE_INTEGER)
		return cone_step_pointer(f, n, pointer, steps);
	if (steps->type->kind != CONE_TYPE_ERROR)
		cone_blame(n, "1045", "an index is a usize, not %s", said(f->checker, steps->type));
	return cone_failed(f, n);
}

static struct cone_node *check_index(struct cone_frame *f, struct cone_node *n)
{
	bool is_borrowed = f->borrowed == n;
	struct cone_node *left = cone_check_expression(f, n->left, NULL);
	if (left->type->kind == CONE_TYPE_ERROR)
		return left;
	left = cone_dereference(f, left);
	if (left->type->kind == CONE_TYPE_POINTER)
		return check_pointer_index(f, n, left);
	if (left->type->kind == CONE_TYPE_STRUCT) {
		struct cone_node *call = cone_call_method(f, n, left, "[]", n->parts, n->part_count, NULL);
		if (call)
			return call;
	}
	if (left->type->kind != CONE_TYPE_ARRAY && left->type->kind != CONE_TYPE_SLICE) {
		cone_blame(n, "1045", "%s has no elements", said(f->checker, left->type));
		return cone_failed(f, n);
	}
	for (uint32_t i = 0; i < n->part_count; i++) {
		bool is_range = n->parts[i]->kind == CONE_RANGE;
		if (is_range && (!is_borrowed || n->part_count > 1)) {
			cone_blame(n, "1045", "a range of elements is a slice, which is borrowed: &x[a..<b]");
			return cone_failed(f, n);
		}
		struct cone_node *part = is_range ? check_range(f, n->parts[i]) : check_index_value(f, n->parts[i]);
		if (part->type->kind == CONE_TYPE_ERROR)
			return part;
		if (left->type->kind != CONE_TYPE_ARRAY && left->type->kind != CONE_TYPE_SLICE) {
			cone_blame(n, "1045", "%s has no elements", said(f->checker, left->type));
			return cone_failed(f, n);
		}
		struct cone_node *index = cone_make(f, CONE_INDEX, n, is_range ? left->type : left->type->element);
		index->left = left;
		index->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 1);
		index->parts[0] = part;
		index->part_count = 1;
		left = index;
	}
	if (!n->part_count) {
		cone_blame(n, "1045", "an index is missing");
		return cone_failed(f, n);
	}
	return left;
}

/* ---- Names ---- */

struct cone_node *cone_global_value(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d)
{
	if (d->kind == CONE_CONST) {
		struct cone_node *value = cone_value_of_declaration(f->checker, d);
		if (!value)
			return cone_failed(f, n);
		return value->kind == CONE_CONSTANT ? cone_make_constant(f, n, value->type, value->constant) : value;
	}
	struct cone_type *type = cone_type_of_global(f->checker, d);
	if (type->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	struct cone_node *use = cone_make(f, CONE_NAME, n, type);
	use->name = d->name;
	use->global = d;
	if (d->is_extern)
		cone_gpu_refuse_call(f, n, "%s is defined elsewhere, and a GPU has only what it is given", d->name);
	return use;
}

static struct cone_node *entity_as_value(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                         struct cone_type *expected)
{
	switch (e->kind) {
	case CONE_ENTITY_GLOBAL: return cone_global_value(f, n, e->declaration);
	case CONE_ENTITY_VALUE: return cone_make_constant(f, n, e->type->element, e->type->count);
	case CONE_ENTITY_VARIANT: return cone_make_variant(f, n, e, NULL, 0, expected);
	case CONE_ENTITY_FUNCTION: return cone_function_value(f, n, e, NULL);
	case CONE_ENTITY_ERROR: return cone_failed(f, n);
	case CONE_ENTITY_NONE:
	case CONE_ENTITY_MODULE:
	case CONE_ENTITY_TYPE:
	case CONE_ENTITY_GENERIC: break;
	}
	cone_blame(n, "1019", "%s is %s, not a value", n->name ? n->name : "this",
	           e->kind == CONE_ENTITY_MODULE ? "a module" : "a type");
	return cone_failed(f, n);
}

/* Inside of a closure, the local that it is the value of. */
static bool is_own_name(struct cone_frame *f, const char *name)
{
	for (; f->closure_self && f->outer; f = f->outer)
		for (uint32_t i = 0; f->outer->declares && i < f->outer->declares->declared_count; i++)
			if (strcmp(f->outer->declares->declared[i]->name, name) == 0)
				return true;
	return false;
}

static struct cone_node *check_name(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *found = cone_local_named(f, n, n->name);
	if (!found)
		found = own_field(f, n);
	if (found)
		return found;
	struct cone_entity e = cone_entity_of(f, n);
	if (e.kind != CONE_ENTITY_NONE)
		return entity_as_value(f, n, &e, expected);
	if (is_own_name(f, n->name))
		cone_blame(n, "1393", "a closure cannot name itself: %s has no value before it is made", n->name);
	else if (cone_is_macro(n->name))
		cone_blame(n, "1019", "%s is a macro: it is given its values in brackets, %s[...]", n->name, n->name);
	else
		cone_blame(n, "1019", "%s is not known", n->name);
	return cone_failed(f, n);
}

/* True when the leftmost name of a path is a field of the receiver, so that the path is a value. */
static bool starts_with_field(struct cone_frame *f, struct cone_node *n)
{
	while (n->kind == CONE_MEMBER || n->kind == CONE_INDEX)
		n = n->left;
	return n->kind == CONE_NAME && own_field(f, n);
}

/* None[T] of None[T][]. */
static struct cone_entity variant_with_types(struct cone_frame *f, struct cone_node *n)
{
	struct cone_entity e = cone_entity_of(f, n->left);
	if (e.kind != CONE_ENTITY_VARIANT)
		return (struct cone_entity){0};
	e.arguments = ARENA_ARRAY(f->checker->arena, struct cone_type *, n->part_count);
	e.argument_count = n->part_count;
	for (uint32_t i = 0; i < n->part_count; i++) {
		e.arguments[i] = cone_type_of_expression(f, n->parts[i]);
		if (e.arguments[i]->kind == CONE_TYPE_ERROR)
			return (struct cone_entity){.kind = CONE_ENTITY_ERROR};
	}
	return e;
}

/* T[...], of a number or a struct: refused, or accepted with a warning among older spellings. */
static struct cone_node *check_brackets(struct cone_frame *f, struct cone_node *n, struct cone_type *t)
{
	bool is_number = cone_type_is_number(t), is_old = n->file->old_spellings;
	if (is_number)
		cone_blame(n, is_old ? "W1207" : "1207", "a number is converted with %s.from(x)", said(f->checker, t));
	else
		cone_blame(n, is_old ? "W1209" : "1209", "a value is made with new %s(...)", said(f->checker, t));
	if (!is_old)
		return cone_failed(f, n);
	return is_number ? cone_check_from(f, n, t) : cone_new_of_type(f, n, t);
}

static struct cone_node *check_path(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	if (!starts_with_field(f, n)) {
		if (cone_is_macro_use(f, n))
			return cone_check_macro(f, n);
		struct cone_entity e = cone_entity_of(f, n);
		if (n->kind == CONE_INDEX && e.kind == CONE_ENTITY_NONE) {
			struct cone_entity left = cone_entity_of(f, n->left);
			if (left.kind == CONE_ENTITY_NONE && n->left->kind == CONE_INDEX)
				left = variant_with_types(f, n->left);
			if (left.kind == CONE_ENTITY_VARIANT)
				return cone_make_variant(f, n, &left, n->parts, n->part_count, expected);
			if (left.kind == CONE_ENTITY_TYPE)
				return check_brackets(f, n, left.type);
		}
		if (e.kind != CONE_ENTITY_NONE)
			return entity_as_value(f, n, &e, expected);
	}
	if (n->kind == CONE_INDEX)
		return check_index(f, n);
	return cone_member(f, n, cone_check_expression(f, n->left, NULL), n->name, false);
}

static struct cone_node *check_tuple(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *tuple = cone_make(f, CONE_TUPLE, n, NULL);
	struct cone_type **types = ARENA_ARRAY(f->checker->arena, struct cone_type *, n->part_count);
	bool is_known = expected && expected->kind == CONE_TYPE_TUPLE && expected->field_count == n->part_count;
	tuple->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, n->part_count);
	tuple->part_count = n->part_count;
	for (uint32_t i = 0; i < n->part_count; i++) {
		tuple->parts[i] = is_known ? cone_check_as(f, n->parts[i], expected->fields[i].type)
		                           : cone_check_expression(f, n->parts[i], NULL);
		types[i] = is_known ? expected->fields[i].type : tuple->parts[i]->type;
		if (tuple->parts[i]->type->kind == CONE_TYPE_ERROR)
			return cone_failed(f, n);
	}
	tuple->type = cone_type_tuple(&f->checker->types, types, n->part_count);
	return tuple;
}

/* x[a..b] among older spellings: &x[a..<b], or &mut where that is wanted. */
static bool is_old_cut(const struct cone_frame *f, const struct cone_node *n)
{
	return n->part_count == 1 && n->parts[0]->kind == CONE_RANGE && n->parts[0]->is_old && f->borrowed != n;
}

static struct cone_node *check_old_cut(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *borrow = cone_make(f, CONE_BORROW, n, NULL);
	borrow->left = n;
	borrow->mutable = expected && expected->kind == CONE_TYPE_SLICE && expected->mutable;
	return check_borrow(f, borrow, expected);
}

/* ---- All ---- */

static struct cone_node *check_kind(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	switch (n->kind) {
	case CONE_INTEGER: return check_integer(f, n, expected);
	case CONE_FLOAT: return check_float(f, n);
	case CONE_BOOL: return cone_make_constant(f, n, &cone_bool, n->truth);
	case CONE_CHAR: return check_char(f, n, expected);
	case CONE_STRING: return check_string(f, n);
	case CONE_NAME: return check_name(f, n, expected);
	case CONE_LIST: return cone_check_list(f, n, expected);
	case CONE_NEW: return cone_check_new(f, n, expected);
	case CONE_NEW_ARRAY: return cone_check_new_array(f, n, expected);
	case CONE_MEMBER: return check_path(f, n, expected);
	case CONE_INDEX: return is_old_cut(f, n) ? check_old_cut(f, n, expected) : check_path(f, n, expected);
	case CONE_CALL: return cone_check_call(f, n, expected);
	case CONE_UNARY: return cone_check_unary(f, n, expected);
	case CONE_BINARY: return cone_check_binary(f, n, expected);
	case CONE_LOGIC: return cone_check_logic(f, n);
	case CONE_IS: return cone_check_is(f, n);
	case CONE_BORROW: return check_borrow(f, n, expected);
	case CONE_DEREFERENCE: return check_dereference(f, n);
	case CONE_AS: return cone_check_as_type(f, n);
	case CONE_IF: return cone_check_if(f, n, expected);
	case CONE_MATCH: return cone_check_match(f, n, expected);
	case CONE_BLOCK: return cone_check_block(f, n, expected);
	case CONE_WHILE: return cone_check_while(f, n, expected);
	case CONE_EACH: return cone_check_each(f, n, expected);
	case CONE_CLOSURE: return check_closure(f, n, expected);
	case CONE_TUPLE: return check_tuple(f, n, expected);
	case CONE_LOCAL:
	case CONE_ASSIGN:
	case CONE_INCREMENT:
	case CONE_BREAK:
	case CONE_CONTINUE:
	case CONE_RETURN:
	case CONE_EMPTY:
	case CONE_REFUSED: return cone_check_statement(f, n);
	case CONE_CASE:
	case CONE_OF:
	case CONE_RANGE: cone_blame(n, "1045", "this cannot stand here"); return cone_failed(f, n);
	case CONE_ERROR:
	case CONE_CONVERT:
	case CONE_INTRINSIC:
	case CONE_CONSTANT: return cone_failed(f, n);
	}
	return cone_failed(f, n);
}

struct cone_node *cone_check_expression(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	if (n->type) /* typed already: a value that became part of something else */
		return n;
	if (f->depth > EXPRESSION_DEPTH) {
		cone_blame(n, "1045", "expressions are nested too deeply");
		return cone_failed(f, n);
	}
	f->depth++;
	struct cone_node *typed = check_kind(f, n, expected);
	f->depth--;
	return typed;
}
