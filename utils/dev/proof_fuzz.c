/* Developer tool `proof-fuzz [COUNT [SEED]]`: random small kernels against proofs at launch (ir/proof.h).
 *
 * An evaluator of its own runs the threads of a launch, with loads that give anything, up to each thread's trap:
 * - every value lies in its interval, and no instruction runs that the proof says no thread reaches;
 * - a launch that is proved traps nowhere, and so does a range that is proved of one that is not;
 * - where 32 bits are said to be enough, every operation in 32 bits gives the same value or trap;
 * - the interpreter does not trap on a proved launch either, and the cache answers what a new proof does.
 *
 * Prints a summary; a kernel that breaks a rule is printed as text, and the status is 1. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/interval.h"
#include "ir/ir_fold.h"
#include "ir/ir_text.h"
#include "ir/ir_verify.h"
#include "ir/proof.h"

/* ---- Random kernels ---- */

#define MAX_VALUES 64 /* in sight, to be used again */
#define MAX_LOOPS 4
#define LAUNCHES 6

struct fuzz {
	uint64_t random;
	struct ir_module *module;
	struct ir_kernel *kernel;
	struct ir_memory *buffers[3]; /* i64, i32, u32 */
	struct ir_memory *table;
	struct ir_local *locals[4]; /* i64, i32, u64, bool */
	struct ir_instruction *values[MAX_VALUES];
	unsigned value_count;
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

static const struct ir_type *of(enum ir_type_kind kind)
{
	return &ir_types[kind];
}

static const struct ir_type *random_type(struct fuzz *f)
{
	static const enum ir_type_kind kinds[] = {IR_TYPE_i64, IR_TYPE_i64, IR_TYPE_i64, IR_TYPE_i64,
	                                          IR_TYPE_i32, IR_TYPE_u32, IR_TYPE_u64, IR_TYPE_i8};
	return of(kinds[pick(f, sizeof kinds / sizeof *kinds)]);
}

/* Mostly small; now and then at the edge of some type. */
static uint64_t random_bits(struct fuzz *f, const struct ir_type *type)
{
	static const int64_t edges[] = {INT64_MIN,        INT64_MAX,        INT32_MIN, INT32_MAX, UINT32_MAX, -1,
	                                INT64_C(1) << 32, INT64_C(1) << 31, -129,      127,       128};
	uint64_t bits = pick(f, 12);
	if (pick(f, 4) == 0)
		bits = (uint64_t)((int64_t)pick(f, 140) - 40);
	if (pick(f, 16) == 0)
		bits = (uint64_t)edges[pick(f, sizeof edges / sizeof *edges)];
	return ir_canonical_bits(type, bits);
}

static struct ir_instruction *value(struct fuzz *f, struct ir_builder *b, const struct ir_type *type, unsigned depth);

static struct ir_instruction *remember(struct fuzz *f, struct ir_instruction *i)
{
	if (f->value_count < MAX_VALUES)
		f->values[f->value_count++] = i;
	return i;
}

static struct ir_instruction *load(struct fuzz *f, struct ir_builder *b, struct ir_memory *memory)
{
	struct ir_instruction *index = value(f, b, of(IR_TYPE_i64), 2);
	if (pick(f, 16))
		ir_build_check_index(b, index, ir_build_length(b, memory));
	return ir_build_load(b, memory, &(struct ir_step){.index = index}, 1);
}

static struct ir_instruction *leaf(struct fuzz *f, struct ir_builder *b, const struct ir_type *type)
{
	uint8_t axis = (uint8_t)pick(f, f->kernel->axes);
	for (unsigned n = 0; n < 4 && f->value_count && pick(f, 3); n++) {
		struct ir_instruction *old = f->values[pick(f, f->value_count)];
		if (old->type == type)
			return old;
	}
	uint64_t what = pick(f, 12);
	if (type->kind == IR_TYPE_i64) {
		if (what < 4)
			return ir_build_id(b, IR_OP_global_id, axis);
		if (what == 4)
			return ir_build_id(b, IR_OP_local_id, axis);
		if (what == 5)
			return ir_build_id(b, (enum ir_op)(IR_OP_group_id + pick(f, 3)), axis);
		if (what == 6)
			return ir_build_length(b, f->buffers[pick(f, 3)]);
		if (what == 7)
			return ir_build_parameter(b, (uint32_t)pick(f, 2));
		if (what == 8 && pick(f, 4) == 0)
			return ir_build_length(b, f->table);
	}
	if (what < 4 && type->kind == IR_TYPE_i32)
		return pick(f, 2) ? ir_build_parameter(b, 2) : load(f, b, f->buffers[1]);
	if (what < 4 && type->kind == IR_TYPE_u32)
		return ir_build_parameter(b, 3);
	if (what >= 10)
		for (unsigned n = 0; n < 3; n++)
			if (f->locals[n]->type == type)
				return ir_build_get(b, f->locals[n]);
	if (what == 9 && pick(f, 4) == 0)
		for (unsigned n = 0; n < 3; n++)
			if (f->buffers[n]->type == type)
				return load(f, b, f->buffers[n]);
	return ir_build_const(b, type, random_bits(f, type));
}

static struct ir_instruction *truth(struct fuzz *f, struct ir_builder *b, unsigned depth);

static struct ir_instruction *value(struct fuzz *f, struct ir_builder *b, const struct ir_type *type, unsigned depth)
{
	static const enum ir_op ops[] = {
	    IR_OP_iadd_trap, IR_OP_isub_trap, IR_OP_imul_trap, IR_OP_iadd_trap, IR_OP_idiv_trap, IR_OP_irem_trap,
	    IR_OP_iadd,      IR_OP_isub,      IR_OP_imul,      IR_OP_band,      IR_OP_bor,       IR_OP_bxor,
	    IR_OP_ishl,      IR_OP_ishr,      IR_OP_iadd_trap, IR_OP_irem_trap, IR_OP_ishr};
	if (!depth || pick(f, 3) == 0)
		return leaf(f, b, type);
	switch (pick(f, 12)) {
	case 0: {
		static const enum ir_op unary[] = {IR_OP_ineg_trap, IR_OP_ineg, IR_OP_bnot, IR_OP_iabs_trap};
		return remember(f, ir_build_unary(b, unary[pick(f, ir_type_is_signed(type) ? 4 : 3)],
		                                  value(f, b, type, depth - 1)));
	}
	case 1:
	case 2: {
		const struct ir_type *from = random_type(f);
		if (from != type)
			return remember(f, ir_build_convert(b, pick(f, 2) ? IR_OP_convert : IR_OP_convert_trap, type,
			                                    value(f, b, from, depth - 1)));
		break;
	}
	case 3: {
		struct ir_instruction *x = value(f, b, type, depth - 1), *y = value(f, b, type, 0);
		enum ir_op op = (enum ir_op)(IR_OP_eq + pick(f, 6));
		bool other_way = pick(f, 2);
		struct ir_instruction *c = pick(f, 4) ? ir_build_binary(b, op, x, y) : truth(f, b, 1);
		return remember(f, ir_build_select(b, c, other_way ? y : x, other_way ? x : y));
	}
	}
	struct ir_instruction *x = value(f, b, type, depth - 1);
	return remember(f, ir_build_binary(b, ops[pick(f, sizeof ops / sizeof *ops)], x, value(f, b, type, depth - 1)));
}

static struct ir_instruction *compare(struct fuzz *f, struct ir_builder *b)
{
	const struct ir_type *type = random_type(f);
	struct ir_instruction *x = value(f, b, type, 2);
	return ir_build_binary(b, (enum ir_op)(IR_OP_eq + pick(f, 6)), x, value(f, b, type, 1));
}

/* `a and b`, `a or b` as the front end has it. */
static struct ir_instruction *choice(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	struct ir_instruction *first = truth(f, b, depth - 1);
	unsigned values = f->value_count;
	bool both = pick(f, 3) == 0, is_or = pick(f, 2);
	ir_build_set(b, f->locals[3], first);
	struct ir_instruction *control = ir_build_if(b, first);
	struct ir_builder inner = ir_builder_enter(b, control, is_or);
	ir_build_set(&inner, f->locals[3], truth(f, &inner, depth - 1));
	f->value_count = values;
	if (both) {
		inner = ir_builder_enter(b, control, !is_or);
		ir_build_set(&inner, f->locals[3],
		             pick(f, 2) ? ir_build_const(&inner, of(IR_TYPE_bool), pick(f, 2))
		                        : truth(f, &inner, depth - 1));
		f->value_count = values;
	}
	return ir_build_get(b, f->locals[3]);
}

static struct ir_instruction *truth(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	if (!depth)
		return compare(f, b);
	switch (pick(f, 10)) {
	case 0: {
		struct ir_instruction *x = truth(f, b, depth - 1);
		static const enum ir_op ops[] = {IR_OP_band, IR_OP_bor, IR_OP_bxor, IR_OP_eq};
		return ir_build_binary(b, ops[pick(f, 4)], x, truth(f, b, depth - 1));
	}
	case 1: return ir_build_unary(b, IR_OP_bnot, truth(f, b, depth - 1));
	case 2: {
		struct ir_instruction *x = truth(f, b, depth - 1), *y = truth(f, b, depth - 1);
		struct ir_instruction *fixed = ir_build_const(b, of(IR_TYPE_bool), pick(f, 2));
		return pick(f, 2) ? ir_build_select(b, x, y, fixed) : ir_build_select(b, x, fixed, y);
	}
	case 3:
	case 4: return choice(f, b, depth);
	case 5: {
		struct ir_instruction *x =
		    ir_build_convert(b, IR_OP_convert, of(IR_TYPE_f32), value(f, b, of(IR_TYPE_i64), 1));
		struct ir_instruction *y =
		    ir_build_convert(b, IR_OP_convert, of(IR_TYPE_f32), value(f, b, of(IR_TYPE_i64), 1));
		return ir_build_binary(b, (enum ir_op)(IR_OP_eq + pick(f, 6)), x, y);
	}
	}
	return compare(f, b);
}

static void body(struct fuzz *f, struct ir_builder *b, unsigned depth);

static void store(struct fuzz *f, struct ir_builder *b)
{
	struct ir_memory *memory = f->buffers[pick(f, 3)];
	struct ir_instruction *index = value(f, b, of(IR_TYPE_i64), 2), *v = value(f, b, memory->type, 2);
	if (pick(f, 16))
		ir_build_check_index(b, index, ir_build_length(b, memory));
	ir_build_store(b, memory, &(struct ir_step){.index = index}, 1, v);
}

static void branch(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	struct ir_instruction *control = ir_build_if(b, truth(f, b, 2));
	for (unsigned side = 0; side < 2; side++) {
		if (side && pick(f, 2))
			return;
		unsigned values = f->value_count;
		struct ir_builder inner = ir_builder_enter(b, control, side);
		body(f, &inner, depth - 1);
		if (f->loop_count && pick(f, 4) == 0) {
			struct ir_instruction *loop = f->loops[pick(f, f->loop_count)];
			pick(f, 2) ? ir_build_break(&inner, loop) : ir_build_continue(&inner, loop);
		} else if (pick(f, 10) == 0) {
			ir_build_return(&inner);
		}
		f->value_count = values;
	}
}

static void loop(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	const struct ir_type *type = pick(f, 4) ? of(IR_TYPE_i64) : random_type(f);
	struct ir_instruction *first = pick(f, 2) ? ir_build_int(b, type, 0) : value(f, b, type, 1);
	struct ir_instruction *i = pick(f, 6) ? ir_build_for(b, first, value(f, b, type, 2)) : ir_build_loop(b);
	unsigned values = f->value_count;
	struct ir_builder inner = ir_builder_enter(b, i, 0);
	if (i->op == IR_OP_for)
		remember(f, i);
	f->loops[f->loop_count++] = i;
	body(f, &inner, depth - 1);
	if (i->op == IR_OP_loop) {
		struct ir_builder leave = ir_builder_enter(&inner, ir_build_if(&inner, truth(f, &inner, 1)), 0);
		ir_build_break(&leave, i);
	}
	f->loop_count--;
	f->value_count = values;
}

static void statement(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	uint64_t what = pick(f, 12);
	if (what < 4 && depth)
		branch(f, b, depth);
	else if (what < 6 && depth && f->loop_count < MAX_LOOPS)
		loop(f, b, depth);
	else if (what == 6)
		ir_build_check(b, truth(f, b, 1), TRAP_PANIC);
	else if (what < 9)
		ir_build_set(b, f->locals[what % 3], value(f, b, f->locals[what % 3]->type, 2));
	else if (what == 9 && pick(f, 3) == 0) {
		struct ir_instruction *x = value(f, b, of(IR_TYPE_i64), 1), *y = value(f, b, of(IR_TYPE_i64), 1);
		ir_build_check_range(b, x, y, value(f, b, of(IR_TYPE_i64), 1));
	} else if (what == 10) {
		remember(f, load(f, b, f->buffers[pick(f, 3)]));
	} else {
		store(f, b);
	}
}

static void body(struct fuzz *f, struct ir_builder *b, unsigned depth)
{
	for (uint64_t n = 1 + pick(f, 3); n > 0; n--)
		statement(f, b, depth);
}

static void random_kernel(struct fuzz *f)
{
	static const enum ir_type_kind locals[] = {IR_TYPE_i64, IR_TYPE_i32, IR_TYPE_u64, IR_TYPE_bool};
	static const enum ir_type_kind elements[] = {IR_TYPE_i64, IR_TYPE_i32, IR_TYPE_u32};
	static const char *const names[] = {"a", "b", "c", "d"};
	f->module = ir_module_new();
	struct ir_kernel *k = f->kernel = ir_kernel_new(f->module, "k");
	k->axes = pick(f, 3) ? 1 : 2;
	for (unsigned axis = 0; axis < k->axes; axis++)
		k->group[axis] = 1 + (uint32_t)pick(f, 6);
	ir_add_scalar(k, "n", of(IR_TYPE_i64));
	ir_add_scalar(k, "m", of(IR_TYPE_i64));
	ir_add_scalar(k, "p", of(IR_TYPE_i32));
	ir_add_scalar(k, "q", of(IR_TYPE_u32));
	static const char *const buffers[] = {"x", "y", "z"};
	for (unsigned n = 0; n < 3; n++)
		f->buffers[n] = ir_add_buffer(k, buffers[n], of(elements[n]), true);
	uint8_t zeros[5 * 8] = {0};
	f->table = ir_add_table(k, "t", ir_type_array(f->module, of(IR_TYPE_i64), 5), zeros);
	struct ir_builder b = {.kernel = k, .region = &k->body};
	for (unsigned n = 0; n < 4; n++) {
		f->locals[n] = ir_add_local(k, names[n], of(locals[n]));
		ir_build_set(&b, f->locals[n],
		             ir_build_const(&b, of(locals[n]), n == 3 ? 0 : random_bits(f, of(locals[n]))));
	}
	body(f, &b, 3);
	ir_kernel_number(k);
}

/* ---- Runs ---- */

#define STEPS 2000 /* a thread */
#define MAX_IDS 4096

enum end { END_THROUGH, END_BREAK, END_CONTINUE, END_THREAD, END_TRAP };

struct evaluation {
	struct fuzz *fuzz;
	const struct ir_argument *arguments;
	const uint64_t *extents;
	uint64_t values[MAX_IDS], locals[4], id[3];
	unsigned steps;
	const struct ir_instruction *target;
	struct ir_interval intervals[MAX_IDS];
	struct ir_proof proof;
	const char *broken;
	uint32_t broken_id;
};

static uint64_t given(const struct evaluation *e, const struct ir_instruction *i)
{
	uint64_t group = e->fuzz->kernel->group[i->axis], id = e->id[i->axis];
	switch ((int)i->op) {
	case IR_OP_const: return i->bits;
	case IR_OP_parameter: return e->arguments[i->parameter].bits;
	case IR_OP_length:
		return i->base->kind == IR_MEMORY_BUFFER ? e->arguments[i->base->parameter].length
		                                         : i->base->type->count;
	case IR_OP_global_id: return id;
	case IR_OP_local_id: return id % group;
	case IR_OP_group_id: return id / group;
	case IR_OP_group_size: return group;
	}
	return e->extents[i->axis];
}

static bool broken(struct evaluation *e, const struct ir_instruction *i, const char *rule)
{
	if (!e->broken) {
		e->broken = rule;
		e->broken_id = i->id;
	}
	return false;
}

/* What is said of a value holds. */
static bool check_value(struct evaluation *e, const struct ir_instruction *i)
{
	const struct ir_type *type = i->type;
	if (!ir_type_is_integer(type) && type->kind != IR_TYPE_bool)
		return true;
	uint64_t bits = e->values[i->id];
	ir_wide exact = ir_type_is_signed(type) ? (ir_wide)(int64_t)bits : (ir_wide)bits;
	if (exact < e->intervals[i->id].low || exact > e->intervals[i->id].high)
		return broken(e, i, "a value outside its interval");
	if (e->proof.narrow && ((type->kind == IR_TYPE_i64 && (exact < INT32_MIN || exact > INT32_MAX)) ||
	                        (type->kind == IR_TYPE_u64 && exact > UINT32_MAX)))
		return broken(e, i, "narrow, but a value of more than 32 bits");
	return true;
}

static const struct ir_type *narrowed(const struct ir_type *type)
{
	return type->kind == IR_TYPE_i64 ? of(IR_TYPE_i32) : type->kind == IR_TYPE_u64 ? of(IR_TYPE_u32) : type;
}

/* The operation in 32 bits does the same. A count is never one that only 64 bits have. */
static bool check_narrow(struct evaluation *e, const struct ir_instruction *i, const uint64_t *operands,
                         enum trap_kind trap)
{
	uint64_t small[IR_MAX_OPERANDS] = {0}, result;
	const struct ir_type *type = i->operands[i->op == IR_OP_select]->type;
	unsigned arity = ir_op_infos[i->op].arity;
	for (unsigned n = 0; n < arity; n++)
		small[n] = ir_canonical_bits(narrowed(i->operands[n]->type), operands[n]);
	bool shift = i->op == IR_OP_ishl || i->op == IR_OP_ishr;
	if (shift && type->size == 8 && operands[1] > 31)
		return broken(e, i, "narrow, but a count of 32 or more");
	if (i->op == IR_OP_irem_trap && type->kind == IR_TYPE_i64 && (int64_t)operands[0] == INT32_MIN &&
	    (int64_t)operands[1] == -1)
		return broken(e, i, "narrow, but the least value by -1");
	if (ir_evaluate_op(i->op, narrowed(type), narrowed(i->type), small, &result) != trap)
		return broken(e, i, "narrow, but traps otherwise");
	if (trap == TRAP_NONE && i->type->kind != IR_TYPE_void &&
	    result != ir_canonical_bits(narrowed(i->type), e->values[i->id]))
		return broken(e, i, "narrow, but another value");
	return true;
}

static enum end run_region(struct evaluation *e, const struct ir_region *region);

static enum end run_loop(struct evaluation *e, const struct ir_instruction *i, const uint64_t *operands)
{
	bool is_for = i->op == IR_OP_for;
	for (uint64_t v = operands[0];; v++) {
		if (is_for && (ir_type_is_signed(i->type) ? (int64_t)v >= (int64_t)operands[1] : v >= operands[1]))
			return END_THROUGH;
		e->values[i->id] = v;
		if (!e->steps-- || (is_for && !check_value(e, i)))
			return END_THREAD;
		enum end end = run_region(e, &i->regions[0]);
		bool ours = (end == END_BREAK || end == END_CONTINUE) && e->target == i;
		if (ours && end == END_BREAK)
			return END_THROUGH;
		if (!ours && end != END_THROUGH)
			return end;
	}
}

static bool out_of_place(const struct evaluation *e, const struct ir_instruction *i)
{
	return e->values[i->path[0].index->id] >= e->arguments[i->base->parameter].length;
}

static enum end run_instruction(struct evaluation *e, const struct ir_instruction *i)
{
	uint64_t operands[IR_MAX_OPERANDS] = {0}, *result = &e->values[i->id];
	unsigned arity = ir_op_infos[i->op].arity;
	for (unsigned n = 0; n < arity; n++)
		operands[n] = e->values[i->operands[n]->id];
	switch ((int)i->op) {
	case IR_OP_if: return run_region(e, &i->regions[!operands[0]]);
	case IR_OP_for:
	case IR_OP_loop: return run_loop(e, i, operands);
	case IR_OP_break: e->target = i->target; return END_BREAK;
	case IR_OP_continue: e->target = i->target; return END_CONTINUE;
	case IR_OP_return: return END_THREAD;
	case IR_OP_set: e->locals[i->local->index] = operands[0]; return END_THROUGH;
	case IR_OP_get: *result = e->locals[i->local->index]; return END_THROUGH;
	case IR_OP_store: return out_of_place(e, i) ? END_TRAP : END_THROUGH;
	case IR_OP_load:
		*result = pick(e->fuzz, 4) ? random_bits(e->fuzz, i->type)
		                           : ir_canonical_bits(i->type, pick(e->fuzz, UINT64_MAX));
		return out_of_place(e, i) ? END_TRAP : END_THROUGH;
	}
	if (!arity) {
		*result = given(e, i);
		return END_THROUGH;
	}
	enum trap_kind trap =
	    ir_evaluate_op(i->op, i->operands[i->op == IR_OP_select]->type, i->type, operands, result);
	if (e->proof.narrow && !ir_type_is_float(i->operands[0]->type) && !ir_type_is_float(i->type))
		check_narrow(e, i, operands, trap);
	return trap == TRAP_NONE ? END_THROUGH : END_TRAP;
}

static enum end run_region(struct evaluation *e, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		if (!e->steps)
			return END_THREAD;
		e->steps--;
		enum end end = run_instruction(e, i);
		if (end == END_THROUGH && i->type->kind != IR_TYPE_void && i->op != IR_OP_for && !check_value(e, i))
			return END_THREAD;
		if (end != END_THROUGH)
			return end;
	}
	return END_THROUGH;
}

/* Whether one of the threads traps. */
static bool run_threads(struct evaluation *e, uint64_t first, uint64_t last)
{
	bool trapped = false;
	for (uint64_t n = first; n < last && !e->broken; n++) {
		e->id[0] = n % e->extents[0];
		e->id[1] = n / e->extents[0];
		e->steps = STEPS;
		trapped |= run_region(e, &e->fuzz->kernel->body) == END_TRAP;
	}
	return trapped;
}

/* ---- The rules ---- */

struct counts {
	unsigned launches, proved, narrow, ranges, silent; /* silent: no thread trapped */
};

static bool complain(const struct evaluation *e, const char *rule)
{
	struct text text = {0};
	ir_print_kernel(&text, e->fuzz->kernel);
	printf("%s at %%%u, thread %" PRIu64 " %" PRIu64 " of %" PRIu64 " %" PRIu64 ", arguments", rule, e->broken_id,
	       e->id[0], e->id[1], e->extents[0], e->extents[1]);
	for (unsigned n = 0; n < 7; n++)
		printf(" %" PRId64, (int64_t)(n < 4 ? e->arguments[n].bits : e->arguments[n].length));
	printf("\n%s\n", text_string(&text));
	text_free(&text);
	return false;
}

static bool check_range_of(struct evaluation *e, const struct ir_proof_program *program, struct counts *counts)
{
	uint64_t first, last;
	if (!ir_proof_range(program, e->arguments, e->extents, &first, &last))
		return true;
	counts->ranges++;
	if (first >= last || last > e->extents[0] * e->extents[1])
		return complain(e, "a range outside the launch");
	return !run_threads(e, first, last) || complain(e, "a range is proved, but a thread traps");
}

static bool check_cache(struct evaluation *e, const struct ir_proof_program *program, struct ir_proof_cache *cache)
{
	for (unsigned n = 0; n < 2; n++) {
		struct ir_proof proof;
		ir_proof_cached(cache, program, e->arguments, e->extents, &proof);
		if (proof.proved != e->proof.proved || proof.narrow != e->proof.narrow ||
		    proof.unproved != e->proof.unproved || proof.first_unproved != e->proof.first_unproved)
			return complain(e, "the cache has another proof");
	}
	return true;
}

static bool interpreter_agrees(struct evaluation *e)
{
	struct kernel_trap trap;
	uint64_t steps = 200000;
	if (!e->proof.proved || ir_run(e->fuzz->kernel, e->arguments, e->extents, 0, e->extents[0] * e->extents[1],
	                               NULL, NULL, &trap, &steps))
		return true;
	return trap.kind == TRAP_NONE || complain(e, "proved, but the interpreter traps");
}

static bool check_launch(struct evaluation *e, const struct ir_proof_program *program, struct ir_proof_cache *cache,
                         struct counts *counts)
{
	static const uint64_t zero[3] = {0};
	ir_proof_evaluate_part(program, e->arguments, e->extents, zero, e->extents, &e->proof, e->intervals);
	counts->launches++;
	counts->proved += e->proof.proved;
	counts->narrow += e->proof.narrow;
	if (e->proof.proved == (e->proof.unproved > 0) || e->proof.proved == (e->proof.first_unproved != NULL))
		return complain(e, "the proof contradicts itself");
	bool trapped = run_threads(e, 0, e->extents[0] * e->extents[1]);
	counts->silent += !trapped;
	if (e->broken)
		return complain(e, e->broken);
	if (trapped && e->proof.proved)
		return complain(e, "proved, but a thread traps");
	if (!check_range_of(e, program, counts))
		return false;
	return check_cache(e, program, cache) && interpreter_agrees(e);
}

static bool check_kernel(struct fuzz *f, struct evaluation *e, struct ir_proof_cache *cache, struct counts *counts)
{
	static uint64_t memory[3][64];
	struct text faults = {0};
	struct ir_argument arguments[7] = {{0}};
	uint64_t extents[3] = {1, 1, 1};
	e->fuzz = f;
	e->arguments = arguments;
	e->extents = extents;
	e->broken = NULL;
	if (!ir_verify_kernel(f->kernel, &faults)) {
		complain(e, text_string(&faults));
		text_free(&faults);
		return false;
	}
	struct ir_proof_program *program = ir_proof_program_new(f->kernel);
	bool ok = true;
	for (unsigned n = 0; n < LAUNCHES && ok; n++) {
		for (unsigned p = 0; p < 4; p++)
			arguments[p].bits = random_bits(f, f->kernel->parameters[p].type);
		for (unsigned p = 0; p < 3; p++)
			arguments[4 + p] = (struct ir_argument){.data = memory[p],
			                                        .length = pick(f, 8) ? 20 + pick(f, 44) : pick(f, 4)};
		for (unsigned axis = 0; axis < f->kernel->axes; axis++)
			extents[axis] = 1 + pick(f, axis ? 4 : 12);
		ok = check_launch(e, program, cache, counts);
	}
	ir_proof_program_free(program);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct evaluation *e = memory_zeroed(1, sizeof *e);
	struct ir_proof_cache *cache = ir_proof_cache_new();
	struct counts counts = {0};
	unsigned wrong = 0;
	for (uint64_t n = 0; n < count && wrong < 3; n++) {
		struct fuzz f = {.random = seed * 1000003 + n};
		random_kernel(&f);
		if (f.kernel->next_id <= MAX_IDS)
			wrong += !check_kernel(&f, e, cache, &counts);
		ir_module_free(f.module);
	}
	printf("%" PRIu64 " kernels, %u launches: %u without traps, %u proved, %u narrow, %u with a range; %u wrong\n",
	       count, counts.launches, counts.silent, counts.proved, counts.narrow, counts.ranges, wrong);
	ir_proof_cache_free(cache);
	free(e);
	return wrong != 0;
}
