#include "runtime/vulkan_target.h"

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

static struct extensions list_extensions(const struct vulkan_target *t)
{
	struct extensions e = {0};
	t->vk->vkEnumerateDeviceExtensionProperties(t->physical, NULL, &e.count, NULL);
	e.items = memory_zeroed(e.count + 1, sizeof *e.items);
	t->vk->vkEnumerateDeviceExtensionProperties(t->physical, NULL, &e.count, e.items);
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
static bool offers(const struct vulkan_target *t, const struct extensions *e, const char *extension)
{
	return t->properties.apiVersion >= VK_API_VERSION_1_2 || has_extension(e, extension);
}

static void read_properties(struct vulkan_target *t, const struct extensions *e)
{
	VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	t->floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
	bool named = offers(t, e, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
	if (offers(t, e, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
		all.pNext = &t->floats;
	if (named) {
		driver.pNext = all.pNext;
		all.pNext = &driver;
	}
	t->vk->vkGetPhysicalDeviceProperties2(t->physical, &all);
	t->floats.pNext = NULL;
	if (named)
		snprintf(t->driver, sizeof t->driver, "%s %s", driver.driverName, driver.driverInfo);
	else
		snprintf(t->driver, sizeof t->driver, "driver %#x", (unsigned)t->properties.driverVersion);
}

/* ---- Opening ---- */

/* Small types are for kernels that use them (VkPhysicalDevice*Features, each of which is asked for as it is there). */
struct feature_chain {
	VkPhysicalDeviceFeatures2 all;
	VkPhysicalDevice16BitStorageFeatures storage16;
	VkPhysicalDevice8BitStorageFeatures storage8;
	VkPhysicalDeviceShaderFloat16Int8Features int8;
};

static void link_features(struct feature_chain *f, const struct vulkan_target *t, const struct extensions *e)
{
	*f = (struct feature_chain){
	    .all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
	    .storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
	    .storage8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
	    .int8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
	};
	f->all.pNext = &f->storage16;
	void **last = &f->storage16.pNext;
	if (offers(t, e, VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) {
		*last = &f->storage8;
		last = &f->storage8.pNext;
	}
	if (offers(t, e, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME))
		*last = &f->int8;
}

/* Leaves on what is used alone. */
static void choose_features(struct feature_chain *f, struct vulkan_target *t)
{
	VkPhysicalDeviceFeatures has = f->all.features;
	t->features = (struct vulkan_features){
	    .float64 = has.shaderFloat64 && t->floats.shaderRoundingModeRTEFloat64 &&
	               t->floats.shaderSignedZeroInfNanPreserveFloat64,
	    .int64 = has.shaderInt64,
	    .int16 = has.shaderInt16,
	    .storage16 = f->storage16.storageBuffer16BitAccess,
	    .int8 = f->int8.shaderInt8,
	    .storage8 = f->storage8.storageBuffer8BitAccess,
	};
	f->all.features = (VkPhysicalDeviceFeatures){
	    .shaderInt64 = has.shaderInt64, .shaderInt16 = has.shaderInt16, .shaderFloat64 = t->features.float64};
	f->storage16.uniformAndStorageBuffer16BitAccess = VK_FALSE;
	f->storage16.storagePushConstant16 = f->storage16.storageInputOutput16 = VK_FALSE;
	f->storage8.uniformAndStorageBuffer8BitAccess = f->storage8.storagePushConstant8 = VK_FALSE;
	f->int8.shaderFloat16 = VK_FALSE;
}

static bool find_family(struct vulkan_target *t, struct text *error)
{
	uint32_t count = 0;
	t->vk->vkGetPhysicalDeviceQueueFamilyProperties(t->physical, &count, NULL);
	VkQueueFamilyProperties *families = memory_zeroed(count + 1, sizeof *families);
	t->vk->vkGetPhysicalDeviceQueueFamilyProperties(t->physical, &count, families);
	t->family = 0;
	while (t->family < count &&
	       !(families[t->family].queueCount && (families[t->family].queueFlags & VK_QUEUE_COMPUTE_BIT)))
		t->family++;
	free(families);
	if (t->family == count)
		text_add(error, "it has no queue that computes");
	return t->family < count;
}

static bool make_device(struct vulkan_target *t, const struct extensions *e, struct text *error)
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
	link_features(&features, t, e);
	t->vk->vkGetPhysicalDeviceFeatures2(t->physical, &features.all);
	choose_features(&features, t);
	if (!find_family(t, error))
		return false;
	VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
	                                 .queueFamilyIndex = t->family,
	                                 .queueCount = 1,
	                                 .pQueuePriorities = (const float[]){1}};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
	                           .pNext = &features.all,
	                           .queueCreateInfoCount = 1,
	                           .pQueueCreateInfos = &queue,
	                           .enabledExtensionCount = count,
	                           .ppEnabledExtensionNames = names};
	VkDevice device;
	if (vulkan_failed(t->vk->vkCreateDevice(t->physical, &info, NULL, &device), "vkCreateDevice", error))
		return false;
	t->device = device;
	t->vk->vkGetDeviceQueue(device, t->family, 0, &t->queue);
	return true;
}

/* What no rerun could make up for (spec 3.4). */
static bool device_may_compute(const struct vulkan_target *t, struct text *error)
{
	uint32_t version = t->properties.apiVersion;
	const char *why = NULL;
	if (version < VK_API_VERSION_1_1)
		text_add_format(error, "it has Vulkan %u.%u, and 1.1 is needed", VK_API_VERSION_MAJOR(version),
		                VK_API_VERSION_MINOR(version));
	else if (!t->floats.shaderRoundingModeRTEFloat32)
		why = "it does not promise rounding to nearest even (shaderRoundingModeRTEFloat32)";
	else if (!t->floats.shaderSignedZeroInfNanPreserveFloat32)
		why = "it does not promise signed zeros, infinities and NaN (shaderSignedZeroInfNanPreserveFloat32)";
	if (why)
		text_add(error, why);
	return version >= VK_API_VERSION_1_1 && !why;
}

/* ---- What it can do exactly ---- */

/* A quotient may be off by 2.5 ulp, a root by more (Vulkan, Precision and Operation of SPIR-V Instructions); kernels'
 * code corrects both. */
static uint32_t hazards_of(const struct vulkan_target *t)
{
	uint32_t hazards = IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32 | IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F64;
	if (!t->floats.shaderDenormPreserveFloat32)
		hazards |= IR_HAZARD_FLUSH_F32;
	if (!t->floats.shaderDenormPreserveFloat64)
		hazards |= IR_HAZARD_FLUSH_F64;
	if (!t->features.float64)
		hazards |= IR_HAZARD_NO_F64;
	return hazards;
}

static uint64_t memory_of(const struct vulkan_target *t)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < t->memory.memoryHeapCount; i++) {
		const VkMemoryHeap *heap = &t->memory.memoryHeaps[i];
		if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > most)
			most = heap->size;
	}
	return most;
}

/* Launches in parts keep the number of threads on an axis below 2^32, which the built-in ids hold. */
static void fill_capabilities(struct vulkan_target *t)
{
	const VkPhysicalDeviceLimits *limits = &t->properties.limits;
	struct device_capabilities *c = &t->capabilities;
	uint64_t alignment = limits->minStorageBufferOffsetAlignment;
	*c = (struct device_capabilities){
	    .is_gpu = !vulkan_is_software(t->properties.deviceType),
	    .float64 = t->features.float64,
	    .subnormals_f32 = t->floats.shaderDenormPreserveFloat32,
	    .subnormals_f64 = t->floats.shaderDenormPreserveFloat64,
	    .group_limit = limits->maxComputeWorkGroupInvocations,
	    .shared_limit = limits->maxComputeSharedMemorySize,
	    .memory = memory_of(t),
	    .record_stride = alignment > RECORD_SIZE ? (uint32_t)alignment : RECORD_SIZE,
	};
	for (int axis = 0; axis < 3; axis++) {
		uint64_t groups = UINT32_MAX / (c->group_limit ? c->group_limit : 1);
		c->groups_limit[axis] = limits->maxComputeWorkGroupCount[axis];
		if (c->groups_limit[axis] > groups)
			c->groups_limit[axis] = groups;
	}
}

bool vulkan_target_open(struct vulkan_target *t, uint32_t number, struct text *error)
{
	*t = (struct vulkan_target){.vk = vulkan_driver_open(error)};
	uint32_t count = t->vk ? vulkan_find_device(t->vk, number, &t->physical, error) : 0;
	if (!count)
		return false;
	if (!t->physical) {
		text_add_format(error, "there is no vulkan:%u: the drivers have %u", number, count);
		return false;
	}
	t->vk->vkGetPhysicalDeviceProperties(t->physical, &t->properties);
	t->vk->vkGetPhysicalDeviceMemoryProperties(t->physical, &t->memory);
	struct extensions e = list_extensions(t);
	if (t->properties.apiVersion >= VK_API_VERSION_1_1)
		read_properties(t, &e);
	bool good = device_may_compute(t, error) && make_device(t, &e, error);
	free(e.items);
	if (!good)
		return false;
	t->hazards = hazards_of(t);
	fill_capabilities(t);
	return true;
}

void vulkan_target_close(struct vulkan_target *t)
{
	if (t->device)
		t->vk->vkDestroyDevice(t->device, NULL);
	*t = (struct vulkan_target){0};
}
