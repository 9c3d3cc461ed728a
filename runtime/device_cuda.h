/* The device `cuda`: PTX on an NVIDIA GPU through the CUDA driver. */
#ifndef SSPUR_RUNTIME_DEVICE_CUDA_H
#define SSPUR_RUNTIME_DEVICE_CUDA_H

#include "runtime/device.h"

extern const struct device_functions device_cuda_functions;

#endif
