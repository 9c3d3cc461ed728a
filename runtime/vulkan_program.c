#include "runtime/vulkan_program.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/launch_values.h"
#include "runtime/vulkan_commands.h"
#include "utils/base/arena.h"

/* ---- SPIR-V: what the runtime reads of it (SPIR-V 2.3, 3.31) ---- */

enum {
	SPIRV_HEADER = 5,   /* words */
	LONGEST_NAME = 255, /* the validation layer takes no longer one */
};

/* What a driver must not be given without the feature. */
static bool has_capability(const struct vulkan_gpu *gpu, uint32_t capability, const char **name)
{
	const struct vulkan_features *f = &gpu->features;
	const VkPhysicalDeviceFloatControlsProperties *c = &gpu->floats;
	switch (capability) {
	case SpvCapabilityShader: return true;
	case SpvCapabilityFloat64: *name = "Float64"; return f->float64;
	case SpvCapabilityInt64: *name = "Int64"; return f->int64;
	case SpvCapabilityInt16: *name = "Int16"; return f->int16;
	case SpvCapabilityInt8: *name = "Int8"; return f->int8;
	case SpvCapabilityStorageBuffer16BitAccess: *name = "StorageBuffer16BitAccess"; return f->storage16;
	case SpvCapabilityStorageBuffer8BitAccess: *name = "StorageBuffer8BitAccess"; return f->storage8;
	case SpvCapabilityDenormPreserve:
		*name = "DenormPreserve";
		return c->shaderDenormPreserveFloat32 || (f->float64 && c->shaderDenormPreserveFloat64);
	case SpvCapabilitySignedZeroInfNanPreserve:
		*name = "SignedZeroInfNanPreserve";
		return c->shaderSignedZeroInfNanPreserveFloat32;
	case SpvCapabilityRoundingModeRTE: *name = "RoundingModeRTE"; return c->shaderRoundingModeRTEFloat32;
	default: *name = "one that this runtime does not know"; return false;
	}
}

struct spirv_reader {
	const uint32_t *words;
	size_t count, at;
};

static struct spirv_reader read_spirv(const struct text *code)
{
	return (struct spirv_reader){
	    .words = (const uint32_t *)(const void *)code->data, .count = code->length / 4, .at = SPIRV_HEADER};
}

/* The next instruction and its length in words; NULL at the end. */
static const uint32_t *next_instruction(struct spirv_reader *r, uint32_t *length)
{
	if (r->at >= r->count)
		return NULL;
	const uint32_t *i = r->words + r->at;
	*length = *i >> SpvWordCountShift;
	if (!*length || *length > r->count - r->at)
		return NULL;
	r->at += *length;
	return i;
}

static bool check_code(const struct text *code, const struct vulkan_gpu *gpu, struct text *error)
{
	uint32_t magic = 0, length;
	if (code->length >= SPIRV_HEADER * 4 && code->length % 4 == 0)
		memcpy(&magic, code->data, sizeof magic);
	if (magic != SpvMagicNumber) {
		text_add(error, "the code is not SPIR-V");
		return false;
	}
	struct spirv_reader r = read_spirv(code);
	for (const uint32_t *i; (i = next_instruction(&r, &length));) {
		const char *name = "Shader";
		if ((*i & SpvOpCodeMask) != SpvOpCapability || length < 2 || has_capability(gpu, i[1], &name))
			continue;
		text_add_format(error, "the code needs SPIR-V's capability %u (%s), which the device does not have",
		                (unsigned)i[1], name);
		return false;
	}
	if (r.at != r.count)
		text_add(error, "the code is cut short");
	return r.at == r.count;
}

static bool has_entry(const struct text *code, const char *name)
{
	uint32_t length;
	struct spirv_reader r = read_spirv(code);
	for (const uint32_t *i; (i = next_instruction(&r, &length));) {
		size_t room = length > 3 ? (length - 3) * 4 : 0;
		if ((*i & SpvOpCodeMask) == SpvOpEntryPoint && strlen(name) < room &&
		    strncmp((const char *)(i + 3), name, room) == 0)
			return true;
	}
	return false;
}

/* Which functions the code has of a kernel. */
static uint32_t variants_in(const struct text *code, const struct ir_kernel *k)
{
	struct text name = {0};
	uint32_t variants = 0;
	for (uint32_t v = 0; v < KERNEL_VARIANTS; v++) {
		text_clear(&name);
		if (launch_entry_name("vulkan", k, v, &name) && has_entry(code, text_string(&name)))
			variants |= UINT32_C(1) << v;
	}
	text_free(&name);
	return variants;
}

/* ---- Programs ---- */

bool vulkan_program_load(struct vulkan_program *p, const struct vulkan_gpu *gpu, const struct ir_module *source,
                         const struct artifact_provider *provider, struct text *error)
{
	struct text code = {0};
	*p = (struct vulkan_program){.gpu = gpu, .source = source};
	bool good = provider->get(provider->context, source, ARTIFACT_VULKAN, gpu->hazards, &code, error) &&
	            check_code(&code, gpu, error);
	if (good) {
		VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		                                 .codeSize = code.length,
		                                 .pCode = (const uint32_t *)(const void *)code.data};
		good = !vulkan_failed(gpu->vk->vkCreateShaderModule(gpu->device, &info, NULL, &p->shader),
		                      "vkCreateShaderModule", error);
	}
	if (good) {
		p->kernels = memory_zeroed(source->kernel_count + 1, sizeof *p->kernels);
		for (uint32_t i = 0; i < source->kernel_count; i++)
			p->kernels[i].variants = variants_in(&code, source->kernels[i]);
	}
	text_free(&code);
	return good;
}

void vulkan_program_free(struct vulkan_program *p)
{
	const struct vulkan_gpu *gpu = p->gpu;
	for (uint32_t i = 0; i < p->source->kernel_count; i++) {
		struct vulkan_kernel *k = &p->kernels[i];
		for (int v = 0; v < KERNEL_VARIANTS; v++) {
			gpu->vk->vkDestroyPipeline(gpu->device, k->pipelines[v], NULL);
			text_free(&k->failures[v]);
		}
		gpu->vk->vkDestroyPipelineLayout(gpu->device, k->layout, NULL);
		gpu->vk->vkDestroyDescriptorSetLayout(gpu->device, k->set_layout, NULL);
	}
	gpu->vk->vkDestroyShaderModule(gpu->device, p->shader, NULL);
	free(p->kernels);
}

/* ---- Kernels ---- */

struct vulkan_kernel *vulkan_program_kernel(const struct vulkan_program *p, const struct ir_kernel *k)
{
	uint32_t i = 0;
	while (p->source->kernels[i] != k)
		i++;
	return &p->kernels[i];
}

static bool make_layouts(struct vulkan_kernel *made, const struct vulkan_gpu *gpu, uint32_t count, struct text *error)
{
	VkDescriptorSetLayoutBinding *bindings = memory_zeroed(count, sizeof *bindings);
	for (uint32_t i = 0; i < count; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
		                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		                                             .descriptorCount = 1,
		                                             .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
	VkDescriptorSetLayoutCreateInfo set = {
	    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
	VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
	bool good = !vulkan_failed(gpu->vk->vkCreateDescriptorSetLayout(gpu->device, &set, NULL, &set_layout),
	                           "vkCreateDescriptorSetLayout", error);
	free(bindings);
	VkPipelineLayoutCreateInfo pipeline = {
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
	VkPipelineLayout layout = VK_NULL_HANDLE;
	if (good && vulkan_failed(gpu->vk->vkCreatePipelineLayout(gpu->device, &pipeline, NULL, &layout),
	                          "vkCreatePipelineLayout", error)) {
		gpu->vk->vkDestroyDescriptorSetLayout(gpu->device, set_layout, NULL);
		good = false;
	}
	if (good) {
		made->set_layout = set_layout;
		made->layout = layout;
		made->bindings = count;
	}
	return good;
}

/* The device's limits that the queue does not look at. */
static bool fits(const struct vulkan_gpu *gpu, const struct ir_kernel *k, uint32_t bindings, struct text *error)
{
	const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
	uint32_t most = limits->maxPerStageDescriptorStorageBuffers;
	if (limits->maxDescriptorSetStorageBuffers < most)
		most = limits->maxDescriptorSetStorageBuffers;
	if (VULKAN_BINDINGS < most)
		most = VULKAN_BINDINGS;
	if (bindings > most) {
		text_add_format(error, "%u buffers, the device takes %u (maxPerStageDescriptorStorageBuffers)",
		                bindings, most);
		return false;
	}
	for (int axis = 0; axis < 3; axis++) {
		if (k->group[axis] <= limits->maxComputeWorkGroupSize[axis])
			continue;
		text_add_format(error, "groups of %u threads on an axis, the device has %u (maxComputeWorkGroupSize)",
		                (unsigned)k->group[axis], limits->maxComputeWorkGroupSize[axis]);
		return false;
	}
	return true;
}

static uint32_t bindings_of(const struct ir_kernel *k)
{
	uint32_t bindings = 3; /* settings, status, mask */
	for (uint32_t i = 0; i < k->parameter_count; i++)
		bindings += k->parameters[i].kind != IR_PARAMETER_SCALAR;
	return bindings;
}

static bool make_pipeline(struct vulkan_kernel *made, const struct vulkan_program *p, const char *name,
                          enum kernel_variant variant, struct text *error)
{
	const struct vulkan_gpu *gpu = p->gpu;
	VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
	                                    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
	                                              .stage = VK_SHADER_STAGE_COMPUTE_BIT,
	                                              .module = p->shader,
	                                              .pName = name},
	                                    .layout = made->layout};
	VkPipeline pipeline = VK_NULL_HANDLE;
	VkResult result = gpu->vk->vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
	if (vulkan_failed(result, "vkCreateComputePipelines", error))
		return false;
	made->pipelines[variant] = pipeline;
	return true;
}

bool vulkan_kernel_prepare(struct vulkan_kernel *made, const struct vulkan_program *p, const struct ir_kernel *k,
                           enum kernel_variant variant, struct text *error)
{
	if (made->pipelines[variant])
		return true;
	struct text name = {0}, *why = &made->failures[variant];
	if (!why->length) {
		if (!(made->variants >> variant & 1) || !launch_entry_name("vulkan", k, variant, &name))
			text_add(why, "the code has no such kernel");
		else if (name.length > LONGEST_NAME)
			text_add(why, "its name is too long for the driver");
		else if (made->layout ||
		         (fits(p->gpu, k, bindings_of(k), why) && make_layouts(made, p->gpu, bindings_of(k), why)))
			make_pipeline(made, p, text_string(&name), variant, why);
	}
	text_free(&name);
	text_add(error, text_string(why));
	return made->pipelines[variant] != VK_NULL_HANDLE;
}
