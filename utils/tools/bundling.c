#include "utils/tools/bundling.h"

#include <stdlib.h>

#include "runtime/bundle.h"
#include "utils/base/arena.h"
#include "utils/tools/kernel_selection.h"
#include "utils/tools/metal_toolchain.h"

/* The processor that native code is for: any of this machine's kind, as a bundle travels. */
#ifdef __x86_64__
#define PROCESSOR "x86-64"
#else
#define PROCESSOR "generic"
#endif

static const char *target_of(enum bundle_part part)
{
	switch (part) {
	case BUNDLE_KIR: return "kir";
	case BUNDLE_NATIVE: return "native";
	case BUNDLE_PTX: return "ptx";
	case BUNDLE_SPIRV: return "spirv";
	case BUNDLE_REFLECTION:
	case BUNDLE_SPIR_BITCODE:
	case BUNDLE_VULKAN:
	case BUNDLE_VULKAN_KEEPS:
	case BUNDLE_VULKAN_ROUNDS:
	case BUNDLE_OPENCL_C:
	case BUNDLE_OPENCL_C_INEXACT:
	case BUNDLE_METAL:
	case BUNDLE_METALLIB:
	case BUNDLE_PART_COUNT: break;
	}
	return NULL;
}

/* Kernels that the target does not take run on the CPU. */
static bool emit_what_fits(const struct compiler *compiler, const char *target, const struct ir_module *module,
                           const struct target_options *options, struct text *out, struct text *error)
{
	char **why = memory_zeroed((size_t)module->kernel_count + 1, sizeof *why);
	bool good = kernel_selection_emit(compiler, target, module, options, why, out, error);
	for (uint32_t n = 0; n < module->kernel_count; n++)
		free(why[n]);
	free(why);
	return good;
}

/* What cannot be made is left out: a build without the translator has no bitcode, Vulkan, OpenCL C and Metal have
 * limits that kernels may exceed, and metallibs need Apple's toolchain. */
static void add_optional(const struct compiler *compiler, const struct ir_module *module, struct text *bytes)
{
	static const struct {
		enum bundle_part part;
		const char *target;
		uint32_t hazards;
	} rows[] = {
	    {BUNDLE_VULKAN, "vulkan", BUNDLE_VULKAN_ROUNDING | BUNDLE_VULKAN_FLUSHING},
	    {BUNDLE_VULKAN_KEEPS, "vulkan", BUNDLE_VULKAN_ROUNDING},
	    {BUNDLE_VULKAN_ROUNDS, "vulkan", BUNDLE_VULKAN_ROUNDING | BUNDLE_VULKAN_FLUSHING | IR_HAZARD_ROUNDS},
	    {BUNDLE_OPENCL_C, "opencl", 0},
	    {BUNDLE_OPENCL_C_INEXACT, "opencl", BUNDLE_OPENCL_HAZARDS},
	    {BUNDLE_METAL, "metal", BUNDLE_METAL_HAZARDS},
	};
	struct text why = {0};
	const struct text *spirv = &bytes[BUNDLE_SPIRV];
	if (!compiler->spirv_to_bitcode(spirv->data, spirv->length, &bytes[BUNDLE_SPIR_BITCODE], &why))
		text_clear(&bytes[BUNDLE_SPIR_BITCODE]);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct target_options options = {.optimize = 2, .status = true, .hazards = rows[i].hazards};
		if (!emit_what_fits(compiler, rows[i].target, module, &options, &bytes[rows[i].part], &why))
			text_clear(&bytes[rows[i].part]);
	}
	struct text air = {0}, *metallib = &bytes[BUNDLE_METALLIB];
	if (bytes[BUNDLE_METAL].length && metal_toolchain_found() &&
	    !metal_toolchain_run("kernels", &bytes[BUNDLE_METAL], &air, metallib, &why))
		text_clear(metallib);
	text_free(&air);
	text_free(&why);
}

/* The reflection's `artifacts` name the parts of the bundle, which have no files of their own. */
static void describe(const struct compiler *compiler, const struct ir_module *module, struct text *json)
{
	static const struct artifact_file parts[] = {
	    {"native", "native", NULL}, {"ptx", "ptx", NULL}, {"spirv", "spirv", NULL}, {"kir", "kir", NULL}, {0}};
	struct text header = {0};
	compiler->describe(module, parts, json, &header);
	text_free(&header);
}

bool bundle_make(const struct compiler *compiler, const struct ir_module *module, struct text *out, struct text *error)
{
	struct text bytes[BUNDLE_PART_COUNT] = {{0}};
	bool good = true;
	for (int i = 0; good && i < BUNDLE_PART_COUNT; i++) {
		const char *target = target_of((enum bundle_part)i);
		struct target_options options = {.optimize = 2, .status = true};
		if (i == BUNDLE_NATIVE)
			options.cpu = PROCESSOR;
		good = !target || compiler->emit(target, module, &options, &bytes[i], error);
	}
	if (good) {
		add_optional(compiler, module, bytes);
		describe(compiler, module, &bytes[BUNDLE_REFLECTION]);
		struct bundle b = {0};
		for (int i = 0; i < BUNDLE_PART_COUNT; i++) {
			b.parts[i].data = bytes[i].length ? bytes[i].data : NULL;
			b.parts[i].size = bytes[i].length;
		}
		bundle_write(&b, out);
	}
	for (int i = 0; i < BUNDLE_PART_COUNT; i++)
		text_free(&bytes[i]);
	return good;
}
