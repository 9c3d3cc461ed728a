/* The table of targets, and what the compiler module exports. */
#include "targets/targets.h"

#include <string.h>

#include "targets/kir/kir_target.h"
#include "targets/llvm/llvm_target.h"
#include "targets/native/native_target.h"
#include "targets/native/twin_target.h"
#include "targets/nvptx/ptx_target.h"
#include "targets/source/source_target.h"
#include "targets/spirv/spirv_target.h"
#include "targets/vulkan/vulkan_target.h"

const struct target targets[] = {
    {"native", ".o", false, native_emit},
    {"ptx", ".ptx", true, ptx_emit},
    {"spirv", ".spv", false, spirv_emit},
    {"vulkan", ".spv", false, vulkan_emit},
    {"opencl", ".cl", true, opencl_emit},
    {"metal", ".metal", true, metal_emit},
    {"llvm", ".ll", true, llvm_emit},
    {"kir", ".kir", true, kir_emit},
    {"twin", ".o", false, twin_emit},
    {"bitcode", ".bc", false, bitcode_emit},
    {0},
};

const struct target *target_find(const char *name)
{
	for (const struct target *t = targets; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

bool sspur_compiler_emit(const char *target, const struct ir_module *module, const struct target_options *options,
                         struct text *out, struct text *error)
{
	static const struct target_options usual = {.optimize = 2, .status = true};
	const struct target *t = target_find(target);
	if (!t) {
		text_add_format(error, "no target `%s`", target);
		return false;
	}
	return t->emit(module, options ? options : &usual, out, error);
}
