/* One stream in the device's primary context: whatever goes to the device goes there in order. PTX that is compiled by
 * the driver is kept in the driver's own cache. */
#include "runtime/device_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/capabilities.h"
#include "runtime/cuda_driver.h"
#include "runtime/cuda_staging.h"
#include "runtime/holding.h"
#include "runtime/launch_values.h"
#include "utils/base/arena.h"

enum { RECORD_SIZE = 32, OLDEST_CAPABILITY = 7 };

struct device_buffer {
	struct holding holding;
	cuda_address address; /* 0: no bytes */
};

struct device_program {
	struct holding holding;
	struct cuda_module *module;
	const struct ir_module *source;
	struct cuda_function **functions; /* KERNEL_VARIANTS each, in the order of source's kernels; NULL: not there */
};

struct cuda_state {
	const struct cuda_driver *cu;
	cuda_device device;
	struct cuda_context *context;
	struct cuda_stream *stream;
	struct device_capabilities capabilities;
	struct holding *buffers, *programs;
	struct cuda_staging staging;
	struct launch_values values;
	void **pointers; /* to the values */
	uint32_t pointer_capacity;
	struct text failure; /* of a launch that had begun; told by cuda_finish */
};

/* A context is current in one thread; `par` tasks are threads. */
static const struct cuda_driver *enter(struct device *d)
{
	struct cuda_state *s = d->state;
	s->cu->cuCtxSetCurrent(s->context);
	return s->cu;
}

/* ---- Device ---- */

static uint32_t cuda_count(struct text *error)
{
	const struct cuda_driver *cu = cuda_driver_open(error);
	int count = 0;
	if (!cu || cuda_failed(cu, cu->cuDeviceGetCount(&count), "cuDeviceGetCount", error))
		return 0;
	if (!count)
		text_add(error, "the driver finds no device");
	return (uint32_t)count;
}

static bool read_attribute(struct cuda_state *s, int attribute, int *value, struct text *error)
{
	return !cuda_failed(s->cu, s->cu->cuDeviceGetAttribute(value, attribute, s->device), "cuDeviceGetAttribute",
	                    error);
}

/* IEEE 754 throughout: PTX without .ftz and .approx is exact (PTX ISA 9.7.3). */
static bool read_capabilities(struct cuda_state *s, struct text *error)
{
	int major, minor, threads, shared, groups[3];
	size_t memory;
	if (!read_attribute(s, CUDA_COMPUTE_CAPABILITY_MAJOR, &major, error) ||
	    !read_attribute(s, CUDA_COMPUTE_CAPABILITY_MINOR, &minor, error) ||
	    !read_attribute(s, CUDA_MAX_THREADS_PER_BLOCK, &threads, error) ||
	    !read_attribute(s, CUDA_MAX_SHARED_MEMORY_PER_BLOCK, &shared, error) ||
	    cuda_failed(s->cu, s->cu->cuDeviceTotalMem(&memory, s->device), "cuDeviceTotalMem", error))
		return false;
	for (int axis = 0; axis < 3; axis++)
		if (!read_attribute(s, CUDA_MAX_GRID_DIM_X + axis, &groups[axis], error))
			return false;
	if (major < OLDEST_CAPABILITY) {
		text_add_format(error, "it has compute capability %d.%d, and %d.0 is needed", major, minor,
		                OLDEST_CAPABILITY);
		return false;
	}
	s->capabilities = (struct device_capabilities){
	    .is_gpu = true,
	    .float64 = true,
	    .subnormals_f32 = true,
	    .subnormals_f64 = true,
	    .exact_f32 = true,
	    .exact_f64 = true,
	    .group_limit = (uint32_t)threads,
	    .shared_limit = (uint64_t)shared,
	    .groups_limit = {(uint64_t)groups[0], (uint64_t)groups[1], (uint64_t)groups[2]},
	    .memory = memory,
	};
	return true;
}

static bool open_context(struct cuda_state *s, struct text *error)
{
	const struct cuda_driver *cu = s->cu;
	if (cuda_failed(cu, cu->cuDevicePrimaryCtxRetain(&s->context, s->device), "cuDevicePrimaryCtxRetain", error))
		return false;
	if (!cuda_failed(cu, cu->cuCtxSetCurrent(s->context), "cuCtxSetCurrent", error) &&
	    !cuda_failed(cu, cu->cuStreamCreate(&s->stream, CUDA_STREAM_NON_BLOCKING), "cuStreamCreate", error))
		return true;
	cu->cuDevicePrimaryCtxRelease(s->device);
	return false;
}

static bool cuda_open(struct device *d, struct text *error)
{
	uint32_t count = cuda_count(error);
	if (!count)
		return false;
	if (d->number >= count) {
		text_add_format(error, "there is no cuda:%u: the driver finds %u", d->number, count);
		return false;
	}
	struct cuda_state *s = memory_zeroed(1, sizeof *s);
	s->cu = cuda_driver_open(error);
	if (cuda_failed(s->cu, s->cu->cuDeviceGet(&s->device, (int)d->number), "cuDeviceGet", error) ||
	    !read_capabilities(s, error) || !open_context(s, error)) {
		free(s);
		return false;
	}
	d->state = s;
	return true;
}

static void cuda_describe(struct device *d, struct text *out)
{
	struct cuda_state *s = d->state;
	char name[256] = "?";
	int major = 0, minor = 0;
	s->cu->cuDeviceGetName(name, sizeof name, s->device);
	s->cu->cuDeviceGetAttribute(&major, CUDA_COMPUTE_CAPABILITY_MAJOR, s->device);
	s->cu->cuDeviceGetAttribute(&minor, CUDA_COMPUTE_CAPABILITY_MINOR, s->device);
	text_add_format(out, "%s, compute capability %d.%d, driver for CUDA %d.%d, ", name, major, minor,
	                s->cu->version / 1000, s->cu->version % 1000 / 10);
	capabilities_print(&s->capabilities, out);
}

static const struct device_capabilities *cuda_capabilities(struct device *d)
{
	struct cuda_state *s = d->state;
	return &s->capabilities;
}

/* ---- Memory ---- */

static struct device_buffer *cuda_buffer_new(struct device *d, uint64_t size)
{
	struct cuda_state *s = d->state;
	cuda_address address = 0;
	if (size && enter(d)->cuMemAlloc(&address, size))
		return NULL;
	struct device_buffer *b = memory_zeroed(1, sizeof *b);
	b->address = address;
	holding_add(&s->buffers, &b->holding);
	return b;
}

static void cuda_buffer_free(struct device *d, struct device_buffer *b)
{
	if (!b)
		return;
	if (b->address)
		enter(d)->cuMemFree(b->address); /* waits for what uses it */
	holding_remove(&b->holding);
	free(b);
}

static bool cuda_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	struct cuda_state *s = d->state;
	return !size || cuda_staging_write(&s->staging, enter(d), s->stream, b->address, bytes, size);
}

static bool cuda_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	struct cuda_state *s = d->state;
	return !size || cuda_staging_read(&s->staging, enter(d), s->stream, bytes, b->address, size);
}

static bool cuda_buffer_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	struct cuda_state *s = d->state;
	return !size || !enter(d)->cuMemcpyDtoDAsync(to->address, from->address, size, s->stream);
}

/* ---- Programs ---- */

static void add_log(struct text *error, const char *log)
{
	if (*log)
		text_add(error, ": ");
	for (; *log; log++)
		text_add_char(error, *log == '\n' ? ' ' : *log);
}

static bool load_module(const struct cuda_driver *cu, const struct text *ptx, struct cuda_module **module,
                        struct text *error)
{
	char log[2000] = "";
	int options[] = {CUDA_ERROR_LOG_BUFFER, CUDA_ERROR_LOG_BUFFER_SIZE, CUDA_OPTIMIZATION_LEVEL};
	void *values[] = {log, (void *)(sizeof log - 1), (void *)0};
	const char *level = getenv("SSPUR_PTXAS"); /* O0: to compare with */
	unsigned count = level && strcmp(level, "O0") == 0 ? 3 : 2;
	if (!cuda_failed(cu, cu->cuModuleLoadDataEx(module, text_string(ptx), count, options, values),
	                 "cuModuleLoadDataEx", error))
		return true;
	add_log(error, log);
	return false;
}

/* The code may lack variants, not kernels. */
static bool find_functions(const struct cuda_driver *cu, struct device_program *p, struct text *error)
{
	struct text name = {0};
	bool good = true;
	for (uint32_t i = 0; good && i < p->source->kernel_count * KERNEL_VARIANTS; i++) {
		enum kernel_variant variant = i % KERNEL_VARIANTS;
		text_clear(&name);
		if (!launch_entry_name("ptx", p->source->kernels[i / KERNEL_VARIANTS], variant, &name))
			continue;
		cuda_status status = cu->cuModuleGetFunction(&p->functions[i], p->module, text_string(&name));
		if (status)
			p->functions[i] = NULL;
		good = variant != KERNEL_CHECKED || !cuda_failed(cu, status, "cuModuleGetFunction", error);
	}
	text_free(&name);
	return good;
}

static void cuda_program_free(struct device *d, struct device_program *p)
{
	if (!p)
		return;
	enter(d)->cuModuleUnload(p->module);
	holding_remove(&p->holding);
	free(p->functions);
	free(p);
}

static struct device_program *cuda_program_load(struct device *d, const struct ir_module *module,
                                                const struct artifact_provider *provider, struct text *error)
{
	struct cuda_state *s = d->state;
	const struct cuda_driver *cu = enter(d);
	struct text ptx = {0};
	struct cuda_module *loaded = NULL;
	bool good = provider->get(provider->context, module, ARTIFACT_PTX, 0, &ptx, error) &&
	            load_module(cu, &ptx, &loaded, error);
	text_free(&ptx);
	if (!good)
		return NULL;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	p->module = loaded;
	p->source = module;
	p->functions = memory_zeroed(module->kernel_count + 1, KERNEL_VARIANTS * sizeof *p->functions);
	holding_add(&s->programs, &p->holding);
	if (find_functions(cu, p, error))
		return p;
	cuda_program_free(d, p);
	return NULL;
}

/* By variant. */
static struct cuda_function **functions_of(const struct device_program *p, const struct ir_kernel *k)
{
	return p->functions + ir_module_index(p->source, k) * KERNEL_VARIANTS;
}

static uint32_t cuda_variants(const struct device_program *p, const struct ir_kernel *k)
{
	struct cuda_function **functions = functions_of(p, k);
	uint32_t variants = 0;
	for (uint32_t i = KERNEL_CHECKED + 1; i < KERNEL_VARIANTS; i++)
		variants |= (uint32_t)(functions[i] != NULL) << i;
	return variants;
}

/* ---- Queue ---- */

/* Addresses in place; pointers to all values. */
static void prepare_values(struct cuda_state *s, const struct device_launch *launch, const struct device_flags *flags)
{
	launch_values_make(&s->values, launch, flags);
	if (s->pointer_capacity < s->values.count) {
		s->pointer_capacity = s->values.capacity;
		s->pointers = memory_resize(s->pointers, s->pointer_capacity * sizeof *s->pointers);
	}
	for (uint32_t i = 0; i < s->values.count; i++) {
		struct launch_value *v = &s->values.items[i];
		s->pointers[i] = &v->bits;
		switch (v->kind) {
		case LAUNCH_BITS:
		case LAUNCH_FIRST_GROUP: break;
		case LAUNCH_BUFFER:
		case LAUNCH_MASK: v->bits = v->buffer ? v->buffer->address : 0; break;
		case LAUNCH_STATUS: v->bits = v->buffer->address + flags->record * RECORD_SIZE; break;
		}
	}
}

static bool launch_part(struct cuda_state *s, struct cuda_function *function, const struct ir_kernel *k,
                        const struct launch_part *part, struct text *error)
{
	for (uint32_t i = 0; i < s->values.count; i++)
		if (s->values.items[i].kind == LAUNCH_FIRST_GROUP)
			s->values.items[i].bits = part->first[s->values.items[i].axis];
	cuda_status status = s->cu->cuLaunchKernel(function, (unsigned)part->groups[0], (unsigned)part->groups[1],
	                                           (unsigned)part->groups[2], k->group[0], k->group[1], k->group[2], 0,
	                                           s->stream, s->pointers, NULL);
	return !cuda_failed(s->cu, status, "cuLaunchKernel", error);
}

static bool cuda_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                        const struct device_flags *flags, struct text *error)
{
	struct cuda_state *s = d->state;
	struct cuda_function *function = functions_of(p, launch->kernel)[launch->variant];
	struct launch_part part = {0};
	enter(d);
	prepare_values(s, launch, flags);
	if (!launch_part_next(&part, launch, s->capabilities.groups_limit) ||
	    !launch_part(s, function, launch->kernel, &part, error))
		return false;
	while (!s->failure.length && launch_part_next(&part, launch, s->capabilities.groups_limit))
		launch_part(s, function, launch->kernel, &part, &s->failure);
	return true;
}

/* Launches start by themselves. */
static bool cuda_flush(struct device *d, struct text *error)
{
	(void)d;
	(void)error;
	return true;
}

static bool cuda_finish(struct device *d, struct text *error)
{
	struct cuda_state *s = d->state;
	const struct cuda_driver *cu = enter(d);
	if (cuda_failed(cu, cu->cuStreamSynchronize(s->stream), "cuStreamSynchronize", error))
		return false;
	text_add(error, text_string(&s->failure));
	return !s->failure.length;
}

static void cuda_close(struct device *d)
{
	struct cuda_state *s = d->state;
	while (s->programs)
		cuda_program_free(d, (struct device_program *)s->programs);
	while (s->buffers)
		cuda_buffer_free(d, (struct device_buffer *)s->buffers);
	enter(d)->cuStreamSynchronize(s->stream);
	cuda_staging_free(&s->staging, s->cu);
	s->cu->cuStreamDestroy(s->stream);
	s->cu->cuCtxSetCurrent(NULL);
	s->cu->cuDevicePrimaryCtxRelease(s->device);
	launch_values_free(&s->values);
	text_free(&s->failure);
	free(s->pointers);
	free(s);
	d->state = NULL;
}

const struct device_functions device_cuda_functions = {
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .describe = cuda_describe,
    .buffer_new = cuda_buffer_new,
    .buffer_free = cuda_buffer_free,
    .buffer_write = cuda_buffer_write,
    .buffer_read = cuda_buffer_read,
    .buffer_copy = cuda_buffer_copy,
    .program_load = cuda_program_load,
    .program_free = cuda_program_free,
    .variants = cuda_variants,
    .submit = cuda_submit,
    .flush = cuda_flush,
    .finish = cuda_finish,
    .capabilities = cuda_capabilities,
};
