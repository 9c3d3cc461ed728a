/* Native code through the object loader. A grid is run from its first thread to the first trap, then from the
 * thread after it, so that every trap is compared. `lanes` takes the function that runs several threads at once where
 * a kernel has one. */
#include <stdlib.h>
#include <string.h>

#include "runtime/object_loader.h"
#include "targets/native_abi.h"
#include "utils/dev/compare/compare.h"

static struct native_object *object;

static bool open(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
                 const struct text *artifact, struct text *error)
{
	struct text bytes = {0};
	if (!artifact && !c->emit("native", m, options, &bytes, error))
		return false;
	const struct text *from = artifact ? artifact : &bytes;
	object = native_object_load(text_string(from), from->length, error);
	text_free(&bytes);
	return object != NULL;
}

static void close(void)
{
	native_object_free(object);
}

/* The packed arguments (targets/native_abi.h). */
static void pack(const struct compare_case *c, void *const *buffers, uint8_t *packed, struct arena *arena)
{
	struct compare_value *values = ARENA_ARRAY(arena, struct compare_value, c->kernel->parameter_count * 2 + 8);
	unsigned count = compare_values(c, values);
	size_t offset = 0;
	for (unsigned n = 0; n < count && values[n].kind <= COMPARE_BUFFER; n++) {
		uint64_t bits = values[n].bits;
		if (values[n].kind == COMPARE_BUFFER)
			bits = (uint64_t)(uintptr_t)buffers[values[n].index];
		offset = (offset + values[n].size - 1) / values[n].size * values[n].size;
		memcpy(packed + offset, &bits, values[n].size);
		offset += values[n].size;
	}
}

static void *symbol_of(const struct compare_case *c, const char *suffix, struct arena *arena)
{
	return native_object_symbol(object, arena_format(arena, "%s%s", c->kernel->name, suffix));
}

static uint64_t linear_of(const struct compare_case *c, const struct kernel_trap *t)
{
	return (t->thread[2] * c->extents[1] + t->thread[1]) * c->extents[0] + t->thread[0];
}

struct native_code {
	native_sequential *run;
	const uint8_t *arguments;
	void *workspace;
};

static void run_parts(const struct compare_case *c, const struct native_code *code, struct compare_result *r)
{
	/* Three calls, so that ranges begin and end inside rows. */
	uint64_t cuts[] = {0, c->total / 3, c->total * 2 / 3, c->total};
	for (unsigned part = 0; part < 3; part++)
		for (uint64_t first = cuts[part]; first < cuts[part + 1];) {
			struct kernel_trap *trap = &r->traps[r->trap_count];
			if (!code->run(code->arguments, first, cuts[part + 1], trap, code->workspace))
				break;
			if (++r->trap_count == c->total || c->grouped)
				return;
			first = linear_of(c, trap) + 1;
		}
}

static void run_grid(const struct compare_case *c, const struct native_code *code, struct compare_result *r)
{
	if (c->grouped && c->kernel->policy == IR_POLICY_RECORD)
		r->trap_count = code->run(code->arguments, 0, c->total, r->traps, code->workspace);
	else
		run_parts(c, code, r);
}

/* A workspace may hold anything. */
static void *workspace_new(uint64_t size)
{
	void *workspace = memory_aligned(NATIVE_WORKSPACE_ALIGN, size);
	memset(workspace, 0xa5, size);
	return workspace;
}

static bool run_function(const struct compare_case *c, struct compare_result *r, bool lanes, struct text *error)
{
	struct arena arena = {0};
	void *function = lanes ? symbol_of(c, NATIVE_LANES_SUFFIX, &arena) : NULL;
	if (!function)
		function = symbol_of(c, NATIVE_SEQUENTIAL_SUFFIX, &arena);
	struct native_code code = {.run = (native_sequential *)function};
	native_workspace *size = symbol_of(c, NATIVE_WORKSPACE_SUFFIX, &arena);
	bool ok = code.run && size;
	if (ok) {
		uint8_t *packed = arena_alloc(&arena, c->kernel->parameter_count * 16 + 64);
		pack(c, r->buffers, packed, &arena);
		code.arguments = packed;
		code.workspace = workspace_new(*size);
		run_grid(c, &code, r);
		free(code.workspace);
	} else {
		text_add_format(error, "the object has no %s" NATIVE_SEQUENTIAL_SUFFIX, c->kernel->name);
	}
	arena_free(&arena);
	return ok;
}

static bool run(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	return run_function(c, r, false, error);
}

static bool run_lanes(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	return run_function(c, r, true, error);
}

const struct compare_device compare_native = {"native", false, open, run, close};
const struct compare_device compare_lanes = {"lanes", false, open, run_lanes, close};
