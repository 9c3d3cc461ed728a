/* Deterministic random launches: sizes near group boundaries, lengths that sometimes make checks fail, edge values;
 * and the interpreter's answer, thread by thread. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_analysis.h"
#include "targets/entry_name.h"
#include "utils/dev/compare/compare.h"

enum { STEP_BUDGET = 3000000, THREAD_LIMIT = 5000 };

static uint64_t next_random(uint64_t *state)
{
	/* splitmix64 */
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* ---- Values ---- */

static uint64_t random_float(uint64_t *state, bool single)
{
	static const uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000,
	                                 0x3effffff, 0x40200000, 0xc0200000, 1,          0x80000001,
	                                 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000,
	                                 0x7fc00000, 0x4b000001, 0x4affffff, 0x4b800000, 0x34000000};
	uint64_t choice = next_random(state), bits = next_random(state);
	if (choice % 4 == 0)
		return single ? (uint32_t)bits : bits;
	float f;
	uint32_t edge = edges[bits % (sizeof edges / sizeof *edges)];
	if (choice % 4 == 1)
		memcpy(&f, &edge, sizeof f);
	else
		f = (float)(int64_t)(bits % 2000) * 0.125f - 100;
	double d = choice % 4 == 1 ? (double)f : (double)f * 1.1;
	f = choice % 4 == 1 ? f : (float)d;
	uint32_t low;
	memcpy(&low, &f, sizeof low);
	memcpy(&bits, &d, sizeof bits);
	return single ? low : bits;
}

/* In the value's 64-bit form. `near`: a size of the launch. */
static uint64_t random_scalar(uint64_t *state, const struct ir_type *t, uint64_t near)
{
	if (ir_type_is_float(t))
		return random_float(state, t->kind == IR_TYPE_f32);
	uint64_t choice = next_random(state), bits = next_random(state), width = ir_type_bits(t);
	uint64_t sign = UINT64_C(1) << (width - 1), all = sign | (sign - 1);
	uint64_t edges[] = {0, 1, 2, all, sign, sign - 1, sign + 1, all - 1, 31, 32, 63, 64};
	uint64_t v = choice % 8 < 3   ? bits % 8
	             : choice % 8 < 5 ? near + bits % 3 - 1
	             : choice % 8 < 7 ? edges[bits % (sizeof edges / sizeof *edges)]
	                              : bits;
	v &= all;
	return ir_type_is_signed(t) && v & sign ? v | ~all : v;
}

static void fill(uint64_t *state, const struct ir_type *t, uint8_t *at, uint64_t near)
{
	if (t->kind == IR_TYPE_array) {
		for (uint64_t n = 0; n < t->count; n++)
			fill(state, t->element, at + n * t->element->size, near);
		return;
	}
	if (t->kind == IR_TYPE_struct) {
		for (uint64_t n = 0; n < t->count; n++)
			fill(state, t->fields[n].type, at + t->fields[n].offset, near);
		return;
	}
	uint64_t v = random_scalar(state, t, near);
	memcpy(at, &v, t->size); /* little-endian */
}

/* ---- Shapes ---- */

static uint64_t random_extent(uint64_t *state, uint64_t group, uint64_t large)
{
	uint64_t sizes[] = {0, 1, group - 1, group, group + 1, large, large, 3 * group + 2};
	return sizes[next_random(state) % (sizeof sizes / sizeof *sizes)];
}

/* Whole groups, where the limit allows them. */
static void round_up(struct compare_case *c)
{
	uint64_t extents[3], total = 1;
	for (unsigned axis = 0; axis < 3; axis++) {
		extents[axis] = compare_groups(c, axis) * c->kernel->group[axis];
		total *= extents[axis];
	}
	if (total > THREAD_LIMIT)
		return;
	memcpy(c->extents, extents, sizeof extents);
	c->total = total;
}

static void choose_extents(struct compare_case *c, uint64_t *state)
{
	static const uint64_t large[] = {1000, 40, 12};
	const struct ir_kernel *k = c->kernel;
	c->total = 1;
	for (unsigned axis = 0; axis < 3; axis++) {
		uint64_t limit = large[k->axes - 1];
		c->extents[axis] = axis < k->axes ? random_extent(state, k->group[axis], limit) : 1;
		c->total *= c->extents[axis];
	}
	while (c->total > THREAD_LIMIT) {
		unsigned axis = c->extents[0] >= c->extents[1] ? 0 : 1;
		axis = c->extents[axis] >= c->extents[2] ? axis : 2;
		c->extents[axis] /= 2;
		c->total = c->extents[0] * c->extents[1] * c->extents[2];
	}
	/* Launches of grouped kernels are of whole groups (1.5); what becomes of others is defined all the same (ir.h).
	 */
	if (c->fits || (c->grouped && next_random(state) % 4))
		round_up(c);
}

static uint64_t random_length(uint64_t *state, uint64_t total)
{
	uint64_t lengths[] = {total, total, total, total, total + 3, total ? total - 1 : 0, total / 2, 0};
	return lengths[next_random(state) % (sizeof lengths / sizeof *lengths)];
}

static void make_argument(struct compare_case *c, uint32_t n, uint64_t *state, struct arena *arena)
{
	const struct ir_parameter *p = &c->kernel->parameters[n];
	struct ir_argument *a = &c->arguments[n];
	uint64_t near = c->extents[next_random(state) % c->kernel->axes];
	switch (p->kind) {
	case IR_PARAMETER_SCALAR:
		a->bits = p->type->kind == IR_TYPE_bool ? next_random(state) % 2 : random_scalar(state, p->type, near);
		return;
	case IR_PARAMETER_BUFFER: a->length = c->fits ? c->total : random_length(state, c->total); break;
	case IR_PARAMETER_VALUE: a->length = 1; break;
	}
	a->data = arena_alloc(arena, a->length * p->type->size + 1);
	for (uint64_t e = 0; e < a->length; e++)
		fill(state, p->type, (uint8_t *)a->data + e * p->type->size, near);
	c->expected[n] = arena_alloc(arena, a->length * p->type->size + 1);
	memcpy(c->expected[n], a->data, a->length * p->type->size);
}

/* ---- The reference ---- */

static void copy_writable(const struct compare_case *c, void *const *from, void *const *to)
{
	for (uint32_t n = 0; n < c->kernel->parameter_count; n++)
		if (from[n] && to[n] && c->kernel->parameters[n].memory->writable)
			memcpy(to[n], from[n], compare_bytes(c, n));
}

static void add_trap(struct compare_case *c, const struct kernel_trap *trap)
{
	c->trap_threads[c->trap_count] =
	    (trap->thread[2] * c->extents[1] + trap->thread[1]) * c->extents[0] + trap->thread[0];
	c->traps[c->trap_count++] = *trap;
}

static bool record_trap(void *context, const struct kernel_trap *trap)
{
	struct compare_case *c = context;
	add_trap(c, trap);
	return c->kernel->policy == IR_POLICY_RECORD;
}

/* Thread by thread, as threads that are not grouped have nothing to do with each other's failures. */
static bool run_threads(struct compare_case *c, const struct ir_argument *arguments, bool commit, uint64_t *steps,
                        struct arena *arena)
{
	const struct ir_kernel *k = c->kernel;
	struct kernel_trap trap;
	void **before = ARENA_ARRAY(arena, void *, k->parameter_count);
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (c->expected[n])
			before[n] = arena_alloc(arena, compare_bytes(c, n) + 1);
	for (uint64_t thread = 0; thread < c->total; thread++) {
		if (commit)
			copy_writable(c, c->expected, before);
		if (ir_run(k, arguments, c->extents, thread, thread + 1, NULL, NULL, &trap, steps))
			continue;
		if (trap.kind == TRAP_NONE)
			return false;
		if (commit)
			copy_writable(c, before, c->expected);
		add_trap(c, &trap);
	}
	return true;
}

static int compare_threads(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static bool reference_run(struct compare_case *c, bool gpu, struct arena *arena)
{
	const struct ir_kernel *k = c->kernel;
	struct ir_argument *arguments = ARENA_ARRAY(arena, struct ir_argument, k->parameter_count);
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		arguments[n] = c->arguments[n];
		if (c->expected[n])
			arguments[n].data = c->expected[n];
	}
	uint64_t steps = STEP_BUDGET;
	c->traps = ARENA_ARRAY(arena, struct kernel_trap, c->total);
	c->trap_threads = ARENA_ARRAY(arena, uint64_t, c->total);
	if (!c->grouped)
		return run_threads(c, arguments, gpu && k->policy == IR_POLICY_STOP && ir_commit_safe(k), &steps,
		                   arena);
	struct kernel_trap trap;
	bool ended = ir_run(k, arguments, c->extents, 0, c->total, record_trap, c, &trap, &steps);
	qsort(c->trap_threads, c->trap_count, sizeof *c->trap_threads, compare_threads);
	return ended || trap.kind != TRAP_NONE;
}

static bool find_float_add(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_atomic_add || !ir_type_is_float(i->type);
}

/* A plane's threads own elements by its width (spec 1.4), so that on a device, where threads race, the grid must be
 * what the kernel says for these arguments. False where it says nothing that can be launched here. */
static bool follow_grid(struct compare_case *c)
{
	const struct ir_kernel *k = c->kernel;
	uint64_t extents[3] = {1, 1, 1}, total = 1;
	struct kernel_trap trap;
	for (unsigned axis = 0; axis < k->axes; axis++) {
		if (!k->grid[axis].region.first)
			return true;
		if (!ir_evaluate_expression(k, &k->grid[axis], c->arguments, &extents[axis], &trap) ||
		    extents[axis] == 0 || extents[axis] > THREAD_LIMIT ||
		    (c->grouped && extents[axis] % k->group[axis]))
			return false;
		total *= extents[axis];
	}
	memcpy(c->extents, extents, sizeof extents);
	c->total = total;
	return total <= THREAD_LIMIT;
}

bool compare_case_make(struct compare_case *c, const struct ir_kernel *k, uint64_t seed, bool fits, bool gpu,
                       struct arena *arena)
{
	uint64_t state = seed * 0x100000001b3u + 1;
	*c = (struct compare_case){.kernel = k, .fits = fits, .with_mask = seed % 4 != 3, .grouped = ir_is_grouped(k)};
	c->inexact = k->policy == IR_POLICY_STOP && !ir_visit(&k->body, find_float_add, NULL);
	c->arguments = ARENA_ARRAY(arena, struct ir_argument, k->parameter_count);
	c->expected = ARENA_ARRAY(arena, void *, k->parameter_count);
	choose_extents(c, &state);
	for (uint32_t n = 0; n < k->parameter_count; n++)
		make_argument(c, n, &state, arena);
	return (!gpu || k->axes == 1 || follow_grid(c)) && reference_run(c, gpu, arena);
}

/* ---- The device ABI ---- */

uint64_t compare_bytes(const struct compare_case *c, uint32_t parameter)
{
	const struct ir_parameter *p = &c->kernel->parameters[parameter];
	return p->kind == IR_PARAMETER_SCALAR ? 0 : c->arguments[parameter].length * p->type->size;
}

uint64_t compare_groups(const struct compare_case *c, unsigned axis)
{
	return (c->extents[axis] + c->kernel->group[axis] - 1) / c->kernel->group[axis];
}

unsigned compare_values(const struct compare_case *c, struct compare_value *values)
{
	const struct ir_kernel *k = c->kernel;
	unsigned count = 0;
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_argument *a = &c->arguments[n];
		switch (k->parameters[n].kind) {
		case IR_PARAMETER_SCALAR:
			values[count++] = (struct compare_value){COMPARE_BITS, a->bits, k->parameters[n].type->size, 0};
			break;
		case IR_PARAMETER_BUFFER:
			values[count++] = (struct compare_value){COMPARE_BUFFER, 0, 8, n};
			values[count++] = (struct compare_value){COMPARE_BITS, a->length, 8, 0};
			break;
		case IR_PARAMETER_VALUE: values[count++] = (struct compare_value){COMPARE_BUFFER, 0, 8, n}; break;
		}
	}
	for (uint8_t axis = 0; axis < k->axes; axis++)
		values[count++] = (struct compare_value){COMPARE_BITS, c->extents[axis], 8, 0};
	for (uint8_t axis = 0; axis < k->axes; axis++)
		values[count++] = (struct compare_value){COMPARE_FIRST_GROUP, 0, 8, axis};
	if (c->variant != KERNEL_CHECKED)
		return count;
	values[count++] = (struct compare_value){COMPARE_STATUS, 0, 8, 0};
	values[count++] = (struct compare_value){COMPARE_MASK, 0, 8, 0};
	return count;
}

void compare_entry_name(const struct compare_case *c, const char *target, struct text *out)
{
	struct text name = {0};
	ir_variant_name(c->kernel, c->variant, &name);
	struct ir_kernel variant = {.module = c->kernel->module, .name = text_string(&name)};
	entry_name(target, &variant, out);
	text_free(&name);
}
