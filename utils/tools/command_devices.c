/* `sspur devices`. */
#include <stdio.h>

#include "runtime/device.h"
#include "utils/tools/command.h"

enum status command_devices(const struct options *o)
{
	(void)o;
	for (size_t i = 0; device_names[i]; i++) {
		struct device *d = device_find(device_names[i]);
		struct text line = {0};
		bool usable = !d->functions->open || d->functions->open(d, &line);
		if (usable)
			d->functions->describe(d, &line);
		printf("%-8s%s%s\n", d->name, usable ? "" : "not usable: ", text_string(&line));
		if (usable && d->functions->close)
			d->functions->close(d);
		text_free(&line);
	}
	return STATUS_OK;
}
