/* CUDA's driver interface, declared by hand and opened at run time. */
#include <dlfcn.h>
#include <string.h>

#include "utils/dev/compare/compare.h"

typedef int result;
typedef uint64_t address;

static struct {
	result (*cuInit)(unsigned);
	result (*cuDeviceGet)(int *, int);
	result (*cuDevicePrimaryCtxRetain)(void **, int);
	result (*cuCtxSetCurrent)(void *);
	result (*cuModuleLoadDataEx)(void **, const void *, unsigned, int *, void **);
	result (*cuModuleUnload)(void *);
	result (*cuModuleGetFunction)(void **, void *, const char *);
	result (*cuMemAlloc_v2)(address *, size_t);
	result (*cuMemFree_v2)(address);
	result (*cuMemcpyHtoD_v2)(address, const void *, size_t);
	result (*cuMemcpyDtoH_v2)(void *, address, size_t);
	result (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	                         void **, void **);
	result (*cuCtxSynchronize)(void);
	result (*cuGetErrorName)(result, const char **);
	void *module;
	bool ready;
} cu;

static bool failed(result status, const char *call, struct text *error)
{
	const char *name = "?";
	if (!status)
		return false;
	cu.cuGetErrorName(status, &name);
	text_add_format(error, "%s: %s", call, name);
	return true;
}

static bool open_driver(struct text *error)
{
	static const struct {
		const char *name;
		void *slot;
	} functions[] = {
#define F(name) {#name, &cu.name}
	    F(cuInit),
	    F(cuDeviceGet),
	    F(cuDevicePrimaryCtxRetain),
	    F(cuCtxSetCurrent),
	    F(cuModuleLoadDataEx),
	    F(cuModuleUnload),
	    F(cuModuleGetFunction),
	    F(cuMemAlloc_v2),
	    F(cuMemFree_v2),
	    F(cuMemcpyHtoD_v2),
	    F(cuMemcpyDtoH_v2),
	    F(cuLaunchKernel),
	    F(cuCtxSynchronize),
	    F(cuGetErrorName),
#undef F
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
	int device;
	if (!library) {
		text_add(error, dlerror());
		return false;
	}
	for (size_t n = 0; n < sizeof functions / sizeof *functions; n++)
		*(void **)functions[n].slot = dlsym(library, functions[n].name);
	cu.ready = !failed(cu.cuInit(0), "cuInit", error) &&
	           !failed(cu.cuDeviceGet(&device, 0), "cuDeviceGet", error) &&
	           !failed(cu.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", error) &&
	           !failed(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent", error);
	return cu.ready;
}

static bool open(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
                 const struct text *artifact, struct text *error)
{
	struct text ptx = {0};
	if (!cu.ready && !open_driver(error))
		return false;
	if (!artifact && !c->emit("ptx", m, options, &ptx, error))
		return false;
	result status = cu.cuModuleLoadDataEx(&cu.module, text_string(artifact ? artifact : &ptx), 0, NULL, NULL);
	text_free(&ptx);
	return !failed(status, "cuModuleLoadDataEx", error);
}

static void close(void)
{
	cu.cuModuleUnload(cu.module);
}

static bool make_buffer(const void *bytes, size_t size, address *at, struct text *error)
{
	*at = 0;
	return !size || (!failed(cu.cuMemAlloc_v2(at, size), "cuMemAlloc", error) &&
	                 !failed(cu.cuMemcpyHtoD_v2(*at, bytes, size), "cuMemcpyHtoD", error));
}

struct launch {
	const struct compare_case *c;
	struct compare_value *values;
	unsigned count;
	void **pointers, *function;
	address *buffers, status, mask;
};

static bool launch_part(struct launch *l, uint64_t first, uint64_t end, struct text *error)
{
	const uint32_t *group = l->c->kernel->group;
	unsigned groups[3] = {(unsigned)(end - first), (unsigned)compare_groups(l->c, 1),
	                      (unsigned)compare_groups(l->c, 2)};
	if (!groups[0] || !groups[1] || !groups[2])
		return true;
	for (unsigned n = 0; n < l->count; n++) {
		struct compare_value *v = &l->values[n];
		l->pointers[n] = &v->bits;
		switch (v->kind) {
		case COMPARE_BITS: break;
		case COMPARE_FIRST_GROUP: v->bits = v->index ? 0 : first; break;
		case COMPARE_BUFFER: v->bits = l->buffers[v->index]; break;
		case COMPARE_STATUS: v->bits = l->status; break;
		case COMPARE_MASK: v->bits = l->mask; break;
		}
	}
	return !failed(cu.cuLaunchKernel(l->function, groups[0], groups[1], groups[2], group[0], group[1], group[2], 0,
	                                 NULL, l->pointers, NULL),
	               "cuLaunchKernel", error);
}

static bool make_buffers(struct launch *l, struct compare_result *r, struct text *error)
{
	for (uint32_t n = 0; n < l->c->kernel->parameter_count; n++)
		if (!make_buffer(r->buffers[n], compare_bytes(l->c, n), &l->buffers[n], error))
			return false;
	return make_buffer(r->status, sizeof r->status, &l->status, error) &&
	       make_buffer(r->mask, r->mask ? (l->c->total + 31) / 32 * 4 : 0, &l->mask, error);
}

static bool read_back(void *bytes, address from, size_t size, struct text *error)
{
	return !from || !failed(cu.cuMemcpyDtoH_v2(bytes, from, size), "cuMemcpyDtoH", error);
}

static bool read_all(struct launch *l, struct compare_result *r, struct text *error)
{
	for (uint32_t n = 0; n < l->c->kernel->parameter_count; n++)
		if (!read_back(r->buffers[n], l->buffers[n], compare_bytes(l->c, n), error))
			return false;
	return read_back(r->status, l->status, sizeof r->status, error) &&
	       read_back(r->mask, l->mask, (l->c->total + 31) / 32 * 4, error);
}

static void release(struct launch *l)
{
	for (uint32_t n = 0; n < l->c->kernel->parameter_count; n++)
		cu.cuMemFree_v2(l->buffers[n]);
	cu.cuMemFree_v2(l->status);
	cu.cuMemFree_v2(l->mask);
}

static bool run(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	struct arena arena = {0};
	size_t limit = c->kernel->parameter_count * 2 + 8;
	struct launch l = {.c = c, .values = ARENA_ARRAY(&arena, struct compare_value, limit)};
	l.pointers = ARENA_ARRAY(&arena, void *, limit);
	l.buffers = ARENA_ARRAY(&arena, address, c->kernel->parameter_count);
	l.count = compare_values(c, l.values);
	uint64_t groups = compare_groups(c, 0);
	struct text name = {0};
	compare_entry_name(c, "ptx", &name);
	bool ok =
	    !failed(cu.cuModuleGetFunction(&l.function, cu.module, text_string(&name)), "cuModuleGetFunction", error) &&
	    make_buffers(&l, r, error) && launch_part(&l, 0, groups / 2, error) &&
	    launch_part(&l, groups / 2, groups, error) && !failed(cu.cuCtxSynchronize(), "cuCtxSynchronize", error) &&
	    read_all(&l, r, error);
	text_free(&name);
	release(&l);
	arena_free(&arena);
	return ok;
}

const struct compare_device compare_cuda = {"cuda", true, open, run, close};
