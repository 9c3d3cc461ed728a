/* The functions of Vulkan that the runtime calls, from its loader, libvulkan. */
#ifndef SSPUR_RUNTIME_VULKAN_DRIVER_H
#define SSPUR_RUNTIME_VULKAN_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/vulkan_functions.h"
#include "utils/base/text.h"

/* Of Vulkan 1.1: the loader exports all of it. */
#define VULKAN_FUNCTIONS(F)                                                                                            \
	F(vkGetInstanceProcAddr)                                                                                       \
	F(vkEnumerateInstanceVersion)                                                                                  \
	F(vkEnumerateInstanceLayerProperties)                                                                          \
	F(vkCreateInstance)                                                                                            \
	F(vkDestroyInstance)                                                                                           \
	F(vkEnumeratePhysicalDevices)                                                                                  \
	F(vkEnumerateDeviceExtensionProperties)                                                                        \
	F(vkGetPhysicalDeviceProperties)                                                                               \
	F(vkGetPhysicalDeviceProperties2)                                                                              \
	F(vkGetPhysicalDeviceFeatures2)                                                                                \
	F(vkGetPhysicalDeviceMemoryProperties)                                                                         \
	F(vkGetPhysicalDeviceQueueFamilyProperties)                                                                    \
	F(vkCreateDevice)                                                                                              \
	F(vkDestroyDevice)                                                                                             \
	F(vkDeviceWaitIdle)                                                                                            \
	F(vkGetDeviceQueue)                                                                                            \
	F(vkQueueSubmit)                                                                                               \
	F(vkCreateFence)                                                                                               \
	F(vkDestroyFence)                                                                                              \
	F(vkResetFences)                                                                                               \
	F(vkWaitForFences)                                                                                             \
	F(vkAllocateMemory)                                                                                            \
	F(vkFreeMemory)                                                                                                \
	F(vkMapMemory)                                                                                                 \
	F(vkCreateBuffer)                                                                                              \
	F(vkDestroyBuffer)                                                                                             \
	F(vkGetBufferMemoryRequirements)                                                                               \
	F(vkBindBufferMemory)                                                                                          \
	F(vkCreateShaderModule)                                                                                        \
	F(vkDestroyShaderModule)                                                                                       \
	F(vkCreateDescriptorSetLayout)                                                                                 \
	F(vkDestroyDescriptorSetLayout)                                                                                \
	F(vkCreatePipelineLayout)                                                                                      \
	F(vkDestroyPipelineLayout)                                                                                     \
	F(vkCreateComputePipelines)                                                                                    \
	F(vkDestroyPipeline)                                                                                           \
	F(vkCreateDescriptorPool)                                                                                      \
	F(vkDestroyDescriptorPool)                                                                                     \
	F(vkResetDescriptorPool)                                                                                       \
	F(vkAllocateDescriptorSets)                                                                                    \
	F(vkUpdateDescriptorSets)                                                                                      \
	F(vkCreateCommandPool)                                                                                         \
	F(vkDestroyCommandPool)                                                                                        \
	F(vkAllocateCommandBuffers)                                                                                    \
	F(vkBeginCommandBuffer)                                                                                        \
	F(vkEndCommandBuffer)                                                                                          \
	F(vkCmdBindPipeline)                                                                                           \
	F(vkCmdBindDescriptorSets)                                                                                     \
	F(vkCmdDispatch)                                                                                               \
	F(vkCmdCopyBuffer)                                                                                             \
	F(vkCmdPipelineBarrier)

struct vulkan_driver {
#define F(name) PFN_##name name;
	VULKAN_FUNCTIONS(F)
#undef F
	VkInstance instance;
};

/* The loader, with an instance of every driver, opened once and for good; NULL with why in *error. Any thread that
 * holds the launch lock. */
const struct vulkan_driver *vulkan_driver_open(struct text *error);
/* How many devices there are, software last; 0 with why in *error. *device: the one of this number, NULL where there
 * are not so many. */
uint32_t vulkan_find_device(const struct vulkan_driver *vk, uint32_t number, VkPhysicalDevice *device,
                            struct text *error);
/* Whether `result`, of the function `call`, is an error; then *error gets `CALL: NAME`. */
bool vulkan_failed(VkResult result, const char *call, struct text *error);
bool vulkan_is_software(VkPhysicalDeviceType type);

#endif
