/* Any bytes as kernel IR, written in the Vulkan form for devices with and without hazards: it is refused with a
 * message, or a module that spirv-val passes. */
#include <stdio.h>
#include <stdlib.h>

#include <spirv-tools/libspirv.h>

#include "ir/hazard.h"
#include "ir/ir_text.h"
#include "targets/vulkan/vulkan_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void validate(const struct text *module, bool newest)
{
	static spv_context contexts[2];
	if (!contexts[newest])
		contexts[newest] = spvContextCreate(newest ? SPV_ENV_VULKAN_1_3 : SPV_ENV_VULKAN_1_1);
	if (module->length % 4)
		abort();
	struct spv_const_binary_t binary = {(const uint32_t *)(const void *)module->data, module->length / 4};
	spv_diagnostic diagnostic = NULL;
	if (spvValidate(contexts[newest], &binary, &diagnostic) != SPV_SUCCESS) {
		fprintf(stderr, "%s\n", diagnostic ? diagnostic->error : "not valid");
		abort();
	}
	spvDiagnosticDestroy(diagnostic);
}

static void emit(const struct ir_module *m, uint32_t hazards, bool newest)
{
	struct target_options options = {.hazards = hazards, .cpu = newest ? "spirv1.6" : NULL, .status = true};
	struct text out = {0}, error = {0};
	bool good = vulkan_emit(m, &options, &out, &error);
	if (good == (error.length != 0))
		abort();
	/* Kernels that record their failures have a form of SPIR-V 1.6. */
	bool records = m->kernel_count && m->kernels[0]->policy == IR_POLICY_RECORD;
	if (good)
		validate(&out, newest || records);
	text_free(&out);
	text_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint32_t all = IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64 | IR_HAZARD_DIVIDE_F32 |
	                            IR_HAZARD_ROOT_F32 | IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F64 | IR_HAZARD_ROUNDS;
	struct source source;
	source_init(&source, "fuzz.kir", (const char *)bytes, size);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *m = ir_parse(&source, &diagnostics);
	if (m && m->kernel_count) { /* what nobody builds else */
		emit(m, 0, false);
		emit(m, all, true);
	}
	ir_module_free(m);
	diagnostics_free(&diagnostics);
	source_free(&source);
	return 0;
}
