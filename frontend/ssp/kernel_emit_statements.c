/* Kernel statements as IR. */
#include <assert.h>
#include <string.h>

#include "frontend/ssp/kernel_check.h"
#include "frontend/ssp/kernel_emit.h"

static void emit_shared(struct kernel_emitter *e, const struct node *let)
{
	const struct variable *v = let->names[0].variable;
	const struct node *n = let->left;
	const struct ir_type *type = ir_type_array(e->kernel->module, kernel_ir_type(n->type->items[0]), n->number);
	const char *name = v->name;
	if (strcmp(name, "_") == 0) /* there may be several */
		name = arena_format(e->scratch, "_.%u", v->slot);
	e->bindings[v->slot].shared = ir_add_shared(e->kernel, name, type, true);
}

static void emit_let(struct kernel_emitter *e, const struct node *n)
{
	const struct variable *v = n->names[0].variable;
	struct kernel_binding *binding = &e->bindings[v->slot];
	if (n->left->kind == NODE_SHARED) {
		emit_shared(e, n);
		return;
	}
	struct ir_instruction *value = kernel_emit(e, n->left);
	if (!n->mutable) {
		binding->value = value;
		return;
	}
	binding->local = kernel_add_local(e, v->name, value->type);
	e->builder.place = kernel_place(e, n->at);
	ir_build_set(&e->builder, binding->local, value);
}

/* The index, then the value, then the bounds are checked (1.3). */
static void emit_store(struct kernel_emitter *e, const struct node *target, const struct node *n)
{
	struct ir_step step = {.index = kernel_emit(e, target->right)};
	struct ir_instruction *value = kernel_emit(e, n);
	struct ir_memory *memory = kernel_emit_check(e, target, step.index);
	kernel_note_access(e, ir_build_store(&e->builder, memory, &step, 1, value), target);
}

static enum ir_op atomic_op(enum kernel_method method)
{
	return method == KERNEL_METHOD_atomic_add   ? IR_OP_atomic_add
	       : method == KERNEL_METHOD_atomic_min ? IR_OP_atomic_min
	       : method == KERNEL_METHOD_atomic_max ? IR_OP_atomic_max
	                                            : IR_OP_atomic_cas;
}

/* The index, then the values, then the bounds are checked (1.3). */
static void emit_atomic(struct kernel_emitter *e, const struct node *n)
{
	struct ir_step step = {.index = kernel_emit(e, n->parts[0])};
	struct ir_instruction *x = kernel_emit(e, n->parts[1]),
	                      *y = n->part_count > 2 ? kernel_emit(e, n->parts[2]) : NULL;
	struct ir_memory *memory = kernel_emit_check(e, n, step.index);
	enum ir_scope scope = memory->kind == IR_MEMORY_SHARED ? IR_SCOPE_WORKGROUP : IR_SCOPE_DEVICE;
	struct ir_instruction *atomic = ir_build_atomic(&e->builder, atomic_op((enum kernel_method)n->builtin), memory,
	                                                &step, 1, x, y, scope, IR_ORDER_RELAXED);
	kernel_note_access(e, atomic, n);
}

static void emit_barrier(struct kernel_emitter *e, const struct node *n)
{
	e->builder.place = kernel_place(e, n->at);
	kernel_note_access(e, ir_build_barrier(&e->builder, IR_BARRIER_WORKGROUP), n);
}

static void emit_assign(struct kernel_emitter *e, const struct node *n)
{
	if (n->left->kind == NODE_INDEX) {
		emit_store(e, n->left, n->right);
		return;
	}
	struct ir_instruction *value = kernel_emit(e, n->right);
	e->builder.place = kernel_place(e, n->at);
	ir_build_set(&e->builder, e->bindings[n->left->variable->slot].local, value);
}

static void emit_inside(struct kernel_emitter *e, struct ir_instruction *control, unsigned region, const struct node *n)
{
	struct ir_builder outer = e->builder;
	e->builder = ir_builder_enter(&outer, control, region);
	kernel_emit_statement(e, n);
	e->builder = outer;
}

static void emit_for(struct kernel_emitter *e, const struct node *n)
{
	struct ir_instruction *first = kernel_emit(e, n->left->left), *end = kernel_emit(e, n->left->right);
	e->builder.place = kernel_place(e, n->at);
	struct ir_instruction *loop = ir_build_for(&e->builder, first, end);
	e->bindings[n->names[0].variable->slot].value = loop;
	emit_inside(e, loop, 0, n->right);
}

static void emit_guarded(struct kernel_emitter *e, const struct node *n)
{
	const struct node *guards[KERNEL_MAX_GUARDS];
	uint32_t count = 0;
	const struct node *m = n->condition;
	while (count < KERNEL_MAX_GUARDS - 1 && m->kind == NODE_BINARY && m->operator_kind == OPERATOR_AND) {
		guards[count++] = m->right;
		m = m->left;
	}
	guards[count++] = m;
	struct ir_builder outer = e->builder;
	while (count > 0) {
		struct ir_instruction *condition = kernel_emit(e, guards[--count]);
		e->builder.place = kernel_place(e, n->at);
		struct ir_instruction *choice = ir_build_if(&e->builder, condition);
		e->builder = ir_builder_enter(&e->builder, choice, 0);
	}
	kernel_emit_statement(e, n->left);
	e->builder = outer;
}

static void emit_if(struct kernel_emitter *e, const struct node *n)
{
	if (!n->right) {
		emit_guarded(e, n);
		return;
	}
	struct ir_instruction *condition = kernel_emit(e, n->condition);
	e->builder.place = kernel_place(e, n->at);
	struct ir_instruction *choice = ir_build_if(&e->builder, condition);
	emit_inside(e, choice, 0, n->left);
	emit_inside(e, choice, 1, n->right);
}

static void emit_statement(struct kernel_emitter *e, const struct node *n)
{
	switch (n->kind) {
	case NODE_BLOCK:
		for (uint32_t i = 0; i < n->part_count; i++)
			kernel_emit_statement(e, n->parts[i]);
		return;
	case NODE_LET: emit_let(e, n); return;
	case NODE_ASSIGN: emit_assign(e, n); return;
	case NODE_FOR: emit_for(e, n); return;
	case NODE_IF: emit_if(e, n); return;
	case NODE_METHOD: emit_atomic(e, n); return;
	case NODE_CALL: emit_barrier(e, n); return;
	case NODE_UNIT: return;
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
	case NODE_WHILE:
	case NODE_RETURN:
	case NODE_ERROR: break;
	}
	assert(!"kernel_check let through what is no statement of a kernel");
}

/* Statement by statement the lanes of a group go on together. A cut stands where the region or a barrier does not cut
 * already. */
static void emit_cut(struct kernel_emitter *e, const struct node *n)
{
	const struct ir_instruction *last = e->builder.region->last;
	bool control = last && (ir_op_infos[last->op].flags & IR_FLAG_CONTROL);
	if (!last || last->op == IR_OP_barrier || (control && ir_holds_barrier(last)))
		return;
	e->builder.place = kernel_place(e, n->at);
	ir_build_cut(&e->builder);
}

/* Statements that compute nothing. */
static bool needs_no_cut(const struct node *n)
{
	return n->kind == NODE_CALL || n->kind == NODE_UNIT || (n->kind == NODE_LET && n->left->kind == NODE_SHARED);
}

void kernel_emit_statement(struct kernel_emitter *e, const struct node *n)
{
	bool lockstep = e->lockstep;
	if (n->kind != NODE_BLOCK) {
		if (lockstep && !needs_no_cut(n))
			emit_cut(e, n);
		e->lockstep &= n->holds_barrier;
	}
	emit_statement(e, n);
	e->lockstep = lockstep;
}
