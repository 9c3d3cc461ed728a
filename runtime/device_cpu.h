/* Device `cpu`: native code on all cores, exactly: what it computes, and the trap it names, are those of `seq`.
 * SSPUR_THREADS is how many threads of the host it uses, else as many as there are cores. */
#ifndef SSPUR_RUNTIME_DEVICE_CPU_H
#define SSPUR_RUNTIME_DEVICE_CPU_H

#include "runtime/device.h"

extern const struct device_functions device_cpu_functions;

#endif
