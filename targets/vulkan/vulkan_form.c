#include "targets/vulkan/vulkan_form.h"

#include <spirv/unified1/spirv.h>

#include "ir/hazard.h"
#include "ir/ir_analysis.h"

enum { VERSION_1_3 = 0x00010300, VERSION_1_6 = 0x00010600 };

/* SSPUR's: any values, any grid, and floats to the last bit whatever the device. */
static const struct vulkan_form general = {
    .version = VERSION_1_3, /* of Vulkan 1.1 */
    .settings = true,
    .mask = true,
    .float_modes = true,
    .restricts = true,
    .failure_semantics = SpvMemorySemanticsMaskNone,
    .storage_scope = SpvScopeWorkgroup,
    .private_class = SpvStorageClassFunction,
};

/* Cone's (spec/cone.md part 4): whoever dispatches it knows nothing but the buffers. */
static const struct vulkan_form buffers_alone = {
    .version = VERSION_1_6, /* of Vulkan 1.3 */
    .own_functions = true,
    .dotted_names = true,
    .files = true,
    .ordered_atomics = true,
    .failure_semantics = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask,
    .storage_scope = SpvScopeDevice,
    .private_class = SpvStorageClassPrivate,
};

struct vulkan_form vulkan_form_of(const struct ir_module *m, uint32_t version, uint32_t hazards)
{
	struct vulkan_form form = ir_takes_buffers_alone(m) ? buffers_alone : general;
	form.hazards = hazards;
	/* lavapipe (Mesa 22.3) takes a memory barrier, and an atomic's order, for a barrier that the whole group waits
	 * at: on a way that not all threads take, those that wait never go on. Its atomics are in order as they are. */
	if (hazards & IR_HAZARD_ROUNDS) {
		form.relaxed_atomics = true;
		form.failure_semantics = SpvMemorySemanticsMaskNone;
	}
	if (version)
		form.version = version;
	return form;
}
