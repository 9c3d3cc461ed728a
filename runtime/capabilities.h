/* Capabilities of devices, in words. */
#ifndef SSPUR_RUNTIME_CAPABILITIES_H
#define SSPUR_RUNTIME_CAPABILITIES_H

#include "runtime/device.h"

/* `80.0 GiB (f64, subnormals, exact division and root)` */
void capabilities_print(const struct device_capabilities *c, struct text *out);

#endif
