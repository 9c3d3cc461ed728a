#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/base/test_base.h"
#include "utils/base/text.h"

static void expect_f64(double v, const char *wanted)
{
	struct text t = {0};
	text_add_f64(&t, v);
	EXPECT_TEXT(text_string(&t), wanted);
	text_free(&t);
}

static void expect_f32(float v, const char *wanted)
{
	struct text t = {0};
	text_add_f32(&t, v);
	EXPECT_TEXT(text_string(&t), wanted);
	text_free(&t);
}

static void expect_int(int64_t v, const char *wanted)
{
	struct text t = {0};
	text_add_int(&t, v);
	EXPECT_TEXT(text_string(&t), wanted);
	text_free(&t);
}

/* `zeros` zeros between two parts. */
static void expect_f64_zeros(double v, const char *before, size_t zeros, const char *after)
{
	struct text wanted = {0};
	text_add(&wanted, before);
	text_add_repeat(&wanted, '0', zeros);
	text_add(&wanted, after);
	expect_f64(v, text_string(&wanted));
	text_free(&wanted);
}

static void fixed_cases(void)
{
	expect_f64(1.0, "1.0");
	expect_f64(0.1, "0.1");
	expect_f64(0.0, "0.0");
	expect_f64(-0.0, "-0.0");
	expect_f64((double)NAN, "NaN");
	expect_f64(-(double)NAN, "NaN");
	expect_f64((double)INFINITY, "inf");
	expect_f64(-(double)INFINITY, "-inf");
	expect_f64(-2.5, "-2.5");
	expect_f64(0.1 + 0.2, "0.30000000000000004");
	expect_f64(2.0 / 3.0, "0.6666666666666666");
	expect_f64(1.0 / 3.0, "0.3333333333333333");
	expect_f64(123456.789, "123456.789");
	expect_f64(1e15 + 0.5, "1000000000000000.5");
	expect_f64(9007199254740991.0, "9007199254740991.0");
	expect_f64(9007199254740992.0, "9007199254740992.0");
	expect_f64(1e22, "10000000000000000000000.0");
	expect_f64(1e23, "100000000000000000000000.0");
	expect_f64(0x1p64, "18446744073709552000.0");
	/* Below a power of two the nearest decimal of 16 digits does not read back, its neighbour does. */
	expect_f64(0x1p-44, "0.00000000000005684341886080802");
	expect_f64_zeros(5e-324, "0.", 323, "5");
	expect_f64_zeros(1e-323, "0.", 322, "1");
	expect_f64_zeros(2.2250738585072014e-308, "0.", 307, "22250738585072014");
	expect_f64_zeros(2.225073858507201e-308, "0.", 307, "2225073858507201");
	expect_f64_zeros(1.7976931348623157e308, "17976931348623157", 292, ".0");
	expect_f64_zeros(-1e300, "-1", 300, ".0");

	expect_f32(0.1f, "0.1");
	expect_f32(16777216.0f, "16777216.0");
	expect_f32(3.4028235e38f, "3.4028235e38");
	expect_f32(1.17549435e-38f, "1.1754944e-38");
	expect_f32(1e-45f, "1.0e-45");
	expect_f32(-1e-5f, "-0.00001");
	expect_f32(-0.0f, "-0.0");
	expect_f32(NAN, "NaN");

	expect_int(0, "0");
	expect_int(-1, "-1");
	expect_int(INT64_MAX, "9223372036854775807");
	expect_int(INT64_MIN, "-9223372036854775808");
}

/* Any bit pattern reads back. */
static void random_cases(void)
{
	uint64_t state = 1;
	struct text t = {0};
	for (int i = 0; i < 20000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint64_t bits = state ^ state >> 29;
		double v;
		memcpy(&v, &bits, sizeof v);
		if (!isfinite(v) || v == 0)
			continue;
		text_clear(&t);
		text_add_f64(&t, v);
		EXPECT(strtod(text_string(&t), NULL) == v);
		EXPECT(strchr(text_string(&t), '.') && !strchr(text_string(&t), 'e'));

		uint32_t half = (uint32_t)(bits >> 32);
		float f;
		memcpy(&f, &half, sizeof f);
		if (!isfinite(f))
			continue;
		text_clear(&t);
		text_add_f32(&t, f);
		EXPECT(strtof(text_string(&t), NULL) == f);
	}
	text_free(&t);
}

void test_numbers(void)
{
	fixed_cases();
	random_cases();
}
