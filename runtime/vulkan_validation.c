#include "runtime/vulkan_validation.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/base/debug_words.h"
#include "utils/base/arena.h"

enum { STATUS_OF_MESSAGES = 96 };

static const char layer[] = "VK_LAYER_KHRONOS_validation";
static atomic_uint messages;

static bool is_installed(const struct vulkan_driver *vk)
{
	uint32_t count = 0;
	bool found = false;
	vk->vkEnumerateInstanceLayerProperties(&count, NULL);
	VkLayerProperties *layers = memory_zeroed(count + 1, sizeof *layers);
	vk->vkEnumerateInstanceLayerProperties(&count, layers);
	for (uint32_t i = 0; i < count; i++)
		found = found || strcmp(layers[i].layerName, layer) == 0;
	free(layers);
	return found;
}

static VkBool32 hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *context)
{
	(void)severity;
	(void)types;
	(void)context;
	messages++;
	fprintf(stderr, "vulkan: %s\n", data->pMessage);
	return VK_FALSE;
}

/* At the end, so that all is said. */
static void fail_if_any(void)
{
	if (!messages)
		return;
	fprintf(stderr, "vulkan: %u messages\n", messages);
	fflush(NULL);
	_exit(STATUS_OF_MESSAGES);
}

static const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    .pfnUserCallback = hear,
};

bool vulkan_validation_add(const struct vulkan_driver *vk, VkInstanceCreateInfo *info, struct text *error)
{
	static const char *const layers[] = {layer}, *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	if (!debug_words_have("vulkan"))
		return true;
	if (!is_installed(vk)) {
		text_add_format(error, "SSPUR_DEBUG asks for %s, which is not installed", layer);
		return false;
	}
	info->enabledLayerCount = 1;
	info->ppEnabledLayerNames = layers;
	info->enabledExtensionCount = 1;
	info->ppEnabledExtensionNames = extensions;
	info->pNext = &messenger_info; /* for the making of the instance itself */
	return true;
}

bool vulkan_validation_start(const struct vulkan_driver *vk, struct text *error)
{
	static bool is_registered;
	VkDebugUtilsMessengerEXT messenger;
	if (!debug_words_have("vulkan"))
		return true;
	PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vk->vkGetInstanceProcAddr(
	    vk->instance, "vkCreateDebugUtilsMessengerEXT");
	if (!create) {
		text_add(error, "the validation layer has no vkCreateDebugUtilsMessengerEXT");
		return false;
	}
	if (!is_registered)
		atexit(fail_if_any);
	is_registered = true;
	return !vulkan_failed(create(vk->instance, &messenger_info, NULL, &messenger), "vkCreateDebugUtilsMessengerEXT",
	                      error);
}
