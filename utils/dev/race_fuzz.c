/* Developer tool `race-fuzz [COUNT [SEED]]`: random small kernels against ir_find_races.
 *
 * - A kernel that is accepted runs with small parameters, and no two threads may touch one element of a
 *   buffer that either of them writes. The threads run on an evaluator of its own that records elements.
 * - A kernel whose accesses all have one shape of spec/sspur.md 1.4 must be accepted.
 * - Two threads named as an example must meet.
 *
 * Prints a summary; a kernel that breaks a rule is printed as text, and the status is 1. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_analysis.h"
#include "ir/ir_fold.h"
#include "ir/ir_text.h"
#include "ir/ir_verify.h"

/* ---- Random kernels ---- */

enum theme { THEME_OFFSET, THEME_BLOCK, THEME_LITERAL_BLOCK, THEME_GROUP, THEME_PLANE, THEME_COUNT };

#define MAX_LOOPS 4

struct fuzz {
	uint64_t random;
	bool pure; /* every access has the theme's shape */
	enum theme theme;
	struct ir_module *module;
	struct ir_kernel *kernel;
	uint32_t scalars[3]; /* n, s, c */
	struct ir_memory *y, *x;
	struct ir_local *truth, *number; /* a condition and an index through locals */
	int64_t literal;                 /* the block size or the guard, where it is one */
	unsigned scalar;                 /* the parameter used as offset, block size or guard */
	bool by_parameter;
	unsigned width; /* how the grid's width is written */
	struct ir_instruction *loops[MAX_LOOPS];
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

static const struct ir_type *index_type(void)
{
	return &ir_types[IR_TYPE_i64];
}

static struct ir_instruction *integer(struct ir_builder *b, int64_t value)
{
	return ir_build_int(b, index_type(), value);
}

static struct ir_instruction *scalar(struct fuzz *f, struct ir_builder *b, unsigned n)
{
	return ir_build_parameter(b, f->scalars[n]);
}

static struct ir_instruction *add(struct ir_builder *b, struct ir_instruction *x, struct ir_instruction *y)
{
	return ir_build_binary(b, IR_OP_iadd_trap, x, y);
}

static struct ir_instruction *multiply(struct ir_builder *b, struct ir_instruction *x, struct ir_instruction *y)
{
	return ir_build_binary(b, IR_OP_imul_trap, x, y);
}

static struct ir_instruction *random_leaf(struct fuzz *f, struct ir_builder *b)
{
	uint8_t axis = (uint8_t)pick(f, f->kernel->axes);
	switch (pick(f, 12)) {
	case 0: return integer(b, (int64_t)pick(f, 6) - 2);
	case 1: return integer(b, pick(f, 2) ? 1 : 0);
	case 2: return scalar(f, b, (unsigned)pick(f, 3));
	case 3: return ir_build_length(b, f->x);
	case 4: return ir_build_id(b, IR_OP_local_id, axis);
	case 5: return ir_build_id(b, IR_OP_group_id, axis);
	case 6: return ir_build_id(b, pick(f, 2) ? IR_OP_group_size : IR_OP_grid_size, axis);
	case 7: return ir_build_get(b, f->number);
	case 8:
		if (f->loop_count)
			return f->loops[pick(f, f->loop_count)];
		break;
	}
	return ir_build_id(b, IR_OP_global_id, axis);
}

static struct ir_instruction *random_index(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	static const enum ir_op ops[] = {IR_OP_iadd_trap, IR_OP_isub_trap, IR_OP_imul_trap, IR_OP_iadd_trap, IR_OP_iadd,
	                                 IR_OP_idiv_trap, IR_OP_irem_trap, IR_OP_ishl,      IR_OP_imul};
	if (!depth || pick(f, 3) == 0)
		return random_leaf(f, b);
	struct ir_instruction *x = random_index(f, b, depth - 1);
	switch (pick(f, 8)) {
	case 0: return ir_build_unary(b, IR_OP_ineg_trap, x);
	case 1:
		x = ir_build_convert(b, IR_OP_convert_trap, &ir_types[IR_TYPE_u32], x);
		return ir_build_convert(b, IR_OP_convert, index_type(), x);
	case 2: {
		struct ir_instruction *y = random_leaf(f, b);
		return ir_build_select(b, ir_build_binary(b, IR_OP_lt, x, y), x, y);
	}
	}
	return ir_build_binary(b, ops[pick(f, sizeof ops / sizeof *ops)], x, random_index(f, b, depth - 1));
}

/* The theme's uniform value: an offset, a block size or a guard. */
static struct ir_instruction *theme_value(struct fuzz *f, struct ir_builder *b)
{
	if (!f->by_parameter)
		return integer(b, f->literal);
	struct ir_instruction *value = scalar(f, b, f->scalar);
	if (pick(f, 3) == 0) /* the same in other words */
		return ir_build_binary(b, IR_OP_isub_trap, add(b, value, integer(b, 3)), integer(b, 3));
	return value;
}

/* Now and then something else instead of x, to be refused unless it is the same after all. */
static struct ir_instruction *bend(struct fuzz *f, struct ir_builder *b, struct ir_instruction *x)
{
	if (f->pure || pick(f, 10))
		return x;
	switch (pick(f, 4)) {
	case 0: return add(b, x, integer(b, (int64_t)pick(f, 5) - 2));
	case 1: return add(b, x, random_leaf(f, b));
	case 2: return add(b, x, random_index(f, b, 1));
	}
	return ir_build_binary(b, pick(f, 2) ? IR_OP_idiv_trap : IR_OP_isub_trap, x, random_leaf(f, b));
}

#define WIDTHS 4

static struct ir_instruction *width_of(struct fuzz *f, struct ir_builder *b, unsigned kind)
{
	struct ir_instruction *n = scalar(f, b, 0), *s = scalar(f, b, 1);
	switch (kind) {
	case 1: return add(b, n, s);
	case 2: return multiply(b, integer(b, 2), n);
	case 3: return ir_build_select(b, ir_build_binary(b, IR_OP_lt, n, s), n, s);
	}
	return n;
}

static int64_t width_value(unsigned kind, int64_t n, int64_t s)
{
	return kind == 1 ? n + s : kind == 2 ? 2 * n : kind == 3 && s < n ? s : n;
}

/* The theme's index; j is the loop variable of a block. */
static struct ir_instruction *theme_index(struct fuzz *f, struct ir_builder *b, struct ir_instruction *j)
{
	struct ir_instruction *gid = ir_build_id(b, IR_OP_global_id, 0);
	switch (f->theme) {
	case THEME_OFFSET:
		return pick(f, 2) ? add(b, gid, bend(f, b, theme_value(f, b))) : add(b, theme_value(f, b), gid);
	case THEME_BLOCK:
	case THEME_LITERAL_BLOCK:
		if (j)
			return add(b, multiply(b, gid, theme_value(f, b)), j);
		return add(b, multiply(b, theme_value(f, b), gid), integer(b, (int64_t)pick(f, (uint64_t)f->literal)));
	case THEME_GROUP: return add(b, ir_build_id(b, IR_OP_group_id, 0), scalar(f, b, 0));
	case THEME_PLANE: {
		bool other = !f->pure && pick(f, 6) == 0;
		struct ir_instruction *width = ir_build_id(b, IR_OP_grid_size, other);
		if (pick(f, 2))
			width = width_of(f, b, other ? (unsigned)pick(f, WIDTHS) : f->width);
		gid = add(b, gid, multiply(b, ir_build_id(b, IR_OP_global_id, 1), width));
		return add(b, gid, theme_value(f, b));
	}
	case THEME_COUNT: break;
	}
	return gid;
}

static void access_y(struct fuzz *f, struct ir_builder *b, struct ir_instruction *index)
{
	struct ir_step step = {.index = index};
	if (pick(f, 2))
		ir_build_load(b, f->y, &step, 1);
	else
		ir_build_store(b, f->y, &step, 1, ir_build_int(b, &ir_types[IR_TYPE_i32], 1));
}

static void random_body(struct fuzz *f, struct ir_builder *b, unsigned depth);

/* `is and other`: other is computed only if it matters. */
static struct ir_instruction *both(struct fuzz *f, struct ir_builder *b, struct ir_instruction *is,
                                   struct ir_instruction *other)
{
	bool other_first = !f->pure && pick(f, 4) == 0;
	struct ir_instruction *choice = ir_build_if(b, other_first ? other : is);
	struct ir_builder yes = ir_builder_enter(b, choice, 0), no = ir_builder_enter(b, choice, 1);
	ir_build_set(&yes, f->truth, other_first ? is : other);
	ir_build_set(&no, f->truth, ir_build_const(&no, &ir_types[IR_TYPE_bool], !f->pure && pick(f, 8) == 0));
	return ir_build_get(b, f->truth);
}

/* `is and other and ...`: one local is set again and again. */
static struct ir_instruction *chain(struct fuzz *f, struct ir_builder *b, struct ir_instruction *is,
                                    struct ir_instruction *other)
{
	ir_build_set(b, f->truth, is);
	for (uint64_t n = 1 + pick(f, 3); n > 0; n--) {
		struct ir_builder yes = ir_builder_enter(b, ir_build_if(b, is), !f->pure && pick(f, 12) == 0);
		ir_build_set(&yes, f->truth, other);
		is = ir_build_get(b, f->truth);
	}
	return is;
}

/* lid == c, sometimes joined with another condition as the front end does it, or bent. */
static struct ir_instruction *guard(struct fuzz *f, struct ir_builder *b)
{
	struct ir_instruction *lid = ir_build_id(b, IR_OP_local_id, 0), *c = bend(f, b, theme_value(f, b));
	enum ir_op op = f->pure || pick(f, 8) ? IR_OP_eq : IR_OP_le;
	struct ir_instruction *is = pick(f, 2) ? ir_build_binary(b, op, lid, c) : ir_build_binary(b, op, c, lid);
	struct ir_instruction *other = ir_build_binary(b, IR_OP_lt, random_leaf(f, b), random_leaf(f, b));
	switch (pick(f, 5)) {
	case 0: return ir_build_binary(b, f->pure || pick(f, 4) ? IR_OP_band : IR_OP_bor, is, other);
	case 1: return both(f, b, is, other);
	case 2: return chain(f, b, is, other);
	}
	return is;
}

/* An access in the surroundings that its theme asks for. */
static void theme_access(struct fuzz *f, struct ir_builder *b)
{
	struct ir_builder inner = *b;
	struct ir_instruction *j = NULL;
	if (f->theme == THEME_GROUP)
		inner = ir_builder_enter(b, ir_build_if(b, guard(f, b)), !f->pure && pick(f, 12) == 0);
	bool block = f->theme == THEME_BLOCK || (f->theme == THEME_LITERAL_BLOCK && pick(f, 2));
	if (block) {
		struct ir_instruction *end = bend(f, b, theme_value(f, b));
		j = ir_build_for(b, integer(b, !f->pure && pick(f, 8) == 0 ? -1 : 0), end);
		inner = ir_builder_enter(b, j, 0);
	}
	access_y(f, &inner, bend(f, &inner, theme_index(f, &inner, j)));
}

static void random_statement(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	uint64_t what = pick(f, 10);
	if (what < 3 && depth) {
		struct ir_instruction *c =
		    ir_build_binary(b, pick(f, 2) ? IR_OP_eq : IR_OP_lt, random_leaf(f, b), random_leaf(f, b));
		struct ir_builder then = ir_builder_enter(b, ir_build_if(b, c), 0);
		random_body(f, &then, depth - 1);
	} else if (what < 5 && depth && f->loop_count < MAX_LOOPS) {
		struct ir_instruction *first = integer(b, (int64_t)pick(f, 3) - 1);
		struct ir_instruction *loop = ir_build_for(b, first, pick(f, 2) ? random_leaf(f, b) : integer(b, 2));
		struct ir_builder body = ir_builder_enter(b, loop, 0);
		f->loops[f->loop_count++] = loop;
		random_body(f, &body, depth - 1);
		f->loop_count--;
	} else if (!f->pure && pick(f, 8) == 0) {
		access_y(f, b, random_index(f, b, 3));
	} else {
		theme_access(f, b);
	}
}

static void random_body(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	for (uint64_t n = 1 + pick(f, 3); n > 0; n--)
		random_statement(f, b, depth);
}

static void random_grid(struct fuzz *f)
{
	for (unsigned axis = 0; axis < f->kernel->axes; axis++) {
		struct ir_builder b = {.kernel = f->kernel, .region = &f->kernel->grid[axis].region};
		ir_build_yield(&b, axis ? integer(&b, 3) : width_of(f, &b, f->width));
	}
}

static void random_kernel(struct fuzz *f)
{
	static const char *const names[] = {"n", "s", "c"};
	f->module = ir_module_new();
	f->kernel = ir_kernel_new(f->module, "k");
	f->theme = (enum theme)pick(f, THEME_COUNT);
	f->kernel->axes = f->theme == THEME_PLANE ? 2 : 1;
	for (unsigned axis = 0; axis < f->kernel->axes; axis++)
		f->kernel->group[axis] = 1 + (uint32_t)pick(f, 4);
	for (unsigned n = 0; n < 3; n++)
		f->scalars[n] = ir_add_scalar(f->kernel, names[n], index_type());
	f->y = ir_add_buffer(f->kernel, "y", &ir_types[IR_TYPE_i32], true);
	f->x = ir_add_buffer(f->kernel, "x", &ir_types[IR_TYPE_i32], false);
	f->truth = ir_add_local(f->kernel, "truth", &ir_types[IR_TYPE_bool]);
	f->number = ir_add_local(f->kernel, "number", index_type());
	f->pure = pick(f, 4) == 0;
	f->literal = 1 + (int64_t)pick(f, 3);
	f->scalar = (unsigned)pick(f, 3);
	f->width = f->kernel->axes == 2 ? (unsigned)pick(f, WIDTHS) : 0;
	f->by_parameter = f->theme != THEME_LITERAL_BLOCK && pick(f, 2);
	random_grid(f);
	struct ir_builder b = {.kernel = f->kernel, .region = &f->kernel->body};
	ir_build_set(&b, f->number, pick(f, 2) ? integer(&b, 1) : ir_build_id(&b, IR_OP_global_id, 0));
	random_body(f, &b, 2);
	ir_kernel_number(f->kernel);
}

/* ---- Runs ---- */

#define ELEMENTS 4096 /* recorded: -ELEMENTS / 2 up to ELEMENTS / 2 - 1 */
#define STEPS 4000    /* a thread */

struct touch {
	uint32_t run; /* which launch this is of */
	uint64_t thread;
	bool shared, written;
};

struct evaluation {
	const struct fuzz *fuzz;
	uint64_t values[4096];
	uint64_t truth, number;
	int64_t scalars[3];
	int64_t extents[3], id[3];
	uint64_t thread;
	unsigned steps;
	struct touch *touches;
	uint32_t run;
	bool conflict, trapped;
};

static void record(struct evaluation *e, int64_t element, bool write)
{
	if (element < -ELEMENTS / 2 || element >= ELEMENTS / 2)
		return;
	struct touch *touch = &e->touches[element + ELEMENTS / 2];
	if (touch->run != e->run)
		*touch = (struct touch){.run = e->run, .thread = e->thread};
	touch->shared |= touch->thread != e->thread;
	touch->written |= write;
	e->conflict |= touch->shared && touch->written;
}

static uint64_t given(const struct evaluation *e, const struct ir_instruction *i)
{
	int64_t group = e->fuzz->kernel->group[i->axis], id = e->id[i->axis];
	switch ((int)i->op) {
	case IR_OP_const: return i->bits;
	case IR_OP_parameter: return (uint64_t)e->scalars[i->parameter];
	case IR_OP_length: return 5;
	case IR_OP_global_id: return (uint64_t)id;
	case IR_OP_local_id: return (uint64_t)(id % group);
	case IR_OP_group_id: return (uint64_t)(id / group);
	case IR_OP_group_size: return (uint64_t)group;
	}
	return (uint64_t)e->extents[i->axis];
}

/* False: the thread is over. */
static bool evaluate(struct evaluation *e, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		uint64_t operands[IR_MAX_OPERANDS] = {0}, *result = &e->values[i->id];
		unsigned arity = ir_op_infos[i->op].arity;
		for (unsigned n = 0; n < arity; n++)
			operands[n] = e->values[i->operands[n]->id];
		if (!e->steps--)
			return false;
		switch ((int)i->op) {
		case IR_OP_if:
			if (!evaluate(e, &i->regions[!operands[0]]))
				return false;
			continue;
		case IR_OP_for:
			for (int64_t value = (int64_t)operands[0]; value < (int64_t)operands[1]; value++) {
				*result = (uint64_t)value;
				if (!e->steps-- || !evaluate(e, &i->regions[0]))
					return false;
			}
			continue;
		case IR_OP_get: *result = i->local == e->fuzz->truth ? e->truth : e->number; continue;
		case IR_OP_set: *(i->local == e->fuzz->truth ? &e->truth : &e->number) = operands[0]; continue;
		case IR_OP_load:
		case IR_OP_store: record(e, (int64_t)e->values[i->path[0].index->id], i->op == IR_OP_store); continue;
		}
		if (!arity)
			*result = given(e, i);
		else if (ir_evaluate_op(i->op, i->operands[i->op == IR_OP_select]->type, i->type, operands, result) !=
		         TRAP_NONE)
			return !(e->trapped = true);
	}
	return true;
}

/* Runs every thread, or the two in `only`; true if two of them meet. */
static bool threads_meet(struct evaluation *e, const uint64_t *only)
{
	e->run++;
	e->conflict = e->trapped = false;
	uint64_t count = only ? 2 : (uint64_t)(e->extents[0] * e->extents[1]);
	for (uint64_t n = 0; n < count && !e->conflict; n++) {
		e->thread = only ? only[n] : n;
		e->id[0] = (int64_t)e->thread % e->extents[0];
		e->id[1] = (int64_t)e->thread / e->extents[0];
		e->steps = STEPS;
		evaluate(e, &e->fuzz->kernel->body);
	}
	return e->conflict;
}

static void set_launch(struct evaluation *e, int64_t n, int64_t s, int64_t c)
{
	e->scalars[0] = n;
	e->scalars[1] = s;
	e->scalars[2] = c;
	int64_t width = width_value(e->fuzz->width, n, s);
	e->extents[0] = width < 0 ? 0 : width;
	e->extents[1] = e->fuzz->kernel->axes == 2 ? 3 : 1;
}

/* Whether a launch with small parameters races. */
static bool find_conflict(struct evaluation *e)
{
	static const int64_t widths[] = {1, 2, 3, 5, 8};
	static const int64_t values[] = {-2, -1, 0, 1, 2, 3};
	for (unsigned w = 0; w < 5; w++)
		for (unsigned x = 0; x < 6; x++)
			for (unsigned y = 0; y < 6; y++) {
				set_launch(e, widths[w], values[x], values[y]);
				if (threads_meet(e, NULL))
					return true;
			}
	return false;
}

/* ---- The rules ---- */

static bool complain(const struct fuzz *f, const struct evaluation *e, const char *rule, const struct ir_race *race)
{
	struct text text = {0};
	ir_print_kernel(&text, f->kernel);
	printf("%s (n = %" PRId64 ", s = %" PRId64 ", c = %" PRId64 ", thread %" PRIu64 "): %s\n%s\n", rule,
	       e->scalars[0], e->scalars[1], e->scalars[2], e->thread, race ? race->reason : "", text_string(&text));
	text_free(&text);
	return false;
}

static bool example_holds(struct evaluation *e, const struct ir_race *race)
{
	if (!race->has_example || race->first->parent || race->second->parent)
		return true;
	uint64_t last = race->threads[race->threads[0] < race->threads[1]];
	set_launch(e, (int64_t)last + 1, 1, 1);
	/* A trap may come before the access. */
	return threads_meet(e, race->threads) || e->trapped;
}

static bool check_kernel(struct fuzz *f, struct evaluation *e, unsigned *accepted)
{
	struct arena arena = {0};
	struct ir_race *races;
	struct text faults = {0};
	bool ok = true;
	uint32_t count = ir_find_races(f->kernel, &arena, &races);
	e->fuzz = f;
	*accepted += !count;
	if (!ir_verify_kernel(f->kernel, &faults))
		ok = complain(f, e, text_string(&faults), NULL);
	if (!count && find_conflict(e))
		ok = complain(f, e, "accepted, but threads meet", NULL);
	if (count && f->pure)
		ok = complain(f, e, "refused, but has a shape of 1.4", races);
	if (count && !example_holds(e, races))
		ok = complain(f, e, "the example does not meet", races);
	text_free(&faults);
	arena_free(&arena);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct evaluation *e = memory_zeroed(1, sizeof *e);
	e->touches = memory_zeroed(ELEMENTS, sizeof *e->touches);
	unsigned accepted = 0, wrong = 0;
	for (uint64_t n = 0; n < count && wrong < 5; n++) {
		struct fuzz f = {.random = seed * 1000003 + n};
		random_kernel(&f);
		if (f.kernel->next_id <= sizeof e->values / sizeof *e->values)
			wrong += !check_kernel(&f, e, &accepted);
		ir_module_free(f.module);
	}
	printf("%" PRIu64 " kernels, %u accepted, %u wrong\n", count, accepted, wrong);
	free(e->touches);
	free(e);
	return wrong != 0;
}
