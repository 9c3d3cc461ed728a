/* The functions of ir/math.h: their accuracy on inputs from all over the range, and that what they are written out as
 * has the bits that they are evaluated to. */
#include <math.h>
#include <string.h>

#include "ir/ir_interpreter.h"
#include "ir/math.h"
#include "test/ir/test_ir.h"

enum { SAMPLES = 20000 };
static const double limit = 0.76; /* ulp; the functions were measured at below 0.75 */

static float of_bits(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;
	memcpy(&f, &low, sizeof f);
	return f;
}

static double ulps(float got, long double want)
{
	int exponent;
	if (isnan(want))
		return isnan(got) ? 0 : 1e9;
	if (isinf(want) || isinf(got) || isinf((float)want))
		return got == (float)want ? 0 : 1e9;
	frexpl(want, &exponent);
	long double unit = ldexpl(1, exponent - 24), least = ldexpl(1, -149);
	return (double)(fabsl((long double)got - want) / (unit < least ? least : unit));
}

static long double exactly(enum ir_math math, long double x, long double y)
{
	switch (math) {
	case IR_MATH_sin: return sinl(x);
	case IR_MATH_cos: return cosl(x);
	case IR_MATH_tan: return tanl(x);
	case IR_MATH_asin: return asinl(x);
	case IR_MATH_acos: return acosl(x);
	case IR_MATH_atan: return atanl(x);
	case IR_MATH_exp: return expl(x);
	case IR_MATH_log: return logl(x);
	case IR_MATH_atan2: return atan2l(x, y);
	case IR_MATH_pow: return powl(x, y);
	case IR_MATH_fmod: return fmodl(x, y);
	case IR_MATH_COUNT: break;
	}
	return 0;
}

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *state >> 32;
}

static void expect_accuracy(enum ir_math math)
{
	double worst = 0;
	uint64_t state = math;
	for (int n = 0; n < SAMPLES; n++) {
		uint64_t x = next(&state), y = next(&state);
		if (n % 2) { /* most powers of random bits are 0 or infinite */
			float middle = (float)exp2((double)(x % 4096) / 128 - 16), power = (float)(y % 8192) / 128 - 32;
			uint32_t low;
			memcpy(&low, &middle, sizeof low);
			x = low;
			memcpy(&low, &power, sizeof low);
			y = low;
		}
		float got = of_bits(ir_math_evaluate(math, &ir_types[IR_TYPE_f32], x, y));
		worst = fmax(worst, ulps(got, exactly(math, of_bits(x), of_bits(y))));
	}
	EXPECT(worst <= (math == IR_MATH_fmod ? 0 : limit));
}

/* ---- Written out ---- */

static uint64_t run_expanded(enum ir_math math, bool two, const struct ir_type *type, uint64_t x, uint64_t y)
{
	struct ir_module *m = ir_module_new();
	struct ir_kernel *k = ir_kernel_new(m, "k");
	struct ir_memory *out = ir_add_buffer(k, "out", type, true);
	struct ir_builder b = {.kernel = k, .region = &k->body};
	struct ir_instruction *a = ir_build_const(&b, type, x), *c = two ? ir_build_const(&b, type, y) : NULL;
	struct ir_step step = {.index = ir_build_int(&b, &ir_types[k->index], 0)};
	ir_build_store(&b, out, &step, 1, ir_math_expand(&b, math, a, c));
	uint64_t result = 0, extents[] = {1, 1, 1};
	struct ir_argument argument = {.data = &result, .length = 1};
	EXPECT(ir_run(k, &argument, extents, 0, 1, NULL, NULL, NULL, NULL));
	ir_module_free(m);
	return result;
}

static void expect_same(enum ir_math math, bool two, enum ir_type_kind kind)
{
	static const uint64_t edges[] = {0,          0x80000000, 1,          0x7fffff,   0x800000,
	                                 0x3f800000, 0xbf800000, 0x40000000, 0x7f7fffff, 0x7f800000,
	                                 0xff800000, 0x7fc00000, 0x3f7fffff, 0x4b800001};
	unsigned count = sizeof edges / sizeof *edges;
	uint64_t state = 7;
	for (unsigned n = 0; n < (two ? count * count : count) + 40; n++) {
		uint64_t x = edges[n % count], y = edges[n / count % count];
		if (n >= (two ? count * count : count)) {
			x = next(&state);
			y = next(&state);
		}
		if (kind == IR_TYPE_f64) {
			x = x << 32 | (n & 3);
			y = y << 32 | (n & 1);
		}
		const struct ir_type *type = &ir_types[kind];
		EXPECT(run_expanded(math, two, type, x, y) == ir_math_evaluate(math, type, x, y));
	}
}

void test_math(void)
{
	static const bool two[] = {
#define MATH(name, arity, description) arity == 2,
#include "ir/math.def"
#undef MATH
	};
	for (unsigned n = 0; n < IR_MATH_COUNT; n++) {
		expect_accuracy((enum ir_math)n);
		expect_same((enum ir_math)n, two[n], IR_TYPE_f32);
	}
	expect_same(IR_MATH_fmod, true, IR_TYPE_f64);
}
