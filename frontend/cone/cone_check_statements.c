/* Statements: blocks, locals, assignments, jumps. */
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- Blocks ---- */

/* Dropped values may be anything, even nothing. */
static struct cone_node *check_dropped(struct cone_frame *f, struct cone_node *n)
{
	return cone_check_expression(f, n, &cone_void);
}

struct cone_node *cone_check_block(struct cone_frame *f, struct cone_node *n, struct cone_type *expected)
{
	struct cone_node *block = cone_make(f, CONE_BLOCK, n, &cone_void);
	uint32_t visible = f->local_count, last = n->part_count;
	block->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, n->part_count);
	while (last > 0 && n->parts[last - 1]->kind == CONE_EMPTY)
		last--;
	for (uint32_t i = 0; i < last; i++) {
		if (n->parts[i]->kind == CONE_EMPTY)
			continue;
		bool is_value = i + 1 == last && expected != &cone_void;
		struct cone_node *part =
		    is_value ? cone_check_expression(f, n->parts[i], expected) : check_dropped(f, n->parts[i]);
		if (is_value && expected && part->type != &cone_void && part->type->kind != CONE_TYPE_NEVER)
			part = cone_coerce(f, part, expected);
		block->parts[block->part_count++] = part;
		if (i + 1 == last)
			block->type = is_value || part->type->kind == CONE_TYPE_NEVER ? part->type : &cone_void;
		else if (part->type->kind == CONE_TYPE_ERROR && part->kind == CONE_ERROR)
			block->part_count--;
	}
	f->local_count = visible;
	return block;
}

struct cone_node *cone_make_local(struct cone_frame *f, const char *name, struct cone_node *value,
                                  struct cone_node **use)
{
	struct cone_variable *v = ARENA_NEW(f->checker->arena, struct cone_variable);
	*v = (struct cone_variable){.name = name, .span = value->span, .type = value->type};
	cone_add_local(f, v);
	struct cone_node *local = cone_make(f, CONE_LOCAL, value, &cone_void);
	local->declared = ARENA_ARRAY(f->checker->arena, struct cone_variable *, 1);
	local->declared[0] = v;
	local->declared_count = 1;
	local->left = value;
	*use = cone_make(f, CONE_NAME, value, value->type);
	(*use)->name = name;
	(*use)->variable = v;
	return local;
}

/* ---- Locals ---- */

/* A trait by its name has no values; &<Trait has. */
static bool has_no_value(const struct cone_type *t, const struct cone_type_syntax *written)
{
	bool is_trait = t->kind == CONE_TYPE_VIRTUAL && written && written->form != CONE_FORM_VIRTUAL;
	return t == &cone_void || is_trait || t->kind == CONE_TYPE_FUNCTION;
}

static struct cone_node *declare_many(struct cone_frame *f, struct cone_node *n, struct cone_node *local)
{
	struct cone_type *t = local->left ? local->left->type : &cone_error;
	bool fits = t->kind == CONE_TYPE_TUPLE && t->field_count == n->declared_count;
	if (!fits && t->kind != CONE_TYPE_ERROR)
		cone_blame(n, "1013", "%u variables, and the value is %s", n->declared_count,
		           cone_type_text(f->checker, t));
	for (uint32_t i = 0; i < n->declared_count; i++) {
		n->declared[i]->type = fits ? t->fields[i].type : &cone_error;
		cone_add_local(f, n->declared[i]);
	}
	return fits ? local : cone_failed(f, n);
}

static struct cone_node *check_local(struct cone_frame *f, struct cone_node *n)
{
	struct cone_checker *c = f->checker;
	struct cone_node *local = cone_make(f, CONE_LOCAL, n, &cone_void);
	local->mutable = n->mutable;
	local->declared = n->declared;
	local->declared_count = n->declared_count;
	struct cone_type *type = n->type_syntax ? cone_resolve(c, &f->scope, n->type_syntax) : NULL;
	if (type && !cone_complete(c, type))
		type = &cone_error;
	const struct cone_node *outer = f->declares;
	f->declares = n;
	if (n->left && (!type || type->kind == CONE_TYPE_ERROR))
		local->left = cone_check_expression(f, n->left, NULL);
	else if (n->left)
		local->left = cone_check_as(f, n->left, type);
	f->declares = outer;
	if (n->declared_count != 1)
		return declare_many(f, n, local);
	if (!type)
		type = local->left ? local->left->type : &cone_error;
	if (!n->left && !n->type_syntax)
		cone_blame(n, "1140", "%s needs a type or a value", n->declared[0]->name);
	if (has_no_value(type, n->type_syntax)) {
		bool is_choice = n->left && (n->left->kind == CONE_IF || n->left->kind == CONE_MATCH);
		cone_blame(n->left ? n->left : n, is_choice ? "1028" : "1013",
		           is_choice ? "as a value this needs an else, and a value in every arm"
		                     : "there is no value of this here");
		type = &cone_error;
	}
	if (n->is_static && cone_type_holds(c, type, cone_type_is_reference))
		cone_gpu_refuse(f, n, "1255", "static %s holds a reference, which GPU code may keep in locals only",
		                n->declared[0]->name);
	n->declared[0]->type = type;
	n->declared[0]->is_late = !n->left;
	cone_add_local(f, n->declared[0]);
	bool failed = type->kind == CONE_TYPE_ERROR || (local->left && local->left->type->kind == CONE_TYPE_ERROR);
	if (type->kind == CONE_TYPE_NEVER)
		return local->left;
	return failed ? cone_failed(f, n) : local;
}

/* ---- Assignments ---- */

static struct cone_node *check_place(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *place = cone_check_expression(f, n, NULL);
	if (place->type->kind == CONE_TYPE_ERROR)
		return place;
	if (!cone_is_place(place)) {
		cone_blame(n, "1017", "this is no variable, so it cannot be written");
		return cone_failed(f, n);
	}
	return place;
}

/* A local without a value takes one, `imm` too. */
static bool may_write(struct cone_frame *f, struct cone_node *place)
{
	if (place->kind == CONE_NAME && place->variable && place->variable->is_late)
		return true;
	return cone_require_mutable(f, place, "1017");
}

static struct cone_node *assign(struct cone_frame *f, struct cone_node *n, struct cone_node *left,
                                struct cone_node *right)
{
	struct cone_node *typed = cone_make(f, CONE_ASSIGN, n, &cone_void);
	typed->left = left;
	typed->right = right;
	return left->type->kind == CONE_TYPE_ERROR || right->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n) : typed;
}

static struct cone_node *assign_many(struct cone_frame *f, struct cone_node *n)
{
	struct cone_checker *c = f->checker;
	struct cone_node *left = cone_make(f, CONE_TUPLE, n->left, NULL);
	struct cone_type **types = ARENA_ARRAY(c->arena, struct cone_type *, n->left->part_count);
	left->parts = ARENA_ARRAY(c->arena, struct cone_node *, n->left->part_count);
	left->part_count = n->left->part_count;
	for (uint32_t i = 0; i < left->part_count; i++) {
		left->parts[i] = check_place(f, n->left->parts[i]);
		types[i] = left->parts[i]->type;
		if (types[i]->kind == CONE_TYPE_ERROR || !may_write(f, left->parts[i]))
			return cone_failed(f, n);
	}
	left->type = cone_type_tuple(&c->types, types, left->part_count);
	return assign(f, n, left, cone_check_as(f, n->right, left->type));
}

/* { imm r = &mut place; *r = *r op right } for operators of structs. */
static struct cone_node *assign_through_method(struct cone_frame *f, struct cone_node *n, struct cone_node *place)
{
	struct cone_node *use, *binary = cone_make(f, CONE_BINARY, n, NULL);
	struct cone_node *local = cone_make_local(f, "", cone_borrow(f, place, true), &use);
	binary->op = n->op;
	binary->left = cone_dereference(f, use);
	binary->right = n->right;
	struct cone_node *value = cone_check_as(f, binary, place->type);
	struct cone_node *to = assign(f, n, cone_dereference(f, use), value);
	return to->type->kind == CONE_TYPE_ERROR ? to : cone_make_block(f, n, &cone_void, local, to, NULL);
}

/* p += n, p++ and the like: a kernel that reaches them is refused (1264). */
static struct cone_node *step_pointer(struct cone_frame *f, struct cone_node *n, struct cone_node *place,
                                      struct cone_node *steps)
{
	if (steps->type->kind == CONE_TYPE_ERROR || !may_write(f, place))
		return cone_failed(f, n);
	struct cone_node *to = cone_apply(f, n, n->op, place, steps);
	struct cone_node *typed = assign(f, n, place, cone_coerce(f, to, place->type));
	return typed->kind == CONE_ASSIGN ? cone_make_block(f, n, place->type, typed, place, NULL) : typed;
}

static struct cone_node *check_assign(struct cone_frame *f, struct cone_node *n)
{
	if (n->left->kind == CONE_TUPLE && !n->compound)
		return assign_many(f, n);
	struct cone_node *place = check_place(f, n->left);
	if (place->type->kind == CONE_TYPE_ERROR) {
		cone_check_expression(f, n->right, NULL);
		return place;
	}
	if (n->compound)
		place = cone_dereference(f, place);
	if (!may_write(f, place))
		return cone_failed(f, n);
	if (!n->compound)
		return assign(f, n, place, cone_check_as(f, n->right, place->type));
	if (place->type->kind == CONE_TYPE_STRUCT)
		return assign_through_method(f, n, place);
	struct cone_node *right = cone_check_expression(f, n->right, place->type);
	if (place->type->kind == CONE_TYPE_POINTER)
		return step_pointer(f, n, place, right);
	struct cone_node *whole = cone_apply(f, n, n->op, place, right);
	if (whole->type->kind == CONE_TYPE_ERROR)
		return whole;
	if (whole->type != place->type)
		return cone_coerce(f, whole, place->type);
	struct cone_node *typed = assign(f, n, place, whole->right);
	typed->compound = true;
	typed->op = n->op;
	return typed;
}

static struct cone_node *check_increment(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *place = check_place(f, n->left);
	if (place->type->kind == CONE_TYPE_ERROR)
		return place;
	place = cone_dereference(f, place);
	if (place->type->kind == CONE_TYPE_POINTER)
		return step_pointer(f, n, place, cone_make_constant(f, n, f->checker->types.usize, 1));
	if (!cone_type_is_number(place->type)) {
		cone_blame(n, "1013", "++ and -- need a number, this is %s", cone_type_text(f->checker, place->type));
		return cone_failed(f, n);
	}
	if (!may_write(f, place))
		return cone_failed(f, n);
	struct cone_node *typed = cone_make(f, CONE_INCREMENT, n, place->type);
	typed->op = n->op;
	typed->left = place;
	typed->prefix = n->prefix;
	return typed;
}

/* ---- Jumps ---- */

static struct cone_loop *loop_of(struct cone_frame *f, struct cone_node *n)
{
	struct cone_loop *loop = f->loop;
	while (loop && n->label && (!loop->node->label || strcmp(loop->node->label, n->label) != 0))
		loop = loop->outer;
	if (!loop)
		cone_blame(n, "1019", n->label ? "there is no loop '%s around this" : "there is no loop around this%s",
		           n->label ? n->label : "");
	return loop;
}

static struct cone_node *only_if(struct cone_frame *f, struct cone_node *n, struct cone_node *condition,
                                 struct cone_node *jump)
{
	if (!condition)
		return jump;
	struct cone_node *node = cone_make(f, CONE_IF, n, &cone_void);
	node->condition = condition;
	node->left = cone_make_block(f, n, &cone_never, jump, NULL, NULL);
	return condition->type->kind == CONE_TYPE_ERROR ? cone_failed(f, n) : node;
}

static struct cone_node *check_break(struct cone_frame *f, struct cone_node *n)
{
	struct cone_loop *loop = loop_of(f, n);
	if (!loop)
		return cone_failed(f, n);
	struct cone_node *jump = cone_make(f, n->kind, n, &cone_never);
	struct cone_node *condition = n->condition ? cone_check_condition(f, n->condition) : NULL;
	jump->target = loop->node;
	jump->label = n->label;
	if (n->kind == CONE_BREAK) {
		loop->is_broken = true;
		if (n->left) {
			bool is_known = loop->expected && loop->expected != &cone_void;
			jump->left = is_known ? cone_check_as(f, n->left, loop->expected)
			                      : cone_check_expression(f, n->left, loop->type);
			if (jump->left->type->kind == CONE_TYPE_ERROR)
				return jump->left;
			if (!loop->type)
				loop->type = is_known ? loop->expected : jump->left->type;
			jump->left = cone_coerce(f, jump->left, loop->type);
		}
	}
	return only_if(f, n, condition, jump);
}

static struct cone_node *check_return(struct cone_frame *f, struct cone_node *n)
{
	struct cone_node *jump = cone_make(f, CONE_RETURN, n, &cone_never), *value = NULL;
	if (n->part_count > 1) {
		struct cone_node *tuple = cone_make(f, CONE_TUPLE, n, NULL);
		tuple->parts = n->parts;
		tuple->part_count = n->part_count;
		value = cone_check_expression(f, tuple, f->result);
	} else if (n->part_count) {
		value = cone_check_expression(f, n->parts[0], f->result);
	}
	struct cone_node *condition = n->condition ? cone_check_condition(f, n->condition) : NULL;
	struct cone_type *given = value ? value->type : &cone_void;
	if (given->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	if (!f->result && f->closure_self) {
		f->result = given;
		f->is_result_found = true;
	}
	struct cone_type *wanted = f->result ? f->result : &cone_void;
	if (f->is_result_found && !cone_converts(f->checker, given, wanted)) {
		cone_blame(n, "1392", "the closure gives %s here and %s there", cone_type_text(f->checker, given),
		           cone_type_text(f->checker, wanted));
		return cone_failed(f, n);
	}
	if (wanted == &cone_void || wanted->kind == CONE_TYPE_NEVER ? value && given != &cone_void : !value) {
		cone_blame(n, "1013", wanted == &cone_void ? "%s returns no value" : "a value of %s is to be returned",
		           wanted == &cone_void ? "the function" : cone_type_text(f->checker, wanted));
		return cone_failed(f, n);
	}
	if (value && wanted != &cone_void) {
		jump->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 1);
		jump->parts[0] = cone_coerce(f, value, wanted);
		jump->part_count = 1;
		if (jump->parts[0]->type->kind == CONE_TYPE_ERROR)
			return jump->parts[0];
	} else if (value) { /* a call without a value: return f(); */
		return only_if(f, n, condition, cone_make_block(f, n, &cone_never, value, jump, NULL));
	}
	return only_if(f, n, condition, jump);
}

static struct cone_node *check_refused(struct cone_frame *f, struct cone_node *n)
{
	if (n->tries && f->checker->program->machine.chooses)
		return cone_check_trynew(f, n);
	cone_gpu_refuse(f, n, "1400", "a GPU has no %s", n->text);
	return cone_failed(f, n);
}

struct cone_node *cone_check_statement(struct cone_frame *f, struct cone_node *n)
{
	if (!f->instance)
		return cone_not_constant(f, n);
	switch ((int)n->kind) {
	case CONE_LOCAL: return check_local(f, n);
	case CONE_ASSIGN: return check_assign(f, n);
	case CONE_INCREMENT: return check_increment(f, n);
	case CONE_BREAK:
	case CONE_CONTINUE: return check_break(f, n);
	case CONE_RETURN: return check_return(f, n);
	case CONE_REFUSED: return check_refused(f, n);
	case CONE_EMPTY: return cone_make_block(f, n, &cone_void, NULL, NULL, NULL);
	}
	return cone_failed(f, n);
}
