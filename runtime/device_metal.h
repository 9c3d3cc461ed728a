/* The device `metal`: Macs' GPUs. Everything runs in order on one queue, and what threads could not do is flagged. */
#ifndef SSPUR_RUNTIME_DEVICE_METAL_H
#define SSPUR_RUNTIME_DEVICE_METAL_H

#include "runtime/device.h"

extern const struct device_functions device_metal_functions;

#endif
