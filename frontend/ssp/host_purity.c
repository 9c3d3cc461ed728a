/* What may be evaluated at another time than written. */
#include "frontend/ssp/host_internal.h"

static bool assigns_above(const struct node *assign, uint32_t level)
{
	const struct node *name = assign->left;
	while (name->kind == NODE_INDEX)
		name = name->left;
	return name->depth > level;
}

/* Within `level` frames below the function's own. */
static bool changes_outside(const struct node *n, uint32_t level)
{
	for (; n; n = n->left) {
		if (n->kind == NODE_NAME)
			return n->reference == REFERENCE_LOCAL && n->type->kind == TYPE_FUNCTION; /* may do anything */
		if (n->kind == NODE_ASSIGN && assigns_above(n, level))
			return true;
		level += n->kind == NODE_LAMBDA;
		if (changes_outside(n->condition, level) || changes_outside(n->right, level))
			return true;
		for (uint32_t i = 0; i < n->part_count; i++)
			if (changes_outside(n->parts[i], level))
				return true;
	}
	return false;
}

bool is_pure_function(const struct node *n)
{
	if (n->kind == NODE_NAME && n->reference == REFERENCE_FUNCTION)
		return n->definition->effects == 0;
	return n->kind == NODE_LAMBDA && n->type->effects == 0 && !changes_outside(n->left, 0);
}

bool is_constant(const struct node *n)
{
	switch (n->kind) {
	case NODE_INT:
	case NODE_FLOAT:
	case NODE_BOOL:
	case NODE_UNIT: return true;
	case NODE_NAME: return n->reference == REFERENCE_LOCAL && !n->variable->mutable;
	case NODE_STRING: return n->part_count == 0 || (n->part_count == 1 && n->parts[0]->kind == NODE_TEXT);
	case NODE_LIST:
	case NODE_TUPLE:
		for (uint32_t i = 0; i < n->part_count; i++)
			if (!is_constant(n->parts[i]))
				return false;
		return true;
	case NODE_TEXT:
	case NODE_PLACEHOLDER:
	case NODE_BINARY:
	case NODE_UNARY:
	case NODE_RANGE:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM:
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
	case NODE_ERROR: break;
	}
	return false;
}
