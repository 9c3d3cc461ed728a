/* The injecting device. It runs a launch when it is submitted, so it is in order by itself. Flagged threads of a
 * commit-safe launch write nothing, as the contract of masks has it; any other flagged launch has run in part. A launch
 * that was proved is refused, or meets a device that fails, as any other; it is never flagged. One of a kernel that
 * records its failures is flagged for what the capabilities say alone, as nobody runs the others again. */
#include "runtime/device_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/ir_analysis.h"
#include "runtime/failure_text.h"
#include "utils/base/arena.h"

struct fault {
	struct device device;
	struct device *inner;
	char name[64];
	uint64_t state;      /* of the random numbers */
	uint64_t lost_at;    /* the launch at which memory is lost; 0: never */
	uint64_t submitted;  /* since the device was opened */
	uint64_t unfinished; /* since the last finish */
	bool refused;        /* the last buffer_new gave none: the next one does */
	bool broken;         /* runs nothing any more */
	bool lost;           /* and its memory cannot be reached */
};

static struct fault fault;

/* ---- Chance ---- */

static uint64_t draw(void)
{
	uint64_t z = fault.state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static bool one_in(uint64_t n)
{
	return draw() % n == 0;
}

static bool say(struct text *error, const char *what)
{
	text_add_format(error, "%s: FAULT_INJECTED", what);
	return false;
}

/* ---- Device ---- */

static bool fault_open(struct device *d, struct text *error)
{
	(void)d;
	const struct device_functions *f = fault.inner->functions;
	return !f->open || f->open(fault.inner, error);
}

static void fault_close(struct device *d)
{
	(void)d;
	if (fault.inner->functions->close)
		fault.inner->functions->close(fault.inner);
}

static void fault_describe(struct device *d, struct text *out)
{
	(void)d;
	text_add_format(out, "%s, with injected faults", fault.inner->name);
}

/* Quotients and roots may be wrong, and loops end early: of both there are flags. */
static const struct device_capabilities *fault_capabilities(struct device *d)
{
	(void)d;
	static const struct device_capabilities capabilities = {.float64 = true,
	                                                        .subnormals_f32 = true,
	                                                        .subnormals_f64 = true,
	                                                        .ends_loops = true,
	                                                        .group_limit = UINT32_MAX,
	                                                        .shared_limit = UINT64_MAX};
	return &capabilities;
}

/* ---- Memory ---- */

static struct device_buffer *fault_buffer_new(struct device *d, uint64_t size)
{
	(void)d;
	fault.refused = !fault.refused && one_in(12);
	return fault.refused ? NULL : fault.inner->functions->buffer_new(fault.inner, size);
}

static void fault_buffer_free(struct device *d, struct device_buffer *b)
{
	(void)d;
	fault.inner->functions->buffer_free(fault.inner, b);
}

static bool fault_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	(void)d;
	return !fault.lost && fault.inner->functions->buffer_write(fault.inner, b, bytes, size);
}

static bool fault_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	(void)d;
	return !fault.lost && fault.inner->functions->buffer_read(fault.inner, b, bytes, size);
}

static bool fault_buffer_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	(void)d;
	const struct device_functions *f = fault.inner->functions;
	return !fault.lost && !one_in(40) && f->buffer_write(fault.inner, to, f->buffer_host(from), size);
}

/* ---- Program ---- */

static struct device_program *fault_program_load(struct device *d, const struct ir_module *module,
                                                 const struct artifact_provider *provider, struct text *error)
{
	(void)d;
	return fault.inner->functions->program_load(fault.inner, module, provider, error);
}

static void fault_program_free(struct device *d, struct device_program *p)
{
	(void)d;
	fault.inner->functions->program_free(fault.inner, p);
}

static uint32_t fault_variants(const struct device_program *p, const struct ir_kernel *k)
{
	const struct device_functions *f = fault.inner->functions;
	return f->variants ? f->variants(p, k) : 0;
}

/* ---- Launches ---- */

/* One launch being run, with what its threads may have written kept. */
struct attempt {
	struct device_program *program;
	struct device_launch launch;
	uint64_t threads;
	uint32_t *mask;
	uint32_t *record;
	void **kept; /* a parameter, of what it writes; else NULL */
};

static uint64_t size_of(const struct attempt *a, uint32_t i)
{
	return a->launch.arguments[i].length * a->launch.kernel->parameters[i].type->size;
}

static void *host_of(struct device_buffer *b)
{
	return fault.inner->functions->buffer_host(b);
}

static void keep(struct attempt *a)
{
	const struct ir_kernel *k = a->launch.kernel;
	a->kept = memory_zeroed(k->parameter_count + 1, sizeof *a->kept);
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (a->launch.arguments[i].buffer && k->parameters[i].memory->writable) {
			a->kept[i] = memory_alloc(size_of(a, i) + 1);
			memcpy(a->kept[i], host_of(a->launch.arguments[i].buffer), size_of(a, i));
		}
}

static void put_back(struct attempt *a)
{
	for (uint32_t i = 0; i < a->launch.kernel->parameter_count; i++)
		if (a->kept[i])
			memcpy(host_of(a->launch.arguments[i].buffer), a->kept[i], size_of(a, i));
}

static void forget(struct attempt *a)
{
	for (uint32_t i = 0; i < a->launch.kernel->parameter_count; i++)
		free(a->kept[i]);
	free(a->kept);
}

static void flag_threads(struct attempt *a, uint64_t first, uint64_t last, uint32_t kind)
{
	for (uint64_t t = first; t < last; t++)
		a->mask[t / 32] |= (uint32_t)1 << (t % 32);
	a->record[0] += (uint32_t)(last - first);
	a->record[1] = kind;
}

/* Threads [first, last) that are not flagged. False with the trapping thread in *trapped. */
static bool run_unflagged(struct attempt *a, uint64_t first, uint64_t last, uint64_t *trapped)
{
	struct kernel_trap trap;
	const uint64_t *extents = a->launch.extents;
	while (first < last) {
		uint64_t end = first;
		while (end < last && !(a->mask[end / 32] >> (end % 32) & 1))
			end++;
		a->launch.first = first;
		a->launch.last = end;
		if (end > first && !fault.inner->functions->launch(fault.inner, a->program, &a->launch, &trap)) {
			*trapped = trap.thread[0] + extents[0] * (trap.thread[1] + extents[1] * trap.thread[2]);
			return false;
		}
		first = end > first ? end : first + 1;
	}
	return true;
}

/* A commit-safe launch: some threads are flagged for nothing; from the first that traps on, all are (a flag may be too
 * wide). */
static void run_with_mask(struct attempt *a)
{
	uint64_t trapped = 0, ignored;
	for (uint64_t n = one_in(4) ? 1 + draw() % 6 : 0; n; n--) {
		uint64_t t = draw() % a->threads;
		flag_threads(a, t, t + 1, TRAP_INEXACT);
	}
	keep(a);
	if (!run_unflagged(a, 0, a->threads, &trapped)) {
		put_back(a);
		run_unflagged(a, 0, trapped, &ignored);
		flag_threads(a, trapped, a->threads, TRAP_INDEX);
	}
	forget(a);
}

/* Any other launch: flagged for nothing it has run, has not, or has run in part. */
static void run_whole(struct attempt *a)
{
	struct kernel_trap trap;
	bool flag = one_in(8);
	uint64_t part = flag ? draw() % 3 : 2;
	if (part == 1)
		a->launch.last = 1 + draw() % a->threads;
	if (part && !fault.inner->functions->launch(fault.inner, a->program, &a->launch, &trap))
		flag = true;
	a->record[0] += flag;
	a->record[1] = flag ? TRAP_INEXACT : TRAP_NONE;
}

/* A launch of a kernel that records its failures. Where the device may not be exact, now and then some of its first
 * threads fail for that, or all of them. */
static void run_recording(struct attempt *a)
{
	const struct ir_kernel *k = a->launch.kernel;
	bool rounds = ir_has_rounds(k), flag = (rounds || ir_has_floats(k)) && one_in(8);
	struct kernel_trap trap = {0};
	uint64_t failed = 0;
	a->launch.failed = &failed;
	a->launch.first = flag ? 1 + draw() % a->threads : 0;
	a->launch.last = a->threads;
	if (a->launch.first < a->launch.last)
		fault.inner->functions->launch(fault.inner, a->program, &a->launch, &trap);
	if (flag)
		trap = (struct kernel_trap){.kind = TRAP_INEXACT, .line = k->place.line};
	failure_to_record(k, &trap, failed + a->launch.first, a->record);
	if (flag && rounds)
		a->record[0] |= (uint32_t)1 << 31; /* as targets/vulkan/vulkan_rounds.c has it */
}

/* A launch that was proved writes no record and has no mask: it cannot be flagged. */
static void run_proved(struct device_program *p, const struct device_launch *launch)
{
	struct kernel_trap trap;
	if (!fault.inner->functions->launch(fault.inner, p, launch, &trap)) {
		fprintf(stderr, "fault: %s trapped in a launch that was proved\n", launch->kernel->name);
		abort();
	}
}

/* A launch that waits alone for its check has no backup (spec 3.4), so the device fails for good at later ones only. */
static void fail_sometimes(void)
{
	fault.submitted++;
	if (fault.unfinished++ && one_in(400))
		fault.broken = true;
	if (fault.submitted == fault.lost_at)
		fault.broken = fault.lost = true;
}

static bool fault_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                         const struct device_flags *flags, struct text *error)
{
	(void)d;
	if (one_in(60))
		return say(error, "submit");
	fail_sometimes();
	if (fault.broken)
		return true; /* finish says so */
	if (launch->variant != KERNEL_CHECKED) {
		run_proved(p, launch);
		return true;
	}
	struct attempt a = {.program = p, .launch = *launch};
	a.threads = launch->extents[0] * launch->extents[1] * launch->extents[2];
	a.record = (uint32_t *)host_of(flags->status) + flags->record * 8;
	a.mask = flags->mask ? host_of(flags->mask) : NULL;
	if (launch->kernel->policy == IR_POLICY_RECORD)
		run_recording(&a);
	else
		(a.mask ? run_with_mask : run_whole)(&a);
	return true;
}

static bool fault_flush(struct device *d, struct text *error)
{
	(void)d, (void)error;
	return true;
}

static bool fault_finish(struct device *d, struct text *error)
{
	(void)d;
	fault.unfinished = 0;
	return !fault.broken || say(error, "finish");
}

static const struct device_functions functions = {
    .open = fault_open,
    .close = fault_close,
    .describe = fault_describe,
    .buffer_new = fault_buffer_new,
    .buffer_free = fault_buffer_free,
    .buffer_write = fault_buffer_write,
    .buffer_read = fault_buffer_read,
    .buffer_copy = fault_buffer_copy,
    .program_load = fault_program_load,
    .program_free = fault_program_free,
    .variants = fault_variants,
    .submit = fault_submit,
    .flush = fault_flush,
    .finish = fault_finish,
    .capabilities = fault_capabilities,
};

struct device *device_fault_find(const char *name)
{
	if (strncmp(name, "fault:", 6) != 0 || strlen(name) >= sizeof fault.name)
		return NULL;
	const char *seed = name + 6;
	bool loses = strncmp(seed, "lost", 4) == 0;
	if (loses)
		seed += 4;
	char *end;
	uint64_t number = strtoull(seed, &end, 10);
	if (end == seed || *end != ':' || *seed == '-')
		return NULL;
	struct device *inner = device_find(end + 1);
	if (!inner || !inner->functions->launch)
		return NULL;
	fault = (struct fault){.inner = inner, .state = number, .lost_at = loses ? number : 0};
	strcpy(fault.name, name);
	fault.device = (struct device){.name = fault.name, .functions = &functions};
	return &fault.device;
}
