/* Making and changing kernel IR. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "utils/base/arena.h"

/* ---- Modules and kernels ---- */

struct ir_module *ir_module_new(void)
{
	return memory_zeroed(1, sizeof(struct ir_module));
}

void ir_add_file(struct ir_module *m, uint32_t id, const char *name)
{
	*ARENA_PUSH(&m->arena, m->files, m->file_count, m->file_capacity) =
	    (struct ir_file){id, arena_string(&m->arena, name)};
}

void ir_module_free(struct ir_module *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	free(m);
}

struct ir_kernel *ir_kernel_new(struct ir_module *m, const char *name)
{
	struct ir_kernel *k = ARENA_NEW(&m->arena, struct ir_kernel);
	k->module = m;
	k->name = arena_string(&m->arena, name);
	k->policy = IR_POLICY_STOP;
	k->index = IR_TYPE_i64;
	k->axes = 1;
	for (int axis = 0; axis < 3; axis++)
		k->group[axis] = 1;
	*ARENA_PUSH(&m->arena, m->kernels, m->kernel_count, m->kernel_capacity) = k;
	return k;
}

struct ir_kernel *ir_module_find(const struct ir_module *m, const char *name)
{
	for (uint32_t i = 0; i < m->kernel_count; i++)
		if (strcmp(m->kernels[i]->name, name) == 0)
			return m->kernels[i];
	return NULL;
}

void ir_module_keep(struct ir_module *m, struct ir_kernel *k)
{
	m->kernels[0] = k;
	m->kernel_count = 1;
}

uint32_t ir_module_index(const struct ir_module *m, const struct ir_kernel *k)
{
	uint32_t i = 0;
	while (m->kernels[i] != k)
		i++;
	return i;
}

static struct ir_parameter *add_parameter(struct ir_kernel *k, const char *name, enum ir_parameter_kind kind,
                                          const struct ir_type *type)
{
	struct arena *arena = &k->module->arena;
	struct ir_parameter *p = ARENA_PUSH(arena, k->parameters, k->parameter_count, k->parameter_capacity);
	p->name = arena_string(arena, name);
	p->kind = kind;
	p->type = type;
	return p;
}

static struct ir_memory *add_memory(struct ir_kernel *k, const char *name, enum ir_memory_kind kind,
                                    const struct ir_type *type)
{
	struct arena *arena = &k->module->arena;
	struct ir_memory *memory = ARENA_NEW(arena, struct ir_memory);
	memory->kind = kind;
	memory->name = arena_string(arena, name);
	memory->type = type;
	*ARENA_PUSH(arena, k->memories, k->memory_count, k->memory_capacity) = memory;
	return memory;
}

uint32_t ir_add_scalar(struct ir_kernel *k, const char *name, const struct ir_type *type)
{
	add_parameter(k, name, IR_PARAMETER_SCALAR, type);
	return k->parameter_count - 1;
}

struct ir_memory *ir_add_buffer(struct ir_kernel *k, const char *name, const struct ir_type *element, bool writable)
{
	struct ir_memory *memory = add_memory(k, name, IR_MEMORY_BUFFER, element);
	memory->parameter = k->parameter_count;
	memory->writable = writable;
	add_parameter(k, name, IR_PARAMETER_BUFFER, element)->memory = memory;
	return memory;
}

struct ir_memory *ir_add_value(struct ir_kernel *k, const char *name, const struct ir_type *type)
{
	struct ir_memory *memory = add_memory(k, name, IR_MEMORY_VALUE, type);
	memory->parameter = k->parameter_count;
	add_parameter(k, name, IR_PARAMETER_VALUE, type)->memory = memory;
	return memory;
}

static const uint8_t *copy_init(struct ir_kernel *k, const struct ir_type *type, const void *init)
{
	if (!init)
		return NULL;
	uint8_t *copy = arena_alloc(&k->module->arena, type->size);
	memcpy(copy, init, type->size);
	return copy;
}

struct ir_memory *ir_add_private(struct ir_kernel *k, const char *name, const struct ir_type *type, const void *init)
{
	struct ir_memory *memory = add_memory(k, name, IR_MEMORY_PRIVATE, type);
	memory->writable = true;
	memory->init = copy_init(k, type, init);
	return memory;
}

struct ir_memory *ir_add_table(struct ir_kernel *k, const char *name, const struct ir_type *type, const void *init)
{
	struct ir_memory *memory = add_memory(k, name, IR_MEMORY_TABLE, type);
	memory->init = copy_init(k, type, init);
	return memory;
}

struct ir_memory *ir_add_shared(struct ir_kernel *k, const char *name, const struct ir_type *type, bool zeroed)
{
	struct ir_memory *memory = add_memory(k, name, IR_MEMORY_SHARED, type);
	memory->writable = true;
	memory->zeroed = zeroed;
	return memory;
}

struct ir_local *ir_add_local(struct ir_kernel *k, const char *name, const struct ir_type *type)
{
	struct arena *arena = &k->module->arena;
	struct ir_local *local = ARENA_NEW(arena, struct ir_local);
	local->name = arena_string(arena, name);
	local->type = type;
	local->index = k->local_count;
	*ARENA_PUSH(arena, k->locals, k->local_count, k->local_capacity) = local;
	return local;
}

struct ir_expression *ir_add_pre(struct ir_kernel *k, const char *text)
{
	struct arena *arena = &k->module->arena;
	struct ir_expression *e = ARENA_PUSH(arena, k->pre, k->pre_count, k->pre_capacity);
	e->text = text ? arena_string(arena, text) : NULL;
	return e;
}

/* ---- Instructions ---- */

static const struct ir_type *void_type(void)
{
	return &ir_types[IR_TYPE_void];
}

static struct ir_instruction *build(struct ir_builder *b, enum ir_op op, const struct ir_type *type)
{
	struct ir_instruction *i = ARENA_NEW(&b->kernel->module->arena, struct ir_instruction);
	i->op = op;
	i->type = type;
	i->id = b->kernel->next_id++;
	i->place = b->place;
	i->parent = b->parent;
	ir_insert(b->region, NULL, i);
	return i;
}

struct ir_instruction *ir_build_const(struct ir_builder *b, const struct ir_type *type, uint64_t bits)
{
	struct ir_instruction *i = build(b, IR_OP_const, type);
	i->bits = bits;
	return i;
}

struct ir_instruction *ir_build_int(struct ir_builder *b, const struct ir_type *type, int64_t value)
{
	assert(ir_type_is_integer(type));
	return ir_build_const(b, type, ir_canonical_bits(type, (uint64_t)value));
}

struct ir_instruction *ir_build_parameter(struct ir_builder *b, uint32_t parameter)
{
	struct ir_instruction *i = build(b, IR_OP_parameter, b->kernel->parameters[parameter].type);
	i->parameter = parameter;
	return i;
}

struct ir_instruction *ir_build_length(struct ir_builder *b, struct ir_memory *base)
{
	struct ir_instruction *i = build(b, IR_OP_length, &ir_types[b->kernel->index]);
	i->base = base;
	return i;
}

struct ir_instruction *ir_build_id(struct ir_builder *b, enum ir_op op, uint8_t axis)
{
	assert(op >= IR_OP_global_id && op <= IR_OP_grid_size);
	struct ir_instruction *i = build(b, op, &ir_types[b->kernel->index]);
	i->axis = axis;
	return i;
}

static const struct ir_type *computed_type(enum ir_op op, const struct ir_type *first)
{
	return ir_op_infos[op].result == IR_RESULT_BOOL ? &ir_types[IR_TYPE_bool] : first;
}

struct ir_instruction *ir_build_unary(struct ir_builder *b, enum ir_op op, struct ir_instruction *x)
{
	assert(ir_op_infos[op].arity == 1);
	struct ir_instruction *i = build(b, op, computed_type(op, x->type));
	i->operands[0] = x;
	return i;
}

struct ir_instruction *ir_build_binary(struct ir_builder *b, enum ir_op op, struct ir_instruction *x,
                                       struct ir_instruction *y)
{
	assert(ir_op_infos[op].arity == 2);
	struct ir_instruction *i = build(b, op, computed_type(op, x->type));
	i->operands[0] = x;
	i->operands[1] = y;
	return i;
}

struct ir_instruction *ir_build_select(struct ir_builder *b, struct ir_instruction *c, struct ir_instruction *x,
                                       struct ir_instruction *y)
{
	struct ir_instruction *i = build(b, IR_OP_select, x->type);
	i->operands[0] = c;
	i->operands[1] = x;
	i->operands[2] = y;
	return i;
}

struct ir_instruction *ir_build_convert(struct ir_builder *b, enum ir_op op, const struct ir_type *to,
                                        struct ir_instruction *x)
{
	assert(op == IR_OP_convert || op == IR_OP_convert_trap || op == IR_OP_convert_saturate || op == IR_OP_bitcast);
	struct ir_instruction *i = build(b, op, to);
	i->operands[0] = x;
	return i;
}

struct ir_instruction *ir_build_math(struct ir_builder *b, enum ir_math math, struct ir_instruction *x,
                                     struct ir_instruction *y)
{
	struct ir_instruction *i = build(b, y ? IR_OP_math2 : IR_OP_math, x->type);
	i->math = math;
	i->operands[0] = x;
	i->operands[1] = y;
	return i;
}

struct ir_instruction *ir_build_check_index(struct ir_builder *b, struct ir_instruction *i, struct ir_instruction *n)
{
	struct ir_instruction *check = build(b, IR_OP_check_index, void_type());
	check->operands[0] = i;
	check->operands[1] = n;
	return check;
}

struct ir_instruction *ir_build_check_range(struct ir_builder *b, struct ir_instruction *start,
                                            struct ir_instruction *end, struct ir_instruction *n)
{
	struct ir_instruction *check = build(b, IR_OP_check_range, void_type());
	check->operands[0] = start;
	check->operands[1] = end;
	check->operands[2] = n;
	return check;
}

struct ir_instruction *ir_build_check(struct ir_builder *b, struct ir_instruction *condition, enum trap_kind trap)
{
	struct ir_instruction *i = build(b, IR_OP_check, void_type());
	i->operands[0] = condition;
	i->trap = trap;
	return i;
}

/* ---- Memory ---- */

static struct ir_instruction *build_placed(struct ir_builder *b, enum ir_op op, struct ir_memory *base,
                                           const struct ir_step *path, uint32_t path_count)
{
	const struct ir_type *type = void_type();
	if (ir_op_infos[op].result == IR_RESULT_PLACE) {
		type = ir_place_type(base, path, path_count);
		if (!type) /* for the verifier to report */
			type = void_type();
	}
	struct ir_instruction *i = build(b, op, type);
	i->base = base;
	i->path_count = path_count;
	i->path = ARENA_ARRAY(&b->kernel->module->arena, struct ir_step, path_count);
	if (path_count)
		memcpy(i->path, path, path_count * sizeof *path);
	return i;
}

struct ir_instruction *ir_build_load(struct ir_builder *b, struct ir_memory *base, const struct ir_step *path,
                                     uint32_t path_count)
{
	return build_placed(b, IR_OP_load, base, path, path_count);
}

struct ir_instruction *ir_build_store(struct ir_builder *b, struct ir_memory *base, const struct ir_step *path,
                                      uint32_t path_count, struct ir_instruction *value)
{
	struct ir_instruction *i = build_placed(b, IR_OP_store, base, path, path_count);
	i->operands[0] = value;
	return i;
}

struct ir_instruction *ir_build_atomic(struct ir_builder *b, enum ir_op op, struct ir_memory *base,
                                       const struct ir_step *path, uint32_t path_count, struct ir_instruction *x,
                                       struct ir_instruction *y, enum ir_scope scope, enum ir_order order)
{
	assert(ir_op_infos[op].flags & IR_FLAG_ATOMIC);
	struct ir_instruction *i = build_placed(b, op, base, path, path_count);
	i->operands[0] = x;
	i->operands[1] = y;
	i->scope = scope;
	i->order = order;
	return i;
}

struct ir_instruction *ir_build_get(struct ir_builder *b, struct ir_local *local)
{
	struct ir_instruction *i = build(b, IR_OP_get, local->type);
	i->local = local;
	return i;
}

struct ir_instruction *ir_build_set(struct ir_builder *b, struct ir_local *local, struct ir_instruction *value)
{
	struct ir_instruction *i = build(b, IR_OP_set, void_type());
	i->local = local;
	i->operands[0] = value;
	return i;
}

/* ---- Workgroups ---- */

struct ir_instruction *ir_build_barrier(struct ir_builder *b, enum ir_barrier barrier)
{
	struct ir_instruction *i = build(b, IR_OP_barrier, void_type());
	i->barrier = barrier;
	return i;
}

struct ir_instruction *ir_build_cut(struct ir_builder *b)
{
	return build(b, IR_OP_cut, void_type());
}

/* ---- Control ---- */

struct ir_instruction *ir_build_if(struct ir_builder *b, struct ir_instruction *condition)
{
	struct ir_instruction *i = build(b, IR_OP_if, void_type());
	i->operands[0] = condition;
	return i;
}

struct ir_instruction *ir_build_for(struct ir_builder *b, struct ir_instruction *first, struct ir_instruction *end)
{
	struct ir_instruction *i = build(b, IR_OP_for, first->type);
	i->operands[0] = first;
	i->operands[1] = end;
	return i;
}

struct ir_instruction *ir_build_loop(struct ir_builder *b)
{
	return build(b, IR_OP_loop, void_type());
}

struct ir_instruction *ir_build_break(struct ir_builder *b, struct ir_instruction *target)
{
	struct ir_instruction *i = build(b, IR_OP_break, void_type());
	i->target = target;
	return i;
}

struct ir_instruction *ir_build_continue(struct ir_builder *b, struct ir_instruction *target)
{
	struct ir_instruction *i = build(b, IR_OP_continue, void_type());
	i->target = target;
	return i;
}

struct ir_instruction *ir_build_return(struct ir_builder *b)
{
	return build(b, IR_OP_return, void_type());
}

struct ir_instruction *ir_build_yield(struct ir_builder *b, struct ir_instruction *value)
{
	struct ir_instruction *i = build(b, IR_OP_yield, void_type());
	i->operands[0] = value;
	return i;
}

struct ir_builder ir_builder_enter(const struct ir_builder *b, struct ir_instruction *control, unsigned n)
{
	assert(n < 2 && (ir_op_infos[control->op].flags & IR_FLAG_CONTROL));
	return (struct ir_builder){b->kernel, &control->regions[n], control, b->place};
}
