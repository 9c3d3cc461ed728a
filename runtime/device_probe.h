/* The device `auto` (spec/sspur.md 3.7), found by asking the drivers. */
#ifndef SSPUR_RUNTIME_DEVICE_PROBE_H
#define SSPUR_RUNTIME_DEVICE_PROBE_H

#include "utils/base/text.h"

/* Appends the name of the first hardware GPU, of CUDA, Metal, Vulkan and OpenCL in this order, else that of
 * device_of_processor. Opens and closes devices, each an object of its own: slow. */
void device_probe(struct text *name);
/* The fastest device that computes on the processor. */
const char *device_of_processor(void);

#endif
