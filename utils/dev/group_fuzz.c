/* Developer tool `group-fuzz [COUNT [SEED [wrapping]]]`: random small kernels with shared memory and barriers against
 * ir_find_races and ir_find_divergent_barriers; `wrapping`: as kernels that record failures, in 32 bits that wrap,
 * where ir_prove_races accepts.
 *
 * - A kernel that is accepted runs on the interpreter with small parameters, and the log of races stays empty
 *   (spec/sspur.md 1.5). The log keeps lanes apart by the barriers they pass.
 * - What is around a barrier in an accepted kernel is the same for all lanes of a group.
 * - A kernel whose accesses all are at one `lid` plus offset must be accepted.
 * - Two lanes named as an example must meet.
 *
 * Prints a summary; a kernel that breaks a rule is printed as text, and the status is 1. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_analysis.h"
#include "ir/ir_race_log.h"
#include "ir/ir_text.h"
#include "ir/ir_verify.h"

#define ELEMENTS 128 /* of a shared array */
#define ORIGIN 48    /* added to every index, so that small negative ones are elements too */
#define MAX_LOOPS 4
#define STEPS 20000 /* of a launch */

struct template
{
	bool write;
	unsigned index, guard; /* kinds */
	int64_t more;          /* than the value */
};

struct fuzz {
	uint64_t random;
	bool pure;   /* every access is at `lid` plus the same offset */
	bool themed; /* all accesses are of two templates, of one value that the group shares */
	struct template templates[2];
	unsigned theme;
	int64_t literal;
	struct ir_module *module;
	struct ir_kernel *kernel;
	uint32_t scalars[3]; /* n, s, c */
	struct ir_memory *x, *y, *shared[2];
	struct ir_local *truth, *number; /* the value of `a and b`; a var */
	unsigned choices;
	struct ir_instruction *loops[MAX_LOOPS]; /* around, with barriers */
	struct ir_instruction *inner;            /* around, without one */
	unsigned loop_count;
};

static uint64_t pick(struct fuzz *f, uint64_t n)
{
	f->random += 0x9e3779b97f4a7c15u;
	uint64_t z = f->random;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % n;
}

static struct ir_instruction *integer(struct ir_builder *b, int64_t value)
{
	return ir_build_int(b, &ir_types[IR_TYPE_i64], value);
}

static struct ir_instruction *binary(struct ir_builder *b, enum ir_op op, struct ir_instruction *x,
                                     struct ir_instruction *y)
{
	return ir_build_binary(b, op, x, y);
}

static struct ir_instruction *scalar(struct fuzz *f, struct ir_builder *b, unsigned n)
{
	return ir_build_parameter(b, f->scalars[n]);
}

/* lid, or lid.y * width + lid.x */
static struct ir_instruction *lane(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *x = ir_build_id(b, IR_OP_local_id, 0);
	if (f->kernel->axes == 1)
		return x;
	struct ir_instruction *rows = binary(b, IR_OP_imul_trap, ir_build_id(b, IR_OP_local_id, 1),
	                                     integer(b, f->kernel->group[0] + (!f->pure && pick(f, 12) == 0)));
	return pick(f, 2) ? binary(b, IR_OP_iadd_trap, rows, x) : binary(b, IR_OP_iadd_trap, x, rows);
}

/* ---- Values that a group shares ---- */

static struct ir_instruction *uniform_leaf(struct fuzz *f, struct ir_builder *b)
{
	switch (pick(f, 9)) {
	case 0:
	case 1: return integer(b, (int64_t)pick(f, 6) - 1);
	case 2: return scalar(f, b, 1 + (unsigned)pick(f, 2));
	case 3: return ir_build_id(b, IR_OP_group_id, 0);
	case 4: return ir_build_id(b, IR_OP_group_size, 0);
	case 5:
	case 6:
	case 7:
		if (f->loop_count)
			return f->loops[pick(f, f->loop_count)];
		break;
	}
	return scalar(f, b, 1);
}

/* `if c then x else y` as the front end makes it. */
static struct ir_instruction *choice(struct fuzz *f, struct ir_builder *b, struct ir_instruction *condition,
                                     struct ir_instruction *x, struct ir_instruction *y)
{
	char name[24];
	snprintf(name, sizeof name, "value.%u", f->choices++);
	struct ir_local *local = ir_add_local(f->kernel, arena_string(&f->module->arena, name), x->type);
	struct ir_instruction *test = ir_build_if(b, condition);
	struct ir_builder then = ir_builder_enter(b, test, 0), other = ir_builder_enter(b, test, 1);
	ir_build_set(&then, local, x);
	ir_build_set(&other, local, y);
	return ir_build_get(b, local);
}

static struct ir_instruction *theme_value(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *k = f->loop_count ? f->loops[f->loop_count - 1] : NULL;
	switch (f->theme) {
	case 0: return integer(b, f->literal);
	case 1: return scalar(f, b, 1);
	case 2: return k ? k : integer(b, f->literal);
	case 3: return k ? binary(b, IR_OP_ishr, integer(b, 4), k) : integer(b, 4);
	case 4: return f->loop_count ? f->loops[0] : scalar(f, b, 1);
	}
	return k ? binary(b, IR_OP_imul_trap, k, ir_build_id(b, IR_OP_group_size, 0)) : integer(b, 0);
}

static struct ir_instruction *uniform(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *x = uniform_leaf(f, b);
	switch (pick(f, 8)) {
	case 0: return binary(b, IR_OP_iadd_trap, x, uniform_leaf(f, b));
	case 1: return binary(b, IR_OP_isub_trap, x, uniform_leaf(f, b));
	case 2: return binary(b, IR_OP_ishr, integer(b, 4), x);
	case 3: return binary(b, IR_OP_irem_trap, x, integer(b, 2));
	case 4: return choice(f, b, binary(b, IR_OP_lt, x, uniform_leaf(f, b)), uniform_leaf(f, b), uniform_leaf(f, b));
	case 5: return binary(b, IR_OP_imul_trap, x, integer(b, 1 + (int64_t)pick(f, 3)));
	}
	return x;
}

/* ---- Conditions ---- */

static struct ir_instruction *comparison(struct fuzz *f, struct ir_builder *b)
{
	static const enum ir_op ops[] = {IR_OP_lt, IR_OP_lt, IR_OP_le, IR_OP_eq,
	                                 IR_OP_eq, IR_OP_ge, IR_OP_gt, IR_OP_ne};
	uint8_t axis = (uint8_t)pick(f, f->kernel->axes);
	struct ir_instruction *id = pick(f, 2) ? lane(f, b) : ir_build_id(b, IR_OP_local_id, axis), *u = uniform(f, b);
	if (pick(f, 3))
		return binary(b, ops[pick(f, 7)], id, u);
	return binary(b, ops[pick(f, sizeof ops / sizeof *ops)], u, id);
}

static struct ir_instruction *truth(struct fuzz *f, struct ir_builder *b)
{
	switch (pick(f, 4)) {
	case 0: return binary(b, IR_OP_lt, ir_build_get(b, f->number), uniform(f, b));
	case 1: return binary(b, IR_OP_le, uniform_leaf(f, b), uniform_leaf(f, b));
	}
	return comparison(f, b);
}

/* `is and other`, or now and then `or`, as the front end makes it. */
static struct ir_instruction *short_circuit(struct fuzz *f, struct ir_builder *b, struct ir_instruction *is)
{
	ir_build_set(b, f->truth, is);
	struct ir_instruction *test = ir_build_if(b, is);
	struct ir_builder side = ir_builder_enter(b, test, pick(f, 5) == 0);
	ir_build_set(&side, f->truth, truth(f, &side));
	return ir_build_get(b, f->truth);
}

static struct ir_instruction *guard(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *is = comparison(f, b);
	switch (pick(f, 9)) {
	case 0: return binary(b, IR_OP_band, is, truth(f, b));
	case 1: return binary(b, IR_OP_band, truth(f, b), is);
	case 2: return binary(b, IR_OP_bor, is, truth(f, b));
	case 3: return short_circuit(f, b, is);
	case 4: return ir_build_unary(b, IR_OP_bnot, is);
	case 5: {
		struct ir_instruction *other = truth(f, b);
		return ir_build_select(b, is, other, ir_build_const(b, &ir_types[IR_TYPE_bool], pick(f, 5) == 0));
	}
	}
	return is;
}

static struct ir_instruction *group_condition(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *x = uniform(f, b), *y = uniform(f, b);
	if (pick(f, 40) == 0) /* to be refused */
		x = pick(f, 2) ? lane(f, b) : ir_build_get(b, f->number);
	struct ir_instruction *is = binary(b, pick(f, 2) ? IR_OP_lt : IR_OP_eq, x, y);
	if (pick(f, 6) == 0) {
		ir_build_set(b, f->truth, is);
		struct ir_builder side = ir_builder_enter(b, ir_build_if(b, is), (unsigned)pick(f, 2));
		ir_build_set(&side, f->truth, binary(&side, IR_OP_le, uniform(f, &side), uniform(f, &side)));
		is = ir_build_get(b, f->truth);
	}
	return is;
}

/* ---- Accesses ---- */

static struct ir_instruction *offset(struct fuzz *f, struct ir_builder *b)
{
	if (f->pure)
		return scalar(f, b, 2);
	if (pick(f, 2) == 0)
		return integer(b, (int64_t)(pick(f, 3) * f->kernel->group[0] * f->kernel->group[1]));
	return pick(f, 4) ? uniform(f, b) : binary(b, IR_OP_iadd_trap, uniform(f, b), integer(b, (int64_t)pick(f, 4)));
}

static struct ir_instruction *index_of(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *own = lane(f, b), *u = offset(f, b);
	switch (f->pure ? 20 : pick(f, 20)) {
	case 0: return u;
	case 1:
		return binary(b, IR_OP_iadd_trap, u,
		              binary(b, IR_OP_imul_trap, own, integer(b, (int64_t)pick(f, 4) - 1)));
	case 2: return f->inner ? binary(b, IR_OP_iadd_trap, own, f->inner) : own;
	case 3: return binary(b, IR_OP_iadd_trap, own, ir_build_get(b, f->number));
	case 4: return binary(b, IR_OP_isub_trap, u, own);
	case 5:
	case 6:
	case 7: return own;
	}
	return pick(f, 2) ? binary(b, IR_OP_iadd_trap, own, u) : binary(b, IR_OP_iadd_trap, u, own);
}

static void access_shared(struct fuzz *f, struct ir_builder *b)
{
	struct ir_memory *shared = f->shared[pick(f, 2)];
	struct ir_instruction *one = ir_build_int(b, &ir_types[IR_TYPE_i32], 1);
	struct ir_step step = {.index = binary(b, IR_OP_iadd_trap, index_of(f, b), integer(b, ORIGIN))};
	ir_build_check_index(b, step.index, ir_build_length(b, shared));
	uint64_t how = pick(f, f->pure ? 10 : 11);
	if (how < 5)
		ir_build_load(b, shared, &step, 1);
	else if (how < 10)
		ir_build_store(b, shared, &step, 1, one);
	else
		ir_build_atomic(b, pick(f, 5) ? IR_OP_atomic_add : IR_OP_atomic_max, shared, &step, 1, one, NULL,
		                IR_SCOPE_WORKGROUP, IR_ORDER_RELAXED);
}

/* ---- Templates ---- */

#define INDEX_KINDS 8
#define GUARD_KINDS 12

static struct ir_instruction *template_value(struct fuzz *f, struct ir_builder *b, const struct template *t)
{
	struct ir_instruction *u = theme_value(f, b);
	return t->more ? binary(b, IR_OP_iadd_trap, u, integer(b, t->more)) : u;
}

static struct ir_instruction *theme_index(struct fuzz *f, struct ir_builder *b, const struct template *t)
{
	struct ir_instruction *own = lane(f, b), *u = template_value(f, b, t);
	struct ir_instruction *all = integer(b, f->kernel->group[0] * f->kernel->group[1]);
	switch (t->index) {
	case 0:
	case 1: return own;
	case 2: return binary(b, IR_OP_iadd_trap, own, u);
	case 3: return binary(b, IR_OP_iadd_trap, own, all);
	case 4: return u;
	case 5: return integer(b, f->literal);
	case 6: return binary(b, IR_OP_imul_trap, own, integer(b, 2));
	}
	return binary(b, IR_OP_iadd_trap, binary(b, IR_OP_iadd_trap, u, integer(b, 1)), own);
}

static struct ir_instruction *theme_guard(struct fuzz *f, struct ir_builder *b, const struct template *t)
{
	struct ir_instruction *own = lane(f, b), *u = template_value(f, b, t), *is = binary(b, IR_OP_lt, own, u),
	                      *other;
	struct ir_instruction *last = ir_build_id(b, IR_OP_local_id, f->kernel->axes - 1);
	switch (t->guard) {
	case 0: return is;
	case 1: return binary(b, IR_OP_le, own, u);
	case 2: return binary(b, IR_OP_eq, own, u);
	case 3: return binary(b, IR_OP_ge, own, u);
	case 4: return binary(b, IR_OP_lt, last, u);
	case 5: return binary(b, IR_OP_lt, ir_build_id(b, IR_OP_local_id, 0), u);
	case 6:
		is = binary(b, IR_OP_eq, ir_build_id(b, IR_OP_local_id, 0), u);
		return binary(b, IR_OP_band, is, binary(b, IR_OP_eq, last, integer(b, f->literal)));
	case 7: return binary(b, IR_OP_eq, last, u);
	case 8: return short_circuit(f, b, is);
	case 9: return short_circuit(f, b, binary(b, IR_OP_eq, own, u));
	case 10: return binary(b, IR_OP_eq, own, integer(b, f->literal));
	}
	other = truth(f, b);
	return ir_build_select(b, is, other, ir_build_const(b, &ir_types[IR_TYPE_bool], pick(f, 3) == 0));
}

static void access_template(struct fuzz *f, struct ir_builder *b)
{
	const struct template *t = &f->templates[pick(f, 2)];
	struct ir_builder inner = *b;
	if (t->guard < GUARD_KINDS)
		inner = ir_builder_enter(b, ir_build_if(b, theme_guard(f, b, t)), pick(f, 20) == 0);
	struct ir_instruction *i = theme_index(f, &inner, t);
	struct ir_step step = {.index = binary(&inner, IR_OP_iadd_trap, i, integer(&inner, ORIGIN))};
	ir_build_check_index(&inner, step.index, ir_build_length(&inner, f->shared[0]));
	if (t->write)
		ir_build_store(&inner, f->shared[0], &step, 1, ir_build_int(&inner, &ir_types[IR_TYPE_i32], 1));
	else
		ir_build_load(&inner, f->shared[0], &step, 1);
}

static void set_theme(struct fuzz *f)
{
	f->themed = !f->pure && pick(f, 4) != 0;
	f->theme = (unsigned)pick(f, 6);
	f->literal = (int64_t)pick(f, 5);
	for (unsigned n = 0; n < 2; n++)
		f->templates[n] = (struct template){n == 0 || pick(f, 2), (unsigned)pick(f, INDEX_KINDS),
		                                    (unsigned)pick(f, 2 * GUARD_KINDS), 0};
	if (pick(f, 2))
		f->templates[1].guard = f->templates[0].guard;
	if (pick(f, 3) == 0)
		f->templates[1].index = f->templates[0].index;
	if (pick(f, 4) == 0)
		f->templates[1].more = 1;
}

/* ---- Statements ---- */

static void body(struct fuzz *f, struct ir_builder *b, unsigned depth, bool together);

static void add_if(struct fuzz *f, struct ir_builder *b, unsigned depth, bool together)
{
	struct ir_instruction *test = ir_build_if(b, together ? group_condition(f, b) : guard(f, b));
	struct ir_builder then = ir_builder_enter(b, test, 0), other = ir_builder_enter(b, test, 1);
	body(f, &then, depth - 1, together);
	if (pick(f, 3) == 0)
		body(f, &other, depth - 1, together);
}

/* break or continue, of which all lanes decide together. */
static void add_jump(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *target = f->loops[pick(f, f->loop_count)], *test = ir_build_if(b, group_condition(f, b));
	struct ir_builder then = ir_builder_enter(b, test, 0);
	if (pick(f, 2))
		ir_build_break(&then, target);
	else
		ir_build_continue(&then, target);
}

/* A lane leaves by itself: a round, a loop without barriers, or the kernel. */
static void add_leave(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *test = ir_build_if(b, pick(f, 4) ? guard(f, b) : group_condition(f, b));
	struct ir_builder then = ir_builder_enter(b, test, 0);
	if (!f->inner)
		ir_build_return(&then);
	else if (pick(f, 2))
		ir_build_break(&then, f->inner);
	else
		ir_build_continue(&then, f->inner);
}

static void add_loop(struct fuzz *f, struct ir_builder *b, unsigned depth, bool together)
{
	struct ir_instruction *first = integer(b, (int64_t)pick(f, 2));
	struct ir_instruction *end = pick(f, 2) ? integer(b, (int64_t)pick(f, 4))
	                             : together ? uniform(f, b)
	                                        : lane(f, b);
	struct ir_instruction *loop = ir_build_for(b, first, end), *outer = f->inner;
	struct ir_builder inside = ir_builder_enter(b, loop, 0);
	if (together) {
		f->loops[f->loop_count++] = loop;
		if (pick(f, 2))
			ir_build_barrier(&inside, IR_BARRIER_WORKGROUP);
		body(f, &inside, depth - 1, true);
		if (pick(f, 3))
			ir_build_barrier(&inside, IR_BARRIER_WORKGROUP);
		if (pick(f, 6) == 0)
			add_jump(f, &inside);
		f->loop_count--;
	} else {
		f->inner = loop;
		body(f, &inside, depth - 1, false);
		f->inner = outer;
	}
}

static void statement(struct fuzz *f, struct ir_builder *b, unsigned depth, bool together)
{
	uint64_t what = pick(f, 20);
	if (together && what < 4)
		ir_build_barrier(b, pick(f, 12) ? IR_BARRIER_WORKGROUP : IR_BARRIER_STORAGE);
	else if (what < 7 && depth)
		add_if(f, b, depth, together && pick(f, 2));
	else if (what < 10 && depth && f->loop_count < MAX_LOOPS)
		add_loop(f, b, depth, together && pick(f, 3));
	else if (what == 10 && !f->pure && (f->inner || (!b->parent && pick(f, 3) == 0)))
		add_leave(f, b);
	else if (f->themed)
		access_template(f, b);
	else
		access_shared(f, b);
}

static void body(struct fuzz *f, struct ir_builder *b, unsigned depth, bool together)
{
	for (uint64_t n = 1 + pick(f, f->themed ? 2 : 3); n > 0; n--)
		statement(f, b, depth, together);
}

/* ---- Skeletons ---- */

static void maybe_access(struct fuzz *f, struct ir_builder *b)
{
	if (pick(f, 2))
		access_template(f, b);
}

static void maybe_barrier(struct fuzz *f, struct ir_builder *b)
{
	struct ir_builder inner = *b;
	switch (pick(f, 6)) {
	case 0: return;
	case 1: inner = ir_builder_enter(b, ir_build_if(b, group_condition(f, b)), (unsigned)pick(f, 2)); break;
	}
	ir_build_barrier(&inner, IR_BARRIER_WORKGROUP);
	if (inner.parent != b->parent && pick(f, 2))
		maybe_access(f, &inner);
}

/* A loop with accesses and barriers in all places, and something before and after it. */
static void add_skeleton(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	maybe_access(f, b);
	if (!b->parent && pick(f, 8) == 0) {
		struct ir_builder gone = ir_builder_enter(b, ir_build_if(b, guard(f, b)), 0);
		ir_build_return(&gone);
	}
	maybe_barrier(f, b);
	maybe_access(f, b);
	struct ir_instruction *end = pick(f, 2) ? integer(b, 2 + (int64_t)pick(f, 2)) : uniform(f, b);
	struct ir_instruction *loop = ir_build_for(b, integer(b, (int64_t)pick(f, 3) - 1), end);
	struct ir_builder inside = ir_builder_enter(b, loop, 0);
	f->loops[f->loop_count++] = loop;
	if (depth && pick(f, 3) == 0)
		add_skeleton(f, &inside, depth - 1);
	maybe_access(f, &inside);
	maybe_barrier(f, &inside);
	maybe_access(f, &inside);
	if (pick(f, 3) == 0)
		add_jump(f, &inside);
	maybe_access(f, &inside);
	maybe_barrier(f, &inside);
	f->loop_count--;
	maybe_access(f, b);
	maybe_barrier(f, b);
	maybe_access(f, b);
}

static void make_kernel(struct fuzz *f)
{
	static const char *const names[] = {"n", "s", "c"};
	f->module = ir_module_new();
	f->kernel = ir_kernel_new(f->module, "k");
	f->kernel->axes = pick(f, 4) ? 1 : 2;
	f->kernel->group[0] = 2 + (uint32_t)pick(f, 3);
	if (f->kernel->axes == 2)
		f->kernel->group[1] = 1 + (uint32_t)pick(f, 3);
	for (unsigned n = 0; n < 3; n++)
		f->scalars[n] = ir_add_scalar(f->kernel, names[n], &ir_types[IR_TYPE_i64]);
	const struct ir_type *array = ir_type_array(f->module, &ir_types[IR_TYPE_i32], ELEMENTS);
	f->shared[0] = ir_add_shared(f->kernel, "a", array, true);
	f->shared[1] = ir_add_shared(f->kernel, "b", array, true);
	f->truth = ir_add_local(f->kernel, "both", &ir_types[IR_TYPE_bool]);
	f->number = ir_add_local(f->kernel, "number", &ir_types[IR_TYPE_i64]);
	f->pure = pick(f, 12) == 0;
	set_theme(f);
	struct ir_builder b = {.kernel = f->kernel, .region = &f->kernel->body};
	ir_build_set(&b, f->number, pick(f, 2) ? integer(&b, 1) : ir_build_id(&b, IR_OP_local_id, 0));
	if (f->themed && pick(f, 2)) {
		add_skeleton(f, &b, 2);
	} else {
		body(f, &b, 3, true);
		body(f, &b, 3, true);
	}
	ir_kernel_number(f->kernel);
}

/* ---- Kernels that record failures ---- */

static const struct ir_type *narrow(const struct ir_type *type)
{
	return type->kind == IR_TYPE_i64 ? &ir_types[IR_TYPE_u32] : type;
}

static bool wrap(void *context, struct ir_instruction *i)
{
	(void)context;
	i->type = narrow(i->type);
	if (i->op == IR_OP_const && i->type->kind == IR_TYPE_u32)
		i->bits = (uint32_t)i->bits;
	switch ((int)i->op) {
	case IR_OP_iadd_trap: i->op = IR_OP_iadd; break;
	case IR_OP_isub_trap: i->op = IR_OP_isub; break;
	case IR_OP_imul_trap: i->op = IR_OP_imul; break;
	case IR_OP_irem_trap: i->op = IR_OP_irem; break;
	}
	return true;
}

/* The same kernel as Cone has them: its integers of 64 bits are of 32, which wrap. */
static void record_failures(struct fuzz *f)
{
	struct ir_kernel *k = f->kernel;
	k->policy = IR_POLICY_RECORD;
	k->index = IR_TYPE_u32;
	f->pure = false;
	for (uint32_t n = 0; n < k->local_count; n++)
		k->locals[n]->type = narrow(k->locals[n]->type);
	for (uint32_t n = 0; n < k->parameter_count; n++)
		k->parameters[n].type = narrow(k->parameters[n].type);
	ir_visit(&k->body, wrap, NULL);
}

static uint32_t find_unproved(const struct ir_kernel *k, struct arena *arena, struct ir_race **races)
{
	struct ir_race_proof *proofs;
	uint32_t count = 0, all = ir_prove_races(k, arena, &proofs);
	*races = ARENA_ARRAY(arena, struct ir_race, all);
	for (uint32_t n = 0; n < all; n++)
		if (proofs[n].kind == IR_RACE_PROOF_NONE)
			(*races)[count++] = proofs[n].race;
	return count;
}

static bool go_on(void *context, const struct kernel_trap *trap)
{
	(void)trap;
	const struct fuzz *f = context;
	return f->kernel->policy == IR_POLICY_RECORD;
}

/* ---- Runs ---- */

/* Runs two groups; true if two lanes meet. */
static bool run(const struct fuzz *f, int64_t s, int64_t c, struct ir_race_log *log, bool *whole)
{
	bool wraps = f->kernel->policy == IR_POLICY_RECORD;
	struct ir_argument arguments[] = {
	    {.bits = 8}, {.bits = wraps ? (uint32_t)s : (uint64_t)s}, {.bits = wraps ? (uint32_t)c : (uint64_t)c}};
	const uint32_t *group = f->kernel->group;
	uint64_t extents[] = {2 * group[0], group[1], 1}, steps = STEPS;
	struct kernel_trap trap;
	log->most = 4;
	*whole = ir_run_checked(f->kernel, arguments, extents, 0, extents[0] * extents[1], go_on, (void *)f, &trap,
	                        &steps, &(struct ir_looks){.races = log});
	return log->report_count > 0;
}

static void complain(const struct fuzz *f, const char *rule, const char *detail)
{
	struct text text = {0};
	ir_print_kernel(&text, f->kernel);
	printf("%s: %s\n%s\n", rule, detail, text_string(&text));
	text_free(&text);
}

static const int64_t values[] = {-1, 0, 1, 2, 3, 5};
#define VALUES (sizeof values / sizeof *values)

/* Whether a launch with small parameters races; `say`: that is wrong. */
static bool find_race(const struct fuzz *f, bool say)
{
	bool races = false;
	for (unsigned n = 0; n < VALUES * VALUES && !races; n++) {
		struct ir_race_log log = {0};
		bool whole;
		races = run(f, values[n % VALUES], values[n / VALUES], &log, &whole);
		if (races && say) {
			struct text text = {0};
			text_add_format(&text, "s = %" PRId64 ", c = %" PRId64 ": ", values[n % VALUES],
			                values[n / VALUES]);
			ir_race_print(&text, &log.reports[0]);
			complain(f, "accepted, but threads meet", text_string(&text));
			text_free(&text);
		}
		ir_race_log_free(&log);
	}
	return races;
}

/* Where a run ends early the example may be of what comes later. */
static bool example_holds(const struct fuzz *f, const struct ir_race *race)
{
	struct ir_race_log log = {0};
	bool whole, found = false;
	run(f, 1, 1, &log, &whole);
	for (uint32_t n = 0; n < log.report_count; n++)
		found |= log.reports[n].memory == race->memory;
	found |= log.report_count == log.most || !whole;
	ir_race_log_free(&log);
	return found;
}

struct counts {
	unsigned accepted, refused, racing, examples, divergent, wrong;
};

static void check_kernel(const struct fuzz *f, struct counts *counts)
{
	struct arena arena = {0};
	struct ir_race *races;
	struct ir_divergence *divergences;
	struct text faults = {0};
	bool wraps = f->kernel->policy == IR_POLICY_RECORD;
	uint32_t race_count = (wraps ? find_unproved : ir_find_races)(f->kernel, &arena, &races);
	uint32_t divergence_count = ir_find_divergent_barriers(f->kernel, &arena, &divergences);
	unsigned before = counts->wrong;
	if (!ir_verify_kernel(f->kernel, &faults)) {
		complain(f, "unsound", text_string(&faults));
		counts->wrong++;
	} else if (divergence_count) {
		counts->divergent++;
	} else if (!race_count) {
		counts->accepted++;
		counts->wrong += find_race(f, true);
	} else {
		counts->refused++;
		counts->racing += find_race(f, false);
		if (f->pure)
			complain(f, "refused, but every lane has its own elements", races->reason);
		counts->wrong += f->pure;
	}
	for (uint32_t n = 0; n < race_count && !divergence_count && !wraps && counts->wrong == before; n++) {
		counts->examples += races[n].has_example;
		if (races[n].has_example && !example_holds(f, &races[n])) {
			complain(f, "the example does not meet", races[n].reason);
			counts->wrong++;
		}
	}
	text_free(&faults);
	arena_free(&arena);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	bool wrapping = argc > 3 && strcmp(argv[3], "wrapping") == 0;
	struct counts counts = {0};
	for (uint64_t n = 0; n < count && counts.wrong < 5; n++) {
		struct fuzz f = {.random = seed * 1000003 + n};
		make_kernel(&f);
		if (wrapping)
			record_failures(&f);
		check_kernel(&f, &counts);
		ir_module_free(f.module);
	}
	printf("%" PRIu64 " kernels, %u accepted, %u refused (%u shown racing, %u examples), %u divergent, %u wrong\n",
	       count, counts.accepted, counts.refused, counts.racing, counts.examples, counts.divergent, counts.wrong);
	return counts.wrong != 0;
}
