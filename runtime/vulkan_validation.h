/* Vulkan's validation layer, which watches over every call while SSPUR_DEBUG names `vulkan`. What it says goes to
 * stderr, and the process then ends with status 96. */
#ifndef SSPUR_RUNTIME_VULKAN_VALIDATION_H
#define SSPUR_RUNTIME_VULKAN_VALIDATION_H

#include "runtime/vulkan_driver.h"

/* Adds the layer to an instance about to be made, where it is asked for; false with *error when it is not installed.
 * What *info then points to is static. */
bool vulkan_validation_add(const struct vulkan_driver *vk, VkInstanceCreateInfo *info, struct text *error);
/* Listens to the instance, where that is asked for. */
bool vulkan_validation_start(const struct vulkan_driver *vk, struct text *error);

#endif
