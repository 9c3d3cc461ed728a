/* The device `opencl`: any device of any OpenCL platform that takes SPIR-V, or its LLVM bitcode. */
#ifndef SSPUR_RUNTIME_DEVICE_OPENCL_H
#define SSPUR_RUNTIME_DEVICE_OPENCL_H

#include "runtime/device.h"

extern const struct device_functions device_opencl_functions;

#endif
