/* Metal on the CPU: the source, compiled by clang++ with the mapping utils/dev/metal/metal_stdlib, with subnormals
 * flushed as Apple's GPUs do. Groups run one after another; the threads of a group are fibers, which a barrier
 * switches. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/device.h"
#include "utils/base/file.h"
#include "utils/dev/compare/compare.h"
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { STACK = 512 << 10 };

static struct {
	void *library;
	ucontext_t scheduler, *fibers;
	uint32_t fiber, count;
	bool *done;
	char *stacks;
	/* What the fibers run. */
	void (*kernel)(void **buffers, const uint32_t *positions);
	void **buffers;
	uint32_t group[3];
	const struct ir_kernel *source;
} metal;

static void wait_for_group(void)
{
	swapcontext(&metal.fibers[metal.fiber], &metal.scheduler);
}

/* ---- Compiling ---- */

/* Memory of the group is static: groups do not run at once. */
static void add_source(const struct ir_module *m, const struct text *metal_text, struct text *out)
{
	static const char declares[] = "\n\tthreadgroup ";
	for (const char *at = text_string(metal_text); *at;) {
		bool here = strncmp(at, declares, sizeof declares - 1) == 0;
		text_add_n(out, here ? "\n\tstatic " : at, here ? 9 : 1);
		at += here ? sizeof declares - 1 : 1;
	}
	for (uint32_t n = 0; n < m->kernel_count * KERNEL_VARIANTS; n++) {
		struct text name = {0}, head = {0};
		struct compare_case c = {.kernel = m->kernels[n / KERNEL_VARIANTS], .variant = n % KERNEL_VARIANTS};
		compare_entry_name(&c, "metal", &name);
		text_add_format(&head, "[[kernel]] void %s(", text_string(&name));
		if (strstr(text_string(metal_text), text_string(&head)))
			text_add_format(out,
			                "extern \"C\" __attribute__((visibility(\"default\")))\n"
			                "void metal_cpu_%s(void **buffers, const uint3 *positions)\n"
			                "{\n\tmetal_cpu::run(%s, buffers, positions);\n}\n",
			                text_string(&name), text_string(&name));
		text_free(&name);
		text_free(&head);
	}
}

static bool compile(const char *folder, const struct text *source, struct text *error)
{
	static const char here[] = __FILE__;
	struct text path = {0}, library = {0}, command = {0};
	text_add_format(&path, "%s/kernels.cpp", folder);
	text_add_format(&library, "%s/kernels.so", folder);
	text_add_format(&command,
	                "clang++ -std=c++20 -O1 -ffp-contract=off -fPIC -shared -w -I '%.*s/../metal' '%s' -o '%s' >&2",
	                (int)(strrchr(here, '/') - here), here, text_string(&path), text_string(&library));
	bool good = file_write(text_string(&path), text_string(source), source->length, error);
	if (good && system(text_string(&command)) != 0) {
		text_add(error, "clang++ does not take the Metal source");
		good = false;
	}
	metal.library = good ? dlopen(text_string(&library), RTLD_NOW | RTLD_LOCAL) : NULL;
	if (good && !metal.library)
		text_add(error, dlerror());
	if (metal.library)
		*(void (**)(void))dlsym(metal.library, "metal_cpu_barrier") = wait_for_group;
	unlink(text_string(&path));
	unlink(text_string(&library));
	text_free(&path);
	text_free(&library);
	text_free(&command);
	return metal.library != NULL;
}

/* The kernels that Metal can have: those with F64 are left out, and their launches skipped. */
static bool emit(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
                 struct text *out, struct text *error)
{
	struct ir_module some = *m;
	some.kernels = memory_zeroed(m->kernel_count + 1, sizeof *some.kernels);
	some.kernel_count = 0;
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		struct ir_module one = *m;
		struct text bytes = {0}, why = {0};
		one.kernels = &m->kernels[n];
		one.kernel_count = 1;
		if (c->emit("metal", &one, options, &bytes, &why) || !strstr(text_string(&why), "uses F64"))
			some.kernels[some.kernel_count++] = m->kernels[n];
		text_free(&bytes);
		text_free(&why);
	}
	bool good = c->emit("metal", &some, options, out, error);
	free(some.kernels);
	return good;
}

static bool open_metal(const struct ir_module *m, const struct compare_compiler *c,
                       const struct target_options *options, const struct text *artifact, struct text *error)
{
	char folder[] = "/tmp/sspur-metal-XXXXXX";
	struct text emitted = {0}, source = {0};
	bool good = artifact || emit(m, c, options, &emitted, error);
	if (good && !mkdtemp(folder)) {
		text_add(error, "no temporary folder");
		good = false;
	}
	if (good) {
		add_source(m, artifact ? artifact : &emitted, &source);
		good = compile(folder, &source, error);
		rmdir(folder);
	}
	text_free(&emitted);
	text_free(&source);
	return good;
}

static void close_metal(void)
{
	dlclose(metal.library);
}

/* ---- Running ---- */

static void fiber(void)
{
	const uint32_t *size = metal.source->group;
	uint32_t n = metal.fiber;
	uint32_t positions[6] = {n % size[0],    n / size[0] % size[1], n / size[0] / size[1],
	                         metal.group[0], metal.group[1],        metal.group[2]};
	metal.kernel(metal.buffers, positions);
	metal.done[metal.fiber] = true;
}

static void run_group(void)
{
	for (uint32_t n = 0; n < metal.count; n++) {
		getcontext(&metal.fibers[n]);
		metal.fibers[n].uc_stack.ss_sp = metal.stacks + (size_t)n * STACK;
		metal.fibers[n].uc_stack.ss_size = STACK;
		metal.fibers[n].uc_link = &metal.scheduler;
		makecontext(&metal.fibers[n], fiber, 0);
		metal.done[n] = false;
	}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t n = 0; n < metal.count; n++) {
			metal.fiber = n;
			if (!metal.done[n])
				swapcontext(&metal.scheduler, &metal.fibers[n]);
			more |= !metal.done[n];
		}
	}
}

static void add_setting(struct text *settings, const void *bytes, uint32_t size)
{
	text_add_repeat(settings, '\0', (size - settings->length % size) % size);
	text_add_n(settings, bytes, size);
}

/* Slices and structs are buffers 0, 1, ...; then come the settings, the status record and the mask (docs/abi.md). */
static void make_buffers(const struct compare_case *c, struct compare_result *r, struct text *settings, void **buffers,
                         struct compare_value *values)
{
	unsigned count = compare_values(c, values), buffer = 0;
	static uint64_t nothing;
	uint64_t first_group = 0;
	uint32_t has_mask = r->mask != NULL;
	for (unsigned n = 0; n < count; n++) {
		switch (values[n].kind) {
		case COMPARE_BITS: add_setting(settings, &values[n].bits, values[n].size); break;
		case COMPARE_FIRST_GROUP: add_setting(settings, &first_group, 8); break;
		case COMPARE_BUFFER: buffers[buffer++] = r->buffers[values[n].index]; break;
		case COMPARE_STATUS:
		case COMPARE_MASK: break;
		}
	}
	add_setting(settings, &has_mask, sizeof has_mask);
	buffers[buffer++] = settings->data;
	buffers[buffer++] = r->status;
	buffers[buffer++] = r->mask ? (void *)r->mask : &nothing;
}

static void run_groups(const struct compare_case *c)
{
	uint64_t groups[3];
	for (unsigned axis = 0; axis < 3; axis++)
		groups[axis] = compare_groups(c, axis);
	for (uint64_t z = 0; z < groups[2]; z++)
		for (uint64_t y = 0; y < groups[1]; y++)
			for (uint64_t x = 0; x < groups[0]; x++) {
				metal.group[0] = (uint32_t)x, metal.group[1] = (uint32_t)y,
				metal.group[2] = (uint32_t)z;
				run_group();
			}
}

static bool run(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	struct arena arena = {0};
	struct text name = {0}, settings = {0};
	text_add(&name, "metal_cpu_");
	compare_entry_name(c, "metal", &name);
	*(void **)&metal.kernel = dlsym(metal.library, text_string(&name));
	metal.source = c->kernel;
	r->skipped = !metal.kernel;
	metal.count = c->kernel->group[0] * c->kernel->group[1] * c->kernel->group[2];
	metal.fibers = ARENA_ARRAY(&arena, ucontext_t, metal.count);
	metal.done = ARENA_ARRAY(&arena, bool, metal.count);
	metal.buffers = ARENA_ARRAY(&arena, void *, c->kernel->parameter_count + 3);
	metal.stacks = mmap(NULL, (size_t)metal.count * STACK, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool good = metal.stacks != MAP_FAILED;
	if (good && !r->skipped) {
		make_buffers(c, r, &settings, metal.buffers,
		             ARENA_ARRAY(&arena, struct compare_value, c->kernel->parameter_count * 2 + 8));
#ifdef __SSE2__
		unsigned mode = _mm_getcsr();
		_mm_setcsr(mode | 0x8040); /* subnormal operands and results are zero */
#endif
		run_groups(c);
#ifdef __SSE2__
		_mm_setcsr(mode);
#endif
	} else if (!good) {
		text_add(error, "no memory for the threads of a group");
	}
	if (metal.stacks != MAP_FAILED)
		munmap(metal.stacks, (size_t)metal.count * STACK);
	text_free(&name);
	text_free(&settings);
	arena_free(&arena);
	return good;
}

const struct compare_device compare_metal = {"metal-cpu", true, open_metal, run, close_metal};
