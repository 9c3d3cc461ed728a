/* Metal on the CPU: the source, compiled by clang++ with the mapping utils/dev/metal/metal_stdlib, and run as
 * utils/dev/metal/metal_groups.h says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ir/hazard.h"
#include "runtime/device.h"
#include "utils/base/file.h"
#include "utils/dev/compare/compare.h"
#include "utils/dev/metal/metal_groups.h"

static void *metal_library;

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
			                "void metal_cpu_kernel_%s(void **buffers, const uint3 *positions)\n"
			                "{\n\tmetal_cpu::run(::%s, buffers, positions);\n}\n",
			                text_string(&name), text_string(&name));
		text_free(&name);
		text_free(&head);
	}
}

static bool compile(const char *folder, const struct text *source, struct text *error)
{
	struct text path = {0}, library = {0}, command = {0};
	text_add_format(&path, "%s/kernels.cpp", folder);
	text_add_format(&library, "%s/kernels.so", folder);
	text_add_format(&command,
	                "clang++ -std=c++20 -O1 -ffp-contract=off -fPIC -shared -w -I '" SSPUR_TREE
	                "/utils/dev/metal' '%s' -o '%s' >&2",
	                text_string(&path), text_string(&library));
	bool good = file_write(text_string(&path), text_string(source), source->length, error);
	if (good && system(text_string(&command)) != 0) {
		text_add(error, "clang++ does not take the Metal source");
		good = false;
	}
	metal_library = good ? dlopen(text_string(&library), RTLD_NOW | RTLD_LOCAL) : NULL;
	if (good && !metal_library)
		text_add(error, dlerror());
	if (metal_library)
		*(void (**)(void))dlsym(metal_library, "metal_cpu_barrier") = metal_groups_barrier;
	unlink(text_string(&path));
	unlink(text_string(&library));
	text_free(&path);
	text_free(&library);
	text_free(&command);
	return metal_library != NULL;
}

/* Kernels with F64 are left out, and their launches skipped. */
static bool emit(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
                 struct text *out, struct text *error)
{
	struct target_options here = *options;
	here.hazards |= IR_HAZARD_FLUSH_F32 | IR_HAZARD_NO_F64;
	return c->emit("metal", m, &here, out, error);
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
	dlclose(metal_library);
}

/* ---- Running ---- */

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

static bool run(const struct compare_case *c, struct compare_result *r, struct text *error)
{
	struct arena arena = {0};
	struct text name = {0}, settings = {0};
	struct metal_groups groups = {.meets = ir_is_grouped(c->kernel),
	                              .buffers = ARENA_ARRAY(&arena, void *, c->kernel->parameter_count + 3)};
	text_add(&name, "metal_cpu_kernel_");
	compare_entry_name(c, "metal", &name);
	*(void **)&groups.kernel = dlsym(metal_library, text_string(&name));
	for (unsigned axis = 0; axis < 3; axis++) {
		groups.size[axis] = c->kernel->group[axis];
		groups.count[axis] = compare_groups(c, axis);
	}
	r->skipped = !groups.kernel;
	bool good = true;
	if (!r->skipped) {
		make_buffers(c, r, &settings, groups.buffers,
		             ARENA_ARRAY(&arena, struct compare_value, c->kernel->parameter_count * 2 + 8));
		good = metal_groups_run(&groups);
	}
	if (!good)
		text_add(error, "no memory for the threads of a group");
	text_free(&name);
	text_free(&settings);
	arena_free(&arena);
	return good;
}

const struct compare_device compare_metal = {"metal-cpu", true, open_metal, run, close_metal};
