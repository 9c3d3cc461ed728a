/* The list of devices: a new device is a file and a line here. */
#include "runtime/device.h"

#include <string.h>

#include "runtime/device_cpu.h"
#include "runtime/device_cuda.h"
#include "runtime/device_fault.h"
#include "runtime/device_interp.h"
#include "runtime/device_metal.h"
#include "runtime/device_opencl.h"
#include "runtime/device_seq.h"
#include "runtime/device_twin.h"
#include "runtime/device_vulkan.h"

static struct device devices[] = {
    {.name = "cpu", .functions = &device_cpu_functions},
    {.name = "seq", .functions = &device_seq_functions},
    {.name = "interp", .functions = &device_interp_functions},
    {.name = "twin", .functions = &device_twin_functions},
    {.name = "cuda", .functions = &device_cuda_functions},
    {.name = "opencl", .functions = &device_opencl_functions},
    {.name = "vulkan", .functions = &device_vulkan_functions},
    {.name = "metal", .functions = &device_metal_functions},
};

const char *const device_names[] = {"cpu", "seq", "interp", "twin", "cuda", "opencl", "vulkan", "metal", NULL};

/* What follows the name: nothing or `:N`. One device of its name has no number but 0. */
static bool read_number(const char *text, bool many, uint32_t *number)
{
	uint64_t n = 0;
	if (*text && !text[1])
		return false;
	for (const char *digit = text + (*text != 0); *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return false;
		n = n * 10 + (uint64_t)(*digit - '0');
		if (n > (many ? UINT32_MAX : 0))
			return false;
	}
	if (*number != n) /* threads may look for the same device at once */
		*number = (uint32_t)n;
	return true;
}

struct device *device_find(const char *name)
{
	size_t length = strcspn(name, ":");
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		struct device *d = &devices[i];
		if (strncmp(d->name, name, length) == 0 && !d->name[length] &&
		    read_number(name + length, d->functions->count != NULL, &d->number))
			return d;
	}
	return device_fault_find(name);
}
