/* The device `auto` (spec/sspur.md 3.7): the first hardware GPU, else one of the processor's. */
#ifndef SSPUR_TOOLS_DEVICE_AUTO_H
#define SSPUR_TOOLS_DEVICE_AUTO_H

#include <stdbool.h>

#include "utils/base/text.h"

/* Appends the name. Drivers are asked only on a machine that has a GPU's device file, and then what they say is
 * remembered in the cache's folder for a day, or until the drivers' files change. With `again` what is remembered does
 * not count: the device it named did not open. */
void device_auto(bool again, struct text *name);

#endif
