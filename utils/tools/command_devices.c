/* `sspur devices`. */
#include <stdio.h>

#include "runtime/device.h"
#include "utils/tools/command.h"

/* The one of its name with this number; `cuda:1` is the second. */
static void print_device(struct device *d, uint32_t number)
{
	struct text name = {0}, line = {0};
	text_add_format(&name, number ? "%s:%u" : "%s", d->name, number);
	d->number = number;
	bool usable = !d->functions->open || d->functions->open(d, &line);
	if (usable)
		d->functions->describe(d, &line);
	printf("%-9s %s%s\n", text_string(&name), usable ? "" : "not usable: ", text_string(&line));
	if (usable && d->functions->close)
		d->functions->close(d);
	text_free(&name);
	text_free(&line);
}

enum status command_devices(const struct options *o)
{
	(void)o;
	for (size_t i = 0; device_names[i]; i++) {
		struct device *d = device_find(device_names[i]);
		struct text why = {0};
		uint32_t count = d->functions->count ? d->functions->count(&why) : 1;
		if (!count)
			printf("%-9s not usable: %s\n", d->name, text_string(&why));
		for (uint32_t n = 0; n < count; n++)
			print_device(d, n);
		text_free(&why);
	}
	return STATUS_OK;
}
