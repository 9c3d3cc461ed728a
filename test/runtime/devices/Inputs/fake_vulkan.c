/* A libvulkan.so.1 for tests of machines without Vulkan, and of devices that cannot be used. FAKE_VULKAN says what is
 * wrong. With fake_vulkan_rest.c, which has the functions that are never reached. */
#define VK_NO_PROTOTYPES
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

static int is(const char *what)
{
	const char *fault = getenv("FAKE_VULKAN");
	return fault && strcmp(fault, what) == 0;
}

VkResult vkEnumerateInstanceVersion(uint32_t *version)
{
	*version = is("old loader") ? VK_API_VERSION_1_0 : VK_API_VERSION_1_3;
	return VK_SUCCESS;
}

VkResult vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *layers)
{
	(void)layers;
	*count = 0;
	return VK_SUCCESS;
}

VkResult vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                          VkInstance *instance)
{
	(void)info;
	(void)allocator;
	if (is("no driver"))
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	if (is("no memory"))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	*instance = (VkInstance)instance;
	return VK_SUCCESS;
}

VkResult vkEnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
	(void)instance;
	if (is("lost"))
		return VK_ERROR_INITIALIZATION_FAILED;
	*count = is("no device") ? 0 : 2;
	for (uint32_t i = 0; devices && i < *count; i++)
		devices[i] = (VkPhysicalDevice)(uintptr_t)(i + 1);
	return VK_SUCCESS;
}

/* The first is software, so it is listed last. */
void vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	memset(properties, 0, sizeof *properties);
	int first = (uintptr_t)device == 1;
	properties->deviceType = first ? VK_PHYSICAL_DEVICE_TYPE_CPU : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
	properties->apiVersion = first ? VK_API_VERSION_1_0 : VK_API_VERSION_1_2;
}

void vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties)
{
	(void)device;
	memset(properties, 0, sizeof *properties);
}

VkResult vkEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count,
                                              VkExtensionProperties *extensions)
{
	(void)device;
	(void)layer;
	(void)extensions;
	*count = 0;
	return VK_SUCCESS;
}

void vkGetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
	(void)device;
	for (VkBaseOutStructure *s = properties->pNext; s; s = s->pNext)
		if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES)
			((VkPhysicalDeviceFloatControlsProperties *)(void *)s)->shaderRoundingModeRTEFloat32 =
			    !is("rounding");
}

void vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	(void)instance;
	(void)allocator;
}
