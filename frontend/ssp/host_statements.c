/* Statements and blocks of the host language (spec 2.4). */
#include "frontend/ssp/host_internal.h"

void variable_declare(struct task *t, const struct variable *variable, struct value v)
{
	struct value *slot = &t->frame->slots[variable->slot];
	struct value old = *slot;
	*slot = v;
	value_release(old);
}

/* Locals of a block die with it, so that a device buffer is freed as soon as nothing reaches it (spec 3.3). */
static void leave_block(struct task *t, const struct node *n)
{
	for (uint32_t i = 0; i < n->part_count; i++) {
		const struct node *part = n->parts[i];
		for (uint32_t j = 0; part->kind == NODE_LET && j < part->name_count; j++)
			if (part->names[j].variable)
				variable_declare(t, part->names[j].variable, value_unit());
	}
}

bool evaluate_block(struct task *t, const struct node *n)
{
	for (uint32_t i = 0; i + 1 < n->part_count; i++)
		if (!execute(t, n->parts[i]))
			return false;
	if (n->part_count == 0)
		push(t, value_unit());
	else if (!evaluate(t, n->parts[n->part_count - 1]))
		return false;
	leave_block(t, n);
	return true;
}

static bool execute_block(struct task *t, const struct node *n)
{
	for (uint32_t i = 0; i < n->part_count; i++)
		if (!execute(t, n->parts[i]))
			return false;
	leave_block(t, n);
	return true;
}

static bool execute_let(struct task *t, const struct node *n)
{
	if (!evaluate(t, n->left))
		return false;
	struct value v = pop(t);
	if (n->name_count == 1) {
		if (n->names[0].variable)
			variable_declare(t, n->names[0].variable, v);
		else
			value_release(v);
		return true;
	}
	for (uint32_t i = 0; i < n->name_count; i++)
		if (n->names[i].variable) {
			value_retain(v.tuple->items[i]);
			variable_declare(t, n->names[i].variable, v.tuple->items[i]);
		}
	value_release(v);
	return true;
}

/* The list that x[i][j] := v stores into, made the variable's own on the way, and *i the element. Indices are at
 * *indices in source order, and checked in it. NULL: a trap. */
static struct list *element_list(struct task *t, const struct node *place, const struct value **indices, int64_t *i)
{
	struct value *at;
	if (place->left->kind == NODE_INDEX) {
		int64_t outer_i;
		struct list *outer = element_list(t, place->left, indices, &outer_i);
		if (!outer)
			return NULL;
		at = &outer->values[outer_i];
	} else {
		at = variable_slot(t, place->left);
	}
	*i = (*indices)++->integer;
	return check_index(t, place, at->list, *i) ? list_own(at, 0) : NULL;
}

/* Evaluates the indices of place, the leftmost first. */
static bool evaluate_indices(struct task *t, const struct node *place)
{
	return place->kind != NODE_INDEX || (evaluate_indices(t, place->left) && evaluate(t, place->right));
}

static bool assign_element(struct task *t, const struct node *n)
{
	struct value *a = t->top;
	if (!evaluate_indices(t, n->left) || !evaluate(t, n->right))
		return false;
	const struct value *indices = a;
	int64_t i;
	struct list *l = element_list(t, n->left, &indices, &i);
	if (!l)
		return false;
	list_set(l, i, pop(t));
	t->top = a; /* the indices are Ints */
	return true;
}

static bool execute_assign(struct task *t, const struct node *n)
{
	const struct node *name = n->left;
	if (name->kind == NODE_INDEX)
		return assign_element(t, n);
	if (name->depth ? !evaluate(t, n->right) : !evaluate_reusing(t, n->right, name->variable))
		return false;
	struct value *slot = variable_slot(t, name);
	struct value old = *slot;
	*slot = pop(t);
	value_release(old);
	return true;
}

static bool for_range(struct task *t, const struct node *n, int64_t first, int64_t end)
{
	for (int64_t i = first; i < end; i++) {
		variable_declare(t, n->names[0].variable, value_int(i));
		if (!execute(t, n->right))
			return false;
	}
	return true;
}

static bool execute_for(struct task *t, const struct node *n)
{
	struct value *a = t->top;
	if (n->left->kind == NODE_RANGE) {
		if (!evaluate(t, n->left->left) || !evaluate(t, n->left->right))
			return false;
		t->top = a;
		return for_range(t, n, a[0].integer, a[1].integer);
	}
	if (!evaluate(t, n->left))
		return false;
	for (int64_t i = 0; i < a->list->count; i++) {
		variable_declare(t, n->names[0].variable, list_item(a->list, i));
		if (!execute(t, n->right))
			return false;
	}
	variable_declare(t, n->names[0].variable, value_unit());
	cut(t, a);
	return true;
}

static bool execute_while(struct task *t, const struct node *n)
{
	for (;;) {
		if (!evaluate(t, n->condition))
			return false;
		if (!pop(t).truth)
			return true;
		if (!execute(t, n->right))
			return false;
	}
}

static bool execute_return(struct task *t, const struct node *n)
{
	if (n->left && !(witness_returns(t) ? witness_evaluate(t, n->left) : evaluate(t, n->left)))
		return false;
	t->returned = n->left ? pop(t) : value_unit();
	t->unwind = UNWIND_RETURN;
	return false;
}

static bool execute_if(struct task *t, const struct node *n)
{
	while (n && n->kind == NODE_IF) {
		if (!evaluate(t, n->condition))
			return false;
		n = pop(t).truth ? n->left : n->right;
	}
	return !n || execute(t, n);
}

bool execute(struct task *t, const struct node *n)
{
	switch (n->kind) {
	case NODE_LET: return execute_let(t, n);
	case NODE_ASSIGN: return execute_assign(t, n);
	case NODE_FOR: return execute_for(t, n);
	case NODE_WHILE: return execute_while(t, n);
	case NODE_RETURN: return execute_return(t, n);
	case NODE_IF: return execute_if(t, n);
	case NODE_BLOCK: return execute_block(t, n);
	case NODE_INT:
	case NODE_FLOAT:
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_UNIT:
	case NODE_NAME:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_BINARY:
	case NODE_UNARY:
	case NODE_RANGE:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM:
	case NODE_CALL:
	case NODE_METHOD:
	case NODE_LAMBDA:
	case NODE_BORROW: break;
	case NODE_SHARED:
	case NODE_ERROR: return true; /* never in a checked host program */
	}
	if (!evaluate(t, n))
		return false;
	value_release(pop(t));
	return true;
}
