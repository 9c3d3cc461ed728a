/* Any bytes as an artifact's reflection file, and as an artifact: refused with a message, or kernels that verify. */
#include <stdlib.h>

#include "ir/ir.h"
#include "runtime/artifact_reflection.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const enum artifact_kind kinds[] = {ARTIFACT_PTX, ARTIFACT_SPIRV, ARTIFACT_VULKAN};
	enum artifact_kind kind;
	if (artifact_recognize(bytes, size, &kind) && !*artifact_kind_text(kind))
		abort();
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct artifact_kernel *facts = NULL;
		struct text error = {0};
		struct ir_module *m = artifact_reflection_read(bytes, size, kinds[i], &facts, &error);
		if (!m != (error.length != 0))
			abort();
		for (uint32_t n = 0; m && n < m->kernel_count; n++)
			if (!m->kernels[n]->name || ir_module_find(m, m->kernels[n]->name) != m->kernels[n])
				abort();
		ir_module_free(m);
		free(facts);
		text_free(&error);
	}
	return 0;
}
