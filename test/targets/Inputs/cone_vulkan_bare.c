/* Loads k.spv and k.json, Cone's kernels in the Vulkan form, as a bare artifact, and runs one of which a thread fails.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/sspur.h"

struct bytes {
	char *data;
	size_t size;
};

static struct bytes read_file(const char *path)
{
	struct bytes b = {malloc(1 << 16), 0};
	FILE *f = fopen(path, "rb");
	if (!f || !b.data)
		exit(1);
	b.size = fread(b.data, 1, 1 << 16, f);
	fclose(f);
	return b;
}

static sspur_context *context;

static void expect(sspur_error error)
{
	if (error == SSPUR_OK)
		return;
	printf("%s\n", context ? sspur_error_text(context) : "no device");
	exit(1);
}

int main(void)
{
	enum { COUNT = 127 };
	struct bytes code = read_file("k.spv"), reflection = read_file("k.json");
	uint32_t got[COUNT] = {0};
	sspur_module *module;
	sspur_kernel *kernel;
	sspur_buffer *out;
	sspur_status status;
	expect(sspur_context_new("vulkan", &context));
	expect(sspur_module_load_artifact(context, SSPUR_ARTIFACT_VULKAN, code.data, code.size, reflection.data,
	                                  reflection.size, &module));
	expect(sspur_kernel_find(module, "squares", &kernel));
	expect(sspur_buffer_new(context, sizeof got, &out));
	expect(sspur_buffer_write(out, got, sizeof got));
	expect(sspur_launch_extents(kernel, (uint64_t[]){128, 1, 1}, (sspur_argument[]){sspur_slice(out, COUNT)}, 1));
	expect(sspur_buffer_read(out, got, sizeof got));
	expect(sspur_kernel_status(kernel, &status));
	printf("%u %u, failed %u kind %u line %u x %u value %u\n", got[3], got[COUNT - 1], status.failed, status.kind,
	       status.line, status.x, status.value);
	sspur_buffer_free(out);
	sspur_module_free(module);
	sspur_context_free(context);
	free(code.data);
	free(reflection.data);
	return 0;
}
