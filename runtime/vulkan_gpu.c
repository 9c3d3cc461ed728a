#include "runtime/vulkan_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/hazard.h"
#include "utils/base/arena.h"

enum { RECORD_SIZE = 32, EXTENSIONS_MOST = 4 };

/* ---- What the device has ---- */

struct extensions {
	VkExtensionProperties *items;
	uint32_t count;
};

static struct extensions list_extensions(const struct vulkan_gpu *gpu)
{
	struct extensions e = {0};
	gpu->vk->vkEnumerateDeviceExtensionProperties(gpu->physical, NULL, &e.count, NULL);
	e.items = memory_zeroed(e.count + 1, sizeof *e.items);
	gpu->vk->vkEnumerateDeviceExtensionProperties(gpu->physical, NULL, &e.count, e.items);
	return e;
}

static bool has_extension(const struct extensions *e, const char *name)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (strcmp(e->items[i].extensionName, name) == 0)
			return true;
	return false;
}

/* Part of Vulkan 1.2, or of a device with the extension. */
static bool offers(const struct vulkan_gpu *gpu, const struct extensions *e, const char *extension)
{
	return gpu->properties.apiVersion >= VK_API_VERSION_1_2 || has_extension(e, extension);
}

static void read_properties(struct vulkan_gpu *gpu, const struct extensions *e)
{
	VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	gpu->floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
	bool named = offers(gpu, e, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
	if (offers(gpu, e, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
		all.pNext = &gpu->floats;
	if (named) {
		driver.pNext = all.pNext;
		all.pNext = &driver;
	}
	gpu->vk->vkGetPhysicalDeviceProperties2(gpu->physical, &all);
	gpu->floats.pNext = NULL;
	if (named)
		snprintf(gpu->driver, sizeof gpu->driver, "%s %s", driver.driverName, driver.driverInfo);
	else
		snprintf(gpu->driver, sizeof gpu->driver, "driver %#x", (unsigned)gpu->properties.driverVersion);
}

/* ---- Opening ---- */

/* Small types are for kernels that use them (VkPhysicalDevice*Features, each of which is asked for as it is there). */
struct feature_chain {
	VkPhysicalDeviceFeatures2 all;
	VkPhysicalDevice16BitStorageFeatures storage16;
	VkPhysicalDevice8BitStorageFeatures storage8;
	VkPhysicalDeviceShaderFloat16Int8Features int8;
};

static void link_features(struct feature_chain *f, const struct vulkan_gpu *gpu, const struct extensions *e)
{
	*f = (struct feature_chain){
	    .all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
	    .storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
	    .storage8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
	    .int8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
	};
	f->all.pNext = &f->storage16;
	void **last = &f->storage16.pNext;
	if (offers(gpu, e, VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) {
		*last = &f->storage8;
		last = &f->storage8.pNext;
	}
	if (offers(gpu, e, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME))
		*last = &f->int8;
}

/* Leaves on what is used alone. */
static void choose_features(struct feature_chain *f, struct vulkan_gpu *gpu)
{
	VkPhysicalDeviceFeatures has = f->all.features;
	gpu->features = (struct vulkan_features){
	    .float64 = has.shaderFloat64 && gpu->floats.shaderRoundingModeRTEFloat64 &&
	               gpu->floats.shaderSignedZeroInfNanPreserveFloat64,
	    .int64 = has.shaderInt64,
	    .int16 = has.shaderInt16,
	    .storage16 = f->storage16.storageBuffer16BitAccess,
	    .int8 = f->int8.shaderInt8,
	    .storage8 = f->storage8.storageBuffer8BitAccess,
	};
	f->all.features = (VkPhysicalDeviceFeatures){
	    .shaderInt64 = has.shaderInt64, .shaderInt16 = has.shaderInt16, .shaderFloat64 = gpu->features.float64};
	f->storage16.uniformAndStorageBuffer16BitAccess = VK_FALSE;
	f->storage16.storagePushConstant16 = f->storage16.storageInputOutput16 = VK_FALSE;
	f->storage8.uniformAndStorageBuffer8BitAccess = f->storage8.storagePushConstant8 = VK_FALSE;
	f->int8.shaderFloat16 = VK_FALSE;
}

static bool find_family(struct vulkan_gpu *gpu, struct text *error)
{
	uint32_t count = 0;
	gpu->vk->vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, NULL);
	VkQueueFamilyProperties *families = memory_zeroed(count + 1, sizeof *families);
	gpu->vk->vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, families);
	gpu->family = 0;
	while (gpu->family < count &&
	       !(families[gpu->family].queueCount && (families[gpu->family].queueFlags & VK_QUEUE_COMPUTE_BIT)))
		gpu->family++;
	free(families);
	if (gpu->family == count)
		text_add(error, "it has no queue that computes");
	return gpu->family < count;
}

static bool make_device(struct vulkan_gpu *gpu, const struct extensions *e, struct text *error)
{
	static const char *const wanted[EXTENSIONS_MOST] = {
	    VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, VK_KHR_8BIT_STORAGE_EXTENSION_NAME,
	    VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
	    "VK_KHR_portability_subset" /* must be named where it is there */};
	const char *names[EXTENSIONS_MOST];
	uint32_t count = 0;
	for (uint32_t i = 0; i < EXTENSIONS_MOST; i++)
		if (has_extension(e, wanted[i]))
			names[count++] = wanted[i];
	struct feature_chain features;
	link_features(&features, gpu, e);
	gpu->vk->vkGetPhysicalDeviceFeatures2(gpu->physical, &features.all);
	choose_features(&features, gpu);
	if (!find_family(gpu, error))
		return false;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
	                                 .queueFamilyIndex = gpu->family,
	                                 .queueCount = 1,
	                                 .pQueuePriorities = (const float[]){1}};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
	                           .pNext = &features.all,
	                           .queueCreateInfoCount = 1,
	                           .pQueueCreateInfos = &queue,
	                           .enabledExtensionCount = count,
	                           .ppEnabledExtensionNames = names};
	VkDevice device;
	if (vulkan_failed(gpu->vk->vkCreateDevice(gpu->physical, &info, NULL, &device), "vkCreateDevice", error))
		return false;
	gpu->device = device;
	gpu->vk->vkGetDeviceQueue(device, gpu->family, 0, &gpu->queue);
	return true;
}

/* What no rerun could make up for (spec 3.4). */
static bool device_may_compute(const struct vulkan_gpu *gpu, struct text *error)
{
	uint32_t version = gpu->properties.apiVersion;
	const char *why = NULL;
	if (version < VK_API_VERSION_1_1)
		text_add_format(error, "it has Vulkan %u.%u, and 1.1 is needed", VK_API_VERSION_MAJOR(version),
		                VK_API_VERSION_MINOR(version));
	else if (!gpu->floats.shaderRoundingModeRTEFloat32)
		why = "it does not promise rounding to nearest even (shaderRoundingModeRTEFloat32)";
	else if (!gpu->floats.shaderSignedZeroInfNanPreserveFloat32)
		why = "it does not promise signed zeros, infinities and NaN (shaderSignedZeroInfNanPreserveFloat32)";
	if (why)
		text_add(error, why);
	return version >= VK_API_VERSION_1_1 && !why;
}

/* ---- What it can do exactly ---- */

/* A quotient may be off by 2.5 ulp, a root by more (Vulkan, Precision and Operation of SPIR-V Instructions); kernels'
 * code corrects both. */
static uint32_t hazards_of(const struct vulkan_gpu *gpu)
{
	uint32_t hazards = IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32 | IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F64;
	if (!gpu->floats.shaderDenormPreserveFloat32)
		hazards |= IR_HAZARD_FLUSH_F32;
	if (!gpu->floats.shaderDenormPreserveFloat64)
		hazards |= IR_HAZARD_FLUSH_F64;
	if (!gpu->features.float64)
		hazards |= IR_HAZARD_NO_F64;
	if (vulkan_is_software(gpu->properties.deviceType)) /* lavapipe: 65,535 rounds of loops a thread */
		hazards |= IR_HAZARD_ROUNDS;
	return hazards;
}

static uint64_t memory_of(const struct vulkan_gpu *gpu)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < gpu->memory.memoryHeapCount; i++) {
		const VkMemoryHeap *heap = &gpu->memory.memoryHeaps[i];
		if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > most)
			most = heap->size;
	}
	return most;
}

/* Launches in parts keep the number of threads on an axis below 2^32, which the built-in ids hold. */
static void fill_capabilities(struct vulkan_gpu *gpu)
{
	const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
	struct device_capabilities *c = &gpu->capabilities;
	uint64_t alignment = limits->minStorageBufferOffsetAlignment;
	*c = (struct device_capabilities){
	    .is_gpu = !vulkan_is_software(gpu->properties.deviceType),
	    .float64 = gpu->features.float64,
	    .subnormals_f32 = gpu->floats.shaderDenormPreserveFloat32,
	    .subnormals_f64 = gpu->floats.shaderDenormPreserveFloat64,
	    .own_floats = true,
	    .ends_loops = gpu->hazards & IR_HAZARD_ROUNDS,
	    .group_limit = limits->maxComputeWorkGroupInvocations,
	    .shared_limit = limits->maxComputeSharedMemorySize,
	    .memory = memory_of(gpu),
	    .record_stride = alignment > RECORD_SIZE ? (uint32_t)alignment : RECORD_SIZE,
	};
	for (int axis = 0; axis < 3; axis++) {
		uint64_t groups = UINT32_MAX / (c->group_limit ? c->group_limit : 1);
		c->groups_limit[axis] = limits->maxComputeWorkGroupCount[axis];
		if (c->groups_limit[axis] > groups)
			c->groups_limit[axis] = groups;
	}
}

bool vulkan_gpu_open(struct vulkan_gpu *gpu, uint32_t number, struct text *error)
{
	*gpu = (struct vulkan_gpu){.vk = vulkan_driver_open(error)};
	uint32_t count = gpu->vk ? vulkan_find_device(gpu->vk, number, &gpu->physical, error) : 0;
	if (!count)
		return false;
	if (!gpu->physical) {
		text_add_format(error, "there is no vulkan:%u: the drivers have %u", number, count);
		return false;
	}
	gpu->vk->vkGetPhysicalDeviceProperties(gpu->physical, &gpu->properties);
	gpu->vk->vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
	struct extensions e = list_extensions(gpu);
	if (gpu->properties.apiVersion >= VK_API_VERSION_1_1)
		read_properties(gpu, &e);
	bool good = device_may_compute(gpu, error) && make_device(gpu, &e, error);
	free(e.items);
	if (!good)
		return false;
	gpu->hazards = hazards_of(gpu);
	fill_capabilities(gpu);
	return true;
}

void vulkan_gpu_close(struct vulkan_gpu *gpu)
{
	if (gpu->device)
		gpu->vk->vkDestroyDevice(gpu->device, NULL);
	*gpu = (struct vulkan_gpu){0};
}
