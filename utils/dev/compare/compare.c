/* Developer tool `kernel-compare`: every kernel of .kir files on a device against the interpreter, bit for bit.
 *
 *   kernel-compare [--device native|lanes|proved|opencl|opencl-c|cuda|vulkan|metal-cpu] [--seeds N] [--fit 1]
 * [--optimize N] [--artifact FILE] FILE.kir... kernel-compare --emit TARGET [--optimize N] [--cpu NAME]
 * [--hazards N] FILE.kir
 *
 * Buffers must agree (NaNs are one value), and so must the failed threads: their number, one of their records and the
 * mask on a GPU, every trap on `native`. Where a grouped kernel's group or a sum of floats depends on what failed, the
 * failure itself must agree. `proved` runs what can be proved of a launch (ir/proof.h) by the kernel's variants in
 * lanes, launches of which nothing is, or for which there is no such code, are skipped. --fit 1: launches of whole
 * groups, buffers with an element a thread. --artifact gives the module's compiled form (for opencl SPIR-V or bitcode)
 * instead of compiling it here, which must not be done under oclgrind: its LLVM would get in the way of ours. --emit
 * prints an artifact to standard output; `bitcode` is the SPIR-V read back.
 *
 * Exit status: 0, 1 for a difference, 2 for a wrong command, file or device. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_text.h"
#include "ir/proof.h"
#include "utils/base/file.h"
#include "utils/dev/compare/compare.h"

enum { DEFAULT_SEEDS = 24 };

struct command {
	const struct compare_device *device;
	const char *emit, *artifact;
	uint64_t seeds;
	bool fits;
	struct target_options options;
};

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("kernel-compare: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

bool compare_compiler_open(struct compare_compiler *c, struct text *error)
{
	char *folder = path_of_executable_folder();
	char *path = path_join(folder ? folder : ".", "libsspur_compiler.so");
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	free(folder);
	if (!library) {
		text_add(error, dlerror());
		return false;
	}
	*(void **)&c->emit = dlsym(library, "sspur_compiler_emit");
	*(void **)&c->to_bitcode = dlsym(library, "sspur_compiler_spirv_to_bitcode");
	return true;
}

/* ---- Comparison ---- */

static bool same_value(const struct ir_type *t, const uint8_t *a, const uint8_t *b)
{
	if (t->kind == IR_TYPE_array) {
		for (uint64_t n = 0; n < t->count; n++)
			if (!same_value(t->element, a + n * t->element->size, b + n * t->element->size))
				return false;
		return true;
	}
	if (t->kind == IR_TYPE_struct) {
		for (uint64_t n = 0; n < t->count; n++)
			if (!same_value(t->fields[n].type, a + t->fields[n].offset, b + t->fields[n].offset))
				return false;
		return true;
	}
	float f[2];
	double d[2];
	if (t->kind == IR_TYPE_f32) {
		memcpy(&f[0], a, 4);
		memcpy(&f[1], b, 4);
		if (f[0] != f[0] && f[1] != f[1])
			return true;
	}
	if (t->kind == IR_TYPE_f64) {
		memcpy(&d[0], a, 8);
		memcpy(&d[1], b, 8);
		if (d[0] != d[0] && d[1] != d[1])
			return true;
	}
	return memcmp(a, b, t->size) == 0;
}

static void print_bytes(struct text *out, const uint8_t *bytes, uint32_t size)
{
	for (uint32_t n = size; n-- > 0;)
		text_add_format(out, "%02x", bytes[n]);
}

static bool same_buffers(const struct compare_case *c, const struct compare_result *r, struct text *what)
{
	for (uint32_t n = 0; n < c->kernel->parameter_count; n++) {
		const struct ir_parameter *p = &c->kernel->parameters[n];
		for (uint64_t e = 0; r->buffers[n] && e < c->arguments[n].length; e++) {
			const uint8_t *expected = (const uint8_t *)c->expected[n] + e * p->type->size;
			const uint8_t *found = (const uint8_t *)r->buffers[n] + e * p->type->size;
			if (same_value(p->type, expected, found))
				continue;
			text_add_format(what, "%s[%llu] is ", p->name, (unsigned long long)e);
			print_bytes(what, found, p->type->size);
			text_add(what, ", expected ");
			print_bytes(what, expected, p->type->size);
			return false;
		}
	}
	return true;
}

static void print_trap(struct text *out, const struct kernel_trap *t)
{
	text_add_format(out, "kind %u line %u:%u thread %llu,%llu,%llu value %lld limit %lld", t->kind, t->line,
	                t->column, (unsigned long long)t->thread[0], (unsigned long long)t->thread[1],
	                (unsigned long long)t->thread[2], (long long)t->value, (long long)t->limit);
}

static bool same_traps(const struct compare_case *c, const struct compare_result *r, struct text *what)
{
	uint64_t known = c->grouped || r->first_alone ? 1 : c->trap_count;
	for (uint64_t n = 0; n < known && n < c->trap_count && n < r->trap_count; n++) {
		if (memcmp(&c->traps[n], &r->traps[n], sizeof *c->traps) == 0)
			continue;
		text_add(what, "trap ");
		print_trap(what, &r->traps[n]);
		text_add(what, ", expected ");
		print_trap(what, &c->traps[n]);
		return false;
	}
	if (c->trap_count != r->trap_count)
		text_add_format(what, "%llu traps, expected %llu", (unsigned long long)r->trap_count,
		                (unsigned long long)c->trap_count);
	return c->trap_count == r->trap_count;
}

static bool is_record_of(const struct compare_case *c, const uint32_t *status, const struct kernel_trap *t)
{
	bool flat = c->kernel->axes == 1;
	uint32_t file = c->kernel->module->file_count ? t->file : 1;
	return status[1] == t->kind && status[2] == file && status[3] == t->line &&
	       status[4] == (uint32_t)t->thread[0] &&
	       status[5] == (uint32_t)(flat ? t->thread[0] >> 32 : t->thread[1]) &&
	       status[6] == (uint32_t)t->thread[2] && status[7] == (uint32_t)t->value;
}

static bool same_record(const struct compare_case *c, const struct compare_result *r, struct text *what)
{
	static const uint32_t clean[8] = {0};
	if (r->status[0] != c->trap_count) {
		text_add_format(what, "%u failed threads, expected %llu", r->status[0],
		                (unsigned long long)c->trap_count);
		return false;
	}
	bool found = !c->trap_count && memcmp(r->status, clean, sizeof clean) == 0;
	for (uint64_t n = 0; n < c->trap_count && !found; n++)
		found = is_record_of(c, r->status, &c->traps[n]);
	if (!found)
		text_add_format(what, "the record (%u, %u, %u, %u, %u, %u, %u, %u) is no failed thread's", r->status[0],
		                r->status[1], r->status[2], r->status[3], r->status[4], r->status[5], r->status[6],
		                r->status[7]);
	return found;
}

static bool same_mask(const struct compare_case *c, const struct compare_result *r, struct text *what)
{
	uint64_t next = 0;
	for (uint64_t thread = 0; r->mask && thread < c->total; thread++) {
		bool expected = next < c->trap_count && c->trap_threads[next] == thread;
		next += expected;
		if ((r->mask[thread / 32] >> (thread % 32) & 1) == expected)
			continue;
		text_add_format(what, "mask bit of thread %llu is %d, expected %d", (unsigned long long)thread,
		                !expected, expected);
		return false;
	}
	return true;
}

/* What is flagged runs again in order, so only the flag must be right. A device may flag what the order of threads
 * decides: sums of floats, and what a thread reads of others of its group that failed. */
static bool same_on_device(const struct compare_case *c, const struct compare_result *r, struct text *what)
{
	bool stops = c->kernel->policy == IR_POLICY_STOP;
	if (stops && c->inexact && r->status[0])
		return true;
	if (!stops || !c->grouped || !c->trap_count)
		return same_buffers(c, r, what) && same_record(c, r, what) && same_mask(c, r, what);
	if (!r->status[0])
		text_add(what, "no failed threads, expected some");
	return r->status[0] != 0;
}

/* ---- Runs ---- */

struct tally {
	uint64_t cases, trapping, skipped, inexact, different;
	uint64_t proved, narrow; /* launches of variants */
};

static void make_result(const struct compare_case *c, struct compare_result *r, struct arena *arena)
{
	*r = (struct compare_result){.buffers = ARENA_ARRAY(arena, void *, c->kernel->parameter_count)};
	for (uint32_t n = 0; n < c->kernel->parameter_count; n++) {
		if (!c->arguments[n].data)
			continue;
		r->buffers[n] = arena_alloc(arena, compare_bytes(c, n) + 1);
		memcpy(r->buffers[n], c->arguments[n].data, compare_bytes(c, n));
	}
	r->traps = ARENA_ARRAY(arena, struct kernel_trap, c->total);
	r->mask = c->with_mask ? ARENA_ARRAY(arena, uint32_t, (c->total + 31) / 32) : NULL;
}

/* A launch that is proved (ir/proof.h) runs the kernel's variants too. */
static bool run_variants(const struct command *command, struct compare_case *c, struct tally *tally, struct text *what,
                         struct arena *arena)
{
	struct ir_proof_program *program = ir_proof_program_new(c->kernel);
	struct ir_proof proof;
	struct compare_result r;
	bool same = true;
	ir_proof_evaluate(program, c->arguments, c->extents, &proof);
	ir_proof_program_free(program);
	if (proof.proved && c->trap_count) {
		text_add(what, "proved, but it traps");
		return false;
	}
	/* Of kernels that record their failures native code alone has variants (lower/lower_variants.h). */
	proof.proved &= c->kernel->policy != IR_POLICY_RECORD || !command->device->gpu;
	for (unsigned axis = 0; axis < 3; axis++)
		proof.proved &= !c->grouped || c->extents[axis] % c->kernel->group[axis] == 0;
	if (proof.proved && ir_variant_exists(c->kernel, KERNEL_PROVED)) {
		c->variant = KERNEL_PROVED;
		make_result(c, &r, arena);
		same = command->device->run(c, &r, what) && (r.skipped || same_buffers(c, &r, what));
		tally->proved++;
	}
	if (same && proof.proved && proof.narrow && ir_variant_exists(c->kernel, KERNEL_NARROW)) {
		c->variant = KERNEL_NARROW;
		make_result(c, &r, arena);
		same = command->device->run(c, &r, what) && (r.skipped || same_buffers(c, &r, what));
		tally->narrow++;
	}
	return same;
}

/* What is flagged for the device's sake runs again, so nothing else of the launch matters. */
static bool flags_more(const struct command *command, const struct compare_case *c, const struct compare_result *r)
{
	bool more = r->status[0] > c->trap_count || (r->status[0] && r->status[1] == TRAP_INEXACT);
	return command->device == &compare_metal && more;
}

static void run_case(const struct command *command, const struct ir_kernel *k, uint64_t seed, struct tally *tally)
{
	struct arena arena = {0};
	struct compare_case c;
	struct compare_result r;
	struct text what = {0};
	if (!compare_case_make(&c, k, seed, command->fits, command->device->gpu, &arena)) {
		tally->skipped++;
		arena_free(&arena);
		return;
	}
	make_result(&c, &r, &arena);
	bool same = command->device->run(&c, &r, &what) &&
	            (r.skipped || flags_more(command, &c, &r) ||
	             (command->device->gpu ? same_on_device(&c, &r, &what)
	                                   : same_buffers(&c, &r, &what) && same_traps(&c, &r, &what)));
	tally->skipped += r.skipped;
	tally->cases += !r.skipped;
	tally->trapping += !r.skipped && c.trap_count != 0;
	tally->inexact += (c.inexact || command->device == &compare_metal) && !c.trap_count && r.status[0];
	const struct compare_device *d = command->device;
	if (same && (d == &compare_cuda || d == &compare_opencl || d == &compare_opencl_c))
		same = run_variants(command, &c, tally, &what, &arena);
	if (!same) {
		printf("kernel %s, variant %d, seed %llu, grid %llu x %llu x %llu: %s\n", k->name, c.variant,
		       (unsigned long long)seed, (unsigned long long)c.extents[0], (unsigned long long)c.extents[1],
		       (unsigned long long)c.extents[2], text_string(&what));
		tally->different++;
	}
	text_free(&what);
	arena_free(&arena);
}

static uint64_t run_module(const struct command *command, const struct compare_compiler *compiler,
                           const struct ir_module *m)
{
	struct text error = {0}, artifact = {0};
	uint64_t different = 0;
	if (command->artifact && !file_read(command->artifact, &artifact, &error))
		fail("%s", text_string(&error));
	if (!command->device->open(m, compiler, &command->options, command->artifact ? &artifact : NULL, &error))
		fail("%s: %s", command->device->name, text_string(&error));
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		struct tally tally = {0};
		for (uint64_t seed = 0; seed < command->seeds && tally.different < 3; seed++)
			run_case(command, m->kernels[n], seed, &tally);
		printf("%s: %llu launches, %llu with traps, ", m->kernels[n]->name, (unsigned long long)tally.cases,
		       (unsigned long long)tally.trapping);
		if (tally.proved || tally.narrow)
			printf("%llu proved, %llu of them narrow, ", (unsigned long long)tally.proved,
			       (unsigned long long)tally.narrow);
		if (tally.inexact)
			printf("%llu inexact, ", (unsigned long long)tally.inexact);
		printf("%llu skipped: %s\n", (unsigned long long)tally.skipped, tally.different ? "DIFFERENT" : "same");
		different += tally.different;
	}
	command->device->close();
	text_free(&artifact);
	text_free(&error);
	return different;
}

static bool emit(const struct command *command, const struct compare_compiler *compiler, const struct ir_module *m)
{
	struct text out = {0}, error = {0};
	bool ok = compiler->emit(command->emit, m, &command->options, &out, &error);
	if (ok)
		fwrite(text_string(&out), 1, out.length, stdout);
	else
		fprintf(stderr, "kernel-compare: %s\n", text_string(&error));
	text_free(&out);
	text_free(&error);
	return ok;
}

static uint64_t run_file(const struct command *command, const struct compare_compiler *compiler, const char *path)
{
	struct text bytes = {0}, error = {0};
	struct source source;
	if (!file_read(path, &bytes, &error))
		fail("%s", text_string(&error));
	source_init(&source, path, text_string(&bytes), bytes.length);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *m = ir_parse(&source, &diagnostics);
	if (!m) {
		diagnostics_print(&diagnostics, &error);
		fail("\n%s", text_string(&error));
	}
	uint64_t different = command->emit ? !emit(command, compiler, m) : run_module(command, compiler, m);
	ir_module_free(m);
	diagnostics_free(&diagnostics);
	source_free(&source);
	text_free(&bytes);
	return different;
}

static const struct compare_device *find_device(const char *name)
{
	static const struct compare_device *const devices[] = {&compare_native, &compare_lanes,    &compare_proved,
	                                                       &compare_opencl, &compare_opencl_c, &compare_cuda,
	                                                       &compare_vulkan, &compare_metal};
	for (size_t n = 0; n < sizeof devices / sizeof *devices; n++)
		if (strcmp(devices[n]->name, name) == 0)
			return devices[n];
	fail("no device `%s`: native, lanes, proved, opencl, opencl-c, cuda, vulkan or metal-cpu", name);
}

static bool take_option(struct command *command, const char *option, const char *value)
{
	if (strcmp(option, "--device") == 0)
		command->device = find_device(value);
	else if (strcmp(option, "--emit") == 0)
		command->emit = value;
	else if (strcmp(option, "--artifact") == 0)
		command->artifact = value;
	else if (strcmp(option, "--cpu") == 0)
		command->options.cpu = value;
	else if (strcmp(option, "--seeds") == 0)
		command->seeds = strtoull(value, NULL, 10);
	else if (strcmp(option, "--fit") == 0)
		command->fits = atoi(value) != 0;
	else if (strcmp(option, "--hazards") == 0) /* ir/hazard.h */
		command->options.hazards = (uint32_t)strtoul(value, NULL, 0);
	else if (strcmp(option, "--optimize") == 0)
		command->options.optimize = atoi(value);
	else
		return false;
	return true;
}

int main(int count, char **words)
{
	struct command command = {
	    .device = &compare_native, .seeds = DEFAULT_SEEDS, .options = {.optimize = 2, .status = true}};
	struct compare_compiler compiler = {0};
	struct text error = {0};
	uint64_t different = 0;
	int n = 1;
	for (; n + 1 < count && strncmp(words[n], "--", 2) == 0; n += 2)
		if (!take_option(&command, words[n], words[n + 1]))
			fail("no option `%s`", words[n]);
	if (n >= count)
		fail("which .kir file?");
	if ((command.emit || !command.artifact) && !compare_compiler_open(&compiler, &error))
		fail("%s", text_string(&error));
	for (; n < count; n++)
		different += run_file(&command, &compiler, words[n]);
	text_free(&error);
	return different != 0;
}
