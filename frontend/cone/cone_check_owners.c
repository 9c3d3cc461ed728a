/* Owners: So[T], Rc[T], Arc[T] and `new` of them, which only the CPU has (spec/cone.md part 8). */
#include <string.h>

#include "frontend/cone/cone_check.h"

bool cone_has_final(const struct cone_type *t)
{
	for (uint32_t i = 0; t->kind == CONE_TYPE_STRUCT && i < t->declaration->member_count; i++)
		if (strcmp(t->declaration->members[i]->name, "final") == 0)
			return true;
	return false;
}

bool cone_is_sole_owner(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_OWNER && (t->count & ~(uint64_t)CONE_OWNER_LOCKED) == CONE_OWNER_SO;
}

/* What an owner of a trait has is a virtual reference. */
struct cone_node *cone_borrow_owned(struct cone_frame *f, struct cone_node *n, bool mutable)
{
	struct cone_node *to = cone_make(f, CONE_DEREFERENCE, n, n->type->element);
	to->left = n;
	return to->type->kind == CONE_TYPE_VIRTUAL ? to : cone_borrow(f, to, mutable);
}

bool cone_owner_converts(struct cone_checker *c, const struct cone_type *from, const struct cone_type *to)
{
	return from->kind == CONE_TYPE_OWNER && to->kind == CONE_TYPE_OWNER && from->count == to->count &&
	       (from->mutable || !to->mutable) && from->element->kind == CONE_TYPE_STRUCT &&
	       to->element->kind == CONE_TYPE_VIRTUAL && cone_has_trait(c, from->element, to->element->declaration);
}

struct cone_node *cone_owner_as_trait(struct cone_frame *f, struct cone_node *n, struct cone_type *type)
{
	struct cone_checker *c = f->checker;
	const struct cone_owned_as as = {type->element->declaration, n->type->element};
	bool is_known = false;
	for (uint32_t i = 0; i < c->owned_as_count; i++)
		is_known |= c->owned_as[i].trait == as.trait && c->owned_as[i].type == as.type;
	if (!is_known)
		*ARENA_PUSH(c->arena, c->owned_as, c->owned_as_count, c->owned_as_capacity) = as;
	cone_ask_for_methods(f, n, n->type->element, as.trait);
	return cone_convert(f, n, type);
}

static void note_owned(struct cone_checker *c, struct cone_type *t)
{
	for (uint32_t i = 0; i < c->owned_count; i++)
		if (c->owned[i] == t)
			return;
	*(struct cone_type **)ARENA_PUSH(c->arena, c->owned, c->owned_count, c->owned_capacity) = t;
}

/* What it is that cannot be made; NULL: it can. */
static const char *lacking(struct cone_checker *c, const struct cone_type *owner)
{
	struct cone_type *t = owner->element;
	if (!c->program->machine.chooses)
		return "allocator, so nothing owns: new";
	if (owner->count == CONE_OWNER_WEAK)
		return "weak references:";
	if (owner->count & CONE_OWNER_LOCKED)
		return "owner with a lock:";
	if (t->kind == CONE_TYPE_VIRTUAL || t->kind == CONE_TYPE_FUNCTION)
		return "owner of what has no size:";
	return cone_type_holds(c, t, cone_has_final) ? "owner of what has a method final:" : NULL;
}

/* What is owned: the one value of its type that is given, or what `new` of it makes of what is given. */
static struct cone_node *owned_value(struct cone_frame *f, struct cone_node *n, struct cone_type *t)
{
	bool are_named = n->part_names && n->part_count && n->part_names[0];
	bool is_one = n->part_count == 1 && !are_named;
	if (t->kind != CONE_TYPE_STRUCT && !is_one) {
		cone_blame(n, n->part_count ? "1023" : "1022", "an owner of %s is given one value",
		           cone_type_text(f->checker, t));
		return cone_failed(f, n);
	}
	if (t->kind != CONE_TYPE_STRUCT)
		return cone_check_as(f, n->parts[0], t);
	bool has_type = is_one && !cone_is_untyped(n->parts[0]) && n->parts[0]->kind != CONE_CLOSURE;
	if (has_type) {
		struct cone_type *first = cone_complete(f->checker, t) && t->field_count ? t->fields[0].type : NULL;
		struct cone_node *value = cone_check_expression(f, n->parts[0], first);
		if (value->type == t || value->type->kind == CONE_TYPE_ERROR)
			return value;
		n->parts[0] = value;
	}
	return cone_new_of_type(f, n, t);
}

static struct cone_node *make_owner(struct cone_frame *f, struct cone_node *n, struct cone_type *owner,
                                    struct cone_type *type)
{
	struct cone_checker *c = f->checker;
	const char *what = lacking(c, owner);
	if (!f->instance)
		return cone_not_constant(f, n);
	if (c->program->machine.chooses && owner->element->kind == CONE_TYPE_ERROR) {
		cone_blame(n, "1022", "an owner is made with what it owns: So[T], Rc[mut, T]");
		return cone_failed(f, n);
	}
	if (what) {
		cone_gpu_refuse(f, n, "1400", "a GPU has no %s %s", what, cone_type_text(c, owner));
		return cone_failed(f, n);
	}
	struct cone_node *value = owned_value(f, n, owner->element);
	if (value->type->kind == CONE_TYPE_ERROR)
		return value;
	struct cone_node *made = cone_make(f, CONE_NEW, n, type);
	made->parts = ARENA_ARRAY(c->arena, struct cone_node *, 1);
	made->parts[0] = value;
	made->part_count = 1;
	note_owned(c, owner->element);
	return made;
}

struct cone_node *cone_new_owner(struct cone_frame *f, struct cone_node *n, struct cone_type *t)
{
	return make_owner(f, n, t, t);
}

struct cone_node *cone_check_trynew(struct cone_frame *f, struct cone_node *n)
{
	struct cone_checker *c = f->checker;
	struct cone_type *t = cone_resolve(c, &f->scope, n->type_syntax);
	struct cone_symbol *option = cone_symbol_of(c, c->core, "Option");
	if (t->kind == CONE_TYPE_ERROR || !option)
		return cone_failed(f, n);
	if (t->kind != CONE_TYPE_OWNER) {
		cone_blame(n, "1210", "trynew makes an owner, not %s", cone_type_text(c, t));
		return cone_failed(f, n);
	}
	struct cone_type *type = cone_instance_type(c, option->declaration, &t, 1);
	struct cone_node *made = cone_complete(c, type) ? make_owner(f, n, t, type) : cone_failed(f, n);
	made->tries = made->kind == CONE_NEW && made->type == type;
	return made;
}
