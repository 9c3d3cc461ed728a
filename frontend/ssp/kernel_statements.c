/* Statements, clauses and the thread count of kernels (spec/sspur.md 1.1, 1.2). */
#include "frontend/ssp/kernel_check.h"

static void check_let(struct kernel_checker *c, struct node *n)
{
	struct type *t = &type_error;
	if (n->name_count != 1) {
		kernel_report(c, "E_KERNEL", n->span, "tuples are not available in a kernel");
	} else {
		kernel_infer(c, n->left);
		t = kernel_settle(c, n->left, NULL);
	}
	for (uint32_t i = 0; i < n->name_count; i++)
		kernel_declare(c, &n->names[i], t, n->mutable);
}

/* The type to assign to a name; type_error after reporting. */
static struct type *assigned_name(struct kernel_checker *c, struct node *target)
{
	struct variable *v = kernel_find_variable(c, target);
	target->variable = v;
	if (!v && kernel_find_intrinsic(target->name)) {
		kernel_report(c, "E_KERNEL_WRITE", target->span, "the intrinsic `%s` cannot be assigned to",
		              target->name);
		return &type_error;
	}
	if (!v) {
		struct diagnostic *d = kernel_report(c, "E_KERNEL", target->span, "unknown name `%s`", target->name);
		const char *nearest = kernel_nearest_name(c, target->name);
		if (nearest)
			kernel_hint(c, d, "did you mean `%s`?", nearest);
		else
			kernel_hint(c, d, "declare it first: `var %s = ...`", target->name);
		return &type_error;
	}
	if (v->type == &type_error)
		return v->type;
	if (v->slot < c->definition->parameter_count) {
		struct diagnostic *d = kernel_report(c, "E_KERNEL_WRITE", target->span,
		                                     "the parameter `%s` cannot be assigned to", v->name);
		if (v->type->kind == TYPE_LIST)
			kernel_hint(c, d, "store into an element: `%s[i] := ...`", v->name);
		else
			kernel_hint(c, d, "copy it into a `var` of another name");
		return v->type->kind == TYPE_LIST ? &type_error : v->type;
	}
	if (!v->mutable)
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_WRITE", target->span,
		                          "`%s` is immutable and cannot be assigned to", v->name),
		            "declare it with `var %s = ...`", v->name);
	return v->type;
}

/* The element type to store; type_error after reporting. */
static struct type *stored_element(struct kernel_checker *c, struct node *target)
{
	struct variable *v = kernel_infer_index(c, target);
	if (!v)
		return target->type = &type_error;
	if (!v->mutable)
		kernel_hint(c, kernel_report(c, "E_KERNEL_WRITE", target->left->span, "`%s` is read-only", v->name),
		            "declare the parameter as `%s: &mut [%s]`", v->name, kernel_type_name(v->type->items[0]));
	c->written[v->slot] = true;
	return target->type = v->type->items[0];
}

static void check_assign(struct kernel_checker *c, struct node *n)
{
	struct type *t;
	if (n->left->kind == NODE_NAME) {
		t = assigned_name(c, n->left);
	} else if (n->left->kind == NODE_INDEX) {
		t = stored_element(c, n->left);
	} else {
		kernel_report(c, "E_KERNEL", n->left->span, "this cannot be assigned to");
		t = &type_error;
	}
	if (t == &type_error) {
		kernel_infer(c, n->right);
		return;
	}
	const char *name = n->left->kind == NODE_NAME ? n->left->name : n->left->left->name;
	kernel_require(
	    c, n->right, t,
	    arena_format(&c->scratch, n->left->kind == NODE_NAME ? "the value of `%s`" : "an element of `%s`", name));
}

static void check_for(struct kernel_checker *c, struct node *n)
{
	if (n->left->kind == NODE_RANGE) {
		kernel_require(c, n->left->left, &type_int, "a bound of `for`");
		kernel_require(c, n->left->right, &type_int, "a bound of `for`");
	} else if (n->left->kind == NODE_ERROR) {
		c->definition->has_faults = true;
	} else {
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->left->span, "`for` runs over a range in a kernel"),
		            "write `for %s in a..b`", n->name_count > 0 ? n->names[0].name : "i");
	}
	uint32_t open = c->hidden_count;
	for (uint32_t i = 0; i < n->name_count; i++)
		kernel_declare(c, &n->names[i], &type_int, false);
	kernel_check_statement(c, n->right);
	kernel_close_scope(c, open);
}

static void check_branch(struct kernel_checker *c, struct node *n)
{
	uint32_t open = c->hidden_count;
	kernel_check_statement(c, n);
	kernel_close_scope(c, open);
}

/* An `else if` counts as nested: that is what it becomes. */
static void check_if(struct kernel_checker *c, struct node *n)
{
	uint32_t nesting = c->nesting;
	for (; n && n->kind == NODE_IF; n = n->right) {
		if (!kernel_nest(c, n))
			break;
		kernel_require(c, n->condition, &type_bool, "the condition of `if`");
		check_branch(c, n->left);
	}
	if (n && n->kind != NODE_IF)
		check_branch(c, n);
	c->nesting = nesting;
}

static void check_unavailable(struct kernel_checker *c, struct node *n)
{
	if (n->kind == NODE_WHILE) {
		kernel_hint(c, kernel_report(c, "E_KERNEL", n->at, "`while` is not available in a kernel"),
		            "use `for i in a..b`");
		kernel_require(c, n->condition, &type_bool, "the condition of `while`");
		check_branch(c, n->right);
		return;
	}
	kernel_hint(c, kernel_report(c, "E_KERNEL", n->at, "`return` is not available in a kernel"),
	            "put what follows into an `if`");
	if (n->left)
		kernel_infer(c, n->left);
}

static void check_value(struct kernel_checker *c, struct node *n)
{
	kernel_infer(c, n);
	if (n->type == &type_error)
		return;
	kernel_settle(c, n, NULL);
	kernel_hint(c, kernel_report(c, "E_KERNEL", n->span, "the value of this expression is not used"),
	            "a kernel stores its results: `y[gid] := ...`");
}

void kernel_check_statement(struct kernel_checker *c, struct node *n)
{
	switch (n->kind) {
	case NODE_BLOCK: {
		uint32_t open = c->hidden_count;
		for (uint32_t i = 0; i < n->part_count; i++)
			kernel_check_statement(c, n->parts[i]);
		kernel_close_scope(c, open);
		return;
	}
	case NODE_LET: check_let(c, n); return;
	case NODE_ASSIGN: check_assign(c, n); return;
	case NODE_FOR:
		if (!kernel_nest(c, n))
			return;
		check_for(c, n);
		c->nesting--;
		return;
	case NODE_IF: check_if(c, n); return;
	case NODE_WHILE:
	case NODE_RETURN: check_unavailable(c, n); return;
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
	case NODE_BORROW:
	case NODE_SHARED:
	case NODE_ERROR: check_value(c, n); return;
	}
}

/* ---- A kernel ---- */

/* F32, or F64 in a kernel with F64 parameters and no F32 ones (1.3). */
static struct type *float_default(const struct definition *d)
{
	bool f32 = false, f64 = false;
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		const struct type *t = d->parameters[i].variable->type;
		if (t->kind == TYPE_LIST)
			t = t->items[0];
		f32 |= t->kind == TYPE_F32;
		f64 |= t->kind == TYPE_F64;
	}
	return f64 && !f32 ? &type_f64 : &type_f32;
}

static void warn_unwritten(struct kernel_checker *c)
{
	for (uint32_t i = 0; i < c->definition->parameter_count; i++) {
		const struct variable *v = c->definition->parameters[i].variable;
		if (v->mutable && !c->written[i])
			kernel_hint(c,
			            kernel_report(c, "W_KERNEL_UNWRITTEN", v->span,
			                          "the `&mut` slice `%s` is never written", v->name),
			            "declare it as `%s: &[%s]`", v->name, kernel_type_name(v->type->items[0]));
	}
}

void kernel_check(struct program *p, struct definition *definition)
{
	struct kernel_checker c = {.program = p, .definition = definition, .float_default = float_default(definition)};
	c.names.arena = &c.scratch;
	c.slot_count = definition->parameter_count;
	c.written = ARENA_ARRAY(&c.scratch, bool, definition->parameter_count);
	for (uint32_t i = 0; i < definition->parameter_count; i++)
		table_set(&c.names, definition->parameters[i].name, definition->parameters[i].variable);
	c.part = KERNEL_GRID;
	if (definition->grid_count > 0)
		kernel_require(&c, definition->grid[0], &type_int, "the thread count of `@grid`");
	c.part = KERNEL_PRE;
	for (uint32_t i = 0; i < definition->pre_count; i++)
		kernel_require(&c, definition->pre[i].condition, &type_bool, "a `pre` clause");
	c.part = KERNEL_BODY;
	if (definition->body)
		kernel_check_statement(&c, definition->body);
	definition->frame_slots = c.slot_count;
	if (!definition->has_faults)
		warn_unwritten(&c);
	arena_free(&c.scratch);
}
