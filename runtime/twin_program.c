#include "runtime/twin_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/object_loader.h"
#include "runtime/twin_fibers.h"
#include "targets/entry_name.h"
#include "utils/base/arena.h"

enum {
	STACK_LEAST = 64 << 10,       /* of a fiber: what functions of the C library and of this process take */
	STACK_OF_INSTRUCTION = 2 * 8, /* a value that is kept while others are computed, and room to spare */
};

struct device_program {
	struct native_object *object;
	const struct ir_module *source;
	struct twin_kernel *kernels; /* in the order of source's */
};

/* ---- What objects are linked against ---- */

/* The object reaches it by its distance from the thread's own address, which static storage has alone. */
static _Thread_local struct twin_barrier barrier __attribute__((tls_model("initial-exec")));

struct twin_barrier *twin_program_barrier(void)
{
	return &barrier;
}

static struct native_object *load(const struct text *bytes, twin_failed *failed, struct text *error)
{
	double (*const of_one[])(double) = {sin, cos, tan, asin, acos, atan, exp, log};
	double (*const of_two[])(double, double) = {atan2, pow};
	static const char *const names[] = {"sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "atan2", "pow"};
	enum { ONES = sizeof of_one / sizeof *of_one, FUNCTIONS = sizeof names / sizeof *names };
	/* The object's own way to fail is not taken, so that what it calls is never called. */
	struct native_import imports[FUNCTIONS + 4] = {
	    {.name = TWIN_FAILED, .address = (uint64_t)(uintptr_t)failed},
	    {.name = TWIN_BARRIER, .address = native_thread_offset(&barrier), .is_thread_local = true},
	    {.name = "dprintf", .address = (uint64_t)(uintptr_t)abort},
	    {.name = "abort", .address = (uint64_t)(uintptr_t)abort},
	};
	for (size_t n = 0; n < FUNCTIONS; n++)
		imports[4 + n] = (struct native_import){
		    .name = names[n],
		    .address = n < ONES ? (uint64_t)(uintptr_t)of_one[n] : (uint64_t)(uintptr_t)of_two[n - ONES],
		};
	return native_object_link(bytes->data, bytes->length, imports, sizeof imports / sizeof *imports, error);
}

/* ---- Kernels ---- */

/* No more than this is on the stack: all memory, locals and values that a kernel has. */
static size_t stack_of(const struct ir_kernel *k)
{
	size_t size = STACK_LEAST + (size_t)k->next_id * STACK_OF_INSTRUCTION + (size_t)k->local_count * 16;
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_PRIVATE)
			size += k->memories[n]->type->size * (size_t)2;
	return size;
}

/* False with one line in *error. */
static bool is_sound(const struct ir_kernel *k, struct text *error)
{
	uint32_t words = 0, threads = k->group[0] * k->group[1] * k->group[2];
	bool scalars = false;
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		words += k->parameters[n].kind == IR_PARAMETER_BUFFER ? 2 : 1;
		scalars |= k->parameters[n].kind == IR_PARAMETER_SCALAR;
	}
	if (k->policy != IR_POLICY_RECORD)
		text_add_format(error, "the device twin runs kernels of Cone alone, and %s is none", k->name);
	else if (scalars || words > TWIN_WORDS)
		text_add_format(error, "the device twin runs kernels of up to seven slices and structs, and %s is none",
		                k->name);
	else if (threads > TWIN_GROUP_MOST)
		text_add_format(error, "the kernel %s has groups of %u: at most %u are run together", k->name, threads,
		                TWIN_GROUP_MOST);
	else
		return true;
	return false;
}

static bool find_kernel(struct device_program *p, const struct ir_kernel *k, struct twin_kernel *found,
                        struct text *error)
{
	struct text name = {0};
	if (!is_sound(k, error))
		return false;
	entry_name("twin", k, &name);
	void *code = native_object_symbol(p->object, text_string(&name));
	text_free(&name);
	memcpy(&found->code, &code, sizeof code);
	found->source = k;
	if (!code)
		text_add_format(error, "the native code has no kernel %s", k->name);
	if (!code || !ir_has_barrier(&k->body))
		return code != NULL;
	found->fibers = twin_fibers_new(k->group[0] * k->group[1] * k->group[2], stack_of(k), error);
	return found->fibers != NULL;
}

struct device_program *twin_program_load(const struct ir_module *module, const struct artifact_provider *provider,
                                         twin_failed *failed, struct text *error)
{
	struct text bytes = {0};
	struct native_object *object = NULL;
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (!is_sound(module->kernels[i], error))
			return NULL;
	if (provider->get(provider->context, module, ARTIFACT_TWIN, 0, &bytes, error))
		object = load(&bytes, failed, error);
	text_free(&bytes);
	if (!object)
		return NULL;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	p->object = object;
	p->source = module;
	p->kernels = memory_zeroed((size_t)module->kernel_count + 1, sizeof *p->kernels);
	bool good = true;
	for (uint32_t i = 0; good && i < module->kernel_count; i++)
		good = find_kernel(p, module->kernels[i], &p->kernels[i], error);
	if (good)
		return p;
	twin_program_free(p);
	return NULL;
}

void twin_program_free(struct device_program *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->source->kernel_count; i++)
		twin_fibers_free(p->kernels[i].fibers);
	native_object_free(p->object);
	free(p->kernels);
	free(p);
}

const struct twin_kernel *twin_program_kernel(const struct device_program *p, const struct ir_kernel *k)
{
	return &p->kernels[ir_module_index(p->source, k)];
}

/* One that takes fewer arguments leaves the rest alone, as calls are where objects can be loaded. */
typedef void code_of_most(const struct twin_invocation *invocation, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                          uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

void twin_program_call(const struct twin_kernel *k, const struct twin_invocation *invocation, const uint64_t *words)
{
	const uint64_t *w = words;
	code_of_most *code;
	memcpy(&code, &k->code, sizeof code);
	code(invocation, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13]);
}
