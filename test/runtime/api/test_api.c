/* The public API on a device. usage: test-api DEVICE API.sspk SECOND.sspk | test-api load DEVICE BUNDLE */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

enum { COUNT = 1000 };

static _Thread_local sspur_context *context;
static _Thread_local sspur_module *module;

#define LENGTH(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(1 << 22);
	if (!f || !bytes)
		exit(2);
	*size = fread(bytes, 1, 1 << 22, f);
	fclose(f);
	return bytes;
}

static sspur_module *load(const char *path)
{
	size_t size;
	sspur_module *m;
	char *bytes = read_file(path, &size);
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

static sspur_buffer *buffer_of(const void *bytes, uint64_t size)
{
	sspur_buffer *b;
	EXPECT(sspur_buffer_new(context, size, &b) == SSPUR_OK);
	EXPECT(sspur_buffer_write(b, bytes, size) == SSPUR_OK);
	return b;
}

static sspur_buffer *numbers(int64_t first, uint64_t count)
{
	int64_t values[COUNT];
	for (uint64_t i = 0; i < count; i++)
		values[i] = first + (int64_t)i;
	return buffer_of(values, count * sizeof *values);
}

/* ---- What works ---- */

static void test_saxpy(void)
{
	float x[COUNT], y[COUNT], got[COUNT];
	for (int i = 0; i < COUNT; i++) {
		x[i] = (float)i / 3;
		y[i] = 1000.0f - (float)i;
	}
	sspur_buffer *bx = buffer_of(x, sizeof x), *by = buffer_of(y, sizeof y);
	sspur_argument a[] = {sspur_f32(0.1f), sspur_slice(bx, COUNT), sspur_slice(by, COUNT)};
	EXPECT(sspur_launch(kernel("saxpy"), a, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(by, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < COUNT; i++) {
		volatile float product = 0.1f * x[i];
		EXPECT(got[i] == product + y[i]);
	}
	sspur_buffer_free(bx);
	sspur_buffer_free(by);
}

static void test_scalars(void)
{
	double got[4], none[4] = {0};
	sspur_buffer *b = buffer_of(none, sizeof none);
	sspur_argument a[] = {sspur_bool(false), sspur_i64(1000),  sspur_i32(-7),    sspur_u32(4000000000u),
	                      sspur_f32(0.5f),   sspur_f64(0.125), sspur_slice(b, 4)};
	EXPECT(sspur_launch(kernel("mixed"), a, LENGTH(a)) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 4; i++)
		EXPECT(got[i] == -0.625 + (1000 - 7 + 4000000000.0 + i));
	sspur_buffer_free(b);
}

static void test_grids(void)
{
	int64_t got[35];
	sspur_buffer *b = numbers(0, 35), *from = numbers(100, 16);
	sspur_argument cells[] = {sspur_slice(b, 35), sspur_i64(7), sspur_i64(5)};
	EXPECT(sspur_launch(kernel("cells"), cells, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 35; i++)
		EXPECT(got[i] == i % 7 * 1000 + i / 7);
	sspur_argument rotate[] = {sspur_slice(from, 16), sspur_slice(b, 16), sspur_i64(16)};
	EXPECT(sspur_launch(kernel("rotate"), rotate, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 16; i++)
		EXPECT(got[i] == 100 + i / 8 * 8 + (i + 1) % 8);
	rotate[2] = sspur_i64(0); /* no threads */
	EXPECT(sspur_launch(kernel("rotate"), rotate, 3) == SSPUR_OK);
	rotate[2] = sspur_i64(12);
	EXPECT_ERROR(sspur_launch(kernel("rotate"), rotate, 3), SSPUR_ERROR_LAUNCH,
	             "dev: the thread count of rotate is not a multiple of its group size 8 (count = 12)");
	sspur_buffer_free(b);
	sspur_buffer_free(from);
}

/* Parts of a buffer, between launches that use it. */
static void test_ranges(void)
{
	int64_t values[3] = {-1, -2, -3}, got[16];
	sspur_buffer *b = numbers(0, 16);
	sspur_argument twice[] = {sspur_slice(b, 16)};
	EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	EXPECT(sspur_buffer_write_at(b, 5 * 8, values, sizeof values) == SSPUR_OK);
	EXPECT(sspur_buffer_write_at(b, 0, values, 8) == SSPUR_OK);
	EXPECT(sspur_buffer_write_at(b, 15 * 8, values + 1, 8) == SSPUR_OK);
	EXPECT(sspur_buffer_read_at(b, 4 * 8, got, 5 * 8) == SSPUR_OK);
	EXPECT(got[0] == 8 && got[1] == -1 && got[2] == -2 && got[3] == -3 && got[4] == 16);
	EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	EXPECT(sspur_buffer_read_at(b, 15 * 8, got, 8) == SSPUR_OK && got[0] == -8);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	for (int i = 0; i < 16; i++)
		EXPECT(got[i] == 4 * (i == 0 ? -1 : i == 15 ? -2 : i < 5 || i > 7 ? 2 * i : 4 - i));
	EXPECT(sspur_buffer_write_at(b, 128, NULL, 0) == SSPUR_OK);
	EXPECT(sspur_buffer_read_at(b, 128, NULL, 0) == SSPUR_OK);
	EXPECT_ERROR(sspur_buffer_write_at(b, 121, values, 8), SSPUR_ERROR_ARGUMENT,
	             "8 bytes from byte 121 on, and the buffer has 128");
	EXPECT_ERROR(sspur_buffer_read_at(b, UINT64_MAX, got, 8), SSPUR_ERROR_ARGUMENT, "and the buffer has 128");
	EXPECT_ERROR(sspur_buffer_read_at(b, 8, got, UINT64_MAX - 4), SSPUR_ERROR_ARGUMENT, "and the buffer has 128");
	EXPECT_ERROR(sspur_buffer_read_at(b, 8, NULL, 8), SSPUR_ERROR_ARGUMENT, "null");
	EXPECT(sspur_buffer_write_at(NULL, 0, values, 8) == SSPUR_ERROR_ARGUMENT);
	sspur_buffer_free(b);
}

/* More than a queue holds, and a buffer that is freed while launches have it. */
static void test_many(void)
{
	int64_t zero[8] = {0}, got[8], expected = 0;
	sspur_buffer *b = buffer_of(zero, sizeof zero), *gone = numbers(1, 8);
	sspur_argument cells[] = {sspur_slice(b, 8), sspur_i64(8), sspur_i64(1)};
	sspur_argument twice[] = {sspur_slice(gone, 8)};
	EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	sspur_buffer_free(gone);
	EXPECT(sspur_launch(kernel("cells"), cells, 3) == SSPUR_OK);
	for (int i = 0; i < 700; i++) {
		twice[0] = sspur_slice(b, i % 50 ? 1 : 8);
		EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	}
	expected = 7000 * (1 << 14);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	EXPECT(got[0] == 0 && got[7] == expected);
	sspur_buffer_free(b);
}

static void test_modules(const char *second_path)
{
	int64_t got[3];
	sspur_kernel *k;
	sspur_module *second = load(second_path);
	EXPECT(sspur_module_kernel_count(second) == 1 && sspur_module_kernel_count(module) == 7);
	EXPECT(strcmp(sspur_kernel_name(sspur_module_kernel(module, 1)), "shift") == 0);
	EXPECT(!sspur_module_kernel(second, 1) && strstr(sspur_module_reflection(second), "\"sspur-reflection\""));
	EXPECT_ERROR(sspur_kernel_find(second, "saxpy", &k), SSPUR_ERROR_KERNEL, "no kernel `saxpy`");
	EXPECT(!k && sspur_kernel_find(second, "double", &k) == SSPUR_OK);
	sspur_buffer *b = numbers(5, 3);
	sspur_argument a[] = {sspur_slice(b, 3)};
	EXPECT(sspur_launch(kernel("double"), a, 1) == SSPUR_OK);
	EXPECT(sspur_launch(k, a, 1) == SSPUR_OK);
	EXPECT(sspur_launch(kernel("double"), a, 1) == SSPUR_OK);
	sspur_module_free(second);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK);
	EXPECT(got[0] == 42 && got[2] == 58);
	sspur_buffer_free(b);
}

static void test_parameters(void)
{
	sspur_parameter p;
	EXPECT(sspur_kernel_parameter_count(kernel("saxpy")) == 3);
	EXPECT(sspur_kernel_parameter(kernel("saxpy"), 0, &p) == SSPUR_OK);
	EXPECT(strcmp(p.name, "a") == 0 && p.type == SSPUR_F32 && p.size == 4 && !p.is_slice && !p.is_writable);
	EXPECT(sspur_kernel_parameter(kernel("saxpy"), 2, &p) == SSPUR_OK);
	EXPECT(p.is_slice && p.is_writable);
	EXPECT_ERROR(sspur_kernel_parameter(kernel("saxpy"), 3, &p), SSPUR_ERROR_ARGUMENT, "3 parameters");
}

/* ---- What does not ---- */

static void test_traps(const char *second_path)
{
	int64_t got[4];
	sspur_buffer *x = numbers(0, 4), *y = numbers(0, 4), *z = numbers(1, 4);
	sspur_argument shift[] = {sspur_slice(x, 4), sspur_slice(y, 4)}, twice[] = {sspur_slice(z, 4)};
	const char *words = "index 4 out of bounds for list of length 4 at";
	EXPECT(sspur_launch(kernel("shift"), shift, 2) == SSPUR_OK);
	EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	EXPECT_ERROR(sspur_synchronize(context), SSPUR_ERROR_TRAP, words);
	EXPECT(strstr(sspur_error_text(context), "api.ssp:7:13 in shift, gid 3"));
	EXPECT(sspur_synchronize(context) == SSPUR_OK);

	/* A launch that is refused reports the earlier trap. */
	EXPECT(sspur_launch(kernel("shift"), shift, 2) == SSPUR_OK);
	sspur_argument divided[] = {sspur_slice(z, 4), sspur_i64(0)};
	EXPECT_ERROR(sspur_launch(kernel("divided"), divided, 2), SSPUR_ERROR_TRAP, words);
	EXPECT_ERROR(sspur_launch(kernel("divided"), divided, 2), SSPUR_ERROR_LAUNCH, "division by zero at");

	/* A trap stays when a module goes, and from then on launches do nothing. */
	int64_t one = 1;
	EXPECT(sspur_buffer_write(z, &one, sizeof one) == SSPUR_OK);
	EXPECT(sspur_launch(kernel("shift"), shift, 2) == SSPUR_OK);
	sspur_module_free(load(second_path));
	EXPECT(sspur_launch(kernel("double"), twice, 1) == SSPUR_OK);
	EXPECT_ERROR(sspur_buffer_read(z, got, sizeof got), SSPUR_ERROR_TRAP, words);
	EXPECT(sspur_buffer_read(z, got, sizeof got) == SSPUR_OK && got[0] == 1);
	sspur_buffer_free(x);
	sspur_buffer_free(y);
	sspur_buffer_free(z);
}

static void test_refusals(void)
{
	sspur_context *other = NULL;
	sspur_buffer *x = numbers(0, 4), *foreign = NULL;
	sspur_kernel *saxpy = kernel("saxpy"), *shift = kernel("shift");
	sspur_argument a[] = {sspur_f32(1), sspur_slice(x, 4), sspur_slice(x, 8)};
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_LAUNCH,
	             "dev: arguments x and y of saxpy are the same buffer");
	EXPECT_ERROR(sspur_launch(saxpy, a, 2), SSPUR_ERROR_ARGUMENT, "saxpy takes 3 arguments, and 2 are given");
	EXPECT_ERROR(sspur_launch(saxpy, NULL, 3), SSPUR_ERROR_ARGUMENT, "null");
	a[2] = sspur_slice(x, 9);
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_ARGUMENT,
	             "argument y of saxpy: 9 elements of 4 bytes, and the buffer has 32 bytes");
	a[2] = sspur_slice(x, UINT64_MAX);
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_ARGUMENT, "elements of 4 bytes");
	a[2] = sspur_slice(NULL, 0);
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_ARGUMENT, "no buffer");
	a[2] = sspur_f32(1);
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_ARGUMENT, "it is a slice, and a scalar is given");
	a[0] = sspur_f64(1);
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_ARGUMENT,
	             "argument a of saxpy: it is f32, and f64 is given");
	a[0] = sspur_slice(x, 1);
	EXPECT_ERROR(sspur_launch(saxpy, a, 3), SSPUR_ERROR_ARGUMENT, "it is a scalar, and a slice is given");

	EXPECT(sspur_context_new("interp", &other) == SSPUR_OK);
	EXPECT(sspur_buffer_new(other, 32, &foreign) == SSPUR_OK);
	sspur_argument s[] = {sspur_slice(x, 4), sspur_slice(foreign, 4)};
	EXPECT_ERROR(sspur_launch(shift, s, 2), SSPUR_ERROR_ARGUMENT, "the buffer is of another context");
	sspur_context_free(other);

	sspur_buffer *y = numbers(0, 4);
	sspur_argument unequal[] = {sspur_f32(1), sspur_slice(x, 4), sspur_slice(y, 3)};
	EXPECT_ERROR(sspur_launch(saxpy, unequal, 3), SSPUR_ERROR_LAUNCH,
	             "contract violated: pre x.len == y.len in saxpy");
	char bytes[64];
	EXPECT_ERROR(sspur_buffer_read(y, bytes, 33), SSPUR_ERROR_ARGUMENT, "33 bytes, and the buffer has 32");
	EXPECT_ERROR(sspur_buffer_write(y, bytes, 33), SSPUR_ERROR_ARGUMENT, "33 bytes, and the buffer has 32");
	EXPECT(sspur_buffer_size(y) == 32);
	EXPECT_ERROR(sspur_buffer_new(context, UINT64_MAX, &foreign), SSPUR_ERROR_MEMORY,
	             "dev: out of device memory (18446744073709551615 bytes)");
	EXPECT(!foreign);
	sspur_buffer_free(x); /* y is the context's to free */
}

/* Every cut of a bundle, and every byte changed, is refused. */
static void test_damage(const char *path)
{
	size_t size;
	sspur_module *m;
	char *bytes = read_file(path, &size);
	for (size_t n = 0; n < size; n += n < 300 ? 1 : 501) {
		char *part = malloc(n + 1);
		memcpy(part, bytes, n);
		EXPECT_ERROR(sspur_module_load(context, part, n, &m), SSPUR_ERROR_ARTIFACT,
		             n < 8 ? "not a bundle" : "cut short");
		free(part);
	}
	for (size_t n = 0; n < size; n += n < 300 ? 1 : 501) {
		bytes[n] ^= 0x10;
		EXPECT(sspur_module_load(context, bytes, size, &m) == SSPUR_ERROR_ARTIFACT && !m);
		bytes[n] ^= 0x10;
	}
	EXPECT_ERROR(sspur_module_load(context,
	                               "\x7f"
	                               "ELF",
	                               4, &m),
	             SSPUR_ERROR_ARTIFACT, "not a bundle");
	EXPECT_ERROR(sspur_module_load(context, NULL, 4, &m), SSPUR_ERROR_ARGUMENT, "null");
	free(bytes);
}

static void test_devices(const char *device)
{
	sspur_context *none;
	bool found = false;
	for (uint32_t i = 0; sspur_device_name(i); i++)
		found |= strcmp(sspur_device_name(i), "seq") == 0;
	EXPECT(found && sspur_device_count("seq") == 1 && sspur_device_count("toaster") == 0);
	EXPECT(strstr(sspur_error_text(NULL), "there is no device `toaster`"));
	EXPECT(sspur_context_new("toaster", &none) == SSPUR_ERROR_DEVICE && !none);
	EXPECT(sspur_context_new("seq:7", &none) == SSPUR_ERROR_DEVICE && !none);
	EXPECT(sspur_error_code(NULL) == SSPUR_ERROR_DEVICE);
	if (strncmp(device, "fault:", 6) == 0) {
		EXPECT(sspur_context_new(device, &none) == SSPUR_ERROR_DEVICE);
		EXPECT(strstr(sspur_error_text(NULL), "is open in another context"));
	}
	EXPECT(sspur_context_new("auto", &none) == SSPUR_OK && *sspur_context_description(none));
	sspur_context_free(none);
	EXPECT(sspur_context_new("auto:0", &none) == SSPUR_ERROR_DEVICE && !none);
	sspur_capabilities c;
	sspur_context_capabilities(context, &c);
	EXPECT(c.group_limit > 0 && *sspur_context_description(context));
	EXPECT(strcmp(sspur_error_name(SSPUR_ERROR_TRAP), "trap") == 0 && strcmp(sspur_version(), "0.1.0") == 0);
}

/* Each context has a device of its own, which lives on when others are gone. */
static void test_contexts(const char *device, char **paths)
{
	sspur_context *before = context;
	sspur_module *module_before = module;
	if (strncmp(device, "fault:", 6) == 0)
		return;
	int64_t one = 1, got;
	sspur_buffer *b = buffer_of(&one, sizeof one);
	EXPECT(sspur_context_new(device, &context) == SSPUR_OK);
	module = load(paths[0]);
	test_saxpy();
	sspur_argument a[] = {sspur_slice(b, 1)};
	EXPECT_ERROR(sspur_launch(kernel("double"), a, 1), SSPUR_ERROR_ARGUMENT, "of another context");
	sspur_context_free(context);
	context = before;
	module = module_before;
	EXPECT(sspur_launch(kernel("double"), a, 1) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, &got, sizeof got) == SSPUR_OK && got == 2);
	sspur_buffer_free(b);
}

/* What a thread does with a context of its own. */
struct work {
	pthread_t thread;
	const char *device;
	char **paths;
};

static void *run_work(void *argument)
{
	const struct work *w = argument;
	EXPECT(sspur_context_new(w->device, &context) == SSPUR_OK);
	module = load(w->paths[0]);
	test_saxpy();
	test_scalars();
	test_grids();
	test_modules(w->paths[1]);
	test_traps(w->paths[1]);
	EXPECT(*sspur_error_text(context) && !*sspur_error_text(NULL));
	sspur_context_free(context);
	return NULL;
}

/* `native`: the bundles have native code. */
static void test_threads(bool native, char **paths)
{
	struct work work[] = {{.device = native ? "seq" : "interp"},
	                      {.device = native ? "cpu" : "interp"},
	                      {.device = native ? "cpu" : "interp"},
	                      {.device = "interp"},
	                      {.device = native ? "fault:3:seq" : "fault:3:interp"}};
	for (uint32_t i = 0; i < LENGTH(work); i++) {
		work[i].paths = paths;
		EXPECT(pthread_create(&work[i].thread, NULL, run_work, &work[i]) == 0);
	}
	for (uint32_t i = 0; i < LENGTH(work); i++)
		pthread_join(work[i].thread, NULL);
}

static const char *type_name(sspur_type type)
{
	switch (type) {
	case SSPUR_BOOL: return "bool";
	case SSPUR_I8: return "i8";
	case SSPUR_U8: return "u8";
	case SSPUR_I16: return "i16";
	case SSPUR_U16: return "u16";
	case SSPUR_I32: return "i32";
	case SSPUR_U32: return "u32";
	case SSPUR_I64: return "i64";
	case SSPUR_U64: return "u64";
	case SSPUR_F32: return "f32";
	case SSPUR_F64: return "f64";
	case SSPUR_BYTES: return "bytes";
	}
	return "?";
}

/* Prints the kernels of a bundle, or why it does not load. */
static int print_bundle(const char *device, const char *path)
{
	size_t size;
	char *bytes = read_file(path, &size);
	EXPECT(sspur_context_new(device, &context) == SSPUR_OK);
	sspur_error error = sspur_module_load(context, bytes, size, &module);
	if (error)
		printf("%s: %s\n", sspur_error_name(error), sspur_error_text(context));
	for (uint32_t i = 0; i < sspur_module_kernel_count(module); i++) {
		const sspur_kernel *k = sspur_module_kernel(module, i);
		printf("%s(", sspur_kernel_name(k));
		for (uint32_t n = 0; n < sspur_kernel_parameter_count(k); n++) {
			sspur_parameter p;
			EXPECT(sspur_kernel_parameter(k, n, &p) == SSPUR_OK);
			printf(p.is_slice ? "%s%s: %s[%s]" : "%s%s: %s%s", n ? ", " : "", p.name,
			       p.is_writable ? "mut " : "", type_name(p.type));
		}
		puts(")");
	}
	sspur_context_free(context);
	free(bytes);
	return error != SSPUR_OK;
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	if (strcmp(arguments[1], "load") == 0)
		return print_bundle(arguments[2], arguments[3]);
	if (sspur_context_new(arguments[1], &context) != SSPUR_OK) {
		printf("%s\n", sspur_error_text(NULL));
		return 1;
	}
	module = load(arguments[2]);
	test_devices(arguments[1]);
	test_parameters();
	test_saxpy();
	test_scalars();
	test_grids();
	test_ranges();
	test_many();
	test_contexts(arguments[1], arguments + 2);
	test_modules(arguments[3]);
	test_traps(arguments[3]);
	test_refusals();
	test_damage(arguments[3]);
	test_saxpy();
	sspur_context_free(context);
	context = NULL;
	EXPECT(sspur_context_new(arguments[1], &context) == SSPUR_OK);
	module = load(arguments[2]);
	test_saxpy();
	sspur_context_free(context);
	test_threads(!strstr(arguments[1], "interp"), arguments + 2);
	puts("all as it should be");
	return 0;
}
