/* Intervals against every value in them, proofs kept, ranges of threads, and what random kernels seldom meet. */
#include "ir/proof.h"

#include <string.h>

#include "ir/interval.h"
#include "ir/ir_fold.h"
#include "test/ir/test_ir.h"

/* ---- Intervals of 8 bits, by all of their values ---- */

static struct ir_interval interval(int low, int high)
{
	return (struct ir_interval){low, high};
}

static ir_wide exact(const struct ir_type *type, uint64_t bits)
{
	return ir_type_is_signed(type) ? (ir_wide)(int64_t)bits : (ir_wide)bits;
}

/* Every result lies in what is said, and a trap is announced. */
static bool covers(enum ir_op op, enum ir_type_kind kind, enum ir_type_kind to, struct ir_interval x,
                   struct ir_interval y)
{
	const struct ir_type *type = &ir_types[kind], *result_type = &ir_types[to];
	struct ir_interval operands[2] = {x, y}, said;
	bool sound = ir_interval_evaluate(op, type, result_type, operands, &said);
	for (ir_wide a = x.low; a <= x.high; a++)
		for (ir_wide b = y.low; b <= y.high; b++) {
			uint64_t values[] = {(uint64_t)a, (uint64_t)b, 0}, bits;
			if (ir_evaluate_op(op, type, result_type, values, &bits) != TRAP_NONE) {
				if (sound)
					return false;
				continue;
			}
			ir_wide value = exact(result_type, bits);
			if (value < said.low || value > said.high)
				return false;
		}
	return true;
}

/* Narrowed operands lose no pair of values that the fact allows. */
static bool keeps(enum ir_op op, enum ir_type_kind kind, struct ir_interval x, struct ir_interval y,
                  const struct ir_interval *result)
{
	const struct ir_type *type = &ir_types[kind], *to = result ? type : &ir_types[IR_TYPE_bool];
	struct ir_interval by[2] = {x, y};
	bool possible = true;
	if (result)
		ir_interval_trace_back(op, type, to, result, by);
	else
		possible = ir_interval_assume(op, &by[0], &by[1]);
	for (ir_wide a = x.low; a <= x.high; a++)
		for (ir_wide b = y.low; b <= y.high; b++) {
			uint64_t values[] = {(uint64_t)a, (uint64_t)b, 0}, bits;
			if (ir_evaluate_op(op, type, to, values, &bits) != TRAP_NONE)
				continue;
			ir_wide value = exact(to, bits);
			if (result ? value < result->low || value > result->high : !value)
				continue;
			if (!possible || a < by[0].low || a > by[0].high || b < by[1].low || b > by[1].high)
				return false;
		}
	return true;
}

static const struct ir_interval signed_samples[] = {{-128, -128}, {-128, -120}, {-128, 127}, {-17, -3}, {-9, 0},
                                                    {-6, 7},      {-1, -1},     {-1, 1},     {0, 0},    {0, 9},
                                                    {2, 5},       {7, 8},       {31, 33},    {100, 127}};
static const struct ir_interval unsigned_samples[] = {{0, 0},   {0, 9},   {1, 1},    {2, 5},     {7, 8},
                                                      {0, 255}, {31, 65}, {96, 130}, {200, 255}, {255, 255}};

static void test_samples(enum ir_type_kind kind, const struct ir_interval *samples, unsigned count)
{
	static const enum ir_op ops[] = {
	    IR_OP_iadd,      IR_OP_isub, IR_OP_imul, IR_OP_iadd_trap, IR_OP_isub_trap, IR_OP_imul_trap, IR_OP_idiv_trap,
	    IR_OP_irem_trap, IR_OP_band, IR_OP_bor,  IR_OP_bxor,      IR_OP_ishl,      IR_OP_ishr};
	static const enum ir_op traced[] = {IR_OP_iadd, IR_OP_isub, IR_OP_iadd_trap, IR_OP_isub_trap, IR_OP_imul_trap};
	for (unsigned x = 0; x < count; x++)
		for (unsigned y = 0; y < count; y++) {
			for (unsigned n = 0; n < sizeof ops / sizeof *ops; n++)
				EXPECT(covers(ops[n], kind, kind, samples[x], samples[y]));
			for (int op = IR_OP_eq; op <= IR_OP_ge; op++) {
				EXPECT(covers((enum ir_op)op, kind, IR_TYPE_bool, samples[x], samples[y]));
				EXPECT(keeps((enum ir_op)op, kind, samples[x], samples[y], NULL));
			}
			for (unsigned n = 0; n < sizeof traced / sizeof *traced; n++)
				for (unsigned z = 0; z < count; z++)
					EXPECT(keeps(traced[n], kind, samples[x], samples[y], &samples[z]));
		}
}

static void test_unary(enum ir_type_kind kind, const struct ir_interval *samples, unsigned count)
{
	struct ir_interval none = {0, 0};
	for (unsigned n = 0; n < count; n++) {
		EXPECT(covers(IR_OP_ineg, kind, kind, samples[n], none));
		EXPECT(covers(IR_OP_ineg_trap, kind, kind, samples[n], none));
		EXPECT(covers(IR_OP_bnot, kind, kind, samples[n], none));
		EXPECT(kind == IR_TYPE_u8 || covers(IR_OP_iabs_trap, kind, kind, samples[n], none));
		for (int to = IR_TYPE_i8; to <= IR_TYPE_u64; to++) {
			EXPECT(covers(IR_OP_convert, kind, (enum ir_type_kind)to, samples[n], none));
			EXPECT(covers(IR_OP_convert_trap, kind, (enum ir_type_kind)to, samples[n], none));
		}
	}
}

static void test_wide_intervals(void)
{
	const struct ir_type *i64 = &ir_types[IR_TYPE_i64], *u64 = &ir_types[IR_TYPE_u64];
	struct ir_interval all_signed = ir_interval_types[IR_TYPE_i64], all = ir_interval_types[IR_TYPE_u64], result;
	struct ir_interval squares[] = {all, all}, signed_squares[] = {all_signed, all_signed};
	EXPECT(!ir_interval_evaluate(IR_OP_imul_trap, u64, u64, squares, &result) && ir_interval_within(&all, &result));
	EXPECT(!ir_interval_evaluate(IR_OP_imul_trap, i64, i64, signed_squares, &result));
	EXPECT(ir_interval_evaluate(IR_OP_ishl, u64, u64, squares, &result) && ir_interval_within(&all, &result));
	struct ir_interval least[] = {{all_signed.low, all_signed.low + 1}, {-1, -1}};
	EXPECT(!ir_interval_evaluate(IR_OP_irem_trap, i64, i64, least, &result));
	least[0].low++;
	EXPECT(ir_interval_evaluate(IR_OP_irem_trap, i64, i64, least, &result));
	struct ir_interval tight[] = {interval(20, 30), interval(16, 16)};
	EXPECT(ir_interval_evaluate(IR_OP_irem_trap, i64, i64, tight, &result) && result.low == 4 && result.high == 14);
}

/* ---- Kernels ---- */

struct sample {
	struct ir_module *module;
	struct ir_kernel *kernel;
	struct ir_memory *x;
	struct ir_builder b;
};

static struct sample sample_new(void)
{
	struct sample s = {.module = ir_module_new()};
	s.kernel = ir_kernel_new(s.module, "k");
	s.kernel->group[0] = 32;
	ir_add_scalar(s.kernel, "n", &ir_types[IR_TYPE_i64]);
	s.x = ir_add_buffer(s.kernel, "x", &ir_types[IR_TYPE_f32], true);
	s.b = (struct ir_builder){.kernel = s.kernel, .region = &s.kernel->body};
	return s;
}

static struct ir_instruction *load_at(struct sample *s, struct ir_builder *b, struct ir_instruction *index,
                                      bool checked)
{
	if (checked)
		ir_build_check_index(b, index, ir_build_length(b, s->x));
	return ir_build_load(b, s->x, &(struct ir_step){.index = index}, 1);
}

static struct ir_proof prove(struct sample *s, int64_t n, uint64_t length, uint64_t threads)
{
	struct ir_argument arguments[] = {{.bits = (uint64_t)n}, {.length = length}};
	struct ir_proof proof;
	ir_kernel_number(s->kernel);
	struct ir_proof_program *program = ir_proof_program_new(s->kernel);
	ir_proof_evaluate(program, arguments, (uint64_t[]){threads, 1, 1}, &proof);
	ir_proof_program_free(program);
	return proof;
}

/* A place whose check is in another branch is not proved by it. */
static void test_unchecked_place(void)
{
	struct sample s = sample_new();
	struct ir_instruction *id = ir_build_id(&s.b, IR_OP_global_id, 0);
	struct ir_instruction *c = ir_build_binary(&s.b, IR_OP_lt, id, ir_build_parameter(&s.b, 0));
	struct ir_builder inner = ir_builder_enter(&s.b, ir_build_if(&s.b, c), 0);
	load_at(&s, &inner, id, true);
	struct ir_instruction *bad = load_at(&s, &s.b, id, false);
	struct ir_proof proof = prove(&s, 10, 10, 11);
	EXPECT(!proof.proved && proof.unproved == 1 && proof.first_unproved == bad);
	EXPECT(prove(&s, 10, 10, 10).proved);
	EXPECT(prove(&s, 10, 0, 0).proved);
	ir_module_free(s.module);
}

static bool is_narrow(enum ir_op op, int64_t x_low, int64_t x_high, int64_t y)
{
	struct sample s = sample_new();
	struct ir_instruction *loop = ir_build_for(&s.b, ir_build_int(&s.b, &ir_types[IR_TYPE_i64], x_low),
	                                           ir_build_int(&s.b, &ir_types[IR_TYPE_i64], x_high + 1));
	struct ir_builder inner = ir_builder_enter(&s.b, loop, 0);
	ir_build_binary(&inner, op, loop, ir_build_parameter(&inner, 0));
	bool narrow = prove(&s, y, 0, 1).narrow;
	ir_module_free(s.module);
	return narrow;
}

static void test_narrow(void)
{
	EXPECT(is_narrow(IR_OP_iadd_trap, 0, 100, 5));
	EXPECT(is_narrow(IR_OP_iadd_trap, 0, 100, INT32_MAX - 100));
	EXPECT(!is_narrow(IR_OP_iadd_trap, 0, 100, INT32_MAX - 99));
	EXPECT(is_narrow(IR_OP_irem_trap, INT32_MIN, 0, -2));
	EXPECT(!is_narrow(IR_OP_irem_trap, INT32_MIN, 0, -1));
	EXPECT(is_narrow(IR_OP_irem_trap, INT32_MIN + 1, 0, -1));
	EXPECT(!is_narrow(IR_OP_idiv_trap, INT32_MIN, 0, -1));
	EXPECT(is_narrow(IR_OP_ishr, 0, 100, 31));
	EXPECT(!is_narrow(IR_OP_ishr, 0, 100, 32));
	EXPECT(!is_narrow(IR_OP_ishr, -5, 100, -1));
	EXPECT(!is_narrow(IR_OP_ishl, 0, 0, 32));
	EXPECT(is_narrow(IR_OP_ishl, 0, 3, 29));
	EXPECT(!is_narrow(IR_OP_ishl, 0, 4, 29));
	EXPECT(!is_narrow(IR_OP_iadd_trap, 0, 1, INT64_C(1) << 31));
}

/* x[gid - n] and x[gid + n] */
static void test_range(void)
{
	struct sample s = sample_new();
	struct ir_instruction *id = ir_build_id(&s.b, IR_OP_global_id, 0), *n = ir_build_parameter(&s.b, 0);
	load_at(&s, &s.b, ir_build_binary(&s.b, IR_OP_isub_trap, id, n), true);
	load_at(&s, &s.b, ir_build_binary(&s.b, IR_OP_iadd_trap, id, n), true);
	ir_kernel_number(s.kernel);
	struct ir_proof_program *program = ir_proof_program_new(s.kernel);
	struct ir_argument arguments[] = {{.bits = 3}, {.length = 1000}};
	uint64_t first, last;
	EXPECT(ir_proof_range(program, arguments, (uint64_t[]){1000, 1, 1}, &first, &last) && first == 3 &&
	       last == 997);
	arguments[0].bits = 0;
	EXPECT(ir_proof_range(program, arguments, (uint64_t[]){1000, 1, 1}, &first, &last) && first == 0 &&
	       last == 1000);
	arguments[0].bits = 500;
	EXPECT(!ir_proof_range(program, arguments, (uint64_t[]){1000, 1, 1}, &first, &last) && first == last);
	EXPECT(!ir_proof_range(program, arguments, (uint64_t[]){1000, 0, 1}, &first, &last));
	arguments[0].bits = 1; /* the last threads have no elements */
	EXPECT(ir_proof_range(program, arguments, (uint64_t[]){5000, 1, 1}, &first, &last) && first == 1 &&
	       last == 999);
	ir_proof_program_free(program);
	ir_module_free(s.module);
}

static void test_cache(void)
{
	struct sample s = sample_new();
	load_at(
	    &s, &s.b,
	    ir_build_binary(&s.b, IR_OP_iadd_trap, ir_build_id(&s.b, IR_OP_global_id, 0), ir_build_parameter(&s.b, 0)),
	    true);
	ir_kernel_number(s.kernel);
	struct ir_proof_program *program = ir_proof_program_new(s.kernel);
	struct ir_proof_cache *cache = ir_proof_cache_new();
	for (unsigned round = 0; round < 3; round++)
		for (uint64_t n = 0; n < 100; n++) {
			struct ir_argument arguments[] = {{.bits = n}, {.length = 150}};
			struct ir_proof proof;
			ir_proof_cached(cache, program, arguments, (uint64_t[]){100, 1, 1}, &proof);
			EXPECT(proof.proved == (n <= 50));
			ir_proof_cached(cache, program, arguments, (uint64_t[]){101 - n, 1, 1}, &proof);
			EXPECT(proof.proved);
		}
	ir_proof_cache_free(cache);
	ir_proof_program_free(program);
	ir_module_free(s.module);
}

/* Too long: nothing is proved, but that a launch without threads is. */
static void test_long_kernel(void)
{
	struct sample s = sample_new();
	for (unsigned n = 0; n < 10000; n++)
		ir_build_id(&s.b, IR_OP_global_id, 0);
	struct ir_proof proof = prove(&s, 0, 0, 1);
	struct text text = {0};
	EXPECT(!proof.proved && !proof.narrow && !proof.first_unproved);
	ir_proof_explain(&text, &proof);
	EXPECT(!strcmp(text_string(&text), "too long to prove"));
	EXPECT(prove(&s, 0, 0, 0).proved);
	text_free(&text);
	ir_module_free(s.module);
}

void test_proof(void)
{
	test_samples(IR_TYPE_i8, signed_samples, sizeof signed_samples / sizeof *signed_samples);
	test_samples(IR_TYPE_u8, unsigned_samples, sizeof unsigned_samples / sizeof *unsigned_samples);
	test_unary(IR_TYPE_i8, signed_samples, sizeof signed_samples / sizeof *signed_samples);
	test_unary(IR_TYPE_u8, unsigned_samples, sizeof unsigned_samples / sizeof *unsigned_samples);
	test_wide_intervals();
	test_unchecked_place();
	test_narrow();
	test_range();
	test_cache();
	test_long_kernel();
}
