#include "runtime/native_program.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/host_memory.h"
#include "runtime/object_loader.h"
#include "utils/base/arena.h"

struct device_program {
	struct native_object *object;
};

static void *symbol_of(const struct device_program *p, const struct ir_kernel *k, const char *suffix)
{
	struct text name = {0};
	text_add_format(&name, "%s%s", k->name, suffix);
	void *symbol = native_object_symbol(p->object, text_string(&name));
	text_free(&name);
	return symbol;
}

/* An object from a bundle may be of other kernels. */
static bool has_kernels(const struct device_program *p, const struct ir_module *module, struct text *error)
{
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (!symbol_of(p, module->kernels[i], NATIVE_SEQUENTIAL_SUFFIX)) {
			text_add_format(error, "the native code has no kernel %s", module->kernels[i]->name);
			return false;
		}
	return true;
}

struct device_program *native_program_load(struct device *d, const struct ir_module *module,
                                           const struct artifact_provider *provider, struct text *error)
{
	struct text bytes = {0};
	struct native_object *object = NULL;
	if (provider->get(provider->context, module, ARTIFACT_NATIVE, 0, &bytes, error))
		object = native_object_load(bytes.data, bytes.length, error);
	text_free(&bytes);
	if (!object)
		return NULL;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	p->object = object;
	if (has_kernels(p, module, error))
		return p;
	native_program_free(d, p);
	return NULL;
}

void native_program_free(struct device *d, struct device_program *p)
{
	(void)d;
	if (!p)
		return;
	native_object_free(p->object);
	free(p);
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

void native_call_open(struct native_call *call, const struct device_program *p, const struct device_launch *launch,
                      bool in_order)
{
	const struct ir_kernel *k = launch->kernel;
	void *symbol = in_order ? NULL : symbol_of(p, k, NATIVE_LANES_SUFFIX);
	call->together = symbol ? NATIVE_LANES_MOST : 1;
	if (!symbol)
		symbol = symbol_of(p, k, NATIVE_SEQUENTIAL_SUFFIX);
	memcpy(&call->run, &symbol, sizeof call->run);
	native_workspace *size = symbol_of(p, k, NATIVE_WORKSPACE_SUFFIX);
	call->workspace_size = size ? *size : 0;

	struct packing packing = {.bytes = memory_zeroed(k->parameter_count + 2, 24)};
	for (uint32_t i = 0; i < k->parameter_count; i++)
		pack_parameter(&packing, &k->parameters[i], &launch->arguments[i]);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		pack(&packing, &launch->extents[axis], sizeof launch->extents[axis]);
	call->arguments = packing.bytes;
	call->first = launch->first;
	call->last = launch->last ? launch->last : launch->extents[0] * launch->extents[1] * launch->extents[2];
}

void native_call_close(struct native_call *call)
{
	free(call->arguments);
}

void *native_call_workspace(const struct native_call *call)
{
	return call->workspace_size ? memory_aligned(NATIVE_WORKSPACE_ALIGN, call->workspace_size) : NULL;
}
