/* map, filter and the like over lists and ranges. A chain of pure stages runs element by element and keeps
 * nothing between two stages; what can be seen is as if each stage ended before the next began (spec 2.4): when
 * a stage traps, the stages before it go on over the other elements, as a trap of theirs would be the first. */
#include "frontend/ssp/host_internal.h"

enum stage_kind {
	STAGE_MAP,
	STAGE_FILTER,
	STAGE_TAKE,
	STAGE_DROP,
	/* the last one of a pipeline */
	STAGE_COLLECT,
	STAGE_FLATTEN,
	STAGE_FOLD,
	STAGE_SUM,
	STAGE_LENGTH,
	STAGE_ANY,
	STAGE_ALL,
};

struct stage {
	enum stage_kind kind;
	const struct node *node;
	struct value function; /* unit: the stage calls none */
	struct callable callable;
	int64_t count; /* TAKE, DROP: still to take or drop; SUM, LENGTH: elements seen */
};

/* More in one chain are run in parts. */
#define STAGES_MOST 12

struct pipeline {
	struct stage stages[STAGES_MOST + 1];
	uint32_t count;
	struct value *result; /* on the stack: the list, the accumulator, or the truth */
	bool decided;         /* ANY, ALL: whatever comes */
};

/* ---- One element ---- */

static bool call_stage(struct task *t, struct stage *s, struct value v)
{
	return callable_call(t, &s->callable, &v, 1);
}

/* Adds to the sum; false: it overflows. */
static bool add_to_sum(struct value *sum, struct value v)
{
	if (v.kind == VALUE_INT)
		return !__builtin_add_overflow(sum->integer, v.integer, &sum->integer);
	sum->real += v.real;
	return true;
}

static bool fold_element(struct task *t, struct pipeline *p, struct stage *s, struct value v)
{
	struct value arguments[2] = {*p->result, v};
	*p->result = value_unit();
	if (!callable_call(t, &s->callable, arguments, 2))
		return false;
	*p->result = pop(t);
	return true;
}

static bool test_element(struct task *t, struct pipeline *p, struct stage *s, struct value v)
{
	if (!call_stage(t, s, v))
		return false;
	bool truth = pop(t).truth;
	p->decided = truth == (s->kind == STAGE_ANY);
	if (p->decided)
		p->result->truth = truth;
	return true;
}

static bool flatten_element(struct task *t, struct pipeline *p, struct stage *s, struct value v)
{
	if (!call_stage(t, s, v))
		return false;
	const struct list *items = t->top[-1].list;
	list_append(p->result->list, items, 0, items->count);
	value_release(pop(t));
	return true;
}

/* The end of the pipeline; consumes v. */
static bool finish_element(struct task *t, struct pipeline *p, struct stage *s, struct value v)
{
	switch (s->kind) {
	case STAGE_COLLECT: list_push(p->result->list, v); return true;
	case STAGE_FLATTEN: return flatten_element(t, p, s, v);
	case STAGE_FOLD: return fold_element(t, p, s, v);
	case STAGE_SUM: s->count++; return add_to_sum(p->result, v) || trap_overflow(t, s->node);
	case STAGE_LENGTH:
		s->count++;
		value_release(v);
		return true;
	case STAGE_ANY:
	case STAGE_ALL: return test_element(t, p, s, v);
	case STAGE_MAP:
	case STAGE_FILTER:
	case STAGE_TAKE:
	case STAGE_DROP: break; /* never last */
	}
	return true;
}

/* TAKE and DROP: whether the element goes on. */
static bool passes_count(struct stage *s)
{
	bool left = s->count > 0;
	s->count -= left;
	return left == (s->kind == STAGE_TAKE);
}

/* FILTER. False: a trap. Else *passes says whether v, still the caller's, goes on. */
static bool passes_filter(struct task *t, struct stage *s, struct value v, bool *passes)
{
	value_retain(v);
	push(t, v); /* kept on the stack, in case of a trap */
	if (!call_stage(t, s, v))
		return false;
	*passes = pop(t).truth;
	t->top--;
	return true;
}

/* Takes v through the stages before `live`. Returns `live`, or the stage that trapped. */
static uint32_t run_element(struct task *t, struct pipeline *p, uint32_t live, struct value v)
{
	for (uint32_t i = 0; i < live; i++) {
		struct stage *s = &p->stages[i];
		bool passes = true;
		switch (s->kind) {
		case STAGE_MAP:
			if (!call_stage(t, s, v))
				return i;
			v = pop(t);
			break;
		case STAGE_FILTER:
			if (!passes_filter(t, s, v, &passes))
				return i;
			break;
		case STAGE_TAKE:
		case STAGE_DROP: passes = passes_count(s); break;
		case STAGE_COLLECT:
		case STAGE_FLATTEN:
		case STAGE_FOLD:
		case STAGE_SUM:
		case STAGE_LENGTH:
		case STAGE_ANY:
		case STAGE_ALL: return finish_element(t, p, s, v) ? live : i;
		}
		if (!passes)
			break;
		if (i + 1 == live)
			break;
	}
	value_release(v);
	return live;
}

/* ---- All elements ---- */

/* A negative count traps whatever the elements are: the stages before it may still trap first. */
static uint32_t first_negative(struct task *t, const struct pipeline *p, struct host_trap *first)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->stages[i].count < 0) {
			trap_raise(t, p->stages[i].node, "negative count");
			host_trap_move(first, &t->trap);
			return i;
		}
	return p->count;
}

static bool run(struct task *t, struct pipeline *p, const struct list *source)
{
	struct value *base = t->top;
	struct host_trap first = {0};
	uint32_t live = first_negative(t, p, &first);
	for (int64_t i = 0; i < source->count && live > 0; i++) {
		uint32_t reached = run_element(t, p, live, list_item(source, i));
		if (reached < live) {
			host_trap_move(&first, &t->trap);
			cut(t, base);
			live = reached;
		} else if (p->decided && live == p->count) {
			live--;
		}
	}
	if (!first.set)
		return true;
	host_trap_move(&t->trap, &first);
	t->unwind = UNWIND_TRAP;
	return false;
}

/* No stage leaves elements out or makes more of them. */
static bool keeps_count(const struct pipeline *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->stages[i].kind != STAGE_MAP && p->stages[i].kind != STAGE_COLLECT)
			return false;
	return true;
}

/* What the result is before the first element; `initial` is FOLD's. */
static struct value result_before(const struct pipeline *p, const struct list *source, struct value initial)
{
	const struct stage *last = &p->stages[p->count - 1];
	const struct type *type = last->node->type;
	switch (last->kind) {
	case STAGE_COLLECT:
	case STAGE_FLATTEN: return list_new(storage_of(type->items[0]), keeps_count(p) ? source->count : 0);
	case STAGE_SUM: return type->kind == TYPE_INT ? value_int(0) : value_f64(-0.0);
	case STAGE_ANY:
	case STAGE_ALL: return value_bool(last->kind == STAGE_ALL);
	case STAGE_FOLD: return initial;
	case STAGE_LENGTH:
	case STAGE_MAP:
	case STAGE_FILTER:
	case STAGE_TAKE:
	case STAGE_DROP: break;
	}
	return value_unit();
}

/* What it is after the last: no F64s sum to 0.0, not -0.0 (spec 2.6). */
static struct value result_after(const struct pipeline *p)
{
	const struct stage *last = &p->stages[p->count - 1];
	if (last->kind == STAGE_LENGTH)
		return value_int(last->count);
	if (last->kind == STAGE_SUM && last->count == 0 && p->result->kind == VALUE_F64)
		return value_f64(0.0);
	return *p->result;
}

/* The stages are set, and the source is *a, which the result replaces with all that is above. `initial` is
 * FOLD's value, moved out of the stack. */
static bool run_pipeline(struct task *t, struct pipeline *p, struct value *a, struct value initial)
{
	p->result = t->top;
	push(t, result_before(p, a->list, initial));
	for (uint32_t i = 0; i < p->count; i++) {
		struct stage *s = &p->stages[i];
		if (s->function.kind != VALUE_UNIT && !callable_open(t, &s->callable, s->function, s->node))
			return false;
	}
	if (!run(t, p, a->list))
		return false;
	struct value result = result_after(p);
	*p->result = value_unit();
	return give(t, a, result);
}

static void add_stage(struct pipeline *p, enum stage_kind kind, const struct node *n, struct value function,
                      int64_t count)
{
	p->stages[p->count++] = (struct stage){.kind = kind, .node = n, .function = function, .count = count};
}

/* ---- One stage, as written ---- */

static bool run_single(struct task *t, const struct node *n, struct value *a, enum stage_kind first,
                       enum stage_kind last)
{
	struct pipeline p = {0};
	struct value initial = value_unit(), function = t->top > a + 1 ? t->top[-1] : value_unit();
	if (last == STAGE_FOLD) {
		initial = a[1];
		a[1] = value_unit();
	}
	add_stage(&p, first, n, function, 0);
	if (first != last)
		add_stage(&p, last, n, value_unit(), 0);
	return run_pipeline(t, &p, a, initial);
}

bool builtin_list_map(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_MAP, STAGE_COLLECT);
}

bool builtin_list_filter(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_FILTER, STAGE_COLLECT);
}

bool builtin_list_flat_map(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_FLATTEN, STAGE_FLATTEN);
}

bool builtin_list_fold(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_FOLD, STAGE_FOLD);
}

bool builtin_list_any(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_ANY, STAGE_ANY);
}

bool builtin_list_all(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_ALL, STAGE_ALL);
}

bool builtin_list_sum(struct task *t, const struct node *n, struct value *a)
{
	return run_single(t, n, a, STAGE_SUM, STAGE_SUM);
}

/* ---- Chains ---- */

static bool is_list_method(const struct node *n)
{
	return n->kind == NODE_METHOD && (n->reference == REFERENCE_NONE || n->reference == REFERENCE_BUILTIN);
}

/* map, filter, take or drop with arguments that can wait. */
static bool is_inner_stage(const struct node *n)
{
	if (!is_list_method(n))
		return false;
	switch (n->builtin) {
	case BUILTIN_list_map:
	case BUILTIN_list_filter: return is_pure_function(n->parts[0]);
	case BUILTIN_list_take:
	case BUILTIN_list_drop: return is_constant(n->parts[0]);
	}
	return false;
}

static bool is_last_stage(const struct node *n)
{
	if (is_inner_stage(n))
		return true;
	if (!is_list_method(n))
		return false;
	switch (n->builtin) {
	case BUILTIN_list_sum:
	case BUILTIN_list_len: return true;
	case BUILTIN_list_flat_map:
	case BUILTIN_list_any:
	case BUILTIN_list_all: return is_pure_function(n->parts[0]);
	case BUILTIN_list_fold: return is_constant(n->parts[0]) && is_pure_function(n->parts[1]);
	}
	return false;
}

/* The stages before n that run with it, outermost first. The innermost is a map or filter: take and drop
 * before that are cheaper on the list or range itself. */
static uint32_t inner_stages(const struct node *n, const struct node *stages[STAGES_MOST])
{
	uint32_t count = 0;
	for (const struct node *s = n->left; count < STAGES_MOST - 1 && is_inner_stage(s); s = s->left)
		stages[count++] = s;
	while (count && stages[count - 1]->builtin != BUILTIN_list_map &&
	       stages[count - 1]->builtin != BUILTIN_list_filter)
		count--;
	return count;
}

bool pipeline_fuses(const struct node *n)
{
	const struct node *stages[STAGES_MOST];
	return n->kind == NODE_METHOD && n->left->kind == NODE_METHOD && inner_stages(n, stages) > 0 &&
	       is_last_stage(n);
}

/* Evaluates the arguments of n, which have no effects, and adds its stage, the collecting one last. */
static bool add_node(struct task *t, struct pipeline *p, const struct node *n, struct value *initial)
{
	struct value *a = t->top;
	for (uint32_t i = 0; i < n->part_count; i++)
		if (!evaluate(t, n->parts[i]))
			return false;
	switch (n->builtin) {
	case BUILTIN_list_map: add_stage(p, STAGE_MAP, n, a[0], 0); break;
	case BUILTIN_list_filter: add_stage(p, STAGE_FILTER, n, a[0], 0); break;
	case BUILTIN_list_take: add_stage(p, STAGE_TAKE, n, value_unit(), a[0].integer); break;
	case BUILTIN_list_drop: add_stage(p, STAGE_DROP, n, value_unit(), a[0].integer); break;
	case BUILTIN_list_flat_map: add_stage(p, STAGE_FLATTEN, n, a[0], 0); break;
	case BUILTIN_list_any: add_stage(p, STAGE_ANY, n, a[0], 0); break;
	case BUILTIN_list_all: add_stage(p, STAGE_ALL, n, a[0], 0); break;
	case BUILTIN_list_sum: add_stage(p, STAGE_SUM, n, value_unit(), 0); break;
	case BUILTIN_list_len: add_stage(p, STAGE_LENGTH, n, value_unit(), 0); break;
	case BUILTIN_list_fold:
		*initial = a[0];
		a[0] = value_unit();
		add_stage(p, STAGE_FOLD, n, a[1], 0);
		break;
	}
	return true;
}

bool evaluate_pipeline(struct task *t, const struct node *n)
{
	const struct node *stages[STAGES_MOST];
	uint32_t count = inner_stages(n, stages);
	struct pipeline p = {0};
	struct value *a = t->top, initial = value_unit();
	const struct node *source = stages[count - 1]->left;
	if (!evaluate(t, source))
		return false;
	witness_source(t, n, source, *a);
	while (count)
		if (!add_node(t, &p, stages[--count], &initial))
			return false;
	if (!add_node(t, &p, n, &initial))
		return false;
	if (p.stages[p.count - 1].kind < STAGE_COLLECT)
		add_stage(&p, STAGE_COLLECT, n, value_unit(), 0);
	return run_pipeline(t, &p, a, initial);
}
