/* OpenCL: SPIR-V where the device takes it, else the module read back as LLVM bitcode; or (opencl-c) OpenCL C. The
 * library is opened at run time, unless it is there already: `oclgrind kernel-compare --device opencl ...`. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/opencl_driver.h"
#include "utils/dev/compare/compare.h"

static struct {
	struct opencl_driver call;
	struct opencl_device *device;
	struct opencl_context *context;
	struct opencl_queue *queue;
	struct opencl_program *program;
	const char *target; /* of the program: "spirv" or "opencl" */
} cl;

static bool open_library(struct text *error)
{
	if (!dlsym(RTLD_DEFAULT, "clGetPlatformIDs") && !dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL)) {
		text_add(error, dlerror());
		return false;
	}
#define F(result, name, arguments) *(void **)&cl.call.name = dlsym(RTLD_DEFAULT, #name);
	OPENCL_FUNCTIONS(F)
	OPENCL_OPTIONAL_FUNCTIONS(F)
#undef F
	return true;
}

static bool open_device(struct text *error)
{
	struct opencl_platform *platform;
	opencl_status status;
	if (opencl_failed(cl.call.clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs", error) ||
	    opencl_failed(cl.call.clGetDeviceIDs(platform, OPENCL_TYPE_ALL, 1, &cl.device, NULL), "clGetDeviceIDs",
	                  error))
		return false;
	cl.context = cl.call.clCreateContext(NULL, 1, &cl.device, NULL, NULL, &status);
	if (opencl_failed(status, "clCreateContext", error))
		return false;
	cl.queue = cl.call.clCreateCommandQueue(cl.context, cl.device, 0, &status);
	return !opencl_failed(status, "clCreateCommandQueue", error);
}

static bool takes_spirv(void)
{
	char version[200] = "";
	cl.call.clGetDeviceInfo(cl.device, OPENCL_DEVICE_IL_VERSION, sizeof version - 1, version, NULL);
	return strstr(version, "SPIR-V") != NULL;
}

static bool create_program(const struct compare_compiler *c, const struct text *spirv, struct text *error)
{
	opencl_status status;
	if (strcmp(cl.target, "opencl") == 0) {
		const char *source = text_string(spirv);
		cl.program = cl.call.clCreateProgramWithSource(cl.context, 1, &source, NULL, &status);
		return !opencl_failed(status, "clCreateProgramWithSource", error);
	}
	if (takes_spirv() && memcmp(spirv->data, "BC", 2) != 0) {
		cl.program = cl.call.clCreateProgramWithIL(cl.context, spirv->data, spirv->length, &status);
		return !opencl_failed(status, "clCreateProgramWithIL", error);
	}
	struct text bitcode = {0};
	if (spirv->length > 2 && memcmp(spirv->data, "BC", 2) == 0) {
		text_add_n(&bitcode, spirv->data, spirv->length);
	} else if (!c->to_bitcode) {
		text_add(error, "the device takes no SPIR-V: give it bitcode");
		return false;
	} else if (!c->to_bitcode(spirv->data, spirv->length, &bitcode, error)) {
		return false;
	}
	const unsigned char *bytes = (const unsigned char *)bitcode.data;
	cl.program =
	    cl.call.clCreateProgramWithBinary(cl.context, 1, &cl.device, &bitcode.length, &bytes, NULL, &status);
	text_free(&bitcode);
	return !opencl_failed(status, "clCreateProgramWithBinary", error);
}

static bool build_program(struct text *error)
{
	if (!opencl_failed(
	        cl.call.clBuildProgram(cl.program, 1, &cl.device, "-cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL),
	        "clBuildProgram", error))
		return true;
	char log[2000] = "";
	cl.call.clGetProgramBuildInfo(cl.program, cl.device, OPENCL_BUILD_LOG, sizeof log - 1, log, NULL);
	text_add_format(error, ": %s", log);
	return false;
}

static bool open_as(const char *target, const struct ir_module *m, const struct compare_compiler *c,
                    const struct target_options *options, const struct text *artifact, struct text *error)
{
	struct text spirv = {0};
	cl.target = target;
	if (!cl.device && !(open_library(error) && open_device(error)))
		return false;
	if (!artifact && !c->emit(target, m, options, &spirv, error))
		return false;
	bool ok = create_program(c, artifact ? artifact : &spirv, error) && build_program(error);
	text_free(&spirv);
	return ok;
}

static bool open(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
                 const struct text *artifact, struct text *error)
{
	return open_as("spirv", m, c, options, artifact, error);
}

static bool open_source(const struct ir_module *m, const struct compare_compiler *c,
                        const struct target_options *options, const struct text *artifact, struct text *error)
{
	return open_as("opencl", m, c, options, artifact, error);
}

static void close(void)
{
	cl.call.clReleaseProgram(cl.program);
}

/* NULL for no bytes: OpenCL has no empty buffers, and none may be touched. */
static struct opencl_memory *make_buffer(const void *bytes, size_t size, opencl_status *status)
{
	*status = 0;
	if (!size)
		return NULL;
	return cl.call.clCreateBuffer(cl.context, OPENCL_READ_WRITE | OPENCL_COPY_HOST_PTR, size, (void *)bytes,
	                              status);
}

struct launch {
	const struct compare_case *c;
	struct compare_value *values;
	unsigned count;
	struct opencl_kernel *kernel;
	struct opencl_memory **buffers, *status, *mask;
};

static bool set_argument(struct launch *l, unsigned n, const uint64_t *first_group, struct text *error)
{
	struct compare_value *v = &l->values[n];
	opencl_status status = 0;
	switch (v->kind) {
	case COMPARE_BITS: status = cl.call.clSetKernelArg(l->kernel, n, v->size, &v->bits); break;
	case COMPARE_FIRST_GROUP: status = cl.call.clSetKernelArg(l->kernel, n, 8, &first_group[v->index]); break;
	case COMPARE_BUFFER:
		status = cl.call.clSetKernelArg(l->kernel, n, sizeof(struct opencl_memory *), &l->buffers[v->index]);
		break;
	case COMPARE_STATUS:
		status = cl.call.clSetKernelArg(l->kernel, n, sizeof(struct opencl_memory *), &l->status);
		break;
	case COMPARE_MASK:
		status = cl.call.clSetKernelArg(l->kernel, n, sizeof(struct opencl_memory *), &l->mask);
		break;
	}
	return !opencl_failed(status, "clSetKernelArg", error);
}

/* Groups [first, end) of the x axis, all of the others. */
static bool launch_part(struct launch *l, uint64_t first, uint64_t end, struct text *error)
{
	const struct ir_kernel *k = l->c->kernel;
	uint64_t first_group[3] = {first, 0, 0};
	size_t global[3], local[3];
	for (unsigned axis = 0; axis < 3; axis++) {
		uint64_t groups = axis ? compare_groups(l->c, axis) : end - first;
		local[axis] = k->group[axis];
		global[axis] = groups * k->group[axis];
		if (!groups)
			return true;
	}
	for (unsigned n = 0; n < l->count; n++)
		if (!set_argument(l, n, first_group, error))
			return false;
	return !opencl_failed(
	    cl.call.clEnqueueNDRangeKernel(cl.queue, l->kernel, k->axes, NULL, global, local, 0, NULL, NULL),
	    "clEnqueueNDRangeKernel", error);
}

static bool read_back(struct opencl_memory *buffer, void *bytes, size_t size, struct text *error)
{
	if (!buffer)
		return true;
	return !opencl_failed(
	    cl.call.clEnqueueReadBuffer(cl.queue, buffer, OPENCL_BLOCKING, 0, size, bytes, 0, NULL, NULL),
	    "clEnqueueReadBuffer", error);
}

static bool make_buffers(struct launch *l, struct compare_result *r, struct text *error)
{
	const struct compare_case *c = l->c;
	opencl_status status;
	for (uint32_t n = 0; n < c->kernel->parameter_count; n++) {
		l->buffers[n] = make_buffer(r->buffers[n], compare_bytes(c, n), &status);
		if (opencl_failed(status, "clCreateBuffer", error))
			return false;
	}
	l->status = make_buffer(r->status, sizeof r->status, &status);
	l->mask = make_buffer(r->mask, r->mask ? (c->total + 31) / 32 * 4 : 0, &status);
	return !opencl_failed(status, "clCreateBuffer", error);
}

static bool read_all(struct launch *l, struct compare_result *r, struct text *error)
{
	for (uint32_t n = 0; n < l->c->kernel->parameter_count; n++)
		if (!read_back(l->buffers[n], r->buffers[n], compare_bytes(l->c, n), error))
			return false;
	return read_back(l->status, r->status, sizeof r->status, error) &&
	       read_back(l->mask, r->mask, (l->c->total + 31) / 32 * 4, error);
}

static void release(struct launch *l)
{
	for (uint32_t n = 0; n < l->c->kernel->parameter_count; n++)
		if (l->buffers[n])
			cl.call.clReleaseMemObject(l->buffers[n]);
	if (l->status)
		cl.call.clReleaseMemObject(l->status);
	if (l->mask)
		cl.call.clReleaseMemObject(l->mask);
	if (l->kernel)
		cl.call.clReleaseKernel(l->kernel);
}

static bool run(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	struct arena arena = {0};
	struct launch l = {.c = c,
	                   .values = ARENA_ARRAY(&arena, struct compare_value, c->kernel->parameter_count * 2 + 8)};
	opencl_status status;
	l.buffers = ARENA_ARRAY(&arena, struct opencl_memory *, c->kernel->parameter_count);
	l.count = compare_values(c, l.values);
	struct text name = {0};
	compare_entry_name(c, cl.target, &name);
	l.kernel = cl.call.clCreateKernel(cl.program, text_string(&name), &status);
	uint64_t groups = compare_groups(c, 0);
	/* In two launches, as a grid over the device's limits would be. */
	bool ok = !opencl_failed(status, "clCreateKernel", error) && make_buffers(&l, r, error) &&
	          launch_part(&l, 0, groups / 2, error) && launch_part(&l, groups / 2, groups, error) &&
	          !opencl_failed(cl.call.clFinish(cl.queue), "clFinish", error) && read_all(&l, r, error);
	text_free(&name);
	release(&l);
	arena_free(&arena);
	return ok;
}

const struct compare_device compare_opencl = {"opencl", true, open, run, close};
const struct compare_device compare_opencl_c = {"opencl-c", true, open_source, run, close};
