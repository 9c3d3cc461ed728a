/* Kernels that record their failures, Cone's, through the public API.
 * usage: test-records DEVICE BUNDLE OTHER: of Inputs/records.cone, and of Inputs/api.ssp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

static sspur_context *context;
static sspur_module *module;

static sspur_module *load(const char *path)
{
	sspur_module *m;
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(1 << 22);
	if (!f || !bytes)
		exit(2);
	size_t size = fread(bytes, 1, 1 << 22, f);
	fclose(f);
	EXPECT(sspur_module_load(context, bytes, size, &m) == SSPUR_OK);
	free(bytes);
	return m;
}

static sspur_kernel *kernel(const char *name)
{
	sspur_kernel *k;
	EXPECT(sspur_kernel_find(module, name, &k) == SSPUR_OK);
	return k;
}

static sspur_buffer *buffer(const void *bytes, uint64_t size)
{
	sspur_buffer *b;
	EXPECT(sspur_buffer_new(context, size, &b) == SSPUR_OK);
	EXPECT(sspur_buffer_write(b, bytes, size) == SSPUR_OK);
	return b;
}

static sspur_error groups(const char *name, uint64_t count, const sspur_argument *arguments, uint32_t argument_count)
{
	return sspur_launch_groups(kernel(name), (uint64_t[]){count, 1, 1}, arguments, argument_count);
}

static sspur_status status_of(const char *name)
{
	sspur_status status;
	EXPECT(sspur_kernel_status(kernel(name), &status) == SSPUR_OK);
	return status;
}

/* ---- The page's kernels ---- */

struct part {
	float w[4];
	uint32_t k;
};

static void test_bake(void)
{
	struct part parts[100];
	float out[100];
	for (uint32_t i = 0; i < 100; i++) {
		parts[i] = (struct part){.w = {0.5f * (float)i}, .k = i};
		out[i] = -1;
	}
	sspur_buffer *from = buffer(parts, sizeof parts), *to = buffer(out, sizeof out);
	sspur_argument arguments[] = {sspur_slice(from, 100), sspur_slice(to, 100)};
	EXPECT(groups("bake", 2, arguments, 2) == SSPUR_OK);
	EXPECT(sspur_buffer_read(to, out, sizeof out) == SSPUR_OK);
	for (uint32_t i = 0; i < 100; i++)
		EXPECT(out[i] == 0.5f * (float)i * (float)i);
	sspur_buffer_free(from);
	sspur_buffer_free(to);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void test_compact(void)
{
	uint32_t input[256], out[256] = {0}, count = 0;
	for (uint32_t i = 0; i < 256; i++)
		input[i] = i + 1;
	sspur_buffer *from = buffer(input, sizeof input), *counter = buffer(&count, sizeof count),
	             *to = buffer(out, sizeof out);
	sspur_argument arguments[] = {sspur_slice(from, 256), sspur_slice(counter, 1), sspur_slice(to, 256)};
	EXPECT(groups("compact", 4, arguments, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(counter, &count, sizeof count) == SSPUR_OK && count == 85);
	EXPECT(sspur_buffer_read(to, out, sizeof out) == SSPUR_OK);
	qsort(out, count, sizeof *out, compare);
	for (uint32_t i = 0; i < 85; i++)
		EXPECT(out[i] == 3 * (i + 1));
	sspur_buffer_free(from);
	sspur_buffer_free(counter);
	sspur_buffer_free(to);
}

/* Two launches in a row, of which the second reads what the first wrote. */
static void test_prefix(void)
{
	uint32_t input[256], out[256] = {0};
	for (uint32_t i = 0; i < 256; i++)
		input[i] = 1;
	sspur_buffer *from = buffer(input, sizeof input), *to = buffer(out, sizeof out);
	sspur_argument there[] = {sspur_slice(from, 256), sspur_slice(to, 256)};
	sspur_argument back[] = {sspur_slice(to, 256), sspur_slice(from, 256)};
	EXPECT(groups("prefix", 1, there, 2) == SSPUR_OK);
	EXPECT(groups("prefix", 1, back, 2) == SSPUR_OK);
	EXPECT(sspur_buffer_read(to, out, sizeof out) == SSPUR_OK);
	EXPECT(sspur_buffer_read(from, input, sizeof input) == SSPUR_OK);
	for (uint32_t i = 0; i < 256; i++)
		EXPECT(out[i] == i + 1 && input[i] == (i + 1) * (i + 2) / 2);
	EXPECT(status_of("prefix").failed == 0);
	sspur_buffer_free(from);
	sspur_buffer_free(to);
}

static void test_value(void)
{
	struct {
		float factor;
		uint32_t first;
	} settings = {1.5f, 10};
	float out[64];
	for (int i = 0; i < 64; i++)
		out[i] = (float)i;
	sspur_buffer *to = buffer(out, sizeof out);
	sspur_argument arguments[] = {sspur_bytes(&settings, sizeof settings), sspur_slice(to, 64)};
	EXPECT(groups("scale", 1, arguments, 2) == SSPUR_OK);
	settings.factor = 0; /* it is copied */
	arguments[0] = sspur_bytes(&settings, 4);
	EXPECT_ERROR(groups("scale", 1, arguments, 2), SSPUR_ERROR_ARGUMENT,
	             "s of scale: it has 8 bytes, and 4 are given");
	arguments[0] = sspur_f32(1);
	EXPECT_ERROR(groups("scale", 1, arguments, 2), SSPUR_ERROR_ARGUMENT, "it is a struct, and f32 is given");
	arguments[0] = arguments[1];
	EXPECT_ERROR(groups("scale", 1, arguments, 2), SSPUR_ERROR_ARGUMENT, "it is a struct, and a slice is given");
	EXPECT(sspur_buffer_read(to, out, sizeof out) == SSPUR_OK);
	for (int i = 0; i < 64; i++)
		EXPECT(out[i] == (i < 10 ? (float)i : 1.5f * (float)i));
	sspur_buffer_free(to);
}

/* ---- Failures ---- */

/* All launches run whole; the first that failed is told once, and each record is there after. */
static void test_failures(void)
{
	uint32_t numbers[100] = {0}, bad = 9, cells[32] = {0};
	sspur_buffer *to = buffer(numbers, sizeof numbers), *bad_at = buffer(&bad, sizeof bad),
	             *there = buffer(cells, sizeof cells);
	sspur_argument short_of_one[] = {sspur_slice(to, 63)}, enough[] = {sspur_slice(to, 100)};
	sspur_argument refuse[] = {sspur_slice(bad_at, 1), sspur_slice(there, 32)};
	EXPECT(groups("bump", 1, enough, 1) == SSPUR_OK);
	EXPECT(groups("bump", 1, short_of_one, 1) == SSPUR_OK);
	EXPECT(sspur_launch_groups(kernel("refuse"), (uint64_t[]){2, 1, 1}, refuse, 2) == SSPUR_OK);
	EXPECT(groups("bump", 1, enough, 1) == SSPUR_OK);
	EXPECT_ERROR(sspur_synchronize(context), SSPUR_ERROR_TRAP, "records.cone:54: index 63 ");
	EXPECT(strstr(sspur_error_text(context), ", invocation (63, 0, 0), 1 failed, in bump"));
	EXPECT(sspur_synchronize(context) == SSPUR_OK);
	EXPECT(sspur_buffer_read(to, numbers, sizeof numbers) == SSPUR_OK);
	for (int i = 0; i < 100; i++)
		EXPECT(numbers[i] == (i < 63 ? 3 : i < 64 ? 2 : 0));
	EXPECT(sspur_buffer_read(there, cells, sizeof cells) == SSPUR_OK);
	for (uint32_t i = 0; i < 32; i++)
		EXPECT(cells[i] == (i == 9 ? 0 : i));
	sspur_status s = status_of("bump");
	EXPECT(s.failed == 1 && s.kind == 1 && s.file == 1 && s.line == 54 && s.x == 63 && !s.y && !s.z &&
	       s.value == 63);
	s = status_of("refuse");
	EXPECT(s.failed == 1 && s.kind == 3 && s.x == 1 && s.y == 1 && s.z == 0 && s.value == 0);
	EXPECT(status_of("bump").failed == 0 && status_of("refuse").failed == 0);
	/* What a status has told, no synchronization tells again. */
	EXPECT(groups("bump", 1, short_of_one, 1) == SSPUR_OK);
	EXPECT(status_of("bump").failed == 1);
	EXPECT(sspur_synchronize(context) == SSPUR_OK);
	/* A read synchronizes, and so does the end of the module. */
	EXPECT(groups("bump", 1, short_of_one, 1) == SSPUR_OK);
	EXPECT_ERROR(sspur_buffer_read(to, numbers, sizeof numbers), SSPUR_ERROR_TRAP, "1 failed, in bump");
	EXPECT(status_of("bump").failed == 1);
	sspur_buffer_free(to);
	sspur_buffer_free(bad_at);
	sspur_buffer_free(there);
}

static void test_many(void)
{
	uint32_t numbers[64] = {0};
	sspur_buffer *to = buffer(numbers, sizeof numbers);
	sspur_argument enough[] = {sspur_slice(to, 64)}, less[] = {sspur_slice(to, 60)};
	for (int i = 0; i < 600; i++)
		EXPECT(groups("bump", 1, i % 100 == 50 ? less : enough, 1) == SSPUR_OK);
	EXPECT_ERROR(sspur_buffer_read(to, numbers, sizeof numbers), SSPUR_ERROR_TRAP, "24 failed, in bump");
	EXPECT(sspur_buffer_read(to, numbers, sizeof numbers) == SSPUR_OK);
	EXPECT(numbers[0] == 600 && numbers[63] == 594 && status_of("bump").failed == 24);
	sspur_buffer_free(to);
}

static void test_refusals(void)
{
	uint32_t numbers[64] = {0};
	sspur_buffer *to = buffer(numbers, sizeof numbers);
	sspur_argument a[] = {sspur_slice(to, 64), sspur_slice(to, 64)};
	EXPECT_ERROR(sspur_launch(kernel("bump"), a, 1), SSPUR_ERROR_ARGUMENT, "bump has no `@grid`");
	EXPECT_ERROR(groups("bump", 1, a, 2), SSPUR_ERROR_ARGUMENT, "bump takes 1 arguments, and 2 are given");
	EXPECT_ERROR(groups("bump", UINT64_MAX / 2, a, 1), SSPUR_ERROR_ARGUMENT, "bump: too many threads");
	EXPECT_ERROR(groups("bump", (uint64_t)1 << 27, a, 1), SSPUR_ERROR_ARGUMENT, "bump: too many threads");
	EXPECT_ERROR(groups("prefix", 1, a, 2), SSPUR_ERROR_LAUNCH, "input and out of prefix are the same buffer");
	const uint64_t part[3] = {100, 1, 1};
	sspur_buffer *other = buffer(numbers, sizeof numbers);
	sspur_argument two[] = {sspur_slice(to, 64), sspur_slice(other, 64)};
	EXPECT_ERROR(sspur_launch_extents(kernel("prefix"), part, two, 2), SSPUR_ERROR_LAUNCH, "not a multiple");
	EXPECT(groups("bump", 0, a, 1) == SSPUR_OK);
	EXPECT(sspur_launch_groups(NULL, part, two, 2) == SSPUR_ERROR_ARGUMENT);
	sspur_parameter p;
	EXPECT(sspur_kernel_parameter(kernel("scale"), 0, &p) == SSPUR_OK);
	EXPECT(p.type == SSPUR_BYTES && !p.is_slice && !p.is_writable && p.size == 8);
	EXPECT(sspur_kernel_parameter(kernel("bake"), 0, &p) == SSPUR_OK);
	EXPECT(p.type == SSPUR_BYTES && p.is_slice && !p.is_writable && p.size == 20);
	sspur_buffer_free(to);
	sspur_buffer_free(other);
}

/* Kernels of both languages in one context, in order, over one buffer. */
static void test_both(const char *path)
{
	uint32_t numbers[64] = {0};
	int64_t twice[32];
	sspur_module *ssp = load(path);
	sspur_kernel *k;
	sspur_buffer *to = buffer(numbers, sizeof numbers);
	sspur_argument bump[] = {sspur_slice(to, 64)}, whole[] = {sspur_slice(to, 32)};
	EXPECT(sspur_kernel_find(ssp, "double", &k) == SSPUR_OK);
	for (int i = 0; i < 3; i++) {
		EXPECT(groups("bump", 1, bump, 1) == SSPUR_OK);
		EXPECT(sspur_launch(k, whole, 1) == SSPUR_OK);
	}
	EXPECT(sspur_buffer_read(to, twice, sizeof twice) == SSPUR_OK);
	for (int i = 0; i < 32; i++)
		EXPECT(twice[i] == ((int64_t)14 << 32) + 14);
	EXPECT_ERROR(sspur_launch_groups(k, (uint64_t[]){1, 1, 1}, whole, 1), SSPUR_ERROR_ARGUMENT, "use sspur_launch");
	sspur_buffer_free(to);
	sspur_module_free(ssp);
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	EXPECT(sspur_context_new(arguments[1], &context) == SSPUR_OK);
	module = load(arguments[2]);
	test_bake();
	test_compact();
	test_prefix();
	test_value();
	test_failures();
	test_many();
	test_refusals();
	test_both(arguments[3]);
	sspur_context_free(context);
	printf("all as it should be\n");
	return 0;
}
