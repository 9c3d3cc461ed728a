/* The runtime's device `vulkan`. Lavapipe keeps subnormals without promising to, and divides exactly: code that relies
 * on both is run there, with what asks for a promise taken out. */
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "ir/hazard.h"
#include "runtime/device.h"
#include "utils/dev/compare/compare.h"

static struct {
	struct device *device;
	struct device_program *program;
	const struct compare_compiler *compiler;
	const struct target_options *options;
	const struct text *artifact;
} vk;

/* Copies a module but for DenormPreserve. */
static void add_without_promise(const struct text *code, struct text *out)
{
	size_t header = 5 * 4;
	text_add_n(out, code->data, header);
	for (size_t at = header; at + 4 <= code->length;) {
		uint32_t words[3] = {0};
		memcpy(words, code->data + at, 4);
		size_t size = (words[0] >> SpvWordCountShift) * 4;
		memcpy(words, code->data + at, size < sizeof words ? size : sizeof words);
		SpvOp op = words[0] & SpvOpCodeMask;
		bool asks = (op == SpvOpCapability && words[1] == SpvCapabilityDenormPreserve) ||
		            (op == SpvOpExecutionMode && words[2] == SpvExecutionModeDenormPreserve);
		if (!asks)
			text_add_n(out, code->data + at, size);
		at += size;
	}
}

static bool provide(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
                    struct text *bytes, struct text *error)
{
	(void)context;
	(void)kind;
	struct text code = {0};
	struct target_options options = *vk.options;
	options.hazards |= hazards & IR_HAZARD_ROUNDS;
	if (vk.artifact)
		text_add_n(&code, vk.artifact->data, vk.artifact->length);
	bool good = vk.artifact || vk.compiler->emit("vulkan", module, &options, &code, error);
	if (good)
		add_without_promise(&code, bytes);
	text_free(&code);
	return good;
}

static bool open(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
                 const struct text *artifact, struct text *error)
{
	struct artifact_provider provider = {.get = provide};
	vk.compiler = c;
	vk.options = options;
	vk.artifact = artifact;
	if (!vk.device) {
		struct device *device = device_find("vulkan");
		if (!device->functions->open(device, error))
			return false;
		vk.device = device;
	}
	vk.program = vk.device->functions->program_load(vk.device, m, &provider, error);
	return vk.program != NULL;
}

static void close(void)
{
	vk.device->functions->program_free(vk.device, vk.program);
}

static struct device_buffer *make_buffer(const void *bytes, uint64_t size)
{
	struct device_buffer *b = vk.device->functions->buffer_new(vk.device, size);
	if (size)
		vk.device->functions->buffer_write(vk.device, b, bytes, size);
	return b;
}

static bool read_back(struct device_buffer *b, void *bytes, uint64_t size)
{
	bool good = !size || vk.device->functions->buffer_read(vk.device, b, bytes, size);
	vk.device->functions->buffer_free(vk.device, b);
	return good;
}

static bool run(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	struct arena arena = {0};
	const struct ir_kernel *k = c->kernel;
	struct device_argument *arguments = ARENA_ARRAY(&arena, struct device_argument, k->parameter_count);
	struct device_launch launch = {.kernel = k, .arguments = arguments, .last = c->total};
	uint64_t mask_size = r->mask ? (c->total + 31) / 32 * 4 : 0;
	struct device_flags flags = {.status = make_buffer(r->status, sizeof r->status)};
	memcpy(launch.extents, c->extents, sizeof launch.extents);
	if (r->mask)
		flags.mask = make_buffer(r->mask, mask_size);
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		arguments[n] = (struct device_argument){.bits = c->arguments[n].bits, .length = c->arguments[n].length};
		if (k->parameters[n].kind != IR_PARAMETER_SCALAR)
			arguments[n].buffer = make_buffer(r->buffers[n], compare_bytes(c, n));
	}
	bool good = !c->total || (vk.device->functions->submit(vk.device, vk.program, &launch, &flags, error) &&
	                          vk.device->functions->finish(vk.device, error));
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (arguments[n].buffer)
			good &= read_back(arguments[n].buffer, r->buffers[n], compare_bytes(c, n));
	good &= read_back(flags.status, r->status, sizeof r->status);
	if (flags.mask)
		good &= read_back(flags.mask, r->mask, mask_size);
	arena_free(&arena);
	return good;
}

const struct compare_device compare_vulkan = {"vulkan", true, open, run, close};
