/* core's macros, assertDebug[c] and assertDebugMsg[c, text]: `if isDebugBuild() { assert(c, text); }` (spec/cone.md 2).
 *
 * A build for release has the same errors as one for debugging, and drops the branch. */
#include <string.h>

#include "frontend/cone/cone_check.h"

bool cone_is_macro(const char *name)
{
	return strcmp(name, "assertDebug") == 0 || strcmp(name, "assertDebugMsg") == 0;
}

bool cone_is_macro_use(struct cone_frame *f, struct cone_node *n)
{
	if (n->kind != CONE_INDEX || n->left->kind != CONE_NAME)
		return false;
	const char *name = n->left->name;
	return cone_is_macro(name) && !cone_symbol_of(f->checker, f->scope.module, name) &&
	       !cone_local_named(f, n->left, name);
}

struct cone_node *cone_check_macro(struct cone_frame *f, struct cone_node *n)
{
	struct cone_checker *c = f->checker;
	uint32_t wanted = strcmp(n->left->name, "assertDebug") == 0 ? 1 : 2;
	if (!f->instance)
		return cone_not_constant(f, n);
	if (n->part_count != wanted) {
		cone_blame(n, n->part_count < wanted ? "1022" : "1023", "%s takes %u values, here are %u",
		           n->left->name, wanted, n->part_count);
		return cone_failed(f, n);
	}
	struct cone_node **parts = ARENA_ARRAY(c->arena, struct cone_node *, wanted);
	parts[0] = cone_check_condition(f, n->parts[0]);
	if (parts[0]->type->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	if (wanted == 2)
		parts[1] = n->parts[1];
	struct cone_declaration *assertion = cone_symbol_of(c, c->core, "assert")->declaration;
	struct cone_node *call = cone_call_function(f, n, assertion, NULL, NULL, NULL, parts, wanted, &cone_void);
	if (call->type->kind == CONE_TYPE_ERROR)
		return cone_failed(f, n);
	struct cone_node *choice = cone_make(f, CONE_IF, n, &cone_void);
	choice->condition = cone_make_constant(f, n, &cone_bool, c->program->is_debug);
	choice->left = cone_make_block(f, n, &cone_void, call, NULL, NULL);
	return choice;
}
