/* Random kernels of several operations, whose operands bound each other's values (lower/float_bounds.h): where no flag
 * was raised every value must be what it is without the passes on an exact machine. */
#include <math.h>
#include <stdio.h>

#include "lower/float_bounds.h"
#include "lower/lower_exact.h"
#include "lower/lower_hazards.h"
#include "utils/dev/exactness/exactness.h"
#include "utils/dev/exactness/exactness_machine.h"

enum { OPERATIONS = 12, INPUTS = 4, TRIES_EACH = 50, VALUES_MOST = OPERATIONS + INPUTS };

struct program {
	struct ir_module *module;
	struct ir_kernel *kernel;
	struct ir_instruction *values[VALUES_MOST];
	uint32_t count;
};

static const enum ir_type_kind input_types[INPUTS] = {IR_TYPE_f32, IR_TYPE_f32, IR_TYPE_f64, IR_TYPE_i32};

static uint64_t below(uint64_t *random, uint64_t n)
{
	return exactness_random(random) % n;
}

/* A float value of the program, of `type` where one is among those looked at. */
static struct ir_instruction *pick(const struct program *p, uint64_t *random, const struct ir_type *type)
{
	struct ir_instruction *found = NULL;
	for (int n = 0; n < 32 && (!found || found->type != type); n++) {
		struct ir_instruction *v = p->values[below(random, p->count)];
		if (ir_type_is_float(v->type) && (!type || v->type == type))
			found = v;
	}
	return found ? found : p->values[type && type->kind == IR_TYPE_f64 ? 2 : 0];
}

/* Of the operands that the operation `div` is tried on. */
static uint64_t random_float(enum ir_type_kind type, uint64_t *random)
{
	const struct exactness_operation division = {"div", IR_OP_fdiv, 2, type, type};
	uint64_t operands[2];
	exactness_operands(&division, random, operands);
	return operands[0];
}

static struct ir_instruction *build_value(struct program *p, struct ir_builder *b, uint64_t *random)
{
	static const enum ir_op unary[] = {IR_OP_fneg,   IR_OP_fabs,  IR_OP_fsqrt,
	                                   IR_OP_ffloor, IR_OP_fceil, IR_OP_fround};
	static const enum ir_op binary[] = {IR_OP_fadd, IR_OP_fsub, IR_OP_fmul, IR_OP_fdiv};
	struct ir_instruction *x = pick(p, random, NULL), *y = pick(p, random, x->type);
	switch (below(random, 10)) {
	case 0: return ir_build_const(b, x->type, random_float(x->type->kind, random));
	case 1: return ir_build_convert(b, IR_OP_convert, &ir_types[IR_TYPE_f32], p->values[3]);
	case 2: return ir_build_convert(b, IR_OP_convert, &ir_types[IR_TYPE_f64], x);
	case 3: return ir_build_convert(b, IR_OP_convert, &ir_types[IR_TYPE_f32], x);
	case 4: return ir_build_select(b, ir_build_binary(b, IR_OP_lt, x, y), x, y);
	case 5: return ir_build_unary(b, unary[below(random, sizeof unary / sizeof *unary)], x);
	}
	return ir_build_binary(b, binary[below(random, 4)], x, y);
}

/* The same for the same `random`. */
static void make(struct program *p, uint64_t random)
{
	static const char *const names[INPUTS] = {"a", "b", "c", "n"};
	*p = (struct program){.module = ir_module_new()};
	p->kernel = ir_kernel_new(p->module, "k");
	struct ir_builder b = {.kernel = p->kernel, .region = &p->kernel->body};
	struct ir_step at = {.index = ir_build_id(&b, IR_OP_global_id, 0)};
	for (int n = 0; n < INPUTS; n++) {
		struct ir_memory *input = ir_add_buffer(p->kernel, names[n], &ir_types[input_types[n]], false);
		p->values[p->count++] = ir_build_load(&b, input, &at, 1);
	}
	for (int n = 0; n < OPERATIONS; n++) {
		struct ir_instruction *v = build_value(p, &b, &random);
		p->values[p->count++] = v;
	}
	ir_build_return(&b);
	ir_kernel_number(p->kernel);
}

/* Some are a few last digits from a constant of the program, so that sums cancel. */
static uint64_t make_operand(const struct program *p, enum ir_type_kind type, uint64_t *random)
{
	const struct ir_instruction *v = p->values[below(random, p->count)];
	if (!ir_type_is_float(&ir_types[type]))
		return ir_canonical_bits(&ir_types[type], exactness_random(random) >> below(random, 64));
	if (v->op != IR_OP_const || v->type->kind != type)
		return random_float(type, random);
	return (v->bits + below(random, 7) - 3) ^ below(random, 2) << (ir_type_bits(v->type) - 1);
}

static void make_operands(const struct program *p, uint64_t *operands, uint64_t *random)
{
	for (int n = 0; n < INPUTS; n++)
		operands[n] = ir_canonical_bits(&ir_types[input_types[n]], make_operand(p, input_types[n], random));
}

static bool same(const struct ir_type *t, uint64_t x, uint64_t y)
{
	const struct exactness_operation to = {.to = t->kind};
	return ir_type_is_float(t) ? exactness_same(&to, x, y) : x == y;
}

/* What float_bounds_of says is so. */
static bool in_bounds(const struct ir_instruction *v, uint64_t bits, uint32_t hazards)
{
	if (!ir_type_is_float(v->type))
		return true;
	struct float_bounds b = float_bounds_of(v, hazards);
	double magnitude = fabs(exactness_double(v->type->kind, bits));
	return magnitude == 0 || !isfinite(magnitude) ||
	       (ilogb(magnitude) >= b.low && (b.high >= 1024 || magnitude <= ldexp(1, b.high)));
}

static bool agree(const struct program *plain, const struct exactness_machine *exact, const struct program *lowered,
                  const struct exactness_machine *device)
{
	bool good = true;
	for (uint32_t n = 0; n < plain->count; n++) {
		const struct ir_instruction *v = plain->values[n];
		uint64_t bits = exact->values[v->id];
		good &= same(v->type, bits, device->values[lowered->values[n]->id]);
		good &= in_bounds(v, bits, device->hazards);
	}
	return good;
}

static void try_program(uint32_t hazards, uint64_t *random, struct exactness_count *count)
{
	struct program plain, lowered;
	struct exactness_machine exact, device;
	uint64_t seed = exactness_random(random), operands[INPUTS];
	make(&plain, seed);
	make(&lowered, seed);
	lower_exact(lowered.module, hazards);
	lower_hazards(lowered.module, hazards);
	exactness_machine_open(&exact, plain.kernel, 0, seed);
	exactness_machine_open(&device, lowered.kernel, hazards, seed);
	exact.operands = device.operands = operands;
	for (int n = 0; n < TRIES_EACH; n++) {
		make_operands(&plain, operands, random);
		exactness_machine_run(&exact, plain.kernel);
		exactness_machine_run(&device, lowered.kernel);
		count->tried++;
		count->flagged += device.flagged;
		count->differences += !device.flagged && !agree(&plain, &exact, &lowered, &device);
	}
	exactness_machine_close(&exact);
	exactness_machine_close(&device);
	ir_module_free(plain.module);
	ir_module_free(lowered.module);
}

bool exactness_programs(const char *set, uint32_t hazards, uint64_t tries, uint64_t seed)
{
	struct exactness_count count = {0};
	while (count.tried < tries)
		try_program(hazards, &seed, &count);
	printf("programs, %s, tried %llu, differences %llu, flagged %llu\n", set, (unsigned long long)count.tried,
	       (unsigned long long)count.differences, (unsigned long long)count.flagged);
	return count.differences == 0;
}
