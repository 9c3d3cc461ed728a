#include "runtime/opencl_driver.h"

#include <stdlib.h>

#include "runtime/driver_library.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

static const char library[] = "libOpenCL.so.1";

static const struct driver_symbol symbols[] = {
#define F(result, name, arguments) {#name, offsetof(struct opencl_driver, name), false},
    OPENCL_FUNCTIONS(F)
#undef F
#define F(result, name, arguments) {#name, offsetof(struct opencl_driver, name), true},
        OPENCL_OPTIONAL_FUNCTIONS(F)
#undef F
            {0},
};

/* OpenCL has no function for these. */
static const struct {
	opencl_status status;
	const char *name;
} status_names[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {OPENCL_NO_PLATFORM, "CL_PLATFORM_NOT_FOUND_KHR"},
};

bool opencl_failed(opencl_status status, const char *call, struct text *error)
{
	if (!status)
		return false;
	for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++) {
		if (status_names[i].status == status) {
			text_add_format(error, "%s: %s", call, status_names[i].name);
			return true;
		}
	}
	text_add_format(error, "%s: error %d", call, status);
	return true;
}

const struct opencl_driver *opencl_driver_open(struct text *error)
{
	static struct opencl_driver opened;
	static bool is_open;
	struct opencl_driver cl = {0};
	if (!is_open) {
		is_open = driver_library_open(library, symbols, &cl, error);
		if (is_open)
			opened = cl;
	}
	return is_open && driver_library_is_here(library, error) ? &opened : NULL;
}

/* Devices of one platform; a platform that fails has none. */
static uint32_t find_in_platform(const struct opencl_driver *cl, struct opencl_platform *platform, uint32_t number,
                                 struct opencl_device **device)
{
	uint32_t count = 0;
	if (cl->clGetDeviceIDs(platform, OPENCL_TYPE_ALL, 0, NULL, &count) || number >= count)
		return count;
	struct opencl_device **all = memory_zeroed(count, sizeof *all);
	if (!cl->clGetDeviceIDs(platform, OPENCL_TYPE_ALL, count, all, NULL))
		*device = all[number];
	free(all);
	return count;
}

uint32_t opencl_find_device(const struct opencl_driver *cl, uint32_t number, struct opencl_device **device,
                            struct text *error)
{
	FLOAT_ENVIRONMENT; /* which drivers that load here may change */
	uint32_t platform_count = 0, count = 0;
	*device = NULL;
	opencl_status status = cl->clGetPlatformIDs(0, NULL, &platform_count);
	if (status != OPENCL_NO_PLATFORM && opencl_failed(status, "clGetPlatformIDs", error))
		return 0;
	struct opencl_platform **platforms = memory_zeroed(platform_count + 1, sizeof *platforms);
	if (platform_count && cl->clGetPlatformIDs(platform_count, platforms, NULL))
		platform_count = 0;
	for (uint32_t i = 0; i < platform_count; i++) {
		struct opencl_device *found = NULL;
		uint32_t here = find_in_platform(cl, platforms[i], number - count, &found);
		if (number >= count && found)
			*device = found;
		count += here;
	}
	free(platforms);
	if (!count)
		text_add(error, platform_count ? "no platform has a device"
		                               : "libOpenCL.so.1 finds no platform: /etc/OpenCL/vendors names none");
	return count;
}

char *opencl_device_text(const struct opencl_driver *cl, struct opencl_device *device, uint32_t what)
{
	size_t size = 0;
	if (cl->clGetDeviceInfo(device, what, 0, NULL, &size))
		size = 0;
	char *text = memory_zeroed(size + 1, 1);
	if (size && cl->clGetDeviceInfo(device, what, size, text, NULL))
		*text = '\0';
	return text;
}

uint64_t opencl_device_number(const struct opencl_driver *cl, struct opencl_device *device, uint32_t what)
{
	uint64_t value = 0; /* little-endian: smaller numbers fill the low bytes */
	return cl->clGetDeviceInfo(device, what, sizeof value, &value, NULL) ? 0 : value;
}
