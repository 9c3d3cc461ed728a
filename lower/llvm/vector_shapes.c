#include "lower/llvm/vector_shapes.h"

#include "ir/ir_analysis.h"
#include "lower/llvm/atomic_order.h"

enum {
	MAX_INSTRUCTIONS = 2000, /* of a kernel whose code is there twice more */
	MAX_PRIVATE_BYTES = 2048,
};

struct finding {
	const struct ir_kernel *kernel;
	struct vector_shapes *shapes;
	const enum ir_uniformity *levels; /* by id; NULL: not grouped */
	bool *lockstep;                   /* by id; NULL: not grouped */
	bool proved, grouped;
	bool masked; /* lanes end, or leave loops, one by one: not under IR_POLICY_STOP */
	bool records;
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

/* Of kernels whose threads do not run again. */
static bool is_supported_masked(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	f->has_loop = f->has_loop || i->op == IR_OP_for || i->op == IR_OP_loop;
	return f->grouped || i->op != IR_OP_cut;
}

static bool has_few_private_bytes(const struct ir_kernel *k)
{
	uint64_t bytes = 0;
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_PRIVATE)
			bytes += k->memories[n]->type->size;
	return bytes <= MAX_PRIVATE_BYTES;
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
	if (i->base->kind == IR_MEMORY_PRIVATE)
		return true;
	/* Threads that do not run again read nothing that another writes. */
	return i->base->writable && !f->masked;
}

static bool is_varying_control(const struct finding *f, const struct ir_instruction *control)
{
	if (f->shapes->divergent[control->id])
		return true;
	return control->op != IR_OP_loop && shape_of_operand(f, control, control->op == IR_OP_for) != VECTOR_UNIFORM;
}

/* Below `end`; NULL: the top. */
static bool is_in_varying_control(const struct finding *f, const struct ir_instruction *i,
                                  const struct ir_instruction *end)
{
	for (const struct ir_instruction *p = i->parent; p != end; p = p->parent)
		if (is_varying_control(f, p))
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
	/* Of checked lanes that are masked each one fails alone. */
	return affine && !f->records ? VECTOR_AFFINE : join(f, i);
}

static bool is_row(enum vector_shape shape)
{
	return shape == VECTOR_AFFINE || shape == VECTOR_WRAPPING;
}

static enum vector_shape wrapping_sum(const struct finding *f, const struct ir_instruction *i)
{
	enum vector_shape x = shape_of_operand(f, i, 0), y = shape_of_operand(f, i, 1);
	bool row = (is_row(x) && y == VECTOR_UNIFORM) || (i->op == IR_OP_iadd && x == VECTOR_UNIFORM && is_row(y));
	return row && f->masked && i->type->kind == f->kernel->index ? VECTOR_WRAPPING : join(f, i);
}

/* Ungrouped: a chunk of lanes may hold threads of two groups. */
static enum vector_shape shape_of_id(const struct finding *f, const struct ir_instruction *i)
{
	if (i->axis || (f->grouped && i->op == IR_OP_group_id))
		return VECTOR_UNIFORM;
	return f->grouped || i->op == IR_OP_global_id ? VECTOR_AFFINE : VECTOR_VARYING;
}

static enum vector_shape shape_of(const struct finding *f, const struct ir_instruction *i)
{
	if (f->levels && f->levels[i->id] != IR_VARYING)
		return VECTOR_UNIFORM;
	switch ((int)i->op) {
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_global_id: return shape_of_id(f, i);
	case IR_OP_iadd:
	case IR_OP_isub: return wrapping_sum(f, i);
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap: return sum(f, i);
	case IR_OP_get: return f->shapes->varying_locals[i->local->index] ? VECTOR_VARYING : VECTOR_UNIFORM;
	case IR_OP_load: return is_varying_place(f, i) ? VECTOR_VARYING : VECTOR_UNIFORM;
	case IR_OP_for:
		return f->masked && shape_of_operand(f, i, 0) != VECTOR_UNIFORM ? VECTOR_VARYING
		                                                                : shape_of_operand(f, i, 0);
	}
	return ir_op_infos[i->op].flags & IR_FLAG_ATOMIC ? VECTOR_VARYING : join(f, i);
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

/* The loops that some of the lanes leave here, or a round of them: the target, and what is in it. */
static void mark_divergent(struct finding *f, const struct ir_instruction *i)
{
	if (!is_in_varying_control(f, i, i->target) || f->shapes->divergent[i->target->id])
		return;
	f->shapes->divergent[i->target->id] = f->changed = true;
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
	    (shape_of_operand(f, i, 0) != VECTOR_UNIFORM || is_in_varying_control(f, i, NULL)))
		f->shapes->varying_locals[i->local->index] = f->changed = true;
	if (i->op == IR_OP_break || i->op == IR_OP_continue)
		mark_divergent(f, i);
	/* Its lanes are in different rounds at a time. */
	if (i->op == IR_OP_for && f->masked && !f->shapes->divergent[i->id] && *shape != VECTOR_UNIFORM)
		f->shapes->divergent[i->id] = f->changed = true;
	return true;
}

/* Lanes start a loop at one value, and go through joint control as one. */
static bool starts_alike(void *context, struct ir_instruction *i)
{
	const struct finding *f = context;
	if (f->levels && f->lockstep[i->id]) {
		if (f->shapes->divergent[i->id])
			return false;
		for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
			if (f->levels[i->operands[n]->id] == IR_VARYING)
				return false;
	}
	return f->masked || i->op != IR_OP_for || shape_of_operand(f, i, 0) == VECTOR_UNIFORM;
}

/* ---- Lanes that leave ---- */

static bool visit_leaving(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	bool fails = f->records && (ir_op_infos[i->op].flags & IR_FLAG_TRAP);
	bool ends = fails || i->op == IR_OP_return, leaves = ends;
	const struct ir_instruction *until = NULL;
	f->shapes->ends |= ends;
	if (i->op == IR_OP_break || i->op == IR_OP_continue) {
		until = i->target;
		leaves = f->shapes->divergent[until->id];
	}
	for (; leaves && i != until; i = i->parent)
		f->shapes->leaves[i->id] = true;
	return true;
}

/* Whether some get of the region comes to it by a way without a set of the local in the region. */
static bool is_read_before(const struct ir_region *region, const struct ir_local *local, bool set)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		if (i->op == IR_OP_get && i->local == local && !set)
			return true;
		if (i->op == IR_OP_set && i->local == local)
			set = true;
		for (unsigned n = 0; n < 2; n++)
			if (is_read_before(&i->regions[n], local, set))
				return true;
	}
	return false;
}

static bool is_no_get_of(void *context, struct ir_instruction *i)
{
	return i->op != IR_OP_get || i->local != context;
}

static unsigned count_gets(const struct ir_region *region, const struct ir_local *local)
{
	unsigned count = 0;
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		count += !is_no_get_of((void *)local, (struct ir_instruction *)i);
		count += count_gets(&i->regions[0], local) + count_gets(&i->regions[1], local);
	}
	return count;
}

static const struct ir_region *region_of(const struct finding *f, const struct ir_instruction *control,
                                         const struct ir_instruction *i)
{
	if (!control)
		return &f->kernel->body;
	while (i->parent != control)
		i = i->parent;
	while (i->previous)
		i = i->previous;
	return &control->regions[control->regions[0].first != i];
}

/* Where all lanes are that will read the local's value: those of the region of varying control around. At the top the
 * others have ended; of a group, not in the segment at hand. */
static bool visit_set(void *context, struct ir_instruction *i)
{
	struct finding *f = context;
	const struct ir_instruction *control = i->parent;
	if (i->op != IR_OP_set)
		return true;
	while (control && !is_varying_control(f, control))
		control = control->parent;
	if (!control) {
		f->shapes->whole[i->id] = true;
		return true;
	}
	const struct ir_region *region = region_of(f, control, i);
	f->shapes->whole[i->id] = count_gets(region, i->local) == count_gets(&f->kernel->body, i->local) &&
	                          !is_read_before(region, i->local, false);
	return true;
}

/* ---- The kernel ---- */

static bool can_run(struct finding *f, struct arena *arena)
{
	const struct ir_kernel *k = f->kernel;
	switch (k->policy) {
	case IR_POLICY_STOP:
		return k->index == IR_TYPE_i64 && ir_visit(&k->body, is_supported, f) && f->has_loop &&
		       can_run_again(f);
	case IR_POLICY_PROVED:
		/* Without checks and loops LLVM makes vectors of 64-bit ids itself. */
		return ir_visit(&k->body, is_supported_masked, f) && has_few_private_bytes(k) &&
		       (f->has_loop || f->grouped || k->index == IR_TYPE_u32) && atomic_order_is_free(k, arena);
	case IR_POLICY_RECORD:
		return ir_visit(&k->body, is_supported_masked, f) && has_few_private_bytes(k) &&
		       atomic_order_is_kept(k, arena);
	}
	return false;
}

static struct vector_shapes *shapes_new(const struct ir_kernel *k, struct arena *arena)
{
	struct vector_shapes *s = ARENA_ARRAY(arena, struct vector_shapes, 1);
	s->values = ARENA_ARRAY(arena, enum vector_shape, k->next_id);
	s->varying_locals = ARENA_ARRAY(arena, bool, k->local_count + 1);
	s->leaves = ARENA_ARRAY(arena, bool, k->next_id);
	s->divergent = ARENA_ARRAY(arena, bool, k->next_id);
	s->whole = ARENA_ARRAY(arena, bool, k->next_id);
	return s;
}

struct vector_shapes *vector_shapes_find(const struct ir_kernel *k, struct arena *arena)
{
	struct finding f = {.kernel = k, .proved = k->policy == IR_POLICY_PROVED, .grouped = ir_is_grouped(k)};
	f.records = k->policy == IR_POLICY_RECORD;
	f.masked = f.proved || f.records;
	if (k->next_id > MAX_INSTRUCTIONS || !can_run(&f, arena))
		return NULL;
	if (f.grouped) {
		f.levels = ir_analyze_uniformity(k, arena);
		f.lockstep = ir_find_lockstep(k, arena);
	}
	f.shapes = shapes_new(k, arena);
	do {
		f.changed = false;
		ir_visit(&k->body, grow, &f);
	} while (f.changed);
	if (!ir_visit(&k->body, starts_alike, &f))
		return NULL;
	ir_visit(&k->body, visit_leaving, &f);
	if (f.masked)
		ir_visit(&k->body, visit_set, &f);
	return f.shapes;
}
