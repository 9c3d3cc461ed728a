/* One queue, in order. */
#include "runtime/device_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/capabilities.h"
#include "runtime/holding.h"
#include "runtime/launch_values.h"
#include "runtime/opencl_module.h"
#include "runtime/opencl_records.h"
#include "utils/base/arena.h"

struct device_buffer {
	struct holding holding;
	struct opencl_memory *memory; /* NULL: no bytes; OpenCL has no empty buffers */
};

struct device_program {
	struct holding holding;
	struct opencl_module module;
};

struct opencl_state {
	const struct opencl_driver *cl;
	struct opencl_target target;
	struct opencl_queue *queue;
	struct opencl_records records;
	struct device_capabilities capabilities;
	struct holding *buffers, *programs;
	struct launch_values values;
	struct text failure; /* of a launch that had begun; told by opencl_finish */
};

/* ---- Device ---- */

static uint32_t opencl_count(struct text *error)
{
	struct opencl_device *device;
	const struct opencl_driver *cl = opencl_driver_open(error);
	return cl ? opencl_find_device(cl, 0, &device, error) : 0;
}

static bool find_device(struct opencl_state *s, uint32_t number, struct text *error)
{
	s->cl = opencl_driver_open(error);
	uint32_t count = s->cl ? opencl_find_device(s->cl, number, &s->target.device, error) : 0;
	if (count && number >= count)
		text_add_format(error, "there is no opencl:%u: the platforms have %u", number, count);
	else if (count && !s->target.device)
		text_add(error, "its platform does not give it out");
	return s->target.device != NULL;
}

/* What no rerun could make up for (spec 3.4). */
static bool device_may_compute(struct opencl_state *s, uint64_t single, uint64_t threads, struct text *error)
{
	uint64_t needed = OPENCL_FP_ROUND_TO_NEAREST | OPENCL_FP_INF_NAN;
	const char *why = NULL;
	if (!opencl_device_number(s->cl, s->target.device, OPENCL_DEVICE_AVAILABLE))
		why = "it is not available now";
	else if (opencl_device_number(s->cl, s->target.device, OPENCL_ADDRESS_BITS) != 64)
		why = "its addresses do not have 64 bits";
	else if ((single & needed) != needed)
		why = "it does not promise rounding to nearest, infinities and NaN";
	else if (!threads)
		why = "it does not say how large its workgroups may be";
	if (why)
		text_add(error, why);
	return !why;
}

enum { PLATFORM_NAME = 256 };

static void platform_name(const struct opencl_state *s, char name[PLATFORM_NAME])
{
	struct opencl_platform *platform = NULL;
	snprintf(name, PLATFORM_NAME, "?");
	s->cl->clGetDeviceInfo(s->target.device, OPENCL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
	s->cl->clGetPlatformInfo(platform, OPENCL_PLATFORM_NAME, PLATFORM_NAME - 1, name, NULL);
}

/* PoCL 3.1 ends the process where a branch has a barrier in a loop, PoCL 5.0 where a value is used behind the branches.
 * Of groups of one thread along x, the first runs what is before a loop with a barrier twice. */
static bool mistakes_barriers(const struct opencl_state *s)
{
	char name[PLATFORM_NAME];
	platform_name(s, name);
	return strcmp(name, "Portable Computing Language") == 0;
}

/* Double precision is correctly rounded wherever it is there (OpenCL 3.0 C, 7.4). Launches in parts keep the number of
 * threads below 2^32, above which drivers differ. */
static bool read_capabilities(struct opencl_state *s, struct text *error)
{
	const struct opencl_driver *cl = s->cl;
	struct opencl_device *device = s->target.device;
	uint64_t single = opencl_device_number(cl, device, OPENCL_SINGLE_FP_CONFIG);
	uint64_t twice = opencl_device_number(cl, device, OPENCL_DOUBLE_FP_CONFIG);
	uint64_t type = opencl_device_number(cl, device, OPENCL_DEVICE_TYPE);
	uint64_t threads = opencl_device_number(cl, device, OPENCL_MAX_WORK_GROUP_SIZE);
	if (!device_may_compute(s, single, threads, error))
		return false;
	uint64_t groups = UINT32_MAX / threads;
	s->capabilities = (struct device_capabilities){
	    .is_gpu = (type & OPENCL_TYPE_GPU) && !(type & OPENCL_TYPE_CPU),
	    .float64 = twice != 0,
	    .subnormals_f32 = single & OPENCL_FP_DENORM,
	    .subnormals_f64 = twice & OPENCL_FP_DENORM,
	    .exact_f32 = single & OPENCL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
	    .exact_f64 = twice != 0,
	    .mistakes_barriers = mistakes_barriers(s),
	    .group_limit = (uint32_t)threads,
	    .shared_limit = opencl_device_number(cl, device, OPENCL_LOCAL_MEM_SIZE),
	    .groups_limit = {groups, groups, groups},
	    .memory = opencl_device_number(cl, device, OPENCL_GLOBAL_MEM_SIZE),
	};
	return true;
}

static bool open_queue(struct opencl_state *s, struct text *error)
{
	const struct opencl_driver *cl = s->cl;
	struct opencl_target *t = &s->target;
	opencl_status status;
	struct opencl_context *context = cl->clCreateContext(NULL, 1, &t->device, NULL, NULL, &status);
	if (opencl_failed(status, "clCreateContext", error))
		return false;
	t->context = context;
	struct opencl_queue *queue = cl->clCreateCommandQueue(context, t->device, 0, &status);
	if (opencl_failed(status, "clCreateCommandQueue", error))
		return false;
	s->queue = queue;
	size_t alignment = opencl_device_number(cl, t->device, OPENCL_MEM_BASE_ADDR_ALIGN) / 8;
	return opencl_records_make(&s->records, cl, context, alignment, error);
}

static void free_state(struct opencl_state *s)
{
	if (s->cl)
		opencl_records_free(&s->records, s->cl);
	if (s->queue)
		s->cl->clReleaseCommandQueue(s->queue);
	if (s->target.context)
		s->cl->clReleaseContext(s->target.context);
	launch_values_free(&s->values);
	text_free(&s->failure);
	free(s);
}

static bool opencl_open(struct device *d, struct text *error)
{
	struct opencl_state *s = memory_zeroed(1, sizeof *s);
	if (!find_device(s, d->number, error) || !opencl_target_make(&s->target, s->cl, error) ||
	    !read_capabilities(s, error) || !open_queue(s, error)) {
		free_state(s);
		return false;
	}
	d->state = s;
	return true;
}

static void add_device_text(struct opencl_state *s, uint32_t what, struct text *out)
{
	char *text = opencl_device_text(s->cl, s->target.device, what);
	text_add(out, text);
	free(text);
}

static void opencl_describe(struct device *d, struct text *out)
{
	struct opencl_state *s = d->state;
	char name[PLATFORM_NAME];
	platform_name(s, name);
	add_device_text(s, OPENCL_DEVICE_NAME, out);
	text_add_format(out, ", %s ", name);
	add_device_text(s, OPENCL_DRIVER_VERSION, out);
	text_add(out, ", ");
	opencl_target_forms(&s->target, out);
	text_add(out, ", ");
	capabilities_print(&s->capabilities, out);
}

static const struct device_capabilities *opencl_capabilities(struct device *d)
{
	struct opencl_state *s = d->state;
	return &s->capabilities;
}

/* ---- Memory ---- */

/* Drivers put off the allocation, and what it lacks, to the first command: the migration is one. */
static struct opencl_memory *allocate(struct opencl_state *s, uint64_t size)
{
	opencl_status status;
	struct opencl_memory *memory = s->cl->clCreateBuffer(s->target.context, OPENCL_READ_WRITE, size, NULL, &status);
	if (status)
		return NULL;
	if (!s->cl->clEnqueueMigrateMemObjects(s->queue, 1, &memory, OPENCL_MIGRATE_UNDEFINED, 0, NULL, NULL))
		return memory;
	s->cl->clReleaseMemObject(memory);
	return NULL;
}

static struct device_buffer *opencl_buffer_new(struct device *d, uint64_t size)
{
	struct opencl_state *s = d->state;
	struct opencl_memory *memory = size ? allocate(s, size) : NULL;
	if (size && !memory)
		return NULL;
	struct device_buffer *b = memory_zeroed(1, sizeof *b);
	b->memory = memory;
	holding_add(&s->buffers, &b->holding);
	return b;
}

/* Commands that use the memory keep it until they are done (OpenCL 1.2, clReleaseMemObject). */
static void opencl_buffer_free(struct device *d, struct device_buffer *b)
{
	struct opencl_state *s = d->state;
	if (!b)
		return;
	if (b->memory)
		s->cl->clReleaseMemObject(b->memory);
	holding_remove(&b->holding);
	free(b);
}

static bool opencl_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	struct opencl_state *s = d->state;
	return !size ||
	       !s->cl->clEnqueueWriteBuffer(s->queue, b->memory, OPENCL_BLOCKING, 0, size, bytes, 0, NULL, NULL);
}

static bool opencl_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	struct opencl_state *s = d->state;
	return !size ||
	       !s->cl->clEnqueueReadBuffer(s->queue, b->memory, OPENCL_BLOCKING, 0, size, bytes, 0, NULL, NULL);
}

static bool opencl_buffer_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	struct opencl_state *s = d->state;
	return !size || !s->cl->clEnqueueCopyBuffer(s->queue, from->memory, to->memory, 0, 0, size, 0, NULL, NULL);
}

/* ---- Programs ---- */

static struct device_program *opencl_program_load(struct device *d, const struct ir_module *module,
                                                  const struct artifact_provider *provider, struct text *error)
{
	struct opencl_state *s = d->state;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	if (!opencl_module_load(&p->module, s->cl, &s->target, module, provider, error)) {
		free(p);
		return NULL;
	}
	holding_add(&s->programs, &p->holding);
	return p;
}

static void opencl_program_free(struct device *d, struct device_program *p)
{
	struct opencl_state *s = d->state;
	if (!p)
		return;
	opencl_module_free(&p->module, s->cl);
	holding_remove(&p->holding);
	free(p);
}

/* By variant. */
static struct opencl_kernel **kernels_of(const struct device_program *p, const struct ir_kernel *k)
{
	return p->module.kernels + ir_module_index(p->module.source, k) * KERNEL_VARIANTS;
}

static uint32_t opencl_variants(const struct device_program *p, const struct ir_kernel *k)
{
	struct opencl_kernel **kernels = kernels_of(p, k);
	uint32_t variants = 0;
	for (uint32_t i = KERNEL_CHECKED + 1; i < KERNEL_VARIANTS; i++)
		variants |= (uint32_t)(kernels[i] != NULL) << i;
	return variants;
}

/* ---- Queue ---- */

static bool set_argument(struct opencl_state *s, struct opencl_kernel *kernel, uint32_t n,
                         const struct launch_part *part, struct opencl_memory *record, struct text *error)
{
	struct launch_value *v = &s->values.items[n];
	struct opencl_memory *memory = v->buffer ? v->buffer->memory : NULL;
	opencl_status status = 0;
	switch (v->kind) {
	case LAUNCH_BITS: status = s->cl->clSetKernelArg(kernel, n, v->size, &v->bits); break;
	case LAUNCH_FIRST_GROUP: status = s->cl->clSetKernelArg(kernel, n, v->size, &part->first[v->axis]); break;
	case LAUNCH_BUFFER:
	case LAUNCH_MASK: status = s->cl->clSetKernelArg(kernel, n, sizeof memory, &memory); break;
	case LAUNCH_STATUS: status = s->cl->clSetKernelArg(kernel, n, sizeof record, &record); break;
	}
	return !opencl_failed(status, "clSetKernelArg", error);
}

static bool launch_part(struct opencl_state *s, struct opencl_kernel *kernel, const struct ir_kernel *k,
                        const struct launch_part *part, struct opencl_memory *record, struct text *error)
{
	size_t global[3], local[3];
	for (uint32_t n = 0; n < s->values.count; n++)
		if (!set_argument(s, kernel, n, part, record, error))
			return false;
	for (unsigned axis = 0; axis < 3; axis++) {
		local[axis] = k->group[axis];
		global[axis] = part->groups[axis] * k->group[axis];
	}
	opencl_status status =
	    s->cl->clEnqueueNDRangeKernel(s->queue, kernel, k->axes, NULL, global, local, 0, NULL, NULL);
	return !opencl_failed(status, "clEnqueueNDRangeKernel", error);
}

static bool opencl_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                          const struct device_flags *flags, struct text *error)
{
	struct opencl_state *s = d->state;
	struct opencl_kernel *kernel = kernels_of(p, launch->kernel)[launch->variant];
	struct launch_part part = {0};
	if (!kernel) {
		text_add(error, "the code has no such kernel, or its name is too long for the driver");
		return false;
	}
	bool flags_threads = launch->variant == KERNEL_CHECKED;
	struct opencl_memory *record = flags_threads ? opencl_records_take(&s->records, s->cl, s->queue, error) : NULL;
	if (flags_threads && !record)
		return false;
	launch_values_make(&s->values, launch, flags);
	if (!launch_part_next(&part, launch, s->capabilities.groups_limit) ||
	    !launch_part(s, kernel, launch->kernel, &part, record, error))
		return false;
	while (!s->failure.length && launch_part_next(&part, launch, s->capabilities.groups_limit))
		launch_part(s, kernel, launch->kernel, &part, record, &s->failure);
	if (flags_threads && !s->failure.length)
		opencl_records_give(&s->records, s->cl, s->queue, flags->status->memory, flags->record, &s->failure);
	return true;
}

static bool opencl_flush(struct device *d, struct text *error)
{
	struct opencl_state *s = d->state;
	return !opencl_failed(s->cl->clFlush(s->queue), "clFlush", error);
}

static bool opencl_finish(struct device *d, struct text *error)
{
	struct opencl_state *s = d->state;
	if (opencl_failed(s->cl->clFinish(s->queue), "clFinish", error))
		return false;
	text_add(error, text_string(&s->failure));
	return !s->failure.length;
}

static void opencl_close(struct device *d)
{
	struct opencl_state *s = d->state;
	s->cl->clFinish(s->queue);
	while (s->programs)
		opencl_program_free(d, (struct device_program *)s->programs);
	while (s->buffers)
		opencl_buffer_free(d, (struct device_buffer *)s->buffers);
	free_state(s);
	d->state = NULL;
}

const struct device_functions device_opencl_functions = {
    .count = opencl_count,
    .open = opencl_open,
    .close = opencl_close,
    .describe = opencl_describe,
    .buffer_new = opencl_buffer_new,
    .buffer_free = opencl_buffer_free,
    .buffer_write = opencl_buffer_write,
    .buffer_read = opencl_buffer_read,
    .buffer_copy = opencl_buffer_copy,
    .program_load = opencl_program_load,
    .program_free = opencl_program_free,
    .variants = opencl_variants,
    .submit = opencl_submit,
    .flush = opencl_flush,
    .finish = opencl_finish,
    .capabilities = opencl_capabilities,
};
