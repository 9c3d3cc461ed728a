/* Modules of bare artifacts. */
#include <stdlib.h>

#include "ir/ir.h"
#include "runtime/api.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

/* False: no number of the public header. */
static bool kind_of(sspur_artifact given, enum artifact_kind *kind)
{
	switch (given) {
	case SSPUR_ARTIFACT_ANY: return false;
	case SSPUR_ARTIFACT_NATIVE: *kind = ARTIFACT_NATIVE; return true;
	case SSPUR_ARTIFACT_PTX: *kind = ARTIFACT_PTX; return true;
	case SSPUR_ARTIFACT_SPIRV: *kind = ARTIFACT_SPIRV; return true;
	case SSPUR_ARTIFACT_SPIR_BITCODE: *kind = ARTIFACT_SPIR_BITCODE; return true;
	case SSPUR_ARTIFACT_VULKAN: *kind = ARTIFACT_VULKAN; return true;
	case SSPUR_ARTIFACT_OPENCL_C: *kind = ARTIFACT_OPENCL_C; return true;
	case SSPUR_ARTIFACT_METAL: *kind = ARTIFACT_METAL; return true;
	}
	return false;
}

/* The driver is given the artifact, or nothing: hazards are those that it was built for. */
static bool get_artifact(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
                         struct text *bytes, struct text *error)
{
	(void)module, (void)hazards;
	sspur_module *m = context;
	if (kind == ARTIFACT_NATIVE_ORDERED)
		kind = ARTIFACT_NATIVE; /* has what that has */
	if (kind != m->kind) {
		m->asked |= UINT32_C(1) << kind;
		text_add(error, "the artifact is of another kind");
		return false;
	}
	text_add_n(bytes, m->bytes.data, m->bytes.length);
	m->taken = true;
	return true;
}

/* `PTX`, or `SPIR-V, SPIR bitcode or OpenCL C`, by `text`: the kinds that the device has asked for in vain. */
static void add_asked(const sspur_module *m, const char *(*text)(enum artifact_kind kind), struct text *out)
{
	uint32_t left = m->asked;
	for (int kind = 0; left; kind++) {
		if (!(left >> kind & 1))
			continue;
		left &= ~(UINT32_C(1) << kind);
		text_add(out, text((enum artifact_kind)kind));
		if (left)
			text_add(out, left & (left - 1) ? ", " : " or ");
	}
}

static void say_what_it_takes(const sspur_module *m, struct text *error)
{
	text_clear(error);
	text_add(error, "the device takes ");
	add_asked(m, artifact_kind_text, error);
	text_add_format(error, ", and the artifact is %s: build it with --target ", artifact_kind_text(m->kind));
	add_asked(m, artifact_kind_target, error);
}

static bool recognize(sspur_module *m, sspur_artifact given, struct text *error)
{
	if (!artifact_recognize(m->bytes.data, m->bytes.length, &m->kind)) {
		text_add(error, "the bytes are no artifact of a kind that can be loaded");
		return false;
	}
	enum artifact_kind wanted;
	if (given == SSPUR_ARTIFACT_ANY || (kind_of(given, &wanted) && wanted == m->kind))
		return true;
	text_add_format(error, "the bytes are %s", artifact_kind_text(m->kind));
	return false;
}

static bool load(sspur_module *m, sspur_artifact given, struct text *error)
{
	struct artifact_kernel *facts;
	if (!recognize(m, given, error))
		return false;
	m->ir = artifact_reflection_read(m->reflection.data, m->reflection.length, m->kind, &facts, error);
	if (!m->ir)
		return false;
	m->provider = (struct artifact_provider){.context = m, .get = get_artifact};
	m->bare = queue_bare_new(m->context->queue, m->ir, &m->provider, error);
	if (!m->bare && !m->taken && m->asked)
		say_what_it_takes(m, error);
	if (m->bare && !m->taken)
		text_add_format(error, "the device %s takes no artifacts", m->context->device->name);
	if (m->bare && m->taken) {
		api_module_open_kernels(m);
		for (uint32_t i = 0; i < m->ir->kernel_count; i++) {
			m->kernels[i].grouped = facts[i].grouped;
			m->kernels[i].facts.float64 = facts[i].float64;
			m->kernels[i].facts.shared_size = facts[i].shared_size;
		}
	}
	free(facts);
	return m->bare && m->taken;
}

sspur_error sspur_module_load_artifact(sspur_context *c, sspur_artifact kind, const void *bytes, size_t size,
                                       const void *reflection, size_t reflection_size, sspur_module **module)
{
	FLOAT_ENVIRONMENT;
	enum artifact_kind ignored;
	if (module)
		*module = NULL;
	if (!c || !module || (!bytes && size) || (!reflection && reflection_size))
		return api_fail(c, SSPUR_ERROR_ARGUMENT, "sspur_module_load_artifact: a null pointer");
	if (api_is_left_behind(c))
		return SSPUR_ERROR_LOST;
	if (kind != SSPUR_ARTIFACT_ANY && !kind_of(kind, &ignored))
		return api_fail(c, SSPUR_ERROR_ARGUMENT, "sspur_module_load_artifact: there is no kind %d", (int)kind);
	struct text error = {0};
	sspur_module *m = memory_zeroed(1, sizeof *m);
	m->context = c;
	m->is_artifact = true;
	text_add_n(&m->bytes, bytes, size);
	text_add_n(&m->reflection, reflection, reflection_size);
	return api_module_loaded(m, load(m, kind, &error), &error, module);
}
