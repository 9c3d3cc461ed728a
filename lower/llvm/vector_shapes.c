#include "lower/llvm/vector_shapes.h"

#include "ir/ir_analysis.h"
#include "lower/llvm/atomic_order.h"

enum { MAX_INSTRUCTIONS = 2000 }; /* of a kernel whose code is there twice more */

struct finding {
	const struct ir_kernel *kernel;
	struct vector_shapes *shapes;
	const enum ir_uniformity *levels; /* by id; NULL: not grouped */
	bool proved, grouped;
	bool changed;
	bool has_loop;
	bool stored; /* a store has been visited */
};

/* ---- Which kernels ---- */

static bool is_supported(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	uint32_t flags = ir_op_infos[i->op].flags;
	f->has_loop = f->has_loop || i->op == IR_OP_for;
	if (flags & (IR_FLAG_ATOMIC | IR_FLAG_BARRIER | IR_FLAG_END) || i->op == IR_OP_loop || i->op == IR_OP_cut)
		return false;
	if (i->op == IR_OP_local_id || i->op == IR_OP_group_id)
		return i->axis > 0;
	return !i->base || (i->base->kind != IR_MEMORY_PRIVATE && i->base->kind != IR_MEMORY_SHARED);
}

/* Of kernels that cannot fail: there are groups, which meet at barriers, and atomics. */
static bool is_supported_proved(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	f->has_loop = f->has_loop || i->op == IR_OP_for;
	if (ir_op_infos[i->op].flags & IR_FLAG_END || i->op == IR_OP_loop)
		return false;
	if (i->op == IR_OP_local_id || i->op == IR_OP_group_id)
		return f->grouped || i->axis > 0;
	return !i->base || i->base->kind != IR_MEMORY_PRIVATE;
}

static bool reads_nothing_it_writes(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_load || !i->base->writable;
}

static bool checks_before_stores(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	f->stored = f->stored || i->op == IR_OP_store;
	return !f->stored || !(ir_op_infos[i->op].flags & IR_FLAG_TRAP);
}

static bool can_run_again(struct finding *f)
{
	const struct ir_region *body = &f->kernel->body;
	return ir_visit(body, reads_nothing_it_writes, NULL) ||
	       (ir_commit_safe(f->kernel) && ir_visit(body, checks_before_stores, f));
}

/* ---- Shapes ---- */

static enum vector_shape shape_of_operand(const struct finding *f, const struct ir_instruction *i, unsigned n)
{
	return f->shapes->values[i->operands[n]->id];
}

static bool is_varying_place(const struct finding *f, const struct ir_instruction *i)
{
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index && f->shapes->values[i->path[n].index->id] != VECTOR_UNIFORM)
			return true;
	/* Of a proved kernel's threads, none reads there what another writes. */
	return i->base->writable && !f->proved;
}

static bool is_in_varying_control(const struct finding *f, const struct ir_instruction *i)
{
	for (const struct ir_instruction *p = i->parent; p; p = p->parent)
		if (shape_of_operand(f, p, p->op == IR_OP_for) != VECTOR_UNIFORM)
			return true;
	return false;
}

static enum vector_shape join(const struct finding *f, const struct ir_instruction *i)
{
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (shape_of_operand(f, i, n) != VECTOR_UNIFORM)
			return VECTOR_VARYING;
	return VECTOR_UNIFORM;
}

static enum vector_shape sum(const struct finding *f, const struct ir_instruction *i)
{
	enum vector_shape x = shape_of_operand(f, i, 0), y = shape_of_operand(f, i, 1);
	bool affine = (x == VECTOR_AFFINE && y == VECTOR_UNIFORM) ||
	              (i->op == IR_OP_iadd_trap && x == VECTOR_UNIFORM && y == VECTOR_AFFINE);
	return affine ? VECTOR_AFFINE : join(f, i);
}

static enum vector_shape shape_of(const struct finding *f, const struct ir_instruction *i)
{
	if (f->levels && f->levels[i->id] != IR_VARYING)
		return VECTOR_UNIFORM;
	switch ((int)i->op) {
	case IR_OP_local_id:
	case IR_OP_global_id: return i->axis ? VECTOR_UNIFORM : VECTOR_AFFINE;
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap: return sum(f, i);
	case IR_OP_get: return f->shapes->varying_locals[i->local->index] ? VECTOR_VARYING : VECTOR_UNIFORM;
	case IR_OP_load: return is_varying_place(f, i) ? VECTOR_VARYING : VECTOR_UNIFORM;
	case IR_OP_for: return shape_of_operand(f, i, 0);
	}
	return join(f, i);
}

struct local_query {
	const struct finding *f;
	const struct ir_local *local;
};

static bool is_no_same_get(void *context, struct ir_instruction *i)
{
	const struct local_query *q = context;
	return i->op != IR_OP_get || i->local != q->local || q->f->levels[i->id] == IR_VARYING;
}

/* What the lanes of a group share is kept once (segments.h). */
static bool may_vary(const struct finding *f, const struct ir_local *local)
{
	return !f->levels || ir_visit(&f->kernel->body, is_no_same_get, &(struct local_query){f, local});
}

/* Shapes only ever grow. */
static bool grow(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	enum vector_shape *shape = &f->shapes->values[i->id], now = shape_of(f, i);
	if (now != *shape) {
		*shape = now;
		f->changed = true;
	}
	if (i->op == IR_OP_set && !f->shapes->varying_locals[i->local->index] && may_vary(f, i->local) &&
	    (shape_of_operand(f, i, 0) != VECTOR_UNIFORM || is_in_varying_control(f, i)))
		f->shapes->varying_locals[i->local->index] = f->changed = true;
	return true;
}

/* Lanes start a loop at one value, and go through control that holds a barrier as one. */
static bool starts_alike(void *context, struct ir_instruction *i)
{
	const struct finding *f = context;
	if (f->levels && ir_holds_barrier(i))
		for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
			if (f->levels[i->operands[n]->id] == IR_VARYING)
				return false;
	return i->op != IR_OP_for || shape_of_operand(f, i, 0) == VECTOR_UNIFORM;
}

static bool can_run(struct finding *f, struct arena *arena)
{
	const struct ir_kernel *k = f->kernel;
	switch (k->policy) {
	case IR_POLICY_STOP: return ir_visit(&k->body, is_supported, f) && f->has_loop && can_run_again(f);
	case IR_POLICY_PROVED:
		return ir_visit(&k->body, is_supported_proved, f) && (f->has_loop || f->grouped) &&
		       atomic_order_is_free(k, arena);
	case IR_POLICY_RECORD: break;
	}
	return false;
}

struct vector_shapes *vector_shapes_find(const struct ir_kernel *k, struct arena *arena)
{
	struct finding f = {.kernel = k, .proved = k->policy == IR_POLICY_PROVED, .grouped = ir_is_grouped(k)};
	if (k->next_id > MAX_INSTRUCTIONS || (k->index != IR_TYPE_i64 && !f.proved) || !can_run(&f, arena))
		return NULL;
	if (f.grouped)
		f.levels = ir_analyze_uniformity(k, arena);
	f.shapes = ARENA_ARRAY(arena, struct vector_shapes, 1);
	f.shapes->values = ARENA_ARRAY(arena, enum vector_shape, k->next_id);
	f.shapes->varying_locals = ARENA_ARRAY(arena, bool, k->local_count + 1);
	do {
		f.changed = false;
		ir_visit(&k->body, grow, &f);
	} while (f.changed);
	return ir_visit(&k->body, starts_alike, &f) ? f.shapes : NULL;
}
