/* Devices `fault:SEED:NAME`: another device, an exact one, behind the interface of a device that flags, with faults
 * injected by the seed: flags where nothing was wrong, threads and launches left out, memory that is out, copies and
 * launches that are refused, and once in a while a device that fails for good. What a program shows must not change, as
 * the queue sees to it. `fault:lostN:NAME` also loses its memory, at the N-th launch. */
#ifndef SSPUR_RUNTIME_DEVICE_FAULT_H
#define SSPUR_RUNTIME_DEVICE_FAULT_H

#include "runtime/device.h"

/* NULL unless the name is `fault:`, a seed and the name of an exact device. One at a time. */
struct device *device_fault_find(const char *name);

#endif
