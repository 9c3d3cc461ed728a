/* Launches saxpy from the emitted saxpy.ptx and saxpy.h with the CUDA driver API, and reads the status record.
 *   sspur build examples/saxpy.ssp --target ptx -o saxpy.ptx
 *   cc examples/clients/client_cuda.c -o client -I. -I/usr/local/cuda/include -lcuda && ./client saxpy.ptx */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#include "saxpy.h"

static void check(CUresult result, const char *call)
{
	const char *name = "?";
	if (result == CUDA_SUCCESS)
		return;
	cuGetErrorName(result, &name);
	fprintf(stderr, "%s: %s\n", call, name);
	exit(result == CUDA_ERROR_NO_DEVICE ? 77 : 1);
}

/* One argument a member of the struct, in its order. */
static void launch(CUfunction saxpy, struct saxpy_arguments *a)
{
	void *arguments[] = {&a->a, &a->x, &a->x_length, &a->y, &a->y_length, &a->n, &a->first_group, &a->status, &a->mask};
	unsigned groups = (unsigned)((a->n + saxpy_GROUP_X - 1) / saxpy_GROUP_X);
	struct sspur_status status = {0};
	check(cuMemcpyHtoD(a->status, &status, sizeof status), "cuMemcpyHtoD");
	check(cuLaunchKernel(saxpy, groups, 1, 1, saxpy_GROUP_X, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
	check(cuMemcpyDtoH(&status, a->status, sizeof status), "cuMemcpyDtoH");
	printf("%u failed", status.failed);
	if (status.failed)
		printf(": kind %u at line %u, thread %u, value %u", status.kind, status.line, status.x, status.value);
	printf("\n");
}

int main(int count, char **files)
{
	float x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40};
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction saxpy;
	CUdeviceptr dx, dy, status;
	if (count != 2)
		return 2;
	check(cuInit(0), "cuInit");
	check(cuDeviceGet(&device, 0), "cuDeviceGet");
	check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
	check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	check(cuModuleLoad(&module, files[1]), "cuModuleLoad");
	check(cuModuleGetFunction(&saxpy, module, "saxpy"), "cuModuleGetFunction");
	check(cuMemAlloc(&dx, sizeof x), "cuMemAlloc");
	check(cuMemAlloc(&dy, sizeof y), "cuMemAlloc");
	check(cuMemAlloc(&status, sizeof(struct sspur_status)), "cuMemAlloc");
	check(cuMemcpyHtoD(dx, x, sizeof x), "cuMemcpyHtoD");
	check(cuMemcpyHtoD(dy, y, sizeof y), "cuMemcpyHtoD");
	struct saxpy_arguments a = {.a = 0.5f, .x = dx, .x_length = 4, .y = dy, .y_length = 4, .n = 4, .status = status};
	launch(saxpy, &a);
	check(cuMemcpyDtoH(y, dy, sizeof y), "cuMemcpyDtoH");
	printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
	a.x_length = 3; /* breaks the kernel's `pre`, which is the caller's to check: thread 3 reads past the end */
	launch(saxpy, &a);
	return 0;
}
