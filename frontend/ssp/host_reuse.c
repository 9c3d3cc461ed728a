/* Values whose variable is done with them: pushed and appended to in place (spec 2.4). */
#include "frontend/ssp/host_internal.h"

/* n is `receiver.push(operand)`, `receiver.concat(operand)` or `receiver + operand` of lists or strings. */
static bool is_append(const struct node *n, struct node **receiver, struct node **operand)
{
	*receiver = n->left;
	if (n->kind == NODE_BINARY) {
		*operand = n->right;
		enum type_kind kind = n->type->kind;
		return n->operator_kind == OPERATOR_ADD && (kind == TYPE_LIST || kind == TYPE_STR);
	}
	if (n->kind != NODE_METHOD || n->part_count != 1 || n->reference == REFERENCE_FUNCTION)
		return false;
	*operand = n->parts[0];
	return n->builtin == BUILTIN_list_push || n->builtin == BUILTIN_list_concat;
}

/* A lambda in a variable may mention anything. */
static bool may_mention(const struct node *n, const struct variable *variable)
{
	for (; n; n = n->left) {
		if (n->kind == NODE_NAME && n->reference == REFERENCE_LOCAL)
			return n->variable == variable || n->type->kind == TYPE_FUNCTION;
		if (may_mention(n->condition, variable) || may_mention(n->right, variable))
			return true;
		for (uint32_t i = 0; i < n->part_count; i++)
			if (may_mention(n->parts[i], variable))
				return true;
	}
	return false;
}

static bool names(const struct node *n, const struct variable *variable)
{
	return n->kind == NODE_NAME && n->reference == REFERENCE_LOCAL && n->depth == 0 && n->variable == variable;
}

/* When only the variable and the stack hold the receiver, the variable lets go. */
static void let_go(struct task *t, const struct node *name, struct value *receiver)
{
	struct value *slot = variable_slot(t, name);
	if (slot->kind == receiver->kind && slot->object == receiver->object &&
	    atomic_load_explicit(&slot->object->references, memory_order_acquire) == 2) {
		value_release(*slot);
		*slot = value_unit();
	}
}

bool evaluate_reusing(struct task *t, const struct node *n, const struct variable *variable)
{
	struct node *receiver, *operand;
	if (!is_append(n, &receiver, &operand))
		return evaluate(t, n);
	if (!stack_left(t, n))
		return false;
	struct value *a = t->top;
	/* In `x.push(a).push(b)` the inner call takes x before b is evaluated. */
	bool inner = !may_mention(operand, variable);
	if (inner ? !evaluate_reusing(t, receiver, variable) : !evaluate(t, receiver))
		return false;
	if (!evaluate(t, operand))
		return false;
	if (names(receiver, variable))
		let_go(t, receiver, a);
	return n->kind == NODE_BINARY            ? binary_operation(t, n, a)
	       : n->builtin == BUILTIN_list_push ? builtin_list_push(t, n, a)
	                                         : builtin_list_concat(t, n, a);
}

/* The variable of this frame at the left end of a chain of appends, or NULL. */
static const struct variable *appended_variable(const struct node *n)
{
	struct node *receiver, *operand;
	while (is_append(n, &receiver, &operand)) {
		n = receiver;
		if (n->kind == NODE_NAME && n->reference == REFERENCE_LOCAL && n->depth == 0)
			return n->variable;
	}
	return NULL;
}

bool evaluate_body(struct task *t, const struct node *body)
{
	const struct node *n = body;
	for (;;) {
		if (n->kind == NODE_BLOCK && n->part_count) {
			for (uint32_t i = 0; i + 1 < n->part_count; i++)
				if (!execute(t, n->parts[i]))
					return false;
			n = n->parts[n->part_count - 1];
		} else if (n->kind == NODE_IF && n->right) {
			if (!evaluate(t, n->condition))
				return false;
			n = pop(t).truth ? n->left : n->right;
		} else {
			const struct variable *variable = appended_variable(n);
			return variable ? evaluate_reusing(t, n, variable) : evaluate(t, n);
		}
	}
}
