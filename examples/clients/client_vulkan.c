/* Launches saxpy from the emitted saxpy.spv (Vulkan form) and saxpy.h with Vulkan, and reads the status record.
 *   sspur build examples/saxpy.ssp --target vulkan -o saxpy.spv
 *   cc examples/clients/client_vulkan.c -o client -I. -lvulkan && ./client saxpy.spv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "saxpy.h"

enum { BUFFERS = 5, BYTES = 64 };
static VkDevice device;
static VkDeviceMemory memory;
static VkBuffer buffers[BUFFERS];
static char *mapped; /* all buffers, at multiples of 256 bytes */

static void check(VkResult result, const char *call)
{
	if (result == VK_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", call, result);
	exit(1);
}

static void open_device(VkQueue *queue)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo about = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
	VkInstance instance;
	VkPhysicalDevice gpu;
	uint32_t count = 1;
	float priority = 1;
	if (vkCreateInstance(&about, NULL, &instance) || vkEnumeratePhysicalDevices(instance, &count, &gpu) < 0 || !count)
		exit(77); /* no device */
	/* saxpy.json says what is needed under `vulkan`: here 64-bit integers and two float controls, core in 1.2. */
	VkPhysicalDeviceFeatures features = {.shaderInt64 = VK_TRUE};
	VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
	                             .pQueueCreateInfos = &queues, .pEnabledFeatures = &features};
	check(vkCreateDevice(gpu, &create, NULL, &device), "vkCreateDevice");
	vkGetDeviceQueue(device, 0, 0, queue);
	VkPhysicalDeviceMemoryProperties types;
	vkGetPhysicalDeviceMemoryProperties(gpu, &types);
	uint32_t type = 0, wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	while ((types.memoryTypes[type].propertyFlags & wanted) != wanted)
		type++;
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 256 * BUFFERS, .memoryTypeIndex = type};
	check(vkAllocateMemory(device, &allocate, NULL, &memory), "vkAllocateMemory");
	check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped), "vkMapMemory");
	for (uint32_t i = 0; i < BUFFERS; i++) {
		VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BYTES, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
		check(vkCreateBuffer(device, &buffer, NULL, &buffers[i]), "vkCreateBuffer");
		check(vkBindBufferMemory(device, buffers[i], memory, 256 * i), "vkBindBufferMemory");
	}
}

static VkPipeline make_pipeline(const char *path, VkPipelineLayout *layout, VkDescriptorSet *set)
{
	static uint32_t code[1 << 18];
	FILE *file = fopen(path, "rb");
	VkShaderModuleCreateInfo shader = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .pCode = code};
	shader.codeSize = file ? fread(code, 1, sizeof code, file) : 0;
	VkDescriptorSetLayoutBinding bindings[BUFFERS];
	for (uint32_t i = 0; i < BUFFERS; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	VkDescriptorSetLayoutCreateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BUFFERS, .pBindings = bindings};
	VkDescriptorSetLayout set_layout;
	check(vkCreateDescriptorSetLayout(device, &sets, NULL, &set_layout), "vkCreateDescriptorSetLayout");
	VkPipelineLayoutCreateInfo layouts = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
	check(vkCreatePipelineLayout(device, &layouts, NULL, layout), "vkCreatePipelineLayout");
	VkComputePipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = *layout,
	    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "saxpy"}};
	check(vkCreateShaderModule(device, &shader, NULL, &create.stage.module), "vkCreateShaderModule");
	VkPipeline pipeline;
	check(vkCreateComputePipelines(device, NULL, 1, &create, NULL, &pipeline), "vkCreateComputePipelines");
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS};
	VkDescriptorPoolCreateInfo pools = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
	VkDescriptorPool pool;
	check(vkCreateDescriptorPool(device, &pools, NULL, &pool), "vkCreateDescriptorPool");
	VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	check(vkAllocateDescriptorSets(device, &allocate, set), "vkAllocateDescriptorSets");
	for (uint32_t i = 0; i < BUFFERS; i++) {
		VkDescriptorBufferInfo buffer = {buffers[i], 0, VK_WHOLE_SIZE};
		VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = *set, .dstBinding = i, .descriptorCount = 1,
		                              .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &buffer};
		vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}
	return pipeline;
}

int main(int count, char **files)
{
	VkQueue queue;
	VkPipelineLayout layout;
	VkDescriptorSet set;
	if (count != 2)
		return 2;
	open_device(&queue);
	VkPipeline pipeline = make_pipeline(files[1], &layout, &set);
	float *x = (float *)(mapped + 256 * saxpy_BINDING_x), *y = (float *)(mapped + 256 * saxpy_BINDING_y);
	struct saxpy_settings *settings = (struct saxpy_settings *)(mapped + 256 * saxpy_SETTINGS_BINDING);
	struct sspur_status *status = (struct sspur_status *)(mapped + 256 * saxpy_STATUS_BINDING);
	memcpy(x, (float[]){1, 2, 3, 4}, 16);
	memcpy(y, (float[]){10, 20, 30, 40}, 16);
	memset(status, 0, sizeof *status);
	*settings = (struct saxpy_settings){.a = 0.5f, .x_length = 4, .y_length = 4, .n = 4};
	VkCommandPoolCreateInfo pools = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	check(vkCreateCommandPool(device, &pools, NULL, &pool), "vkCreateCommandPool");
	VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	VkCommandBuffer commands;
	check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	vkCmdDispatch(commands, (uint32_t)(settings->n + saxpy_GROUP_X - 1) / saxpy_GROUP_X, 1, 1);
	check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
	for (; settings->x_length >= 3; settings->x_length--) { /* 3 breaks the kernel's `pre`: thread 3 reads past the end */
		check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
		check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
		if (status->failed)
			printf("%u failed: kind %u at line %u, thread %u, value %u\n", status->failed, status->kind, status->line,
			       status->x, status->value);
		else
			printf("0 failed\n%g %g %g %g\n", y[0], y[1], y[2], y[3]);
	}
	return 0;
}
