/* Modules, of bundles, and what can be asked of their kernels. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_text.h"
#include "runtime/api.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

/* Of the public header, so that a type there is one here. */
_Static_assert((int)SSPUR_BOOL == IR_TYPE_bool && (int)SSPUR_I8 == IR_TYPE_i8 && (int)SSPUR_U8 == IR_TYPE_u8 &&
                   (int)SSPUR_I16 == IR_TYPE_i16 && (int)SSPUR_U16 == IR_TYPE_u16 && (int)SSPUR_I32 == IR_TYPE_i32 &&
                   (int)SSPUR_U32 == IR_TYPE_u32 && (int)SSPUR_I64 == IR_TYPE_i64 && (int)SSPUR_U64 == IR_TYPE_u64 &&
                   (int)SSPUR_F32 == IR_TYPE_f32 && (int)SSPUR_F64 == IR_TYPE_f64,
               "sspur_type is the kernel IR's");

/* ---- Loading ---- */

static bool parse_kernels(sspur_module *m, struct text *error)
{
	struct source source;
	const void *bytes = m->bundle.parts[BUNDLE_KIR].data;
	source_init(&source, "bundle", bytes, m->bundle.parts[BUNDLE_KIR].size);
	struct diagnostics diagnostics = {.source = &source};
	m->ir = ir_parse(&source, &diagnostics);
	if (!m->ir) {
		const char *why = diagnostics.count ? diagnostics.items[0].message : "nothing is there";
		text_add_format(error, "the bundle's kernels cannot be read: %s", why);
	}
	diagnostics_free(&diagnostics);
	source_free(&source);
	return m->ir != NULL;
}

/* What this API can launch, which is all that both languages have. */
static bool is_launchable(const struct ir_kernel *k)
{
	bool stops = k->policy == IR_POLICY_STOP, good = stops ? k->index == IR_TYPE_i64 : !k->pre_count;
	for (uint8_t axis = 0; axis < k->axes; axis++)
		good &= (k->grid[axis].region.first != NULL) == stops;
	for (uint32_t i = 0; i < k->parameter_count && stops; i++)
		good &= k->parameters[i].kind != IR_PARAMETER_VALUE && ir_type_is_scalar(k->parameters[i].type);
	return good;
}

static bool check_kernels(const sspur_module *m, struct text *error)
{
	for (uint32_t i = 0; i < m->ir->kernel_count; i++)
		if (!is_launchable(m->ir->kernels[i])) {
			text_add_format(error, "the bundle's kernel %s is not one that this version can launch",
			                m->ir->kernels[i]->name);
			return false;
		}
	return true;
}

static bool has_policy(const struct ir_module *m, enum ir_policy policy)
{
	for (uint32_t i = 0; i < m->kernel_count; i++)
		if (m->kernels[i]->policy == policy)
			return true;
	return false;
}

static bool load_code(sspur_module *m, struct text *error)
{
	struct queue *q = m->context->queue;
	bool records = has_policy(m->ir, IR_POLICY_RECORD);
	if (records)
		m->bare = queue_bare_new_recording(q, m->ir, &m->provider, error);
	if (records && !m->bare)
		return false;
	if (!records || has_policy(m->ir, IR_POLICY_STOP))
		m->code = queue_module_new(q, m->ir, &m->provider, error);
	return m->code || m->bare;
}

static bool load(sspur_module *m, struct text *error)
{
	if (!bundle_read(m->bytes.data, m->bytes.length, &m->bundle, error) || !parse_kernels(m, error) ||
	    !check_kernels(m, error))
		return false;
	m->provider = bundle_provider(&m->bundle);
	if (!load_code(m, error))
		return false;
	text_add_n(&m->reflection, m->bundle.parts[BUNDLE_REFLECTION].data, m->bundle.parts[BUNDLE_REFLECTION].size);
	api_module_open_kernels(m);
	return true;
}

void api_module_open_kernels(sspur_module *m)
{
	m->kernels = memory_zeroed((size_t)m->ir->kernel_count + 1, sizeof *m->kernels);
	for (uint32_t i = 0; i < m->ir->kernel_count; i++) {
		m->kernels[i] = (sspur_kernel){.module = m, .facts = queue_kernel_of(m->ir->kernels[i])};
		m->kernels[i].facts.module = m->code;
		if (m->is_artifact || m->ir->kernels[i]->policy == IR_POLICY_RECORD)
			m->kernels[i].bare = m->bare;
		m->kernels[i].grouped = ir_is_grouped(m->ir->kernels[i]);
	}
}

static void release(sspur_module *m)
{
	if (m->code)
		queue_module_free(m->context->queue, m->code);
	queue_bare_free(m->context->queue, m->bare);
	for (uint32_t i = 0; m->kernels && i < m->ir->kernel_count; i++)
		queue_kernel_free(&m->kernels[i].facts);
	if (m->ir)
		ir_module_free(m->ir);
	text_free(&m->bytes);
	text_free(&m->reflection);
	free(m->kernels);
	free(m);
}

sspur_error api_module_loaded(sspur_module *m, bool good, struct text *error, sspur_module **module)
{
	sspur_error status = SSPUR_OK;
	if (good) {
		holding_add(&m->context->modules, &m->holding);
		*module = m;
	} else {
		status = api_fail(m->context, SSPUR_ERROR_ARTIFACT, "%s", text_string(error));
		release(m);
	}
	text_free(error);
	return status;
}

sspur_error sspur_module_load(sspur_context *c, const void *bytes, size_t size, sspur_module **module)
{
	FLOAT_ENVIRONMENT;
	if (module)
		*module = NULL;
	if (!c || !module || (!bytes && size))
		return api_fail(c, SSPUR_ERROR_ARGUMENT, "sspur_module_load: a null pointer");
	if (api_is_left_behind(c))
		return SSPUR_ERROR_LOST;
	struct text error = {0};
	sspur_module *m = memory_zeroed(1, sizeof *m);
	m->context = c;
	text_add_n(&m->bytes, bytes, size);
	return api_module_loaded(m, load(m, &error), &error, module);
}

/* Its kernels may be those of a pending trap, which is put into words first. */
void sspur_module_free(sspur_module *m)
{
	FLOAT_ENVIRONMENT;
	if (!m || api_is_left_behind(m->context))
		return;
	api_settle(m->context);
	holding_remove(&m->holding);
	release(m);
}

/* ---- Asking ---- */

const char *sspur_module_reflection(const sspur_module *m)
{
	return m ? text_string(&m->reflection) : "";
}

uint32_t sspur_module_kernel_count(const sspur_module *m)
{
	return m ? m->ir->kernel_count : 0;
}

sspur_kernel *sspur_module_kernel(sspur_module *m, uint32_t index)
{
	return index < sspur_module_kernel_count(m) ? &m->kernels[index] : NULL;
}

sspur_error sspur_kernel_find(sspur_module *m, const char *name, sspur_kernel **kernel)
{
	FLOAT_ENVIRONMENT;
	if (kernel)
		*kernel = NULL;
	if (!m || !name || !kernel)
		return api_fail(m ? m->context : NULL, SSPUR_ERROR_ARGUMENT, "sspur_kernel_find: a null pointer");
	for (uint32_t i = 0; i < m->ir->kernel_count; i++)
		if (strcmp(m->ir->kernels[i]->name, name) == 0) {
			*kernel = &m->kernels[i];
			return SSPUR_OK;
		}
	return api_fail(m->context, SSPUR_ERROR_KERNEL, "the module has no kernel `%s`", name);
}

const char *sspur_kernel_name(const sspur_kernel *k)
{
	return k ? k->facts.kernel->name : "";
}

uint32_t sspur_kernel_parameter_count(const sspur_kernel *k)
{
	return k ? k->facts.kernel->parameter_count : 0;
}

sspur_error sspur_kernel_parameter(const sspur_kernel *k, uint32_t index, sspur_parameter *parameter)
{
	FLOAT_ENVIRONMENT;
	if (!k || !parameter)
		return api_fail(k ? k->module->context : NULL, SSPUR_ERROR_ARGUMENT,
		                "sspur_kernel_parameter: a null pointer");
	if (index >= k->facts.kernel->parameter_count)
		return api_fail(k->module->context, SSPUR_ERROR_ARGUMENT,
		                "%s has %u parameters, and not one of number %u", k->facts.kernel->name,
		                k->facts.kernel->parameter_count, index);
	const struct ir_parameter *p = &k->facts.kernel->parameters[index];
	*parameter = (sspur_parameter){.name = p->name,
	                               .type = ir_type_is_scalar(p->type) ? (sspur_type)p->type->kind : SSPUR_BYTES,
	                               .is_slice = p->kind == IR_PARAMETER_BUFFER,
	                               .is_writable = p->kind == IR_PARAMETER_BUFFER && p->memory->writable,
	                               .size = p->type->size};
	return SSPUR_OK;
}
