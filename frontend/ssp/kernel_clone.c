/* kernel_clone: a fn that the host calls too is checked twice, so kernels write on a copy of its tree. */
#include <string.h>

#include "frontend/ssp/kernel_helpers.h"

static struct node *clone_one(struct arena *arena, const struct node *n)
{
	struct node *copy = ARENA_NEW(arena, struct node);
	*copy = *n;
	copy->type = NULL;
	copy->reference = REFERENCE_NONE;
	copy->variable = NULL;
	copy->definition = NULL;
	copy->builtin = -1;
	copy->condition = n->condition ? kernel_clone(arena, n->condition) : NULL;
	copy->right = n->right ? kernel_clone(arena, n->right) : NULL;
	copy->parts = ARENA_ARRAY(arena, struct node *, n->part_count);
	for (uint32_t i = 0; i < n->part_count; i++)
		copy->parts[i] = kernel_clone(arena, n->parts[i]);
	if (n->names) {
		copy->names = ARENA_ARRAY(arena, struct pattern_name, n->name_count);
		memcpy(copy->names, n->names, n->name_count * sizeof *n->names);
	}
	return copy;
}

/* Chains like a + b + c + ... lean left and may be very long. */
struct node *kernel_clone(struct arena *arena, const struct node *n)
{
	struct node *first = NULL;
	for (struct node **link = &first; n; n = n->left, link = &(*link)->left)
		*link = clone_one(arena, n);
	return first;
}
