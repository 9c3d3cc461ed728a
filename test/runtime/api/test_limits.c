/* How large launches and slices of Cone's kernels may be, through the public API.
 * usage: test-limits DEVICE BUNDLE, or test-limits DEVICE ARTIFACT REFLECTION: of Inputs/limits.cone */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

static sspur_context *context;

static size_t read_file(const char *path, char *bytes, size_t most)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		exit(2);
	size_t size = fread(bytes, 1, most, f);
	fclose(f);
	return size;
}

static sspur_kernel *load(int count, char **arguments)
{
	static char bytes[1 << 22], reflection[1 << 20];
	sspur_module *module;
	sspur_kernel *kernel;
	size_t size = read_file(arguments[2], bytes, sizeof bytes);
	if (count == 3)
		EXPECT(sspur_module_load(context, bytes, size, &module) == SSPUR_OK);
	else
		EXPECT(sspur_module_load_artifact(context, SSPUR_ARTIFACT_ANY, bytes, size, reflection,
		                                  read_file(arguments[3], reflection, sizeof reflection),
		                                  &module) == SSPUR_OK);
	EXPECT(sspur_kernel_find(module, "fill", &kernel) == SSPUR_OK);
	return kernel;
}

int main(int count, char **arguments)
{
	if (count < 3)
		return 2;
	EXPECT(sspur_context_new(arguments[1], &context) == SSPUR_OK);
	sspur_kernel *k = load(count, arguments);
	sspur_buffer *b;
	uint32_t got[4] = {0};
	EXPECT(sspur_buffer_new(context, sizeof got, &b) == SSPUR_OK);
	EXPECT(sspur_buffer_write(b, got, sizeof got) == SSPUR_OK);
	sspur_argument a = sspur_slice(b, 4294967301);
	const uint64_t one[3] = {1, 1, 1}, many = (uint64_t)1 << 32;
	EXPECT_ERROR(sspur_launch_groups(k, one, &a, 1), SSPUR_ERROR_ARGUMENT,
	             "argument x of fill: too many elements: 4294967301, and lengths have 32 bits");
	a.length = UINT64_MAX;
	EXPECT_ERROR(sspur_launch_groups(k, one, &a, 1), SSPUR_ERROR_ARGUMENT, "too many elements");
	a.length = 4294967295;
	EXPECT_ERROR(sspur_launch_groups(k, one, &a, 1), SSPUR_ERROR_ARGUMENT, "the buffer has 16 bytes");
	a.length = 4;
	const struct {
		bool groups;
		uint64_t count[3];
		const char *words;
	} cases[] = {
	    {true, {1, 1, many / 2 + 1}, "too many threads along z: 4294967298, and ids have 32 bits"},
	    {true, {UINT64_MAX, 1, 1}, "too many threads along x: 18446744073709551615 groups of 8"},
	    {true, {many / 8, many / 4, 1}, "too many threads along y: 4294967296 times those along x, and there are"},
	    {true, {many / 8, many / 16, 2}, "too many threads along z: 4 times those along x and y, and there are"},
	    {false, {8, many + 4, 2}, "too many threads along y: 4294967300, and ids have 32 bits"},
	    {false, {many, many, 2}, "too many threads along y: 4294967296 times those along x"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sspur_error (*launch)(sspur_kernel *, const uint64_t[3], const sspur_argument *, uint32_t) =
		    cases[i].groups ? sspur_launch_groups : sspur_launch_extents;
		EXPECT_ERROR(launch(k, cases[i].count, &a, 1), SSPUR_ERROR_ARGUMENT, cases[i].words);
	}
	const uint64_t none[3] = {many, many, 0};
	EXPECT(sspur_launch_extents(k, none, &a, 1) == SSPUR_OK);
	EXPECT(sspur_launch_groups(k, one, &a, 1) == SSPUR_OK);
	EXPECT(sspur_buffer_read(b, got, sizeof got) == SSPUR_OK && got[0] == 4 && got[3] == 4);
	sspur_context_free(context);
	printf("all as it should be\n");
	return 0;
}
