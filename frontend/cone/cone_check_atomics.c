/* Methods of core's Atomic, as intrinsics where their order is constant, and the orders of mem.atomic*. */
#include <string.h>

#include "frontend/cone/cone_check.h"

static const struct {
	const char *name;
	int intrinsic;
	uint32_t operands;
} METHODS[] = {
    {"load", CONE_INTRINSIC_atomic_load, 0},
    {"store", CONE_INTRINSIC_atomic_store, 1},
    {"swap", CONE_INTRINSIC_atomic_swap, 1},
    {"add", CONE_INTRINSIC_atomic_add, 1},
    {"sub", CONE_INTRINSIC_atomic_sub, 1},
    {"min", CONE_INTRINSIC_atomic_min, 1},
    {"max", CONE_INTRINSIC_atomic_max, 1},
    {"bitAnd", CONE_INTRINSIC_atomic_and, 1},
    {"bitOr", CONE_INTRINSIC_atomic_or, 1},
    {"bitXor", CONE_INTRINSIC_atomic_xor, 1},
    {"compareSwap", CONE_INTRINSIC_atomic_compare_swap, 2},
};

static bool can_have(int intrinsic, uint64_t order, uint64_t failure)
{
	if (intrinsic == CONE_INTRINSIC_atomic_load)
		return order != CONE_RELEASE && order != CONE_ACQUIRE_RELEASE;
	if (intrinsic == CONE_INTRINSIC_atomic_store)
		return order != CONE_ACQUIRE && order != CONE_ACQUIRE_RELEASE;
	if (intrinsic != CONE_INTRINSIC_atomic_compare_swap)
		return true;
	if (failure == CONE_RELEASE || failure == CONE_ACQUIRE_RELEASE)
		return false;
	return failure == CONE_RELAXED || order == CONE_SEQUENTIAL ||
	       (failure == CONE_ACQUIRE && order != CONE_RELAXED && order != CONE_RELEASE);
}

/* From what was there: more than putting a value in its place. */
static bool computes(int intrinsic)
{
	return intrinsic != CONE_INTRINSIC_atomic_load && intrinsic != CONE_INTRINSIC_atomic_store &&
	       intrinsic != CONE_INTRINSIC_atomic_swap && intrinsic != CONE_INTRINSIC_atomic_compare_swap;
}

/* The order that a typed MemOrder is; false: not a constant. */
static bool constant_order(struct cone_checker *c, const struct cone_node *n, uint64_t *order)
{
	if (n->kind == CONE_NAME && n->global && !n->global->mutable)
		n = cone_value_of_declaration(c, n->global);
	if (!n || n->kind != CONE_NEW || n->type->kind != CONE_TYPE_ENUM || !n->part_count || !n->parts[0])
		return false;
	*order = n->parts[0]->constant;
	return true;
}

static struct cone_type *order_type(struct cone_checker *c)
{
	struct cone_symbol *s = cone_symbol_of(c, c->core, "MemOrder");
	return s && s->declaration ? cone_instance_type(c, s->declaration, NULL, 0) : &cone_error;
}

static struct cone_type *result_of(struct cone_checker *c, int intrinsic, struct cone_type *of)
{
	struct cone_type *both[] = {of, &cone_bool};
	if (intrinsic == CONE_INTRINSIC_atomic_store)
		return &cone_void;
	return intrinsic == CONE_INTRINSIC_atomic_compare_swap ? cone_type_tuple(&c->types, both, 2) : of;
}

/* Constant orders of an Ordered form that it can have; false: it is called as others are. */
static bool find_orders(struct cone_frame *f, int intrinsic, struct cone_node **parts, uint32_t count, uint64_t *orders)
{
	for (uint32_t i = 0; i < count; i++) {
		parts[i] = cone_check_expression(f, parts[i], order_type(f->checker));
		if (parts[i]->type != order_type(f->checker) || !constant_order(f->checker, parts[i], &orders[i]))
			return false;
	}
	return can_have(intrinsic, orders[0], orders[1]);
}

struct cone_node *cone_check_atomic_method(struct cone_frame *f, struct cone_node *n, struct cone_node *receiver,
                                           const char *name, struct cone_node **parts, uint32_t count)
{
	struct cone_type *of = cone_type_atomic_of(receiver->type);
	uint32_t row = 0;
	size_t rows = sizeof METHODS / sizeof *METHODS;
	while (row < rows && strncmp(name, METHODS[row].name, strlen(METHODS[row].name)) != 0)
		row++;
	const char *rest = row < rows ? name + strlen(METHODS[row].name) : "";
	bool is_ordered = strcmp(rest, "Ordered") == 0;
	uint32_t orders = METHODS[row < rows ? row : 0].intrinsic == CONE_INTRINSIC_atomic_compare_swap ? 2 : 1;
	if (row == rows || (*rest && !is_ordered) || count != METHODS[row].operands + (is_ordered ? orders : 0))
		return NULL;
	int intrinsic = METHODS[row].intrinsic;
	if (of->kind != CONE_TYPE_INTEGER && computes(intrinsic)) {
		cone_blame(n, "1184", "an Atomic of %s has no %s", cone_type_text(f->checker, of), name);
		return cone_failed(f, n);
	}
	uint64_t order[2] = {CONE_SEQUENTIAL, CONE_SEQUENTIAL};
	if (is_ordered && !find_orders(f, intrinsic, parts + METHODS[row].operands, orders, order))
		return NULL;
	cone_complete(f->checker, receiver->type);
	struct cone_node *call = cone_make(f, CONE_INTRINSIC, n, result_of(f->checker, intrinsic, of));
	struct cone_node *value = cone_make(f, CONE_MEMBER, n, of);
	value->left = receiver;
	value->name = "value";
	call->intrinsic = intrinsic;
	call->parts = ARENA_ARRAY(f->checker->arena, struct cone_node *, 5);
	call->parts[call->part_count++] = cone_borrow(f, value, false);
	for (uint32_t i = 0; i < METHODS[row].operands; i++) {
		struct cone_node *part = cone_check_as(f, parts[i], of);
		if (part->type->kind == CONE_TYPE_ERROR)
			return part;
		call->parts[call->part_count++] = part;
	}
	for (uint32_t i = 0; i < orders; i++)
		call->parts[call->part_count++] = cone_make_constant(f, n, &cone_u32, order[i]);
	return call;
}

void cone_check_direct_atomic(struct cone_frame *f, struct cone_node *n)
{
	const struct cone_type *of = n->part_count ? n->parts[0]->type->element : NULL;
	bool is_whole =
	    of && (of->kind == CONE_TYPE_INTEGER || of->kind == CONE_TYPE_BOOL || of->kind == CONE_TYPE_POINTER);
	if (!f->scope.module->is_core && (!is_whole || (of->kind != CONE_TYPE_INTEGER && computes(n->intrinsic)))) {
		cone_blame(n, "1184", "there is no %s of %s", n->instance->function->name,
		           cone_type_text(f->checker, of ? of : &cone_error));
		f->instance->is_broken = true;
		return;
	}
	uint64_t order[2] = {0, 0};
	uint32_t orders = n->intrinsic == CONE_INTRINSIC_atomic_compare_swap ? 2 : 1;
	if (n->part_count < orders)
		return;
	for (uint32_t i = 0; i < orders; i++) {
		struct cone_node **part = &n->parts[n->part_count - orders + i];
		if (!constant_order(f->checker, *part, &order[i])) {
			cone_blame(*part, "1177", "the order of %s is a constant", n->instance->function->name);
			return;
		}
		*part = cone_make_constant(f, *part, &cone_u32, order[i]);
	}
	if (!can_have(n->intrinsic, order[0], order[1]))
		cone_blame(n, "1178", "%s cannot have this order", n->instance->function->name);
}
