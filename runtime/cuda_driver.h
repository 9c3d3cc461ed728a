/* The functions of CUDA's driver that the runtime calls, from libcuda. Declared by hand: the build needs no CUDA. */
#ifndef SSPUR_RUNTIME_CUDA_DRIVER_H
#define SSPUR_RUNTIME_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/text.h"

typedef int cuda_status; /* CUresult; 0: success */
typedef int cuda_device;
typedef uint64_t cuda_address;
struct cuda_context;
struct cuda_module;
struct cuda_function;
struct cuda_stream;
struct cuda_event;

enum {
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_MAX_THREADS_PER_BLOCK = 1, /* CUdevice_attribute */
	CUDA_MAX_GRID_DIM_X = 5,        /* y and z follow */
	CUDA_MAX_SHARED_MEMORY_PER_BLOCK = 8,
	CUDA_COMPUTE_CAPABILITY_MAJOR = 75,
	CUDA_COMPUTE_CAPABILITY_MINOR = 76,
	CUDA_ERROR_LOG_BUFFER = 5, /* CUjit_option */
	CUDA_ERROR_LOG_BUFFER_SIZE = 6,
	CUDA_OPTIMIZATION_LEVEL = 7,
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_EVENT_DISABLE_TIMING = 2,
};

/* Name, symbol, arguments. */
#define CUDA_FUNCTIONS(F)                                                                                              \
	F(cuInit, cuInit, (unsigned flags))                                                                            \
	F(cuDriverGetVersion, cuDriverGetVersion, (int *version))                                                      \
	F(cuGetErrorName, cuGetErrorName, (cuda_status status, const char **name))                                     \
	F(cuDeviceGetCount, cuDeviceGetCount, (int *count))                                                            \
	F(cuDeviceGet, cuDeviceGet, (cuda_device * device, int number))                                                \
	F(cuDeviceGetName, cuDeviceGetName, (char *name, int size, cuda_device device))                                \
	F(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, cuda_device device))                 \
	F(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, cuda_device device))                                 \
	F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (struct cuda_context * *context, cuda_device device))    \
	F(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, (cuda_device device))                                  \
	F(cuCtxSetCurrent, cuCtxSetCurrent, (struct cuda_context * context))                                           \
	F(cuStreamCreate, cuStreamCreate, (struct cuda_stream * *stream, unsigned flags))                              \
	F(cuStreamDestroy, cuStreamDestroy_v2, (struct cuda_stream * stream))                                          \
	F(cuStreamSynchronize, cuStreamSynchronize, (struct cuda_stream * stream))                                     \
	F(cuEventCreate, cuEventCreate, (struct cuda_event * *event, unsigned flags))                                  \
	F(cuEventDestroy, cuEventDestroy_v2, (struct cuda_event * event))                                              \
	F(cuEventRecord, cuEventRecord, (struct cuda_event * event, struct cuda_stream * stream))                      \
	F(cuEventSynchronize, cuEventSynchronize, (struct cuda_event * event))                                         \
	F(cuMemHostAlloc, cuMemHostAlloc, (void **bytes, size_t size, unsigned flags))                                 \
	F(cuMemFreeHost, cuMemFreeHost, (void *bytes))                                                                 \
	F(cuMemAlloc, cuMemAlloc_v2, (cuda_address * address, size_t size))                                            \
	F(cuMemFree, cuMemFree_v2, (cuda_address address))                                                             \
	F(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                                     \
	  (cuda_address to, const void *from, size_t size, struct cuda_stream *stream))                                \
	F(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                                     \
	  (void *to, cuda_address from, size_t size, struct cuda_stream *stream))                                      \
	F(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                                     \
	  (cuda_address to, cuda_address from, size_t size, struct cuda_stream * stream))                              \
	F(cuModuleLoadDataEx, cuModuleLoadDataEx,                                                                      \
	  (struct cuda_module * *module, const void *image, unsigned count, int *options, void **values))              \
	F(cuModuleUnload, cuModuleUnload, (struct cuda_module * module))                                               \
	F(cuModuleGetFunction, cuModuleGetFunction,                                                                    \
	  (struct cuda_function * *function, struct cuda_module * module, const char *name))                           \
	F(cuLaunchKernel, cuLaunchKernel,                                                                              \
	  (struct cuda_function * function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
	   unsigned block_y, unsigned block_z, unsigned shared, struct cuda_stream *stream, void **arguments,          \
	   void **extra))

struct cuda_driver {
#define F(name, symbol, arguments) cuda_status(*name) arguments;
	CUDA_FUNCTIONS(F)
#undef F
	int version; /* 1000 * major + 10 * minor, of the newest CUDA it runs */
};

/* The driver, opened and initialised once; NULL with why in *error. Any thread that holds the launch lock. */
const struct cuda_driver *cuda_driver_open(struct text *error);
/* Whether `status`, of the function `call`, is an error; then *error gets `CALL: NAME`. */
bool cuda_failed(const struct cuda_driver *cu, cuda_status status, const char *call, struct text *error);

#endif
