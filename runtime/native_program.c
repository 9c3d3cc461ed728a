#include "runtime/native_program.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/host_memory.h"
#include "runtime/object_loader.h"
#include "utils/base/arena.h"

struct device_program {
	struct native_object *object;
	const struct ir_module *source;
	struct native_kernel *kernels; /* in the order of source's */
};

static void *symbol_of(const struct device_program *p, const struct text *name, const char *suffix)
{
	struct text symbol = {0};
	text_add_format(&symbol, "%s%s", text_string(name), suffix);
	void *address = native_object_symbol(p->object, text_string(&symbol));
	text_free(&symbol);
	return address;
}

static struct native_function function_of(const struct device_program *p, const struct ir_kernel *k,
                                          enum kernel_variant variant, const char *suffix, uint64_t together)
{
	struct native_function f = {.together = together};
	struct text name = {0};
	if (!ir_variant_exists(k, variant))
		return f;
	ir_variant_name(k, variant, &name);
	void *run = symbol_of(p, &name, suffix);
	const native_workspace *size = symbol_of(p, &name, NATIVE_WORKSPACE_SUFFIX);
	memcpy(&f.run, &run, sizeof f.run);
	f.workspace_size = size ? *size : 0;
	text_free(&name);
	return f;
}

static bool is_not_ordered(void *context, struct ir_instruction *i)
{
	(void)context;
	return !(ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) || i->base->kind == IR_MEMORY_SHARED;
}

/* An object from a bundle may be of other kernels. */
static bool find_kernels(struct device_program *p, struct text *error)
{
	for (uint32_t i = 0; i < p->source->kernel_count; i++) {
		const struct ir_kernel *k = p->source->kernels[i];
		struct native_kernel *kernel = &p->kernels[i];
		kernel->in_order = function_of(p, k, KERNEL_CHECKED, NATIVE_SEQUENTIAL_SUFFIX, 1);
		if (!kernel->in_order.run) {
			text_add_format(error, "the native code has no kernel %s", k->name);
			return false;
		}
		kernel->in_order.time = &kernel->times[KERNEL_VARIANTS];
		kernel->in_order.all = k->policy == IR_POLICY_RECORD && ir_is_grouped(k);
		for (uint32_t variant = 0; variant < KERNEL_VARIANTS; variant++) {
			kernel->lanes[variant] = function_of(p, k, variant, NATIVE_LANES_SUFFIX, NATIVE_LANES_MOST);
			kernel->lanes[variant].time = &kernel->times[variant];
			kernel->lanes[variant].all = k->policy == IR_POLICY_RECORD;
		}
		kernel->ordered = !k->body.first || !ir_visit(&k->body, is_not_ordered, NULL);
	}
	return true;
}

static struct device_program *load(struct device *d, const struct ir_module *module, enum artifact_kind kind,
                                   const struct artifact_provider *provider, struct text *error)
{
	struct text bytes = {0};
	struct native_object *object = NULL;
	if (provider->get(provider->context, module, kind, 0, &bytes, error))
		object = native_object_load(bytes.data, bytes.length, error);
	text_free(&bytes);
	if (!object)
		return NULL;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	p->object = object;
	p->source = module;
	p->kernels = memory_zeroed(module->kernel_count + 1, sizeof *p->kernels);
	if (find_kernels(p, error))
		return p;
	native_program_free(d, p);
	return NULL;
}

struct device_program *native_program_load(struct device *d, const struct ir_module *module,
                                           const struct artifact_provider *provider, struct text *error)
{
	return load(d, module, ARTIFACT_NATIVE, provider, error);
}

struct device_program *native_program_load_ordered(struct device *d, const struct ir_module *module,
                                                   const struct artifact_provider *provider, struct text *error)
{
	return load(d, module, ARTIFACT_NATIVE_ORDERED, provider, error);
}

void native_program_free(struct device *d, struct device_program *p)
{
	(void)d;
	if (!p)
		return;
	native_object_free(p->object);
	free(p->kernels);
	free(p);
}

const struct native_kernel *native_program_kernel(const struct device_program *p, const struct ir_kernel *k)
{
	return &p->kernels[ir_module_index(p->source, k)];
}

uint32_t native_program_variants(const struct device_program *p, const struct ir_kernel *k)
{
	const struct native_kernel *kernel = native_program_kernel(p, k);
	uint32_t variants = 0;
	for (uint32_t i = KERNEL_CHECKED + 1; i < KERNEL_VARIANTS; i++)
		variants |= (uint32_t)(kernel->lanes[i].run != NULL) << i;
	return variants;
}

/* The packed arguments under construction (targets/native_abi.h). */
struct packing {
	uint8_t *bytes;
	size_t length;
};

static void pack(struct packing *p, const void *value, size_t size)
{
	p->length = (p->length + size - 1) / size * size;
	memcpy(p->bytes + p->length, value, size);
	p->length += size;
}

static void pack_parameter(struct packing *p, const struct ir_parameter *parameter, const struct device_argument *a)
{
	switch (parameter->kind) {
	case IR_PARAMETER_SCALAR:
		pack(p, &a->bits, parameter->type->size); /* little-endian: the low bytes are the value */
		return;
	case IR_PARAMETER_BUFFER: {
		void *address = host_buffer_address(a->buffer);
		pack(p, &address, sizeof address);
		pack(p, &a->length, sizeof a->length);
		return;
	}
	case IR_PARAMETER_VALUE: {
		void *address = host_buffer_address(a->buffer);
		pack(p, &address, sizeof address);
		return;
	}
	}
}

void native_call_open(struct native_call *call, const struct device_program *p, const struct device_launch *launch)
{
	const struct ir_kernel *k = launch->kernel;
	/* A slice takes 16 bytes; before it and before the extents there may be 8 to align it. */
	size_t most = ((size_t)k->parameter_count + 2) * 24;
	call->function = native_program_kernel(p, k)->in_order;
	call->arguments = most <= sizeof call->usual ? (uint8_t *)call->usual : memory_alloc(most);
	memset(call->arguments, 0, most);
	struct packing packing = {.bytes = call->arguments};
	for (uint32_t i = 0; i < k->parameter_count; i++)
		pack_parameter(&packing, &k->parameters[i], &launch->arguments[i]);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		pack(&packing, &launch->extents[axis], sizeof launch->extents[axis]);
	memcpy(call->extents, launch->extents, sizeof call->extents);
	call->records = k->policy == IR_POLICY_RECORD;
	call->first = launch->first;
	call->last = launch->last ? launch->last : launch->extents[0] * launch->extents[1] * launch->extents[2];
}

void native_call_close(struct native_call *call)
{
	if (call->arguments != (uint8_t *)call->usual)
		free(call->arguments);
}

uint64_t native_call_run(const struct native_call *call, uint64_t first, uint64_t last, struct kernel_trap *trap,
                         void *workspace)
{
	uint64_t failed = 0;
	for (struct kernel_trap next; first < last;) {
		struct kernel_trap *filled = failed ? &next : trap;
		uint32_t count = call->function.run(call->arguments, first, last, filled, workspace);
		failed += count;
		if (!count || !call->records || call->function.all)
			break;
		const uint64_t *thread = filled->thread;
		first = thread[0] + call->extents[0] * (thread[1] + call->extents[1] * thread[2]) + 1;
	}
	return failed;
}

void *native_call_workspace(const struct native_call *call)
{
	uint64_t size = call->function.workspace_size;
	return size ? memory_aligned(NATIVE_WORKSPACE_ALIGN, size) : NULL;
}
