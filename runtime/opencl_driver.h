/* The functions of OpenCL 1.2 that the runtime calls, and IL of 2.1, from libOpenCL. Declared by hand: the build needs
 * no OpenCL. */
#ifndef SSPUR_RUNTIME_OPENCL_DRIVER_H
#define SSPUR_RUNTIME_OPENCL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/text.h"

typedef int32_t opencl_status; /* cl_int; 0: success */
struct opencl_platform;        /* what cl_platform_id points at, and so on */
struct opencl_device;
struct opencl_context;
struct opencl_queue;
struct opencl_program;
struct opencl_kernel;
struct opencl_memory;
struct opencl_event;

/* cl_buffer_region */
struct opencl_region {
	size_t origin, size;
};

enum {
	OPENCL_NOT_FOUND = -1,
	OPENCL_INVALID_KERNEL_NAME = -46,
	OPENCL_NO_PLATFORM = -1001,
	OPENCL_BLOCKING = 1,
	OPENCL_PLATFORM_NAME = 0x0902,
	OPENCL_DEVICE_TYPE = 0x1000,
	OPENCL_MAX_WORK_GROUP_SIZE = 0x1004,
	OPENCL_ADDRESS_BITS = 0x100d,
	OPENCL_MEM_BASE_ADDR_ALIGN = 0x1019, /* in bits */
	OPENCL_SINGLE_FP_CONFIG = 0x101b,
	OPENCL_GLOBAL_MEM_SIZE = 0x101f,
	OPENCL_LOCAL_MEM_SIZE = 0x1023,
	OPENCL_DEVICE_AVAILABLE = 0x1027,
	OPENCL_DEVICE_NAME = 0x102b,
	OPENCL_DRIVER_VERSION = 0x102d,
	OPENCL_DEVICE_EXTENSIONS = 0x1030,
	OPENCL_DEVICE_PLATFORM = 0x1031,
	OPENCL_DOUBLE_FP_CONFIG = 0x1032,
	OPENCL_DEVICE_IL_VERSION = 0x105b,
	OPENCL_BUILD_LOG = 0x1183,
	OPENCL_REGION = 0x1220,
	OPENCL_MIGRATE_UNDEFINED = 2,
	OPENCL_READ_WRITE = 1,
	OPENCL_COPY_HOST_PTR = 32,
};
#define OPENCL_TYPE_CPU UINT64_C(2)
#define OPENCL_TYPE_GPU UINT64_C(4)
#define OPENCL_TYPE_ALL UINT64_C(0xffffffff)
/* Bits of the two floating-point configurations. */
enum {
	OPENCL_FP_DENORM = 1,
	OPENCL_FP_INF_NAN = 2,
	OPENCL_FP_ROUND_TO_NEAREST = 4,
	OPENCL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 128,
};

/* What every command ends with: the events it waits for, and its own. */
#define OPENCL_EVENTS uint32_t event_count, struct opencl_event *const *events, struct opencl_event **event

/* Result, name, arguments. */
#define OPENCL_FUNCTIONS(F)                                                                                            \
	F(opencl_status, clGetPlatformIDs, (uint32_t count, struct opencl_platform * *platforms, uint32_t * found))    \
	F(opencl_status, clGetPlatformInfo,                                                                            \
	  (struct opencl_platform * platform, uint32_t what, size_t size, void *value, size_t *needed))                \
	F(opencl_status, clGetDeviceIDs,                                                                               \
	  (struct opencl_platform * platform, uint64_t type, uint32_t count, struct opencl_device * *devices,          \
	   uint32_t * found))                                                                                          \
	F(opencl_status, clGetDeviceInfo,                                                                              \
	  (struct opencl_device * device, uint32_t what, size_t size, void *value, size_t *needed))                    \
	F(struct opencl_context *, clCreateContext,                                                                    \
	  (const intptr_t *properties, uint32_t count, struct opencl_device *const *devices, void *notify,             \
	   void *user_data, opencl_status *status))                                                                    \
	F(opencl_status, clReleaseContext, (struct opencl_context * context))                                          \
	F(struct opencl_queue *, clCreateCommandQueue,                                                                 \
	  (struct opencl_context * context, struct opencl_device * device, uint64_t properties,                        \
	   opencl_status * status))                                                                                    \
	F(opencl_status, clReleaseCommandQueue, (struct opencl_queue * queue))                                         \
	F(struct opencl_program *, clCreateProgramWithBinary,                                                          \
	  (struct opencl_context * context, uint32_t count, struct opencl_device *const *devices, const size_t *sizes, \
	   const unsigned char **binaries, opencl_status *each, opencl_status *status))                                \
	F(struct opencl_program *, clCreateProgramWithSource,                                                          \
	  (struct opencl_context * context, uint32_t count, const char **texts, const size_t *sizes,                   \
	   opencl_status *status))                                                                                     \
	F(opencl_status, clBuildProgram,                                                                               \
	  (struct opencl_program * program, uint32_t count, struct opencl_device *const *devices, const char *options, \
	   void *notify, void *user_data))                                                                             \
	F(opencl_status, clGetProgramBuildInfo,                                                                        \
	  (struct opencl_program * program, struct opencl_device * device, uint32_t what, size_t size, void *value,    \
	   size_t *needed))                                                                                            \
	F(opencl_status, clReleaseProgram, (struct opencl_program * program))                                          \
	F(struct opencl_kernel *, clCreateKernel,                                                                      \
	  (struct opencl_program * program, const char *name, opencl_status *status))                                  \
	F(opencl_status, clReleaseKernel, (struct opencl_kernel * kernel))                                             \
	F(opencl_status, clSetKernelArg,                                                                               \
	  (struct opencl_kernel * kernel, uint32_t index, size_t size, const void *value))                             \
	F(struct opencl_memory *, clCreateBuffer,                                                                      \
	  (struct opencl_context * context, uint64_t flags, size_t size, void *bytes, opencl_status *status))          \
	F(struct opencl_memory *, clCreateSubBuffer,                                                                   \
	  (struct opencl_memory * memory, uint64_t flags, uint32_t type, const void *region, opencl_status *status))   \
	F(opencl_status, clReleaseMemObject, (struct opencl_memory * memory))                                          \
	F(opencl_status, clEnqueueMigrateMemObjects,                                                                   \
	  (struct opencl_queue * queue, uint32_t count, struct opencl_memory *const *memories, uint64_t flags,         \
	   OPENCL_EVENTS))                                                                                             \
	F(opencl_status, clEnqueueFillBuffer,                                                                          \
	  (struct opencl_queue * queue, struct opencl_memory * memory, const void *pattern, size_t pattern_size,       \
	   size_t offset, size_t size, OPENCL_EVENTS))                                                                 \
	F(opencl_status, clEnqueueWriteBuffer,                                                                         \
	  (struct opencl_queue * queue, struct opencl_memory * memory, uint32_t blocking, size_t offset, size_t size,  \
	   const void *bytes, OPENCL_EVENTS))                                                                          \
	F(opencl_status, clEnqueueReadBuffer,                                                                          \
	  (struct opencl_queue * queue, struct opencl_memory * memory, uint32_t blocking, size_t offset, size_t size,  \
	   void *bytes, OPENCL_EVENTS))                                                                                \
	F(opencl_status, clEnqueueCopyBuffer,                                                                          \
	  (struct opencl_queue * queue, struct opencl_memory * from, struct opencl_memory * to, size_t from_offset,    \
	   size_t to_offset, size_t size, OPENCL_EVENTS))                                                              \
	F(opencl_status, clEnqueueNDRangeKernel,                                                                       \
	  (struct opencl_queue * queue, struct opencl_kernel * kernel, uint32_t axes, const size_t *offset,            \
	   const size_t *global, const size_t *local, OPENCL_EVENTS))                                                  \
	F(opencl_status, clFlush, (struct opencl_queue * queue))                                                       \
	F(opencl_status, clFinish, (struct opencl_queue * queue))

/* The function that libraries before OpenCL 2.1 lack. */
#define OPENCL_OPTIONAL_FUNCTIONS(F)                                                                                   \
	F(struct opencl_program *, clCreateProgramWithIL,                                                              \
	  (struct opencl_context * context, const void *bytes, size_t size, opencl_status *status))

struct opencl_driver {
#define F(result, name, arguments) result(*name) arguments;
	OPENCL_FUNCTIONS(F)
	OPENCL_OPTIONAL_FUNCTIONS(F)
#undef F
};

/* The library, opened once; NULL with why in *error. Any thread that holds the launch lock. */
const struct opencl_driver *opencl_driver_open(struct text *error);
/* Whether `status`, of the function `call`, is an error; then *error gets `CALL: NAME`. */
bool opencl_failed(opencl_status status, const char *call, struct text *error);
/* Counts the devices of all platforms, in the order the library lists them; *device is the one numbered `number`, else
 * NULL. 0 with why in *error. */
uint32_t opencl_find_device(const struct opencl_driver *cl, uint32_t number, struct opencl_device **device,
                            struct text *error);
/* Text that the device tells about itself; "" where it does not know the question. The caller frees. */
char *opencl_device_text(const struct opencl_driver *cl, struct opencl_device *device, uint32_t what);
/* Numbers of 32 and 64 bits, or of size_t; 0 where the device does not know the question. */
uint64_t opencl_device_number(const struct opencl_driver *cl, struct opencl_device *device, uint32_t what);

#endif
