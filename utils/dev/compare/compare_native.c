/* Native code through the object loader. A grid is run from its first thread to the first trap, then from the
 * thread after it, so that every trap is compared. `lanes` takes the function that runs several threads at once where
 * a kernel has one; `proved` those of its variants, for the threads of which nothing can go wrong. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_variant.h"
#include "ir/proof.h"
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

/* A function that runs threads to the last one, whichever fail, and tells of the first failure. */
static void run_all(const struct compare_case *c, const struct native_code *code, struct compare_result *r)
{
	uint64_t cut = c->grouped ? c->total : c->total / 3;
	r->trap_count = code->run(code->arguments, 0, cut, r->traps, code->workspace);
	struct kernel_trap other, *trap = r->trap_count ? &other : r->traps;
	if (cut < c->total)
		r->trap_count += code->run(code->arguments, cut, c->total, trap, code->workspace);
	r->first_alone = true;
}

static void run_grid(const struct compare_case *c, const struct native_code *code, bool lanes, struct compare_result *r)
{
	if (c->kernel->policy == IR_POLICY_RECORD && (c->grouped || lanes))
		run_all(c, code, r);
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

/* The function with this suffix, and its workspace; run is NULL where there is none. */
static struct native_code code_of(const char *name, const char *suffix, const uint8_t *packed, struct arena *arena)
{
	struct native_code code = {.arguments = packed};
	code.run = (native_sequential *)native_object_symbol(object, arena_format(arena, "%s%s", name, suffix));
	const char *workspace = arena_format(arena, "%s%s", name, NATIVE_WORKSPACE_SUFFIX);
	native_workspace *size = native_object_symbol(object, workspace);
	if (code.run && size)
		code.workspace = workspace_new(*size);
	else
		code.run = NULL;
	return code;
}

static uint8_t *pack_all(const struct compare_case *c, const struct compare_result *r, struct arena *arena)
{
	uint8_t *packed = arena_alloc(arena, c->kernel->parameter_count * 16 + 64);
	pack(c, r->buffers, packed, arena);
	return packed;
}

static bool run_function(const struct compare_case *c, struct compare_result *r, bool lanes, struct text *error)
{
	struct arena arena = {0};
	const uint8_t *packed = pack_all(c, r, &arena);
	struct native_code code = {0};
	if (lanes)
		code = code_of(c->kernel->name, NATIVE_LANES_SUFFIX, packed, &arena);
	lanes = code.run != NULL;
	if (!lanes)
		code = code_of(c->kernel->name, NATIVE_SEQUENTIAL_SUFFIX, packed, &arena);
	bool ok = code.run != NULL;
	if (ok)
		run_grid(c, &code, lanes, r);
	else
		text_add_format(error, "the object has no %s" NATIVE_SEQUENTIAL_SUFFIX, c->kernel->name);
	free(code.workspace);
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

/* ---- Proved launches ---- */

struct proved_range {
	uint64_t first, last;
	bool narrow;
};

static struct proved_range find_proved(const struct compare_case *c)
{
	struct ir_proof_program *program = ir_proof_program_new(c->kernel);
	struct ir_proof proof;
	struct proved_range range = {0, 0, false};
	ir_proof_evaluate(program, c->arguments, c->extents, &proof);
	range.narrow = proof.narrow;
	if (proof.proved)
		range.last = c->total;
	else if (!c->trap_count)
		ir_proof_range(program, c->arguments, c->extents, &range.first, &range.last);
	ir_proof_program_free(program);
	return range;
}

/* The narrow one at every other seed, so that both are run. */
static struct native_code variant_of(const struct compare_case *c, bool narrow, const uint8_t *packed,
                                     struct arena *arena)
{
	static unsigned turn;
	struct native_code code = {0};
	struct text name = {0};
	if (narrow && turn++ % 2 == 0) {
		ir_variant_name(c->kernel, KERNEL_NARROW, &name);
		code = code_of(text_string(&name), NATIVE_LANES_SUFFIX, packed, arena);
		text_free(&name);
	}
	if (!code.run) {
		ir_variant_name(c->kernel, KERNEL_PROVED, &name);
		code = code_of(text_string(&name), NATIVE_LANES_SUFFIX, packed, arena);
		text_free(&name);
	}
	return code;
}

static void run_range(const struct native_code *code, uint64_t first, uint64_t last, struct compare_result *r)
{
	if (first < last && code->run(code->arguments, first, last, &r->traps[0], code->workspace))
		r->trap_count = 1;
}

static bool run_proved(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	struct arena arena = {0};
	const uint8_t *packed = pack_all(c, r, &arena);
	struct proved_range range = find_proved(c);
	struct native_code checked = code_of(c->kernel->name, NATIVE_SEQUENTIAL_SUFFIX, packed, &arena);
	struct native_code lanes = variant_of(c, range.narrow, packed, &arena);
	r->skipped = range.first == range.last || !lanes.run;
	if (!r->skipped && !checked.run) {
		text_add_format(error, "the object has no %s" NATIVE_SEQUENTIAL_SUFFIX, c->kernel->name);
	} else if (!r->skipped) {
		/* Groups are whole by their first thread. Some launches are one part, which may have copies of its own.
		 */
		uint64_t middle = c->with_mask ? (range.first + range.last) / 2 : range.last;
		run_range(&checked, 0, range.first, r);
		run_range(&lanes, range.first, middle, r);
		run_range(&lanes, middle, range.last, r);
		run_range(&checked, range.last, c->total, r);
	}
	free(checked.workspace);
	free(lanes.workspace);
	arena_free(&arena);
	return error->length == 0;
}

const struct compare_device compare_native = {"native", false, open, run, close};
const struct compare_device compare_lanes = {"lanes", false, open, run_lanes, close};
const struct compare_device compare_proved = {"proved", false, open, run_proved, close};
