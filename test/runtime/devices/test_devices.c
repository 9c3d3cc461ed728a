/* Devices with `submit`, without the queue: memory, programs, launches and their status records.
 * usage: test-devices cuda|opencl|vulkan|metal FILE.kir */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_text.h"
#include "runtime/device.h"
#include "runtime/device_cuda.h"
#include "runtime/device_metal.h"
#include "runtime/device_opencl.h"
#include "runtime/device_vulkan.h"
#include "utils/base/arena.h"
#include "utils/base/file.h"
#include "utils/tools/compiler.h"

enum { RECORDS = 256, RECORD_WORDS = 8, STRIDE_MOST = 256, MASK_WORDS = 64, THREADS = 1000, LAUNCHES = 200 };

static struct device device;
static const struct device_functions *f;
static struct device_program *program;
static struct ir_module *module;
static struct device_buffer *status, *mask;
static uint32_t records[RECORDS][RECORD_WORDS], mask_words[MASK_WORDS];

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(bool good, const char *condition, int line)
{
	if (good)
		return;
	fprintf(stderr, "test_devices.c:%d: %s: not so: %s\n", line, device.name, condition);
	exit(1);
}

static void check_call(bool good, const struct text *error, int line)
{
	check(good, error->length ? text_string(error) : "call", line);
}

static void load_module(const char *path)
{
	struct text bytes = {0}, error = {0};
	struct diagnostics d = {0};
	struct source source;
	check_call(file_read(path, &bytes, &error), &error, __LINE__);
	source_init(&source, path, text_string(&bytes), bytes.length);
	module = ir_parse(&source, &d);
	CHECK(module);
	source_free(&source);
	diagnostics_free(&d);
	text_free(&bytes);
	text_free(&error);
}

static struct device_buffer *buffer_of(const void *bytes, uint64_t size)
{
	struct device_buffer *b = f->buffer_new(&device, size);
	CHECK(b);
	CHECK(f->buffer_write(&device, b, bytes, size));
	return b;
}

static uint32_t record_stride(void)
{
	uint32_t stride = f->capabilities(&device)->record_stride;
	return stride ? stride : RECORD_WORDS * 4;
}

static void clear_flags(void)
{
	static const uint8_t zeroes[RECORDS * STRIDE_MOST];
	memset(mask_words, 0, sizeof mask_words);
	CHECK(f->buffer_write(&device, status, zeroes, sizeof zeroes));
	CHECK(f->buffer_write(&device, mask, mask_words, sizeof mask_words));
}

static void read_flags(void)
{
	struct text error = {0};
	check_call(f->flush(&device, &error), &error, __LINE__);
	check_call(f->finish(&device, &error), &error, __LINE__);
	static uint8_t bytes[RECORDS * STRIDE_MOST];
	CHECK(f->buffer_read(&device, status, bytes, sizeof bytes));
	for (int i = 0; i < RECORDS; i++)
		memcpy(records[i], bytes + (size_t)i * record_stride(), sizeof records[i]);
	CHECK(f->buffer_read(&device, mask, mask_words, sizeof mask_words));
}

static void submit(const char *name, const struct device_argument *arguments, uint64_t x, uint64_t y, uint64_t record,
                   bool masked)
{
	struct text error = {0};
	struct device_launch launch = {
	    .kernel = ir_module_find(module, name), .arguments = arguments, .extents = {x, y, 1}};
	struct device_flags flags = {.status = status, .record = record, .mask = masked ? mask : NULL};
	CHECK(launch.kernel);
	check_call(f->submit(&device, program, &launch, &flags, &error), &error, __LINE__);
}

static void submit_proved(const char *name, const struct device_argument *arguments, uint64_t x,
                          enum kernel_variant variant)
{
	struct text error = {0};
	struct device_launch launch = {.kernel = ir_module_find(module, name),
	                               .arguments = arguments,
	                               .extents = {x, 1, 1},
	                               .variant = variant,
	                               .proved_last = x};
	struct device_flags flags = {.status = status};
	check_call(f->submit(&device, program, &launch, &flags, &error), &error, __LINE__);
}

static void test_memory(void)
{
	static const uint64_t sizes[] = {0, 1, 3, 4096, 1000003, 4 << 20, (8 << 20) + 5};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint64_t size = sizes[i];
		uint8_t *bytes = memory_alloc(size + 1), *back = memory_zeroed(size + 1, 1);
		for (uint64_t n = 0; n < size; n++)
			bytes[n] = (uint8_t)(n * 7 + n / 256 + 1);
		struct device_buffer *a = buffer_of(bytes, size), *b = f->buffer_new(&device, size);
		CHECK(b);
		CHECK(f->buffer_copy(&device, b, a, size));
		CHECK(f->buffer_read(&device, b, back, size));
		CHECK(memcmp(bytes, back, size) == 0);
		f->buffer_free(&device, a);
		f->buffer_free(&device, b);
		free(bytes);
		free(back);
	}
	f->buffer_free(&device, NULL);
	CHECK(!f->buffer_new(&device, UINT64_C(1) << 50));
	CHECK(!f->buffer_new(&device, UINT64_MAX));
}

/* As KERNEL_CHECKED, or a variant that the program may lack. */
static void test_clean_launch(enum kernel_variant variant)
{
	if (variant != KERNEL_CHECKED && !(f->variants(program, ir_module_find(module, "next")) >> variant & 1))
		return;
	int32_t x[THREADS], y[THREADS] = {0};
	for (int i = 0; i < THREADS; i++)
		x[i] = i * 3;
	struct device_argument a[] = {{.buffer = buffer_of(x, sizeof x), .length = THREADS},
	                              {.buffer = buffer_of(y, sizeof y), .length = THREADS}};
	clear_flags();
	if (variant == KERNEL_CHECKED)
		submit("next", a, THREADS, 1, 3, true);
	else
		submit_proved("next", a, THREADS, variant);
	read_flags();
	CHECK(f->buffer_read(&device, a[1].buffer, y, sizeof y));
	for (int i = 0; i < THREADS; i++)
		CHECK(y[i] == i * 3 + 1);
	for (int i = 0; i < RECORDS; i++)
		CHECK(records[i][0] == 0);
	for (int i = 0; i < MASK_WORDS; i++)
		CHECK(mask_words[i] == 0);
	f->buffer_free(&device, a[0].buffer);
	f->buffer_free(&device, a[1].buffer);
}

static void test_variants(void)
{
	uint32_t variants = f->variants(program, ir_module_find(module, "next"));
	CHECK(variants == 1 << KERNEL_PROVED || variants == (1 << KERNEL_PROVED | 1 << KERNEL_NARROW));
	test_clean_launch(KERNEL_CHECKED);
	test_clean_launch(KERNEL_PROVED);
	test_clean_launch(KERNEL_NARROW);
}

static void test_failed_threads(void)
{
	int32_t x[THREADS] = {0}, y[THREADS];
	for (int i = 0; i < THREADS; i++)
		y[i] = -9;
	x[5] = x[70] = INT_MAX;
	struct device_argument a[] = {{.buffer = buffer_of(x, sizeof x), .length = THREADS - 1},
	                              {.buffer = buffer_of(y, sizeof y), .length = THREADS}};
	clear_flags();
	submit("next", a, THREADS, 1, RECORDS - 1, true);
	read_flags();
	CHECK(f->buffer_read(&device, a[1].buffer, y, sizeof y));
	for (int i = 0; i < THREADS; i++) {
		bool failed = i == 5 || i == 70 || i == THREADS - 1;
		CHECK(y[i] == (failed ? -9 : 1));
		CHECK((mask_words[i / 32] >> i % 32 & 1) == failed);
	}
	CHECK(records[RECORDS - 1][0] == 3);
	CHECK(records[RECORDS - 1][1] == TRAP_OVERFLOW || records[RECORDS - 1][1] == TRAP_INDEX);
	CHECK(records[RECORDS - 1][3] == 3);
	CHECK(records[RECORDS - 2][0] == 0);
	/* No bytes: every thread is outside. */
	struct device_buffer *empty = f->buffer_new(&device, 0);
	struct device_argument none[] = {{.buffer = empty, .length = 0}, {.buffer = a[1].buffer, .length = 2}};
	clear_flags();
	submit("next", none, 2, 1, 0, false);
	read_flags();
	CHECK(records[0][0] == 2 && records[0][1] == TRAP_INDEX && mask_words[0] == 0);
	f->buffer_free(&device, empty);
	f->buffer_free(&device, a[0].buffer);
	f->buffer_free(&device, a[1].buffer);
}

/* More launches than a device may have places for, before one flush; the middle kept by a copy. */
static void test_many_launches(void)
{
	int32_t y[THREADS] = {INT_MAX - 100}, kept[THREADS];
	struct device_argument a[] = {{.buffer = buffer_of(y, sizeof y), .length = THREADS}, {.bits = 1}};
	struct device_buffer *copy = f->buffer_new(&device, sizeof y);
	clear_flags();
	for (int i = 0; i < LAUNCHES; i++) {
		if (i == LAUNCHES / 4)
			CHECK(f->buffer_copy(&device, copy, a[0].buffer, sizeof y));
		submit("bump", a, THREADS, 1, (uint64_t)i, false);
	}
	read_flags();
	CHECK(f->buffer_read(&device, a[0].buffer, y, sizeof y));
	CHECK(f->buffer_read(&device, copy, kept, sizeof kept));
	CHECK(y[0] == INT_MAX && y[1] == LAUNCHES && y[THREADS - 1] == LAUNCHES);
	CHECK(kept[0] == INT_MAX - 100 + LAUNCHES / 4 && kept[1] == LAUNCHES / 4);
	for (int i = 0; i < RECORDS; i++)
		CHECK(records[i][0] == (i >= 100 && i < LAUNCHES));
	CHECK(records[150][1] == TRAP_OVERFLOW && records[150][3] == 6 && records[150][4] == 0);
	f->buffer_free(&device, a[0].buffer);
	f->buffer_free(&device, copy);
}

static void test_scalars(void)
{
	if (!f->capabilities(&device)->float64)
		return;
	double y[50] = {0}, d = 1e100;
	float single = 0.5f;
	for (int up = 0; up < 2; up++) {
		struct device_argument a[] = {{.bits = (uint64_t)up},
		                              {.bits = (uint64_t)-40},
		                              {0},
		                              {0},
		                              {.buffer = buffer_of(y, sizeof y), .length = 50}};
		memcpy(&a[2].bits, &single, sizeof single);
		memcpy(&a[3].bits, &d, sizeof d);
		clear_flags();
		submit("mixed", a, 50, 1, 1, true);
		submit("add", (struct device_argument[]){{.buffer = a[4].buffer, .length = 1}}, 1, 1, 2, true);
		read_flags();
		CHECK(f->buffer_read(&device, a[4].buffer, y, sizeof y));
		CHECK(records[1][0] == 0 && records[2][0] == 0);
		for (int i = 1; i < 50; i++)
			CHECK(y[i] == (up ? 1.0 : -1.0) * (d + 0.5) + (double)(i - 40));
		int32_t first;
		memcpy(&first, y, sizeof first);
		CHECK(first == 7);
		f->buffer_free(&device, a[4].buffer);
	}
}

/* The device's own limits, made small: what a driver would refuse is launched in parts. */
static void test_parts(void)
{
	struct device_capabilities *capabilities = (struct device_capabilities *)f->capabilities(&device),
	                           kept = *capabilities;
	enum { WIDTH = 37, HEIGHT = 23 };
	int64_t cells[WIDTH * HEIGHT] = {0};
	int32_t x[THREADS] = {0}, y[THREADS] = {0};
	x[999] = x[64] = INT_MAX;
	struct device_argument a[] = {
	    {.buffer = buffer_of(cells, sizeof cells), .length = WIDTH * HEIGHT}, {.bits = WIDTH}, {.bits = HEIGHT}};
	struct device_argument b[] = {{.buffer = buffer_of(x, sizeof x), .length = THREADS},
	                              {.buffer = buffer_of(y, sizeof y), .length = THREADS}};
	memcpy(capabilities->groups_limit, (uint64_t[3]){3, 5, 1}, sizeof capabilities->groups_limit);
	clear_flags();
	submit("cells", a, WIDTH, HEIGHT, 0, false);
	submit("next", b, THREADS, 1, 1, true);
	read_flags();
	*capabilities = kept;
	CHECK(f->buffer_read(&device, a[0].buffer, cells, sizeof cells));
	CHECK(f->buffer_read(&device, b[1].buffer, y, sizeof y));
	for (int row = 0; row < HEIGHT; row++)
		for (int column = 0; column < WIDTH; column++)
			CHECK(cells[row * WIDTH + column] == column * 1000 + row);
	for (int i = 0; i < THREADS; i++)
		CHECK(y[i] == (i != 64 && i != 999));
	CHECK(records[0][0] == 0 && records[1][0] == 2);
	CHECK(mask_words[2] == 1 && mask_words[999 / 32] == UINT32_C(1) << 999 % 32);
	f->buffer_free(&device, a[0].buffer);
	f->buffer_free(&device, b[0].buffer);
	f->buffer_free(&device, b[1].buffer);
}

/* A device may want its records far apart. */
static void test_stride(void)
{
	struct device_capabilities *capabilities = (struct device_capabilities *)f->capabilities(&device),
	                           kept = *capabilities;
	if (!kept.record_stride)
		return;
	capabilities->record_stride = STRIDE_MOST;
	test_failed_threads();
	test_many_launches();
	*capabilities = kept;
}

/* Many small buffers, freed in another order while the device works, and one that may be larger than it can bind. */
static void test_buffers(void)
{
	enum { SMALL = 6000, LARGE = 160 << 20 };
	struct device_buffer **buffers = memory_zeroed(SMALL, sizeof *buffers);
	for (uint32_t i = 0; i < SMALL; i++) {
		buffers[i] = buffer_of(&i, sizeof i);
		if (i % 3 == 2) {
			f->buffer_free(&device, buffers[i - 1]);
			buffers[i - 1] = NULL;
		}
	}
	for (uint32_t i = 0; i < SMALL; i++) {
		uint32_t back = i;
		CHECK(!buffers[i] || (f->buffer_read(&device, buffers[i], &back, sizeof back) && back == i));
		if (i % 7)
			f->buffer_free(&device, buffers[i]);
	}
	for (uint32_t i = 0; i < SMALL; i += 7)
		f->buffer_free(&device, buffers[i]);
	free(buffers);
	struct device_buffer *large = f->buffer_new(&device, LARGE);
	if (!large)
		return;
	struct text error = {0};
	struct device_launch launch = {
	    .kernel = ir_module_find(module, "bump"),
	    .arguments = (struct device_argument[]){{.buffer = large, .length = LARGE / 4}, {.bits = 1}},
	    .extents = {1, 1, 1}};
	struct device_flags flags = {.status = status};
	if (!f->submit(&device, program, &launch, &flags, &error)) {
		printf("%s\n", text_string(&error));
		text_free(&error);
	}
	clear_flags();
	f->buffer_free(&device, large);
}

static bool bad_artifact(void *context, const struct ir_module *m, enum artifact_kind kind, uint32_t hazards,
                         struct text *bytes, struct text *error)
{
	(void)m;
	(void)kind;
	(void)hazards;
	text_add(*(bool *)context ? bytes : error, "not an artifact");
	return *(bool *)context;
}

static void test_bad_program(void)
{
	for (int given = 0; given < 2; given++) {
		bool have = given;
		struct artifact_provider provider = {.context = &have, .get = bad_artifact};
		struct text error = {0};
		CHECK(!f->program_load(&device, module, &provider, &error));
		CHECK(error.length && !strchr(text_string(&error), '\n'));
		text_free(&error);
	}
}

static void open_device(void)
{
	struct text error = {0};
	struct artifact_provider provider = artifact_provider_make(true);
	check_call(f->open(&device, &error), &error, __LINE__);
	program = f->program_load(&device, module, &provider, &error);
	check_call(program != NULL, &error, __LINE__);
	status = f->buffer_new(&device, RECORDS * STRIDE_MOST);
	mask = f->buffer_new(&device, sizeof mask_words);
	CHECK(status && mask);
}

int main(int argument_count, char **arguments)
{
	if (argument_count != 3)
		return 2;
	f = strcmp(arguments[1], "cuda") == 0     ? &device_cuda_functions
	    : strcmp(arguments[1], "vulkan") == 0 ? &device_vulkan_functions
	    : strcmp(arguments[1], "metal") == 0  ? &device_metal_functions
	                                          : &device_opencl_functions;
	device = (struct device){.name = arguments[1], .functions = f};
	load_module(arguments[2]);
	open_device();
	struct text line = {0};
	f->describe(&device, &line);
	printf("%s\n", text_string(&line));
	text_free(&line);
	test_memory();
	test_variants();
	test_failed_threads();
	test_many_launches();
	test_scalars();
	test_parts();
	test_stride();
	test_buffers();
	test_bad_program();
	f->close(&device); /* with what it still holds */
	open_device();
	test_clean_launch(KERNEL_CHECKED);
	f->program_free(&device, program);
	f->close(&device);
	device.number = UINT32_MAX;
	struct text error = {0};
	CHECK(!f->open(&device, &error) && error.length);
	text_free(&error);
	ir_module_free(module);
	puts("all as it should be");
	return 0;
}
