/* Which device a command's kernels run on (spec/sspur.md 3.7). */
#ifndef SSPUR_TOOLS_DEVICE_CHOICE_H
#define SSPUR_TOOLS_DEVICE_CHOICE_H

#include "runtime/device.h"
#include "utils/base/text.h"

/* The opened device for `name`: that of --device, or NULL to follow SSPUR_DEVICE. NULL with one line in *error
 * (the known names, and perhaps a hint on the next) when there is none such or it does not open. For a program that has
 * no kernels nothing is opened and no driver is asked: it gets `interp`, whose buffers are in the host's memory. */
struct device *device_choose(const char *name, bool has_kernels, struct text *error);
/* Whether --device takes the word, on some machine: `auto`, or a device without a number. */
bool device_is_name(const char *word);
/* Whether it would choose `twin`, for which kernels of Cone are compiled in a form of its own. */
bool device_is_twin(const char *name);

#endif
