#include "runtime/vulkan_driver.h"

#include <stddef.h>
#include <stdlib.h>

#include "runtime/driver_library.h"
#include "runtime/vulkan_validation.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

static const char library[] = "libvulkan.so.1";

static const struct driver_symbol symbols[] = {
#define F(name) {#name, offsetof(struct vulkan_driver, name), false},
    VULKAN_FUNCTIONS(F)
#undef F
        {0},
};

bool vulkan_failed(VkResult result, const char *call, struct text *error)
{
	static const struct {
		VkResult result;
		const char *name;
	} names[] = {
#define N(name) {name, #name}
	    N(VK_ERROR_OUT_OF_HOST_MEMORY),
	    N(VK_ERROR_OUT_OF_DEVICE_MEMORY),
	    N(VK_ERROR_INITIALIZATION_FAILED),
	    N(VK_ERROR_DEVICE_LOST),
	    N(VK_ERROR_MEMORY_MAP_FAILED),
	    N(VK_ERROR_LAYER_NOT_PRESENT),
	    N(VK_ERROR_EXTENSION_NOT_PRESENT),
	    N(VK_ERROR_FEATURE_NOT_PRESENT),
	    N(VK_ERROR_INCOMPATIBLE_DRIVER),
	    N(VK_ERROR_TOO_MANY_OBJECTS),
	    N(VK_ERROR_FORMAT_NOT_SUPPORTED),
	    N(VK_ERROR_FRAGMENTED_POOL),
	    N(VK_ERROR_UNKNOWN),
	    N(VK_ERROR_OUT_OF_POOL_MEMORY),
	    N(VK_ERROR_FRAGMENTATION),
	    N(VK_ERROR_INVALID_SHADER_NV),
	    N(VK_ERROR_INVALID_EXTERNAL_HANDLE),
#undef N
	};
	if (result >= 0) /* VK_SUCCESS, or a success that says more */
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].result == result) {
			text_add_format(error, "%s: %s", call, names[i].name);
			return true;
		}
	}
	text_add_format(error, "%s: error %d", call, (int)result);
	return true;
}

bool vulkan_is_software(VkPhysicalDeviceType type)
{
	return type == VK_PHYSICAL_DEVICE_TYPE_CPU || type == VK_PHYSICAL_DEVICE_TYPE_OTHER;
}

/* Without a driver the loader has nothing to make an instance of. */
static bool make_instance(struct vulkan_driver *vk, struct text *error)
{
	uint32_t version = 0;
	vk->vkEnumerateInstanceVersion(&version);
	if (version < VK_API_VERSION_1_1) {
		text_add_format(error, "the loader is too old: it has Vulkan %u.%u, and 1.1 is needed",
		                VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
		return false;
	}
	VkApplicationInfo application = {
	    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "sspur", .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
	if (!vulkan_validation_add(vk, &info, error))
		return false;
	VkResult made = vk->vkCreateInstance(&info, NULL, &vk->instance);
	if (made == VK_ERROR_INCOMPATIBLE_DRIVER) {
		text_add(error, "libvulkan.so.1 finds no driver: no file in /usr/share/vulkan/icd.d or "
		                "/etc/vulkan/icd.d names one that loads");
		return false;
	}
	return !vulkan_failed(made, "vkCreateInstance", error) && vulkan_validation_start(vk, error);
}

const struct vulkan_driver *vulkan_driver_open(struct text *error)
{
	FLOAT_ENVIRONMENT; /* which drivers that load here may change */
	static struct vulkan_driver opened;
	static bool is_open;
	struct vulkan_driver vk = {0};
	if (is_open)
		return driver_library_is_here(library, error) ? &opened : NULL;
	if (!driver_library_open(library, symbols, &vk, error))
		return NULL;
	if (!make_instance(&vk, error)) {
		if (vk.instance)
			vk.vkDestroyInstance(vk.instance, NULL);
		return NULL;
	}
	opened = vk;
	is_open = true;
	return &opened;
}

/* The `number`-th of those which are software or are not, of `devices`. */
static bool pick(const struct vulkan_driver *vk, const VkPhysicalDevice *devices, uint32_t count, bool software,
                 uint32_t *number, VkPhysicalDevice *device)
{
	for (uint32_t i = 0; i < count; i++) {
		VkPhysicalDeviceProperties properties;
		vk->vkGetPhysicalDeviceProperties(devices[i], &properties);
		if (vulkan_is_software(properties.deviceType) != software)
			continue;
		if ((*number)-- == 0) {
			*device = devices[i];
			return true;
		}
	}
	return false;
}

uint32_t vulkan_find_device(const struct vulkan_driver *vk, uint32_t number, VkPhysicalDevice *device,
                            struct text *error)
{
	uint32_t count = 0;
	*device = VK_NULL_HANDLE;
	if (vulkan_failed(vk->vkEnumeratePhysicalDevices(vk->instance, &count, NULL), "vkEnumeratePhysicalDevices",
	                  error))
		return 0;
	VkPhysicalDevice *devices = memory_zeroed(count + 1, sizeof *devices);
	if (vulkan_failed(vk->vkEnumeratePhysicalDevices(vk->instance, &count, devices), "vkEnumeratePhysicalDevices",
	                  error))
		count = 0;
	else if (!count)
		text_add(error, "the drivers find no device");
	if (number < count && !pick(vk, devices, count, false, &number, device))
		pick(vk, devices, count, true, &number, device);
	free(devices);
	return count;
}
