#include "runtime/device_probe.h"

#include "runtime/device.h"

const char *device_of_processor(void)
{
	return device_find("cpu") ? "cpu" : device_find("seq") ? "seq" : device_names[0];
}

static bool is_gpu(struct device d)
{
	struct text ignored = {0};
	bool open = d.functions->open(&d, &ignored);
	bool good = open && d.functions->capabilities(&d)->is_gpu;
	if (open)
		d.functions->close(&d);
	text_free(&ignored);
	return good;
}

static bool find_gpu(const char *driver, struct text *name)
{
	struct text ignored = {0};
	const struct device *listed = device_find(driver);
	uint32_t count = listed ? listed->functions->count(&ignored) : 0, n = 0;
	text_free(&ignored);
	for (; n < count; n++) {
		struct device d = *listed;
		d.number = n;
		if (is_gpu(d))
			break;
	}
	if (n < count)
		text_add_format(name, n ? "%s:%u" : "%s", driver, n);
	return n < count;
}

void device_probe(struct text *name)
{
	static const char *const drivers[] = {"cuda", "metal", "vulkan", "opencl"};
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
		if (find_gpu(drivers[i], name))
			return;
	text_add(name, device_of_processor());
}
