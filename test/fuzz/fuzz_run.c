/* Any bytes as kernel IR that runs: what verifies reads and writes its arguments and its own memory alone, on arguments
 * of any size and with any values; and what the folder and the dead-code pass leave of it does the same. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir_dead.h"
#include "ir/ir_fold.h"
#include "ir/ir_race_log.h"
#include "ir/ir_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define STEPS 20000
#define LONGEST 12          /* elements of a buffer */
#define MOST_BYTES 0x400000 /* of a group's memory, and of an argument */

struct run {
	struct ir_argument *arguments;
	uint64_t extents[3];
	bool good;  /* every thread ended, and none in a trap */
	bool whole; /* the steps were enough */
};

/* The arguments follow from the input, so that a finding is one file. */
static uint64_t next(uint64_t *random)
{
	*random = hash_bytes(*random, random, sizeof *random);
	return *random;
}

static uint64_t any_value(uint64_t *random)
{
	static const uint64_t edges[] = {0, 1, 2, 7, (uint64_t)-1, 0x80000000u, 0x7f800001, (uint64_t)1 << 63};
	uint64_t choice = next(random) % 16;
	return choice < 8 ? edges[choice] : choice < 12 ? choice : next(random);
}

/* Exactly as long as the argument, so that what is outside it is a finding. */
static void *any_bytes(size_t size, uint64_t *random)
{
	uint8_t *data = memory_alloc(size);
	for (size_t n = 0; n < size; n += 4) {
		uint32_t word = (uint32_t)any_value(random);
		memcpy(data + n, &word, size - n < 4 ? size - n : 4);
	}
	return data;
}

static size_t data_size(const struct ir_parameter *p, const struct ir_argument *a)
{
	switch (p->kind) {
	case IR_PARAMETER_SCALAR: return 0;
	case IR_PARAMETER_BUFFER: return p->type->size * a->length;
	case IR_PARAMETER_VALUE: return p->type->size;
	}
	return 0;
}

static struct ir_argument *arguments_make(const struct ir_kernel *k, uint64_t random)
{
	struct ir_argument *arguments = memory_zeroed(k->parameter_count + 1, sizeof *arguments);
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		const struct ir_parameter *p = &k->parameters[n];
		struct ir_argument *a = &arguments[n];
		if (p->kind == IR_PARAMETER_SCALAR)
			a->bits = ir_canonical_bits(p->type, any_value(&random));
		else if (p->kind == IR_PARAMETER_BUFFER)
			a->length = next(&random) % (LONGEST + 1);
		if (p->kind != IR_PARAMETER_SCALAR)
			a->data = any_bytes(data_size(p, a), &random);
	}
	return arguments;
}

static void run_free(const struct ir_kernel *k, struct run *r)
{
	for (uint32_t n = 0; n < k->parameter_count; n++)
		free(r->arguments[n].data);
	free(r->arguments);
}

static bool count_failure(void *context, const struct kernel_trap *trap)
{
	if (trap->kind == TRAP_NONE)
		abort();
	++*(uint64_t *)context;
	return true;
}

static void find_extents(const struct ir_kernel *k, struct run *r)
{
	struct kernel_trap trap;
	uint64_t value;
	for (uint32_t n = 0; n < k->pre_count; n++)
		ir_evaluate_expression(k, &k->pre[n], r->arguments, &value, &trap);
	for (unsigned axis = 0; axis < 3; axis++) {
		r->extents[axis] = 1;
		if (axis < k->axes && k->grid[axis].region.first &&
		    ir_evaluate_expression(k, &k->grid[axis], r->arguments, &value, &trap) && value < 100)
			r->extents[axis] = value;
		else if (axis < k->axes)
			r->extents[axis] = k->group[axis] + 1;
	}
}

static struct run run(const struct ir_kernel *k, uint64_t random, uint64_t steps)
{
	struct run r = {.arguments = arguments_make(k, random)};
	struct ir_race_log log = {.most = 2};
	struct kernel_trap trap = {0};
	struct text words = {0};
	uint64_t failures = 0;
	find_extents(k, &r);
	uint64_t threads = r.extents[0] * r.extents[1] * r.extents[2];
	bool records = k->policy == IR_POLICY_RECORD;
	r.good = ir_run_checked(k, r.arguments, r.extents, 0, threads, records ? count_failure : NULL, &failures, &trap,
	                        &steps, &(struct ir_looks){.races = &log});
	r.whole = r.good || trap.kind != TRAP_NONE;
	r.good &= !failures;
	for (uint32_t n = 0; n < log.report_count; n++)
		ir_race_print(&words, &log.reports[n]);
	if (!r.good && r.whole && trap.kind != TRAP_NONE)
		trap_text(&words, &trap);
	text_free(&words);
	ir_race_log_free(&log);
	return r;
}

static bool is_small(const struct ir_kernel *k)
{
	uint64_t lanes = (uint64_t)k->group[0] * k->group[1] * k->group[2], total = 0;
	for (uint32_t n = 0; n < k->memory_count; n++)
		total += k->memories[n]->kind == IR_MEMORY_PRIVATE ? lanes * k->memories[n]->type->size : 0;
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (k->parameters[n].type->size > MOST_BYTES / LONGEST)
			return false;
	return lanes <= 1024 && total <= MOST_BYTES;
}

static void check_same(const struct ir_kernel *k, const struct run *a, const struct run *b)
{
	if (!a->good || !b->whole)
		return;
	if (!b->good)
		abort();
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		size_t size = data_size(&k->parameters[n], &a->arguments[n]);
		if (size && memcmp(a->arguments[n].data, b->arguments[n].data, size) != 0)
			abort();
	}
}

static void check_kernel(struct ir_kernel *k, uint64_t random)
{
	struct run before = run(k, random, STEPS);
	ir_fold(k);
	ir_remove_dead(k);
	struct run after = run(k, random, STEPS);
	check_same(k, &before, &after);
	run_free(k, &before);
	run_free(k, &after);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct source source;
	source_init(&source, "fuzz.kir", (const char *)bytes, size);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *m = ir_parse(&source, &diagnostics);
	for (uint32_t n = 0; m && n < m->kernel_count; n++)
		if (m->kernels[n]->policy != IR_POLICY_PROVED && is_small(m->kernels[n]))
			check_kernel(m->kernels[n], hash_bytes(HASH_SEED, bytes, size));
	ir_module_free(m);
	diagnostics_free(&diagnostics);
	source_free(&source);
	return 0;
}
