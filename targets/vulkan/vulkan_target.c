#include "targets/vulkan/vulkan_target.h"

#include <string.h>

#include "ir/hazard.h"
#include "ir/ir_analysis.h"
#include "lower/pipeline.h"
#include "targets/vulkan/vulkan_writer.h"

static const struct version {
	const char *name;
	uint32_t number; /* as a module's header has it */
} versions[] = {
    {"spirv1.3", 0x00010300}, /* Vulkan 1.1 */
    {"spirv1.4", 0x00010400},
    {"spirv1.5", 0x00010500}, /* Vulkan 1.2 */
    {"spirv1.6", 0x00010600}, /* Vulkan 1.3 */
};

/* 0: the form's usual one. */
static bool find_version(const char *name, uint32_t *number, struct text *error)
{
	*number = 0;
	if (!name)
		return true;
	for (size_t n = 0; n < sizeof versions / sizeof *versions; n++)
		if (strcmp(versions[n].name, name) == 0) {
			*number = versions[n].number;
			return true;
		}
	text_add_format(error, "no version `%s` of SPIR-V for Vulkan: spirv1.3 to spirv1.6", name);
	return false;
}

/* Whether the device can have the kernel's code at all: a module that declares Float64 is no module for the others. */
static bool is_possible(const struct ir_kernel *k, uint32_t hazards)
{
	return !(hazards & IR_HAZARD_NO_F64) || !ir_uses_f64(k);
}

static void list_file(struct vulkan_module *m, uint32_t id, const char *path)
{
	struct words none = {0};
	const char *slash = strrchr(path, '/');
	/* Tools know the module as Cone's by these. */
	vulkan_write_name(m, SECTION_SOURCE, SpvOpSourceExtension, &none,
	                  arena_format(&m->arena, "cone.file %u %s", id, slash ? slash + 1 : path), NULL);
}

static void list_files(struct vulkan_module *m, const struct ir_module *module)
{
	VULKAN_WRITE(m, &m->sections[SECTION_SOURCE], SpvOpSource, SpvSourceLanguageUnknown, 0);
	for (uint32_t n = 0; n < module->file_count; n++)
		list_file(m, module->files[n].id, module->files[n].name);
	if (!module->file_count)
		list_file(m, 1,
		          module->kernels[0]->file ? module->kernels[0]->file : "?"); /* kernel IR may have none */
}

bool vulkan_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                 struct text *error)
{
	uint32_t version;
	if (!find_version(options->cpu, &version, error))
		return false;
	struct vulkan_form form = vulkan_form_of(module, version, options->hazards);
	struct ir_module *copy = form.own_functions
	                             ? pipeline_copy(module, error)
	                             : pipeline_thread(module, options->hazards, !options->checked_only, error);
	if (!copy)
		return false;
	struct vulkan_module m;
	vulkan_module_begin(&m, &form);
	if (form.files)
		list_files(&m, copy);
	bool good = true;
	uint32_t left_out = 0;
	for (uint32_t n = 0; good && n < copy->kernel_count; n++) {
		const struct ir_kernel *k = copy->kernels[n];
		/* A proved kernel cannot say that its loops ended early: there is the checked one alone. */
		bool silent = k->policy == IR_POLICY_PROVED && vulkan_rounds_needed(&form, k);
		left_out += silent;
		good = silent || !is_possible(k, options->hazards) || vulkan_kernel(&m, k, error);
	}
	if (good && left_out && left_out == copy->kernel_count) {
		text_add(error, "a proved kernel cannot tell that its loops ended early, and there is no other");
		good = false;
	}
	if (good && !vulkan_module_end(&m, out)) {
		text_add(error, "the module is larger than SPIR-V allows");
		good = false;
	}
	vulkan_module_free(&m);
	ir_module_free(copy);
	return good;
}
