/* Device `interp`: the IR interpreter, the reference every other device is compared with. */
#ifndef SSPUR_RUNTIME_DEVICE_INTERP_H
#define SSPUR_RUNTIME_DEVICE_INTERP_H

#include "runtime/device.h"

extern const struct device_functions device_interp_functions;

#endif
