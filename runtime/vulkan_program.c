#include "runtime/vulkan_program.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_analysis.h"
#include "runtime/launch_values.h"
#include "runtime/vulkan_commands.h"
#include "utils/base/arena.h"

enum { LONGEST_NAME = 255 /* the validation layer takes no longer one */ };

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

struct capability_check {
	const struct vulkan_gpu *gpu;
	struct text *error;
};

static bool check_capability(void *context, uint32_t capability)
{
	const struct capability_check *check = context;
	const char *name = "Shader";
	if (has_capability(check->gpu, capability, &name))
		return true;
	text_add_format(check->error, "the code needs SPIR-V's capability %u (%s), which the device does not have",
	                (unsigned)capability, name);
	return false;
}

/* SPIR-V that the device's Vulkan takes, as a module's header has its version. */
static bool check_version(const struct text *code, const struct vulkan_gpu *gpu, struct text *error)
{
	uint32_t device = gpu->properties.apiVersion, version;
	uint32_t most = device >= VK_API_VERSION_1_3   ? 0x00010600
	                : device >= VK_API_VERSION_1_2 ? 0x00010500
	                                               : 0x00010300;
	memcpy(&version, code->data + sizeof version, sizeof version);
	if (version > most)
		text_add_format(error, "the code is SPIR-V %u.%u, the device takes %u.%u", version >> 16 & 0xff,
		                version >> 8 & 0xff, most >> 16, most >> 8 & 0xff);
	return version <= most;
}

static bool check_code(const struct text *code, const struct vulkan_gpu *gpu, struct text *error)
{
	struct capability_check check = {gpu, error};
	bool whole = spirv_is_whole(code);
	if (!whole)
		text_add(error, "the code is not SPIR-V");
	return whole && check_version(code, gpu, error) && spirv_capabilities(code, check_capability, &check);
}

/* Which functions the code has of a kernel. */
static uint32_t variants_in(const struct spirv_index *code, const struct ir_kernel *k)
{
	struct text name = {0};
	uint32_t variants = 0;
	for (uint32_t v = 0; v < KERNEL_VARIANTS; v++) {
		text_clear(&name);
		if (launch_entry_name("vulkan", k, v, &name) && spirv_has_entry(code, text_string(&name)))
			variants |= UINT32_C(1) << v;
	}
	text_free(&name);
	return variants;
}

/* ---- Programs ---- */

bool vulkan_program_load(struct vulkan_program *p, const struct vulkan_gpu *gpu, const struct ir_module *source,
                         const struct artifact_provider *provider, struct text *error)
{
	*p = (struct vulkan_program){.gpu = gpu, .source = source};
	if (!provider->get(provider->context, source, ARTIFACT_VULKAN, gpu->hazards, &p->code, error) ||
	    !check_code(&p->code, gpu, error)) {
		text_free(&p->code);
		return false;
	}
	p->buffers_alone = ir_takes_buffers_alone(source);
	p->index = spirv_index_new(&p->code);
	p->kernels = memory_zeroed(source->kernel_count + 1, sizeof *p->kernels);
	for (uint32_t i = 0; i < source->kernel_count; i++)
		p->kernels[i].variants = variants_in(p->index, source->kernels[i]);
	return true;
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
	free(p->kernels);
	spirv_index_free(p->index);
	text_free(&p->code);
}

/* ---- Kernels ---- */

struct vulkan_kernel *vulkan_program_kernel(const struct vulkan_program *p, const struct ir_kernel *k)
{
	return &p->kernels[ir_module_index(p->source, k)];
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

static uint32_t bindings_of(const struct vulkan_program *p, const struct ir_kernel *k)
{
	uint32_t bindings = p->buffers_alone ? 1 : 3; /* status; settings, status, mask */
	for (uint32_t i = 0; i < k->parameter_count; i++)
		bindings += k->parameters[i].kind != IR_PARAMETER_SCALAR;
	return bindings;
}

static bool make_shader(const struct vulkan_program *p, const char *name, VkShaderModule *shader, struct text *error)
{
	const struct vulkan_gpu *gpu = p->gpu;
	struct text code = {0};
	spirv_entry_alone(p->index, name, &code);
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
	                                 .codeSize = code.length,
	                                 .pCode = (const uint32_t *)(const void *)code.data};
	VkResult result = gpu->vk->vkCreateShaderModule(gpu->device, &info, NULL, shader);
	text_free(&code);
	return !vulkan_failed(result, "vkCreateShaderModule", error);
}

static void make_pipeline(struct vulkan_kernel *made, const struct vulkan_program *p, const char *name,
                          enum kernel_variant variant, struct text *error)
{
	const struct vulkan_gpu *gpu = p->gpu;
	VkPipeline pipeline = VK_NULL_HANDLE;
	VkShaderModule shader;
	if (!make_shader(p, name, &shader, error))
		return;
	VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
	                                    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
	                                              .stage = VK_SHADER_STAGE_COMPUTE_BIT,
	                                              .module = shader,
	                                              .pName = name},
	                                    .layout = made->layout};
	VkResult result = gpu->vk->vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
	gpu->vk->vkDestroyShaderModule(gpu->device, shader, NULL);
	if (!vulkan_failed(result, "vkCreateComputePipelines", error))
		made->pipelines[variant] = pipeline;
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
		else if (made->layout || (fits(p->gpu, k, bindings_of(p, k), why) &&
		                          make_layouts(made, p->gpu, bindings_of(p, k), why)))
			make_pipeline(made, p, text_string(&name), variant, why);
	}
	text_free(&name);
	if (why->length)
		text_add(error, text_string(why));
	return !why->length;
}
