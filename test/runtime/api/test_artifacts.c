/* Bare artifacts through the public API.
 * usage: test-artifacts DEVICE ARTIFACT JSON BUNDLE: artifact, reflection and bundle of Inputs/api.ssp
 *        test-artifacts load DEVICE ARTIFACT JSON: prints the kernels, or why it does not load */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

enum { COUNT = 300 };

static sspur_context *context;
static sspur_module *module;

struct file {
	char *bytes;
	size_t size;
};

static struct file read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct file file = {.bytes = malloc(1 << 22)};
	if (!f || !file.bytes)
		exit(2);
	file.size = fread(file.bytes, 1, 1 << 22, f);
	fclose(f);
	return file;
}

static sspur_kernel *kernel(const char *name)
{
	sspur_kernel *k;
	EXPECT(sspur_kernel_find(module, name, &k) == SSPUR_OK);
	return k;
}

static sspur_buffer *numbers(int64_t first, uint64_t count)
{
	int64_t values[COUNT];
	sspur_buffer *b;
	for (uint64_t i = 0; i < count; i++)
		values[i] = first + (int64_t)i;
	EXPECT(sspur_buffer_new(context, count * sizeof *values, &b) == SSPUR_OK);
	EXPECT(sspur_buffer_write(b, values, count * sizeof *values) == SSPUR_OK);
	return b;
}

static sspur_status status_of(const char *name)
{
	sspur_status status;
	EXPECT(sspur_kernel_status(kernel(name), &status) == SSPUR_OK);
	return status;
}

/* ---- What works ---- */

static void test_shapes(void)
{
	int64_t got[35];
	sspur_buffer *b = numbers(0, 35), *from = numbers(100, 16);
	sspur_argument cells[] = {sspur_slice(b, 35), sspur_i64(7), sspur_i64(5)};
	EXPECT(sspur_launch_extents(kernel("cells"), (uint64_t[]){7, 5, 1}, cells, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 35; i++)
		EXPECT(got[i] == i % 7 * 1000 + i / 7);
	sspur_argument rotate[] = {sspur_slice(from, 16), sspur_slice(b, 16), sspur_i64(16)};
	EXPECT(sspur_launch_extents(kernel("rotate"), (uint64_t[]){16, 1, 1}, rotate, 3) == SSPUR_OK);
	EXPECT(sspur_launch_extents(kernel("rotate"), (uint64_t[]){0, 1, 1}, rotate, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 16; i++)
		EXPECT(got[i] == 100 + i / 8 * 8 + (i + 1) % 8);
	EXPECT(status_of("cells").failed == 0 && status_of("rotate").failed == 0);
	sspur_buffer_free(b);
	sspur_buffer_free(from);
}

/* Launches of a bundle and of the artifact, one after another, and a buffer that is freed while they have it. */
static void test_order(const struct file *bundle)
{
	int64_t got[8];
	sspur_module *whole;
	sspur_kernel *twice;
	sspur_buffer *b = numbers(1, 8), *gone = numbers(1, 8);
	sspur_argument a[] = {sspur_slice(b, 8)}, other[] = {sspur_slice(gone, 8)};
	const uint64_t extents[3] = {8, 1, 1};
	EXPECT(sspur_module_load(context, bundle->bytes, bundle->size, &whole) == SSPUR_OK);
	EXPECT(sspur_kernel_find(whole, "double", &twice) == SSPUR_OK);
	EXPECT(sspur_launch_extents(kernel("double"), extents, other, 1) == SSPUR_OK);
	sspur_buffer_free(gone);
	for (int i = 0; i < 300; i++) {
		const int64_t ones[5] = {1, 1, 1, 1, 1};
		EXPECT(sspur_launch(twice, a, 1) == SSPUR_OK);
		EXPECT(sspur_launch_extents(kernel("double"), extents, a, 1) == SSPUR_OK);
		EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK && got[3] == (i ? 4 : 16));
		EXPECT(sspur_buffer_write_at(b, 3 * 8, ones, 5 * 8) == SSPUR_OK);
		EXPECT(sspur_buffer_write(b, ones, 3 * 8) == SSPUR_OK);
	}
	EXPECT_ERROR(sspur_launch_extents(twice, extents, a, 1), SSPUR_ERROR_ARGUMENT, "use sspur_launch");
	sspur_status status;
	EXPECT_ERROR(sspur_kernel_status(twice, &status), SSPUR_ERROR_ARGUMENT, "is of a bundle");

	/* A trap of a bundle's launch is told at the next synchronization; until then nothing runs. */
	sspur_kernel *shift;
	sspur_buffer *to = numbers(0, 8);
	sspur_argument shifted[] = {sspur_slice(b, 8), sspur_slice(to, 8)};
	EXPECT(sspur_kernel_find(whole, "shift", &shift) == SSPUR_OK);
	EXPECT(sspur_launch(shift, shifted, 2) == SSPUR_OK);
	EXPECT(sspur_launch_extents(kernel("shift"), extents, shifted, 2) == SSPUR_OK);
	EXPECT_ERROR(sspur_synchronize(context), SSPUR_ERROR_TRAP, "index 8 out of bounds");
	EXPECT(status_of("shift").failed == 0);
	sspur_module_free(whole);
	sspur_buffer_free(b);
	sspur_buffer_free(to);
}

/* ---- What fails ---- */

static void test_status(void)
{
	int64_t got[20];
	sspur_buffer *from = numbers(100, 20), *to = numbers(0, 20);
	sspur_argument a[] = {sspur_slice(from, 20), sspur_slice(to, 20)};
	EXPECT(sspur_launch_extents(kernel("shift"), (uint64_t[]){20, 1, 1}, a, 2) == SSPUR_OK);
	EXPECT(sspur_synchronize(context) == SSPUR_OK);
	sspur_status s = status_of("shift");
	EXPECT(s.failed == 1 && s.kind == 1 && s.file == 1 && s.line == 7);
	EXPECT(s.x == 19 && s.y == 0 && s.z == 0 && s.value == 20);
	EXPECT(status_of("shift").failed == 0);
	EXPECT(sspur_buffer_read(to, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 19; i++)
		EXPECT(got[i] == 101 + i);
	EXPECT(got[19] == 19);

	/* Records of launches add up, and those of other kernels are their own. */
	a[0].length = 10;
	for (int i = 0; i < 3; i++)
		EXPECT(sspur_launch_extents(kernel("shift"), (uint64_t[]){10, 1, 1}, a, 2) == SSPUR_OK);
	sspur_argument cells[] = {sspur_slice(to, 20), sspur_i64(7), sspur_i64(5)};
	EXPECT(sspur_launch_extents(kernel("cells"), (uint64_t[]){5, 5, 1}, cells, 3) == SSPUR_OK);
	s = status_of("shift");
	EXPECT(s.failed == 3 && s.kind == 1 && s.x == 9 && s.value == 10);
	s = status_of("cells");
	EXPECT(s.failed > 0 && s.kind == 1 && s.line == 15 && s.y >= 2 && s.value == s.y * 7 + s.x);
	sspur_buffer_free(from);
	sspur_buffer_free(to);
}

static void test_refusals(void)
{
	sspur_buffer *b = numbers(0, 16);
	sspur_argument a[] = {sspur_slice(b, 16), sspur_slice(b, 16), sspur_i64(16)};
	const uint64_t line[3] = {16, 1, 1};
	sspur_status status;
	EXPECT_ERROR(sspur_launch(kernel("double"), a, 1), SSPUR_ERROR_ARGUMENT, "use sspur_launch_extents");
	EXPECT_ERROR(sspur_launch_extents(kernel("double"), line, a, 2), SSPUR_ERROR_ARGUMENT, "takes 1 arguments");
	EXPECT_ERROR(sspur_launch_extents(kernel("double"), NULL, a, 1), SSPUR_ERROR_ARGUMENT, "null");
	EXPECT_ERROR(sspur_launch_extents(kernel("double"), line, NULL, 1), SSPUR_ERROR_ARGUMENT, "null");
	EXPECT_ERROR(sspur_launch_extents(kernel("double"), (uint64_t[]){16, 2, 1}, a, 1), SSPUR_ERROR_ARGUMENT,
	             "double: it has 1 axis, no y");
	EXPECT_ERROR(sspur_launch_extents(kernel("double"), (uint64_t[]){UINT64_MAX, 1, 1}, a, 1), SSPUR_ERROR_ARGUMENT,
	             "too many threads");
	EXPECT_ERROR(sspur_launch_extents(kernel("rotate"), line, a, 3), SSPUR_ERROR_LAUNCH,
	             "dev: arguments x and y of rotate are the same buffer");
	sspur_buffer *other = numbers(0, 16);
	a[0].buffer = other;
	EXPECT_ERROR(sspur_launch_extents(kernel("rotate"), (uint64_t[]){12, 1, 1}, a, 3), SSPUR_ERROR_LAUNCH,
	             "dev: the thread count of rotate is not a multiple of its group size 8 (count = 12)");
	a[1].length = 17;
	EXPECT_ERROR(sspur_launch_extents(kernel("rotate"), line, a, 3), SSPUR_ERROR_ARGUMENT,
	             "the buffer has 128 bytes");
	EXPECT_ERROR(sspur_kernel_status(kernel("double"), NULL), SSPUR_ERROR_ARGUMENT, "null");
	EXPECT(sspur_kernel_status(NULL, &status) == SSPUR_ERROR_ARGUMENT);
	EXPECT(sspur_launch_extents(NULL, line, a, 1) == SSPUR_ERROR_ARGUMENT);
	sspur_buffer_free(b);
	sspur_buffer_free(other);
}

/* ---- Loading ---- */

static sspur_error load(const struct file *artifact, const struct file *json, sspur_artifact kind)
{
	return sspur_module_load_artifact(context, kind, artifact->bytes, artifact->size, json->bytes, json->size,
	                                  &module);
}

/* Every reflection that is cut or changed loads or says why not; none does harm. */
static void test_damage(const struct file *artifact, const struct file *json)
{
	static const char changes[] = "x\"{}[],:\\0-9\n";
	sspur_module *good = module;
	for (size_t n = 0; n < json->size; n += 1 + json->size / 200) {
		struct file part = {.bytes = malloc(n + 1), .size = n};
		memcpy(part.bytes, json->bytes, n);
		EXPECT_ERROR(load(artifact, &part, SSPUR_ARTIFACT_ANY), SSPUR_ERROR_ARTIFACT, "the reflection cannot");
		EXPECT(!module);
		free(part.bytes);
	}
	for (size_t n = 0; n < json->size; n += 1 + json->size / 400) {
		char kept = json->bytes[n];
		json->bytes[n] = changes[n % (sizeof changes - 1)];
		if (load(artifact, json, SSPUR_ARTIFACT_ANY) == SSPUR_OK)
			sspur_module_free(module);
		else
			EXPECT(sspur_error_code(context) == SSPUR_ERROR_ARTIFACT && *sspur_error_text(context));
		json->bytes[n] = kept;
	}
	struct file none = {.bytes = json->bytes, .size = 0};
	EXPECT_ERROR(load(&none, json, SSPUR_ARTIFACT_ANY), SSPUR_ERROR_ARTIFACT, "no artifact of a kind");
	EXPECT_ERROR(load(json, json, SSPUR_ARTIFACT_PTX), SSPUR_ERROR_ARTIFACT, "no artifact of a kind");
	EXPECT_ERROR(load(artifact, json, (sspur_artifact)77), SSPUR_ERROR_ARGUMENT, "there is no kind 77");
	EXPECT_ERROR(sspur_module_load_artifact(context, SSPUR_ARTIFACT_ANY, NULL, 3, json->bytes, 1, &module),
	             SSPUR_ERROR_ARGUMENT, "null");
	EXPECT_ERROR(sspur_module_load_artifact(context, SSPUR_ARTIFACT_ANY, "abc", 3, NULL, 1, &module),
	             SSPUR_ERROR_ARGUMENT, "null");
	module = good;
}

static int print(const char *device, const struct file *artifact, const struct file *json)
{
	EXPECT(sspur_context_new(device, &context) == SSPUR_OK);
	sspur_error error = load(artifact, json, SSPUR_ARTIFACT_ANY);
	if (error)
		printf("%s: %s\n", sspur_error_name(error), sspur_error_text(context));
	for (uint32_t i = 0; i < sspur_module_kernel_count(module); i++)
		printf("%s: %u parameters\n", sspur_kernel_name(sspur_module_kernel(module, i)),
		       sspur_kernel_parameter_count(sspur_module_kernel(module, i)));
	sspur_context_free(context);
	return error != SSPUR_OK;
}

int main(int count, char **arguments)
{
	if (count != 5)
		return 2;
	bool only_load = strcmp(arguments[1], "load") == 0;
	struct file artifact = read_file(arguments[2 + only_load]), json = read_file(arguments[3 + only_load]);
	if (only_load) {
		int status = print(arguments[2], &artifact, &json);
		free(artifact.bytes);
		free(json.bytes);
		return status;
	}
	struct file bundle = read_file(arguments[4]);
	EXPECT(sspur_context_new(arguments[1], &context) == SSPUR_OK);
	EXPECT(load(&artifact, &json, SSPUR_ARTIFACT_ANY) == SSPUR_OK);
	/* Metal has no F64, and so no `mixed`. */
	uint32_t kernels = strcmp(arguments[1], "metal") == 0 ? 6 : 7;
	EXPECT(sspur_module_kernel_count(module) == kernels && strstr(sspur_module_reflection(module), "\"saxpy\""));
	test_shapes();
	test_status();
	test_refusals();
	test_order(&bundle);
	test_damage(&artifact, &json);
	test_shapes();
	sspur_context_free(context);
	free(artifact.bytes);
	free(json.bytes);
	free(bundle.bytes);
	puts("all as it should be");
	return 0;
}
