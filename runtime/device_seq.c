/* Loads the module's native object and calls its `sequential` functions. What a launch must know of its
 * kernel (name, parameter types) is read from the IR's data only; nothing of ir/ is called. */
#include "runtime/device_seq.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/host_memory.h"
#include "runtime/object_loader.h"
#include "targets/native_abi.h"
#include "utils/base/arena.h"

struct device_program {
	struct native_object *object;
};

static void seq_describe(struct device *d, struct text *out)
{
	(void)d;
	text_add(out, "native code, one thread, in order (f64, subnormals, exact division and root)");
}

static struct device_program *seq_program_load(struct device *d, const struct ir_module *module,
                                               const struct artifact_provider *provider, struct text *error)
{
	(void)d;
	struct text bytes = {0};
	struct native_object *object = NULL;
	if (provider->get(provider->context, module, ARTIFACT_NATIVE, &bytes, error))
		object = native_object_load(bytes.data, bytes.length, error);
	text_free(&bytes);
	if (!object)
		return NULL;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	p->object = object;
	return p;
}

static void seq_program_free(struct device *d, struct device_program *p)
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

static void *symbol_of(const struct device_program *p, const struct ir_kernel *k, const char *suffix)
{
	struct text name = {0};
	text_add_format(&name, "%s%s", k->name, suffix);
	void *symbol = native_object_symbol(p->object, text_string(&name));
	text_free(&name);
	return symbol;
}

/* NULL: the kernel needs none. Freed with free(). */
static void *workspace_new(const struct device_program *p, const struct ir_kernel *k)
{
	native_workspace *size = symbol_of(p, k, NATIVE_WORKSPACE_SUFFIX);
	return size && *size ? memory_aligned(NATIVE_WORKSPACE_ALIGN, *size) : NULL;
}

static bool seq_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                       struct kernel_trap *trap)
{
	(void)d;
	const struct ir_kernel *k = launch->kernel;
	void *symbol = symbol_of(p, k, NATIVE_SEQUENTIAL_SUFFIX);
	native_sequential *run = NULL;
	memcpy(&run, &symbol, sizeof run);

	struct packing packing = {.bytes = memory_zeroed(k->parameter_count + 2, 24)};
	for (uint32_t i = 0; i < k->parameter_count; i++)
		pack_parameter(&packing, &k->parameters[i], &launch->arguments[i]);
	for (uint8_t axis = 0; axis < k->axes; axis++)
		pack(&packing, &launch->extents[axis], sizeof launch->extents[axis]);
	uint64_t last = launch->last;
	if (!last)
		last = launch->extents[0] * launch->extents[1] * launch->extents[2];
	void *workspace = workspace_new(p, k);
	bool good = run(packing.bytes, launch->first, last, trap, workspace) == 0;
	free(workspace);
	free(packing.bytes);
	return good;
}

const struct device_functions device_seq_functions = {
    .describe = seq_describe,
    .buffer_new = host_buffer_new,
    .buffer_free = host_buffer_free,
    .buffer_write = host_buffer_write,
    .buffer_read = host_buffer_read,
    .buffer_host = host_buffer_address,
    .program_load = seq_program_load,
    .program_free = seq_program_free,
    .launch = seq_launch,
};
