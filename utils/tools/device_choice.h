/* Which device a command's kernels run on (spec/sspur.md 3.7). */
#ifndef SSPUR_TOOLS_DEVICE_CHOICE_H
#define SSPUR_TOOLS_DEVICE_CHOICE_H

#include "runtime/device.h"
#include "utils/base/text.h"

/* The opened device for `name`: that of --device, or NULL to follow SSPUR_DEVICE. NULL with one line in *error
 * (the known names) when there is none such or it does not open. */
struct device *device_choose(const char *name, struct text *error);

#endif
