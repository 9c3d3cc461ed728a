/* A buffer of more than 2^31 elements and a launch of as many threads. usage: test-large DEVICE BUNDLE, the bundle of
 * Inputs/large.ssp; 8.6 GB of device memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

#define COUNT (((uint64_t)1 << 31) + 16)

static sspur_context *context;

static sspur_kernel *kernel(sspur_module *module, const char *name)
{
	sspur_kernel *k;
	EXPECT(sspur_kernel_find(module, name, &k) == SSPUR_OK);
	return k;
}

static sspur_module *load(const char *path)
{
	static char bytes[1 << 20];
	sspur_module *module;
	FILE *f = fopen(path, "rb");
	EXPECT(f);
	size_t size = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	EXPECT(sspur_module_load(context, bytes, size, &module) == SSPUR_OK);
	return module;
}

static void add(sspur_kernel *k, sspur_buffer *b, uint64_t base, uint64_t n)
{
	sspur_argument a[] = {sspur_i64((int64_t)base), sspur_i64((int64_t)n), sspur_slice(b, COUNT)};
	EXPECT(sspur_launch(k, a, 3) == SSPUR_OK);
}

int main(int count, char **arguments)
{
	static const uint64_t bases[] = {0, ((uint64_t)1 << 30) - 8, ((uint64_t)1 << 31) - 16, COUNT - 16};
	sspur_buffer *b;
	if (count != 3)
		return 2;
	EXPECT(sspur_context_new(arguments[1], &context) == SSPUR_OK);
	sspur_module *module = load(arguments[2]);
	EXPECT(sspur_buffer_new(context, COUNT * 4, &b) == SSPUR_OK);
	bool interpreter = strcmp(arguments[1], "interp") == 0; /* it would take an hour */
	sspur_argument fill[] = {sspur_slice(b, COUNT)};
	if (!interpreter)
		EXPECT(sspur_launch(kernel(module, "fill"), fill, 1) == SSPUR_OK);
	for (int i = 0; i < 4; i++) {
		uint32_t got[16];
		for (uint32_t n = 0; n < 16; n++)
			got[n] = (uint32_t)(bases[i] + n);
		if (interpreter)
			EXPECT(sspur_buffer_write_at(b, bases[i] * 4, got, sizeof got) == SSPUR_OK);
		add(kernel(module, "add"), b, bases[i], 16);
		EXPECT(sspur_buffer_read_at(b, bases[i] * 4, got, sizeof got) == SSPUR_OK);
		for (uint32_t n = 0; n < 16; n++)
			EXPECT(got[n] == (uint32_t)(bases[i] + n) + n);
	}
	add(kernel(module, "add"), b, COUNT - 16, 17);
	EXPECT(sspur_synchronize(context) == SSPUR_ERROR_TRAP);
	EXPECT(strstr(sspur_error_text(context), "index 2147483664 out of bounds for list of length 2147483664 at "));
	EXPECT(strstr(sspur_error_text(context), "in add, gid 16"));
	sspur_context_free(context);
	puts("all as it should be");
	return 0;
}
