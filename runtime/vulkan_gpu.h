/* A Vulkan device, opened: what it has, what is asked of it, and its queue. */
#ifndef SSPUR_RUNTIME_VULKAN_GPU_H
#define SSPUR_RUNTIME_VULKAN_GPU_H

#include "runtime/device.h"
#include "runtime/vulkan_driver.h"

/* What only some devices have, enabled where it is there. */
struct vulkan_features {
	bool float64, int64, int16, storage16, int8, storage8;
};

struct vulkan_gpu {
	const struct vulkan_driver *vk;
	VkPhysicalDevice physical;
	VkDevice device; /* NULL: not opened */
	VkQueue queue;
	uint32_t family;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceMemoryProperties memory;
	char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE]; /* its name and version */
	struct vulkan_features features;
	VkPhysicalDeviceFloatControlsProperties floats; /* what it promises; zero where it does not say */
	uint32_t hazards;                               /* set of enum ir_hazard */
	struct device_capabilities capabilities;
};

/* Opens the device of this number. False with *error: there is no such device, or why kernels cannot run there. */
bool vulkan_gpu_open(struct vulkan_gpu *gpu, uint32_t number, struct text *error);
void vulkan_gpu_close(struct vulkan_gpu *gpu);

#endif
