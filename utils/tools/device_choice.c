/* Names to devices. `auto` is the first device of the list that is not an interpreter: `seq`. */
#include "utils/tools/device_choice.h"

#include <stdlib.h>
#include <string.h>

struct device *device_choose(const char *name, struct text *error)
{
	const char *from = name ? "--device" : "SSPUR_DEVICE";
	if (!name)
		name = getenv("SSPUR_DEVICE");
	if (!name || !*name || strcmp(name, "auto") == 0)
		name = device_names[0];
	struct device *d = device_find(name);
	if (!d) {
		text_add_format(error, "%s: there is no device `%s` in this build; there are: auto", from, name);
		for (size_t i = 0; device_names[i]; i++)
			text_add_format(error, " %s", device_names[i]);
		return NULL;
	}
	if (d->functions->open && !d->functions->open(d, error))
		return NULL;
	return d;
}
