/* Statements, clauses and the thread count of kernels (spec/sspur.md 1.1, 1.2). */
#include "frontend/ssp/kernel_check.h"

static void check_let(struct kernel_checker *c, struct node *n)
{
	struct type *t = &type_error;
	if (n->left->kind == NODE_SHARED) {
		kernel_check_shared(c, n);
		return;
	}
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
	if (v->type->kind == TYPE_LIST) {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_WRITE", target->span,
		                          "the shared array `%s` cannot be assigned to", v->name),
		            "store into an element: `%s[i] := ...`", v->name);
		return &type_error;
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
	if (!kernel_is_shared(c, v))
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
	} else { /* the parser has said it */
		c->definition->has_faults = true;
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
	uint32_t open = c->hidden_count, barriers = c->barrier_count;
	for (uint32_t i = 0; i < n->name_count; i++)
		kernel_declare(c, &n->names[i], &type_int, false);
	kernel_check_statement(c, n->right);
	kernel_close_scope(c, open);
	n->holds_barrier = c->barrier_count > barriers;
}

static void check_branch(struct kernel_checker *c, struct node *n)
{
	uint32_t open = c->hidden_count;
	kernel_check_statement(c, n);
	kernel_close_scope(c, open);
}

/* The guards that kernel_emit_guarded makes of `a and b and c`: levels of their own. */
static uint32_t count_guards(const struct node *n)
{
	uint32_t count = 0;
	for (const struct node *m = n->condition;
	     count + 1 < KERNEL_MAX_GUARDS && m->kind == NODE_BINARY && m->operator_kind == OPERATOR_AND; m = m->left)
		count++;
	return n->right ? 0 : count;
}

/* An `else if` counts as nested: that is what it becomes. */
static void check_if(struct kernel_checker *c, struct node *n)
{
	uint32_t nesting = c->nesting, barriers = c->barrier_count;
	kernel_require(c, n->condition, &type_bool, "the condition of `if`");
	for (uint32_t levels = 1 + count_guards(n); levels > 0; levels--) {
		if (kernel_nest(c, n))
			continue;
		c->nesting = nesting;
		return;
	}
	check_branch(c, n->left);
	if (n->right)
		check_branch(c, n->right);
	n->holds_barrier = c->barrier_count > barriers;
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
	case NODE_UNIT: n->type = &type_unit; return;
	case NODE_CALL:
		if (kernel_is_barrier(c, n))
			kernel_check_barrier(c, n);
		else
			check_value(c, n);
		return;
	case NODE_METHOD:
		if (kernel_is_atomic(n))
			kernel_check_atomic(c, n);
		else
			check_value(c, n);
		return;
	case NODE_INT:
	case NODE_FLOAT:
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_NAME:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_BINARY:
	case NODE_UNARY:
	case NODE_RANGE:
	case NODE_INDEX:
	case NODE_TUPLE_ITEM:
	case NODE_LAMBDA:
	case NODE_BORROW:
	case NODE_SHARED:
	case NODE_ERROR: check_value(c, n); return;
	}
}

/* ---- A kernel ---- */

uint32_t kernel_group(const struct definition *d, unsigned axis)
{
	const struct node *n = d->grid_count == 2 * d->grid_axes ? d->grid[d->grid_axes + axis] : NULL;
	return n && n->kind == NODE_INT && n->number <= 1024 ? (uint32_t)n->number : 1;
}

/* F32, or F64 where the signature has F64 and no F32 (1.3). */
struct type *kernel_float_default(const struct definition *d)
{
	bool f32 = d->result->kind == TYPE_F32, f64 = d->result->kind == TYPE_F64;
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

static void check_extents(struct kernel_checker *c)
{
	static const char *const names[] = {"the width of `@grid2`", "the height of `@grid2`"};
	const struct definition *d = c->definition;
	for (uint32_t i = 0; i < d->grid_axes && i < d->grid_count; i++)
		kernel_require(c, d->grid[i], &type_int, d->grid_axes == 1 ? "the thread count of `@grid`" : names[i]);
}

/* The statements at the top of the body, where shared arrays may stand. */
static void check_top(struct kernel_checker *c, struct node *body)
{
	uint32_t count = body->kind == NODE_BLOCK ? body->part_count : 1;
	for (uint32_t i = 0; i < count; i++) {
		struct node *n = body->kind == NODE_BLOCK ? body->parts[i] : body;
		c->top_statement = n;
		kernel_check_statement(c, n);
	}
}

void kernel_check(struct program *p, struct definition *definition)
{
	struct kernel_checker c = {
	    .program = p, .definition = definition, .float_default = kernel_float_default(definition)};
	c.names.arena = &c.scratch;
	c.slot_count = definition->parameter_count;
	c.written = ARENA_ARRAY(&c.scratch, bool, definition->parameter_count);
	for (uint32_t i = 0; i < definition->parameter_count; i++)
		table_set(&c.names, definition->parameters[i].name, definition->parameters[i].variable);
	c.part = KERNEL_GRID;
	check_extents(&c);
	c.part = KERNEL_PRE;
	for (uint32_t i = 0; i < definition->pre_count; i++)
		kernel_require(&c, definition->pre[i].condition, &type_bool, "a `pre` clause");
	c.part = KERNEL_BODY;
	if (definition->body)
		check_top(&c, definition->body);
	definition->frame_slots = c.slot_count;
	if (!definition->has_faults)
		warn_unwritten(&c);
	arena_free(&c.scratch);
}
