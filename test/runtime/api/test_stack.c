/* How much stack the calls of the public API take.
 * usage: test-stack DEVICE BUNDLE KIB: of examples/saxpy.ssp: a program's calls, on a thread with that much stack.
 *        test-stack measure DEVICE BUNDLE: prints how many KiB the deepest of them has used */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

enum { COUNT = 1 << 20, MEASURED = 4 << 20, PAINT = 0x5a };

static sspur_context *context;
static const char *device;
static char bundle[1 << 20];
static size_t bundle_size;
static float xs[COUNT], ys[COUNT];

static void *use_all(void *argument)
{
	sspur_module *module;
	sspur_kernel *kernel;
	sspur_buffer *x, *y;
	uint64_t count = strcmp(device, "interp") == 0 ? 1000 : COUNT;
	EXPECT(sspur_context_new(device, &context) == SSPUR_OK);
	EXPECT(sspur_module_load(context, bundle, bundle_size, &module) == SSPUR_OK);
	EXPECT(sspur_kernel_find(module, "saxpy", &kernel) == SSPUR_OK);
	EXPECT(sspur_buffer_new(context, sizeof xs, &x) == SSPUR_OK);
	EXPECT(sspur_buffer_new(context, sizeof ys, &y) == SSPUR_OK);
	for (uint64_t i = 0; i < count; i++)
		xs[i] = 1;
	EXPECT(sspur_buffer_write(x, xs, sizeof xs) == SSPUR_OK);
	EXPECT(sspur_buffer_write(y, xs, sizeof xs) == SSPUR_OK);
	sspur_argument values[] = {sspur_f32(2), sspur_slice(x, count), sspur_slice(y, count)};
	for (int i = 0; i < 3; i++)
		EXPECT(sspur_launch(kernel, values, 3) == SSPUR_OK);
	values[1].length = 1;
	EXPECT_ERROR(sspur_launch(kernel, values, 3), SSPUR_ERROR_LAUNCH, "pre x.len == y.len");
	EXPECT(sspur_synchronize(context) == SSPUR_OK);
	EXPECT(sspur_buffer_read(y, ys, sizeof ys) == SSPUR_OK && ys[0] == 7);
	EXPECT(sspur_buffer_write_at(y, 4, xs, 8) == SSPUR_OK && sspur_buffer_read_at(y, 4, ys, 8) == SSPUR_OK);
	sspur_context_free(context);
	return argument;
}

static void run_on(void *stack, size_t size)
{
	pthread_t thread;
	pthread_attr_t attributes;
	EXPECT(pthread_attr_init(&attributes) == 0);
	EXPECT((stack ? pthread_attr_setstack(&attributes, stack, size)
	              : pthread_attr_setstacksize(&attributes, size)) == 0);
	EXPECT(pthread_create(&thread, &attributes, use_all, NULL) == 0);
	pthread_join(thread, NULL);
}

/* From its far end on, what nothing has written. */
static size_t untouched(const unsigned char *stack)
{
	size_t n = 0;
	while (n < MEASURED && stack[n] == PAINT)
		n++;
	return n;
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	bool measure = strcmp(arguments[1], "measure") == 0;
	device = arguments[measure ? 2 : 1];
	FILE *file = fopen(arguments[measure ? 3 : 2], "rb");
	if (!file)
		return 2;
	bundle_size = fread(bundle, 1, sizeof bundle, file);
	fclose(file);
	if (!measure) {
		run_on(NULL, (size_t)atoi(arguments[3]) << 10);
		printf("all as it should be\n");
		return 0;
	}
	unsigned char *stack = mmap(NULL, MEASURED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(stack != MAP_FAILED);
	memset(stack, PAINT, MEASURED);
	run_on(stack, MEASURED);
	printf("%zu KiB\n", (MEASURED - untouched(stack) + 1023) >> 10);
	return 0;
}
