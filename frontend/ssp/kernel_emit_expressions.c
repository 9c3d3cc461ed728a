/* Kernel expressions as IR: literals, names, indices, choices; chains without recursion. */
#include <assert.h>
#include <string.h>

#include "frontend/ssp/kernel_check.h"
#include "frontend/ssp/kernel_emit.h"

const struct ir_type *kernel_ir_type(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INT: return &ir_types[IR_TYPE_i64];
	case TYPE_I32: return &ir_types[IR_TYPE_i32];
	case TYPE_U32: return &ir_types[IR_TYPE_u32];
	case TYPE_F32: return &ir_types[IR_TYPE_f32];
	case TYPE_F64: return &ir_types[IR_TYPE_f64];
	case TYPE_BOOL: return &ir_types[IR_TYPE_bool];
	case TYPE_STR:
	case TYPE_UNIT:
	case TYPE_LIST:
	case TYPE_TUPLE:
	case TYPE_OPT:
	case TYPE_RES:
	case TYPE_DEVBUF:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE:
	case TYPE_ERROR: break;
	}
	assert(!"no scalar");
	return &ir_types[IR_TYPE_void];
}

struct place kernel_place(const struct kernel_emitter *e, struct span span)
{
	return source_place(e->source, span.start);
}

struct ir_local *kernel_add_local(struct kernel_emitter *e, const char *name, const struct ir_type *type)
{
	uintptr_t used = (uintptr_t)table_get(&e->local_names, name);
	table_set(&e->local_names, name, (void *)(used + 1));
	if (used > 0)
		name = arena_format(e->scratch, "%s.%u", name, (unsigned)used);
	return ir_add_local(e->kernel, name, type);
}

void kernel_note_access(struct kernel_emitter *e, const struct ir_instruction *instruction, const struct node *n)
{
	struct kernel_access *access = ARENA_PUSH(e->scratch, e->accesses, e->access_count, e->access_capacity);
	access->instruction = instruction;
	access->node = n;
}

/* ---- Leaves ---- */

static struct ir_instruction *emit_real(struct kernel_emitter *e, const struct ir_type *type, double v)
{
	uint64_t bits = 0;
	if (type->kind == IR_TYPE_f32) {
		float single = (float)v;
		uint32_t low;
		memcpy(&low, &single, sizeof low);
		bits = low;
	} else {
		memcpy(&bits, &v, sizeof bits);
	}
	return ir_build_const(&e->builder, type, bits);
}

/* As a float an integer literal is exact; -0 is the integer 0. */
static struct ir_instruction *emit_integer(struct kernel_emitter *e, const struct node *n)
{
	const struct ir_type *type = kernel_ir_type(n->type);
	if (ir_type_is_float(type)) {
		double v = (double)n->number;
		return emit_real(e, type, n->negative && v != 0 ? -v : v);
	}
	return ir_build_const(&e->builder, type, n->negative ? 0 - n->number : n->number);
}

static struct ir_instruction *emit_name(struct kernel_emitter *e, const struct node *n)
{
	const struct variable *v = n->variable;
	if (!v)
		return ir_build_id(&e->builder, kernel_find_intrinsic(n->name)->op, 0);
	if (v->slot < e->parameter_count)
		return ir_build_parameter(&e->builder, v->slot);
	const struct kernel_binding *binding = &e->bindings[v->slot];
	return binding->local ? ir_build_get(&e->builder, binding->local) : binding->value;
}

/* gid.x */
static struct ir_instruction *emit_axis(struct kernel_emitter *e, const struct node *n)
{
	return ir_build_id(&e->builder, kernel_find_intrinsic(n->left->name)->op, n->name[0] == 'y');
}

static struct ir_memory *slice_memory(const struct kernel_emitter *e, const struct node *name)
{
	uint32_t slot = name->variable->slot;
	return slot < e->parameter_count ? e->kernel->parameters[slot].memory : e->bindings[slot].shared;
}

struct ir_memory *kernel_emit_check(struct kernel_emitter *e, const struct node *n, struct ir_instruction *index)
{
	struct ir_memory *memory = slice_memory(e, n->left);
	e->builder.place = kernel_place(e, n->at);
	ir_build_check_index(&e->builder, index, ir_build_length(&e->builder, memory));
	return memory;
}

static struct ir_instruction *emit_load(struct kernel_emitter *e, const struct node *n)
{
	struct ir_step step = {.index = kernel_emit(e, n->right)};
	struct ir_memory *memory = kernel_emit_check(e, n, step.index);
	struct ir_instruction *load = ir_build_load(&e->builder, memory, &step, 1);
	kernel_note_access(e, load, n);
	return load;
}

/* ---- Choices ---- */

/* Sets the local to n's value in region `number` of an `if`. */
static void emit_side(struct kernel_emitter *e, struct ir_instruction *choice, unsigned number, const struct node *n,
                      struct ir_local *local)
{
	struct ir_builder outer = e->builder;
	e->builder = ir_builder_enter(&outer, choice, number);
	struct ir_instruction *value = kernel_emit(e, n);
	e->builder.place = outer.place;
	ir_build_set(&e->builder, local, value);
	e->builder = outer;
}

static struct ir_instruction *emit_if(struct kernel_emitter *e, const struct node *n)
{
	struct ir_instruction *condition = kernel_emit(e, n->condition);
	if (kernel_is_cheap(n->left) && kernel_is_cheap(n->right)) {
		struct ir_instruction *then = kernel_emit(e, n->left), *other = kernel_emit(e, n->right);
		e->builder.place = kernel_place(e, n->at);
		return ir_build_select(&e->builder, condition, then, other);
	}
	struct ir_local *local = kernel_add_local(e, "value", kernel_ir_type(n->type));
	e->builder.place = kernel_place(e, n->at);
	struct ir_instruction *choice = ir_build_if(&e->builder, condition);
	emit_side(e, choice, 0, n->left, local);
	emit_side(e, choice, 1, n->right, local);
	return ir_build_get(&e->builder, local);
}

/* left and/or n->right. A chain of them sets one local again and again. */
static struct ir_instruction *emit_short_circuit(struct kernel_emitter *e, const struct node *n,
                                                 struct ir_instruction *left)
{
	bool both = n->operator_kind == OPERATOR_AND;
	if (kernel_is_cheap(n->right)) {
		struct ir_instruction *right = kernel_emit(e, n->right);
		e->builder.place = kernel_place(e, n->at);
		return kernel_emit_binary(e, n, left, right);
	}
	e->builder.place = kernel_place(e, n->at);
	struct ir_local *local = left->local;
	if (left != e->last_truth) {
		local = kernel_add_local(e, both ? "both" : "either", left->type);
		ir_build_set(&e->builder, local, left);
	}
	struct ir_instruction *choice = ir_build_if(&e->builder, left);
	emit_side(e, choice, both ? 0 : 1, n->right, local);
	struct ir_instruction *value = ir_build_get(&e->builder, local);
	e->last_truth = value;
	return value;
}

static struct ir_instruction *emit_block(struct kernel_emitter *e, const struct node *n)
{
	bool lockstep = e->lockstep;
	e->lockstep = false; /* a statement of its own is what the value is for */
	for (uint32_t i = 0; i + 1 < n->part_count; i++)
		kernel_emit_statement(e, n->parts[i]);
	struct ir_instruction *value = kernel_emit(e, n->parts[n->part_count - 1]);
	e->lockstep = lockstep;
	return value;
}

/* ---- Helpers ---- */

/* The arguments, left to right, become locals of the body, which stands in place of the call. `receiver`: the first
 * argument, already emitted; NULL: none is. */
static struct ir_instruction *emit_call(struct kernel_emitter *e, const struct node *n, struct ir_instruction *receiver)
{
	const struct kernel_helper *h = n->definition->helper;
	struct kernel_binding *bindings = ARENA_ARRAY(e->scratch, struct kernel_binding, h->slots),
	                      *outer = e->bindings;
	uint32_t count = 0, parameter_count = e->parameter_count;
	bool lockstep = e->lockstep;
	if (receiver)
		bindings[count++].value = receiver;
	for (uint32_t i = 0; i < n->part_count; i++)
		bindings[count++].value = kernel_emit(e, n->parts[i]);
	e->bindings = bindings;
	e->parameter_count = 0;
	e->lockstep = false;
	struct ir_instruction *value = kernel_emit(e, h->body);
	e->bindings = outer;
	e->parameter_count = parameter_count;
	e->lockstep = lockstep;
	e->last_truth = NULL;
	return value;
}

/* ---- Everything ---- */

static struct ir_instruction *emit_leaf(struct kernel_emitter *e, const struct node *n)
{
	e->builder.place = kernel_place(e, n->at);
	e->last_truth = NULL;
	switch (n->kind) {
	case NODE_INT: return emit_integer(e, n);
	case NODE_FLOAT: return emit_real(e, kernel_ir_type(n->type), n->real);
	case NODE_BOOL: return ir_build_const(&e->builder, &ir_types[IR_TYPE_bool], n->truth);
	case NODE_NAME: return emit_name(e, n);
	case NODE_METHOD:
		return n->builtin == KERNEL_METHOD_axis ? emit_axis(e, n)
		                                        : ir_build_length(&e->builder, slice_memory(e, n->left));
	case NODE_CALL: return emit_call(e, n, NULL);
	case NODE_INDEX: return emit_load(e, n);
	case NODE_IF: return emit_if(e, n);
	case NODE_BLOCK: return emit_block(e, n);
	case NODE_STRING:
	case NODE_TEXT:
	case NODE_UNIT:
	case NODE_PLACEHOLDER:
	case NODE_LIST:
	case NODE_TUPLE:
	case NODE_BINARY:
	case NODE_UNARY:
	case NODE_RANGE:
	case NODE_TUPLE_ITEM:
	case NODE_LAMBDA:
	case NODE_BORROW:
	case NODE_SHARED:
	case NODE_LET:
	case NODE_ASSIGN:
	case NODE_FOR:
	case NODE_WHILE:
	case NODE_RETURN:
	case NODE_ERROR: break;
	}
	assert(!"kernel_check let through what a kernel cannot compute");
	return NULL;
}

static struct ir_instruction *emit_step(struct kernel_emitter *e, const struct node *n, struct ir_instruction *left)
{
	struct ir_instruction *right = NULL;
	if (n->kind == NODE_BINARY && (n->operator_kind == OPERATOR_AND || n->operator_kind == OPERATOR_OR))
		return emit_short_circuit(e, n, left);
	if (n->kind == NODE_METHOD && n->builtin == KERNEL_METHOD_helper)
		return emit_call(e, n, left);
	if (n->kind == NODE_BINARY)
		right = kernel_emit(e, n->right);
	else if (n->kind == NODE_METHOD && n->part_count > 0)
		right = kernel_emit(e, n->parts[0]);
	e->builder.place = kernel_place(e, n->at);
	return n->kind == NODE_BINARY  ? kernel_emit_binary(e, n, left, right)
	       : n->kind == NODE_UNARY ? kernel_emit_unary(e, n, left)
	                               : kernel_emit_method(e, n, left, right);
}

static bool has_left_operand(const struct node *n)
{
	return n->kind == NODE_BINARY || n->kind == NODE_UNARY ||
	       (n->kind == NODE_METHOD && n->builtin != KERNEL_METHOD_len && n->builtin != KERNEL_METHOD_axis);
}

/* As kernel_infer: down the left operands in one loop, up in another. */
struct ir_instruction *kernel_emit(struct kernel_emitter *e, const struct node *n)
{
	size_t count = 0;
	for (const struct node *m = n; has_left_operand(m); m = m->left)
		count++;
	const struct node **chain = ARENA_ARRAY(e->scratch, const struct node *, count);
	for (size_t i = count; i > 0; n = n->left)
		chain[--i] = n;
	struct ir_instruction *value = emit_leaf(e, n);
	for (size_t i = 0; i < count; i++)
		value = emit_step(e, chain[i], value);
	return value;
}
