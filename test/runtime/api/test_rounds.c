/* Kernels of more rounds than some devices let a thread's loops do, through the public API.
 * usage: test-rounds DEVICE CONE SSP: bundles of Inputs/rounds.cone and Inputs/rounds.ssp
 *        test-rounds bare DEVICE ARTIFACT JSON KERNEL: prints the record of two launches of a kernel of rounds.cone */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

enum { COUNT = 4, ROUNDS = 100 * 1000 };

static sspur_context *context;
static sspur_module *module;

static size_t read_file(const char *path, char **bytes)
{
	FILE *f = fopen(path, "rb");
	*bytes = malloc(1 << 22);
	if (!f || !*bytes)
		exit(2);
	size_t size = fread(*bytes, 1, 1 << 22, f);
	fclose(f);
	return size;
}

static void load(const char *path)
{
	char *bytes;
	size_t size = read_file(path, &bytes);
	EXPECT(sspur_module_load(context, bytes, size, &module) == SSPUR_OK);
	free(bytes);
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

/* ---- Cone ---- */

static sspur_buffer *rounds_of_each, *out;

static void launch(const char *name)
{
	const uint64_t one[3] = {1, 1, 1};
	sspur_argument arguments[] = {sspur_slice(rounds_of_each, COUNT), sspur_slice(out, COUNT)};
	EXPECT(sspur_launch_groups(kernel(name), one, arguments, 2) == SSPUR_OK);
}

static void expect_out(uint32_t each)
{
	uint32_t numbers[COUNT];
	EXPECT(sspur_buffer_read(out, numbers, sizeof numbers) == SSPUR_OK);
	for (int i = 0; i < COUNT; i++)
		EXPECT(numbers[i] == each);
}

static void test_cone(void)
{
	uint32_t x = 1, zeroes[COUNT] = {0};
	sspur_status status;
	for (uint32_t k = 0; k < ROUNDS; k++)
		x = x * 1664525 + 1013904223;
	launch("churn");
	EXPECT(sspur_synchronize(context) == SSPUR_OK);
	expect_out(x);
	EXPECT(sspur_kernel_status(kernel("churn"), &status) == SSPUR_OK && status.failed == 0 && status.kind == 0);
	launch("churn_inside");
	expect_out(ROUNDS);
	EXPECT(sspur_kernel_status(kernel("churn_inside"), &status) == SSPUR_OK && status.failed == 0);

	/* What really fails is told, the same of each call that tells it, and nothing else. */
	EXPECT(sspur_buffer_write(out, zeroes, sizeof zeroes) == SSPUR_OK);
	launch("churn_fail");
	EXPECT_ERROR(sspur_synchronize(context), SSPUR_ERROR_TRAP, "rounds.cone:30: index 9 ");
	EXPECT(strstr(sspur_error_text(context), ", invocation (2, 0, 0), 1 failed, in churn_fail"));
	EXPECT(sspur_kernel_status(kernel("churn_fail"), &status) == SSPUR_OK);
	EXPECT(status.failed == 1 && status.kind == 1 && status.line == 30 && status.x == 2 && status.value == 9);
	uint32_t numbers[COUNT];
	launch("churn_fail");
	EXPECT_ERROR(sspur_buffer_read(out, numbers, sizeof numbers), SSPUR_ERROR_TRAP, ", 1 failed, in churn_fail");
	EXPECT(sspur_buffer_read(out, numbers, sizeof numbers) == SSPUR_OK);
	EXPECT(numbers[0] == ROUNDS && numbers[1] == ROUNDS && numbers[2] == 0 && numbers[3] == ROUNDS);

	/* So is what fails after few rounds. */
	uint32_t few[COUNT] = {3, 3, 3, 3};
	EXPECT(sspur_kernel_status(kernel("churn_fail"), &status) == SSPUR_OK);
	EXPECT(sspur_buffer_write(rounds_of_each, few, sizeof few) == SSPUR_OK);
	for (int n = 0; n < 2; n++)
		launch("churn_fail");
	EXPECT_ERROR(sspur_buffer_read(out, numbers, sizeof numbers), SSPUR_ERROR_TRAP, "rounds.cone:30: index 9 ");
	launch("churn_fail");
	EXPECT(sspur_kernel_status(kernel("churn_fail"), &status) == SSPUR_OK);
	EXPECT(status.failed == 3 && status.kind == 1 && status.line == 30 && status.x == 2);
}

/* ---- SSPUR ---- */

static void test_ssp(void)
{
	int64_t numbers[COUNT] = {0};
	sspur_buffer *y = buffer(numbers, sizeof numbers);
	sspur_buffer *x = buffer(numbers, sizeof numbers);
	sspur_argument churn[] = {sspur_i64(ROUNDS), sspur_slice(y, COUNT)};
	sspur_argument fail[] = {sspur_i64(ROUNDS), sspur_slice(x, COUNT), sspur_slice(y, COUNT)};
	EXPECT(sspur_launch(kernel("churn"), churn, 2) == SSPUR_OK);
	EXPECT(sspur_buffer_read(y, numbers, sizeof numbers) == SSPUR_OK);
	for (int i = 0; i < COUNT; i++)
		EXPECT(numbers[i] == ROUNDS);
	memset(numbers, 0, sizeof numbers);
	EXPECT(sspur_buffer_write(y, numbers, sizeof numbers) == SSPUR_OK);
	EXPECT(sspur_launch(kernel("churn_fail"), fail, 3) == SSPUR_OK);
	EXPECT_ERROR(sspur_synchronize(context), SSPUR_ERROR_TRAP, "index 100000 out of bounds for list of length 4");
	EXPECT(strstr(sspur_error_text(context), "in churn_fail, gid 2"));
	sspur_buffer_free(x);
	sspur_buffer_free(y);
}

/* ---- Nothing to run again ---- */

static void print_record(const char *artifact, const char *json, const char *name)
{
	char *code, *reflection;
	size_t code_size = read_file(artifact, &code), reflection_size = read_file(json, &reflection);
	sspur_status s;
	EXPECT(sspur_module_load_artifact(context, SSPUR_ARTIFACT_ANY, code, code_size, reflection, reflection_size,
	                                  &module) == SSPUR_OK);
	free(code);
	free(reflection);
	launch(name);
	launch(name);
	EXPECT(sspur_synchronize(context) == SSPUR_OK);
	EXPECT(sspur_kernel_status(kernel(name), &s) == SSPUR_OK);
	printf("%u failed, kind %u, line %u, value %u\n", s.failed, s.kind, s.line, s.value);
}

int main(int count, char **arguments)
{
	uint32_t numbers[COUNT];
	bool bare = count == 6 && strcmp(arguments[1], "bare") == 0;
	if (count != 4 && !bare)
		return 2;
	EXPECT(sspur_context_new(arguments[1 + bare], &context) == SSPUR_OK);
	for (int i = 0; i < COUNT; i++)
		numbers[i] = ROUNDS;
	rounds_of_each = buffer(numbers, sizeof numbers);
	out = buffer(numbers, sizeof numbers);
	if (bare) {
		print_record(arguments[3], arguments[4], arguments[5]);
	} else {
		load(arguments[2]);
		test_cone();
		load(arguments[3]);
		test_ssp();
		puts("all as it should be");
	}
	sspur_context_free(context);
	return 0;
}
