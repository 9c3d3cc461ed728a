/* Expressions of the host language (spec 2.4). */
#include "frontend/ssp/host_internal.h"

struct value *variable_slot(struct task *t, const struct node *name)
{
	struct frame *frame = t->frame;
	for (uint32_t i = name->depth; i > 0; i--)
		frame = frame->parent;
	return &frame->slots[name->variable->slot];
}

static bool evaluate_name(struct task *t, const struct node *n)
{
	if (n->reference == REFERENCE_LOCAL) {
		struct value v = *variable_slot(t, n);
		value_retain(v);
		v.hops += n->depth;
		push(t, v);
	} else {
		push(t, (struct value){.kind = VALUE_FUNCTION, .function = n->definition});
	}
	return true;
}

static bool evaluate_string(struct task *t, const struct node *n)
{
	if (n->part_count == 0 || (n->part_count == 1 && n->parts[0]->kind == NODE_TEXT)) {
		push(t, n->part_count ? string_new(n->parts[0]->string, n->parts[0]->length) : string_new("", 0));
		return true;
	}
	struct text out = {0};
	for (uint32_t i = 0; i < n->part_count; i++) {
		const struct node *part = n->parts[i];
		if (part->kind == NODE_TEXT) {
			text_add_n(&out, part->string, part->length);
			continue;
		}
		if (!evaluate(t, part)) {
			text_free(&out);
			return false;
		}
		value_print(&out, t->top[-1], false);
		value_release(pop(t));
	}
	push(t, string_from_text(&out));
	return true;
}

static bool evaluate_list(struct task *t, const struct node *n)
{
	struct value *list = t->top;
	push(t, list_new(storage_of(n->type->items[0]), n->part_count));
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (!evaluate(t, n->parts[i]))
			return false;
		list_push(list->list, pop(t));
	}
	return true;
}

static bool evaluate_tuple(struct task *t, const struct node *n)
{
	struct value *tuple = t->top;
	push(t, tuple_new(n->part_count));
	for (uint32_t i = 0; i < n->part_count; i++) {
		if (!evaluate(t, n->parts[i]))
			return false;
		tuple->tuple->items[i] = pop(t);
	}
	return true;
}

static bool evaluate_short_circuit(struct task *t, const struct node *n)
{
	if (!evaluate(t, n->left))
		return false;
	if (t->top[-1].truth == (n->operator_kind == OPERATOR_OR))
		return true;
	t->top--;
	return evaluate(t, n->right);
}

static bool evaluate_binary(struct task *t, const struct node *n)
{
	if (n->operator_kind == OPERATOR_OR || n->operator_kind == OPERATOR_AND)
		return evaluate_short_circuit(t, n);
	struct value *a = t->top;
	return evaluate(t, n->left) && evaluate(t, n->right) && binary_operation(t, n, a);
}

static bool evaluate_unary(struct task *t, const struct node *n)
{
	return evaluate(t, n->left) && unary_operation(t, n, t->top - 1);
}

static bool evaluate_range(struct task *t, const struct node *n)
{
	struct value *a = t->top;
	if (!evaluate(t, n->left) || !evaluate(t, n->right))
		return false;
	int64_t first = a[0].integer, end = a[1].integer, count;
	if (__builtin_sub_overflow(end, first, &count) && end > first)
		return trap_overflow(t, n);
	return give(t, a, list_range(first, 1, end > first ? count : 0));
}

bool check_index(struct task *t, const struct node *n, const struct list *l, int64_t i)
{
	if (i >= 0 && i < l->count)
		return true;
	return trap_raise(t, n, "index %lld out of bounds for list of length %lld", (long long)i, (long long)l->count);
}

/* Evaluating it changes no variable. */
static bool is_quiet(const struct node *n)
{
	for (;; n = n->left) {
		switch (n->kind) {
		case NODE_INT:
		case NODE_NAME: return true;
		case NODE_BINARY:
		case NODE_INDEX:
			if (!is_quiet(n->right))
				return false;
			break;
		case NODE_UNARY:
		case NODE_TUPLE_ITEM: break;
		case NODE_FLOAT:
		case NODE_BOOL:
		case NODE_STRING:
		case NODE_TEXT:
		case NODE_UNIT:
		case NODE_PLACEHOLDER:
		case NODE_LIST:
		case NODE_TUPLE:
		case NODE_RANGE:
		case NODE_CALL:
		case NODE_METHOD:
		case NODE_LAMBDA:
		case NODE_IF:
		case NODE_BORROW:
		case NODE_BLOCK:
		case NODE_SHARED:
		case NODE_LET:
		case NODE_ASSIGN:
		case NODE_FOR:
		case NODE_WHILE:
		case NODE_RETURN:
		case NODE_ERROR: return false;
		}
	}
}

/* The list of a variable is not counted up and down for each access to an element. */
static bool evaluate_index(struct task *t, const struct node *n)
{
	struct value *a = t->top;
	bool in_place = n->left->kind == NODE_NAME && (!n->left->variable->mutable || is_quiet(n->right));
	if (!in_place && !evaluate(t, n->left))
		return false;
	if (!evaluate(t, n->right))
		return false;
	const struct list *l = in_place ? variable_slot(t, n->left)->list : a->list;
	int64_t i = pop(t).integer;
	return check_index(t, n, l, i) && give(t, a, list_item(l, i));
}

static bool evaluate_tuple_item(struct task *t, const struct node *n)
{
	struct value *a = t->top;
	if (!evaluate(t, n->left))
		return false;
	struct value v = a->tuple->items[n->number];
	value_retain(v);
	return give(t, a, v);
}

static bool evaluate_if(struct task *t, const struct node *n)
{
	while (n->kind == NODE_IF && n->right) {
		if (!evaluate(t, n->condition))
			return false;
		n = pop(t).truth ? n->left : n->right;
	}
	if (n->kind != NODE_IF)
		return evaluate(t, n);
	if (!execute(t, n))
		return false;
	push(t, value_unit());
	return true;
}

bool evaluate(struct task *t, const struct node *n)
{
	if (!stack_left(t, n))
		return false;
	switch (n->kind) {
	case NODE_INT: push(t, value_int((int64_t)(n->negative ? 0 - n->number : n->number))); return true;
	case NODE_FLOAT: push(t, value_f64(n->real)); return true;
	case NODE_BOOL: push(t, value_bool(n->truth)); return true;
	case NODE_UNIT: push(t, value_unit()); return true;
	case NODE_NAME:
	case NODE_PLACEHOLDER: return evaluate_name(t, n);
	case NODE_STRING:
	case NODE_TEXT: return evaluate_string(t, n);
	case NODE_LIST: return evaluate_list(t, n);
	case NODE_TUPLE: return evaluate_tuple(t, n);
	case NODE_BINARY: return evaluate_binary(t, n);
	case NODE_UNARY: return evaluate_unary(t, n);
	case NODE_RANGE: return evaluate_range(t, n);
	case NODE_INDEX: return evaluate_index(t, n);
	case NODE_TUPLE_ITEM: return evaluate_tuple_item(t, n);
	case NODE_CALL:
	case NODE_METHOD: return evaluate_call(t, n);
	case NODE_LAMBDA: push(t, (struct value){.kind = VALUE_LAMBDA, .lambda = n}); return true;
	case NODE_IF: return evaluate_if(t, n);
	case NODE_BORROW: return evaluate(t, n->left);
	case NODE_BLOCK: return evaluate_block(t, n);
	case NODE_LET:
	case NODE_ASSIGN:
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_RETURN:
	case NODE_SHARED:
	case NODE_ERROR: break;
	}
	if (!execute(t, n))
		return false;
	push(t, value_unit());
	return true;
}
