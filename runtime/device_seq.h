/* Device `seq`: native code that runs the threads in order on one core, exactly. */
#ifndef SSPUR_RUNTIME_DEVICE_SEQ_H
#define SSPUR_RUNTIME_DEVICE_SEQ_H

#include "runtime/device.h"

extern const struct device_functions device_seq_functions;

#endif
