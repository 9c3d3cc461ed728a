/* The list of devices: a new device is a file and a line here. */
#include "runtime/device.h"

#include <string.h>

#include "runtime/device_interp.h"
#include "runtime/device_seq.h"

static struct device devices[] = {
    {.name = "seq", .functions = &device_seq_functions},
    {.name = "interp", .functions = &device_interp_functions},
};

const char *const device_names[] = {"seq", "interp", NULL};

struct device *device_find(const char *name)
{
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (strcmp(devices[i].name, name) == 0)
			return &devices[i];
	return NULL;
}
