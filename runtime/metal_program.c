#include "runtime/metal_program.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/launch_values.h"
#include "utils/base/arena.h"

enum { BUFFER_LIMIT = 31 }; /* of a kernel (Metal feature set tables) */

/* ---- Libraries ---- */

/* What `xcrun metallib` writes begins so. */
static bool is_metallib(const struct text *code)
{
	return code->length >= 4 && memcmp(code->data, "MTLB", 4) == 0;
}

static struct metal_object *library_of_source(const struct metal_gpu *gpu, const struct text *code, struct text *error)
{
	const struct metal_runtime *m = gpu->m;
	struct metal_object *why = NULL;
	struct metal_object *source = METAL_SEND(m, m->objc_getClass("NSString"), string, text_string(code));
	struct metal_object *options = METAL_SEND(m, m->objc_getClass("MTLCompileOptions"), new_object);
	if (!source) {
		text_add(error, "the code is no text");
		metal_release(m, options);
		return NULL;
	}
	METAL_SEND(m, options, set_fast_math, false);
	struct metal_object *library = METAL_SEND(m, gpu->device, new_library, source, options, &why);
	metal_release(m, options);
	if (!library)
		metal_error(m, "newLibraryWithSource", why, error);
	return library;
}

static struct metal_object *library_of_metallib(const struct metal_gpu *gpu, const struct text *code,
                                                struct text *error)
{
	const struct metal_runtime *m = gpu->m;
	struct metal_object *why = NULL, *data = m->dispatch_data_create(code->data, code->length, NULL, NULL);
	struct metal_object *library = METAL_SEND(m, gpu->device, new_library_of, data, &why);
	metal_release(m, data);
	if (!library)
		metal_error(m, "newLibraryWithData", why, error);
	return library;
}

/* ---- Programs ---- */

static void find_functions(struct metal_kernel *made, const struct metal_gpu *gpu, struct metal_object *library,
                           const struct ir_kernel *k)
{
	const struct metal_runtime *m = gpu->m;
	struct text name = {0};
	for (uint32_t v = 0; v < KERNEL_VARIANTS; v++) {
		text_clear(&name);
		if (!launch_entry_name("metal", k, v, &name))
			continue;
		struct metal_object *string = METAL_SEND(m, m->objc_getClass("NSString"), string, text_string(&name));
		made->functions[v] = METAL_SEND(m, library, new_function, string);
	}
	text_free(&name);
	for (uint32_t i = 0; i < k->parameter_count; i++)
		made->slices += k->parameters[i].kind != IR_PARAMETER_SCALAR;
}

bool metal_program_load(struct metal_program *p, const struct metal_gpu *gpu, const struct ir_module *source,
                        const struct artifact_provider *provider, struct text *error)
{
	struct text code = {0};
	struct metal_object *library = NULL;
	*p = (struct metal_program){.gpu = gpu, .source = source};
	if (provider->get(provider->context, source, ARTIFACT_METAL, METAL_HAZARDS, &code, error))
		library =
		    is_metallib(&code) ? library_of_metallib(gpu, &code, error) : library_of_source(gpu, &code, error);
	text_free(&code);
	if (!library)
		return false;
	p->kernels = memory_zeroed(source->kernel_count + 1, sizeof *p->kernels);
	for (uint32_t i = 0; i < source->kernel_count; i++)
		find_functions(&p->kernels[i], gpu, library, source->kernels[i]);
	metal_release(gpu->m, library);
	return true;
}

void metal_program_free(struct metal_program *p)
{
	for (uint32_t i = 0; i < p->source->kernel_count; i++) {
		for (int v = 0; v < KERNEL_VARIANTS; v++) {
			metal_release(p->gpu->m, p->kernels[i].functions[v]);
			metal_release(p->gpu->m, p->kernels[i].pipelines[v]);
			text_free(&p->kernels[i].failures[v]);
		}
	}
	free(p->kernels);
}

/* ---- Kernels ---- */

struct metal_kernel *metal_program_kernel(const struct metal_program *p, const struct ir_kernel *k)
{
	return &p->kernels[ir_module_index(p->source, k)];
}

static bool fits(const struct metal_gpu *gpu, const struct metal_kernel *made, const struct ir_kernel *k,
                 struct text *error)
{
	const uint64_t most[3] = {gpu->group_limits.width, gpu->group_limits.height, gpu->group_limits.depth};
	if (made->slices + 3 > BUFFER_LIMIT) {
		text_add_format(error, "%u buffers, the device takes %d", made->slices + 3, BUFFER_LIMIT);
		return false;
	}
	for (int axis = 0; axis < 3; axis++) {
		if (k->group[axis] <= most[axis])
			continue;
		text_add_format(error, "groups of %u threads on an axis, the device has %u (maxThreadsPerThreadgroup)",
		                (unsigned)k->group[axis], (unsigned)most[axis]);
		return false;
	}
	return true;
}

static void make_pipeline(struct metal_kernel *made, const struct metal_gpu *gpu, const struct ir_kernel *k,
                          enum kernel_variant variant, struct text *error)
{
	const struct metal_runtime *m = gpu->m;
	uint64_t threads = (uint64_t)k->group[0] * k->group[1] * k->group[2];
	struct metal_object *why = NULL;
	struct metal_object *pipeline = METAL_SEND(m, gpu->device, new_pipeline, made->functions[variant], &why);
	uint64_t most = pipeline ? METAL_SEND(m, pipeline, thread_limit) : 0;
	if (!pipeline) {
		metal_error(m, "newComputePipelineStateWithFunction", why, error);
	} else if (threads > most) {
		text_add_format(error, "groups of %u threads, its pipeline takes %u (maxTotalThreadsPerThreadgroup)",
		                (unsigned)threads, (unsigned)most);
		metal_release(m, pipeline);
	} else {
		made->pipelines[variant] = pipeline;
	}
}

bool metal_kernel_prepare(struct metal_kernel *made, const struct metal_program *p, const struct ir_kernel *k,
                          enum kernel_variant variant, struct text *error)
{
	struct text *why = &made->failures[variant];
	if (!made->pipelines[variant] && !why->length) {
		if (!made->functions[variant])
			text_add(why, "the code has no such kernel");
		else if (fits(p->gpu, made, k, why))
			make_pipeline(made, p->gpu, k, variant, why);
	}
	if (why->length)
		text_add(error, text_string(why));
	return !why->length;
}
