/* A deep copy of a body, each variable that it declares being a new one. Names are not resolved before the checker
 * works on the copy, so that no node refers to a variable yet, or to one that the copy has too. */
#include "frontend/cone/cone_ast.h"
#include "utils/base/table.h"

struct copier {
	struct arena *arena;
	struct arena scratch; /* the map */
	struct table map;     /* by a variable's or node's address: its copy */
};

static struct cone_node *copy_node(struct copier *c, const struct cone_node *node);
static struct cone_type_syntax *copy_type(struct copier *c, const struct cone_type_syntax *type);

static void *copied(struct copier *c, const void *old)
{
	return table_get_n(&c->map, (const char *)&old, sizeof old);
}

static void *duplicate(struct copier *c, const void *old, size_t size)
{
	char *to = arena_alloc(c->arena, size);
	__builtin_memcpy(to, old, size);
	table_set_n(&c->map, (const char *)&old, sizeof old, to);
	return to;
}

static struct cone_variable *copy_variable(struct copier *c, const struct cone_variable *variable)
{
	struct cone_variable *to = variable ? copied(c, variable) : NULL;
	return to || !variable ? to : duplicate(c, variable, sizeof *variable);
}

static struct cone_type_syntax **copy_types(struct copier *c, struct cone_type_syntax *const *types, uint32_t count)
{
	struct cone_type_syntax **to = count ? ARENA_ARRAY(c->arena, struct cone_type_syntax *, count) : NULL;
	for (uint32_t i = 0; i < count; i++)
		to[i] = copy_type(c, types[i]);
	return to;
}

/* A closure's function, or the signature of a function's type. */
static struct cone_declaration *copy_function(struct copier *c, const struct cone_declaration *function)
{
	if (!function)
		return NULL;
	struct cone_declaration *to = duplicate(c, function, sizeof *function);
	if (function->parameter_count)
		to->parameters = ARENA_ARRAY(c->arena, struct cone_parameter, function->parameter_count);
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct cone_parameter *from = &function->parameters[i];
		to->parameters[i].variable = copy_variable(c, from->variable);
		to->parameters[i].type_syntax = copy_type(c, from->type_syntax);
		to->parameters[i].value = copy_node(c, from->value);
	}
	to->results = copy_types(c, function->results, function->result_count);
	to->body = copy_node(c, function->body);
	return to;
}

static struct cone_type_syntax *copy_type(struct copier *c, const struct cone_type_syntax *type)
{
	if (!type)
		return NULL;
	struct cone_type_syntax *to = duplicate(c, type, sizeof *type);
	if (type->argument_count)
		to->arguments = arena_array(c->arena, type->argument_count, sizeof *type->arguments);
	for (uint32_t i = 0; i < type->argument_count; i++) {
		to->arguments[i].type = copy_type(c, type->arguments[i].type);
		to->arguments[i].value = copy_node(c, type->arguments[i].value);
	}
	to->function = copy_function(c, type->function);
	return to;
}

static struct cone_node *copy_node(struct copier *c, const struct cone_node *node)
{
	if (!node)
		return NULL;
	struct cone_node *to = duplicate(c, node, sizeof *node);
	if (node->declared_count)
		to->declared = ARENA_ARRAY(c->arena, struct cone_variable *, node->declared_count);
	for (uint32_t i = 0; i < node->declared_count; i++)
		to->declared[i] = copy_variable(c, node->declared[i]);
	to->type_syntax = copy_type(c, node->type_syntax);
	to->function = copy_function(c, node->function);
	to->left = copy_node(c, node->left);
	to->right = copy_node(c, node->right);
	to->other = copy_node(c, node->other);
	to->condition = copy_node(c, node->condition);
	to->step = copy_node(c, node->step);
	if (node->part_count)
		to->parts = ARENA_ARRAY(c->arena, struct cone_node *, node->part_count);
	for (uint32_t i = 0; i < node->part_count; i++)
		to->parts[i] = copy_node(c, node->parts[i]);
	/* What lies outside of the copy stays what it was. */
	struct cone_variable *variable = node->variable ? copied(c, node->variable) : NULL;
	struct cone_node *target = node->target ? copied(c, node->target) : NULL;
	to->variable = variable ? variable : node->variable;
	to->target = target ? target : node->target;
	return to;
}

struct cone_node *cone_copy(struct arena *a, const struct cone_node *node)
{
	struct copier c = {.arena = a};
	c.map.arena = &c.scratch;
	struct cone_node *to = copy_node(&c, node);
	arena_free(&c.scratch);
	return to;
}
