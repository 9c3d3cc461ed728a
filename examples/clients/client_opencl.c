/* Launches saxpy from the emitted saxpy.spv or saxpy.cl and saxpy.h with OpenCL, and reads the status record.
 *   sspur build examples/saxpy.ssp --target spirv,opencl -o .
 *   cc examples/clients/client_opencl.c -o client -I. -lOpenCL && ./client saxpy.cl */
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saxpy.h"

static void check(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", call, status);
	exit(status == -1001 || status == CL_DEVICE_NOT_FOUND ? 77 : 1);
}

/* SPIR-V where the device takes it, else OpenCL C. */
static cl_program load(cl_context context, cl_device_id device, const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
	const char *source = bytes;
	cl_int status = CL_SUCCESS;
	cl_program program = size > 4 && memcmp(bytes, "\x03\x02\x23\x07", 4) == 0
	                         ? clCreateProgramWithIL(context, bytes, size, &status)
	                         : clCreateProgramWithSource(context, 1, &source, &size, &status);
	check(status, "clCreateProgram");
	check(clBuildProgram(program, 1, &device, "-cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL), "clBuildProgram");
	return program;
}

int main(int count, char **files)
{
	float x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40};
	struct sspur_status status = {0};
	struct saxpy_arguments a = {.a = 0.5f, .x_length = 4, .y_length = 4, .n = 4};
	size_t group = saxpy_GROUP_X, threads = (a.n + group - 1) / group * group;
	cl_platform_id platform;
	cl_device_id device;
	cl_int e;
	if (count != 2)
		return 2;
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	check(e, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
	check(e, "clCreateCommandQueue");
	cl_kernel saxpy = clCreateKernel(load(context, device, files[1]), "saxpy", &e);
	check(e, "clCreateKernel");
	cl_mem dx = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &e);
	cl_mem dy = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, &e);
	cl_mem record = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof status, &status, &e);
	/* One argument a member of the struct, in its order; addresses are buffers. */
	const void *values[] = {&a.a, &dx, &a.x_length, &dy, &a.y_length, &a.n, &a.first_group, &record, NULL};
	size_t sizes[] = {4, sizeof dx, 8, sizeof dy, 8, 8, 8, sizeof record, sizeof dx};
	for (a.x_length = 4; a.x_length >= 3; a.x_length--) { /* 3 breaks the kernel's `pre`: thread 3 reads past the end */
		for (cl_uint i = 0; i < sizeof sizes / sizeof *sizes; i++)
			check(clSetKernelArg(saxpy, i, sizes[i], values[i]), "clSetKernelArg");
		check(clEnqueueNDRangeKernel(queue, saxpy, 1, NULL, &threads, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
		check(clEnqueueReadBuffer(queue, dy, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
		check(clEnqueueReadBuffer(queue, record, CL_TRUE, 0, sizeof status, &status, 0, NULL, NULL), "clEnqueueReadBuffer");
		if (status.failed)
			printf("%u failed: kind %u at line %u, thread %u, value %u\n", status.failed, status.kind, status.line,
			       status.x, status.value);
		else
			printf("0 failed\n%g %g %g %g\n", y[0], y[1], y[2], y[3]);
	}
	return 0;
}
