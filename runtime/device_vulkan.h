/* The device `vulkan`: GPUs, and software devices, through Vulkan 1.1. Everything runs in order on one queue, and what
 * threads could not do is flagged. */
#ifndef SSPUR_RUNTIME_DEVICE_VULKAN_H
#define SSPUR_RUNTIME_DEVICE_VULKAN_H

#include "runtime/device.h"

extern const struct device_functions device_vulkan_functions;

#endif
