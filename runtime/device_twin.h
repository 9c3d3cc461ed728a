/* Device `twin`: Cone's kernels as its page has them run on the CPU, by the code of a native object (docs/abi.md): with
 * usize of 64 bits, one invocation after another, or where there are barriers a workgroup's together. */
#ifndef SSPUR_RUNTIME_DEVICE_TWIN_H
#define SSPUR_RUNTIME_DEVICE_TWIN_H

#include "runtime/device.h"

extern const struct device_functions device_twin_functions;

#endif
