/* Any bytes as a bundle, and any parts in one: damage is refused, what is whole reads back as itself, and what a module
 * made of it says neither crashes nor hangs. */
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle.h"
#include "runtime/sspur.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void load(const void *bytes, size_t size)
{
	static sspur_context *context;
	sspur_module *module;
	if (!context && sspur_context_new("interp", &context) != SSPUR_OK)
		abort();
	sspur_error error = sspur_module_load(context, bytes, size, &module);
	if (error != (module ? SSPUR_OK : SSPUR_ERROR_ARTIFACT) || (error && !*sspur_error_text(context)))
		abort();
	for (uint32_t i = 0; i < sspur_module_kernel_count(module); i++) {
		sspur_parameter parameter;
		sspur_kernel *kernel = sspur_module_kernel(module, i), *found;
		if (sspur_kernel_find(module, sspur_kernel_name(kernel), &found) != SSPUR_OK || found != kernel)
			abort();
		for (uint32_t n = 0; n < sspur_kernel_parameter_count(kernel); n++)
			if (sspur_kernel_parameter(kernel, n, &parameter) != SSPUR_OK || !parameter.size)
				abort();
	}
	sspur_module_free(module);
}

/* The input as the kernel IR of a bundle; its bytes also say what other parts there are and which byte is damaged. */
static void check_parts(const uint8_t *bytes, size_t size)
{
	struct bundle b = {0}, again;
	struct text file = {0}, error = {0};
	for (int i = 0; i < BUNDLE_PART_COUNT; i++) {
		b.parts[i].data = i > BUNDLE_REFLECTION && bytes[i] % 2 ? NULL : bytes;
		b.parts[i].size = i == BUNDLE_KIR ? size : b.parts[i].data ? bytes[i] % size : 0;
	}
	bundle_write(&b, &file);
	if (!bundle_read(file.data, file.length, &again, &error))
		abort();
	for (int i = 0; i < BUNDLE_PART_COUNT; i++)
		if (!again.parts[i].data != !b.parts[i].data || again.parts[i].size != b.parts[i].size ||
		    (b.parts[i].size && memcmp(again.parts[i].data, b.parts[i].data, b.parts[i].size) != 0))
			abort();
	load(file.data, file.length);
	size_t at = (size_t)(bytes[size - 1] << 8 | bytes[size - 2]) % file.length;
	file.data[at] = (char)(file.data[at] ^ 0x40);
	if (bundle_read(file.data, file.length, &again, &error) || bundle_read(file.data, at, &again, &error))
		abort();
	text_free(&file);
	text_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	load(bytes, size);
	if (size >= BUNDLE_PART_COUNT + 2)
		check_parts(bytes, size);
	return 0;
}
